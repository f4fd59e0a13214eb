// The guard around every function of the C API. It saves the caller's floating-point environment, converts exceptions to codes
// and messages, and validates handles before use.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "eval/context.h"
#include "eval/eval.h"
#include "lazy/node.h"
#include "warpfold.h"

// A reference-counted context and a reference-counted closure. The first word of every handle is the mark of its kind.
struct wf_context {
  static constexpr uint64_t living = 0x77662d63746578;
  volatile uint64_t mark = living;
  std::atomic<int64_t> references{1};
  std::shared_ptr<wf::Context> context;
  ~wf_context() { mark = 0; }
};

struct wf_fn {
  static constexpr uint64_t living = 0x77662d666e21;
  volatile uint64_t mark = living;
  std::atomic<int64_t> references{1};
  wf::Closure closure;
  ~wf_fn() { mark = 0; }
};

namespace wf::capi {

// One call of the C API.
struct Call {
  const char* function;        // its name, for messages
  Context* context = nullptr;  // the call's context, once known: its cached memory is freed if an allocation fails
};

// Runs body(call) under the library's floating-point environment; returns its code. If operator new fails, the context's
// cached memory is freed and the body runs once more.
int32_t run_guarded(const char* function, void (*body)(void* data, Call& call), void* data);

// Calls the body through a pointer, so that the compiler cannot move its floating-point operations before the guard.
template <class Body> int32_t guarded(const char* function, Body&& body) {
  using B = std::remove_reference_t<Body>;
  return run_guarded(
      function, [](void* data, Call& call) { (*static_cast<B*>(data))(call); }, &body);
}

// The same for a body that only looks: it calls nothing that depends on the floating-point environment.
int32_t run_looking(const char* function, void (*body)(void* data), void* data);
template <class Body> int32_t looking(const char* function, Body&& body) {
  using B = std::remove_reference_t<Body>;
  return run_looking(
      function, [](void* data) { (*static_cast<B*>(data))(); }, &body);
}

// Each of the following throws an error with the argument's name if the handle, pointer or number is not valid.

void require(const void* pointer, const char* argument);
// Sets *out to NULL, its value on failure.
template <class T> void prepare(T** out, const char* argument = "out") {
  require(out, argument);
  *out = nullptr;
}

// The node of a valid handle. A closed context is an error.
NodeRef sequence(Call& call, const wf_seq* s, const char* argument = "s");
Few<NodeRef> sequences(Call& call, wf_seq* const* array, int32_t n, const char* argument = "sequences");
// The same without a reference: it is valid as long as the caller's.
Node& borrowed(Call& call, const wf_seq* s, const char* argument = "s");
// The same for functions that only read properties: the context may be closed.
Node& look(const wf_seq* s, const char* argument = "s");
const std::shared_ptr<Context>& context_of(Call& call, const wf_context* context);
const std::shared_ptr<Context>& look(const wf_context* context);
const Closure& closure(Call& call, const wf_fn* f, const char* argument = "f");
const Closure& look(const wf_fn* f, const char* argument = "f");
Type type_of_code(int32_t code, const std::string& argument = "type");
ExplainFormat format_of_code(int32_t code);
// The column's number, after a check that s has that column.
size_t column_of(const Node& s, int32_t column);
// The size in bytes of n elements.
size_t size_in_bytes(int64_t n, Type type, const char* argument = "n");
void give_text(std::string_view text, char* buffer, int64_t capacity, int64_t* needed);

// Passes the reference to the caller.
inline wf_seq* give(NodeRef s) { return reinterpret_cast<wf_seq*>(s.detach()); }

// guarded() for a function with one result, a sequence: body(call) returns it.
template <class Body> int32_t making(const char* function, wf_seq** out, Body&& body) {
  return guarded(function, [&](Call& call) {
    prepare(out);
    *out = give(body(call));
  });
}
// The same for the prefixes and the total of a scan, of which the caller may want only one. The body may leave out one that is not wanted.
struct Wanted {
  wf_seq** out;
  const char* name;
};
void prepare_scan(const Wanted& prefixes, const Wanted& total);
template <class Body> int32_t making_scan(const char* function, const Wanted& prefixes, const Wanted& total, Body&& body) {
  return guarded(function, [&](Call& call) {
    prepare_scan(prefixes, total);
    ScanResult result = body(call);
    if (prefixes.out) *prefixes.out = give(std::move(result.prefixes));
    if (total.out) *total.out = give(std::move(result.total));
  });
}

}  // namespace wf::capi
