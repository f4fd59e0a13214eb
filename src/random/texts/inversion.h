// Distributions of one draw: a function of a number that is uniform in (0, 1), or of a normal one.
#pragma once

#include "random/texts/text.h"

namespace wf::random {

inline constexpr Text inversion_texts[] = {
    {"uniform/0", R"((fn ((key i64) (i i64)) (unit key i 0:i64)))"},
    // The sum may be rounded up to `high`. A width that overflows is added by halves.
    {"uniform/2", R"(
(fn ((key i64) (i i64) (low real) (high real))
  (let ((u (unit key i 0:i64))
        (width (sub high low))
        (half (sub (mul 0.5:real high) (mul 0.5:real low)))
        (is-wide (not (lt width inf:real)))
        (x (fma u (where is-wide half width) (fma u (where is-wide half 0.0:real) low))))
    (where (lt x high) x low))))"},
    {"gaussian/0", R"((fn ((key i64) (i i64)) (paired-normal key i 0:i64)))"},
    {"gaussian/2", R"((fn ((key i64) (i i64) (mean real) (deviation real)) (fma (paired-normal key i 0:i64) deviation mean)))"},
    {"lognormal/2", R"((fn ((key i64) (i i64) (mean real) (deviation real)) (exp (fma (paired-normal key i 0:i64) deviation mean))))"},
    {"exponential/0", R"((fn ((key i64) (i i64)) (exponential key i 0:i64)))"},
    {"exponential/1", R"((fn ((key i64) (i i64) (rate real)) (div (exponential key i 0:i64) rate)))"},
    {"weibull/2", R"(
(fn ((key i64) (i i64) (shape real) (scale real))
  (mul scale (pow (exponential key i 0:i64) (div 1.0:real shape)))))"},
    {"gumbel/2", R"(
(fn ((key i64) (i i64) (location real) (scale real))
  (sub location (mul scale (log (exponential key i 0:i64))))))"},
    {"laplace/2", R"(
(fn ((key i64) (i i64) (location real) (scale real))
  (let (((is-below u) (signed key i 0:i64)) (distance (log u)))
    (fma (where is-below distance (neg distance)) scale location))))"},
    {"cauchy/2", R"(
(fn ((key i64) (i i64) (location real) (scale real)) (fma (tan (angle key i 0:i64)) scale location)))"},

    // The probability is rounded to a multiple of 2^-32.
    {"bernoulli/1", R"(
(fn ((key i64) (i i64) (probability f64))
  (lt (philox32 key i 0:i64) (cast i64 (round (mul probability 0x1p32:f64))))))"},
    // The number of failures before a success.
    {"geometric/1", R"(
(fn ((key i64) (i i64) (probability f64))
  (cast i64 (floor (div (log (open key i 0:i64)) (log1p (neg probability)))))))"},

    // D. Lemire, "Fast random integer generation in an interval", 2019: the high word of a product; the few low words that make it biased are
    // rejected. Ranges above 2^32 reject words of as many bits. The range is empty if high <= low; then the result is low.
    {"uniform_int/2", R"(
(fn ((key i64) (i i64) (low i64) (high i64))
  (let ((range (where (gt high low) (sub (cast u64 high) (cast u64 low)) 0:u64))
        (is-narrow (le range 0x100000000:u64))
        (biased (rem 0x100000000:u64 range))
        (mask (shr 0xffffffffffffffff:u64 (clz (or (sub range 1:u64) 1:u64))))
        ((value again j)
          (loop ((value 0:u64) (again true) (j 0:i64)) again
            (let ((product (mul (cast u64 (philox32 key i j)) range))
                  (bits (and (cast u64 (philox64 key i j)) mask)))
              (tuple (where is-narrow (shr product 32:u64) bits)
                     (not (where is-narrow (ge (and product 0xffffffff:u64) biased) (lt bits range)))
                     (add j 1:i64))))))
    (cast i64 (add (cast u64 low) value)))))"},
    {"key/0", R"((fn ((key i64) (i i64)) (split key i)))"},
    // Splitting has a stream of its own, the highest one.
    {"split", R"((fn ((key i64) (i i64)) (philox64 key i 0x4000000000000000:i64)))"},
};

}  // namespace wf::random
