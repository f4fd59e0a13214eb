// A kernel as CUDA text: its functions as straight-line code inside the structures that a skeleton uses.
//
// The text depends only on the kernel's structure and its Form. Pointers, lengths and literals are arguments of the launch, except
// literals whose value affects code generation (see literals.h). The Form contains the properties of a launch that shape the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/form.h"

namespace wf::cuda {

// One 8-byte word of the kernel's argument.
struct Argument {
  enum class Kind : uint8_t {
    Count,     // n
    Fault,     // the record of the first index out of range
    Results,   // scalars, then counts, then the law flag
    Counters,  // zero before and after (reduce), or cleared before (scan)
    Partials,  // one Sums per block, or per tile
    TileWords,
    TileValues,
    GroupWords,
    GroupValues,
    Total,         // of the look-back
    Parts,         // into which a row's folds are divided
    FoldPartials,  // per row and part, the state of a fold
    FoldCounters,  // parts of a row that are done, cleared before
    Input,
    InputLength,
    Output,
    Literal,
    Constant,  // only in bytecode, which has its own constants
  } kind;
  uint32_t index = 0;
};

// The bytes of parameters that a kernel may have, from CUDA 12.1 on. More arguments are passed in device memory.
constexpr size_t most_parameter_bytes = 32764;

struct Emitted {
  std::string text;
  std::vector<Argument> arguments;
  bool arguments_in_memory = false;  // the kernel's one parameter is the address of its arguments in device memory
  uint32_t scalars = 0, counts = 0;
  bool law_flag = false;  // a word after the counts is true if the law held
  bool has_checks = false;
  bool has_finish = false;  // the kernel writes results
  uint32_t sums_bytes = 0;  // at least sizeof(Sums), of a Local and of a Carry
  uint32_t local_bytes = 0, carry_bytes = 0;
  uint32_t fold_bytes = 0;    // at least the size of a fold's state
  uint32_t shared_bytes = 0;  // dynamic
};

// Returns true if the kernel calls mathematical functions, whose last bits depend on NVRTC's version.
bool uses_math(const Kernel& kernel);
// Returns true if the kernel's functions check indices.
bool has_checks(const Kernel& kernel);

// Returns the kernel's text. Throws UnsupportedError if the kernel calls a function without source.
Emitted emit(const Kernel& kernel, const Form& form);

}  // namespace wf::cuda
