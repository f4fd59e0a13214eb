// Numbers that change from call to call: results have the same bits if the numbers are arguments of one function or literals of many.
#include <algorithm>
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
