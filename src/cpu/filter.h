// Compaction of a chunk: the elements whose mask is 1 are stored contiguously in a buffer in L2. The buffer's offset in the output
// is known when the chunk on the left has published its count.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/columns.h"

namespace wf::cpu {

class Compactor {
 public:
  explicit Compactor(std::vector<Type> types) : types_(std::move(types)), targets_(types_.size()) {}

  // begin_buffered: a chunk of up to `room` elements. begin_direct: the only chunk, written straight to the outputs.
  void begin_buffered(int64_t room);
  void begin_direct(std::span<std::byte* const> outputs);
  void add(std::span<const void* const> columns, const uint8_t* mask, int64_t count);
  int64_t kept() const { return kept_; }
  // Copies the kept elements of a buffered chunk to the outputs from element `offset` on; past the caches with `stream`.
  void write(std::span<std::byte* const> outputs, int64_t offset, bool stream) const;
  void release() { buffer_ = {}; }  // the buffer is too large to keep between runs

 private:
  std::vector<Type> types_;
  std::vector<std::byte*> targets_;
  ColumnBlock buffer_;
  int64_t kept_ = 0;
};

}  // namespace wf::cpu
