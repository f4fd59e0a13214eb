// The compiler of native code: its price, its memory, its stack, and the end of the process while it runs.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
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

namespace {

// v[k + 1] = v[k] * v[k] + k, a thousand times and more: LLVM needs seconds.
Program long_program(int steps) {
  std::string text = "(fn ((i i64)) (let ((v0 i)";
  for (int k = 0; k < steps; k++) {
    const std::string v = "v" + std::to_string(k);
    text += " (v" + std::to_string(k + 1) + " (add (mul " + v + " " + v + ") " + std::to_string(k) + ":i64))";
  }
  return cpu::BlockProgram::compile(*parse(text + ") v" + std::to_string(steps) + "))"), {}, true);
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

TEST(the_price_is_an_estimate_by_instructions) {
  const Program few = long_program(10), many = long_program(1000), too_many = long_program(20000);
  const int64_t low = cpu::native::price({&few, 1}, {}), high = cpu::native::price({&many, 1}, {});
  CHECK(low < cpu::native::least_price);
  CHECK(high > 20 * low && high < cpu::native::most_price);
  CHECK(cpu::native::price({&too_many, 1}, {}) > cpu::native::most_price);
  // Each piece of an `append` is a function, which takes LLVM as long as thirty operations.
  std::string pieces = "(at $0 i)";
  for (int k = 1; k <= 300; k++) {
    const std::string begin = std::to_string(100 * k) + ":i64";
    pieces = "(where (lt i " + begin + ") (at $0 (sub i " + begin + ")) " + pieces + ")";
  }
  const Program appended = cpu::BlockProgram::compile(*parse("(fn ((i i64)) " + pieces + ")", capture_types), {}, true);
  CHECK(cpu::native::price({&appended, 1}, {}) > cpu::native::most_price);
}

TEST(kernels_that_are_too_long_stay_interpreted) {
  require_llvm();
  Kernel kernel;
  kernel.body = parse("(fn ((i i64)) (add i 1:i64))");
  kernel.outputs.push_back(Type::I64);
  kernel.stores.push_back({0, 0});
  const cpu::CompiledKernel compiled(kernel, 1000);
  const_cast<Program&>(compiled.program) = long_program(20000);
  const double began = seconds();
  compiled.compile_native();
  CHECK(seconds() - began < 1);
  CHECK(!compiled.is_native());
}

TEST(a_kernel_is_due_once_it_has_cost_its_price) {
  if (cpu::native::interpretation() != cpu::native::Setting::at_first) throw check::Skip{"WARPFOLD_INTERPRET is set"};
  const int64_t of_first = 200'000'000;  // the first kernel of a process pays for loading LLVM
  const auto price = [](int64_t nanoseconds) { return [=] { return nanoseconds; }; };
  cpu::native::Tier cheap(true), costly(true), too_long(true), never(false);
  CHECK(!cheap.take_due(price(1)));
  for (cpu::native::Tier* tier : {&cheap, &costly, &too_long, &never}) tier->add(of_first);
  CHECK(cheap.take_due(price(1)));
  CHECK(!cheap.take_due(price(1)));
  CHECK(!costly.take_due(price(3 * of_first)));
  costly.add(3 * of_first);
  CHECK(costly.take_due(price(3 * of_first)));
  too_long.add(100 * cpu::native::most_price);
  CHECK(!too_long.take_due(price(cpu::native::most_price + 1)));
  CHECK(!too_long.waits());
  CHECK(!never.take_due(price(1)));
}

#if !defined(__SANITIZE_THREAD__)
namespace {

// The status of a process that ends during a job, and the seconds that its end takes.
struct End {
  int status;
  double seconds;
};
End end_during(bool by_first_thread, int microseconds, void (*job)()) {
  auto* const ended = static_cast<double*>(mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = fork();
  if (child == 0) {
    static std::atomic<bool> has_begun{false};
    const auto submit = [=] {
      const double began = seconds();
      cpu::native::in_background([=] {
        has_begun = true;
        job();
      });
      if (seconds() - began > 0.5) _exit(9);  // the caller has waited for the job
    };
    if (by_first_thread) submit();
    else std::thread(submit).join();
    while (!has_begun) usleep(100);
    usleep(useconds_t(microseconds));
    *ended = seconds();
    std::exit(0);
  }
  const int status = status_of(child);
  const End end{status, seconds() - *ended};
  munmap(ended, sizeof(double));
  return end;
}

// LLVM's part begins after some ms. It throws if the process has begun to end by then.
void compile_for_seconds() try {
  static const Program program = long_program(4000);
  cpu::native::compile({&program, 1});
} catch (const CompileError&) {}

}  // namespace

// Before the tests with jobs of this process: its children would have no compiler. The bound is 50 ms on an idle machine.
TEST(a_process_that_ends_waits_for_no_compilation) {
  require_llvm();
  setenv("WARPFOLD_CACHE", "0", 1);
  for (const bool by_first_thread : {true, false})
    for (const int microseconds : {0, 50'000, 150'000, 300'000, 500'000}) {
      const End end = end_during(by_first_thread, microseconds, compile_for_seconds);
      CHECK_EQ(end.status, 0);
      CHECK(end.seconds < 0.5);
    }
  unsetenv("WARPFOLD_CACHE");
}

TEST(a_process_that_ends_waits_for_no_other_work_of_a_job) {
  const End end = end_during(true, 0, [] { usleep(3'000'000); });
  CHECK_EQ(end.status, 0);
  CHECK(end.seconds < 0.5);
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
  for (int k = 0; k < 10'000 && !compiled.program->native(); k++) usleep(1000);
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
  CHECK_EQ(std::string(launch.code),
           "interpreted: compiling a kernel for the CPU: memory was exhausted in LLVM before, or the process ends");
}
