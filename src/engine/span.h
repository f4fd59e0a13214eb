// WARPFOLD_TRACE=FILE: the time of each stage, as events in Chrome's trace format, which Perfetto and chrome://tracing show.
#pragma once

#include <string>

namespace wf {

// True if WARPFOLD_TRACE is set when the library is loaded.
extern const bool is_tracing;

// An event of this thread, from its construction to its end. If there is no trace, it costs one test.
class Span {
 public:
  explicit Span(const char* stage) {
    if (is_tracing) [[unlikely]]
      event_ = begin(stage, {});
  }
  // detail(): a text that is made only if there is a trace.
  template <class F> Span(const char* stage, const F& detail) {
    if (is_tracing) [[unlikely]]
      event_ = begin(stage, detail());
  }
  Span(const Span&) = delete;
  ~Span() {
    if (event_) [[unlikely]]
      end();
  }

 private:
  struct Event;
  static Event* begin(const char* stage, std::string detail);
  void end() noexcept;
  Event* event_ = nullptr;
};

}  // namespace wf
