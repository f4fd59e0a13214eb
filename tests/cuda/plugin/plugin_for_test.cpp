// A plugin with one function.
#include <cstring>

#include "cuda/device/plugin.h"

#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION wf::cuda::Plugin::current_version
#endif

static int twice(int x) { return 2 * x; }

static void* find(const char* name) { return std::strcmp(name, "twice") == 0 ? reinterpret_cast<void*>(&twice) : nullptr; }

extern "C" __attribute__((visibility("default"))) const wf::cuda::Plugin* warpfold_cuda_plugin() {
  static const wf::cuda::Plugin plugin{PLUGIN_VERSION, find};
  return &plugin;
}
