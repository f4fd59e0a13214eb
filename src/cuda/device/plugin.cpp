#include "cuda/device/plugin.h"

#include "engine/engine.h"
#include "engine/plugin.h"

namespace wf::cuda {
std::string plugin_path() { return path_next_to_library(Plugin::file); }

const Plugin& load_plugin(const std::string& path) {
  const Plugin& plugin = *static_cast<const Plugin*>(open_plugin(path, Plugin::entry));
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
