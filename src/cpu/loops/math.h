// Exponentials, logarithms and circular functions as plain C++ without branches, which gcc vectorises.
//
// Each reduces its argument (Cody and Waite: x - n * hi - n * lo with n * hi exact), evaluates a minimax polynomial by Horner's
// rule, and restores the scale. Only +, -, *, / round, and nothing is contracted, so all instruction sets compute the same
// bits. All errors are within 2 ULP (measured by tests/cpu/math.cpp); inf, NaN, zeros and subnormals are as in libm.
//
// Included only by files that are compiled for one instruction set; everything here is in an unnamed namespace.
#pragma once

#include <cstdint>

#define WF_MATH static inline __attribute__((always_inline, unused))

namespace wf::cpu {
namespace {

WF_MATH uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
WF_MATH uint64_t bits_of(double x) { return __builtin_bit_cast(uint64_t, x); }
WF_MATH float of_bits(uint32_t x) { return __builtin_bit_cast(float, x); }
WF_MATH double of_bits(uint64_t x) { return __builtin_bit_cast(double, x); }

// c0 + x * (c1 + x * (c2 + ...))
template <class T> WF_MATH T horner(T, T c) { return c; }
template <class T, class... Rest> WF_MATH T horner(T x, T c, Rest... rest) { return c + x * horner(x, rest...); }

// x limited to [low, high]; NaN stays.
template <class T> WF_MATH T limited(T x, T low, T high) {
  T y = x > high ? high : x;
  return y < low ? low : y;
}

// Adding and then subtracting this number rounds to an integer, which the sum holds in its low bits.
constexpr float round_f32 = 0x1.8p23f;
constexpr double round_f64 = 0x1.8p52;

// 2^n for normal results.
WF_MATH float power_of_two(int32_t n) { return of_bits((uint32_t(n) + 127) << 23); }
WF_MATH double power_of_two(int64_t n) { return of_bits((uint64_t(n) + 1023) << 52); }
WF_MATH float half_power_of_two(int32_t n) { return of_bits((uint32_t(n) + 126) << 23); }
WF_MATH double half_power_of_two(int64_t n) { return of_bits((uint64_t(n) + 1022) << 52); }
// y * 2^n, rounded once even if it is subnormal.
WF_MATH float scaled(float y, int32_t n) { return y * power_of_two(n >> 1) * power_of_two(n - (n >> 1)); }
WF_MATH double scaled(double y, int64_t n) { return y * power_of_two(n >> 1) * power_of_two(n - (n >> 1)); }

// ---- exponentials: e^x = 2^n e^r, |r| <= ln 2 / 2 -----------------------------------------------------------------------------

template <class T, class Int> struct Reduced {
  T r;
  Int n;
};

WF_MATH Reduced<float, int32_t> reduce_by_ln2(float x) {
  float sum = x * 0x1.715476p+0f + round_f32, n = sum - round_f32;
  return {(x - n * 0x1.62ep-1f) - n * 0x1.0bfbe8p-15f, int32_t(bits_of(sum) - bits_of(round_f32))};
}
WF_MATH Reduced<double, int64_t> reduce_by_ln2(double x) {
  double sum = x * 0x1.71547652b82fep+0 + round_f64, n = sum - round_f64;
  return {(x - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b3ap-40, int64_t(bits_of(sum) - bits_of(round_f64))};
}

// e^r - 1 - r
WF_MATH float exp_tail(float r) { return r * r * horner(r, 0x1p-1f, 0x1.5554dcp-3f, 0x1.555518p-5f, 0x1.120c1ap-7f, 0x1.6d11b6p-10f); }
WF_MATH double exp_tail(double r) {
  return r * r *
         horner(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100afp-7, 0x1.6c16c16c162bap-10, 0x1.a01a01ac006dfp-13,
                0x1.a01a01a6e67fap-16, 0x1.71de01e432ef7p-19, 0x1.27e4db3835435p-22, 0x1.af4e8a50136f6p-26, 0x1.1f735f2a2a59fp-29);
}

WF_MATH float fast_exp(float x) {
  auto [r, n] = reduce_by_ln2(limited(x, -105.0f, 89.0f));
  return scaled(1 + (r + exp_tail(r)), n);
}
WF_MATH double fast_exp(double x) {
  auto [r, n] = reduce_by_ln2(limited(x, -747.0, 710.0));
  return scaled(1 + (r + exp_tail(r)), n);
}

WF_MATH float fast_exp2(float x) {
  float y = limited(x, -151.0f, 129.0f), sum = y + round_f32, r = y - (sum - round_f32);
  float power = 1 + r * horner(r, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6af6cp-5f, 0x1.3b2a52p-7f, 0x1.5f0956p-10f, 0x1.441412p-13f);
  return scaled(power, int32_t(bits_of(sum) - bits_of(round_f32)));
}
WF_MATH double fast_exp2(double x) {
  double y = limited(x, -1076.0, 1025.0), sum = y + round_f64, r = y - (sum - round_f64);
  double s = r * 0x1.62e42fefa39efp-1;
  return scaled(1 + (s + exp_tail(s)), int64_t(bits_of(sum) - bits_of(round_f64)));
}

// 2^n e^r - 1 = (2^n - 1) + 2^n r + 2^n (e^r - 1 - r), halved so that 2^n does not overflow before the result does. The first
// sum's rounding error is kept; its first term is the larger one or 0.
template <class T, class Int> WF_MATH T half_expm1(Reduced<T, Int> x) {
  T half = half_power_of_two(x.n), a = half - T(0.5), b = x.r * half, sum = a + b, lost = b - (sum - a);
  return sum + (exp_tail(x.r) * half + lost);
}
WF_MATH float fast_expm1(float x) {
  float y = 2 * half_expm1(reduce_by_ln2(limited(x, -20.0f, 89.0f)));
  return __builtin_fabsf(x) < 0x1p-25f ? x : y;  // half of such an x may be inexact
}
WF_MATH double fast_expm1(double x) {
  double y = 2 * half_expm1(reduce_by_ln2(limited(x, -40.0, 710.0)));
  return __builtin_fabs(x) < 0x1p-54 ? x : y;
}

// tanh |x| = t / (t + 1), t = (e^2|x| - 1) / 2. With s = t + 1 rounded, q = t / s and the rounding error `lost` of s,
// t / (s + lost) = q - q lost / s, and 1 / s = 1 - q.
template <class T> WF_MATH T tanh_of_size(T size) {
  T t = half_expm1(reduce_by_ln2(2 * size)), s = t + 1, q = t / s;
  T lost = t < 1 ? t - (s - 1) : 1 - (s - t);
  return q - q * lost * (1 - q);
}
// 1 in T from 10 (20) on.
WF_MATH float fast_tanh(float x) {
  float size = __builtin_fabsf(x);
  return __builtin_copysignf(tanh_of_size(size > 10 ? 10 : size), x);
}
WF_MATH double fast_tanh(double x) {
  double size = __builtin_fabs(x);
  return __builtin_copysign(tanh_of_size(size > 20 ? 20 : size), x);
}

// ---- logarithms: x = 2^e (1 + f), 1 + f in [sqrt 1/2, sqrt 2) -----------------------------------------------------------------

template <class T> struct Split { T e, f; };

WF_MATH Split<float> split(float x) {
  constexpr uint32_t root_half = 0x3f3504f3;
  bool subnormal = x < 0x1p-126f;
  auto from_root = int32_t(bits_of(subnormal ? x * 0x1p23f : x) - root_half);
  return {float((from_root >> 23) - (subnormal ? 23 : 0)), of_bits((from_root & 0x7fffff) + root_half) - 1};
}
WF_MATH Split<double> split(double x) {
  constexpr uint64_t root_half = 0x3fe6a09e667f3bcd;
  bool subnormal = x < 0x1p-1022;
  auto from_root = int64_t(bits_of(subnormal ? x * 0x1p52 : x) - root_half);
  // The exponent is small, so adding it to the bits of round_f64 converts it to a float.
  double e = of_bits(uint64_t((from_root >> 52) - (subnormal ? 52 : 0)) + bits_of(round_f64)) - round_f64;
  return {e, of_bits((from_root & 0xfffffffffffff) + root_half) - 1};
}

// log(1 + f) - f
WF_MATH float log_tail(float f) {
  float p = horner(f, 0x1.555554p-2f, -0x1.fffffcp-3f, 0x1.999d5cp-3f, -0x1.555b5p-3f, 0x1.23d1d6p-3f, -0x1.fcf30ep-4f, 0x1.dea656p-4f,
                   -0x1.d6453cp-4f, 0x1.1d9828p-4f);
  return f * f * f * p - 0.5f * f * f;
}
// log(1 + f) = 2 atanh s, s = f / (2 + f); f - f^2/2 + s (f^2/2 + s^2 R(s^2)) keeps f exact.
WF_MATH double log_tail(double f) {
  double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
  double r = z * horner(z, 0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476ba1p-2, 0x1.c71c72017a15cp-3, 0x1.745cf8f6c9119p-3,
                        0x1.3b1c38474d3eep-3, 0x1.0fbe478772696p-3, 0x1.0c06cf14c641bp-3);
  return s * (half_square + r) - half_square;
}

// The value at x = 0, inf, NaN and below 0; y otherwise.
template <class T> WF_MATH T log_ends(T x, T y) {
  constexpr T inf = T(__builtin_inf());
  y = x == inf ? inf : y;
  y = x == 0 ? -inf : y;
  return x < 0 || x != x ? T(__builtin_nan("")) : y;
}

WF_MATH float fast_log(float x) {
  auto [e, f] = split(x);
  return log_ends(x, e * 0x1.62ep-1f + (f + (log_tail(f) + e * 0x1.0bfbe8p-15f)));
}
WF_MATH double fast_log(double x) {
  auto [e, f] = split(x);
  return log_ends(x, e * 0x1.62e42fefap-1 + (f + (log_tail(f) + e * 0x1.cf79abc9e3b3ap-40)));
}

// In base b = 2 or 10: e log_b 2 + log(1 + f) / ln b.
WF_MATH float fast_log2(float x) {
  auto [e, f] = split(x);
  return log_ends(x, e + (f + log_tail(f)) * 0x1.715476p+0f);
}
WF_MATH double fast_log2(double x) {
  auto [e, f] = split(x);
  return log_ends(x, e + (f + log_tail(f)) * 0x1.71547652b82fep+0);
}
WF_MATH float fast_log10(float x) {
  auto [e, f] = split(x);
  return log_ends(x, e * 0x1.344p-2f + ((f + log_tail(f)) * 0x1.bcb7b2p-2f + e * 0x1.3509f8p-18f));
}
WF_MATH double fast_log10(double x) {
  auto [e, f] = split(x);
  return log_ends(x, e * 0x1.34413509ep-2 + ((f + log_tail(f)) * 0x1.bcb7b1526e50ep-2 + e * 0x1.79fef311f12b3p-38));
}

// log(1 + x) = log u + (x - (u - 1)) / u, u = 1 + x rounded.
WF_MATH float fast_log1p(float x) {
  float u = 1 + x, lost = (x - (u - 1)) / u;
  auto [e, f] = split(u);
  float y = e * 0x1.62ep-1f + (f + (log_tail(f) + (e * 0x1.0bfbe8p-15f + lost)));
  return x == 0 ? x : log_ends(u, y);
}
WF_MATH double fast_log1p(double x) {
  double u = 1 + x, lost = (x - (u - 1)) / u;
  auto [e, f] = split(u);
  double y = e * 0x1.62e42fefap-1 + (f + (log_tail(f) + (e * 0x1.cf79abc9e3b3ap-40 + lost)));
  return x == 0 ? x : log_ends(u, y);
}

// ---- sine and cosine: x = n pi/2 + r, |r| <= pi/4 -----------------------------------------------------------------------------
//
// pi/2 = 0x1.921fb544p+0 + 0x1.0b4611a6p-34 + 0x1.3198a2e037073p-69, two parts of 32 bits, so that n times a part is exact up to
// n = 2^20; beyond `fast_circle` libm is called.

constexpr double fast_circle = 1e6;

WF_MATH bool on_fast_circle(float x) { return __builtin_fabsf(x) < float(fast_circle); }
WF_MATH bool on_fast_circle(double x) { return __builtin_fabs(x) < fast_circle; }

// sin of r + quarters * pi/2
WF_MATH float circular(float x, int quarters) {
  double sum = double(x) * 0x1.45f306dc9c883p-1 + round_f64, n = sum - round_f64;
  auto r = float((double(x) - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34);
  uint32_t quarter = uint32_t(bits_of(sum)) + uint32_t(quarters);
  float z = r * r;
  float sine = r + r * z * horner(z, -0x1.555552p-3f, 0x1.110c26p-7f, -0x1.9ac7f8p-13f);
  float cosine = 1 - (0.5f * z - z * z * horner(z, 0x1.555554p-5f, -0x1.6c12dp-10f, 0x1.9bd73ap-16f));
  sine = x == 0 ? x : sine;
  return of_bits(bits_of(quarter & 1 ? cosine : sine) ^ ((quarter & 2) << 30));
}

// The same with r in two parts, r + tail, since r may be far smaller than an ULP of x.
WF_MATH double circular(double x, int quarters) {
  double sum = x * 0x1.45f306dc9c883p-1 + round_f64, n = sum - round_f64;
  double first = x - n * 0x1.921fb544p+0, second = n * 0x1.0b4611a6p-34;
  double high = first - second, low = ((first - high) - second) - n * 0x1.3198a2e037073p-69;
  double r = high + low, tail = (high - r) + low;
  uint64_t quarter = bits_of(sum) + uint64_t(quarters);
  double z = r * r;
  double sine = r + (r * z *
                         horner(z, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a01992dp-13, 0x1.71de3a545f383p-19,
                                -0x1.ae64541066c0ep-26, 0x1.61217d2b0ba7bp-33, -0x1.ab16b8fafceaap-41) +
                     tail * (1 - 0.5 * z));
  double half = 0.5 * z, about = 1 - half;
  double cosine = about + (((1 - about) - half) + (z * z *
                                                       horner(z, 0x1.5555555555555p-5, -0x1.6c16c16c16962p-10, 0x1.a01a019f4da6cp-16,
                                                              -0x1.27e4fa16823c6p-22, 0x1.1eeb67832ff7fp-29, -0x1.907ca19c2f5dap-37) -
                                                   r * tail));
  sine = x == 0 ? x : sine;
  return of_bits(bits_of(quarter & 1 ? cosine : sine) ^ ((quarter & 2) << 62));
}

template <class T> WF_MATH T fast_sin(T x) { return circular(x, 0); }
template <class T> WF_MATH T fast_cos(T x) { return circular(x, 1); }

}  // namespace
}  // namespace wf::cpu
