#include "engine/code_files.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace wf {
namespace {

namespace fs = std::filesystem;

// A file consists of a magic number, the code's length, its checksum, and the code.
struct Header {
  char mark[8] = {'w', 'a', 'r', 'p', 'f', 'o', 'l', 'd'};
  uint64_t size = 0, checksum = 0;
};

uint64_t checksum(const std::string& code) {
  CodeHash hash;
  hash.add(code);
  return hash.a;
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
  const char* setting = std::getenv("WARPFOLD_CACHE");
  if (setting && std::string_view(setting) == "0") return {};
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "warpfold" / name;
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "warpfold" / name;
  return {};
}

std::string read_code(const fs::path& path) {
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  Header header, expected;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::memcmp(header.mark, expected.mark, sizeof header.mark) != 0) return {};
  std::string code(std::istreambuf_iterator<char>(file), {});
  return code.size() == header.size && checksum(code) == header.checksum ? code : std::string();
}

void write_code(const fs::path& path, const std::string& code) {
  if (path.empty()) return;
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

}  // namespace wf
