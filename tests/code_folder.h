// A temporary folder for the code that is kept on disk.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <vector>

// The destructor removes the folder and unsets the environment variables of the cache.
class CodeFolder {
 public:
  CodeFolder() {
    char name[] = "/tmp/warpfold-code-XXXXXX";
    root_ = mkdtemp(name);
    setenv("XDG_CACHE_HOME", root_.c_str(), 1);
    unsetenv("WARPFOLD_CACHE");
  }
  ~CodeFolder() {
    std::filesystem::remove_all(root_);
    for (const char* name : {"XDG_CACHE_HOME", "WARPFOLD_CACHE"}) unsetenv(name);
  }
  CodeFolder(const CodeFolder&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    if (std::filesystem::exists(root_ / "warpfold"))
      for (const auto& entry : std::filesystem::directory_iterator(root_ / "warpfold")) all.push_back(entry.path());
    return all;
  }

 private:
  std::filesystem::path root_;
};
