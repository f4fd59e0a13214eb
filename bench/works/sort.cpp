// sort: random floats; random numbers with a payload, stable; random numbers by a function of them. Bytes: each column read and written once.

#include <algorithm>
#include <execution>

#include "complete.h"
#include "harness.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void sort(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<float> s(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }).view(), context), sorted;
  std::span<const float> input = s.span();
  std::vector<float> expected(input.begin(), input.end()), out = expected;
  std::sort(std::execution::par, expected.begin(), expected.end());

  Array<float> copied(n);
  Race race(bench, {"sort", "f32", n, 8 * n, copy_limit(input.data(), copied.data(), 4 * n)});
  race.enter_warpfold([&] { sorted = complete(sort(s)); }, [&] { return std::ranges::equal(sorted.span(), expected); });
  race.enter(
      "std::par sort",
      [&] {
        out.assign(input.begin(), input.end());
        std::sort(std::execution::par, out.begin(), out.end());
      },
      [&] { return out == expected; });
  race.finish();
}

void sort_pairs(Bench& bench, int64_t n) {
  using Pair = std::pair<uint32_t, uint32_t>;
  warpfold::Context context(bench.options().context);
  const auto pairs =
      map([](auto key, auto i) { return std::pair(key, cast<uint32_t>(i)); },
          Seq<uint32_t>(Array<uint32_t>(n, [](int64_t i) { return uint32_t(random_bits(uint64_t(i)) >> 40); }).view(), context),
          warpfold::iota(n, context));
  force(pairs);
  const std::vector<Pair> input = pairs.to_vector();
  std::vector<Pair> expected = input, out;
  const auto by_first = [](const Pair& x, const Pair& y) { return x.first < y.first; };
  std::stable_sort(std::execution::par, expected.begin(), expected.end(), by_first);
  const auto right = [&](const Seq<Pair>& sorted) { return sorted.to_vector() == expected; };
  const auto standard = [&] {
    out = input;
    std::stable_sort(std::execution::par, out.begin(), out.end(), by_first);
  };

  const auto first = [](auto x, auto) { return x; };
  Seq<Pair> sorted;
  Array<uint64_t> words(n, [](int64_t i) { return uint64_t(i); }), copied(n);
  Race keyed(bench, {"sort_pairs", "u32, u32", n, 16 * n, copy_limit(words.data(), copied.data(), 8 * n)});
  keyed.enter_warpfold([&] { sorted = complete(sort_by([](auto x, auto) { return x; }, pairs), first); }, [&] { return right(sorted); });
  keyed.enter("std::par stable_sort", standard, [&] { return out == expected; });
  keyed.finish();

  Race compared(bench, {"sort_pairs_by_function", "u32, u32", n, 16 * n, copy_limit(words.data(), copied.data(), 8 * n)});
  compared.enter_warpfold([&] { sorted = complete(sort([](auto x, auto y) { return std::get<0>(x) < std::get<0>(y); }, pairs), first); },
                          [&] { return right(sorted); });
  compared.enter("std::par stable_sort", standard, [&] { return out == expected; });
  compared.finish();
}

}  // namespace bench
