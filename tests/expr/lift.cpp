// Texts that differ only in their numbers: one function with arguments, or separate functions if a number decides the form.
#include "expr/lift.h"

#include <set>
#include <thread>

#include "check.h"
#include "interpreter.h"

using namespace wf;

namespace {

const CaptureTypes captures{{Type::F32}};

// The text with each # replaced by the number.
std::string with(const std::string& text, const std::string& number) {
  std::string result;
  for (char c : text) c == '#' ? result += number : result += c;
  return result;
}

// Checks that each number's function equals its text. Returns the number of distinct function objects.
size_t functions(const std::string& text, const std::vector<std::string>& numbers) {
  std::set<FnRef> all;
  for (const std::string& number : numbers) {
    const Lifted lifted = parse_cached(with(text, number), captures);
    const FnRef plain = parse(with(text, number), captures);
    CHECK_EQ(print(*with_values(lifted.fn, lifted.arguments)), print(*plain));
    CHECK(same_structure(*with_values(lifted.fn, lifted.arguments), *plain, true));
    all.insert(lifted.fn);
  }
  return all.size();
}

std::vector<std::string> floats(int n) {
  std::vector<std::string> all;
  for (int k = 0; k < n; k++) all.push_back(std::to_string(2 + k) + ".25:f32");
  return all;
}
std::vector<std::string> integers(int first, int n, const std::string& type) {
  std::vector<std::string> all;
  for (int k = 0; k < n; k++) all.push_back(std::to_string(first + k) + ":" + type);
  return all;
}

}  // namespace

TEST(numbers_that_vary_become_arguments) {
  CHECK_EQ(functions("(fn ((x f32)) (add (mul x #) 0.5:f32))", floats(100)), size_t(2));
  CHECK_EQ(functions("(fn ((x f32)) (sub (mul x #) (mul x #)))", floats(100)), size_t(2));
  CHECK_EQ(functions("(fn ((x f32)) (sub (mul x 7.0:f32) #))", floats(100)), size_t(2));
  CHECK_EQ(functions("(fn ((x i32)) (rem x #))", integers(2, 100, "i32")), size_t(2));
  CHECK_EQ(functions("(fn ((x i32)) (where (lt x #) x (neg x)))", integers(2, 100, "i32")), size_t(2));
  CHECK_EQ(functions("(fn ((x f32)) (mul x #))", integers(2, 100, "i32")), size_t(2));
  CHECK_EQ(functions("; by 2:f32\n(fn ((x f32)) (mul x #))", floats(20)), size_t(20));
  CHECK_EQ(functions("(fn ((x i32)) (loop ((k x)) (lt k #) (add k 300:i32)))", integers(2, 100, "i32")), size_t(2));
}

TEST(bounds_of_loops_that_are_folds_become_arguments) {
  for (const char* value : {"(cast i64 (at $0 k))", "(where (lt (at $0 k) (at $0 i)) 1:i64 0:i64)"}) {
    const std::string loop = std::string("(loop ((k 0:i64) (s 0:i64)) (lt k #) (tuple (add k 1:i64) (add s ") + value + ")))";
    CHECK_EQ(functions("(fn ((i i64)) (let (((k s) " + loop + ")) s))", integers(2, 20, "i64")), size_t(2));
  }
}

TEST(zero_one_and_nan_are_functions_of_their_own) {
  const std::vector<std::string> special{"2.5:f32",  "3.5:f32", "0.0:f32", "-0.0:f32", "1.0:f32",
                                         "-1.0:f32", "nan:f32", "inf:f32", "-inf:f32"};
  for (const char* text : {"(fn ((x f32)) (mul x #))", "(fn ((x f32) (y f32)) (add (mul (mul x y) #) (mul x x)))",
                           "(fn ((x f32)) (sub x #))", "(fn ((x f32) (y f32)) (add (sub (mul x y) #) x))", "(fn ((x f32)) (div x #))"})
    CHECK_EQ(functions(text, special), size_t(7));
  for (const char* text : {"(fn ((x i32)) (mul x #))", "(fn ((x i32)) (add x #))", "(fn ((x i32)) (and x #))", "(fn ((x i32)) (shl x #))"})
    CHECK_EQ(functions(text, integers(-3, 8, "i32")), size_t(5));
}

TEST(numbers_from_which_indices_are_computed_become_arguments) {
  for (const char* text : {"(fn ((i i64)) (at $0 (add i #)))", "(fn ((i i64)) (at $0 (add (sub i #) 1:i64)))",
                           "(fn ((i i64)) (at $0 (max (min (add i #) 99:i64) 0:i64)))", "(fn ((i i64)) (at $0 (mul i #)))",
                           "(fn ((i i64)) (at $0 (rem (xor i #) 64:i64)))", "(fn ((i i64)) (at $0 (sub (add # 500:i64) i)))",
                           "(fn ((i i64)) (at $0 (where (lt i #) i 0:i64)))", "(fn ((i i64)) (at $0 #))",
                           "(fn ((i i64)) (loop ((k i)) (lt k #) (add k (cast i64 (at $0 k)))))",
                           "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 90:i64)) (at $0 (add (add i #) j))))"})
    CHECK_EQ(functions(text, integers(2, 20, "i64")), size_t(2));
}

TEST(numbers_that_decide_the_form_stay_literals) {
  for (const char* text : {"(fn ((i i64)) (at $0 (rem i #)))", "(fn ((i i64)) (at $0 (add (div i #) 3:i64)))",
                           "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j #)) (at $0 (add i j))))",
                           "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 90:i64)) (at $0 (add (mul i #) j))))"})
    CHECK_EQ(functions(text, integers(2, 20, "i64")), size_t(20));
  // Products of two numbers are numbers, which are not contracted to fma.
  CHECK_EQ(functions("(fn ((x f32)) (add (mul # 3.3:f32) x))", floats(20)), size_t(20));
  CHECK_EQ(functions("(fn ((x i32)) (add (add x #) 7:i32))", integers(20, 20, "i32")) >= size_t(2), true);
  // Equal numbers are one term, different ones are not.
  CHECK_EQ(functions("(fn ((x f32)) (add (mul x #) (mul x 4.25:f32)))", floats(20)), size_t(3));
}

TEST(an_index_keeps_its_number_while_another_varies) {
  std::set<FnRef> all;
  for (const std::string& number : floats(50))
    all.insert(parse_cached("(fn ((i i64)) (mul (load $0 (add i 3:i64)) " + number + "))", captures).fn);
  CHECK_EQ(all.size(), size_t(2));
}

TEST(values_that_return_often_are_literals_again) {
  std::set<FnRef> all;
  const auto ask = [&](int64_t k) {
    all.insert(parse_cached("(fn ((i i64)) (at $0 (add i " + std::to_string(k) + ":i64)))", captures).fn);
  };
  all.clear();
  for (int64_t k = 100; k < 140; k++) ask(k);
  CHECK_EQ(all.size() <= 2, true);
  // Values that take turns in a long cycle remain arguments.
  for (int round = 0; round < 100; round++)
    for (int64_t k = 200; k < 220; k++) ask(k);
  CHECK_EQ(all.size() <= 2, true);
  all.clear();
  for (int round = 0; round < 100; round++)
    for (int64_t k : {300, 301}) ask(k);
  CHECK_EQ(all.size(), size_t(3));
  // Numbers from which no index is computed gain nothing.
  all.clear();
  for (int round = 0; round < 100; round++)
    for (const char* number : {"3.5:f32", "4.5:f32", "5.5:f32"})
      all.insert(parse_cached("(fn ((x f32)) (sub (mul x " + std::string(number) + ") 7.5:f32))", captures).fn);
  CHECK_EQ(all.size() <= 2, true);
}

TEST(threads_share_families) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([t] {
      for (int k = 0; k < 5000; k++) {
        const uint64_t a = uint64_t(k * (t + 1) % 3000), b = uint64_t(k % 7);
        const Lifted lifted =
            parse_cached("(fn ((x i64)) (add (mul x " + std::to_string(a) + ":i64) (mul " + std::to_string(b) + ":i64 (mul x x))))");
        CHECK_EQ(interpreter::strict(*with_values(lifted.fn, lifted.arguments), {5}).results[0], 5 * a + 25 * b);
      }
    });
  for (std::thread& t : threads) t.join();
}
