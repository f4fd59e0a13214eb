#include "cpu/loops/isa.h"

#include <algorithm>
#include <string_view>

#include "cpu/instruction_sets.h"
#include "cpu/loops/loops.h"
#include "engine/engine.h"
#include "engine/variables.h"

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
  auto is_asked = [](std::string_view name) { return environment_has(Variable::WARPFOLD_ISA, name); };
  const Isa limit = std::min(available, is_asked("baseline") ? Isa::baseline : is_asked("avx2") ? Isa::avx2 : Isa::avx512);
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
