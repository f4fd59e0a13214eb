// ZIP archives: members that are stored or deflated, with sizes of 64 bits. A member's checksum is compared when it is read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "files/file.h"
#include "memory/buffer.h"

namespace wf {

struct ZipMember {
  std::string name;
  uint64_t header;  // the offset of its local header
  uint64_t compressed, size;
  uint32_t checksum;
  uint16_t method, flags;
};

struct ZipPart {
  std::string name;
  std::vector<Bytes> contents;
};

// The list of the members, from the end of the archive. `path` is for messages. Throws IoError.
std::vector<ZipMember> zip_members(const Bytes& archive, const std::string& path);

// The bytes of a member: those of the archive if it is stored, and otherwise a buffer of the pool. Before memory for them is allocated, `check` is
// called with the first bytes, up to 64 KiB, and throws if they do not fit the size. Throws IoError, UnsupportedError.
Bytes read_zip_member(const Bytes& archive, const ZipMember& member, const std::string& where, const std::shared_ptr<Pool>& pool,
                      const std::function<void(std::string_view first, uint64_t size)>& check);

// An archive of stored members. The contents of each begin at a multiple of 64 bytes, so that they can be mapped.
void write_zip(const std::string& path, std::span<const ZipPart> parts);

}  // namespace wf
