#include "cuda/device/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "engine/engine.h"

namespace wf::cuda {
std::string plugin_path() {
  Dl_info here{};
  dladdr(reinterpret_cast<void*>(&load_plugin), &here);
  std::error_code ignored;
  const auto file = std::filesystem::canonical(here.dli_fname ? here.dli_fname : "", ignored);
  return (file.parent_path() / Plugin::file).string();
}

const Plugin& load_plugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw UnsupportedError("the plugin " + std::string(Plugin::file) + " cannot be loaded: " + dlerror());
  auto* entry = reinterpret_cast<const Plugin* (*)()>(dlsym(library, Plugin::entry));
  if (!entry) throw UnsupportedError(path + " is not a plugin of this library: expected a function " + Plugin::entry);
  const Plugin& plugin = *entry();
  if (plugin.version != Plugin::current_version)
    throw UnsupportedError(path + " is a plugin of version " + std::to_string(plugin.version) + "; expected version " +
                           std::to_string(Plugin::current_version));
  return plugin;
}

void* plugin_function(const char* name) {
  try {
    static const Plugin& plugin = load_plugin(plugin_path());
    if (void* function = plugin.find(name)) return function;
  } catch (const UnsupportedError& e) { throw UnsupportedError("\"" + std::string(name) + "\" on a GPU requires a plugin: " + e.what()); }
  throw UnsupportedError("the plugin " + std::string(Plugin::file) + " has no function \"" + name + "\"");
}

}  // namespace wf::cuda
