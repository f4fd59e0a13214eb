// Lines of a cache, and how far ahead of a read to prefetch them.
#pragma once

namespace wf::cpu {

constexpr int bytes_of_line = 64;
// Two pages, since a processor's own prefetchers stop at the end of a page (bench/results/cpu.md).
constexpr int bytes_ahead = 8192;

}  // namespace wf::cpu
