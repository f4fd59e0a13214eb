// Host ranges as sequences: contiguous memory in one call per column, any other range through a vector.
#pragma once

#include <memory>
#include <ranges>
#include <vector>

#include "warpfold/context.hpp"
#include "warpfold/tuples.hpp"

namespace warpfold::detail {

// Eigen's dense objects, without including Eigen: memory, size and strides in elements.
template <class R>
concept Strided = requires(const R& r) {
  *r.data();
  { r.size() } -> std::convertible_to<int64_t>;
  { r.innerStride() } -> std::convertible_to<int64_t>;
  { r.outerStride() } -> std::convertible_to<int64_t>;
  { r.outerSize() } -> std::convertible_to<int64_t>;
};
// A sequence, an array or a lazy scalar.
template <class S>
concept Lazy = requires(const S& s) {
  { s.raw() } -> std::same_as<wf_seq*>;
};
// Values in the host's memory.
template <class R>
concept Importable = (Strided<R> || std::ranges::input_range<const R>)&&!Lazy<R>;

template <class R> struct ImportedValueOf {};
template <std::ranges::input_range R>
requires(!Strided<R>) struct ImportedValueOf<R> {
  using type = std::ranges::range_value_t<R>;
};
template <Strided R> struct ImportedValueOf<R> { using type = std::remove_cvref_t<decltype(*std::declval<const R&>().data())>; };
template <class R> using ImportedValue = typename ImportedValueOf<R>::type;

// A sequence of the n elements data[k * stride], converted from D to T.
template <class T, class D> SeqHandle import_memory(const Context& context, const D* data, int64_t n, int64_t stride) {
  wf_seq* out = nullptr;
  if constexpr (Element<T> && Element<D>) {
    check(type_code<T> == type_code<D> && stride == 1
              ? wf_from_host(context.raw(), type_code<T>, data, n, &out)
              : wf_from_host_strided(context.raw(), type_code<T>, data, type_code<D>, n, stride, &out));
  } else {
    static_assert(std::is_same_v<T, D>, "the range's element type differs from the sequence's");
    const T nothing{};
    SeqHandle columns[leaf_count<T>];
    wf_seq* raw[leaf_count<T>];
    each_leaf(n > 0 ? *data : nothing, [&](const auto& leaf, auto k) {
      using Leaf = std::remove_cvref_t<decltype(leaf)>;
      static_assert(sizeof(T) % sizeof(Leaf) == 0);
      constexpr int64_t step = static_cast<int64_t>(sizeof(T) / sizeof(Leaf));
      check(wf_from_host_strided(context.raw(), type_code<Leaf>, &leaf, type_code<Leaf>, n, step * stride, &raw[k]));
      columns[k] = SeqHandle::own(raw[k]);
    });
    check(wf_zip(raw, static_cast<int32_t>(leaf_count<T>), &out));
  }
  return SeqHandle::own(out);
}

// call(deleter, user, out), a function that adopts memory, whose deleter calls done().
template <class Done, class Call> wf_seq* adopted(Done done, const Call& call) {
  auto user = std::make_unique<Done>(std::move(done));
  auto* deleter = +[](void* p) {
    std::unique_ptr<Done> owner(static_cast<Done*>(p));
    (*owner)();
  };
  wf_seq* out = nullptr;
  check(call(deleter, user.get(), &out));
  user.release();
  return out;
}
template <class Done> wf_seq* adopt(const Context& context, int32_t type, const void* data, int64_t n, Done done) {
  return adopted(std::move(done),
                 [&](auto* deleter, void* user, wf_seq** out) { return wf_adopt(context.raw(), type, data, n, deleter, user, out); });
}

template <class T> SeqHandle import_vector(const Context& context, std::vector<T>&& values) {
  if constexpr (std::is_same_v<T, bool>) {
    auto bytes = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), bytes.get());
    return import_memory<bool>(context, bytes.get(), static_cast<int64_t>(values.size()), 1);
  } else if constexpr (Element<T>) {
    const T* data = values.data();
    int64_t n = static_cast<int64_t>(values.size());
    return SeqHandle::own(adopt(context, type_code<T>, data, n, [owner = std::move(values)] {}));
  } else {
    return import_memory<T>(context, values.data(), static_cast<int64_t>(values.size()), 1);
  }
}

template <class T, class R> SeqHandle import_range(const Context& context, const R& range) {
  if constexpr (Strided<R>) {
    int64_t n = static_cast<int64_t>(range.size()), outer = static_cast<int64_t>(range.outerSize());
    // A vector may have any stride. A matrix must be dense; its elements are read in the order of memory.
    if (outer > 1 && (range.innerStride() != 1 || range.outerStride() * outer != n))
      throw ArgumentError("Seq: the matrix is a block of a larger one; expected a dense matrix: copy it first, with .eval()");
    return import_memory<T>(context, range.data(), n, static_cast<int64_t>(range.innerStride()));
  } else if constexpr (std::ranges::contiguous_range<const R>) {
    return import_memory<T>(context, std::ranges::data(range), static_cast<int64_t>(std::ranges::size(range)), 1);
  } else {
    std::vector<T> values;
    for (auto&& value : range) values.push_back(static_cast<T>(value));
    return import_vector<T>(context, std::move(values));
  }
}

}  // namespace warpfold::detail
