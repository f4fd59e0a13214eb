// Reductions with more work for each element than reading it.
//   polynomial  the sum of a polynomial of degree 8
//   moments     mean, variance, least and greatest element, together
//   argmax      the largest element and its index
//   counts      the numbers of bytes that are 0, 1, ..., 7, together

#include <array>
#include <tuple>
#include <utility>

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

static Seq<float> floats(const warpfold::Context& context, int64_t n) {
  return Seq<float>(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }).view(), context);
}

void polynomial(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const Seq<float> s = floats(context, n);
  const std::span<const float> input = s.span();
  const double expected = threads::polynomial_sum(input) / double(n);
  float sum = 0;
  auto right = [&] { return close(sum / double(n), expected, 1e-5); };
  Race race(bench, {"polynomial", "f32", n, 4 * n, read_limit(s.data(), 4 * n)});
  const auto values_sum = [](const Seq<float>& x) {
    auto value = [](auto v) {
      auto y = v * (1.0f / 9) + 1.0f / 8;
      for (int k = 7; k > 0; --k) y = y * v + 1.0f / float(k);
      return y;
    };
    return warpfold::reduce(warpfold::plus, 0.0f, map(value, x));
  };
  race.enter_warpfold([&] { sum = values_sum(s).get(); }, right);
  const auto traced = warpfold::jit(values_sum);
  race.enter(
      by_jit, [&] { sum = traced(s).get(); }, right);
  race.enter(
      "threads, one pass", [&] { sum = threads::polynomial_sum(input); }, right);
  race.finish();
}

void moments(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const Seq<float> s = floats(context, n);
  const std::span<const float> input = s.span();
  const Moments expected = threads::moments(input);
  Moments found{};
  auto right = [&] {
    return close(found.sum / double(n), expected.sum / double(n)) && close(found.squares / double(n), expected.squares / double(n)) &&
           found.least == expected.least && found.greatest == expected.greatest;
  };
  Race race(bench, {"moments", "f32", n, 4 * n, read_limit(s.data(), 4 * n)});
  const auto four = [](const Seq<float>& x) {
    auto value = [](auto v) { return warpfold::cast<double>(v); };
    auto square = [](auto v) {
      auto y = warpfold::cast<double>(v);
      return y * y;
    };
    auto [least, greatest] = minmax(x);
    return std::tuple{warpfold::reduce(warpfold::plus, 0.0, map(value, x)), warpfold::reduce(warpfold::plus, 0.0, map(square, x)), least,
                      greatest};
  };
  const auto read = [&](const auto& results) {
    const auto& [sum, squares, least, greatest] = results;
    warpfold::force(sum, squares, least, greatest);
    found = {sum.get(), squares.get(), least.get(), greatest.get()};
  };
  race.enter_warpfold([&] { read(four(s)); }, right);
  const auto traced = warpfold::jit(four);
  race.enter(
      by_jit, [&] { read(traced(s)); }, right);
  race.enter(
      "threads, one pass", [&] { found = threads::moments(input); }, right);
  race.finish();
}

void argmax(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const Seq<float> s = floats(context, n);
  const std::span<const float> input = s.span();
  const int64_t expected = threads::largest(input).index;
  int64_t index = 0;
  auto right = [&] { return index == expected; };
  Race race(bench, {"argmax", "f32", n, 4 * n, read_limit(s.data(), 4 * n)});
  race.enter_warpfold([&] { index = warpfold::argmax(s).get(); }, right);
  const auto traced = warpfold::jit([](const Seq<float>& x) { return warpfold::argmax(x); });
  race.enter(
      by_jit, [&] { index = traced(s).get(); }, right);
  race.enter(
      "threads, one pass", [&] { index = threads::largest(input).index; }, right);
  race.finish();
}

void counts(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const Seq<uint8_t> s(Array<uint8_t>(n, [](int64_t i) { return uint8_t(random_bits(uint64_t(i)) % 10); }).view(), context);
  const std::span<const uint8_t> input = s.span();
  const Counts expected = threads::counts(input);
  Counts found{};
  auto right = [&] { return found == expected; };
  Race race(bench, {"counts", "u8", n, n, read_limit(s.data(), n)});
  const auto numbers_of = []<size_t... k>(const Seq<uint8_t>& x, std::index_sequence<k...>) {
    return std::array{count([](auto byte) { return byte == uint8_t(k); }, x)...};
  };
  const auto eight = [=](const Seq<uint8_t>& x) { return numbers_of(x, std::make_index_sequence<8>{}); };
  const auto read = [&](const auto& numbers) {
    warpfold::force(numbers);
    for (size_t k = 0; k < numbers.size(); ++k) found[k] = numbers[k].get();
  };
  race.enter_warpfold([&] { read(eight(s)); }, right);
  const auto traced = warpfold::jit(eight);
  race.enter(
      by_jit, [&] { read(traced(s)); }, right);
  race.enter(
      "threads, one pass", [&] { found = threads::counts(input); }, right);
  race.finish();
}

}  // namespace bench
