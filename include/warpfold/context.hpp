// Contexts: an engine and its memory. Only functions that make a sequence without an input sequence have a context as parameter. Its
// default is the innermost ContextScope of the thread, else the context named by the environment variable WARPFOLD_CONTEXT, else "auto".
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include "warpfold/error.hpp"
#include "warpfold/handle.hpp"

namespace warpfold {

// Memory of a context, in bytes; limit is -1 for none.
struct MemoryUse {
  int64_t live = 0, cached = 0, peak = 0, limit = -1;
};

class Context {
 public:
  // "cpu", "cuda:0", "opencl:0" (a device that takes SPIR-V), "parts:N" (N parts on the CPU), "mpi" (under mpirun, a part in each process), or
  // "auto" (a GPU of NVIDIA if there is one, else the CPU). Throws ArgumentError for an unknown name, DeviceError if the device or its driver is missing.
  explicit Context(const std::string& name) {
    wf_context* raw = nullptr;
    detail::check(wf_context_create(name.c_str(), &raw));
    handle_ = detail::ContextHandle::own(raw);
  }
  static Context own(wf_context* raw) { return Context(detail::ContextHandle::own(raw)); }

  std::string name() const {
    return detail::copy_text(
        [&](char* buffer, int64_t capacity, int64_t* needed) { detail::check(wf_context_name(raw(), buffer, capacity, needed)); });
  }
  // The number of this process and the number of all that compute for the context: 0 of 1, except for "mpi".
  int rank() const { return ranks_of().first; }
  int ranks() const { return ranks_of().second; }
  MemoryUse memory() const {
    MemoryUse use;
    detail::check(wf_context_memory(raw(), &use.live, &use.cached, &use.peak, &use.limit));
    return use;
  }
  // Resets the peak to the bytes that are live now.
  void reset_peak() { detail::check(wf_context_reset_peak(raw())); }
  // Limits live memory to `bytes`; -1: no limit. A force that needs more throws MemoryError.
  void set_limit(int64_t bytes) { detail::check(wf_context_set_limit(raw(), bytes)); }
  // Returns cached memory to the system. The result is its size in bytes.
  int64_t trim() {
    int64_t freed = 0;
    detail::check(wf_context_trim(raw(), &freed));
    return freed;
  }
  // After this, operations on the context's sequences throw ArgumentError.
  // Ends the computations that run in the context now, on any threads: each throws Canceled (wf_cancel).
  void cancel() { detail::check(wf_cancel(raw())); }
  void close() { detail::check(wf_context_close(raw())); }

  // Returns true if both are the same context, rather than two of the same name.
  friend bool operator==(const Context& a, const Context& b) { return a.raw() == b.raw(); }

  wf_context* raw() const { return handle_.raw(); }

 private:
  std::pair<int, int> ranks_of() const {
    int32_t rank = 0, ranks = 1;
    detail::check(wf_context_ranks(raw(), &rank, &ranks));
    return {rank, ranks};
  }
  explicit Context(detail::ContextHandle handle) : handle_(std::move(handle)) {}
  detail::ContextHandle handle_;
};

namespace detail {
inline constinit thread_local const Context* scoped_context = nullptr;

inline Context context_of(const wf_seq* s) {
  wf_context* context = nullptr;
  check(wf_context_of(s, &context));
  return Context::own(context);
}
}  // namespace detail

// Makes `context` the thread's default for the lifetime of the scope. Scopes nest.
class ContextScope {
 public:
  explicit ContextScope(Context context) : context_(std::move(context)), outer_(std::exchange(detail::scoped_context, &context_)) {}
  ~ContextScope() { detail::scoped_context = outer_; }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  Context context_;
  const Context* outer_;
};

inline const Context& default_context() {
  if (detail::scoped_context) return *detail::scoped_context;
  static const Context& process_default = *new Context([] {  // never destroyed: destructors of static objects may use it
    const char* name = std::getenv("WARPFOLD_CONTEXT");
    return std::string(name && *name ? name : "auto");
  }());
  return process_default;
}

}  // namespace warpfold
