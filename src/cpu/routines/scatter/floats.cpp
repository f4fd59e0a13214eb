#include <algorithm>
#include <stdexcept>

#include "cpu/routines/scatter/tables.h"
#include "cpu/routines/words.h"
#include "ops/meaning.h"

namespace wf::cpu {
namespace {

constexpr int64_t turns = 4;  // tables of a piece, which take its elements in turn: equal neighbours need not wait for each other
constexpr int64_t most_pieces = 1 << 10;  // each with tables of its own

// Floats of type T, carried in f64, into at most 256 elements. Each piece of the values has `turns` tables, which take them in turn.
template <Op op, class T> struct FloatCombiner {
  static double apply(double x, double y) {
    if constexpr (op == Op::add_) return x + y;
    else if constexpr (op == Op::mul_) return x * y;
    else if constexpr (op == Op::min_) return meaning::lesser(x, y);
    else return meaning::greater(x, y);
  }

  // Combines a piece into tables[0, m).
  static void scatter_piece(const ScatterColumn& c, int64_t begin, int64_t end, double* tables) {
    std::fill_n(tables, turns * c.m, from_bits<double>(neutral_bits(op, Type::F64)));
    int64_t wide[indices_at_once];
    uint8_t converted[indices_at_once];
    for (int64_t first = begin; first < end; first += indices_at_once) {
      const int64_t count = std::min(indices_at_once, end - first);
      const auto* indices = reinterpret_cast<const uint8_t*>(c.indices) + first;
      if (c.index_type != Type::U8) {
        read_indices(c.index_type, c.indices, first, count, wide);
        indices = std::copy_n(wide, count, converted) - count;
      }
      const T* values = c.values_from<T>(first);
      auto combine = [&](int64_t k, int64_t turn) {
        double& at = tables[turn * c.m + indices[k]];
        at = apply(at, double(values[k]));
      };
      int64_t k = 0;
      for (; k + turns <= count; k += turns)
        for (int64_t turn = 0; turn < turns; turn++) combine(k + turn, turn);
      for (; k < count; k++) combine(k, 0);
    }
    for (int64_t k = c.m; k < turns * c.m; k++) tables[k % c.m] = apply(tables[k % c.m], tables[k]);
  }

  static void scatter(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
    check_indices(c);
    const int64_t grain = std::max(scatter_grain, (c.n + most_pieces - 1) / most_pieces);
    const int64_t pieces = std::max<int64_t>((c.n + grain - 1) / grain, 1), size = turns * c.m;
    const BufferRef memory = Buffer::make(pool, size_t(pieces * size) * sizeof(double));
    auto* const tables = reinterpret_cast<double*>(memory->host_for_writing());
    for_pieces(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; p++) scatter_piece(c, p * grain, std::min(c.n, (p + 1) * grain), tables + p * size);
    });
    for (int64_t k = 0; k < c.m; k++) {
      double total = tables[k];
      for (int64_t p = 1; p < pieces; p++) total = apply(total, tables[p * size + k]);
      reinterpret_cast<T*>(c.out)[k] = T(apply(double(reinterpret_cast<const T*>(c.base)[k]), total));
    }
  }
};

template <class T> void scatter_floats_of(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  switch (op) {
    case Op::add_: return FloatCombiner<Op::add_, T>::scatter(c, pool);
    case Op::mul_: return FloatCombiner<Op::mul_, T>::scatter(c, pool);
    case Op::min_: return FloatCombiner<Op::min_, T>::scatter(c, pool);
    case Op::max_: return FloatCombiner<Op::max_, T>::scatter(c, pool);
    default: throw std::logic_error("scatter: an operation on integers");
  }
}

}  // namespace

void scatter_floats(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  if (c.type == Type::F32) scatter_floats_of<float>(op, c, pool);
  else scatter_floats_of<double>(op, c, pool);
}

}  // namespace wf::cpu
