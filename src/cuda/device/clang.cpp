#include "cuda/device/clang.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cuda/embedded.h"
#include "engine/engine.h"
#include "engine/variables.h"

namespace wf::cuda {
namespace {

namespace fs = std::filesystem;

// A folder with the texts that kernels include, and for clang's files. It is removed when the process ends.
class ClangFolder {
 public:
  ClangFolder() {
    std::string name = (fs::temp_directory_path() / "warpfold-clang-XXXXXX").string();
    if (!mkdtemp(name.data())) throw DeviceError("a folder for clang's files cannot be made: " + name);
    path_ = name;
    for (int k = 0; k < skeleton_count; k++) {
      const fs::path file = includes() / skeleton_names[k];
      fs::create_directories(file.parent_path());
      std::ofstream(file) << skeleton_texts[k];
    }
  }
  ~ClangFolder() {
    std::error_code ignored;
    if (process_ == getpid()) fs::remove_all(path_, ignored);
  }
  ClangFolder(const ClangFolder&) = delete;
  fs::path includes() const { return path_ / "include"; }
  // A file name without a suffix, another one at each call.
  std::string next() { return (path_ / (std::to_string(getpid()) + "-" + std::to_string(number_++))).string(); }

 private:
  const pid_t process_ = getpid();  // processes that it forks use the same folder
  fs::path path_;
  std::atomic<int> number_{0};
};

ClangFolder& clang_folder() {
  static ClangFolder once;
  return once;
}

// Returns what the file contains, and removes it.
std::string take_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string contents{std::istreambuf_iterator<char>(in), {}};
  std::error_code ignored;
  fs::remove(path, ignored);
  return contents;
}

// Runs a program of the PATH, whose output and errors are written to the file `log`. Returns true if it ran without an error.
bool runs(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const bool starts = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  pid_t ended = -1;
  if (starts)
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {}
  return starts && (ended < 0 || status == 0);  // a process that ignores SIGCHLD does not learn the status
}

struct Clang {
  std::string program, version;
};

constexpr int oldest_clang = 22;
constexpr const char* right_clang = "expected clang 22 or later: install clang-22, or set WARPFOLD_CLANG to its path";

Clang find_clang() {
  const std::string set = environment_text(Variable::WARPFOLD_CLANG), word = "clang version ";
  std::string found;
  for (const std::string& program : set.empty() ? std::vector<std::string>{"clang-22", "clang"} : std::vector{set}) {
    const std::string log = clang_folder().next();
    const bool ran = runs({program, "--version"}, log);
    const std::string text = take_file(log), version = text.substr(std::min(text.find(word), text.size()));
    if (!ran || version.empty()) continue;
    if (std::atoi(version.c_str() + word.size()) >= oldest_clang) return {program, version.substr(0, version.find('\n'))};
    found = program + " is " + version.substr(0, version.find('\n'));
  }
  if (found.empty())
    found = set.empty() ? "there is no clang-22 or clang in the PATH" : "WARPFOLD_CLANG is \"" + set + "\", which is no clang";
  throw DeviceError("kernels for OpenCL devices are compiled by clang: " + found + "; " + right_clang);
}

const Clang& clang() {
  static const Clang found = find_clang();
  return found;
}

}  // namespace

const std::string& clang_version() { return clang().version; }

std::string compile_by_clang(const std::string& text, const std::vector<std::string>& options) {
  const std::string base = clang_folder().next(), source = base + ".cu", result = base + ".spv", log = base + ".log";
  std::ofstream(source) << text;
  std::vector<std::string> words{clang().program, "-cc1"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-I", clang_folder().includes().string(), "-o", result, source});
  const bool ran = runs(std::move(words), log);
  const std::string code = take_file(result), errors = take_file(log);
  take_file(source);
  if (!ran || code.empty()) throw CompileError("a kernel does not compile: " + clang().version + "\n" + errors);
  const uint64_t size = code.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + code;
}

}  // namespace wf::cuda
