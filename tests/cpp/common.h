// Helpers of the C++ tests: varied data, and the lengths around the boundaries of blocks and chunks.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"
#include "warpfold/warpfold.hpp"

// 0, 1, the sizes of SIMD registers and blocks and their neighbours, several chunks.
inline const std::vector<int64_t> lengths = {0, 1, 2, 7, 64, 1023, 1024, 1025, 4097, 300001};

// Numbers in [-50, 50], the same at each call.
template <class T = int> std::vector<T> numbers(int64_t n) {
  std::vector<T> values(static_cast<size_t>(n));
  uint32_t state = 12345;
  for (auto& x : values) {
    state = state * 1664525 + 1013904223;
    x = static_cast<T>(static_cast<int>(state >> 16) % 101 - 50);
  }
  return values;
}

// The default context is the one under test: the one that WARPFOLD_TEST_CONTEXT names, or the CPU.
inline const bool context_is_chosen = [] {
  const char* name = std::getenv("WARPFOLD_TEST_CONTEXT");
  return setenv("WARPFOLD_CONTEXT", name ? name : "cpu", 1) == 0;
}();
// Host functions run only on the CPU engine.
inline void needs_cpu() {
  if (warpfold::default_context().name() != "cpu") SKIP("host functions run on the CPU engine alone");
}

// The first line of a plan: "1 kernel".
template <class... S> std::string kernels(const S&... s) {
  std::string plan = warpfold::explain(s...);
  return plan.substr(0, plan.find('\n'));
}
