// The vector forms of math functions: within 2 ULP of the exact value over all arguments, and the same bits in every
// instruction set. `exact` is libm's result in a wider type.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "every_isa.h"
#include "ops/ops.h"

using namespace wf;

namespace {

// Distance in units in the last place of T at `exact`.
template <class T, class Wide> double ulps(T got, Wide exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  if (T(exact) == got) return 0;
  if (std::isinf(got) || std::isinf(T(exact))) {
    // Overflow: measured as if the exponent range were unbounded.
    Wide largest = std::numeric_limits<T>::max();
    if (std::isinf(got) && std::isinf(exact)) return std::numeric_limits<double>::infinity();
    Wide step = std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits);
    Wide beyond = std::copysign(largest + step, std::isinf(got) ? Wide(got) : exact);
    return double(std::fabs((std::isinf(got) ? beyond - exact : Wide(got) - beyond) / step));
  }
  int exponent = exact == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(exact) + 1;
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return double(std::fabs(Wide(got) - exact) / std::ldexp(Wide(1), exponent - std::numeric_limits<T>::digits));
}

// Runs the loop over whole tiles in place, as a program may.
template <class T> std::vector<T> run(cpu::Loop loop, std::vector<T> x) {
  cpu::Operand operand{x.data(), int64_t(sizeof(T)) * cpu::tile};
  loop(x.data(), &operand, int64_t(x.size()) / cpu::tile);
  return x;
}

template <class T, class Exact> void within_2_ulp(Op op, const std::vector<T>& x, Exact exact) {
  std::vector<T> got = run(cpu::every_isa().back().loops->op[int(op)][int(type_of<T>)], x);
  double worst = 0;
  T where = 0;
  for (size_t k = 0; k < x.size(); k++) {
    double error = ulps(got[k], exact(x[k]));
    if (error > worst) worst = error, where = x[k];
  }
  if (worst > 2) {
    std::ostringstream message;
    message << name(op) << " of " << std::hexfloat << where << " is " << worst << " ULP off";
    check::fail(__FILE__, __LINE__, message.str());
  }
#ifdef SHOW_ERRORS
  std::printf("%-6s %s %.3f at %a\n", std::string(name(op)).c_str(), sizeof(T) == 4 ? "f32" : "f64", worst, double(where));
#endif
  for (auto& [isa_name, loops] : cpu::every_isa()) {
    std::vector<T> other = run(loops->op[int(op)][int(type_of<T>)], x);
    for (size_t k = 0; k < x.size(); k++)
      if (std::memcmp(&other[k], &got[k], sizeof(T)) != 0 && !(std::isnan(other[k]) && std::isnan(got[k]))) {
        std::ostringstream message;
        message << name(op) << " of " << std::hexfloat << x[k] << " differs on " << isa_name;
        check::fail(__FILE__, __LINE__, message.str());
        break;
      }
  }
}

template <class T> void add_special(std::vector<T>& x) {
  using L = std::numeric_limits<T>;
  for (T special : {T(0), T(1), L::min(), L::denorm_min(), L::max(), L::infinity(), L::epsilon(), T(0.5), T(2), T(10), T(M_PI)})
    for (T near : {special, std::nextafter(special, T(0)), std::nextafter(special, L::infinity())}) x.push_back(near), x.push_back(-near);
  x.push_back(L::quiet_NaN());
  while (x.size() % cpu::tile != 0) x.push_back(1);
}

#ifndef STRIDE
#define STRIDE 4099
#endif

// Every STRIDE-th float.
std::vector<float> floats() {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += STRIDE) {
    auto low = uint32_t(bits);
    float value;
    std::memcpy(&value, &low, 4);
    x.push_back(value);
  }
  add_special(x);
  return x;
}

// Doubles of all exponents, and many more of moderate size.
std::vector<double> doubles() {
  std::mt19937_64 random(1);
  std::vector<double> x;
  for (int k = 0; k < 800'000'000 / STRIDE; k++) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, 8);
    x.push_back(value);
    double unit = double(random() >> 11) * 0x1p-53 - 0.5;
    for (double scale : {1e-3, 1.0, 4.0, 40.0, 1600.0, 1e6}) x.push_back(unit * scale);
  }
  for (int k = 1; k < 20000; k++)  // around multiples of pi/2, where sine and cosine are least accurate
    for (double near : {k * M_PI_2, std::nextafter(k * M_PI_2, 0.0)}) x.push_back(near);
  for (int k = 1; k < 1000; k++) x.push_back(1 + k * 0x1p-52), x.push_back(1 - k * 0x1p-53), x.push_back(1 + k * 1e-5);
  add_special(x);
  return x;
}

}  // namespace

#define EVERY_FUNCTION(APPLY) \
  APPLY(exp)                  \
  APPLY(exp2)                 \
  APPLY(expm1)                \
  APPLY(tanh)                 \
  APPLY(log)                  \
  APPLY(log2)                 \
  APPLY(log10)                \
  APPLY(log1p)                \
  APPLY(sin)                  \
  APPLY(cos)

TEST(f32_within_2_ulp) {
  std::vector<float> x = floats();
#define F32(name) within_2_ulp(Op::name##_, x, [](float a) { return std::name(double(a)); });
  EVERY_FUNCTION(F32)
}

TEST(f64_within_2_ulp) {
  std::vector<double> x = doubles();
#define F64(name) within_2_ulp(Op::name##_, x, [](double a) { return std::name(static_cast<long double>(a)); });
  EVERY_FUNCTION(F64)
}

TEST(zeros_keep_their_sign) {
  for (Op op : {Op::expm1_, Op::tanh_, Op::log1p_, Op::sin_}) {
    std::vector<float> x(64, -0.0f);
    std::vector<double> y(64, -0.0);
    CHECK(std::signbit(run(cpu::loops().op[int(op)][int(Type::F32)], x)[0]));
    CHECK(std::signbit(run(cpu::loops().op[int(op)][int(Type::F64)], y)[0]));
  }
}
