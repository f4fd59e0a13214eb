#include "cpu/linear/products.h"

#include <algorithm>

#include "cpu/instruction_sets.h"
#include "cpu/linear/vectors.h"
#include "cpu/loops/isa.h"
#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr double few_terms = 1 << 18;  // multiplications that one worker does alone
constexpr int64_t least_tile = 256;    // of a worker, in rows or columns
constexpr int tiles_per_worker = 4;
constexpr int64_t row_grain = 84, column_grain = 32;  // multiples of the tiles in registers

void run(Extents e, MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Into into, void* work) {
  gemm().f32(e, a, b, c, into, work);
}
void run(Extents e, MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, Into into, void* work) {
  gemm().f64(e, a, b, c, into, work);
}
void run(Extents e, MatrixView<const uint32_t> a, MatrixView<const uint32_t> b, MatrixView<uint32_t> c, Into into, void* work) {
  gemm().u32(e, a, b, c, into, work);
}
void run(Extents e, MatrixView<const uint64_t> a, MatrixView<const uint64_t> b, MatrixView<uint64_t> c, Into into, void* work) {
  gemm().u64(e, a, b, c, into, work);
}

int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }
int64_t halved(int64_t n, int64_t grain) { return pieces(pieces(n, 2), grain) * grain; }

}  // namespace

const Gemm& gemm() {
#define SET(name) \
  if (isa() == Isa::name) return gemm_##name;
  WF_INSTRUCTION_SETS
#undef SET
  __builtin_unreachable();
}

const AllVectorLoops& all_vector_loops() {
#define SET(name) \
  if (isa() == Isa::name) return vectors_##name;
  WF_INSTRUCTION_SETS
#undef SET
  __builtin_unreachable();
}

void* Products::memory(int worker) {
  while (memory_.size() <= size_t(worker)) memory_.push_back(Buffer::make(pool_, size_t(gemm_bytes)));
  return memory_[size_t(worker)]->host_for_writing();
}

template <class T> void Products::operator()(Extents e, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into) {
  if (c.column != 1) return (*this)({e.n, e.m, e.k}, b.transposed(), a.transposed(), c.transposed(), into);
  if (e.m == 0 || e.n == 0) return;
  if (workers_ == 1 || double(e.m) * double(e.n) * double(e.k) <= few_terms) return run(e, a, b, c, into, memory(0));
  int64_t rows = e.m, columns = e.n;
  while (pieces(e.m, rows) * pieces(e.n, columns) < tiles_per_worker * workers_ && std::max(rows, columns) > least_tile) {
    if (rows >= columns) rows = halved(rows, row_grain);
    else columns = halved(columns, column_grain);
  }
  const int64_t across = pieces(e.n, columns);
  Chunks tiles(pieces(e.m, rows) * across);
  const int workers = int(std::min<int64_t>(workers_, tiles.count()));
  for (int w = workers; w-- > 0;) memory(w);
  auto work = [&](int worker) {
    for (int64_t tile = tiles.next(worker); tile >= 0; tile = tiles.next(worker)) {
      const int64_t i = tile / across * rows, j = tile % across * columns;
      run({std::min(rows, e.m - i), std::min(columns, e.n - j), e.k}, a.at(i, 0), b.at(0, j), c.at(i, j), into,
          memory_[size_t(worker)]->host_for_writing());
    }
  };
  for_chunks(tiles, workers, work);
}

template void Products::operator()(Extents, MatrixView<const float>, MatrixView<const float>, MatrixView<float>, Into);
template void Products::operator()(Extents, MatrixView<const double>, MatrixView<const double>, MatrixView<double>, Into);
template void Products::operator()(Extents, MatrixView<const uint32_t>, MatrixView<const uint32_t>, MatrixView<uint32_t>, Into);
template void Products::operator()(Extents, MatrixView<const uint64_t>, MatrixView<const uint64_t>, MatrixView<uint64_t>, Into);

}  // namespace wf::cpu
