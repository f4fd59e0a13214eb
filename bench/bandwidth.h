// What the memory of this machine gives: parallel reading and copying, written in several ways, since which one is fastest
// differs from machine to machine. The best one's median is the limit.
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

// Ways to read `bytes` bytes, and to copy bytes / 2 of them (bytes read and written together are `bytes`). The arrays that
// they work on are kept from call to call.
std::vector<Variant> read_variants(int64_t bytes);
std::vector<Variant> copy_variants(int64_t bytes);

}  // namespace bench
