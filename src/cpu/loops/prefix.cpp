#include "cpu/loops/prefix.h"

#include "cpu/loops/vector.h"

namespace wf::cpu::simd {
namespace {

// Bytes are shifted within 16-byte vectors only: wider byte shifts across lanes cost more than they save.
template <class L> constexpr int prefix_bytes = sizeof(L) == 1 ? 16 : vector_bytes;

constexpr int64_t flags_at_once = 1024;

inline int64_t lesser(int64_t x, int64_t y) { return x < y ? x : y; }

// L: a lane type, so that types with equal loops share them.
template <Monoid m, class L> struct Prefixes {
  using V = Vector<L, prefix_bytes<L>>;
  static constexpr int width = prefix_bytes<L> / int(sizeof(L));

  __attribute__((always_inline)) static V both(V a, V b) { return combine<m, is_float<L>>(a, b); }

  // v shifted up by `distance` lanes, with the identity shifted in.
  template <int distance, class W, int... k> __attribute__((always_inline)) static W shift(W v, W identity, Numbers<int, k...>) {
    return __builtin_shufflevector(identity, v, (k < distance ? k : k - distance + width)...);
  }
  template <int distance, class W> __attribute__((always_inline)) static W up(W v, W identity) {
    return shift<distance>(v, identity, UpTo<width>{});
  }
  // Inclusive prefixes within one vector.
  template <int distance = 1> __attribute__((always_inline)) static V within(V v, V identity) {
    if constexpr (distance >= width) return v;
    else return within<2 * distance>(both(up<distance>(v, identity), v), identity);
  }
  template <int... k> __attribute__((always_inline)) static V spread_last(V v, Numbers<int, k...>) {
    return __builtin_shufflevector(v, v, (k * 0 + width - 1)...);
  }

  struct Step {
    V exclusive, inclusive, carry;  // carry: the prefix after the last element
  };
  __attribute__((always_inline)) static Step plain(V v, int64_t, int, V identity, V carry) {
    const V p = within(v, identity);
    return {both(carry, up<1>(p, identity)), both(carry, p), both(carry, spread_last(p, UpTo<width>{}))};
  }
  // Calls take(prefixes of a vector, index of its first element, lanes) for each vector; next(v, index, lanes, identity, carry) computes the prefixes.
  // Identities follow the lanes of a last vector that has fewer.
  template <class Next, class Take>
  __attribute__((always_inline)) static void run(const L* x, int64_t n, L identity_lane, L* carry_lane, Next next, Take take) {
    const V identity = broadcast<V>(identity_lane);
    V carry = broadcast<V>(*carry_lane);
    auto advance = [&](V v, int64_t i, int lanes) __attribute__((always_inline)) {
      const Step s = next(v, i, lanes, identity, carry);
      take(s, i, lanes);
      carry = s.carry;
    };
    int64_t i = 0;
    for (; i + width <= n; i += width) advance(load<V>(x + i), i, width);
    if (i < n) {
      V v = identity;
      __builtin_memcpy(&v, x + i, (n - i) * sizeof(L));
      advance(v, i, int(n - i));
    }
    *carry_lane = carry[0];
  }
  template <class Next>
  __attribute__((always_inline)) static void run_into(const L* x, int64_t n, L identity, L* carry, L* exclusive, L* inclusive, Next next) {
    auto put = [](L * to, V v, int lanes) __attribute__((always_inline)) {
      if (lanes == width) store(to, v);
      else __builtin_memcpy(to, &v, lanes * sizeof(L));
    };
    run(
        x, n, identity, carry, next, [&](const Step& s, int64_t i, int lanes) __attribute__((always_inline)) {
          if (exclusive) put(exclusive + i, s.exclusive, lanes);
          if (inclusive) put(inclusive + i, s.inclusive, lanes);
        });
  }

  using Flag = typename BitsOf<sizeof(L)>::type;  // 0 or -1: a lane of a mask
  using Mask = Vector<Flag, prefix_bytes<L>>;

  static void prefix(const void* x, const uint8_t* flags, int64_t n, uint64_t identity_bits, void* carry, void* exclusive,
                     void* inclusive) {
    L identity;
    __builtin_memcpy(&identity, &identity_bits, sizeof(L));
    auto from = static_cast<const L*>(x);
    auto lane = static_cast<L*>(carry), to_exclusive = static_cast<L*>(exclusive), to_inclusive = static_cast<L*>(inclusive);
    if (!flags) return run_into(from, n, identity, lane, to_exclusive, to_inclusive, plain);
    for (int64_t i = 0; i < n; i += flags_at_once) {
      const int64_t count = lesser(n - i, flags_at_once);
      Flag begins[flags_at_once + width];
      for (int64_t k = 0; k < count; k++) begins[k] = Flag(-flags[i + k]);
      __builtin_memset(begins + count, 0, sizeof(Mask));
      restarted<false>(from + i, begins, count, identity, identity, lane, to_exclusive ? to_exclusive + i : nullptr,
                       to_inclusive ? to_inclusive + i : nullptr);
    }
  }

  // A vector of prefixes that begin again, with `first`, at the lanes whose mask is set. Exclusive prefixes do so only if `begins_exclusive`.
  template <bool begins_exclusive>
  __attribute__((always_inline)) static Step restarted_step(V v, Mask begins, V first, V identity, V carry) {
    Mask has_begun = begins;
    const V p = within_restarted(begins_exclusive ? (begins ? both(first, v) : v) : v, has_begun, identity);
    const V inclusive = has_begun ? p : both(carry, p), exclusive = up<1>(inclusive, carry);
    return {begins_exclusive ? (begins ? first : exclusive) : exclusive, inclusive, spread_last(inclusive, UpTo<width>{})};
  }
  // Inclusive prefixes within one vector; a lane of the mask becomes set if one before it is.
  template <int distance = 1> __attribute__((always_inline)) static V within_restarted(V v, Mask& has_begun, V identity) {
    if constexpr (distance >= width) return v;
    v = has_begun ? v : both(up<distance>(v, identity), v);
    has_begun |= up<distance>(has_begun, Mask{});
    return within_restarted < distance >= width ? distance : 2 * distance > (v, has_begun, identity);
  }
  // A vector of flags after the first n is 0.
  template <bool begins_exclusive>
  static void restarted(const L* x, const Flag* flags, int64_t n, L first_lane, L identity, L* carry, L* exclusive, L* inclusive) {
    const V first = broadcast<V>(first_lane);
    run_into(
        x, n, identity, carry, exclusive, inclusive, [&](V v, int64_t i, int, V none, V before) __attribute__((always_inline)) {
          return restarted_step<begins_exclusive>(v, load<Mask>(flags + i), first, none, before);
        });
  }

  // Elements of a row, each below its carry. Returns their number.
  template <class W> __attribute__((always_inline)) static int64_t below(const L* x, int64_t n, L* carries, L* exclusive, L* inclusive) {
    constexpr int64_t lanes = sizeof(W) / sizeof(L);
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      const W before = load<W>(carries + i), after = combine<m, is_float<L>>(before, load<W>(x + i));
      if (exclusive) store(exclusive + i, before);
      store(carries + i, after);
      if (inclusive) store(inclusive + i, after);
    }
    return i;
  }
  // At most flags_at_once elements of arrays of `length` elements, of which the first one is element `at` of an array.
  static void short_arrays(const L* x, int64_t n, int64_t length, int64_t at, L start, L identity, L* carry, L* exclusive, L* inclusive) {
    Flag flags[flags_at_once + width];
    __builtin_memset(flags, 0, n * sizeof(Flag) + sizeof(Mask));
    for (int64_t i = (length - at) % length; i < n; i += length) flags[i] = -1;
    restarted<true>(x, flags, n, start, identity, carry, exclusive, inclusive);
  }

  // Whole rows of `width` elements, whose carries stay in registers.
  template <int width> static void narrow(const L* x, int64_t rows, L* carries, L* exclusive, L* inclusive) {
    L value[width];
    for (int c = 0; c < width; c++) value[c] = carries[c];
    for (int64_t i = 0; i < rows * width; i += width)
      for (int c = 0; c < width; c++) {
        if (exclusive) exclusive[i + c] = value[c];
        value[c] = combine<m, is_float<L>>(value[c], x[i + c]);
        if (inclusive) inclusive[i + c] = value[c];
      }
    for (int c = 0; c < width; c++) carries[c] = value[c];
  }

  static void along(const void* x, int64_t n, const PrefixTable::Along& a, void* carries_, void* exclusive_, void* inclusive_) {
    constexpr int64_t longest_short = 64;
    auto from = static_cast<const L*>(x);
    auto carries = static_cast<L*>(carries_), exclusive = static_cast<L*>(exclusive_), inclusive = static_cast<L*>(inclusive_);
    L start, identity;
    __builtin_memcpy(&start, &a.start, sizeof(L)), __builtin_memcpy(&identity, &a.identity, sizeof(L));
    const bool is_short = a.inner == 1 && a.length <= longest_short;
    int64_t row = a.at / a.inner, column = a.at % a.inner;
    while (n > 0) {
      if (row == 0 && column == 0)
        for (int64_t c = 0; c < a.inner; c++) carries[c] = start;
      const bool is_narrow = a.inner > 1 && a.inner <= 4 && column == 0 && n >= a.inner;
      const int64_t rows = is_narrow ? lesser(a.length - row, n / a.inner) : 0;
      const int64_t count = is_short       ? lesser(n, flags_at_once)
                            : is_narrow    ? rows * a.inner
                            : a.inner == 1 ? lesser(n, a.length - row)
                                           : lesser(n, a.inner - column);
      if (is_short) {
        short_arrays(from, count, a.length, row, start, identity, carries, exclusive, inclusive);
        row = (row + count) % a.length;
      } else if (is_narrow) {
        (a.inner == 2 ? narrow<2> : a.inner == 3 ? narrow<3> : narrow<4>)(from, rows, carries, exclusive, inclusive);
        row += rows;
      } else if (a.inner > 1) {
        int64_t i = 0;
        L* const to = carries + column;
        i += below<V>(from, count, to, exclusive, inclusive);
        if constexpr (sizeof(V) > 16)
          i += below<Vector<L, 16>>(from + i, count - i, to + i, exclusive ? exclusive + i : nullptr, inclusive ? inclusive + i : nullptr);
        below<L>(from + i, count - i, to + i, exclusive ? exclusive + i : nullptr, inclusive ? inclusive + i : nullptr);
        column += count;
      } else {
        prefix(from, nullptr, count, a.identity, carries, exclusive, inclusive);
        row += count;
      }
      if (column == a.inner) column = 0, row++;
      if (row == a.length) row = 0;
      from += count, n -= count;
      if (exclusive) exclusive += count;
      if (inclusive) inclusive += count;
    }
  }
};

// T: the type in which sums are compared; they are added in the unsigned type of its width.
template <class T> struct SumBounds {
  using L = Lane<Monoid::add_, T>;
  using P = Prefixes<Monoid::add_, L>;
  using Compared = Vector<T, prefix_bytes<L>>;

  template <bool inclusive> static void extremes(const L* x, int64_t n, L* carry, T* low, T* high) {
    Compared lows = broadcast<Compared>(*low), highs = broadcast<Compared>(*high);
    P::run(
        x, n, L(-0.0), carry, P::plain, [&](const typename P::Step& s, int64_t, int lanes) __attribute__((always_inline)) {
          Compared p = Compared(inclusive ? s.inclusive : s.exclusive);
          // After the last element, inclusive lanes repeat its prefix; exclusive lanes already contain it and must not count.
          if (!inclusive && lanes < P::width)
            for (int k = lanes; k < P::width; k++) p[k] = p[0];
          lows = p < lows ? p : lows;
          highs = p > highs ? p : highs;
        });
    for (int k = 0; k < P::width; k++) {
      *low = lows[k] < *low ? lows[k] : *low;
      *high = highs[k] > *high ? highs[k] : *high;
    }
  }

  static void bounds(const void* x, int64_t n, bool inclusive, void* carry, void* low, void* high) {
    auto run = inclusive ? extremes<true> : extremes<false>;
    run(static_cast<const L*>(x), n, static_cast<L*>(carry), static_cast<T*>(low), static_cast<T*>(high));
  }
};

template <Monoid m, class T> constexpr void fill(PrefixTable& table, int type) {
  if constexpr (takes<m, T>()) table.prefix[int(m)][type] = Prefixes<m, Lane<m, T>>::prefix;
  if constexpr (takes<m, T>()) table.along[int(m)][type] = Prefixes<m, Lane<m, T>>::along;
  if constexpr (m == Monoid::add_ && takes<m, T>()) table.sum_bounds[type] = SumBounds<T>::bounds;
}
template <Monoid m> constexpr void fill_types(PrefixTable& table) {
  int type = 0;
#define TYPE(id, name, ctype, klass) fill<m, ctype>(table, type++);
#include "ops/types.def"
}
template <int... m> constexpr void fill_monoids(PrefixTable& table, Numbers<int, m...>) { (fill_types<Monoid(m)>(table), ...); }
constexpr PrefixTable make() {
  PrefixTable table{};
  fill_monoids(table, UpTo<monoid_count>{});
  return table;
}

}  // namespace

extern const PrefixTable WF_JOIN(prefixes, WF_ISA);
constinit const PrefixTable WF_JOIN(prefixes, WF_ISA) = make();

}  // namespace wf::cpu::simd
