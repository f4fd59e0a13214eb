#include "checks/error.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "expr/of_thread.h"
#include "ops/printable.h"
#include "warpfold.h"

namespace wf::capi {

namespace {
struct LastError {
  int32_t code = WF_OK;
  size_t size = 0, capacity = 0;
  char usual[1000] = {};
};
constinit thread_local LastError last_error;
// Holds a text that does not fit in `usual`, such as a compiler's log, or nothing.
constinit thread_local OfThread<std::unique_ptr<char[]>> longer;

char* text_of_last_error() {
  const std::unique_ptr<char[]>* text = longer.known();
  return text && *text ? text->get() : last_error.usual;
}

// Provides space for `size` bytes, or for those of `usual` if memory is exhausted.
void reserve(size_t size) noexcept {
  last_error.size = 0;
  last_error.capacity = sizeof last_error.usual;
  if (longer.known()) longer.get() = nullptr;
  if (size <= last_error.capacity) return;
  try {
    longer.get() = std::make_unique<char[]>(size);
    last_error.capacity = size;
  } catch (const std::bad_alloc&) {}
}

// The size of the longest prefix of `text` that fits in `size` bytes and does not split a UTF-8 character.
size_t whole_characters(std::string_view text, size_t size) {
  if (text.size() <= size) return text.size();
  while (size > 0 && (text[size] & 0xC0) == 0x80) size--;
  return size;
}

// Calls f with the parts of the text, in which bytes that are not printable are escaped, except line feeds and tabs, as in a compiler's log.
template <class F> void for_printable(std::string_view text, const F& f) {
  while (!text.empty()) {
    const size_t size = text[0] == '\n' || text[0] == '\t' ? 1 : printable_prefix(text);
    f(size > 0 ? text.substr(0, size) : EscapedByte(text[0]).text());
    text.remove_prefix(size > 0 ? size : 1);
  }
}

void append(std::string_view text) {
  bool fits = true;
  for_printable(text, [&](std::string_view part) {
    fits = fits && part.size() <= last_error.capacity - last_error.size;
    if (!fits) return;
    std::memcpy(text_of_last_error() + last_error.size, part.data(), part.size());
    last_error.size += part.size();
  });
}
}  // namespace

int32_t fail(int32_t code, const char* function, std::string_view text) noexcept {
  last_error.code = code;
  constexpr std::string_view colon = ": ";
  size_t size = std::strlen(function) + colon.size();
  for_printable(text, [&](std::string_view part) { size += part.size(); });
  reserve(size);
  append(function);
  append(colon);
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
  copy_text({text_of_last_error(), last_error.size}, buffer, capacity, needed);
  return last_error.code;
}
