#include "cuda/compile.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "cuda/device/clang.h"
#include "cuda/device/driver.h"
#include "cuda/embedded.h"
#include "engine/code_files.h"
#include "engine/engine.h"
#include "engine/span.h"
#include "engine/variables.h"

namespace wf::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view spirv_prefix = "spirv_";

std::atomic<bool> cancels{false};

bool is_of_amd(const std::string& architecture) { return architecture.starts_with("gfx"); }
const Nvrtc& compiler(const std::string& architecture) { return is_of_amd(architecture) ? hiprtc() : nvrtc(); }

// LLVM 22 translates memmove wrongly for SPIR-V, of overlapping memory, and integers of other widths than 8 to 64 not at all.
std::vector<std::string> options_of_clang(const std::string& architecture) {
  return {"-triple",
          "spirv64v1.4-unknown-unknown",
          "-aux-triple",
          "x86_64-unknown-linux-gnu",
          "-x",
          "hip",
          "-fcuda-is-device",
          "-fcuda-allow-variadic-functions",
          "-std=c++17",
          "-O2",
          "-relaxed-aliasing",
          "-ffp-contract=off",
          "-nobuiltininc",
          "-w",
          "-mllvm",
          "-disable-loop-idiom-memcpy",
          "-mllvm",
          "-replexitval=never",
          "-DWF_SHARED_BYTES=" + architecture.substr(spirv_prefix.size()),
          "-emit-obj"};
}

std::vector<std::string> options(const std::string& architecture) {
  if (is_spirv(architecture)) return options_of_clang(architecture);
  if (is_of_amd(architecture)) return {"-std=c++17", "-O2", "-ffp-contract=off", "-w", "--offload-arch=" + architecture};
  std::vector<std::string> all{"--std=c++17", "--fmad=false", "--device-as-default-execution-space", "--disable-warnings",
                               "--gpu-architecture=" + architecture};
  // Omits textures and the device run-time library, which are not used but take time to parse.
  if (nvrtc().major >= 13) all.push_back("--minimal");
  return all;
}

std::string version_of_compiler(const std::string& architecture) {
  if (is_spirv(architecture)) return clang_version();
  return std::to_string(compiler(architecture).major) + "." + std::to_string(compiler(architecture).minor);
}

// The hash of the skeletons, which all kernels share.
const CodeHash& common_hash() {
  static const CodeHash hash = [] {
    CodeHash h;
    for (int k = 0; k < skeleton_count; k++) h.add(skeleton_texts[k]);
    return h;
  }();
  return hash;
}

std::string key(const std::string& text, const std::string& architecture) {
  CodeHash hash = common_hash();
  hash.add(text);
  for (const std::string& option : options(architecture)) hash.add(option);
  hash.add(version_of_compiler(architecture));
  return hash.name();
}

// Writes the text into WARPFOLD_DUMP, if it is set.
void dump(const std::string& text, const std::string& name) {
  const std::string folder = environment_text(Variable::WARPFOLD_DUMP);
  if (folder.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  std::ofstream(fs::path(folder) / (name + ".cu")) << text;
}

struct NvrtcProgram {
  const Nvrtc& of;
  nvrtcProgram handle = nullptr;
  ~NvrtcProgram() { of.nvrtcDestroyProgram(&handle); }
  void require(int result, const char* what) const {
    if (result != 0) throw DeviceError(std::string(what) + " failed: " + of.nvrtcGetErrorString(result));
  }
};

std::string compile_by_nvrtc(const std::string& text, const std::string& architecture) {
  const Nvrtc& n = compiler(architecture);
  NvrtcProgram program{n};
  program.require(n.nvrtcCreateProgram(&program.handle, text.c_str(), "kernel.cu", skeleton_count, skeleton_texts, skeleton_names),
                  "nvrtcCreateProgram");
  if (n.nvrtcSetFlowCallback)
    n.nvrtcSetFlowCallback(
        program.handle, [](void*, void*) { return int(cancels); }, nullptr);
  const std::vector<std::string> all = options(architecture);
  std::vector<const char*> pointers;
  for (const std::string& option : all) pointers.push_back(option.c_str());
  const int result = n.nvrtcCompileProgram(program.handle, int(pointers.size()), pointers.data());
  if (result != 0) {
    size_t size = 0;
    n.nvrtcGetProgramLogSize(program.handle, &size);
    std::string log(size, '\0');
    n.nvrtcGetProgramLog(program.handle, log.data());
    throw CompileError(std::string("a kernel does not compile: ") + n.nvrtcGetErrorString(result) + "\n" + log.c_str());
  }
  size_t size = 0;
  program.require(n.nvrtcGetCUBINSize(program.handle, &size), "nvrtcGetCUBINSize");
  std::string code(size, '\0');
  program.require(n.nvrtcGetCUBIN(program.handle, code.data()), "nvrtcGetCUBIN");
  return code;
}

}  // namespace

std::string compile(const std::string& text, const std::string& architecture) {
  dump(text, key(text, architecture));
  return is_spirv(architecture) ? compile_by_clang(text, options(architecture)) : compile_by_nvrtc(text, architecture);
}

bool is_spirv(const std::string& architecture) { return architecture.starts_with(spirv_prefix); }

void cancel_compilations() { cancels = true; }

std::string machine_code(const std::string& text, const std::string& architecture) {
  const Span span("compile");
  const std::string name = key(text, architecture);
  const fs::path path = code_file(name + ".cubin");
  if (std::string code = read_code(path); !code.empty()) return dump(text, name), code;
  std::string code = compile(text, architecture);
  write_code(path, code);
  return code;
}

}  // namespace wf::cuda
