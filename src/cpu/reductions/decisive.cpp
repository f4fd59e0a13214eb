#include "cpu/reductions/decisive.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/guards/guard.h"

namespace wf::cpu {
namespace {

bool is_bits(const Term& term) { return term.kind == Kind::Literal || term.kind == Kind::Argument; }

// where(condition, i, number), or with the last two exchanged.
std::optional<Decisive> first_index(const Fn& body, const Term& value) {
  if (value.kind != Kind::Apply || value.op != Op::where_ || value.type != Type::I64) return std::nullopt;
  const Term *index = &body[body.args(value)[1]], *other = &body[body.args(value)[2]];
  if (is_bits(*index)) std::swap(index, other);
  if (index->kind != Kind::Param || index->slot != 0 || !is_bits(*other)) return std::nullopt;
  return Decisive{true, *other};
}

std::optional<Decisive> decisive(const Kernel& kernel, const Reduction& reduction) {
  const std::optional<Op> op = as_op(*reduction.combine);
  if (!op) return std::nullopt;
  const Term& value = (*kernel.body)[kernel.body->results[reduction.values[0]]];
  if (*op == Op::min_ && value.type == Type::I64) return first_index(*kernel.body, value);
  if (value.type != Type::Bool || (*op != Op::or_ && *op != Op::and_)) return std::nullopt;
  Term last{.kind = Kind::Literal, .type = Type::Bool};
  last.bits = to_bits(*op == Op::or_);
  return Decisive{false, last};
}

}  // namespace

int64_t Decisive::end(Bits64 result, std::span<const Bits64> arguments) const {
  constexpr int64_t never = INT64_MAX;
  const Bits64 bits = other.kind == Kind::Argument ? arguments[other.slot] : other.bits;
  if (!is_index) return result == bits ? 0 : never;
  const auto index = from_bits<int64_t>(result);
  return index <= from_bits<int64_t>(bits) ? index : never;
}

std::vector<Decisive> decisive_reductions(const Kernel& kernel) {
  const bool only_reduces =
      !kernel.has_scan() && kernel.stores.empty() && kernel.compactions.empty() && kernel.elements.empty() && kernel.scatters.empty();
  if (!only_reduces || has_checks(*kernel.body) || has_foreign(kernel)) return {};
  std::vector<Decisive> all;
  for (const Reduction& reduction : kernel.reductions) {
    const std::optional<Decisive> one = decisive(kernel, reduction);
    if (!one) return {};
    all.push_back(*one);
  }
  return all;
}

}  // namespace wf::cpu
