// Folds from a start. A start that is not neutral for an operation whose identity the library knows counts once, before the first element, on
// every engine: sum from 5 is 5 + s[0] + s[1] ... Without elements the start is the result, whatever the function.
#include "check.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/composed/segments.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

const vector<int64_t> sizes = {0, 1, 2, 63, 64, 65, 2047, 2049, 100003, 1000007};
const string is_kept = "(fn ((x i64)) (ne (rem x 3:i64) 0:i64))";

struct Case {
  const char* op;
  int64_t start;

  string combine() const { return string("(fn ((a i64) (b i64)) (") + op + " a b))"; }
  string literal() const { return std::to_string(start) + ":i64"; }
  wf::Closure function() const { return graph::fn(combine()); }
  int64_t operator()(int64_t a, int64_t b) const {
    switch (op[1]) {
      case 'd': return int64_t(uint64_t(a) + uint64_t(b));
      case 'u': return int64_t(uint64_t(a) * uint64_t(b));
      case 'i': return std::min(a, b);
      default: return a ^ b;
    }
  }
  // The prefixes of v[begin], ..., v[end - 1], from the exclusive one of the first to the inclusive one of the last.
  vector<int64_t> prefixes(const vector<int64_t>& v, size_t begin, size_t end) const {
    vector<int64_t> all{start};
    for (size_t i = begin; i < end; i++) all.push_back((*this)(all.back(), v[i]));
    return all;
  }
};
const vector<Case> cases = {{"add", 5}, {"add", 0}, {"mul", 3}, {"mul", 0}, {"xor", 5}, {"min", 4}};

int64_t value(int64_t i) { return i * 7 % 11 + 1; }
NodeRef elements(int64_t n) { return graph::tabulate("(fn ((i i64)) (add (rem (mul i 7:i64) 11:i64) 1:i64))", n); }

using Vector = vector<int64_t>;
void check_elements(const NodeRef& s, const Vector& expected) { CHECK(graph::elements<int64_t>(s) == expected); }
Vector without_last(Vector v) { return v.pop_back(), v; }
Vector without_first(const Vector& v) { return {v.begin() + 1, v.end()}; }

}  // namespace

TEST(reductions_and_scans) {
  for (const Case& c : cases)
    for (int64_t n : sizes)
      for (bool filtered : {false, true}) {
        Vector v;
        for (int64_t i = 0; i < n; i++)
          if (!filtered || value(i) % 3 != 0) v.push_back(value(i));
        const NodeRef all = elements(n), s = filtered ? graph::filter(is_kept, all) : all;
        const Vector expected = c.prefixes(v, 0, v.size());
        for (bool inclusive : {false, true}) {
          const auto scanned = graph::scan(c.combine(), c.literal(), s, inclusive);
          check_elements(graph::scan(c.combine(), c.literal(), s, inclusive).total, {expected.back()});
          wf::force(Nodes{scanned.prefixes, scanned.total});
          check_elements(scanned.prefixes, inclusive ? without_first(expected) : without_last(expected));
          check_elements(scanned.total, {expected.back()});
        }
        check_elements(graph::reduce(c.combine(), c.literal(), s), {expected.back()});
      }
}

TEST(filters_of_nothing) {
  for (const Case& c : cases)
    for (int64_t n : sizes) {
      const NodeRef none = graph::filter("(fn ((x i64)) (lt x 0:i64))", elements(n));
      const auto scanned = graph::scan(c.combine(), c.literal(), none, false);
      check_elements(graph::reduce(c.combine(), c.literal(), none), {c.start});
      check_elements(scanned.total, {c.start});
      check_elements(graph::reduce(c.combine(), c.literal(), scanned.prefixes), {c.start});
    }
}

// 7 is no identity of this function, whose identity the library does not know.
TEST(no_elements) {
  const string combine = "(fn ((a i64) (b i64)) (sub (add a b) 5:i64))", start = "7:i64";
  const auto scanned = graph::scan(combine, start, elements(0), false);
  check_elements(graph::reduce(combine, start, elements(0)), {7});
  check_elements(scanned.total, {7});
  check_elements(graph::reduce(combine, start, scanned.prefixes), {7});
}

TEST(columns_with_their_own_starts) {
  const string combine = "(fn ((a i64) (p i64) (b i64) (q i64)) (tuple (add a b) (mul p q)))";
  for (int64_t n : sizes) {
    const NodeRef pairs = graph::map("(fn ((x i64)) (tuple x 1:i64))", {elements(n)});
    const auto result = graph::forced(graph::reduce(combine, "(tuple 5:i64 7:i64)", pairs));
    const Vector sums = Case{"add", 5}.prefixes(graph::elements<int64_t>(elements(n)), 0, size_t(n));
    CHECK(graph::column<int64_t>(result, 0) == Vector{sums.back()});
    CHECK(graph::column<int64_t>(result, 1) == Vector{7});
  }
}

TEST(rows_columns_and_segments) {
  for (const Case& c : cases)
    for (int64_t length : {1, 3, 65, 700}) {
      const int64_t rows = 70;
      Vector v, of_rows, before, offsets;
      for (int64_t i = 0; i < rows * length; i++) v.push_back(value(i));
      for (int64_t r = 0; r < rows; r++) {
        const Vector prefixes = c.prefixes(v, size_t(r * length), size_t((r + 1) * length));
        offsets.insert(offsets.end(), {r * length, r * length});  // and an empty segment before each
        of_rows.push_back(prefixes.back());
        before.insert(before.end(), prefixes.begin(), prefixes.end() - 1);
      }
      offsets.push_back(rows * length);
      Vector of_segments;
      for (int64_t x : of_rows) of_segments.insert(of_segments.end(), {c.start, x});

      const NodeRef s = elements(rows * length), at = graph::source(offsets);
      const int64_t extents[] = {rows, length};
      const NodeRef a = wf::reshape(s, extents);
      const int32_t axis = 1;
      check_elements(wf::reduce_axes(c.function(), {uint64_t(c.start)}, a, {&axis, 1}, false), of_rows);
      check_elements(wf::scan_axis(c.function(), {uint64_t(c.start)}, a, axis, false).prefixes, before);
      check_elements(wf::scan_axis(c.function(), {uint64_t(c.start)}, a, axis, false).total, of_rows);
      check_elements(wf::segment_reduce(c.function(), {uint64_t(c.start)}, s, at), of_segments);
      check_elements(wf::segment_scan(c.function(), {uint64_t(c.start)}, s, at, false).prefixes, before);
      check_elements(wf::segment_scan(c.function(), {uint64_t(c.start)}, s, at, true).total, of_segments);

      const string inner = "(fn ((r i64)) (fold " + c.combine().substr(4, 17) + " (" + c.op + " a b) " + c.literal() + " ((j " +
                           std::to_string(length) + ":i64)) (add (rem (mul (add (mul r " + std::to_string(length) +
                           ":i64) j) 7:i64) 11:i64) 1:i64)))";
      check_elements(graph::tabulate(inner, rows), of_rows);
    }
}
