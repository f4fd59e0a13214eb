// The CUDA driver and NVRTC, and OpenCL behind the same functions, loaded at run time: one build of the library runs on machines with and without a GPU.
// This file declares the few functions that are used, so that the build needs no CUDA header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wf::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using nvrtcProgram = struct _nvrtcProgram*;

// Values of the driver's enums.
constexpr CUresult out_of_memory = 2;
constexpr int attribute_multiprocessors = 16, attribute_threads_per_multiprocessor = 39, attribute_major = 75, attribute_minor = 76,
              attribute_shared_optin = 97, attribute_pools_supported = 115;
constexpr int function_max_dynamic_shared = 8, function_shared_carveout = 9;
constexpr unsigned stream_non_blocking = 1, event_no_timing = 2, host_portable = 1, host_mapped = 2;
constexpr int static_shared_bytes = 12 << 10;  // of a block's shared memory: what kernels may use besides the dynamic one
constexpr int pool_reserved_current = 5, pool_used_current = 7, pool_release_threshold = 4;

// F(name in the library, parameters); every function returns an int. These need no context.
#define WF_DRIVER_FUNCTIONS(F)                        \
  F(cuInit, (unsigned))                               \
  F(cuDriverGetVersion, (int*))                       \
  F(cuDeviceGetCount, (int*))                         \
  F(cuDeviceGet, (CUdevice*, int))                    \
  F(cuDeviceGetAttribute, (int*, int, CUdevice))      \
  F(cuDeviceGetName, (char*, int, CUdevice))          \
  F(cuDevicePrimaryCtxRetain, (CUcontext*, CUdevice)) \
  F(cuCtxSetCurrent, (CUcontext))                     \
  F(cuGetErrorName, (CUresult, const char**))         \
  F(cuGetErrorString, (CUresult, const char**))       \
  F(cuDeviceGetDefaultMemPool, (CUmemoryPool*, CUdevice))

// These need a context that is current for the calling thread.
#define WF_CONTEXT_FUNCTIONS(F)                                                   \
  F(cuStreamCreate, (CUstream*, unsigned))                                        \
  F(cuStreamSynchronize, (CUstream))                                              \
  F(cuStreamWaitEvent, (CUstream, CUevent, unsigned))                             \
  F(cuEventCreate, (CUevent*, unsigned))                                          \
  F(cuEventRecord, (CUevent, CUstream))                                           \
  F(cuEventSynchronize, (CUevent))                                                \
  F(cuEventElapsedTime, (float*, CUevent, CUevent))                               \
  F(cuMemPoolSetAttribute, (CUmemoryPool, int, void*))                            \
  F(cuMemPoolGetAttribute, (CUmemoryPool, int, void*))                            \
  F(cuMemPoolTrimTo, (CUmemoryPool, size_t))                                      \
  F(cuMemAllocAsync, (CUdeviceptr*, size_t, CUstream))                            \
  F(cuMemFreeAsync, (CUdeviceptr, CUstream))                                      \
  F(cuMemHostAlloc, (void**, size_t, unsigned))                                   \
  F(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))              \
  F(cuModuleLoadData, (CUmodule*, const void*))                                   \
  F(cuModuleGetFunction, (CUfunction*, CUmodule, const char*))                    \
  F(cuFuncSetAttribute, (CUfunction, int, int))                                   \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int*, CUfunction, int, size_t)) \
  F(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**))

// The same for functions whose current version has another name in the library.
#define WF_CONTEXT_FUNCTIONS_V2(F)                                   \
  F(cuMemcpyHtoDAsync, (CUdeviceptr, const void*, size_t, CUstream)) \
  F(cuMemcpyDtoHAsync, (void*, CUdeviceptr, size_t, CUstream))       \
  F(cuMemcpyDtoDAsync, (CUdeviceptr, CUdeviceptr, size_t, CUstream))

#define WF_NVRTC_FUNCTIONS(F)                                                                                   \
  F(nvrtcVersion, (int*, int*))                                                                                 \
  F(nvrtcCreateProgram, (nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  F(nvrtcDestroyProgram, (nvrtcProgram*))                                                                       \
  F(nvrtcCompileProgram, (nvrtcProgram, int, const char* const*))                                               \
  F(nvrtcGetProgramLogSize, (nvrtcProgram, size_t*))                                                            \
  F(nvrtcGetProgramLog, (nvrtcProgram, char*))

struct Driver {
#define WF_MEMBER_POINTER(name, parameters) int(*name) parameters = nullptr;
  WF_DRIVER_FUNCTIONS(WF_MEMBER_POINTER)
};

struct ContextDriver {
  WF_CONTEXT_FUNCTIONS(WF_MEMBER_POINTER)
  WF_CONTEXT_FUNCTIONS_V2(WF_MEMBER_POINTER)
};

// The functions of one driver, whose results are 0, CUDA's errors, which are positive, or OpenCL's, which are negative.
struct DriverTable : Driver, ContextDriver {
  const char* name = "cuda";  // of its contexts, before ":N"
  // Returns the architecture for which kernels are compiled (compile.h). Throws DeviceError, whose message names what the device or this machine lacks.
  std::string (*architecture)(const DriverTable&, CUdevice) = nullptr;
};

// A device's context, and its driver's functions.
struct DeviceContext {
  const DriverTable* table = nullptr;
  CUcontext handle = nullptr;
  // Makes the context current for the calling thread: the only way to the functions that need one, so that every thread may call them.
  const ContextDriver& driver() const;
};

struct Nvrtc {
  WF_NVRTC_FUNCTIONS(WF_MEMBER_POINTER)
#undef WF_MEMBER_POINTER
  int (*nvrtcGetCUBINSize)(nvrtcProgram, size_t*) = nullptr;
  int (*nvrtcGetCUBIN)(nvrtcProgram, char*) = nullptr;
  int major = 0, minor = 0;
  const char* (*nvrtcGetErrorString)(int) = nullptr;
  int (*nvrtcSetFlowCallback)(nvrtcProgram, int (*)(void*, void*), void*) = nullptr;  // null before CUDA 12.8
};

// Loaded at the first call, once per process. All throw DeviceError, whose message names the missing library and the searched paths.
const DriverTable& cuda_driver();
const DriverTable& opencl_driver();  // opencl.cpp
const Nvrtc& nvrtc();
// hipRTC, AMD's compiler, whose functions are NVRTC's with other names.
const Nvrtc& hiprtc();

// Returns the number of usable GPUs of CUDA; 0 if anything is missing. Never throws.
int device_count() noexcept;

// Throws DeviceError with the driver's message if the result is an error.
void check(CUresult result, const char* what);

}  // namespace wf::cuda
