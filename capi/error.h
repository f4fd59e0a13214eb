// The message of the last failure on each thread. A message of usual length lives in a fixed buffer, so that reporting
// an exhausted memory needs none; longer ones, such as a compiler's log, are kept whole where there is memory for them.
#pragma once

#include <cstdint>
#include <string_view>

namespace wf::capi {

// Remembers "function: text" and returns the code.
int32_t fail(int32_t code, const char* function, std::string_view text) noexcept;

// Writes text to the caller as warpfold.h promises for all text; returns false where the arguments are unusable.
bool copy_text(std::string_view text, char* buffer, int64_t capacity, int64_t* needed) noexcept;

}  // namespace wf::capi
