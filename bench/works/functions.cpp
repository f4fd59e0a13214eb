// functions: every elementary function, stored, in turns with neg, which only moves memory. A row's time is stated as a ratio to neg's.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "complete.h"
#include "harness.h"
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

template <class T> struct Functions {
  Bench& bench;
  Seq<T> x, y;  // from 0 to 1, and from 0 to 3

  // f(x, y) gives a delayed sequence.
  template <class F> void row(const char* name, F f) {
    Seq<T> result;
    auto ours = [&] { result = complete(f(x, y)); };
    auto negated = [&] { result = complete(map([](auto a) { return -a; }, x)); };
    std::vector<double> times, of_neg;
    ours(), negated(), ours(), negated();
    for (int round = 0; round < (bench.options().quick ? 5 : 15); round++)
      of_neg.push_back(seconds(negated)), times.push_back(seconds(ours));
    const double ms = 1e3 * median(times), neg_ms = 1e3 * median(of_neg), bytes = 2e-6 * sizeof(T) * double(x.size());
    char text[64];
    std::snprintf(text, sizeof text, "%-6s %5.2f x neg,", name, ms / neg_ms);
    bench.record({"functions", x.size(), sizeof(T) == 4 ? "f32" : "f64", bench.options().context, text, ms, bytes / ms, bytes / neg_ms});
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
}

}  // namespace

void functions(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  table<float>(bench, context, n);
  table<double>(bench, context, n);
}

}  // namespace bench
