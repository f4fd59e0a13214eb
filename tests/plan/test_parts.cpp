// Sequences of many parts: the plans of appends, and their results on the engine under test.
#include <limits>
#include <numeric>

#include "check.h"
#include "lazy/arrays/arrays.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using graph::elements;
using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;
using wf::Type;

namespace {

// Lengths that cross tiles, blocks and chunks, next to parts of one element and of none.
const vector<int64_t> usual{1, 0, 63, 64, 65, 1, 1, 4095, 0, 4096, 4097, 3, 200'000, 17, 1, 70'000};

// Element i of part k.
int64_t element(size_t k, int64_t i) { return int64_t(k) * 1'000'003 + i * 7919 % 100'003; }

vector<int64_t> part(size_t k, int64_t n) {
  vector<int64_t> all(n);
  for (int64_t i = 0; i < n; i++) all[i] = element(k, i);
  return all;
}

// Parts that are stored, delayed, and views of longer sequences, in turn.
Nodes parts_of(const vector<int64_t>& lengths) {
  Nodes parts;
  for (size_t k = 0; k < lengths.size(); k++) {
    const int64_t n = lengths[k];
    if (k % 3 == 0) parts.push_back(graph::source(part(k, n)));
    else if (k % 3 == 1)
      parts.push_back(
          graph::map("(fn ((x i64)) (sub x 5:i64))", {graph::map("(fn ((x i64)) (add x 5:i64))", {graph::source(part(k, n))})}));
    else {
      vector<int64_t> longer = part(k, n);
      longer.insert(longer.begin(), {1, 2, 3}), longer.push_back(4);
      parts.push_back(wf::subseq(graph::source(longer), 3, n));
    }
  }
  return parts;
}

vector<int64_t> joined(const vector<int64_t>& lengths) {
  vector<int64_t> all;
  for (size_t k = 0; k < lengths.size(); k++) {
    const vector<int64_t> own = part(k, lengths[k]);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

Nodes sources(size_t count, int64_t n) {
  Nodes parts;
  for (size_t k = 0; k < count; k++) parts.push_back(graph::source(part(k, n)));
  return parts;
}

string plan_of(const Nodes& nodes, bool in_parts = true) {
  wf::PlanOptions options;
  options.parts = in_parts;
  options.verify = true;
  string text;
  for (const auto& step : wf::make_plan(nodes, options).steps)
    if (step->runs()) text += (text.empty() ? "" : "; ") + wf::summary(*step);
  return text;
}

NodeRef sum(const NodeRef& s) { return graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", s); }
NodeRef doubled(const NodeRef& s) { return graph::map("(fn ((x i64)) (mul x 2:i64))", {s}); }

}  // namespace

TEST(few_parts_fuse_and_many_are_joined) {
  CHECK_EQ(plan_of({wf::append(sources(8, 10)), doubled(sources(1, 80)[0])}), "store(2)");
  CHECK_EQ(plan_of({wf::append(sources(8, 10))}, false), "store(1)");
  CHECK_EQ(plan_of({wf::append(sources(8, 10))}), "join");  // alone, and all in memory
  CHECK_EQ(plan_of({wf::append(sources(9, 10))}), "join");
  CHECK_EQ(plan_of({sum(wf::append(sources(8, 10)))}), "reduce(add), finish(1)");
}

TEST(a_kernel_reads_the_parts_at_its_own_index) {
  const NodeRef s = wf::append(sources(9, 10));
  CHECK_EQ(plan_of({sum(s)}), "reduce(add), finish(1)");
  CHECK_EQ(plan_of({sum(s)}, false), "join; reduce(add), finish(1)");
  CHECK_EQ(plan_of({sum(s), doubled(s)}), "reduce(add), store(1), finish(1)");
  CHECK_EQ(plan_of({graph::filter("(fn ((x i64)) (lt x 3:i64))", s)}), "filter(1)");
  CHECK_EQ(plan_of({graph::scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", s, true).prefixes}), "scan(add), store(1)");
  CHECK_EQ(plan_of({graph::map("(fn ((x i64) (y i64)) (add x y))", {s, wf::append(sources(30, 3))})}), "store(1)");
  // Others need it in memory.
  CHECK_EQ(plan_of({wf::rev(s)}), "join; store(1)");
  CHECK_EQ(plan_of({s, sum(s)}), "join; reduce(add), finish(1)");
  CHECK_EQ(plan_of({sum(s), sum(wf::subseq(wf::rev(s), 1, 20))}), "join; reduce(add), finish(1); reduce(add), finish(1)");
  CHECK_EQ(plan_of({wf::sort(s, 1, false)}), "join; sort(1 key)");
}

TEST(appends_of_appends_are_one) {
  NodeRef s = wf::append(sources(2, 3));
  for (int k = 0; k < 6; k++) s = wf::append(Nodes{s, sources(1, 3)[0]});
  CHECK_EQ(plan_of({s}), "join");
  CHECK_EQ(plan_of({s}, false), "store(1)");
  s = wf::append(Nodes{s, sources(1, 3)[0]});
  CHECK_EQ(plan_of({s}, false), "join");
  s = wf::append(Nodes{s, doubled(sources(1, 3)[0]), wf::append(sources(20, 3))});
  CHECK_EQ(plan_of({s}), "store(1); join");
  CHECK_EQ(plan_of({sum(s)}), "store(1); reduce(add), finish(1)");
  // One that is demanded, too, is read from memory.
  const NodeRef more = wf::append(Nodes{s, s});
  CHECK_EQ(plan_of({s, more}), "store(1); join; join");
}

TEST(maps_of_parts_are_a_map_of_the_append) {
  const auto mapped = [](size_t count, int64_t n) {
    Nodes parts = sources(count, n);
    for (NodeRef& part : parts) part = doubled(doubled(part));
    return parts;
  };
  CHECK_EQ(plan_of({wf::append(mapped(20, 10))}), "store(1)");
  CHECK_EQ(plan_of({wf::append(mapped(20, 10))}, false), "join; store(1)");
  CHECK_EQ(plan_of({sum(wf::append(mapped(20, 10)))}), "reduce(add), finish(1)");
  Nodes mixed = mapped(20, 10);
  mixed[7] = graph::source(part(7, 10));
  CHECK_EQ(plan_of({wf::append(mixed)}), "store(1); store(1); join");
  // One by one, and among others.
  NodeRef s = graph::source(part(0, 10));
  vector<int64_t> expected = part(0, 10);
  for (size_t k = 1; k < 30; k++) {
    s = wf::append(Nodes{s, doubled(doubled(graph::source(part(k, 10))))});
    for (int64_t x : part(k, 10)) expected.push_back(4 * x);
  }
  CHECK_EQ(plan_of({s}), "store(1); join");
  CHECK(elements<int64_t>(s) == expected);
  expected.clear();
  for (size_t k = 0; k < mixed.size(); k++)
    for (int64_t x : part(k, 10)) expected.push_back(k == 7 ? x : 4 * x);
  CHECK(elements<int64_t>(wf::append(mixed)) == expected);
  // Functions of the index, of captured sequences, and of other numbers are no such maps.
  Nodes others;
  vector<int64_t> right;
  for (int64_t k = 0; k < 20; k++) {
    others.push_back(
        k % 2 ? graph::tabulate("(fn ((i i64)) (add i (at $0 0:i64)))", 5, {graph::source(part(size_t(k), 5))})
              : graph::map("(fn ((x i64)) (add x (at $0 1:i64)))", {graph::source(part(size_t(k), 5))}, {graph::source(part(3, 2))}));
    for (int64_t i = 0; i < 5; i++) right.push_back(k % 2 ? i + element(size_t(k), 0) : element(size_t(k), i) + element(3, 1));
  }
  CHECK(elements<int64_t>(wf::append(others)) == right);
}

TEST(the_parts_are_in_their_places) {
  const vector<int64_t> right = joined(usual);
  CHECK(elements<int64_t>(wf::append(parts_of(usual))) == right);
  CHECK(elements<int64_t>(wf::rev(wf::append(parts_of(usual)))) == vector<int64_t>(right.rbegin(), right.rend()));
  CHECK_EQ(elements<int64_t>(sum(wf::append(parts_of(usual))))[0], std::accumulate(right.begin(), right.end(), int64_t(0)));
  CHECK_EQ(elements<int64_t>(wf::nth(wf::append(parts_of(usual)), 200'000))[0], right[200'000]);

  vector<int64_t> doubles, sums, kept;
  for (int64_t x : right) {
    doubles.push_back(2 * x), sums.push_back(x + (sums.empty() ? 0 : sums.back()));
    if (x % 3 == 0) kept.push_back(x);
  }
  CHECK(elements<int64_t>(doubled(wf::append(parts_of(usual)))) == doubles);
  CHECK(elements<int64_t>(graph::scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", wf::append(parts_of(usual)), true).prefixes) == sums);
  CHECK(elements<int64_t>(graph::filter("(fn ((x i64)) (eq (rem x 3:i64) 0:i64))", wf::append(parts_of(usual)))) == kept);
  // With an append that has other parts, and with the index.
  vector<int64_t> others(right.size() / 10, 10);
  others.push_back(int64_t(right.size() % 10));
  const vector<int64_t> second = joined(others);
  const auto both = elements<int64_t>(graph::tabulate("(fn ((i i64)) (add (mul (at $0 i) 3:i64) (add (at $1 i) i)))", int64_t(right.size()),
                                                      {wf::append(parts_of(usual)), wf::append(parts_of(others))}));
  bool is_right = both.size() == right.size();
  for (size_t i = 0; is_right && i < right.size(); i++) is_right = both[i] == 3 * right[i] + second[i] + int64_t(i);
  CHECK(is_right);
}

TEST(all_types_and_several_columns_are_joined) {
  for (int t = 0; t < wf::type_count; t++) {
    const auto type = Type(t);
    Nodes parts;
    vector<oracle::Value> values;
    for (int64_t k = 0; k < 12; k++) {
      oracle::Value value({type, Type::I32, type}, k == 5 ? 5000 : k);
      for (int64_t i = 0; i < value.length; i++) {
        const double special[] = {-0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), double(i % 200)};
        const wf::Bits64 bits = wf::convert(Type::F64, type, wf::to_bits(special[(i + k) % 4]));
        value.columns[0][i] = bits, value.columns[1][i] = wf::to_bits(int32_t(i * k)),
        value.columns[2][i] = wf::convert(Type::I64, type, wf::to_bits(i + k));
      }
      values.push_back(value);
      parts.push_back(graph::source(value));
    }
    vector<const oracle::Value*> all;
    for (const oracle::Value& value : values) all.push_back(&value);
    CHECK_EQ(oracle::difference(oracle::append(all), graph::forced(wf::append(parts))), "");
  }
}

TEST(arrays_are_joined_along_any_axis) {
  for (int64_t rows : {1, 3, 700}) {
    Nodes parts;
    vector<int64_t> widths;
    int64_t width = 0;
    for (size_t k = 0; k < 40; k++) {
      widths.push_back(k == 7 ? 300 : int64_t(k % 4)), width += widths.back();
      const int64_t extents[] = {rows, widths.back()};
      parts.push_back(wf::reshape(graph::source(part(k, rows * widths.back())), extents));
    }
    vector<int64_t> expected;
    for (int64_t r = 0; r < rows; r++)
      for (size_t k = 0; k < widths.size(); k++)
        for (int64_t i = 0; i < widths[k]; i++) expected.push_back(element(k, r * widths[k] + i));
    const NodeRef all = wf::join(parts, 1);
    CHECK_EQ(plan_of({all}), "join");
    CHECK(elements<int64_t>(doubled(wf::join(parts, 1))) == elements<int64_t>(doubled(graph::source(expected))));
    CHECK(elements<int64_t>(all) == expected);
    // Rows of joined rows are no parts of a longer one.
    CHECK(elements<int64_t>(wf::join(Nodes{wf::join(parts, 1), wf::join(parts, 1)}, 0)) == [&] {
      vector<int64_t> twice = expected;
      twice.insert(twice.end(), expected.begin(), expected.end());
      return twice;
    }());
  }
}

TEST(a_sequence_grows_in_a_loop) {
  constexpr int64_t steps = 50'000;
  NodeRef s = graph::source(vector<int64_t>{0});
  vector<int64_t> expected{0};
  for (int64_t k = 1; k < steps; k++) {
    s = wf::append(k % 2 ? Nodes{s, graph::source(vector<int64_t>{k})} : Nodes{graph::source(vector<int64_t>{k}), s});
    expected.push_back(k);
  }
  CHECK_EQ(plan_of({s}), "join");
  CHECK_EQ(elements<int64_t>(sum(s))[0], steps * (steps - 1) / 2);
  vector<int64_t> found = elements<int64_t>(s);
  CHECK_EQ(found[0], steps - 2);
  CHECK_EQ(found.back(), steps - 1);
  std::ranges::sort(found);
  CHECK(found == expected);
  // Each step forced.
  NodeRef t = graph::source(vector<int64_t>{0});
  for (int64_t k = 1; k < 100; k++) {
    t = wf::append(Nodes{t, graph::source(vector<int64_t>{k})});
    CHECK_EQ(elements<int64_t>(t).back(), k);
  }
}

// All parts in memory are one vertex, in appends of appends and next to delayed parts, too.
TEST(parts_in_memory_are_no_vertices) {
  wf::PlanOptions options;
  options.parts = true;
  CHECK_EQ(wf::make_plan(Nodes{wf::append(sources(1000, 3))}, options).vertices.size(), 1u);
  CHECK_EQ(wf::make_plan(Nodes{sum(wf::append(Nodes{wf::append(sources(500, 3)), wf::append(sources(500, 3))}))}, options).vertices.size(),
           2u);
  Nodes mixed = sources(1000, 3);
  mixed[400] = graph::scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", mixed[400], true).prefixes;
  CHECK_EQ(wf::make_plan(Nodes{wf::append(mixed)}, options).vertices.size(), 3u);  // with the scanned sequence
}

// A range of many parts reads only the parts that it belongs to, until the append is stored.
TEST(ranges_of_appends_read_their_parts) {
  const vector<int64_t> lengths(100, 7), right = joined(lengths);
  const auto taken = [&](const NodeRef& s, int64_t start, int64_t n) {
    return elements<int64_t>(wf::subseq(s, start, n)) == vector<int64_t>(right.begin() + start, right.begin() + start + n);
  };
  NodeRef grown = sources(1, 7)[0];
  for (size_t k = 1; k < 100; k++) grown = wf::append(Nodes{grown, graph::source(part(k, 7))});
  for (const NodeRef& s : {wf::append(sources(100, 7)), grown}) {
    CHECK_EQ(wf::make_plan(Nodes{doubled(wf::subseq(s, 698, 2))}, {}).vertices.size(), 2u);
    for (int64_t start : {0, 6, 7, 8, 350, 692, 693}) CHECK(taken(s, start, 1) && taken(s, start, 7) && taken(s, start, 0));
    CHECK(taken(s, 5, 690) && taken(s, 1, 699));
  }
  // After a long search, the second read stores the whole.
  const NodeRef s = wf::append(sources(1000, 3));
  for (int64_t i = 1400; i < 1420; i++) CHECK_EQ(elements<int64_t>(wf::nth(s, i))[0], element(size_t(i / 3), i % 3));
  CHECK(s->is_manifest());
  const NodeRef near = wf::append(sources(1000, 3));
  for (int64_t i = 2995; i < 3000; i++) CHECK_EQ(elements<int64_t>(wf::nth(near, i))[0], element(size_t(i / 3), i % 3));
  CHECK(!near->is_manifest());
}

TEST(a_fault_in_a_part_is_one_of_the_append) {
  Nodes parts = sources(12, 10);
  parts[5] = graph::tabulate("(fn ((i i64)) (at $0 (add i 3:i64)))", 10, {graph::source(part(0, 10))});
  const NodeRef s = wf::append(parts);
  CHECK_THROWS(wf::RangeError, wf::force({&s, 1}));
  const NodeRef total = sum(wf::append(parts));
  CHECK_THROWS(wf::RangeError, wf::force({&total, 1}));
}
