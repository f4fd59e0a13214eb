#include "cpu/program/foreign.h"

#include <cstring>

#include "engine/engine.h"

namespace wf::cpu {
namespace {

ffi_type* ffi_type_of(Type type) {
  switch (type) {
    case Type::Bool:
    case Type::U8: return &ffi_type_uint8;
    case Type::I32: return &ffi_type_sint32;
    case Type::U32: return &ffi_type_uint32;
    case Type::I64: return &ffi_type_sint64;
    case Type::U64: return &ffi_type_uint64;
    case Type::F32: return &ffi_type_float;
    case Type::F64: return &ffi_type_double;
  }
  __builtin_unreachable();
}

bool has_signature(const Foreign& f, std::initializer_list<Type> params, Type result) {
  return std::vector(params) == f.params && std::vector{result} == f.results;
}

// Calls the signatures of most of libm without libffi. Returns false if `f` has another signature.
bool call_directly(const Foreign& f, int64_t n, const void* const* in, void* const* out, const unsigned char* active) {
  auto each = [&](auto one) {
    for (int64_t k = 0; k < n; k++)
      if (!active || active[k]) one(k);
    return true;
  };
  if (has_signature(f, {Type::F64}, Type::F64)) {
    auto* function = reinterpret_cast<double (*)(double)>(f.scalar);
    auto* a = static_cast<const double*>(in[0]);
    auto* r = static_cast<double*>(out[0]);
    return each([&](int64_t k) { r[k] = function(a[k]); });
  }
  if (has_signature(f, {Type::F32}, Type::F32)) {
    auto* function = reinterpret_cast<float (*)(float)>(f.scalar);
    auto* a = static_cast<const float*>(in[0]);
    auto* r = static_cast<float*>(out[0]);
    return each([&](int64_t k) { r[k] = function(a[k]); });
  }
  if (has_signature(f, {Type::F64, Type::F64}, Type::F64)) {
    auto* function = reinterpret_cast<double (*)(double, double)>(f.scalar);
    auto *a = static_cast<const double*>(in[0]), *b = static_cast<const double*>(in[1]);
    auto* r = static_cast<double*>(out[0]);
    return each([&](int64_t k) { r[k] = function(a[k], b[k]); });
  }
  return false;
}

}  // namespace

std::unique_ptr<ForeignCode> prepare(std::shared_ptr<const Foreign> function) {
  auto code = std::make_unique<ForeignCode>();
  code->function = std::move(function);
  const Foreign& f = *code->function;
  if (!f.has_address())
    throw UnsupportedError("the function \"" + f.name +
                           "\" is CUDA source alone and the CPU cannot call it; give a host function as "
                           "well, or compute this sequence in a context of \"cuda:0\"");
  if (!f.scalar) return code;
  for (Type type : f.params) code->types.push_back(ffi_type_of(type));
  ffi_prep_cif(&code->call, FFI_DEFAULT_ABI, unsigned(f.params.size()), ffi_type_of(f.results[0]), code->types.data());
  return code;
}

void call(const ForeignCode& code, int64_t n, const void* const* in, void* const* out, const unsigned char* active) {
  const Foreign& f = *code.function;
  if (f.block) return f.block(f.user.get(), n, in, out);
  if (call_directly(f, n, in, out, active)) return;
  std::vector<void*> arguments(f.params.size());
  size_t size = size_of(f.results[0]);
  for (int64_t k = 0; k < n; k++) {
    if (active && !active[k]) continue;
    for (size_t p = 0; p < arguments.size(); p++)
      arguments[p] = const_cast<char*>(static_cast<const char*>(in[p]) + size_t(k) * size_of(f.params[p]));
    alignas(16) unsigned char result[16];  // libffi widens small integers to a register
    ffi_call(const_cast<ffi_cif*>(&code.call), reinterpret_cast<void (*)()>(f.scalar), result, arguments.data());
    std::memcpy(static_cast<char*>(out[0]) + size_t(k) * size, result, size);
  }
}

}  // namespace wf::cpu
