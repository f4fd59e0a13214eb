// The message of the last failure on each thread. A message of usual length is stored in a fixed buffer, so that reporting
// exhausted memory allocates nothing. A longer one, such as a compiler's log, is stored whole if there is memory for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace wf::capi {

// Remembers "function: text" and returns the code.
int32_t fail(int32_t code, const char* function, std::string_view text) noexcept;

// Copies text to the caller by the rules of warpfold.h. Returns true if the arguments are valid.
bool copy_text(std::string_view text, char* buffer, int64_t capacity, int64_t* needed) noexcept;

}  // namespace wf::capi
