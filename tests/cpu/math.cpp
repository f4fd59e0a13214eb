// The elementary functions: within the bounds of ops/errors.def, special values as in libm, and the same bits on every instruction set with
// fma. `exact` is libm's result in a wider type. With EXHAUSTIVE defined: all floats, and many more points of the others, on all threads.
#include "accuracy.h"

using namespace accuracy;

namespace {

#ifdef EXHAUSTIVE
constexpr uint64_t stride = 1;
constexpr int64_t points = 100'000'000, points_of_two = 100'000'000;
#else
constexpr uint64_t stride = 4099;
constexpr int64_t points = 200'000, points_of_two = 400'000;
#endif

double bound_of(Op op, Type type) {
#define ERROR(name, f32, f64) \
  if (op == Op::name##_) return type == Type::F32 ? f32 : f64;
#include "ops/errors.def"
  return 0;
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

template <class T, class Wide, class F> void on_points(Op op, int64_t count, F exact) {
  test<T>(
      op, bound_of(op, type_of<T>), 2, count / chunk,
      [](int64_t number, auto& x, auto&) {
        Random random{uint64_t(number)};
        for (T& value : x) value = one_operand<T>(random);
      },
      [=](Wide x, Wide) { return exact(x); });
}
// Unless all floats are measured, the edges of domains are among the points.
template <class F> void on_f32(Op op, F exact) {
  test<float>(
      op, bound_of(op, Type::F32), 2, int64_t((uint64_t(1) << 32) / stride / chunk) + 1,
      [](int64_t number, auto& x, auto&) { every_float(number, x); }, [=](double x, double) { return exact(x); });
  if (!exhaustive) on_points<float, double>(op, points, exact);
}
template <class F> void on_f64(Op op, F exact) { on_points<double, long double>(op, points, exact); }
template <class T, class Wide, class F> void on_two(Op op, F exact) {
  test<T>(
      op, bound_of(op, type_of<T>), 2, points_of_two / chunk,
      [](int64_t number, auto& x, auto& y) {
        Random random{uint64_t(number)};
        for (size_t k = 0; k < x.size(); k++) two_operands(random, x[k], y[k]);
      },
      [=](T x, T y) { return Wide(exact(Wide(x), Wide(y))); });
}

}  // namespace

float exp10_of(float x) { return exp10f(x); }
double exp10_of(double x) { return exp10(x); }
long double exp10_of(long double x) { return exp10l(x); }

// The sine of pi times an exact remainder; zeros have the sign of x.
template <class T> T sine_of_half_turns(T x) {
  if (!std::isfinite(x)) return x - x;
  const T r = std::remainder(std::fabs(x), T(2)), size = std::fabs(r);
  const T y = size <= T(0.25)   ? std::sin(T(M_PIl) * size)
              : size >= T(0.75) ? std::sin(T(M_PIl) * (1 - size))
                                : std::cos(T(M_PIl) * (size - T(0.5)));
  return y == 0 ? std::copysign(T(0), x) : std::copysign(y, x * r);
}
// Zeros are positive.
template <class T> T cosine_of_half_turns(T x) {
  if (!std::isfinite(x)) return x - x;
  const T size = std::fabs(std::remainder(x, T(2)));
  const T y = size <= T(0.25)   ? std::cos(T(M_PIl) * size)
              : size >= T(0.75) ? -std::cos(T(M_PIl) * (1 - size))
                                : std::sin(T(M_PIl) * (T(0.5) - size));
  return y + 0;
}

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
ONE(exp10, exp10_of(x))
ONE(expm1, std::expm1(x))
ONE(log, std::log(x))
ONE(log2, std::log2(x))
ONE(log10, std::log10(x))
ONE(log1p, std::log1p(x))
ONE(sin, std::sin(x))
ONE(cos, std::cos(x))
ONE(tan, std::tan(x))
ONE(sinpi, sine_of_half_turns(x))
ONE(cospi, cosine_of_half_turns(x))
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
