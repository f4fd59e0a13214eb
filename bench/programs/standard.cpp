// The programs by algorithms of C++17 and std::execution::par.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <execution>
#include <functional>
#include <numeric>

#include "peers.h"

namespace bench::standard {

namespace {

constexpr auto par = std::execution::par;

std::vector<int64_t> indices(int64_t n) {
  std::vector<int64_t> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), int64_t(0));
  return all;
}

}  // namespace

// Hashes of words, sorted.
WordCounts count_words(std::span<const uint8_t> text) {
  std::vector<int64_t> starts(text.size() / 2 + 1);
  const auto is_start = [&](int64_t i) { return is_letter(text[size_t(i)]) && (i == 0 || !is_letter(text[size_t(i) - 1])); };
  const std::vector<int64_t> all = indices(int64_t(text.size()));
  starts.erase(std::copy_if(par, all.begin(), all.end(), starts.begin(), is_start), starts.end());
  std::vector<uint64_t> hashes(starts.size());
  std::transform(par, starts.begin(), starts.end(), hashes.begin(), [&](int64_t i) {
    uint64_t hash = 0;
    for (; i < int64_t(text.size()) && is_letter(text[size_t(i)]); i++) hash = hash * 0x9e3779b97f4a7c15u + text[size_t(i)];
    return hash;
  });
  std::sort(par, hashes.begin(), hashes.end());
  WordCounts counts{int64_t(hashes.size()), 0, 0};
  for (size_t i = 0, end; i < hashes.size(); i = end) {
    for (end = i + 1; end < hashes.size() && hashes[end] == hashes[i];) end++;
    counts.distinct++;
    counts.most = std::max(counts.most, int64_t(end - i));
  }
  return counts;
}

std::vector<int32_t> primes(int64_t n) {
  if (n <= 2) return {};
  const auto small = primes(int64_t(std::sqrt(double(n - 1))) + 1);
  std::vector<uint8_t> composite(static_cast<size_t>(n));
  std::for_each(par, small.begin(), small.end(), [&](int64_t p) {
    for (int64_t k = p * p; k < n; k += p) std::atomic_ref(composite[size_t(k)]).store(1, std::memory_order_relaxed);
  });
  std::vector<int32_t> numbers(static_cast<size_t>(n)), found(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  found.erase(std::copy_if(par, numbers.begin(), numbers.end(), found.begin(), [&](int32_t k) { return k >= 2 && !composite[size_t(k)]; }),
              found.end());
  return found;
}

std::vector<int32_t> distances(const Graph& graph, int32_t source) {
  std::vector<int32_t> distance(size_t(graph.vertices()), -1), frontier{source}, found;
  distance[size_t(source)] = 0;
  std::vector<int64_t> offsets;
  for (int32_t step = 1; !frontier.empty(); step++) {
    offsets.resize(frontier.size());
    const auto degree = [&](int32_t u) { return graph.starts[size_t(u) + 1] - graph.starts[size_t(u)]; };
    std::transform_exclusive_scan(par, frontier.begin(), frontier.end(), offsets.begin(), int64_t(0), std::plus(), degree);
    found.assign(size_t(offsets.back() + degree(frontier.back())), -1);
    std::for_each(par, frontier.begin(), frontier.end(), [&](const int32_t& u) {
      int64_t to = offsets[size_t(&u - frontier.data())];
      for (int64_t e = graph.starts[size_t(u)]; e < graph.starts[size_t(u) + 1]; e++, to++) {
        const int32_t v = graph.targets[size_t(e)];
        int32_t unknown = -1;
        std::atomic_ref<int32_t> known(distance[size_t(v)]);
        if (known.load(std::memory_order_relaxed) < 0 && known.compare_exchange_strong(unknown, step)) found[size_t(to)] = v;
      }
    });
    frontier.resize(found.size());
    frontier.erase(std::copy_if(par, found.begin(), found.end(), frontier.begin(), [](int32_t v) { return v >= 0; }), frontier.end());
  }
  return distance;
}

void k_means(const Columns& points, Centres& centres, int rounds) {
  for (int round = 0; round < rounds; round++) {
    const auto rounded_centres = rounded(centres);
    const auto joined = [](Totals a, const Totals& b) { return a.add(b), a; };
    // Blocks of points: the totals are large, so that one of each point would cost more than the distances.
    constexpr size_t block = 1 << 12;
    const std::vector<int64_t> blocks = indices(int64_t((points[0].size() + block - 1) / block));
    set_means(centres, std::transform_reduce(par, blocks.begin(), blocks.end(), Totals(), joined, [&](int64_t k) {
                Totals totals;
                const size_t end = std::min(points[0].size(), size_t(k + 1) * block);
                for (size_t i = size_t(k) * block; i < end; i++) totals.add(points, nearest(points, rounded_centres, i), i);
                return totals;
              }));
  }
}

}  // namespace bench::standard
