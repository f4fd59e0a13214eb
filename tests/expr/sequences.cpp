// Sequences in functions: each form against a plain loop over positions, the folds that they become, and their errors.
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "check.h"
#include "expr/fn.h"
#include "interpreter.h"
#include "written.h"

using namespace wf;

namespace {

const CaptureTypes captures{{Type::F32}, {Type::I64}, {Type::F32, Type::I64}};
const Written written{captures};

constexpr float infinity = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

std::vector<Bits64> bits_of(const std::vector<float>& values) {
  std::vector<Bits64> bits;
  for (float x : values) bits.push_back(to_bits(x));
  return bits;
}
std::vector<Bits64> bits_of(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

const std::vector<float> floats{3, -1, 4, -1, 5, -9, 2, 6};
const std::vector<int64_t> integers{10, 21, 32, 43, 54, 65, 76, 87, 98, 109};
const std::vector<int64_t> first_integers(integers.begin(), integers.begin() + 8);
const interpreter::Data data{{bits_of(floats)}, {bits_of(integers)}, {bits_of(floats), bits_of(first_integers)}};

interpreter::Outcome outcome(const std::string& body, int64_t n = 0, const interpreter::Data& of = data) {
  const FnRef f = parse("(fn ((n i64)) " + body + ")", captures);
  const interpreter::Outcome lazy = interpreter::lazy(*f, {Bits64(n)}, of);
  const interpreter::Outcome as_loops = interpreter::lazy(*lower_folds(f), {Bits64(n)}, of);
  CHECK_EQ(lazy.results, as_loops.results);
  return lazy;
}
int64_t integer(const std::string& body, int64_t n = 0, const interpreter::Data& of = data) {
  const interpreter::Outcome result = outcome(body, n, of);
  CHECK(!result.is_out_of_range);
  return int64_t(result.results[0]);
}
float number(const std::string& body, int64_t n = 0, const interpreter::Data& of = data) {
  const interpreter::Outcome result = outcome(body, n, of);
  CHECK(!result.is_out_of_range);
  return from_bits<float>(result.results[0]);
}
bool fails(const std::string& body, int64_t n = 0) { return outcome(body, n).is_out_of_range; }

// The elements of a sequence of i64, which has at most 20, as digits to the base 1000: order and number count.
std::string digits(const std::string& sequence) { return "(iterate 7:i64 ((h i64) (x i64)) (add (mul h 1009:i64) x) " + sequence + ")"; }
int64_t digits_of(const std::vector<int64_t>& values) {
  uint64_t h = 7;
  for (int64_t x : values) h = h * 1009 + uint64_t(x);
  return int64_t(h);
}
void check_elements(const std::string& sequence, const std::vector<int64_t>& expected, int64_t n = 0) {
  CHECK_EQ(integer(digits(sequence), n), digits_of(expected));
  CHECK_EQ(integer("(length " + sequence + ")", n), int64_t(expected.size()));
}
const std::string odd = "((x i64)) (eq (rem x 2:i64) 1:i64) ";

std::string sum(const std::string& sequence) { return "(reduce ((a i64) (b i64)) (add a b) 0:i64 " + sequence + ")"; }
std::string largest(const std::string& sequence) { return "(reduce ((a f32) (b f32)) (max a b) -inf:f32 " + sequence + ")"; }
std::string parse_error(const std::string& body) { return written.parse_error("(fn ((n i64)) " + body + ")"); }
std::string type_error(const std::string& body) { return written.type_error("(fn ((n i64)) " + body + ")"); }

}  // namespace

TEST(a_reduction_is_the_fold_that_one_would_write) {
  const auto same = [](const std::string& form, const std::string& fold) {
    CHECK_EQ(written.round_trip("(fn ((i i64) (n i64)) " + form + ")"), written.round_trip("(fn ((i i64) (n i64)) " + fold + ")"));
  };
  const std::string add = "((a f32) (b f32)) (add a b) 0.0:f32 ";
  same("(reduce " + add + "$0)", "(fold " + add + "((j (length $0))) (at $0 j))");
  same("(reduce " + add + "(subseq $0 (mul i n) n))", "(let ((first (mul i n))) (fold " + add + "((j n)) (at $0 (add first j))))");
  same("(reduce " + add + "(map ((x f32)) (mul x x) (rev $2.0)))",
       "(let ((last (sub (length $2) 1:i64))) (fold " + add + "((j (length $2))) (let ((x (at $2.0 (sub last j)))) (mul x x))))");
  same("(reduce " + add + "(map ((x f32) (k i64)) (mul x (cast f32 (add k i))) $2))",
       "(fold " + add + "((j (length $2))) (mul (at $2.0 j) (cast f32 (add (at $2.1 j) i))))");
  same("(reduce " + add + "(filter ((x f32)) (gt x (cast f32 n)) $0))",
       "(fold " + add + "((j (length $0))) (where (gt (at $0 j) (cast f32 n)) (at $0 j) 0.0:f32))");
  same("(let ((row (take $0 n))) (reduce " + add + "(map ((x f32) (y f32)) (mul x y) (zip row row))))",
       "(fold " + add + "((j n)) (mul (at $0 j) (at $0 j)))");
  // A sum of sums, whose inner range depends on the outer element.
  same(sum("(map ((k i64)) " + sum("(range 0:i64 k)") + " (range 0:i64 n))"),
       "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j n)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((v0 j)) v0))");
  same("(length (subseq $0 i n))", "(max n 0:i64)");
  same("(at (rev $0) i)", "(at $0 (sub (sub (length $0) 1:i64) (check i (length $0))))");
}

TEST(the_elements_of_each_form) {
  const std::vector<int64_t>& v = integers;
  check_elements("$1", v);
  check_elements("$2.1", first_integers);
  check_elements("(range 3:i64 n)", {3, 4, 5, 6}, 7);
  check_elements("(range 3:i64 n)", {}, 3);
  check_elements("(range 3:i64 n)", {}, -5);
  check_elements("(tabulate ((j i64)) (mul j n) 4:i32)", {0, 11, 22, 33}, 11);
  check_elements("(tabulate ((j i32)) (cast i64 (mul j j)) 4:i64)", {0, 1, 4, 9});
  check_elements("(map ((x i64)) (sub x n) (range 0:i64 3:i64))", {-5, -4, -3}, 5);
  check_elements("(filter " + odd + "$1)", {21, 43, 65, 87, 109});
  check_elements("(filter ((x i64)) (gt x n) (filter " + odd + "$1))", {87, 109}, 65);
  check_elements("(filter " + odd + "(map ((x i64)) (add x 1:i64) (filter ((x i64)) (lt x n) $1)))", {11, 33, 55}, 60);
  check_elements("(subseq $1 2:i64 n)", {32, 43, 54}, 3);
  check_elements("(subseq $1 2:i64 n)", {}, -3);
  check_elements("(slice $1 2:i64 n)", {32, 43}, 4);
  check_elements("(slice $1 2:i64 n)", {}, 1);
  check_elements("(take $1 n)", {10, 21, 32}, 3);
  check_elements("(drop $1 n)", {98, 109}, 8);
  check_elements("(drop $1 n)", {}, 10);
  check_elements("(rev (take $1 3:i64))", {32, 21, 10});
  check_elements("(rev (filter " + odd + "$1))", {109, 87, 65, 43, 21});
  check_elements("(append (take $1 2:i64) (range 0:i64 n) (rev (take $1 2:i64)))", {10, 21, 0, 1, 2, 21, 10}, 3);
  check_elements("(append (take $1 2:i64) (range 0:i64 n))", {10, 21}, -3);
  check_elements("(append (filter " + odd + "$1) (take $1 n) (filter " + odd + "(range 0:i64 6:i64)))",
                 {21, 43, 65, 87, 109, 10, 21, 1, 3, 5}, 2);
  for (int64_t k : {0, 3, 10, 13, -2, -12}) {
    std::vector<int64_t> turned = v;
    std::rotate(turned.begin(), turned.begin() + ((k % 10) + 10) % 10, turned.end());
    check_elements("(rotate $1 n)", turned, k);
  }
  check_elements("(interleave (take $1 3:i64) (range 0:i64 n))", {10, 0, 21, 1, 32, 2}, 3);
  check_elements("(update (take $1 4:i64) n 5:i64)", {10, 21, 5, 43}, 2);
  check_elements("(map ((j i64) (x i64)) (mul j x) (enumerate (take $1 4:i64)))", {0, 21, 64, 129});
  check_elements("(map ((x i64) (y i64) (z i64)) (add x (mul y z)) (zip (take $1 n) (range 0:i64 n) (rev (range 0:i64 n))))", {10, 22, 32},
                 3);
  check_elements("(map ((x i64) (y i64)) (add x y) (zip_shortest $1 (range 0:i64 n)))", {10, 22, 34}, 3);
  check_elements("(map ((x i64) (y i64)) (add x y) (zip_shortest (range 0:i64 n) $1))", {10, 22, 34}, 3);
  check_elements("(map ((x i64) (y i64)) (add x y) (zip_equal (range 0:i64 2:i64) (take $1 n)))", {10, 22}, 2);
  CHECK_EQ(integer("(let ((s (take $1 n)) (t (rev s))) " + digits("(append s t s)") + ")", 2), digits_of({10, 21, 21, 10, 10, 21}));
}

TEST(the_bounds_of_a_range_may_be_far_apart_or_narrow) {
  const std::string least = "(sub -9223372036854775807:i64 (sub n n))", most = "(add 9223372036854775807:i64 (mul 0:i64 n))";
  CHECK_EQ(integer("(length (range (sub n 9:i64) 9223372036854775807:i64))", INT64_MIN + 9), INT64_MAX);  // of 2^64 - 1 elements
  CHECK_EQ(integer("(length (range 9223372036854775807:i64 (sub n 9:i64)))", INT64_MIN + 9), 0);
  CHECK_EQ(integer("(length (range n 2:i64))", INT64_MAX), 0);
  CHECK_EQ(integer("(reduce ((a u32) (b u32)) (add a b) 0:u32 (range (cast u32 n) 4294967295:u32))", 4294967292), int64_t(4294967287));
  CHECK_EQ(written.round_trip("(fn ((n i32)) (length (range 2:i32 n)))"), "(fn ((n i32)) (max (add (cast i64 n) -2:i64) 0:i64))");
  CHECK_EQ(written.round_trip("(fn ((n i32)) (length (range 2:i64 (cast i64 n))))"),
           "(fn ((n i32)) (max (add (cast i64 n) -2:i64) 0:i64))");
}

TEST(positions_outside_of_a_sequence_are_errors) {
  for (const char* wrong : {"(at $1 10:i64)", "(at (rev $1) n)", "(at (map ((x i64)) x $1) n)", "(at (subseq $1 2:i64 3:i64) 3:i64)"})
    CHECK(fails(wrong, -1));
  CHECK(!fails("(at (subseq $1 2:i64 3:i64) 2:i64)"));
  CHECK(fails(sum("(subseq $1 8:i64 n)"), 3) && !fails(sum("(subseq $1 8:i64 n)"), 2));
  CHECK(fails(sum("(slice $1 n 3:i64)"), -1) && fails(sum("(slice $1 8:i64 n)"), 11));
  CHECK(fails(sum("(take $1 n)"), 11) && !fails(sum("(take $1 n)"), 10));
  CHECK(fails(sum("(drop $1 n)"), -1) && fails(sum("(drop $1 n)"), INT64_MIN));
  CHECK(fails(sum("(update $1 n 5:i64)"), 10) && fails(sum("(update $1 n 5:i64)"), -1) && !fails(sum("(update $1 n 5:i64)"), 9));
  // Sequences that are read together: a larger one, and a smaller one.
  const std::string product = "(map ((x i64) (y i64)) (mul x y) ";
  for (const char* zip : {"(zip (range 0:i64 n) (range 0:i64 3:i64))", "(zip (range 0:i64 3:i64) (range 0:i64 n))"}) {
    for (int64_t n : {2, 4}) CHECK(fails(sum(product + zip + ")"), n));
    CHECK(!fails(sum(product + zip + ")"), 3));
  }
  CHECK(!fails(sum(product + "(zip (range 0:i64 n) (range 0:i64 -3:i64)))"), -5));
  // Elements that a filter drops are evaluated only by its function.
  CHECK(!fails(sum("(map ((x i64)) (at $1 x) (filter ((x i64)) (lt x 10:i64) (range 0:i64 n)))"), 20));
  CHECK(fails(sum("(map ((x i64)) (at $1 x) (filter ((x i64)) (lt x 11:i64) (range 0:i64 n)))"), 20));
  CHECK(!fails(sum("(filter ((x i64)) (gt (at $1 x) 0:i64) (filter ((x i64)) (lt x 10:i64) (range 0:i64 n)))"), 20));
}

TEST(reductions_of_filters) {
  const std::vector<float> with_nans{not_a_number, 1, not_a_number, -2};
  const interpreter::Data nans{{bits_of(with_nans)}, {{}}, {{}, {}}};
  const std::string is_nan = "(filter ((x f32)) (isnan x) $0)", is_large = "(filter ((x f32)) (gt x 100.0:f32) $0)";
  const std::string least = "(reduce ((a f32) (b f32)) (min a b) inf:f32 ";
  CHECK(std::isnan(number(largest(is_nan), 0, nans)));
  CHECK(std::isnan(number(least + is_nan + ")", 0, nans)));
  CHECK_EQ(number(largest(is_large), 0, nans), -infinity);
  CHECK_EQ(number(least + is_large + ")", 0, nans), infinity);
  CHECK_EQ(number(largest("(filter ((x f32)) (not (gt x 0.0:f32)) $0)"), 0, nans), -2.0f);
  CHECK_EQ(number(least + "(filter ((x f32)) (lt x 100.0:f32) $0))", 0, nans), -2.0f);
  // Both at once, and an identity that no element can hide.
  const std::string both =
      "(reduce ((a f32) (k i64) (b f32) (l i64)) (tuple (max a b) (add k l)) (tuple -inf:f32 0:i64) (map ((x f32)) (tuple x 1:i64) ";
  const interpreter::Outcome of_nans = outcome(both + is_nan + "))", 0, nans), of_none = outcome(both + is_large + "))", 0, nans);
  CHECK(std::isnan(from_bits<float>(of_nans.results[0])) && of_nans.results[1] == 2);
  CHECK(from_bits<float>(of_none.results[0]) == -infinity && of_none.results[1] == 0);
  CHECK_EQ(number("(reduce ((a f32) (b f32)) (mul a b) 1.0:f32 (filter ((x f32)) (lt x 0.0:f32) $0))"), -9.0f);
  CHECK_EQ(number("(reduce ((a f32) (b f32)) (mul a b) 1.0:f32 (filter ((x f32)) (lt x -10.0:f32) $0))"), 1.0f);
  CHECK_EQ(integer("(reduce ((a bool) (b bool)) (or a b) false (map ((x f32)) (gt x 5.0:f32) (filter ((x f32)) (lt x 6.0:f32) $0)))"), 0);
  CHECK_EQ(integer("(reduce ((a bool) (b bool)) (and a b) true (map ((x f32)) (gt x 5.0:f32) (filter ((x f32)) (gt x 5.0:f32) $0)))"), 1);
  CHECK_EQ(integer("(reduce ((a i32) (b i32)) (max a b) -5:i32 (map ((x i64)) (cast i32 x) (filter " + odd + "$1)))"), 109);
  // Positions are converted to the function's integers.
  CHECK_EQ(integer("(reduce ((a i32) (b i32)) (add a b) 0:i32 (range 0:i64 n))", 5), 10);
}

TEST(positions_of_elements) {
  const std::string less = "((x f32) (y f32)) (lt x y) ", after = "((x i64) (y i64)) (lt (rem x n) (rem y n)) ";
  CHECK_EQ(integer("(find_index ((x f32)) (lt x 0.0:f32) $0)"), 1);
  CHECK_EQ(integer("(find_index ((x f32)) (lt x -9.0:f32) $0)"), -1);
  CHECK_EQ(integer("(find_index ((x i64)) (gt x n) (filter " + odd + "$1))", 50), 2);
  CHECK_EQ(integer("(find_index ((x i64)) (gt x n) (filter " + odd + "$1))", 200), -1);
  CHECK_EQ(integer("(find_index ((x f32)) true (take $0 n))", 0), -1);
  CHECK_EQ(integer("(argmax " + less + "$0)"), 7);
  CHECK_EQ(integer("(argmax ((x f32) (y f32)) (lt y x) $0)"), 5);
  CHECK_EQ(integer("(argmax " + less + "(take $0 4:i64))"), 2);
  CHECK_EQ(integer("(argmax ((x f32) (y f32)) (lt y x) (take $0 4:i64))"), 1);  // the first of equal ones
  CHECK_EQ(integer("(argmax " + less + "(take $0 n))", 0), -1);
  const std::string small = "(filter ((x f32)) (lt x 5.0:f32) $0)";  // 3 -1 4 -1 -9 2
  CHECK_EQ(integer("(argmax " + less + small + ")"), 2);
  CHECK_EQ(integer("(argmax ((x f32) (y f32)) (lt y x) " + small + ")"), 4);
  CHECK_EQ(integer("(argmax " + less + "(filter ((x f32)) (lt x -50.0:f32) $0))"), -1);
  CHECK_EQ(integer("(argmax ((x f32) (k i64) (y f32) (l i64)) (lt k l) $2)", 0,
                   {{}, {}, {bits_of(floats), bits_of(std::vector<int64_t>(8, 4))}}),
           0);
}

TEST(comparisons_of_sequences) {
  const std::string before = "((x i64) (y i64)) (lt x y) ";
  CHECK_EQ(integer("(is_sorted " + before + "$1)"), 1);
  CHECK_EQ(integer("(is_sorted " + before + "(rev $1))"), 0);
  CHECK_EQ(integer("(is_sorted " + before + "(rev (take $1 n)))", 1), 1);
  CHECK_EQ(integer("(is_sorted " + before + "(take $1 n))", 0), 1);
  CHECK_EQ(integer("(is_sorted " + before + "(take $1 n))", -4), 1);
  CHECK_EQ(integer("(is_sorted " + before + "(append $1 $1))"), 0);
  const std::string small = "((x f32)) (lt x n) ", floats_before = "((x f32) (y f32)) (lt x y) ";
  CHECK_EQ(integer("(is_sorted " + floats_before + "$0)"), 0);
  CHECK_EQ(integer("(is_sorted " + floats_before + "(filter ((x f32)) (gt x 2.5:f32) $0))"), 1);  // 3 4 5 6
  CHECK_EQ(integer("(is_sorted " + floats_before + "(filter ((x f32)) (gt x 1.5:f32) $0))"), 0);  // 3 4 5 2 6
  CHECK_EQ(integer("(is_sorted " + floats_before + "(filter ((x f32)) (gt x 6.5:f32) $0))"), 1);
  const std::string same = "((x i64) (y i64)) (eq x y) ";
  CHECK_EQ(integer("(equal " + same + "(take $1 8:i64) $2.1)"), 1);
  CHECK_EQ(integer("(equal " + same + "$1 $2.1)"), 0);
  CHECK_EQ(integer("(equal " + same + "$1 (take $1 n))", 9), 0);
  CHECK_EQ(integer("(equal " + same + "(take $1 n) (range 10:i64 11:i64))", 1), 1);
  CHECK_EQ(integer("(equal " + same + "(take $1 n) (range 11:i64 12:i64))", 1), 0);
  CHECK_EQ(integer("(equal ((x i64) (y f32)) (gt x (cast i64 y)) (take $1 8:i64) $0)"), 1);
  const std::string range = "(range 0:i64 n)", other = "(update (range 0:i64 6:i64) 3:i64 2:i64)";  // 0 1 2 2 4 5
  for (int64_t n : {0, 2, 3}) CHECK_EQ(integer("(compare " + before + range + other + ")", n), -1);
  for (int64_t n : {4, 6, 9}) CHECK_EQ(integer("(compare " + before + range + other + ")", n), 1);
  for (int64_t n : {4, 6, 9}) CHECK_EQ(integer("(compare " + before + other + range + ")", n), -1);
  CHECK_EQ(integer("(compare " + before + range + "(range 0:i64 6:i64))", 6), 0);
  CHECK_EQ(integer("(compare " + before + range + "(range 0:i64 6:i64))", 7), 1);
}

TEST(one_element_after_another) {
  CHECK_EQ(integer("(iterate (tuple 1:i64 5:i64) ((s i64) (t i64) (x i64)) (tuple (add (mul s 2:i64) x) (sub n t)) (range 0:i64 n))", 4),
           27);
  CHECK_EQ(integer("(iterate 1:i64 ((s i64) (x i64)) (add (mul s n) x) (filter " + odd + "(take $1 4:i64)))", 100), 12143);
  CHECK_EQ(integer("(iterate n ((s i64) (x i64)) (add s x) (range 0:i64 0:i64))", 9), 9);
}

TEST(errors_of_forms_name_their_place_and_the_remedy) {
  CHECK_EQ(parse_error("(map ((x i64)) x $1)"), "line 1, column 16: found `map`, expected a value: reduce, length or at of this sequence");
  CHECK_EQ(parse_error("(let ((s (rev $1))) s)"),
           "line 1, column 35: found `s`, expected a value: the name is bound to a sequence; use reduce, length or at of it");
  CHECK_EQ(parse_error("(reduce ((a i64) (b i64)) (add a b) 0:i64 n)"),
           "line 1, column 57: found `n`, expected a sequence: $0, a name that is bound to one, or range, tabulate, map, filter, zip, "
           "subseq and so on");
  CHECK_EQ(parse_error("(reduce ((a i64) (b i64)) (add a n) 0:i64 $1)"),
           "line 1, column 48: found `n`, expected a parameter of the fold's function, which depends on nothing else; use the name in the "
           "fold's value");
  CHECK_EQ(parse_error("(length (rev $1 $1))"), "line 1, column 31: found `$1`, expected `)`");
  CHECK_EQ(type_error("(length (map ((x f32)) x $1))"),
           "line 1, column 23: the function has the parameters (f32), but its arguments are (i64); expected a parameter of the same type "
           "for each");
  CHECK_EQ(type_error("(length (filter ((x i64)) x $1))"), "line 1, column 23: the function has the results (i64); expected (bool)");
  CHECK_EQ(type_error("(length (append $0 $1))"),
           "line 1, column 23: the sequences have elements of types (f32) and (i64); expected equal types");
  CHECK_EQ(type_error("(length (update $1 n 1:i32))"),
           "line 1, column 23: the new element has the types (i32); expected (i64), those of the elements");
  CHECK_EQ(type_error("(length (take $1 0.5:f32))"), "line 1, column 32: a position or a length has type f32; expected an integer");
  CHECK_EQ(type_error("(length (range 0.5:f32 n))"), "line 1, column 23: a range has the bounds (f32 i64); expected two integers");
  const std::string unknown =
      "the positions of the elements that a filter keeps are not known; expected map, filter, reduce or length of it";
  const std::string kept = "(filter " + odd + "$1)";
  for (const std::string& form : {"(zip " + kept + " $1)", "(zip_shortest $1 " + kept + ")", "(zip_equal $1 " + kept + ")",
                                  "(enumerate " + kept + ")", "(subseq " + kept + " n n)", "(take " + kept + " n)", "(drop " + kept + " n)",
                                  "(rotate " + kept + " n)", "(update " + kept + " n n)", "(interleave $1 " + kept + ")"})
    CHECK_EQ(type_error("(length " + form + ")"), "line 1, column 23: " + unknown);
  CHECK_EQ(type_error("(at " + kept + " n)"), "line 1, column 15: " + unknown);
  CHECK_EQ(type_error("(reduce ((a i64) (b i64)) (add a b) 0:i32 $1)").substr(0, 21), "line 1, column 15: fo");
  CHECK_EQ(type_error("(reduce ((a i64) (b i64)) (add a b) 0:i64 $2)").substr(0, 21), "line 1, column 15: fo");
}

TEST(sequences_made_of_each_other_are_refused_before_the_stack_ends) {
  const auto reversed = [](int times) {
    std::string bindings = "(s0 (map ((x i64)) x $1))";
    for (int k = 1; k <= times; k++) bindings += " (s" + std::to_string(k) + " (rev s" + std::to_string(k - 1) + "))";
    return "(let (" + bindings + ") (at s" + std::to_string(times) + " 1:i64))";
  };
  CHECK_EQ(integer(reversed(997)), 98);
  CHECK_EQ(integer(reversed(998)), 21);
  CHECK_EQ(parse_error(reversed(999)),
           "line 1, column 17799: sequences are made of each other 1001 deep; expected at most 1000, or as many as the stack of the thread "
           "allows (1 KiB each)");
  // A thread of 64 KiB has the stack for some of them, and the others are refused.
  std::string few, many;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  auto parsed = [&] { few = parse_error(reversed(35)), many = parse_error(reversed(200)); };
  pthread_t thread;
  pthread_create(
      &thread, &attributes, [](void* f) -> void* { return (*static_cast<decltype(parsed)*>(f))(), nullptr; }, &parsed);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK_EQ(few, "no error");
  CHECK(many.find("48 deep; expected at most 1000, or as many as the stack of the thread allows") != many.npos);
}
