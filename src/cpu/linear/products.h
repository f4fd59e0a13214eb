// Products of matrices on all cores.
#pragma once

#include <memory>
#include <vector>

#include "cpu/linear/gemm.h"
#include "memory/buffer.h"

namespace wf::cpu {

constexpr int64_t wide_square = 192;  // extents of a symmetric product that is computed as a whole

// A matrix by rows, of `columns` columns.
template <class T> MatrixView<T> by_rows(T* data, int64_t columns) { return {data, columns, 1}; }

// The loops for this processor.
const Gemm& gemm();

class Products {
 public:
  // With one worker, the calling thread computes alone.
  Products(std::shared_ptr<Pool> pool, int workers) : pool_(std::move(pool)), workers_(workers) {}

  // c = a b, c += a b or c -= a b for c of m x n and a sum of k terms; integers wrap. One of c.row and c.column is 1 or -1. Long sums of few
  // elements are divided. The order of a sum depends on the extents alone, so the result does not depend on the number of workers.
  template <class T> void operator()(Extents e, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into);

  int workers() const { return workers_; }
  const std::shared_ptr<Pool>& pool() const { return pool_; }

 private:
  // `a` and `b` without a division of the sum; else the sums of parts of `terms` terms, added in order.
  template <class T> void run_tiles(Extents e, int64_t terms, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into);
  void* memory(int worker);

  const std::shared_ptr<Pool> pool_;
  const int workers_;
  std::vector<BufferRef> memory_;  // of each worker
};

}  // namespace wf::cpu
