// functions: every elementary function, stored, in turns with neg, which only moves memory. A row's time is stated as a ratio to neg's. The
// peer on the CPU is SLEEF, on all threads; peers/functions.py measures torch and jax. Then 100 tanh in a row, and the price of a call option
// by Black and Scholes, one kernel each.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "complete.h"
#include "harness.h"
#include "peers/vector_functions.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

namespace {

using warpfold::Seq;

template <class F> double seconds(F&& f) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + long(x.size() / 2), x.end());
  return x[x.size() / 2];
}

VectorFunction<float> sleef(const char* name, float) { return sleef_f32(name); }
VectorFunction<double> sleef(const char* name, double) { return sleef_f64(name); }

template <class T> struct Functions {
  Bench& bench;
  Seq<T> x, y;  // from 0 to 1, and from 0 to 3
  Array<T> out = Array<T>(x.size());

  // f(x, y) gives a delayed sequence.
  template <class F> void row(const char* name, F f) {
    Seq<T> result;
    auto ours = [&] { result = complete(f(x, y)); };
    auto negated = [&] { result = complete(map([](auto a) { return -a; }, x)); };
    const auto peer = bench.options().context == "cpu" ? sleef(name, T()) : nullptr;
    auto theirs = [&] { peer(x.span().data(), y.span().data(), out.data(), x.size()); };
    std::vector<double> times, of_neg, of_peer;
    ours(), negated(), ours(), negated();
    if (peer) theirs();
    for (int round = 0; round < (bench.options().quick ? 5 : 15); round++) {
      of_neg.push_back(seconds(negated)), times.push_back(seconds(ours));
      if (peer) of_peer.push_back(seconds(theirs));
    }
    const double neg_ms = 1e3 * median(of_neg);
    record(bench.options().context, name, 1e3 * median(times), neg_ms);
    if (peer) record("SLEEF", name + std::string(" SLEEF"), 1e3 * median(of_peer), neg_ms);
  }

  void record(const std::string& engine, const std::string& name, double ms, double neg_ms) {
    const double bytes = 2e-6 * sizeof(T) * double(x.size());
    char text[64];
    std::snprintf(text, sizeof text, "%-12s %5.2f x neg,", name.c_str(), ms / neg_ms);
    bench.record({"functions", x.size(), sizeof(T) == 4 ? "f32" : "f64", engine, text, ms, bytes / ms, bytes / neg_ms});
  }
};

template <class T> void table(Bench& bench, warpfold::Context& context, int64_t n) {
  auto numbers = [&](T limit) {
    return Seq<T>(Array<T>(n, [=](int64_t i) { return limit * T(random_bits(uint64_t(i)) >> 40) * T(0x1p-24); }).view(), context);
  };
  Functions<T> functions{bench, numbers(1), numbers(3)};
#define ONE(name) functions.row(#name, [](const Seq<T>& x, const Seq<T>&) { return map([](auto a) { return name(a); }, x); });
#define TWO(name) \
  functions.row(#name, [](const Seq<T>& x, const Seq<T>& y) { return map([](auto a, auto b) { return name(a, b); }, x, y); });
  ONE(sqrt)
  ONE(rsqrt)
  ONE(cbrt)
  ONE(exp)
  ONE(exp2)
  ONE(expm1)
  ONE(log)
  ONE(log2)
  ONE(log10)
  ONE(log1p)
  ONE(sin)
  ONE(cos)
  ONE(tan)
  ONE(asin)
  ONE(acos)
  ONE(atan)
  ONE(sinh)
  ONE(cosh)
  ONE(tanh)
  ONE(asinh)
  ONE(acosh)
  ONE(atanh)
  ONE(erf)
  ONE(erfc)
  TWO(pow)
  TWO(hypot)
  TWO(atan2)
#undef ONE
#undef TWO
  functions.row("tanh100", [](const Seq<T>& x, const Seq<T>&) {
    return map(
        [](auto a) {
          for (int k = 0; k < 100; k++) a = tanh(a);
          return a;
        },
        x);
  });
  // Spot prices from 50 to 150, and up to three years; strike 100, rate 0.02, volatility 0.3.
  functions.row("option", [](const Seq<T>& x, const Seq<T>& y) {
    return map(
        [](auto u, auto years) {
          const auto spot = T(100) * u + T(50), deviation = T(0.3) * sqrt(years);
          const auto d1 = (log(spot * T(0.01)) + T(0.02 + 0.045) * years) / deviation, d2 = d1 - deviation;
          auto normal = [](auto d) { return T(0.5) * erf(d * T(0.70710678118654752)) + T(0.5); };
          return spot * normal(d1) - T(100) * exp(T(-0.02) * years) * normal(d2);
        },
        x, y);
  });
}

}  // namespace

void functions(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  table<float>(bench, context, n);
  table<double>(bench, context, n);
}

}  // namespace bench
