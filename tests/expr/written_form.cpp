// The written form: printing, parsing and error messages.
#include <random>
#include <thread>

#include "check.h"
#include "expr/fn.h"
#include "interpreter.h"
#include "written.h"

using namespace wf;

namespace {

const CaptureTypes captures{{Type::I32}, {Type::F32, Type::I64}};

const Written written{captures};

std::string round_trip(std::string_view text) { return written.round_trip(text); }
std::string parse_error(std::string_view text) { return written.parse_error(text); }
std::string type_error(std::string_view text) { return written.type_error(text); }

Bits64 literal_bits(const std::string& text, Type type) { return parse_literals(text, std::vector{type})[0]; }

}  // namespace

TEST(a_canonical_text_is_printed_as_it_was_written) {
  for (std::string_view text : {
           "(fn ((x f32)) x)",
           "(fn ((x i32)) (tuple))",
           "(fn () 1:i32)",
           "(fn ((x f32)) (fma x 2.0:f32 1.0:f32))",
           "(fn ((a i32) (b i32)) (let ((v0 (add a b))) (tuple v0 (mul v0 v0))))",
           "(fn ((i i64)) (at $0 i))",
           "(fn ((i i64)) (at $1.1 i))",
           "(fn ((i i64)) (load $0 i))",
           "(fn ((i i64)) (at $0 (check i 10:i64)))",
           "(fn ((i i64) (g bool)) (tuple (at $0 i g) (check i (length $1) g)))",
           "(fn ((c f32)) (let (((v0 v1) (loop ((z 0.0:f32) (k 0:i32)) (and (lt z 4.0:f32) (lt k 256:i32)) "
           "(tuple (fma z z c) (add k 1:i32))))) v1))",
           "(fn ((n i32)) (loop ((k n)) (gt k 10:i32) (sub (mul k k) n)))",
           "(fn ((x u8)) (cast f64 (not x)))",
       })
    CHECK_EQ(round_trip(text), text);
}

TEST(several_columns_spread_and_names_take_them_apart) {
  CHECK_EQ(round_trip("(fn ((i i64)) (at $1 i))"), "(fn ((i i64)) (tuple (at $1.0 i) (at $1.1 i)))");
  CHECK_EQ(round_trip("(fn ((i i64)) (let (((a b) (at $1 i))) (add a b)))"), "(fn ((i i64)) (add (at $1.0 i) (cast f32 (at $1.1 i))))");
  CHECK_EQ(round_trip("(fn ((i i32)) (at $0 i))"), "(fn ((i i32)) (at $0 (cast i64 i)))");
}

TEST(columns_are_written_where_a_sequence_has_several) {
  const FnRef f = parse("(fn ((i i64)) (tuple (at $0 i) (at $1.0 i)))", captures);
  CHECK_EQ(print(*f, captures), "(fn ((i i64)) (tuple (at $0 i) (at $1.0 i)))");
  CHECK_EQ(print(*f), "(fn ((i i64)) (tuple (at $0 i) (at $1 i)))");
}

TEST(names_do_not_clash) {
  // An unnamed parameter, a parameter with the name of a let, a loop variable with the name of a parameter.
  Builder builder;
  const Id a = builder.param(Type::I32), b = builder.param(Type::I32, "v0");
  const Id s = builder.apply(Op::add_, {a, b});
  CHECK_EQ(print(*builder.finish({builder.apply(Op::mul_, {s, s})})), "(fn ((v1 i32) (v0 i32)) (let ((v2 (add v1 v0))) (mul v2 v2)))");
  CHECK_EQ(round_trip("(fn ((k i32)) (loop ((k k)) (lt k 9:i32) (add k k)))"), "(fn ((k i32)) (loop ((v0 k)) (lt v0 9:i32) (add v0 v0)))");
}

TEST(inner_names_hide_outer_ones) {
  CHECK_EQ(round_trip("(fn ((x i32)) (let ((x (add x 1:i32)) (x (mul x x))) x))"), "(fn ((x i32)) (let ((v0 (add x 1:i32))) (mul v0 v0)))");
  CHECK_EQ(round_trip("(fn ((x i32)) (add (let ((x 5:i32)) x) x))"), "(fn ((x i32)) (add x 5:i32))");
}

TEST(comments_and_any_white_space) {
  CHECK_EQ(round_trip("(fn ; a function\n\t((x i32)) ; of one\r\n(add x(neg x)));end"), "(fn ((x i32)) (add x (neg x)))");
}

TEST(nested_loops_use_names_from_all_levels) {
  const std::string text = "(fn ((n i32) (m i32)) (loop ((i 0:i32)) (lt i n) (add i (loop ((j 1:i32)) (lt j (add m i)) (add j n)))))";
  CHECK_EQ(round_trip(text), text);
  // i: 0 -> 0 + (1, 8) -> 8
  CHECK_EQ(interpreter::strict(*parse(text), {7, 3}).results[0], 8u);
}

TEST(literals_keep_their_bits) {
  for (auto [type, bits] : std::initializer_list<std::pair<Type, Bits64>>{{Type::Bool, 0},
                                                                          {Type::Bool, 1},
                                                                          {Type::U8, 255},
                                                                          {Type::I32, 0x80000000u},
                                                                          {Type::I32, 0xffffffffu},
                                                                          {Type::U32, 0xffffffffu},
                                                                          {Type::I64, uint64_t(INT64_MIN)},
                                                                          {Type::U64, ~0ull},
                                                                          {Type::F32, to_bits(-0.0f)},
                                                                          {Type::F32, to_bits(0.1f)},
                                                                          {Type::F32, 1},
                                                                          {Type::F32, to_bits(3.4028235e38f)},
                                                                          {Type::F32, to_bits(-__builtin_inff())},
                                                                          {Type::F64, 1},
                                                                          {Type::F64, to_bits(0.1)},
                                                                          {Type::F64, to_bits(1.7976931348623157e308)},
                                                                          {Type::F64, to_bits(5e-324)},
                                                                          {Type::F64, to_bits(__builtin_inf())},
                                                                          {Type::F64, to_bits(1e22)},
                                                                          {Type::F64, to_bits(123456789.0)}})
    CHECK_EQ(literal_bits(print_literal(type, bits), type), bits);
  std::mt19937_64 random(1);
  for (int k = 0; k < 20000; k++) {
    const Bits64 d = random(), s = random() >> 32;
    if (from_bits<double>(d) == from_bits<double>(d)) CHECK_EQ(literal_bits(print_literal(Type::F64, d), Type::F64), d);
    if (from_bits<float>(s) == from_bits<float>(s)) CHECK_EQ(literal_bits(print_literal(Type::F32, s), Type::F32), s);
  }
  CHECK_EQ(print_literal(Type::F32, to_bits(2.0f)), "2.0:f32");
  CHECK_EQ(print_literal(Type::F64, to_bits(-__builtin_nan(""))), "nan:f64");
}

TEST(literals_as_they_may_be_written) {
  CHECK_EQ(literal_bits("0x1.8p+1:f32", Type::F32), to_bits(3.0f));
  CHECK_EQ(literal_bits("-0x1p-149:f32", Type::F32), 0x80000001u);
  CHECK_EQ(literal_bits("0xff:u8", Type::U8), 255u);
  CHECK_EQ(literal_bits("-0x80000000:i32", Type::I32), 0x80000000u);
  CHECK_EQ(literal_bits("-0:u8", Type::U8), 0u);
  CHECK_EQ(literal_bits("1:f64", Type::F64), to_bits(1.0));
  CHECK_EQ(literal_bits("1e3:f64", Type::F64), to_bits(1000.0));
  CHECK_EQ(literal_bits(".5:f64", Type::F64), to_bits(0.5));
  CHECK_EQ(literal_bits("-inf:f32", Type::F32), to_bits(-__builtin_inff()));
  // Rounded once, to f32: through f64 this would be 1.
  CHECK_EQ(literal_bits("1.00000005960464477539062500001:f32", Type::F32), to_bits(1.00000012f));
  for (const char* wrong :
       {"1",         "1:",      "1:i33",   "1.5:i32",      "256:u8", "-1:u8", "2147483648:i32", "--1:i32", "+1:i32",  "0x:i32",
        "1e400:f64", "abc:f32", "0xg:f32", "infinity:f64", "1:bool", ":i32",  "-:i32",          "1 2:i32", "-+1:f32", "e5:f64"})
    CHECK_THROWS(ParseError, literal_bits(wrong, Type::I32));
}

TEST(numbers_near_zero_are_rounded) {
  const Bits64 zero = 0, least = 1;
  for (const char* text :
       {"1e-400:f64", "2.4e-324:f64", "0x1p-1075:f64", "0x1.8p-1076:f64", "0x0.0001p-1062:f64", "0e999:f64", "1e-99999999999999999999:f64"})
    CHECK_EQ(literal_bits(text, Type::F64), zero);
  for (const char* text : {"5e-324:f64", "3e-324:f64", "0x1p-1074:f64", "0x1.8p-1075:f64"}) CHECK_EQ(literal_bits(text, Type::F64), least);
  const std::string zeros(400, '0');
  CHECK_EQ(literal_bits("0." + zeros + "1:f64", Type::F64), zero);
  CHECK_EQ(literal_bits("0." + zeros + "1e401:f64", Type::F64), to_bits(1.0));
  CHECK_EQ(literal_bits("1" + zeros + "e-800:f64", Type::F64), zero);
  CHECK_EQ(literal_bits("-1e-400:f64", Type::F64), to_bits(-0.0));
  CHECK_EQ(literal_bits("1e-46:f32", Type::F32), zero);
  CHECK_EQ(literal_bits("-0x1p-150:f32", Type::F32), to_bits(-0.0f));
  CHECK_EQ(literal_bits("1e-45:f32", Type::F32), least);
  for (const std::string& wrong : std::vector<std::string>{"1" + zeros + ":f64", "0.01e402:f64", "0x1p1024:f64", "1e39:f32",
                                                           "1e99999999999999999999:f64", "1e-400x:f64", "1e-400e:f64"})
    CHECK_THROWS(ParseError, literal_bits(wrong, Type::I32));
}

TEST(tuples_of_literals_are_converted) {
  const std::vector<Type> types{Type::I64, Type::F32};
  CHECK_EQ(parse_literals("(tuple 1:i32 -1.5:f64)", types), (std::vector<Bits64>{1, to_bits(-1.5f)}));
  CHECK_EQ(parse_literals("(tuple)", {}), std::vector<Bits64>{});
  CHECK_THROWS(TypeError, parse_literals("(tuple 1:i32)", types));
  CHECK_THROWS(TypeError, parse_literals("1:i32", types));
  CHECK_THROWS(ParseError, parse_literals("(tuple 1:i32 2:i32", types));
  CHECK_THROWS(ParseError, parse_literals("(fn 1:i32 2:i32)", types));
  CHECK_THROWS(ParseError, parse_literals("1:i32 2:i32", types));
  CHECK_THROWS(ParseError, parse_literals("", types));
}

TEST(parse_errors_name_the_place_the_text_found_and_the_text_expected) {
  CHECK_EQ(parse_error(""), "line 1, column 1: found the end of the text, expected `(fn (` at the start of a function");
  CHECK_EQ(parse_error("(fun ())"), "line 1, column 2: found `fun`, expected `fn`");
  CHECK_EQ(parse_error("(fn ((x f16)) x)"), "line 1, column 9: found `f16`, expected a type: bool, u8, i32, u32, i64, u64, f32 or f64");
  CHECK_EQ(parse_error("(fn ((x f32)) y)"),
           "line 1, column 15: found `y`, expected a name in scope: there is no such parameter or binding");
  CHECK_EQ(parse_error("(fn ((x f32))\n  (add x\n 1))"),
           "line 3, column 2: found `1`, expected an expression, such as a number with its type: 1:i32 or 0.5:f32");
  CHECK_EQ(
      parse_error("(fn ((x f32)) (plus x x))"),
      "line 1, column 16: found `plus`, expected an operation, or cast, at, load, length, check, require, let, loop, fold, draw or tuple");
  CHECK_EQ(parse_error("(fn ((x f32)) (add x 300:u8))"), "line 1, column 22: found `300:u8`, expected an integer from 0 to 255 before :u8");
  CHECK_EQ(parse_error("(fn ((x f32)) (add x x)"),
           "line 1, column 24: found the end of the text, expected `)` at the function's end, since a function has one body");
  CHECK_EQ(parse_error("(fn ((x f32)) x) x"), "line 1, column 18: found `x`, expected the end of the text after the function");
  CHECK_EQ(parse_error("(fn ((x f32) (x f32)) x)"), "line 1, column 15: found `x`, expected a name that is not bound here already");
  CHECK_EQ(parse_error("(fn ((i i64)) (at $2 i))"), "line 1, column 19: found `$2`, expected a captured sequence from $0 to $1");
  CHECK_EQ(parse_error("(fn ((i i64)) (at $1.2 i))"), "line 1, column 19: found `$1.2`, expected a column below 2");
  CHECK_EQ(parse_error("(fn ((i i64)) $0)"), "line 1, column 15: found `$0`, expected `(at $0 index)` for an element");
  CHECK_EQ(parse_error("(fn ((i i64)) (foreign f i))"), "line 1, column 16: a foreign function has no written form; pass its address");
  // Columns count characters, not bytes.
  CHECK_EQ(parse_error("; äöü\n(fn ((x f32)) \xc3\xa4 )").substr(0, 17), "line 2, column 15");
}

TEST(type_errors_name_the_place_the_fact_and_the_types_expected) {
  CHECK_EQ(type_error("(fn ((x f32)) (add x))"), "line 1, column 15: add takes two numbers; got (f32)");
  CHECK_EQ(type_error("(fn ((x f32)) (and x 1:i32))"), "line 1, column 15: and takes two bools or integers; got (f32, i32)");
  CHECK_EQ(type_error("(fn ((x f32)) (where x x x))"), "line 1, column 15: where takes a bool and two values; got (f32, f32, f32)");
  CHECK_EQ(type_error("(fn ((x f32)) (at $0 x))"), "line 1, column 22: an index has type f32; expected an integer");
  CHECK_EQ(type_error("(fn ((i i64)) (add (at $1 i) 1:i32))"), "line 1, column 20: an operand has 2 values; expected one value");
  CHECK_EQ(type_error("(fn ((i i64)) (let ((a (at $1 i))) a))"),
           "line 1, column 21: let binds 1 names to 2 values; expected ((a b ...) expression) with one name per value");
  CHECK_EQ(type_error("(fn () (loop ((k 0:i32)) k (add k 1:i32)))"), "line 1, column 8: loop: the condition has type i32; expected bool");
  CHECK_EQ(type_error("(fn () (loop ((k 0:i32)) (lt k 9:i32) (add k 1:i64)))"),
           "line 1, column 8: loop: the next value of k has type i64; expected i32, the type of its first value");
  CHECK_EQ(type_error("(fn () (loop ((k 0:i32)) (lt k 9:i32) (tuple k k)))"),
           "line 1, column 39: a loop has 2 next values; expected 1, one per variable");
}

TEST(absurd_nesting_is_an_error) {
  auto nested = [](int depth) {
    std::string text = "(fn ((x i32)) ";
    for (int k = 0; k < depth; k++) text += "(not ";
    return text + "x" + std::string(depth + 1, ')');
  };
  CHECK_EQ(round_trip(nested(998)), "(fn ((x i32)) x)");
  CHECK_EQ(parse_error(nested(1001)), "line 1, column 5015: parentheses are nested more than 1000 deep; name parts with `let` instead");
  CHECK_THROWS(ParseError, parse(nested(1000000)));
  auto loops = [](int depth) {
    std::string text = "(fn () ", end;
    for (int k = 0; k < depth; k++) text += "(loop ((k 0:i32)) (lt k 1:i32) (add 1:i32 ", end += "))";
    return text + "k" + end + ")";
  };
  CHECK_EQ(interpreter::lazy(*parse(loops(64)), {}).results[0], 64u);
  CHECK_EQ(parse_error(loops(65)), "line 1, column 2696: loops and folds are nested more than 64 deep");
}

TEST(broken_texts_are_errors_and_nothing_worse) {
  const std::string whole =
      "(fn ((c f32) (i i64)) (let (((z k) (loop ((z 0.0:f32) (k 0:i32)) (and (lt z 4.0:f32) (lt k 256:i32)) "
      "(tuple (fma z z c) (add k 1:i32))))) (tuple (at $1.1 i) (where (lt i 10:i64) (at $0 i true) 0:i32))))";
  std::mt19937_64 random(1);
  int wrong = 0;
  for (int trial = 0; trial < 20000; trial++) {
    std::string text = whole;
    for (int edits = 1 + int(random() % 3); edits > 0 && !text.empty(); edits--) {
      const size_t at = random() % text.size();
      const int kind = int(random() % 4);
      if (kind == 0) text.erase(at, 1 + random() % 5);
      else if (kind == 1) text[at] = "()$:.x1- \xff"[random() % 10];
      else if (kind == 2) text.insert(at, text.substr(random() % text.size(), random() % 20));
      else text.resize(at + 1);
    }
    try {
      parse(text, captures);
    } catch (const ParseError&) { wrong++; } catch (const TypeError&) {
      wrong++;
    }
  }
  CHECK(wrong > 10000);
}

TEST(the_cache_gives_one_function_for_one_text) {
  const std::string text = "(fn ((i i64)) (at $0 i))";
  const CaptureTypes other{{Type::F64}};
  CHECK(parse_cached(text, captures).fn == parse_cached(text, captures).fn);
  CHECK_EQ(parse_cached(text, other).fn->result_types(), std::vector<Type>{Type::F64});
  CHECK_THROWS(ParseError, parse_cached("(fn"));
  CHECK_THROWS(ParseError, parse_cached("(fn"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([t] {
      for (int k = 0; k < 5000; k++) {
        const std::string number = std::to_string((k * (t + 1)) % 5000);
        const Lifted lifted = parse_cached("(fn ((x i32)) (add x " + number + ":i32))");
        const FnRef f = with_values(lifted.fn, lifted.arguments);
        CHECK_EQ(interpreter::strict(*f, {1}).results[0], uint64_t((k * (t + 1)) % 5000 + 1));
      }
    });
  for (std::thread& t : threads) t.join();
}
