// Elements of one sequence in another order of its axes, in memory: squares of whole lines, what is left of them, and what has none.
#include <algorithm>

#include "check.h"
#include "oracle/graph.h"

using std::string;
using wf::NodeRef;

namespace {

string number(int64_t x) { return std::to_string(x) + ":i64"; }

// The index in an array of a x b x c elements of element i of the array with its axes in another order.
string index_of(const int64_t (&extents)[3], const int (&order)[3], int64_t first) {
  const int64_t strides[] = {extents[1] * extents[2], extents[2], 1};
  string sum = number(first), rest = "i";
  for (int k = 2; k >= 0; k--) {
    const int64_t extent = extents[order[k]], stride = strides[order[k]];
    const string digit = k == 0 ? rest : "(rem " + rest + " " + number(extent) + ")";
    sum = "(add " + sum + " (mul " + digit + " " + number(stride) + "))";
    rest = "(div " + rest + " " + number(extent) + ")";
  }
  return sum;
}

NodeRef numbers(const char* type, int64_t n) {
  NodeRef s = graph::tabulate("(fn ((i i64)) (cast " + string(type) + " (rem (mul i 7919:i64) 1000003:i64)))", n);
  wf::force({&s, 1});
  return s;
}

void check_all(const char* type, const int64_t (&extents)[3]) {
  const int64_t n = extents[0] * extents[1] * extents[2], rest = 37;
  const int orders[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const NodeRef s = numbers(type, n + rest);
  for (const auto& order : orders)
    for (int64_t first : {int64_t(0), rest}) {
      const string at = index_of(extents, order, first);
      const NodeRef found = graph::tabulate("(fn ((i i64)) (at $0 " + at + "))", n, {s});
      // The same elements where something else is computed as well.
      const NodeRef other = graph::tabulate("(fn ((i i64)) (tuple (at $0 " + at + ") i))", n, {s});
      const oracle::Value right = graph::forced(other), value = graph::forced(found);
      CHECK_EQ(value.length, n);
      CHECK(value.columns[0] == right.columns[0]);
    }
}

}  // namespace

TEST(permuted_arrays) {
  const int64_t shapes[][3] = {{1, 300, 500}, {1, 1031, 1024}, {7, 130, 257},  {64, 64, 64},  {128, 17, 100},
                               {40, 8, 900},  {3, 3, 40000},   {1, 17, 40001}, {1, 40001, 17}};
  for (const auto& shape : shapes)
    for (const char* type : {"f32", "i64", "f64", "u8"}) check_all(type, shape);
}

// Larger than the caches: whole lines are streamed.
TEST(large_permuted_arrays) {
  check_all("f32", {2, 2049, 1535});
  check_all("f64", {1, 1600, 1632});
}
