// sort: random keys; random keys with their positions, stable, by the key and by functions of two pairs. Bytes: each column read and written
// once.

#include <algorithm>
#include <atomic>
#include <bit>
#include <execution>

#include "complete.h"
#include "harness.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

namespace {

// Returns true if holds(i) for all i in [0, n).
template <class F> bool for_all(int64_t n, F holds) {
  std::atomic<bool> all{true};
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 1 << 16), [&](const auto& range) {
    for (int64_t i = range.begin(); i < range.end(); i++)
      if (!holds(i)) all = false;
  });
  return all;
}

// The same number for the same elements in any order, and, almost certainly, for no others.
template <class T> uint64_t fingerprint(std::span<const T> s) {
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::atomic<uint64_t> sum = 0;
  tbb::parallel_for(tbb::blocked_range<size_t>(0, s.size(), 1 << 16), [&](const auto& range) {
    uint64_t part = 0;
    for (size_t i = range.begin(); i < range.end(); i++) part += random_bits(std::bit_cast<Word>(s[i]));
    sum += part;
  });
  return sum;
}

template <class T, class F> void sort_keys(Bench& bench, const char* type, int64_t n, F element) {
  warpfold::Context context(bench.options().context);
  const Array<T> values(n, element);
  const Seq<T> s(values.view(), context);
  Seq<T> sorted;
  Array<T> out(n);
  const uint64_t same = fingerprint(values.view());
  const auto right = [&](std::span<const T> x) {
    return int64_t(x.size()) == n && for_all(n - 1, [&](int64_t i) { return !(x[size_t(i) + 1] < x[size_t(i)]); }) &&
           fingerprint(x) == same;
  };
  const int64_t bytes = n * int64_t(sizeof(T));
  Race race(bench, {"sort", type, n, 2 * bytes, copy_limit(values.data(), out.data(), bytes)});
  race.enter_warpfold([&] { sorted = complete(sort(s)); }, [&] { return right(sorted.span()); });
  race.enter(
      "std::par sort",
      [&] {
        std::copy(values.data(), values.data() + n, out.data());
        std::sort(std::execution::par, out.data(), out.data() + n);
      },
      [&] { return right(out.view()); });
  race.enter_gpu_peers(values.data(), out.data(), [&](int64_t count) { return count == n && right(out.view()); });
  race.finish();
}

// A key and its position.
using Pair = std::pair<uint32_t, uint32_t>;

// Sorts the pairs by sort_them, and in peers by before(x, y).
template <class Sort, class Before>
void race_pairs(Bench& bench, const char* work, const Array<uint32_t>& keys, const Seq<Pair>& pairs, Sort sort_them, Before before) {
  const int64_t n = keys.size();
  Array<uint64_t> words(n, [](int64_t i) { return uint64_t(i); }), copied(n);
  Array<uint32_t> positions(n);
  const auto pair = [&](uint32_t position) { return Pair(keys[position], position); };
  // Strictly increasing positions of equal pairs: each occurs once.
  const auto right = [&](std::span<const uint32_t> order) {
    return for_all(n, [&](int64_t i) {
      const uint32_t here = order[size_t(i)];
      if (here >= n) return false;
      if (i + 1 == n) return true;
      const uint32_t next = order[size_t(i) + 1];
      return next < n && (before(pair(here), pair(next)) || (!before(pair(next), pair(here)) && here < next));
    });
  };
  Seq<Pair> sorted;
  std::vector<Pair> input, out;
  if (bench.options().context == "cpu") input = pairs.to_vector();
  Race race(bench, {work, "u32, u32", n, 16 * n, copy_limit(words.data(), copied.data(), 8 * n)});
  race.enter_warpfold([&] { sorted = complete(sort_them(pairs)); }, [&] { return right(warpfold::field<1>(sorted).span()); });
  race.enter(
      "std::par stable_sort",
      [&] {
        out = input;
        std::stable_sort(std::execution::par, out.begin(), out.end(), before);
      },
      [&] {
        for (int64_t i = 0; i < n; i++) positions[i] = out[size_t(i)].second;
        return right(positions.view());
      });
  race.enter_gpu_peers(keys.data(), positions.data(), [&](int64_t count) { return count == n && right(positions.view()); });
  race.finish();
}

}  // namespace

void sort(Bench& bench, int64_t n) {
  sort_keys<float>(bench, "f32", n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  sort_keys<int32_t>(bench, "i32", n, [](int64_t i) { return int32_t(random_bits(uint64_t(i))); });
  sort_keys<uint64_t>(bench, "u64", n, [](int64_t i) { return random_bits(uint64_t(i)); });
}

void sort_pairs(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const Array<uint32_t> keys(n, [](int64_t i) { return uint32_t(random_bits(uint64_t(i)) >> 40); });
  const auto pairs = map([](auto key, auto i) { return std::pair(key, cast<uint32_t>(i)); }, Seq<uint32_t>(keys.view(), context),
                         warpfold::iota(n, context));
  force(pairs);
  const auto by_first = [](const Pair& x, const Pair& y) { return x.first < y.first; };
  race_pairs(
      bench, "sort_pairs", keys, pairs, [](const auto& s) { return sort_by([](auto x, auto) { return x; }, s); }, by_first);
  race_pairs(
      bench, "sort_pairs_by_function", keys, pairs,
      [](const auto& s) { return sort([](auto x, auto y) { return std::get<0>(x) < std::get<0>(y); }, s); }, by_first);
  // The order of the quotients: no key of one pair gives it.
  race_pairs(
      bench, "sort_pairs_by_quotient", keys, pairs,
      [](const auto& s) {
        return sort(
            [](auto x, auto y) {
              return cast<uint64_t>(std::get<0>(x)) * cast<uint64_t>(std::get<1>(y) + 1u) <
                     cast<uint64_t>(std::get<0>(y)) * cast<uint64_t>(std::get<1>(x) + 1u);
            },
            s);
      },
      [](const Pair& x, const Pair& y) {
        return uint64_t(x.first) * (uint64_t(y.second) + 1) < uint64_t(y.first) * (uint64_t(x.second) + 1);
      });
}

// histogram: how often each of 256 bytes occurs; every byte is read once.
void histogram(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const Array<uint8_t> bytes(n, [](int64_t i) { return uint8_t(random_bits(uint64_t(i)) >> 56); });
  const Seq<uint8_t> s(bytes.view(), context);
  std::vector<int64_t> expected(256), out;
  for (int64_t i = 0; i < n; i++) expected[bytes[i]]++;
  std::vector<uint32_t> counts(256);
  Race race(bench, {"histogram", "u8", n, n, read_limit(bytes.data(), n)});
  race.enter_warpfold([&] { out = warpfold::histogram(s, 256).to_vector(); }, [&] { return out == expected; });
  race.enter(
      "a table per chunk, threads",
      [&] {
        std::vector<std::atomic<int64_t>> all(256);
        tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 1 << 16), [&](const auto& range) {
          int64_t part[256] = {};
          for (int64_t i = range.begin(); i < range.end(); i++) part[bytes[i]]++;
          for (size_t k = 0; k < 256; k++) all[k] += part[k];
        });
        out.assign(all.begin(), all.end());
      },
      [&] { return out == expected; });
  race.enter_gpu_peers(bytes.data(), counts.data(),
                       [&](int64_t count) { return count == 256 && std::equal(expected.begin(), expected.end(), counts.begin()); });
  race.finish();
}

// scatter_add: integers are added to n / 64 elements at random indices. Each index and value is read once.
void scatter_add(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const int64_t m = std::max<int64_t>(1, n / 64);
  const Array<int32_t> indices(n, [&](int64_t i) { return int32_t(random_bits(uint64_t(i)) % uint64_t(m)); });
  const Array<int32_t> values(n, [](int64_t i) { return int32_t(i & 1023); });
  const Seq<int32_t> at(indices.view(), context), x(values.view(), context), none = warpfold::tabulate([](auto) { return 0; }, m, context);
  force(none);
  std::vector<int32_t> expected(static_cast<size_t>(m)), out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++) expected[size_t(indices[i])] += values[i];
  Seq<int32_t> sums;
  Race race(bench, {"scatter_add", "i32", n, 8 * n, read_limit(indices.data(), 4 * n)});
  race.enter_warpfold([&] { sums = complete(scatter(warpfold::plus, none, at, x)); },
                      [&] { return std::ranges::equal(sums.span(), expected); });
  race.enter(
      "a loop",
      [&] {
        std::fill(out.begin(), out.begin() + m, 0);
        for (int64_t i = 0; i < n; i++) out[size_t(indices[i])] += values[i];
      },
      [&] { return std::equal(expected.begin(), expected.end(), out.begin()); });
  race.enter_gpu_peers(indices.data(), out.data(),
                       [&](int64_t count) { return count == m && std::equal(expected.begin(), expected.end(), out.begin()); });
  race.finish();
}

}  // namespace bench
