// Scalar types and operations as device code, from the same definitions in ops.def as on the CPU. A kernel without mathematical functions
// defines WF_WITHOUT_MATH, since parsing them is a noticeable part of a small kernel's compile time.
#pragma once

#ifdef __CUDACC__
#include "cuda/dialects/cuda.cuh"
#else
#include "cuda/dialects/hip.cuh"
#endif
#include "ops/meaning.h"

namespace wf {

using uint8_t = unsigned char;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long long;
using uint64_t = unsigned long long;

#define WF_RESULT_Same T
#define WF_RESULT_Truth bool
#define WF_PARAMETERS_1 T a
#define WF_PARAMETERS_2 T a, T b
#define WF_PARAMETERS_3 T a, T b, T c
// Defines an operation. A kernel's text has one line for each operation that it uses.
#define WF_OP(name, arity, result, meaning_)                                     \
  template <class T> WF_FN WF_RESULT_##result op_##name(WF_PARAMETERS_##arity) { \
    using namespace meaning;                                                     \
    using U [[maybe_unused]] = typename Wrap<T>::type;                           \
    return meaning_;                                                             \
  }

template <class To, class From> WF_FN To cast(From x) { return meaning::convert<To>(x); }

// The minimum and maximum of partial results, in one instruction each. op_min and op_max need three slower ones, which limits reductions of
// several columns. They differ from op_min and op_max only in the sign of a zero among zeros of both signs. A fold's zero depends on the
// order in any case.
WF_FN float fold_min(float x, float y) { return fminf(x, y); }
WF_FN float fold_max(float x, float y) { return fmaxf(x, y); }
WF_FN double fold_min(double x, double y) { return fmin(x, y); }
WF_FN double fold_max(double x, double y) { return fmax(x, y); }

// Returns the word with x in its low bytes, as the host reads it.
template <class T> WF_FN uint64_t bits_of(T x) {
  uint64_t bits = 0;
  memcpy(&bits, &x, sizeof(T));
  return bits;
}

}  // namespace wf
