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

    // log sqrt(2 pi) = 0.918...
    {"gaussian/0/log-density", R"((fn ((x real)) (sub -0x1.d67f1c864beb5p-1:real (mul 0.5:real (mul x x)))))"},
    {"gaussian/0/distribution", R"((fn ((x real)) (mul 0.5:real (erfc (mul x -0x1.6a09e667f3bcdp-1:real)))))"},
    {"gaussian/2/log-density", R"(
(fn ((x real) (mean real) (deviation real))
  (let ((z (div (sub x mean) deviation)))
    (sub (sub -0x1.d67f1c864beb5p-1:real (log deviation)) (mul 0.5:real (mul z z))))))"},
    {"gaussian/2/distribution", R"(
(fn ((x real) (mean real) (deviation real)) (gaussian/0/distribution (div (sub x mean) deviation))))"},
    {"lognormal/2/log-density", R"(
(fn ((x real) (mean real) (deviation real))
  (let ((log-x (log x)))
    (where (gt x 0.0:real) (sub (gaussian/2/log-density log-x mean deviation) log-x) -inf:real))))"},
    {"lognormal/2/distribution", R"(
(fn ((x real) (mean real) (deviation real))
  (where (gt x 0.0:real) (gaussian/2/distribution (log x) mean deviation) 0.0:real)))"},

    {"exponential/0/log-density", R"((fn ((x real)) (where (ge x 0.0:real) (neg x) -inf:real)))"},
    {"exponential/0/distribution", R"((fn ((x real)) (neg (expm1 (neg (max x 0.0:real))))))"},
    {"exponential/1/log-density", R"(
(fn ((x real) (rate real)) (where (ge x 0.0:real) (sub (log rate) (mul rate x)) -inf:real)))"},
    {"exponential/1/distribution", R"((fn ((x real) (rate real)) (exponential/0/distribution (mul rate x))))"},
    {"weibull/2/log-density", R"(
(fn ((x real) (shape real) (scale real))
  (let ((z (div x scale)))
    (where (and (ge x 0.0:real) (lt x inf:real))
           (sub (add (log (div shape scale)) (where (eq shape 1.0:real) 0.0:real (mul (sub shape 1.0:real) (log z)))) (pow z shape))
           -inf:real))))"},
    {"weibull/2/distribution", R"(
(fn ((x real) (shape real) (scale real)) (neg (expm1 (neg (pow (max (div x scale) 0.0:real) shape))))))"},
    {"gumbel/2/log-density", R"(
(fn ((x real) (location real) (scale real))
  (let ((z (div (sub x location) scale))) (where (gt z -inf:real) (neg (add (add z (exp (neg z))) (log scale))) -inf:real))))"},
    {"gumbel/2/distribution", R"(
(fn ((x real) (location real) (scale real)) (exp (neg (exp (div (sub location x) scale))))))"},
    {"laplace/2/log-density", R"(
(fn ((x real) (location real) (scale real)) (neg (add (div (abs (sub x location)) scale) (log (mul 2.0:real scale))))))"},
    {"laplace/2/distribution", R"(
(fn ((x real) (location real) (scale real))
  (let ((z (div (sub x location) scale)) (tail (mul 0.5:real (exp (neg (abs z))))))
    (where (lt z 0.0:real) tail (sub 1.0:real tail)))))"},
    // log pi = 1.144... The square of a large z would overflow.
    {"cauchy/2/log-density", R"(
(fn ((x real) (location real) (scale real))
  (let ((z (abs (div (sub x location) scale)))
        (is-far (ge z 0x1p30:real))
        (log-z (log (where is-far z (fma z z 1.0:real)))))
    (neg (add (add 0x1.250d048e7a1bdp+0:real (log scale)) (where is-far (mul 2.0:real log-z) log-z))))))"},
    // atan2(1, -z) / pi, which keeps the digits of small probabilities.
    {"cauchy/2/distribution", R"(
(fn ((x real) (location real) (scale real))
  (mul (atan2 1.0:real (div (sub location x) scale)) 0x1.45f306dc9c883p-2:real)))"},

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
