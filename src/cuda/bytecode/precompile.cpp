// A program of the build: compiles the interpreter for every major version of architectures, where this machine has NVRTC, and
// writes the machine code as C++.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/skeletons/bytecode.h"
#include "engine/engine.h"

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
  out << "\"\"sv";
}

struct Code {
  int architecture;
  std::string strided[2], tiled[2];
};

// Of the architectures that this NVRTC knows; none where there is none.
std::vector<Code> compiled() {
  std::vector<Code> all;
  try {
    wf::cuda::nvrtc();
  } catch (const wf::DeviceError& e) {
    std::fprintf(stderr, "Built without an interpreter for GPUs, where kernels will be compiled at their first call: %s\n", e.what());
    return all;
  }
  for (int architecture : architectures) {
    try {
      auto machine_code = [&](const char* skeleton, int columns) {
        const std::string text = "#define WF_COLUMNS " + std::to_string(columns) + "\n#include \"interpreter_" + skeleton + ".cuh\"\n";
        return wf::cuda::compile(text, "sm_" + std::to_string(architecture));
      };
      constexpr int most = wf::interpreter::most_columns;
      all.push_back({architecture, {machine_code("strided", 1), machine_code("strided", most)}, {machine_code("tiled", 1), machine_code("tiled", most)}});
    } catch (const wf::CompileError& e) {
      std::fprintf(stderr, "No interpreter for sm_%d: %s\n", architecture, e.what());
    }
  }
  return all;
}

}  // namespace

int main(int, char** argv) {
  const auto codes = compiled();
  std::ofstream out(argv[1]);
  out << "#include \"cuda/bytecode/interpreter.h\"\n\nnamespace wf::cuda {\nnamespace {\n\nusing namespace std::literals;\n"
         "const InterpreterCode codes[] = {\n{0, {}, {}},  // an array has an element\n";
  for (const Code& code : codes) {
    out << "{" << code.architecture << ", ";
    for (const auto& skeleton : {code.strided, code.tiled}) {
      out << "{";
      write_literal(out, skeleton[0]);
      out << ", ";
      write_literal(out, skeleton[1]);
      out << "}, ";
    }
    out << "},\n";
  }
  const bool any = !codes.empty();
  out << "};\n\n}  // namespace\n\nextern const std::span<const InterpreterCode> interpreter_codes = codes;\n"
         "extern const int interpreter_nvrtc[2] = {"
      << (any ? wf::cuda::nvrtc().major : 0) << ", " << (any ? wf::cuda::nvrtc().minor : 0) << "};\n\n}  // namespace wf::cuda\n";
  return out.flush() ? 0 : 1;
}
