// The instruction sets that block loops are compiled for; the best one is chosen once, at run time. WARPFOLD_ISA=baseline, avx2 or
// avx512 lowers the choice, for tests.
//
// The other files of this folder are compiled once for each instruction set, with WF_ISA naming it. They include no standard header and
// define nothing with external linkage but their table, so that no code for a newer processor can be chosen by the linker for
// everyone.
#pragma once

namespace wf::cpu {

enum class Isa { baseline, avx2, avx512 };
Isa isa();

}  // namespace wf::cpu
