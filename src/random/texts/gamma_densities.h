// Densities and distribution functions of the gamma distribution and of those computed from it.
//
// Logarithms of gamma functions of large parameters are large and cancel. So these are written as deviances and the rests of Stirling's
// formula (C. Loader, "Fast and accurate computation of binomial probabilities", 2000), of real arguments:
//   log gamma(a) = (a - 1/2) log a - a + log sqrt(2 pi) + stirling(a)
#pragma once

#include "random/texts/text.h"

namespace wf::random {

inline constexpr Text gamma_density_texts[] = {
    // 1 / (12 a) - 1 / (360 a^3) + ..., to 10^-15, for a from 8 on.
    {"stirling-series", R"(
(fn ((a real))
  (let ((r (div 1.0:real (max a 8.0:real)))
        (s (mul r r))
        (series (fma (fma (fma (fma (fma (fma 0x1.a41a41a41a41ap-8:real s -0x1.f6ab0d9993c7dp-10:real) s 0x1.b951e2b18ff23p-11:real)
                                    s -0x1.3813813813814p-11:real) s 0x1.a01a01a01a01ap-11:real) s -0x1.6c16c16c16c17p-9:real)
                     s 0x1.5555555555555p-4:real)))
    (mul r series))))"},
    {"stirling", R"(
(fn ((a real))
  (let ((small (sub (sub (lgamma a) (fma (sub a 0.5:real) (log a) (neg a))) 0x1.d67f1c864beb5p-1:real)))
    (where (ge a 8.0:real) (stirling-series a) small))))"},
    // k log(k / m) - excess, given log(k / m) or not, for excess = k - m. The value is at least 0. For k near m, k log(k / m) = 2 k atanh(v) and
    // 2 k v = excess (1 + v).
    {"deviance-of", R"((fn ((k real) (m real) (excess real)) (deviance-by-log k m excess (log (div k m)))))"},
    {"deviance-by-log", R"(
(fn ((k real) (m real) (excess real) (log-quotient real))
  (let ((v (div (mul 0.5:real excess) (fma 0.5:real k (mul 0.5:real m))))
        (w (mul v v))
        (series (fma (fma (fma (fma (fma (fma (fma 0x1.e1e1e1e1e1e1ep-5:real w 0x1.1111111111111p-4:real) w 0x1.3b13b13b13b14p-4:real)
                                    w 0x1.745d1745d1746p-4:real) w 0x1.c71c71c71c71cp-4:real) w 0x1.2492492492492p-3:real)
                          w 0x1.999999999999ap-3:real) w 0x1.5555555555555p-2:real))
        (near (mul v (fma (mul 2.0:real k) (mul w series) excess)))
        (far (where (eq k 0.0:real) m (sub (mul k log-quotient) excess))))
    (where (lt (abs v) 0.1:real) near far))))"},
    // c log x, which is 0 for c = 0.
    {"times-log", R"((fn ((c real) (x real)) (where (eq c 0.0:real) 0.0:real (mul c (log x)))))"},

    // The density at x + rest, whose logarithm is log-x.
    {"gamma-density", R"(
(fn ((x real) (rest real) (log-x real) (shape real))
  (let ((smooth (sub (sub (sub (mul 0.5:real (log shape)) 0x1.d67f1c864beb5p-1:real) log-x)
                     (add (stirling shape) (deviance-of shape x (sub (sub shape x) rest)))))
        (direct (sub (where (eq shape 1.0:real) 0.0:real (mul (sub shape 1.0:real) log-x)) (add x (lgamma shape)))))
    (where (and (ge x 0.0:real) (lt x inf:real))
           (where (and (ge shape 8.0:real) (ge x 1.0:real)) smooth direct)
           -inf:real))))"},
    {"gamma/1/log-density", R"((fn ((x real) (shape real)) (gamma-density x 0.0:real (log x) shape)))"},
    {"gamma/1/distribution", R"((fn ((x real) (shape real)) (gamma_p shape (max x 0.0:real))))"},
    {"gamma/2/log-density", R"(
(fn ((x real) (shape real) (scale real))
  (let ((z (div x scale)) (rest (div (fma (neg z) scale x) scale)))
    (sub (gamma-density z rest (log-ratio x scale) shape) (log scale)))))"},
    {"gamma/2/distribution", R"((fn ((x real) (shape real) (scale real)) (gamma/1/distribution (div x scale) shape)))"},
    // log of a factor of densities that are proportional to a parameter near 0, and computed for 2^-60: halves and quotients of subnormal numbers
    // are not exact.
    {"log-few", R"((fn ((parameter real)) (log (min 1.0:real (mul parameter 0x1p60:real)))))"},
    // log 2 = 0.693...
    {"chi_squared/1/log-density", R"(
(fn ((x real) (degrees real))
  (let ((log-half (sub (log x) 0x1.62e42fefa39efp-1:real))
        (shape (mul 0.5:real (max degrees 0x1p-60:real))))
    (add (sub (gamma-density (mul 0.5:real x) 0.0:real log-half shape) 0x1.62e42fefa39efp-1:real) (log-few degrees)))))"},
    {"chi_squared/1/distribution", R"(
(fn ((x real) (degrees real)) (gamma/1/distribution (mul 0.5:real x) (mul 0.5:real degrees))))"},
    // The density of x = log g is g times that of g. For a large shape, g / shape - 1 is computed from the small distance of logarithms.
    {"log_gamma/1/log-density", R"(
(fn ((x real) (shape real))
  (let ((g (exp x))
        ((high low) (log-in-parts shape))
        (distance (sub (sub x high) low))
        (excess (mul shape (expm1 distance)))
        (smooth (sub (sub (mul 0.5:real high) 0x1.d67f1c864beb5p-1:real)
                     (add (stirling shape) (deviance-by-log shape g (neg excess) (neg distance)))))
        (direct (sub (mul shape x) (add g (lgamma shape)))))
    (where (lt g inf:real) (where (and (ge shape 8.0:real) (ge g 1.0:real)) smooth direct) -inf:real))))"},
    {"log_gamma/1/distribution", R"((fn ((x real) (shape real)) (gamma_p shape (exp x))))"},

    // log(1 + x^2 / n), also if the quotient overflows.
    {"log1p-square-over", R"(
(fn ((x real) (n real))
  (let ((z (div x (sqrt n))))
    (where (lt (abs z) 0x1p30:real) (log1p (mul z z)) (sub (mul 2.0:real (log (abs x))) (log n))))))"},
    // With h = degrees / 2: lgamma(h + 1/2) - lgamma(h) = h log(1 + 1 / (2 h)) + log(h) / 2 - 1/2 + stirling(h + 1/2) - stirling(h).
    {"student_t/1/log-density", R"(
(fn ((x real) (degrees real))
  (let ((h (mul 0.5:real (max degrees 0x1p-60:real)))
        (g (add h 0.5:real))
        (few (mul 0.5:real (log-few degrees)))
        (factor (add (add (sub (mul h (log1p (div 0.5:real h))) 0.5:real) (sub (stirling g) (stirling h))) few)))
    (sub (sub factor 0x1.d67f1c864beb5p-1:real) (mul g (log1p-square-over x degrees))))))"},
    // Beyond 2^30, the tail is a power of x.
    {"student_t/1/distribution", R"(
(fn ((x real) (degrees real))
  (let ((h (mul 0.5:real degrees))
        (distance (div (abs x) (sqrt degrees)))
        (z (min distance 0x1p30:real))
        (w (mul z z))
        (is-far (ge w 1.0:real))
        (part (ibeta (where is-far h 0.5:real) (where is-far 0.5:real h) (div (where is-far 1.0:real w) (add 1.0:real w))))
        (further (where (gt distance z) (pow (div z distance) degrees) 1.0:real))
        (tail (mul (mul 0.5:real further) (where is-far part (sub 1.0:real part)))))
    (where (lt x 0.0:real) tail (sub 1.0:real tail)))))"},

    // With n = a + b: x^a (1 - x)^b n^n / (a^a b^b) = exp(-deviance(a, n x) - deviance(b, n (1 - x))). Their excess is a (1 - x) - b x.
    {"beta/2/log-density", R"(
(fn ((x real) (a real) (b real))
  (let ((y (sub 1.0:real x))
        (n (add a b))
        (y-rest (sub (sub 1.0:real y) x))
        ((product rest) (exact-product b x))
        (excess (add (sub (fma a y (neg product)) rest) (mul a y-rest)))
        (logs (sub (sub (mul 0.5:real (log (mul a (div b n)))) 0x1.d67f1c864beb5p-1:real) (add (log x) (log1p (neg x)))))
        (rests (sub (add (stirling a) (stirling b)) (stirling n)))
        (smooth (sub (sub logs rests) (add (deviance-of a (mul n x) excess) (deviance-of b (mul n y) (neg excess)))))
        (log-y (log1p (neg x)))
        (direct (sub (add (times-log (sub a 1.0:real) x) (where (eq b 1.0:real) 0.0:real (mul (sub b 1.0:real) log-y))) (lbeta a b)))
        (is-large (and (ge (min a b) 8.0:real) (ge (mul n (min x y)) 1.0:real))))
    (where (and (ge x 0.0:real) (le x 1.0:real)) (where is-large smooth direct) -inf:real))))"},
    {"beta/2/distribution", R"((fn ((x real) (a real) (b real)) (ibeta a b (max 0.0:real (min x 1.0:real)))))"},

    // A shape's part of the factor of a dirichlet density; that of the sum of the shapes is subtracted.
    {"dirichlet-factor", R"(
(fn ((a real)) (sub (sub (mul 0.5:real (log a)) (stirling a)) 0x1.d67f1c864beb5p-1:real)))"},
    // The part of an element x: (a - 1) log x + a log(sum / a)
    {"dirichlet-part", R"(
(fn ((x real) (a real) (sum real))
  (let ((ratio (div (fma sum x (neg a)) a))
        (near (sub (mul a (log1p ratio)) (log x)))
        (far (add (times-log (sub a 1.0:real) x) (mul a (log (div sum a))))))
    (where (isnan x) x (where (ge x 0.0:real) (where (lt (abs ratio) 0.5:real) near far) -inf:real)))))"},
};

}  // namespace wf::random
