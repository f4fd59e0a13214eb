// Whichever allocation of a gradient fails, that is an error, nothing is lost, and the same handles work afterwards.
#include "checks.h"

using namespace gradcheck;

namespace {

// f: Seq<double> -> Scalar<double>. Returns the number of allocations that failed.
template <class F> void with_failures(const std::string& name, const F& f, int64_t n) {
  const Vector x = random_vector(n, 3, 0.5, 1.5), wanted = elements_of(grad(f)(Seq<double>(x)));
  int64_t failures = 0;
  for (bool failed = true; failed;) {
    const Seq<double> v = variable(Seq<double>(x));
    const auto loss = f(v);
    const auto made = [&] {
      const auto g = gradients(loss, v);
      force(loss, g);
      return g;
    };
    detail::check(wf_context_fail_allocation(default_context().raw(), failures + 1));
    try {
      failed = false, made();
    } catch (const MemoryError&) { failed = true, failures++; }
    detail::check(wf_context_fail_allocation(default_context().raw(), 0));
    if (!(elements_of(made()) == wanted)) return check::fail(__FILE__, __LINE__, name + " is wrong after a failure");
  }
  if (failures < 2) check::fail(__FILE__, __LINE__, name + ": " + std::to_string(failures) + " allocations");
}

}  // namespace

TEST(one_of_each_kind) {
  const auto square = [](auto a) { return a * a; };
  const auto squares = [=](const auto& s) { return sum(map(square, s)); };
  static constexpr int64_t n = 20000;
  with_failures(
      "a map", [=](const auto& s) { return squares(map([](auto a) { return sin(a); }, s)); }, n);
  with_failures(
      "a reduction by max", [](const auto& s) { return reduce(max, -INFINITY, s) * sum(s); }, n);
  with_failures(
      "a reduction by mul", [](const auto& s) { return reduce(times, 1.0, s); }, n);
  with_failures(
      "any reduction", [](const auto& s) { return reduce([](auto a, auto b) { return logaddexp(a, b); }, -INFINITY, s); }, n);
  with_failures(
      "a scan by add", [=](const auto& s) { return squares(scan_incl(plus, 0.0, s)); }, n);
  with_failures(
      "a scan by mul", [=](const auto& s) { return squares(scan_incl(times, 1.0, s)); }, n);
  with_failures(
      "a filter", [=](const auto& s) { return squares(filter([](auto a) { return a > 1.0; }, s)); }, n);
  with_failures(
      "a sort", [=](const auto& s) { return sum(sort(s) * s); }, n);
  with_failures(
      "a gather", [=](const auto& s) { return squares(tabulate([=](auto i) { return s[i * i % n]; }, n)); }, n);
  with_failures(
      "a scatter", [=](const auto& s) { return squares(scatter(plus, s, tabulate([](auto i) { return i * i % n; }, n), s)); }, n);
  with_failures(
      "an append", [=](const auto& s) { return squares(append(s, rev(s))); }, n);
  with_failures(
      "an iteration", [](const auto& s) { return iterate([](auto a, auto x) { return a * 0.5 + x; }, 0.0, s); }, 300);
  with_failures(
      "segments",
      [=](const auto& s) {
        return squares(reduce(plus, 0.0, Segments<double>(s, Seq<int64_t>(std::vector<int64_t>{0, 7, 7, n}))));
      },
      n);
  with_failures(
      "a product of matrices", [=](const auto& s) { return squares(matmul(reshape(s, 100, 200), reshape(s, 200, 100))); }, n);
  with_failures(
      "a factorization",
      [](const auto& s) {
        const auto a = reshape(s, 30, 30);
        return sum(cholesky(matmul(a, t(a)) + eye<double>(30)));
      },
      900);
  with_failures("a checkpoint", checkpoint([=](const auto& s) { return squares(scan_incl(plus, 0.0, s)); }), n);
  with_failures(
      "a custom derivative",
      custom_derivative(squares, [](const auto& s, const auto&, const auto& dy) { return map([=](auto a) { return 2 * a * dy; }, s); }), n);
}
