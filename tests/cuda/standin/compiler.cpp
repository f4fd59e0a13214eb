// A stand-in for libnvrtc.so.13: clang compiles a kernel to SPIR-V, for driver.cpp. CLANG is its command with all options but the texts' folder and
// the files.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#define STANDIN extern "C" [[gnu::visibility("default")]] int

namespace {

namespace fs = std::filesystem;

constexpr int failed = 6;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder for the texts that kernels include, and for clang's files. It is removed when the process ends.
struct Folder {
  fs::path path;
  Folder() {
    char name[] = "/tmp/warpfold-standin-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
};
const fs::path& folder() {
  static const Folder once;
  return once.path;
}

// All programs include the same texts.
void write_once(int count, const char* const* texts, const char* const* names) {
  static std::once_flag once;
  std::call_once(once, [&] {
    for (int k = 0; k < count; k++) {
      const fs::path file = folder() / "include" / names[k];
      fs::create_directories(file.parent_path());
      std::ofstream(file) << texts[k];
    }
  });
}

struct Program {
  std::string text, image, log;
};

}  // namespace

STANDIN nvrtcVersion(int* major, int* minor) { return *major = 1, *minor = 0, 0; }
extern "C" [[gnu::visibility("default")]] const char* nvrtcGetErrorString(int) { return "clang failed"; }
STANDIN nvrtcCreateProgram(Program** program, const char* text, const char*, int count, const char* const* texts,
                           const char* const* names) {
  write_once(count, texts, names);
  return *program = new Program{text, {}, {}}, 0;
}
STANDIN nvrtcDestroyProgram(Program** program) { return delete *program, 0; }

STANDIN nvrtcCompileProgram(Program* program, int, const char* const*) {
  static std::atomic<int> number{0};
  const std::string base = (folder() / std::to_string(number++)).string();
  std::ofstream(base + ".cu") << program->text;
  const std::string command = CLANG " -I " + (folder() / "include").string() + " -o " + base + ".spv " + base + ".cu 2> " + base + ".log";
  const bool fails = std::system(command.c_str()) != 0;
  const std::string code = contents(base + ".spv");
  const uint64_t size = code.size();
  program->log = contents(base + ".log");
  program->image = std::string(reinterpret_cast<const char*>(&size), sizeof size) + code;
  for (const char* suffix : {".cu", ".spv", ".log"}) fs::remove(base + suffix);
  return fails ? failed : 0;
}
STANDIN nvrtcGetProgramLogSize(Program* program, size_t* size) { return *size = program->log.size() + 1, 0; }
STANDIN nvrtcGetProgramLog(Program* program, char* log) { return std::memcpy(log, program->log.c_str(), program->log.size() + 1), 0; }
STANDIN nvrtcGetCUBINSize(Program* program, size_t* size) { return *size = program->image.size(), 0; }
STANDIN nvrtcGetCUBIN(Program* program, char* image) { return std::memcpy(image, program->image.data(), program->image.size()), 0; }
