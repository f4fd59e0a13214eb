// Numbers that change from call to call: results have the same bits if the numbers are arguments of one function or literals of many.
#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "check.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::Bits64;
using wf::NodeRef;

namespace {

// `#` stands for the number. Parameters: x, y; captures: $0 of the same type.
const vector<string> of_floats = {
    "(fn ((x f32) (y f32)) (add (mul x #) 0.5:f32))",
    "(fn ((x f32) (y f32)) (sub (mul (sub (mul x #) y) x) #))",
    "(fn ((x f32) (y f32)) (add (sub (mul x y) #) x))",
    "(fn ((x f32) (y f32)) (add (mul (mul x y) #) (mul x x)))",
    "(fn ((x f32) (y f32)) (where (lt x #) (div x #) (sub y #)))",
    "(fn ((x f32) (y f32)) (max (exp (mul x #)) (min y #)))",
    "(fn ((x f32) (y f32)) (sub (mul x #) (mul x 2.5:f32)))",
    "(fn ((x f32) (y f32)) (add x (mul # 3.25:f32)))",
    "(fn ((x f32) (y f32)) (sub x #))",
};
const vector<string> of_integers = {
    "(fn ((x i32) (y i32)) (add (mul x #) y))",
    "(fn ((x i32) (y i32)) (add (mul (mul x #) 3:i32) #))",
    "(fn ((x i32) (y i32)) (div x #))",
    "(fn ((x i32) (y i32)) (rem x #))",
    "(fn ((x i32) (y i32)) (where (lt x #) (shl x #) (and y #)))",
    "(fn ((x i32) (y i32)) (loop ((k x) (n 0:i32)) (and (lt n #) (lt n 9:i32)) (tuple (add k #) (add n 1:i32))))",
    "(fn ((x i32) (y i32)) (add x (where (gt # 5:i32) # y)))",
};
const vector<string> of_indices = {
    "(fn ((i i64)) (load $0 (add i #)))",
    "(fn ((i i64)) (load $0 (sub # i)))",
    "(fn ((i i64)) (load $0 (rem (mul i #) 1000:i64)))",
    "(fn ((i i64)) (where (lt i #) (load $0 i) 7:f32))",
    "(fn ((i i64)) (loop ((k i) (s 0.0:f32)) (lt k #) (tuple (add k 300:i64) (add s (load $0 k)))))",
    "(fn ((i i64)) (load $0 (min (add i #) 60:i64)))",
    "(fn ((i i64)) (at $0 (max (min (sub i #) 60:i64) 0:i64)))",
    "(fn ((i i64)) (where (lt i #) (load $0 i) (at $0 (sub i #))))",
    "(fn ((i i64)) (where (and (lt i #) (gt i (sub # 5:i64))) (at $0 (rem (add i #) 50:i64)) 0.5:f32))",
    "(fn ((i i64)) (load $0 (mul i #)))",
    "(fn ((i i64)) (load $0 (add (mul (add (div i 7:i64) #) 7:i64) (rem i 7:i64))))",
    "(fn ((i i64)) (where (gt (div i 7:i64) #) (load $0 (xor i #)) (load $0 (shr i #))))",
    "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 9:i64)) (load $0 (add (add i j) #))))",
    "(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) 0.0:f32 ((j #)) (load $0 (min (add (mul i #) j) 60:i64))))",
};

string with(const string& text, const string& number) {
  string result;
  for (char c : text) c == '#' ? result += number : result += c;
  return result;
}

wf::Closure closure(const string& text, const Nodes& captures, bool plain) {
  if (plain) return graph::fn(text, captures);
  wf::CaptureTypes types;
  for (const NodeRef& node : captures) types.push_back(node->types());
  wf::Lifted lifted = wf::parse_cached(text, types);
  return {std::move(lifted.fn), captures, std::move(lifted.arguments)};
}

// The bits of the elements, of their float sum, and of their number under a mask.
vector<Bits64> bits_of(const NodeRef& mapped, bool is_float) {
  const wf::Type type = is_float ? wf::Type::F32 : wf::Type::I32;
  const int32_t column = int32_t(std::ranges::find(mapped->types(), type) - mapped->types().begin());
  const NodeRef one = mapped->types().size() == 1 ? mapped : wf::columns(mapped, {&column, 1});
  const char* cast = is_float ? "(fn ((x f32)) (cast f64 x))" : "(fn ((x i32)) (cast f64 x))";
  const NodeRef sum = graph::reduce("(fn ((a f64) (b f64)) (add a b))", "0.0:f64", graph::map(cast, {one}));
  const NodeRef both[] = {one, sum};
  wf::force(both);
  vector<Bits64> bits = graph::forced(one).columns[0];
  bits.push_back(graph::forced(sum).columns[0][0]);
  return bits;
}

void compare(const string& text, const string& number, const Nodes& inputs, const Nodes& captures, int64_t n, bool is_float) {
  vector<Bits64> bits[2];
  for (bool plain : {false, true}) {
    const wf::Closure f = closure(with(text, number), captures, plain);
    bits[plain] = bits_of(inputs.empty() ? wf::tabulate(graph::context(), f, n) : wf::map(f, inputs), is_float);
  }
  if (bits[0] != bits[1]) CHECK_EQ(with(text, number) + " has other bits as an argument", string());
}

struct Inputs {
  explicit Inputs(int64_t n) {
    vector<float> x(n), y(n);
    vector<int32_t> i(n), j(n);
    for (int64_t k = 0; k < n; k++) {
      x[k] = float(k * 37 % 1001 - 500) / 7, y[k] = float(k % 13) - 6.1f;
      i[k] = int32_t(k * 37 % 1001 - 500), j[k] = int32_t(k % 13 - 6);
    }
    floats = {graph::source(x), graph::source(y)};
    integers = {graph::source(i), graph::source(j)};
  }
  Nodes floats, integers;
};

void random_numbers(unsigned seed, int steps, int64_t n) {
  std::mt19937 random(seed);
  const Inputs in(n);
  auto any_of = [&](const vector<string>& all) -> const string& { return all[random() % all.size()]; };
  for (int k = 0; k < steps; k++) {
    const vector<string> special{"0.0:f32", "-0.0:f32", "1.0:f32", "-1.0:f32", "nan:f32", "inf:f32", "-inf:f32", "2.5:f32", "1e-40:f32"};
    const string number =
        random() % 4 ? wf::print_literal(wf::Type::F32, wf::to_bits(float(int(random() % 2000) - 1000) / 64)) : any_of(special);
    compare(any_of(of_floats), number, in.floats, {}, n, true);
    compare(any_of(of_integers), std::to_string(int(random() % 40) - 10) + ":i32", in.integers, {}, n, false);
    compare(any_of(of_indices), std::to_string(random() % 40) + ":i64", {}, {in.floats[0]}, n, true);
  }
}

}  // namespace

TEST(arguments_have_the_bits_of_literals) { random_numbers(1, 1500, 100); }

TEST(arguments_have_the_bits_of_literals_over_many_chunks) { random_numbers(2, 30, 300007); }

TEST(arguments_have_the_bits_of_literals_in_several_threads) {
  vector<std::thread> threads;
  for (unsigned t = 0; t < 4; t++) threads.emplace_back([t] { random_numbers(10 + t, 300, 1000); });
  for (std::thread& t : threads) t.join();
}

TEST(a_plan_shows_the_numbers_of_this_call) {
  const Inputs in(1000);
  for (int k = 2; k < 60; k++) {
    const string number = std::to_string(k) + ".5:f32";
    const NodeRef mapped = wf::map(closure(with("(fn ((x f32)) (mul x #))", number), {}, false), std::span(in.floats).first(1));
    CHECK(wf::explain({&mapped, 1}, wf::ExplainFormat::Text).find(number) != string::npos);
    wf::force({&mapped, 1});
    CHECK(wf::explain({&mapped, 1}, wf::ExplainFormat::Text).find(number) != string::npos);
  }
}

TEST(fresh_scalars_have_the_bits_of_literals) {
  const Inputs in(1000);
  for (int k = -50; k < 200; k++) {
    const Bits64 bits = wf::to_bits(float(k) / 4);
    const NodeRef scalar = wf::constant(graph::context(), wf::Type::F32, bits);
    const NodeRef captured = graph::map("(fn ((x f32)) (sub (mul x (load $0 0:i64)) (load $0 0:i64)))", {in.floats[0]}, {scalar});
    const string number = wf::print_literal(wf::Type::F32, bits);
    // Contraction is decided before a capture becomes a literal.
    const NodeRef written = graph::map(with("(fn ((x f32)) (fma x # (neg #)))", number), {in.floats[0]});
    CHECK(bits_of(captured, true) == bits_of(written, true));
  }
}

TEST(plans_for_all_lengths_have_the_values_of_others) {
  const char *const add = "(fn ((a i32) (b i32)) (add a b))", *const odd = "(fn ((x i32)) (eq (and x 1:i32) 1:i32))";
  for (const int64_t n : {5, 6, 0, 1, 2, 63, 64, 65, 1000, 2049, 70001}) {
    vector<int32_t> all(size_t(n) + 3);
    for (size_t k = 0; k < all.size(); k++) all[k] = int32_t(k * 37 % 1001);
    const auto made = [&](const char* f, int64_t m) { return graph::tabulate(f, m, {graph::source(all)}); };
    const auto compare = [&](const char* what, const NodeRef& node) {
      const oracle::Value expected = *oracle::Oracle().value(node);
      CHECK_EQ(what + oracle::difference(expected, graph::forced(node)), string(what));
    };
    for (const char* f :
         {"(fn ((i i64)) (at $0 (add i 2:i64)))", "(fn ((i i64)) (load $0 (sub 9:i64 i)))", "(fn ((i i64)) (load $0 (sub (length $0) i)))",
          "(fn ((i i64)) (load $0 4:i64))", "(fn ((i i64)) (at $0 (min (add i 3:i64) (sub (length $0) 1:i64))))"})
      for (const int64_t m : {n, n / 2}) {
        compare(f, made(f, m));
        compare("sum", graph::reduce(add, "7:i32", made(f, m)));
        compare("scan", graph::scan(add, "0:i32", made(f, m), false).prefixes);
        compare("filter", graph::filter(odd, made(f, m)));
        compare("sum of a filter", graph::reduce("(fn ((a i32) (b i32)) (max a b))", "-2147483648:i32", graph::filter(odd, made(f, m))));
        compare("read elsewhere", graph::tabulate("(fn ((i i64)) (load $0 (add i 1:i64)))", m + 1, {made(f, m)}));
        compare("its length", graph::tabulate("(fn ((i i64)) (cast i32 (sub (length $0) i)))", m, {graph::filter(odd, made(f, m))}));
      }
  }
}

TEST(an_index_that_is_outside_for_one_length_is_an_error) {
  const NodeRef s = graph::source(vector<int32_t>(100, 1));
  for (int64_t n = 90; n < 110; n++)
    for (int64_t k = 0; k < 8; k++) {
      const NodeRef r =
          wf::tabulate(graph::context(), closure("(fn ((i i64)) (at $0 (add i " + std::to_string(k) + ":i64)))", {s}, false), n);
      string error;
      try {
        wf::force({&r, 1});
      } catch (const std::exception& e) { error = e.what(); }
      CHECK_EQ(error.find("100") != string::npos, n + k > 100);
    }
}

// Quotients and remainders of the index and a number: sums wrap, negative ones have negative remainders, and the first index outside is the error's.
TEST(digits_of_a_moved_index_have_the_values_of_literals) {
  const vector<string> texts = {
      "(fn ((i i64)) (rem (add i #) 1000:i64))",
      "(fn ((i i64)) (add (mul (div (add (sub i #) 4096:i64) 7:i64) 3:i64) (rem (div (add (sub i #) 4096:i64) 21:i64) 5:i64)))",
      "(fn ((i i64)) (sub (rem (sub i #) 33:i64) 5:i64))",
      "(fn ((i i64)) (load $0 (rem (add i #) 1000:i64)))",
      "(fn ((i i64)) (load $0 (add (rem (sub i #) 1000:i64) 999:i64)))",
      "(fn ((i i64)) (add (load $0 (rem (add i #) 1000:i64)) (load $0 (rem (add (sub i #) 1000:i64) 1000:i64))))",
      "(fn ((i i64)) (at $0 (rem (add (sub i #) 1000:i64) 1000:i64)))",
      "(fn ((i i64)) (at $0 (add (mul (div (sub i #) 64:i64) 32:i64) (rem (sub i #) 32:i64))))",
  };
  const vector<int64_t> numbers = {2, 33, 999, 1000, 1001, 70'000, -2, -999, -1025, -200'000, INT64_MAX, INT64_MIN, INT64_MAX - 40'000, 17};
  vector<int64_t> source(2000);
  for (size_t i = 0; i < source.size(); i++) source[i] = int64_t(i) * int64_t(i) + 3;
  const NodeRef elements = graph::source(source);
  const auto computed = [&](const string& text, int64_t n, bool plain) {
    try {
      return graph::elements<int64_t>(wf::tabulate(graph::context(), closure(text, {elements}, plain), n));
    } catch (const wf::RangeError& e) { return vector<int64_t>(e.what(), e.what() + std::strlen(e.what())); }
  };
  for (const string& text : texts)
    for (int64_t n : {1, 2, 33, 1025, 100'003})
      for (int64_t number : numbers) {
        const string written = with(text, std::to_string(number) + ":i64");
        CHECK(computed(written, n, false) == computed(written, n, true));
      }
}

TEST(a_plan_shows_the_numbers_that_may_change) {
  const Inputs in(1000);
  string text;
  for (int k = 12; k < 15; k++) {
    const NodeRef r =
        wf::tabulate(graph::context(),
                     closure("(fn ((i i64)) (load $0 (add (mul (min (div i 40:i64) " + std::to_string(k) + ":i64) 3:i64) (rem i 40:i64))))",
                             {in.floats[0]}, false),
                     900);
    text = wf::explain({&r, 1}, wf::ExplainFormat::Text);
  }
  CHECK(text.find("  varies  14:i64\n  fixed   40:i64 divides an index\n") != string::npos);
}
