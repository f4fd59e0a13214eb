// A stretch: consecutive elements along which all linear values of a group are first + k * stride, as the digits of an index along a row, and limited
// indices between two borders. The instructions that compute linear values, read elements at them or check them are not computed for each element,
// but once per stretch, as scalars.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/instruction.h"

namespace wf::cpu::native {

struct LinearCode {
  LinearCode(const BlockProgram::Impl& program, std::span<const Instruction> code, std::span<const LocationId> read_later,
             std::span<const uint32_t> direct);

  // Returns true if elements are read along stretches. Otherwise nothing is linear.
  bool exists() const { return exists_; }

  struct Fact {
    bool is_linear = false;
    bool is_read = false;  // its vector is read: by an instruction that is not linear, or later
    int64_t stride = 0;    // along a stretch, unless the value is the same for all its elements
  };
  std::vector<Fact> facts;       // of each instruction
  std::vector<uint32_t> direct;  // the streams that are read along stretches, by number

 private:
  bool exists_ = false;
};

// The streams that only this code reads, along rows of an input. They are not copied before it runs.
std::vector<uint32_t> direct_streams(const BlockProgram::Impl& program, std::span<const Instruction> code, int bytes_of_vector);

}  // namespace wf::cpu::native
