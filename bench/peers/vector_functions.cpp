#include "vector_functions.h"

#if defined(WITH_SLEEF) && defined(__AVX2__)

#include <sleef.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace bench {
namespace {

#ifdef __AVX512F__
using F32 = __m512;
using F64 = __m512d;
#define WIDTH_F32(name, accuracy) Sleef_##name##f16_##accuracy
#define WIDTH_F64(name, accuracy) Sleef_##name##d8_##accuracy
#else
using F32 = __m256;
using F64 = __m256d;
#define WIDTH_F32(name, accuracy) Sleef_##name##f8_##accuracy
#define WIDTH_F64(name, accuracy) Sleef_##name##d4_##accuracy
#endif

template <class V, class T> V vector_at(const T* from, int64_t count) {
  alignas(sizeof(V)) T lanes[sizeof(V) / sizeof(T)] = {};
  std::copy_n(from, count, lanes);
  return *reinterpret_cast<const V*>(lanes);
}

// f(x, y) of vectors, for chunks of [0, n).
template <class V, auto f, class T> void on_all_threads(const T* x, const T* y, T* out, int64_t n) {
  constexpr int64_t lanes = sizeof(V) / sizeof(T);
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 1 << 14), [&](const auto& range) {
    for (int64_t i = range.begin(); i < range.end(); i += lanes) {
      const int64_t count = std::min(lanes, range.end() - i);
      if (count == lanes) {
        V a, b;
        __builtin_memcpy(&a, x + i, sizeof(V)), __builtin_memcpy(&b, y + i, sizeof(V));
        const V r = f(a, b);
        __builtin_memcpy(out + i, &r, sizeof(V));
      } else {
        const V r = f(vector_at<V>(x + i, count), vector_at<V>(y + i, count));
        std::copy_n(reinterpret_cast<const T*>(&r), count, out + i);
      }
    }
  });
}

}  // namespace

#define ONE(name, accuracy) \
  if (wanted == #name) return on_all_threads<V, [](V x, V) { return WIDTH(name, accuracy)(x); }, T>
#define TWO(name, accuracy) \
  if (wanted == #name) return on_all_threads<V, [](V x, V y) { return WIDTH(name, accuracy)(x, y); }, T>
#define TABLE      \
  ONE(sqrt, u05);  \
  ONE(cbrt, u10);  \
  ONE(exp, u10);   \
  ONE(exp2, u10);  \
  ONE(expm1, u10); \
  ONE(log, u10);   \
  ONE(log2, u10);  \
  ONE(log10, u10); \
  ONE(log1p, u10); \
  ONE(sin, u10);   \
  ONE(cos, u10);   \
  ONE(tan, u10);   \
  ONE(asin, u10);  \
  ONE(acos, u10);  \
  ONE(atan, u10);  \
  ONE(sinh, u10);  \
  ONE(cosh, u10);  \
  ONE(tanh, u10);  \
  ONE(asinh, u10); \
  ONE(acosh, u10); \
  ONE(atanh, u10); \
  ONE(erf, u10);   \
  ONE(erfc, u15);  \
  TWO(pow, u10);   \
  TWO(hypot, u05); \
  TWO(atan2, u10)

VectorFunction<float> sleef_f32(std::string_view wanted) {
  using T = float;
  using V = F32;
#define WIDTH WIDTH_F32
  TABLE;
#undef WIDTH
  return nullptr;
}
VectorFunction<double> sleef_f64(std::string_view wanted) {
  using T = double;
  using V = F64;
#define WIDTH WIDTH_F64
  TABLE;
#undef WIDTH
  return nullptr;
}

}  // namespace bench

#else

namespace bench {

VectorFunction<float> sleef_f32(std::string_view) { return nullptr; }
VectorFunction<double> sleef_f64(std::string_view) { return nullptr; }

}  // namespace bench

#endif
