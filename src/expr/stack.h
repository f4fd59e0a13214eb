// Loops and folds inside each other are the one depth over which the library recurses: each level of a function takes a few KiB of stack, until
// its kernel has run. Threads may have as little as 64 KiB, so deep functions are refused where the stack does not suffice.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "expr/fn.h"

namespace wf {

// Returns the bytes that are left of the calling thread's stack; the largest number if they are not known, as on a fiber.
inline size_t stack_left() {
  constexpr size_t unknown = std::numeric_limits<size_t>::max();
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return unknown;
  void* lowest = nullptr;
  size_t bytes = 0;
  const int error = pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  const uintptr_t left = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - reinterpret_cast<uintptr_t>(lowest);
  return error == 0 && left <= bytes ? left : unknown;
}

// The reason why the calling thread cannot compute loops nested that deep, if it cannot.
inline std::optional<std::string> stack_problem(uint32_t depth) {
  constexpr uint32_t usual = 4;  // fits any stack
  constexpr size_t base = 20 << 10, per_level = 4 << 10;
  if (depth <= usual) return std::nullopt;
  const size_t left = stack_left();
  if (left >= base + depth * per_level) return std::nullopt;
  return "loops and folds are nested " + std::to_string(depth) + " deep, and this thread has " + std::to_string(left >> 10) +
         " KiB of stack left; expected " + std::to_string((base + depth * per_level) >> 10) + " KiB or more, or fewer nested loops";
}

// The number of loops and folds inside each other.
inline uint32_t loop_depth(const Fn& f) {
  uint32_t deepest = 0;
  for (const Fn::LoopInfo& loop : f.loops)
    deepest = std::max({deepest, 1 + loop_depth(*loop.body), loop.is_fold() ? 1 + loop_depth(*loop.combine) : 0});
  return deepest;
}

}  // namespace wf
