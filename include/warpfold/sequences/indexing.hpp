// Functions of elements and their indices, parts of sequences, and sequences put together from others.
#pragma once

#include <array>
#include <optional>
#include <variant>

#include "warpfold/expressions/ordering.hpp"
#include "warpfold/sequences/reductions.hpp"
#include "warpfold/sequences/scattering.hpp"

namespace warpfold {

// ---- makers -----------------------------------------------------------------------------------------------------------

// The sequence without elements; that of one element.
template <class T> Seq<T> empty(const Context& context = default_context()) { return Seq<T>(std::span<const T>{}, context); }
template <class T> Seq<T> singleton(const T& x, const Context& context = default_context()) {
  return Seq<T>(std::span<const T>(&x, 1), context);
}

namespace detail {
// An expression, a lazy scalar, or a pair, tuple or array with one.
template <class X> inline constexpr bool is_traced = tracing::is_expr<X> || tracing::is_scalar<X>;
template <class... X> inline constexpr bool is_traced<std::tuple<X...>> = (is_traced<X> || ...);
template <class A, class B> inline constexpr bool is_traced<std::pair<A, B>> = is_traced<A> || is_traced<B>;
template <class X, size_t n> inline constexpr bool is_traced<std::array<X, n>> = is_traced<X>;
}  // namespace detail

// n times x. Throws SizeError for a negative n.
template <class T>
requires(!detail::is_traced<T>) Seq<T> fill(const T& x, int64_t n, const Context& context = default_context()) {
  return detail::named("fill", [&] {
    if constexpr (Element<T>) {
      return Seq<T>::like(tabulate([value = static_cast<Stored<T>>(x)](const auto&) { return value; }, n, context));
    } else {
      return Seq<T>::like(tabulate([one = singleton(x, context)](auto i) { return one[i * 0]; }, n, context));
    }
  });
}

// The same inside a traced function, for an element or a number that depends on its arguments.
template <class X, class N>
requires(detail::is_traced<X> || tracing::TracedBounds<N>) auto fill(const X& x, const N& n) {
  return tabulate([x](const auto&) { return x; }, n);
}

// ---- elements and indices ---------------------------------------------------------------------------------------------

namespace detail {
// 0, 1, ..., as many as s has elements.
template <class T> Seq<int64_t> indices_of(const Seq<T>& s) {
  if (s.inner()) return range(int64_t{0}, length(s));
  return iota(s.size(), s.context());
}
}  // namespace detail

// r[i] = f(i, s[i]). The length must be known: the result of a filter is computed first.
template <class F, class T> auto map_idx(F f, const Seq<T>& s) { return map(f, detail::indices_of(s), s); }
// The elements s[i] for which f(i, s[i]) is true.
template <class F, class T> Seq<T> filter_idx(F f, const Seq<T>& s) {
  return field<1>(filter([f](const std::pair<Expr<int64_t>, ExprFor<T>>& x) mutable { return tracing::apply_traced(f, x.first, x.second); },
                         enumerate(s)));
}
// r[i] = f(s[i], t[i]), as long as the shorter one.
template <class F, class T, class U> auto zip_with(F f, const Seq<T>& s, const Seq<U>& t) {
  auto mapped = [&](const Seq<T>& x, const Seq<U>& y) { return map(f, x, y); };
  using R = decltype(mapped(s, t));
  if (tracing::any_inner(s, t)) {
    auto both = tracing::joined("zip_shortest", "zip_with", s, t);
    return R(tracing::mapped<typename R::value_type, F, T, U>(f, both));
  }
  const int64_t n = std::min(s.size(), t.size());
  return R(mapped(take(s, n), take(t, n)));
}
// Joins sequences element by element, as long as the shorter one: SEQUENCE's zip. Free.
template <class T, class U> Seq<std::pair<T, U>> zip_shortest(const Seq<T>& s, const Seq<U>& t) {
  if (tracing::any_inner(s, t)) return Seq<std::pair<T, U>>::nested(tracing::joined("zip_shortest", "zip_shortest", s, t));
  const int64_t n = std::min(s.size(), t.size());
  return zip(take(s, n), take(t, n));
}
// r[i] = s[indices[i]]. The force throws RangeError if an index is outside.
template <class T, class I> Seq<T> gather(const Seq<T>& s, const Seq<I>& indices) {
  return Seq<T>::like(map([s](auto i) { return s[i]; }, indices));
}
// The indices of the elements for which f is true; of the trues.
template <class F, class T> Seq<int64_t> pack_index(F f, const Seq<T>& s) {
  return field<0>(
      filter([f](const std::pair<Expr<int64_t>, ExprFor<T>>& x) mutable { return tracing::apply_traced(f, x.second); }, enumerate(s)));
}
inline Seq<int64_t> pack_index(const Seq<bool>& s) {
  return pack_index([](auto x) { return x; }, s);
}

// s with s[i] replaced by x. Throws RangeError if i is outside. A view of s.
template <class T> Seq<T> update(const Seq<T>& s, int64_t i, const std::type_identity_t<T>& x) {
  if (s.inner()) return tracing::inner_update(s, tracing::index_of(i), x);
  if (const int64_t n = s.size(); i < 0 || i >= n)
    throw RangeError("update: i is " + std::to_string(i) + ", but s has length " + std::to_string(n) +
                     (n > 0 ? "; expected 0 to " + std::to_string(n - 1) : ": no index is valid"));
  const Seq<T> one = Seq<T>(std::span<const T>(&x, 1), s.context());
  return append(take(s, i), one, drop(s, i + 1));
}
// The same of a lazy position or element, or inside a traced function of one that depends on its arguments. If i is outside, the force throws.
template <class T, class I, class X>
requires(tracing::Bound<I> && (tracing::is_traced_integer<I> || detail::is_traced<X>)) Seq<T> update(const Seq<T>& s, const I& i,
                                                                                                     const X& x) {
  auto inner = [&] { return tracing::inner_update(s, tracing::index_of(i), tracing::converted<T>(x)); };
  if (s.inner()) return inner();
  return tracing::outer_or_inner(
      [&] {
        const int64_t n = s.size();
        auto element = [s, i, x, n](const tracing::Index& j) {
          const tracing::Id at = tracing::Trace::current().check_index(tracing::index_of(i).id(), tracing::index_of(n).id());
          return tracing::converted<T>(where(j == tracing::Index::of(at), tracing::converted<T>(x), s[j]));
        };
        return Seq<T>::like(tabulate(element, n, s.context()));
      },
      inner);
}
// s with s[i] replaced by x for each pair (i, x) in order, so that the last one wins. The force throws RangeError if an index is outside.
template <class T, class I> Seq<T> inject(const Seq<T>& s, const Seq<std::pair<I, T>>& updates) {
  return scatter(s, field<0>(updates), field<1>(updates));
}

// ---- parts ------------------------------------------------------------------------------------------------------------

// Nothing for an empty s; else its first element and the others.
template <class T> std::optional<std::pair<Scalar<T>, Seq<T>>> split_head(const Seq<T>& s) {
  if (s.inner()) tracing::reject_inner("split_head", "s[0] and drop(s, 1), in where(length(s) > 0, a, b)");
  if (s.empty()) return std::nullopt;
  return std::pair(s[0], drop(s, 1));
}
// Nothing, the only element, or the two halves, of which the first one is shorter if the length is odd.
template <class T> using Middle = std::variant<std::monostate, Scalar<T>, std::pair<Seq<T>, Seq<T>>>;
template <class T> Middle<T> split_mid(const Seq<T>& s) {
  if (s.inner()) tracing::reject_inner("split_mid", "take(s, length(s) / 2) and drop(s, length(s) / 2)");
  const int64_t n = s.size();
  if (n == 0) return std::monostate();
  if (n == 1) return s[0];
  return std::pair(take(s, n / 2), drop(s, n / 2));
}
// s[k], ..., s[n - 1], s[0], ..., s[k - 1]; k modulo n, so that a negative one rotates to the right.
template <class T, tracing::Bound K> Seq<T> rotate(const Seq<T>& s, const K& by) {
  if (s.inner() || tracing::is_inner(by)) return tracing::inner_rotate(s, tracing::index_of(by));
  const int64_t n = s.size();
  if (n == 0) return s;
  int64_t k = static_cast<int64_t>(tracing::value_of(by)) % n;
  if (k < 0) k += n;
  return append(drop(s, k), take(s, k));
}
// s[0], t[0], s[1], t[1], ...: sequences of equal lengths, else SizeError.
template <class T> Seq<T> interleave(const Seq<T>& s, const Seq<T>& t) {
  if (tracing::any_inner(s, t)) return tracing::inner_interleave(s, t);
  const auto pairs = detail::named("interleave", [&] { return zip(s, t); });
  auto turn = [pairs](const auto& i) {
    const auto [x, y] = pairs[i / 2];
    return where(i % 2 == 0, x, y);
  };
  int64_t length;
  if (__builtin_mul_overflow(pairs.size(), int64_t{2}, &length))
    throw SizeError("interleave: twice the length " + std::to_string(pairs.size()) + " overflows 64 bits");
  return Seq<T>::like(tabulate(turn, length, s.context()));
}
// auto [yes, no] = partition(f, s): the elements for which f is true, and the others. One pass if both are computed together.
template <class F, class T> std::pair<Seq<T>, Seq<T>> partition(F f, const Seq<T>& s) {
  auto fails = [f](const ExprFor<T>& x) mutable { return !tracing::apply_traced(f, x); };
  return {filter(f, s), filter(fails, s)};
}

// ---- one element after another ----------------------------------------------------------------------------------------

// f(... f(f(b, s[0]), s[1]) ..., s[n-1]): f need not be associative. Sequential by definition: one thread of one kernel reads s in order.
template <class F, class B, class T> Scalar<B> iterate(F f, const B& b, const Seq<T>& s) {
  auto inner = [&] { return tracing::inner_iterate<B>(f, b, s); };
  if (s.inner()) return inner();
  return tracing::outer_or_inner(
      [&] {
        auto function = detail::function_of<B, B, T>(f);
        const std::string initial = detail::identity_text<B>(b);
        return Scalar<B>::own(detail::sequence(wf_iterate, function.handle.raw(), initial.c_str(), s.raw()));
      },
      inner);
}

// auto [prefixes, last] = iterate_prefixes(f, b, s)
template <class B> struct Iterated {
  Seq<B> prefixes;
  Scalar<B> last;
};
namespace detail {
template <class B, class F, class T> Iterated<B> iterate_prefixes(F& f, const B& b, const Seq<T>& s, int32_t inclusive) {
  auto function = function_of<B, B, T>(f);
  const std::string initial = identity_text<B>(b);
  auto [prefixes, last] = two_of<Seq<B>, Scalar<B>>(wf_iterate_prefixes, function.handle.raw(), initial.c_str(), s.raw(), inclusive);
  return {std::move(prefixes), std::move(last)};
}
}  // namespace detail
// prefixes[i] is the state before s[i], b for i = 0, and last the final one. f need not be associative: if it is, scan does much less. Some
// kernels, of which the first one works as iterate; see wf_iterate_prefixes.
template <class F, class B, class T> Iterated<B> iterate_prefixes(F f, const B& b, const Seq<T>& s) {
  return detail::iterate_prefixes(f, b, s, 0);
}
// prefixes[i] is the state after s[i].
template <class F, class B, class T> Seq<B> iterate_prefixes_incl(F f, const B& b, const Seq<T>& s) {
  return detail::iterate_prefixes(f, b, s, 1).prefixes;
}

}  // namespace warpfold
