// Gamma distributions and those computed from them, by rejection. Each attempt has streams of its own.
#pragma once

#include "random/texts/text.h"

namespace wf::random {

inline constexpr Text gamma_texts[] = {
    // G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", 2000. Returns g and l: the number is g exp(l), where l is
    // 0 unless shape < 1. A small shape makes exp(l) underflow, so ratios are computed from logarithms.
    //
    // v = (1 + c x)^3 for a normal x, accepted with probability exp(x^2 / 2 + d (1 - v + log v)). e is v - 1 without cancellation.
    {"gamma-accepted", R"(
(fn ((key i64) (i i64) (j i64) (size real))
  (let ((d (sub size 0x1.5555555555555p-2:real))
        (c (div 1.0:real (mul 3.0:real (sqrt d))))
        ((v again k)
          (loop ((v 1.0:real) (again true) (k j)) again
            (let ((x (normal key i k))
                  (y (mul c x))
                  (t (add y 1.0:real))
                  (e (mul y (fma y (add y 3.0:real) 3.0:real)))
                  (u (open key i (or k 0x1000000000000000:i64))))
              (tuple (mul t (mul t t))
                     (or (le t 0.0:real) (ge (log u) (fma (mul 0.5:real x) x (mul d (sub (log1p e) e)))))
                     (add k 1:i64))))))
    (mul d v))))"},
    // The number at which the distribution function has a given value moves with the shape so that the value stays (M. Figurnov and others,
    // "Implicit reparameterization gradients", 2018).
    {"gamma-accepted-derivative", R"(
(fn ((key i64) (i i64) (j i64) (size real) (g real) (dg real))
  (neg (mul dg (div (gamma_p_da size g) (exp (gamma/1/log-density g size)))))))"},
    {"gamma", R"(
(fn ((key i64) (i i64) (j i64) (shape real))
  (let ((is-small (lt shape 1.0:real))
        (g (gamma-accepted key i j (where is-small (add shape 1.0:real) shape)))
        (power (div (log (open key i (or j 0x800000000000000:i64))) shape)))
    (tuple g (where is-small power 0.0:real)))))"},
    {"gamma-value", R"((fn ((key i64) (i i64) (j i64) (shape real)) (let (((g l) (gamma key i j shape))) (mul g (exp l)))))"},
    {"gamma-log", R"((fn ((key i64) (i i64) (j i64) (shape real)) (let (((g l) (gamma key i j shape))) (add (log g) l))))"},
    {"log_gamma/1", R"((fn ((key i64) (i i64) (shape real)) (gamma-log key i 0:i64 shape)))"},
    {"gamma/1", R"((fn ((key i64) (i i64) (shape real)) (gamma-value key i 0:i64 shape)))"},
    {"gamma/2", R"((fn ((key i64) (i i64) (shape real) (scale real)) (mul scale (gamma-value key i 0:i64 shape))))"},
    {"chi_squared/1", R"(
(fn ((key i64) (i i64) (degrees real)) (mul 2.0:real (gamma-value key i 0:i64 (mul 0.5:real degrees)))))"},
    {"student_t/1", R"(
(fn ((key i64) (i i64) (degrees real))
  (let ((half (mul 0.5:real degrees)))
    (mul (normal key i 0x10000000000:i64) (sqrt (div half (gamma-value key i 0:i64 half)))))))"},
    {"beta/2", R"(
(fn ((key i64) (i i64) (a real) (b real))
  (let ((difference (sub (gamma-log key i 0x10000000000:i64 b) (gamma-log key i 0:i64 a))))
    (div 1.0:real (add 1.0:real (exp difference))))))"},
};

}  // namespace wf::random
