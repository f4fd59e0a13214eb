// The structures of DLPack (https://dmlc.github.io/dlpack), with which array libraries exchange tensors without copies: those of 0.8, and the
// versioned tensor of 1.0.
// The names and layouts are the standard's.
#pragma once

#include <cstdint>

namespace wf::capi::dlpack {

enum : int32_t { cpu_device = 1, cuda_device = 2, cuda_host_device = 3 };  // the last one: pinned memory
enum : uint8_t { int_code = 0, uint_code = 1, float_code = 2, bool_code = 6 };

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;      // in elements; null: dense and row-major
  uint64_t byte_offset;  // of element 0, from data
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
};
constexpr uint32_t major_version = 1, minor_version = 0;
constexpr uint64_t read_only = 1;

}  // namespace wf::capi::dlpack
