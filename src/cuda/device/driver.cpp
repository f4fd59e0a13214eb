#include "cuda/device/driver.h"

#include <dlfcn.h>

#include "cuda/device/library.h"
#include "engine/engine.h"

namespace wf::cuda {
namespace {

std::string cuda_architecture(const DriverTable& d, CUdevice device) {
  nvrtc();
  const auto attribute = [&](int which) {
    int value = 0;
    check(d.cuDeviceGetAttribute(&value, which, device), "reading the device's attributes");
    return value;
  };
  const int number = 10 * attribute(attribute_major) + attribute(attribute_minor);
  if (number < 75) throw DeviceError("it has architecture sm_" + std::to_string(number) + "; expected sm_75 or newer");
  if (!attribute(attribute_pools_supported)) throw DeviceError("it or its driver has no stream-ordered memory pools");
  return "sm_" + std::to_string(number);
}

DriverTable load_driver() {
  const char* what = "the CUDA driver (libcuda.so.1)";
  void* library = open_by_loader({"libcuda.so.1", "libcuda.so"}, what);
  DriverTable d;
  d.architecture = cuda_architecture;
#define WF_BIND(name, parameters) bind(d.name, library, #name, what);
  WF_DRIVER_FUNCTIONS(WF_BIND)
  WF_CONTEXT_FUNCTIONS(WF_BIND)
#undef WF_BIND
#define WF_BIND(name, parameters) bind(d.name, library, #name "_v2", what);
  WF_CONTEXT_FUNCTIONS_V2(WF_BIND)
#undef WF_BIND
  if (int result = d.cuInit(0)) {
    const char* text = nullptr;
    d.cuGetErrorString(result, &text);
    throw DeviceError(std::string("the CUDA driver cannot be initialized: ") + (text ? text : "unknown error"));
  }
  return d;
}

// Binds functions whose names begin with `prefix` instead of "nvrtc". The machine code is that of Get`code`.
Nvrtc bind_compiler(void* library, const std::string& prefix, const std::string& code, const char* what) {
  const auto name = [&](const char* nvrtc_name) { return prefix + (nvrtc_name + sizeof "nvrtc" - 1); };
  Nvrtc n;
#define WF_BIND(function, parameters) bind(n.function, library, name(#function).c_str(), what);
  WF_NVRTC_FUNCTIONS(WF_BIND)
#undef WF_BIND
  bind(n.nvrtcGetCUBINSize, library, (prefix + "Get" + code + "Size").c_str(), what);
  bind(n.nvrtcGetCUBIN, library, (prefix + "Get" + code).c_str(), what);
  bind(n.nvrtcGetErrorString, library, name("nvrtcGetErrorString").c_str(), what);
  n.nvrtcSetFlowCallback = reinterpret_cast<decltype(n.nvrtcSetFlowCallback)>(dlsym(library, name("nvrtcSetFlowCallback").c_str()));
  n.nvrtcVersion(&n.major, &n.minor);
  return n;
}

Nvrtc load_nvrtc() {
  const char* what = "NVRTC, CUDA's run-time compiler (libnvrtc.so)";
  return bind_compiler(open_of_toolkit({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, what), "nvrtc", "CUBIN", what);
}

Nvrtc load_hiprtc() {
  const char* what = "hipRTC, HIP's run-time compiler (libamdhip64.so)";
  return bind_compiler(open_by_loader({"libamdhip64.so.5", "libamdhip64.so"}, what), "hiprtc", "Code", what);
}

}  // namespace

const DriverTable& cuda_driver() {
  static const DriverTable loaded = load_driver();
  return loaded;
}

const ContextDriver& DeviceContext::driver() const {
  check(table->cuCtxSetCurrent(handle), "making the device current");
  return *table;
}

const Nvrtc& nvrtc() {
  static Nvrtc loaded = load_nvrtc();
  return loaded;
}

const Nvrtc& hiprtc() {
  static const Nvrtc loaded = load_hiprtc();
  return loaded;
}

int device_count() noexcept {
  static const int count = []() noexcept {
    int n = 0;
    try {
      if (cuda_driver().cuDeviceGetCount(&n) != 0) n = 0;
      if (n > 0) nvrtc();
    } catch (const std::exception&) { n = 0; }
    return n;
  }();
  return count;
}

void check(CUresult result, const char* what) {
  constexpr CUresult deinitialized = 4;  // the driver's own function of atexit has run, after which it names no errors
  if (result == 0) return;
  if (result == deinitialized)
    throw DeviceError(std::string(what) + " failed: the CUDA driver has shut down, since the process ends; compute results before that");
  const char *name = nullptr, *text = nullptr;
  const DriverTable& d = result < 0 ? opencl_driver() : cuda_driver();
  d.cuGetErrorName(result, &name);
  d.cuGetErrorString(result, &text);
  throw DeviceError(std::string(what) + " failed: " + (text ? text : "unknown error") + " (" + (name ? name : std::to_string(result)) +
                    ")");
}

}  // namespace wf::cuda
