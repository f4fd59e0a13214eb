// The compiler of native code needs memory and a stack.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "../random_function.h"
#include "cases.h"
#include "cpu/compiled_kernel.h"
#include "cpu/engine.h"
#include "cpu/native/tier.h"

using namespace native_cases;

#if !defined(__SANITIZE_THREAD__)
// The exit status of a child, or minus its signal.
static int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

// The exit status of a process that compiles functions with this many bytes of further memory, or its signal. 0: they were exhausted within
// LLVM. 1: they were not, or only in warpfold's own functions.
int status_with_memory(size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%ld", &pages) != 1) _exit(2);
      std::fclose(file);
    }
    const rlim_t limit = rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit both{limit, limit};
    if (setrlimit(RLIMIT_AS, &both) != 0) _exit(3);
    std::vector<Program> kept;
    for (int seed = 0; seed < 400; seed++) try {
        RandomFunction g{std::mt19937_64(uint64_t(seed)), {}, {}};
        kept.push_back(cpu::BlockProgram::compile(*g.function(), {}, true));
        cpu::native::compile({&kept.back(), 1});
      } catch (const std::exception&) {
        // The program stays interpreted.
      }
    _exit(cpu::native::is_closed() ? 0 : 1);
  }
  return status_of(child);
}

}  // namespace

// The first test: memory that others have freed would be used before the limit counts.
TEST(exhausted_memory_is_an_exception) {
  require_llvm();
  int in_llvm = 0;
  for (size_t kib : {500, 1000, 2000, 3000, 4000, 5000, 6000, 8000}) {
    const int status = status_with_memory(kib << 10);
    CHECK(status == 0 || status == 1);
    in_llvm += status == 0;
  }
  CHECK(in_llvm > 0);
}
#endif

#if !defined(__SANITIZE_THREAD__)
namespace {

struct Variable {
  ~Variable() { is_alive = false; }
  static inline std::atomic<bool> is_alive{true};
};

// The exit status of a process that ends during a job: 0 if the job could use a variable up to its end, else 1. The variable is constructed by
// the job itself, or by one before it.
int status_of_end_during_a_job(bool by_first_thread, bool by_the_last_job) {
  const pid_t child = fork();
  if (child == 0) {
    static std::atomic<bool> has_begun{false};
    const auto construct = [] { static const Variable variable; };
    const auto submit = [=] {
      cpu::native::in_background([] {});
      if (!by_the_last_job) cpu::native::in_background(construct);
      cpu::native::in_background([=] {
        if (by_the_last_job) construct();
        has_begun = true;
        usleep(200'000);
        if (!Variable::is_alive) _exit(1);
      });
    };
    if (by_first_thread) submit();
    else std::thread(submit).join();
    while (!has_begun) usleep(1000);
    std::exit(0);
  }
  return status_of(child);
}

}  // namespace

// Before the tests with jobs of this process: its children would have no compiler.
TEST(a_process_that_ends_waits_for_the_running_job) {
  require_llvm();
  CHECK_EQ(status_of_end_during_a_job(true, true), 0);
  CHECK_EQ(status_of_end_during_a_job(true, false), 0);
  CHECK_EQ(status_of_end_during_a_job(false, false), 0);
}
#endif

// The compiler has a stack of its own, from the first job of a process on: LLVM needs more than this caller has.
TEST(callers_with_small_stacks) {
  require_llvm();
  Kernel kernel;
  kernel.body = parse("(fn ((i i64)) (mul (cast f64 i) (sqrt (cast f64 i))))", capture_types);
  kernel.outputs.push_back(Type::F64);
  kernel.stores.push_back({0, 0});
  const cpu::CompiledKernel compiled(kernel, 1000);
  auto submit = [](void* to_compile) -> void* {
    cpu::native::in_background([to_compile] { static_cast<const cpu::CompiledKernel*>(to_compile)->compile_native(); });
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 32 << 10);
  pthread_t caller;
  CHECK_EQ(pthread_create(&caller, &attributes, submit, const_cast<cpu::CompiledKernel*>(&compiled)), 0);
  pthread_join(caller, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(compiled.program->native());
}

// The last test: nothing can be compiled after it.
TEST(a_failure_is_told) {
  require_llvm();
  cpu::native::close();
  const std::shared_ptr<Pool> pool = std::make_shared<Pool>();
  Kernel kernel;
  kernel.body = parse("(fn ((i i64)) (mul i i))", capture_types);
  kernel.outputs.push_back(Type::I64);
  kernel.stores.push_back({0, 0});
  const cpu::CompiledKernel compiled(kernel, 1000);
  CHECK_EQ(std::string(cpu::native::interpreted()), "interpreted");
  compiled.compile_native();
  CHECK(!compiled.is_native());
  const BufferRef outputs[] = {Buffer::make(pool, 1000 * sizeof(int64_t))};
  Launch launch{&kernel, 1000, {}, outputs, {}, {}};
  cpu::make_engine(pool)->run(launch);
  CHECK_EQ(std::string(launch.code), "interpreted: compiling a kernel for the CPU: memory was exhausted in LLVM before");
}
