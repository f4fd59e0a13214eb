#include "error.h"

#include <algorithm>
#include <cstring>

#include "warpfold.h"

namespace wf::capi {

namespace {
struct LastError {
  int32_t code = WF_OK;
  size_t size = 0;
  char text[4000];
};
thread_local LastError last_error;

// As much of `text` as `room` bytes hold without cutting a character of UTF-8 in two.
size_t whole_characters(std::string_view text, size_t room) {
  if (text.size() <= room) return text.size();
  while (room > 0 && (text[room] & 0xC0) == 0x80) room--;
  return room;
}

void append(std::string_view text) {
  size_t size = whole_characters(text, sizeof last_error.text - last_error.size);
  std::memcpy(last_error.text + last_error.size, text.data(), size);
  last_error.size += size;
}
}  // namespace

int32_t fail(int32_t code, const char* function, std::string_view text) noexcept {
  last_error.code = code;
  last_error.size = 0;
  append(function);
  append(": ");
  append(text);
  return code;
}

bool copy_text(std::string_view text, char* buffer, int64_t capacity, int64_t* needed) noexcept {
  if (capacity < 0 || (capacity > 0 && !buffer)) return false;
  if (needed) *needed = int64_t(text.size()) + 1;
  if (capacity > 0) {
    size_t size = whole_characters(text, size_t(capacity) - 1);
    std::memcpy(buffer, text.data(), size);
    buffer[size] = 0;
  }
  return true;
}

}  // namespace wf::capi

int32_t wf_error_message(char* buffer, int64_t capacity, int64_t* needed) {
  using namespace wf::capi;
  copy_text({last_error.text, last_error.size}, buffer, capacity, needed);
  return last_error.code;
}
