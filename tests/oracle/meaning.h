// What every operation means, written a second time and independently of ops.def: integers by exact arithmetic on 128 bits
// that is then wrapped, floats by the C library, math functions in long double rounded once.
#pragma once

#include "ops/ops.h"

namespace oracle {

using wf::Bits64;
using wf::Op;
using wf::Type;

// op applied to bits of type t, as wf::evaluate.
Bits64 meaning(Op op, Type t, Bits64 a, Bits64 b = 0, Bits64 c = 0);
Bits64 conversion(Type from, Type to, Bits64 x);

// Whether an engine may differ from `meaning` in the last places when it computes op on floats.
bool is_rounded_freely(Op op);

// How many representable values lie between two of a float type; 0 for two NaNs or two zeros, huge for a NaN beside a number.
uint64_t ulps_apart(Type t, Bits64 a, Bits64 b);

// The same value: equal bits, or two NaNs, or two zeros.
bool same(Type t, Bits64 a, Bits64 b);

}  // namespace oracle
