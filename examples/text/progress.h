// A bar on the terminal for work that takes longer than a second.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

class Progress {
 public:
  // Prints nothing if stderr is not a terminal.
  explicit Progress(int64_t total) : total_(total), is_shown_(total > 0 && isatty(STDERR_FILENO)) {}
  ~Progress() { clear(); }

  void update(int64_t done) {
    double now = seconds();
    if (!is_shown_ || now < next_) return;
    next_ = now + 0.1;
    double part = static_cast<double>(done) / static_cast<double>(total_);
    std::string bar(static_cast<size_t>(part * width), '#');
    bar.resize(width, '.');
    std::fprintf(stderr, "\r[%s] %3.0f %%  %.2f GB/s ", bar.c_str(), part * 100, static_cast<double>(done) * 1e-9 / now);
    is_drawn_ = true;
  }
  // Clears the line for other output.
  void clear() {
    if (is_drawn_) std::fprintf(stderr, "\r\033[K");
    is_drawn_ = false;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t width = 40;
  int64_t total_;
  bool is_shown_, is_drawn_ = false;
  double next_ = 1;
  Clock::time_point start_ = Clock::now();
};
