// Text of files and users in messages: valid UTF-8 without control characters, in which other bytes are written as \xNN.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wf {

// The bytes of the character that the text begins with, or 0 if that is no valid UTF-8 or a control character.
size_t printable_prefix(std::string_view text);

// "\xNN"
struct EscapedByte {
  explicit EscapedByte(char byte);
  std::string_view text() const { return {digits, sizeof digits}; }
  char digits[4];
};

// All of the text, or about the first `most` bytes and "...".
std::string printable(std::string_view text, size_t most = std::string_view::npos);

}  // namespace wf
