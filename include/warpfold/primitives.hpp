// The primitives. Each checks its arguments, throws at once if they are not valid, and runs nothing. Values are computed
// when they are asked for, in as few passes over memory as fusion allows. n is the length of s; work and span count
// applications of f. All throw ArgumentError if contexts differ or are closed.
//
// Inside a traced function, sequences may depend on its arguments (inner.hpp): their views, maps, zips, filters, reductions, searches,
// comparisons and lengths work there as they do outside. Every other use, which needs elements in memory or a length at once, is an
// ArgumentError that states the remedy. Lengths that must be equal and differ there are a RangeError of the force.
#pragma once

#include "warpfold/expressions/function.hpp"
#include "warpfold/expressions/named.hpp"
#include "warpfold/expressions/nested.hpp"
#include "warpfold/seq.hpp"

namespace warpfold {

namespace detail {

// A call that returns one sequence.
template <class Call, class... A> wf_seq* sequence(Call* call, A... arguments) {
  wf_seq* out = nullptr;
  check(call(arguments..., &out));
  return out;
}

// A call that returns two sequences, as an A and a B.
template <class A, class B, class Call, class... X> std::pair<A, B> two_of(Call* call, X... arguments) {
  wf_seq *first = nullptr, *second = nullptr;
  check(call(arguments..., &first, &second));
  A owner = A::own(first);
  return {std::move(owner), B::own(second)};
}

// A range of lazy values, such as a std::vector.
template <class R>
concept LazyRange = std::ranges::input_range<const R> && Lazy<std::ranges::range_value_t<const R>>;
template <class S>
concept LazyOrRange = Lazy<S> || LazyRange<S>;
template <class R> using SeqIn = std::ranges::range_value_t<const R>;

// call(handles, number of handles)
template <class Call, class... S> auto with_handles(const Call& call, const S&... s) {
  if constexpr ((Lazy<S> && ...)) {
    return call(std::array<wf_seq*, sizeof...(S)>{s.raw()...}.data(), static_cast<int32_t>(sizeof...(S)));
  } else {
    std::vector<wf_seq*> raw;
    auto add = [&](const auto& x) {
      if constexpr (Lazy<std::remove_cvref_t<decltype(x)>>) raw.push_back(x.raw());
      else
        for (const auto& each : x) raw.push_back(each.raw());
    };
    (add(s), ...);
    return call(raw.data(), static_cast<int32_t>(raw.size()));
  }
}

template <class... S> wf_seq* joined(int32_t (*call)(wf_seq* const*, int32_t, wf_seq**), const S&... s) {
  return with_handles([&](wf_seq* const* raw, int32_t n) { return sequence(call, raw, n); }, s...);
}

}  // namespace detail

// ---- sequences from outside -------------------------------------------------------------------------------------------

// r[i] = f(i), 0 <= i < n; f takes an int64. Throws SizeError for a negative n. Work n, span 1.
template <class F> auto tabulate(F f, int64_t n, const Context& context = default_context()) {
  using V = detail::ResultOf<F, int64_t>;
  return tracing::outer_or_inner(
      [&] {
        auto function = detail::function_of<void, int64_t>(f);
        return Seq<V>::own(detail::sequence(wf_tabulate, context.raw(), function.handle.raw(), n));
      },
      [&] { return tracing::inner_tabulate<V>(f, tracing::index_of(n)); });
}
// The same inside a traced function, for a length that depends on its arguments. A negative one counts as 0.
template <class F, class N>
requires tracing::TracedBounds<N>
auto tabulate(F f, const N& n) {
  if (!tracing::is_inner(n)) return tabulate(f, static_cast<int64_t>(tracing::value_of(n)));
  return tracing::inner_tabulate<detail::ResultOf<F, int64_t>>(f, tracing::index_of(n));
}

// 0, 1, ..., n - 1. Throws SizeError for a negative n.
template <Element T = int64_t> Seq<T> iota(int64_t n, const Context& context = default_context()) {
  return detail::named("iota", [&] { return Seq<T>::like(tabulate(detail::fixed([](auto i) { return cast<T>(i); }), n, context)); });
}

// The same inside a traced function, for a length that depends on its arguments. A negative one counts as 0.
template <Element T = int64_t, class N>
requires tracing::TracedBounds<N> Seq<T> iota(const N& n) {
  return Seq<T>::like(tabulate([](const auto& i) { return tracing::cast<T>(i); }, n));
}

// The integers from a to b - 1, of which there are none if b <= a. Of the bounds' common type.
template <tracing::Bound A, tracing::Bound B> auto range(const A& a, const B& b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    using T = Stored<std::common_type_t<A, B>>;
    const uint64_t n = b > a ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a) : 0;
    if (n > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      throw SizeError("range: the bounds are " + std::to_string(a) + " and " + std::to_string(b) + ": their distance overflows 64 bits");
    return tabulate([=](auto i) { return cast<T>(i + static_cast<int64_t>(a)); }, static_cast<int64_t>(n));
  } else {
    using T = tracing::CommonBound<A, B>;
    if (!tracing::is_inner(a) && !tracing::is_inner(b))
      return range(static_cast<T>(tracing::value_of(a)), static_cast<T>(tracing::value_of(b)));
    return tracing::inner_range<T>(a, b);
  }
}

// The bytes of a file as scalars T, memory-mapped and read on demand. Throws IoError with the system's reason, SizeError
// if the size is not a multiple of sizeof(T).
template <Element T> Seq<T> from_file(const std::string& path, const Context& context = default_context()) {
  return Seq<T>::own(detail::sequence(wf_from_file, context.raw(), type_code<T>, path.c_str()));
}

// The values of all ranks of a context "mpi", one rank after another; all ranks call it. Other functions take the same values on all ranks.
template <Element T> Seq<T> from_part(std::span<const T> values, const Context& context = default_context()) {
  return Seq<T>::own(detail::sequence(wf_from_part, context.raw(), type_code<T>, values.data(), int64_t(values.size())));
}

// The elements of s from `begin` on that a rank has, as a sequence of the context `local`, such as "cpu". All ranks call it. Forces.
template <class T> struct Part {
  int64_t begin;
  Seq<T> elements;
};
template <class T> Part<T> part(const Seq<T>& s, const Context& local) {
  int64_t begin = 0;
  Seq<T> elements = Seq<T>::own(detail::sequence(wf_part, s.raw(), local.raw(), &begin, static_cast<int64_t*>(nullptr)));
  return {begin, std::move(elements)};
}

// s with all of its elements on all ranks, for readers at random. All ranks call it. Forces.
template <class T> Seq<T> replicate(const Seq<T>& s) { return Seq<T>::own(detail::sequence(wf_replicate, s.raw())); }

// ---- element by element -----------------------------------------------------------------------------------------------

// r[i] = f(s[i], ...) for sequences of equal lengths, else SizeError. f may take the fields of a tuple-like element as separate
// arguments, and may return a tuple. Work n, span 1; fuses with its readers.
template <class F, class... T>
requires(sizeof...(T) > 0) auto map(F f, const Seq<T>&... s) {
  using V = detail::ResultOf<F, T...>;
  auto inner = [&] { return tracing::inner_map<V>(f, s...); };
  if (tracing::any_inner(s...)) return inner();
  return tracing::outer_or_inner(
      [&] {
        auto function = detail::function_of<void, T...>(f);
        return Seq<V>::own(detail::sequence(wf_map, function.handle.raw(), std::array<wf_seq*, sizeof...(T)>{s.raw()...}.data(),
                                            static_cast<int32_t>(sizeof...(T))));
      },
      inner);
}
// f of lazy scalars, lazily.
template <class F, class... T>
requires(sizeof...(T) > 0) auto map(F f, const Scalar<T>&... s) {
  using V = detail::ResultOf<F, T...>;
  auto inner = [&] {
    tracing::Id leaves[detail::leaf_count<V>];
    tracing::to_leaves<V>(tracing::call_inside<V>(f, tracing::converted<T>(s)...), leaves);
    return Scalar<V>::traced(leaves);
  };
  if ((s.is_traced() || ...)) return inner();
  return tracing::outer_or_inner(
      [&] {
        auto function = detail::function_of<void, T...>(f);
        return Scalar<V>::own(detail::sequence(wf_map, function.handle.raw(), std::array<wf_seq*, sizeof...(T)>{s.raw()...}.data(),
                                               static_cast<int32_t>(sizeof...(T))));
      },
      inner);
}

// Joins sequences of equal lengths element by element: pairs for two, tuples for more. Free.
template <class A, class B> Seq<std::pair<A, B>> zip(const Seq<A>& a, const Seq<B>& b) {
  if (tracing::any_inner(a, b)) return tracing::inner_zip<std::pair<A, B>>(a, b);
  return Seq<std::pair<A, B>>::own(detail::joined(wf_zip, a, b));
}
template <class A, class B, class C, class... More>
Seq<std::tuple<A, B, C, More...>> zip(const Seq<A>& a, const Seq<B>& b, const Seq<C>& c, const Seq<More>&... more) {
  if (tracing::any_inner(a, b, c, more...)) return tracing::inner_zip<std::tuple<A, B, C, More...>>(a, b, c, more...);
  return Seq<std::tuple<A, B, C, More...>>::own(detail::joined(wf_zip, a, b, c, more...));
}
// Joins a range of k sequences element by element: arrays of k. Throws SizeError if the range does not have k.
template <size_t k, detail::LazyRange R> auto zip(const R& s) {
  if (static_cast<size_t>(std::ranges::distance(s)) != k)
    throw SizeError("zip: expected " + std::to_string(k) + " sequences, the number in zip<" + std::to_string(k) + ">(s), got " +
                    std::to_string(std::ranges::distance(s)));
  return Seq<std::array<typename detail::SeqIn<R>::value_type, k>>::own(detail::joined(wf_zip, s));
}
template <class T, size_t k> Seq<std::array<T, k>> zip(const std::array<Seq<T>, k>& s) { return zip<k, std::array<Seq<T>, k>>(s); }
template <detail::LazyRange R> void zip(const R&) {
  static_assert(detail::never<R>, "the number of sequences is part of the type: write zip<3>(vector) for three");
}

// (0, s[0]), (1, s[1]), ... The length must be known: the result of a filter is computed first.
template <class T> Seq<std::pair<int64_t, T>> enumerate(const Seq<T>& s) {
  if (s.inner()) return tracing::inner_enumerate(s);
  return zip(iota(s.size(), s.context()), s);
}

// Field k of every element. Free.
template <size_t k, class T> Seq<detail::Field<T, k>> field(const Seq<T>& s) {
  using F = detail::Field<T, k>;
  if (s.inner()) return tracing::inner_leaves<F>(s, detail::leaf_offset<T, k>());
  return Seq<F>::own(tracing::columns_of_field<T, k>(s.raw()));
}
// auto [a, b] = unzip(s): the sequences of all fields. Free.
template <class T> auto unzip(const Seq<T>& s) {
  return [&]<size_t... k>(std::index_sequence<k...>) { return std::tuple{field<k>(s)...}; }
  (std::make_index_sequence<detail::field_count<T>>{});
}
// The same columns seen as another element type: pairs of floats as struct Point { float x, y; }. Free.
template <class U, class T> Seq<U> as(const Seq<T>& s) {
  static_assert(std::is_same_v<detail::Leaves<U>, detail::Leaves<T>>, "the element types have different columns");
  if (s.inner()) return tracing::inner_leaves<U>(s, 0);
  return Seq<U>::own((wf_retain(s.raw()), s.raw()));
}
// The elements converted to U: floats to integers saturate, and NaN becomes 0; to bool is x != 0.
template <Element U, Element T> Seq<U> cast(const Seq<T>& s) {
  if constexpr (detail::stored_alike<U, T>) return as<U>(s);
  else return as<U>(map(detail::fixed([](auto x) { return tracing::cast<U>(x); }), s));
}

// ---- over all elements ------------------------------------------------------------------------------------------------

namespace detail {

// An identity as an argument of the C API: NULL, which is neither written nor parsed, if it is that of f in the table of operations. Valid as
// long as identity_text's result is.
template <class F, class T> class Identity {
 public:
  explicit Identity(const T& b) {
    if (!is_known(b)) text_ = identity_text<T>(b).c_str();
  }
  const char* argument() const { return text_; }

 private:
  static bool is_known(const T& b) {
    if constexpr (Element<T> && !std::is_same_v<T, bool>) {
      constexpr std::optional<T> known = tracing::known_identity<T, F>();
      return known && tracing::to_bits(*known) == tracing::to_bits(b);
    }
    return false;
  }

  const char* text_ = nullptr;
};

}  // namespace detail

// s[0] f s[1] f ... f s[n-1], lazily. f is associative; b is its identity, and the value for an empty s. If f is plus, times, min, max, bit_and,
// bit_or or bit_xor, b may be any start, which counts once, before s[0]. Work n, span log n.
// If f is one commutative operation, the value may be computed by the pass that computes another reduction of s.
template <class F, class T> Scalar<T> reduce(F f, const std::type_identity_t<T>& b, const Seq<T>& s) {
  if (s.inner()) return tracing::inner_reduce<T>(f, b, s);
  auto function = detail::combiner_of<T>(f);
  const detail::Identity<F, T> identity(b);
  return Scalar<T>::own(detail::sequence(wf_reduce, function.handle.raw(), identity.argument(), s.raw()));
}
// Uses the identity of f in the table of operations: plus, times, min, max, bit_and, bit_or, bit_xor. Else ArgumentError.
template <class F, class T> Scalar<T> reduce(F f, const Seq<T>& s) {
  if (s.inner()) return tracing::inner_reduce<T>(f, tracing::identity_of<T, F>(), s);
  auto function = detail::combiner_of<T>(f);
  return Scalar<T>::own(detail::sequence(wf_reduce, function.handle.raw(), static_cast<const char*>(nullptr), s.raw()));
}

// auto [prefixes, total] = scan(f, b, s)
template <class T> struct Scanned {
  Seq<T> prefixes;
  Scalar<T> total;
};

namespace detail {
template <class T, class F> Scanned<T> scan_total(F& f, const T& b, const Seq<T>& s, int32_t inclusive) {
  auto function = combiner_of<T>(f);
  const Identity<F, T> identity(b);
  auto [prefixes, total] = two_of<Seq<T>, Scalar<T>>(wf_scan, function.handle.raw(), identity.argument(), s.raw(), inclusive);
  return {std::move(prefixes), std::move(total)};
}
}  // namespace detail

// prefixes[i] = s[0] f ... f s[i-1], b for i = 0; total = s[0] f ... f s[n-1]. f is associative, b its identity.
// Work n, span log n; one pass over s together with the maps and reductions that read the prefixes.
template <class F, class T> Scanned<T> scan(F f, const std::type_identity_t<T>& b, const Seq<T>& s) {
  return detail::scan_total<T>(f, b, s, 0);
}
// prefixes[i] = s[0] f ... f s[i].
template <class F, class T> Scanned<T> scan_incl_total(F f, const std::type_identity_t<T>& b, const Seq<T>& s) {
  return detail::scan_total<T>(f, b, s, 1);
}
template <class F, class T> Seq<T> scan_incl(F f, const std::type_identity_t<T>& b, const Seq<T>& s) {
  return detail::scan_total<T>(f, b, s, 1).prefixes;
}

// The elements for which f is true, in order. The length is unknown until a call forces it. Work n, span log n.
template <class F, class T> Seq<T> filter(F f, const Seq<T>& s) {
  auto inner = [&] { return tracing::inner_filter(f, s); };
  if (s.inner()) return inner();
  return tracing::outer_or_inner(
      [&] {
        auto function = detail::function_of<bool, T>(f);
        return Seq<T>::own(detail::sequence(wf_filter, function.handle.raw(), s.raw()));
      },
      inner);
}

// The length, lazily. For a filter it is a count that stores nothing.
template <class T> Scalar<int64_t> length(const Seq<T>& s) {
  if (s.inner()) return tracing::inner_length(s);
  return Scalar<int64_t>::own(detail::sequence(wf_length, s.raw()));
}

// ---- views: no memory of their own. On the result of a filter they run it first -----------------------------------------

// s[i], lazily. Throws RangeError if i is outside [0, n).
template <class T> Scalar<T> nth(const Seq<T>& s, int64_t i) { return s[i]; }
// The element at a lazy index; in a traced function, at an index that depends on its arguments.
template <class T, class I>
requires tracing::is_traced_integer<I>
auto nth(const Seq<T>& s, const I& i) { return s[i]; }
// s[start], ..., s[start + length - 1]. Throws RangeError if that is not inside s.
template <class T> Seq<T> subseq(const Seq<T>& s, int64_t start, int64_t length) {
  if (s.inner()) return tracing::inner_part(s, tracing::index_of(start), tracing::index_of(length));
  return Seq<T>::own(detail::sequence(wf_subseq, s.raw(), start, length));
}
// The first n elements; all but the first n. Throws RangeError if n is negative or exceeds the length.
template <class T, tracing::Bound N> Seq<T> take(const Seq<T>& s, const N& n) {
  if (s.inner() || tracing::is_inner(n)) return tracing::inner_take(s, tracing::index_of(n));
  return Seq<T>::own(detail::sequence(wf_take, s.raw(), static_cast<int64_t>(tracing::value_of(n))));
}
template <class T, tracing::Bound N> Seq<T> drop(const Seq<T>& s, const N& n) {
  if (s.inner() || tracing::is_inner(n)) return tracing::inner_drop(s, tracing::index_of(n));
  return Seq<T>::own(detail::sequence(wf_drop, s.raw(), static_cast<int64_t>(tracing::value_of(n))));
}
// The same at a lazy start: an element outside of s that is read is a RangeError of the force. A lazy length is computed, since lengths are
// known. Inside a traced function, the bounds may depend on its arguments; a negative length counts as 0.
template <class T, class A, class B>
requires tracing::TracedBounds<A, B> Seq<T> subseq(const Seq<T>& s, const A& start, const B& length) {
  if constexpr (!tracing::is_expr<A> && !tracing::is_expr<B>) {
    if (!tracing::trace_in_progress && !s.inner()) {
      const auto n = static_cast<int64_t>(tracing::value_of(length));
      if constexpr (tracing::is_scalar<A>) {
        auto element = [s, start](const tracing::Index& j) { return s[tracing::index_of(start) + j]; };
        return detail::named("subseq", [&] { return Seq<T>::like(tabulate(element, n, s.context())); });
      } else {
        return subseq(s, static_cast<int64_t>(start), n);
      }
    }
  }
  return tracing::inner_part(s, tracing::index_of(start), tracing::index_of(length));
}
// r[i] = s[n - 1 - i]
template <class T> Seq<T> rev(const Seq<T>& s) {
  if (s.inner()) return tracing::inner_rev(s);
  return Seq<T>::own(detail::sequence(wf_rev, s.raw()));
}
// The sequences one after another.
template <class T, class... More>
requires(std::is_base_of_v<Seq<T>, More>&&...) Seq<T> append(const Seq<T>& first, const More&... more) {
  if (tracing::any_inner(first, more...)) return tracing::inner_append(std::vector<Seq<T>>{first, more...});
  return Seq<T>::own(detail::joined(wf_append, first, more...));
}

template <detail::LazyRange R> auto append(const R& s) {
  using S = detail::SeqIn<R>;
  if constexpr (detail::IsSequence<S>) {
    const auto all = [&] { return std::vector<S>(std::ranges::begin(s), std::ranges::end(s)); };
    if constexpr (!std::ranges::contiguous_range<const R>) return append(all());
    else if (std::ranges::any_of(s, [](const S& each) { return each.inner() != nullptr; })) return tracing::inner_append(all());
  }
  return std::ranges::empty(s) ? S() : S::own(detail::joined(wf_append, s));
}

// ---- values and plans -------------------------------------------------------------------------------------------------

// Computes sequences and scalars, or ranges of them, together: those over the same data share a pass. Throws RangeError with
// the first index that was outside, MemoryError, UnsupportedError; all are then as before.
template <detail::LazyOrRange... S> void force(const S&... s) {
  detail::with_handles(
      [](wf_seq* const* raw, int32_t n) {
        if (n > 0) detail::check(wf_force(raw, n));
      },
      s...);
}

// As force, and returns when all elements are in memory, as a measurement of time needs. On a GPU, force may return while kernels still store
// elements; whatever reads these waits for them by itself.
template <detail::LazyOrRange... S> void wait(const S&... s) {
  detail::with_handles(
      [](wf_seq* const* raw, int32_t n) {
        if (n > 0) detail::check(wf_wait(raw, n));
      },
      s...);
}

namespace detail {
template <class... S> std::string explain_as(int32_t format, const S&... s) {
  return with_handles(
      [&](wf_seq* const* raw, int32_t n) {
        return copy_text(
            [&](char* buffer, int64_t capacity, int64_t* needed) { check(wf_explain(raw, n, format, buffer, capacity, needed)); });
      },
      s...);
}
}  // namespace detail

// The plan for these together, without running it: kernels, fused operations, bytes read and written. For computed sequences:
// the plan that computed them, and its speed.
template <detail::LazyOrRange... S> std::string explain(const S&... s) { return detail::explain_as(0, s...); }
// The same as a graph for Graphviz.
template <detail::LazyOrRange... S> std::string explain_dot(const S&... s) { return detail::explain_as(1, s...); }

}  // namespace warpfold
