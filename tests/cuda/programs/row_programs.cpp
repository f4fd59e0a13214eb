// Programs whose functions contain folds of all shapes of rows.
#include <algorithm>

#include "cuda/agree.h"
#include "cuda/programs/programs.h"

namespace programs {

int64_t elements_in_rows = 1 << 18;

using graph::reduce, graph::source, graph::tabulate;
using wf::NodeRef;

namespace {

int64_t length_of_rows(int64_t n) { return std::max<int64_t>(8, elements_in_rows / std::max<int64_t>(n, 1)) + 3; }
std::string literal(int64_t x) { return std::to_string(x) + ":i64"; }

// A fold of one column over the rows of $0, each of `length` elements.
std::string row_fold(const char* type, const char* op, const char* identity, int64_t length, const char* value) {
  const std::string t = type, at = "(at $0 (add (mul i " + literal(length) + ") j))";
  std::string text = "(fold ((a " + t + ") (b " + t + ")) (" + op + " a b) " + identity + " ((j " + literal(length) + ")) " + value + ")";
  for (size_t place; (place = text.find('@')) != std::string::npos;) text.replace(place, 1, at);
  return text;
}

}  // namespace

void rows(int64_t n) {
  const int64_t length = length_of_rows(n);
  const NodeRef x = numbers<float>(n * length, -8, 8);
  const std::string sum = row_fold("f32", "add", "0.0:f32", length, "(mul @ @)"), most = row_fold("f32", "max", "-inf:f32", length, "@");
  agree({tabulate("(fn ((i i64)) " + sum + ")", n, {x})});
  agree({tabulate("(fn ((i i64)) (sub " + most + " " + sum + "))", n, {x})});
  const NodeRef norms = tabulate("(fn ((i i64)) (tuple i " + sum + "))", n, {x});
  agree({norms, reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", wf::columns(norms, std::vector<int32_t>{1}))});
  agree({tabulate("(fn ((i i64)) " + row_fold("bool", "xor", "false", length, "(eq @ 3:u8)") + ")", n,
                  {numbers<uint8_t>(n * length, 0, 9)})});
  agree({tabulate("(fn ((i i64)) " + row_fold("f64", "min", "inf:f64", length, "(add @ (cast f64 j))") + ")", n,
                  {numbers<double>(n * length, -99, 99)})});
}

void columns(int64_t n) {
  const int64_t length = length_of_rows(n);
  const std::string at = "(at $0 (add (mul j " + literal(n) + ") i))";
  const std::string fold = "((j " + literal(length) + "))";
  agree({tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 " + fold + " " + at + "))", n,
                  {numbers<float>(n * length, -8, 8)})});
  // The last odd element of each column: not commutative.
  agree({tabulate("(fn ((i i64)) (fold ((a i32) (b i32)) (where (eq (and b 1:i32) 1:i32) b a) 0:i32 " + fold + " " + at + "))", n,
                  {numbers<int32_t>(n * length, -8, 8)})});
  // Several folds of one column, and reductions of few long columns, which blocks share.
  auto fold_of = [&](const std::string& value) { return "(fold ((a i32) (b i32)) (add a b) 0:i32 " + fold + " " + value + ")"; };
  const NodeRef y = numbers<int32_t>(n * length, -8, 8);
  const NodeRef moments = tabulate("(fn ((i i64)) (tuple " + fold_of(at) + " " + fold_of("(mul " + at + " " + at + ")") + "))", n, {y});
  const NodeRef total =
      reduce("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (add a c) (max b d)))", "(tuple 0:i32 -2147483648:i32)", moments);
  agree({total});
  agree({moments, total});
}

// The greatest element of each row and its first position; and affine maps, composed in order.
void rows_of_tuples(int64_t n) {
  const int64_t length = length_of_rows(n);
  const std::string at = "(at $0 (add (mul i " + literal(length) + ") j))", fold = "((j " + literal(length) + "))";
  const NodeRef x = numbers<int32_t>(n * length, -1000, 1000);
  agree(
      {tabulate("(fn ((i i64)) (fold ((a i32) (k i64) (b i32) (l i64)) (let ((m (gt b a))) (tuple (where m b a) (where m l k))) "
                "(tuple -2147483648:i32 -1:i64) " +
                    fold + " (tuple " + at + " j)))",
                n, {x})});
  agree({tabulate("(fn ((i i64)) (fold ((a i32) (b i32) (c i32) (d i32)) (tuple (mul a c) (add (mul b c) d)) (tuple 1:i32 0:i32) " + fold +
                      " (tuple (or " + at + " 1:i32) (cast i32 j))))",
                  n, {x})});
  // Independent commutative columns.
  agree({tabulate("(fn ((i i64)) (fold ((a i32) (b u8) (c i32) (d u8)) (tuple (min a c) (add b d)) (tuple 2147483647:i32 0:u8) " + fold +
                      " (tuple " + at + " (cast u8 " + at + "))))",
                  n, {x})});
}

// Rows that are segments of a sequence, and folds that are not chosen or end at once.
void rows_of_many_lengths(int64_t n) {
  const int64_t length = length_of_rows(n), total = n * length;
  std::vector<int64_t> starts{0};
  std::mt19937 random{unsigned(n)};
  for (int64_t i = 0; i < n; i++)
    starts.push_back(i + 1 == n ? total : std::min(total, starts.back() + int64_t(random() % 3 ? random() % uint64_t(length) : 0)));
  const NodeRef x = numbers<float>(total, -8, 8), to = numbers<int32_t>(total, 0, 499), table = numbers<float>(500, -9, 9);
  const std::string count = "(sub (at $0 (add i 1:i64)) (at $0 i))", at = "(add (at $0 i) j)";
  agree({tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j " + count + ")) (mul (at $1 " + at +
                      ") (at $3 (cast i64 (at $2 " + at + "))))))",
                  n, {source(starts), x, to, table})});
  agree({tabulate("(fn ((i i64)) (where (eq (rem i 3:i64) 1:i64) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((j " + count + ")) (at $1 " +
                      at + ")) 7.0:f32))",
                  n, {source(starts), x})});
}

// Rows that gather: most are short or empty, some have many positions, and affine maps are composed in order.
void rows_that_gather(int64_t n) {
  std::vector<int64_t> starts{3};
  std::mt19937 random{unsigned(n)};
  for (int64_t i = 0; i < n; i++) {
    const uint64_t longest = i % 397 == 5 ? 6000 : random() % 3 ? 9 : 1;
    starts.push_back(starts.back() + int64_t(random() % longest));
  }
  const int64_t total = starts.back() + 5;
  const NodeRef to = numbers<int32_t>(total, 0, 499), factors = numbers<uint32_t>(500, 0, 1000);
  const std::string at = "(add (at $0 i) j)", factor = "(at $2 (cast i64 (at $1 " + at + ")))";
  agree(
      {tabulate("(fn ((i i64)) (fold ((a u32) (b u32) (c u32) (d u32)) (tuple (mul a c) (add (mul b c) d)) (tuple 1:u32 0:u32) "
                "((j (sub (at $0 (add i 1:i64)) (at $0 i)))) (tuple (or " +
                    factor + " 1:u32) (cast u32 j))))",
                n, {source(starts), to, factors})});
}

// Reciprocal roots of normal and subnormal numbers. All are powers of 2, whose roots are exact.
void roots_in_rows(int64_t n) {
  const NodeRef zeros = numbers<float>(1024, 0, 0), own = numbers<float>(64, 0, 0);
  for (const char* literal : {"0.25:f32", "0x1p-126:f32", "0x1p-140:f32", "0.0:f32", "-0.25:f32"})
    agree(
        {tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -1.0:f32 ((j 1024:i64)) (let ((d (sub (at $0 j) (at $1 i)))) "
                  "(rsqrt (add (mul d d) " +
                      std::string(literal) + ")))))",
                  std::min<int64_t>(n, 64), {zeros, own})});
}

// Folds of rows that depend on each other, and values of all elements of the rows: of rows that slices of a warp, warps or blocks share, and
// of rows too long for shared memory.
static void elements_of_rows_of(int64_t rows, int64_t length) {
  const std::string row = "(div k " + literal(length) + ")";
  const auto of_row = [&](const std::string& fold, const graph::Nodes& captures) {
    return tabulate("(fn ((i i64)) " + fold + ")", rows, captures);
  };
  const auto of_elements = [&](const std::string& value, const graph::Nodes& captures) {
    return tabulate("(fn ((k i64)) " + value + ")", rows * length, captures);
  };
  const NodeRef x = numbers<float>(rows * length, -8, 8), gamma = numbers<float>(length, -2, 2);
  // As a softmax, with sums that are exact: the elements are whole numbers.
  const auto shares = [&] {
    const NodeRef most = of_row(row_fold("f32", "max", "-inf:f32", length, "@"), {x});
    const NodeRef sum = of_row(row_fold("f32", "add", "0.0:f32", length, "(abs (sub @ (at $1 i)))"), {x, most});
    return graph::Nodes{of_elements("(div (abs (sub (at $0 k) (at $1 " + row + "))) (at $2 " + row + "))", {x, most, sum}), sum};
  };
  agree({shares()[0]});
  agree(shares());
  // As a layer norm, of rows at an odd address, with a factor per column.
  const NodeRef y = wf::subseq(numbers<float>(rows * length + 1, -8, 8), 1, rows * length);
  const NodeRef least = of_row(row_fold("f32", "min", "inf:f32", length, "@"), {y});
  const NodeRef squares = of_row(row_fold("f32", "add", "0.0:f32", length, "(let ((d (sub @ (at $1 i)))) (mul d d))"), {y, least});
  agree({of_elements("(mul (mul (sub (at $0 k) (at $1 " + row + ")) (sqrt (at $2 " + row + "))) (at $3 (rem k " + literal(length) + ")))",
                     {y, least, squares, gamma})});
  // A function that does not commute, and values of one byte and of eight.
  const NodeRef b = numbers<uint8_t>(rows * length, 0, 9);
  const NodeRef last = of_row("(fold ((a u8) (b u8)) (where (eq (and b 1:u8) 1:u8) b a) 0:u8 ((j " + literal(length) +
                                  ")) (at $0 (add (mul i " + literal(length) + ") j)))",
                              {b});
  agree({of_elements("(tuple (add (at $0 k) (at $1 " + row + ")) (cast f64 (sub (at $1 " + row + ") (at $0 k))))", {b, last})});
  const NodeRef z = numbers<double>(rows * length, -99, 99);
  const NodeRef lowest = of_row(row_fold("f64", "min", "inf:f64", length, "@"), {z});
  agree({of_elements("(sub (at $0 k) (at $1 " + row + "))", {z, lowest})});
}

// Rows of whole packs are held in registers.
void elements_of_rows(int64_t n) {
  if (n > 0 && n < 64) return;  // the program is that of n = 0
  const int64_t rows = std::max<int64_t>(n, 64), length = length_of_rows(rows);
  for (int64_t m : {length, std::max<int64_t>(length / 4 * 4, 64)}) elements_of_rows_of(rows, m);
}

}  // namespace programs
