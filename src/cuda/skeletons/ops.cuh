// Scalar types and operations as device code: the meanings of ops.def, compiled here as they are for the CPU. Where a kernel uses
// no mathematical function it defines WF_WITHOUT_MATH: reading them takes a tenth of a small kernel's time to compile.
#pragma once

#include "math.cuh"
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
// An operation: a kernel's text has a line for each that it uses.
#define WF_OP(name, arity, result, meaning_)                                       \
  template <class T>                                                               \
  WF_FN WF_RESULT_##result op_##name(WF_PARAMETERS_##arity) {                      \
    using namespace meaning;                                                       \
    using U [[maybe_unused]] = typename Wrap<T>::type;                             \
    return meaning_;                                                               \
  }

template <class To, class From>
WF_FN To cast(From x) {
  return meaning::convert<To>(x);
}

// The minimum and maximum of partial results, in one instruction each where op_min and op_max take three, half as fast each (an
// H200 reads for a maximum contiguous sum 1.4 times as fast). They differ from these only in the sign of a zero among zeros of
// both signs, which in a fold depends on the order in any case.
WF_FN float fold_min(float x, float y) { return fminf(x, y); }
WF_FN float fold_max(float x, float y) { return fmaxf(x, y); }
WF_FN double fold_min(double x, double y) { return fmin(x, y); }
WF_FN double fold_max(double x, double y) { return fmax(x, y); }

// A value in the low bytes of a word, as the host reads it; and back.
template <class T>
WF_FN uint64_t bits_of(T x) {
  uint64_t bits = 0;
  memcpy(&bits, &x, sizeof(T));
  return bits;
}

}  // namespace wf
