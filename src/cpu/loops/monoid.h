// The operations that fold and scan columns in the lanes of vectors: associative, commutative, with an identity in ops.def.
#pragma once

namespace wf::cpu::simd {

#define WF_IN_lanes(name) name##_,
#define WF_IN_none(name)
enum class Monoid {
#define OP(name, monoid) WF_IN_##monoid(name)
#include "ops/names.def"
  count
};
#undef WF_IN_lanes
#undef WF_IN_none
constexpr int monoid_count = int(Monoid::count);
constexpr int type_count = 8;  // of types.def

}  // namespace wf::cpu::simd
