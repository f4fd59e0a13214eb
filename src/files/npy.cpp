// NumPy's .npy format, versions 1 to 3: a magic string, a version, the length of the header, a header, elements. The header is a Python
// dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
#include "files/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "expr/fn.h"
#include "files/formats.h"
#include "lazy/shape.h"
#include "ops/printable.h"

namespace wf {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
  Type type;
  bool big_endian = false, fortran = false;
  std::vector<int64_t> extents;
};

// A reader of the dictionary.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  NpyHeader read() {
    bool has_type = false, has_order = false, has_shape = false;
    NpyHeader header;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") type(header), has_type = true;
      else if (key == "fortran_order") header.fortran = boolean(), has_order = true;
      else if (key == "shape") header.extents = tuple(), has_shape = true;
      else fail("the header has the unknown key \"" + printable(key, 40) + "\"");
      if (!accept(',') && !is_next('}')) fail("a comma or } is missing in the header");
    }
    skip();
    if (!rest_.empty()) fail("the header has text after its dictionary");
    if (!has_type || !has_order || !has_shape) fail("the header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw IoError(where_ + " is not a valid .npy file: " + what); }
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t\r"), rest_.size())); }
  bool is_next(char c) { return skip(), rest_.starts_with(c); }
  bool accept(char c) {
    if (!is_next(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("the header lacks the expected ") + c);
  }
  bool accept_word(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string string() {
    const char quote = is_next('"') ? '"' : '\'';
    expect(quote);
    const size_t end = rest_.find(quote);
    if (end == rest_.npos) fail("a string of the header has no end");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail("fortran_order is neither True nor False");
    return false;
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> extents;
    expect('(');
    while (!accept(')')) {
      skip();
      int64_t extent = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0) fail("an extent of the shape is not a number from 0 to 2^63 - 1");
      rest_.remove_prefix(size_t(end - rest_.data()));
      accept_word("L");  // Python 2
      extents.push_back(extent);
      if (!accept(',') && !is_next(')')) fail("a comma or ) is missing in the shape");
    }
    return extents;
  }
  // The byte order < (little), > (big), = (this machine's) or | (none), a letter for the kind and the number of bytes.
  void type(NpyHeader& header) {
    constexpr const char* codes[] = {"b1", "u1", "i4", "u4", "i8", "u8", "f4", "f8"};  // in the order of types.def
    static_assert(std::size(codes) == type_count);
    if (is_next('['))
      throw TypeError(where_ + " has structured elements; expected numbers or bools: write each field to an array of its own");
    const std::string text = string();
    if (!text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos)
      for (int k = 0; k < type_count; k++)
        if (text.substr(1) == codes[k]) {
          header.type = Type(k);
          header.big_endian = text[0] == '>';
          return;
        }
    throw TypeError(where_ + " has elements of dtype '" + printable(text, 40) +
                    "'; expected bool, uint8, int32, uint32, int64, uint64, float32 or float64: convert it with astype before it is saved");
  }

  std::string_view rest_;
  const std::string& where_;
};

void copy_swapped(std::byte* to, const std::byte* from, int64_t n, size_t size) {
  for (int64_t k = 0; k < n; k++, to += size, from += size) std::reverse_copy(from, from + size, to);
}

// The elements as the library stores them: a bool is 0 or 1, numbers are little-endian and aligned.
BufferRef elements_of(const NpyHeader& header, const Bytes& bytes, int64_t n, const std::shared_ptr<Pool>& pool) {
  const size_t size = size_of(header.type);
  const bool swapped = header.big_endian && size > 1;
  const auto* values = reinterpret_cast<const uint8_t*>(bytes.data);
  const bool is_clean = header.type != Type::Bool || std::all_of(values, values + n, [](uint8_t x) { return x <= 1; });
  if (n > 0 && !swapped && is_clean && reinterpret_cast<uintptr_t>(bytes.data) % size == 0) {
    const bool padded = bytes.padded && reinterpret_cast<uintptr_t>(bytes.data) % Pool::alignment == 0;
    return Buffer::adopt(
        bytes.data, bytes.size, [owner = bytes.owner] {}, padded);
  }
  BufferRef copy = Buffer::make(pool, bytes.size);
  if (n == 0) return copy;
  std::byte* to = copy->host_for_writing();
  if (swapped) copy_swapped(to, bytes.data, n, size);
  else if (!is_clean) std::transform(values, values + n, to, [](uint8_t x) { return std::byte(x != 0); });
  else std::memcpy(to, bytes.data, bytes.size);
  return copy;
}

struct PlacedHeader {
  NpyHeader header;
  int64_t elements;
  size_t start;  // of the elements
};

// The header of a file of `size` bytes, of which `text` has the first ones; nullopt if it ends after `text`.
std::optional<PlacedHeader> placed_header(std::string_view text, uint64_t size, AfterElements after, const std::string& where) {
  const auto fail = [&](const std::string& what) { throw IoError(where + " is not a valid .npy file: " + what); };
  if (!text.starts_with(npy_magic) || text.size() < 10) fail("it does not start as one");
  const int version = uint8_t(text[6]);
  if (version < 1 || version > 3) fail("its version is " + std::to_string(version) + "; expected 1, 2 or 3");
  const size_t prefix = version == 1 ? 10 : 12;
  if (text.size() < prefix) fail("it ends within the header");
  size_t length = 0;
  for (size_t k = prefix; k-- > 8;) length = length << 8 | uint8_t(text[k]);
  if (length > size - prefix) fail("it ends within the header");
  if (length > text.size() - prefix) return std::nullopt;
  const NpyHeader header = HeaderReader(text.substr(prefix, length), where).read();
  const std::optional<int64_t> n = element_count(header.extents, header.type);
  if (!n) fail("the size of its shape " + text_of(header.extents) + " overflows 64 bits");
  const uint64_t bytes = uint64_t(*n) * size_of(header.type), there = size - prefix - length;
  if (bytes > there || (bytes < there && after == AfterElements::Nothing))
    fail("it has " + std::to_string(there) + " bytes of elements, but its shape " + text_of(header.extents) + " of type " +
         std::string(name(header.type)) + " needs " + std::to_string(bytes));
  return PlacedHeader{header, *n, prefix + length};
}

}  // namespace

void check_npy(std::string_view first, uint64_t size, AfterElements after, const std::string& where) {
  placed_header(first, size, after, where);
}

FileArray parse_npy(const Bytes& file, AfterElements after, const std::string& where, const std::shared_ptr<Pool>& pool) {
  const auto [header, n, start] = *placed_header(file.text(), file.size, after, where);
  return {header.type, header.extents, elements_of(header, file.part(start, size_t(n) * size_of(header.type)), n, pool), header.fortran};
}

std::string npy_header(const ArrayToWrite& array) {
  constexpr const char* codes[] = {"|b1", "|u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"};
  std::string shape;
  for (int64_t extent : array.extents) shape += std::to_string(extent) + (array.extents.size() == 1 ? "," : ", ");
  if (array.extents.size() > 1) shape.resize(shape.size() - 2);
  std::string text = std::string("{'descr': '") + codes[int(array.type)] + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr size_t start = 10;
  text.append(63 - (start + text.size()) % 64, ' ').append("\n");
  const auto length = uint16_t(text.size());
  return std::string(npy_magic) + '\1' + '\0' + char(length & 255) + char(length >> 8) + text;
}

FileArray read_npy(const ReadRequest& request) {
  return parse_npy(map_file(request.path), AfterElements::Anything, quoted(request.path), request.pool);
}

void write_npy(const std::string& path, std::span<const ArrayToWrite> arrays) {
  const std::string header = npy_header(arrays[0]);
  const Bytes parts[] = {{reinterpret_cast<const std::byte*>(header.data()), header.size(), nullptr}, arrays[0].elements};
  write_file(path, parts);
}

}  // namespace wf
