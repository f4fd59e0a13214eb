// The line of timing that the examples print to stderr.
#pragma once

#include <chrono>
#include <cstdio>

class Timing {
 public:
  // Prints the time since construction and the rate, such as "0.012 s, 8.3e+07 numbers/s".
  void report(double amount, const char* unit) const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    std::fprintf(stderr, "%.3g s, %.3g %s/s\n", seconds, amount / seconds, unit);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};
