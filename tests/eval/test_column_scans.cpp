// Scans along axes of arrays next to plain loops: rows and columns, few and many, short and long, alone and together with their neighbours.
#include <cmath>

#include "check.h"
#include "cpu/threads/chunks.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::Bits64;
using wf::NodeRef;

namespace {

struct Extents {
  int64_t outer, length, inner;
  int64_t count() const { return outer * length * inner; }
};
const vector<Extents> all_extents = {{1, 0, 4096},    {1, 1, 4096},    {1, 2, 40000}, {3, 17, 4096}, {1, 129, 1024}, {2, 1000, 777},
                                     {1, 300, 1537},  {40, 40, 65},    {1, 100, 257}, {2, 50000, 3}, {1100, 300, 1}, {1024, 256, 1},
                                     {1500, 257, 1},  {1025, 1025, 1}, {3, 4097, 1},  {2, 1, 1},     {1, 70000, 17}, {1030, 2000, 1},
                                     {1, 5000, 1025}, {1, 1000, 2048}, {70, 5, 300},  {1, 1, 1},     {2, 2, 2},      {1, 64, 100000},
                                     {3, 20000, 5},   {1, 3000, 100},  {20000, 3, 2}, {60000, 3, 1}, {4, 30000, 1},  {17, 2500, 3}};

NodeRef shaped(const NodeRef& s, const Extents& e) { return wf::reshape(s, vector<int64_t>{e.outer, e.length, e.inner}); }

// The function's value at (a, b), in a type's arithmetic.
template <class T> struct Scan {
  string combine, identity;  // written forms
  string value;              // of the index i
  T (*f)(T, T);
  T first;  // the identity
  T (*at)(int64_t);
};

template <class T> vector<Bits64> bits(T x) { return {wf::to_bits<T>(x)}; }
template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

// The prefixes of each vector, by a loop; totals in order.
template <class T> std::pair<vector<T>, vector<T>> scanned(const Scan<T>& scan, const Extents& e, bool inclusive) {
  vector<T> prefixes(static_cast<size_t>(e.count())), totals;
  for (int64_t k = 0; k < e.outer; k++)
    for (int64_t c = 0; c < e.inner; c++) {
      T value = scan.first;
      for (int64_t l = 0; l < e.length; l++) {
        const int64_t i = (k * e.length + l) * e.inner + c;
        const T after = scan.f(value, scan.at(i));
        prefixes[size_t(i)] = inclusive ? after : value;
        value = after;
      }
      totals.push_back(value);
    }
  return {prefixes, totals};
}

template <class T> void check_same(const vector<T>& actual, const vector<T>& expected) {
  CHECK_EQ(actual.size(), expected.size());
  int64_t wrong = 0, first = -1;
  for (size_t i = 0; i < expected.size() && i < actual.size(); i++)
    if (!same(actual[i], expected[i]) && wrong++ == 0) first = int64_t(i);
  CHECK_EQ(wrong, 0);
  CHECK_EQ(first, -1);
}

template <class T> void verify(const Scan<T>& scan) {
  for (const Extents& e : all_extents)
    for (bool inclusive : {false, true})
      for (bool stored : {false, true}) {
        const NodeRef s = shaped(graph::tabulate("(fn ((i i64)) " + scan.value + ")", e.count()), e);
        if (stored) wf::force(Nodes{s});
        const auto result = wf::scan_axis(graph::fn(scan.combine), bits(scan.first), s, 1, inclusive);
        const auto [prefixes, totals] = scanned(scan, e, inclusive);
        if (e.length == 0) continue;
        if (inclusive) check_same(graph::elements<T>(result.total), totals);  // the total alone, before the prefixes
        wf::force(Nodes{result.prefixes, result.total});
        check_same(graph::elements<T>(result.prefixes), prefixes);
        check_same(graph::elements<T>(result.total), totals);
      }
}

const Scan<int32_t> sums = {"(fn ((a i32) (b i32)) (add a b))",
                            "0:i32",
                            "(cast i32 (mul i 77777:i64))",
                            [](int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); },
                            0,
                            [](int64_t i) { return int32_t(uint64_t(i) * 77777); }};

}  // namespace

TEST(sums_of_integers) { verify(sums); }
TEST(largest_bytes) {
  verify<uint8_t>({"(fn ((a u8) (b u8)) (max a b))", "0:u8", "(cast u8 (rem (mul i 7919:i64) 251:i64))",
                   [](uint8_t a, uint8_t b) { return std::max(a, b); }, 0, [](int64_t i) { return uint8_t(i * 7919 % 251); }});
}
TEST(parities) {
  verify<bool>({"(fn ((a bool) (b bool)) (xor a b))", "false", "(eq (rem (mul i i) 3:i64) 1:i64)", [](bool a, bool b) { return a != b; },
                false, [](int64_t i) { return i * i % 3 == 1; }});
}
TEST(sums_of_floats) {  // whole numbers, small enough to be exact
  verify<float>({"(fn ((a f32) (b f32)) (add a b))", "0.0:f32", "(cast f32 (sub (rem i 7:i64) 3:i64))",
                 [](float a, float b) { return a + b; }, 0, [](int64_t i) { return float(i % 7 - 3); }});
}
TEST(smallest_doubles_beside_nan) {  // NaN is the identity: min(NaN, x) = x
  verify<double>({"(fn ((a f64) (b f64)) (min a b))", "nan:f64", "(where (lt (rem i 5:i64) 3:i64) nan:f64 (cast f64 (rem i 11:i64)))",
                  [](double a, double b) { return std::isnan(a) ? b
                                                  : b < a       ? b
                                                                : a; }, NAN,
                  [](int64_t i) { return i % 5 < 3 ? NAN : double(i % 11); }});
}
TEST(a_function_that_does_not_commute) {  // the later one, unless it is 0
  verify<int64_t>({"(fn ((a i64) (b i64)) (where (eq b 0:i64) a b))", "0:i64", "(where (eq (rem i 5:i64) 0:i64) i 0:i64)",
                   [](int64_t a, int64_t b) { return b == 0 ? a : b; }, 0, [](int64_t i) { return i % 5 == 0 ? i : 0; }});
}
TEST(a_start_counts_once) {
  Scan<int32_t> from = sums;
  from.first = 5;
  verify(from);
}

// Maps x -> m x + n, one after another, in two columns that wrap, the second one after fewer bits.
TEST(tuples) {
  for (const Extents& e : {Extents{1, 300, 1537}, Extents{1200, 500, 1}, Extents{30, 50, 100}})
    for (bool inclusive : {false, true}) {
      const NodeRef s = shaped(graph::tabulate("(fn ((i i64)) (tuple (add (rem i 5:i64) 1:i64) (cast u32 i)))", e.count()), e);
      const auto compose = graph::fn("(fn ((m i64) (n u32) (p i64) (q u32)) (tuple (mul p m) (add (mul (cast u32 p) n) q)))");
      const auto result = wf::scan_axis(compose, {1, 0}, s, 1, inclusive);
      vector<int64_t> factors(size_t(e.count()));
      vector<uint32_t> sums_of(size_t(e.count()));
      for (int64_t k = 0; k < e.outer; k++)
        for (int64_t c = 0; c < e.inner; c++) {
          uint64_t m = 1;
          uint32_t n = 0;
          for (int64_t l = 0; l < e.length; l++) {
            const int64_t i = (k * e.length + l) * e.inner + c;
            if (!inclusive) factors[size_t(i)] = int64_t(m), sums_of[size_t(i)] = n;
            m *= uint64_t(i % 5 + 1);
            n = uint32_t(i % 5 + 1) * n + uint32_t(i);
            if (inclusive) factors[size_t(i)] = int64_t(m), sums_of[size_t(i)] = n;
          }
        }
      wf::force(Nodes{result.prefixes});
      check_same(graph::elements<int64_t>(result.prefixes, 0), factors);
      check_same(graph::elements<uint32_t>(result.prefixes, 1), sums_of);
    }
}

// Few long columns are divided among threads, and the bits of their sums do not depend on how many there are.
TEST(sums_do_not_depend_on_the_number_of_workers) {
  for (const Extents& e : {Extents{1, 3000, 100}, Extents{2, 70000, 3}, Extents{1, 200000, 2}, Extents{40, 5000, 2}}) {
    vector<vector<float>> results;
    for (int workers : {1, 2, 5}) {
      wf::cpu::limit_workers(workers);
      const NodeRef s = shaped(graph::tabulate("(fn ((i i64)) (div 1.0:f32 (cast f32 (add (rem i 1013:i64) 1:i64))))", e.count()), e);
      results.push_back(graph::elements<float>(wf::scan_axis(graph::fn("(fn ((a f32) (b f32)) (add a b))"), {0}, s, 1, true).prefixes));
    }
    wf::cpu::limit_workers(0);
    CHECK(results[0] == results[1] && results[0] == results[2]);
  }
}

// Scans along two axes of one array, of what they have in common, and of each other.
TEST(several_axes_together) {
  const int64_t n = 1024, m = 1100;
  auto at = [&](int64_t k, int64_t l) { return size_t(k * m + l); };
  const auto add = graph::fn("(fn ((a i32) (b i32)) (add a b))");
  for (bool together : {false, true}) {
    const NodeRef x =
        wf::reshape(graph::tabulate("(fn ((i i64)) (cast i32 (rem (mul i 7919:i64) 1013:i64)))", n * m), vector<int64_t>{n, m});
    const NodeRef down = wf::scan_axis(add, {0}, x, 0, true).prefixes, across = wf::scan_axis(add, {0}, x, 1, false).prefixes;
    const NodeRef table = wf::scan_axis(add, {0}, down, 1, true).prefixes;
    const NodeRef both = graph::map("(fn ((a i32) (b i32) (c i32)) (sub (add a (mul 3:i32 b)) c))", {down, across, x});
    const NodeRef greatest = graph::reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", down);
    const NodeRef odd = graph::filter("(fn ((a i32)) (eq (and a 1:i32) 1:i32))", wf::reshape(down, vector<int64_t>{n * m}));
    vector<int32_t> xs(size_t(n * m)), downs = xs, acrosses = xs, tables = xs, boths = xs, odds;
    int32_t most = INT32_MIN;
    for (int64_t k = 0; k < n; k++)
      for (int64_t l = 0; l < m; l++) {
        xs[at(k, l)] = int32_t((k * m + l) * 7919 % 1013);
        downs[at(k, l)] = xs[at(k, l)] + (k > 0 ? downs[at(k - 1, l)] : 0);
        acrosses[at(k, l)] = l > 0 ? acrosses[at(k, l - 1)] + xs[at(k, l - 1)] : 0;
        tables[at(k, l)] = downs[at(k, l)] + (l > 0 ? tables[at(k, l - 1)] : 0);
        boths[at(k, l)] = downs[at(k, l)] + 3 * acrosses[at(k, l)] - xs[at(k, l)];
        most = std::max(most, downs[at(k, l)]);
        if (downs[at(k, l)] & 1) odds.push_back(downs[at(k, l)]);
      }
    if (together) wf::force(Nodes{both, greatest, table, odd, x, down});
    check_same(graph::elements<int32_t>(both), boths);
    CHECK_EQ(graph::elements<int32_t>(greatest)[0], most);
    check_same(graph::elements<int32_t>(odd), odds);
    check_same(graph::elements<int32_t>(table), tables);
    check_same(graph::elements<int32_t>(across), acrosses);
    check_same(graph::elements<int32_t>(x), xs);
  }
}

// The elements that a filter keeps are scanned as an array.
TEST(of_a_filter) {
  const NodeRef kept =
      graph::filter("(fn ((x i32)) (ne (rem x 3:i32) 0:i32))", graph::tabulate("(fn ((i i64)) (cast i32 i))", 3 * 1024 * 150));
  const NodeRef all = graph::map("(fn ((x i32)) (mul x 3:i32))", {kept});
  CHECK_EQ(wf::forced_length(all), 2 * 1024 * 150);
  const NodeRef result =
      wf::scan_axis(graph::fn("(fn ((a i32) (b i32)) (add a b))"), {0}, wf::reshape(all, vector<int64_t>{300, 1024}), 0, true).prefixes;
  vector<int32_t> expected(300 * 1024);
  for (int32_t i = 0; i < 300 * 1024; i++) {
    const uint32_t x = 3u * uint32_t(i / 2 * 3 + i % 2 + 1);
    expected[size_t(i)] = int32_t(x + (i >= 1024 ? uint32_t(expected[size_t(i - 1024)]) : 0));
  }
  check_same(graph::elements<int32_t>(result), expected);
}

// What is computed before and after the scan is part of its kernel.
TEST(one_kernel) {
  const NodeRef s = wf::reshape(graph::tabulate("(fn ((i i64)) (cast f32 i))", 2000 * 1500), vector<int64_t>{2000, 1500});
  const NodeRef scan =
      wf::scan_axis(graph::fn("(fn ((a f32) (b f32)) (add a b))"), {0}, graph::map("(fn ((x f32)) (mul x x))", {s}), 0, true).prefixes;
  const NodeRef root = graph::map("(fn ((x f32)) (sqrt x))", {scan});
  const string text = wf::explain(Nodes{root}, wf::ExplainFormat::Text);
  CHECK(text.starts_with("1 kernel\n"));
  CHECK(text.find("scan(add) along an axis, store(1)") != string::npos);
  CHECK(text.find(", along an axis of 2000 elements, 1500 apart\n") != string::npos);
}
