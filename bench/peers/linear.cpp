#include "linear.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace bench::eigen {
namespace {

using Eigen::Dynamic;
template <class T> using Rows = Eigen::Matrix<T, Dynamic, Dynamic, Eigen::RowMajor>;

// Calls f(begin, count) for one block of [0, n) per core.
template <class F> void for_blocks(int64_t n, const F& f) {
  const int64_t blocks = tbb::info::default_concurrency(), size = (n + blocks - 1) / blocks;
  tbb::parallel_for(int64_t(0), blocks, [&](int64_t k) {
    if (k * size < n) f(k * size, std::min(size, n - k * size));
  });
}

template <class T> void multiply(const T* a, const T* b, int64_t n, T* c) {
  for_blocks(n, [&](int64_t begin, int64_t count) {
    Eigen::Map<Rows<T>>(c + begin * n, count, n).noalias() =
        Eigen::Map<const Rows<T>>(a + begin * n, count, n) * Eigen::Map<const Rows<T>>(b, n, n);
  });
}

}  // namespace

void product(const float* a, const float* b, int64_t n, float* c) { multiply(a, b, n, c); }
void product(const double* a, const double* b, int64_t n, double* c) { multiply(a, b, n, c); }

void products_of_32(const float* a, const float* b, int64_t count, float* c) {
  using Small = Eigen::Matrix<float, 32, 32, Eigen::RowMajor>;
  for_blocks(count, [&](int64_t begin, int64_t size) {
    for (int64_t k = begin; k < begin + size; k++)
      Eigen::Map<Small>(c + k * 1024).noalias() = Eigen::Map<const Small>(a + k * 1024) * Eigen::Map<const Small>(b + k * 1024);
  });
}

void cholesky(const float* a, int64_t n, float* l) {
  Eigen::Map<Rows<float>> out(l, n, n);
  out = Eigen::Map<const Rows<float>>(a, n, n);
  Eigen::LLT<Eigen::Ref<Rows<float>>> factor(out);
  out.triangularView<Eigen::StrictlyUpper>().setZero();
}

void solve_lower(const float* l, const float* b, int64_t n, float* x) {
  const Eigen::Map<const Rows<float>> lower(l, n, n), right(b, n, n);
  for_blocks(n, [&](int64_t begin, int64_t count) {
    Eigen::Matrix<float, Dynamic, Dynamic> part = right.middleCols(begin, count);
    lower.triangularView<Eigen::Lower>().solveInPlace(part);
    Eigen::Map<Rows<float>>(x, n, n).middleCols(begin, count) = part;
  });
}

}  // namespace bench::eigen
