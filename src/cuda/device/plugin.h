// The seam for what nvcc compiles ahead of time (CUB's sorts, cuBLAS): a shared library that lies beside libwarpfold and is loaded
// when a kernel first needs it, so that everything else runs without. The plugin includes this header and defines
//
//     extern "C" const wf::cuda::Plugin* warpfold_cuda_plugin();
#pragma once

#include <cstdint>
#include <string>

namespace wf::cuda {

// Only plain types cross, so that the plugin may be compiled by another compiler. What a function of that name takes is agreed upon
// where it is called; a change to it is a new version.
struct Plugin {
  static constexpr uint32_t current_version = 1;
  static constexpr const char* file = "libwarpfold_cuda.so";
  static constexpr const char* entry = "warpfold_cuda_plugin";

  uint32_t version;
  // The address of a function, null where the plugin has none of that name.
  void* (*find)(const char* name);
};

// A function of the plugin beside this library, which stays loaded. Throws UnsupportedError, which says what needs it, where it was
// looked for, and what is wrong. Cost: one look-up by name.
void* plugin_function(const char* name);

// The plugin in that file. Throws UnsupportedError.
const Plugin& load_plugin(const std::string& path);

}  // namespace wf::cuda
