// A kernel as CUDA text: its functions as straight-line code inside the structures that a skeleton works with.
//
// The text depends on the kernel's structure alone. Pointers, lengths and literals are arguments of the launch, except for
// literals whose value decides what code is good (see literals.h). What a launch knows and the text depends on is a Form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/form.h"

namespace wf::cuda {

// One 8-byte word of the kernel's argument.
struct Argument {
  enum class Kind : uint8_t {
    Count,        // n
    Fault,        // where the first index out of range is recorded
    Results,      // scalars, then counts, then whether the law held
    Counters,     // zero before and after (reduce), or cleared before (scan)
    Partials,     // one Sums a block, or a tile
    TileWords, TileValues, GroupWords, GroupValues, Total,  // of the look-back
    Input, InputLength, Output, Literal,
    Constant,     // of bytecode, which has its own
  } kind;
  uint32_t index = 0;
};

struct Emitted {
  std::string text;
  std::vector<Argument> arguments;
  uint32_t scalars = 0, counts = 0;
  bool law_flag = false;          // a word after the counts: whether the law held
  bool has_checks = false;
  bool has_finish = false;        // the kernel writes results
  uint32_t sums_bytes = 0;        // at least sizeof(Sums), of a Local and of a Carry
  uint32_t local_bytes = 0, carry_bytes = 0;
  uint32_t shared_bytes = 0;      // dynamic
};

// It calls functions whose last bits are those of CUDA's library of the compiler's version.
bool uses_math(const Kernel& kernel);
// Its functions test indices.
bool has_checks(const Kernel& kernel);

// Throws UnsupportedError where the kernel calls a function without source.
Emitted emit(const Kernel& kernel, const Form& form);

}  // namespace wf::cuda
