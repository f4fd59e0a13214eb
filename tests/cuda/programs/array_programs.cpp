// Arrays: views in kernels that map and reduce, in packs and one by one, and reductions, scans and sorts along axes.
#include "cuda/agree.h"
#include "cuda/programs/programs.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"

namespace programs {
namespace {

using wf::NodeRef;
using Extents = std::vector<int64_t>;
using Axes = std::vector<int32_t>;

NodeRef floats(const Extents& extents) {
  NodeRef s = graph::tabulate("(fn ((i i64)) (cast f32 (rem (mul i 7919:i64) 1009:i64)))", wf::length_of(extents));
  wf::force({&s, 1});
  return wf::reshape(s, extents);
}

}  // namespace

void views_of_arrays(int64_t n) {
  // Rows of whole packs, and of others.
  for (int64_t width : {int64_t(64), int64_t(37)}) {
    const int64_t height = n / width + 70;
    const NodeRef s = floats({height, width}), row = floats({width}), column = floats({height, 1});
    const NodeRef rows = wf::broadcast(row, Extents{height, width}), columns = wf::broadcast(column, Extents{height, width});
    const NodeRef sums = graph::map("(fn ((a f32) (b f32) (c f32)) (add a (mul b c)))", {s, rows, columns});
    const NodeRef flat = wf::reshape(sums, Extents{height * width});
    const NodeRef transposed = wf::permute(s, Axes{1, 0});
    const NodeRef twice = graph::map("(fn ((x f32)) (mul x 2.0:f32))", {transposed});
    const NodeRef part = wf::slice(s, Extents{height - 1, 1}, Extents{height - 1, width - 2}, Extents{-1, 1}.data());
    const NodeRef windows = wf::view(s, 3, Extents{height - 2, width - 5, 2, 2}, Extents{width, 1, width, 1});
    const NodeRef joined = wf::join(std::vector{s, transposed->shape() == s->shape() ? transposed : s, columns}, 1);
    agree({sums, twice, part, windows, joined, wf::permute(twice, Axes{1, 0})});
    agree({graph::reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", flat)});
    agree({graph::filter("(fn ((x f32)) (gt x 100.0:f32))", flat)});
  }
}

void along_axes(int64_t n) {
  const wf::Closure add{wf::parse("(fn ((a f32) (b f32)) (add a b))"), {}, {}};
  const Extents extents{5, n / 50 + 2, 17};
  // Sums of small integers are exact in any order.
  const NodeRef s = graph::map("(fn ((x f32)) (cast f32 (rem (cast i32 x) 8:i32)))", {floats(extents)});
  for (const Axes& axes : {Axes{0}, Axes{1}, Axes{2}, Axes{0, 1}, Axes{0, 2}, Axes{1, 2}})
    agree({wf::reduce_axes(add, {0}, s, axes, false)});
  for (int32_t axis = 0; axis < 3; axis++) {
    const wf::ScanResult scanned = wf::scan_axis(add, {0}, s, axis, axis == 1);
    agree({scanned.prefixes, scanned.total, wf::sort_axis(s, axis, axis == 0)});
  }
}

}  // namespace programs
