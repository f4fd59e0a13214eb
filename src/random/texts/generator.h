// Draws from which the distributions are computed. A draw reads the 32-bit words of stream j, or the 64-bit words of streams j and j + 2^61.
#pragma once

#include "random/texts/text.h"

namespace wf::random {

inline constexpr Text generator_texts[] = {
    // A multiple of 2^-24 or 2^-53 in [0, 1), exactly: words are read as signed numbers, since processors convert these fast.
    {"unit.f32", R"(
(fn ((key i64) (i i64) (j i64))
  (fma (cast f32 (shr (cast i32 (philox32 key i j)) 8:i32)) 0x1p-24:f32 0.5:f32)))"},
    {"unit.f64", R"(
(fn ((key i64) (i i64) (j i64))
  (fma (cast f64 (shr (philox64 key i j) 11:i64)) 0x1p-53:f64 0.5:f64)))"},

    // In (0, 1), of all bits of a word, so that small numbers have many digits. The least ones are 2^-33 and 2^-64.
    {"open.f32", R"(
(fn ((key i64) (i i64) (j i64))
  (min (fma (cast f32 (cast u32 (philox32 key i j))) 0x1p-32:f32 0x1p-33:f32) 0x1.fffffep-1:f32)))"},
    {"open.f64", R"(
(fn ((key i64) (i i64) (j i64))
  (min (fma (cast f64 (and (philox64 key i j) 0x7fffffffffffffff:i64)) 0x1p-63:f64 0x1p-64:f64) 0x1.fffffffffffffp-1:f64)))"},

    // A random sign, and a number in (0, 1].
    {"signed.f32", R"(
(fn ((key i64) (i i64) (j i64))
  (let ((w (cast i32 (philox32 key i j))))
    (tuple (lt w 0:i32) (fma (cast f32 (and w 0x7fffffff:i32)) 0x1p-31:f32 0x1p-32:f32)))))"},
    {"signed.f64", R"(
(fn ((key i64) (i i64) (j i64))
  (let ((w (philox64 key i j)))
    (tuple (lt w 0:i64) (fma (cast f64 (and w 0x7fffffffffffffff:i64)) 0x1p-63:f64 0x1p-64:f64)))))"},

    // An angle in [-pi/2, pi/2).
    {"angle.f32", R"(
(fn ((key i64) (i i64) (j i64)) (mul (cast f32 (cast i32 (philox32 key i j))) 0x1.921fb6p-31:f32)))"},
    {"angle.f64", R"(
(fn ((key i64) (i i64) (j i64)) (mul (cast f64 (philox64 key i j)) 0x1.921fb54442d18p-63:f64)))"},

    // G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates", 1958: of a number u in (0, 1) and a half-turn v, the
    // numbers sqrt(-2 log u) cos(pi v) and sqrt(-2 log u) sin(pi v) are independent. The tails end at 6.7 and 9.4 standard deviations. Elements
    // 2m and 2m + 1 of a stream are computed from the same u and v: in f32 the halves of word m, in f64 words 2m and 2m + 1.
    // sin(pi v) = cos(pi (v - 1/2)).
    {"paired-normal.f32", R"(
(fn ((key i64) (i i64) (j i64))
  (let ((w (philox64 key (shr i 1:i64) j))
        (u (fma (cast f32 (cast u32 w)) 0x1p-32:f32 0x1p-33:f32))
        (v (mul (cast f32 (cast i32 (shr w 32:i64))) 0x1p-31:f32)))
    (mul (sqrt (mul -2.0:f32 (log u))) (cospi (fma (cast f32 (and (cast i32 i) 1:i32)) -0.5:f32 v))))))"},
    {"paired-normal.f64", R"(
(fn ((key i64) (i i64) (j i64))
  (let ((u (fma (cast f64 (and (philox64 key (and i -2:i64) j) 0x7fffffffffffffff:i64)) 0x1p-63:f64 0x1p-64:f64))
        (v (mul (cast f64 (philox64 key (or i 1:i64) j)) 0x1p-63:f64)))
    (mul (sqrt (mul -2.0:f64 (log u))) (cospi (fma (cast f64 (and i 1:i64)) -0.5:f64 v))))))"},
    // The first of the two, from words of the element's own: for rejection, where neighbours do not read the same streams.
    {"normal.f32", R"(
(fn ((key i64) (i i64) (j i64))
  (let ((w (philox64 key i j))
        (u (fma (cast f32 (cast u32 w)) 0x1p-32:f32 0x1p-33:f32))
        (v (mul (cast f32 (cast i32 (shr w 32:i64))) 0x1p-31:f32)))
    (mul (sqrt (mul -2.0:f32 (log u))) (cospi v)))))"},
    {"normal.f64", R"(
(fn ((key i64) (i i64) (j i64))
  (let ((w (philox64 key i j))
        (u (fma (cast f64 (and w 0x7fffffffffffffff:i64)) 0x1p-63:f64 0x1p-64:f64))
        (v (mul (cast f64 (philox64 key i (or j 0x2000000000000000:i64))) 0x1p-63:f64)))
    (mul (sqrt (mul -2.0:f64 (log u))) (cospi v)))))"},

    {"exponential", R"((fn ((key i64) (i i64) (j i64)) (neg (log (open key i j)))))"},
};

}  // namespace wf::random
