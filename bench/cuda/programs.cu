// Word counts, primes and a search in a graph, written with Thrust, and the table of all programs.
#include <cmath>
#include <cstring>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/zip_function.h>

#include "programs.cuh"

namespace bench {
namespace {

// ---- word_counts ----------------------------------------------------------------------------------------------------------------

struct IsLetter {
  __device__ bool operator()(uint8_t c) const { return c >= 'a' && c <= 'z'; }
};
struct StartsWord {
  __device__ bool operator()(uint8_t before, uint8_t c) const { return IsLetter()(c) && !IsLetter()(before); }
};
struct HashAt {
  const uint8_t* text;
  __device__ uint64_t operator()(int64_t i) const {
    uint64_t hash = 0;
    for (uint8_t c = text[i]; IsLetter()(c); c = text[++i]) hash = (hash + c) * 0x9e3779b97f4a7c15u;
    return hash;
  }
};

// Hashes of words, computed as their starts are selected, and sorted.
class WordCountsPeer final : public Program<WordCounts> {
 public:
  WordCountsPeer(const void* text, int64_t n) : n_(n), text_(n + 2), hashes_(n / 2 + 1), counts_(n / 2 + 1) {
    CHECK(cudaMemset(text_, ' ', size_t(n) + 2));
    CHECK(cudaMemcpy(text_ + 1, text, size_t(n), cudaMemcpyHostToDevice));
  }
  void run() override {
    uint64_t* const hashes = hashes_;
    const auto pairs = thrust::make_zip_iterator(static_cast<uint8_t*>(text_), text_ + 1);
    const auto hashed = thrust::make_transform_output_iterator(hashes, HashAt{text_ + 1});
    const auto end =
        thrust::copy_if(on_gpu(), count_from(int64_t(0)), count_from(n_), pairs, hashed, thrust::make_zip_function(StartsWord()));
    const int64_t words = end - hashed;
    thrust::sort(on_gpu(), hashes, hashes + words);
    int* const counts = counts_;
    const int64_t distinct =
        thrust::reduce_by_key(on_gpu(), hashes, hashes + words, thrust::make_constant_iterator(1), thrust::make_discard_iterator(), counts)
            .second -
        counts;
    found_ = {words, distinct, thrust::reduce(on_gpu(), counts, counts + distinct, 0, thrust::maximum<int>())};
    finish(&found_, 1);
  }

 private:
  int64_t n_;
  Memory<uint8_t> text_;  // between separators, so that every character has neighbours
  Memory<uint64_t> hashes_;
  Memory<int> counts_;
  WordCounts found_ = {};
};

// ---- primes ---------------------------------------------------------------------------------------------------------------------

struct MarkMultiple {
  bool* composite;
  int64_t p;
  __device__ void operator()(int64_t k) const { composite[(p + k) * p] = true; }
};
// Mark m is a multiple of the prime whose marks begin at the last offset that is not greater.
struct MarkAnyMultiple {
  bool* composite;
  const int64_t *primes, *offsets;
  int64_t count;
  __device__ void operator()(int64_t m) const {
    const int64_t which = thrust::upper_bound(thrust::seq, offsets, offsets + count, m) - offsets - 1;
    MarkMultiple{composite, primes[which]}(m - offsets[which]);
  }
};

// The primes whose multiples are marked come from a loop on the host.
template <bool at_once> class PrimesPeer final : public Program<int32_t> {
 public:
  PrimesPeer(const void*, int64_t n) : n_(n), composite_(n), found_(n), small_(root() + 1), offsets_(root() + 1) {}

  void run() override {
    bool* const composite = composite_;
    CHECK(cudaMemsetAsync(composite, 0, size_t(n_)));
    const std::vector<int64_t> small = small_primes();
    if (at_once) mark_at_once(small);
    else
      for (int64_t p : small) thrust::for_each_n(on_gpu(), count_from(int64_t(0)), marks(p), MarkMultiple{composite, p});
    int32_t* const found = found_;
    const auto end = thrust::copy_if(on_gpu(), count_from(2), count_from(int(n_)), composite + 2, found, thrust::logical_not<bool>());
    finish(found, end - found);
  }

 private:
  int64_t root() const { return int64_t(std::sqrt(double(n_ - 1))); }
  int64_t marks(int64_t p) const { return (n_ - 1) / p - p + 1; }
  std::vector<int64_t> small_primes() const {
    std::vector<int64_t> primes;
    std::vector<char> composite(size_t(root()) + 1);
    for (int64_t p = 2; p <= root(); p++) {
      if (composite[size_t(p)]) continue;
      primes.push_back(p);
      for (int64_t k = p * p; k <= root(); k += p) composite[size_t(k)] = 1;
    }
    return primes;
  }
  void mark_at_once(const std::vector<int64_t>& small) {
    std::vector<int64_t> offsets;
    int64_t all = 0;
    for (int64_t p : small) offsets.push_back(all), all += marks(p);
    CHECK(cudaMemcpyAsync(small_, small.data(), small.size() * sizeof(int64_t), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyAsync(offsets_, offsets.data(), small.size() * sizeof(int64_t), cudaMemcpyHostToDevice));
    thrust::for_each_n(on_gpu(), count_from(int64_t(0)), all, MarkAnyMultiple{composite_, small_, offsets_, int64_t(small.size())});
  }

  int64_t n_;
  Memory<bool> composite_;
  Memory<int32_t> found_;
  Memory<int64_t> small_, offsets_;
};

// ---- breadth_first_search -------------------------------------------------------------------------------------------------------

// Vertices that are reached at once get the same distance, so their writes need not be atomic.
struct Reach {
  const int64_t* starts;
  const int32_t* targets;
  int32_t *distance, step;
  __device__ void operator()(int32_t u) const {
    for (int64_t e = starts[u]; e < starts[u + 1]; e++)
      if (distance[targets[e]] < 0) distance[targets[e]] = step;
  }
};
struct Equals {
  int32_t step;
  __device__ bool operator()(int32_t d) const { return d == step; }
};

class SearchPeer final : public Program<int32_t> {
 public:
  SearchPeer(const void* graph, int64_t) : SearchPeer(*static_cast<const Graph*>(graph)) {}
  explicit SearchPeer(const Graph& graph)
      : n_(graph.vertices()),
        starts_(graph.starts.data(), n_ + 1),
        targets_(graph.targets.data(), int64_t(graph.targets.size())),
        distance_(n_),
        frontier_(n_) {}

  void run() override {
    int32_t *const distance = distance_, *const frontier = frontier_;
    CHECK(cudaMemsetAsync(distance, 0xff, size_t(n_) * sizeof(int32_t)));
    CHECK(cudaMemsetAsync(distance, 0, sizeof(int32_t)));
    CHECK(cudaMemsetAsync(frontier, 0, sizeof(int32_t)));
    int64_t size = 1;
    for (int32_t step = 1; size > 0; step++) {
      thrust::for_each_n(on_gpu(), frontier, size, Reach{starts_, targets_, distance, step});
      size = thrust::copy_if(on_gpu(), count_from(0), count_from(int(n_)), distance, frontier, Equals{step}) - frontier;
    }
    finish(distance, n_);
  }

 private:
  int64_t n_;
  Memory<int64_t> starts_;
  Memory<int32_t> targets_, distance_, frontier_;
};

struct Entry {
  const char *work, *name;
  GpuPeer* (*make)(const void* input, int64_t n);
};

constexpr Entry entries[] = {
    {"word_counts", "thrust, sorted hashes", make<WordCountsPeer>},
    {"primes", "thrust for_each per prime", make<PrimesPeer<false>>},
    {"primes", "thrust for_each, upper_bound", make<PrimesPeer<true>>},
    {"breadth_first_search", "thrust for_each, copy_if", make<SearchPeer>},
    {"convex_hull", "thrust max_element, copy_if", make_hull},
    {"k_means", "thrust transform_reduce", make_clusters},
    {"k_means", "thrust sort, reduce_by_key", make_sorted_clusters},
};

}  // namespace

GpuPeer* open_program(const char* work, int k, const void* input, int64_t n, const char** name) {
  for (const Entry& entry : entries)
    if (std::strcmp(entry.work, work) == 0 && k-- == 0) {
      *name = entry.name;
      return entry.make(input, n);
    }
  return nullptr;
}

}  // namespace bench
