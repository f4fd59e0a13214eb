#include "engine/background.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace wf {

void Background::submit(const void* owner, std::function<void()> job) {
  if (getpid() != process_) return;
  std::lock_guard lock(mutex_);
  if (is_closed_) return;
  if (!has_thread_) has_thread_ = start();
  if (!has_thread_) return;  // the system has no further thread
  jobs_.push_back({owner, std::move(job)});
  changed_.notify_all();
}

void Background::drop(const void* owner) {
  if (getpid() != process_) return;
  std::unique_lock lock(mutex_);
  std::erase_if(jobs_, [&](const Job& job) { return !owner || job.owner == owner; });
  changed_.wait(lock, [&] { return !is_running_ || (owner && owner_ != owner); });
}

void Background::close() {
  if (getpid() != process_) return;
  {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  drop(nullptr);
}

bool Background::start() {
  constexpr size_t stack_bytes = 8 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool is_started = pthread_create(&thread, &attributes, run_on_thread, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return is_started;
}

void* Background::run_on_thread(void* self) { static_cast<Background*>(self)->run(); }

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !jobs_.empty(); });
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    is_running_ = true, owner_ = job.owner;
    lock.unlock();
    job.run();
    job.run = nullptr;  // what it holds is released before the owner goes on
    lock.lock();
    is_running_ = false;
    changed_.notify_all();
  }
}

}  // namespace wf
