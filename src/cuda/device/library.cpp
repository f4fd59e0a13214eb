#include "cuda/device/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include "engine/engine.h"
#include "engine/variables.h"

namespace wf::cuda {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

void add_below(Names& folders, Variable variable, const char* below) {
  if (const std::string folder = environment_text(variable); !folder.empty()) folders.push_back(folder + below);
}

// pip installs the library in <python>/site-packages/nvidia/*/lib. Virtual environments and user installs are searched.
std::vector<std::string> pip_folders() {
  std::vector<std::string> roots, folders;
  add_below(roots, Variable::VIRTUAL_ENV, "/lib");
  add_below(roots, Variable::CONDA_PREFIX, "/lib");
  add_below(roots, Variable::HOME, "/.local/lib");
  roots.insert(roots.end(), {"/usr/local/lib", "/usr/lib"});
  std::error_code ignored;
  for (const std::string& root : roots)
    for (const auto& python : fs::directory_iterator(root, ignored)) {
      if (!python.path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"})
        for (const auto& package : fs::directory_iterator(python.path() / packages / "nvidia", ignored))
          folders.push_back((package.path() / "lib").string());
    }
  return folders;
}

Names toolkit_folders() {
  Names folders;
  for (const Variable variable : {Variable::CUDA_HOME, Variable::CUDA_PATH}) add_below(folders, variable, "/lib64");
  folders.push_back("/usr/local/cuda/lib64");
  std::error_code ignored;
  Names versions;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().starts_with("cuda-")) versions.push_back((entry.path() / "lib64").string());
  std::ranges::sort(versions, std::greater());
  folders.insert(folders.end(), versions.begin(), versions.end());
  for (std::string& folder : pip_folders()) folders.push_back(std::move(folder));
  return folders;
}

// where: the folders that were searched besides the loader's.
void* open_first(const Names& names, const char* what, const char* where) {
  std::string tried;
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const bool is_path = name.find('/') != name.npos;
    if (!is_path || fs::exists(name)) tried += (tried.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw DeviceError(std::string(what) + " was not found in the loader's paths" + where + ": " + tried);
}

}  // namespace

void* open_by_loader(std::initializer_list<std::string> names, const char* what) { return open_first(names, what, ""); }

// Plain names are first, for which the loader searches its usual paths.
void* open_of_toolkit(std::initializer_list<std::string> names, const char* what) {
  Names all = names;
  for (const std::string& folder : toolkit_folders())
    for (const std::string& name : names) all.push_back(folder + "/" + name);
  return open_first(all, what, ", CUDA_HOME, /usr/local/cuda* or pip's nvidia packages");
}

void* symbol(void* library, const char* name, const char* what) {
  if (void* address = dlsym(library, name)) return address;
  throw DeviceError(std::string(what) + " has no function " + name + "; expected a newer version (CUDA 11.2, OpenCL 3)");
}

}  // namespace wf::cuda
