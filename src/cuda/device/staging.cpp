#include "cuda/device/staging.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <future>
#include <vector>

namespace wf::cuda {
namespace {

// Threads that start during its lifetime block all signals, so that only the caller's threads handle them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

// The pinned memory is kept: pinning takes longer than most copies.
bool Staging::is_ready() {
  if (tried_) return ready_;
  tried_ = true;
  const ContextDriver& d = context_.driver();
  for (Lane& lane : lanes_) {
    check(d.cuStreamCreate(&lane.stream, stream_non_blocking), "creating a stream");
    for (int k = 0; k < 2; k++) {
      void* memory = nullptr;
      if (d.cuMemHostAlloc(&memory, chunk, host_portable) != 0) return false;
      lane.chunks[k] = static_cast<std::byte*>(memory);
      check(d.cuEventCreate(&lane.events[k], event_no_timing), "creating an event");
    }
  }
  return ready_ = true;
}

// Calls work(driver, lane's number) for every lane: the first in this thread, each of the others in its own thread.
template <class Work> void Staging::on_all_lanes(Work work) {
  std::vector<std::future<void>> others;
  {
    SignalsBlocked blocked;
    for (int k = 1; k < lanes; k++) others.push_back(std::async(std::launch::async, [&, k] { work(context_.driver(), k); }));
  }
  work(context_.driver(), 0);
  for (auto& other : others) other.get();
}

void Staging::after_queue(CUstream queue, CUevent event) {
  const ContextDriver& d = context_.driver();
  check(d.cuEventRecord(event, queue), "recording an event");
  for (Lane& lane : lanes_) check(d.cuStreamWaitEvent(lane.stream, event, 0), "waiting for an event");
}

bool Staging::copy_in(CUdeviceptr to, const void* from, size_t bytes, CUstream queue, CUevent event) {
  std::lock_guard lock(mutex_);
  if (!is_ready()) return false;
  after_queue(queue, event);
  on_all_lanes([&](const ContextDriver& d, int number) {
    Lane& lane = lanes_[size_t(number)];
    int k = 0;
    for (size_t at = size_t(number) * chunk; at < bytes; at += lanes * chunk, k ^= 1) {
      const size_t count = std::min(chunk, bytes - at);
      check(d.cuEventSynchronize(lane.events[k]), "waiting for a copy");
      std::memcpy(lane.chunks[k], static_cast<const std::byte*>(from) + at, count);
      check(d.cuMemcpyHtoDAsync(to + at, lane.chunks[k], count, lane.stream), "copying to the device");
      check(d.cuEventRecord(lane.events[k], lane.stream), "recording an event");
    }
  });
  // Either event may be the last in a lane's stream.
  for (Lane& lane : lanes_)
    for (CUevent last : lane.events) check(context_.driver().cuStreamWaitEvent(queue, last, 0), "waiting for an event");
  return true;
}

bool Staging::copy_out(void* to, CUdeviceptr from, size_t bytes, CUstream queue, CUevent event) {
  std::lock_guard lock(mutex_);
  if (!is_ready()) return false;
  after_queue(queue, event);
  on_all_lanes([&](const ContextDriver& d, int number) {
    Lane& lane = lanes_[size_t(number)];
    auto start = [&](size_t at, int k) {
      if (at >= bytes) return;
      check(d.cuMemcpyDtoHAsync(lane.chunks[k], from + at, std::min(chunk, bytes - at), lane.stream), "copying from the device");
      check(d.cuEventRecord(lane.events[k], lane.stream), "recording an event");
    };
    const size_t first = size_t(number) * chunk;
    start(first, 0);
    int k = 0;
    for (size_t at = first; at < bytes; at += lanes * chunk, k ^= 1) {
      start(at + lanes * chunk, k ^ 1);
      check(d.cuEventSynchronize(lane.events[k]), "waiting for a copy");
      std::memcpy(static_cast<std::byte*>(to) + at, lane.chunks[k], std::min(chunk, bytes - at));
    }
  });
  return true;
}

}  // namespace wf::cuda
