#include "cuda/programs/programs.h"

#include <algorithm>

#include "cuda/agree.h"
#include "lazy/arrays/arrays.h"
#include "lazy/composed/iterate.h"

namespace programs {
namespace {

using graph::filter, graph::map, graph::reduce, graph::scan, graph::source, graph::tabulate;
using wf::NodeRef;

NodeRef pairs(int64_t n) {
  const std::vector<NodeRef> both{numbers<int32_t>(n, -9, 9), numbers<int32_t>(n, 0, 5)};
  return wf::zip(both);
}

}  // namespace

void maps(int64_t n) {
  NodeRef x = numbers<int32_t>(n, -100, 100), y = numbers<float>(n, -50, 50);
  agree({map("(fn ((x i32)) (add (mul x 3:i32) 1:i32))", {x})});
  agree({map("(fn ((x i32)) (rem x 7:i32))", {x})});
  agree({map("(fn ((x f32)) (sqrt (abs x)))", {y})});
  agree({map("(fn ((x i32) (y f32)) (where (lt x 0:i32) y (mul y y)))", {x, y})});
  agree({tabulate("(fn ((i i64)) (mul i i))", n)});
}

void maps_of_other_types(int64_t n) {
  agree({map("(fn ((x u8)) (add x 1:u8))", {numbers<uint8_t>(n, 0, 255)})});
  agree({map("(fn ((x f64)) (div x 3.0:f64))", {numbers<double>(n, -50, 50)})});
  agree({map("(fn ((x u8)) (cast f64 x))", {numbers<uint8_t>(n, 0, 255)})});
  agree({map("(fn ((x i64)) (lt x 5:i64))", {numbers<int64_t>(n, 0, 10)})});
  agree({map("(fn ((b bool) (x u32)) (where b (shl x 3:u32) (not x)))", {numbers<bool>(n, 0, 1), numbers<uint32_t>(n, 0, 1000)})});
}

void several_outputs(int64_t n) {
  NodeRef x = numbers<float>(n, 0, 9);
  agree({map("(fn ((x f32)) (tuple (add x 1.0:f32) (cast f64 x) (lt x 4.0:f32) (cast u8 x)))", {x})});
}

void shifted_and_reversed(int64_t n) {
  NodeRef x = numbers<int32_t>(n, -100, 100);
  agree({wf::rev(x), map("(fn ((x i32)) (neg x))", {x})});
  if (n < 8) return;
  NodeRef a = wf::subseq(x, 1, n - 4), b = wf::subseq(x, 4, n - 4), c = wf::subseq(wf::rev(x), 2, n - 4);
  agree({map("(fn ((a i32) (b i32) (c i32)) (add (sub a b) c))", {a, b, c})});
  agree({reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", map("(fn ((a i32) (b i32)) (mul a b))", {a, b}))});
  agree({scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", a, true).prefixes});
  const std::vector<NodeRef> parts{a, x, c};
  agree({wf::append(parts)});
}

// Indices that are limited, some of them only on one side.
void limited_indices(int64_t n) {
  if (n < 8) return;
  const NodeRef text = numbers<uint8_t>(n, 30, 34);
  const std::string last = std::to_string(n - 1) + ":i64", before = "(at $0 (max (sub i 1:i64) 0:i64))";
  const std::string starts = "(and (ne (at $0 i) 32:u8) (or (eq i 0:i64) (eq " + before + " 32:u8)))";
  agree({reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", tabulate("(fn ((i i64)) (cast i64 " + starts + "))", n, {text}))});
  agree({tabulate("(fn ((i i64)) (tuple " + before + " (at $0 (min (add i 3:i64) " + last + ")) (mul (sub i 5:i64) 3:i64)))", n, {text})});
  agree({tabulate("(fn ((i i64)) (where (ge i 2:i64) (at $0 (max (sub i 2:i64) 0:i64)) (at $0 (sub " + last + " i))))", n, {text})});
}

void many_inputs(int64_t n) {
  constexpr int count = 600;
  std::vector<NodeRef> inputs;
  std::string params, sum = "x0";
  for (int k = 0; k < count; k++) {
    const std::string name = "x" + std::to_string(k);
    params += " (" + name + " i32)";
    if (k > 0) sum = "(add " + sum + " (mul " + name + " " + std::to_string(k) + ":i32))";
    inputs.push_back(numbers<int32_t>(n, -100, 100));
  }
  agree({map("(fn (" + params + ") " + sum + ")", inputs)});
}

void append_of_many(int64_t n) {
  std::vector<NodeRef> parts;
  for (int k = 0; k < 300; k++) {
    std::vector<int32_t> part;
    for (int e = 0; e < 2 + k % 5; e++) part.push_back(10 * k + e);
    parts.push_back(source(part));
  }
  agree({wf::append(parts)});
  // Parts that kernels compute, of several sizes, and columns side by side.
  std::vector<NodeRef> computed, columns;
  for (int k = 0; k < 12; k++) {
    const NodeRef x = numbers<int32_t>(n, -100, 100), longer = numbers<int32_t>(n + 2 * k, -100, 100);
    computed.push_back(map(k % 2 ? "(fn ((x i32)) (add x 1:i32))" : "(fn ((x i32)) (cast i32 (mul x 3:i32)))", {wf::subseq(longer, k, n)}));
    const int64_t extents[] = {n, 1};
    columns.push_back(wf::reshape(map("(fn ((x i32)) (tuple (cast u8 x) (cast f64 x)))", {x}), extents));
  }
  agree({wf::append(computed)});
  agree({reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", wf::append(computed))});
  agree({wf::join(columns, 1)});
}

void gathers_and_checks(int64_t n) {
  NodeRef x = numbers<int32_t>(100, -100, 100), at = numbers<int64_t>(n, 0, 99);
  agree({map("(fn ((i i64)) (at $0 i))", {at}, {x})});
  agree({map("(fn ((i i64)) (where (lt i 50:i64) (at $0 (mul i 2:i64)) 0:i32))", {at}, {x})});
  if (n < 50) return;
  NodeRef bad = map("(fn ((i i64)) (at $0 (sub i 1:i64)))", {at}, {x});
  CHECK_THROWS(wf::RangeError, wf::force(std::span(&bad, 1)));
  agree({map("(fn ((i i64)) (at $0 i))", {at}, {x})});
}

void loops(int64_t n) {
  NodeRef x = numbers<int32_t>(n, 1, 60);
  agree(
      {map("(fn ((n i32)) (let (((m k) (loop ((m n) (k 0:i32)) (and (ne m 1:i32) (lt k 500:i32))"
           " (tuple (where (eq (and m 1:i32) 0:i32) (div m 2:i32) (add (mul m 3:i32) 1:i32)) (add k 1:i32))))) k))",
           {x})});
  NodeRef table = numbers<int32_t>(64, 0, 9);
  agree(
      {map("(fn ((n i32)) (let (((s k) (loop ((s 0:i32) (k 0:i32)) (lt k n)"
           " (tuple (add s (at $0 (cast i64 k))) (add k 1:i32))))) s))",
           {x}, {table})});
}

void folds(int64_t n) {
  NodeRef table = numbers<float>(512, -8, 8), lengths = numbers<int32_t>(n, -1, 9);
  const std::string rows =
      "(fn ((i i64) (m i32)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j m)) (at $0 (rem (add (mul i 5:i64) j) 512:i64))))";
  agree({map(rows, {tabulate("(fn ((i i64)) i)", n), lengths}, {table})});
  agree({reduce("(fn ((a f32) (k i64) (b f32) (l i64)) (tuple (max a b) (add k l)))", "(tuple -inf:f32 0:i64)",
                map("(fn ((m i32)) (fold ((x f32) (k i64) (y f32) (l i64)) (tuple (max x y) (add k l)) (tuple -inf:f32 0:i64) ((j m))"
                    " (tuple (where (lt j 6:i64) (at $0 j) 0.0:f32) (fold ((a i64) (b i64)) (add a b) 0:i64 ((k j)) (mul k j)))))",
                    {lengths}, {table}))});
}

void sums(int64_t n) {
  NodeRef x = numbers<int32_t>(n, -100, 100);
  agree({reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", x)});
  agree({reduce("(fn ((a f32) (b f32)) (add a b))", "0:f32", numbers<float>(n, -8, 8))});
  agree({reduce("(fn ((a u8) (b u8)) (add a b))", "0:u8", numbers<uint8_t>(n, 0, 255))});
  agree({reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", map("(fn ((x u8)) (cast i64 x))", {numbers<uint8_t>(n, 0, 255)}))});
  agree({reduce("(fn ((a f64) (b f64)) (add a b))", "0:f64", tabulate("(fn ((i i64)) (cast f64 (rem i 9:i64)))", n))});
  agree({reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", x), reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", x),
         reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", x)});
}

void other_reductions(int64_t n) {
  agree({reduce("(fn ((a bool) (b bool)) (and a b))", "true", numbers<bool>(n, 1, 1))});
  agree({reduce("(fn ((a u32) (b u32)) (xor a b))", "0:u32", numbers<uint32_t>(n, 0, 1000000))});
  agree({reduce("(fn ((a f64) (b f64)) (max a b))", "-inf:f64", numbers<double>(n, -50, 50))});
  agree({reduce("(fn ((a i64) (b i64)) (mul a b))", "1:i64", numbers<int64_t>(n, 1, 3))});
}

// Affine maps x -> p x + q under composition, which does not commute.
void reductions_in_order(int64_t n) {
  agree({reduce("(fn ((p i32) (q i32) (r i32) (s i32)) (tuple (mul p r) (add (mul q r) s)))", "(tuple 1:i32 0:i32)", pairs(n))});
  // Two of them, from columns whose packs have unused bytes between them.
  NodeRef maps =
      map("(fn ((a u8) (b i64) (c f64) (d u8) (e u32) (f i32)) (tuple (cast i32 a) (add f (cast i32 b)) (cast i32 (add (cast i64 d) (cast "
          "i64 e)))"
          " (cast i32 c)))",
          {numbers<uint8_t>(n, 0, 255), numbers<int64_t>(n, -100, 100), numbers<double>(n, -50, 50), numbers<uint8_t>(n, 0, 9),
           numbers<uint32_t>(n, 0, 1000), numbers<int32_t>(n, -7, 7)});
  agree(
      {reduce("(fn ((p i32) (q i32) (r i32) (s i32) (t i32) (u i32) (v i32) (w i32))"
              " (tuple (mul p t) (add (mul q t) u) (mul r v) (add (mul s v) w)))",
              "(tuple 1:i32 0:i32 1:i32 0:i32)", maps)});
}

// The maximum contiguous sum: (best, best prefix, best suffix, total).
void tuples(int64_t n) {
  NodeRef x = numbers<float>(n, -9, 8);
  NodeRef lifted = map("(fn ((x f32)) (let ((y (max x 0.0:f32))) (tuple y y y x)))", {x});
  NodeRef best = reduce(
      "(fn ((b f32) (p f32) (s f32) (t f32) (d f32) (q f32) (u f32) (v f32))"
      " (tuple (max (max b d) (add s q)) (max p (add t q)) (max u (add v s)) (add t v)))",
      "(tuple 0:f32 0:f32 0:f32 0:f32)", lifted);
  agree({best});
}

void map_and_reduce_together(int64_t n) {
  NodeRef y = map("(fn ((x i32)) (mul x x))", {numbers<int32_t>(n, -100, 100)});
  agree({y, reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", y)});
}

void scans(int64_t n) {
  for (bool inclusive : {false, true}) {
    auto s = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", numbers<int32_t>(n, -100, 100), inclusive);
    agree({s.prefixes, s.total});
    agree({scan("(fn ((a f32) (b f32)) (add a b))", "0:f32", numbers<float>(n, -8, 8), inclusive).prefixes});
    agree({scan("(fn ((a f64) (b f64)) (max a b))", "-inf:f64", numbers<double>(n, -50, 50), inclusive).prefixes});
    agree({scan("(fn ((a u8) (b u8)) (add a b))", "0:u8", numbers<uint8_t>(n, 0, 255), inclusive).prefixes});
    agree({scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", map("(fn ((x u8)) (cast i64 x))", {numbers<uint8_t>(n, 0, 255)}), inclusive)
               .prefixes});
    agree({scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", tabulate("(fn ((i i64)) i)", n), inclusive).prefixes});
    agree({scan("(fn ((a bool) (b bool)) (or a b))", "false", numbers<bool>(n, 0, 1), inclusive).prefixes});
  }
}

void scans_in_order(int64_t n) {
  agree(
      {scan("(fn ((p i32) (q i32) (r i32) (s i32)) (tuple (mul p r) (add (mul q r) s)))", "(tuple 1:i32 0:i32)", pairs(n), true).prefixes});
}

void scan_of_tuples(int64_t n) {
  NodeRef x = map("(fn ((x i32)) (tuple x (cast f64 x) (gt x 0:i32)))", {numbers<int32_t>(n, -5, 5)});
  auto s = scan("(fn ((a i32) (b f64) (c bool) (d i32) (e f64) (f bool)) (tuple (add a d) (max b e) (or c f)))",
                "(tuple 0:i32 -inf:f64 false)", x, false);
  agree({s.prefixes, s.total});
}

void two_scans(int64_t n) {
  NodeRef x = numbers<int32_t>(n, -100, 100);
  auto sum = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", x, true),
       most = scan("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", x, false);
  agree({map("(fn ((a i32) (b i32)) (sub a b))", {sum.prefixes, most.prefixes}), sum.total});
}

void after_a_scan(int64_t n) {
  NodeRef x = numbers<int32_t>(n, -3, 3);
  auto s = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", x, true);
  NodeRef squares = map("(fn ((p i32)) (mul p p))", {s.prefixes});
  agree({reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", squares)});
  agree({squares, s.total});
  auto f = scan("(fn ((a f32) (b f32)) (add a b))", "0:f32", numbers<float>(n, 0, 1), false);
  agree({reduce("(fn ((a f64) (b f64)) (add a b))", "0:f64", map("(fn ((p f32)) (cast f64 p))", {f.prefixes}))});
  // The last element that is not 0.
  agree({reduce("(fn ((a i32) (b i32)) (where (eq b 0:i32) a b))", "0:i32", map("(fn ((p i32) (x i32)) (sub p x))", {s.prefixes, x}))});
}

void filters(int64_t n) {
  agree({filter("(fn ((x i32)) (gt x 0:i32))", numbers<int32_t>(n, -100, 100))});
  agree({filter("(fn ((x u8)) (eq x 3:u8))", numbers<uint8_t>(n, 0, 255))});
  agree({filter("(fn ((x f64)) (lt x 1000.0:f64))", numbers<double>(n, -50, 50))});
  agree({filter("(fn ((a i32) (b i32)) (lt a b))", pairs(n))});
  NodeRef kept = filter("(fn ((x i32)) (gt x 0:i32))", numbers<int32_t>(n, -100, 100));
  agree({map("(fn ((x i32)) (mul x 2:i32))", {kept}), wf::length(kept)});
}

void filter_then_reduce(int64_t n) {
  NodeRef kept = filter("(fn ((x i32)) (gt x 10:i32))", numbers<int32_t>(n, -100, 100));
  agree({reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", map("(fn ((x i32)) (mul x x))", {kept})), wf::length(kept)});
}

void filter_by_prefix(int64_t n) {
  auto s = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", numbers<int32_t>(n, -3, 3), true);
  agree({filter("(fn ((p i32)) (gt p 0:i32))", s.prefixes), s.total});
}

void scan_and_filter(int64_t n) {
  NodeRef x = numbers<int32_t>(n, -100, 100);
  NodeRef kept = filter("(fn ((x i32)) (gt x 0:i32))", x);
  auto s = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", kept, false);
  agree({kept, s.prefixes, s.total});
}

void by_law(int64_t n) {
  NodeRef x = map("(fn ((c u8)) (sub (cast i32 (eq c 1:u8)) (cast i32 (eq c 2:u8))))", {numbers<uint8_t>(n, 0, 2)});
  for (bool inclusive : {false, true}) {
    auto s = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", x, inclusive);
    agree({reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", s.prefixes), s.total});
    auto f = scan("(fn ((a f32) (b f32)) (add a b))", "0:f32", numbers<float>(n, -2, 2), inclusive);
    agree({reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", f.prefixes)});
    auto m = scan("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", numbers<int32_t>(n, -50, 50), inclusive);
    agree({reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", m.prefixes), m.total});
    auto h = scan("(fn ((a i64) (b i64)) (mul a b))", "1:i64", numbers<int64_t>(n, 1, 3), inclusive);
    agree({reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", h.prefixes)});
    // Steps with unknown bounds. The first exclusive prefix is the least if no later prefix is below it.
    for (int step : {100, 2000000}) {
      auto w = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", numbers<int32_t>(n, -step, step), inclusive);
      agree({reduce("(fn ((a i32) (b i32)) (min a b))", inclusive || n == 0 ? "2147483647:i32" : "0:i32", w.prefixes),
             reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", w.prefixes), w.total});
    }
    auto u = scan("(fn ((a u32) (b u32)) (add a b))", "0:u32", numbers<uint32_t>(n, 0, 9), inclusive);
    agree({reduce("(fn ((a u32) (b u32)) (min a b))", "4294967295:u32", u.prefixes),
           reduce("(fn ((a u32) (b u32)) (max a b))", "0:u32", u.prefixes)});
    auto c = scan("(fn ((a u8) (b u8)) (add a b))", "0:u8", numbers<uint8_t>(n, 0, 255), inclusive);
    agree({reduce("(fn ((a u8) (b u8)) (max a b))", "0:u8", c.prefixes)});
  }
}

// Kernels that are computed as SWAR, four bytes per word.
void bytes_by_law(int64_t n) {
  const std::vector<NodeRef> bytes{numbers<uint8_t>(n, 0, 255), numbers<uint8_t>(n, 100, 140), numbers<bool>(n, 0, 1)};
  for (const char* step :
       {"(sub (cast i32 (eq c 40:u8)) (cast i32 (eq c 41:u8)))", "(add (cast i32 (ne c d)) (cast i32 (lt d 120:u8)))",
        "(where (ge c 97:u8) (where (le c 122:u8) 1:i32 -3:i32) (sub (cast i32 (lt c d)) (cast i32 (and b (gt c 200:u8)))))",
        "(sub (cast i32 (and c 15:u8)) (cast i32 (and d 31:u8)))",
        "(add (sub (cast i32 (and c 63:u8)) 40:i32) (where (xor b (not (ge c d))) -60:i32 7:i32))",
        "(sub (cast i32 (or (and c 3:u8) 4:u8)) (cast i32 (eq (sub (cast i32 b) 1:i32) -1:i32)))"}) {
    NodeRef x = map("(fn ((c u8) (d u8) (b bool)) " + std::string(step) + ")", bytes);
    for (bool inclusive : {false, true}) {
      auto s = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", x, inclusive);
      agree({reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", s.prefixes),
             reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", s.prefixes), s.total});
    }
  }
}

void law_that_fails(int64_t n) {
  NodeRef x = map("(fn ((x i32)) (mul x 100000000:i32))", {numbers<int32_t>(n, 1, 20)});
  auto s = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", x, true);
  agree({reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", s.prefixes)});
  // The smallest integer is its own negation: its magnitude is not positive.
  NodeRef y = map("(fn ((i i64)) (where (eq (rem i 600:i64) 500:i64) -2147483648:i32 -1:i32))", {tabulate("(fn ((i i64)) i)", n)});
  for (bool inclusive : {false, true}) {
    auto t = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", y, inclusive);
    agree({reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", t.prefixes),
           reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", t.prefixes)});
  }
  // Prefixes that equal the type's extremes, and prefixes that wrap and wrap back.
  for (int last : {-5, 0, 5}) {
    NodeRef z = map("(fn ((i i64) (last i32)) (where (eq (rem i 3:i64) 2:i64) last (where (eq (rem i 3:i64) 0:i64) 2147483647:i32 1:i32)))",
                    {tabulate("(fn ((i i64)) i)", n), numbers<int32_t>(n, last, last)});
    auto t = scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", z, true);
    agree({reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", t.prefixes)});
    agree({reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", t.prefixes)});
  }
}

void from_scalars(int64_t n) {
  NodeRef x = numbers<double>(n, 0, 9);
  NodeRef mean = map("(fn ((s f64)) (div s 10.0:f64))", {reduce("(fn ((a f64) (b f64)) (add a b))", "0:f64", x)});
  agree({mean, map("(fn ((x f64)) (sub x (at $0 0:i64)))", {x}, {mean})});
}

void many_columns(int64_t n) {
  std::vector<NodeRef> columns;
  std::string params, terms = "0.0:f32";
  for (int k = 0; k < 24; k++) {
    columns.push_back(numbers<float>(n, -k - 1, k + 1));
    const std::string x = "x" + std::to_string(k);
    params += "(" + x + " f32) ";
    terms = "(add " + terms + " " + x + ")";
  }
  agree({map("(fn (" + params + ") (tuple " + terms + " x0 x5))", columns)});
  agree({scan("(fn ((a f32) (b f32)) (add a b))", "0:f32", map("(fn (" + params + ") " + terms + ")", columns), true).prefixes});
}

namespace {

// Returns a function with two definitions: CUDA C++, and a block function, which the oracle calls.
wf::Closure given_twice(const char* name, const char* text, wf::Foreign::BlockFunction* block, std::vector<wf::Type> params,
                        std::vector<wf::Type> results) {
  auto f = std::make_shared<wf::Foreign>();
  f->name = name;
  f->source = text;
  f->block = block;
  f->params = std::move(params);
  f->results = std::move(results);
  wf::Builder b;
  std::vector<wf::Id> args;
  for (wf::Type type : f->params) args.push_back(b.param(type));
  return {b.finish(b.foreign(std::move(f), args)), {}};
}

template <class T> T element(const void* const* in, size_t k, int64_t i) { return static_cast<const T*>(in[k])[i]; }

wf::Closure next_of_collatz() {
  auto block = [](void*, int64_t n, const void* const* in, void* const* out) {
    for (int64_t i = 0; i < n; i++) {
      const int32_t x = element<int32_t>(in, 0, i);
      static_cast<int32_t*>(out[0])[i] = x % 2 == 0 ? x / 2 : 3 * x + 1;
    }
  };
  return given_twice("next",
                     "int32_t half(int32_t x) { return x / 2; }\nint32_t next(int32_t x) { return x % 2 == 0 ? half(x) : 3 * x + 1; }",
                     block, {wf::Type::I32}, {wf::Type::I32});
}

// Another function with the same name, two parameters and two results.
wf::Closure quotient_and_whether_even() {
  auto block = [](void*, int64_t n, const void* const* in, void* const* out) {
    for (int64_t i = 0; i < n; i++) {
      const int32_t x = element<int32_t>(in, 0, i);
      static_cast<float*>(out[0])[i] = element<float>(in, 1, i) / 4;
      static_cast<bool*>(out[1])[i] = x % 2 == 0;
    }
  };
  return given_twice("next",
                     "__device__ void next(int32_t x, float y, float& quotient, bool& even) { quotient = y / 4; even = x % 2 == 0; }",
                     block, {wf::Type::I32, wf::Type::F32}, {wf::Type::F32, wf::Type::Bool});
}

NodeRef map(const wf::Closure& f, const std::vector<NodeRef>& sequences) { return wf::map(f, sequences); }

}  // namespace

void sorts(int64_t n) {
  const NodeRef x = numbers<int32_t>(n, -100, 100), y = numbers<float>(n, -50, 50), z = numbers<double>(n, -3, 3);
  agree({wf::sort(x, 1, false), wf::sort(y, 1, true)});
  agree({wf::sort(map("(fn ((x f64)) (div x x))", {z}), 1, false)});  // NaN among ones
  const NodeRef number = tabulate("(fn ((i i64)) i)", n);
  const NodeRef rows[] = {x, numbers<bool>(n, 0, 1), numbers<uint8_t>(n, 0, 3), number};
  agree({wf::sort(wf::zip(rows), 1, true)});
  agree({wf::sort(wf::zip(rows), 3, false)});
  std::vector<NodeRef> wide{z, y, x};
  while (wide.size() < 40) wide.push_back(number);
  agree({wf::sort(wf::zip(wide), 3, true)});
  agree({wf::sort(filter("(fn ((x i32)) (gt x 5:i32))", x), 1, false)});
  agree({wf::sort(graph::fn("(fn ((a i32) (x f32) (b i32) (y f32)) (lt (mul (cast f32 a) (sin x)) (mul (cast f32 b) (sin y))))"),
                  wf::zip(std::vector{x, y}))});
}

void merges(int64_t n) {
  const NodeRef x = wf::sort(numbers<int32_t>(n, -100, 100), 1, false), y = wf::sort(numbers<int32_t>(n / 3, -100, 100), 1, false);
  agree({wf::merge(x, y, 1, false)});
  agree({wf::merge(y, x, 1, false)});
  const NodeRef places = tabulate("(fn ((i i64)) i)", n), others = tabulate("(fn ((i i64)) (add i 1000000:i64))", n / 3);
  const NodeRef left = wf::zip(std::vector{x, places}), right = wf::zip(std::vector{y, others});
  agree({wf::merge(left, right, 1, false)});
  agree({wf::merge(graph::fn("(fn ((a i32) (i i64) (b i32) (j i64)) (lt a b))"), right, left)});
}

// Through tables and by atomic operations of the hardware and of our own; counts; the last one; floats.
void scatters(int64_t n) {
  for (int64_t bins : {7, 100003}) {
    const std::string start = "(fn ((i i64)) (cast ";
    auto base = [&](const std::string& type) {
      return tabulate(type == "bool" ? "(fn ((i i64)) (eq (rem i 3:i64) 0:i64))" : start + type + " i))", bins);
    };
    auto combined = [&](const std::string& type, const std::string& op, const NodeRef& indices, const NodeRef& values) {
      const wf::Closure f = graph::fn("(fn ((a " + type + ") (b " + type + ")) (" + op + " a b))");
      return wf::scatter(&f, base(type), indices, values);
    };
    const NodeRef at = numbers<int32_t>(n, 0, int(bins) - 1), x = numbers<int32_t>(n, -1000, 1000);
    for (const char* op : {"add", "mul", "min", "max", "and", "or", "xor"}) agree({combined("i32", op, at, x)});
    agree({combined("u64", "add", at, map("(fn ((x i32)) (cast u64 x))", {x})),
           combined("i64", "max", at, map("(fn ((x i32)) (cast i64 x))", {x}))});
    agree({combined("u8", "add", at, map("(fn ((x i32)) (cast u8 (and x 255:i32)))", {x})),
           combined("bool", "xor", at, map("(fn ((x i32)) (gt x 0:i32))", {x}))});
    agree({combined("f32", "add", at, map("(fn ((x i32)) (cast f32 x))", {x})),
           combined("f64", "min", at, map("(fn ((x i32)) (cast f64 x))", {x}))});
    for (const char* op : {"or", "and"}) agree({combined("bool", op, at, map("(fn ((x i32)) (gt x 0:i32))", {x}))});
    agree({wf::histogram(at, bins), wf::scatter(nullptr, base("i32"), at, x)});
  }
  agree({wf::histogram(numbers<uint8_t>(n, 0, 255), 256)});
}

void iterations(int64_t n) {
  const NodeRef x = numbers<int32_t>(n, -1000, 1000), y = numbers<uint8_t>(n, 0, 255), both[] = {x, y};
  const wf::Closure step = graph::fn(
      "(fn ((a i32) (b f64) (x i32) (y u8)) (tuple (add (mul a 31:i32) (where (lt x 0:i32) (cast i32 y) x)) (add (mul b 0.5:f64) (cast f64 "
      "x))))");
  const NodeRef states = wf::iterate_prefixes(step, {7, wf::to_bits(0.25)}, wf::zip(both));
  const NodeRef after = wf::subseq(states, 1, n);
  agree({states, map("(fn ((a i32) (b f64)) (add (cast f64 a) b))", {after})});
  agree({wf::iterate_prefixes(graph::fn("(fn ((s bool) (x i32)) (ne s (gt x 0:i32)))"), {1}, x)});
}

void source_functions(int64_t n) {
  NodeRef x = numbers<int32_t>(n, 1, 1000), y = numbers<float>(n, -50, 50);
  NodeRef z = map("(fn ((x i32)) (mul x 3:i32))", {map(next_of_collatz(), {map("(fn ((x i32)) (add x 5:i32))", {x})})});
  agree({z});
  agree({map(quotient_and_whether_even(), {x, y})});
  // Two functions with the same name in one kernel; one of them is called twice.
  agree({map(quotient_and_whether_even(), {map(next_of_collatz(), {map(next_of_collatz(), {x})}), y})});
  agree({reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", z), z});
  agree({filter("(fn ((x i32)) (gt x 700:i32))", z)});
  agree({scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", z, true).prefixes});
  auto odd = [](void*, int64_t count, const void* const* in, void* const* out) {
    for (int64_t i = 0; i < count; i++) static_cast<bool*>(out[0])[i] = element<int32_t>(in, 0, i) % 2 != 0;
  };
  agree({wf::filter(given_twice("odd", "bool odd(int32_t x) { return x % 2 != 0; }", odd, {wf::Type::I32}, {wf::Type::Bool}), x)});
  auto square = [](void*, int64_t count, const void* const* in, void* const* out) {
    for (int64_t i = 0; i < count; i++) static_cast<int64_t*>(out[0])[i] = element<int64_t>(in, 0, i) * element<int64_t>(in, 0, i);
  };
  agree({wf::tabulate(graph::context(),
                      given_twice("square", "int64_t square(int64_t i) { return i * i; }", square, {wf::Type::I64}, {wf::Type::I64}), n)});
}

void source_functions_as_combiners(int64_t n) {
  auto larger = [](void*, int64_t count, const void* const* in, void* const* out) {
    for (int64_t i = 0; i < count; i++) static_cast<int32_t*>(out[0])[i] = std::max(element<int32_t>(in, 0, i), element<int32_t>(in, 1, i));
  };
  const wf::Closure f = given_twice("larger", "int32_t larger(int32_t a, int32_t b) { return max(a, b); }", larger,
                                    {wf::Type::I32, wf::Type::I32}, {wf::Type::I32});
  NodeRef x = numbers<int32_t>(n, 0, 100000);
  agree({wf::reduce(f, {0}, x)});
  for (bool inclusive : {false, true}) {
    auto s = wf::scan(f, {0}, x, inclusive);
    agree({s.prefixes, s.total});
  }
}

// The literals are more than a kernel's parameters may have. A kernel that calls a source function is not interpreted.
void more_arguments_than_parameters(int64_t n) {
  constexpr int literals = 5000;
  std::string text = "int64_t chosen(int64_t i";
  for (int k = 0; k < literals; k++) text += ", int64_t a" + std::to_string(k);
  auto f = std::make_shared<wf::Foreign>();
  f->name = "chosen";
  f->source = text + ") { return i * a0 + 3 * a1234 - 5 * a4094 + 7 * a4095 - 9 * a4999; }";
  f->block = [](void*, int64_t count, const void* const* in, void* const* out) {
    auto a = [&](size_t k, int64_t i) { return element<int64_t>(in, 1 + k, i); };
    for (int64_t i = 0; i < count; i++)
      static_cast<int64_t*>(out[0])[i] =
          element<int64_t>(in, 0, i) * a(0, i) + 3 * a(1234, i) - 5 * a(4094, i) + 7 * a(4095, i) - 9 * a(4999, i);
  };
  f->params.assign(literals + 1, wf::Type::I64);
  f->results = {wf::Type::I64};
  wf::Builder b;
  std::vector<wf::Id> args{b.param(wf::Type::I64)};
  for (int64_t k = 0; k < literals; k++) args.push_back(b.constant(100 + k * k));
  agree({wf::tabulate(graph::context(), {b.finish(b.foreign(std::move(f), args)), {}}, n)});
}

}  // namespace programs
