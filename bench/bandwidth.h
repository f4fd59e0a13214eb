// The memory bandwidth of this machine: parallel reading and copying, in several variants, since the fastest variant differs from machine
// to machine. The best variant's median is the limit. The variants run over the same memory as the contestants: pages of a virtual machine
// can differ in speed by half.
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

// The limits of reading and of copying `bytes` bytes. `bytes` and the addresses are multiples of 64.
Limit read_limit(const void* from, int64_t bytes);
Limit copy_limit(const void* from, void* to, int64_t bytes);

}  // namespace bench
