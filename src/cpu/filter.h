// Compaction of a chunk: the elements whose mask holds go side by side into a buffer in L2, whose place in the output is known
// when the chunk on the left has counted its own.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/columns.h"

namespace wf::cpu {

class Compactor {
 public:
  explicit Compactor(std::vector<Type> types) : types_(std::move(types)), targets_(types_.size()) {}

  // For a chunk of `room` elements; straight into the outputs where it is the only chunk.
  void begin_buffered(int64_t room);
  void begin_direct(std::span<std::byte* const> outputs);
  void add(std::span<const void* const> columns, const uint8_t* mask, int64_t count);
  int64_t kept() const { return kept_; }
  // Copies what a buffered chunk has kept to element `offset` of the outputs; past the caches with `stream`.
  void write(std::span<std::byte* const> outputs, int64_t offset, bool stream) const;
  void release() { buffer_ = {}; }  // the buffer is too large to be kept from run to run

 private:
  std::vector<Type> types_;
  std::vector<std::byte*> targets_;
  Block buffer_;
  int64_t kept_ = 0;
};

}  // namespace wf::cpu
