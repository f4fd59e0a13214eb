#include "engine/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "expr/fn.h"

namespace wf {

std::string path_next_to_library(const char* file) {
  Dl_info here{};
  dladdr(reinterpret_cast<void*>(&path_next_to_library), &here);
  std::error_code ignored;
  const auto library = std::filesystem::canonical(here.dli_fname ? here.dli_fname : "", ignored);
  return (library.parent_path() / file).string();
}

const void* open_plugin(const std::string& path, const char* entry) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw UnsupportedError("the plugin " + path.substr(path.rfind('/') + 1) + " cannot be loaded: " + dlerror());
  auto* function = reinterpret_cast<const void* (*)()>(dlsym(library, entry));
  if (!function) throw UnsupportedError(path + " is not a plugin of this library: expected a function " + entry);
  return function();
}

}  // namespace wf
