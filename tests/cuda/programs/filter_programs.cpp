#include "cuda/agree.h"
#include "cuda/programs/programs.h"
#include "lazy/composed/groups.h"

namespace programs {
namespace {

using graph::filter, graph::map, graph::tabulate;
using wf::NodeRef;

// The indices of elements, and the elements, for which the mask of (index, element) holds.
NodeRef indexed(const char* mask, const NodeRef& s, int64_t n) {
  const std::vector<NodeRef> both{tabulate("(fn ((i i64)) i)", n), s};
  return filter(mask, wf::zip(both));
}

// The views of s at i, i + 1 and i + 2.
NodeRef neighbours(const NodeRef& s, int64_t n) {
  const std::vector<NodeRef> all{wf::subseq(s, 0, n - 2), wf::subseq(s, 1, n - 2), wf::subseq(s, 2, n - 2)};
  return wf::zip(all);
}

}  // namespace

void filters_of_neighbours(int64_t n) {
  const NodeRef bytes = numbers<uint8_t>(n, 0, 3), words = numbers<int32_t>(n, 0, 2), halves = numbers<double>(n, 0, 1);
  const NodeRef bits = numbers<bool>(n, 0, 1), longs = numbers<int64_t>(n, 0, 1);
  for (const NodeRef& s : {bytes, words, halves, bits, longs}) agree({wf::runs(s, 1), wf::unique(s, 1)});
  if (n < 20) return;
  // Views at odd addresses.
  for (int64_t first : {1, 3, 8}) agree({wf::runs(wf::subseq(bytes, first, n - 16), 1)});
  agree({wf::runs(wf::subseq(words, 1, n - 1), 1), wf::length(wf::unique(wf::subseq(longs, 1, n - 1), 1))});
  agree({filter("(fn ((x u8) (y u8) (z u8)) (and (lt x y) (lt z y)))", neighbours(bytes, n))});
  agree({filter("(fn ((x i32) (y i32) (z i32)) (and (lt x y) (lt z y)))", neighbours(words, n))});
  // Reads that are far apart, and inputs of several types.
  const std::vector<NodeRef> apart{wf::subseq(bytes, 0, n - 19), wf::subseq(bytes, 19, n - 19), wf::subseq(longs, 5, n - 19)};
  agree({filter("(fn ((x u8) (y u8) (z i64)) (or (eq x y) (eq z 1:i64)))", wf::zip(apart))});
}

void filters_by_index(int64_t n) {
  const NodeRef bytes = numbers<uint8_t>(n, 0, 255);
  agree({filter("(fn ((i i64)) (eq (rem i 7:i64) 3:i64))", tabulate("(fn ((i i64)) i)", n))});
  agree({indexed("(fn ((i i64) (x u8)) (or (lt i 3:i64) (gt x 100:u8)))", bytes, n)});
  agree({indexed("(fn ((i i64) (x u8)) (or (eq i 2:i64) (and (ne i 4:i64) (gt x 200:u8))))", bytes, n)});
  // None, all, and a comparison that changes in the middle.
  agree({indexed("(fn ((i i64) (x u8)) (and (gt x 5:u8) (lt x 4:u8)))", bytes, n)});
  agree({indexed("(fn ((i i64) (x u8)) (ge x 0:u8))", bytes, n)});
  const std::string middle = std::to_string(n / 2) + ":i64";
  agree({indexed(("(fn ((i i64) (x u8)) (where (lt i " + middle + ") (gt x 250:u8) (lt x 250:u8)))").c_str(), bytes, n)});
  if (n < 20) return;
  agree({filter("(fn ((x u8)) (lt x 60:u8))", wf::rev(wf::subseq(bytes, 3, n - 9)))});
  const std::vector<NodeRef> parts{wf::subseq(bytes, 3, n - 9), wf::subseq(bytes, 1, 5)};
  agree({filter("(fn ((x u8)) (lt x 60:u8))", wf::append(parts))});
}

}  // namespace programs
