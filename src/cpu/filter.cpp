#include "cpu/filter.h"

#include <algorithm>

#include "cpu/map.h"

namespace wf::cpu {

void Compactor::begin_buffered(int64_t room) {
  if (buffer_.capacity() < room) buffer_ = ColumnBlock(types_, room);
  for (size_t k = 0; k < types_.size(); k++) targets_[k] = buffer_.at(int(k));
  kept_ = 0;
}

void Compactor::begin_direct(std::span<std::byte* const> outputs) {
  std::ranges::copy(outputs, targets_.begin());
  kept_ = 0;
}

void Compactor::add(std::span<const void* const> columns, const uint8_t* mask, int64_t count) {
  const simd::CompressTable& table = simd_tables().compresses;
  int64_t more = 0;
  for (size_t k = 0; k < types_.size(); k++) {
    const int64_t size = int64_t(size_of(types_[k]));
    more = table.of_size(size)(columns[k], mask, count, targets_[k] + kept_ * size);
  }
  kept_ += types_.empty() ? table.count(mask, count) : more;
}

void Compactor::write(std::span<std::byte* const> outputs, int64_t offset, bool stream) const {
  for (size_t k = 0; k < types_.size(); k++) {
    const int64_t size = int64_t(size_of(types_[k]));
    write_block(targets_[k], outputs[k] + offset * size, kept_ * size, stream);
  }
}

}  // namespace wf::cpu
