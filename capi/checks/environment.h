// The floating-point environment during a call: round to nearest, no traps, subnormal numbers kept. The end of the call
// restores the caller's environment, with its traps and sticky flags. (SBCL calls with traps enabled.) Writing the control word is slow, so
// that it is written only if it differs: the flags of a caller in this environment stay set during the call.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace wf::capi {

#if defined(__x86_64__)

// Usually only the SSE control word is saved. The x87 state is slow to save, and is saved only if it is not the default.
class FloatEnvironment {
 public:
  FloatEnvironment() : mxcsr_(_mm_getcsr()) {
    unsigned short x87_control;
    asm volatile("fnstcw %0" : "=m"(x87_control));
    has_x87_ = x87_control != default_x87_control;
    if (has_x87_) {
      std::fegetenv(&whole_);
      std::fesetenv(FE_DFL_ENV);
    }
    if ((mxcsr_ & ~flags) != default_mxcsr) _mm_setcsr(default_mxcsr);
  }
  ~FloatEnvironment() {
    if (has_x87_) std::fesetenv(&whole_);
    if (_mm_getcsr() != mxcsr_) _mm_setcsr(mxcsr_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;

 private:
  static constexpr unsigned default_mxcsr = 0x1f80, flags = 0x3f;
  static constexpr unsigned short default_x87_control = 0x37f;
  unsigned mxcsr_;
  bool has_x87_;
  std::fenv_t whole_;
};

#else

class FloatEnvironment {
 public:
  FloatEnvironment() {
    std::fegetenv(&whole_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&whole_); }
  FloatEnvironment(const FloatEnvironment&) = delete;

 private:
  std::fenv_t whole_;
};

#endif

}  // namespace wf::capi
