// The instruction sets that block loops are compiled for; the best one is selected once, at run time. For tests,
// WARPFOLD_ISA=baseline, avx2 or avx512 lowers the choice.
//
// The other files of this folder are compiled once for each instruction set, with WF_ISA naming it. They include no standard header and
// define nothing with external linkage but their table. Otherwise the linker could choose code for a newer processor for all
// callers.
#pragma once

namespace wf::cpu {

enum class Isa { baseline, avx2, avx512 };
Isa isa();

}  // namespace wf::cpu
