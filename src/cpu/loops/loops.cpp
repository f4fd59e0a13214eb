// Compiled once for each instruction set (WF_ISA); isa.h states the headers that may be included here.
#include "cpu/loops/loops.h"

#include "cpu/loops/division.h"
#include "cpu/loops/philox.h"
#include "ops/meaning.h"

namespace wf::cpu {
namespace {

#ifdef __clang__
#define WF_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define WF_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define WF_INLINE static inline __attribute__((always_inline))

template <bool first, class A, class B> struct Choose { using type = A; };
template <class A, class B> struct Choose<false, A, B> { using type = B; };

// A bool is stored as a byte, 0 or 1.
template <class T> struct InMemory { using type = T; };
template <> struct InMemory<bool> { using type = unsigned char; };
template <class T> using Stored = typename InMemory<T>::type;

template <class T> WF_INLINE const Stored<T>* tile_of(const Operand& operand, int64_t t) {
  return reinterpret_cast<const Stored<T>*>(static_cast<const char*>(operand.data) + t * operand.step);
}
template <class T> WF_INLINE Stored<T>* tile_of(void* out, int64_t t) { return static_cast<Stored<T>*>(out) + t * tile; }

// ---- operations ---------------------------------------------------------------------------------------------------------------

enum Class { Truth = 1, Int = 2, Float = 4, Num = Int | Float, Bits = Truth | Int, Any = 7 };
enum class Result { Same, Truth };
enum class Cost { simple, quotient, root, light, heavy, special };

template <class T> constexpr int class_of = 0;
#define TYPE(id, name, ctype, klass) template <> [[maybe_unused]] constexpr int class_of<ctype> = klass;
#include "ops/types.def"

enum {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) number_of_##name,
#include "ops/ops.def"
};
enum {
#define TYPE(id, name, ctype, klass) number_of_##id,
#include "ops/types.def"
};

// An operation's meaning in T as a type with a function `of`, so that one loop template serves all operations.
#define OP(name, arity_, on, result, laws, identity, bits, cost, monoid, meaning_) \
  template <class Type> struct Meaning_##name {                                    \
    static constexpr bool is_long = Cost::cost == Cost::special && arity_ == 1;    \
    using T = Type;                                                                \
    using U = typename meaning::Wrap<T>::type;                                     \
    using First = typename Choose<arity_ == 3 && on == Any, bool, T>::type;        \
    using Out = typename Choose<Result::result == Result::Truth, bool, T>::type;   \
    static constexpr int arity = arity_;                                           \
    WF_INLINE Out of(First a, [[maybe_unused]] T b, [[maybe_unused]] T c) {        \
      using namespace meaning;                                                     \
      return meaning_;                                                             \
    }                                                                              \
  };
#include "ops/ops.def"

template <class F> void apply(void* out, const Operand* in, int64_t tiles) {
  using T = typename F::T;
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = tile_of<typename F::Out>(out, t);
    auto* a = tile_of<typename F::First>(in[0], t);
    if constexpr (F::arity == 1) {
      WF_INDEPENDENT
      for (int k = 0; k < tile; k++) r[k] = F::of(a[k], T(), T());
    } else if constexpr (F::arity == 2) {
      auto* b = tile_of<T>(in[1], t);
      WF_INDEPENDENT
      for (int k = 0; k < tile; k++) r[k] = F::of(a[k], b[k], T());
    } else {
      auto* b = tile_of<T>(in[1], t);
      auto* c = tile_of<T>(in[2], t);
      WF_INDEPENDENT
      for (int k = 0; k < tile; k++) r[k] = F::of(a[k], b[k], c[k]);
    }
  }
}

template <class T> WF_INLINE T value_of(uint64_t bits) {
  T x;
  __builtin_memcpy(&x, &bits, sizeof(T));
  return x;
}

template <class F> uint64_t single(uint64_t a, uint64_t b, uint64_t c) {
  using T = typename F::T;
  typename F::Out result = F::of(value_of<typename F::First>(a), value_of<T>(b), value_of<T>(c));
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &result, sizeof result);
  return bits;
}

// The same by the loop of a tile, for long functions: another instance of each would take as long to compile.
template <auto loop, class F> uint64_t single_of_loop(uint64_t a, uint64_t b, uint64_t c) {
  using T = typename F::T;
  alignas(64) T x[tile], y[tile], z[tile];
  for (int k = 0; k < tile; k++) x[k] = value_of<T>(a), y[k] = value_of<T>(b), z[k] = value_of<T>(c);
  Operand operands[] = {{x, 0}, {y, 0}, {z, 0}};
  loop(x, operands, 1);
  uint64_t bits = 0;
  __builtin_memcpy(&bits, x, sizeof(T));
  return bits;
}

// Operations with a faster form for most operands.
#define FAST(name, form, covers_)                             \
  template <class T> struct Fast_##name : Meaning_##name<T> { \
    WF_INLINE bool covers(T a, [[maybe_unused]] T b) {        \
      using namespace meaning;                                \
      return covers_;                                         \
    }                                                         \
    WF_INLINE T of(T a, [[maybe_unused]] T b, T) {            \
      using namespace meaning;                                \
      return form;                                            \
    }                                                         \
  };
FAST(sin, fast_sin(a), on_fast_circle(a))
FAST(cos, fast_cos(a), on_fast_circle(a))
FAST(tan, fast_tan(a), on_fast_circle(a))
FAST(bessel_j0, fast_bessel_j0(a), on_fast_circle(a))
FAST(bessel_j1, fast_bessel_j1(a), on_fast_circle(a))
FAST(bessel_y0, fast_bessel_y0(a), on_fast_circle(a))
FAST(bessel_y1, fast_bessel_y1(a), on_fast_circle(a))
FAST(pow, ordinary_pow(a, b), is_ordinary_power(a, b))
FAST(div, fast_quotient(a, b), divides_as_double(a, b))
FAST(rem, fast_remainder(a, b), divides_as_double(a, b))
#undef FAST

// Operations whose vector form does not cover all operands. The form of an element depends on its own operands alone.
template <class Fast, class Slow> struct WhereCovered : Fast {
  using T = typename Fast::T;
  WF_INLINE T of(T a, T b, T) { return Fast::covers(a, b) ? Fast::of(a, b, 0) : Slow::of(a, b, 0); }
};

template <class Fast, class Slow> void apply_where_covered(void* out, const Operand* in, int64_t tiles) {
  using T = typename Fast::T;
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = tile_of<T>(out, t);
    auto* a = tile_of<T>(in[0], t);
    auto* b = Fast::arity > 1 ? tile_of<T>(in[1], t) : a;
    unsigned outside = 0;
    for (int k = 0; k < tile; k++) outside |= !Fast::covers(a[k], b[k]);
    if (outside == 0) {
      WF_INDEPENDENT
      for (int k = 0; k < tile; k++) r[k] = Fast::of(a[k], b[k], 0);
    } else {
      for (int k = 0; k < tile; k++) r[k] = WhereCovered<Fast, Slow>::of(a[k], b[k], 0);
    }
  }
}

// Operations whose vector form for all operands computes the same bits as the fast one.
template <class Fast, class General> void apply_if_covered(void* out, const Operand* in, int64_t tiles) {
  using T = typename Fast::T;
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = tile_of<T>(out, t);
    auto* a = tile_of<T>(in[0], t);
    auto* b = tile_of<T>(in[1], t);
    unsigned outside = 0;
    for (int k = 0; k < tile; k++) outside |= !Fast::covers(a[k], b[k]);
    if (outside == 0) {
      WF_INDEPENDENT
      for (int k = 0; k < tile; k++) r[k] = Fast::of(a[k], b[k], 0);
    } else {
      WF_INDEPENDENT
      for (int k = 0; k < tile; k++) r[k] = General::of(a[k], b[k], 0);
    }
  }
}

template <class Fast, class Slow> constexpr void use_where_covered(Loops& table, int op, int type) {
  table.op[op][type] = apply_where_covered<Fast, Slow>;
  if constexpr (Slow::is_long) table.single[op][type] = single_of_loop<apply_where_covered<Fast, Slow>, Slow>;
  else table.single[op][type] = single<WhereCovered<Fast, Slow>>;
}

template <class T> constexpr void use_fast_forms(Loops& table, int type) {
  use_where_covered<Fast_sin<T>, Meaning_sin<T>>(table, number_of_sin, type);
  use_where_covered<Fast_cos<T>, Meaning_cos<T>>(table, number_of_cos, type);
  use_where_covered<Fast_tan<T>, Meaning_tan<T>>(table, number_of_tan, type);
  table.op[number_of_pow][type] = apply_if_covered<Fast_pow<T>, Meaning_pow<T>>;
  use_where_covered<Fast_bessel_j0<T>, Meaning_bessel_j0<T>>(table, number_of_bessel_j0, type);
  use_where_covered<Fast_bessel_j1<T>, Meaning_bessel_j1<T>>(table, number_of_bessel_j1, type);
  use_where_covered<Fast_bessel_y0<T>, Meaning_bessel_y0<T>>(table, number_of_bessel_y0, type);
  use_where_covered<Fast_bessel_y1<T>, Meaning_bessel_y1<T>>(table, number_of_bessel_y1, type);
}

#ifdef __SSE4_1__
constexpr bool truncates_fast = true;
#else
constexpr bool truncates_fast = false;
#endif

template <class T> constexpr void use_fast_division(Loops& table, int type) {
  if constexpr (class_of<T> == Int && (sizeof(T) < 8 || truncates_fast)) {
    use_where_covered<Fast_div<T>, Meaning_div<T>>(table, number_of_div, type);
    use_where_covered<Fast_rem<T>, Meaning_rem<T>>(table, number_of_rem, type);
  }
}

// ---- casts --------------------------------------------------------------------------------------------------------------------

template <class From, class To> void cast(void* out, const Operand* in, int64_t tiles) {
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = tile_of<To>(out, t);
    auto* a = tile_of<From>(in[0], t);
    WF_INDEPENDENT
    for (int k = 0; k < tile; k++) r[k] = meaning::convert<To, From>(a[k]);
  }
}

#ifndef __FMA__
// Multiply-adds of doubles.
void multiply_add(void* out, const Operand* in, int64_t tiles) {
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = tile_of<double>(out, t);
    auto *a = tile_of<double>(in[0], t), *b = tile_of<double>(in[1], t), *c = tile_of<double>(in[2], t);
    unsigned long long outside = 0;
    for (int k = 0; k < tile; k++) outside |= !meaning::has_exact_product(a[k], b[k], c[k]);
    if (outside == 0) {
      WF_INDEPENDENT
      for (int k = 0; k < tile; k++) r[k] = meaning::fused_by_parts(a[k], b[k], c[k]);
    } else {
      for (int k = 0; k < tile; k++) {
        const bool exact = meaning::has_exact_product(a[k], b[k], c[k]);
        r[k] = exact ? meaning::fused_by_parts(a[k], b[k], c[k]) : meaning::fused(a[k], b[k], c[k]);
      }
    }
  }
}
#endif

// ---- moving data --------------------------------------------------------------------------------------------------------------

// Long runs are written without being read into the caches first.
template <class T> void copy(void* out, const Operand* in, int64_t tiles) {
  constexpr auto tile_bytes = int64_t(sizeof(T)) * tile;
  if (in[0].step == tile_bytes) return void(__builtin_memmove(out, in[0].data, tiles * tile_bytes));
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = tile_of<T>(out, t);
    auto* a = tile_of<T>(in[0], t);
    WF_INDEPENDENT
    for (int k = 0; k < tile; k++) r[k] = a[k];
  }
}

template <class T, int stride> void read_at_stride(void* out, const T* a, int64_t tiles) {
  for (int64_t t = 0; t < tiles; t++, a += stride * tile) {
    auto* r = tile_of<T>(out, t);
    WF_INDEPENDENT
    for (int k = 0; k < tile; k++) r[k] = a[k * stride];
  }
}
template <class T> void stride(void* out, const Operand* in, int64_t tiles) {
  auto* a = static_cast<const T*>(in[0].data);
  const int64_t step = in[0].step;
  switch (step) {
    case -1: return read_at_stride<T, -1>(out, a, tiles);
    case 2: return read_at_stride<T, 2>(out, a, tiles);
    case 3: return read_at_stride<T, 3>(out, a, tiles);
    case 4: return read_at_stride<T, 4>(out, a, tiles);
  }
  auto* r = static_cast<T*>(out);
  for (int64_t k = 0; k < tiles * tile; k++) r[k] = a[k * step];
}

template <class T> void gather(void* out, const Operand* in, int64_t tiles) {
  auto* a = static_cast<const T*>(in[1].data);
  auto n = uint64_t(in[1].step);
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = tile_of<T>(out, t);
    auto* i = tile_of<int64_t>(in[0], t);
    WF_INDEPENDENT
    for (int k = 0; k < tile; k++) r[k] = uint64_t(i[k]) < n ? a[i[k]] : T(0);
  }
}

void outside(void* out, const Operand* in, int64_t tiles) {
  uint64_t any = 0;
  for (int64_t t = 0; t < tiles; t++) {
    auto* i = tile_of<uint64_t>(in[0], t);
    auto* n = tile_of<uint64_t>(in[1], t);
    auto* guard = tile_of<bool>(in[2], t);
    for (int k = 0; k < tile; k++) any |= (i[k] >= n[k] ? ~uint64_t(0) : 0) & guard[k];
  }
  *static_cast<bool*>(out) = any != 0;
}

void progression(int64_t* out, int64_t first, int64_t stride, int64_t n) {
  auto* r = reinterpret_cast<uint64_t*>(out);
  WF_INDEPENDENT
  for (int64_t k = 0; k < n; k++) r[k] = uint64_t(first) + uint64_t(k) * uint64_t(stride);
}

// ---- the table ----------------------------------------------------------------------------------------------------------------

template <template <class> class F, int on, class T> constexpr void fill_entry(Loops& table, int op, int type) {
  if constexpr ((on & class_of<T>) != 0) {
    if constexpr (F<T>::arity == 3)
      table.op[op][type] = apply<F<Stored<T>>>;  // `where` only moves values; bytes vectorise better than bools
    else table.op[op][type] = apply<F<T>>;
    if constexpr (F<T>::is_long) table.single[op][type] = single_of_loop<apply<F<T>>, F<T>>;
    else table.single[op][type] = single<F<T>>;
  }
}

template <template <class> class F, int on> constexpr void fill_op(Loops& table, int op) {
  int t = 0;
#define TYPE(id, name, ctype, klass) fill_entry<F, on, ctype>(table, op, t++);
#include "ops/types.def"
}

template <class From> constexpr void fill_casts(Loop (&row)[loop_type_count]) {
  int t = 0;
#define TYPE(id, name, ctype, klass) row[t++] = cast<Stored<From>, ctype>;
#include "ops/types.def"
}

constexpr Loops make_table() {
  Loops table = {
      {},
      {},
      {},
      {copy<uint8_t>, nullptr, copy<uint32_t>, copy<uint64_t>},
      {stride<uint8_t>, nullptr, stride<uint32_t>, stride<uint64_t>},
      {gather<uint8_t>, nullptr, gather<uint32_t>, gather<uint64_t>},
      outside,
      progression,
  };
  int op = 0, type = 0;
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) fill_op<Meaning_##name, on>(table, op++);
#include "ops/ops.def"
#define TYPE(id, name, ctype, klass) fill_casts<ctype>(table.cast[type++]);
#include "ops/types.def"
  table.op[number_of_philox32][number_of_I64] = table.op[number_of_philox32][number_of_U64] = philox_words<Narrow>;
  table.op[number_of_philox64][number_of_I64] = table.op[number_of_philox64][number_of_U64] = philox_words<Wide>;
#ifndef __FMA__
  table.op[number_of_fma][number_of_F64] = multiply_add;
#endif
  use_fast_forms<float>(table, number_of_F32);
  use_fast_forms<double>(table, number_of_F64);
#define TYPE(id, name, ctype, klass) use_fast_division<ctype>(table, number_of_##id);
#include "ops/types.def"
  return table;
}

}  // namespace

extern constexpr Loops WF_JOIN(loops, WF_ISA) = make_table();

}  // namespace wf::cpu
