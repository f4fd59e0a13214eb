// Every cell of the table, operation x type, through the whole library: mapped over every combination of edge values, with a
// literal on either side, reduced, scanned and filtered, against the oracle's independent meaning.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "check.h"
#include "oracle/graph.h"
#include "oracle/meaning.h"
#include "properties/functions.h"
#include "samples.h"

using namespace oracle;
using wf::Op;
using wf::Type;

namespace {

const auto for_each_cell = [](auto visit) {
  for (int k = 0; k < wf::op_count; k++)
    for (int t = 0; t < wf::type_count; t++)
      if (wf::is_in(static_cast<Type>(t), wf::info(static_cast<Op>(k)).on)) visit(static_cast<Op>(k), static_cast<Type>(t));
};

std::string text(Type t) { return std::string(wf::name(t)); }
std::string text(Op op) { return std::string(wf::name(op)); }

using Rows = std::set<int64_t>;

// Every combination of one edge value per operand; the first operand of `where` is a bool.
Value operands(Op op, Type t) {
  std::vector<Type> types(wf::info(op).arity, t);
  if (op == Op::where_) types[0] = Type::Bool;
  std::vector<std::vector<Bits64>> rows{{}};
  for (Type type : types) {
    std::vector<std::vector<Bits64>> longer;
    for (const auto& row : rows)
      for (Bits64 x : samples::edge_values(type)) longer.push_back(row), longer.back().push_back(x);
    rows = longer;
  }
  Value all(types, rows.size());
  for (size_t i = 0; i < rows.size(); i++) all.set_row(i, {rows[i]});
  return all;
}

// Returns true if the error of op is bounded there: special functions of several operands have bounds for operands of up to 10^4.
bool is_bounded(Op op, Type t, const std::vector<Bits64>& operands) {
  const wf::OpInfo& info = wf::info(op);
  if (info.cost != wf::Cost::special || info.arity == 1) return true;
  return std::ranges::all_of(operands, [t](Bits64 bits) {
    const double x = std::fabs(wf::from_bits<double>(wf::convert(t, Type::F64, bits)));
    return !std::isfinite(x) || x <= 1e4;
  });
}

// Reports the first element that is not near the oracle's, or not the same if f is not one operation.
void compare(const std::string& f, std::optional<Op> op, Type result, const Value& in, const std::vector<Bits64>& expected,
             const Value& actual, const Rows& skipped = {}) {
  CHECK_EQ(actual.length, in.length);
  for (int64_t i = 0; i < in.length; i++) {
    if (skipped.contains(i)) continue;
    const Bits64 right = expected[i], got = actual.columns[0][i];
    if (op ? is_near(*op, result, right, got) : same(result, right, got)) continue;
    std::string at;
    for (size_t k = 0; k < in.columns.size(); k++) at += " " + wf::print_literal(in.types[k], in.columns[k][i]);
    CHECK_EQ(f + " at" + at + " is " + wf::print_literal(result, got), wf::print_literal(result, right));
    return;
  }
}

}  // namespace

TEST(every_operation_on_every_type) {
  for_each_cell([](Op op, Type t) {
    const Value in = operands(op, t);
    std::string f = "(fn (", body = "(" + text(op);
    for (size_t k = 0; k < in.types.size(); k++) {
      const std::string x(1, char('a' + k));
      f += "(" + x + " " + text(in.types[k]) + ")", body += " " + x;
    }
    f += ") " + body + "))";
    std::vector<Bits64> expected;
    Rows skipped;
    for (int64_t i = 0; i < in.length; i++) {
      auto row = in.row(i).values;
      row.resize(3);
      expected.push_back(meaning(op, t, row[0], row[1], row[2]));
      if (!is_bounded(op, t, in.row(i).values)) skipped.insert(i);
    }
    compare(f, op, wf::result_type(op, t), in, expected, graph::forced(graph::map(f, {graph::source(in)})), skipped);
  });
}

// Simplification with a literal operand must preserve every bit.
TEST(every_operation_with_a_literal) {
  for_each_cell([](Op op, Type t) {
    if (wf::info(op).arity != 2) return;
    Value in({t}, samples::edge_values(t).size());
    in.columns[0] = samples::edge_values(t);
    const wf::NodeRef source = graph::source(in);
    for (Bits64 y : samples::edge_values(t))
      for (bool left : {false, true}) {
        const std::string literal = wf::print_literal(t, y);
        const std::string f = "(fn ((x " + text(t) + ")) (" + text(op) + (left ? " " + literal + " x))" : " x " + literal + "))");
        std::vector<Bits64> expected;
        Rows skipped;
        for (int64_t i = 0; i < in.length; i++)
          if (!is_bounded(op, t, {in.columns[0][i], y})) skipped.insert(i);
        for (Bits64 x : in.columns[0]) expected.push_back(left ? meaning(op, t, y, x) : meaning(op, t, x, y));
        compare(f, op, wf::result_type(op, t), in, expected, graph::forced(graph::map(f, {source})), skipped);
      }
  });
}

TEST(every_cast) {
  for (int from = 0; from < wf::type_count; from++)
    for (int to = 0; to < wf::type_count; to++) {
      const Type f = static_cast<Type>(from), t = static_cast<Type>(to);
      Value in({f}, samples::edge_values(f).size());
      in.columns[0] = samples::edge_values(f);
      std::vector<Bits64> expected;
      for (Bits64 x : in.columns[0]) expected.push_back(conversion(f, t, x));
      const std::string cast = "(fn ((x " + text(f) + ")) (cast " + text(t) + " x))";
      compare(cast, std::nullopt, t, in, expected, graph::forced(graph::map(cast, {graph::source(in)})));
    }
}

namespace {

// Floats are small whole numbers, whose sums and products here are exact in any order.
Value random_column(properties::Random& random, Op op, Type t, int64_t n) {
  Value s({t}, n);
  for (Bits64& x : s.columns[0]) {
    x = properties::random_value(random, t);
    if (!wf::is_in(t, wf::Float)) continue;
    x = wf::convert(Type::I32, t, wf::to_bits(op == Op::mul_ ? (random.once_in(9) ? -1 : 1) : int32_t(random.below(20)) - 10));
  }
  return s;
}

}  // namespace

TEST(every_associative_operation_reduces_and_scans_every_type) {
  properties::Random random(15210);
  for_each_cell([&](Op op, Type t) {
    if (!(wf::info(op).laws & wf::Assoc)) return;
    const wf::Closure f{wf::op_fn(op, t), {}};
    const std::vector<Bits64> identity{*wf::identity_bits(op, t)};
    for (int64_t n : {0, 1, 63, 64, 65, 1000, 5003}) {
      const Value s = random_column(random, op, t, n);
      const wf::NodeRef node = graph::source(s);
      const std::string what = text(op) + " over " + std::to_string(n) + " " + text(t) + ": ";
      for (bool inclusive : {false, true}) {
        const auto expected = scan(*f.fn, {}, identity, s, inclusive);
        const auto actual = wf::scan(f, identity, node, inclusive);
        CHECK_EQ(what + difference(expected.prefixes, graph::forced(actual.prefixes)), what);
        CHECK_EQ(what + difference(expected.total, graph::forced(actual.total)), what);
        CHECK_EQ(what + difference(expected.total, graph::forced(wf::reduce(f, identity, node))), what);
      }
    }
  });
}

// The order of additions is not sequential, but the result is near the sum and the same in every run.
TEST(sums_of_floats_are_near_and_the_same_every_time) {
  properties::Random random(15210);
  for (Type t : {Type::F32, Type::F64})
    for (int64_t n : {1000, 5003, 300007}) {
      Value s({t}, n);
      long double right = 0;
      for (Bits64& x : s.columns[0]) {
        x = wf::convert(Type::F64, t, wf::to_bits(double(random.below(1u << 30)) / (1 << 30)));
        right += wf::from_bits<double>(wf::convert(t, Type::F64, x));
      }
      const wf::NodeRef node = graph::source(s);
      const std::string type = text(t), add = "(fn ((a " + type + ") (b " + type + ")) (add a b))";
      auto sum = [&] { return graph::forced(graph::reduce(add, "0:" + type, node)).columns[0][0]; };
      const Bits64 first = sum();
      const double error = wf::from_bits<double>(wf::convert(t, Type::F64, first)) / double(right) - 1;
      CHECK(std::abs(error) < (t == Type::F32 ? 1e-5 : 1e-13));
      for (int k = 0; k < 5; k++) CHECK_EQ(sum(), first);
      const auto prefixes = graph::forced(graph::scan(add, "0:" + type, node, true).prefixes);
      const double last = wf::from_bits<double>(wf::convert(t, Type::F64, prefixes.columns[0][n - 1]));
      CHECK(std::abs(last / double(right) - 1) < (t == Type::F32 ? 1e-5 : 1e-13));
    }
}

TEST(every_type_is_filtered) {
  properties::Random random(15210);
  for (int k = 0; k < wf::type_count; k++)
    for (int64_t n : {0, 1, 63, 64, 65, 1000, 5003})
      for (uint32_t one_in : {1, 2, 50}) {
        const Type t = static_cast<Type>(k);
        Value both({t, Type::Bool}, n), mask({Type::Bool}, n);
        for (int64_t i = 0; i < n; i++) {
          both.columns[0][i] = properties::random_value(random, t);
          both.columns[1][i] = mask.columns[0][i] = random.once_in(one_in);
        }
        const std::string what = std::to_string(n) + " " + text(t) + ": ";
        const auto kept = graph::filter("(fn ((x " + text(t) + ") (keep bool)) keep)", graph::source(both));
        CHECK_EQ(what + difference(select(both, mask), graph::forced(kept)), what);
      }
}
