// The programs by algorithms of C++17 and std::execution::par.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <execution>
#include <numeric>

#include "peers.h"

namespace bench::standard {

namespace {

constexpr auto par = std::execution::par;

template <class T> std::vector<T> indices(int64_t n) {
  std::vector<T> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), T(0));
  return all;
}

// Texts are shorter than 2^32 characters.
std::vector<uint32_t> starts_of_words(std::span<const uint8_t> text) {
  std::vector<uint32_t> starts(text.size() / 2 + 1);
  const auto is_start = [&](uint32_t i) { return is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1])); };
  const auto all = indices<uint32_t>(int64_t(text.size()));
  starts.erase(std::copy_if(par, all.begin(), all.end(), starts.begin(), is_start), starts.end());
  return starts;
}

std::vector<uint64_t> hashes_of_words(std::span<const uint8_t> text) {
  const std::vector<uint32_t> starts = starts_of_words(text);
  std::vector<uint64_t> hashes(starts.size());
  std::transform(par, starts.begin(), starts.end(), hashes.begin(), [&](size_t i) {
    uint64_t hash = 0;
    for (; i < text.size() && is_letter(text[i]); i++) hash = (hash + text[i]) * 0x9e3779b97f4a7c15u;
    return hash;
  });
  return hashes;
}

}  // namespace

// Hashes of words, sorted.
WordCounts count_words(std::span<const uint8_t> text) {
  std::vector<uint64_t> hashes = hashes_of_words(text);
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

// Vertices that are reached at once get the same distance, so that a store need not be exchanged.
std::vector<int32_t> distances(const Graph& graph, int32_t source) {
  const auto vertices = indices<int32_t>(graph.vertices());
  std::vector<int32_t> distance(vertices.size(), -1), frontier(vertices.size());
  frontier[0] = source;
  distance[size_t(source)] = 0;
  auto end = frontier.begin() + 1;
  for (int32_t step = 1; end != frontier.begin(); step++) {
    std::for_each(par, frontier.begin(), end, [&](int32_t u) {
      for (int64_t e = graph.starts[size_t(u)]; e < graph.starts[size_t(u) + 1]; e++) {
        std::atomic_ref<int32_t> known(distance[size_t(graph.targets[size_t(e)])]);
        if (known.load(std::memory_order_relaxed) < 0) known.store(step, std::memory_order_relaxed);
      }
    });
    end = std::copy_if(par, vertices.begin(), vertices.end(), frontier.begin(), [&](int32_t v) { return distance[size_t(v)] == step; });
  }
  return distance;
}

void k_means(const Columns& points, Centres& centres, int rounds) {
  for (int round = 0; round < rounds; round++) {
    const auto rounded_centres = rounded(centres);
    const auto joined = [](Totals a, const Totals& b) { return a.add(b), a; };
    // Blocks of points: the totals are large, so that one of each point would cost more than the distances.
    constexpr size_t block = 1 << 12;
    const auto blocks = indices<int64_t>(int64_t((points[0].size() + block - 1) / block));
    set_means(centres, std::transform_reduce(par, blocks.begin(), blocks.end(), Totals(), joined, [&](int64_t k) {
                Totals totals;
                const size_t end = std::min(points[0].size(), size_t(k + 1) * block);
                for (size_t i = size_t(k) * block; i < end; i++) totals.add(points, nearest(points, rounded_centres, i), i);
                return totals;
              }));
  }
}

}  // namespace bench::standard
