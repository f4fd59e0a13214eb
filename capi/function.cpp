// Functions of scalars: from the written form, and opaque ones (addresses, CUDA C++).
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "checks/guard.h"
#include "engine/span.h"
#include "expr/derivative/derivative.h"
#include "ops/printable.h"

using namespace wf;
using namespace wf::capi;

static wf_fn* new_handle(Closure closure) {
  auto* handle = new wf_fn;
  handle->closure = std::move(closure);
  return handle;
}

static CaptureTypes types_of(const Few<NodeRef>& captures) {
  CaptureTypes types;
  for (const NodeRef& s : captures) types.push_back(s->types());
  return types;
}

int32_t wf_fn_create(const char* text, wf_seq* const* captures, int32_t n_captures, wf_fn** out) {
  return guarded("wf_fn_create", [&](Call& call) {
    const Span span("trace");
    prepare(out);
    require(text, "text");
    Few<NodeRef> captured = sequences(call, captures, n_captures, "captures");
    for (const NodeRef& s : captured)
      if (s->context() != captured[0]->context())
        throw ArgumentError("captures belong to different contexts; expected one context for all");
    Lifted parsed = parse_cached(text, types_of(captured));
    *out = new_handle({std::move(parsed.fn), std::move(captured), std::move(parsed.arguments)});
  });
}

static std::vector<Type> types_of_codes(const int32_t* codes, int32_t n, const char* argument) {
  if (n < 1) throw ArgumentError("the number of " + std::string(argument) + " is " + std::to_string(n) + "; expected at least 1");
  require(codes, argument);
  std::vector<Type> types;
  for (int32_t k = 0; k < n; k++) types.push_back(type_of_code(codes[k], std::string(argument) + "[" + std::to_string(k) + "]"));
  return types;
}

static std::string name_or_address(const char* name, void* address) {
  if (name) return name;
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

// The function whose body is one call of f.
static FnRef calling(std::shared_ptr<const Foreign> f) {
  Builder builder;
  std::vector<Id> args;
  for (Type type : f->params) args.push_back(builder.param(type));
  return builder.finish(builder.foreign(std::move(f), args));
}

int32_t wf_fn_foreign(const char* name, void* address, const int32_t* param_types, int32_t n_params, int32_t result_type, wf_fn** out) {
  return guarded("wf_fn_foreign", [&](Call&) {
    prepare(out);
    require(address, "address");
    Foreign f;
    f.name = name_or_address(name, address);
    f.params = types_of_codes(param_types, n_params, "param_types");
    f.results = {type_of_code(result_type, "result_type")};
    f.scalar = address;
    *out = new_handle({calling(std::make_shared<const Foreign>(std::move(f))), {}});
  });
}

namespace {
// The owner of the caller's data: destroys it after the last use, but only if the call that takes ownership succeeded.
struct Owned {
  void* user;
  void (*destroy)(void* user);
  bool handed_over = false;
  ~Owned() {
    if (handed_over && destroy) destroy(user);
  }
};
}  // namespace

int32_t wf_fn_block(const wf_block* block, wf_fn** out) {
  return guarded("wf_fn_block", [&](Call&) {
    prepare(out);
    require(block, "block");
    require(reinterpret_cast<void*>(block->function), "block->function");
    auto owned = std::make_shared<Owned>(Owned{block->user, block->destroy});
    Foreign f;
    f.name = name_or_address(block->name, reinterpret_cast<void*>(block->function));
    f.params = types_of_codes(block->param_types, block->n_params, "block->param_types");
    f.results = types_of_codes(block->result_types, block->n_results, "block->result_types");
    f.block = block->function;
    f.user = std::shared_ptr<void>(owned, block->user);
    *out = new_handle({calling(std::make_shared<const Foreign>(std::move(f))), {}});
    owned->handed_over = true;
  });
}

static void require_identifier(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto further = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (name.empty() || !letter(name[0]) || !std::ranges::all_of(name, further))
    throw ArgumentError("name is \"" + printable(name, 40) + "\"; expected a C identifier: the name of a function that text defines");
}

static std::string signature(const Foreign& f) {
  auto list = [](const std::vector<Type>& types) {
    std::string text = "(";
    for (Type t : types) text += (text.size() > 1 ? ", " : "") + std::string(name(t));
    return text + ")";
  };
  return list(f.params) + " -> " + list(f.results);
}

// The function that the CPU engine calls, without a text yet.
static Foreign host_side(const wf_fn* host) {
  const Fn& fn = *look(host, "host").fn;
  if (fn.foreigns.empty() || !fn.foreigns[0]->has_address())
    throw ArgumentError("host cannot be called by the CPU engine; expected a function made by wf_fn_foreign or wf_fn_block");
  return *fn.foreigns[0];
}

int32_t wf_fn_source(const char* name, const char* text, const int32_t* param_types, int32_t n_params, const int32_t* result_types,
                     int32_t n_results, const wf_fn* host, wf_fn** out) {
  return guarded("wf_fn_source", [&](Call&) {
    prepare(out);
    require(name, "name");
    require(text, "text");
    require_identifier(name);
    Foreign f;
    f.name = name;
    f.source = text;
    f.params = types_of_codes(param_types, n_params, "param_types");
    f.results = types_of_codes(result_types, n_results, "result_types");
    if (f.source.empty()) throw ArgumentError("text is empty; expected a definition of a function " + f.name);
    if (host) {
      const Foreign called = host_side(host);
      if (called.params != f.params || called.results != f.results)
        throw TypeError("host is " + signature(called) + "; expected the types of the source function, " + signature(f));
      f.scalar = called.scalar;
      f.block = called.block;
      f.user = called.user;
    }
    *out = new_handle({calling(std::make_shared<const Foreign>(std::move(f))), {}});
  });
}

void wf_fn_retain(wf_fn* fn) {
  if (fn && fn->mark == wf_fn::living) fn->references.fetch_add(1, std::memory_order_relaxed);
}

void wf_fn_release(wf_fn* fn) {
  if (fn && fn->mark == wf_fn::living && fn->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete fn;
}

int32_t wf_fn_text(const wf_fn* fn, char* buffer, int64_t capacity, int64_t* needed) {
  return guarded("wf_fn_text", [&](Call&) {
    const Closure& closure = look(fn, "fn");
    give_text(print(*without_derivatives(with_values(closure.fn, closure.arguments)), types_of(closure.captures)), buffer, capacity,
              needed);
  });
}

int32_t wf_fn_arity(const wf_fn* fn, int32_t* n_params, int32_t* n_results) {
  return looking("wf_fn_arity", [&] {
    const Fn& f = *look(fn, "fn").fn;
    if (n_params) *n_params = int32_t(f.params.size());
    if (n_results) *n_results = int32_t(f.results.size());
  });
}

static void require_index(int32_t k, size_t n, const char* noun) {
  if (k < 0 || size_t(k) >= n)
    throw IndexError("k is " + std::to_string(k) + ", but fn has " + std::to_string(n) + " " + noun + "; expected 0 <= k < " +
                     std::to_string(n));
}

int32_t wf_fn_param_type(const wf_fn* fn, int32_t k, int32_t* type) {
  return looking("wf_fn_param_type", [&] {
    const Fn& f = *look(fn, "fn").fn;
    require(type, "type");
    require_index(k, f.params.size(), "parameters");
    *type = int32_t(f.params[k].type);
  });
}

int32_t wf_fn_result_type(const wf_fn* fn, int32_t k, int32_t* type) {
  return looking("wf_fn_result_type", [&] {
    const Fn& f = *look(fn, "fn").fn;
    require(type, "type");
    require_index(k, f.results.size(), "results");
    *type = int32_t(f[f.results[k]].type);
  });
}
