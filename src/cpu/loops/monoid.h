// The operations that have a form in registers: associative, commutative, with an identity in ops.def.
#pragma once

namespace wf::cpu::simd {

enum class Monoid { add, mul, min, max, and_, or_, xor_ };
constexpr int monoid_count = 7;
constexpr int type_count = 8;  // of types.def

}  // namespace wf::cpu::simd
