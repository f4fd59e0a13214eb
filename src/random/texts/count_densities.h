// Logarithms of probabilities of numbers of events, and their distribution functions, in the terms of gamma_densities.h.
#pragma once

#include "random/texts/text.h"

namespace wf::random {

inline constexpr Text count_density_texts[] = {
    {"is-count", R"((fn ((x f64)) (and (and (ge x 0.0:f64) (lt x inf:f64)) (eq x (floor x)))))"},
    // log k! - (k log k - k)
    {"factorial-rest", R"(
(fn ((k f64))
  (let ((large (add (fma 0.5:f64 (log (max k 8.0:f64)) 0x1.d67f1c864beb5p-1:f64) (stirling-series k))))
    (where (ge k 8.0:f64) large (small-factorial-rest k)))))"},

    {"geometric/1/log-density", R"(
(fn ((x f64) (probability f64))
  (where (is-count x)
         (add (where (eq x 0.0:f64) 0.0:f64 (mul x (log1p (neg probability)))) (log probability))
         -inf:f64)))"},
    {"geometric/1/distribution", R"(
(fn ((x f64) (probability f64))
  (where (ge x 0.0:f64) (neg (expm1 (mul (add (floor x) 1.0:f64) (log1p (neg probability))))) 0.0:f64)))"},

    {"poisson/1/log-density", R"(
(fn ((x f64) (mean f64))
  (where (is-count x) (neg (add (deviance-by-log x mean (sub x mean) (log-quotient x mean)) (factorial-rest x))) -inf:f64)))"},
    {"poisson/1/distribution", R"(
(fn ((x f64) (mean f64))
  (where (ge x 0.0:f64) (where (lt x inf:f64) (gamma_q (add (floor x) 1.0:f64) mean) 1.0:f64) 0.0:f64)))"},

    {"binomial/2/log-density", R"(
(fn ((x f64) (n f64) (probability f64))
  (let ((rest (sub n x))
        (excess (fma (neg n) probability x))
        (successes (deviance-of x (mul n probability) excess))
        (failures (deviance-of rest (mul n (sub 1.0:f64 probability)) (neg excess)))
        (choices (sub (factorial-rest n) (add (factorial-rest x) (factorial-rest rest)))))
    (where (and (is-count x) (le x n)) (sub choices (add successes failures)) -inf:f64))))"},
    // The probability of more than x successes for a small probability, and otherwise that of at least n - x failures.
    {"binomial/2/distribution", R"(
(fn ((x f64) (n f64) (probability f64))
  (let ((is-rare (lt probability 0.5:f64))
        (more (add (floor x) 1.0:f64))
        (rest (sub n (floor x)))
        (part (ibeta (where is-rare more rest) (where is-rare rest more) (where is-rare probability (sub 1.0:f64 probability)))))
    (where (lt x 0.0:f64) 0.0:f64 (where (ge x n) 1.0:f64 (where is-rare (sub 1.0:f64 part) part))))))"},

    // x failures and s successes in n = x + s trials: s / n times the probability of s successes.
    {"negative_binomial/2/log-density", R"(
(fn ((x f64) (successes f64) (probability f64)) (negative-binomial x (max successes 0x1p-60:f64) (log-few successes) probability)))"},
    {"negative-binomial", R"(
(fn ((x f64) (successes f64) (few f64) (probability f64))
  (let ((n (add x successes))
        (excess (fma (neg n) probability successes))
        (deviances (add (deviance-of successes (mul n probability) excess)
                        (deviance-of x (mul n (sub 1.0:f64 probability)) (neg excess))))
        (logs (sub (mul 0.5:f64 (sub (log (div successes n)) (log x))) 0x1.d67f1c864beb5p-1:f64))
        (rests (sub (stirling n) (add (stirling x) (stirling successes))))
        (several (add (sub (add logs rests) deviances) few)))
    (where (is-count x) (where (eq x 0.0:f64) (times-log successes probability) several) -inf:f64))))"},
    {"negative_binomial/2/distribution", R"(
(fn ((x f64) (successes f64) (probability f64))
  (where (ge x 0.0:f64) (where (lt x inf:f64) (ibeta successes (add (floor x) 1.0:f64) probability) 1.0:f64) 0.0:f64)))"},
};

}  // namespace wf::random
