// The table of partial derivatives.
#include <array>

#include "expr/derivative/derivative.h"

namespace wf {
namespace {

struct PartialLine {
  std::array<std::string_view, 3> partials = {};
  std::array<std::string_view, 3> missing = {};  // reasons
  bool is_listed = false, is_differentiated = false;
};

constexpr size_t arity_of[op_count] = {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) arity,
#include "ops/ops.def"
};

constexpr std::array<PartialLine, op_count> make_partial_lines() {
  std::array<PartialLine, op_count> partial_lines{};
  const auto at = [&](Op op) -> PartialLine& { return partial_lines[size_t(op)]; };
#define D(op, domains, a, b, c) at(Op::op##_) = {{a, b, c}, {}, true, true};
#define CONSTANT(op) at(Op::op##_).is_listed = true;
#define MISSING(op, operand, reason) at(Op::op##_).missing[operand] = reason, at(Op::op##_).is_listed = true;
#include "ops/derivatives.def"
  at(Op::where_).is_listed = true;  // a choice, which cotangents and tangents follow
  return partial_lines;
}

constexpr auto partial_lines = make_partial_lines();
constexpr bool has_all() {
  for (size_t op = 0; op < op_count; op++) {
    const PartialLine& line = partial_lines[op];
    if (!line.is_listed) return false;
    for (size_t k = 0; line.is_differentiated && k < arity_of[op]; k++)
      if (line.partials[k].empty() == line.missing[k].empty()) return false;
  }
  return true;
}
static_assert(has_all(),
              "an operation of ops.def, or an operand, has no derivative in derivatives.def, and is not listed as constant or missing");

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
