// Values at which operations are tested: every type's edges, at which operations are most likely to fail, and random ones.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "ops/ops.h"

namespace samples {

template <class T> std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  std::vector<T> values;
  auto add = [&](auto... x) { (values.push_back(T(x)), ...); };
  if constexpr (std::is_same_v<T, bool>) {
    add(false, true);
  } else if constexpr (std::is_floating_point_v<T>) {
    for (double x :
         {0., 0.1, 0.5, 0.7, 1., 1.5, 2.5, 3., 7., 8.25, 20.3, 100., 128.25, 1e-5, 1e10, 1e20, 2147483648., 9223372036854775808.})
      add(x, -x);
    add(255, 255.5, 256, 12345.678, 2147483647., 4294967296., 18446744073709551616., 0.49999997f);
    add(3.14159265358979323846, 1.57079632679489661923, L::epsilon(), 1 - L::epsilon() / 2, 1 + L::epsilon());
    for (T x : {L::min(), L::max(), L::denorm_min(), L::infinity()}) add(x, -x);
    add(L::quiet_NaN());
  } else {
    for (T x : {T(0), T(1), T(2), T(3), T(5), T(7), T(8), T(31), T(32), T(33), T(63), T(64), T(100), T(170)})
      add(x, T(0) - x, L::max() - x, L::min() + x);
    add(127, 128, 255, 46341, L::max() / 2, L::max() / 2 + 1, 0x5555555555555555);
  }
  return values;
}

inline std::vector<wf::Bits64> edge_values(wf::Type type) {
  return wf::visit(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<wf::Bits64> bits;
    for (T x : edges<T>()) bits.push_back(wf::to_bits(x));
    return bits;
  });
}

// Floats of all magnitudes between 2^low and 2^high, of both signs.
template <class T> T spread(std::mt19937_64& random, double low, double high) {
  const double exponent = std::uniform_real_distribution<double>(low, high)(random);
  return T(random() & 1 ? exp2(exponent) : -exp2(exponent));
}

}  // namespace samples
