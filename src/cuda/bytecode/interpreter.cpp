#include "cuda/bytecode/interpreter.h"

#include <charconv>

#include "cuda/architectures.h"
#include "cuda/compile.h"
#include "cuda/skeletons/bytecode.h"

namespace wf::cuda {

// Defined in files that precompile.cpp writes.
#define ARCHITECTURE(number) extern const InterpreterCode interpreter_sm_##number;
WF_ARCHITECTURES
#undef ARCHITECTURE
#define ARCHITECTURE(number) &interpreter_sm_##number,
static const InterpreterCode* const codes[] = {WF_ARCHITECTURES nullptr};

// Code for an architecture runs on later architectures with the same major number.
InterpreterCode interpreter_code(const std::string& architecture) {
  int number = 0;
  std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
  InterpreterCode best;
  for (const InterpreterCode* c : codes)
    if (c && !c->strided[0].empty() && c->architecture / 10 == number / 10 && c->architecture <= number) best = *c;
  return best;
}

std::string interpreter_code(const std::string& architecture, bool tiled, bool wide) {
  if (is_spirv(architecture))
    return machine_code(interpreter_text(tiled ? "tiled" : "strided", wide ? interpreter::most_columns : 1), architecture);
  const InterpreterCode codes = interpreter_code(architecture);
  return std::string((tiled ? codes.tiled : codes.strided)[wide]);
}

}  // namespace wf::cuda
