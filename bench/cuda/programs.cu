// The programs of bench/programs, written with Thrust. Memory is allocated once or comes from a pool, calls wait only for results that the
// host needs, and iterators and functors are fused where that saves a pass.
#include <cmath>
#include <cstring>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

#include "../programs/peers.h"
#include "memory.cuh"
#include "programs.h"

namespace bench {
namespace {

// The device's pool of memory, which keeps what is freed.
class Pool {
 public:
  using value_type = char;
  Pool() {
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  }
  char* allocate(std::ptrdiff_t bytes) {
    void* data = nullptr;
    CHECK(cudaMallocAsync(&data, size_t(bytes), nullptr));
    return static_cast<char*>(data);
  }
  void deallocate(char* data, size_t) { CHECK(cudaFreeAsync(data, nullptr)); }
};

auto on_gpu() {
  static Pool pool;
  return thrust::cuda::par_nosync(pool);
}

template <class T> auto count_from(T first) { return thrust::make_counting_iterator(first); }

// A program whose output is `count` elements, in GPU memory or on the host.
template <class T> class Program : public GpuPeer {
 public:
  int64_t output(void* host) override {
    CHECK(cudaMemcpy(host, result_, size_t(count_) * sizeof(T), cudaMemcpyDefault));
    return count_;
  }

 protected:
  void finish(const T* result, int64_t count) {
    result_ = result;
    count_ = count;
    CHECK(cudaDeviceSynchronize());
  }

 private:
  const T* result_ = nullptr;
  int64_t count_ = 0;
};

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
    for (uint8_t c = text[i]; IsLetter()(c); c = text[++i]) hash = hash * 0x9e3779b97f4a7c15u + c;
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

// ---- convex_hull ----------------------------------------------------------------------------------------------------------------

// Not contracted: the sign of an area decides, and must be 0 for the line's ends.
struct Area {
  Point a, b;
  __device__ double operator()(Point p) const { return __dsub_rn(__dmul_rn(b.x - a.x, p.y - a.y), __dmul_rn(b.y - a.y, p.x - a.x)); }
};
struct IsLeft {
  Area area;
  __device__ bool operator()(Point p) const { return area(p) > 0; }
};
struct LeftOf {
  __device__ bool operator()(Point a, Point b) const { return a.x != b.x ? a.x < b.x : a.y < b.y; }
};

class HullPeer final : public Program<Point> {
 public:
  HullPeer(const void* points, int64_t n) : points_(points, n), n_(n) {}

  void run() override {
    const Point* const points = points_;
    const auto [least, most] = thrust::minmax_element(on_gpu(), points, points + n_, LeftOf());
    const Point left = point_at(least), right = point_at(most);
    corners_.clear();
    add_corners(points, n_, right, left);
    if (left != right) add_corners(points, n_, left, right);
    finish(corners_.data(), int64_t(corners_.size()));
  }

 private:
  static Point point_at(const Point* at) {
    Point p;
    CHECK(cudaMemcpy(&p, at, sizeof p, cudaMemcpyDeviceToHost));
    return p;
  }
  // Adds the corners from b, exclusive, to a, inclusive, of the points to the left of the line from a to b.
  void add_corners(const Point* s, int64_t n, Point a, Point b) {
    const Kept kept(n);
    const int64_t size = thrust::copy_if(on_gpu(), s, s + n, kept.data, IsLeft{{a, b}}) - kept.data;
    if (size == 0) return corners_.push_back(a);
    const auto areas = thrust::make_transform_iterator(kept.data, Area{a, b});
    const Point far = point_at(kept.data + (thrust::max_element(on_gpu(), areas, areas + size) - areas));
    add_corners(kept.data, size, far, b);
    add_corners(kept.data, size, a, far);
  }
  struct Kept {
    Point* data = nullptr;
    explicit Kept(int64_t n) { CHECK(cudaMallocAsync(&data, size_t(n) * sizeof(Point), nullptr)); }
    Kept(const Kept&) = delete;
    ~Kept() { CHECK(cudaFreeAsync(data, nullptr)); }
  };

  Memory<Point> points_;
  int64_t n_;
  std::vector<Point> corners_;
};

// ---- k_means --------------------------------------------------------------------------------------------------------------------

struct Coordinates {
  const float* columns[dimensions];
};
struct Nearest {
  Coordinates points;
  float centres[clusters][dimensions];
  __device__ uint8_t operator()(int i) const {
    float x[dimensions], least = INFINITY;
    uint8_t best = 0;
    for (int d = 0; d < dimensions; d++) x[d] = points.columns[d][i];
    for (int c = 0; c < clusters; c++) {
      float distance = 0;
      for (int d = 0; d < dimensions; d++) distance += (x[d] - centres[c][d]) * (x[d] - centres[c][d]);
      if (distance < least) least = distance, best = uint8_t(c);
    }
    return best;
  }
};

template <class T, int n> struct Vector {
  T at[n] = {};
};
struct Plus {
  template <class T, int n> __host__ __device__ Vector<T, n> operator()(Vector<T, n> a, const Vector<T, n>& b) const {
    for (int k = 0; k < n; k++) a.at[k] += b.at[k];
    return a;
  }
};
// The vector of x at position c, and of 0 elsewhere.
template <class T> struct Only {
  template <class X> __device__ Vector<T, clusters> operator()(uint8_t c, X x) const {
    Vector<T, clusters> only;
    for (int k = 0; k < clusters; k++) only.at[k] = c == k ? T(x) : T(0);
    return only;
  }
};
using Total = Vector<double, dimensions + 1>;  // a point, and the number of points
struct TotalOf {
  Coordinates points;
  __device__ Total operator()(int i) const {
    Total total;
    for (int d = 0; d < dimensions; d++) total.at[d] = double(points.columns[d][i]);
    total.at[dimensions] = 1;
    return total;
  }
};

template <bool sorted> class ClusterPeer final : public Program<Centres> {
 public:
  ClusterPeer(const ClusterInput& input, int64_t n)
      : n_(n), start_(input.start), points_(n * dimensions), labels_(n), order_(sorted ? n : 1), totals_(clusters), keys_(clusters) {
    for (int d = 0; d < dimensions; d++) {
      float* const column = points_ + d * n;
      CHECK(cudaMemcpy(column, input.points[size_t(d)].data(), size_t(n) * sizeof(float), cudaMemcpyHostToDevice));
      coordinates_.columns[d] = column;
    }
  }
  void run() override {
    centres_ = start_;
    for (int round = 0; round < k_means_rounds; round++) {
      Nearest nearest{coordinates_, {}};
      for (int c = 0; c < clusters; c++)
        for (int d = 0; d < dimensions; d++) nearest.centres[c][d] = float(centres_[size_t(c)][size_t(d)]);
      thrust::transform(on_gpu(), count_from(0), count_from(int(n_)), static_cast<uint8_t*>(labels_), nearest);
      set_means(centres_, sorted ? sums_of_sorted() : sums_by_dimension());
    }
    finish(&centres_, 1);
  }

 private:
  // A pass per dimension: each point adds 0 to the sums of the other clusters.
  Totals sums_by_dimension() {
    Totals totals;
    uint8_t* const labels = labels_;
    for (int d = 0; d < dimensions; d++) {
      const auto labelled = thrust::make_zip_iterator(labels, coordinates_.columns[d]);
      const auto sums = thrust::transform_reduce(on_gpu(), labelled, labelled + n_, thrust::make_zip_function(Only<double>()),
                                                 Vector<double, clusters>(), Plus());
      for (int c = 0; c < clusters; c++) totals.sums[size_t(c)][size_t(d)] = sums.at[c];
    }
    const auto ones = thrust::make_zip_iterator(labels, thrust::make_constant_iterator(1));
    const auto counts =
        thrust::transform_reduce(on_gpu(), ones, ones + n_, thrust::make_zip_function(Only<int>()), Vector<int, clusters>(), Plus());
    for (int c = 0; c < clusters; c++) totals.counts[size_t(c)] = counts.at[c];
    return totals;
  }
  // Positions are sorted by cluster, and the points of each cluster added.
  Totals sums_of_sorted() {
    uint8_t* const labels = labels_;
    int* const order = order_;
    thrust::sequence(on_gpu(), order, order + n_);
    thrust::sort_by_key(on_gpu(), labels, labels + n_, order);
    const auto points = thrust::make_transform_iterator(order, TotalOf{coordinates_});
    const auto end = thrust::reduce_by_key(on_gpu(), labels, labels + n_, points, static_cast<uint8_t*>(keys_),
                                           static_cast<Total*>(totals_), thrust::equal_to<uint8_t>(), Plus());
    uint8_t keys[clusters];
    Total sums[clusters];
    CHECK(cudaMemcpy(keys, keys_, sizeof keys, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sums, totals_, sizeof sums, cudaMemcpyDeviceToHost));
    Totals totals;
    for (int64_t k = 0; k < end.second - totals_; k++) {
      for (int d = 0; d < dimensions; d++) totals.sums[keys[k]][size_t(d)] = sums[k].at[d];
      totals.counts[keys[k]] = int64_t(sums[k].at[dimensions]);
    }
    return totals;
  }

  int64_t n_;
  Centres start_, centres_ = {};
  Memory<float> points_;
  Coordinates coordinates_ = {};
  Memory<uint8_t> labels_;
  Memory<int> order_;
  Memory<Total> totals_;
  Memory<uint8_t> keys_;
};

template <class Peer> GpuPeer* make(const void* input, int64_t n) { return new Peer(input, n); }

struct Entry {
  const char *work, *name;
  GpuPeer* (*make)(const void* input, int64_t n);
};

constexpr Entry entries[] = {
    {"word_counts", "thrust, sorted hashes", make<WordCountsPeer>},
    {"primes", "thrust for_each per prime", make<PrimesPeer<false>>},
    {"primes", "thrust for_each, upper_bound", make<PrimesPeer<true>>},
    {"breadth_first_search", "thrust for_each, copy_if",
     [](const void* graph, int64_t) -> GpuPeer* { return new SearchPeer(*static_cast<const Graph*>(graph)); }},
    {"convex_hull", "thrust max_element, copy_if", make<HullPeer>},
    {"k_means", "thrust transform_reduce",
     [](const void* input, int64_t n) -> GpuPeer* { return new ClusterPeer<false>(*static_cast<const ClusterInput*>(input), n); }},
    {"k_means", "thrust sort, reduce_by_key",
     [](const void* input, int64_t n) -> GpuPeer* { return new ClusterPeer<true>(*static_cast<const ClusterInput*>(input), n); }},
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
