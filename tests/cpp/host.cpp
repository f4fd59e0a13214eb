// Opaque functions: lambdas with concrete parameter types, function pointers, foreign functions.
#include <math.h>

#include "common.h"

using namespace warpfold;

TEST(host_lambdas) {
  needs_cpu();
  for (int64_t n : lengths) {
    auto v = numbers(n);
    std::vector<double> expected;
    for (int x : v) expected.push_back(x < 0 ? -1.5 : std::lgamma(x + 1.0));
    int calls_see = 1;
    auto f = [calls_see](int x) { return x < 0 ? -1.5 : std::lgamma(x + static_cast<double>(calls_see)); };
    auto s = map(f, Seq(v));
    static_assert(std::is_same_v<decltype(s), Seq<double>>);
    CHECK(s.to_vector() == expected);
  }
}

TEST(host_lambdas_on_tuples) {
  needs_cpu();
  auto pairs = zip(Seq{1, 2, 3}, Seq{0.5, 1.5, 2.5});
  CHECK((map([](std::pair<int, double> p) { return p.first * p.second; }, pairs).to_vector() == std::vector{0.5, 3.0, 7.5}));
  CHECK((map([](int a, double b) { return std::pair<double, bool>(b, a > 1); }, pairs).to_vector()[1] == std::pair{1.5, true}));
  CHECK((map([](int a, int b) { return a - b; }, Seq{5, 6}, Seq{1, 1}).to_vector() == std::vector{4, 5}));
  CHECK((filter([](int x) { return x % 2 == 1; }, Seq{1, 2, 3}).to_vector() == std::vector{1, 3}));
  CHECK((tabulate([](int64_t i) { return static_cast<float>(i) / 2; }, 3).to_vector() == std::vector{0.f, .5f, 1.f}));
  CHECK((map(host([](auto x) { return x > 1 ? 10 : 20; }), Seq{1, 2}).to_vector() == std::vector{20, 10}));
}

TEST(host_lambdas_fuse_with_traced_ones) {
  needs_cpu();
  auto s = map([](int x) { return x * 2; }, map([](auto x) { return x + 1; }, Seq{1, 2, 3}));
  auto total = reduce(plus, 0, s);
  CHECK_EQ(kernels(total), "1 kernel");
  CHECK_EQ(total.get(), 18);
}

TEST(bessel) {
  needs_cpu();
  Seq<double> x{0, 0.5, 1, 2.5};
  std::vector<double> expected;
  for (double v : {0.0, 0.5, 1.0, 2.5}) expected.push_back(::j0(v));
  CHECK(map(foreign("j0", ::j0), x).to_vector() == expected);
  CHECK(map(::j0, x).to_vector() == expected);
  CHECK(explain(map(foreign("j0", ::j0), x)).find("j0") != std::string::npos);
}

TEST(source_functions_with_a_host_side) {
  const char* text = "float half_of(float x) { return x / 2; }";
  auto half =
      map(source<float(float)>("half_of", text, [](float x) { return x / 2; }), map([](auto x) { return x + 1; }, Seq{1.f, 2.f, 5.f}));
  static_assert(std::is_same_v<decltype(half), Seq<float>>);
  CHECK(explain(half).find("half_of") != std::string::npos);
  CHECK_EQ(kernels(half), "1 kernel");
  CHECK((half.to_vector() == std::vector{1.f, 1.5f, 3.f}));
  auto split = map(source<std::pair<int, bool>(int, double)>(
                       "split", "void split(int32_t x, double y, int32_t& sum, bool& less) { sum = x + int32_t(y); less = x < y; }",
                       [](int x, double y) {
                         return std::pair{x + static_cast<int>(y), x < y};
                       }),
                   Seq{1, 2}, Seq{1.5, 1.5});
  CHECK((split.to_vector() == std::vector<std::pair<int, bool>>{{2, true}, {3, false}}));
  CHECK((filter(source<bool(int)>("odd", "bool odd(int32_t x) { return x % 2 != 0; }", [](int x) { return x % 2 != 0; }), Seq{1, 2, 3})
             .to_vector() == std::vector{1, 3}));
  auto sum = reduce(source<int(int, int)>("sum", "int32_t sum(int32_t a, int32_t b) { return a + b; }", [](int a, int b) { return a + b; }),
                    0, Seq{1, 2, 3});
  CHECK_EQ(sum.get(), 6);
}

TEST(source_functions_alone) {
  auto s = map(source<float(float)>("only_there", "float only_there(float x) { return x; }"), Seq{1.f});
  if (s.context().name() == "cpu") {
    std::string why;
    try {
      s.to_vector();
    } catch (const UnsupportedError& e) { why = e.what(); }
    CHECK(why.find("only_there") != std::string::npos);
  } else {
    CHECK((s.to_vector() == std::vector{1.f}));
  }
}
