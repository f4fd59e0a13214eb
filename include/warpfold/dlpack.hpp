// Arrays exchanged with other libraries by DLPack, without a copy, in host memory or on the context's GPU:
//
//     auto image = from_dlpack<float, 3>(tensor);                     // a DLManagedTensor*, which it takes over
//     DLManagedTensor* back = to_dlpack<DLManagedTensor>(blurred);    // its owner calls back->deleter(back)
//
// The tensor's type is that of <dlpack/dlpack.h>, which the program includes: DLManagedTensor, or DLManagedTensorVersioned of DLPack 1.
#pragma once

#include "warpfold/arrays/arrays.hpp"

namespace warpfold {
namespace detail {

template <class M>
concept ManagedTensor = requires(const M& m) {
  m.deleter;
  { m.dl_tensor.ndim } -> std::convertible_to<int64_t>;
  { m.dl_tensor.dtype.code } -> std::convertible_to<int>;
  { m.dl_tensor.dtype.bits } -> std::convertible_to<int>;
};
template <class M> inline constexpr int32_t is_versioned_tensor = requires(const M& m) { m.flags; };

template <class T> constexpr int tensor_code() {
  constexpr int int_code = 0, unsigned_code = 1, float_code = 2, bool_code = 6;
  using S = Stored<T>;
  if constexpr (std::is_same_v<S, bool>) return bool_code;
  else if constexpr (std::is_floating_point_v<S>) return float_code;
  else return std::is_signed_v<S> ? int_code : unsigned_code;
}

}  // namespace detail

// The tensor as an array; it has any strides. It belongs to the array from now on: its deleter is called after the last use. stream: the CUDA
// stream after whose present work the elements of a tensor on a GPU are complete, or -1 if they are; see wf_from_dlpack_stream. Throws TypeError
// or SizeError if it has elements of another type than T or another rank than R, and the caller still owns it then.
template <Element T, int R, detail::ManagedTensor M>
Ranked<T, R> from_dlpack(M* tensor, int64_t stream = 0, const Context& context = default_context()) {
  const auto& t = tensor->dl_tensor;
  if (t.ndim != R)
    throw SizeError("from_dlpack: the tensor has rank " + std::to_string(t.ndim) + "; expected " + std::to_string(R) +
                    ", as in the type of the result");
  if (t.dtype.code != detail::tensor_code<T>() || t.dtype.bits != 8 * sizeof(Stored<T>))
    throw TypeError("from_dlpack: the tensor's elements have type code " + std::to_string(int(t.dtype.code)) + " and " +
                    std::to_string(int(t.dtype.bits)) + " bits; expected " + std::to_string(detail::tensor_code<T>()) + " and " +
                    std::to_string(8 * sizeof(Stored<T>)) + ", as in the type of the result");
  return Ranked<T, R>::own(
      detail::sequence(wf_from_dlpack_stream, context.raw(), static_cast<void*>(tensor), detail::is_versioned_tensor<M>, stream));
}

// A new tensor with the elements of a sequence, array or scalar, in row-major order, in the memory of its context. Computes them. Nobody may write to
// them. The caller, or the tensor's last owner, calls its deleter. stream: the CUDA stream of the reader, whose later work waits for the elements; see
// wf_to_dlpack_stream.
template <detail::ManagedTensor M, detail::Lazy S>
requires Element<typename S::value_type> M* to_dlpack(const S& s, int64_t stream = 0) {
  void* tensor = nullptr;
  detail::check(wf_to_dlpack_stream(s.raw(), 0, detail::is_versioned_tensor<M>, stream, &tensor));
  return static_cast<M*>(tensor);
}

}  // namespace warpfold
