// The elementary functions: within the bounds of ops/errors.def, special values as in libm, and the same bits on every instruction set with
// fma. `exact` is libm's result in a wider type. With EXHAUSTIVE defined: all floats, and many more points of the others, on all threads.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "check.h"
#include "every_isa.h"
#include "ops/ops.h"

using namespace wf;

namespace {

#ifdef EXHAUSTIVE
constexpr uint64_t stride = 1;
constexpr int64_t points = 100'000'000, points_of_two = 100'000'000;
#else
constexpr uint64_t stride = 4099;
constexpr int64_t points = 200'000, points_of_two = 400'000;
#endif

// Distance in units in the last place of T at `exact`; infinite for a wrong sign of zero, too.
template <class T, class Wide> double ulps(T got, Wide exact) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : infinite;
  if (std::signbit(exact) != std::signbit(got)) return infinite;
  if (T(exact) == got) return 0;
  if (std::isinf(got) || std::isinf(T(exact))) {
    // Overflow: measured as if the exponent range were unbounded.
    if (std::isinf(got) && std::isinf(exact)) return infinite;
    Wide step = std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits);
    Wide beyond = std::copysign(Wide(std::numeric_limits<T>::max()) + step, exact);
    return double(std::fabs((std::isinf(got) ? beyond - exact : Wide(got) - beyond) / step));
  }
  int exponent = exact == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(exact) + 1;
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return double(std::fabs(Wide(got) - exact) / std::ldexp(Wide(1), exponent - std::numeric_limits<T>::digits));
}

template <class T> struct Worst {
  double error = 0;
  T x = 0, y = 0;
  void merge(const Worst& other) {
    if (other.error > error) *this = other;
  }
};

constexpr int64_t chunk = 64 * cpu::tile;

// The worst errors with and without fma, and the first operands for which two instruction sets with fma differ.
template <class T> struct Findings {
  Worst<T> fused, baseline;
  std::string differs;
};

template <class T, class Exact> void measure(Op op, const std::vector<T>& x, const std::vector<T>& y, Exact exact, Findings<T>& findings) {
  std::vector<std::vector<T>> got;
  for (auto& [isa_name, loops] : cpu::every_isa()) {
    got.push_back(x);  // in place, as a program may compute it
    cpu::Operand operands[] = {{got.back().data(), int64_t(sizeof(T)) * cpu::tile}, {y.data(), int64_t(sizeof(T)) * cpu::tile}};
    loops->op[int(op)][int(type_of<T>)](got.back().data(), operands, int64_t(x.size()) / cpu::tile);
  }
  for (size_t k = 0; k < x.size(); k++) {
    const auto wide = exact(x[k], y[k]);
    findings.baseline.merge({ulps(got[0][k], wide), x[k], y[k]});
    if (got.size() > 1) findings.fused.merge({ulps(got[1][k], wide), x[k], y[k]});
    if (got.size() > 2 && std::memcmp(&got[1][k], &got[2][k], sizeof(T)) != 0 && !std::isnan(got[1][k])) {
      std::ostringstream message;
      message << std::hexfloat << x[k] << " " << y[k];
      findings.differs = message.str();
    }
  }
}

// `fill` makes the operands of a chunk by its number.
template <class T, class Fill, class Exact> void test(Op op, double bound, int64_t chunks, Fill fill, Exact exact) {
  const int64_t threads = stride == 1 ? std::max(1u, std::thread::hardware_concurrency()) : 1;
  Findings<T> all;
  std::mutex lock;
  auto work = [&](int64_t first) {
    Findings<T> mine;
    std::vector<T> x(chunk), y(chunk);
    for (int64_t k = first; k < chunks; k += threads) fill(k, x, y), measure(op, x, y, exact, mine);
    std::scoped_lock guard(lock);
    all.fused.merge(mine.fused), all.baseline.merge(mine.baseline);
    if (!mine.differs.empty()) all.differs = mine.differs;
  };
  std::vector<std::thread> pool;
  for (int64_t k = 0; k < threads; k++) pool.emplace_back(work, k);
  for (std::thread& t : pool) t.join();

  const std::string what = std::string(name(op)) + (sizeof(T) == 4 ? " f32" : " f64");
  auto check = [&](const Worst<T>& worst, double limit, const char* where) {
    if (worst.error <= limit) return;
    std::ostringstream message;
    message << what << " of " << std::hexfloat << worst.x << " " << worst.y << std::defaultfloat << " is " << worst.error << " ULP off "
            << where << ", more than " << limit;
    check::fail(__FILE__, __LINE__, message.str());
  };
  check(all.fused, bound, "with fma");
  check(all.baseline, 2, "without fma");
  if (!all.differs.empty()) check::fail(__FILE__, __LINE__, what + " of " + all.differs + " differs between instruction sets");
  if (stride == 1)
    std::printf("%-10s %.3f at %a %a, without fma %.3f\n", what.c_str(), all.fused.error, double(all.fused.x), double(all.fused.y),
                all.baseline.error);
}

double bound_of(Op op, Type type) {
#define ERROR(name, f32, f64) \
  if (op == Op::name##_) return type == Type::F32 ? f32 : f64;
#include "ops/errors.def"
  return 0;
}

using Random = std::mt19937_64;
double unit(Random& random) { return double(random() >> 11) * 0x1p-53; }

template <class T> T special(Random& random) {
  using L = std::numeric_limits<T>;
  static const T values[] = {T(0),     T(1),          T(2),         T(3),      T(0.5),   T(10), T(M_PI), L::min(), L::denorm_min(),
                             L::max(), L::infinity(), L::epsilon(), T(0x1p24), T(0x1p53)};
  if (random() % 50 == 0) return L::quiet_NaN();
  T value = values[random() % std::size(values)];
  if (random() % 3 == 0) value = std::nextafter(value, random() & 1 ? T(0) : L::infinity());
  return random() & 1 ? value : -value;
}
template <class T> T of_any_bits(Random& random) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(Bits(random()));
}
template <class T> T of_exponents(Random& random, int low, int high) {
  T x = T(std::ldexp(1 + unit(random), low + int(random() % uint64_t(high - low))));
  return random() & 1 ? x : -x;
}

// Operands of one argument: everywhere, and near the points where functions change their form or lose accuracy.
template <class T> T one_operand(Random& random) {
  const double u = unit(random);
  switch (random() % 12) {
    case 0: return special<T>(random);
    case 1: return of_any_bits<T>(random);
    case 2: return T(std::round(u * 1e6) * M_PI_2);
    case 3: return std::nextafter(T(std::round(u * 1e4) * M_PI_2), T(0));
    case 4: return of_exponents<T>(random, -60, 10);
    case 5: return T(1 + (u - 0.5) * 0.01);
    case 6: return T(std::nextafter(T(1), T(2)) + T(std::round((u - 0.5) * 4096)) * std::numeric_limits<T>::epsilon() / 2);
    case 7: return T((u - 0.5) * 1600);
    case 8: return T(1 + u * 3);
    default: return T((u - 0.5) * (random() & 1 ? 4 : 60));
  }
}

// Pairs of all kinds; near overflow and underflow of x^y; x near 1 and y large; whole y; operands of similar size.
template <class T> void two_operands(Random& random, T& x, T& y) {
  const double largest = sizeof(T) == 4 ? 104 : 746, u = unit(random), v = unit(random) - 0.5;
  constexpr int exponents = sizeof(T) == 4 ? 125 : 1000;
  switch (random() % 8) {
    case 0: x = of_any_bits<T>(random), y = of_any_bits<T>(random); break;
    case 1: x = special<T>(random), y = special<T>(random); break;
    case 2: x = T(u * 4), y = T(v * 20); break;
    case 3: x = T(1 + (u - 0.5) * 1e-3), y = T(v * 2e5); break;
    case 4: x = std::fabs(of_exponents<T>(random, -exponents, exponents)), y = T(2 * v * largest / std::log(double(x))); break;
    case 5: x = T(v * 4), y = T(int(random() % 61) - 30); break;
    case 6: x = of_exponents<T>(random, -exponents, exponents), y = T(x * std::ldexp(2 * v, int(random() % 16) - 8)); break;
    default: x = of_exponents<T>(random, -20, 20), y = of_exponents<T>(random, -20, 20);
  }
}

template <class T> void every_float(int64_t number, std::vector<T>& x) {
  for (int64_t k = 0; k < chunk; k++)
    x[size_t(k)] = std::bit_cast<T>(uint32_t(std::min<uint64_t>((uint64_t(number) * chunk + uint64_t(k)) * stride, ~0u)));
}

template <class F> void on_f32(Op op, F exact) {
  test<float>(
      op, bound_of(op, Type::F32), int64_t((uint64_t(1) << 32) / stride / chunk) + 1,
      [](int64_t number, auto& x, auto&) { every_float(number, x); }, [=](double x, double) { return exact(x); });
}
template <class F> void on_f64(Op op, F exact) {
  test<double>(
      op, bound_of(op, Type::F64), points / chunk,
      [](int64_t number, auto& x, auto&) {
        Random random{uint64_t(number)};
        for (double& value : x) value = one_operand<double>(random);
      },
      [=](long double x, long double) { return exact(x); });
}
template <class T, class Wide, class F> void on_two(Op op, F exact) {
  test<T>(
      op, bound_of(op, type_of<T>), points_of_two / chunk,
      [](int64_t number, auto& x, auto& y) {
        Random random{uint64_t(number)};
        for (size_t k = 0; k < x.size(); k++) two_operands(random, x[k], y[k]);
      },
      [=](T x, T y) { return Wide(exact(Wide(x), Wide(y))); });
}

}  // namespace

#define ONE(name, exact)                                                     \
  TEST(name##_f32) {                                                         \
    on_f32(Op::name##_, [](double x) -> double { return exact; });           \
  }                                                                          \
  TEST(name##_f64) {                                                         \
    on_f64(Op::name##_, [](long double x) -> long double { return exact; }); \
  }
ONE(rsqrt, 1 / std::sqrt(x))
ONE(cbrt, std::cbrt(x))
ONE(exp, std::exp(x))
ONE(exp2, std::exp2(x))
ONE(expm1, std::expm1(x))
ONE(log, std::log(x))
ONE(log2, std::log2(x))
ONE(log10, std::log10(x))
ONE(log1p, std::log1p(x))
ONE(sin, std::sin(x))
ONE(cos, std::cos(x))
ONE(tan, std::tan(x))
ONE(asin, std::asin(x))
ONE(acos, std::acos(x))
ONE(atan, std::atan(x))
ONE(sinh, std::sinh(x))
ONE(cosh, std::cosh(x))
ONE(tanh, std::tanh(x))
ONE(asinh, std::asinh(x))
ONE(acosh, std::acosh(x))
ONE(atanh, std::atanh(x))
ONE(erf, std::erf(x))
ONE(erfc, std::erfc(x))

// powl(-inf, -2^63) is wrong in glibc.
long double power(long double x, long double y) { return std::isinf(x) ? (long double)(std::pow(double(x), double(y))) : std::pow(x, y); }

#define TWO(name, exact)                                                                          \
  TEST(name##_f32) {                                                                              \
    on_two<float, double>(Op::name##_, [](double x, double y) { return exact; });                 \
  }                                                                                               \
  TEST(name##_f64) {                                                                              \
    on_two<double, long double>(Op::name##_, [](long double x, long double y) { return exact; }); \
  }
TWO(pow, power(x, y))
TWO(hypot, std::hypot(x, y))
TWO(atan2, std::atan2(x, y))
