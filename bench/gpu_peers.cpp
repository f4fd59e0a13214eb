// CUB and Thrust as contestants: ./wf bench compiles bench/cuda with nvcc, if it is installed, into a shared library next to this
// program.

#include <dlfcn.h>

#include <cstdio>
#include <filesystem>

#include "cuda/peers.h"

namespace bench {

using Open = decltype(&open_gpu_peer);

static Open find_library() {
  const std::string path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "gpu_peers.so";
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return reinterpret_cast<Open>(dlsym(library, "open_gpu_peer"));
  std::printf("Thrust and CUB are left out, and the limits of the GPU: %s. ./wf bench makes it where it finds nvcc.\n", dlerror());
  return nullptr;
}

std::vector<std::pair<std::string, std::shared_ptr<GpuPeer>>> open_gpu_peers(const std::string& work, const std::string& type,
                                                                             const void* input, int64_t n) {
  static const Open open = find_library();
  std::vector<std::pair<std::string, std::shared_ptr<GpuPeer>>> peers;
  const char* name = nullptr;
  while (GpuPeer* peer = open ? open(work.c_str(), type.c_str(), int(peers.size()), input, n, &name) : nullptr)
    peers.emplace_back(name, std::shared_ptr<GpuPeer>(peer));
  return peers;
}

}  // namespace bench
