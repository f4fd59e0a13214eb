// The table of operations against the independent meaning, on every pair of edge values of every type.
#include "check.h"
#include "oracle/meaning.h"
#include "samples.h"

using namespace oracle;

namespace {

std::string cell(Op op, Type t, Bits64 a, Bits64 b, Bits64 c) {
  std::ostringstream text;
  text << wf::name(op) << ' ' << wf::name(t);
  for (Bits64 x : {a, b, c}) text << " 0x" << std::hex << x;
  return text.str();
}

void compare(Op op, Type t, Bits64 a, Bits64 b = 0, Bits64 c = 0) {
  const Bits64 table = wf::evaluate(op, t, a, b, c), second = meaning(op, t, a, b, c);
  const Type result = wf::result_type(op, t);
  if (is_near(op, result, second, table)) return;
  CHECK_EQ(cell(op, t, a, b, c) + " = " + cell(op, result, table, 0, 0), cell(op, t, a, b, c) + " = " + cell(op, result, second, 0, 0));
}

}  // namespace

TEST(operations_mean_what_a_second_reading_says) {
  for (int k = 0; k < wf::op_count; k++) {
    const Op op = static_cast<Op>(k);
    for (int t = 0; t < wf::type_count; t++) {
      const Type type = static_cast<Type>(t);
      if (!wf::is_in(type, wf::info(op).on)) continue;
      const auto edges = samples::edge_values(type), truths = samples::edge_values(Type::Bool);
      for (Bits64 a : op == Op::where_ ? truths : edges) {
        if (wf::info(op).arity == 1) {
          compare(op, type, a);
          continue;
        }
        for (Bits64 b : edges) {
          if (wf::info(op).arity == 2) {
            compare(op, type, a, b);
            continue;
          }
          for (Bits64 c : edges) compare(op, type, a, b, c);
        }
      }
    }
  }
}

TEST(conversions_mean_what_a_second_reading_says) {
  for (int from = 0; from < wf::type_count; from++)
    for (int to = 0; to < wf::type_count; to++)
      for (Bits64 x : samples::edge_values(static_cast<Type>(from))) {
        const Type f = static_cast<Type>(from), t = static_cast<Type>(to);
        if (!same(t, wf::convert(f, t, x), conversion(f, t, x)))
          CHECK_EQ(std::string(wf::name(f)) + " to " + std::string(wf::name(t)) + " of " + std::to_string(x), "the same");
      }
}

TEST(an_identity_changes_nothing) {
  for (int k = 0; k < wf::op_count; k++)
    for (int t = 0; t < wf::type_count; t++) {
      const Op op = static_cast<Op>(k);
      const Type type = static_cast<Type>(t);
      if (!wf::is_in(type, wf::info(op).on)) continue;
      const auto identity = wf::identity_bits(op, type);
      if (!identity) continue;
      for (Bits64 x : samples::edge_values(type)) {
        // highest and lowest are infinities, so min and max would ignore a NaN.
        if (wf::is_in(type, wf::Float) && !same(type, x, wf::evaluate(Op::add_, type, x, 0))) continue;
        if (wf::evaluate(Op::isnan_, type, x) && wf::is_in(type, wf::Float)) continue;
        CHECK(same(type, meaning(op, type, *identity, x), x));
        CHECK(same(type, meaning(op, type, x, *identity), x));
      }
    }
}
