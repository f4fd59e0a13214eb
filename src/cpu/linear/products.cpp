#include "cpu/linear/products.h"

#include <algorithm>

#include "cpu/instruction_sets.h"
#include "cpu/linear/vectors.h"
#include "cpu/loops/isa.h"
#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"
#include "engine/cancellation.h"

namespace wf::cpu {
namespace {

constexpr double few_terms = 1 << 18;      // multiplications that one worker does alone
constexpr int64_t least_tile = 256;        // of a worker, in rows or columns
constexpr int64_t least_side = 64;         // of a tile, if otherwise some workers had none
constexpr double terms_of_tile = 1 << 22;  // multiplications of a tile that is divided for them
constexpr int64_t few_sums = 1 << 15;      // partial sums that one worker adds
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

// The terms of each part of a sum. It is divided if the result has too few tiles for the usual number of workers, whatever their number is here.
int64_t terms_of_part(Extents e) {
  constexpr int64_t usual_parts = 32, least_terms = 1024, grain = 256;
  const int64_t tiles = pieces(e.m, least_tile) * pieces(e.n, least_tile);
  const auto most = int64_t(double(e.m) * double(e.n) * double(e.k) / (4 * few_terms));
  const int64_t parts = std::min({usual_parts / tiles, e.k / least_terms, most});
  return parts <= 1 ? std::max<int64_t>(e.k, 1) : pieces(pieces(e.k, parts), grain) * grain;
}

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

void look_for_cancellation() { stop_if_canceled(); }

void* Products::memory(int worker) {
  while (memory_.size() <= size_t(worker)) memory_.push_back(Buffer::make(pool_, size_t(gemm_bytes)));
  return memory_[size_t(worker)]->host_for_writing();
}

// Parts of a division are the m x n results of `terms` terms each, one after another in memory.
template <class T>
void Products::run_tiles(Extents e, int64_t terms, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into) {
  const int64_t parts = pieces(e.k, terms);
  int64_t rows = e.m, columns = e.n;
  auto may_halve = [&] {
    const int64_t tiles = parts * pieces(e.m, rows) * pieces(e.n, columns), longer = std::max(rows, columns);
    const bool is_long = longer > least_side && double(rows) * double(columns) * double(terms) > terms_of_tile;
    return tiles < tiles_per_worker * workers_ && (longer > least_tile || (tiles < workers_ && is_long));
  };
  while (workers_ > 1 && may_halve()) {
    if (rows >= columns) rows = halved(rows, row_grain);
    else columns = halved(columns, column_grain);
  }
  const int64_t across = pieces(e.n, columns), tiles = pieces(e.m, rows) * across;
  Chunks chunks(parts * tiles);
  const int workers = int(std::min<int64_t>(workers_, chunks.count()));
  for (int w = workers; w-- > 0;) memory(w);
  auto work = [&](int worker) {
    for (int64_t chunk = chunks.next(worker); chunk >= 0; chunk = chunks.next(worker)) {
      const int64_t part = chunk / tiles, i = chunk % tiles / across * rows, j = chunk % tiles % across * columns, p = part * terms;
      const Extents extents{std::min(rows, e.m - i), std::min(columns, e.n - j), std::min(terms, e.k - p)};
      run(extents, a.at(i, p), b.at(p, j), c.at(part * e.m + i, j), into, memory_[size_t(worker)]->host_for_writing());
    }
  };
  if (workers == 1) work(0);
  else for_chunks(chunks, workers, work);
}

template <class T> void Products::operator()(Extents e, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into) {
  if (c.column != 1) return (*this)({e.n, e.m, e.k}, b.transposed(), a.transposed(), c.transposed(), into);
  if (e.m == 0 || e.n == 0) return;
  if (double(e.m) * double(e.n) * double(e.k) <= few_terms) return run(e, a, b, c, into, memory(0));
  const int64_t terms = terms_of_part(e), parts = pieces(e.k, terms), size = e.m * e.n;
  if (parts <= 1) return run_tiles(e, e.k, a, b, c, into);
  const BufferRef sums = Buffer::make(pool_, size_t(parts * size) * sizeof(T));
  T* const first = reinterpret_cast<T*>(sums->host_for_writing());
  run_tiles(e, terms, a, b, by_rows(first, e.n), Into::Set);
  auto add = [&](int64_t begin, int64_t end) {
    for (int64_t part = 1; part < parts; part++)
      for (int64_t x = begin * e.n; x < end * e.n; x++) first[x] += first[part * size + x];
    for (int64_t i = begin; i < end; i++)
      for (int64_t j = 0; j < e.n; j++) {
        const T sum = first[i * e.n + j];
        c(i, j) = into == Into::Set ? sum : into == Into::Add ? T(c(i, j) + sum) : T(c(i, j) - sum);
      }
  };
  if (workers_ == 1) add(0, e.m);
  else for_pieces(e.m, std::max<int64_t>(1, few_sums / (parts * e.n)), add);
}

template void Products::operator()(Extents, MatrixView<const float>, MatrixView<const float>, MatrixView<float>, Into);
template void Products::operator()(Extents, MatrixView<const double>, MatrixView<const double>, MatrixView<double>, Into);
template void Products::operator()(Extents, MatrixView<const uint32_t>, MatrixView<const uint32_t>, MatrixView<uint32_t>, Into);
template void Products::operator()(Extents, MatrixView<const uint64_t>, MatrixView<const uint64_t>, MatrixView<uint64_t>, Into);

}  // namespace wf::cpu
