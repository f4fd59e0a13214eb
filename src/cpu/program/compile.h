// Internal to the evaluator: compilation with the options that only a loop's body needs.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/instruction.h"

namespace wf::cpu {

struct CompileOptions {
  std::span<const uint32_t> early;  // results of phase 0
  bool indexed = false;             // parameter 0 is the domain index
  std::vector<bool> repeated = {};  // parameters bound to one tile for all elements; empty: none
};

void compile_into(BlockProgram::Impl& program, const Fn& f, const CompileOptions& options);

}  // namespace wf::cpu
