// The values of a type at which operations go wrong: zeros, ones, the smallest and largest, powers of two, infinities, NaN.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/ops.h"

namespace wf {

inline std::vector<Bits64> edge_values(Type type) {
  return visit(type, [](auto tag) -> std::vector<Bits64> {
    using T = typename decltype(tag)::type;
    using L = std::numeric_limits<T>;
    std::vector<Bits64> all;
    auto add = [&](T x) { all.push_back(to_bits(x)); };
    for (int k : {0, 1}) add(T(k));
    if constexpr (!std::is_same_v<T, bool>) {
      for (int k : {2, 3, 7, 31, 32, 63, 64, 100}) add(T(k)), add(T(0 - k));
      add(L::max()), add(L::lowest()), add(T(L::max() / 2)), add(T(L::max() - 1));
    }
    if constexpr (std::is_floating_point_v<T>) {
      for (T x : {T(0), L::infinity(), L::min(), L::denorm_min(), T(0.5), T(1.5), T(2.5), T(1e-3), T(2147483648.0), T(4294967296.0),
                  T(9223372036854775808.0), T(18446744073709551616.0), T(255.5)})
        add(x), add(-x), add(std::nextafter(x, T(0))), add(std::nextafter(x, L::infinity()));
      add(L::quiet_NaN());
    }
    return all;
  });
}

}  // namespace wf
