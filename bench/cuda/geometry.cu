// Quickhull and k-means, written with Thrust.
#include <cmath>

#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

#include "programs.cuh"

namespace bench {
namespace {

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
  ClusterPeer(const void* input, int64_t n) : ClusterPeer(*static_cast<const ClusterInput*>(input), n) {}
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

}  // namespace

GpuPeer* make_hull(const void* points, int64_t n) { return make<HullPeer>(points, n); }
GpuPeer* make_clusters(const void* input, int64_t n) { return make<ClusterPeer<false>>(input, n); }
GpuPeer* make_sorted_clusters(const void* input, int64_t n) { return make<ClusterPeer<true>>(input, n); }

}  // namespace bench
