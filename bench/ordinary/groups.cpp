// Sequences of few different keys: sums by key, groups, distinct elements and their numbers.

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

using warpfold::Seq;

namespace {

constexpr int64_t key_count = 1000;

// Numbers below `count`, or spread over all of u32 by an odd factor.
int32_t key_at(int64_t i, int64_t count, bool is_spread) {
  const auto key = uint32_t(random_bits(uint64_t(i)) % uint64_t(count));
  return int32_t(is_spread ? key * 2654435761u : key);
}

// The sums and the numbers of each key below key_count, each part in a table of its own.
struct Totals {
  std::vector<int64_t> sums = std::vector<int64_t>(key_count), counts = std::vector<int64_t>(key_count);
};
Totals totals(std::span<const int32_t> keys, std::span<const int32_t> values) {
  Totals all;
  std::mutex mutex;
  in_parts(int64_t(keys.size()), [&](int64_t begin, int64_t end) {
    Totals part;
    for (auto k = size_t(begin); k < size_t(end); k++) part.sums[size_t(keys[k])] += values[k], part.counts[size_t(keys[k])]++;
    std::lock_guard lock(mutex);
    for (size_t k = 0; k < part.sums.size(); k++) all.sums[k] += part.sums[k], all.counts[k] += part.counts[k];
  });
  return all;
}

}  // namespace

void groups(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const int64_t m = std::max<int64_t>(16 * key_count, n / 16);
  const Array<int32_t> keys(m, [](int64_t i) { return key_at(i, key_count, false); }),
      spread(m, [](int64_t i) { return key_at(i, key_count, true); });
  const Array<int32_t> values(m, [](int64_t i) { return int32_t(random_bits(uint64_t(i) + 1) % 100); });
  const Seq<int32_t> by_range(keys.view(), context), by_hash(spread.view(), context), summed(values.view(), context);
  const Totals right = totals(keys.view(), values.view());
  Totals loop;
  const std::string type = "i32, 1000 keys";

  {
    Seq<std::pair<int32_t, int32_t>> result;
    Race race(bench, {"reduce by key", type, m, 8 * m});
    race.enter_warpfold([&] { result = complete(reduce_by_key(warpfold::plus, 0, by_range, summed)); },
                        [&] {
                          const auto found = result.to_vector();
                          bool same = int64_t(found.size()) == key_count;
                          for (size_t k = 0; k < found.size() && same; k++)
                            same = found[k].first == int32_t(k) && found[k].second == int32_t(right.sums[k]);
                          return same;
                        });
    race.enter(
        "tables on threads", [&] { loop = totals(keys.view(), values.view()); }, [&] { return loop.sums == right.sums; });
    race.finish();
  }
  for (const bool is_spread : {false, true}) {
    Seq<std::pair<int32_t, int64_t>> result;
    Race race(bench, {"lengths of runs of a sort", type + (is_spread ? ", spread" : ""), m, 4 * m});
    race.enter_warpfold([&] { result = complete(run_lengths(sort(is_spread ? by_hash : by_range))); },
                        [&] { return result.size() == key_count && sum(field<1>(result)).get() == m; });
    std::vector<int32_t> sorted(static_cast<size_t>(m));
    if (!is_spread) {
      race.enter(
          "tables on threads", [&] { loop = totals(keys.view(), keys.view()); }, [&] { return loop.counts == right.counts; });
    } else {
      std::unordered_map<int32_t, int64_t> counts;
      race.enter(
          "std::unordered_map",
          [&] {
            counts.clear();
            for (int32_t key : spread.view()) counts[key]++;
          },
          [&] { return int64_t(counts.size()) == key_count; });
    }
    race.finish();
  }
  {
    std::vector<int32_t> grouped(static_cast<size_t>(m));
    Seq<int32_t> result;
    const auto is_right = [&](std::span<const int32_t> found) {
      std::vector<int64_t> sums(key_count);
      size_t at = 0;
      for (size_t key = 0; key < sums.size(); key++)
        for (int64_t k = 0; k < right.counts[key]; k++) sums[key] += found[at++];
      return sums == right.sums;
    };
    Race race(bench, {"groups by key", type, m, 12 * m});
    race.enter_warpfold([&] { result = complete(collect(zip(by_range, summed)).values.values()); },
                        [&] { return is_right(result.span()); });
    race.enter(
        "counting sort on one thread",
        [&] {
          std::vector<size_t> next(key_count + 1);
          for (int32_t key : keys.view()) next[size_t(key) + 1]++;
          std::partial_sum(next.begin(), next.end(), next.begin());
          for (int64_t k = 0; k < m; k++) grouped[next[size_t(keys[k])]++] = values[k];
        },
        [&] { return is_right(grouped); });
    race.finish();
  }

  // The cost must not grow with the number of groups, while their tables fit the caches.
  const int64_t counts[] = {16, 256, 1024};
  fit(bench, "reduce by key, groups", counts, [&](int64_t count) {
    const Seq<int32_t> some = map([count](auto key) { return key % int32_t(count); }, by_range).force();
    return [&, some] { complete(reduce_by_key(warpfold::plus, 0, some, summed)); };
  });
}

}  // namespace bench::ordinary
