// random: uniform and normal numbers, stored, 4 bytes per element written; pi: the share of points in a circle, which reads and writes nothing.
// The peers are std::mt19937 with a state per chunk, on all threads.

#include <atomic>
#include <cmath>
#include <numeric>
#include <random>

#include "complete.h"
#include "harness.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;
namespace random = warpfold::random;

namespace {

// use(generator, first, last) for chunks of [0, n).
template <class Use> void with_generators(int64_t n, const Use& use) {
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 1 << 16), [&](const auto& range) {
    std::mt19937 generator{unsigned(range.begin())};
    use(generator, range.begin(), range.end());
  });
}

template <class Distribution> void fill(Array<float>& out) {
  with_generators(out.size(), [&](std::mt19937& generator, int64_t first, int64_t last) {
    Distribution distribution;
    for (int64_t i = first; i < last; i++) out[i] = distribution(generator);
  });
}

bool has_mean(std::span<const float> x, double mean, double deviation) {
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  return std::abs(sum / double(x.size()) - mean) < 6 * deviation / std::sqrt(double(x.size()));
}

template <class Distribution, class Draw> void stored(Bench& bench, const char* name, int64_t n, double mean, double deviation, Draw draw) {
  Array<float> out(n);
  Seq<float> result;
  Race race(bench, {name, "f32", n, 4 * n, read_limit(out.data(), 4 * n)});
  race.enter_warpfold([&] { result = complete(draw()); }, [&] { return has_mean(result.span(), mean, deviation); });
  race.enter(
      "std::mt19937, threads", [&] { fill<Distribution>(out); }, [&] { return has_mean(out.view(), mean, deviation); });
  race.finish();
}

int64_t points_in_circle(int64_t n) {
  std::atomic<int64_t> sum = 0;
  with_generators(n, [&](std::mt19937& generator, int64_t first, int64_t last) {
    std::uniform_real_distribution<float> uniform;
    int64_t inside = 0;
    for (int64_t i = first; i < last; i++) {
      const float x = uniform(generator), y = uniform(generator);
      inside += x * x + y * y < 1;
    }
    sum += inside;
  });
  return sum;
}

}  // namespace

void random_numbers(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const random::Key key(2026, context);
  stored<std::uniform_real_distribution<float>>(bench, "random_uniform", n, 0.5, 0.29, [&] { return random::uniform<float>(key, n); });
  stored<std::normal_distribution<float>>(bench, "random_gaussian", n, 0, 1, [&] { return random::gaussian<float>(key, n); });

  int64_t inside = 0;
  auto is_pi = [&] { return std::abs(4.0 * double(inside) / double(n) - std::acos(-1.0)) < 10 / std::sqrt(double(n)); };
  Race race(bench, {"random_pi", "f32", n, 0});
  race.enter_warpfold(
      [&] {
        const auto x = random::uniform<float>(key.split(0), n), y = random::uniform<float>(key.split(1), n);
        inside = reduce(warpfold::plus, int64_t(0), map([](auto a, auto b) { return warpfold::cast<int64_t>(a * a + b * b < 1.0f); }, x, y))
                     .get();
      },
      is_pi);
  race.enter(
      "std::mt19937, threads", [&] { inside = points_in_circle(n); }, is_pi);
  race.finish();
}

}  // namespace bench
