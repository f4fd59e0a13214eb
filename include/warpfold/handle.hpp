// A reference-counted handle of the C API as a C++ value: copies retain, the destructor releases.
#pragma once

#include <utility>

#include "warpfold.h"

namespace warpfold::detail {

template <class H, void (*retain)(H*), void (*release)(H*)> class Handle {
 public:
  Handle() = default;
  // Takes ownership of a reference that a function of the C API returned.
  static Handle own(H* raw) { return Handle(raw); }
  static Handle share(H* raw) { return retain(raw), Handle(raw); }
  Handle(const Handle& other) : raw_(other.raw_) {
    if (raw_) retain(raw_);
  }
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle other) noexcept { return std::swap(raw_, other.raw_), *this; }
  ~Handle() {
    if (raw_) release(raw_);
  }
  H* raw() const { return raw_; }
  explicit operator bool() const { return raw_ != nullptr; }

 private:
  explicit Handle(H* raw) : raw_(raw) {}
  H* raw_ = nullptr;
};

using SeqHandle = Handle<wf_seq, wf_retain, wf_release>;
using FnHandle = Handle<wf_fn, wf_fn_retain, wf_fn_release>;
using ProgramHandle = Handle<wf_program, wf_program_retain, wf_program_release>;
using ContextHandle = Handle<wf_context, wf_context_retain, wf_context_release>;

}  // namespace warpfold::detail
