// LLVM, loaded at run time: the functions of its C API that the compiled evaluator calls. Nothing of LLVM is needed at build time.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace wf::cpu::native {

// Opaque types of llvm-c. A handle that a function consumes must not be released by the caller.
struct LlvmContext;
struct LlvmModule;
struct LlvmBuffer;
struct LlvmTarget;
struct LlvmMachine;
struct LlvmError;
struct LlvmJit;
struct LlvmDylib;
struct LlvmPassOptions;
struct LlvmJitBuilder;
struct LlvmSession;
struct LlvmObjectLayer;

struct Llvm {
  int version;  // the major version
  void (*initialize[4])();

  LlvmContext* (*create_context)();
  void (*dispose_context)(LlvmContext*);
  LlvmBuffer* (*copy_to_buffer)(const char* data, size_t size, const char* name);
  // Consumes the text. Returns nonzero for an error.
  int (*parse)(LlvmContext*, LlvmBuffer* text, LlvmModule** module, char** message);
  int (*verify)(LlvmModule*, int action, char** message);  // returns nonzero for an error
  void (*dispose_module)(LlvmModule*);
  void (*dispose_message)(char*);

  char* (*default_triple)();
  int (*find_target)(const char* triple, LlvmTarget**, char** message);
  LlvmMachine* (*create_machine)(LlvmTarget*, const char* triple, const char* cpu, const char* features, int level, int relocation,
                                 int model);
  void (*dispose_machine)(LlvmMachine*);
  const char* (*data)(LlvmBuffer*);
  size_t (*size)(LlvmBuffer*);
  void (*dispose_buffer)(LlvmBuffer*);
  int (*emit)(LlvmMachine*, LlvmModule*, int kind, char** message, LlvmBuffer** object);

  LlvmPassOptions* (*create_pass_options)();
  void (*dispose_pass_options)(LlvmPassOptions*);
  LlvmError* (*run_passes)(LlvmModule*, const char* passes, LlvmMachine*, LlvmPassOptions*);
  char* (*take_message)(LlvmError*);
  void (*dispose_error_message)(char*);
  void (*consume)(LlvmError*);

  LlvmJitBuilder* (*create_jit_builder)();
  void (*set_layer)(LlvmJitBuilder*, LlvmObjectLayer* (*create)(void* user, LlvmSession*, const char* triple), void* user);
  LlvmObjectLayer* (*create_layer)(LlvmSession*);
  LlvmError* (*create_jit)(LlvmJit**, LlvmJitBuilder*);  // consumes the builder
  LlvmError* (*dispose_jit)(LlvmJit*);
  LlvmSession* (*session)(LlvmJit*);
  void (*set_reporter)(LlvmSession*, void (*report)(void* user, LlvmError*), void* user);  // report consumes the error
  LlvmDylib* (*main_dylib)(LlvmJit*);
  LlvmError* (*add_object)(LlvmJit*, LlvmDylib*, LlvmBuffer* object);  // consumes the object
  LlvmError* (*look_up)(LlvmJit*, uint64_t* address, const char* name);
};

// The newest version from 23 to 14 that the loader finds, or null. The first call loads it, which takes some 20 ms.
const Llvm* llvm();
// The reason why llvm() is null.
const std::string& reason_without_llvm();

// A thread calls functions of LLVM only as long as it has a Stay.
//
// The process ends without waiting for them, although the destructors of LLVM's variables run then: the thread that ends the process stops
// each thread that stays, where it executes LLVM's own code, by a signal whose handler never returns. There it has no lock of malloc or the
// loader, which the other destructors need. Only loading the library is waited for, since the loader waits for it in any case.
class Stay {
 public:
  Stay();  // throws CompileError after close()
  ~Stay();
  Stay(const Stay&) = delete;

 private:
  friend struct Stays;
  const bool is_outer_;
  const pthread_t thread_ = pthread_self();
  sigset_t mask_;
  std::atomic<bool> is_stopped_{false};
  Stay* next_ = nullptr;
};

// After close(), no Stay begins: an exception has gone through LLVM's functions, which are compiled without exceptions and leave their locks
// locked, or the process has begun to end.
void close();
bool is_closed();

}  // namespace wf::cpu::native
