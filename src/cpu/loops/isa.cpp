#include "cpu/loops/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cpu/instruction_sets.h"
#include "cpu/loops/loops.h"
#include "engine/engine.h"

namespace wf::cpu {
namespace {

struct CompiledSet {
  Isa isa;
  const Loops* loops;
};

// The sets compiled into the library, in ascending order.
#define SET(name) {Isa::name, &loops_##name},
const CompiledSet compiled_sets[] = {WF_INSTRUCTION_SETS};
#undef SET

const CompiledSet& choose() {
  const Isa available = best_of_this_processor();
  if (compiled_sets[0].isa > available)
    throw DeviceError("the library was compiled for newer processors only; configure it with -Dinstruction_sets=baseline,avx2,avx512");
  const char* text = std::getenv("WARPFOLD_ISA");
  std::string_view asked = text ? text : "";
  const Isa limit = std::min(available, asked == "baseline" ? Isa::baseline : asked == "avx2" ? Isa::avx2 : Isa::avx512);
  const CompiledSet* best = compiled_sets;
  for (const CompiledSet& set : compiled_sets)
    if (set.isa <= limit) best = &set;
  return *best;
}

const CompiledSet& chosen() {
  static const CompiledSet& set = choose();
  return set;
}

}  // namespace

Isa isa() { return chosen().isa; }

const Loops& loops() { return *chosen().loops; }

}  // namespace wf::cpu
