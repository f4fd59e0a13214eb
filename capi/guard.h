// What every function of the door goes through: the caller's floating-point environment is put aside, exceptions become
// codes and messages, and handles are looked at before they are used.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "eval/context.h"
#include "lazy/node.h"
#include "warpfold.h"

// A counted context and a counted closure. The first word of every handle tells its kind.
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

struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One call through the door.
struct Call {
  const char* function;        // its name, for messages
  Context* context = nullptr;  // the context that it works in, once known: its cache goes when memory runs out
};

// Runs body(call) under the library's floating-point environment; returns its code. When operator new fails, the context's
// cached memory is given back and the body runs once more.
int32_t run_guarded(const char* function, void (*body)(void* data, Call& call), void* data);

// The body is reached through a pointer, so that no floating-point operation of it can be moved ahead of the guard.
template <class Body>
int32_t guarded(const char* function, Body&& body) {
  using B = std::remove_reference_t<Body>;
  return run_guarded(function, [](void* data, Call& call) { (*static_cast<B*>(data))(call); }, &body);
}

// Each of the following throws with the argument's name where the handle, pointer or number cannot be used.

void require(const void* pointer, const char* argument);
// *out = NULL, so that it is that on failure.
template <class T>
void prepare(T** out, const char* argument = "out") {
  require(out, argument);
  *out = nullptr;
}

// A living node; where its context is closed, an error.
NodeRef sequence(Call& call, const wf_seq* s, const char* argument = "s");
std::vector<NodeRef> sequences(Call& call, wf_seq* const* array, int32_t n, const char* argument = "sequences");
// Only looks: the context may be closed.
Node& look(const wf_seq* s, const char* argument = "s");
const std::shared_ptr<Context>& context_of(Call& call, const wf_context* context);
const std::shared_ptr<Context>& look(const wf_context* context);
const Closure& closure(Call& call, const wf_fn* f, const char* argument = "f");
const Closure& look(const wf_fn* f, const char* argument = "f");
Type type_of_code(int32_t code, const std::string& argument = "type");
// The column's number, checked.
size_t column_of(const Node& s, int32_t column);
// The size in bytes of n elements.
size_t size_in_bytes(int64_t n, Type type, const char* argument = "n");
void give_text(std::string_view text, char* buffer, int64_t capacity, int64_t* needed);

// The reference goes to the caller.
inline wf_seq* give(NodeRef s) { return reinterpret_cast<wf_seq*>(s.detach()); }

}  // namespace wf::capi
