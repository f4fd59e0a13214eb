// Internal to the evaluator: compilation with the options that only a loop's body and a fold's value need.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/instruction.h"

namespace wf::cpu {

struct CompileOptions {
  std::span<const uint32_t> early = {};  // results of phase 0
  bool indexed = false;                  // parameter 0 is the domain index
  std::vector<bool> repeated = {};       // parameters bound to one tile for all elements; empty: none
  // Repeated parameters change from row to row only (see Frame::enter_row): values derived from them alone are computed once per row.
  bool rows = false;
  // Parameters that are base + stride * i, with the base bound as well; 0: any other. Empty: none.
  std::vector<int32_t> strides = {};

  // The streams read neighbours in a matrix, most of which other streams read as well: blocks are long, whatever the number of streams.
  bool neighbours = false;

  // No block crosses a multiple of BlockProgram::run(), which the compiler chooses: the elements of a run are neighbours in an array.
  bool in_runs = false;

  bool is_number(uint32_t param) const { return rows && repeated[param]; }
  // The stride if the parameter is base + stride * i, else 0.
  int32_t stride(uint32_t param) const { return indexed && param == 0 ? 1 : strides.empty() ? 0 : strides[param]; }
  bool has_index() const { return indexed || !strides.empty(); }
};

void compile_into(BlockProgram::Impl& program, const Fn& f, const CompileOptions& options);

}  // namespace wf::cpu
