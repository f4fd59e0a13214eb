// The instruction sets that block loops are compiled for; the best one is selected once, at run time. For tests,
// WARPFOLD_ISA=baseline, avx2 or avx512 lowers the choice.
//
// The other files of this folder are compiled once for each instruction set, with WF_ISA naming it. They include no standard header and
// define nothing with external linkage but their table. Otherwise the linker could choose code for a newer processor for all
// callers. The build's option instruction_sets says which of them are compiled.
#pragma once

namespace wf::cpu {

enum class Isa { baseline, avx2, avx512 };

constexpr const char* isa_name(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "baseline"; }

// Returns the best set compiled into the library that this processor has. Throws DeviceError if it has none of them.
Isa isa();

inline Isa best_of_this_processor() {
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (!avx2) return Isa::baseline;
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  return avx512 ? Isa::avx512 : Isa::avx2;
}

}  // namespace wf::cpu
