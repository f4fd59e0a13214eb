// Scalar types and operations as device code: the meanings of ops.def, compiled here as they are for the CPU.
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
#define OP(name, arity, on, result, laws, identity, meaning_)                      \
  template <class T>                                                               \
  WF_FN WF_RESULT_##result op_##name(WF_PARAMETERS_##arity) {                      \
    using namespace meaning;                                                       \
    using U [[maybe_unused]] = typename Wrap<T>::type;                             \
    return meaning_;                                                               \
  }
#include "ops/ops.def"

template <class To, class From>
WF_FN To cast(From x) {
  return meaning::convert<To>(x);
}

// A value in the low bytes of a word, as the host reads it; and back.
template <class T>
WF_FN uint64_t bits_of(T x) {
  uint64_t bits = 0;
  memcpy(&bits, &x, sizeof(T));
  return bits;
}

}  // namespace wf
