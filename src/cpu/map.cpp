#include "cpu/map.h"

#include <unistd.h>

#include <cstring>

#include "cpu/columns.h"

namespace wf::cpu {

bool worth_streaming(int64_t bytes) {
  static const int64_t cache = [] {
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return size > 0 ? int64_t(size) : int64_t(32) << 20;
  }();
  return bytes > cache;
}

void write_block(const void* from, void* to, int64_t bytes, bool stream) {
  if (stream) simd_tables().streams.copy(from, to, bytes);
  else std::memcpy(to, from, size_t(bytes));
}

}  // namespace wf::cpu
