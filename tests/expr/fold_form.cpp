// Folds in functions: the written form, its rules and errors, simplification, and folds as loops.
#include "check.h"
#include "expr/fn.h"
#include "expr/guards/guard.h"
#include "expr/lift.h"
#include "interpreter.h"
#include "written.h"

using namespace wf;

namespace {

const CaptureTypes captures{{Type::F32}, {Type::F32, Type::I64}};

const Written written{captures};

std::string round_trip(std::string_view text) { return written.round_trip(text); }
std::string parse_error(std::string_view text) { return written.parse_error(text); }
std::string type_error(std::string_view text) { return written.type_error(text); }

// The results of f as it is, and with its folds as loops.
std::vector<Bits64> both(const FnRef& f, const std::vector<Bits64>& args, const interpreter::Data& data = {}) {
  const interpreter::Outcome as_fold = interpreter::strict(*f, args, data), as_loop = interpreter::strict(*lower_folds(f), args, data);
  CHECK_EQ(as_fold.results, as_loop.results);
  CHECK_EQ(as_fold.is_out_of_range, as_loop.is_out_of_range);
  return as_fold.results;
}

std::vector<Bits64> both(std::string_view text, const std::vector<Bits64>& args, const interpreter::Data& data = {}) {
  return both(parse(text, captures), args, data);
}

const std::string dot =
    "(fn ((i i64) (n i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) (mul (at $0 (add (mul i n) j)) (at $0 j))))";

}  // namespace

TEST(a_fold_is_printed_as_it_was_written) {
  for (const std::string& text : {
           dot,
           std::string("(fn ((n i32)) (fold ((a i64) (b i64)) (max a b) -1:i64 ((j (cast i64 n))) (mul j j)))"),
           std::string("(fn ((n i64)) (let (((v0 v1) (fold ((s f32) (k i64) (t f32) (l i64)) (let ((v2 (le s t))) "
                       "(tuple (where v2 s t) (where v2 k l))) (tuple inf:f32 -1:i64) ((j n)) (tuple (at $0 j) j)))) v1))"),
           std::string("(fn ((n i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j n)) "
                       "(fold ((c i64) (d i64)) (mul c d) 1:i64 ((k j)) (add (add j k) n))))"),
           std::string("(fn ((n i64)) (loop ((k n)) (lt k 100:i64) (add k (fold ((a i64) (b i64)) (add a b) 0:i64 ((j k)) (mul j n)))))"),
       })
    CHECK_EQ(round_trip(text), text);
}

TEST(a_fold_combines_from_the_left_and_is_its_identity_where_the_count_is_not_positive) {
  // Not associative: ((10 - v0) - v1) - ...
  const std::string text = "(fn ((n i64)) (fold ((a i64) (b i64)) (sub (mul a 2:i64) b) 10:i64 ((j n)) (add j 1:i64)))";
  for (int64_t n : {int64_t(0), int64_t(-1), INT64_MIN}) CHECK_EQ(both(text, {Bits64(n)})[0], 10u);
  CHECK_EQ(both(text, {3})[0], Bits64((((10 * 2 - 1) * 2 - 2) * 2) - 3));
  CHECK_EQ(both("(fn ((n i64)) (fold ((a i64) (x u8) (b i64) (y u8)) (tuple (add a b) (add x y)) (tuple 0:i64 250:u8) ((j n)) "
                "(tuple j (cast u8 j))))",
                {5}),
           (std::vector<Bits64>{10, 4}));
}

TEST(folds_read_captured_sequences_and_values_from_outside) {
  const interpreter::Data data{{{to_bits(1.f), to_bits(2.f), to_bits(3.f), to_bits(4.f), to_bits(5.f), to_bits(6.f)}}};
  CHECK_EQ(both(dot, {1, 3}, data)[0], Bits64(to_bits(4.f + 10.f + 18.f)));
  CHECK_EQ(both(dot, {3, 0}, data)[0], Bits64(to_bits(0.f)));
  CHECK(interpreter::strict(*parse(dot, captures), {2, 3}, data).is_out_of_range);
}

TEST(folds_of_folds_use_names_from_all_levels) {
  const std::string text =
      "(fn ((n i64) (m i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j n)) "
      "(fold ((a i64) (b i64)) (max a b) 0:i64 ((k (rem j 3:i64))) (add (mul j m) (mul k n)))))";
  int64_t sum = 0;
  for (int64_t j = 0; j < 7; j++) {
    int64_t most = 0;
    for (int64_t k = 0; k < j % 3; k++) most = std::max(most, j * 5 + k * 7);
    sum += most;
  }
  CHECK_EQ(both(text, {7, 5})[0], Bits64(sum));
}

TEST(a_fold_of_a_literal_count_below_one_is_its_identity) {
  CHECK_EQ(round_trip("(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.5:f32 ((j 0:i64)) (at $0 j)))"), "(fn ((i i64)) 0.5:f32)");
  CHECK_EQ(round_trip("(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.5:f32 ((j (sub 2:i64 3:i64))) (at $0 j)))"),
           "(fn ((i i64)) 0.5:f32)");
}

TEST(folds_that_nobody_reads_go_unless_they_may_fail) {
  CHECK_EQ(round_trip("(fn ((i i64)) (let ((s (fold ((a i64) (b i64)) (add a b) 0:i64 ((j 9:i64)) j))) i))"), "(fn ((i i64)) i)");
  const FnRef kept = parse("(fn ((i i64)) (let ((s (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 9:i64)) (at $0 j)))) i))", captures);
  CHECK_EQ(kept->loops.size(), 1u);
  CHECK(interpreter::lazy(*kept, {0}, {{{1, 2}}}).is_out_of_range);
}

TEST(equal_folds_are_one_term) {
  const FnRef f = parse(
      "(fn ((n i64)) (add (fold ((a i64) (b i64)) (add a b) 0:i64 ((j n)) (mul j n)) "
      "(fold ((x i64) (y i64)) (add x y) 0:i64 ((k n)) (mul k n))))");
  CHECK_EQ(f->loops.size(), 1u);
  // Another identity is another fold.
  const FnRef g = parse(
      "(fn ((n i64)) (add (fold ((a i64) (b i64)) (max a b) 0:i64 ((j n)) (mul j n)) "
      "(fold ((x i64) (y i64)) (max x y) 1:i64 ((k n)) (mul k n))))");
  CHECK_EQ(g->loops.size(), 2u);
  CHECK(!same_structure(*f, *g, true));
  // A sum from 1 is 1 and the sum from 0.
  const FnRef h = parse(
      "(fn ((n i64)) (add (fold ((a i64) (b i64)) (add a b) 0:i64 ((j n)) (mul j n)) "
      "(fold ((x i64) (y i64)) (add x y) 1:i64 ((k n)) (mul k n))))");
  CHECK_EQ(h->loops.size(), 1u);
  CHECK(!same_structure(*f, *h, true));
  auto with = [](const char* identity) {
    return parse("(fn ((n i64)) (fold ((a i64) (b i64)) (max a b) " + std::string(identity) + " ((j n)) j))");
  };
  CHECK(!same_structure(*with("0:i64"), *with("1:i64"), true));
  CHECK(same_structure(*with("0:i64"), *with("1:i64"), false));
  CHECK(!same_structure(*with("0:i64"), *parse("(fn ((n i64)) (fold ((a i64) (b i64)) (min a b) 0:i64 ((j n)) j))"), false));
}

TEST(values_and_functions_are_never_contracted_together) {
  const std::string text = print(*parse("(fn ((x f32)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 3:i64)) (mul x x)))"));
  CHECK_EQ(text.find("fma"), text.npos);
  const std::string lowered = print(*lower_folds(parse(text)));
  CHECK_EQ(lowered.find("fma"), lowered.npos);
  CHECK(print(*parse("(fn ((x f32)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 3:i64)) (add (mul x x) x)))")).find("fma") != text.npos);
}

TEST(every_column_of_an_unrolled_fold_is_evaluated) {
  const interpreter::Data data{{{to_bits(1.f), to_bits(2.f), to_bits(3.f)}}};
  const FnRef f = parse(
      "(fn ((n i64)) (let (((p q) (fold ((a f32) (b f32) (c f32) (d f32)) (tuple (add a c) (add b d)) (tuple 0.0:f32 0.0:f32) ((j 3:i64)) "
      "(tuple 1.0:f32 (at $0 (add n j)))))) p))",
      captures);
  CHECK(lower_folds(f)->loops.empty());
  for (const FnRef& g : {f, lower_folds(f)}) {
    CHECK(!interpreter::strict(*g, {0}, data).is_out_of_range);
    CHECK(interpreter::strict(*g, {1}, data).is_out_of_range);
  }
}

TEST(an_index_in_a_fold_counts_only_where_the_fold_is_chosen) {
  const interpreter::Data data{{{to_bits(1.f), to_bits(2.f)}}};
  for (const char* text : {
           "(fn ((n i64)) (where (le n 2:i64) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) (at $0 j)) 0.0:f32))",
           "(fn ((n i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) (where (lt j 2:i64) (at $0 j) 0.0:f32)))",
           "(fn ((n i64)) (fold ((a bool) (b bool)) (or a b) false ((j n)) (and (lt j 2:i64) (gt (at $0 j) 9.0:f32))))",
           "(fn ((n i64)) (where (le n 2:i64) (fold ((c f32) (d f32)) (max c d) 0.0:f32 ((k 2:i64)) "
           "(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) (at $0 j))) 0.0:f32))",
       }) {
    const FnRef f = parse(text, captures);
    for (const FnRef& g : {f, lower_folds(f)})
      for (Bits64 n : {0, 2, 7}) {
        CHECK(!interpreter::strict(*g, {n}, data).is_out_of_range);
        CHECK(!interpreter::lazy(*g, {n}, data).is_out_of_range);
      }
  }
  CHECK(interpreter::strict(*lower_folds(parse("(fn ((n i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) (at $0 j)))", captures)),
                            {3}, data)
            .is_out_of_range);
}

TEST(numbers_in_folds_are_lifted_but_not_identities) {
  auto text = [](const char* identity, const char* factor) {
    return "(fn ((x f32)) (fold ((a f32) (b f32)) (max a b) " + std::string(identity) + " ((j 5:i64)) (mul x " + factor + ")))";
  };
  auto value = [](const Lifted& lifted) { return both(with_values(lifted.fn, lifted.arguments), {to_bits(1.0f)})[0]; };
  const Lifted first = parse_cached(text("-9.5:f32", "2.5:f32")), second = parse_cached(text("-9.5:f32", "3.5:f32")),
               third = parse_cached(text("-9.5:f32", "4.5:f32"));
  CHECK_EQ(second.fn.get(), third.fn.get());
  CHECK_EQ(third.arguments.size(), 1u);
  CHECK_EQ(value(third), Bits64(to_bits(4.5f)));
  for (auto [identity, most] : {std::pair("7.25:f32", 7.25f), std::pair("8.25:f32", 8.25f), std::pair("9.25:f32", 9.25f)})
    CHECK_EQ(value(parse_cached(text(identity, "5.5:f32"))), Bits64(to_bits(most)));
  // In the function that combines, too.
  auto weighted = [](const char* weight) {
    return "(fn ((x f32)) (fold ((a f32) (b f32)) (add a (mul b " + std::string(weight) + ")) 0.0:f32 ((j 2:i64)) x))";
  };
  parse_cached(weighted("2.5:f32"));
  parse_cached(weighted("3.5:f32"));
  const Lifted last = parse_cached(weighted("4.5:f32"));
  CHECK_EQ(last.arguments.size(), 1u);
  CHECK_EQ(value(last), Bits64(to_bits(9.0f)));
}

TEST(errors_in_folds_say_where_and_what_would_be_right) {
  auto fold = [](const std::string& rest) { return "(fn ((n i64) (x f32)) (fold " + rest + "))"; };
  CHECK_EQ(type_error(fold("((a f32)) a 0.0:f32 ((j n)) x")),
           "line 1, column 23: fold: the function has 1 parameter and 1 result; expected the columns of the left value, those of the "
           "right one, and a result for each column");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (tuple a b) 0.0:f32 ((j n)) x")),
           "line 1, column 23: fold: the function has 2 parameters and 2 results; expected the columns of the left value, those of the "
           "right one, and a result for each column");
  CHECK_EQ(type_error(fold("((a i32) (b f32)) (add a b) 0.0:f32 ((j n)) x")),
           "line 1, column 23: fold: parameter a has type i32; expected f32, the type of the result");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (lt a b) false ((j n)) x")),
           "line 1, column 23: fold: parameter a has type f32; expected bool, the type of the result");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (add a b) 0:i32 ((j n)) x")),
           "line 1, column 23: fold: the identity has type i32; expected f32, the type of the result");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (add a b) x ((j n)) x")),
           "line 1, column 23: fold: the identity is computed; expected a literal");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (add a b) (tuple 0.0:f32 0.0:f32) ((j n)) x")),
           "line 1, column 23: fold: the function combines 1 column, but the identity has 2 and the value 1");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) (tuple x x)")),
           "line 1, column 23: fold: the function combines 1 column, but the identity has 1 and the value 2");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) j")),
           "line 1, column 23: fold: the value has type i64; expected f32, the type of the result");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (add a b) 0.0:f32 ((j x)) x")),
           "line 1, column 69: a fold's count has type f32; expected an integer");
  CHECK_EQ(type_error(fold("((a f32) (b f32)) (add a (at $0 0:i64)) 0.0:f32 ((j n)) x")),
           "line 1, column 23: fold: the function reads a captured sequence; expected one that depends on its parameters alone");
  CHECK_EQ(parse_error(fold("((a f32) (b f32)) (add a (mul b x)) 0.0:f32 ((j n)) x")),
           "line 1, column 61: found `x`, expected a parameter of the fold's function, which depends on nothing else; use the name in "
           "the fold's value");
  CHECK_EQ(parse_error(fold("((a f32) (b f32)) (add a b) 0.0:f32 (j n) x")),
           "line 1, column 66: found `j`, expected `(j count)` with the position's name and the count");
  CHECK_EQ(parse_error(fold("((a f32) (b f32)) (add a b) 0.0:f32 ((j n) (k n)) x")),
           "line 1, column 72: found `(`, expected `)`, since a fold has one position");
  CHECK_EQ(parse_error(fold("((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) x x")),
           "line 1, column 75: found `x`, expected `)` at the fold's end");
  CHECK_EQ(parse_error(fold("((a f32) (b f32)) (add a b) 0.0:f32 ((j j)) x")),
           "line 1, column 69: found `j`, expected a name in scope: there is no such parameter or binding");
  std::string nested = "(fn ((n i64)) ", end;
  for (int k = 0; k < 65; k++) nested += "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j n)) ", end += ")";
  CHECK(parse_error(nested + "n" + end + ")").find("loops and folds are nested more than 64 deep") != std::string::npos);
}
