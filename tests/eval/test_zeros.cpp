// Neutral elements. A sum of -0 from the identity -0 is -0, and one from 0 is 0; the least and the largest of NaNs are NaN, from the identity NaN
// and from an infinity, which is the value of no elements. So no engine may add a 0, or compare with an infinity, that the program does not contain.
#include <algorithm>
#include <limits>

#include "check.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/composed/segments.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::Bits64;
using wf::NodeRef;

namespace {

const vector<int64_t> sizes = {0, 1, 2, 63, 64, 65, 2047, 2049, 65536 * 3, 1000007};

// identity op value op ... op value = result
struct Case {
  const char* op;
  wf::Type type;
  const char *identity, *value, *result;

  string literal(const char* x) const { return string(x) + ":" + string(wf::name(type)); }
  string combine() const {
    const string t(wf::name(type));
    return "(fn ((a " + t + ") (b " + t + ")) (" + op + " a b))";
  }
  wf::Closure function() const { return graph::fn(combine()); }
  bool is_nan(Bits64 x) const { return wf::evaluate(wf::Op::isnan_, type, x); }
  vector<Bits64> bits(const char* x) const { return wf::parse_literals(literal(x), vector{type}); }

  // n elements, the same at each index, computed where they are read or in memory.
  NodeRef elements(int64_t n, bool stored) const {
    const NodeRef s = graph::tabulate("(fn ((i i64)) (where (eq i 1000000000000:i64) " + literal("1.0") + " " + literal(value) + "))", n);
    if (stored) wf::force(Nodes{s});
    return s;
  }
  NodeRef kept(const NodeRef& s, const char* comparison) const {
    return graph::filter("(fn ((x " + string(wf::name(type)) + ")) (" + comparison + " x " + literal("2.0") + "))", s);
  }
  // The n elements of s are the identity where nothing precedes them, and elsewhere the result.
  template <class IsFirst> void check(const NodeRef& s, int64_t n, IsFirst is_first) const {
    const oracle::Value found = graph::forced(s);
    CHECK_EQ(found.length, n);
    const Bits64 first = bits(identity)[0], other = bits(result)[0];
    auto same = [&](Bits64 a, Bits64 b) { return a == b || (is_nan(a) && is_nan(b)); };
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += !same(found.columns[0][size_t(i)], is_first(i) ? first : other);
    if (wrong > 0) std::printf("%s of %s from %s: %lld of %lld\n", op, literal(value).c_str(), identity, (long long)wrong, (long long)n);
    CHECK_EQ(wrong, 0);
  }
  void check(const NodeRef& s, int64_t n) const {
    check(s, n, [](int64_t) { return false; });
  }
  void check_one(const NodeRef& s, bool is_empty) const {
    check(s, 1, [&](int64_t) { return is_empty; });
  }
};
const vector<Case> cases = {
    {"add", wf::Type::F32, "-0.0", "-0.0", "-0.0"}, {"add", wf::Type::F64, "-0.0", "-0.0", "-0.0"},
    {"add", wf::Type::F32, "0.0", "-0.0", "0.0"},   {"add", wf::Type::F64, "0.0", "-0.0", "0.0"},
    {"min", wf::Type::F32, "nan", "nan", "nan"},    {"max", wf::Type::F64, "nan", "nan", "nan"},
    {"min", wf::Type::F64, "inf", "nan", "nan"},    {"max", wf::Type::F32, "-inf", "nan", "nan"},
};

// Calls run(case, elements, their number) for elements that are computed and for elements in memory.
template <class Run> void each(const vector<int64_t>& lengths, Run run) {
  for (const Case& c : cases)
    for (int64_t n : lengths)
      for (bool stored : {false, true}) run(c, c.elements(n, stored), n);
}

}  // namespace

TEST(reductions) {
  each(sizes, [](const Case& c, const NodeRef& s, int64_t n) {
    auto sum = [&](const NodeRef& of) { return graph::reduce(c.combine(), c.literal(c.identity), of); };
    const NodeRef all = sum(s), some = sum(c.kept(s, "ne")), none = sum(c.kept(s, "eq"));
    wf::force(Nodes{all, some});
    c.check_one(all, n == 0);
    c.check_one(some, n == 0);
    c.check_one(none, true);
  });
}

TEST(scans) {
  each(sizes, [](const Case& c, const NodeRef& s, int64_t n) {
    for (const NodeRef& from : {s, c.kept(s, "ne")}) {
      const auto before = graph::scan(c.combine(), c.literal(c.identity), from, false);
      const auto with = graph::scan(c.combine(), c.literal(c.identity), from, true);
      wf::force(Nodes{before.prefixes, before.total, with.prefixes});
      c.check(before.prefixes, n, [](int64_t i) { return i == 0; });
      c.check(with.prefixes, n);
      c.check_one(before.total, n == 0);
      c.check_one(with.total, n == 0);
    }
  });
}

TEST(extremes_of_prefixes) {
  each({1, 2, 65, 2049, 1000007}, [](const Case& c, const NodeRef& s, int64_t) {
    if (string(c.op) != "add") return;
    for (bool inclusive : {false, true}) {
      const NodeRef prefixes = graph::scan(c.combine(), c.literal(c.identity), s, inclusive).prefixes;
      c.check_one(graph::reduce(Case{"min", c.type, "", "", ""}.combine(), c.literal("inf"), prefixes), false);
      c.check_one(graph::reduce(Case{"max", c.type, "", "", ""}.combine(), c.literal("-inf"), prefixes), false);
    }
  });
}

// The exclusive prefixes of n equal numbers by min from NaN, of which the first one is no number.
TEST(extremes_of_prefixes_from_nan) {
  for (int64_t n : {1, 2, 65, 2049, 1000007}) {
    const NodeRef s = graph::tabulate("(fn ((i i64)) (where (lt i 2000000:i64) 8.0:f32 1.0:f32))", n);
    const NodeRef prefixes = graph::scan("(fn ((a f32) (b f32)) (min a b))", "nan:f32", s, false).prefixes;
    const NodeRef largest = graph::reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", prefixes);
    const float found = graph::elements<float>(largest)[0];
    CHECK(n == 1 ? found != found : found == 8.f);
  }
}

TEST(rows_and_columns) {
  for (int64_t rows : {1, 3, 65, 1000})
    for (int64_t length : {1, 2, 24, 25, 100, 700})
      each({rows * length}, [&](const Case& c, const NodeRef& s, int64_t n) {
        const int64_t extents[] = {rows, length};
        const NodeRef a = wf::reshape(s, extents);
        for (int32_t axis : {0, 1}) {
          const int64_t sums = axis == 0 ? length : rows;
          c.check(wf::reduce_axes(c.function(), c.bits(c.identity), a, {&axis, 1}, false), sums);
          const auto before = wf::scan_axis(c.function(), c.bits(c.identity), a, axis, false);
          c.check(before.prefixes, n, [&](int64_t i) { return axis == 0 ? i < length : i % length == 0; });
          c.check(before.total, sums);
          c.check(wf::scan_axis(c.function(), c.bits(c.identity), a, axis, true).prefixes, n);
        }
      });
}

TEST(rows_without_elements) {
  for (const Case& c : cases) {
    const int64_t extents[] = {70, 0};
    const int32_t axis = 1;
    c.check(wf::reduce_axes(c.function(), c.bits(c.identity), wf::reshape(c.elements(0, true), extents), {&axis, 1}, false), 70,
            [](int64_t) { return true; });
  }
}

// Segments of `length` elements, each after an empty one.
TEST(segments) {
  for (int64_t length : {1, 3, 20, 5000})
    each({65, 100003}, [&](const Case& c, const NodeRef& s, int64_t n) {
      vector<int64_t> starts;
      for (int64_t at = 0; at < n; at += length) starts.insert(starts.end(), {at, at});
      starts.push_back(n);
      const auto segments = int64_t(starts.size()) - 1;
      const NodeRef offsets = graph::source(starts);
      auto is_empty = [](int64_t k) { return k % 2 == 0; };
      c.check(wf::segment_reduce(c.function(), c.bits(c.identity), s, offsets), segments, is_empty);
      const auto before = wf::segment_scan(c.function(), c.bits(c.identity), s, offsets, false);
      c.check(before.prefixes, n, [&](int64_t i) { return i % length == 0; });
      c.check(before.total, segments, is_empty);
      c.check(wf::segment_scan(c.function(), c.bits(c.identity), s, offsets, true).prefixes, n);
    });
}

// NaNs but for one number, which may be the infinity that is the identity.
TEST(a_number_among_nans) {
  const string combine = "(fn ((a f32) (b f32)) (max a b))", least = "(fn ((a f64) (b f64)) (min a b))";
  for (int64_t n : {1, 2, 64, 65, 2049, 65536 * 3, 1000007})
    for (int64_t at : {int64_t(0), n / 2, n - 1})
      for (const char* number : {"-inf", "2.5"}) {
        const string is_number = "(eq i " + std::to_string(at) + ":i64)";
        const NodeRef s = graph::tabulate("(fn ((i i64)) (where " + is_number + " " + number + ":f32 nan:f32))", n);
        const NodeRef kept = graph::filter("(fn ((x f32)) (ne x 9.0:f32))", s);
        const float right = wf::from_bits<float>(wf::parse_literals(string(number) + ":f32", vector{wf::Type::F32})[0]);
        const NodeRef wide = graph::map("(fn ((x f32)) (neg (cast f64 x)))", {s});
        CHECK_EQ(graph::elements<float>(graph::reduce(combine, "-inf:f32", s))[0], right);
        CHECK_EQ(graph::elements<float>(graph::reduce(combine, "-inf:f32", kept))[0], right);
        CHECK_EQ(graph::elements<double>(graph::reduce(least, "inf:f64", wide))[0], -double(right));
        for (bool inclusive : {false, true}) {
          const vector<float> prefixes = graph::elements<float>(graph::scan(combine, "-inf:f32", s, inclusive).prefixes);
          int64_t wrong = 0;
          for (int64_t i = 0; i < n; i++) {
            const float x = prefixes[size_t(i)];
            if (!inclusive && i == 0) wrong += x != -std::numeric_limits<float>::infinity();
            else wrong += i + inclusive > at ? x != right : x == x;
          }
          CHECK_EQ(wrong, 0);
        }
      }
}

// A start that is not the identity counts, and columns do not depend on each other.
TEST(starts_and_columns) {
  const NodeRef nans = graph::tabulate("(fn ((i i64)) (tuple nan:f32 nan:f32 i))", 5000);
  const string combine = "(fn ((a f32) (b f32) (c i64) (d f32) (e f32) (f i64)) (tuple (max a d) (min b e) (max c f)))";
  const oracle::Value found = graph::forced(graph::reduce(combine, "(tuple 2.5:f32 inf:f32 -1:i64)", nans));
  CHECK_EQ(wf::from_bits<float>(found.columns[0][0]), 2.5f);
  CHECK(wf::evaluate(wf::Op::isnan_, wf::Type::F32, found.columns[1][0]));
  CHECK_EQ(int64_t(found.columns[2][0]), 4999);
}

// Folds whose count is known only for each element: 0, 1, 2 elements, all of them NaNs.
TEST(folds_of_nans) {
  for (bool stored : {false, true}) {
    const NodeRef s = graph::tabulate("(fn ((i i64)) (where (lt i 1000000:i64) nan:f32 1.0:f32))", 3000);
    if (stored) wf::force(Nodes{s});
    const vector<float> found = graph::elements<float>(
        graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((j (rem i 3:i64))) (at $0 (add i j))))", 2998, {s}));
    int64_t wrong = 0;
    for (size_t i = 0; i < found.size(); i++)
      wrong += i % 3 == 0 ? found[i] != -std::numeric_limits<float>::infinity() : found[i] == found[i];
    CHECK_EQ(wrong, 0);
  }
}

TEST(scattered_nans) {
  for (int64_t targets : {128, 129, 1000})
    for (int64_t n : {1, 500, 100003}) {
      const NodeRef base = graph::tabulate("(fn ((i i64)) nan:f32)", targets), values = graph::tabulate("(fn ((i i64)) nan:f32)", n);
      const NodeRef indices = graph::tabulate("(fn ((i i64)) (rem i 100:i64))", n);
      for (const char* op : {"min", "max"}) {
        const auto f = graph::fn(string("(fn ((a f32) (b f32)) (") + op + " a b))");
        const vector<float> found = graph::elements<float>(wf::scatter(&f, base, indices, values));
        CHECK_EQ(int64_t(std::ranges::count_if(found, [](float x) { return x != x; })), targets);
      }
    }
}
