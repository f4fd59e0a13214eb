// A stand-in for libcuda.so.1: the functions that warpfold loads (cuda/device/driver.h), over an OpenCL 3 device that takes SPIR-V and reads the
// host's memory. A stream is an in-order queue, so work is as asynchronous as on a GPU. A module is what compiler.cpp makes: the number of
// bytes, and SPIR-V. OpenCL's errors are 1000 less.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#define STANDIN extern "C" [[gnu::visibility("default")]] int

namespace {

constexpr int out_of_memory = 2, no_device = 100, not_vectorized = 209, not_found = 500, opencl = 1000;

// CUDA's code for a result of OpenCL.
int code(cl_int result) { return result == CL_SUCCESS ? 0 : opencl - result; }

struct Opencl {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_uint units = 0;
  Opencl() {
    if (clGetPlatformIDs(1, &platform, nullptr) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr)) return;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  }
};
const Opencl& cl() {
  static const Opencl& once = *new Opencl;
  return once;
}

// ---- memory: the host's, filled with a pattern that no test expects ------------------------------------------------------------------

void* allocate(size_t bytes) {
  constexpr size_t alignment = 256;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory) std::memset(memory, 0xa5, bytes);
  return memory;
}

void free_memory(cl_event event, cl_int, void* memory) {
  std::free(memory);
  clReleaseEvent(event);
}

// Memory of cuMemHostAlloc: copies from and to other host memory are complete when the call returns.
class Pinned {
 public:
  void add(void* memory, size_t bytes) {
    std::lock_guard lock(mutex_);
    ends_[memory] = static_cast<char*>(memory) + bytes;
  }
  bool contains(const void* at) {
    std::lock_guard lock(mutex_);
    auto after = ends_.upper_bound(const_cast<void*>(at));
    return after != ends_.begin() && at < std::prev(after)->second;
  }

 private:
  std::mutex mutex_;
  std::map<void*, void*> ends_;
};
Pinned& pinned() {
  static Pinned& once = *new Pinned;
  return once;
}

int copy(cl_command_queue queue, void* to, const void* from, size_t bytes, bool waits) {
  return bytes == 0 ? 0 : code(clEnqueueSVMMemcpy(queue, waits, to, from, bytes, 0, nullptr, nullptr));
}

// ---- kernels ---------------------------------------------------------------------------------------------------------------------

struct Function {
  cl_kernel kernel;
  size_t size = 0;   // of the argument; known after the first launch
  std::mutex mutex;  // guards the argument between its setting and the launch
};

std::string build_log(cl_program program) {
  size_t size = 0;
  clGetProgramBuildInfo(program, cl().device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, cl().device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log;
}

// CUDA does not tell the size of a kernel's only argument, a structure or the address of one: the right one is that which OpenCL accepts.
int set_argument(Function& function, const void* argument) {
  constexpr size_t most = 8192;
  if (function.size > 0) return code(clSetKernelArg(function.kernel, 0, function.size, argument));
  if (clSetKernelArgSVMPointer(function.kernel, 0, *static_cast<void* const*>(argument)) == CL_SUCCESS) return 0;
  for (size_t size = 8; size <= most; size += 8)
    if (clSetKernelArg(function.kernel, 0, size, argument) == CL_SUCCESS) {
      function.size = size;
      return 0;
    }
  return code(CL_INVALID_ARG_SIZE);
}

}  // namespace

// ---- the device --------------------------------------------------------------------------------------------------------------------

STANDIN cuInit(unsigned) { return cl().context ? 0 : no_device; }
STANDIN cuDriverGetVersion(int* version) { return *version = 13000, 0; }
STANDIN cuDeviceGetCount(int* count) { return *count = 1, 0; }
STANDIN cuDeviceGet(int* device, int) { return *device = 0, 0; }
// The architecture is sm_200, of no GPU, so that no other code is stored under its name.
STANDIN cuDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int multiprocessors = 16, threads = 39, major = 75, minor = 76, shared = 97;
  const std::map<int, int> values = {
      {multiprocessors, int(cl().units)}, {threads, 1024}, {major, 20}, {minor, 0}, {shared, WF_SHARED_BYTES}};
  const auto known = values.find(attribute);
  return *value = known != values.end() ? known->second : 1, 0;
}
STANDIN cuDevicePrimaryCtxRetain(void** context, int) { return *context = cl().context, 0; }
STANDIN cuCtxSetCurrent(void*) { return 0; }
STANDIN cuGetErrorName(int error, const char** name) {
  thread_local std::string text;
  text = error >= opencl ? "CL_" + std::to_string(opencl - error) : std::to_string(error);
  return *name = text.c_str(), 0;
}
STANDIN cuGetErrorString(int error, const char** text) {
  *text = error == out_of_memory    ? "out of memory"
          : error == no_device      ? "no OpenCL device"
          : error == not_vectorized ? "the OpenCL runtime did not vectorize the kernel, so its sub-groups have one work-item each"
                                    : "an error of OpenCL";
  return 0;
}

// ---- streams and events --------------------------------------------------------------------------------------------------------------

STANDIN cuStreamCreate(cl_command_queue* stream, unsigned) {
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int result = 0;
  *stream = clCreateCommandQueueWithProperties(cl().context, cl().device, properties, &result);
  return code(result);
}
STANDIN cuStreamSynchronize(cl_command_queue stream) { return code(clFinish(stream)); }
STANDIN cuEventCreate(cl_event** event, unsigned) { return *event = new cl_event(nullptr), 0; }
STANDIN cuEventRecord(cl_event* event, cl_command_queue stream) {
  if (*event) clReleaseEvent(*event);
  const cl_int result = clEnqueueMarkerWithWaitList(stream, 0, nullptr, event);
  return code(result ? result : clFlush(stream));
}
STANDIN cuStreamWaitEvent(cl_command_queue stream, cl_event* event, unsigned) {
  return *event ? code(clEnqueueBarrierWithWaitList(stream, 1, event, nullptr)) : 0;
}
STANDIN cuEventSynchronize(cl_event* event) { return *event ? code(clWaitForEvents(1, event)) : 0; }
STANDIN cuEventElapsedTime(float* milliseconds, cl_event* first, cl_event* last) {
  cl_ulong begin = 0, end = 0;
  clGetEventProfilingInfo(*first, CL_PROFILING_COMMAND_END, sizeof begin, &begin, nullptr);
  const cl_int result = clGetEventProfilingInfo(*last, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
  *milliseconds = float(end - begin) * 1e-6f;
  return code(result);
}

// ---- memory ----------------------------------------------------------------------------------------------------------------------

STANDIN cuDeviceGetDefaultMemPool(void** pool, int) { return *pool = cl().context, 0; }
STANDIN cuMemPoolSetAttribute(void*, int, void*) { return 0; }
STANDIN cuMemPoolGetAttribute(void*, int, void* value) { return *static_cast<uint64_t*>(value) = 0, 0; }
STANDIN cuMemPoolTrimTo(void*, size_t) { return 0; }
STANDIN cuMemAllocAsync(void** address, size_t bytes, cl_command_queue) {
  constexpr size_t most = size_t(2) << 30;
  *address = bytes > most ? nullptr : allocate(bytes);
  return *address ? 0 : out_of_memory;
}
STANDIN cuMemFreeAsync(void* address, cl_command_queue stream) {
  cl_event done = nullptr;
  cl_int result = clEnqueueMarkerWithWaitList(stream, 0, nullptr, &done);
  if (!result) result = clSetEventCallback(done, CL_COMPLETE, free_memory, address);
  return code(result ? result : clFlush(stream));
}
STANDIN cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  if (*address = allocate(bytes); !*address) return out_of_memory;
  return pinned().add(*address, bytes), 0;
}
STANDIN cuMemsetD8Async(void* to, unsigned char byte, size_t bytes, cl_command_queue stream) {
  return bytes == 0 ? 0 : code(clEnqueueSVMMemFill(stream, to, &byte, 1, bytes, 0, nullptr, nullptr));
}
STANDIN cuMemcpyHtoDAsync_v2(void* to, const void* from, size_t bytes, cl_command_queue stream) {
  return copy(stream, to, from, bytes, !pinned().contains(from));
}
STANDIN cuMemcpyDtoHAsync_v2(void* to, const void* from, size_t bytes, cl_command_queue stream) {
  return copy(stream, to, from, bytes, !pinned().contains(to));
}
STANDIN cuMemcpyDtoDAsync_v2(void* to, const void* from, size_t bytes, cl_command_queue stream) {
  return copy(stream, to, from, bytes, false);
}

// ---- modules and launches --------------------------------------------------------------------------------------------------------------

STANDIN cuModuleLoadData(cl_program* module, const char* image) {
  uint64_t size = 0;
  std::memcpy(&size, image, sizeof size);
  cl_int result = 0;
  *module = clCreateProgramWithIL(cl().context, image + sizeof size, size, &result);
  if (!result) result = clBuildProgram(*module, 1, &cl().device, "-cl-fp32-correctly-rounded-divide-sqrt", nullptr, nullptr);
  const std::string log = build_log(*module);
  if (result) std::fprintf(stderr, "%s\n", log.c_str());
  return result ? code(result) : log.find("was not vectorized") == log.npos ? 0 : not_vectorized;
}
STANDIN cuModuleGetFunction(Function** function, cl_program module, const char* name) {
  const cl_kernel kernel = clCreateKernel(module, name, nullptr);
  if (!kernel) return not_found;
  const cl_bool yes = CL_TRUE;
  *function = new Function{kernel, 0, {}};
  return code(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
}
STANDIN cuFuncSetAttribute(Function*, int, int) { return 0; }
STANDIN cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function*, int, size_t) { return *blocks = 2, 0; }
STANDIN cuLaunchKernel(Function* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                       cl_command_queue stream, void** arguments, void**) {
  std::lock_guard lock(function->mutex);
  if (const int failure = set_argument(*function, arguments[0])) return failure;
  const size_t local = threads, global = blocks * local;
  const cl_int result = clEnqueueNDRangeKernel(stream, function->kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
  return code(result ? result : clFlush(stream));
}
