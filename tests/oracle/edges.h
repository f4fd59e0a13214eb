// The edge values of each type, at which operations are most likely to fail.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "ops/ops.h"

namespace oracle {

inline std::vector<wf::Bits64> edge_values(wf::Type t) {
  return wf::visit(t, [](auto tag) {
    using T = typename decltype(tag)::type;
    using L = std::numeric_limits<T>;
    std::vector<T> values;
    if constexpr (std::is_same_v<T, bool>) {
      values = {false, true};
    } else if constexpr (std::is_floating_point_v<T>) {
      values = {T(0),
                T(-0.0),
                T(1),
                T(-1),
                T(0.5),
                T(-0.5),
                T(1.5),
                T(2.5),
                T(-2.5),
                T(3),
                T(0.1),
                T(-0.7),
                T(8.25),
                T(20.3),
                T(-20.3),
                T(100),
                T(1e-5),
                T(-1e-5),
                T(12345.678),
                T(1e10),
                T(-3e10),
                T(1e20),
                L::max(),
                L::lowest(),
                L::min(),
                -L::min(),
                L::denorm_min(),
                -L::denorm_min(),
                L::epsilon(),
                T(1) - L::epsilon() / 2,
                T(1) + L::epsilon(),
                L::infinity(),
                -L::infinity(),
                L::quiet_NaN(),
                T(2147483647.0),
                T(2147483648.0),
                T(-2147483648.0),
                T(4294967296.0),
                T(9223372036854775808.0),
                T(-9223372036854775808.0),
                T(18446744073709551616.0),
                T(255),
                T(255.5),
                T(256),
                T(3.14159265358979323846),
                T(1.57079632679489661923)};
    } else {
      values = {T(0),
                T(1),
                T(2),
                T(3),
                T(7),
                T(8),
                T(31),
                T(32),
                T(33),
                T(63),
                T(64),
                T(100),
                T(127),
                T(128),
                T(255),
                T(-1),
                T(-2),
                T(-3),
                T(-7),
                T(-100),
                L::max(),
                T(L::max() - 1),
                L::min(),
                T(L::min() + 1),
                T(L::max() / 2),
                T(L::max() / 2 + 1),
                T(0x5555555555555555),
                T(46341)};
    }
    std::vector<wf::Bits64> bits;
    for (T x : values) bits.push_back(wf::to_bits(x));
    return bits;
  });
}

}  // namespace oracle
