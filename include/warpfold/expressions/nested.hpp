// The primitives on inner sequences (inner.hpp): each makes the function from position to element of its result.
#pragma once

#include "warpfold/expressions/function.hpp"
#include "warpfold/expressions/loop.hpp"
#include "warpfold/expressions/named.hpp"
#include "warpfold/seq.hpp"

namespace warpfold::tracing {

template <class... T> bool any_inner(const Seq<T>&... s) { return ((s.inner() != nullptr) || ...); }

// ---- bounds -----------------------------------------------------------------------------------------------------------

// Returns true if a sequence with this bound is an inner one: lazy scalars are captured by a trace in progress, and computed outside.
template <Bound I> bool is_inner(const I&) {
  if constexpr (std::is_integral_v<I>) return false;
  else return is_expr<I> || trace_in_progress;
}
// The value of a bound outside of traced functions.
template <Bound I> auto value_of(const I& i) {
  if constexpr (is_expr<I>) return typename I::value_type{};
  else if constexpr (is_scalar<I>) return i.get();
  else return i;
}
template <class I> struct BoundType { using type = I; };
template <class T> struct BoundType<Expr<T>> { using type = T; };
template <class T> struct BoundType<Scalar<T>> { using type = T; };
template <class A, class B> using CommonBound = Stored<std::common_type_t<typename BoundType<A>::type, typename BoundType<B>::type>>;

// b - a, or 0 if b <= a; first is a. Bounds of 64 bits such as the least and the largest number may be so far apart that the difference wraps
// around.
template <class T, Bound A, Bound B> Index distance(const Index& first, const A& a, const B& b) {
  const Index last = index_of(b), difference = last - first;
  if constexpr (sizeof(T) < sizeof(int64_t)) return difference;
  if constexpr (std::is_integral_v<A>)
    if (a == 0) return difference;
  return where(cast<T>(last) > cast<T>(first), difference, 0);
}

// ---- sequences --------------------------------------------------------------------------------------------------------

// s as an inner sequence of the trace in progress, which captures a sequence of its own.
template <class T> InnerRef<T> inner_of(const Seq<T>& s) {
  Trace& trace = Trace::current();
  if (s.inner()) return trace.require_made_here(s.inner()->trace), s.inner();
  return make_inner<T>(
      {.length = Index::of(trace.length(trace.capture(s.raw()))), .element = [s](const Index& j) { return s[j]; }, .checks_index = true});
}

template <class V, class F> Seq<V> inner_tabulate(F f, const Index& n) {
  return Seq<V>::nested({.length = n, .element = [f](const Index& j) mutable { return call_inside<V>(f, j); }});
}

// The number of elements, if the trace knows it: a literal, or the length of a sequence with a handle; else -1.
inline int64_t known_length(const Index& length) {
  Trace& trace = Trace::current();
  trace.scope_of(length.id());
  const Term& t = trace.term(length.id());
  if (t.kind == Kind::Literal) return std::max<int64_t>(static_cast<int64_t>(t.bits), 0);
  int64_t n = -1;
  if (t.kind == Kind::Length) detail::check(wf_known_length(trace.captures()[t.slot], &n));
  return n;
}

// The first length of sequences that are read together. If the other one is larger, its last element has no partner, and the force throws
// RangeError. If it is smaller, beside() checks each element.
inline Index common_length(const Index& first, const Index& other) {
  const int64_t n = known_length(first);
  if (first.id() == other.id() || (n >= 0 && n == known_length(other))) return first;
  const Index checked = Index::of(Trace::current().check_index((other - 1).id(), first.id()));
  return where(other > first && other > 0, checked, first);
}
template <class... T> Index common_length(const Index& first, const InnerRef<T>&... others) {
  Index length = first;
  ((length = common_length(length, others->length)), ...);
  return length;
}

// The element of a sequence that is read together with `first`, at the same position.
template <class A, class T> ExprFor<T> beside(const Inner<A>& first, const Inner<T>& other, const Index& j) {
  return first.length.id() == other.length.id() ? other.element(j) : checked_element(other, j);
}

template <class V, class F, class A, class... T> Seq<V> inner_map(F f, const Seq<A>& first, const Seq<T>&... others) {
  auto a = inner_of(first);
  auto more = std::tuple{inner_of(others)...};
  if constexpr (sizeof...(T) > 0) {
    require_unfiltered(*a, "map of several sequences");
    std::apply([](const auto&... x) { (require_unfiltered(*x, "map of several sequences"), ...); }, more);
  }
  auto element = [f, a, more](const Index& j) mutable {
    return std::apply([&](const auto&... x) { return call_inside<V>(f, a->element(j), beside(*a, *x, j)...); }, more);
  };
  const Index length = std::apply([&](const auto&... x) { return common_length(a->length, x...); }, more);
  return Seq<V>::nested({.length = length, .element = element, .keeps = a->keeps});
}

template <class V, class A, class... T> Seq<V> inner_zip(const Seq<A>& first, const Seq<T>&... others) {
  auto a = inner_of(first);
  auto more = std::tuple{inner_of(others)...};
  require_unfiltered(*a, "zip");
  std::apply([](const auto&... x) { (require_unfiltered(*x, "zip"), ...); }, more);
  auto element = [a, more](const Index& j) {
    Id ids[detail::leaf_count<V>], *next = ids;
    auto add = [&]<class E>(std::type_identity<E>, const ExprFor<E>& x) {
      to_leaves<E>(x, next);
      next += detail::leaf_count<E>;
    };
    add(std::type_identity<A>{}, a->element(j));
    std::apply([&](const auto&... x) { (add(std::type_identity<T>{}, beside(*a, *x, j)), ...); }, more);
    return from_leaves<V>(ids);
  };
  const Index length = std::apply([&](const auto&... x) { return common_length(a->length, x...); }, more);
  return Seq<V>::nested({.length = length, .element = element});
}

// The leaves from `first` on of each element, as elements U.
template <class U, class T> Seq<U> inner_leaves(const Seq<T>& s, size_t first) {
  auto base = inner_of(s);
  auto element = [base, first](const Index& j) {
    Id ids[detail::leaf_count<T>];
    to_leaves<T>(base->element(j), ids);
    return from_leaves<U>(ids + first);
  };
  return Seq<U>::nested({.length = base->length, .element = element, .keeps = base->keeps});
}

template <class F, class T> Seq<T> inner_filter(F f, const Seq<T>& s) {
  auto base = inner_of(s);
  auto keeps = [f, base](const Index& j) mutable {
    if (!base->keeps) return call_inside<bool>(f, base->element(j));
    const Expr<bool> before = base->keeps(j);
    return before && call_inside<bool>(f, base->element(j));
  };
  return Seq<T>::nested({.length = base->length, .element = base->element, .keeps = keeps});
}

// s[start], ..., s[start + length - 1]
template <class T> Seq<T> inner_part(const Seq<T>& s, const Index& start, const Index& length) {
  auto base = inner_of(s);
  require_unfiltered(*base, "a part");
  return Seq<T>::nested({.length = length, .element = [base, start](const Index& j) { return checked_element(*base, start + j); }});
}
template <class T> Seq<T> inner_drop(const Seq<T>& s, const Index& n) {
  auto base = inner_of(s);
  require_unfiltered(*base, "a part");
  return inner_part(s, n, base->length - max(n, -1));  // one element of a negative n suffices for the error, and the length does not wrap
}
template <class T> Seq<T> inner_rev(const Seq<T>& s) {
  auto base = inner_of(s);
  const Index last = base->length - 1;
  std::function<Expr<bool>(const Index&)> keeps;
  if (base->keeps) keeps = [base, last](const Index& j) { return base->keeps(last - j); };
  return Seq<T>::nested(
      {.length = base->length, .element = [base, last](const Index& j) { return base->element(last - j); }, .keeps = keeps});
}

// s[0], ..., s[m - 1], t[0], ..., t[n - 1]; filtered ones keep their conditions.
template <class T> Seq<T> inner_append(const Seq<T>& s, const Seq<T>& t) {
  auto a = inner_of(s), b = inner_of(t);
  const Index m = max(a->length, 0), n = max(b->length, 0);
  auto element = [a, b, m](const Index& j) { return converted<T>(where(j < m, a->element(j), b->element(j - m))); };
  std::function<Expr<bool>(const Index&)> keeps;
  if (a->keeps || b->keeps) {
    auto kept = [](const InnerRef<T>& part, const Index& j) { return part->keeps ? part->keeps(j) : Expr<bool>(true); };
    keeps = [a, b, m, kept](const Index& j) { return where(j < m, kept(a, j), kept(b, j - m)); };
  }
  const Index rest = std::numeric_limits<int64_t>::max() - m;
  return Seq<T>::nested({.length = m + min(n, rest), .element = element, .keeps = keeps});
}
template <class T> Seq<T> inner_append(const std::vector<Seq<T>>& all) {
  Seq<T> result = all[0];
  for (size_t k = 1; k < all.size(); k++) result = inner_append(result, all[k]);
  return result;
}

// f of both, without the elements that the shorter one lacks.
template <class F, class T, class U> auto inner_shortest(const char* name, F f, const Seq<T>& s, const Seq<U>& t) {
  auto a = inner_of(s);
  auto b = inner_of(t);
  require_unfiltered(*a, name);
  require_unfiltered(*b, name);
  const Index n = min(a->length, b->length);
  return f(inner_part(s, index_of(0), n), inner_part(t, index_of(0), n));
}

// r[j] = f(s[j], s[j + 1])
template <class V, class F, class T> Seq<V> inner_neighbours(F f, const Seq<T>& s) {
  auto base = inner_of(s);
  auto element = [f, base](const Index& j) mutable { return call_inside<V>(f, base->element(j), base->element(j + 1)); };
  return Seq<V>::nested({.length = max(base->length, 1) - 1, .element = element});
}

// s[k], ..., s[n - 1], s[0], ..., s[k - 1]
template <class T> Seq<T> inner_rotate(const Seq<T>& s, const Index& k) {
  auto base = inner_of(s);
  require_unfiltered(*base, "rotate");
  const Index n = base->length, from = where(k % n < 0, k % n + n, k % n);
  auto element = [base, n, from](const Index& j) { return base->element(where(j < n - from, j + from, j - (n - from))); };
  return Seq<T>::nested({.length = n, .element = element});
}

// s with s[i] replaced by x; an i outside is an error of the force.
template <class T, class X> Seq<T> inner_update(const Seq<T>& s, const Index& i, const X& x) {
  auto base = inner_of(s);
  require_unfiltered(*base, "update");
  const Index at = Index::of(Trace::current().check_index(i.id(), base->length.id()));
  const ExprFor<T> replaced = converted<T>(x);
  auto element = [base, at, replaced](const Index& j) { return converted<T>(where(j == at, replaced, base->element(j))); };
  return Seq<T>::nested({.length = base->length, .element = element});
}

[[noreturn]] inline void reject_inner(const char* name, const char* remedy) {
  throw ArgumentError(std::string(name) + " inside a traced function: its result depends on a length that is not known; expected " +
                      remedy);
}

template <class T> bool is_filtered(const Seq<T>& s) { return s.inner() && s.inner()->keeps; }

// f(... f(f(b, s[0]), s[1]) ..., s[n - 1]) as a loop of the trace.
template <class B, class F, class T> Scalar<B> inner_iterate(F& f, const B& b, const Seq<T>& s) {
  auto base = inner_of(s);
  using State = std::pair<int64_t, B>;
  auto next = [&](const ExprFor<State>& state) {
    const ExprFor<B> after = call_inside<B>(f, state.second, base->element(state.first));
    if (!base->keeps) return std::pair(state.first + 1, after);
    return std::pair(state.first + 1, converted<B>(where(base->keeps(state.first), after, state.second)));
  };
  const auto last = loop(
      State(0, b), [&](const ExprFor<State>& state) { return state.first < base->length; }, next);
  Id leaves[detail::leaf_count<B>];
  to_leaves<B>(last.second, leaves);
  return Scalar<B>::traced(leaves);
}

// ---- reductions -------------------------------------------------------------------------------------------------------

// The function that combines elements T, as a fold has it: without `fn`.
template <class T, class F> std::string combiner_text(F& f) {
  if constexpr (detail::takes_exprs<F, ExprFor<T>, ExprFor<T>>()) {
    try {
      return detail::trace_call<T, T, T>(f, [](auto... parts) {
        if (Trace::current().n_captures() > 0) throw OuterExpr();
        std::string text;
        Writer(Trace::current(), text).function(parts...);
        return text.substr(4, text.size() - 5);
      });
    } catch (const OuterExpr&) {
      throw ArgumentError(
          "reduce inside a traced function: the function that combines depends on more than its two arguments; expected one that does "
          "not, and a map of the elements before it");
    }
  } else {
    throw ArgumentError(
        "reduce inside a traced function: the function that combines runs on the host; expected one of expressions, with auto parameters");
  }
}

// The identity of one of the named functions, if there is one.
template <class T, class F> constexpr std::optional<T> known_identity() {
  using Limits = std::numeric_limits<T>;
  if constexpr (!Element<T>) {
  } else if constexpr (std::is_same_v<F, detail::Plus> || std::is_same_v<F, detail::BitOr> || std::is_same_v<F, detail::BitXor>) {
    return T(0);
  } else if constexpr (std::is_same_v<F, detail::Times>) {
    return T(1);
  } else if constexpr (std::is_same_v<F, detail::Min>) {
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  } else if constexpr (std::is_same_v<F, detail::Max>) {
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  } else if constexpr (std::is_same_v<F, detail::BitAnd> && std::is_integral_v<T>) {
    return static_cast<T>(~uint64_t{0});
  }
  return std::nullopt;
}

template <class T> Scalar<int64_t> inner_length(const Seq<T>& s);

template <class T, class F> Scalar<T> inner_reduce(F& f, const T& identity, const Seq<T>& s) {
  Id leaves[detail::leaf_count<T>];
  if constexpr (std::is_floating_point_v<T> && (std::is_same_v<F, detail::Min> || std::is_same_v<F, detail::Max>))
    if (inner_of(s)->keeps && known_identity<T, F>() == identity) {  // an infinity in place of a dropped element would hide NaNs
      const Id is_kept = (Expr<int64_t>(inner_length(s)) > 0).id();
      const Id operands[] = {is_kept, Expr<T>(inner_reduce<T>(f, std::numeric_limits<T>::quiet_NaN(), s)).id(), Expr<T>(identity).id()};
      leaves[0] = Trace::current().apply("where", type_code<Stored<T>>, operands, 3);
      return Scalar<T>::traced(leaves);
    }
  to_leaves<T>(fold<T>(*inner_of(s), identity, combiner_text<T>(f) + ' ' + detail::identity_text<T>(identity)), leaves);
  return Scalar<T>::traced(leaves);
}

template <class T> Scalar<int64_t> inner_length(const Seq<T>& s) {
  auto base = inner_of(s);
  if (base->keeps) return inner_reduce<int64_t>(plus, 0, inner_map<int64_t>([](const auto&...) { return int64_t{1}; }, s));
  const Id length = max(base->length, 0).id();
  return Scalar<int64_t>::traced(&length);
}

template <class T, class F> T identity_of() {
  if (constexpr auto known = known_identity<T, F>()) return *known;
  throw ArgumentError("reduce inside a traced function: no identity is known for the function; expected reduce(f, identity, s)");
}

}  // namespace warpfold::tracing
