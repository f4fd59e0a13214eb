// Scalar<T>: one value that may not have been computed yet (a sequence of rank 0). Operators and functions on scalars are
// lazy, so that the whole program is one kernel. get() or a conversion to T computes the value. Inside a traced function, a reduction of
// what depends on the function's arguments is a Scalar, too: it is an expression of the trace, and has no value outside of it.
#pragma once

#include "warpfold/context.hpp"
#include "warpfold/expressions/expr.hpp"

namespace warpfold {
namespace tracing {

// The columns of field k of a sequence of T.
template <class T, size_t k> wf_seq* columns_of_field(wf_seq* s) {
  constexpr size_t n = detail::leaf_count<detail::Field<T, k>>;
  int32_t which[n];
  for (size_t j = 0; j < n; j++) which[j] = static_cast<int32_t>(detail::leaf_offset<T, k>() + j);
  wf_seq* field = nullptr;
  detail::check(wf_columns(s, which, static_cast<int32_t>(n), &field));
  return field;
}

template <class T> class Scalar {
 public:
  using value_type = T;

  // A value as a scalar. Nothing runs.
  Scalar(const T& value, const Context& context = default_context()) {
    detail::SeqHandle columns[detail::leaf_count<T>];
    wf_seq* raw[detail::leaf_count<T>];
    detail::each_leaf(value, [&](const auto& leaf, auto k) {
      auto stored = static_cast<Stored<std::remove_cvref_t<decltype(leaf)>>>(leaf);
      detail::check(wf_scalar(context.raw(), type_code<decltype(stored)>, &stored, &raw[k]));
      columns[k] = detail::SeqHandle::own(raw[k]);
    });
    if constexpr (detail::leaf_count<T> == 1) {
      handle_ = columns[0];
    } else {
      wf_seq* zipped = nullptr;
      detail::check(wf_zip(raw, static_cast<int32_t>(detail::leaf_count<T>), &zipped));
      handle_ = detail::SeqHandle::own(zipped);
    }
  }
  Scalar(const Scalar&) = default;
  Scalar(Scalar&&) noexcept = default;
  Scalar& operator=(const Scalar&) & = default;
  Scalar& operator=(Scalar&&) & noexcept = default;
  template <class U> void operator=(const U&) const&& { warpfold::detail::reject_assignment<U>(); }

  // Takes ownership of a rank-0 sequence with the columns of T.
  static Scalar own(wf_seq* raw) { return Scalar(detail::SeqHandle::own(raw)); }
  // The terms of the trace in progress that are the leaves: a reduction inside a traced function (inner.hpp).
  static Scalar traced(const Id* leaves) {
    Scalar x((detail::SeqHandle()));
    std::copy_n(leaves, x.leaves_.size(), x.leaves_.begin());
    x.trace_ = Trace::current().number();
    return x;
  }
  // A scalar of a type with the same leaves.
  template <class U> static Scalar same_as(const Scalar<U>& x) {
    static_assert(std::is_same_v<detail::Leaves<U>, detail::Leaves<T>>);
    if (!x.is_traced()) return own((wf_retain(x.raw()), x.raw()));
    Id ids[detail::leaf_count<T>];
    for (size_t k = 0; k < detail::leaf_count<T>; k++) ids[k] = x.traced_leaf(k);
    return traced(ids);
  }
  bool is_traced() const { return trace_ != 0; }
  Id traced_leaf(size_t k) const {
    Trace::current().require_made_here(trace_);
    return leaves_[k];
  }

  // Computes the value and all that it depends on, once, in as few kernels as possible. Throws the errors of force.
  T get() const {
    T value{};
    detail::each_leaf(value, [&](auto& leaf, auto k) {
      using Leaf = std::remove_cvref_t<decltype(leaf)>;
      Stored<Leaf> stored{};
      detail::check(wf_to_host(raw(), static_cast<int32_t>(k), 0, 1, &stored, type_code<Leaf>, 1));
      leaf = static_cast<Leaf>(stored);
    });
    return value;
  }
  operator T() const { return get(); }

  // Field k of a tuple-like value, lazily; `auto [a, b] = scalar` does the same.
  template <size_t k> auto get() const {
    using F = detail::Field<T, k>;
    if (is_traced()) {
      Id ids[detail::leaf_count<F>];
      for (size_t j = 0; j < detail::leaf_count<F>; j++) ids[j] = traced_leaf(detail::leaf_offset<T, k>() + j);
      return Scalar<F>::traced(ids);
    }
    return Scalar<F>::own(columns_of_field<T, k>(raw()));
  }

  bool is_manifest() const {
    int32_t yes = 0;
    detail::check(wf_is_manifest(raw(), &yes));
    return yes != 0;
  }
  wf_seq* raw() const {
    if (is_traced()) [[unlikely]]
      throw ArgumentError(
          "a reduction that depends on the arguments of a traced function has no value yet: expected its use in the function's result; "
          "write where(condition, a, b) instead of if");
    return handle_.raw();
  }

 private:
  explicit Scalar(detail::SeqHandle handle) : handle_(std::move(handle)) {}
  detail::SeqHandle handle_;
  std::array<Id, detail::leaf_count<T>> leaves_{};
  uint64_t trace_ = 0;  // the number of the trace whose terms the leaves are; 0: none
};

}  // namespace tracing

using tracing::Scalar;

}  // namespace warpfold

template <class T>
requires(!warpfold::Element<T>) struct std::tuple_size<warpfold::tracing::Scalar<T>>
    : std::integral_constant<size_t, warpfold::detail::field_count<T>> {
};
template <size_t k, class T>
requires(!warpfold::Element<T>) struct std::tuple_element<k, warpfold::tracing::Scalar<T>> {
  using type = warpfold::tracing::Scalar<warpfold::detail::Field<T, k>>;
};
