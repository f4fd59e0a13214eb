#include "cuda/compile.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "cuda/device/driver.h"
#include "cuda/skeletons/embedded.h"
#include "engine/engine.h"

namespace wf::cuda {
namespace {

namespace fs = std::filesystem;

// FNV-1a, twice with different starts: 128 bits.
struct FileHash {
  uint64_t a = 0xcbf29ce484222325, b = 0x9ae16a3b2f90404f;
  void add(std::string_view text) {
    for (unsigned char c : text) {
      a = (a ^ c) * 0x100000001b3;
      b = (b ^ c) * 0x100000001b3 + (b >> 47);
    }
    a = (a ^ text.size()) * 0x100000001b3;
  }
  std::string name() const {
    char text[40];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
    return text;
  }
};

// The compiler options other than the architecture.
const std::vector<const char*>& options() {
  static const std::vector<const char*> all = [] {
    std::vector<const char*> some = {"--std=c++17", "--fmad=false", "--device-as-default-execution-space", "--disable-warnings"};
    // Omits textures and the device run-time library, which are not used but take time to parse.
    if (nvrtc().major >= 13) some.push_back("--minimal");
    return some;
  }();
  return all;
}

// The hash of the skeletons and options, which all kernels share.
const FileHash& common_hash() {
  static const FileHash hash = [] {
    FileHash h;
    for (int k = 0; k < skeleton_count; k++) h.add(skeleton_texts[k]);
    for (const char* option : options()) h.add(option);
    return h;
  }();
  return hash;
}

std::string key(const std::string& text, const std::string& architecture) {
  FileHash hash = common_hash();
  hash.add(text);
  hash.add(architecture);
  hash.add(std::to_string(nvrtc().major) + "." + std::to_string(nvrtc().minor));
  return hash.name();
}

fs::path cache_folder() {
  const char* setting = std::getenv("WARPFOLD_CACHE");
  if (setting && std::string_view(setting) == "0") return {};
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "warpfold";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "warpfold";
  return {};
}

// A file consists of a magic number, the code's length, its checksum, and the code.
struct Header {
  char mark[8] = {'w', 'a', 'r', 'p', 'f', 'o', 'l', 'd'};
  uint64_t size = 0, checksum = 0;
};

uint64_t checksum(const std::string& code) {
  FileHash hash;
  hash.add(code);
  return hash.a;
}

// Returns the code, or an empty string if there is no valid file.
std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Header header, expected;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::memcmp(header.mark, expected.mark, sizeof header.mark) != 0) return {};
  std::string code(std::istreambuf_iterator<char>(file), {});
  return code.size() == header.size && checksum(code) == header.checksum ? code : std::string();
}

// A failed write is not an error: the cache is optional.
void write(const fs::path& path, const std::string& code) {
  static std::atomic<unsigned> number = 0;
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const fs::path aside = path.string() + "." + std::to_string(getpid()) + "." + std::to_string(number++);
  {
    std::ofstream file(aside, std::ios::binary);
    Header header;
    header.size = code.size();
    header.checksum = checksum(code);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(code.data(), std::streamsize(code.size()));
    if (!file.flush()) {
      fs::remove(aside, ignored);
      return;
    }
  }
  fs::rename(aside, path, ignored);
  if (ignored) fs::remove(aside, ignored);
}

void dump(const std::string& text, const std::string& name) {
  const char* folder = std::getenv("WARPFOLD_DUMP");
  if (!folder || !*folder) return;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  std::ofstream(fs::path(folder) / (name + ".cu")) << text;
}

struct NvrtcProgram {
  nvrtcProgram handle = nullptr;
  ~NvrtcProgram() { nvrtc().nvrtcDestroyProgram(&handle); }
};

void require(int result, const char* what) {
  if (result != 0) throw DeviceError(std::string(what) + " failed: " + nvrtc().nvrtcGetErrorString(result));
}

}  // namespace

std::string compile(const std::string& text, const std::string& architecture) {
  const Nvrtc& n = nvrtc();
  NvrtcProgram program;
  require(n.nvrtcCreateProgram(&program.handle, text.c_str(), "kernel.cu", skeleton_count, skeleton_texts, skeleton_names),
          "nvrtcCreateProgram");
  const std::string target = "--gpu-architecture=" + architecture;
  std::vector<const char*> all = options();
  all.push_back(target.c_str());
  const int result = n.nvrtcCompileProgram(program.handle, int(all.size()), all.data());
  if (result != 0) {
    size_t size = 0;
    n.nvrtcGetProgramLogSize(program.handle, &size);
    std::string log(size, '\0');
    n.nvrtcGetProgramLog(program.handle, log.data());
    throw CompileError(std::string("a kernel does not compile: ") + n.nvrtcGetErrorString(result) + "\n" + log.c_str());
  }
  size_t size = 0;
  require(n.nvrtcGetCUBINSize(program.handle, &size), "nvrtcGetCUBINSize");
  std::string code(size, '\0');
  require(n.nvrtcGetCUBIN(program.handle, code.data()), "nvrtcGetCUBIN");
  return code;
}

std::string machine_code(const std::string& text, const std::string& architecture) {
  const std::string name = key(text, architecture);
  dump(text, name);
  const fs::path folder = cache_folder();
  if (folder.empty()) return compile(text, architecture);
  const fs::path path = folder / (name + ".cubin");
  if (std::string code = read(path); !code.empty()) return code;
  std::string code = compile(text, architecture);
  write(path, code);
  return code;
}

}  // namespace wf::cuda
