// DLPack tensors as sequences and columns as DLPack tensors, without a copy.
#include "elements/dlpack.h"

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

static void delete_tensor(void* managed) {
  auto* tensor = static_cast<DLManagedTensor*>(managed);
  if (tensor->deleter) tensor->deleter(tensor);
}

int32_t wf_from_dlpack(wf_context* context, void* managed_tensor, wf_seq** out) {
  return guarded("wf_from_dlpack", [&](Call& call) {
    prepare(out);
    const auto& where = context_of(call, context);
    require(managed_tensor, "managed_tensor");
    const DLTensor& tensor = static_cast<DLManagedTensor*>(managed_tensor)->dl_tensor;
    if (tensor.device.device_type != cpu_device)
      throw UnsupportedError("the tensor is on a device of type " + std::to_string(tensor.device.device_type) +
                             "; expected the CPU (type 1)");
    const Layout layout = layout_of(tensor);
    Type type = type_of_dtype(tensor.dtype);
    const char* data = static_cast<const char*>(tensor.data);
    auto owner = std::make_shared<Adopted>(Adopted{delete_tensor, managed_tensor});
    NodeRef node = adopted(where, layout, type, data ? data + tensor.byte_offset : nullptr, owner);
    owner->handed_over = true;
    *out = give(std::move(node));
  });
}

namespace {
// An exported tensor: it retains the sequence, and so the column's memory.
struct Given {
  DLManagedTensor managed;
  NodeRef node;
  Shape shape;
  std::vector<int64_t> strides;
};
}  // namespace

int32_t wf_to_dlpack(wf_seq* s, int32_t column, void** managed_tensor) {
  return guarded("wf_to_dlpack", [&](Call& call) {
    prepare(managed_tensor, "managed_tensor");
    ForcedColumn forced = force_column(call, s, column);
    auto* data = const_cast<void*>(forced.data());
    const Shape shape = forced.node->shape();
    auto* given = new Given{{}, forced.node, shape, row_major(shape.extents())};
    auto* extents = const_cast<int64_t*>(given->shape.extents().data());
    const bool is_scalar = shape.rank() == 0;
    given->managed = {{data,
                       {cpu_device, 0},
                       shape.rank(),
                       dtype_of(forced.type),
                       is_scalar ? nullptr : extents,
                       is_scalar ? nullptr : given->strides.data(),
                       0},
                      given,
                      [](DLManagedTensor* self) { delete static_cast<Given*>(self->manager_ctx); }};
    *managed_tensor = &given->managed;
  });
}
