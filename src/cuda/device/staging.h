// Copies of large pageable memory, by way of pinned memory: a few threads, each with a stream and two pinned chunks of its own, so
// that one chunk is filled or emptied while the other is on its way. Straight from pageable memory the driver copies with one
// thread: on an H200 and its 16 cores (CUDA 13.0, 2026-11-21) 256 MiB went in at 12 GB/s straight and at 40 GB/s by four threads, out
// at 20 and at 38; with 2 MiB a chunk, four threads come near what more or larger chunks reach.
#pragma once

#include <array>
#include <mutex>

#include "cuda/device/driver.h"

namespace wf::cuda {

class Staging {
 public:
  // Below this threads cost more than they bring.
  static constexpr size_t least = size_t(16) << 20;

  explicit Staging(CUcontext context) : context_(context) {}
  Staging(const Staging&) = delete;

  // Both come after what is in `queue` now, which a recorded event marks. False, and nothing done, where there is no pinned memory.
  //
  // Returns once the host memory may change; what comes in `queue` afterwards comes after the copy, which may be still going on.
  bool copy_in(CUdeviceptr to, const void* from, size_t bytes, CUstream queue, CUevent event);
  // Returns once the bytes are there.
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
  template <class Work>
  void on_all_lanes(Work work);
  void after_queue(CUstream queue, CUevent event);

  CUcontext context_;
  std::mutex mutex_;  // one copy at a time: together they would be no faster
  std::array<Lane, lanes> lanes_;
  bool tried_ = false, ready_ = false;
};

}  // namespace wf::cuda
