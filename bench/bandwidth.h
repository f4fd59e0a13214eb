// The memory bandwidth of this machine: parallel reading and copying, written in several ways, since which one is fastest
// differs from machine to machine. The best one's median is the limit. They run over the very memory that the contestants use: pages
// of a virtual machine can differ in speed by half.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct Variant {
  std::string name;
  std::function<void()> run;
};

struct Limit {
  const char* name = "";  // "read", "copy"; empty: no limit applies
  int64_t bytes = 0;      // read and written together
  std::vector<Variant> variants = {};
};

// Reading `bytes` bytes, and copying that many; both multiples of 64, the memory aligned to 64.
Limit read_limit(const void* from, int64_t bytes);
Limit copy_limit(const void* from, void* to, int64_t bytes);

}  // namespace bench
