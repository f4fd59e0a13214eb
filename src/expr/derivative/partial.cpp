// The table of partial derivatives.
#include <array>

#include "expr/derivative/derivative.h"

namespace wf {
namespace {

struct PartialLine {
  std::array<std::string_view, 3> partials = {};
  std::array<std::string_view, 3> missing = {};  // reasons
  bool is_listed = false;
};

constexpr std::array<PartialLine, op_count> make_partial_lines() {
  std::array<PartialLine, op_count> partial_lines{};
  const auto at = [&](Op op) -> PartialLine& { return partial_lines[size_t(op)]; };
#define D(op, domains, a, b, c) at(Op::op##_) = {{a, b, c}, {}, true};
#define CONSTANT(op) at(Op::op##_).is_listed = true;
#define MISSING(op, operand, reason) at(Op::op##_).missing[operand] = reason, at(Op::op##_).is_listed = true;
#include "ops/derivatives.def"
  at(Op::where_).is_listed = true;  // a choice, which cotangents and tangents follow
  return partial_lines;
}

constexpr auto partial_lines = make_partial_lines();
constexpr bool has_all() {
  for (const PartialLine& line : partial_lines)
    if (!line.is_listed) return false;
  return true;
}
static_assert(has_all(), "an operation of ops.def has no line in derivatives.def");

// (a, b, c, r) -> the partial, of f64.
const Fn& partial_fn(Op op, size_t operand) {
  static auto& made = *new std::array<std::array<MadeOnce<FnRef>, 3>, op_count>;  // never destroyed: other threads may still run
  return *made[size_t(op)][operand].get([&] {
    const std::string text(partial_lines[size_t(op)].partials[operand]);
    return parse_unsimplified("(fn ((a f64) (b f64) (c f64) (r f64)) " + text + ")");
  });
}

}  // namespace

std::optional<Id> partial(Builder& b, Op op, size_t operand, std::span<const Id> x, Id r) {
  const PartialLine& line = partial_lines[size_t(op)];
  if (!line.missing[operand].empty())
    throw NoDerivative(std::string(name(op)) + " has no derivative by operand " + std::to_string(operand) + ": " +
                       std::string(line.missing[operand]));
  if (line.partials[operand].empty()) return std::nullopt;
  const Fn& f = partial_fn(op, operand);
  const Type type = b.type(r);
  std::vector<Id> here;
  for (const Term& t : f.terms) {
    std::vector<Id> operands;
    for (Id y : f.args(t)) operands.push_back(here[y]);
    if (t.kind == Kind::Param) here.push_back(t.slot == 3 || t.slot >= x.size() ? r : x[t.slot]);
    else if (t.kind == Kind::Literal)
      here.push_back(t.type == Type::F64 ? b.literal(type, convert(t.type, type, t.bits)) : b.literal(t.type, t.bits));
    else here.push_back(b.apply_typed(t.op, operands));
  }
  const Id result = here[f.results[0]];
  if (is_literal(b[result]) && b[result].bits == 0) return std::nullopt;
  return result;
}

}  // namespace wf
