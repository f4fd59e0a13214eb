// Copies of large pageable memory through pinned memory, by a few threads. Each thread has a stream and two pinned chunks, so that one
// chunk is filled or emptied while the other is transferred. A direct copy from pageable memory uses one thread in the
// driver, which is much slower than the bus. With chunks of 2 MiB, four threads are nearly as fast as more threads or larger chunks
// (bench/results/gpu.md).
#pragma once

#include <array>
#include <mutex>

#include "cuda/device/driver.h"

namespace wf::cuda {

class Staging {
 public:
  // Below this many bytes threads cost more than they save.
  static constexpr size_t least = size_t(16) << 20;

  explicit Staging(const DeviceContext& context) : context_(context) {}
  Staging(const Staging&) = delete;

  // Both copies run after the work that is in `queue` now; they record `event` to wait for it. Both return false, and copy nothing, if
  // pinned memory cannot be allocated.
  //
  // Returns when the host memory may change. The transfer may still be running; later work in `queue` waits for it.
  bool copy_in(CUdeviceptr to, const void* from, size_t bytes, CUstream queue, CUevent event);
  // Returns when the bytes are in host memory.
  bool copy_out(void* to, CUdeviceptr from, size_t bytes, CUstream queue, CUevent event);

 private:
  static constexpr int lanes = 4;
  static constexpr size_t chunk = size_t(2) << 20;
  struct Lane {
    CUstream stream = nullptr;
    CUevent events[2] = {};  // a chunk's last copy
    std::byte* chunks[2] = {};
  };

  bool is_ready();
  template <class Work> void on_all_lanes(Work work);
  void after_queue(CUstream queue, CUevent event);

  const DeviceContext context_;
  std::mutex mutex_;  // one copy at a time: concurrent copies would not be faster
  std::array<Lane, lanes> lanes_;
  bool tried_ = false, ready_ = false;
};

}  // namespace wf::cuda
