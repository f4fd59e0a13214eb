// The table of block loops, compiled once for each instruction set: ops.def x types.def, the casts, and a few data movements.
//
// A loop works on whole tiles of 64 elements. An operand either advances with the output (step: the bytes of 64 elements) or is
// one tile that is read repeatedly (step 0: a literal). So there are no variants for scalars and no code for tails. The output
// may be the same memory as an operand whose elements have the same size; otherwise it must not overlap an operand.
#pragma once

#include <cstdint>

namespace wf::cpu {

constexpr int64_t tile = 64;

struct Operand {
  const void* data;
  int64_t step;  // bytes from one tile to the next: of 64 elements, or 0
};

using Loop = void (*)(void* out, const Operand* operands, int64_t tiles);
// The same on one element: a value's bits are in the low bytes, the rest is zero.
using Single = uint64_t (*)(uint64_t a, uint64_t b, uint64_t c);

constexpr int loop_op_count = 0
#define OP(name, monoid) +1
#include "ops/names.def"
    ;
constexpr int loop_type_count = 0
#define TYPE(id, name, ctype, klass) +1
#include "ops/types.def"
    ;

struct Loops {
  // Null if the operation does not take the type. `single` returns the same bits as the loop.
  Loop op[loop_op_count][loop_type_count];
  Single single[loop_op_count][loop_type_count];
  Loop cast[loop_type_count][loop_type_count];  // [from][to]
  // Indexed by log2 of the element size:
  Loop copy[4];    // out[k] = a[k]
  Loop stride[4];  // out[k] = a[k * operands[0].step]; a points to element 0
  Loop gather[4];  // out[k] = 0 <= i[k] < n ? a[i[k]] : 0; operands: i (i64), {a, n}
  // *(bool*)out = guard[k] and not 0 <= i[k] < n, for some k; operands: i (i64), n (i64), guard (bool)
  Loop outside;
  // out[k] = first + k * stride for 0 <= k < n, where n need not be a multiple of the tile. Sums wrap.
  void (*progression)(int64_t* out, int64_t first, int64_t stride, int64_t n);
};

extern const Loops loops_baseline, loops_avx2, loops_avx512;

const Loops& loops();  // the table of isa()

}  // namespace wf::cpu
