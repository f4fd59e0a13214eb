#include "cuda/device/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "engine/engine.h"

namespace wf::cuda {
namespace {

namespace fs = std::filesystem;

// Names for dlopen. Plain names are first, for which the loader searches its usual paths.
std::vector<std::string> driver_names() { return {"libcuda.so.1", "libcuda.so"}; }

// pip installs the library in <python>/site-packages/nvidia/*/lib. Virtual environments and user installs are searched.
std::vector<std::string> pip_folders() {
  std::vector<std::string> roots, folders;
  if (const char* environment = std::getenv("VIRTUAL_ENV")) roots.push_back(std::string(environment) + "/lib");
  if (const char* conda = std::getenv("CONDA_PREFIX")) roots.push_back(std::string(conda) + "/lib");
  if (const char* home = std::getenv("HOME")) roots.push_back(std::string(home) + "/.local/lib");
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

std::vector<std::string> nvrtc_names() {
  const std::vector<std::string> plain = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) folders.push_back(std::string(home) + "/lib64");
  folders.push_back("/usr/local/cuda/lib64");
  std::error_code ignored;
  std::vector<std::string> versions;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().starts_with("cuda-")) versions.push_back((entry.path() / "lib64").string());
  std::ranges::sort(versions, std::greater());
  folders.insert(folders.end(), versions.begin(), versions.end());
  for (std::string& folder : pip_folders()) folders.push_back(std::move(folder));
  std::vector<std::string> names = plain;
  for (const std::string& folder : folders)
    for (const std::string& name : plain) names.push_back(folder + "/" + name);
  return names;
}

void* open_first(const std::vector<std::string>& names, const char* what) {
  std::string tried;
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const bool is_path = name.find('/') != name.npos;
    if (!is_path || fs::exists(name)) tried += (tried.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw DeviceError(std::string(what) +
                    " was not found in the loader's paths, CUDA_HOME, /usr/local/cuda* or pip's nvidia packages: " + tried);
}

void* symbol(void* library, const char* name, const char* what) {
  if (void* address = dlsym(library, name)) return address;
  throw DeviceError(std::string(what) + " has no function " + name + "; expected CUDA 11.2 or later");
}

template <class F> void bind(F*& pointer, void* library, const char* name, const char* what) {
  pointer = reinterpret_cast<F*>(symbol(library, name, what));
}

Driver load_driver() {
  const char* what = "the CUDA driver (libcuda.so.1)";
  void* library = open_first(driver_names(), what);
  Driver d;
#define WF_BIND(name, parameters) bind(d.name, library, #name, what);
  WF_DRIVER_FUNCTIONS(WF_BIND)
#undef WF_BIND
#define WF_BIND(name, parameters) bind(d.name, library, #name "_v2", what);
  WF_DRIVER_FUNCTIONS_V2(WF_BIND)
#undef WF_BIND
  if (int result = d.cuInit(0)) {
    const char* text = nullptr;
    d.cuGetErrorString(result, &text);
    throw DeviceError(std::string("the CUDA driver cannot be initialized: ") + (text ? text : "unknown error"));
  }
  return d;
}

Nvrtc load_nvrtc() {
  const char* what = "NVRTC, CUDA's run-time compiler (libnvrtc.so)";
  void* library = open_first(nvrtc_names(), what);
  Nvrtc n;
#define WF_BIND(name, parameters) bind(n.name, library, #name, what);
  WF_NVRTC_FUNCTIONS(WF_BIND)
#undef WF_BIND
  bind(n.nvrtcGetErrorString, library, "nvrtcGetErrorString", what);
  n.nvrtcVersion(&n.major, &n.minor);
  return n;
}

}  // namespace

const Driver& driver() {
  static const Driver loaded = load_driver();
  return loaded;
}

const Nvrtc& nvrtc() {
  static Nvrtc loaded = load_nvrtc();
  return loaded;
}

int device_count() noexcept {
  static const int count = []() noexcept {
    int n = 0;
    try {
      if (driver().cuDeviceGetCount(&n) != 0) n = 0;
      if (n > 0) nvrtc();
    } catch (const std::exception&) { n = 0; }
    return n;
  }();
  return count;
}

void check(CUresult result, const char* what) {
  if (result == 0) return;
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  throw DeviceError(std::string(what) + " failed: " + (text ? text : "unknown error") + " (" + (name ? name : std::to_string(result)) +
                    ")");
}

}  // namespace wf::cuda
