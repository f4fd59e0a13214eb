// The interface to code that nvcc compiles ahead of time (CUB's sorts, cuBLAS). The plugin is a shared library next to libwarpfold. It is
// loaded when a kernel first needs it, and everything else runs without it. The plugin includes this header and defines
//
//     extern "C" const wf::cuda::Plugin* warpfold_cuda_plugin();
#pragma once

#include <cstdint>
#include <string>

namespace wf::cuda {

// The interface has only plain types, so that another compiler may compile the plugin. A function's caller declares its parameters; a
// change to them is a new version.
struct Plugin {
  static constexpr uint32_t current_version = 1;
  static constexpr const char* file = "libwarpfold_cuda.so";
  static constexpr const char* entry = "warpfold_cuda_plugin";

  uint32_t version;
  // Returns the address of a function, or null if the plugin has none of that name.
  void* (*find)(const char* name);
};

// Returns the plugin's path: next to the file that contains this function, libwarpfold or a program that links it statically.
std::string plugin_path();

// Returns a function of the plugin next to this library; the plugin stays loaded. Throws UnsupportedError, whose message names the
// function, the plugin and the cause. Cost: one look-up by name.
void* plugin_function(const char* name);

// Loads the plugin in that file. Throws UnsupportedError if it is not a plugin of this version.
const Plugin& load_plugin(const std::string& path);

}  // namespace wf::cuda
