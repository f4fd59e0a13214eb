// Derivatives that are given: of opaque functions, of functions of elements and of sequences; and gradients that compute values again.
#include "checks.h"

using namespace gradcheck;

namespace {

double opaque_cube(double x) { return x * x * x; }
auto cube() {
  return custom_derivative(foreign("cube", opaque_cube), [](auto x, auto, auto dy) { return 3 * x * x * dy; });
}
const std::vector<int64_t> sizes = {0, 1, 2, 33, 1025, 100001};

void expect_vectors(const Vector& got, const Vector& wanted, double tolerance, const std::string& what) {
  CHECK_EQ(got.size(), wanted.size());
  for (size_t k = 0; k < std::min(got.size(), wanted.size()); k++)
    expect_close(got[k], wanted[k], tolerance, what + " " + std::to_string(k));
}

void require_host_functions() {
  if (default_context().name() != "cpu") SKIP("host functions run on the CPU engine alone");
}

}  // namespace

TEST(opaque_functions_have_the_derivative_that_is_given) {
  require_host_functions();
  const auto f = [](const Seq<double>& x) { return sum(map([](auto a) { return sin(a); }, map(cube(), x))); };
  for (int64_t n : sizes) {
    const Vector x = random_vector(n, 1);
    if (n < 2000) against_differences("cube", f, x);
    if (n > 0 && n < 2000) second_order("cube", f, x);
    against_forward_mode(
        "cube", [](const Seq<double>& s) { return map(cube(), s); }, x);
  }
  const Seq<double> x = variable(Seq<double>{1, 2, 3});
  const auto y = map(cube(), x);
  CHECK(elements_of(y) == (Vector{1, 8, 27}));
  CHECK(elements_of(gradients(sum(y), x)) == (Vector{3, 12, 27}));
  CHECK(contains(error_of([&] { gradients(sum(map(foreign("cube", opaque_cube), x)), x); }),
                 "the opaque function \"cube\" has no derivative; expected wf_fn_derivative"));
}

TEST(host_functions_of_several_parameters) {
  require_host_functions();
  const auto f =
      custom_derivative([](double a, double b) { return a * b; }, [](auto a, auto b, auto, auto dy) { return std::tuple(b * dy, a * dy); });
  const Seq<double> a = variable(Seq<double>{1, 2, 3}), b = variable(Seq<double>{4, 5, 6});
  const auto [da, db] = gradients(sum(map(f, a, b)), a, b);
  CHECK(elements_of(da) == (Vector{4, 5, 6}));
  CHECK(elements_of(db) == (Vector{1, 2, 3}));
}

// The derivative that is given is not that of the function, so that the test sees which one is used.
TEST(lambdas_have_the_derivative_that_is_given) {
  const auto f = custom_derivative([](auto a) { return exp(a); }, [](auto, auto y, auto dy) { return 5 * y * dy; });
  for (int64_t n : sizes) {
    const Vector x = random_vector(n, 2);
    Vector wanted;
    for (double a : x) wanted.push_back(5 * std::exp(a));
    const auto loss = [&](const Seq<double>& s) { return sum(map(f, s)); };
    expect_vectors(elements_of(grad(loss)(Seq<double>(x))), wanted, 1e-15, "five times");
    expect_vectors(elements_of(grad(jit(loss))(Seq<double>(x))), wanted, 1e-15, "five times, of jit");
    expect_vectors(elements_of(jit(grad(loss))(Seq<double>(x))), wanted, 1e-15, "five times, in jit");
    expect_vectors(
        elements_of(jvp([&](const Seq<double>& s) { return map(f, s); }, Seq<double>(x), Seq<double>(Vector(x.size(), 1.0))).second),
        wanted, 1e-15, "five times, forward");
    for (double& w : wanted) w *= 5;  // the derivative of y is given, too
    expect_vectors(elements_of(hessian_vector(loss)(Seq<double>(x), Seq<double>(Vector(x.size(), 1.0)))), wanted, 1e-15,
                   "twenty-five times");
  }
}

TEST(a_combine_has_the_derivative_that_is_given) {
  const auto f = custom_derivative([](auto a, auto b) { return a + b; }, [](auto, auto, auto, auto dy) { return std::tuple(dy, 2 * dy); });
  const Seq<double> x = variable(Seq<double>{1, 2, 3});
  CHECK_EQ(reduce(f, 0.0, x).get(), 6);
  CHECK(elements_of(gradients(reduce(f, 0.0, x), x))[2] == 2);
  CHECK(elements_of(gradients(sum(scan_incl(f, 0.0, x)), x))[2] == 2);
}

TEST(sequences_have_the_derivative_that_is_given) {
  const auto clipped = custom_derivative(
      [](const Seq<double>& x) { return map([](auto a) { return 3 * a; }, x); },
      [](const Seq<double>&, const Seq<double>&, const Seq<double>& dy) { return map([](auto d) { return min(d, 1.0); }, dy); });
  const auto exponential = custom_derivative([](const Seq<double>& x) { return map([](auto a) { return exp(a); }, x); },
                                             [](const Seq<double>&, const Seq<double>& y, const Seq<double>& dy) { return y * dy; });
  for (int64_t n : sizes) {
    const Vector x = random_vector(n, 3);
    const Vector ones(x.size(), 1.0);
    for (bool early : {false, true}) {
      const Seq<double> v = variable(Seq<double>(x));
      const auto y = clipped(v);
      if (early) force(y);
      expect_vectors(elements_of(gradients(sum(map([](auto a) { return 7 * a; }, y)), v)), ones, 0, "clipped");
    }
    const auto loss = [&](const Seq<double>& s) { return sum(exponential(map([](auto a) { return sin(a); }, s))); };
    if (n < 2000) against_differences("exp", loss, x);
    if (n > 0 && n < 2000) second_order("exp", loss, x);
    against_forward_mode(
        "exp", [&](const Seq<double>& s) { return exponential(s); }, x);
    const auto plain = grad([](const Seq<double>& s) { return sum(map([](auto a) { return exp(sin(a)); }, s)); });
    expect_vectors(elements_of(jit(grad(loss))(Seq<double>(x))), elements_of(plain(Seq<double>(x))), 1e-15, "exp in jit");
  }
  const auto wrong = custom_derivative([](const Seq<double>& x) { return x; },
                                       [](const auto&, const auto& y, const auto& dy) { return std::tuple(y, dy); });
  CHECK(contains(error_of([&] { wrong(Seq<double>{1}); }), "df returned 2 cotangents; expected one like each of the 1 arguments"));
}

TEST(checkpoints_compute_again) {
  const auto block = [](const Seq<double>& x) {
    const double scale = 1.0 / double(std::max<int64_t>(1, x.size()));
    return scan_incl([](auto a, auto b) { return a + b; }, 0.0, map([=](auto a) { return scale * sin(a); }, x));
  };
  const auto chain = [&](const auto& step) {
    return [&](const Seq<double>& x) {
      Seq<double> y = x;
      for (int k = 0; k < 3; k++) y = step(y);
      return sum(y * y);
    };
  };
  for (int64_t n : sizes) {
    const Vector x = random_vector(n, 4, -1e-2, 1e-2);
    const auto again = chain(checkpoint(block));
    const auto kept = chain(block);
    const auto g = elements_of(grad(again)(Seq<double>(x)));
    expect_vectors(g, elements_of(grad(kept)(Seq<double>(x))), 1e-12, "checkpoint");
    expect_vectors(elements_of(jit(grad(again))(Seq<double>(x))), g, 1e-12, "checkpoint in jit");
    if (n > 0) second_order("checkpoint", again, Vector(x.begin(), x.begin() + std::min<int64_t>(n, 1025)));
  }
  const Seq<double> w = variable(Seq<double>{2, 3});
  CHECK(contains(error_of([&] {
                   checkpoint([&](const Seq<double>& x) { return x * w; })(variable(Seq<double>{1, 1}));
                 }),
                 "values[0] depends on a variable that is not among inputs"));
}

TEST(checkpoints_keep_less_memory) {
  const Context context("cpu");
  const auto block = [](const Seq<double>& given) {  // a dozen stored sequences
    Seq<double> x = given;
    for (int k = 0; k < 12; k++) x = scan_incl([](auto a, auto b) { return a + b; }, 0.0, map([](auto a) { return sin(a); }, x));
    return x;
  };
  const Seq<double> x(random_vector(1 << 16, 5), context);
  const auto peak = [&](const auto& step) {
    const auto g = jit(grad([=](const Seq<double>& given) {
      Seq<double> y = given;
      for (int k = 0; k < 12; k++) y = step(y);
      return sum(y);
    }));
    force(g(x));
    detail::check(wf_context_reset_peak(context.raw()));
    force(g(x));
    int64_t most = 0;
    detail::check(wf_context_memory(context.raw(), nullptr, nullptr, &most, nullptr));
    return most >> 19;  // in sequences
  };
  const int64_t again = peak(checkpoint(block)), kept = peak(block);
  if (!(again * 2 < kept)) check::fail(__FILE__, __LINE__, std::to_string(again) + " and " + std::to_string(kept) + " sequences at most");
}
