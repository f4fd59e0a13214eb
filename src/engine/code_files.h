// Machine code of kernels, kept on disk for later processes: $XDG_CACHE_HOME/warpfold or ~/.cache/warpfold, one file per kernel.
// WARPFOLD_CACHE=0 turns it off. WARPFOLD_CACHE_SIZE bounds the folder: files that were used least recently are removed.
//
// A file is written under a temporary name and renamed, so that processes may share the folder. Its checksum, which includes its name, is
// verified when it is read, and a damaged file is replaced. A failure to read or write is not an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace wf {

// FNV-1a, twice with different starts: 128 bits, which name the file of all that the code depends on.
struct CodeHash {
  uint64_t a = 0xcbf29ce484222325, b = 0x9ae16a3b2f90404f;
  void add(std::string_view text);
  std::string name() const;
};

// The path of the file with that name; empty if no code is kept.
std::filesystem::path code_file(const std::string& name);
// The folder of kept code, with its size in bytes and the most that it may have. The path is empty if no code is kept.
struct CodeUsage {
  std::filesystem::path path;
  size_t files = 0;
  uintmax_t bytes = 0, bound = 0;
};
CodeUsage code_usage();
// Returns the code, or an empty string if there is no valid file.
std::string read_code(const std::filesystem::path& path);
void write_code(const std::filesystem::path& path, const std::string& code);

}  // namespace wf
