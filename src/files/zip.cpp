// The format: a local header and the contents of each member; then the central directory, which has a header per member; then a record of
// the directory's place. Sizes and offsets of 32 bits that do not suffice are 0xffffffff, and an extra field or record has them in 64 bits.
#include "files/zip.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "engine/cancellation.h"
#include "engine/engine.h"

#ifdef WF_ZLIB
#include <zlib.h>
#endif

namespace wf {

#ifdef WF_ZLIB

namespace {

constexpr uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50, end64_mark = 0x06064b50,
                   locator_mark = 0x07064b50;
constexpr size_t local_size = 30, central_size = 46, end_size = 22, end64_size = 56, locator_size = 20;
constexpr uint32_t in_64_bits = 0xffffffff;

// Little-endian numbers at offsets of bytes; a read outside is an error.
class ZipBytes {
 public:
  ZipBytes(std::string_view text, const std::string& where) : text_(text), where_(where) {}
  uint64_t number(uint64_t offset, size_t size) const {
    const std::string_view bytes = part(offset, size);
    uint64_t x = 0;
    for (size_t k = size; k-- > 0;) x = x << 8 | uint8_t(bytes[k]);
    return x;
  }
  uint16_t u16(uint64_t offset) const { return uint16_t(number(offset, 2)); }
  uint32_t u32(uint64_t offset) const { return uint32_t(number(offset, 4)); }
  uint64_t u64(uint64_t offset) const { return number(offset, 8); }
  std::string_view part(uint64_t offset, uint64_t size) const {
    if (offset > text_.size() || size > text_.size() - offset) fail("it ends too early");
    return text_.substr(size_t(offset), size_t(size));
  }
  uint64_t size() const { return text_.size(); }
  [[noreturn]] void fail(const std::string& what) const { throw IoError(where_ + " is not a valid ZIP archive: " + what); }

 private:
  std::string_view text_;
  const std::string& where_;
};

struct Directory {
  uint64_t offset, members;
};

// The record at the end, after which there may be a comment of up to 65535 bytes.
Directory find_directory(const ZipBytes& zip) {
  if (zip.size() < end_size) zip.fail("it does not end as one");
  const uint64_t last = zip.size() - end_size, first = last > 65535 ? last - 65535 : 0;
  uint64_t end = last;
  while (zip.u32(end) != end_mark || end + end_size + zip.u16(end + 20) > zip.size())
    if (end-- == first) zip.fail("it does not end as one");
  const bool has_locator = end >= locator_size && zip.u32(end - locator_size) == locator_mark;
  if (!has_locator) return {zip.u32(end + 16), zip.u16(end + 10)};
  const uint64_t end64 = zip.u64(end - locator_size + 8);
  if (zip.u32(end64) != end64_mark) zip.fail("the record of its directory is missing");
  return {zip.u64(end64 + 48), zip.u64(end64 + 32)};
}

// Replaces those of the numbers that are in 64 bits by those of the extra field, which has them in this order.
void read_extra(const ZipBytes& zip, uint64_t offset, uint64_t size, std::span<uint64_t* const> numbers) {
  for (const uint64_t end = offset + size; offset + 4 <= end;) {
    const uint64_t tag = zip.u16(offset), next = offset + 4 + zip.u16(offset + 2);
    if (next > end) break;
    if (tag == 1) {
      uint64_t at = offset + 4;
      for (uint64_t* number : numbers)
        if (*number == in_64_bits && at + 8 <= next) *number = zip.u64(at), at += 8;
    }
    offset = next;
  }
}

uint32_t checksum_of(const Bytes& bytes, uint32_t before = 0) {
  constexpr int64_t at_once = int64_t(1) << 24;
  in_cancelable_pieces(int64_t(bytes.size), at_once, [&](int64_t begin, int64_t end) {
    before = uint32_t(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data + begin), size_t(end - begin)));
  });
  return before;
}

struct Inflated {
  size_t bytes;
  bool ended;  // the stream has no further bytes
};
// The first `size` bytes of a deflated stream.
Inflated inflate_to(std::byte* to, size_t size, std::string_view from) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  constexpr size_t most = size_t(1) << 22;  // at a time
  Bytef beyond;                             // zlib needs an address, even for no bytes
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
  stream.next_out = size > 0 ? reinterpret_cast<Bytef*>(to) : &beyond;
  size_t left_in = from.size(), left_out = size;
  for (int status = Z_OK; status == Z_OK;) {
    stop_if_canceled();
    const uInt in = stream.avail_in = uInt(std::min(most, left_in)), out = stream.avail_out = uInt(std::min(most, left_out));
    status = inflate(&stream, Z_NO_FLUSH);
    left_in -= in - stream.avail_in, left_out -= out - stream.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) return {size - left_out, true};
  }
  return {size - left_out, false};
}

// A header under construction.
struct ZipHeader {
  std::string text;
  template <class T> ZipHeader& add(T x) {
    for (size_t k = 0; k < sizeof x; k++) text += char(uint64_t(x) >> (8 * k) & 255);
    return *this;
  }
};

constexpr uint16_t version_64 = 45;
constexpr uint16_t date = 1 << 5 | 1;  // 1980-01-01: archives of equal arrays are equal

// The fields that local and central headers have in common, up to the length of the name. Sizes are in the extra field.
void add_common(ZipHeader& header, const std::string& name, uint32_t checksum) {
  header.add(version_64).add(uint16_t(1 << 11)).add(uint16_t(0)).add(uint16_t(0)).add(date);  // names in UTF-8, stored
  header.add(checksum).add(in_64_bits).add(in_64_bits).add(uint16_t(name.size()));
}

struct Placed {
  uint64_t header, size;
  uint32_t checksum;
};

// Appends the local header. An extra field of zeros makes the contents begin at a multiple of 64 bytes.
void add_local(std::string& text, const ZipPart& part, const Placed& placed) {
  ZipHeader header;
  const size_t extra = 4 + 16, start = placed.header + local_size + part.name.size() + extra + 4, padding = (64 - start % 64) % 64;
  add_common(header.add(local_mark), part.name, placed.checksum);
  header.add(uint16_t(extra + 4 + padding));
  header.text += part.name;
  header.add(uint16_t(1)).add(uint16_t(16)).add(placed.size).add(placed.size);
  header.add(uint16_t(0xd935)).add(uint16_t(padding));
  text += header.text + std::string(padding, '\0');
}

void add_central(ZipHeader& header, const ZipPart& part, const Placed& placed) {
  add_common(header.add(central_mark).add(version_64), part.name, placed.checksum);
  header.add(uint16_t(4 + 24)).add(uint16_t(0)).add(uint16_t(0)).add(uint16_t(0)).add(uint32_t(0)).add(in_64_bits);
  header.text += part.name;
  header.add(uint16_t(1)).add(uint16_t(24)).add(placed.size).add(placed.size).add(placed.header);
}

void add_end(ZipHeader& header, uint64_t members, uint64_t offset) {
  const uint64_t size = header.text.size(), end64 = offset + size;
  header.add(end64_mark).add(uint64_t(end64_size - 12)).add(version_64).add(version_64).add(uint32_t(0)).add(uint32_t(0));
  header.add(members).add(members).add(size).add(offset);
  header.add(locator_mark).add(uint32_t(0)).add(end64).add(uint32_t(1));
  header.add(end_mark)
      .add(uint16_t(0))
      .add(uint16_t(0))
      .add(uint16_t(0xffff))
      .add(uint16_t(0xffff))
      .add(in_64_bits)
      .add(in_64_bits)
      .add(uint16_t(0));
}

}  // namespace

std::vector<ZipMember> zip_members(const Bytes& archive, const std::string& path) {
  const ZipBytes zip(archive.text(), path);
  const Directory directory = find_directory(zip);
  if (directory.members > zip.size() / central_size) zip.fail("its directory is larger than the file");
  std::vector<ZipMember> members;
  uint64_t at = directory.offset;
  for (uint64_t k = 0; k < directory.members; k++) {
    if (zip.u32(at) != central_mark) zip.fail("its directory is damaged");
    const uint64_t name = zip.u16(at + 28), extra = zip.u16(at + 30), comment = zip.u16(at + 32);
    ZipMember member{std::string(zip.part(at + central_size, name)),
                     zip.u32(at + 42),
                     zip.u32(at + 20),
                     zip.u32(at + 24),
                     zip.u32(at + 16),
                     zip.u16(at + 10),
                     zip.u16(at + 8)};
    uint64_t* const numbers[] = {&member.size, &member.compressed, &member.header};
    zip.part(at + central_size + name, extra + comment);
    read_extra(zip, at + central_size + name, extra, numbers);
    members.push_back(std::move(member));
    at += central_size + name + extra + comment;
  }
  return members;
}

Bytes read_zip_member(const Bytes& archive, const ZipMember& member, const std::string& where, const std::shared_ptr<Pool>& pool,
                      const std::function<void(std::string_view first, uint64_t size)>& check) {
  const ZipBytes zip(archive.text(), where);
  if (member.flags & 1) throw UnsupportedError(where + " is encrypted; expected an archive without a password");
  if (zip.u32(member.header) != local_mark) zip.fail("a header is missing");
  const uint64_t start = member.header + local_size + zip.u16(member.header + 26) + zip.u16(member.header + 28);
  const std::string_view compressed = zip.part(start, member.compressed);
  Bytes contents;
  if (member.method == 0) {
    if (member.size != member.compressed) zip.fail("a stored member has two sizes");
    contents = archive.part(size_t(start), compressed.size());
  } else if (member.method == 8) {
    // A byte of a deflated stream makes at most 1032 bytes.
    if (member.size / 1032 > compressed.size())
      zip.fail("its " + std::to_string(compressed.size()) + " bytes cannot contain the stated " + std::to_string(member.size));
    std::string first(size_t(std::min<uint64_t>(member.size, 1 << 16)), 0);
    first.resize(inflate_to(reinterpret_cast<std::byte*>(first.data()), first.size(), compressed).bytes);
    check(first, member.size);
    BufferRef buffer = Buffer::make(pool, size_t(member.size));
    std::byte* to = buffer->host_for_writing();
    const Inflated contained = inflate_to(to, size_t(member.size), compressed);
    if (!contained.ended || contained.bytes != member.size) zip.fail("its compressed bytes are damaged");
    contents = {to, size_t(member.size), buffer, true};
  } else {
    throw UnsupportedError(where + " is compressed by method " + std::to_string(member.method) + "; expected stored or deflated members");
  }
  if (checksum_of(contents) != member.checksum) zip.fail("its checksum differs");
  return contents;
}

void write_zip(const std::string& path, std::span<const ZipPart> parts) {
  std::vector<std::string> headers(parts.size());
  std::vector<Bytes> all;
  ZipHeader directory;
  uint64_t offset = 0;
  for (size_t k = 0; k < parts.size(); k++) {
    Placed placed{offset, 0, 0};
    for (const Bytes& bytes : parts[k].contents) placed.size += bytes.size, placed.checksum = checksum_of(bytes, placed.checksum);
    add_local(headers[k], parts[k], placed);
    all.push_back({reinterpret_cast<const std::byte*>(headers[k].data()), headers[k].size(), nullptr});
    all.insert(all.end(), parts[k].contents.begin(), parts[k].contents.end());
    add_central(directory, parts[k], placed);
    offset += headers[k].size() + placed.size;
  }
  add_end(directory, parts.size(), offset);
  all.push_back({reinterpret_cast<const std::byte*>(directory.text.data()), directory.text.size(), nullptr});
  write_file(path, all);
}

#else

[[noreturn]] static void no_zlib() {
  throw UnsupportedError(
      "this build of the library has no support for .npz: install zlib1g-dev, and configure and build the library again");
}
std::vector<ZipMember> zip_members(const Bytes&, const std::string&) { no_zlib(); }
Bytes read_zip_member(const Bytes&, const ZipMember&, const std::string&, const std::shared_ptr<Pool>&,
                      const std::function<void(std::string_view, uint64_t)>&) {
  no_zlib();
}
void write_zip(const std::string&, std::span<const ZipPart>) { no_zlib(); }

#endif

}  // namespace wf
