// Errors: one class per code of the C API, all derived from warpfold::Error.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "warpfold.h"

namespace warpfold {

// what() is the library's message: the function, the argument, the types and lengths involved, and the expected ones.
class Error : public std::runtime_error {
 public:
  Error(int32_t code, const std::string& message) : std::runtime_error(message), code_(code) {}
  // One of WF_ERROR_*.
  int32_t code() const noexcept { return code_; }

 private:
  int32_t code_;
};

template <int32_t the_code> class ErrorOf : public Error {
 public:
  explicit ErrorOf(const std::string& message) : Error(the_code, message) {}
};

using ArgumentError = ErrorOf<WF_ERROR_ARGUMENT>;        // an argument that is not valid, a closed context
using TypeError = ErrorOf<WF_ERROR_TYPE>;                // types do not fit
using SizeError = ErrorOf<WF_ERROR_SIZE>;                // lengths differ, are negative, or overflow
using RangeError = ErrorOf<WF_ERROR_RANGE>;              // an index outside a sequence
using MemoryError = ErrorOf<WF_ERROR_MEMORY>;            // memory is exhausted; nothing has changed
using CompileError = ErrorOf<WF_ERROR_COMPILE>;          // a function or a kernel does not compile
using DeviceError = ErrorOf<WF_ERROR_DEVICE>;            // no such device, or it failed
using UnsupportedError = ErrorOf<WF_ERROR_UNSUPPORTED>;  // this engine cannot do that
using IoError = ErrorOf<WF_ERROR_IO>;                    // a file cannot be read
using InternalError = ErrorOf<WF_ERROR_INTERNAL>;        // a fault of the library
using Canceled = ErrorOf<WF_ERROR_CANCELED>;             // the computation was canceled; everything is usable as before

namespace detail {

// The text that a function of the C API writes: one call for the size, one for the text.
template <class CopyOut> std::string copy_text(CopyOut&& copy_out) {
  int64_t needed = 0;
  copy_out(nullptr, int64_t{0}, &needed);
  std::string text(static_cast<size_t>(needed > 0 ? needed : 1), '\0');
  copy_out(text.data(), static_cast<int64_t>(text.size()), &needed);
  text.resize(text.size() - 1);
  return text;
}

[[noreturn]] inline void throw_message(int32_t code, const std::string& message) {
  switch (code) {
    case WF_ERROR_ARGUMENT: throw ArgumentError(message);
    case WF_ERROR_TYPE: throw TypeError(message);
    case WF_ERROR_SIZE: throw SizeError(message);
    case WF_ERROR_RANGE: throw RangeError(message);
    case WF_ERROR_MEMORY: throw MemoryError(message);
    case WF_ERROR_COMPILE: throw CompileError(message);
    case WF_ERROR_DEVICE: throw DeviceError(message);
    case WF_ERROR_UNSUPPORTED: throw UnsupportedError(message);
    case WF_ERROR_IO: throw IoError(message);
    case WF_ERROR_CANCELED: throw Canceled(message);
    default: throw InternalError(message);
  }
}

// The message begins with the name of a function of the C API: here with that of the C++ function, `called` or the same without wf_.
[[noreturn]] inline void throw_error(int32_t code, const char* called = nullptr) {
  std::string message = copy_text([](char* buffer, int64_t capacity, int64_t* needed) { wf_error_message(buffer, capacity, needed); });
  if (message.starts_with("wf_")) {
    if (called) message.replace(0, message.find(':'), called);
    else message.erase(0, 3);
  }
  throw_message(code, message);
}

inline void check(int32_t code, const char* called = nullptr) {
  if (code != WF_OK) [[unlikely]]
    throw_error(code, called);
}

// Returns f(). Its errors name `called` instead of the function that f calls.
template <class F> auto named(const char* called, const F& f) {
  try {
    return f();
  } catch (const Error& e) {
    const std::string message = e.what();
    throw_message(e.code(), called + message.substr(std::min(message.find(':'), message.size())));
  }
}

}  // namespace detail
// While it lives, the signal, Ctrl-C by default, ends the computation that the thread runs, which throws Canceled; between computations the signal has its
// earlier effect. One at a time for each signal. Errors: ArgumentError for a signal that cannot be handled.
class CancelOnSignal {
 public:
  explicit CancelOnSignal(int signal = SIGINT) : signal_(signal) { detail::check(wf_cancel_on_signal(signal, 1)); }
  ~CancelOnSignal() { wf_cancel_on_signal(signal_, 0); }
  CancelOnSignal(const CancelOnSignal&) = delete;

 private:
  int signal_;
};

}  // namespace warpfold
