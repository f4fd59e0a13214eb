#include "oracle/meaning.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "reference/special.h"

namespace oracle {
namespace {

using wf::from_bits;
using wf::to_bits;
using Wide = __int128;
using Long = long double;

template <class T> T wrap(Wide x) {
  if constexpr (std::is_same_v<T, bool>) return x != 0;
  else return static_cast<T>(static_cast<unsigned __int128>(x));
}

template <class T> Wide bits_set(T x, int from, int to) {
  Wide count = 0;
  for (int k = from; k < to; k++) count += (static_cast<std::make_unsigned_t<T>>(x) >> k) & 1;
  return count;
}

template <class T> Wide zeros_in_front(T x) {
  const int width = 8 * sizeof(T);
  Wide zeros = 0;
  while (zeros < width && bits_set(x, width - 1 - int(zeros), width - int(zeros)) == 0) zeros++;
  return zeros;
}

// `width` bits of the sequence of Philox blocks 0, 1, ... of a stream, from bit width * counter on. A round maps the words (w0, w1, w2, w3) to
// (high(f1 w2) ^ w1 ^ k0, low(f1 w2), high(f0 w0) ^ w3 ^ k1, low(f0 w0)).
uint64_t philox(uint64_t key, uint64_t counter, uint64_t stream, int width) {
  const uint64_t number = counter / uint64_t(128 / width);
  uint64_t words[] = {number % (1ull << 32), number >> 32, stream % (1ull << 32), stream >> 32};
  for (uint64_t round = 0; round < 10; round++) {
    const uint64_t f0w0 = 0xd2511f53 * words[0], f1w2 = 0xcd9e8d57 * words[2];
    const uint64_t k0 = (key + round * 0x9e3779b9) % (1ull << 32), k1 = ((key >> 32) + round * 0xbb67ae85) % (1ull << 32);
    const uint64_t next[] = {(f1w2 >> 32) ^ words[1] ^ k0, f1w2 % (1ull << 32), (f0w0 >> 32) ^ words[3] ^ k1, f0w0 % (1ull << 32)};
    for (int k = 0; k < 4; k++) words[k] = next[k];
  }
  uint64_t bits = 0;
  const int first = int(counter % uint64_t(128 / width)) * width / 32;
  for (int k = 0; k < width / 32; k++) bits |= words[first + k] << (32 * k);
  return bits;
}

// Truth and integers. `a`, `b`, `c` are the operands' exact values.
template <class T> Bits64 on_integers(Op op, Wide a, Wide b, Wide c) {
  const int width = 8 * sizeof(T);
  auto count = [&] { return int(((b % width) + width) % width); };
  auto result = [](Wide x) { return to_bits(wrap<T>(x)); };
  switch (op) {
    case Op::add_: return result(a + b);
    case Op::sub_: return result(a - b);
    case Op::mul_: return result(Wide(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)));
    case Op::div_: return result(b == 0 ? 0 : a / b);
    case Op::rem_: return result(b == 0 ? 0 : a % b);
    case Op::min_: return result(a < b ? a : b);
    case Op::max_: return result(a > b ? a : b);
    case Op::neg_: return result(-a);
    case Op::pos_: return result(a);
    case Op::rectify_: return result(a > 0 ? a : 0);
    case Op::abs_: return result(a < 0 ? -a : a);
    case Op::sign_: return result(a > 0 ? 1 : a < 0 ? -1 : 0);
    case Op::eq_: return to_bits(a == b);
    case Op::ne_: return to_bits(a != b);
    case Op::lt_: return to_bits(a < b);
    case Op::le_: return to_bits(a <= b);
    case Op::gt_: return to_bits(a > b);
    case Op::ge_: return to_bits(a >= b);
    case Op::and_: return result(a & b);
    case Op::or_: return result(a | b);
    case Op::xor_: return result(a ^ b);
    case Op::not_: return result(std::is_same_v<T, bool> ? 1 - a : -1 - a);
    case Op::shl_: return result(Wide(static_cast<unsigned __int128>(a) << count()));
    case Op::shr_: return result(a >> count());
    case Op::philox32_: return result(philox(uint64_t(a), uint64_t(b), uint64_t(c) & ~(1ull << 63), 32));
    case Op::philox64_: return result(philox(uint64_t(a), uint64_t(b), uint64_t(c) | 1ull << 63, 64));
    default: break;
  }
  if constexpr (!std::is_same_v<T, bool>) {
    if (op == Op::popcount_) return result(bits_set(wrap<T>(a), 0, width));
    if (op == Op::clz_) return result(zeros_in_front(wrap<T>(a)));
  }
  return 0;
}

// sin(pi x), or the cosine: of the exact remainder. Zeros of the sine have the sign of x, and those of the cosine are positive.
Long half_turns(Long x, bool cosine) {
  if (!std::isfinite(x)) return x - x;
  const Long r = std::remainder(x, 2), size = std::fabs(r), pi = 3.14159265358979323846264338327950288420L;
  if (cosine) return std::sin(pi * (0.5L - size));
  return size == 0 || size == 1 ? std::copysign(Long(0), x) : std::copysign(std::sin(pi * std::fmin(size, 1 - size)), r);
}

// The math functions of one or two operands, in long double.
Long in_long_double(Op op, Long a, Long b) {
  switch (op) {
    case Op::rsqrt_: return 1 / std::sqrt(a);
    case Op::cbrt_: return std::cbrt(a);
    case Op::exp_: return std::exp(a);
    case Op::exp2_: return std::exp2(a);
    case Op::expm1_: return std::expm1(a);
    case Op::log_: return std::log(a);
    case Op::log2_: return std::log2(a);
    case Op::log10_: return std::log10(a);
    case Op::log1p_: return std::log1p(a);
    case Op::pow_: return std::isinf(a) ? std::pow(double(a), double(b)) : std::pow(a, b);  // powl(-inf, -2^63) is wrong in glibc
    case Op::hypot_: return std::hypot(a, b);
    case Op::sin_: return std::sin(a);
    case Op::cos_: return std::cos(a);
    case Op::tan_: return std::tan(a);
    case Op::asin_: return std::asin(a);
    case Op::acos_: return std::acos(a);
    case Op::atan_: return std::atan(a);
    case Op::atan2_: return std::atan2(a, b);
    case Op::sinh_: return std::sinh(a);
    case Op::cosh_: return std::cosh(a);
    case Op::tanh_: return std::tanh(a);
    case Op::asinh_: return std::asinh(a);
    case Op::acosh_: return std::acosh(a);
    case Op::atanh_: return std::atanh(a);
    case Op::erf_: return std::erf(a);
    case Op::erfc_: return std::erfc(a);
    case Op::exp10_: return exp10l(a);
    case Op::sinpi_: return half_turns(a, false);
    case Op::cospi_: return half_turns(a, true);
    default: return reference::special(op, a);
  }
}

template <class T> Bits64 on_floats(Op op, T a, T b, T c) {
  switch (op) {
    case Op::add_: return to_bits(T(a + b));
    case Op::sub_: return to_bits(T(a - b));
    case Op::mul_: return to_bits(T(a * b));
    case Op::div_: return to_bits(T(a / b));
    case Op::rem_: return to_bits(std::fmod(a, b));
    case Op::min_: return to_bits(std::isnan(a) ? b : std::isnan(b) ? a : b < a ? b : a);
    case Op::max_: return to_bits(std::isnan(a) ? b : std::isnan(b) ? a : b > a ? b : a);
    case Op::neg_: return to_bits(T(-a));
    case Op::abs_: return to_bits(std::fabs(a));
    case Op::sign_: return to_bits(a > 0 ? T(1) : a < 0 ? T(-1) : a);
    case Op::eq_: return to_bits(a == b);
    case Op::ne_: return to_bits(a != b);
    case Op::lt_: return to_bits(a < b);
    case Op::le_: return to_bits(a <= b);
    case Op::gt_: return to_bits(a > b);
    case Op::ge_: return to_bits(a >= b);
    case Op::fma_: return to_bits(std::fma(a, b, c));
    case Op::sqrt_: return to_bits(std::sqrt(a));
    case Op::floor_: return to_bits(std::floor(a));
    case Op::ceil_: return to_bits(std::ceil(a));
    case Op::round_: return to_bits(std::round(a));
    case Op::trunc_: return to_bits(std::trunc(a));
    case Op::copysign_: return to_bits(std::copysign(a, b));
    case Op::isnan_: return to_bits(bool(std::isnan(a)));
    case Op::isinf_: return to_bits(bool(std::isinf(a)));
    case Op::isfinite_: return to_bits(bool(std::isfinite(a)));
    case Op::pos_: return to_bits(a);
    case Op::rectify_: return to_bits(a < 0 ? T(0) : a);
    default: return to_bits(T(in_long_double(op, a, b)));
  }
}

template <class T> int64_t place(T x) {  // the number of representable values from 0 to x
  using I = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  I bits = from_bits<I>(to_bits(x));
  return bits < 0 ? -int64_t(bits & std::numeric_limits<I>::max()) : int64_t(bits);
}

}  // namespace

// The values of special functions of several operands are tested in tests/cpu/special.cpp, within their domain alone.
static bool is_special_of_several(Op op) { return wf::info(op).cost == wf::Cost::special && wf::info(op).arity > 1; }

Bits64 meaning(Op op, Type t, Bits64 a, Bits64 b, Bits64 c) {
  if (op == Op::where_) return a ? b : c;
  if (is_special_of_several(op)) return wf::evaluate(op, t, a, b, c);
  return wf::visit(t, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) return on_floats(op, from_bits<T>(a), from_bits<T>(b), from_bits<T>(c));
    else return on_integers<T>(op, from_bits<T>(a), from_bits<T>(b), from_bits<T>(c));
  });
}

Bits64 conversion(Type from, Type to, Bits64 x) {
  return wf::visit(from, [&](auto from_tag) {
    using From = typename decltype(from_tag)::type;
    return wf::visit(to, [&](auto to_tag) -> Bits64 {
      using To = typename decltype(to_tag)::type;
      const From value = from_bits<From>(x);
      if constexpr (std::is_same_v<To, bool>) {
        return to_bits(value != From(0));
      } else if constexpr (std::is_floating_point_v<To>) {
        return to_bits(To(value));
      } else if constexpr (std::is_floating_point_v<From>) {
        const Long low = Long(std::numeric_limits<To>::min()), high = Long(std::numeric_limits<To>::max());
        if (std::isnan(value)) return to_bits(To(0));
        if (Long(value) <= low) return to_bits(std::numeric_limits<To>::min());
        if (Long(value) >= high) return to_bits(std::numeric_limits<To>::max());
        return to_bits(To(value));
      } else {
        return to_bits(wrap<To>(value));
      }
    });
  });
}

bool is_rounded_freely(Op op) { return !wf::is_exact(op); }

uint64_t ulps_apart(Type t, Bits64 a, Bits64 b) {
  auto distance = [](auto x, auto y) -> uint64_t {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : ~0ull;
    const int64_t from = place(x), to = place(y);
    return from < to ? uint64_t(to) - uint64_t(from) : uint64_t(from) - uint64_t(to);
  };
  return t == Type::F32 ? distance(from_bits<float>(a), from_bits<float>(b)) : distance(from_bits<double>(a), from_bits<double>(b));
}

bool is_near(Op op, Type t, Bits64 expected, Bits64 got) {
  if (same(t, expected, got)) return true;
  if (!is_rounded_freely(op) || !wf::is_in(t, wf::Float)) return false;
  const bool special = wf::info(op).cost == wf::Cost::special, single = t == Type::F32;
  if (ulps_apart(t, expected, got) <= (special ? 4 : 2)) return true;
  if (!special) return false;
  // Near zeros, and for several operands outside of the domain of their bounds.
  const auto value = [=](Bits64 x) { return single ? Long(from_bits<float>(x)) : Long(from_bits<double>(x)); };
  const Long tolerance = is_special_of_several(op) ? (single ? 1e-4L : 1e-10L) : (single ? 0x1p-20L : 0x1p-49L);
  return std::fabs(value(expected) - value(got)) <= tolerance * std::fmax(1, std::fabs(value(expected)));
}

bool same(Type t, Bits64 a, Bits64 b) { return a == b || (wf::is_in(t, wf::Float) && ulps_apart(t, a, b) == 0); }

}  // namespace oracle
