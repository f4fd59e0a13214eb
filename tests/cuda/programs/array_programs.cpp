// Arrays: views in kernels that map and reduce, in packs and one by one, and reductions, scans and sorts along axes.
#include <cmath>
#include <random>

#include "cuda/agree.h"
#include "cuda/programs/programs.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"

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

// Axes of whole packs, which are read at several distances, so that kernels that differ in the distance alone do not share a text.
void axes_of_whole_packs(int64_t n) {
  const wf::Closure add{wf::parse("(fn ((a f32) (b f32)) (add a b))"), {}, {}};
  const int64_t height = (n / 512 + 17) * 16;
  for (int64_t width : {17, 33, 16, 64}) {
    const NodeRef s = graph::map("(fn ((x f32)) (cast f32 (rem (cast i32 x) 8:i32)))", {floats({height, width})});
    const NodeRef cube = floats({width, 3, height / 4});
    agree({wf::permute(s, Axes{1, 0}), wf::permute(cube, Axes{2, 0, 1}), wf::permute(cube, Axes{1, 2, 0})});
    for (int32_t axis : {0, 1}) agree({wf::scan_axis(add, {0}, s, axis, axis == 0).prefixes});
  }
}

// Limits at the borders, borders that wrap around, and convolutions; rows of whole packs, of pairs, and others.
void neighbourhoods(int64_t n) {
  for (int64_t width : {int64_t(64), int64_t(130), int64_t(37)}) {
    const int64_t height = n / width + 70;
    const std::string rows = std::to_string(height), columns = std::to_string(width), y = "(div i " + columns + ":i64)",
                      x = "(rem i " + columns + ":i64)";
    const auto limited = [](const std::string& k, int offset, const std::string& extent) {
      return "(max (min (add " + k + " " + std::to_string(offset) + ":i64) (sub " + extent + ":i64 1:i64)) 0:i64)";
    };
    const auto above = [](const std::string& k, const std::string& extent) {
      return "(where (eq " + k + " 0:i64) (sub " + extent + ":i64 1:i64) (sub " + k + " 1:i64))";
    };
    const auto at = [&](const std::string& input, const std::string& row, const std::string& column) {
      return "(at " + input + " (add (mul " + row + " " + columns + ":i64) " + column + "))";
    };
    std::string sum = "(cast f32 i)", wrapped = "(at $0 i)";
    for (int p = -1; p <= 1; p++)
      for (int q = -2; q <= 2; q++)
        sum = "(add (mul 3.0:f32 " + at("$0", limited(y, p, rows), limited(x, q, columns)) + ") (mul 0.5:f32 " + sum + "))";
    for (const std::string& row : {y, above(y, rows)})
      for (const std::string& column : {x, above(x, columns)}) wrapped = "(add (mul " + wrapped + " 3:u8) " + at("$0", row, column) + ")";
    const NodeRef s = floats({height, width}), bytes = graph::map("(fn ((x f32)) (cast u8 x))", {wf::reshape(s, Extents{height * width})});
    wf::NodeRef stored = bytes;
    wf::force({&stored, 1});
    const NodeRef elements = wf::reshape(s, Extents{height * width});
    agree({graph::tabulate("(fn ((i i64)) " + sum + ")", height * width, {elements}),
           graph::tabulate("(fn ((i i64)) " + wrapped + ")", height * width, {stored})});
    // Neighbours of neighbours.
    std::string near = "(at $0 i)", far = "(at $0 i)";
    for (const auto& [p, q] : {std::pair(-1, 0), {0, 2}, {1, 1}, {-1, -1}}) {
      const std::string neighbour = at("$0", limited(y, p, rows), limited(x, q, columns));
      near = "(add (mul 0.75:f32 " + near + ") " + neighbour + ")";
      far = "(max " + far + " " + neighbour + ")";
    }
    const NodeRef inner = graph::tabulate("(fn ((i i64)) " + near + ")", height * width, {elements});
    agree({graph::tabulate("(fn ((i i64)) " + far + ")", height * width, {inner})});
    // A window outside of which elements are 0: its reads are not in range.
    const std::string inside = "(and (ge " + x + " 2:i64) (lt " + x + " (sub " + columns + ":i64 2:i64)))";
    agree({graph::tabulate("(fn ((i i64)) (where " + inside + " (add " + at("$0", y, "(sub " + x + " 2:i64)") + " (add " +
                               at("$0", y, "(add " + x + " 2:i64)") + " " + at("$0", y, x) + ")) 1.0:f32))",
                           height * width, {elements})});
    const NodeRef small = graph::map("(fn ((x f32)) (cast f32 (rem (cast i32 x) 8:i32)))", {s});
    for (int64_t extent : {int64_t(3), int64_t(5)})
      agree({wf::convolve(small, wf::slice(small, Extents{0, 0}, Extents{extent, extent}, nullptr))});
  }
}

// The same functions again, of inputs with other alignments, lengths and literals: what an engine keeps of earlier launches must not be used for them.
void launches_again(int64_t n) {
  const int64_t rows = n / 64 + 70;
  const NodeRef all = floats({rows * 64 + 12});
  for (int turn = 0; turn < 2; turn++)
    for (int64_t first : {0, 4, 1, 2, 0}) {
      const NodeRef s = wf::subseq(all, first, rows * 64), part = wf::subseq(all, first, n / 2);
      const std::string less = std::to_string(turn + 1) + ".0:f32";
      agree({graph::map("(fn ((x f32)) (mul x 0.5:f32))", {s}), graph::map("(fn ((x f32)) (mul x 0.5:f32))", {part}),
             graph::map("(fn ((x f32)) (sub x " + less + "))", {part})});
      const std::string largest = "(fold ((a f32) (b f32)) (max a b) -inf:f32 ((j 64:i64)) (at $0 (add (mul i 64:i64) j)))";
      const NodeRef maxima = graph::tabulate("(fn ((i i64)) " + largest + ")", rows, {s});
      agree({maxima, graph::tabulate("(fn ((i i64)) (sub (at $0 i) (at $1 (div i 64:i64))))", rows * 64, {s, maxima})});
    }
}

// Quotients and roots of neighbours, of which strips compute many at once: of usual numbers, of many zeros, of every exponent, and of borderline
// cases.
void rounded_neighbourhoods(int64_t n) {
  const int64_t width = 64, height = n / width + 70;
  const std::string x = "(rem i 64:i64)", y = "(div i 64:i64)";
  const auto at = [&](int p, int q) {
    const std::string row = "(max (min (add " + y + " " + std::to_string(p) + ":i64) " + std::to_string(height - 1) + ":i64) 0:i64)";
    const std::string column = "(max (min (add " + x + " " + std::to_string(q) + ":i64) 63:i64) 0:i64)";
    return "(at $0 (add (mul " + row + " 64:i64) " + column + "))";
  };
  const std::string sum = "(add " + at(0, 0) + " " + at(1, 1) + ")", square = "(mul " + at(-1, 0) + " " + at(-1, 0) + ")";
  std::vector<std::string> values{"(sqrt " + sum + ")",
                                  "(add (sqrt " + at(1, 1) + ") (div (sqrt (add " + square + " " + at(0, 1) + ")) 3.0:f32))"};
  for (const char* divisor : {"25.0", "-7.0", "0.0", "0x1p-30", "0x1.fffffep0", "1e20", "inf", "nan"})
    values.push_back("(div " + sum + " " + divisor + ":f32)");
  std::mt19937 random(unsigned(n) + 1);
  const float odd[] = {0.0f,      -0.0f,     INFINITY, -INFINITY,       NAN,  0x1p-149f, -0x1p-149f,
                       0x1p-126f, 0x1p-101f, 0x1p-76f, 0x1.fffffep127f, -1.0f};
  for (int kind = 0; kind < 4; kind++) {
    std::vector<float> all(size_t(width * height));
    for (size_t i = 0; i < all.size(); i++) {
      const uint32_t bits = random();
      if (kind == 0) all[i] = float(int(bits % 2001) - 1000) / 7;
      if (kind == 1) all[i] = i / 40 % 2 ? 0.0f : float(bits % 256);
      if (kind == 2) all[i] = wf::from_bits<float>(bits);
      if (kind == 3) all[i] = i / 3 % 11 ? odd[bits % std::size(odd)] : 2.0f;
    }
    std::vector<NodeRef> nodes;
    for (const std::string& value : values)
      nodes.push_back(graph::tabulate("(fn ((i i64)) " + value + ")", width * height, {graph::source(all)}));
    for (const NodeRef& node : nodes) agree({node});
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

// Rows that a few lanes, a warp and a block sort, with NaN and zeros of both signs, alone and with the positions of their elements.
void sorted_rows(int64_t n) {
  if (n > 0 && n < 100) return;  // the shapes are those of n = 0
  for (int64_t length : {7, 300, 1500}) {
    const Extents extents{n / length + 9, length};
    const NodeRef s = graph::map(
        "(fn ((x f32)) (where (gt x 1000.0:f32) nan:f32 (where (gt x 990.0:f32) (neg 0.0:f32) (sub x 990.0:f32))))", {floats(extents)});
    const NodeRef places = wf::reshape(graph::tabulate("(fn ((i i64)) i)", wf::length_of(extents)), extents);
    agree({wf::sort_axis(s, 1, length == 300), wf::sort_axis(wf::zip(std::vector{s, places}), 1, length != 300)});
  }
}

// Scans of rows and of columns that are many enough for kernels of their own.
void along_many_vectors(int64_t n) {
  if (n > 0 && n < 100) return;  // the shapes are those of n = 0
  const wf::Closure add{wf::parse("(fn ((a f32) (b f32)) (add a b))"), {}, {}};
  const wf::Closure affine{wf::parse("(fn ((m i64) (n u8) (p i64) (q u8)) (tuple (mul p m) (add (mul (cast u8 p) n) q)))"), {}, {}};
  for (const Extents& extents :
       {Extents{1100, 250 + n / 100}, Extents{60 + n / 100, 1101}, Extents{1030, 257}, Extents{2, 60, 600}, Extents{1, 8200, 130}}) {
    const int32_t axis = extents[0] > 1000 ? 1 : int32_t(extents.size()) - 2;
    const NodeRef s = graph::map("(fn ((x f32)) (cast f32 (rem (cast i32 x) 8:i32)))", {floats(extents)});
    const wf::ScanResult scanned = wf::scan_axis(add, {0}, s, axis, axis == 1);
    agree({scanned.prefixes, scanned.total, graph::map("(fn ((x f32) (y f32)) (sub x (mul 2.0:f32 y)))", {scanned.prefixes, s})});
    const NodeRef maps = graph::map("(fn ((x f32)) (tuple (cast i64 (add x 1.0:f32)) (cast u8 x)))", {s});
    agree({wf::scan_axis(affine, {1, 0}, maps, axis, axis == 0).prefixes});
  }
}

}  // namespace programs
