// Quotients by one divisor, and square roots, of several floats at once, rounded as IEEE 754 defines.
//
// The compiler's code for one quotient or root computes a short sequence of operations, tests if it holds for these operands, and branches. With
// several of them, the branches keep the next one from starting. Here all results are computed by the same sequences, and then tested together.
//
// The sequences fail if a step underflows or overflows. Results of at least the bounds below exclude this:
//   quotient   r = 1/b after one Newton step, f = a r, q = f + r (a - b f). If 2^-24 <= |b| <= 2^24 and |q| >= 2^-100 max(1, |r|), then r, f and q
//              are normal, and a - b f is exact, a multiple of 2^-149. If f is infinite, or a is, then a - b f is infinite or NaN, and q is NaN.
//   root       y = x^(-1/2), f = x |y|, s = f + y/2 (x - f f), which the compiler uses for x >= 2^-101. If s >= 2^-50, then x >= 2^-101.
//              If x is infinite, then y = 0 and f is NaN. If x is negative, then y is NaN, or -infinity, with which s is NaN.
// Both comparisons are false for NaN. Zeros, which are frequent, are fixed afterwards; other results that fail are computed one by one.
#pragma once

#include "memory.cuh"

namespace wf {

// A divisor of quotients.
struct Divisor {
  float b, r;
  float least;  // quotients of at least this magnitude are correct; NaN: none are
};

WF_FN Divisor divisor_of(float b) {
  const float y = approximate_reciprocal(b);
  const bool is_usual = fabsf(b) >= 0x1p-24f && fabsf(b) <= 0x1p24f;
  const float r = __fmaf_rn(y, __fmaf_rn(-b, y, 1.0f), y);
  return {b, r, is_usual ? 0x1p-100f * fmaxf(1, fabsf(r)) : __int_as_float(0x7fffffff)};
}

// q[k] = a[k] / b
template <int n> WF_FN void quotients(const float (&a)[n], const Divisor& by, float (&q)[n]) {
  bool all_hold = true;
#pragma unroll
  for (int k = 0; k < n; k++) {
    const float first = __fmul_rn(a[k], by.r);
    q[k] = __fmaf_rn(by.r, __fmaf_rn(-by.b, first, a[k]), first);
    all_hold = all_hold & (fabsf(q[k]) >= by.least);
  }
  if (__builtin_expect(all_hold, true)) return;
  const float least = again(by.least), r = again(by.r);
  bool is_exact = least > 0;
#pragma unroll
  for (int k = 0; k < n; k++) {
    const bool is_zero = a[k] == 0;
    is_exact = is_exact & (is_zero | (fabsf(q[k]) >= least));
    if (is_zero) q[k] = __fmul_rn(a[k], r);
  }
  if (is_exact) return;
#pragma unroll
  for (int k = 0; k < n; k++) q[k] = __fdiv_rn(a[k], by.b);
}

// Stores get(0) / b, ..., get(count - 1) / b. `to` is aligned as a pack of them, or to 16 bytes.
template <int count, class Get> WF_FN void store_quotients(float* to, const Divisor& by, const Get& get) {
  float dividends[count], results[count];
#pragma unroll
  for (int p = 0; p < count; p++) dividends[p] = get(p);
  quotients(dividends, by, results);
  store_elements<count>(to, [&](int p) { return results[p]; });
}

// s[k] = the square root of x[k]
template <int n> WF_FN void roots(const float (&x)[n], float (&s)[n]) {
  constexpr float least = 0x1p-50f;
  bool all_hold = true;
#pragma unroll
  for (int k = 0; k < n; k++) {
    const float y = approximate_reciprocal_root(x[k]);
    const float first = __fmul_rn(x[k], fabsf(y));
    s[k] = __fmaf_rn(__fmul_rn(y, 0.5f), __fmaf_rn(-first, first, x[k]), first);
    all_hold = all_hold & (s[k] >= least);
  }
  if (__builtin_expect(all_hold, true)) return;
  const float bound = again(least);
  bool is_exact = true;
#pragma unroll
  for (int k = 0; k < n; k++) {
    const bool is_zero = x[k] == 0;
    is_exact = is_exact & (is_zero | (s[k] >= bound));
    if (is_zero) s[k] = x[k];
  }
  if (is_exact) return;
#pragma unroll
  for (int k = 0; k < n; k++) s[k] = __fsqrt_rn(x[k]);
}

}  // namespace wf
