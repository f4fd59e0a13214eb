// Jobs in the background, as compilations of kernels that are interpreted in the meantime.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace wf {

// A thread that runs jobs one after another. It is started by the first job, has a stack of 8 MiB, since a caller's may be too small for a compiler, and
// blocks all signals. Objects are never destroyed, since the thread may run while the process ends. In a forked process, which has no such thread, jobs are
// dropped. Any thread may call.
class Background {
 public:
  // The job must not throw.
  void submit(const void* owner, std::function<void()> job);
  // Drops the jobs of that owner, or all if it is null, and waits for the end of the one that runs.
  void drop(const void* owner);
  // Drops all jobs, now and from now on, and waits for the end of the one that runs.
  void close();

 private:
  struct Job {
    const void* owner;
    std::function<void()> run;
  };
  bool start();
  static void* run_on_thread(void* self);
  [[noreturn]] void run();

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool has_thread_ = false, is_closed_ = false, is_running_ = false;
  const void* owner_ = nullptr;  // of the job that runs
};

}  // namespace wf
