#include "cpu/map.h"

#include <cstring>

#include "cpu/program/columns.h"

namespace wf::cpu {

// Approximately the third-level cache that one core can use. (sysconf reports all of a processor's caches together, ten times as much.)
constexpr int64_t cache_bytes = int64_t(32) << 20;

bool worth_streaming(int64_t bytes) { return bytes > cache_bytes; }

void write_block(const void* from, void* to, int64_t bytes, bool stream) {
  if (stream) simd_tables().streams.copy(from, to, bytes);
  else std::memcpy(to, from, size_t(bytes));
}

}  // namespace wf::cpu
