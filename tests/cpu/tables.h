// The tables of every instruction set that the library is compiled for and this processor has.
#pragma once

#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "cpu/instruction_sets.h"
#include "cpu/loops/compress.h"
#include "cpu/loops/fold.h"
#include "cpu/loops/isa.h"
#include "cpu/loops/prefix.h"
#include "cpu/loops/stream.h"
#include "ops/ops.h"

namespace wf::cpu {

struct Tables {
  std::string_view isa;
  const simd::FoldTable& folds;
  const simd::PrefixTable& prefixes;
  const simd::CompressTable& compresses;
  const simd::StreamTable& streams;
};

inline std::vector<Tables> all_tables() {
  std::vector<Tables> tables;
#define SET(set)                            \
  if (Isa::set <= best_of_this_processor()) \
    tables.push_back({#set, simd::folds_##set, simd::prefixes_##set, simd::compresses_##set, simd::streams_##set});
  WF_INSTRUCTION_SETS
#undef SET
  return tables;
}

// The operations in the order of simd::Monoid.
constexpr Op monoid_ops[] = {
#define WF_IN_lanes(name) Op::name##_,
#define WF_IN_none(name)
#define OP(name, monoid) WF_IN_##monoid(name)
#include "ops/names.def"
#undef WF_IN_lanes
#undef WF_IN_none
};

// A column whose start is aligned to its elements only.
template <class T> struct Column {
  explicit Column(int64_t n) : size(n), memory(std::make_unique<T[]>(n + 1)) {}
  T* get() const { return memory.get() + 1; }
  T& operator[](int64_t i) const { return get()[i]; }
  int64_t size;
  std::unique_ptr<T[]> memory;
};

// Small whole numbers, so that float sums and products are exact; with occasional NaNs for floats on request.
template <class T> Column<T> numbers(int64_t n, unsigned seed, bool with_nan = false) {
  std::mt19937 random(seed);
  Column<T> x(n);
  for (int64_t i = 0; i < n; i++) {
    x[i] = T(int(random() % 7) - (std::is_same_v<T, bool> || std::is_unsigned_v<T> ? 0 : 3));
    if (with_nan && std::is_floating_point_v<T> && random() % 5 == 0) x[i] = T(__builtin_nan(""));
  }
  return x;
}

template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

}  // namespace wf::cpu
