// The interpreter: a Program whose functions are instructions in memory. interpreter_strided.cuh and interpreter_tiled.cuh are its
// kernels, each for sums and prefixes of at most WF_COLUMNS columns.
//
// Shared memory contains the argument's words, then the threads' registers of 8 bytes each, then the instructions if they fit.
// Register 0 is the element's index. All threads of a warp execute the same instructions, except after a loop's condition diverges.
#pragma once

#define WF_WITHOUT_SPECIAL  // kernels that call them are always compiled
#include "bytecode.h"
#include "grid.cuh"

namespace wf {

#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) WF_OP(name, arity, result, meaning)
#include "ops/ops.def"
#define TYPE(id, name, ctype, klass) \
  template <class T> WF_FN ctype op_to_##id(T x) { return cast<ctype>(x); }
#include "ops/types.def"

template <class T> WF_FN T value_of(uint64_t bits) {
  T x;
  memcpy(&x, &bits, sizeof(T));
  return x;
}
template <class T> WF_FN void store_bits(uint64_t column, int64_t index, uint64_t bits) { reinterpret_cast<T*>(column)[index] = T(bits); }

// Returns an element of the column whose address and length are column[0] and column[1].
template <class T> WF_FN T element_of(const uint64_t* column, uint64_t index) {
  return element(reinterpret_cast<const T*>(column[0]), int64_t(column[1]), int64_t(index));
}

namespace interpreter {

WF_FN uint64_t* memory() {
  WF_DYNAMIC_SHARED(128, bytes);
  return reinterpret_cast<uint64_t*>(bytes);
}
WF_FN uint64_t& at(Operand k) { return memory()[(k & ~is_word) + (k & is_word ? 0 : threadIdx.x)]; }

// The address of the instructions: in shared memory if they fit.
WF_FN const uint4*& code() {
  __shared__ const uint4* place;
  return place;
}

// Called once, by all threads.
WF_FN void start(const Arguments& a) {
  const uint4* instructions = reinterpret_cast<const uint4*>(a.code);
  uint4* room = reinterpret_cast<uint4*>(memory() + most_words + a.registers * blockDim.x);
  for (unsigned k = threadIdx.x; k < most_words; k += blockDim.x) memory()[k] = a.words[k];
  for (unsigned k = threadIdx.x; k < a.instructions; k += blockDim.x) room[k] = __ldg(instructions + k);
  if (threadIdx.x == 0) code() = a.instructions > 0 ? room : instructions;
  __syncthreads();
}

// Runs instructions from the `next`-th on. Not inlined: all functions share one copy.
static __device__ __noinline__ void run(const Arguments& a, unsigned next) {
  const uint4* const instructions = code();
  const uint64_t* const more_words = reinterpret_cast<const uint64_t*>(a.more_words);
  constexpr unsigned steps_between_looks = 1024;
  unsigned steps = 0;  // of loops
  bool failed = false;
#pragma unroll 1
  while (true) {
    const uint4 bits = instructions[next++];
    Instruction in;
    memcpy(&in, &bits, sizeof in);
    if (in.code == code_end) return;
    const uint64_t x = at(in.x), y = at(in.y), z = at(in.z);
    uint64_t out = 0;
    switch (in.code) {
      case code_jump:  // a loop goes on, unless a fault of this element or of one before it is recorded
        if (++steps % steps_between_looks == 0 && a.fault != 0)
          failed = reinterpret_cast<const volatile Fault*>(a.fault)->at <= memory()[most_words + threadIdx.x];
        next = in.extra;
        continue;
      case code_jump_unless: next = x && !failed ? next : in.extra; continue;
      case code_check:
        check(reinterpret_cast<Fault*>(a.fault), int64_t(memory()[most_words + threadIdx.x]), int64_t(x), int64_t(y), z);
        continue;
      case code_result: reinterpret_cast<uint64_t*>(a.results)[in.extra] = x; continue;
#define WF_STORE(bytes, T)                                   \
  case code_store_##bytes:                                   \
    if (z) store_bits<T>(memory()[in.extra], int64_t(x), y); \
    continue;
        WF_STORE(1, uint8_t)
        WF_STORE(4, uint32_t)
        WF_STORE(8, uint64_t)
      case code_select: out = x ? y : z; break;
      case code_move: out = x; break;
      case code_word: out = more_words[in.extra]; break;
#define WF_LOAD(bytes, T)                                                     \
  case code_load_##bytes: out = element_of<T>(memory() + in.extra, x); break; \
  case code_load_more_##bytes: out = element_of<T>(more_words + in.extra, x); break;
        WF_LOAD(1, uint8_t)
        WF_LOAD(4, uint32_t)
        WF_LOAD(8, uint64_t)
#define WF_FOLD(name, bytes, T) \
  case code_##name##_##bytes: out = bits_of(name(value_of<T>(x), value_of<T>(y))); break;
        WF_FOLD(fold_min, 4, float)
        WF_FOLD(fold_min, 8, double)
        WF_FOLD(fold_max, 4, float)
        WF_FOLD(fold_max, 8, double)
#define WF_CALL_1(name, T) op_##name<T>(value_of<T>(x))
#define WF_CALL_2(name, T) op_##name<T>(value_of<T>(x), value_of<T>(y))
#define WF_CALL_3(name, T) op_##name<T>(value_of<T>(x), value_of<T>(y), value_of<T>(z))
#define WF_CASE(name, arity, id, T)          \
  case number_##name* types + type_##id:     \
    out = bits_of(WF_CALL_##arity(name, T)); \
    break;
#define WF_CASES_Truth(name, arity) WF_CASE(name, arity, Bool, bool)
#define WF_CASES_Int(name, arity)     \
  WF_CASE(name, arity, U8, uint8_t)   \
  WF_CASE(name, arity, I32, int32_t)  \
  WF_CASE(name, arity, U32, uint32_t) \
  WF_CASE(name, arity, I64, int64_t)  \
  WF_CASE(name, arity, U64, uint64_t)
#define WF_CASES_Float(name, arity) \
  WF_CASE(name, arity, F32, float)  \
  WF_CASE(name, arity, F64, double)
#define WF_CASES_Num(name, arity) WF_CASES_Int(name, arity) WF_CASES_Float(name, arity)
#define WF_CASES_Bits(name, arity) WF_CASES_Truth(name, arity) WF_CASES_Int(name, arity)
#define WF_CASES_Any(name, arity) WF_CASES_Bits(name, arity) WF_CASES_Float(name, arity)
#define WF_INTERPRETED_simple(on, name, arity) WF_CASES_##on(name, arity)
#define WF_INTERPRETED_quotient(on, name, arity) WF_CASES_##on(name, arity)
#define WF_INTERPRETED_root(on, name, arity) WF_CASES_##on(name, arity)
#define WF_INTERPRETED_light(on, name, arity) WF_CASES_##on(name, arity)
#define WF_INTERPRETED_heavy(on, name, arity) WF_CASES_##on(name, arity)
#define WF_INTERPRETED_special(on, name, arity)
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) WF_INTERPRETED_##cost(on, name, arity)
#include "ops/ops.def"
#define TYPE(id, name, ctype, klass) WF_CASES_Any(to_##id, 1)
#include "ops/types.def"
    }
    at(in.out) = out;
  }
}

// A Program for sums and prefixes of at most that many columns.
template <int most> struct Interpreter : Defaults<Interpreter<most>, Arguments> {
  static constexpr int threads = most_threads;
  using Args = Arguments;
  struct Columns {
    uint64_t at[most];
  };
  using Sums = Columns;
  using Local = Columns;

  static WF_MEMBER bool has_locals(const Args& a) { return a.locals > 0; }
  static WF_MEMBER bool has_sums(const Args& a) { return a.sums > 0; }
  static WF_MEMBER bool has_finish(const Args& a) { return a.has_finish; }

  template <class F> static WF_MEMBER void for_columns(unsigned count, F f) {
#pragma unroll
    for (unsigned k = 0; k < most; k++)
      if (k < count) f(k);
  }
  static WF_MEMBER void put(Operand first, unsigned count, const Columns& x) {
    for_columns(count, [&](unsigned k) { at(first + k * blockDim.x) = x.at[k]; });
  }
  static WF_MEMBER Columns take(const Segment& segment, unsigned count) {
    Columns x{};
    for_columns(count, [&](unsigned k) { x.at[k] = at(segment.results[k]); });
    return x;
  }
  static WF_MEMBER Columns words(unsigned first, unsigned count) {
    Columns x{};
    for_columns(count, [&](unsigned k) { x.at[k] = memory()[first + k]; });
    return x;
  }

  static WF_MEMBER Sums none(const Args& a) { return words(a.sums_identity, a.sums); }
  static WF_MEMBER Local local_identity(const Args& a) { return words(a.locals_identity, a.locals); }
  static WF_MEMBER Sums join(const Args& a, const Sums& x, const Sums& y) {
    put(a.sums_left, a.sums, x);
    put(a.sums_right, a.sums, y);
    run(a, a.join.begin);
    return take(a.join, a.sums);
  }
  static WF_MEMBER Local combine(const Args& a, const Local& x, const Local& y) {
    put(a.locals_left, a.locals, x);
    put(a.locals_right, a.locals, y);
    run(a, a.combine.begin);
    return take(a.combine, a.locals);
  }
  static WF_MEMBER void set_index(int64_t i) { memory()[most_words + threadIdx.x] = uint64_t(i); }
  static WF_MEMBER Local early(const Args& a, int64_t i, Checks&) {
    set_index(i);
    run(a, a.early.begin);
    return take(a.early, a.locals);
  }
  // Returns the element's contribution to Sums.
  static WF_MEMBER Sums visit(const Args& a, int64_t i, const Local& before, const Local& after) {
    set_index(i);
    put(a.before, a.locals, before);
    put(a.after, a.locals, after);
    run(a, a.late.begin);
    return take(a.late, a.sums);
  }
  static WF_MEMBER void late(const Args& a, int64_t i, const Local& before, const Local& after, Sums& sums) {
    const Sums one = visit(a, i, before, after);
    if (a.sums > 0) sums = join(a, sums, one);
  }
  static WF_MEMBER void finish(const Args& a, const Sums& sums, const Local& scanned) {
    set_index(0);
    put(a.sums_left, a.sums, sums);
    put(a.scanned, a.locals, scanned);
    run(a, a.finish.begin);
    announce(reinterpret_cast<uint64_t*>(a.results));
  }
};

}  // namespace interpreter
}  // namespace wf
