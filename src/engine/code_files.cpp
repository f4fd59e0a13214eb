#include "engine/code_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "engine/variables.h"

namespace wf {
namespace {

namespace fs = std::filesystem;

// A file consists of a magic number, the code's length, the checksum of its name and the code, and the code.
struct Header {
  char mark[8] = {'w', 'a', 'r', 'p', 'f', 'l', 'd', '2'};
  uint64_t size = 0, checksum = 0;
};

Header header_of(const fs::path& path, std::string_view code) {
  CodeHash hash;
  hash.add(path.filename().string());
  hash.add(code);
  Header header;
  header.size = code.size();
  header.checksum = hash.a;
  return header;
}

class CodeDescriptor {
 public:
  CodeDescriptor(const fs::path& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~CodeDescriptor() {
    if (number_ >= 0) close(number_);
  }
  CodeDescriptor(const CodeDescriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

bool read_whole(int file, char* to, size_t size) {
  for (ssize_t n; size > 0; to += n, size -= size_t(n))
    if ((n = read(file, to, size)) <= 0) return false;
  return true;
}
bool write_whole(int file, const char* from, size_t size) {
  for (ssize_t n; size > 0; from += n, size -= size_t(n))
    if ((n = write(file, from, size)) <= 0) return false;
  return true;
}

// A longer file would end the process by a signal.
bool may_write(size_t size) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && size <= limit.rlim_cur;
}

struct KeptCode {
  fs::path path;
  fs::file_time_type used;
  uintmax_t size;
};

constexpr size_t hash_digits = 32;

// The files of code in the folder, also those that a process has not completed. A file occupies whole pages.
std::vector<KeptCode> files_of(const fs::path& folder) {
  std::vector<KeptCode> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789abcdef") != hash_digits || name[hash_digits] != '.') continue;
    std::error_code gone;
    const uintmax_t size = at->file_size(gone);
    if (!gone) files.push_back({at->path(), at->last_write_time(gone), (size + 4095) / 4096 * 4096});
  }
  return files;
}

uintmax_t size_of(const std::vector<KeptCode>& files) {
  return std::accumulate(files.begin(), files.end(), uintmax_t(0), [](uintmax_t sum, const KeptCode& file) { return sum + file.size; });
}

// Removes the files that were used least recently until the others have at most 7/8 of the bound, if all have more than the bound.
void prune(const fs::path& folder, uintmax_t bound) {
  std::vector<KeptCode> files = files_of(folder);
  uintmax_t size = size_of(files);
  if (size <= bound) return;
  std::ranges::sort(files, {}, &KeptCode::used);
  for (const KeptCode& file : files) {
    if (size <= bound / 8 * 7) return;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    size -= file.size;
  }
}

// Empty if no code is kept.
fs::path path_of_folder() {
  if (environment_has(Variable::WARPFOLD_CACHE, "0")) return {};
  if (const std::string cache = environment_text(Variable::XDG_CACHE_HOME); !cache.empty()) return fs::path(cache) / "warpfold";
  if (const std::string home = environment_text(Variable::HOME); !home.empty()) return fs::path(home) / ".cache" / "warpfold";
  return {};
}

uintmax_t bound_of_folder() {
  constexpr int64_t usual = 256;
  return uintmax_t(environment_number(Variable::WARPFOLD_CACHE_SIZE).value_or(usual)) << 20;
}

// Prunes the folder after the first file of the process, and again whenever further ones have a sixteenth of the bound.
void prune_in_turn(const fs::path& folder, size_t written) {
  static std::atomic<uintmax_t> since{UINTMAX_MAX / 2};
  const uintmax_t bound = bound_of_folder();
  if (since.fetch_add(written) + written < bound / 16) return;
  since = 0;
  prune(folder, bound);
}

}  // namespace

void CodeHash::add(std::string_view text) {
  for (unsigned char c : text) {
    a = (a ^ c) * 0x100000001b3;
    b = (b ^ c) * 0x100000001b3 + (b >> 47);
  }
  a = (a ^ text.size()) * 0x100000001b3;
}

std::string CodeHash::name() const {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
  return text;
}

fs::path code_file(const std::string& name) {
  const fs::path folder = path_of_folder();
  return folder.empty() ? folder : folder / name;
}

CodeUsage code_usage() {
  CodeUsage folder{path_of_folder(), 0, 0, bound_of_folder()};
  const std::vector<KeptCode> files = files_of(folder.path);
  folder.files = files.size();
  folder.bytes = size_of(files);
  return folder;
}

std::string read_code(const fs::path& path) {
  if (path.empty()) return {};
  const CodeDescriptor file(path, O_RDONLY | O_NONBLOCK);  // a pipe is not waited for
  struct stat about;
  Header header;
  if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return {};
  if (!read_whole(file, reinterpret_cast<char*>(&header), sizeof header) || header.size + sizeof header != uint64_t(about.st_size))
    return {};
  std::string code(header.size, '\0');
  if (!read_whole(file, code.data(), code.size())) return {};
  const Header expected = header_of(path, code);
  if (std::memcmp(&header, &expected, sizeof header) != 0) return {};
  futimens(file, nullptr);  // it was used now
  return code;
}

void write_code(const fs::path& path, const std::string& code) {
  if (path.empty() || !may_write(sizeof(Header) + code.size())) return;
  static std::atomic<unsigned> number = 0;
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const fs::path aside = path.string() + "." + std::to_string(getpid()) + "." + std::to_string(number++);
  const Header header = header_of(path, code);
  {
    const CodeDescriptor file(aside, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0) return;
    if (!write_whole(file, reinterpret_cast<const char*>(&header), sizeof header) || !write_whole(file, code.data(), code.size())) {
      fs::remove(aside, ignored);
      return;
    }
  }
  fs::rename(aside, path, ignored);
  if (ignored) fs::remove(aside, ignored);
  prune_in_turn(path.parent_path(), code.size());
}

}  // namespace wf
