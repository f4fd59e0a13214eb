// Ranges of terms: of given functions, and of random functions, whose values are all within their ranges.
#include "expr/range.h"

#include "check.h"
#include "expr/indices/narrow.h"
#include "interpreter.h"
#include "random_function.h"

using namespace wf;
using random_function::captures;
using random_function::Maker;

namespace {

// The range of a function's result as text.
std::string range_of(const char* text, const CaptureTypes& types = {{Type::U8}, {Type::I32}}) {
  const FnRef f = parse(text, types);
  const Range r = ranges(*f)[f->results[0]];
  return r.known() ? std::to_string(int64_t(r.low)) + ".." + std::to_string(int64_t(r.high)) : "unknown";
}

// A term's value as an exact 128-bit integer.
Wide value_of(Type type, Bits64 bits) {
  return visit(type, [&](auto tag) { return Wide(from_bits<typename decltype(tag)::type>(bits)); });
}

const interpreter::Data data{{{5, 4, 3, 2}}, {{to_bits(1.5f), to_bits(-0.0f), to_bits(2.5f)}, {1, 2, 3}}};

}  // namespace

TEST(ranges_of_plain_functions) {
  CHECK_EQ(range_of("(fn ((c u8)) (sub (cast i32 (eq c 40:u8)) (cast i32 (eq c 41:u8))))"), "-1..1");
  CHECK_EQ(range_of("(fn ((c u8)) (mul (cast i32 c) (cast i32 c)))"), "0..65025");
  CHECK_EQ(range_of("(fn ((c u8)) (mul c c))"), "0..255");
  CHECK_EQ(range_of("(fn ((x i32)) (rem x 7:i32))"), "-6..6");
  CHECK_EQ(range_of("(fn ((x u32)) (rem x 7:u32))"), "0..6");
  CHECK_EQ(range_of("(fn ((x i32)) (and x 15:i32))"), "0..15");
  CHECK_EQ(range_of("(fn ((x i32)) (min (max x -3:i32) 9:i32))"), "-3..9");
  CHECK_EQ(range_of("(fn ((b bool)) (where b 3:i32 -2:i32))"), "-2..3");
  CHECK_EQ(range_of("(fn ((c u8)) (shl (cast i32 c) 4:i32))"), "0..4080");
  CHECK_EQ(range_of("(fn ((x i32)) (shr x 28:i32))"), "-8..7");
  CHECK_EQ(range_of("(fn ((c u8)) (div (neg (cast i32 c)) 2:i32))"), "-127..0");
  CHECK_EQ(range_of("(fn ((x i32)) (sign x))"), "-1..1");
  CHECK_EQ(range_of("(fn ((x i32)) (popcount x))"), "0..32");
}

TEST(a_condition_bounds_the_alternative_that_it_chooses) {
  const auto around = [](const char* condition, const char* chosen, const char* other) {
    return range_of(
        (std::string("(fn ((c u8)) (let ((x (and (cast i32 c) 15:i32))) (where (") + condition + ") " + chosen + " " + other + ")))")
            .c_str());
  };
  CHECK_EQ(around("eq x 0:i32", "15:i32", "(sub x 1:i32)"), "0..15");
  CHECK_EQ(around("eq x 15:i32", "0:i32", "(add x 1:i32)"), "0..15");
  CHECK_EQ(around("ne x 15:i32", "(add x 1:i32)", "0:i32"), "0..15");
  CHECK_EQ(around("eq x 7:i32", "0:i32", "(add x 1:i32)"), "0..16");
  CHECK_EQ(around("lt x 3:i32", "x", "(sub x 3:i32)"), "0..12");
  CHECK_EQ(around("ge x 3:i32", "(sub x 3:i32)", "x"), "0..12");
  CHECK_EQ(around("le x 3:i32", "(mul x x)", "7:i32"), "0..9");
  CHECK_EQ(around("gt x 3:i32", "7:i32", "(mul x x)"), "0..9");
  CHECK_EQ(around("gt x 99:i32", "99:i32", "x"), "0..99");
}

TEST(a_result_that_may_wrap_has_all_values_of_its_type) {
  CHECK_EQ(range_of("(fn ((x i32)) (add x 1:i32))"), "-2147483648..2147483647");
  CHECK_EQ(range_of("(fn ((x i32)) (abs x))"), "-2147483648..2147483647");
  CHECK_EQ(range_of("(fn ((x i64)) (neg x))"), std::to_string(INT64_MIN) + ".." + std::to_string(INT64_MAX));
  CHECK_EQ(range_of("(fn ((x i32)) (cast u8 (and x 256:i32)))"), "0..255");
  CHECK_EQ(range_of("(fn ((x i32)) (div x (rem x 2:i32)))"), "-2147483648..2147483647");
  CHECK_EQ(range_of("(fn ((x f32)) (cast i32 x))"), "-2147483648..2147483647");
  CHECK_EQ(range_of("(fn ((x f32)) x)"), "unknown");
}

TEST(a_parameter_is_as_bounded_as_the_caller_says) {
  const FnRef f = parse("(fn ((i i64)) (mul i 3:i64))");
  const Range of_index{0, 99};
  const Range r = ranges(*f, std::span(&of_index, 1))[f->results[0]];
  CHECK_EQ(int64_t(r.low), 0);
  CHECK_EQ(int64_t(r.high), 297);
}

TEST(no_value_of_a_random_function_leaves_its_range) {
  int narrow = 0;
  for (uint64_t seed = 0; seed < 20000; seed++) {
    Maker maker(seed, {.terms = 5 + int(seed % 40)});
    const FnRef f = maker.function();
    const std::vector<Range> found = ranges(*f);
    for (Id id : f->results) narrow += found[id].known() && found[id].high - found[id].low < all_of((*f)[id].type).high;
    for (int64_t i = 0; i < 8; i++) {
      std::vector<Bits64> args;
      for (const Param& p : f->params) args.push_back(p.name == "i" ? Bits64(i) : maker.any_bits(p.type));
      const std::vector<Bits64> results = interpreter::strict(*f, args, data).results;
      for (size_t k = 0; k < results.size(); k++) {
        const Type type = (*f)[f->results[k]].type;
        const Range& r = found[f->results[k]];
        CHECK_EQ(r.known(), !is_in(type, Float));
        if (is_in(type, Float) || Range{value_of(type, results[k]), value_of(type, results[k])}.is_in(r)) continue;
        CHECK_EQ(print(*f, captures), "a function whose ranges hold its values");
        return;
      }
    }
  }
  CHECK(narrow > 3000);
}

namespace {

// The function for i < 12, without the Checks that hold there; parentheses mark `check`s in its text.
std::string checked(const std::string& text) {
  const FnRef f = parse(text, {{Type::F32}});
  Builder b;
  b.reads_cannot_fail();
  std::vector<Id> params;
  for (const Param& p : f->params) params.push_back(b.param(p.type, p.name));
  const auto length = [](const FnRef& body, const auto& self) -> FnRef {
    Builder inside;
    inside.reads_cannot_fail();
    std::vector<Id> args;
    for (const Param& p : body->params) args.push_back(inside.param(p.type, p.name));
    const auto known = [&](const Term& term, Id index) {
      return term.kind == Kind::Length ? inside.constant<int64_t>(48) : inside.at(term.slot, term.column, term.type, index);
    };
    return inside.finish(inside.inline_call(*body, args, known, [&](FnRef more) { return self(more, self); }));
  };
  const Range i{0, 11};
  return print(*without_proven_checks(length(f, length), {&i, 1}));
}

}  // namespace

TEST(checks_that_hold_in_all_iterations_are_removed) {
  CHECK_EQ(checked("(fn ((i i64)) (at $0 (mul i 4:i64)))"), "(fn ((i i64)) (load $0 (mul i 4:i64)))");
  CHECK_EQ(checked("(fn ((i i64)) (at $0 (rem i 5:i64)))"), "(fn ((i i64)) (load $0 (rem i 5:i64)))");
  CHECK_EQ(checked("(fn ((i i64)) (at $0 (mul i 5:i64)))"), "(fn ((i i64)) (load $0 (check (mul i 5:i64) 48:i64)))");
  CHECK_EQ(checked("(fn ((i i64)) (at $0 (sub i 1:i64)))"), "(fn ((i i64)) (load $0 (check (add i -1:i64) 48:i64)))");
  const std::string sum = "(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j ";
  CHECK_EQ(checked("(fn ((i i64)) " + sum + "4:i64)) (at $0 (add (mul i 4:i64) j))))"),
           "(fn ((i i64)) " + sum + "4:i64)) (load $0 (add (mul i 4:i64) j))))");
  CHECK_EQ(checked("(fn ((i i64)) " + sum + "5:i64)) (at $0 (add (mul i 4:i64) j))))"),
           "(fn ((i i64)) " + sum + "5:i64)) (load $0 (check (add (mul i 4:i64) j) 48:i64))))");
}

TEST(checks_that_their_guards_imply_are_removed) {
  const auto chosen = [](const std::string& condition, const std::string& index) {
    const std::string text = checked("(fn ((i i64)) (where " + condition + " (at $0 " + index + ") 0.0:f32))");
    return text.find("(check") == std::string::npos;
  };
  CHECK(chosen("(ge i 1:i64)", "(sub i 1:i64)"));
  CHECK(!chosen("(ge i 1:i64)", "(sub i 2:i64)"));
  CHECK(chosen("(lt i 10:i64)", "(add i 38:i64)"));
  CHECK(!chosen("(lt i 10:i64)", "(add i 39:i64)"));
  CHECK(chosen("(ge (rem i 4:i64) 1:i64)", "(sub i 1:i64)"));
  CHECK(!chosen("(le (rem i 4:i64) 1:i64)", "(sub i 1:i64)"));
  CHECK(chosen("(and (le (rem i 4:i64) 1:i64) (ge (div i 4:i64) 1:i64))", "(sub i 4:i64)"));
  CHECK(chosen("(not (lt (div i 4:i64) 2:i64))", "(sub 55:i64 i)"));
  CHECK(!chosen("(lt (div i 4:i64) 2:i64)", "(sub 54:i64 i)"));
  CHECK(chosen("(lt i 0:i64)", "(sub i 100:i64)"));  // never
}

// The bounds are those of the indices for which the comparison holds, counted one by one.
TEST(a_condition_narrows_the_index_to_the_first_and_the_last_that_it_allows) {
  const char* const operands[] = {
      "i", "(add i 3:i64)", "(rem i 7:i64)", "(div i 5:i64)", "(rem (div i 3:i64) 4:i64)", "(add (rem (div i 2:i64) 5:i64) -2:i64)"};
  for (const std::string operand : operands)
    for (const std::string op : {"lt", "le", "gt", "ge"})
      for (const int64_t bound : {-3, -1, 0, 1, 2, 4, 6, 7, 30})
        for (const bool negated : {false, true}) {
          const std::string comparison = "(" + op + " " + operand + " " + std::to_string(bound) + ":i64)";
          const FnRef f = parse("(fn ((i i64)) " + (negated ? "(not " + comparison + ")" : comparison) + ")", {});
          for (const int64_t first : {0, 1, 13})
            for (const int64_t last : {13, 14, 29, 60}) {
              const Range found = narrow(*f, f->results[0], {first, last});
              Range counted;
              for (int64_t i = first; i <= last; i++) {
                if (interpreter::strict(*f, {Bits64(i)}, data).results[0] == 0) continue;
                if (!counted.known()) counted.low = i;
                counted.high = i;
              }
              CHECK_EQ(found.known(), counted.known());
              if (!counted.known()) continue;
              CHECK_EQ(int64_t(found.low), int64_t(counted.low));
              CHECK_EQ(int64_t(found.high), int64_t(counted.high));
            }
        }
}
