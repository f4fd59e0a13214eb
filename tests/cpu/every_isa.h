// The loop tables of the instruction sets that this machine has.
#pragma once

#include <string>
#include <vector>

#include "cpu/loops/isa.h"
#include "cpu/loops/loops.h"

namespace wf::cpu {

struct IsaLoops {
  std::string name;
  const Loops* loops;
};

inline std::vector<IsaLoops> every_isa() {
  std::vector<IsaLoops> all = {{"baseline", &loops_baseline}};
  if (isa() >= Isa::avx2) all.push_back({"avx2", &loops_avx2});
  if (isa() >= Isa::avx512) all.push_back({"avx512", &loops_avx512});
  return all;
}

}  // namespace wf::cpu
