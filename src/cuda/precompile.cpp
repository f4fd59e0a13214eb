// A program of the build: compiles the interpreter for every major version of architectures, where this machine has NVRTC, and
// writes the machine code as C++.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "cuda/compile.h"
#include "cuda/driver.h"

namespace {

constexpr int architectures[] = {75, 80, 90, 100, 120};

void write_literal(std::ofstream& out, const std::string& code) {
  constexpr size_t piece = 8000;  // compilers take literals up to 64 KiB; adjacent ones are joined
  char text[8];
  for (size_t at = 0; at < code.size(); at += piece) {
    out << "\"";
    for (unsigned char c : code.substr(at, piece)) {
      std::snprintf(text, sizeof text, "\\%03o", c);
      out << text;
    }
    out << "\"\n";
  }
}

}  // namespace

int main(int, char** argv) {
  std::ofstream out(argv[1]);
  out << "#include \"cuda/interpreter.h\"\n\nnamespace wf::cuda {\nnamespace {\n\nusing namespace std::literals;\n"
         "const InterpreterCode codes[] = {\n{0, {}},\n";
  int major = 0, minor = 0;
  for (int architecture : architectures) {
    try {
      const std::string code = wf::cuda::compile("#include \"interpreter.cuh\"\n", "sm_" + std::to_string(architecture));
      major = wf::cuda::nvrtc().major;
      minor = wf::cuda::nvrtc().minor;
      out << "{" << architecture << ", ";
      write_literal(out, code);
      out << "\"\"sv},\n";
    } catch (const std::exception& e) {
      std::fprintf(stderr, "no interpreter for sm_%d: %s\n", architecture, e.what());
    }
  }
  out << "};\n\n}  // namespace\n\nextern const std::span<const InterpreterCode> interpreter_codes = codes;\nextern const int interpreter_nvrtc[2] = {"
      << major << ", " << minor << "};\n\n}  // namespace wf::cuda\n";
  return out.flush() ? 0 : 1;
}
