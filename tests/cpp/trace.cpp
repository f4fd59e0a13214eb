// The written form of traced lambdas, word for word.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

TEST(arithmetic) {
  CHECK_EQ(written_form<int>([](auto x) { return 2 * x + 1; }), "(fn ((x i32)) (add (mul 2:i32 x) 1:i32))");
  CHECK_EQ((written_form<int, int>([](auto a, auto b) { return -a % (b / 3); })), "(fn ((a i32) (b i32)) (rem (neg a) (div b 3:i32)))");
  CHECK_EQ(written_form<uint32_t>([](auto x) { return ((x << 3) ^ (x >> 2)) & ~x; }),
           "(fn ((x u32)) (and (xor (shl x 3:u32) (shr x 2:u32)) (not x)))");
  CHECK_EQ(written_form<double>([](auto x) { return +x; }), "(fn ((x f64)) x)");
}

TEST(numbers_adopt_the_type_beside_them) {
  CHECK_EQ(written_form<float>([](auto x) { return x * 1.0001 + 0.5; }), "(fn ((x f32)) (add (mul x 1.0001:f32) 0.5:f32))");
  CHECK_EQ(written_form<float>([](auto x) { return x * 2; }), "(fn ((x f32)) (mul x 2.0:f32))");
  CHECK_EQ(written_form<int>([](auto x) { return x + 1L; }), "(fn ((x i32)) (add x 1:i32))");
  CHECK_EQ(written_form<int64_t>([](auto x) { return x + size_t{7}; }), "(fn ((x i64)) (add x 7:i64))");
  CHECK_EQ(written_form<int>([](auto x) { return x * 0.5; }), "(fn ((x i32)) (mul x 0.5:f64))");
  CHECK_EQ(written_form<int>([](auto x) { return x * 0.5f; }), "(fn ((x i32)) (mul x 0.5:f32))");
  CHECK_EQ(written_form<bool>([](auto x) { return x + 1; }), "(fn ((x bool)) (add x 1:i32))");
  CHECK_THROWS(TypeError, written_form<int>([](auto x) { return x + 5000000000; }));
  CHECK_THROWS(TypeError, written_form<uint8_t>([](auto x) { return x + 256; }));
  CHECK_THROWS(TypeError, written_form<uint32_t>([](auto x) { return x * -1; }));
}

TEST(comparisons_widen_numbers) {
  CHECK_EQ(written_form<uint8_t>([](auto x) { return x < 300; }), "(fn ((x u8)) (lt x 300:i64))");
  CHECK_EQ(written_form<uint32_t>([](auto x) { return x >= -1; }), "(fn ((x u32)) (ge x -1:i64))");
  CHECK_EQ(written_form<uint8_t>([](auto c) { return c == '('; }), "(fn ((x u8)) (eq x 40:u8))");
}

TEST(static_types) {
  auto step = [](auto c) { return (c == '(') - (c == ')'); };
  CHECK_EQ(written_form<uint8_t>(step), "(fn ((x u8)) (sub (eq x 40:u8) (eq x 41:u8)))");
  static_assert(std::is_same_v<ValueFor<decltype(step(std::declval<Expr<uint8_t>>()))>, int32_t>);
  static_assert(std::is_same_v<decltype(std::declval<Expr<int>>() + std::declval<Expr<float>>()), Expr<float>>);
  static_assert(std::is_same_v<decltype(std::declval<Expr<int>>() + std::declval<Expr<uint32_t>>()), Expr<uint32_t>>);
  static_assert(std::is_same_v<decltype(sqrt(std::declval<Expr<int>>())), Expr<double>>);
  static_assert(std::is_same_v<decltype(sqrt<float>(std::declval<Expr<int>>())), Expr<float>>);
  static_assert(std::is_same_v<decltype(cast<long long>(std::declval<Expr<int>>())), Expr<int64_t>>);
  static_assert(std::is_same_v<decltype(std::declval<Expr<bool>>() == true), Expr<bool>>);
  static_assert(std::is_same_v<decltype(isnan(std::declval<Expr<float>>())), Expr<bool>>);
}

TEST(truths) {
  CHECK_EQ((written_form<int, bool>([](auto a, auto b) { return (a && !b) || true; })),
           "(fn ((a i32) (b bool)) (or (and (cast bool a) (not b)) true))");
  CHECK_EQ(written_form<int>([](auto x) { return where(x > 0 && x != 7, x, -x); }),
           "(fn ((x i32)) (where (and (gt x 0:i32) (ne x 7:i32)) x (neg x)))");
  CHECK_EQ(written_form<int>([](auto x) { return where(x > 0, 1, 0.5); }), "(fn ((x i32)) (where (gt x 0:i32) 1.0:f64 0.5:f64))");
}

TEST(functions) {
  CHECK_EQ(written_form<float>([](auto x) { return exp(-x * x) * tanh(x); }), "(fn ((x f32)) (mul (exp (mul (neg x) x)) (tanh x)))");
  CHECK_EQ(written_form<float>([](auto x) { return pow(x, 2) + hypot(x, 1) + fma(x, x, 3); }),
           "(fn ((x f32)) (add (add (pow x 2.0:f32) (hypot x 1.0:f32)) (fma x x 3.0:f32)))");
  CHECK_EQ(written_form<int>([](auto x) { return sqrt<float>(x); }), "(fn ((x i32)) (sqrt (cast f32 x)))");
  CHECK_EQ((written_form<int, int>([](auto a, auto b) { return min(max(a, 0), abs(b)); })),
           "(fn ((a i32) (b i32)) (min (max a 0:i32) (abs b)))");
  CHECK_EQ(written_form<uint32_t>([](auto x) { return popcount(x) + clz(x); }), "(fn ((x u32)) (add (popcount x) (clz x)))");
  CHECK_EQ((written_form<int, int>(std::plus<>{})), "(fn ((a i32) (b i32)) (add a b))");
  CHECK_EQ((written_form<int, int>(logical_and)), "(fn ((a i32) (b i32)) (and (cast bool a) (cast bool b)))");
}

TEST(literals_keep_their_bits) {
  double tenth = 0.1, huge = 1e300, infinite = std::numeric_limits<double>::infinity();
  CHECK_EQ(written_form<double>([&](auto x) { return x * tenth; }), "(fn ((x f64)) (mul x 0.1:f64))");
  CHECK_EQ(written_form<double>([&](auto x) { return x * huge; }), "(fn ((x f64)) (mul x 1e+300:f64))");
  CHECK_EQ(written_form<double>([&](auto x) { return max(x, -infinite); }), "(fn ((x f64)) (max x -inf:f64))");
  CHECK_EQ(written_form<double>([&](auto x) { return x + std::nan(""); }), "(fn ((x f64)) (add x nan:f64))");
  CHECK_EQ(written_form<uint64_t>([](auto x) { return x + ~uint64_t{0}; }), "(fn ((x u64)) (add x 18446744073709551615:u64))");
  CHECK_EQ(written_form<int>([](auto) { return 7; }), "(fn ((x i32)) 7:i32)");
}

TEST(sharing_keeps_the_text_short) {
  CHECK_EQ((written_form<int, int>([](auto a, auto b) {
             auto s = a + b;
             return std::pair(s, s * s);
           })),
           "(fn ((a i32) (b i32)) (let ((t0 (add a b))) (tuple t0 (mul t0 t0))))");
  auto squared_often = [](auto x) {
    for (int k = 0; k < 60; k++) x = x * x;
    return x;
  };
  CHECK(written_form<int>(squared_often).size() < 60 * 25);
}

TEST(deep_chains_nest_little) {
  auto text = written_form<float>([](auto x) {
    auto y = x;
    for (int k = 0; k < 20000; k++) y += x;
    return y;
  });
  int depth = 0, deepest = 0;
  for (char c : text) deepest = std::max(deepest, depth += (c == '(') - (c == ')'));
  CHECK(deepest < 150);
}

TEST(compound_assignment_keeps_the_type) {
  CHECK_EQ(written_form<int>([](auto x) {
             x += 0.5;
             return x;
           }),
           "(fn ((x i32)) (cast i32 (add x 0.5:f64)))");
  CHECK_EQ(written_form<uint32_t>([](auto x) {
             x %= 7, x <<= 3, x >>= 1, x &= 6, x |= 8, x ^= x;
             return x;
           }),
           "(fn ((x u32)) (let ((t0 (or (and (shr (shl (rem x 7:u32) 3:u32) 1:u32) 6:u32) 8:u32))) (xor t0 t0)))");
  CHECK_EQ(written_form<bool>([](auto x) { return x &= true; }), "(fn ((x bool)) (and x true))");
  CHECK_EQ(written_form<uint8_t>([](auto x) { return x -= 1, x *= 2, x /= 3; }), "(fn ((x u8)) (div (mul (sub x 1:u8) 2:u8) 3:u8))");
}

TEST(increments) {
  CHECK_EQ(written_form<int>([](auto x) { return ++x; }), "(fn ((x i32)) (add x 1:i32))");
  CHECK_EQ(written_form<float>([](auto x) {
             auto before = x++;
             --x;
             return std::pair(before, x--);
           }),
           "(fn ((x f32)) (tuple x (sub (add x 1.0:f32) 1.0:f32)))");
}

struct Point {
  float x;
  int k;
};
template <class T> struct Vector2 { T x, y; };
struct Hidden {
  Hidden() = default;
  Hidden(double a, bool b) : a_(a), b_(b) {}
  double a_ = 0;
  bool b_ = false;
};
template <> struct warpfold::Fields<Hidden> {
  static auto tie(auto& h) { return std::tie(h.a_, h.b_); }
};

TEST(tuples_and_structs) {
  CHECK_EQ((written_form<std::pair<int, float>>([](auto p) { return p.first * p.second; })), "(fn ((a i32) (b f32)) (mul a b))");
  CHECK_EQ((written_form<std::pair<int, float>>([](auto a, auto b) { return std::tuple(b, a); })), "(fn ((a i32) (b f32)) (tuple b a))");
  CHECK_EQ((written_form<std::pair<std::pair<int, bool>, float>>([](auto p) { return p.first.second; })),
           "(fn ((a i32) (b bool) (c f32)) b)");
  CHECK_EQ(written_form<Point>([](auto p) {
             auto [x, k] = p;
             return Expr<Point>(x + 1, k);
           }),
           "(fn ((a f32) (b i32)) (tuple (add a 1.0:f32) b))");
  CHECK_EQ(written_form<Vector2<float>>([](auto v) {
             return decltype(v){v.y, v.x * 2};
           }),
           "(fn ((a f32) (b f32)) (tuple b (mul a 2.0:f32)))");
  CHECK_EQ(written_form<Hidden>([](auto a, auto b) { return where(b, a, 0); }), "(fn ((a f64) (b bool)) (where b a 0.0:f64))");
  CHECK_EQ((written_form<std::array<int, 3>>([](auto v) { return v[0] + v[2]; })), "(fn ((a i32) (b i32) (c i32)) (add a c))");
  static_assert(std::is_same_v<ExprFor<Vector2<int>>, Vector2<Expr<int>>>);
  static_assert(std::is_same_v<ValueFor<Vector2<Expr<int>>>, Vector2<int>>);
  static_assert(std::is_same_v<detail::Leaves<std::tuple<Point, Hidden, long>>, std::tuple<float, int32_t, double, bool, int64_t>>);
}

TEST(where_on_tuples) {
  using P = std::pair<int, int64_t>;
  CHECK_EQ((written_form<P, P>([](auto a, auto b) { return where(b.first > a.first, b, a); })),
           "(fn ((a i32) (b i64) (c i32) (d i64)) (let ((t0 (gt c a))) (tuple (where t0 c a) (where t0 d b))))");
}

TEST(loops) {
  CHECK_EQ(written_form<float>([](auto c) {
             auto [z, k] = loop(
                 std::tuple(0.0f, 0), [](auto z, auto k) { return z < 4 && k < 256; },
                 [&](auto z, auto k) { return std::tuple(fma(z, z, c), k + 1); });
             return k + cast<int>(z);
           }),
           "(fn ((x f32)) (let (((v0 v1) (loop ((v0 0.0:f32) (v1 0:i32)) (and (lt v0 4.0:f32) (lt v1 256:i32)) "
           "(tuple (fma v0 v0 x) (add v1 1:i32))))) (add v1 (cast i32 v0))))");
  // Terms that depend on the loop are bound inside it, the others outside.
  CHECK_EQ(written_form<int>([](auto x) {
             return loop(
                 1, [&](auto n) { return n < x * x; },
                 [&](auto n) {
                   auto m = n + x;
                   return m * m;
                 });
           }),
           "(fn ((x i32)) (let ((v0 (loop ((v0 1:i32)) (lt v0 (mul x x)) (let ((t0 (add v0 x))) (mul t0 t0))))) v0))");
}

TEST(nested_loops) {
  auto text = written_form<int>([](auto x) {
    return loop(
        x, [](auto a) { return a > 0; },
        [&](auto a) {
          auto inner = loop(
              a, [](auto b) { return b > 10; }, [&](auto b) { return b / 2 + a * 0; });
          return inner - 1;
        });
  });
  CHECK_EQ(text,
           "(fn ((x i32)) (let ((v0 (loop ((v0 x)) (gt v0 0:i32) (let ((v1 (loop ((v1 v0)) (gt v1 10:i32) "
           "(add (div v1 2:i32) (mul v0 0:i32))))) (sub v1 1:i32))))) v0))");
}

TEST(captured_sequences) {
  Seq<int> a{1, 2, 3};
  Seq<std::pair<int, float>> p{{1, 2.f}, {3, 4.f}};
  auto n = a.size();
  CHECK_EQ(written_form<int64_t>([&](auto i) { return a[i] * a[n - 1 - i]; }), "(fn ((x i64)) (mul (at $0 x) (at $0 (sub 2:i64 x))))");
  CHECK_EQ(written_form<int>([&](auto i) {
             auto second = p[i].second;
             return second + a[i];
           }),
           "(fn ((x i32)) (add (at $0.1 (cast i64 x)) (at $1 (cast i64 x))))");
  Scalar<int> total = reduce(plus, 0, a);
  CHECK_EQ(written_form<float>([&](auto x) { return x / total; }), "(fn ((x f32)) (div x (at $0 0:i64)))");
}

TEST(truths_are_written_in_the_order_of_the_source) {
  Seq<int> s{1, 2, 3};
  CHECK_EQ(written_form<int64_t>([&](auto i) { return i > 0 && s[i - 1] == 7; }),
           "(fn ((x i64)) (and (gt x 0:i64) (eq (at $0 (sub x 1:i64)) 7:i32)))");
  CHECK_EQ(written_form<int64_t>([&](auto i) { return i < 1 || i > 2 || s[i - 1] == 7; }),
           "(fn ((x i64)) (or (or (lt x 1:i64) (gt x 2:i64)) (eq (at $0 (sub x 1:i64)) 7:i32)))");
  bool first = true;
  CHECK_EQ(written_form<bool>([&](auto x) { return first && x; }), "(fn ((x bool)) (and true x))");
  CHECK_EQ((written_form<int64_t, bool>([&](auto i, auto ok) { return (i >= 0 && ok) && s[i] > 0; })),
           "(fn ((a i64) (b bool)) (and (and (ge a 0:i64) b) (gt (at $0 a) 0:i32)))");
}

TEST(recursion_without_an_end_is_an_error) {
  using Recursive = std::function<Expr<int>(Expr<int>)>;
  Recursive factorial = [&](auto n) { return where(n == 0, 1, n * factorial(n - 1)); };
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto n) { return factorial(n); }));
  // Each step traces its own function.
  Recursive nested = [&](auto n) { return nested(map([](auto x) { return x + 1; }, Scalar(1)) + n); };
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto n) { return nested(n); }));
  Recursive inward = [&](auto n) { return n + reduce(plus, 0, map([&](auto x) { return inward(x); }, Seq{1})); };
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto n) { return inward(n); }));
  CHECK_THROWS(ArgumentError, written_form<int>([](auto n) {
                 for (int k = 0; k < 2; k = 1 - k) n = n + 1;
                 return n;
               }));
  try {
    map([&](auto n) { return factorial(n); }, Seq{5});
  } catch (const Error& error) { CHECK(std::string(error.what()).find("loop(") != std::string::npos); }
  CHECK_EQ(written_form<int>([](auto n) {
             std::function<Expr<int>(int)> power = [&](int k) { return k == 0 ? Expr<int>(1) : n * power(k - 1); };
             return power(2);
           }),
           "(fn ((x i32)) (mul x (mul x 1:i32)))");
}

TEST(misuse) {
  CHECK_THROWS(ArgumentError, Expr<int>(1));
  std::vector<Expr<int>> kept;
  written_form<int>([&](auto x) { return kept.push_back(x), x; });
  CHECK_THROWS(ArgumentError, kept[0] + kept[0]);
  // In a later function, of which the expression is no part either.
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto x) { return x + kept[0]; }));
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto) { return kept[0]; }));
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto x) {
                 return loop(
                     kept[0], [&](auto v) { return v > x; }, [](auto v) { return v - 1; });
               }));
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto x) { return where(x > 0, x, cast<int>(cast<double>(kept[0]))); }));
  CHECK_THROWS(ArgumentError, written_form<int>([&](auto x) {
                 auto leaked = x;
                 loop(
                     x, [&](auto v) { return leaked = v, v > 0; }, [](auto v) { return v - 1; });
                 return leaked + 1;
               }));
}

TEST(expressions_of_nested_functions_cannot_be_used_in_each_other) {
  const Seq<int> s{1, 2, 3};
  std::vector<Expr<int>> kept;
  auto leak = [&] { return map([&](auto y) { return kept.push_back(y + 10), y; }, s); };
  // In the next function that is nested in the same one, and in that one itself after as many operations.
  CHECK_THROWS(ArgumentError, map(
                                  [&](auto x) {
                                    leak();
                                    return x + reduce(plus, 0, map([&](auto y) { return (y + 20) * kept[0]; }, s));
                                  },
                                  s));
  kept.clear();
  CHECK_THROWS(ArgumentError, map(
                                  [&](auto x) {
                                    leak();
                                    auto y = x;
                                    for (int k = 0; k < 8; k++) y = y + k;
                                    return y + kept[0];
                                  },
                                  s));
  // A struct of expressions as the state of a loop.
  struct Pair {
    int a, b;
  };
  std::vector<Expr<Pair>> pairs;
  map([&](auto x) { return pairs.push_back(Expr<Pair>(x, 1)), x; }, s);
  auto less = [](const Expr<Pair>& p) { return p.get<0>() < 3; };
  CHECK_THROWS(ArgumentError, map([&](auto) { return loop(pairs[0], less, [](auto p) { return p; }).template get<0>(); }, s));
  CHECK_THROWS(ArgumentError,
               map([&](auto x) { return loop(Expr<Pair>(x, 1), less, [&](auto) { return pairs[0]; }).template get<0>(); }, s));
  // An expression of the outer function makes a nested function's sequence an inner one; functions nested deeply keep theirs.
  const auto sums = map([&](auto x) { return reduce(plus, 0, map([&](auto y) { return x * y; }, s)); }, s).to_vector();
  CHECK(sums == (std::vector<int>{6, 12, 18}));
}

// One place in the source whose function changes from call to call in one property: each call computes with its own function.
TEST(a_function_that_changes_is_traced_again) {
  const Seq<int> s{1, 2, 3}, t{10, 20, 30};
  auto run = [&](int factor, bool adds, const Seq<int>& table, bool swaps, int offset) {
    auto f = [&](auto x) {
      auto y = adds ? x + factor : x * factor;
      auto z = table[x - 1] + offset;
      return swaps ? std::pair(z, y) : std::pair(y, z);
    };
    return map(f, s).to_vector();
  };
  using Pairs = std::vector<std::pair<int, int>>;
  for (int round = 0; round < 2; round++) {
    CHECK(run(2, false, s, false, 0) == (Pairs{{2, 1}, {4, 2}, {6, 3}}));
    CHECK(run(2, false, s, false, 0) == (Pairs{{2, 1}, {4, 2}, {6, 3}}));
    CHECK(run(3, false, s, false, 0) == (Pairs{{3, 1}, {6, 2}, {9, 3}}));
    CHECK(run(3, true, s, false, 0) == (Pairs{{4, 1}, {5, 2}, {6, 3}}));
    CHECK(run(3, true, t, false, 0) == (Pairs{{4, 10}, {5, 20}, {6, 30}}));
    CHECK(run(3, true, t, true, 0) == (Pairs{{10, 4}, {20, 5}, {30, 6}}));
    CHECK(run(3, true, t, true, 1) == (Pairs{{11, 4}, {21, 5}, {31, 6}}));
  }
  auto sums = [&](int first, bool multiplies, int64_t n) {
    auto row = [&](auto x) {
      auto values = map([&](auto y) { return y * x; }, take(s, n));
      return multiplies ? reduce(times, first, values) : reduce(plus, first, values);
    };
    return map(row, s).to_vector();
  };
  for (int round = 0; round < 2; round++) {
    CHECK(sums(0, false, 3) == (std::vector{6, 12, 18}));
    CHECK(sums(0, false, 2) == (std::vector{3, 6, 9}));
    CHECK(sums(1, true, 2) == (std::vector{2, 8, 18}));
    CHECK(sums(1, true, 3) == (std::vector{6, 48, 162}));
  }
  auto steps = [&](int most, int by) {
    auto count = [&](auto x) {
      return loop(
          x, [&](auto v) { return v < most; }, [&](auto v) { return v + by; });
    };
    return map(count, s).to_vector();
  };
  for (int round = 0; round < 2; round++) {
    CHECK(steps(5, 2) == (std::vector{5, 6, 5}));
    CHECK(steps(6, 2) == (std::vector{7, 6, 7}));
    CHECK(steps(6, 3) == (std::vector{7, 8, 6}));
  }
  // Two results of one trace, in turn.
  auto one_of = [&](bool second) {
    auto f = [&](auto x) {
      auto a = x + 1, b = x + 2;
      return second ? b : a;
    };
    return map(f, s).to_vector();
  };
  for (int round = 0; round < 2; round++) {
    CHECK(one_of(false) == (std::vector{2, 3, 4}));
    CHECK(one_of(true) == (std::vector{3, 4, 5}));
  }
}

// An error while the function is made does not spoil the next one.
TEST(a_function_is_traced_after_an_error) {
  const Seq<int> s{1, 2, 3};
  auto run = [&](bool fails) {
    auto f = [&](auto x) {
      if (fails) throw std::runtime_error("of the user");
      return x + 1;
    };
    return map(f, s).to_vector();
  };
  for (int round = 0; round < 3; round++) {
    CHECK(run(false) == (std::vector{2, 3, 4}));
    CHECK_THROWS(std::runtime_error, run(true));
  }
}

// Texts of identities are kept, by the bits of each type.
TEST(identities_in_turn) {
  auto later = [](auto a, auto b) { return where(a < b, b, a); };
  const Seq<float> none{std::vector<float>()};
  const Seq<int> no_numbers{std::vector<int>()};
  auto pairs = [&](int a, float b) {
    return reduce([&](auto x, auto y) { return std::pair(later(x.first, y.first), later(x.second, y.second)); }, std::pair(a, b),
                  zip(no_numbers, none))
        .get();
  };
  for (int round = 0; round < 2; round++) {
    CHECK_EQ(float(reduce(later, 1.5f, none)), 1.5f);
    CHECK_EQ(float(reduce(later, -2.0f, none)), -2.0f);
    CHECK(std::signbit(float(reduce(later, -0.0f, none))));
    CHECK(!std::signbit(float(reduce(later, 0.0f, none))));
    CHECK_EQ(int(reduce(later, 0, no_numbers)), 0);
    CHECK_EQ(int(reduce(later, 7, no_numbers)), 7);
    CHECK(pairs(1, 2.5f) == std::pair(1, 2.5f));
    CHECK(pairs(1, -2.5f) == std::pair(1, -2.5f));
  }
}
