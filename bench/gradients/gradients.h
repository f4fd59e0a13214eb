// Values and gradients next to the same values alone. bench/peers/gradients.py has the same functions of the same numbers in JAX and PyTorch.
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "harness.h"
#include "warpfold/warpfold.hpp"

namespace bench::gradients {

// In the default context. n is the number of elements of the largest works; rows have 4096, square matrices (n / 4)^(1/2).
void sequences(Bench& bench, int64_t n);
void arrays(Bench& bench, int64_t n);

template <class V> void wait_for(const V& value) {
  if constexpr (requires { warpfold::wait(value); }) warpfold::wait(value);
  else std::apply([](const auto&... each) { (wait_for(each), ...); }, value);
}

// x + h sin(1000 x), in f64. Integers stay as they are.
template <class A> auto moved(const A& x, [[maybe_unused]] double h) {
  if constexpr (std::is_same_v<typename A::value_type, float>)
    return map([=](auto each) { return warpfold::cast<double>(each) + h * sin(1000.0 * warpfold::cast<double>(each)); }, x);
  else return x;
}

// The derivative in that direction: the sum of the gradient's products with it, and the sum of their magnitudes.
template <class A> std::pair<double, double> along(const A& gradient, const A& x) {
  const auto products =
      map([](auto g, auto each) { return warpfold::cast<double>(g) * sin(1000.0 * warpfold::cast<double>(each)); }, gradient, x);
  return {sum(products).get(), sum(abs(products)).get()};
}

// Returns true if the gradients of f agree with a difference of its values in f64.
template <size_t... by, class F, class V, class... A> bool agrees(const F& f, const V& found, const A&... arguments) {
  const auto value_at = [&](double h) {
    constexpr auto is_variable = [](size_t k) { return ((k == by) || ...); };
    return [&]<size_t... k>(std::index_sequence<k...>) { return f(moved(arguments, is_variable(k) ? h : 0)...).get(); }
    (std::index_sequence_for<A...>{});
  };
  constexpr double h = 1e-6;
  double slope = 0, size = 0;
  const auto all = std::tie(arguments...);
  const auto add = [&](const auto& gradient, const auto& x) {
    const auto [sum, magnitude] = along(gradient, x);
    slope += sum, size += magnitude;
  };
  if constexpr (sizeof...(by) == 1) (add(found.second, std::get<by>(all)), ...);
  else std::apply([&](const auto&... gradient) { (add(gradient, std::get<by>(all)), ...); }, found.second);
  std::printf("value %.6g, derivative along sin(1000 x) %.6g\n", double(found.first.get()), slope);
  return std::abs((value_at(h) - value_at(-h)) / (2 * h) - slope) <= 1e-3 * size;
}

// The value of f(arguments...) and its gradient by the arguments numbered `by`, and the value alone. Both are traced once.
template <size_t... by, class F, class... A>
void race(Bench& bench, const std::string& work, int64_t n, const F& f, const A&... arguments) {
  constexpr int64_t most_checked = 1 << 16;
  const auto value = warpfold::jit(f);
  const auto both = warpfold::jit(warpfold::value_and_grad<by...>(f));
  const auto all = std::tie(arguments...);
  const int64_t elements = (arguments.size() + ...) + (std::get<by>(all).size() + ...);
  std::optional<decltype(both(arguments...))> found;
  Race contest(bench, {"gradient of " + work, "f32", n, 4 * elements});
  contest.enter_warpfold(
      [&] {
        found = both(arguments...);
        wait_for(*found);
      },
      [&] { return n > most_checked || agrees<by...>(f, *found, arguments...); });
  contest.enter_warpfold([&] { warpfold::wait(value(arguments...)); }, [] { return true; }, "warpfold, value alone");
  contest.finish();
}

// Element i of input `which`, in [-1, 1).
inline float element(uint64_t which, int64_t i) { return random_float((which << 40) + uint64_t(i), -1, 1); }

}  // namespace bench::gradients
