// Array<T, R>: an immutable array of rank R whose values may not have been computed yet: a sequence with a shape. A copy is a counted
// reference. One of rank 1 is a Seq<T>, and a Seq<T> is converted to it free of cost; rank 0 is Scalar<T>.
//
//     Array a{{1.f, 2.f}, {3.f, 4.f}};                                   // Array<float, 2>
//     auto b = array([&](auto i, auto j) { return a(j, i); }, 2, 2);     // its transpose; t(a) is a view
//     auto scaled = (a - mean(a, 0)) / 2;                                // broadcasts by NumPy's rules, lazily
#pragma once

#include <optional>

#include "warpfold/arrays/shape.hpp"
#include "warpfold/primitives.hpp"

namespace warpfold {
namespace arrays {

template <class T, int R> class Array;
template <class T, int R> struct HostValues;

// The positions start, start + step, ... before stop along one axis: a(slice(1, -1), every). As in Python: negative bounds count from the
// end, bounds outside are cut, and absent bounds are the ends.
struct Slice {
  std::optional<int64_t> start = {}, stop = {};
  int64_t step = 1;
};
inline Slice slice(std::optional<int64_t> start, std::optional<int64_t> stop = {}, int64_t step = 1) { return {start, stop, step}; }
inline constexpr Slice every{};
template <class S> inline constexpr bool is_slice = std::is_same_v<S, Slice>;

// The array of a computed rank.
template <class T, int R> struct RankedOf { using type = Array<T, R>; };
template <class T> struct RankedOf<T, 0> { using type = Scalar<T>; };
template <class T, int R> using Ranked = typename RankedOf<T, R>::type;

template <class T, int R> struct NestedOf { using type = std::initializer_list<typename NestedOf<T, R - 1>::type>; };
template <class T, int R>
requires(R <= 0) struct NestedOf<T, R> {
  using type = T;
};
// {{1, 2}, {3, 4}} for R = 2
template <class T, int R> using Nested = typename NestedOf<T, R>::type;

template <class A> inline constexpr bool is_array = false;
template <class T, int R> inline constexpr bool is_array<Array<T, R>> = true;
template <class A> inline constexpr bool is_seq = false;
template <class T> inline constexpr bool is_seq<Seq<T>> = true;

template <class A> const A& as_array(const A& a) { return a; }
template <class T> Array<T, 1> as_array(const Seq<T>& s) { return s; }

// Matrices of Eigen and the like: rows, columns, memory, distances of neighbours.
template <class M>
concept StridedMatrix = detail::Strided<M> && requires(const M& m) {
  { m.rows() } -> std::convertible_to<int64_t>;
  { m.cols() } -> std::convertible_to<int64_t>;
  { m.rowStride() } -> std::convertible_to<int64_t>;
  { m.colStride() } -> std::convertible_to<int64_t>;
};
// Views like std::mdspan.
template <class M>
concept StridedView = requires(const M& m) {
  { M::rank() } -> std::convertible_to<size_t>;
  { m.extent(0) } -> std::convertible_to<int64_t>;
  { m.stride(0) } -> std::convertible_to<int64_t>;
  m.data_handle();
};

// The elements of nested lists in order. Lists at one depth have one length.
template <class T, int R> void flatten(const Nested<T, R>& list, std::vector<T>& values, int64_t* extents) {
  if constexpr (R == 0) {
    values.push_back(list);
  } else {
    const auto n = static_cast<int64_t>(list.size());
    if (*extents < 0) *extents = n;
    if (*extents != n)
      throw SizeError("Array: lists of " + std::to_string(*extents) + " and " + std::to_string(n) + " elements; expected equal lengths");
    for (const auto& inner : list) flatten<T, R - 1>(inner, values, extents + 1);
  }
}

template <size_t n> wf_seq* reshaped(wf_seq* s, const std::array<int64_t, n>& extents) {
  return detail::sequence(wf_reshape, s, extents.data(), static_cast<int32_t>(n));
}

// The handle of an array.
template <class T, int R> class Held : public tracing::HasOperations {
 public:
  wf_seq* raw() const { return handle_.raw(); }

 protected:
  explicit Held(detail::SeqHandle handle) : handle_(std::move(handle)) {}

 private:
  detail::SeqHandle handle_;
};
template <class T> class Held<T, 1> : public Seq<T> {
 protected:
  explicit Held(detail::SeqHandle handle) : Seq<T>(std::move(handle)) {}
  explicit Held(const Seq<T>& s) : Seq<T>(s) {}
};

template <class T, int R> class Array : public Held<T, R> {
  static_assert(R != 0, "an array of rank 0 is a Scalar<T>");
  static_assert(R >= 1 && R <= 8, "expected a rank from 1 to 8");

 public:
  using value_type = T;
  using IsArray = void;
  static constexpr int rank = R;

  // An array without elements, whose extents are 0.
  Array() : Array(Seq<T>(), Shape<R>{}) {}
  // Copies nested lists: {{1, 2}, {3, 4}}. Throws SizeError unless lists at one depth have one length.
  Array(std::initializer_list<Nested<T, R - 1>> values, const Context& context = default_context()) : Array(of_lists(values, context)) {}
  // The elements of s in row-major order. One extent may be -1: it is computed. Throws SizeError. Free.
  Array(const Seq<T>& s, const Shape<R>& shape) : Array(detail::SeqHandle::own(reshaped(s.raw(), shape))) {}
  // The same of another array, or of a sequence of another type, which is converted. Free.
  template <class S>
  requires(tracing::has_axes<S> && !std::is_base_of_v<Seq<T>, S>) Array(const S& s, const Shape<R>& shape) : Array(Seq<T>(s), shape) {}
  // A copy of a vector or another range, in row-major order.
  template <detail::Importable V>
  requires(!StridedMatrix<V>) Array(const V& values, const Shape<R>& shape, const Context& context = default_context())
      : Array(Seq<T>(values, context), shape) {}
  // Adopts the vector: scalars are not copied.
  Array(std::vector<T>&& values, const Shape<R>& shape, const Context& context = default_context())
      : Array(Seq<T>(std::move(values), context), shape) {}
  // A copy of a matrix of Eigen, or a map or block of one, in any layout.
  template <StridedMatrix M>
  requires(R == 2) explicit Array(const M& m, const Context& context = default_context())
      : Array(copy(m.data(), Shape<2>{m.rows(), m.cols()}, Shape<2>{m.rowStride(), m.colStride()}, context)) {}
  // A copy of a view like std::mdspan.
  template <StridedView V> explicit Array(const V& v, const Context& context = default_context()) : Array(of_view(v, context)) {}
  // The same elements. Free.
  Array(const Seq<T>& s) requires(R == 1) : Base(s) {}

  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  template <class U> void operator=(const U&) const&& { detail::reject_assignment<U>(); }
  template <class U, int Q>
  requires(Q != R) Array(const Array<U, Q>&) {
    static_assert(detail::never<U>,
                  "the arrays have different ranks: write reshape(a, m, n), broadcast(a, m, n) or a reduction along an axis");
  }
  template <class U>
  requires(!std::is_same_v<T, U>) Array(const Array<U, R>&) {
    static_assert(detail::never<U>, "the arrays have different element types: write cast<float>(a)");
  }

  // Element (i0, i1, ...) is data[i0 * strides[0] + i1 * strides[1] + ...], copied and converted to T.
  template <Element D>
  static Array copy(const D* data, const Shape<R>& shape, const Shape<R>& strides, const Context& context = default_context()) {
    return own(detail::sequence(wf_from_host_array, context.raw(), type_code<T>, data, type_code<D>, shape.data(), strides.data(), R));
  }
  // The same elements without a copy. They must not change until done() is called, once, from any thread.
  template <class Done>
  static Array adopt(const T* data, const Shape<R>& shape, const Shape<R>& strides, Done done, const Context& context = default_context()) {
    std::array<int64_t, 2 * R> layout;
    std::copy(strides.begin(), strides.end(), std::copy(shape.begin(), shape.end(), layout.begin()));
    return own(detail::adopted(std::move(done), [&](auto* deleter, void* user, wf_seq** out) {
      return wf_adopt_array(context.raw(), type_code<T>, data, layout.data(), R, deleter, user, out);
    }));
  }
  // Takes ownership of a sequence of the C API of rank R with the columns of T.
  static Array own(wf_seq* raw) { return Array(detail::SeqHandle::own(raw)); }

  // The extents. Computes the result of a filter; nothing else.
  Shape<R> shape() const {
    Shape<R> extents{};
    detail::check(wf_shape(raw(), extents.data(), R, nullptr));
    if (R == 1 && extents[0] < 0) extents[0] = flat().size();
    return extents;
  }
  int64_t extent(int64_t axis) const { return shape()[axis_of(axis, R, "extent")]; }
  // The distance of neighbours along each axis in the row-major order, in which data() has the elements.
  Shape<R> strides() const { return strides_of<R>(shape()); }
  // The number of elements.
  int64_t size() const { return length_of(shape()); }
  bool empty() const { return size() == 0; }

  // All elements in row-major order. Free.
  Seq<T> flat() const {
    if constexpr (R == 1) return *this;
    else return Seq<T>::own(reshaped(raw(), std::array<int64_t, 1>{-1}));
  }

  // For traced functions, which read the captured array by the row-major index: this array itself, not a view of it.
  Seq<T> elements() const {
    if constexpr (R == 1) return *this;
    else return Seq<T>::own((wf_retain(raw()), raw()));
  }

  // An element as a lazy scalar. Negative indices count from the end.
  template <Extent... I>
  requires(sizeof...(I) == R) Scalar<T>
  operator()(I... i) const {
    if constexpr (R == 1)
      if (this->inner()) return (flat()[i], ...);
    const Shape<R> at{static_cast<int64_t>(i)...}, extents = shape(), steps = strides_of<R>(extents);
    int64_t k = 0;
    for (size_t axis = 0; axis < R; axis++) k += position_of(at[axis], axis, extents) * steps[axis];
    return Scalar<T>::own(detail::sequence(wf_nth, flat().raw(), k));
  }
  // An element inside a traced function, which captures the array. If it evaluates an index that is outside, the force throws RangeError.
  template <tracing::Bound... I>
  requires(sizeof...(I) == R && (tracing::is_expr<I> || ...)) tracing::Unassignable<ExprFor<T>>
  operator()(const I&... i) const {
    if constexpr (R == 1)
      if (this->inner()) return (flat()[i], ...);
    auto& trace = tracing::Trace::current();
    const Shape<R> extents = shape();
    tracing::Index index = tracing::index_of(0);
    size_t axis = 0;
    auto add = [&](const tracing::Index& position) {
      const auto extent = tracing::index_of(extents[axis++]);
      index = index * extent + tracing::Index::of(trace.check_index(position.id(), extent.id()));
    };
    (add(tracing::index_of(i)), ...);
    return elements()[index];
  }
  // An element at lazy indices. The force throws RangeError if one is outside.
  template <tracing::Bound... I>
  requires(sizeof...(I) == R && (tracing::is_scalar<I> || ...) && !(tracing::is_expr<I> || ...)) Scalar<T>
  operator()(const I&... i) const {
    const auto extents = shape();
    size_t axis = 0;
    auto index = [&](const auto& k) {
      const size_t which = axis++;
      if constexpr (tracing::is_scalar<std::remove_cvref_t<decltype(k)>>) return tracing::cast<int64_t>(k);
      else return Scalar<int64_t>(position_of(k, which, extents), context());
    };
    const std::tuple indices{index(i)...};  // in order: braces
    auto element = [a = *this](const auto&... k) { return a(k...); };
    return Scalar<T>::same_as(std::apply([&](const auto&... k) { return map(element, k...); }, indices));
  }
  template <class... I>
  requires(sizeof...(I) != R && (tracing::Bound<I> && ...)) auto operator()(const I&...) const {
    static_assert(sizeof...(I) == R, "expected as many indices as the array has axes: a(every, j) and a[i] have fewer");
    return elements()[tracing::index_of(0)];
  }

  // The memory in row-major order, valid as long as this array is. Forces. No copy on the CPU.
  const T* data() const requires Element<T> {
    const void* values = nullptr;
    detail::check(wf_data(raw(), 0, &values, nullptr));
    return static_cast<const T*>(values);
  }
  std::span<const T> span() const requires Element<T> { return {data(), static_cast<size_t>(size())}; }
  const T* begin() const requires Element<T> { return data(); }
  const T* end() const requires Element<T> { return data() + size(); }
  auto begin() const requires(!Element<T>) { return flat().begin(); }
  std::default_sentinel_t end() const requires(!Element<T>) { return {}; }
  // A copy in row-major order. Forces.
  std::vector<T> to_vector() const { return flat().to_vector(); }
  // A copy as a matrix with rows, columns and m(i, j), such as an Eigen::MatrixXf. Forces.
  template <class M>
  requires(R == 2) M to()
  const {
    const Shape<R> extents = shape();
    const T* values = data();
    M m(extents[0], extents[1]);
    for (int64_t i = 0; i < extents[0]; i++)
      for (int64_t j = 0; j < extents[1]; j++) m(i, j) = values[i * extents[1] + j];
    return m;
  }
  // The elements for loops on the host: auto v = a.values(); v(i, j). Forces.
  auto values() const requires Element<T> { return HostValues<T, R>{*this, strides(), data()}; }

  bool is_manifest() const { return flat().is_manifest(); }
  Context context() const { return detail::context_of(raw()); }
  // Computes the values and all that they depend on.
  const Array& force() const {
    detail::check(wf_force(std::array{raw()}.data(), 1));
    return *this;
  }
  using Held<T, R>::raw;

  // Views: see slicing.hpp.
  Ranked<T, R - 1> operator[](int64_t i) const;
  Array<T, 1> row(int64_t i) const requires(R == 2);
  Array<T, 1> column(int64_t j) const requires(R == 2);
  // The same at a lazy index, or inside a traced function: rank 1 is a Seq.
  template <class I>
  requires tracing::is_traced_integer<I>
  auto operator[](const I& i) const {
    if constexpr (R == 1) return (*this)(i);
    else return sliced(*this, i);
  }
  template <class I>
  requires tracing::is_traced_integer<I> Seq<T> row(const I& i)
  const requires(R == 2) {
    const int64_t n = shape()[1];
    return subseq(flat(), tracing::cast<int64_t>(i) * n, n);
  }
  template <class I>
  requires tracing::is_traced_integer<I> Seq<T> column(const I& j)
  const requires(R == 2) { return sliced(*this, every, j); }
  template <class... S>
  requires(is_slice<S> || ...) auto operator()(const S&... slices) const { return sliced(*this, slices...); }

 private:
  using Base = Held<T, R>;
  explicit Array(detail::SeqHandle handle) : Base(std::move(handle)) {}
  static Array of_lists(std::initializer_list<Nested<T, R - 1>> values, const Context& context) {
    std::vector<T> flat;
    Shape<R> shape;
    shape.fill(-1);
    flatten<T, R>(values, flat, shape.data());
    for (int64_t& extent : shape) extent = std::max<int64_t>(extent, 0);
    return Array(Seq<T>(std::move(flat), context), shape);
  }
  template <class V> static Array of_view(const V& v, const Context& context) {
    static_assert(V::rank() == R, "the view has another rank than the array");
    Shape<R> shape, strides;
    for (size_t k = 0; k < R; k++) shape[k] = v.extent(k), strides[k] = v.stride(k);
    return copy(v.data_handle(), shape, strides, context);
  }
};

// The computed elements of an array, for loops on the host.
template <class T, int R> struct HostValues {
  Array<T, R> owner;
  Shape<R> strides;
  const T* data;
  template <Extent... I>
  requires(sizeof...(I) == R) const T& operator()(I... i) const {
    const Shape<R> at{static_cast<int64_t>(i)...};
    int64_t k = 0;
    for (size_t axis = 0; axis < R; axis++) k += at[axis] * strides[axis];
    return data[k];
  }
};

template <class T>
requires detail::HasLeaves<T> Array(std::initializer_list<T>)
->Array<T, 1>;
template <class T>
requires detail::HasLeaves<T> Array(std::initializer_list<std::initializer_list<T>>)
->Array<T, 2>;
template <class T>
requires detail::HasLeaves<T> Array(std::initializer_list<std::initializer_list<std::initializer_list<T>>>)
->Array<T, 3>;
template <class T> Array(const Seq<T>&) -> Array<T, 1>;
template <class S, size_t r>
requires tracing::has_axes<S> Array(const S&, const std::array<int64_t, r>&)
->Array<typename S::value_type, static_cast<int>(r)>;
template <detail::Importable V, size_t r>
Array(const V&, const std::array<int64_t, r>&) -> Array<detail::ImportedValue<V>, static_cast<int>(r)>;
template <StridedMatrix M> Array(const M&) -> Array<detail::ImportedValue<M>, 2>;
template <StridedView V>
Array(const V&) -> Array<std::remove_cvref_t<decltype(*std::declval<const V&>().data_handle())>, static_cast<int>(V::rank())>;

}  // namespace arrays

using arrays::Array;
using arrays::Ranked;

}  // namespace warpfold
