// Logarithms of densities, or of probabilities of counts, and distribution functions. Parameters: x, then those of the distribution. Outside of
// the support a density is -inf.
#pragma once

#include "random/texts/text.h"

namespace wf::random {

inline constexpr Text density_texts[] = {
    {"uniform/0/log-density", R"((fn ((x real)) (where (and (ge x 0.0:real) (lt x 1.0:real)) 0.0:real -inf:real)))"},
    {"uniform/0/distribution", R"((fn ((x real)) (max 0.0:real (min x 1.0:real))))"},
    // Halves, since the width may overflow. log 2 = 0.693...
    {"uniform/2/log-density", R"(
(fn ((x real) (low real) (high real))
  (let ((width (sub high low))
        (log-width (where (lt width inf:real) (log width) (add (log (sub (mul 0.5:real high) (mul 0.5:real low))) 0x1.62e42fefa39efp-1:real))))
    (where (and (ge x low) (lt x high)) (neg log-width) -inf:real))))"},
    {"uniform/2/distribution", R"(
(fn ((x real) (low real) (high real))
  (let ((is-wide (not (lt (sub high low) inf:real)))
        (factor (where is-wide 0.5:real 1.0:real)))
    (max 0.0:real (min (div (sub (mul factor x) (mul factor low)) (sub (mul factor high) (mul factor low))) 1.0:real)))))"},

    // (x - location) / scale, of halves if the difference may overflow.
    {"standardized", R"(
(fn ((x real) (location real) (scale real))
  (let ((factor (where (gt scale 1.0:real) 0.5:real 1.0:real)))
    (div (fma factor x (neg (mul factor location))) (mul factor scale)))))"},
    // log sqrt(2 pi) = 0.918...
    {"gaussian/0/log-density", R"((fn ((x real)) (sub -0x1.d67f1c864beb5p-1:real (mul 0.5:real (mul x x)))))"},
    {"gaussian/0/distribution", R"((fn ((x real)) (mul 0.5:real (erfc (mul x -0x1.6a09e667f3bcdp-1:real)))))"},
    {"gaussian/2/log-density", R"(
(fn ((x real) (mean real) (deviation real))
  (let ((z (standardized x mean deviation)))
    (sub (sub -0x1.d67f1c864beb5p-1:real (log deviation)) (mul 0.5:real (mul z z))))))"},
    {"gaussian/2/distribution", R"(
(fn ((x real) (mean real) (deviation real)) (gaussian/0/distribution (standardized x mean deviation))))"},
    // log x as the sum of two numbers. In f64, x = 2^n m, r = m^(1/16) and log r = 2 atanh(s) = 2 s + 2/3 s^3 + 2/5 s^5 + ... for
    // s = (r - 1) / (r + 1). All but the terms from s^5 on are sums of two numbers, too, so that the error is below 10^-24.
    {"log-in-parts.f32", R"(
(fn ((x f32))
  (let ((y (log (cast f64 x))) (high (cast f32 y)))
    (tuple high (cast f32 (sub y (cast f64 high)))))))"},
    {"root-in-parts", R"(
(fn ((x f64) (rest f64))
  (let ((r (sqrt x))) (tuple r (div (mul 0.5:f64 (add (fma (neg r) r x) rest)) r)))))"},
    {"log-in-parts.f64", R"(
(fn ((x f64))
  (let ((n (round (log2 x)))
        (half (floor (mul 0.5:f64 n)))
        ((r1 l1) (root-in-parts (mul (mul x (exp2 (neg half))) (exp2 (sub half n))) 0.0:f64))
        ((r2 l2) (root-in-parts r1 l1))
        ((r3 l3) (root-in-parts r2 l2))
        ((r l) (root-in-parts r3 l3))
        (d (sub r 1.0:f64))
        ((e e-rest) (exact-sum r 1.0:f64))
        (v (div d e))
        ((s s-rest) (exact-sum v (div (sub (add (fma (neg v) e d) l) (mul v (add e-rest l))) e)))
        ((q q-rest) (exact-product s s))
        ((c c-rest) (exact-product q s))
        (c-more (add c-rest (mul s (add q-rest (mul 3.0:f64 (mul s s-rest))))))
        ((t t-rest) (exact-product c 0x1.5555555555555p-1:f64))
        (t-more (add t-rest (fma c 0x1.5555555555555p-55:f64 (mul c-more 0x1.5555555555555p-1:f64))))
        (series (fma (fma (fma 0x1.745d1745d1746p-3:f64 q 0x1.c71c71c71c71cp-3:f64) q 0x1.2492492492492p-2:f64) q 0x1.999999999999ap-2:f64))
        ((y y-rest) (exact-sum (mul n 0x1.62e42fefap-1:f64) (mul 32.0:f64 s)))
        ((z z-rest) (exact-sum y (mul 16.0:f64 t)))
        (more (mul 16.0:f64 (add (mul 2.0:f64 s-rest) (add t-more (mul (mul c q) series))))))
    (exact-sum z (add (add z-rest y-rest) (fma n 0x1.cf79abc9e3b3ap-40:f64 more))))))"},
    {"exact-sum", R"(
(fn ((a real) (b real)) (let ((sum (add a b)) (part (sub sum a))) (tuple sum (add (sub a (sub sum part)) (sub b part))))))"},
    {"exact-product", R"((fn ((a real) (b real)) (let ((product (mul a b))) (tuple product (fma a b (neg product))))))"},

    // log x - mean and log x. Near 0 the first is the logarithm of x e for e = exp(-mean), less mean + log e, no more than a rounding error.
    {"log-distance", R"(
(fn ((x real) (mean real))
  (let ((e (exp (neg mean)))
        ((high low) (log-in-parts e))
        ((p rest) (exact-product x e))
        (is-near (lt (abs (sub p 1.0:real)) 0.5:real))
        (y (log (where is-near p x)))
        (near (sub (fma rest (sub 2.0:real p) y) (add (add mean high) low))))
    (tuple (where is-near near (sub y mean)) (where is-near (add near mean) y)))))"},
    {"lognormal/2/log-density", R"(
(fn ((x real) (mean real) (deviation real))
  (let (((distance log-x) (log-distance x mean)))
    (where (and (gt x 0.0:real) (lt x inf:real)) (sub (gaussian/2/log-density distance 0.0:real deviation) log-x) -inf:real))))"},
    {"lognormal/2/distribution", R"(
(fn ((x real) (mean real) (deviation real))
  (let (((distance log-x) (log-distance x mean)))
    (where (gt x 0.0:real) (gaussian/0/distribution (div (where (lt x inf:real) distance inf:real) deviation)) 0.0:real))))"},

    {"exponential/0/log-density", R"((fn ((x real)) (where (ge x 0.0:real) (neg x) -inf:real)))"},
    {"exponential/0/distribution", R"((fn ((x real)) (neg (expm1 (neg (max x 0.0:real))))))"},
    {"exponential/1/log-density", R"(
(fn ((x real) (rate real)) (where (ge x 0.0:real) (sub (log rate) (mul rate x)) -inf:real)))"},
    {"exponential/1/distribution", R"((fn ((x real) (rate real)) (exponential/0/distribution (mul rate x))))"},
    // log(x / scale), also if the quotient is no normal number; log-ratio counts the rounding error of the quotient, too.
    {"least-normal.f32", R"((fn () 0x1p-126:f32))"},
    {"least-normal.f64", R"((fn () 0x1p-1022:f64))"},
    {"is-normal", R"((fn ((z real)) (and (ge z (least-normal)) (lt z inf:real))))"},
    {"log-quotient", R"(
(fn ((x real) (scale real))
  (let ((z (div x scale)) (is-direct (is-normal z)) (y (log (where is-direct z x))))
    (where is-direct y (sub y (log scale))))))"},
    {"log-ratio", R"((fn ((x real) (scale real)) (add (log-quotient x scale) (quotient-rest x scale))))"},
    // log(x / scale) - log(the rounded quotient), if that is a normal number, else 0
    {"quotient-rest", R"(
(fn ((x real) (scale real))
  (let ((z (div x scale))) (where (is-normal z) (div (fma (neg z) scale x) x) 0.0:real))))"},
    // (x / scale)^shape, of the rounded quotient and a factor near 1, or of logarithms if one of the two powers overflows or vanishes.
    {"weibull-power", R"(
(fn ((x real) (shape real) (scale real))
  (let ((z (div x scale))
        (is-direct (is-normal z))
        (is-end (not (and (gt x 0.0:real) (lt x inf:real))))
        (more (where is-direct (quotient-rest x scale) (where is-end 0.0:real (log-ratio x scale)))))
    (let ((power (pow (where is-direct z (where is-end (max x 0.0:real) 1.0:real)) shape))
          (is-exact (or is-end (and (gt power 0.0:real) (lt power inf:real)))))
      (where is-exact (mul power (exp (mul shape more))) (exp (mul shape (log-ratio x scale))))))))"},
    {"weibull/2/log-density", R"(
(fn ((x real) (shape real) (scale real))
  (where (and (ge x 0.0:real) (lt x inf:real))
         (sub (add (sub (log shape) (log scale))
                   (where (eq shape 1.0:real) 0.0:real (mul (sub shape 1.0:real) (log-ratio x scale))))
              (weibull-power x shape scale))
         -inf:real)))"},
    {"weibull/2/distribution", R"(
(fn ((x real) (shape real) (scale real)) (neg (expm1 (neg (weibull-power x shape scale))))))"},
    {"gumbel/2/log-density", R"(
(fn ((x real) (location real) (scale real))
  (let ((z (standardized x location scale))) (where (gt z -inf:real) (neg (add (add z (exp (neg z))) (log scale))) -inf:real))))"},
    {"gumbel/2/distribution", R"(
(fn ((x real) (location real) (scale real)) (exp (neg (exp (neg (standardized x location scale)))))))"},
    {"laplace/2/log-density", R"(
(fn ((x real) (location real) (scale real)) (neg (add (abs (standardized x location scale)) (add (log scale) 0x1.62e42fefa39efp-1:real)))))"},
    {"laplace/2/distribution", R"(
(fn ((x real) (location real) (scale real))
  (let ((z (standardized x location scale)) (tail (mul 0.5:real (exp (neg (abs z))))))
    (where (lt z 0.0:real) tail (sub 1.0:real tail)))))"},
    // log pi = 1.144..., and log 4 pi = 2.531... Far away, where a square would overflow: 2 log |x - location| - log scale, of halves.
    {"cauchy/2/log-density", R"(
(fn ((x real) (location real) (scale real))
  (let ((z (abs (standardized x location scale)))
        (is-far (ge z 0x1p30:real))
        (half (abs (sub (mul 0.5:real x) (mul 0.5:real location))))
        (y (log (where is-far half (fma z z 1.0:real)))))
    (neg (where is-far
                (add 0x1.43f89a3f0edd6p+1:real (sub (mul 2.0:real y) (log scale)))
                (add 0x1.250d048e7a1bdp+0:real (add (log scale) y)))))))"},
    // atan2(1, -z) / pi, which keeps the digits of small probabilities.
    {"cauchy/2/distribution", R"(
(fn ((x real) (location real) (scale real))
  (mul (atan2 1.0:real (neg (standardized x location scale))) 0x1.45f306dc9c883p-2:real)))"},

    {"bernoulli/1/log-density", R"(
(fn ((x real) (probability real))
  (where (eq x 1.0:real) (log probability) (where (eq x 0.0:real) (log1p (neg probability)) -inf:real))))"},
    {"bernoulli/1/distribution", R"(
(fn ((x real) (probability real))
  (where (lt x 0.0:real) 0.0:real (where (lt x 1.0:real) (sub 1.0:real probability) 1.0:real))))"},
    {"uniform_int/2/log-density", R"(
(fn ((x real) (low real) (high real))
  (where (and (and (ge x low) (lt x high)) (eq x (floor x))) (neg (log (sub high low))) -inf:real)))"},
    {"uniform_int/2/distribution", R"(
(fn ((x real) (low real) (high real))
  (max 0.0:real (min 1.0:real (div (add (sub (floor x) low) 1.0:real) (sub high low))))))"},
};

}  // namespace wf::random
