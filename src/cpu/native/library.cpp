#include "cpu/native/library.h"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>

#include "engine/engine.h"

namespace wf::cpu::native {

// The threads that stay in LLVM's functions, in a list.
struct Stays {
  // Ignored by default, and blocked in threads of the library.
  static constexpr int signal = SIGURG;

  void add(Stay& stay) {
    std::lock_guard lock(mutex);
    if (is_closed()) throw CompileError("compiling a kernel for the CPU: memory was exhausted in LLVM before, or the process ends");
    stay.next_ = first;
    first = &stay;
    current = &stay;
  }
  void remove(Stay& stay) {
    std::lock_guard lock(mutex);
    Stay** link = &first;
    while (*link != &stay) link = &(*link)->next_;
    *link = stay.next_;
    current = nullptr;
  }

  // Returns when no other thread executes LLVM's functions. None will after close().
  void stop_others() {
    while (signal_others()) usleep(100);
  }

  static thread_local Stay* current;  // of this thread
  std::mutex mutex;
  Stay* first = nullptr;
  const pid_t process = getpid();

 private:
  bool signal_others() {
    std::lock_guard lock(mutex);
    struct sigaction action {};
    action.sa_sigaction = stop_here;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (first) sigaction(signal, &action, nullptr);
    bool is_any = false;
    for (Stay* stay = first; stay; stay = stay->next_) {
      if (stay->is_stopped_ || pthread_equal(stay->thread_, pthread_self())) continue;
      pthread_kill(stay->thread_, signal);
      is_any = true;
    }
    return is_any;
  }
  static void stop_here(int, siginfo_t*, void* context);
};

namespace {

std::atomic<bool> closed{false};

uintptr_t llvm_begin = 0, llvm_end = 0;  // addresses of LLVM's own functions

// A forked process makes a list of its own, since it has none of the other threads. No list is destroyed: threads may compile while the process ends.
Stays of_first_process;
std::atomic<Stays*> latest{&of_first_process};

Stays& stays() {
  Stays* known = latest;
  if (known->process == getpid()) return *known;
  auto* const own = new Stays;
  if (latest.compare_exchange_strong(known, own)) return *own;
  delete own;
  return *known;
}

void stop_others() {
  close();
  if (Stays& known = *latest; known.process == getpid()) known.stop_others();
}

// The destructors of a thread's variables precede all functions of atexit, and so the destructors of LLVM's variables, of which some are constructed
// while the library is loaded and when it first compiles. The thread that loads this library is usually the one that ends the process.
struct FirstThread {
  ~FirstThread() {
    if (gettid() == getpid()) stop_others();
  }
  void watch() {}
};
thread_local FirstThread first_thread;

[[gnu::constructor]] void watch_first_thread() { first_thread.watch(); }

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

// Notes the addresses of the library's functions, of which this is one.
int note_code(dl_phdr_info* info, size_t, void* function) {
  for (int k = 0; k < info->dlpi_phnum; k++) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[k];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type != PT_LOAD || uintptr_t(function) < begin || uintptr_t(function) >= end) continue;
    llvm_begin = begin, llvm_end = end;
    return 1;
  }
  return 0;
}

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
  std::optional<Stay> stay;
  try {
    stay.emplace();
  } catch (const CompileError& e) { return {std::nullopt, e.what()}; }
  for (int version = newest; version >= oldest; version--) {
    void* library = open_version(version);
    if (!library) continue;
    Llvm l{};
    l.version = version;
    const std::string missing = resolve_all(l, library);
    if (!missing.empty()) return {std::nullopt, "libLLVM " + std::to_string(version) + " has no function" + missing};
    for (auto* initialize : l.initialize) initialize();
    install_handlers(library);
    std::atexit(stop_others);  // precedes the library's destructors, which were registered earlier
    dl_iterate_phdr(note_code, reinterpret_cast<void*>(l.parse));
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

thread_local Stay* Stays::current = nullptr;

// Called in the thread that receives the signal.
void Stays::stop_here(int, siginfo_t*, void* context) {
#ifdef __x86_64__
  const auto at = uintptr_t(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (!current || at < llvm_begin || at >= llvm_end) return;
  current->is_stopped_ = true;
  for (;;) pause();
#endif
}

Stay::Stay() : is_outer_(!Stays::current) {
  if (!is_outer_) return;
  stays().add(*this);
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, Stays::signal);
  pthread_sigmask(SIG_UNBLOCK, &unblocked, &mask_);
}

Stay::~Stay() {
  if (!is_outer_) return;
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  stays().remove(*this);
}

const Llvm* llvm() { return loaded().llvm ? &*loaded().llvm : nullptr; }
void close() { closed = true; }
bool is_closed() { return closed; }
const std::string& reason_without_llvm() { return loaded().reason; }

}  // namespace wf::cpu::native
