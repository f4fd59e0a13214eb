// Stored sequences whose elements take more than one pass of arithmetic.
//   gather      s at the indices 0, 1, 2, ..., which are data
//   mandelbrot  the steps of each pixel until z = z^2 + c leaves the circle of radius 2, at most 255: a `loop` in a map

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "complete.h"
#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void gather(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<float> s(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }).view(), context), result;
  Seq<int32_t> indices(Array<int32_t>(n, [](int64_t i) { return int32_t(i); }).view(), context);
  Array<float> out(n);
  const std::span<const float> input = s.span();
  const std::span<const int32_t> at = indices.span();
  Race race(bench, {"gather", "f32", n, 12 * n, {}});
  const auto read = [](const Seq<float>& from, const Seq<int32_t>& places) { return map([&](auto i) { return from[i]; }, places); };
  const auto right = [&] { return std::ranges::equal(result.span(), input); };
  race.enter_warpfold([&] { result = complete(read(s, indices)); }, right);
  const auto traced = warpfold::jit(read);
  race.enter(
      by_jit, [&] { result = complete(traced(s, indices)); }, right);
  race.enter(
      "threads, one pass", [&] { threads::gather(input, at, out.data()); }, [&] { return std::ranges::equal(out.view(), input); });
  race.finish();
}

void mandelbrot(Bench& bench, int64_t n) {
  constexpr int most_steps = 255;
  warpfold::Context context(bench.options().context);
  int64_t width = 16;  // a whole number of the peer's lanes
  while (4 * width * width <= n) width *= 2;
  const int64_t height = std::max<int64_t>(n / width, 1);
  const float scale = 3.0f / float(width), middle = 0.5f * float(height);
  std::vector<int32_t> expected(size_t(width * height)), out = expected;
  threads::mandelbrot(width, expected);
  Seq<int32_t> result;
  Race race(bench, {"mandelbrot", "f32", width * height, 4 * width * height, {}});
  race.enter_warpfold(
      [&] {
        auto steps_of = [=](auto i) {
          auto c_re = warpfold::cast<float>(i % width) * scale - 2.25f, c_im = (warpfold::cast<float>(i / width) - middle) * scale;
          auto [re, im, steps] = warpfold::loop(
              std::tuple(0.0f, 0.0f, 0), [=](auto x, auto y, auto k) { return x * x + y * y < 4 && k < most_steps; },
              [=](auto x, auto y, auto k) { return std::tuple(x * x - y * y + c_re, 2 * x * y + c_im, k + 1); });
          return steps;
        };
        result = complete(warpfold::tabulate(steps_of, width * height, context));
      },
      [&] { return all_equal(result.span(), expected); });
  race.enter(
      "threads, in lanes", [&] { threads::mandelbrot(width, out); }, [&] { return all_equal(out, expected); });
  race.finish();
}

}  // namespace bench
