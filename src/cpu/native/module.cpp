#include "cpu/native/module.h"

#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "cpu/native/library.h"
#include "engine/code_files.h"
#include "engine/engine.h"
#include "engine/span.h"

namespace wf::cpu::native {
namespace {

// A handle that a function of the library releases, unless an exception is on its way, perhaps through LLVM.
template <class T> struct Release {
  void (*function)(T*);
  void operator()(T* handle) const {
    if (std::uncaught_exceptions() == 0) function(handle);
  }
};
template <class T> struct Handle : std::unique_ptr<T, Release<T>> {
  Handle(T* handle, void (*function)(T*)) : std::unique_ptr<T, Release<T>>(handle, Release<T>{function}) {}
};

[[noreturn]] void fail(const std::string& what) { throw CompileError("compiling a kernel for the CPU: " + what); }

// Throws if there is an error, which becomes invalid.
void check(const Llvm& l, LlvmError* error) {
  if (!error) return;
  char* message = l.take_message(error);
  const std::string text = message;
  l.dispose_error_message(message);
  fail(text);
}

void check(const Llvm& l, int failed, char* message) {
  if (!failed) return;
  const std::string text = message ? message : "";
  if (message) l.dispose_message(message);
  fail(text);
}

// calls(), which calls LLVM. If memory is exhausted there, LLVM is not called again.
template <class Calls> auto within_llvm(const Calls& calls) {
  const Stay stay;
  try {
    return calls();
  } catch (const std::bad_alloc&) {
    close();
    throw;
  }
}

// The numbers of LLVM's enumerations.
constexpr int default_level = 2, position_independent = 2, small_model = 3, object_file = 1, return_status = 2;

Handle<LlvmMachine> machine_for(const Llvm& l, Isa isa) {
  const Handle<char> triple(l.default_triple(), l.dispose_message);
  LlvmTarget* target = nullptr;
  char* message = nullptr;
  check(l, l.find_target(triple.get(), &target, &message), message);
  return {l.create_machine(target, triple.get(), "x86-64", features_of(isa), default_level, position_independent, small_model),
          l.dispose_machine};
}

constexpr const char* passes = "function(reassociate,early-cse)";

// The object file that the module compiles to.
std::string object_of(const Llvm& l, const std::string& text, Isa isa) {
  const Handle<LlvmContext> context(l.create_context(), l.dispose_context);
  LlvmModule* parsed = nullptr;
  char* message = nullptr;
  check(l, l.parse(context.get(), l.copy_to_buffer(text.data(), text.size(), "kernel"), &parsed, &message), message);
  const Handle<LlvmModule> module(parsed, l.dispose_module);
  char* problems = nullptr;
  const bool is_invalid = l.verify(module.get(), return_status, &problems);  // LLVM may crash if it compiles an invalid module
  const Handle<char> reason(problems, l.dispose_message);
  if (is_invalid) fail(reason.get());
  const Handle<LlvmMachine> machine = machine_for(l, isa);
  {
    const Handle<LlvmPassOptions> options(l.create_pass_options(), l.dispose_pass_options);
    check(l, l.run_passes(module.get(), passes, machine.get(), options.get()));
  }
  LlvmBuffer* emitted = nullptr;
  check(l, l.emit(machine.get(), module.get(), object_file, &message, &emitted), message);
  const Handle<LlvmBuffer> object(emitted, l.dispose_buffer);
  return {l.data(object.get()), l.size(object.get())};
}

// The file of the object. The text names the processor's features.
std::filesystem::path object_file_of(const Llvm& l, const std::string& text) {
  CodeHash hash;
  hash.add(text);
  hash.add(passes);
  hash.add(std::to_string(l.version));
  return code_file(hash.name() + ".o");
}

// Null: the default. That of versions 17 and 18 looks for functions of the library among the process's global symbols, where they are not
// (llvm/llvm-project issue 74671). They get the linker that earlier versions have by default.
LlvmJitBuilder* builder_of(const Llvm& l) {
  if (l.version != 17 && l.version != 18) return nullptr;
  LlvmJitBuilder* const builder = l.create_jit_builder();
  l.set_layer(
      builder, [](void*, LlvmSession* session, const char*) { return llvm()->create_layer(session); }, nullptr);
  return builder;
}

}  // namespace

const char* features_of(Isa isa) {
  switch (isa) {
    case Isa::baseline: return "";
    case Isa::avx2: return "+avx2,+fma,+bmi,+bmi2,+popcnt,+lzcnt";
    case Isa::avx512: return "+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd,+fma,+bmi,+bmi2,+popcnt,+lzcnt";
  }
  return "";
}

Code::~Code() {
  if (!is_closed() && std::uncaught_exceptions() == 0) try {
      const Stay stay;
      if (LlvmError* error = llvm()->dispose_jit(jit_)) llvm()->dispose_error_message(llvm()->take_message(error));
      return;
    } catch (const std::exception&) {
      // The process has begun to end.
    }
  static auto& kept = *new std::vector<LlvmJit*>;  // still reachable: no leak in the sense of a leak checker
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  try {
    kept.push_back(jit_);
  } catch (const std::bad_alloc&) {
    // It leaks: there is no memory to remember it.
  }
}

void* Code::function(const std::string& name) const {
  uint64_t address = 0;
  within_llvm([&] { check(*llvm(), llvm()->look_up(jit_, &address, name.c_str())); });
  return reinterpret_cast<void*>(address);
}

std::shared_ptr<const Code> compile_module(const std::string& text, Isa isa) {
  const Span span("compile");
  if (!llvm()) fail(reason_without_llvm());
  const Llvm& l = *llvm();
  const std::filesystem::path file = object_file_of(l, text);
  std::string object = read_code(file);
  const bool is_new = object.empty();
  auto code = within_llvm([&] {
    if (is_new) object = object_of(l, text, isa);
    LlvmJit* jit = nullptr;
    check(l, l.create_jit(&jit, builder_of(l)));
    auto code = std::make_shared<const Code>(jit);
    // Errors that no call returns are not printed: the look-up fails after them.
    l.set_reporter(
        l.session(jit), [](void*, LlvmError* error) { llvm()->consume(error); }, nullptr);
    check(l, l.add_object(jit, l.main_dylib(jit), l.copy_to_buffer(object.data(), object.size(), "object")));
    return code;
  });
  if (is_new) write_code(file, object);
  return code;
}

}  // namespace wf::cpu::native
