// Sequences from the caller's memory, a value or a file.
#include "checks/guard.h"
#include "dist/parted.h"
#include "elements/adopt.h"
#include "elements/elements.h"
#include "files/file.h"

using namespace wf;
using namespace wf::capi;

namespace wf::capi {

// SIMD code requires that a bool is 0 or 1.
static void require_bools(const void* data, int64_t n) {
  if (int64_t k = first_non_bool(data, n); k >= 0)
    throw ArgumentError("element " + std::to_string(k) + " is a bool of value " + std::to_string(static_cast<const uint8_t*>(data)[k]) +
                        "; expected 0 or 1");
}

NodeRef adopted(const std::shared_ptr<Context>& context, Shape shape, Type type, const void* data, Where where,
                std::shared_ptr<Adopted> owner) {
  size_t bytes = size_in_bytes(shape.length(), type);
  if (bytes > 0) require(data, "data");
  if (reinterpret_cast<uintptr_t>(data) % size_of(type) != 0)
    throw ArgumentError("data is not aligned; expected an address that is a multiple of " + std::to_string(size_of(type)) +
                        " bytes, the size of " + std::string(name(type)));
  if (type == Type::Bool && where != Where::Device) require_bools(data, shape.length());
  auto done = [owner] {};
  BufferRef buffer = where == Where::Device && bytes > 0 ? Buffer::adopt_device(context->pool, const_cast<void*>(data), bytes, done)
                                                         : Buffer::adopt(data, bytes, done, where == Where::Padded);
  return source(context, shape, {type}, {{std::move(buffer), 0}});
}

void adopt(const std::shared_ptr<Context>& context, Shape shape, Type type, const void* data, Where where, void (*deleter)(void* user),
           void* user, wf_seq** out) {
  auto owner = std::make_shared<Adopted>(Adopted{deleter, user});
  NodeRef node = adopted(context, shape, type, data, where, owner);
  owner->handed_over = true;
  *out = give(std::move(node));
}

}  // namespace wf::capi

static void from_host(wf_context* context, Type type, Elements from, int64_t n, Call& call, wf_seq** out) {
  const auto& where = context_of(call, context);
  size_t bytes = size_in_bytes(n, type);
  int64_t reach;
  if (__builtin_mul_overflow(from.stride, int64_t(size_in_bytes(n, from.type)), &reach))
    throw SizeError("stride is " + std::to_string(from.stride) + ": " + std::to_string(n) + " elements that far apart overflow 64 bits");
  if (n > 0) require(from.data, "data");
  BufferRef buffer = Buffer::make(where->pool, bytes);
  // A caller's bool may be any byte.
  const bool is_plain = type == from.type && type != Type::Bool && from.stride == 1;
  if (!is_plain || !buffer->fill_device(from.data)) copy_elements({buffer->host_for_writing(), type}, from, n);
  *out = give(source(where, Shape::vector(n), {type}, {{std::move(buffer), 0}}));
}

int32_t wf_from_host(wf_context* context, int32_t type, const void* data, int64_t n, wf_seq** out) {
  return guarded("wf_from_host", [&](Call& call) {
    prepare(out);
    Type its = type_of_code(type);
    from_host(context, its, {const_cast<void*>(data), its}, n, call, out);
  });
}

// A column with the elements of each process, one after another.
static BufferRef joined(const Context& context, Type type, const Elements& from, int64_t n) {
  std::vector<int64_t> lengths(size_t(context.ranks())), borders{0};
  lengths[size_t(context.rank())] = n;
  context.communicator->all_gather(reinterpret_cast<std::byte*>(lengths.data()), sizeof n);
  for (int64_t length : lengths) borders.push_back(borders.back() + length);
  const size_t size = size_of(type), bytes = size_in_bytes(borders.back(), type), begin = size_t(borders[size_t(context.rank())]);
  const auto parted = std::make_shared<Parted>(context.communicator, context.pool, std::move(borders), size);
  copy_elements({parted->memory(context.rank())->host_for_writing() + begin * size, type}, from, n);
  context.communicator->agree();
  return Buffer::collected_from(context.pool, bytes, parted);
}

int32_t wf_from_part(wf_context* context, int32_t type, const void* data, int64_t local_n, wf_seq** out) {
  return guarded("wf_from_part", [&](Call& call) {
    prepare(out);
    const auto& where = context_of(call, context);
    const Type its = type_of_code(type);
    const Elements from{const_cast<void*>(data), its};
    if (!where->has_processes()) return from_host(context, its, from, local_n, call, out);
    on_all_processes(*where, [&] {
      size_in_bytes(local_n, its, "local_n");
      if (local_n > 0) require(data, "data");
      BufferRef column = joined(*where, its, from, local_n);
      const auto n = int64_t(column->bytes() / size_of(its));
      *out = give(source(where, Shape::vector(n), {its}, {{std::move(column), 0}}));
    });
  });
}

int32_t wf_from_host_strided(wf_context* context, int32_t type, const void* data, int32_t data_type, int64_t n, int64_t stride,
                             wf_seq** out) {
  return guarded("wf_from_host_strided", [&](Call& call) {
    prepare(out);
    Type to = type_of_code(type), from = type_of_code(data_type, "data_type");
    from_host(context, to, {const_cast<void*>(data), from, stride}, n, call, out);
  });
}

int32_t wf_adopt(wf_context* context, int32_t type, const void* data, int64_t n, void (*deleter)(void* user), void* user, wf_seq** out) {
  return guarded("wf_adopt", [&](Call& call) {
    prepare(out);
    const auto& where = context_of(call, context);
    Type its = type_of_code(type);
    size_in_bytes(n, its);
    adopt(where, Shape::vector(n), its, data, Where::Host, deleter, user, out);
  });
}

int32_t wf_allocate(wf_context* context, int32_t type, int64_t n, void** data, wf_seq** out) {
  return guarded("wf_allocate", [&](Call& call) {
    prepare(out);
    prepare(data, "data");
    const auto& where = context_of(call, context);
    Type its = type_of_code(type);
    BufferRef buffer = Buffer::make(where->pool, size_in_bytes(n, its));
    void* memory = buffer->host_for_writing();
    *out = give(source(where, Shape::vector(n), {its}, {{std::move(buffer), 0}}));
    *data = memory;
  });
}

// A scalar is a constant without memory: kernels hold it in a register.
int32_t wf_scalar(wf_context* context, int32_t type, const void* value, wf_seq** out) {
  return making("wf_scalar", out, [&](Call& call) {
    const auto& where = context_of(call, context);
    Type its = type_of_code(type);
    require(value, "value");
    Bits64 bits = 0;
    copy_elements({&bits, its}, {const_cast<void*>(value), its}, 1);
    return constant(where, its, bits);
  });
}

int32_t wf_from_file(wf_context* context, int32_t type, const char* path, wf_seq** out) {
  return guarded("wf_from_file", [&](Call& call) {
    prepare(out);
    const auto& where = context_of(call, context);
    Type its = type_of_code(type);
    require(path, "path");
    const Bytes file = map_file(path);
    const size_t size = size_of(its);
    if (file.size % size != 0)
      throw SizeError(quoted(path) + " has " + std::to_string(file.size) + " bytes; expected a multiple of the " + std::to_string(size) +
                      " bytes of type " + std::string(name(its)));
    auto owner = std::make_unique<Bytes>(file);
    adopt(
        where, Shape::vector(int64_t(file.size / size)), its, file.data, Where::Padded,
        [](void* bytes) { delete static_cast<Bytes*>(bytes); }, owner.get(), out);
    owner.release();
  });
}
