// Values and gradients of the programs of jax_values.py, against those of JAX.
#include <functional>
#include <map>

#include "checks.h"

using namespace gradcheck;

namespace {

constexpr int64_t n = 24;
using Doubles = Seq<double>;
using Matrix = Array<double, 2>;

Doubles weighted(const Doubles& s) {
  return map([](auto a, auto i) { return a * cast<double>(i + 1); }, s, iota(s.size(), s.context()));
}
template <class S> S squared(const S& s) { return s * s; }
Matrix rows(const Doubles& s) { return reshape(s, 4, 6); }
template <class A> Doubles flat(const A& a) {
  if constexpr (requires { a.flat(); }) return a.flat();
  else return a;
}
Matrix square(const Doubles& s) { return reshape(take(s, 16), 4, 4); }
Matrix dominant(const Doubles& s) { return matmul(square(s), t(square(s))) + eye<double>(4); }
Segments<double> sixes(const Doubles& s) { return {s, Seq<int64_t>(std::vector<int64_t>{0, 6, 12, 18, 24})}; }
Doubles recurrence(const Doubles& s) {
  return iterate_prefixes_incl([](auto y, auto a) { return 0.5 * a * y + a; }, 0.0, s);
}
Doubles affine(const Doubles& s) {
  const auto combine = [](auto l, auto r) { return std::pair(l.first * r.first, l.second * r.first + r.second); };
  return map([](auto p) { return p.second; },
             scan_incl(combine, std::pair(1.0, 0.0), map([](auto a) { return std::pair(0.5 * a, a); }, s)));
}

using Program = std::function<Scalar<double>(const Doubles&)>;
const std::map<std::string, Program> programs = {
    {"sin_squared", [](const Doubles& s) { return sum(squared(sin(s))); }},
    {"logsumexp", [](const Doubles& s) { return logsumexp(s); }},
    {"softmax", [](const Doubles& s) { return sum(weighted(softmax(s))); }},
    {"cumsum", [](const Doubles& s) { return sum(weighted(scan_incl(plus, 0.0, s))); }},
    {"cumprod", [](const Doubles& s) { return sum(weighted(scan_incl(times, 1.0, s))); }},
    {"cummax", [](const Doubles& s) { return sum(weighted(scan_incl(max, -INFINITY, s))); }},
    {"cumlogsumexp",
     [](const Doubles& s) { return sum(weighted(scan_incl([](auto a, auto b) { return logaddexp(a, b); }, -double{INFINITY}, s))); }},
    {"recurrence", [](const Doubles& s) { return sum(weighted(recurrence(s))); }},
    {"affine_scan", [](const Doubles& s) { return sum(weighted(affine(s))); }},
    {"gather", [](const Doubles& s) { return sum(weighted(squared(tabulate([=](auto i) { return s[i * i % n]; }, n)))); }},
    {"scatter_add",
     [](const Doubles& s) {
       const auto zero = tabulate([](auto) { return 0.0; }, n);
       return sum(weighted(squared(scatter(plus, zero, tabulate([](auto i) { return i * i % n; }, n), s))));
     }},
    {"segment_sum", [](const Doubles& s) { return sum(squared(reduce(plus, 0.0, sixes(s)))); }},
    {"segment_max", [](const Doubles& s) { return sum(squared(reduce(max, -INFINITY, sixes(s)))); }},
    {"sort", [](const Doubles& s) { return sum(weighted(sort(s))); }},
    {"max", [](const Doubles& s) { return map([](auto a) { return a * a; }, reduce(max, -INFINITY, s)); }},
    {"min", [](const Doubles& s) { return map([](auto a) { return a * a * a; }, reduce(min, INFINITY, s)); }},
    {"prod", [](const Doubles& s) { return product(s); }},
    {"norm", [](const Doubles& s) { return norm(s); }},
    {"variance", [](const Doubles& s) { return variance(s); }},
    {"reverse", [](const Doubles& s) { return sum(weighted(rev(s) * s)); }},
    {"shift", [](const Doubles& s) { return sum(squared(squared(drop(s, 1) - take(s, n - 1)))); }},
    {"append", [](const Doubles& s) { return sum(squared(append(s, s * s))); }},
    {"matmul", [](const Doubles& s) { return sum(squared(matmul(rows(s), reshape(s, 6, 4)))); }},
    {"transpose", [](const Doubles& s) { return sum(weighted(flat(t(rows(s))) * s)); }},
    {"row_softmax", [](const Doubles& s) { return sum(weighted(flat(softmax(rows(s), 1)))); }},
    {"layer_norm",
     [](const Doubles& s) {
       const Matrix d = rows(s) - mean(rows(s), 1, keep);
       return sum(weighted(flat(d / sqrt(mean(d * d, 1, keep) + 1e-5))));
     }},
    {"outer", [](const Doubles& s) { return sum(squared(outer(s, s))); }},
    {"bodies",
     [](const Doubles& s) {
       return sum(map([=](auto a) { return sum(map([=](auto b) { return rsqrt((a - b) * (a - b) + 0.1); }, s)); }, s));
     }},
    {"convolution",
     [](const Doubles& s) {
       return sum(tabulate(
           [=](auto p) {
             const auto i = p / 3, j = p % 3;
             const auto at = [&](int k) { return s[(i + k / 2) * 4 + j + k % 2] * s[16 + k]; };
             const auto total = at(0) + at(1) + at(2) + at(3);
             return total * total;
           },
           9));
     }},
    {"cholesky", [](const Doubles& s) { return sum(log(tabulate([l = cholesky(dominant(s))](auto i) { return l(i, i); }, 4))); }},
    {"solve", [](const Doubles& s) { return sum(solve(dominant(s), subseq(s, 16, 4))); }},
    {"inverse", [](const Doubles& s) { return sum(inverse(dominant(s))); }},
    {"eigenvalues", [](const Doubles& s) { return sum(weighted(flat(eigen(dominant(s)).values))); }},
    {"singular_values",  // of JAX the largest first
     [](const Doubles& s) { return sum(weighted(flat(singular_values(rows(s)).values))); }},
    {"guarded", [](const Doubles& s) { return sum(map([](auto a) { return where(a > 0.7, sqrt(a - 0.7), 0.0); }, s)); }},
    {"gamma", [](const Doubles& s) { return sum(map([](auto a) { return lgamma(a) + digamma(a); }, s)); }},
    {"gamma_p", [](const Doubles& s) { return sum(map([](auto a, auto b) { return gamma_p(a, b); }, s, rev(s))); }},
    {"polygamma", [](const Doubles& s) { return sum(map([](auto a) { return polygamma(2.0, a) * 1e-3; }, s)); }},
    {"erf", [](const Doubles& s) { return sum(map([](auto a) { return erf(a) * ndtr(a); }, s)); }},
    {"network",
     [](const Doubles& s) {
       const auto inner = tanh(matmul(square(s), subseq(s, 16, 4)));
       return sum(flat(tanh(matmul(square(s), inner))) * subseq(s, 20, 4));
     }},
};

}  // namespace

TEST(programs_of_jax) {
  Vector x;
  for (int64_t i = 0; i < n; i++) x.push_back(double(i * 7919 % 1000) / 1000 + 0.25);
  const auto program = [&](const std::string& name, double value, double total, double weighted_total) {
    const auto [v, g] = value_and_grad(programs.at(name))(Doubles(x));
    const Vector gradient = elements_of(g);
    double found = 0, weighted_found = 0;
    for (size_t k = 0; k < gradient.size(); k++) found += gradient[k], weighted_found += gradient[k] * double(k + 1);
    expect_close(v.get(), value, 1e-10, name + ", value");
    expect_close(found, total, 1e-10, name + ", sum of the gradient");
    expect_close(weighted_found, weighted_total, 1e-10, name + ", weighted sum of the gradient");
  };
#define PROGRAM(name, ...) program(#name, __VA_ARGS__);
#include "jax_values.def"
}
