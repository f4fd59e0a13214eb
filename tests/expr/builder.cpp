// Building: sharing, promotion, folding, loops, inlining, numbering; functions of any depth.
#include <bit>

#include "check.h"
#include "expr/fn.h"
#include "interpreter.h"

using namespace wf;

namespace {

// The function of `text` after folding, without contraction and guards.
std::string folded(std::string_view text) { return print(*parse_unsimplified(text, {{Type::I32}})); }
// An expression of x: type.
std::string of_x(std::string type, std::string expression) {
  const std::string head = "(fn ((x " + type + ")) ";
  const std::string text = folded(head + expression + ")");
  return text.substr(head.size(), text.size() - head.size() - 1);
}

}  // namespace

TEST(equal_terms_are_one_term) {
  Builder b;
  const Id x = b.param(Type::F32), y = b.param(Type::F32);
  CHECK_EQ(b.apply(Op::sub_, {x, y}), b.apply(Op::sub_, {x, y}));
  CHECK(b.apply(Op::sub_, {x, y}) != b.apply(Op::sub_, {y, x}));
  CHECK_EQ(b.apply(Op::add_, {x, y}), b.apply(Op::add_, {y, x}));
  CHECK_EQ(b.apply(Op::eq_, {x, y}), b.apply(Op::eq_, {y, x}));
  CHECK_EQ(b.constant(1.0f), b.constant(1.0f));
  CHECK(b.constant(0.0f) != b.constant(-0.0f));
  CHECK(b.constant(1.0f) != b.constant(int32_t(std::bit_cast<int32_t>(1.0f))));
  // min and max of 0 and -0 return the first.
  CHECK(b.apply(Op::min_, {x, y}) != b.apply(Op::min_, {y, x}));
  const Id i = b.param(Type::I32), j = b.param(Type::I32);
  CHECK_EQ(b.apply(Op::min_, {i, j}), b.apply(Op::min_, {j, i}));
  for (int k = 0; k < 1000; k++) b.apply(Op::add_, {i, b.constant(int32_t(k))});
  const size_t size = b.so_far().terms.size();
  for (int k = 0; k < 1000; k++) b.apply(Op::add_, {i, b.constant(int32_t(k))});
  CHECK_EQ(b.so_far().terms.size(), size);
}

TEST(operands_are_promoted_to_the_higher_type) {
  for (int s = 0; s < type_count; s++)
    for (int t = 0; t < type_count; t++) {
      const Type a = Type(s), b = Type(t), high = std::max(a, b);
      auto result = [&](Op op) {
        Builder builder;
        const Id x = builder.param(a), y = builder.param(b);
        return builder.type(builder.apply(op, {x, y}));
      };
      CHECK_EQ(result(Op::add_), high == Type::Bool ? Type::I32 : high);
      CHECK_EQ(result(Op::min_), high);
      CHECK_EQ(result(Op::lt_), Type::Bool);
      CHECK_EQ(result(Op::pow_), high == Type::F32 ? Type::F32 : Type::F64);
      if (is_in(high, Float)) {
        CHECK_THROWS(TypeError, result(Op::and_));
        CHECK_THROWS(TypeError, result(Op::shl_));
      } else {
        CHECK_EQ(result(Op::and_), high);
        CHECK_EQ(result(Op::shl_), high == Type::Bool ? Type::I32 : high);
      }
    }
}

TEST(where_promotes_its_second_and_third_operand) {
  CHECK_EQ(folded("(fn ((c bool) (x i32) (y f32)) (where c x y))"), "(fn ((c bool) (x i32) (y f32)) (where c (cast f32 x) y))");
  CHECK_EQ(folded("(fn ((c bool)) (where c c true))"), "(fn ((c bool)) (where c c true))");
}

TEST(literals_are_folded_where_every_engine_agrees) {
  CHECK_EQ(of_x("i32", "(add 2:i32 3:i32)"), "5:i32");
  CHECK_EQ(of_x("i32", "(add 2147483647:i32 1:i32)"), "-2147483648:i32");
  CHECK_EQ(of_x("i32", "(div 1:i32 0:i32)"), "0:i32");
  CHECK_EQ(of_x("i32", "(mul 0.5:f32 3:i32)"), "1.5:f32");
  CHECK_EQ(of_x("i32", "(cast u8 -1.5:f64)"), "0:u8");
  CHECK_EQ(of_x("i32", "(sqrt 2.0:f64)"), "1.4142135623730951:f64");
  CHECK_EQ(of_x("i32", "(where (lt 1:i32 2:u8) nan:f32 1.0:f32)"), "nan:f32");
  CHECK_EQ(of_x("i32", "(exp 1.0:f32)"), "(exp 1.0:f32)");
  CHECK_EQ(of_x("i32", "(popcount 255:u8)"), "8:u8");
}

TEST(identities_of_integers) {
  for (const char* same : {"(add x 0:i32)",
                           "(add 0:i32 x)",
                           "(sub x 0:i32)",
                           "(mul 1:i32 x)",
                           "(div x 1:i32)",
                           "(neg (neg x))",
                           "(not (not x))",
                           "(and x -1:i32)",
                           "(or 0:i32 x)",
                           "(xor x 0:i32)",
                           "(and x x)",
                           "(min x x)",
                           "(min x 2147483647:i32)",
                           "(max -2147483648:i32 x)",
                           "(where true x 3:i32)",
                           "(where (lt x 3:i32) x x)",
                           "(shl x 0:i32)",
                           "(sub 7:i32 (sub 7:i32 x))",
                           "(add (sub x 3:i32) 3:i32)",
                           "(cast i32 (cast i64 x))",
                           "(cast i32 (cast f64 x))",
                           "(and x (or x 5:i32))",
                           "(or x (and 5:i32 x))",
                           "(mul (mul x -1:i32) -1:i32)"})
    CHECK_EQ(of_x("i32", same), "x");
  for (const char* zero : {"(sub x x)", "(xor x x)", "(mul x 0:i32)", "(and x (not x))", "(and 0:i32 x)"})
    CHECK_EQ(of_x("i32", zero), "(require 0:i32 x)");
  CHECK_EQ(of_x("i32", "(or x (not x))"), "(require -1:i32 x)");
  CHECK_EQ(of_x("i32", "(le x x)"), "(require true x)");
  CHECK_EQ(of_x("i32", "(add (add x 3:i32) 4:i32)"), "(add x 7:i32)");
  CHECK_EQ(of_x("i32", "(sub (sub 3:i32 x) 4:i32)"), "(sub -1:i32 x)");
  CHECK_EQ(of_x("i32", "(mul (mul 3:i32 x) 4:i32)"), "(mul x 12:i32)");
  CHECK_EQ(of_x("i32", "(cast u8 (cast i64 x))"), "(cast u8 x)");
  // rev of rev, with a length that is not a literal.
  CHECK_EQ(folded("(fn ((n i64) (i i64)) (sub (sub n 1:i64) (sub (sub n 1:i64) i)))"), "(fn ((n i64) (i i64)) (require i n))");
  CHECK_EQ(folded("(fn ((i i64)) (sub (sub (length $0) 1:i64) (sub (sub (length $0) 1:i64) i)))"), "(fn ((i i64)) i)");
  // i32 -> f64 -> u8 saturates, i32 -> u8 would wrap; i64 -> f64 may round.
  CHECK_EQ(of_x("i32", "(cast u8 (cast f64 x))"), "(cast u8 (cast f64 x))");
  CHECK_EQ(of_x("i64", "(cast i64 (cast f64 x))"), "(cast i64 (cast f64 x))");
  CHECK_EQ(of_x("i32", "(cast i64 (cast u32 x))"), "(cast i64 (cast u32 x))");
}

TEST(floats_keep_minus_zero_and_nan) {
  for (const char* same :
       {"(sub x 0.0:f32)", "(mul x 1.0:f32)", "(div x 1.0:f32)", "(neg (neg x))", "(min x x)", "(abs x)", "(cast f32 (cast f64 x))"})
    CHECK_EQ(of_x("f32", same), std::string(same) == "(abs x)" ? "(abs x)" : "x");
  for (const char* kept :
       {"(add x 0.0:f32)", "(sub x -0.0:f32)", "(sub x x)", "(mul x 0.0:f32)", "(eq x x)", "(le x x)", "(div x x)", "(sub 0.0:f32 x)",
        "(add (add x 1.0:f32) 2.0:f32)", "(min x 0.0:f32)", "(min 0.0:f32 x)", "(min x inf:f32)", "(max x -inf:f32)"})
    CHECK_EQ(of_x("f32", kept), kept);
  CHECK_EQ(of_x("f32", "(add -0.0:f32 0.0:f32)"), "0.0:f32");
  CHECK_EQ(of_x("f32", "(min 0.0:f32 -0.0:f32)"), "0.0:f32");
  CHECK_EQ(of_x("f32", "(min nan:f32 3.0:f32)"), "3.0:f32");
  CHECK_EQ(of_x("f32", "(sign -0.0:f32)"), "-0.0:f32");
}

// A dropped operand is evaluated although its value does not matter: it may be an element of a delayed sequence, whose evaluation fails.
TEST(a_term_that_may_fail_is_required_when_it_is_left_out) {
  auto of_i = [](const std::string& expression) {
    const std::string head = "(fn ((i i64) (p bool)) ", text = folded(head + expression + ")");
    return text.substr(head.size(), text.size() - head.size() - 1);
  };
  CHECK_EQ(of_i("(mul (at $0 i) 0:i32)"), "(require 0:i32 (at $0 i))");
  CHECK_EQ(of_i("(sub (at $0 i) (at $0 i))"), "(require 0:i32 (at $0 i))");
  CHECK_EQ(of_i("(mul (exp (at $0 i)) 0.0:f32)"), "(mul (exp (cast f64 (at $0 i))) 0.0:f64)");
  // Only parts that fail by themselves are required, and only if the value does not always evaluate them.
  CHECK_EQ(of_i("(mul (popcount (add (at $0 i) 7:i32)) 0:i32)"), "(require 0:i32 (at $0 i))");
  CHECK_EQ(of_i("(add (mul (at $0 i) 0:i32) (at $0 i))"), "(let ((v0 (at $0 i))) (add (require 0:i32 v0) v0))");
  CHECK_EQ(of_i("(where (eq (at $0 i) 1:i32) p p)"), "(require p (at $0 i))");
  CHECK_EQ(of_i("(where (lt (at $0 i) 1:i32) (at $0 i) (at $0 i))"), "(at $0 i)");
  CHECK_EQ(of_i("(or (and (eq (at $0 i) 1:i32) p) p)"), "(require p (at $0 i))");
  CHECK_EQ(of_i("(mul (where p (at $0 i) 1:i32) 0:i32)"), "(require 0:i32 (where p (at $0 i) 1:i32))");
  CHECK_EQ(of_i("(mul (loop ((k 0:i32)) (lt k 9:i32) (add k 1:i32)) 0:i32)"), "0:i32");
  CHECK_EQ(of_i("(mul (loop ((k 0:i32)) (lt k 9:i32) (at $0 k)) 0:i32)"),
           "(require 0:i32 (loop ((k 0:i32)) (lt k 9:i32) (at $0 (cast i64 k))))");
  CHECK_EQ(of_i("(length $0)"), "(length $0)");
  CHECK_EQ(of_i("(require 1:i32 2:i32 (length $0) (at $0 i) (at $0 i))"), "(require 1:i32 (at $0 i))");
  // Unused names are required; if an expression has several values, one used value suffices.
  CHECK_EQ(of_i("(let ((a (at $0 i)) (b (add a 1:i32))) 5:i32)"), "(require 5:i32 (at $0 i))");
  CHECK_EQ(of_i("(let (((a b) (tuple (at $0 i) (at $0 5:i64)))) a)"), "(at $0 i)");
  CHECK_EQ(of_i("(let ((a (mul i 2:i64))) 5:i32)"), "(require 5:i32 i)");
}

// With reads that cannot fail, as in a kernel, only checks are required.
TEST(reads_of_memory_are_not_required) {
  const FnRef f = parse("(fn ((i i64)) (tuple (mul (load $0 i) 0:i32) (mul (at $0 i) 0:i32)))", {{Type::I32}});
  Builder b;
  b.reads_cannot_fail();
  b.params_cannot_fail();
  const Id i = b.param(Type::I64, "i");
  CHECK_EQ(print(*b.finish(b.inline_call(*f, {&i, 1}))), "(fn ((i i64)) (tuple 0:i32 (require 0:i32 (check i (length $0)))))");
}

TEST(and_and_or_guard_their_second_operand) {
  auto of_i = [](const std::string& expression) {
    const std::string head = "(fn ((i i64) (p bool) (n i32)) ", text = print(*parse(head + expression + ")", {{Type::I32}}));
    return text.substr(head.size(), text.size() - head.size() - 1);
  };
  CHECK_EQ(of_i("(and p (eq (at $0 i) 1:i32))"), "(where p (eq (at $0 i p) 1:i32) false)");
  CHECK_EQ(of_i("(or p (eq (at $0 i) 1:i32))"), "(where p true (eq (at $0 i (not p)) 1:i32))");
  CHECK_EQ(of_i("(and (eq (at $0 i) 1:i32) p)"), "(and (eq (at $0 i) 1:i32) p)");
  CHECK_EQ(of_i("(and false (eq (at $0 i) 1:i32))"), "false");
  CHECK_EQ(of_i("(or true (eq (at $0 i) 1:i32))"), "true");
  CHECK_EQ(of_i("(and p (gt n 1:i32))"), "(and p (gt n 1:i32))");
  CHECK_EQ(of_i("(and n (at $0 i))"), "(and n (at $0 i))");
  CHECK_EQ(of_i("(loop ((k n)) (and (lt k 9:i32) (lt (at $0 k) 5:i32)) (add k 1:i32))"),
           "(loop ((k n)) (let ((v0 (lt k 9:i32))) (where v0 (lt (at $0 (cast i64 k) v0) 5:i32) false)) (add k 1:i32))");
  // A simplified function is read unchanged.
  CHECK_EQ(folded("(fn ((i i64) (p bool)) (and p (eq (at $0 i) 1:i32)))"), "(fn ((i i64) (p bool)) (and p (eq (at $0 i) 1:i32)))");
  // If the operand cannot fail, the operation is no choice.
  Builder b;
  const Id c = b.param(Type::Bool);
  b.reads_cannot_fail();
  const Id d = b.at(0, 0, Type::Bool, b.constant<int64_t>(0));
  CHECK_EQ(b.apply(Op::where_, {c, d, b.constant(false)}), b.apply(Op::and_, {c, d}));
  CHECK_EQ(b.apply(Op::where_, {c, b.constant(true), d}), b.apply(Op::or_, {c, d}));
}

TEST(checks_that_cannot_fail_disappear) {
  CHECK_EQ(folded("(fn ((i i64)) (check i 5:i64 false))"), "(fn ((i i64)) i)");
  CHECK_EQ(folded("(fn ((i i64)) (check 4:i64 5:i64))"), "(fn ((i i64)) 4:i64)");
  CHECK_EQ(folded("(fn ((i i64)) (check 5:i64 5:i64))"), "(fn ((i i64)) (check 5:i64 5:i64))");
  CHECK_EQ(folded("(fn ((i i64)) (check -1:i64 5:i64))"), "(fn ((i i64)) (check -1:i64 5:i64))");
}

TEST(a_loop_keeps_the_outside_values_that_it_uses_and_requires_the_others) {
  Builder body;
  const Id k = body.param(Type::I32, "k"), unused = body.param(Type::F32), b = body.param(Type::I32), a = body.param(Type::I32),
           one = body.param(Type::I32), again = body.param(Type::I32);
  (void)unused;
  const FnRef f =
      body.finish({body.apply(Op::lt_, {k, a}), body.apply(Op::add_, {body.apply(Op::add_, {k, b}), body.apply(Op::mul_, {one, again})})});
  Builder outer;
  const Id x = outer.param(Type::F32, "x"), p = outer.param(Type::I32, "p"), q = outer.param(Type::I32, "q");
  const Id free[] = {x, p, q, outer.constant(1), p};
  const Id init[] = {outer.constant(0)};
  const FnRef g = outer.finish(outer.loop(init, free, f));
  CHECK_EQ(print(*g), "(fn ((x f32) (p i32) (q i32)) (require (loop ((k 0:i32)) (lt k q) (add (add k p) p)) x))");
  CHECK_EQ(g->loops[0].body->params.size(), 3u);
  // 0, 2 * 3, 4 * 3, ... below 20
  CHECK_EQ(interpreter::strict(*g, {0, 3, 20}).results[0], 24u);
  CHECK(same_structure(*g, *parse_unsimplified(print(*g)), true));
}

TEST(equal_loops_are_one_loop) {
  const FnRef f = parse("(fn ((n i32)) (add (loop ((k n)) (lt k 9:i32) (add k k)) (loop ((j n)) (lt j 9:i32) (add j j))))");
  CHECK_EQ(f->loops.size(), 1u);
  CHECK_EQ(interpreter::strict(*f, {5}).results[0], 20u);
}

TEST(finish_drops_what_is_dead_and_keeps_parameters) {
  Builder b;
  const Id x = b.param(Type::F32);
  b.param(Type::F64);
  b.apply(Op::exp_, {x});
  const FnRef f = b.finish({b.apply(Op::neg_, {x})});
  CHECK_EQ(f->params.size(), 2u);
  CHECK_EQ(f->terms.size(), 3u);
  CHECK_EQ(f->results, std::vector<Id>{2});
  // finish leaves the builder empty.
  const Id y = b.param(Type::U8);
  CHECK_EQ(b.finish({y})->params.size(), 1u);
}

TEST(the_order_of_building_does_not_matter) {
  Builder a, b;
  const Id x = a.param(Type::I32), y = a.param(Type::I32);
  const Id left = a.apply(Op::mul_, {x, x}), right = a.apply(Op::div_, {y, x});
  const FnRef f = a.finish({a.apply(Op::sub_, {left, right})});
  const Id u = b.param(Type::I32, "u"), v = b.param(Type::I32, "v");
  const Id second = b.apply(Op::div_, {v, u}), first = b.apply(Op::mul_, {u, u});
  const FnRef g = b.finish({b.apply(Op::sub_, {first, second})});
  CHECK(same_structure(*f, *g, true));
  CHECK_EQ(structure_hash(*f, true), structure_hash(*g, true));
}

TEST(structure_with_and_without_literals) {
  const FnRef f = parse("(fn ((x f32)) (mul x 2.0:f32))"), g = parse("(fn ((y f32)) (mul y 3.0:f32))"),
              h = parse("(fn ((x f32)) (div x 2.0:f32))"), twice = parse("(fn ((x f32)) (div (mul x 2.0:f32) 2.0:f32))"),
              other = parse("(fn ((x f32)) (div (mul x 2.0:f32) 3.0:f32))");
  CHECK(same_structure(*f, *g, false) && !same_structure(*f, *g, true));
  CHECK_EQ(structure_hash(*f, false), structure_hash(*g, false));
  CHECK(structure_hash(*f, true) != structure_hash(*g, true));
  CHECK(!same_structure(*f, *h, false));
  CHECK(structure_hash(*f, false) != structure_hash(*h, false));
  CHECK(!same_structure(*twice, *other, false));  // one distinct literal against two
}

TEST(inlining_replaces_parameters_and_captures) {
  const FnRef f = parse("(fn ((i i64)) (where (lt i 10:i64) (at $0 (add i 1:i64)) 0:i32))", {{Type::I32}});
  Builder b;
  const Id i = b.param(Type::I64, "i"), n = b.param(Type::I64, "n"), arg = b.apply(Op::sub_, {i, b.constant<int64_t>(1)});
  auto results = b.inline_call(*f, {&arg, 1}, [&](const Term& t, Id index) { return t.kind == Kind::Length ? n : b.cast(t.type, index); });
  CHECK_EQ(print(*b.finish(results)),
           "(fn ((i i64) (n i64)) (let ((v0 (lt (add i -1:i64) 10:i64))) (where v0 (cast i32 (check i n v0)) 0:i32)))");
  CHECK_THROWS(TypeError, b.inline_call(*f, {}));
  const Id x = b.param(Type::F32);
  CHECK_THROWS(TypeError, b.inline_call(*f, {&x, 1}));
}

TEST(foreign_functions_are_terms) {
  auto j0 = std::make_shared<Foreign>();
  j0->name = "j0";
  j0->params = j0->results = {Type::F64};
  auto pair = std::make_shared<Foreign>(*j0);
  pair->name = "sincos";
  pair->results = {Type::F64, Type::F64};
  Builder b;
  const Id x = b.param(Type::F64, "x"), y = b.param(Type::F32, "y");
  CHECK_THROWS(TypeError, b.foreign(j0, {&y, 1}));
  const std::vector<Id> both = b.foreign(pair, {&x, 1});
  CHECK_EQ(b.foreign(j0, {&x, 1}), b.foreign(j0, {&x, 1}));
  const FnRef f = b.finish({b.apply(Op::add_, {b.foreign(j0, {&x, 1})[0], both[1]})});
  CHECK_EQ(print(*f), "(fn ((x f64) (y f32)) (let (((v0 v1) (foreign sincos x))) (add (foreign j0 x) v1)))");
  Builder c;
  const std::vector<Id> args{c.param(Type::F64), c.param(Type::F32)};
  CHECK(same_structure(*c.finish(c.inline_call(*f, args)), *f, true));
}

TEST(ready_made_functions) {
  const Type types[] = {Type::F32, Type::I64};
  CHECK_EQ(print(*identity_fn(types)), "(fn ((v0 f32) (v1 i64)) (tuple v0 v1))");
  CHECK_EQ(print(*op_fn(Op::where_, Type::U8)), "(fn ((v0 bool) (v1 u8) (v2 u8)) (where v0 v1 v2))");
  for (Op op : {Op::add_, Op::sub_, Op::min_, Op::lt_, Op::pow_}) CHECK(as_op(*op_fn(op, Type::F32)) == op);
  auto op_of = [](const char* text) { return as_op(*parse(text)); };
  CHECK(op_of("(fn ((a i32) (b i32)) (max b a))") == Op::max_);
  CHECK(op_of("(fn ((a f32) (b f32)) (max b a))") == std::nullopt);
  CHECK(op_of("(fn ((a i32) (b i32)) (sub b a))") == std::nullopt);
  CHECK(op_of("(fn ((a i32) (b i32)) (add a a))") == std::nullopt);
  CHECK(op_of("(fn ((a i32) (b i32)) (add a 1:i32))") == std::nullopt);
  CHECK(op_of("(fn ((a i32) (b f32)) (add a b))") == std::nullopt);
  CHECK(op_of("(fn ((a i32)) (neg a))") == std::nullopt);
}

TEST(any_depth) {
  constexpr int depth = 100000;
  Builder b;
  const Id x = b.param(Type::F32, "x");
  Id chain = x;
  for (int k = 0; k < depth; k++) chain = b.apply(k % 2 ? Op::sin_ : Op::cos_, {chain});
  const FnRef f = b.finish({chain});
  CHECK_EQ(f->terms.size(), size_t(depth + 1));
  const std::string text = print(*f);
  CHECK(same_structure(*f, *parse_unsimplified(text), true));
  CHECK(same_structure(*f, *simplify(f), true));
  const Id y = b.param(Type::F32);
  CHECK_EQ(b.finish(b.inline_call(*f, {&y, 1}))->terms.size(), f->terms.size());
}

TEST(deep_sharing_does_not_grow) {
  // 2^1000 paths through 1000 terms; the same for conditions.
  std::string text = "(fn ((x f32) (i i64)) (let (";
  for (int k = 0; k < 1000; k++) {
    const std::string before = k ? "v" + std::to_string(k - 1) : "x", name = "v" + std::to_string(k);
    text += "(" + name + " (add " + before + " (mul " + before + " (where (lt i " + std::to_string(k) + ":i64) (cast f32 (at $0 (sub i " +
            std::to_string(k % 7) + ":i64))) " + before + "))))";
  }
  text += ") v999))";
  const FnRef f = parse(text, {{Type::I32}});
  CHECK(f->terms.size() < 20000);
  CHECK(same_structure(*f, *parse(print(*f), {{Type::I32}}), true));
}
