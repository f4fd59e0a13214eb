#include "ops/printable.h"

#include <cstdint>

namespace wf {

size_t printable_prefix(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t k) { return uint32_t(uint8_t(text[k])); };
  const uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  uint32_t code = first & (0x7fu >> size);
  for (size_t k = 1; k < size; k++) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};  // U+0080 to U+009F are control characters
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[size] && code <= 0x10ffff && !is_surrogate ? size : 0;
}

EscapedByte::EscapedByte(char byte) : digits{'\\', 'x'} {
  constexpr char hexadecimal[] = "0123456789abcdef";
  digits[2] = hexadecimal[uint8_t(byte) >> 4];
  digits[3] = hexadecimal[uint8_t(byte) & 15];
}

std::string printable(std::string_view text, size_t most) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= most) return out + "...";
    const size_t size = printable_prefix(text);
    out += size > 0 ? text.substr(0, size) : EscapedByte(text[0]).text();
    text.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

}  // namespace wf
