#include "checks/guard.h"

#include <cxxabi.h>

#include <new>

#include "checks/environment.h"
#include "checks/error.h"
#include "expr/fn.h"
#include "files/file.h"
#include "lazy/check.h"

namespace wf::capi {

// The code and message of the exception that is being handled.
static int32_t report(const char* function) {
  try {
    throw;
  } catch (abi::__forced_unwind&) {
    throw;  // thread cancellation
  } catch (const ArgumentError& e) { return fail(WF_ERROR_ARGUMENT, function, e.what()); } catch (const ContextError& e) {
    return fail(WF_ERROR_ARGUMENT, function, e.what());
  } catch (const TypeError& e) { return fail(WF_ERROR_TYPE, function, e.what()); } catch (const SizeError& e) {
    return fail(WF_ERROR_SIZE, function, e.what());
  } catch (const IndexError& e) { return fail(WF_ERROR_RANGE, function, e.what()); } catch (const RangeError& e) {
    return fail(WF_ERROR_RANGE, function, e.what());
  } catch (const MemoryError& e) { return fail(WF_ERROR_MEMORY, function, e.what()); } catch (const std::bad_alloc&) {
    return fail(WF_ERROR_MEMORY, function, "memory is exhausted: an allocation for the library's own records failed");
  } catch (const std::length_error&) {
    return fail(WF_ERROR_SIZE, function, "the number of elements exceeds the address space");
  } catch (const ParseError& e) { return fail(WF_ERROR_COMPILE, function, e.what()); } catch (const CompileError& e) {
    return fail(WF_ERROR_COMPILE, function, e.what());
  } catch (const DeviceError& e) { return fail(WF_ERROR_DEVICE, function, e.what()); } catch (const UnsupportedError& e) {
    return fail(WF_ERROR_UNSUPPORTED, function, e.what());
  } catch (const Canceled& e) { return fail(WF_ERROR_CANCELED, function, e.what()); } catch (const IoError& e) {
    return fail(WF_ERROR_IO, function, e.what());
  } catch (const std::exception& e) { return fail(WF_ERROR_INTERNAL, function, e.what()); } catch (...) {
    return fail(WF_ERROR_INTERNAL, function, "unknown exception");
  }
}

int32_t run_guarded(const char* function, void (*body)(void* data, Call& call), void* data) {
  FloatEnvironment environment;
  Computation computation;
  Call call{function};
  try {
    body(data, call);
    return WF_OK;
  } catch (const std::bad_alloc&) {
    if (!call.context || call.context->pool->trim() == 0) return report(function);
  } catch (...) { return report(function); }
  try {
    body(data, call);
    return WF_OK;
  } catch (...) { return report(function); }
}

int32_t run_looking(const char* function, void (*body)(void* data), void* data) {
  try {
    body(data);
    return WF_OK;
  } catch (...) { return report(function); }
}

void require(const void* pointer, const char* argument) {
  if (!pointer) throw ArgumentError(std::string(argument) + " is NULL");
}

namespace {

// An argument, or an element of an array argument. Its name is formatted only for an error.
struct Argument {
  const char* name;
  int32_t index = -1;
  std::string text() const { return index < 0 ? name : std::string(name) + "[" + std::to_string(index) + "]"; }
  // The same for users of other languages, whose arguments are not arrays of C.
  std::string words() const { return index < 0 ? name : ordinal(size_t(index), 2, "of " + std::string(name)); }
};

[[noreturn]] void no_handle(const Argument& argument, const void* handle, const char* kind) {
  if (!handle) throw ArgumentError(argument.text() + " is NULL; expected a " + kind);
  throw ArgumentError(argument.text() + " is not a valid " + kind + ": it was released, or is a handle of another kind");
}

bool is_open(Call& call, Context& context) {
  call.context = &context;
  Computation::current()->runs_in(context.cancellations);
  return !context.closed.load(std::memory_order_relaxed);
}

void require_open(Call& call, Context& context, const Argument& argument) {
  if (!is_open(call, context)) throw ContextError(argument.words() + " belongs to the context \"" + context.name + "\", which is closed");
}

Node& living(const wf_seq* s, const Argument& argument) {
  auto* node = reinterpret_cast<Node*>(const_cast<wf_seq*>(s));
  if (!node || !node->is_alive()) no_handle(argument, s, "sequence");
  return *node;
}

Node& open_sequence(Call& call, const wf_seq* s, const Argument& argument) {
  Node& node = living(s, argument);
  require_open(call, context_of(node), argument);
  return node;
}

}  // namespace

Node& look(const wf_seq* s, const char* argument) { return living(s, {argument}); }

NodeRef sequence(Call& call, const wf_seq* s, const char* argument) { return NodeRef(&open_sequence(call, s, {argument})); }

Node& borrowed(Call& call, const wf_seq* s, const char* argument) { return open_sequence(call, s, {argument}); }

Few<NodeRef> sequences(Call& call, wf_seq* const* array, int32_t n, const char* argument) {
  auto name = [&] { return std::string(argument); };
  if (n < 0) throw ArgumentError("n_" + name() + " is " + std::to_string(n) + "; expected a number that is not negative");
  if (n > 0 && !array)
    throw ArgumentError(name() + " is NULL and n_" + name() + " is " + std::to_string(n) + "; expected an array of that length");
  Few<NodeRef> nodes;
  nodes.reserve(size_t(n));
  for (int32_t k = 0; k < n; k++) nodes.push_back(NodeRef(&open_sequence(call, array[k], {argument, k})));
  return nodes;
}

const std::shared_ptr<Context>& look(const wf_context* context) {
  if (!context || context->mark != wf_context::living) no_handle({"context"}, context, "context");
  return context->context;
}

const std::shared_ptr<Context>& context_of(Call& call, const wf_context* handle) {
  const auto& context = look(handle);
  if (!is_open(call, *context)) throw ContextError("context \"" + context->name + "\" is closed; expected an open one");
  return context;
}

const Closure& look(const wf_fn* f, const char* argument) {
  if (!f || f->mark != wf_fn::living) no_handle({argument}, f, "function");
  return f->closure;
}

const Closure& closure(Call& call, const wf_fn* f, const char* argument) {
  const Closure& closure = look(f, argument);
  for (const NodeRef& capture : closure.captures) require_open(call, context_of(*capture), {argument});
  return closure;
}

Type type_of_code(int32_t code, const std::string& argument) {
  if (code < 0 || code >= type_count)
    throw TypeError(argument + " is " + std::to_string(code) + "; expected a type, WF_BOOL (0) to WF_F64 (7)");
  return static_cast<Type>(code);
}

ExplainFormat format_of_code(int32_t code) {
  if (code != 0 && code != 1) throw ArgumentError("format is " + std::to_string(code) + "; expected 0 (text) or 1 (DOT)");
  return code == 0 ? ExplainFormat::Text : ExplainFormat::Dot;
}

size_t column_of(const Node& s, int32_t column) {
  if (column < 0 || size_t(column) >= s.types().size())
    throw IndexError("column is " + std::to_string(column) + ", but s has " + std::to_string(s.types().size()) +
                     " columns; expected 0 to " + std::to_string(s.types().size() - 1));
  return size_t(column);
}

size_t size_in_bytes(int64_t n, Type type, const char* argument) {
  if (n < 0) throw SizeError(std::string(argument) + " is " + std::to_string(n) + "; expected a number that is not negative");
  int64_t bytes;
  if (__builtin_mul_overflow(n, int64_t(size_of(type)), &bytes))
    throw SizeError(std::string(argument) + " is " + std::to_string(n) + ": the bytes of that many elements of type " +
                    std::string(name(type)) + " overflow 64 bits");
  return size_t(bytes);
}

void prepare_scan(const Wanted& prefixes, const Wanted& total) {
  for (const Wanted& each : {prefixes, total})
    if (each.out) *each.out = nullptr;
  if (!prefixes.out && !total.out)
    throw ArgumentError(prefixes.name + (" and " + std::string(total.name)) + " are both NULL; expected at least one output");
}

void give_text(std::string_view text, char* buffer, int64_t capacity, int64_t* needed) {
  if (!copy_text(text, buffer, capacity, needed))
    throw ArgumentError(capacity < 0 ? "capacity is " + std::to_string(capacity) + "; expected a number that is not negative"
                                     : "buffer is NULL and capacity is " + std::to_string(capacity) + "; expected a buffer, or capacity 0");
}

}  // namespace wf::capi
