// precompile ARCHITECTURE OUTPUT, a build tool: compiles the interpreter for one architecture and writes the machine code as C++.
// The code is empty if this machine has no NVRTC or its NVRTC does not know the architecture. The kernel cache is read first.
#include <cstdio>
#include <fstream>
#include <string>

#include "cuda/bytecode/interpreter.h"
#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/skeletons/bytecode.h"
#include "engine/engine.h"

namespace {

void write_literal(std::ofstream& out, const std::string& code) {
  constexpr size_t piece = 8000;  // compilers accept literals of up to 64 KiB; adjacent literals are concatenated
  char text[8];
  for (size_t at = 0; at < code.size(); at += piece) {
    out << "\"";
    for (unsigned char c : code.substr(at, piece)) {
      std::snprintf(text, sizeof text, "\\%03o", c);
      out << text;
    }
    out << "\"\n";
  }
  out << "\"\"sv";
}

// Returns true if this machine has an NVRTC that compiles for the architecture.
bool can_compile(const std::string& architecture) {
  try {
    wf::cuda::compile("extern \"C\" __global__ void empty() {}", architecture);
    return true;
  } catch (const wf::DeviceError& e) {
    std::fprintf(stderr, "built without an interpreter for %s; its kernels are compiled at their first call: %s\n", architecture.c_str(),
                 e.what());
  } catch (const wf::CompileError& e) {
    std::fprintf(stderr, "built without an interpreter for %s; its kernels are compiled at their first call: %s\n", architecture.c_str(),
                 e.what());
  }
  return false;
}

}  // namespace

int main(int, char** argv) try {
  const std::string number = argv[1], architecture = "sm_" + number;
  std::ofstream out(argv[2]);
  out << "#include \"cuda/bytecode/interpreter.h\"\n\nnamespace wf::cuda {\n\nusing namespace std::literals;\n\nextern const "
         "InterpreterCode interpreter_"
      << architecture << ";\nconstinit const InterpreterCode interpreter_" << architecture << " = {" << number;
  if (can_compile(architecture)) {
    out << ", {" << wf::cuda::nvrtc().major << ", " << wf::cuda::nvrtc().minor << "}";
    for (const char* skeleton : {"strided", "tiled"}) {
      out << ", {\n";
      for (int columns : {1, wf::interpreter::most_columns}) {
        write_literal(out, wf::cuda::machine_code(wf::cuda::interpreter_text(skeleton, columns), architecture));
        out << ",\n";
      }
      out << "}";
    }
  }
  out << "};\n\n}  // namespace wf::cuda\n";
  return out.flush() ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
