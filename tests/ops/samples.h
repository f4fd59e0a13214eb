// Values at which operations are tested: every type's edges, and random ones.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace samples {

template <class T> std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(0.5),
            T(-0.5),
            T(1.5),
            T(2.5),
            T(-2.5),
            T(3),
            T(7),
            T(-7),
            T(1e10),
            T(-1e10),
            T(0.1),
            T(2147483648.),
            T(255.5),
            T(-128.25),
            L::min(),
            -L::min(),
            L::max(),
            -L::max(),
            L::denorm_min(),
            -L::denorm_min(),
            L::infinity(),
            -L::infinity(),
            L::quiet_NaN(),
            L::epsilon(),
            T(9223372036854775808.),
            T(18446744073709551616.),
            T(4294967296.),
            T(0.49999997f)};
  } else {
    std::vector<T> values;
    for (T x : {T(0), T(1), T(2), T(3), T(5), T(7), T(8), T(31), T(32), T(33), T(63), T(64), T(100), T(170)}) {
      values.push_back(x);
      values.push_back(T(0) - x);
      values.push_back(L::max() - x);
      values.push_back(T(L::min() + x));
    }
    return values;
  }
}

// Floats of all magnitudes between 2^low and 2^high, of both signs.
template <class T> T spread(std::mt19937_64& random, double low, double high) {
  const double exponent = std::uniform_real_distribution<double>(low, high)(random);
  return T(random() & 1 ? exp2(exponent) : -exp2(exponent));
}

}  // namespace samples
