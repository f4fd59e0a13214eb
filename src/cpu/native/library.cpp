#include "cpu/native/library.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>

namespace wf::cpu::native {
namespace {

constexpr int newest = 23, oldest = 14;

// Debian and Fedora name the library differently since version 18.
void* open_version(int version) {
  const std::string number = std::to_string(version);
  for (const std::string& name : {"libLLVM.so." + number + ".1", "libLLVM-" + number + ".so.1", "libLLVM-" + number + ".so"})
    if (void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) return library;
  return nullptr;
}

struct Loaded {
  std::optional<Llvm> llvm;
  std::string reason;
};

// Reads a function's address. Appends its name to `missing` if the library has none.
template <class F> void resolve(F*& pointer, void* library, const char* name, std::string& missing) {
  pointer = reinterpret_cast<F*>(dlsym(library, name));
  if (!pointer) missing.append(" ").append(name);
}

std::string resolve_all(Llvm& l, void* library) {
  std::string missing;
  resolve(l.initialize[0], library, "LLVMInitializeX86TargetInfo", missing);
  resolve(l.initialize[1], library, "LLVMInitializeX86Target", missing);
  resolve(l.initialize[2], library, "LLVMInitializeX86TargetMC", missing);
  resolve(l.initialize[3], library, "LLVMInitializeX86AsmPrinter", missing);
  resolve(l.create_context, library, "LLVMContextCreate", missing);
  resolve(l.dispose_context, library, "LLVMContextDispose", missing);
  resolve(l.copy_to_buffer, library, "LLVMCreateMemoryBufferWithMemoryRangeCopy", missing);
  resolve(l.parse, library, "LLVMParseIRInContext", missing);
  resolve(l.verify, library, "LLVMVerifyModule", missing);
  resolve(l.dispose_module, library, "LLVMDisposeModule", missing);
  resolve(l.dispose_message, library, "LLVMDisposeMessage", missing);
  resolve(l.default_triple, library, "LLVMGetDefaultTargetTriple", missing);
  resolve(l.find_target, library, "LLVMGetTargetFromTriple", missing);
  resolve(l.create_machine, library, "LLVMCreateTargetMachine", missing);
  resolve(l.dispose_machine, library, "LLVMDisposeTargetMachine", missing);
  resolve(l.data, library, "LLVMGetBufferStart", missing);
  resolve(l.size, library, "LLVMGetBufferSize", missing);
  resolve(l.dispose_buffer, library, "LLVMDisposeMemoryBuffer", missing);
  resolve(l.emit, library, "LLVMTargetMachineEmitToMemoryBuffer", missing);
  resolve(l.create_pass_options, library, "LLVMCreatePassBuilderOptions", missing);
  resolve(l.dispose_pass_options, library, "LLVMDisposePassBuilderOptions", missing);
  resolve(l.run_passes, library, "LLVMRunPasses", missing);
  resolve(l.take_message, library, "LLVMGetErrorMessage", missing);
  resolve(l.dispose_error_message, library, "LLVMDisposeErrorMessage", missing);
  resolve(l.consume, library, "LLVMConsumeError", missing);
  resolve(l.create_jit_builder, library, "LLVMOrcCreateLLJITBuilder", missing);
  resolve(l.set_layer, library, "LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator", missing);
  resolve(l.create_layer, library, "LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager", missing);
  resolve(l.create_jit, library, "LLVMOrcCreateLLJIT", missing);
  resolve(l.dispose_jit, library, "LLVMOrcDisposeLLJIT", missing);
  resolve(l.session, library, "LLVMOrcLLJITGetExecutionSession", missing);
  resolve(l.set_reporter, library, "LLVMOrcExecutionSessionSetErrorReporter", missing);
  resolve(l.main_dylib, library, "LLVMOrcLLJITGetMainJITDylib", missing);
  resolve(l.add_object, library, "LLVMOrcLLJITAddObjectFile", missing);
  resolve(l.look_up, library, "LLVMOrcLLJITLookup", missing);
  return missing;
}

std::atomic<bool> closed{false};

// LLVM reports exhausted memory to the first function, and that it has no memory for a section of code to the second one. They must not
// return; without them LLVM ends the process.
[[noreturn]] void throw_bad_alloc(void*, const char*, bool) { throw std::bad_alloc(); }
[[noreturn]] void throw_fatal_error(const char*) { throw std::bad_alloc(); }

// The C API has no function that installs the first one.
void install_handlers(void* library) {
  using Install = void(void (*handler)(void*, const char*, bool), void* user);
  using InstallFatal = void(void (*handler)(const char*));
  if (auto* install = reinterpret_cast<Install*>(dlsym(library, "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_")))
    install(throw_bad_alloc, nullptr);
  if (auto* install = reinterpret_cast<InstallFatal*>(dlsym(library, "LLVMInstallFatalErrorHandler"))) install(throw_fatal_error);
}

Loaded load() {
#ifndef __x86_64__
  return {std::nullopt, "native code is generated for x86-64 only"};
#else
  for (int version = newest; version >= oldest; version--) {
    void* library = open_version(version);
    if (!library) continue;
    Llvm l{};
    l.version = version;
    const std::string missing = resolve_all(l, library);
    if (!missing.empty()) return {std::nullopt, "libLLVM " + std::to_string(version) + " has no function" + missing};
    for (auto* initialize : l.initialize) initialize();
    install_handlers(library);
    std::atexit(close);  // runs before the library's destructors, which were registered earlier
    return {l, {}};
  }
  return {std::nullopt, "no libLLVM of the versions 14 to 23 was found; install a package such as libllvm15"};
#endif
}

const Loaded& loaded() {
  static const Loaded& once = *new Loaded(load());  // never destroyed: a thread may compile while the process ends
  return once;
}

}  // namespace

const Llvm* llvm() { return loaded().llvm ? &*loaded().llvm : nullptr; }
void close() { closed = true; }
bool is_closed() { return closed; }
const std::string& reason_without_llvm() { return loaded().reason; }

}  // namespace wf::cpu::native
