// This file is compiled for each instruction set, with contraction to fused multiply-adds. It includes no standard header, and defines
// nothing with external linkage but its table.
#include "cpu/linear/vector_loops.h"

#include "cpu/loops/vector.h"

namespace wf::cpu {
namespace {

using simd::vector_bytes;

template <class T> struct Lanes {
  typedef T Vector __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
  static constexpr int count = vector_bytes / int(sizeof(T));
};
template <class T> using Vector = typename Lanes<T>::Vector;
template <class T> constexpr int lanes = Lanes<T>::count;

template <class T> inline Vector<T> load(const T* x) { return *reinterpret_cast<const Vector<T>*>(x); }
template <class T> inline void store(T* x, const Vector<T>& v) { *reinterpret_cast<Vector<T>*>(x) = v; }
template <class T> inline T sum_of(const Vector<T>& v) {
  T sum = 0;
  for (int lane = 0; lane < lanes<T>; lane++) sum += v[lane];
  return sum;
}

template <class T> T dot(const T* x, const T* y, int64_t n) {
  constexpr int parts = 4;
  Vector<T> sums[parts] = {};
  int64_t i = 0;
  for (; i + parts * lanes<T> <= n; i += parts * lanes<T>)
    for (int p = 0; p < parts; p++) sums[p] += load(x + i + p * lanes<T>) * load(y + i + p * lanes<T>);
  T sum = 0;
  for (; i < n; i++) sum += x[i] * y[i];
  return sum + sum_of<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

template <class T> void add_multiple(T a, const T* __restrict x, T* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

// v without its first `count` lanes, which become 0.
template <class T> inline Vector<T> without(const Vector<T>& v, int count) {
  Vector<T> number = {};
  for (int lane = 0; lane < lanes<T>; lane++) number[lane] = T(lane);
  return number >= T(count) ? v : Vector<T>{};
}

// The operations on `count` rows, a number known to the compiler. The last elements are the last lanes of a vector that overlaps the one before,
// so that results do not depend on the number of rows that are computed together.
template <bool multiplies, bool adds, int count, class T>
[[gnu::always_inline]] inline void few_rows(const T* a, int64_t stride, int64_t n, const T* x, T* y, const T* w, T* sum) {
  Vector<T> products[count] = {};
  T rest[count] = {};
  auto step = [&](int64_t j, int overlap) {
    Vector<T> total = {};
    if (adds) total = load(sum + j);
    for (int r = 0; r < count; r++) {
      Vector<T> row = load(a + r * stride + j);
      if (overlap > 0) row = without<T>(row, overlap);
      if (multiplies) products[r] += row * load(x + j);
      if (adds) total += w[r] * row;
    }
    if (adds) store<T>(sum + j, total);
  };
  if (n < lanes<T>) {
    for (int64_t j = 0; j < n; j++)
      for (int r = 0; r < count; r++) {
        if (multiplies) rest[r] += a[r * stride + j] * x[j];
        if (adds) sum[j] += w[r] * a[r * stride + j];
      }
  } else {
    int64_t j = 0;
    for (; j + lanes<T> <= n; j += lanes<T>) step(j, 0);
    if (j < n) step(n - lanes<T>, int(j + lanes<T> - n));
  }
  if (multiplies)
    for (int r = 0; r < count; r++) y[r] = rest[r] + sum_of<T>(products[r]);
}

template <bool multiplies, bool adds, class T>
[[gnu::always_inline]] inline void all_rows(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* y, const T* w, T* sum) {
  constexpr int group = 4;
  int64_t i = 0;
  for (; i + group <= rows; i += group) few_rows<multiplies, adds, group>(a + i * stride, stride, n, x, y + i, w + i, sum);
  for (; i < rows; i++) few_rows<multiplies, adds, 1>(a + i * stride, stride, n, x, y + i, w + i, sum);
}

template <class T> void times(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* y) {
  all_rows<true, false, T>(a, stride, rows, n, x, y, x, y);
}
template <class T> void add_rows(const T* a, int64_t stride, int64_t rows, int64_t n, const T* w, T* sum) {
  all_rows<false, true, T>(a, stride, rows, n, w, sum, w, sum);
}
template <class T> void times_and_add_rows(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* y, const T* w, T* sum) {
  all_rows<true, true, T>(a, stride, rows, n, x, y, w, sum);
}

// Successive rotations often share a row, which stays in registers.
template <class T> void rotate(const Rotation<T>* rotations, int64_t count, T* strip) {
  constexpr int group = 4;
  constexpr int64_t row = strip_columns<T>;
  if (count == 0) return;
  for (int64_t column = 0; column < row; column += group * lanes<T>) {
    int64_t at = rotations[0].first;
    T* x = strip + at * row + column;
    Vector<T> held[group];
    for (int v = 0; v < group; v++) held[v] = load(x + v * lanes<T>);
    for (int64_t k = 0; k < count; k++) {
      const Rotation<T>& r = rotations[k];
      if (r.first != at) {
        at = r.first;
        for (int v = 0; v < group; v++) store<T>(x + v * lanes<T>, held[v]);
        x = strip + at * row + column;
        for (int v = 0; v < group; v++) held[v] = load(x + v * lanes<T>);
      }
      for (int v = 0; v < group; v++) {
        const Vector<T> next = load(x + row + v * lanes<T>);
        store<T>(x + v * lanes<T>, r.c * held[v] - r.s * next);
        held[v] = r.s * held[v] + r.c * next;
      }
      at++;
      x += row;
    }
    for (int v = 0; v < group; v++) store<T>(x + v * lanes<T>, held[v]);
  }
}

template <class T> constexpr VectorLoops<T> loops{dot<T>, add_multiple<T>, times<T>, add_rows<T>, times_and_add_rows<T>, rotate<T>};

}  // namespace

extern const AllVectorLoops WF_JOIN(vectors, WF_ISA);
const AllVectorLoops WF_JOIN(vectors, WF_ISA) = {loops<float>, loops<double>};

}  // namespace wf::cpu
