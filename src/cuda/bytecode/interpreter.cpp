#include "cuda/bytecode/interpreter.h"

#include <charconv>

#include "cuda/architectures.h"

namespace wf::cuda {

// Defined in files that precompile.cpp writes.
#define ARCHITECTURE(number) extern const InterpreterCode interpreter_sm_##number;
WF_ARCHITECTURES
#undef ARCHITECTURE
#define ARCHITECTURE(number) &interpreter_sm_##number,
static const InterpreterCode* const codes[] = {WF_ARCHITECTURES nullptr};

// Code for an architecture runs on later architectures with the same major number.
InterpreterCode interpreter_code(const std::string& architecture) {
  if (interpreter_of_standin && architecture == "sm_200") return interpreter_of_standin(architecture);
  int number = 0;
  std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
  InterpreterCode best;
  for (const InterpreterCode* c : codes)
    if (c && !c->strided[0].empty() && c->architecture / 10 == number / 10 && c->architecture <= number) best = *c;
  return best;
}

}  // namespace wf::cuda
