// The loop tables of the instruction sets that the library is compiled for and this machine has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cpu/instruction_sets.h"
#include "cpu/loops/isa.h"
#include "cpu/loops/loops.h"

namespace wf::cpu {

struct IsaLoops {
  std::string name;
  const Loops* loops;
};

inline std::vector<IsaLoops> every_isa() {
#define SET(name) {Isa::name, {#name, &loops_##name}},
  const std::pair<Isa, IsaLoops> compiled[] = {WF_INSTRUCTION_SETS};
#undef SET
  std::vector<IsaLoops> all;
  for (auto& [set, loops] : compiled)
    if (set <= isa()) all.push_back(loops);
  return all;
}

}  // namespace wf::cpu
