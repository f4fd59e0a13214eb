// Simplification: contraction to fma, and guards of indices under `where`.
#include "check.h"
#include "expr/fn.h"
#include "expr/hoist.h"
#include "interpreter.h"

using namespace wf;

namespace {

const CaptureTypes captures{{Type::I32}, {Type::F32}};

std::string body(const std::string& head, const std::string& expression) {
  const std::string text = print(*parse(head + " " + expression + ")", captures), captures);
  CHECK_EQ(text.substr(0, head.size()), head);
  return text.substr(head.size() + 1, text.size() - head.size() - 2);
}
std::string floats(const std::string& e) { return body("(fn ((a f32) (b f32) (c f32) (d f32))", e); }
std::string indexed(const std::string& e) { return body("(fn ((i i64) (p bool) (q bool) (r bool))", e); }

}  // namespace

TEST(products_and_sums_of_floats_become_fma) {
  CHECK_EQ(floats("(add (mul a b) c)"), "(fma a b c)");
  CHECK_EQ(floats("(add c (mul a b))"), "(fma a b c)");
  CHECK_EQ(floats("(sub (mul a b) c)"), "(fma a b (neg c))");
  CHECK_EQ(floats("(sub c (mul a b))"), "(fma (neg a) b c)");
  CHECK_EQ(floats("(sub (mul a b) 1.5:f32)"), "(fma a b -1.5:f32)");
  CHECK_EQ(floats("(add (add (mul a b) c) (mul a a))"), "(fma a a (fma a b c))");
  CHECK_EQ(floats("(add (mul a b) (cast f32 (mul (cast f64 c) d)))"), "(fma a b (cast f32 (mul (cast f64 c) (cast f64 d))))");
  CHECK_EQ(floats("(add a (fma b c d))"), "(add a (fma b c d))");
  CHECK_EQ(body("(fn ((x i32))", "(add (mul x x) 1:i32)"), "(add (mul x x) 1:i32)");
  CHECK_EQ(body("(fn ((x f64))", "(loop ((z x)) (lt (add (mul z z) 1.0:f64) 4.0:f64) (sub (mul z x) x))"),
           "(loop ((z x)) (lt (fma z z 1.0:f64) 4.0:f64) (fma z x (neg x)))");
}

TEST(two_products_are_never_contracted) {
  for (const char* kept : {"(add (mul a b) (mul c d))", "(sub (mul a b) (mul c d))", "(sub (mul b b) (mul (mul a 4.0:f32) c))",
                           "(add (mul a b) (neg (mul c d)))", "(sub (neg (mul a b)) (mul c d))", "(add (neg (mul a b)) (mul c d))",
                           "(let ((v0 (mul a b))) (sub v0 v0))"})
    CHECK_EQ(floats(kept), kept);
  CHECK_EQ(floats("(add (add (mul a b) (mul c d)) (mul a c))"), "(fma a c (add (mul a b) (mul c d)))");
}

TEST(an_index_counts_where_its_element_is_chosen) {
  CHECK_EQ(indexed("(where p (at $0 i) 0:i32)"), "(where p (at $0 i p) 0:i32)");
  CHECK_EQ(indexed("(where p 0:i32 (at $0 i))"), "(where p 0:i32 (at $0 i (not p)))");
  CHECK_EQ(indexed("(where p (add 1:i32 (neg (at $0 i))) 0:i32)"), "(where p (add (neg (at $0 i p)) 1:i32) 0:i32)");
  CHECK_EQ(indexed("(where p (where q (at $0 i) 0:i32) 1:i32)"), "(where p (where q (at $0 i (and p q)) 0:i32) 1:i32)");
  CHECK_EQ(indexed("(where p (at $0 i q) 0:i32)"), "(where p (at $0 i (and p q)) 0:i32)");
  CHECK_EQ(indexed("(where p (add (at $0 i) (at $0 (add i 1:i64))) 0:i32)"), "(where p (add (at $0 i p) (at $0 (add i 1:i64) p)) 0:i32)");
}

TEST(an_index_counts_wherever_one_use_counts) {
  CHECK_EQ(indexed("(add (at $0 i) (where p (at $0 i) 0:i32))"), "(let ((v0 (at $0 i))) (add v0 (where p v0 0:i32)))");
  CHECK_EQ(indexed("(where p (at $0 i) (neg (at $0 i)))"), "(let ((v0 (at $0 i))) (where p v0 (neg v0)))");
  CHECK_EQ(indexed("(where (eq (at $0 i) 1:i32) (at $0 i) 0:i32)"), "(let ((v0 (at $0 i))) (where (eq v0 1:i32) v0 0:i32))");
  CHECK_EQ(indexed("(add (where p (at $0 i) 0:i32) (where q (at $0 i) 1:i32))"),
           "(let ((v0 (at $0 i (or q p)))) (add (where p v0 0:i32) (where q v0 1:i32)))");
  // A required term is used, and only where its user is.
  CHECK_EQ(indexed("(where p (mul (at $0 i) 0:i32) 1:i32)"), "(where p (require 0:i32 (at $0 i p)) 1:i32)");
}

TEST(a_required_and_or_or_guards_its_second_operand) {
  const std::string read = "(eq (at $0 i) 1:i32)", guarded = "(eq (at $0 i p) 1:i32)";
  const std::string both = "(where p " + guarded + " false)";
  CHECK_EQ(indexed("(where (and p " + read + ") 1:i32 1:i32)"), "(require 1:i32 " + both + ")");
  CHECK_EQ(indexed("(mul (where (and p " + read + ") 1:i32 2:i32) 0:i32)"), "(require 0:i32 " + both + ")");
  CHECK_EQ(indexed("(or (and p " + read + ") true)"), "(require true " + both + ")");
  CHECK_EQ(indexed("(let ((unused (and p " + read + "))) 1:i32)"), "(require 1:i32 " + both + ")");
  CHECK_EQ(indexed("(xor (or p " + read + ") (or p " + read + "))"), "(require false (where p true (eq (at $0 i (not p)) 1:i32)))");
  // The first operand is always evaluated, so the value needs no second evaluation of it.
  CHECK_EQ(indexed("(let ((unused " + read + ")) (and " + read + " p))"), "(and (eq (at $0 i) 1:i32) p)");
  // The second operand of an `and` is not always evaluated.
  CHECK_EQ(indexed("(let ((unused (at $0 i))) (and p " + read + "))"), "(let ((v0 (at $0 i))) (require (where p (eq v0 1:i32) false) v0))");
}

TEST(the_index_of_an_index) {
  CHECK_EQ(indexed("(where p (at $0 (at $0 i)) 0:i32)"), "(where p (at $0 (cast i64 (at $0 i p)) p) 0:i32)");
  CHECK_EQ(indexed("(at $0 (where p (at $0 i) 0:i32))"), "(at $0 (cast i64 (where p (at $0 i p) 0:i32)))");
}

TEST(conditions_may_read_sequences) {
  // The condition's own index always counts, and guards the other.
  CHECK_EQ(indexed("(where (gt (at $1 i) 0.0:f32) (at $0 i) 0:i32)"), "(let ((v0 (gt (at $1 i) 0.0:f32))) (where v0 (at $0 i v0) 0:i32))");
  // Short-circuit by where: a[i - 1] is read by the condition and by the branch; its guard must not depend on itself.
  const FnRef f =
      parse("(fn ((i i64)) (where (where (gt i 0:i64) (eq (at $0 (sub i 1:i64)) 7:i32) false) (at $0 (sub i 1:i64)) -1:i32))", captures);
  const interpreter::Data data{{{7, 8}}, {{}}};
  for (auto [i, result, is_out] : {std::tuple<int, int, bool>{0, -1, false}, {1, 7, false}, {2, -1, false}, {3, -1, true}}) {
    const interpreter::Outcome got = interpreter::strict(*f, {Bits64(i)}, data);
    CHECK_EQ(int32_t(got.results[0]), result);
    CHECK_EQ(got.is_out_of_range, is_out);
  }
}

// The index is the count or a loop's first value, and free values are computed from it: the condition of those has a copy without the Check.
TEST(a_guard_does_not_depend_on_its_own_check) {
  for (const char* repeated : {"(loop ((k c)) (lt k 3:i64) (add k x))", "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j c)) (add j x))"}) {
    const FnRef f = parse("(fn ((i i64)) (let ((c (check i 5:i64)) (x (mul c c))) (sub (where (lt i 4:i64) " + std::string(repeated) +
                          " 0:i64) (where (eq i 7:i64) x 0:i64))))");
    const bool is_fold = has_folds(*f);
    for (const auto& [i, of_loop, of_fold, is_out] : {std::tuple<int64_t, int64_t, int64_t, bool>{-1, 0, 0, true},
                                                      {2, 6, 9, false},
                                                      {3, 3, 30, false},
                                                      {6, 0, 0, false},
                                                      {7, -49, -49, true}}) {
      const interpreter::Outcome got = interpreter::strict(*f, {Bits64(i)});
      CHECK_EQ(got.is_out_of_range, is_out);
      if (i >= 2) CHECK_EQ(int64_t(got.results[0]), is_fold ? of_fold : of_loop);
    }
  }
}

TEST(the_next_values_of_a_loop_count_where_it_goes_on) {
  CHECK_EQ(indexed("(loop ((s 0:i32)) (lt s 9:i32) (add s (at $0 s)))"),
           "(loop ((s 0:i32)) (lt s 9:i32) (add s (at $0 (cast i64 s) (lt s 9:i32))))");
  CHECK_EQ(indexed("(loop ((s 0:i32)) (lt (at $0 s) 9:i32) (add s 1:i32))"),
           "(loop ((s 0:i32)) (lt (at $0 (cast i64 s)) 9:i32) (add s 1:i32))");
  CHECK_EQ(indexed("(loop ((s 0:i32)) (lt s 9:i32) (where p (at $0 s) (add s 1:i32)))"),
           "(loop ((s 0:i32)) (lt s 9:i32) (where p (at $0 (cast i64 s) (and (lt s 9:i32) p)) (add s 1:i32)))");
}

TEST(loops_that_count_are_folds) {
  const auto loop = [](const std::string& expression) { return body("(fn ((n i64) (m i32) (x f32))", expression); };
  CHECK_EQ(loop("(let (((k s) (loop ((k 0:i64) (s 0:i32)) (lt k n) (tuple (add k 1:i64) (add s (at $0 k)))))) s)"),
           "(fold ((v0 i32) (v1 i32)) (add v0 v1) 0:i32 ((k n)) (at $0 k))");
  for (const char* same :
       {// The counter starts at 3, and its last value counts; so does the first value of the sum.
        "(let (((k s) (loop ((k 3:i32) (s m)) (lt k m) (tuple (add k 1:i32) (xor (mul k k) s))))) (add k s))",
        "(let (((k s t) (loop ((k 0:i64) (s 1:i32) (t 9:i64)) (gt n k) (tuple (add 1:i64 k) (mul s m) (min t (mul k n)))))) (add s t))"})
    CHECK(loop(same).find("(fold ") != std::string::npos && loop(same).find("(loop ") == std::string::npos);
  for (const char* other :
       {// Sums of floats keep their order; conditions, steps, and values that depend on other variables.
        "(let (((k s) (loop ((k 0:i64) (s 0.0:f32)) (lt k n) (tuple (add k 1:i64) (add s x))))) s)",
        "(let (((k s) (loop ((k 0:i64) (s 0:i32)) (le k n) (tuple (add k 1:i64) (add s m))))) s)",
        "(let (((k s) (loop ((k 0:i64) (s 0:i32)) (lt k n) (tuple (add k 2:i64) (add s m))))) s)",
        "(let (((k s) (loop ((k -1:i64) (s 0:i32)) (lt k n) (tuple (add k 1:i64) (add s m))))) s)",
        "(let (((k s) (loop ((k 0:i64) (s 0:i32)) (lt k n) (tuple (add k 1:i64) (sub s m))))) s)",
        "(let (((k s) (loop ((k 0:i64) (s 2:i32)) (lt k n) (tuple (add k 1:i64) (add s s))))) s)",
        "(let (((k s) (loop ((k 0:i32) (s 2:i32)) (lt k s) (tuple (add k 1:i32) (add s m))))) s)",
        "(let (((k s t) (loop ((k 0:i64) (s 2:i32) (t 1:i32)) (lt k n) (tuple (add k 1:i64) (add s t) (add t m))))) s)"})
    CHECK(loop(other).find("(loop ") != std::string::npos);
}

TEST(a_loop_under_a_where_gets_the_condition) {
  CHECK_EQ(indexed("(where p (loop ((s 0:i32)) (lt s 9:i32) (add s (at $0 s))) 0:i32)"),
           "(where p (loop ((s 0:i32)) (lt s 9:i32) (add s (at $0 (cast i64 s) (and p (lt s 9:i32))))) 0:i32)");
  CHECK_EQ(indexed("(where p (loop ((s 0:i32)) (lt s 9:i32) (loop ((t s)) (lt t 5:i32) (at $0 t))) 0:i32)"),
           "(where p (loop ((s 0:i32)) (lt s 9:i32) (let ((v0 (lt s 9:i32))) (loop ((t s)) (lt t 5:i32) "
           "(at $0 (cast i64 t) (and p (and v0 (lt t 5:i32))))))) 0:i32)");
  CHECK_EQ(indexed("(where p (loop ((s 0:i32)) (lt s 9:i32) (add s 1:i32)) 0:i32)"),
           "(where p (loop ((s 0:i32)) (lt s 9:i32) (add s 1:i32)) 0:i32)");
}

TEST(hundreds_of_nested_conditions) {
  std::string text = "(fn ((i i64)) ", end;
  for (int64_t k = 0; k < 400; k++) {
    text += "(where (gt i " + std::to_string(k) + ":i64) (add (at $0 (sub i " + std::to_string(k) + ":i64)) ";
    end += ") 1:i32)";
  }
  text += "0:i32" + end + ")";
  const FnRef f = parse(text, captures);
  CHECK(f->terms.size() < 10 * 400);
  const interpreter::Data data{{std::vector<Bits64>(100, 1)}, {{}}};
  CHECK(!interpreter::strict(*f, {99}, data).is_out_of_range);
  CHECK(interpreter::strict(*f, {100}, data).is_out_of_range);
  CHECK_EQ(interpreter::strict(*f, {50}, data).results[0], 51u);
}

TEST(a_read_that_every_step_of_a_fold_repeats_moves_out_of_it) {
  const std::string sum = "(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 9:i64)) ";
  CHECK_EQ(indexed(sum + "(sub (at $1 j) (at $1 i)))"), "(let ((v0 (at $1 i))) " + sum + "(sub (at $1 j) v0)))");
  CHECK_EQ(indexed(sum + "(at $1 (add j (cast i64 (at $0 (at $0 i))))))"),
           "(let ((v0 (at $0 (cast i64 (at $0 i))))) " + sum + "(at $1 (add j (cast i64 v0)))))");
  // Out of two folds.
  CHECK_EQ(indexed(sum + "(fold ((c f32) (d f32)) (add c d) 0.0:f32 ((k 3:i64)) (add (at $1 i) (at $1 (add j k)))))"),
           "(let ((v0 (at $1 i))) " + sum + "(fold ((c f32) (d f32)) (add c d) 0.0:f32 ((k 3:i64)) (add v0 (at $1 (add j k))))))");
  // A branch that is not always chosen, and a fold that may make no step.
  for (const char* stays :
       {"(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 9:i64)) (let ((v0 (lt j 5:i64))) (where v0 (at $1 i v0) 1.0:f32)))",
        "(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j i)) (sub (at $1 j) (at $1 i)))"})
    CHECK_EQ(indexed(stays), stays);
}

TEST(an_element_that_some_steps_do_not_evaluate_is_read_inside) {
  const std::string sum = "(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 9:i64)) ";
  const std::string inside = "(let ((v0 (lt j 5:i64)) (v1 (at $1 i v0))) (where v0 (mul v1 v1) 1.0:f32)))";
  CHECK_EQ(indexed("(let ((c (at $1 i))) " + sum + "(where (lt j 5:i64) (mul c c) 1.0:f32)))"), sum + inside);
  // Two levels down, and of a product.
  const std::string outer = "(fold ((c f32) (d f32)) (add c d) 0.0:f32 ((k 3:i64)) ";
  CHECK_EQ(indexed("(let ((e (at $1 i))) " + outer + sum + "(where (lt j 5:i64) (mul e e) 1.0:f32))))"), outer + sum + inside + ")");
  CHECK_EQ(indexed("(let ((e (at $1 i)) (c (mul e e))) " + sum + "(where (lt j 5:i64) (add c e) 1.0:f32)))"),
           sum + "(let ((v0 (lt j 5:i64)) (v1 (at $1 i v0))) (where v0 (fma v1 v1 v1) 1.0:f32)))");
  // A choice among values of folds is made once.
  CHECK_EQ(indexed("(let ((c " + sum + "(at $1 j)))) " + sum + "(add (cast f32 j) (where p c 1.0:f32))))").substr(0, 25),
           "(let ((v0 (where p (fold ");
}

TEST(kernels_read_before_loops_what_does_not_vary_inside) {
  const std::string sum = "(fold ((a f32) (b f32)) (add a b) 0.0:f32 ",
                    nested = sum + "((j 9:i64)) " + sum + "((k 8:i64)) (where (eq j k) 0.0:f32 ";
  const FnRef f = parse("(fn ((i i64)) " + nested + "(load $1 i)))))", captures);
  CHECK_EQ(print(*hoist_invariants(f), captures), "(fn ((i i64)) (let ((v0 (load $1 i))) " + nested + "v0)))))");
}
