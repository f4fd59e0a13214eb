#include "reference/special.h"

#include <boost/math/special_functions.hpp>
#include <cmath>
#include <limits>

namespace reference {
namespace {

using wf::Op;
namespace math = boost::math;

// Errors give a value or NaN, never an exception; nothing is promoted beyond long double.
using namespace boost::math::policies;
using Quiet = policy<domain_error<ignore_error>, pole_error<ignore_error>, overflow_error<ignore_error>, underflow_error<ignore_error>,
                     evaluation_error<ignore_error>, rounding_error<ignore_error>>;
constexpr Quiet quiet;
constexpr Long inf = std::numeric_limits<Long>::infinity(), nan = std::numeric_limits<Long>::quiet_NaN();
constexpr Long root_half = 0.70710678118654752440084436210484903928L, pi = 3.14159265358979323846264338327950288420L;

bool is_pole(Long x) { return x <= 0 && std::floor(x) == x; }

Long sigmoid(Long x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
Long softplus(Long x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
Long log1mexp(Long x) { return x < 0 ? nan : x < 0.5L ? std::log(-std::expm1(-x)) : std::log1p(-std::exp(-x)); }
Long logit(Long x) {
  if (x < 0 || x > 1) return nan;
  return x < 0.25L || x == 1 ? std::log(x) - std::log1p(-x) : std::log1p((2 * x - 1) / (1 - x));
}
Long logaddexp(Long x, Long y) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  return x == y ? x + std::log(2.0L) : std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
}

Long erfinv(Long x) { return std::fabs(x) > 1 ? nan : std::fabs(x) == 1 ? x * inf : x == 0 ? x : math::erf_inv(x, quiet); }
Long erfcinv(Long x) { return x < 0 || x > 2 ? nan : x == 0 ? inf : x == 2 ? -inf : math::erfc_inv(x, quiet); }
Long ndtr(Long x) { return std::erfc(-x * root_half) / 2; }
Long ndtri(Long p) { return 0 - erfcinv(2 * p) / root_half; }

Long lgamma(Long x) { return std::isinf(x) || is_pole(x) ? inf : std::lgamma(x); }
Long lfact(Long x) { return std::fabs(x) < 0.01L ? std::log1p(math::tgamma1pm1(x, quiet)) + 0 : lgamma(x + 1); }
Long tgamma(Long x) {
  if (x == 0) return 1 / x;
  if (is_pole(x)) return nan;
  if (x < -1e5L) return std::fmod(std::floor(x), 2) == 0 ? 0.0L : -0.0L;
  return std::tgamma(x);
}
Long digamma(Long x) {
  if (std::isinf(x)) return x > 0 ? inf : nan;
  if (std::fabs(x) < 1e-30L) return -1 / x;
  return is_pole(x) ? nan : math::digamma(x, quiet);
}
Long trigamma(Long x) {
  if (std::isinf(x)) return x > 0 ? 0 : nan;
  if (std::fabs(x) < 1e-20L) return 1 / x / x;
  return is_pole(x) ? inf : math::trigamma(x, quiet);
}
Long lbeta(Long a, Long b) {
  if (a < 0 || b < 0) return nan;
  const Long small = std::fmin(a, b), large = std::fmax(a, b);
  if (large < 100 || small > 10) return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  return std::lgamma(small) + std::log(math::tgamma_delta_ratio(large, small, quiet));
}
// Logarithms of large numbers cancel, so large operands are of a binomial coefficient above 0.
Long lchoose(Long n, Long k) {
  if (!(n > -1)) return nan;
  if (std::fmax(n, std::fabs(k)) < 3000) return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
  if (n - k < 0 || k < 0) return -inf;
  return -std::log1p(n) - lbeta(n - k + 1, k + 1);
}
bool has_dimensions(Long x, Long p) { return x > (p - 1) / 2 && p >= 0 && std::floor(p) == p; }
Long mvlgamma(Long x, Long p) {
  Long sum = p * (p - 1) / 4 * std::log(pi);
  for (Long j = 0; j < p; j++) sum += lgamma(x - j / 2);
  return has_dimensions(x, p) ? sum : nan;
}
Long mvdigamma(Long x, Long p) {
  Long sum = 0;
  for (Long j = 0; j < p; j++) sum += digamma(x - j / 2);
  return has_dimensions(x, p) ? sum : nan;
}

Long polygamma(Long n, Long x) {
  if (n != std::floor(n) || n < 0) return nan;
  return n == 0 ? digamma(x) : n == 1 ? trigamma(x) : math::polygamma(int(n), x, quiet);
}
Long mvpolygamma(Long n, Long x, Long p) {
  Long sum = 0;
  for (Long j = 0; j < p; j++) sum += polygamma(n, x - j / 2);
  return has_dimensions(x, p) ? sum : nan;
}

// The kinds of Bessel functions; `size` is |x|.
Long bessel_j(int order, Long size) { return std::isinf(size) ? 0 : size == 0 ? 1 - order : math::cyl_bessel_j(order, size, quiet); }
Long bessel_y(int order, Long x) { return x < 0 ? nan : x == 0 ? -inf : std::isinf(x) ? 0 : math::cyl_neumann(order, x, quiet); }
Long bessel_i(int order, Long size) { return size > 11000 ? inf : size == 0 ? 1 - order : math::cyl_bessel_i(order, size, quiet); }
Long with_parity(int order, Long x, Long y) { return order == 1 && std::signbit(x) ? -y : y; }

}  // namespace

Long special(Op op, Long a, Long b, Long c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return nan;
  switch (op) {
    case Op::sigmoid_: return sigmoid(a);
    case Op::softplus_: return softplus(a);
    case Op::log1mexp_: return log1mexp(a);
    case Op::logit_: return logit(a);
    case Op::logaddexp_: return logaddexp(a, b);
    case Op::erfinv_: return erfinv(a);
    case Op::erfcinv_: return erfcinv(a);
    case Op::ndtr_: return ndtr(a);
    case Op::ndtri_: return ndtri(a);
    case Op::lgamma_: return lgamma(a);
    case Op::tgamma_: return tgamma(a);
    case Op::digamma_: return digamma(a);
    case Op::trigamma_: return trigamma(a);
    case Op::lfact_: return lfact(a);
    case Op::lchoose_: return lchoose(a, b);
    case Op::lbeta_: return lbeta(a, b);
    case Op::mvlgamma_: return mvlgamma(a, b);
    case Op::mvdigamma_: return mvdigamma(a, b);
    case Op::polygamma_: return polygamma(a, b);
    case Op::mvpolygamma_: return mvpolygamma(a, b, c);
    case Op::gamma_p_: return math::gamma_p(a, b, quiet);
    case Op::gamma_q_: return math::gamma_q(a, b, quiet);
    case Op::ibeta_: return math::ibeta(a, b, c, quiet);
    case Op::bessel_j0_: return bessel_j(0, std::fabs(a));
    case Op::bessel_j1_: return with_parity(1, a, bessel_j(1, std::fabs(a)));
    case Op::bessel_y0_: return bessel_y(0, a);
    case Op::bessel_y1_: return bessel_y(1, a);
    case Op::bessel_i0_: return bessel_i(0, std::fabs(a));
    case Op::bessel_i1_: return with_parity(1, a, bessel_i(1, std::fabs(a)));
    default: return nan;
  }
}

Long size_of_terms(Op op, Long x) {
  if (!std::isfinite(x)) return 0;
  switch (op) {
    case Op::lgamma_: return x < 0 ? std::fmax(1, std::fabs(x * std::log(-x))) : 0;
    case Op::lfact_: return x < -1 ? std::fmax(1, std::fabs(x * std::log(-x))) : 0;
    case Op::digamma_: return x < 0 ? std::fmax(std::fmax(3, std::log(-x)), std::fabs(pi / std::tan(pi * std::fmod(x, 1.0L)))) : 0;
    case Op::bessel_j0_:
    case Op::bessel_j1_:
    case Op::bessel_y0_:
    case Op::bessel_y1_: return std::fabs(x) > 0.5L ? std::fmin(1, std::sqrt(2 / (pi * std::fabs(x)))) : 0;
    default: return 0;
  }
}

}  // namespace reference
