// Gradients of functions of sequences: maps, reductions, scans, reads by computed indices, segments, sorts, and a fold per element.

#include <cmath>
#include <vector>

#include "gradients/gradients.h"

namespace bench::gradients {

using warpfold::plus;
using warpfold::Seq;
using warpfold::times;

namespace {

template <class F> auto made(int64_t n, const F& f) { return Seq<decltype(f(n))>(Array<decltype(f(n))>(n, f).view()); }
Seq<float> input(int64_t n, uint64_t which) {
  return made(n, [=](int64_t i) { return element(which, i); });
}

const auto square = [](auto a) { return a * a; };
const auto product = [](auto a, auto b) { return a * b; };

// h[i] = a[i] h[i - 1] + b[i].
const auto recurrence = []<class T>(const Seq<T>& a, const Seq<T>& b) {
  const auto affine = [](auto l, auto r) { return std::pair(get<0>(l) * get<0>(r), get<0>(r) * get<1>(l) + get<1>(r)); };
  return sum(map([](auto s) { return get<1>(s) * get<1>(s); }, scan_incl(affine, std::pair(T(1), T(0)), zip(a, b))));
};

// The sum of 1 / distance over all pairs, softened.
const auto energy = []<class T>(const Seq<T>& x, const Seq<T>& y, const Seq<T>& z) {
  const int64_t n = x.size();
  return sum(warpfold::tabulate(
      [=](auto i) {
        return sum(warpfold::tabulate(
            [=](auto j) {
              const auto dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
              return T(1) / sqrt(dx * dx + dy * dy + dz * dz + T(0.01));
            },
            n));
      },
      n));
};

void gathers(Bench& bench, int64_t n) {
  const auto few = std::min(n, int64_t(1) << 20);
  race<0>(
      bench, "gather", n,
      []<class T>(const Seq<T>& x, const Seq<int32_t>& at) {
        return sum(map(square, warpfold::tabulate([=](auto i) { return x[at[i]]; }, at.size())));
      },
      input(few, 1), made(n, [=](int64_t i) { return int32_t(random_bits(uint64_t(i)) % uint64_t(few)); }));
  const int64_t segments = std::max<int64_t>(1, n / 1024);
  race<0>(
      bench, "segment sums, squared", n,
      []<class T>(const Seq<T>& x, const Seq<int64_t>& offsets) {
        return sum(map(square, reduce(plus, T(0), warpfold::Segments<T>(x, offsets))));
      },
      input(n, 1), made(segments + 1, [=](int64_t k) {
        return k == 0 ? 0 : k == segments ? n : k * 1024 + int64_t(random_bits(uint64_t(k)) % 1024);
      }));
}

}  // namespace

void sequences(Bench& bench, int64_t n) {
  const Seq<float> x = input(n, 1), w = input(n, 2);
  race<0>(
      bench, "sum sin2", n, [](const auto& x) { return sum(map([](auto a) { return sin(a) * sin(a); }, x)); }, x);
  race<0>(
      bench, "logsumexp", n, [](const auto& x) { return logsumexp(x); }, x);
  race<0>(
      bench, "cumsum . w", n, []<class T>(const Seq<T>& x, const Seq<T>& w) { return sum(map(product, scan_incl(plus, T(0), x), w)); }, x,
      w);
  race<0, 1>(bench, "linear recurrence", n, recurrence, x, w);
  gathers(bench, n);
  race<0>(
      bench, "sort . w", n, []<class T>(const Seq<T>& x, const Seq<T>& w) { return sum(map(product, sort(x), w)); }, x, w);
  race<0>(
      bench, "max", n, []<class T>(const Seq<T>& x) { return reduce(warpfold::max, T(-INFINITY), x); }, x);
  race<0>(
      bench, "prod", n, []<class T>(const Seq<T>& x) { return reduce(times, T(1), x); },
      made(n, [](int64_t i) { return 1 + element(1, i) / 1024; }));
  const auto bodies = int64_t(2 * std::sqrt(double(n)));
  race<0, 1, 2>(bench, "n-body energy", bodies, energy, input(bodies, 1), input(bodies, 2), input(bodies, 3));
}

}  // namespace bench::gradients
