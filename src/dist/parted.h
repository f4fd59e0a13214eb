// A column in parts. Part p has the elements from borders[p] to borders[p + 1], and copies of other parts' elements that it has read.
//
// The memory of each part has an address for every element of the column, so kernels use the same indices in all parts, and elements of other parts
// arrive where they are read. The system provides pages for the elements that are written alone.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "dist/communicator.h"
#include "memory/buffer.h"
#include "memory/interval.h"

namespace wf {

class Parted : public Elsewhere {
 public:
  // size: of an element, in bytes. Throws MemoryError.
  Parted(std::shared_ptr<Communicator> communicator, const std::shared_ptr<Pool>& pool, std::vector<int64_t> borders, size_t size);

  const std::vector<int64_t>& borders() const { return borders_; }
  // Element i is at i. Null if another process computes the part.
  const BufferRef& memory(int part) const { return memory_[size_t(part)]; }
  // Copies to each part the elements of its interval that it does not have.
  void provide(std::span<const Interval> intervals) const;
  void collect(const std::function<std::byte*()>& memory) const override;

 private:
  std::byte* address(int part, int64_t element) const;
  // Appends the messages of this process that copy the interval to part `to`, whose element 0 is at `target`.
  void append(std::vector<Message>& messages, const Interval& elements, int to, std::byte* target) const;

  const std::shared_ptr<Communicator> communicator_;
  const std::vector<int64_t> borders_;
  const size_t size_;
  std::vector<BufferRef> memory_;
  mutable std::mutex mutex_;
  mutable std::vector<std::vector<Interval>> present_;  // of each part, in order, apart from each other
};

// Borders of n elements in parts of about equal length.
std::vector<int64_t> even_borders(int64_t n, int parts);

}  // namespace wf
