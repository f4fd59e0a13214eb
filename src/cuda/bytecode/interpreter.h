// The interpreter of bytecode, as machine code in the library.
#pragma once

#include <string>
#include <string_view>

namespace wf::cuda {

// The interpreter's machine code for one major architecture version, compiled when the library was built.
struct InterpreterCode {
  int architecture = 0;  // 90: sm_90 and later architectures of major version 9
  int nvrtc[2] = {};     // NVRTC's version at the build: major, minor
  // skeletons/interpreter_strided.cuh and interpreter_tiled.cuh, each for one column and for most_columns.
  std::string_view strided[2] = {}, tiled[2] = {};
};

// Returns the code for that architecture ("sm_90"); its code is empty if the library has none.
InterpreterCode interpreter_code(const std::string& architecture);
// Returns one of its codes. That for an OpenCL device is compiled now, which takes seconds, or read from the files of code.
std::string interpreter_code(const std::string& architecture, bool tiled, bool wide);

// Returns the interpreter's text. skeleton: "strided" or "tiled".
inline std::string interpreter_text(const std::string& skeleton, int columns) {
  return "#define WF_COLUMNS " + std::to_string(columns) + "\n#include \"interpreter_" + skeleton + ".cuh\"\n";
}

}  // namespace wf::cuda
