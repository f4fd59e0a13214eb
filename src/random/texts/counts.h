// Numbers of events, by rejection for large means and by inversion for small ones. A count is an f64 with an integer value.
//
// W. Hörmann, "The transformed rejection method for generating Poisson random variables", 1993 (PTRS), and "The generation of binomial random
// variates", 1993 (BTRS): a number (2 a / s + b) u + c for a uniform u in (-1/2, 1/2) and s = 1/2 - |u|, whose density is close to that of the
// distribution. Most candidates are accepted by a rectangle, without logarithms.
#pragma once

#include "random/texts/text.h"

namespace wf::random {

inline constexpr Text count_texts[] = {
    // log j! - (j log j - j) for j < 8
    {"small-factorial-rest", R"(
(fn ((j f64))
  (where (lt j 0.5:f64) 0.0:f64
  (where (lt j 1.5:f64) 0x1.0000000000000p+0:f64
  (where (lt j 2.5:f64) 0x1.4e8de8082e308p+0:f64
  (where (lt j 3.5:f64) 0x1.7ef4c8a2316e2p+0:f64
  (where (lt j 4.5:f64) 0x1.a2042fd3b7235p+0:f64
  (where (lt j 5.5:f64) 0x1.bd847196e2524p+0:f64
  (where (lt j 6.5:f64) 0x1.d42550e3f471ap+0:f64 0x1.e75ecd60de91bp+0:f64)))))))))"},
    // The same for all j, by Stirling's series from 8 on, to 10^-12.
    {"stirling-rest", R"(
(fn ((j f64))
  (let ((r (div 1.0:f64 (max j 8.0:f64)))
        (s (mul r r))
        (series (fma (fma (fma (fma 0x1.b951e2b18ff23p-11:f64 s -0x1.3813813813814p-11:f64) s 0x1.a01a01a01a01ap-11:f64) s -0x1.6c16c16c16c17p-9:f64)
                     s 0x1.5555555555555p-4:f64))
        (large (fma 0.5:f64 (log (max j 8.0:f64)) (fma r series 0x1.d67f1c864beb5p-1:f64))))
    (where (ge j 8.0:f64) large (small-factorial-rest j)))))"},
    // (1 + x) log(1 + x) - x for x >= -1
    {"deviance", R"((fn ((x f64)) (sub (where (le x -1.0:f64) 0.0:f64 (mul (add x 1.0:f64) (log1p x))) x)))"},
    // C. Loader, "Fast and accurate computation of binomial probabilities", 2000: no large numbers cancel.
    {"poisson-log", R"(
(fn ((k f64) (mean f64)) (neg (add (stirling-rest k) (mul mean (deviance (div (sub k mean) mean)))))))"},
    {"binomial-log", R"(
(fn ((k f64) (n f64) (p f64))
  (let ((q (sub 1.0:f64 p)) (successes (mul n p)) (failures (mul n q)) (excess (sub k successes)))
    (sub (sub (stirling-rest n) (add (stirling-rest k) (stirling-rest (sub n k))))
         (add (mul successes (deviance (div excess successes))) (mul failures (deviance (neg (div excess failures)))))))))"},

    // Of the two loops only one makes steps.
    {"poisson", R"(
(fn ((key i64) (i i64) (j i64) (mean f64))
  (let ((is-small (lt mean 10.0:f64)))
    (where is-small (poisson-inverted key i j mean) (poisson-rejected key i j mean)))))"},
    // The number of probabilities that fit in u. They end at 1 - 10^-16.
    {"poisson-inverted", R"(
(fn ((key i64) (i i64) (j i64) (mean f64))
  (let (((k u p)
          (loop ((k 0.0:f64) (u (open key i j)) (p (exp (neg mean)))) (and (and (ge u p) (lt mean 10.0:f64)) (lt k 100.0:f64))
            (let ((next (add k 1.0:f64))) (tuple next (sub u p) (mul p (div mean next)))))))
    k)))"},
    {"poisson-rejected", R"(
(fn ((key i64) (i i64) (j i64) (mean f64))
  (let ((root (sqrt mean))
        (b (add 0.931:f64 (mul 2.53:f64 root)))
        (a (add -0.059:f64 (mul 0.02483:f64 b)))
        (inverse-alpha (add 1.1239:f64 (div 1.1328:f64 (sub b 3.4:f64))))
        (most (sub 0.9277:f64 (div 3.6224:f64 (sub b 2.0:f64))))
        ((k again try)
          (loop ((k 0.0:f64) (again (ge mean 10.0:f64)) (try j)) again
            (let ((u (sub (open key i try) 0.5:f64))
                  (v (open key i (or try 0x1000000000000000:i64)))
                  (s (sub 0.5:f64 (abs u)))
                  (k (floor (add (add (mul (add (div (mul 2.0:f64 a) s) b) u) mean) 0.43:f64)))
                  (is-inside (and (ge s 0.07:f64) (le v most)))
                  (is-outside (or (lt k 0.0:f64) (and (lt s 0.013:f64) (gt v s))))
                  (density (poisson-log (max k 0.0:f64) mean))
                  (bound (log (div (mul v inverse-alpha) (add (div a (mul s s)) b)))))
              (tuple k (not (or is-inside (and (not is-outside) (le bound density)))) (add try 1:i64))))))
    k)))"},

    // Successes are counted if they are the rarer outcome, and failures otherwise. If n or the probability is NaN, neither loop makes a step.
    {"binomial", R"(
(fn ((key i64) (i i64) (j i64) (n f64) (probability f64))
  (let ((is-rare (le probability 0.5:f64))
        (p (where is-rare probability (sub 1.0:f64 probability)))
        (is-small (lt (mul n p) 10.0:f64))
        (k (where is-small (binomial-inverted key i j n p is-small) (binomial-rejected key i j n p (ge (mul n p) 10.0:f64)))))
    (where is-rare k (sub n k)))))"},
    {"binomial-inverted", R"(
(fn ((key i64) (i i64) (j i64) (n f64) (p f64) (is-wanted bool))
  (let ((odds (div p (sub 1.0:f64 p)))
        ((k u share)
          (loop ((k 0.0:f64) (u (open key i j)) (share (exp (mul n (log1p (neg p))))))
                (and (and (ge u share) is-wanted) (lt k (min n 150.0:f64)))
            (let ((next (add k 1.0:f64))) (tuple next (sub u share) (mul share (mul odds (div (sub n k) next))))))))
    k)))"},
    {"binomial-rejected", R"(
(fn ((key i64) (i i64) (j i64) (n f64) (p f64) (is-wanted bool))
  (let ((q (sub 1.0:f64 p))
        (deviation (sqrt (mul (mul n p) q)))
        (b (add 1.15:f64 (mul 2.53:f64 deviation)))
        (a (add (add -0.0873:f64 (mul 0.0248:f64 b)) (mul 0.01:f64 p)))
        (c (add (mul n p) 0.5:f64))
        (alpha (mul (add 2.83:f64 (div 5.1:f64 b)) deviation))
        (most (sub 0.92:f64 (div 4.2:f64 b)))
        (at-mode (binomial-log (floor (mul (add n 1.0:f64) p)) n p))
        ((k again try)
          (loop ((k 0.0:f64) (again is-wanted) (try j)) again
            (let ((u (sub (open key i try) 0.5:f64))
                  (v (open key i (or try 0x1000000000000000:i64)))
                  (s (sub 0.5:f64 (abs u)))
                  (k (floor (add (mul (add (div (mul 2.0:f64 a) s) b) u) c)))
                  (is-inside (and (ge s 0.07:f64) (le v most)))
                  (is-outside (or (lt k 0.0:f64) (gt k n)))
                  (in-range (max 0.0:f64 (min k n)))
                  (density (sub (binomial-log in-range n p) at-mode))
                  (bound (log (div (mul v alpha) (add (div a (mul s s)) b)))))
              (tuple k (not (or is-inside (and (not is-outside) (le bound density)))) (add try 1:i64))))))
    k)))"},

    {"poisson/1", R"((fn ((key i64) (i i64) (mean f64)) (cast i64 (poisson key i 0:i64 mean))))"},
    {"binomial/2", R"((fn ((key i64) (i i64) (n f64) (probability f64)) (cast i64 (binomial key i 0:i64 n probability))))"},
    // The number of failures before that many successes: a Poisson number whose mean has a gamma distribution.
    {"negative_binomial/2", R"(
(fn ((key i64) (i i64) (successes f64) (probability f64))
  (let ((mean (mul (gamma-value key i 0:i64 successes) (div (sub 1.0:f64 probability) probability))))
    (cast i64 (poisson key i 0x10000000000:i64 mean)))))"},
};

}  // namespace wf::random
