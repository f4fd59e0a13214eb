// The programs by loops on threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include "peers.h"

namespace bench::threads {

namespace {

using Range = tbb::blocked_range<int64_t>;

Range range(int64_t n, int64_t grain) { return {0, n, size_t(grain)}; }

}  // namespace

// A hash table on each thread, of words that begin in its pieces.
WordCounts count_words(std::span<const uint8_t> text) {
  using Table = std::unordered_map<std::string_view, int64_t>;
  tbb::enumerable_thread_specific<Table> tables;
  const int64_t n = int64_t(text.size());
  tbb::parallel_for(range(n, 1 << 20), [&](const Range& piece) {
    Table& table = tables.local();
    for (int64_t i = piece.begin(); i < piece.end(); i++) {
      if (!is_letter(text[size_t(i)]) || (i > 0 && is_letter(text[size_t(i) - 1]))) continue;
      int64_t end = i + 1;
      while (end < n && is_letter(text[size_t(end)])) end++;
      table[{reinterpret_cast<const char*>(text.data()) + i, size_t(end - i)}]++;
      i = end;
    }
  });
  Table all;
  for (const Table& table : tables)
    for (const auto& [word, count] : table) all[word] += count;
  WordCounts counts{0, int64_t(all.size()), 0};
  for (const auto& [word, count] : all) counts.words += count, counts.most = std::max(counts.most, count);
  return counts;
}

// A sieve of segments that fit into a cache.
std::vector<int32_t> primes(int64_t n) {
  if (n <= 2) return {};
  const auto small = primes(int64_t(std::sqrt(double(n - 1))) + 1);
  constexpr int64_t segment = 1 << 17;
  const int64_t segments = (n + segment - 1) / segment;
  std::vector<std::vector<int32_t>> found(static_cast<size_t>(segments));
  tbb::parallel_for(int64_t(0), segments, [&](int64_t s) {
    const int64_t begin = s * segment, end = std::min(n, begin + segment);
    std::vector<uint8_t> composite(static_cast<size_t>(segment));
    for (int64_t p : small)
      for (int64_t k = std::max(p * p, (begin + p - 1) / p * p); k < end; k += p) composite[size_t(k - begin)] = 1;
    for (int64_t k = std::max<int64_t>(begin, 2); k < end; k++)
      if (!composite[size_t(k - begin)]) found[size_t(s)].push_back(int32_t(k));
  });
  std::vector<int64_t> at{0};
  for (const auto& part : found) at.push_back(at.back() + int64_t(part.size()));
  std::vector<int32_t> all(static_cast<size_t>(at.back()));
  tbb::parallel_for(int64_t(0), segments, [&](int64_t s) { std::ranges::copy(found[size_t(s)], all.begin() + at[size_t(s)]); });
  return all;
}

// The frontier is kept in blocks of vertices, in order. Vertices that are reached at once get the same distance, so that a store need not be
// exchanged.
std::vector<int32_t> distances(const Graph& graph, int32_t source) {
  constexpr int64_t block = 1 << 13;
  const int64_t n = graph.vertices(), blocks = (n + block - 1) / block;
  std::vector<int32_t> distance(size_t(n), -1);
  std::vector<std::vector<int32_t>> frontier(static_cast<size_t>(blocks));
  distance[size_t(source)] = 0;
  frontier[size_t(source / block)] = {source};
  std::atomic<bool> any = true;
  for (int32_t step = 1; any; step++) {
    tbb::parallel_for(int64_t(0), blocks, [&](int64_t b) {
      for (const int32_t u : frontier[size_t(b)])
        for (int64_t e = graph.starts[size_t(u)]; e < graph.starts[size_t(u) + 1]; e++) {
          std::atomic_ref<int32_t> known(distance[size_t(graph.targets[size_t(e)])]);
          if (known.load(std::memory_order_relaxed) < 0) known.store(step, std::memory_order_relaxed);
        }
    });
    any = false;
    tbb::parallel_for(int64_t(0), blocks, [&](int64_t b) {
      std::vector<int32_t>& found = frontier[size_t(b)];
      found.clear();
      for (int64_t v = b * block; v < std::min(n, (b + 1) * block); v++)
        if (distance[size_t(v)] == step) found.push_back(int32_t(v));
      if (!found.empty()) any = true;
    });
  }
  return distance;
}

void k_means(const Columns& points, Centres& centres, int rounds) {
  for (int round = 0; round < rounds; round++) {
    const auto rounded_centres = rounded(centres);
    set_means(centres, tbb::parallel_reduce(
                           range(int64_t(points[0].size()), 1 << 12), Totals(),
                           [&](const Range& piece, Totals totals) {
                             for (auto i = size_t(piece.begin()); i < size_t(piece.end()); i++)
                               totals.add(points, nearest(points, rounded_centres, i), i);
                             return totals;
                           },
                           [](Totals a, const Totals& b) { return a.add(b), a; }));
  }
}

}  // namespace bench::threads
