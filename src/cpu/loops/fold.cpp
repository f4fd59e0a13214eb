#include "cpu/loops/fold.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cpu/loops/lines.h"
#include "cpu/loops/vector.h"

namespace wf::cpu::simd {
namespace {

// One vector's worth of bytes that are 0 or 1, as lanes of `size` bytes. (g++ 12 compiles __builtin_convertvector to scalar code.)
template <int size> __attribute__((always_inline)) inline Vector<typename BitsOf<size>::type, vector_bytes> widened(const uint8_t* mask) {
  using V = Vector<typename BitsOf<size>::type, vector_bytes>;
  if constexpr (size == 1) {
    return load<V>(mask);
  } else {
    constexpr int bytes = vector_bytes / size;
#if defined(__AVX2__)
    __m128i narrow = bytes == 16  ? load<__m128i>(mask)
                     : bytes == 8 ? _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask))
                                  : _mm_cvtsi32_si128(load<int32_t>(mask));
#endif
#if defined(__AVX512F__)
    if constexpr (size == 4) return V(_mm512_maskz_cvtepu8_epi32(0xffff, narrow));
    else return V(_mm512_maskz_cvtepu8_epi64(0xff, narrow));
#elif defined(__AVX2__)
    if constexpr (size == 4) return V(_mm256_cvtepu8_epi32(narrow));
    else return V(_mm256_cvtepu8_epi64(narrow));
#else
#if defined(__SSE2__)
    if constexpr (size == 4) {
      const __m128i zero = _mm_setzero_si128(), narrow = _mm_cvtsi32_si128(load<int32_t>(mask));
      return V(_mm_unpacklo_epi16(_mm_unpacklo_epi8(narrow, zero), zero));
    }
#endif
    V wide{};
    for (int k = 0; k < bytes; k++) wide[k] = mask[k];
    return wide;
#endif
  }
}

constexpr int accumulators = fold_bytes / vector_bytes;
constexpr int tile_length = 64;

__attribute__((always_inline)) inline void prefetch(const void* from, int bytes) {
  for (int at = 0; at < bytes; at += bytes_of_line) __builtin_prefetch(static_cast<const char*>(from) + at);
}

// L: a lane type, so that types with equal loops share them.
template <Monoid m, class L> struct Folds {
  using V = Vector<L, vector_bytes>;
  static constexpr int width = vector_bytes / int(sizeof(L));
  static constexpr int lane_count = fold_bytes / int(sizeof(L));

  static L both(L a, L b) { return combine<m, is_float<L>>(a, b); }

  // Calls next(a, i) with the accumulator and the index of its vector's first element, then folds the rest lane by lane.
  template <int... k, class Next, class NextLane>
  __attribute__((always_inline)) static void run(Numbers<int, k...>, int64_t n, L* lanes, Next next, NextLane next_lane) {
    V a[] = {load<V>(lanes + k * width)...};
    int64_t i = 0;
    for (; i + lane_count <= n; i += lane_count) ((a[k] = next(a[k], i + k * width)), ...);
    (store(lanes + k * width, a[k]), ...);
    for (L* lane = lanes; i < n; i++, lane++) *lane = next_lane(*lane, i);
  }

  static void fold(const void* x_, int64_t n, void* lanes) {
    auto x = static_cast<const L*>(x_);
    run(
        UpTo<accumulators>{}, n,
        static_cast<L*>(lanes), [&](V a, int64_t i) __attribute__((always_inline)) { return combine<m, is_float<L>>(a, load<V>(x + i)); },
        [&](L a, int64_t i) { return both(a, x[i]); });
  }

  static void masked(const void* x_, const uint8_t* mask, int64_t n, void* lanes, uint64_t identity_bits) {
    auto x = static_cast<const L*>(x_);
    L identity;
    __builtin_memcpy(&identity, &identity_bits, sizeof(L));
    const V none = broadcast<V>(identity);
    run(
        UpTo<accumulators>{}, n, static_cast<L*>(lanes),
        [&](V a, int64_t i) __attribute__((always_inline)) {
          auto chosen = widened<int(sizeof(L))>(mask + i) != 0;
          return combine<m, is_float<L>>(a, chosen ? load<V>(x + i) : none);
        },
        [&](L a, int64_t i) { return both(a, mask[i] ? x[i] : identity); });
  }

  // The lanes of a halved: a[k] op a[k + half] for k < half; the others are undefined.
  template <int half, int... k> __attribute__((always_inline)) static V halved(V a, Numbers<int, k...>) {
    return combine<m, is_float<L>>(a, V(__builtin_shufflevector(a, a, ((k + half) % width)...)));
  }
  template <int half> __attribute__((always_inline)) static V halved_to_one(V a) {
    if constexpr (half == 0) return a;
    else return halved_to_one<half / 2>(halved<half>(a, UpTo<width>{}));
  }
  __attribute__((always_inline)) static void join_vectors_to_one(V (&a)[accumulators]) {
    for (int half = accumulators / 2; half; half /= 2)
      for (int k = 0; k < half; k++) a[k] = combine<m, is_float<L>>(a[k], a[k + half]);
  }
  __attribute__((always_inline)) static uint64_t join_vectors(V (&a)[accumulators]) {
    join_vectors_to_one(a);
    const L result = halved_to_one<width / 2>(a[0])[0];
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &result, sizeof(L));
    return bits;
  }

  template <int... k> static uint64_t join_lanes(const L* lanes, Numbers<int, k...>) {
    V a[] = {load<V>(lanes + k * width)...};
    return join_vectors(a);
  }
  static uint64_t join(const void* lanes) { return join_lanes(static_cast<const L*>(lanes), UpTo<accumulators>{}); }

  using Index = typename BitsOf<int(sizeof(L))>::type;
  using Indices = Vector<Index, vector_bytes>;
  template <int... k> static constexpr Indices iota(Numbers<int, k...>) { return Indices{Index(k)...}; }

  // a op the elements of x from i on, of which only those below n count.
  __attribute__((always_inline)) static V folded_rest(V a, const L* x, int64_t i, int64_t n, V none) {
    const int64_t left = n - i < 0 ? 0 : n - i < width ? n - i : width;
    return combine<m, is_float<L>>(a, iota(UpTo<width>{}) < broadcast<Indices>(Index(left)) ? load<V>(x + i) : none);
  }

  // The vectors of lanes after fold(x, n) from the identity's.
  template <bool fetches = true, int... k>
  __attribute__((always_inline)) static void fold_row(V (&a)[accumulators], const L* x, int64_t n, V none, Numbers<int, k...>) {
    V b[] = {((void)k, none)...};
    int64_t i = 0;
    for (; i + lane_count <= n; i += lane_count) {
      if constexpr (fetches) prefetch(reinterpret_cast<const char*>(x + i) + bytes_ahead, fold_bytes);
      ((b[k] = combine<m, is_float<L>>(b[k], load<V>(x + i + k * width))), ...);
    }
    // Branches on the length of a short row would be mispredicted, so all vectors are loaded if the memory is readable.
    if (i < n) ((b[k] = lane_count <= tile_length || i + k * width < n ? folded_rest(b[k], x, i + k * width, n, none) : b[k]), ...);
    ((a[k] = b[k]), ...);
  }

  static uint64_t total(const void* x, int64_t n, uint64_t identity_bits) {
    L identity;
    __builtin_memcpy(&identity, &identity_bits, sizeof(L));
    V a[accumulators];
    fold_row(a, static_cast<const L*>(x), n, broadcast<V>(identity), UpTo<accumulators>{});
    return join_vectors(a);
  }

  // The lanes of rows, `group` per row, halved: those of the rows of a, then those of the rows of b.
  template <int group, int... k> __attribute__((always_inline)) static V halved_rows(V a, V b, Numbers<int, k...>) {
    constexpr int half = group / 2;
    return combine<m, is_float<L>>(V(__builtin_shufflevector(a, b, (k / half * group + k % half)...)),
                                   V(__builtin_shufflevector(a, b, (k / half * group + k % half + half)...)));
  }
  // rows[0] = the join of each of rows[0], ..., rows[count - 1], whose lanes are `group` per row.
  template <int group> __attribute__((always_inline)) static void join_rows(V* rows) {
    if constexpr (group > 1) {
      for (int r = 0; r < group / 2; r++) rows[r] = halved_rows<group>(rows[2 * r], rows[2 * r + 1], UpTo<width>{});
      join_rows<group / 2>(rows);
    }
  }

  // A row that is not long: the vectors that it may have are readable, to the end of a tile.
  static constexpr int64_t short_length = lane_count < tile_length ? lane_count : tile_length;

  // The first `vectors` vectors of fold_row joined, of a row of at most as many. The lanes that it leaves out are neutral.
  template <int vectors, int... k>
  __attribute__((always_inline)) static V short_row(const L* x, int64_t n, V none, Numbers<int, k...> lanes) {
    const Indices count = broadcast<Indices>(Index(n));
    V a[vectors];
    for (int v = 0; v < vectors; v++)
      a[v] = combine<m, is_float<L>>(none, iota(lanes) + broadcast<Indices>(Index(v * width)) < count ? load<V>(x + v * width) : none);
    for (int half = vectors / 2; half; half /= 2)
      for (int v = 0; v < half; v++) a[v] = combine<m, is_float<L>>(a[v], a[v + half]);
    return a[0];
  }
  template <int vectors, bool fetches>
  __attribute__((always_inline)) static void short_rows_of(const L* x, const int64_t* first, const int64_t* n, V none, V* rows) {
    for (int k = 0; k < width; k++) {
      if constexpr (fetches) prefetch(reinterpret_cast<const char*>(x + first[k]) + bytes_ahead, vectors * vector_bytes);
      rows[k] = short_row<vectors>(x + first[k], n[k], none, UpTo<width>{});
    }
  }
  template <bool fetches> __attribute__((always_inline)) static V row_of(const L* x, int64_t n, V none) {
    V a[accumulators];
    fold_row<fetches>(a, x, n, none, UpTo<accumulators>{});
    join_vectors_to_one(a);
    return a[0];
  }

  // A row of any length. That of several segments is its total in lane 0.
  template <bool fetches> __attribute__((always_inline)) static V any_row_of(const L* x, int64_t n, V none) {
    return n < shortest_in_segments ? row_of<fetches>(x, n, none) : row_of_segments(x, n, none);
  }
  __attribute__((noinline)) static V row_of_segments(const L* x, int64_t n, V none) {
    const int64_t segment = segment_of(n);
    V total = none;
    for (int64_t begin = 0; begin < n; begin += segment) {
      const V next = halved_to_one<width / 2>(row_of<true>(x + begin, n - begin < segment ? n - begin : segment, none));
      total = begin == 0 ? next : combine<m, is_float<L>>(total, next);
    }
    return iota(UpTo<width>{}) < broadcast<Indices>(Index(1)) ? total : none;
  }

  // The number of k < width with n[k] > length. (As masks of AVX-512, g++ 12 stores one byte of these bits and loads eight.)
  __attribute__((always_inline)) static int64_t count_longer(const int64_t* n, int64_t length) {
    int64_t count = 0;
    for (int k = 0; k < width; k++) count += n[k] > length;
    return count;
  }

  // The totals of a vector of rows. Lengths that vary are not predicted, so that a row takes no branch of its own unless it is long: that is folded
  // once more. Inlined, this makes the loop of short rows in totals_of 1.3 times as slow on a Xeon.
  template <bool fetches> __attribute__((noinline)) static V joined_rows(const L* x, const int64_t* first, const int64_t* n, V none) {
    const int64_t long_rows = count_longer(n, short_length);
    V rows[width];
    if (count_longer(n, 2 * width) == long_rows) short_rows_of<2, fetches>(x, first, n, none, rows);
    else short_rows_of<int(short_length / width), fetches>(x, first, n, none, rows);
    if (long_rows > 0)
      for (int k = 0; k < width; k++)
        if (n[k] > short_length) rows[k] = any_row_of<fetches>(x + first[k], n[k], none);
    join_rows<width>(rows);
    return rows[0];
  }

  template <bool fetches>
  static void totals_of(const void* x_, const int64_t* first, const int64_t* n, int64_t count, uint64_t identity_bits, void* out) {
    auto x = static_cast<const L*>(x_);
    L identity;
    __builtin_memcpy(&identity, &identity_bits, sizeof(L));
    const V none = broadcast<V>(identity);
    for (int64_t r = 0; r < count; r += width) {
      const int64_t longer = count_longer(n + r, width);
      if (width != short_length && longer > width / 4) {
        store(static_cast<L*>(out) + r, joined_rows<fetches>(x, first + r, n + r, none));
        continue;
      }
      if (longer == 0 && count_longer(n + r, 0) == 0) continue;
      if constexpr (fetches) prefetch(reinterpret_cast<const char*>(x + first[r]) + bytes_ahead, fold_bytes);
      V rows[width];
      for (int k = 0; k < width; k++) {
        const L* row = x + first[r + k];
        if (n[r + k] <= width) {
          rows[k] = short_row<1>(row, n[r + k], none, UpTo<width>{});
          continue;
        }
        rows[k] = any_row_of<fetches>(row, n[r + k], none);
      }
      join_rows<width>(rows);
      store(static_cast<L*>(out) + r, rows[0]);
    }
  }
  static void totals(const void* x, bool in_cache, const int64_t* first, const int64_t* n, int64_t count, uint64_t identity_bits,
                     void* out) {
    (in_cache ? totals_of<false> : totals_of<true>)(x, first, n, count, identity_bits, out);
  }

  // The vectors first, first + stride, ... of a row, below number `count`, joined as in join_vectors. count: at most `most`, a power of 2. Lanes of
  // the last vector that are not chosen are neutral.
  template <int most, int first = 0, int stride = 1>
  __attribute__((always_inline)) static V joined_vectors(const L* x, int count, Indices chosen, V none) {
    if constexpr (stride == most) {
      const V elements = load<V>(x + first * width);
      return first + 1 == count ? V(chosen ? elements : none) : elements;
    } else {
      const V left = joined_vectors<most, first, 2 * stride>(x, count, chosen, none);
      if (first + stride >= count) return left;
      return combine<m, is_float<L>>(left, joined_vectors<most, first + stride, 2 * stride>(x, count, chosen, none));
    }
  }

  // The results of rows.
  struct Totals {
    V start;
    L* out;

    __attribute__((always_inline)) void put(int64_t r, V totals) const { store(out + r, combine<m, is_float<L>>(start, totals)); }
    __attribute__((always_inline)) void put_first(int64_t r, V totals, int64_t count) const {
      const V all = combine<m, is_float<L>>(start, totals);
      __builtin_memcpy(out + r, &all, size_t(count) * sizeof(L));
    }
  };

  // The first `group` lanes of each of `count` rows.
  template <int group, int count, int... k>
  __attribute__((always_inline)) static V packed(const L* x, int64_t distance, Numbers<int, k...> lanes) {
    if constexpr (count == 1) {
      return load<V>(x);
    } else {
      constexpr int half = group * count / 2;
      const V a = packed<group, count / 2>(x, distance, lanes), b = packed<group, count / 2>(x + count / 2 * distance, distance, lanes);
      return V(__builtin_shufflevector(a, b, (k < half ? k : k - half < half ? k - half + width : k)...));
    }
  }
  // Rows of at most `group` elements, several in a vector. dense: they have `group`, and no space between them.
  template <int group, bool dense>
  __attribute__((always_inline)) static V vector_of_rows(const L* x, int64_t distance, Indices chosen, V none) {
    if constexpr (dense) {
      return load<V>(x);
    } else {
      const V elements = packed<group, width / group>(x, distance, UpTo<width>{});
      return chosen ? elements : none;
    }
  }
  template <int group, bool dense>
  static void packed_rows(const L* x, int64_t distance, int64_t n, int64_t count, V none, const Totals& out) {
    const Indices chosen = (iota(UpTo<width>{}) & broadcast<Indices>(Index(group - 1))) < broadcast<Indices>(Index(n));
    for (int64_t r = 0; r < count; r += width) {
      prefetch(reinterpret_cast<const char*>(x + r * distance) + bytes_ahead, group * vector_bytes);
      V rows[group];
      for (int k = 0; k < group; k++)
        rows[k] = vector_of_rows<group, dense>(x + (r + k * (width / group)) * distance, distance, chosen, none);
      join_rows<group>(rows);
      out.put(r, rows[0]);
    }
  }
  // Returns the number of rows that it folds, in whole vectors of out.
  template <int group> static int64_t short_rows(const L* x, int64_t distance, int64_t n, int64_t count, V none, const Totals& out) {
    if constexpr (group <= width && sizeof(L) >= 4) {
      if (n > group) return short_rows<2 * group>(x, distance, n, count, none, out);
      const int64_t whole = count / width * width;
      if (n == group && distance == group) packed_rows<group, true>(x, distance, n, whole, none, out);
      else packed_rows<group, false>(x, distance, n, whole, none, out);
      return whole;
    }
    return 0;
  }

  // row(x): a vector of the row's lanes, joined but for that vector's.
  template <class Row> __attribute__((always_inline)) static void each_row(int64_t r, int64_t count, const Totals& out, Row row) {
    for (; r < count; r += width) {
      V rows[width];
      for (int k = 0; k < width; k++) rows[k] = row(r + k < count ? r + k : count - 1);
      join_rows<width>(rows);
      if (r + width <= count) out.put(r, rows[0]);
      else out.put_first(r, rows[0], count - r);
    }
  }

  // Rows of `vectors` vectors.
  template <int most>
  static void rows_of_vectors(int64_t r, const L* x, int64_t distance, int vectors, int64_t count, Indices chosen, V none,
                              const Totals& out) {
    if constexpr (most < accumulators)
      if (vectors > most) return rows_of_vectors<accumulators>(r, x, distance, vectors, count, chosen, none, out);
    each_row(
        r, count, out, [&](int64_t row) __attribute__((always_inline)) {
          prefetch(reinterpret_cast<const char*>(x + row * distance) + bytes_ahead, most * vector_bytes);
          return joined_vectors<most>(x + row * distance, vectors, chosen, none);
        });
  }

  // Rows of several segments. Their vectors are kept, so that memory is read in order and the joins of neighbouring rows are shared.
  static void rows_of_segments(const L* x, int64_t distance, int64_t n, int64_t count, V none, const Totals& out) {
    constexpr int64_t most_segments = 4;
    const int64_t segment = segment_of(n), segments = (n + segment - 1) / segment;
    for (int64_t r = 0; r < count; r += width) {
      V vectors[most_segments][width];
      for (int k = 0; k < width; k++) {
        const L* row = x + (r + k < count ? r + k : count - 1) * distance;
        for (int64_t s = 0; s < segments; s++) {
          const int64_t left = n - s * segment;
          vectors[s][k] = row_of<true>(row + s * segment, left < segment ? left : segment, none);
        }
      }
      join_rows<width>(vectors[0]);
      V totals = vectors[0][0];
      for (int64_t s = 1; s < segments; s++) {
        join_rows<width>(vectors[s]);
        totals = combine<m, is_float<L>>(totals, vectors[s][0]);
      }
      if (r + width <= count) out.put(r, totals);
      else out.put_first(r, totals, count - r);
    }
  }

  static void rows(const void* x_, int64_t distance, int64_t n, int64_t count, uint64_t identity_bits, uint64_t start_bits, void* out_) {
    auto x = static_cast<const L*>(x_);
    L identity, start;
    __builtin_memcpy(&identity, &identity_bits, sizeof(L));
    __builtin_memcpy(&start, &start_bits, sizeof(L));
    const V none = broadcast<V>(identity);
    const Totals out{broadcast<V>(start), static_cast<L*>(out_)};
    if (n >= shortest_in_segments) return rows_of_segments(x, distance, n, count, none, out);
    const int64_t done = short_rows<2>(x, distance, n, count, none, out);
    if (n <= lane_count) {
      const int vectors = int((n + width - 1) / width);
      const Indices chosen = iota(UpTo<width>{}) < broadcast<Indices>(Index(n - (vectors - 1) * width));
      rows_of_vectors<sizeof(L) == 1 ? accumulators : 2>(done, x, distance, vectors, count, chosen, none, out);
    } else {
      each_row(
          done, count, out, [&](int64_t r) __attribute__((always_inline)) { return row_of<true>(x + r * distance, n, none); });
    }
  }

  static constexpr int at_once = tile_length / width < 4 ? tile_length / width : 4;  // vectors of out in registers

  template <int... k>
  __attribute__((always_inline)) static void fold_across(const L* total, const void* const* x, int count, int64_t n, L* out,
                                                         Numbers<int, k...>) {
    for (int64_t i = 0; i < n; i += at_once * width) {
      V a[] = {load<V>(total + i + k * width)...};
      for (int r = 0; r < count; r++) {
        auto from = static_cast<const L*>(x[r]) + i;
        ((a[k] = combine<m, is_float<L>>(a[k], load<V>(from + k * width))), ...);
      }
      (store(out + i + k * width, a[k]), ...);
    }
  }
  // A core requests as many elements at once as its instructions in flight read, so the loops of the usual counts are unrolled.
  static void across(const void* total_, const void* const* x, int count, int64_t n, void* out_) {
    auto total = static_cast<const L*>(total_);
    auto out = static_cast<L*>(out_);
    if (count == few_across) fold_across(total, x, few_across, n, out, UpTo<at_once>{});
    else if (count == many_across) fold_across(total, x, many_across, n, out, UpTo<at_once>{});
    else fold_across(total, x, count, n, out, UpTo<at_once>{});
  }
  // Runs of as many vectors, which are kept in registers.
  template <int... k>
  __attribute__((always_inline)) static void fold_narrow_runs(const L* total, const L* x, int64_t count, L* out, Numbers<int, k...>) {
    V a[] = {load<V>(total + k * width)...};
    for (int64_t r = 0; r < count; r++, x += sizeof...(k) * width) {
      prefetch(reinterpret_cast<const char*>(x) + bytes_ahead, sizeof...(k) * vector_bytes);
      ((a[k] = combine<m, is_float<L>>(a[k], load<V>(x + k * width))), ...);
    }
    (store(out + k * width, a[k]), ...);
  }
  template <int... k>
  __attribute__((always_inline)) static void fold_runs(const L* total, const L* x, int64_t count, int64_t n, L* out, Numbers<int, k...>) {
    for (int64_t r = 0; r < count; r++, total = out)
      for (int64_t i = 0; i < n; i += at_once * width, x += at_once * width) {
        prefetch(reinterpret_cast<const char*>(x) + bytes_ahead, at_once * vector_bytes);
        (store(out + i + k * width, combine<m, is_float<L>>(load<V>(total + i + k * width), load<V>(x + k * width))), ...);
      }
  }
  static void runs(const void* total_, const void* x_, int64_t count, int64_t n, void* out_) {
    auto total = static_cast<const L*>(total_), x = static_cast<const L*>(x_);
    auto out = static_cast<L*>(out_);
    if (vector_bytes == 64 && n == 8 * width) fold_narrow_runs(total, x, count, out, UpTo<8>{});
    else if (vector_bytes == 64 && n == 12 * width) fold_narrow_runs(total, x, count, out, UpTo<12>{});
    else if (vector_bytes == 64 && n == 16 * width) fold_narrow_runs(total, x, count, out, UpTo<16>{});
    else fold_runs(total, x, count, n, out, UpTo<at_once>{});
  }

  template <int first, int count> __attribute__((always_inline)) static V tree_of(const L* const* x, int64_t i) {
    if constexpr (count == 1) return load<V>(x[first] + i);
    else return combine<m, is_float<L>>(tree_of<first, count / 2>(x, i), tree_of<first + count / 2, count / 2>(x, i));
  }
  template <int count, int... k> static void trees_of(const void* const* values, int64_t n, L* out, Numbers<int, k...>) {
    const L* const x[] = {static_cast<const L*>(values[k])...};
    for (int64_t i = 0; i < n; i += width) store(out + i, tree_of<0, count>(x, i));
  }
  static void tree(const void* const* x, int count, int64_t n, void* out) {
    if (count == 8) trees_of<8>(x, n, static_cast<L*>(out), UpTo<8>{});
    else if (count == 4) trees_of<4>(x, n, static_cast<L*>(out), UpTo<4>{});
    else trees_of<2>(x, n, static_cast<L*>(out), UpTo<2>{});
  }
};

void mark_outside(const int64_t* first, int64_t offset, const int64_t* limit, const int64_t* n, int64_t* outside) {
  for (int r = 0; r < tile_length; r++) {
    const uint64_t begin = uint64_t(offset) + uint64_t(first[r]), after = uint64_t(limit[r]) - begin;
    outside[r] |= int64_t(begin | uint64_t(limit[r]) | after | (after - uint64_t(n[r])));
  }
}

bool leave_out(const int64_t* outside, int64_t* n) {
  int64_t any = 0;
  for (int r = 0; r < tile_length; r++) {
    any |= outside[r];
    n[r] &= ~(outside[r] >> 63);
  }
  return any < 0;
}

void place(const int64_t* first, int64_t offset, const int64_t* n, int64_t* begin) {
  for (int r = 0; r < tile_length; r++) begin[r] = n[r] == 0 ? 0 : int64_t(uint64_t(offset) + uint64_t(first[r]));
}

template <Monoid m, class T> constexpr void fill(FoldTable& table, int type) {
  if constexpr (takes<m, T>()) {
    using Loops = Folds<m, Lane<m, T>>;
    table.fold[int(m)][type] = Loops::fold;
    table.masked[int(m)][type] = Loops::masked;
    table.join[int(m)][type] = Loops::join;
    table.total[int(m)][type] = Loops::total;
    table.totals[int(m)][type] = Loops::totals;
    table.rows[int(m)][type] = Loops::rows;
    table.across[int(m)][type] = Loops::across;
    table.runs[int(m)][type] = Loops::runs;
    table.tree[int(m)][type] = Loops::tree;
  }
}
template <Monoid m> constexpr void fill_types(FoldTable& table) {
  int type = 0;
#define TYPE(id, name, ctype, klass) fill<m, ctype>(table, type++);
#include "ops/types.def"
}
template <int... m> constexpr void fill_monoids(FoldTable& table, Numbers<int, m...>) { (fill_types<Monoid(m)>(table), ...); }
constexpr FoldTable make() {
  FoldTable table{};
  table.mark_outside = mark_outside;
  table.leave_out = leave_out;
  table.place = place;
  fill_monoids(table, UpTo<monoid_count>{});
  return table;
}

}  // namespace

extern const FoldTable WF_JOIN(folds, WF_ISA);
constinit const FoldTable WF_JOIN(folds, WF_ISA) = make();

}  // namespace wf::cpu::simd
