// OpenCL 3 devices that take SPIR-V, behind the functions of CUDA's driver: libOpenCL is loaded at run time. A stream is an in-order command queue, a
// module a program, and memory is of the extension cl_intel_unified_shared_memory, whose addresses kernels get within their arguments. A device
// counts for one whose multiprocessors are OpenCL's compute units. Results are OpenCL's, which are negative, and CUDA's `out_of_memory`.
//
// Devices are Intel's GPUs and CPUs, and those of POCL. Tests run on Intel's CPUs.
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/device/clang.h"
#include "cuda/device/driver.h"
#include "cuda/device/library.h"
#include "engine/code_files.h"
#include "engine/engine.h"

namespace wf::cuda {

using ClPlatform = struct ClPlatform_st*;
using ClDevice = struct ClDevice_st*;
using ClContext = struct ClContext_st*;
using ClKernel = struct ClKernel_st*;
using ClEvent = struct ClEvent_st*;
using ClCallback = void(ClEvent, int, void*);

// Values of OpenCL's enums.
constexpr uint64_t all_types = 0xffffffff;
constexpr unsigned info_compute_units = 0x1002, info_group_size = 0x1004, info_parameter_bytes = 0x1017, info_local_bytes = 0x1023,
                   info_name = 0x102b, info_driver_version = 0x102d, info_extensions = 0x1030, info_double = 0x1032,
                   info_languages = 0x105b, info_subgroup_sizes = 0x4108;
constexpr unsigned info_binary_sizes = 0x1165, info_binaries = 0x1166, build_log = 0x1183, time_of_end = 0x1283, kind_of_memory = 0x419a,
                   host_memory = 0x4197;
constexpr unsigned indirect_host = 0x4200, indirect_device = 0x4201;

// F(name, result, parameters)
#define WF_OPENCL_FUNCTIONS(F)                                                                                                     \
  F(clGetPlatformIDs, int, (unsigned, ClPlatform*, unsigned*))                                                                     \
  F(clGetDeviceIDs, int, (ClPlatform, uint64_t, unsigned, ClDevice*, unsigned*))                                                   \
  F(clGetDeviceInfo, int, (ClDevice, unsigned, size_t, void*, size_t*))                                                            \
  F(clGetExtensionFunctionAddressForPlatform, void*, (ClPlatform, const char*))                                                    \
  F(clCreateContext, ClContext, (const intptr_t*, unsigned, const ClDevice*, void*, void*, int*))                                  \
  F(clCreateCommandQueueWithProperties, CUstream, (ClContext, ClDevice, const uint64_t*, int*))                                    \
  F(clFinish, int, (CUstream))                                                                                                     \
  F(clFlush, int, (CUstream))                                                                                                      \
  F(clEnqueueMarkerWithWaitList, int, (CUstream, unsigned, const ClEvent*, ClEvent*))                                              \
  F(clEnqueueBarrierWithWaitList, int, (CUstream, unsigned, const ClEvent*, ClEvent*))                                             \
  F(clWaitForEvents, int, (unsigned, const ClEvent*))                                                                              \
  F(clReleaseEvent, int, (ClEvent))                                                                                                \
  F(clSetEventCallback, int, (ClEvent, int, ClCallback*, void*))                                                                   \
  F(clGetEventProfilingInfo, int, (ClEvent, unsigned, size_t, void*, size_t*))                                                     \
  F(clCreateProgramWithIL, CUmodule, (ClContext, const void*, size_t, int*))                                                       \
  F(clCreateProgramWithBinary, CUmodule, (ClContext, unsigned, const ClDevice*, const size_t*, const unsigned char**, int*, int*)) \
  F(clGetProgramInfo, int, (CUmodule, unsigned, size_t, void*, size_t*))                                                           \
  F(clBuildProgram, int, (CUmodule, unsigned, const ClDevice*, const char*, void*, void*))                                         \
  F(clGetProgramBuildInfo, int, (CUmodule, ClDevice, unsigned, size_t, void*, size_t*))                                            \
  F(clCreateKernel, ClKernel, (CUmodule, const char*, int*))                                                                       \
  F(clSetKernelExecInfo, int, (ClKernel, unsigned, size_t, const void*))                                                           \
  F(clSetKernelArg, int, (ClKernel, unsigned, size_t, const void*))                                                                \
  F(clEnqueueNDRangeKernel, int,                                                                                                   \
    (CUstream, ClKernel, unsigned, const size_t*, const size_t*, const size_t*, unsigned, const ClEvent*, ClEvent*))

// The extension's, which a platform has.
#define WF_OPENCL_EXTENSION(F)                                                                                      \
  F(clHostMemAllocINTEL, void*, (ClContext, const uint64_t*, size_t, unsigned, int*))                               \
  F(clDeviceMemAllocINTEL, void*, (ClContext, ClDevice, const uint64_t*, size_t, unsigned, int*))                   \
  F(clMemFreeINTEL, int, (ClContext, void*))                                                                        \
  F(clGetMemAllocInfoINTEL, int, (ClContext, const void*, unsigned, size_t, void*, size_t*))                        \
  F(clSetKernelArgMemPointerINTEL, int, (ClKernel, unsigned, const void*))                                          \
  F(clEnqueueMemFillINTEL, int, (CUstream, void*, const void*, size_t, size_t, unsigned, const ClEvent*, ClEvent*)) \
  F(clEnqueueMemcpyINTEL, int, (CUstream, unsigned, void*, const void*, size_t, unsigned, const ClEvent*, ClEvent*))

struct Opencl {
#define WF_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  WF_OPENCL_FUNCTIONS(WF_MEMBER)
};
struct OpenclExtension {
  WF_OPENCL_EXTENSION(WF_MEMBER)
#undef WF_MEMBER
};

namespace {

const Opencl& cl() {
  static const Opencl loaded = [] {
    const char* what = "the OpenCL loader (libOpenCL.so.1)";
    void* library = open_by_loader({"libOpenCL.so.1"}, what);
    Opencl all;
#define WF_BIND(name, result, parameters) bind(all.name, library, #name, what);
    WF_OPENCL_FUNCTIONS(WF_BIND)
#undef WF_BIND
    return all;
  }();
  return loaded;
}

// Keeps the process's handlers of signals while it exists. Intel's runtime installs some of its own when it starts, but a process may need its faults:
// SBCL's collector finds changed pages by them.
class KeptSignals {
 public:
  KeptSignals() {
    for (int k = 1; k < NSIG; k++) sigaction(k, nullptr, &before_[k]);
  }
  ~KeptSignals() {
    for (int k = 1; k < NSIG; k++) sigaction(k, &before_[k], nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;

 private:
  struct sigaction before_[NSIG] = {};
};

// The devices of all platforms, in OpenCL's order.
const std::vector<std::pair<ClPlatform, ClDevice>>& devices() {
  static const auto& all = *[] {
    auto* found = new std::vector<std::pair<ClPlatform, ClDevice>>;
    unsigned count = 0;
    if (cl().clGetPlatformIDs(0, nullptr, &count)) return found;  // there is no platform
    std::vector<ClPlatform> platforms(count);
    cl().clGetPlatformIDs(count, platforms.data(), nullptr);
    for (ClPlatform platform : platforms) {
      if (cl().clGetDeviceIDs(platform, all_types, 0, nullptr, &count)) continue;
      std::vector<ClDevice> of_platform(count);
      cl().clGetDeviceIDs(platform, all_types, count, of_platform.data(), nullptr);
      for (ClDevice device : of_platform) found->emplace_back(platform, device);
    }
    return found;
  }();
  return all;
}

template <class T> T number_of(ClDevice device, unsigned which) {
  T value = 0;
  cl().clGetDeviceInfo(device, which, sizeof value, &value, nullptr);
  return value;
}
std::string text_of(ClDevice device, unsigned which) {
  size_t size = 0;
  cl().clGetDeviceInfo(device, which, 0, nullptr, &size);
  std::string text(size, '\0');
  cl().clGetDeviceInfo(device, which, size, text.data(), nullptr);
  return text.c_str();
}
bool has_subgroups(ClDevice device, size_t wanted) {
  size_t bytes = 0, sizes[16] = {};
  cl().clGetDeviceInfo(device, info_subgroup_sizes, sizeof sizes, sizes, &bytes);
  return std::ranges::count(sizes, wanted) > 0;
}

}  // namespace

struct CUctx_st {
  const ClDevice device;
  const ClContext context;
  OpenclExtension extension;
};
struct CUevent_st {
  ClEvent latest = nullptr;
};
struct CUfunc_st {
  const ClKernel kernel;
  size_t argument = 0;  // its size; known after the first launch
  std::mutex mutex;     // guards the argument between its setting and the launch
};

namespace {

thread_local const CUctx_st* current = nullptr;

// ---- the device --------------------------------------------------------------------------------------------------------------------

int opencl_multiprocessor_attribute(ClDevice device, int attribute) {
  constexpr int threads = 1024, most_shared = 100 << 10;
  switch (attribute) {
    case attribute_multiprocessors: return int(number_of<unsigned>(device, info_compute_units));
    case attribute_threads_per_multiprocessor: return threads;
    case attribute_shared_optin: return int(std::min<uint64_t>(most_shared, number_of<uint64_t>(device, info_local_bytes)));
    default: return 0;
  }
}

// The properties that kernels need and not every device has.
std::string lacks_of(ClDevice device) {
  const std::string extensions = text_of(device, info_extensions) + " ";
  const auto has = [&](const std::string& extension) { return extensions.find(extension + " ") != extensions.npos; };
  constexpr size_t most_threads = 1024;
  const std::pair<bool, const char*> needs[] = {
      {text_of(device, info_languages).find("SPIR-V_1.4") != std::string::npos, "SPIR-V 1.4"},
      {has("cl_intel_unified_shared_memory"), "unified shared memory (cl_intel_unified_shared_memory)"},
      {number_of<uint64_t>(device, info_double) != 0, "f64"},
      {has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics"), "atomic operations on integers of 64 bits"},
      {has("cl_intel_required_subgroup_size") && has_subgroups(device, 32), "sub-groups of 32 work-items"},
      {number_of<size_t>(device, info_group_size) >= most_threads, "work-groups of 1024 work-items"},
      {number_of<uint64_t>(device, info_local_bytes) >= (32 << 10), "32 KiB of local memory"},
  };
  std::string lacks;
  for (const auto& [is_there, what] : needs)
    if (!is_there) lacks += (lacks.empty() ? "" : ", ") + std::string(what);
  return lacks;
}

namespace opencl {

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) { return *version = 3, 0; }
int cuDeviceGetCount(int* count) {
  if (devices().empty())
    throw DeviceError("no OpenCL runtime has a device; install the runtime of one, such as Intel's, or POCL 4 or later");
  return *count = int(devices().size()), 0;
}
int cuDeviceGet(CUdevice* device, int number) { return *device = number, 0; }
int cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  return *value = opencl_multiprocessor_attribute(devices()[size_t(device)].second, attribute), 0;
}
int cuDeviceGetName(char* name, int capacity, CUdevice device) {
  return std::snprintf(name, size_t(capacity), "%s", text_of(devices()[size_t(device)].second, info_name).c_str()), 0;
}
int cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice number) {
  const KeptSignals kept;
  const auto [platform, device] = devices()[size_t(number)];
  OpenclExtension e;
#define WF_BIND(name, result, parameters) \
  e.name = reinterpret_cast<decltype(e.name)>(cl().clGetExtensionFunctionAddressForPlatform(platform, #name));
  WF_OPENCL_EXTENSION(WF_BIND)
#undef WF_BIND
  int result = 0;
  *context = new CUctx_st{device, cl().clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result), e};
  return result;
}
int cuCtxSetCurrent(CUcontext context) { return current = context, 0; }
int cuGetErrorName(CUresult error, const char** name) {
  thread_local std::string text;
  text = "CL_" + std::to_string(error);
  return *name = text.c_str(), 0;
}
int cuGetErrorString(CUresult, const char** text) { return *text = "an error of OpenCL", 0; }

// ---- streams and events --------------------------------------------------------------------------------------------------------------

int cuStreamCreate(CUstream* stream, unsigned) {
  constexpr uint64_t queue_properties = 0x1093, profiling = 2, properties[] = {queue_properties, profiling, 0};
  int result = 0;
  *stream = cl().clCreateCommandQueueWithProperties(current->context, current->device, properties, &result);
  return result;
}
int cuStreamSynchronize(CUstream stream) { return cl().clFinish(stream); }
int cuEventCreate(CUevent* event, unsigned) { return *event = new CUevent_st, 0; }
int cuEventRecord(CUevent event, CUstream stream) {
  if (event->latest) cl().clReleaseEvent(event->latest);
  event->latest = nullptr;
  const int result = cl().clEnqueueMarkerWithWaitList(stream, 0, nullptr, &event->latest);
  return result ? result : cl().clFlush(stream);
}
int cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return event->latest ? cl().clEnqueueBarrierWithWaitList(stream, 1, &event->latest, nullptr) : 0;
}
int cuEventSynchronize(CUevent event) { return event->latest ? cl().clWaitForEvents(1, &event->latest) : 0; }
int cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
  uint64_t begin = 0, end = 0;
  cl().clGetEventProfilingInfo(first->latest, time_of_end, sizeof begin, &begin, nullptr);
  const int result = cl().clGetEventProfilingInfo(last->latest, time_of_end, sizeof end, &end, nullptr);
  *milliseconds = float(end - begin) * 1e-6f;
  return result;
}

// ---- memory ----------------------------------------------------------------------------------------------------------------------

int cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice) { return *pool = nullptr, 0; }
int cuMemPoolSetAttribute(CUmemoryPool, int, void*) { return 0; }
int cuMemPoolGetAttribute(CUmemoryPool, int, void* value) { return *static_cast<uint64_t*>(value) = 0, 0; }
int cuMemPoolTrimTo(CUmemoryPool, size_t) { return 0; }
int cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream) {
  constexpr unsigned alignment = 256;
  void* memory = current->extension.clDeviceMemAllocINTEL(current->context, current->device, nullptr, bytes, alignment, nullptr);
  return *address = reinterpret_cast<CUdeviceptr>(memory), memory ? 0 : out_of_memory;
}
// A stream's memory is freed after the work that is in it now.
int cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  struct Freed {
    const CUctx_st* of;
    void* memory;
  };
  const auto free_now = [](ClEvent event, int, void* freed) {
    const auto [of, memory] = *static_cast<Freed*>(freed);
    of->extension.clMemFreeINTEL(of->context, memory);
    cl().clReleaseEvent(event);
    delete static_cast<Freed*>(freed);
  };
  ClEvent done = nullptr;
  if (const int result = cl().clEnqueueMarkerWithWaitList(stream, 0, nullptr, &done)) return result;
  const int result = cl().clSetEventCallback(done, 0, free_now, new Freed{current, reinterpret_cast<void*>(address)});
  return result ? result : cl().clFlush(stream);
}
int cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  int result = 0;
  *address = current->extension.clHostMemAllocINTEL(current->context, nullptr, bytes, 0, &result);
  return result;
}
int cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream) {
  return bytes ? current->extension.clEnqueueMemFillINTEL(stream, reinterpret_cast<void*>(to), &byte, 1, bytes, 0, nullptr, nullptr) : 0;
}
// A copy from or to the host's memory is complete when the call returns, unless the memory is that of cuMemHostAlloc.
int copy_of(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream, const void* host) {
  unsigned kind = host_memory;
  if (host) current->extension.clGetMemAllocInfoINTEL(current->context, host, kind_of_memory, sizeof kind, &kind, nullptr);
  if (bytes == 0) return 0;
  const int result = current->extension.clEnqueueMemcpyINTEL(stream, kind != host_memory, reinterpret_cast<void*>(to),
                                                             reinterpret_cast<const void*>(from), bytes, 0, nullptr, nullptr);
  return result ? result : cl().clFlush(stream);
}
int cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy_of(to, reinterpret_cast<CUdeviceptr>(from), bytes, stream, from);
}
int cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_of(reinterpret_cast<CUdeviceptr>(to), from, bytes, stream, to);
}
int cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { return copy_of(to, from, bytes, stream, nullptr); }

// ---- modules and launches --------------------------------------------------------------------------------------------------------------

int build(CUmodule module) {
  return cl().clBuildProgram(module, 1, &current->device, "-cl-fp32-correctly-rounded-divide-sqrt", nullptr, nullptr);
}

// Returns null if the runtime does not accept the code.
CUmodule of_machine_code(const std::string& code) {
  if (code.empty()) return nullptr;
  const size_t bytes = code.size();
  const auto* data = reinterpret_cast<const unsigned char*>(code.data());
  int result = 0;
  const CUmodule module = cl().clCreateProgramWithBinary(current->context, 1, &current->device, &bytes, &data, nullptr, &result);
  return result == 0 && build(module) == 0 ? module : nullptr;
}
std::string machine_code_of(CUmodule module) {
  size_t bytes = 0;
  if (cl().clGetProgramInfo(module, info_binary_sizes, sizeof bytes, &bytes, nullptr)) return {};
  std::string code(bytes, '\0');
  char* data = code.data();
  return cl().clGetProgramInfo(module, info_binaries, sizeof data, &data, nullptr) == 0 ? code : std::string();
}

// The runtime compiles SPIR-V to machine code, which takes longer than clang. So that is kept on disk, too, if the runtime tells it.
int cuModuleLoadData(CUmodule* module, const void* image) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, image, sizeof bytes);
  const std::string_view spirv(static_cast<const char*>(image) + sizeof bytes, bytes);
  CodeHash hash;
  hash.add(spirv);
  for (unsigned info : {info_name, info_driver_version}) hash.add(text_of(current->device, info));
  const std::filesystem::path path = code_file(hash.name() + ".cl");
  if (*module = of_machine_code(read_code(path)); *module) return 0;
  int result = 0;
  *module = cl().clCreateProgramWithIL(current->context, spirv.data(), spirv.size(), &result);
  if (result) return result;
  result = build(*module);
  std::string log(1 << 16, '\0');
  cl().clGetProgramBuildInfo(*module, current->device, build_log, log.size(), log.data(), nullptr);
  if (result) throw DeviceError("the OpenCL runtime does not build a kernel: " + std::string(log.c_str()));
  // Intel's runtime says so in its log alone.
  if (log.find("was not vectorized") != log.npos)
    throw DeviceError("the OpenCL runtime did not vectorize a kernel, so its sub-groups have one work-item each");
  write_code(path, machine_code_of(*module));
  return 0;
}
int cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  int result = 0;
  const ClKernel kernel = cl().clCreateKernel(module, name, &result);
  if (result) return result;
  *function = new CUfunc_st{kernel, 0, {}};
  const unsigned yes = 1;
  for (unsigned info : {indirect_device, indirect_host})
    if (const int failed = cl().clSetKernelExecInfo(kernel, info, sizeof yes, &yes)) return failed;
  return 0;
}
int cuFuncSetAttribute(CUfunction, int, int) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, size_t) { return *blocks = 2, 0; }

// CUDA does not tell the size of a kernel's only argument, a structure: the right one is that which OpenCL accepts. Kernels with more arguments take
// the address of one, which Intel's runtime for CPUs does not accept.
int set_argument(CUfunction function, const void* argument) {
  if (function->argument > 0) return cl().clSetKernelArg(function->kernel, 0, function->argument, argument);
  if (current->extension.clSetKernelArgMemPointerINTEL(function->kernel, 0, *static_cast<void* const*>(argument)) == 0) return 0;
  const size_t most = number_of<size_t>(current->device, info_parameter_bytes);
  for (size_t size = 8; size <= most; size += 8)
    if (cl().clSetKernelArg(function->kernel, 0, size, argument) == 0) return function->argument = size, 0;
  throw UnsupportedError("a kernel has more arguments than this OpenCL device takes, which are " + std::to_string(most / 8) +
                         "; expected fewer inputs, outputs or literals, or a context of \"cpu\" or \"cuda:N\"");
}
int cuLaunchKernel(CUfunction function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   CUstream stream, void** arguments, void**) {
  std::lock_guard lock(function->mutex);
  if (const int failed = set_argument(function, arguments[0])) return failed;
  const size_t local = threads, global = blocks * local;
  const int result = cl().clEnqueueNDRangeKernel(stream, function->kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
  return result ? result : cl().clFlush(stream);
}

}  // namespace opencl

// SPIR-V has no shared memory whose size a launch defines, so its size, that of Device::shared_memory, is part of the name.
std::string opencl_architecture(const DriverTable&, CUdevice number) {
  const ClDevice device = devices()[size_t(number)].second;
  if (const std::string lacks = lacks_of(device); !lacks.empty())
    throw DeviceError("the OpenCL device \"" + text_of(device, info_name) + "\" lacks " + lacks + ", which kernels need");
  clang_version();
  return "spirv_" + std::to_string(opencl_multiprocessor_attribute(device, attribute_shared_optin) - static_shared_bytes);
}

}  // namespace

const DriverTable& opencl_driver() {
  static const DriverTable table = [] {
    DriverTable t;
    t.name = "opencl";
    t.architecture = opencl_architecture;
#define WF_SET(function, parameters) t.function = opencl::function;
    WF_DRIVER_FUNCTIONS(WF_SET)
    WF_CONTEXT_FUNCTIONS(WF_SET)
    WF_CONTEXT_FUNCTIONS_V2(WF_SET)
#undef WF_SET
    return t;
  }();
  cl();
  return table;
}

}  // namespace wf::cuda
