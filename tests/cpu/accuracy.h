// Measures the errors of the CPU engine's loops against a reference in a wider type, with and without fma, and compares instruction sets.
// With EXHAUSTIVE defined, tests take far more points, on all threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "check.h"
#include "every_isa.h"
#include "ops/ops.h"

namespace accuracy {

using namespace wf;

#ifdef EXHAUSTIVE
constexpr bool exhaustive = true;
#else
constexpr bool exhaustive = false;
#endif

// A value, and the least size at which its error is measured in ULP: near the zeros of a function, that of its terms.
template <class Wide> struct Wanted {
  Wide value, size;
  Wanted(Wide v, Wide s = 0) : value(v), size(std::max(std::fabs(v), s)) {}
};

// Distance in units in the last place of T at `wanted`; infinite for a wrong sign of zero, too.
template <class T, class Wide> double ulps(T got, Wanted<Wide> wanted) {
  const Wide exact = wanted.value;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : infinite;
  if (T(exact) == got) return std::signbit(exact) == std::signbit(got) ? 0 : infinite;
  if (wanted.size == std::fabs(exact) && std::signbit(exact) != std::signbit(got)) return infinite;
  if (std::isinf(got) || std::isinf(T(exact))) {
    // Overflow: measured as if the exponent range were unbounded.
    if (std::isinf(got) && std::isinf(exact)) return infinite;
    Wide step = std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits);
    Wide beyond = std::copysign(Wide(std::numeric_limits<T>::max()) + step, exact);
    return double(std::fabs((std::isinf(got) ? beyond - exact : Wide(got) - beyond) / step));
  }
  int exponent = wanted.size == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(wanted.size) + 1;
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
    const Wanted wide = exact(x[k], y[k]);
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
template <class T, class Fill, class Exact>
void test(Op op, double bound, double bound_without_fma, int64_t chunks, Fill fill, Exact exact) {
  const int64_t threads = exhaustive ? std::max(1u, std::thread::hardware_concurrency()) : 1;
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
  check(all.baseline, bound_without_fma, "without fma");
  if (!all.differs.empty()) check::fail(__FILE__, __LINE__, what + " of " + all.differs + " differs between instruction sets");
  if (exhaustive)
    std::printf("%-10s %.3f at %a %a, without fma %.3f\n", what.c_str(), all.fused.error, double(all.fused.x), double(all.fused.y),
                all.baseline.error);
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

}  // namespace accuracy
