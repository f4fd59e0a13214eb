// Stores: values of a block are copied to their offset in an output.
//
// Outputs that do not fit into the caches together with the inputs are written past them: a plain store reads a line before it overwrites it,
// so that a copy would move three words for every two.
#pragma once

#include <cstdint>

namespace wf::cpu {

// Returns true if a kernel that reads and writes that many bytes writes past the caches.
bool worth_streaming(int64_t bytes);

void write_block(const void* from, void* to, int64_t bytes, bool stream);

}  // namespace wf::cpu
