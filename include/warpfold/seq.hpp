// Seq<T>: an immutable sequence that may not have been computed yet. A copy is a counted reference.
//
// Elements are scalars, pairs, tuples, arrays and structs of them (tuples.hpp); inside the library each scalar has its own
// column. Making a sequence from others (primitives.hpp) runs nothing; to_vector, span, begin, print and force do.
#pragma once

#include <initializer_list>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include "warpfold/expressions/inner.hpp"
#include "warpfold/expressions/operations.hpp"
#include "warpfold/import.hpp"

namespace warpfold {
namespace detail {

// An iterator over values that all its copies share.
template <class T> class CopyIterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;

  explicit CopyIterator(std::vector<T> values) : values_(std::make_shared<const std::vector<T>>(std::move(values))) {}
  const T& operator*() const { return (*values_)[next_]; }
  CopyIterator& operator++() { return next_++, *this; }
  CopyIterator operator++(int) { return std::exchange(*this, CopyIterator(values_, next_ + 1)); }
  friend bool operator==(const CopyIterator& i, std::default_sentinel_t) { return i.next_ == i.values_->size(); }

 private:
  CopyIterator(std::shared_ptr<const std::vector<T>> values, size_t next) : values_(std::move(values)), next_(next) {}
  std::shared_ptr<const std::vector<T>> values_;
  size_t next_ = 0;
};

}  // namespace detail

template <class T> class Seq : public tracing::HasOperations {
 public:
  using value_type = T;

  // The empty sequence.
  Seq() : Seq(std::span<const T>{}) {}
  // Copies the values. Work n. Seq{range}, with one vector, string or other range, copies the elements of the range instead.
  Seq(std::initializer_list<T> values, const Context& context = default_context()) : handle_(detail::import_range<T>(context, values)) {}
  // A copy of a range: std::vector, std::span, std::array, a view, an Eigen vector or map; numbers are converted to T.
  template <detail::Importable R>
  explicit Seq(const R& range, const Context& context = default_context()) : handle_(detail::import_range<T>(context, range)) {}
  // Adopts the vector: scalars are not copied.
  explicit Seq(std::vector<T>&& values, const Context& context = default_context())
      : handle_(detail::import_vector(context, std::move(values))) {}

  // The same elements by another name: those of a Seq<char> and a Seq<uint8_t>, or of a Seq<long long> and a Seq<int64_t>, are stored alike. Free.
  template <class U>
  requires(!std::is_same_v<U, T> && detail::stored_alike<U, T>) Seq(const Seq<U>& s) : Seq(like(s)) {}
  // The elements of an array in row-major order, or of a sequence of another type, which are converted. Nothing is copied.
  template <class S>
  requires(tracing::has_axes<S> && !std::is_base_of_v<Seq, S>) explicit Seq(const S& s) : Seq(converted(s)) {}

  Seq(const Seq&) = default;
  Seq(Seq&&) noexcept = default;
  Seq& operator=(const Seq&) & = default;
  Seq& operator=(Seq&&) & noexcept = default;
  template <class U> void operator=(const U&) const&& { detail::reject_assignment<U>(); }

  // The n elements at data, without a copy. They must not change until done() is called, once, from any thread.
  template <class Done>
  requires Element<T>
  static Seq adopt(const T* data, int64_t n, Done done, const Context& context = default_context()) {
    return own(detail::adopt(context, type_code<T>, data, n, std::move(done)));
  }
  // The elements of a span, without a copy. They must outlive every sequence made from them.
  static Seq borrow(std::span<const T> values, const Context& context = default_context()) requires Element<T> {
    return adopt(
        values.data(), static_cast<int64_t>(values.size()), [] {}, context);
  }
  // A sequence inside a traced function (inner.hpp).
  static Seq nested(const tracing::Inner& inner) {
    Seq s((detail::SeqHandle()));
    s.inner_ = std::make_shared<const tracing::Inner>(inner);
    return s;
  }
  // Null for a sequence of its own.
  const tracing::InnerRef& inner() const { return inner_; }

  // Takes ownership of a rank-1 sequence of the C API with the columns of T.
  static Seq own(wf_seq* raw) { return Seq(detail::SeqHandle::own(raw)); }
  // The sequence itself if U is T; otherwise its elements are stored alike, as a char and a byte are.
  template <class U> static Seq like(const Seq<U>& s) {
    if constexpr (std::is_same_v<T, U>) return s;
    else return Seq(detail::SeqHandle::share(s.raw()));
  }

  // The length. Computes the result of a filter; length(s) is the lazy length.
  int64_t size() const {
    int64_t n = known_size();
    if (n >= 0) return n;
    detail::check(wf_force(std::array{raw()}.data(), 1));
    return known_size();
  }
  // The length, or -1 if it depends on a filter that has not run.
  int64_t known_size() const {
    int64_t n = 0;
    detail::check(wf_known_length(raw(), &n));
    return n;
  }
  bool empty() const { return size() == 0; }
  bool is_manifest() const {
    int32_t yes = 0;
    detail::check(wf_is_manifest(raw(), &yes));
    return yes != 0;
  }
  Context context() const { return detail::context_of(raw()); }

  // Element i as a lazy scalar. Throws RangeError if i is outside [0, n).
  template <std::integral I> Scalar<T> operator[](I i) const {
    if (inner_) {
      tracing::Id leaves[detail::leaf_count<T>];
      tracing::to_leaves<T>((*this)[tracing::index_of(i)], leaves);
      return Scalar<T>::traced(leaves);
    }
    wf_seq* element = nullptr;
    detail::check(wf_nth(raw(), static_cast<int64_t>(i), &element));
    return Scalar<T>::own(element);
  }
  // Element i in a traced function, which captures the sequence. If it evaluates an index that is outside, the force throws RangeError.
  template <class I>
  requires std::is_integral_v<I> tracing::Unassignable<ExprFor<T>>
  operator[](const Expr<I>& i) const {
    if (inner_) return tracing::inner_element<T>(*inner_, tracing::index_of(i));
    constexpr size_t n = detail::leaf_count<T>;
    auto& trace = tracing::Trace::current();
    int32_t slot = trace.capture(raw());
    tracing::Id index = trace.cast(WF_I64, i.id()), leaves[n];
    for (size_t k = 0; k < n; k++) leaves[k] = trace.at(slot, n == 1 ? -1 : static_cast<int32_t>(k), detail::leaf_codes<T>[k], index);
    return tracing::from_leaves<T>(leaves);
  }
  // The element at a lazy index.
  template <class I>
  requires std::is_integral_v<I> Scalar<T>
  operator[](const Scalar<I>& i) const {
    return Scalar<T>::same_as(map([s = *this](const auto& index) { return s[index]; }, i));
  }
  // s(i) is s[i], and s(slice(1, -1)) a part, as for arrays.
  template <class I> auto operator()(const I& i) const {
    if constexpr (std::is_integral_v<I> || tracing::is_traced_integer<I>) return (*this)[i];
    else return sliced(*this, i);
  }

  // A copy of the values. Forces.
  std::vector<T> to_vector() const {
    int64_t n = size();
    std::vector<T> values(static_cast<size_t>(n));
    if constexpr (std::is_same_v<T, bool>) {
      std::copy_n(data(), n, values.begin());
    } else if (n > 0) {
      detail::each_leaf(values[0], [&](auto& leaf, auto column) {
        using Leaf = std::remove_cvref_t<decltype(leaf)>;
        detail::check(
            wf_to_host(raw(), static_cast<int32_t>(column), 0, n, &leaf, type_code<Leaf>, static_cast<int64_t>(sizeof(T) / sizeof(Leaf))));
      });
    }
    return values;
  }
  // The memory of a sequence of scalars, valid as long as this handle is. Forces. No copy on the CPU.
  const T* data() const requires Element<T> {
    const void* values = nullptr;
    int64_t n = 0;
    detail::check(wf_data(raw(), 0, &values, &n));
    return static_cast<const T*>(values);
  }
  std::span<const T> span() const requires Element<T> {
    const T* values = data();
    return {values, static_cast<size_t>(size())};
  }
  const T* begin() const requires Element<T> { return data(); }
  const T* end() const requires Element<T> {
    const T* values = data();
    return values + size();
  }

  // for (auto [a, b] : s): copies pairs, tuples and structs first. Forces.
  detail::CopyIterator<T> begin() const requires(!Element<T>) { return detail::CopyIterator<T>(to_vector()); }
  std::default_sentinel_t end() const requires(!Element<T>) { return {}; }

  // Computes the values and all that they depend on. Throws RangeError, MemoryError, UnsupportedError; the sequence is then as
  // before.
  const Seq& force() const {
    detail::check(wf_force(std::array{raw()}.data(), 1));
    return *this;
  }

  wf_seq* raw() const {
    if (inner_) [[unlikely]]
      throw ArgumentError(
          "a sequence that depends on the arguments of a traced function has no memory and no length yet: expected reduce, map, zip, "
          "filter, "
          "length or a view of it; what needs its elements stored (scan, sort, force) is written over all elements, outside of the "
          "function");
    return handle_.raw();
  }

 protected:
  explicit Seq(detail::SeqHandle handle) : handle_(std::move(handle)) {}

 private:
  template <class S> static Seq converted(const S& s) {
    if constexpr (tracing::rank_of < S >> 1) return Seq(s.flat());
    else return like(cast<T>(s));
  }
  detail::SeqHandle handle_;
  tracing::InnerRef inner_;  // set for a sequence inside a traced function, which has no handle
};

// Seq{vector} and Seq(vector) are the same: a range is an element only if its type is an element type.
template <detail::Importable R>
requires(!detail::HasLeaves<R>) Seq(std::initializer_list<R>)
->Seq<detail::ImportedValue<R>>;
template <detail::Importable R> Seq(const R&) -> Seq<detail::ImportedValue<R>>;
template <class S>
requires tracing::has_axes<S> Seq(const S&)
->Seq<typename S::value_type>;
template <detail::Importable R> Seq(const R&, const Context&) -> Seq<detail::ImportedValue<R>>;

}  // namespace warpfold
