// A queue's pinned memory, scratch memory and records of indices out of range.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include "cuda/device/device.h"
#include "engine/engine.h"
#include "engine/index_error.h"

namespace wf::cuda {

uint64_t* Queue::results(size_t words) {
  if (!announced_ || words > result_words_) {
    // The old block is not freed: a run that failed may still write to it.
    result_words_ = std::max<size_t>(words, 512);
    void* block = nullptr;
    check(driver().cuMemHostAlloc(&block, (1 + result_words_) * sizeof(uint64_t), host_portable | host_mapped), "allocating pinned memory");
    announced_ = static_cast<uint64_t*>(block);
  }
  *announced_ = 0;
  return const_cast<uint64_t*>(announced_) + 1;
}

void Queue::wait_for_results() {
  constexpr std::chrono::microseconds longest_poll(100);
  const auto end = std::chrono::steady_clock::now() + longest_poll;
  while (*announced_ == 0) {
    if (std::chrono::steady_clock::now() < end) continue;
    check(driver().cuStreamSynchronize(stream), "running a kernel");
    break;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
}

CUdeviceptr Queue::scratch(size_t bytes) {
  if (bytes > scratch_bytes_) {
    const CUdeviceptr old = std::exchange(scratch_, 0);
    scratch_bytes_ = 0;
    const size_t size = std::max<size_t>(bytes + bytes / 4, size_t(1) << 20);
    const CUresult result = driver().cuMemAllocAsync(&scratch_, size, stream);
    if (result == out_of_memory)
      throw MemoryError("GPU memory is exhausted: a kernel needs " + std::to_string(size) + " bytes of scratch memory");
    check(result, "allocating scratch memory");
    scratch_bytes_ = size;
    if (old) {
      check(driver().cuMemcpyDtoDAsync(scratch_, old, kept, stream), "keeping scratch memory");
      check(driver().cuMemFreeAsync(old, stream), "freeing scratch memory");
    } else {
      check(driver().cuMemsetD8Async(scratch_, 0, kept, stream), "clearing scratch memory");
      void* any = nullptr;
      check(driver().cuMemHostAlloc(&any, sizeof(uint64_t), host_portable | host_mapped), "allocating pinned memory");
      any_fault_ = static_cast<uint64_t*>(any);
      *any_fault_ = 0;
      for (uint32_t record = 0; record < fault_records; record++) clear_fault(record);
    }
  }
  return scratch_;
}

CUdeviceptr Queue::zeros(size_t bytes) {
  if (zeros_used_ + bytes > zeros_bytes_) {
    if (bytes > zeros_bytes_) {
      if (zeros_) check(driver().cuMemFreeAsync(std::exchange(zeros_, 0), stream), "freeing scratch memory");
      zeros_bytes_ = 0;
      const size_t size = std::max<size_t>(2 * bytes, size_t(1) << 20);
      const CUresult result = driver().cuMemAllocAsync(&zeros_, size, stream);
      if (result == out_of_memory)
        throw MemoryError("GPU memory is exhausted: a kernel needs " + std::to_string(size) + " bytes of scratch memory");
      check(result, "allocating scratch memory");
      zeros_bytes_ = zeros_used_ = size;
    }
    check(driver().cuMemsetD8Async(zeros_, 0, zeros_used_, stream), "clearing scratch memory");
    zeros_used_ = 0;
  }
  return zeros_ + std::exchange(zeros_used_, zeros_used_ + bytes);
}

void Queue::clear_fault(uint32_t record) {
  Fault none;
  none.any = const_cast<uint64_t*>(any_fault_);
  check(driver().cuMemcpyHtoDAsync(scratch_ + fault_at(record), &none, sizeof none, stream), "clearing a record of faults");
}

std::optional<uint32_t> Queue::reserve_fault() {
  const auto record = uint32_t(std::countr_one(reserved_faults_));
  if (record >= fault_records) return std::nullopt;
  reserved_faults_ |= 1u << record;
  return record;
}

void Queue::throw_first_fault(std::vector<uint32_t>* deferred) {
  std::vector<uint32_t> records;
  if (deferred) records.swap(*deferred);
  for (uint32_t record : records) reserved_faults_ &= ~(1u << record);
  records.insert(records.end(), {1, 0});
  if (!any_fault_ || *any_fault_ == 0) return;
  unsigned char copies[fault_records * fault_bytes];
  check(driver().cuMemcpyDtoHAsync(copies, scratch(kept) + faults_at, sizeof copies, stream), "reading records of faults");
  check(driver().cuStreamSynchronize(stream), "reading records of faults");
  const auto fault_of = [&](uint32_t record) {
    Fault fault;
    std::memcpy(&fault, copies + record * fault_bytes, sizeof fault);
    return fault;
  };
  std::optional<Fault> first;
  uint32_t left = 0;  // faults of records that another thread's force looks at
  for (uint32_t record = 0; record < fault_records; record++) left += fault_of(record).at != ~uint64_t(0);
  for (uint32_t record : records) {
    const Fault fault = fault_of(record);
    if (fault.at == ~uint64_t(0)) continue;
    clear_fault(record);
    left--;
    if (!first) first = fault;
  }
  *any_fault_ = left;
  if (first) throw_index_error(first->index, int64_t(first->at), first->length);
}

}  // namespace wf::cuda
