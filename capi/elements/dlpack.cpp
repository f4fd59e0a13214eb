// DLPack tensors as sequences and columns as DLPack tensors, without a copy.
#include "elements/dlpack.h"

#include <optional>

#include "elements/adopt.h"
#include "elements/column.h"
#include "lazy/arrays/view.h"

using namespace wf;
using namespace wf::capi;
using namespace wf::capi::dlpack;

static DLDataType dtype_of(Type type) {
  TypeClass klass = info(type).klass;
  bool is_unsigned = type == Type::U8 || type == Type::U32 || type == Type::U64;
  uint8_t code = klass == Truth ? bool_code : klass == Float ? float_code : is_unsigned ? uint_code : int_code;
  return {code, uint8_t(8 * size_of(type)), 1};
}

static Type type_of_dtype(DLDataType dtype) {
  for (int k = 0; k < type_count; k++) {
    DLDataType ours = dtype_of(static_cast<Type>(k));
    if (ours.code == dtype.code && ours.bits == dtype.bits && dtype.lanes == 1) return static_cast<Type>(k);
  }
  throw TypeError("the tensor's dtype (code " + std::to_string(dtype.code) + ", " + std::to_string(dtype.bits) + " bits, " +
                  std::to_string(dtype.lanes) + " lanes) is not supported; expected bool, u8, i32, u32, i64, u64, f32 or f64");
}

static Layout layout_of(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > Shape::most_axes)
    throw UnsupportedError("the tensor has rank " + std::to_string(tensor.ndim) + "; expected 0 to " + std::to_string(Shape::most_axes));
  if (tensor.ndim > 0) require(tensor.shape, "the tensor's shape");
  Layout layout{{tensor.shape, tensor.shape + tensor.ndim}, {}};
  layout.strides = tensor.strides ? std::vector(tensor.strides, tensor.strides + tensor.ndim) : row_major(layout.extents);
  return layout;
}

template <class Managed> static void delete_tensor(void* managed) {
  auto* tensor = static_cast<Managed*>(managed);
  if (tensor->deleter) tensor->deleter(tensor);
}

// A stream as Python's __dlpack__ has it: -1 for none, 0 and 1 for the default stream, or the driver's handle. 1 and 2 are handles, too.
static constexpr int64_t no_stream = -1;
static void* handle_of(int64_t stream) {
  if (stream < no_stream) throw ArgumentError("stream is " + std::to_string(stream) + "; expected a CUstream, 0, 1, 2, or -1 for none");
  return reinterpret_cast<void*>(stream);
}

// The memory of a tensor that the context can use.
static Where where_of(const DLDevice& device, const Context& context) {
  if (device.device_type == cpu_device || device.device_type == cuda_host_device) return Where::Host;
  if (device.device_type != cuda_device)
    throw UnsupportedError("the tensor is on a device of type " + std::to_string(device.device_type) +
                           "; expected the CPU (type 1), pinned memory (3) or a GPU (2)");
  const DeviceMemory* memory = context.pool->device();
  if (!memory || memory->number() < 0 || memory->number() != device.device_id)
    throw UnsupportedError("the tensor is on a device of type 2, cuda:" + std::to_string(device.device_id) + ", and the context is " +
                           context.name + "; expected a context of that device");
  return Where::Device;
}

template <class Managed> static NodeRef from_tensor(const std::shared_ptr<Context>& context, void* managed_tensor, int64_t stream) {
  const DLTensor& tensor = static_cast<Managed*>(managed_tensor)->dl_tensor;
  void* const handle = handle_of(stream);
  const Where where = where_of(tensor.device, *context);
  const Layout layout = layout_of(tensor);
  const Type type = type_of_dtype(tensor.dtype);
  const char* data = static_cast<const char*>(tensor.data);
  auto owner = std::make_shared<Adopted>(Adopted{delete_tensor<Managed>, managed_tensor});
  if (where == Where::Device && stream != no_stream) context->pool->device()->wait_for(handle);
  NodeRef node = adopted(context, layout, type, data ? data + tensor.byte_offset : nullptr, where, owner);
  owner->handed_over = true;
  return node;
}

static int32_t from_dlpack(const char* name, wf_context* context, void* managed_tensor, bool versioned, int64_t stream, wf_seq** out) {
  return guarded(name, [&](Call& call) {
    prepare(out);
    const auto& where = context_of(call, context);
    require(managed_tensor, "managed_tensor");
    if (versioned) {
      const auto* tensor = static_cast<DLManagedTensorVersioned*>(managed_tensor);
      if (tensor->major != major_version)
        throw UnsupportedError("the tensor has version " + std::to_string(tensor->major) + "." + std::to_string(tensor->minor) +
                               " of DLPack; expected version 1");
    }
    *out = give(versioned ? from_tensor<DLManagedTensorVersioned>(where, managed_tensor, stream)
                          : from_tensor<DLManagedTensor>(where, managed_tensor, stream));
  });
}

int32_t wf_from_dlpack(wf_context* context, void* managed_tensor, wf_seq** out) {
  return from_dlpack("wf_from_dlpack", context, managed_tensor, false, 0, out);
}
int32_t wf_from_dlpack_stream(wf_context* context, void* managed_tensor, int32_t is_versioned, int64_t stream, wf_seq** out) {
  return from_dlpack("wf_from_dlpack_stream", context, managed_tensor, is_versioned != 0, stream, out);
}

namespace {

// An exported tensor: it retains the sequence, and so the column's memory. On a GPU, the memory is used by the reader's stream as well.
template <class Managed> struct Given {
  Managed managed;
  NodeRef node;
  Shape shape;
  std::vector<int64_t> strides;
  std::optional<Buffer::Lease> lease;
  BufferRef buffer;
  void* stream;  // of the reader

  // Later users of the memory wait for the reader.
  static void destroy(Managed* self) {
    std::unique_ptr<Given> given(static_cast<Given*>(self->manager_ctx));
    if (!given->lease) return;
    const std::shared_ptr<Pool> pool = context_of(*given->node).pool;
    try {
      pool->device()->wait_for(given->stream);
      Buffer::device(given->buffer, pool);
    } catch (const std::exception&) {
      // The driver is shut down or failed: no later work uses the memory.
    }
  }
};

DLTensor tensor_of(void* data, DLDevice device, Type type, const Shape& shape, std::vector<int64_t>& strides) {
  const bool is_scalar = shape.rank() == 0;
  return {data,
          device,
          shape.rank(),
          dtype_of(type),
          is_scalar ? nullptr : const_cast<int64_t*>(shape.extents().data()),
          is_scalar ? nullptr : strides.data(),
          0};
}

}  // namespace

// The memory that the tensor shall be in: that of the host, or of the context's device.
enum class Side : uint8_t { Host, Own };

template <class Managed> static void* to_tensor(const ForcedColumn& forced, Side side, int64_t stream) {
  const Shape shape = forced.node.shape();
  const std::shared_ptr<Pool>& pool = context_of(forced.node).pool;
  DeviceMemory* const own = side == Side::Own && forced.length > 0 ? pool->device() : nullptr;
  DeviceMemory* const device = own && own->number() >= 0 ? own : nullptr;
  void* const handle = handle_of(stream);
  auto given = std::make_unique<Given<Managed>>();
  given->node = NodeRef(&forced.node);
  given->shape = shape;
  given->strides = row_major(shape.extents());
  DLTensor& tensor = given->managed.dl_tensor;
  if (device) {
    given->buffer = forced.column->buffer;
    given->lease.emplace(Buffer::device(given->buffer, pool));
    if (stream != no_stream) device->let_wait(handle);
    given->stream = stream == no_stream ? nullptr : handle;
    auto* const data = static_cast<std::byte*>(given->lease->address()) + forced.offset();
    tensor = tensor_of(data, {cuda_device, device->number()}, forced.type, given->shape, given->strides);
  } else {
    tensor = tensor_of(const_cast<void*>(forced.data()), {cpu_device, 0}, forced.type, given->shape, given->strides);
  }
  given->managed.manager_ctx = given.get();
  given->managed.deleter = &Given<Managed>::destroy;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    given->managed.major = major_version;
    given->managed.minor = minor_version;
    given->managed.flags = read_only;
  }
  return &given.release()->managed;
}

int32_t wf_to_dlpack(wf_seq* s, int32_t column, void** managed_tensor) {
  return guarded("wf_to_dlpack", [&](Call& call) {
    prepare(managed_tensor, "managed_tensor");
    *managed_tensor = to_tensor<DLManagedTensor>(force_column(call, s, column), Side::Host, no_stream);
  });
}

int32_t wf_to_dlpack_stream(wf_seq* s, int32_t column, int32_t is_versioned, int64_t stream, void** managed_tensor) {
  return guarded("wf_to_dlpack_stream", [&](Call& call) {
    prepare(managed_tensor, "managed_tensor");
    const ForcedColumn forced = force_column(call, s, column);
    *managed_tensor = is_versioned ? to_tensor<DLManagedTensorVersioned>(forced, Side::Own, stream)
                                   : to_tensor<DLManagedTensor>(forced, Side::Own, stream);
  });
}
