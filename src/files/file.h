// The bytes of files: read through a mapping, written to a new file that then replaces the old one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "engine/io_error.h"

namespace wf {

// The path as messages name it.
std::string quoted(const std::string& path);

// Bytes that stay valid as long as their owner does.
struct Bytes {
  const std::byte* data = nullptr;
  size_t size = 0;
  std::shared_ptr<const void> owner;
  bool padded = false;  // the memory is readable to the next multiple of 64 bytes: see Buffer

  std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
  Bytes part(size_t from, size_t count) const { return {data + from, count, owner, padded}; }
};

// All of a regular file, memory-mapped and read on demand. It must not shrink while the bytes are in use. Throws IoError with the system's
// reason; a directory, pipe, socket or device is an error, too.
Bytes map_file(const std::string& path);

// Writes the parts, one after another, to a new file in the same folder, and renames it to `path` when it is complete. So a failure leaves the
// old file as it was, and mappings of the old file stay valid. Throws IoError.
void write_file(const std::string& path, std::span<const Bytes> parts);

}  // namespace wf
