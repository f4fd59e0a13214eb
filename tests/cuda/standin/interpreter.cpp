// The interpreter of kernels for the stand-in's device, compiled when it is first used.
#include "cuda/bytecode/interpreter.h"

#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/skeletons/bytecode.h"

namespace wf::cuda {

InterpreterCode interpreter_of_standin(const std::string& architecture) {
  static const InterpreterCode code = [&] {
    InterpreterCode c{200, {nvrtc().major, nvrtc().minor}, {}, {}};
    const int columns[] = {1, interpreter::most_columns};
    for (int wide : {0, 1}) {
      c.strided[wide] = *new std::string(machine_code(interpreter_text("strided", columns[wide]), architecture));
      c.tiled[wide] = *new std::string(machine_code(interpreter_text("tiled", columns[wide]), architecture));
    }
    return c;
  }();
  return code;
}

}  // namespace wf::cuda
