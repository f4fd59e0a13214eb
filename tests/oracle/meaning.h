// The meaning of every operation, written a second time and independently of ops.def: integers by exact arithmetic on 128 bits,
// then wrapped; floats by the C library; math functions in long double, rounded once.
#pragma once

#include "ops/ops.h"

namespace oracle {

using wf::Bits64;
using wf::Op;
using wf::Type;

// op applied to bits of type t, as wf::evaluate.
Bits64 meaning(Op op, Type t, Bits64 a, Bits64 b = 0, Bits64 c = 0);
Bits64 conversion(Type from, Type to, Bits64 x);

// Returns true if an engine may differ from `meaning` in the last places when it computes op on floats.
bool is_rounded_freely(Op op);

// The number of representable values between two of a float type; 0 for two NaNs or two zeros, huge for a NaN and a number.
uint64_t ulps_apart(Type t, Bits64 a, Bits64 b);

// Returns true if the values are the same: equal bits, or two NaNs, or two zeros.
bool same(Type t, Bits64 a, Bits64 b);

// Returns true if `got` is a correct result of op of that type where `expected` is the second reading's.
bool is_near(Op op, Type result, Bits64 expected, Bits64 got);

}  // namespace oracle
