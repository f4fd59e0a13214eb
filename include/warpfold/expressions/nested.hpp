// The primitives on inner sequences (inner.hpp): each makes a form.
#pragma once

#include "warpfold/expressions/function.hpp"
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

// ---- sequences --------------------------------------------------------------------------------------------------------

// s as an inner sequence of the trace in progress, which captures a sequence of its own.
template <class T> Inner inner_of(const Seq<T>& s) {
  Trace& trace = Trace::current();
  if (s.inner()) return trace.require_made_here(s.inner()->trace), *s.inner();
  return {.term = trace.captured(trace.capture(s.raw())), .known_length = s.known_size()};
}
// The same for a function that needs positions.
template <class T> Inner unfiltered(const char* name, const Seq<T>& s) {
  const Inner inner = inner_of(s);
  require_unfiltered(inner, name);
  return inner;
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

template <class V, class F> Seq<V> inner_tabulate(F f, const Index& n) {
  return Seq<V>::nested({.term = form_of<V, int64_t>("tabulate", f, std::array{n.id()}), .known_length = known_length(n)});
}
template <class T, Bound A, Bound B> Seq<T> inner_range(const A& a, const B& b) {
  return Seq<T>::nested({.term = form("range", std::array{bound_as<T>(a).id(), bound_as<T>(b).id()})});
}

// The columns of all, by a form of this name. `zip` compares the lengths unless they are known to be equal.
template <class... T> Inner joined(const char* name, const char* called, const Seq<T>&... s) {
  const std::array<Inner, sizeof...(T)> all{unfiltered(called, s)...};
  std::array<Id, sizeof...(T)> terms;
  std::ranges::transform(all, terms.begin(), &Inner::term);
  const int64_t n = all[0].known_length;
  const bool are_equal = n >= 0 && std::ranges::all_of(all, [&](const Inner& inner) { return inner.known_length == n; });
  return {.term = form(are_equal ? "zip_equal" : name, terms), .known_length = are_equal ? n : -1};
}
template <class V, class... T> Seq<V> inner_zip(const Seq<T>&... s) { return Seq<V>::nested(joined("zip", "zip", s...)); }

template <class V, class F, class... T> Seq<V> mapped(F& f, Inner inner) {
  inner.term = form_of<V, T...>("map", f, std::array{inner.term});
  return Seq<V>::nested(inner);
}
template <class V, class F, class T> Seq<V> inner_map(F f, const Seq<T>& s) { return mapped<V, F, T>(f, inner_of(s)); }
template <class V, class F, class... T>
requires(sizeof...(T) > 1) Seq<V> inner_map(F f, const Seq<T>&... s) {
  return mapped<V, F, T...>(f, joined("zip", "map of several sequences", s...));
}

// The leaves from `first` on of each element, as elements U.
template <class U, class T> Seq<U> inner_leaves(const Seq<T>& s, size_t first) {
  if constexpr (std::is_same_v<detail::Leaves<U>, detail::Leaves<T>>) return Seq<U>::nested(inner_of(s));
  return inner_map<U>(
      [first](const ExprFor<T>& x) {
        Id ids[detail::leaf_count<T>];
        to_leaves<T>(x, ids);
        return from_leaves<U>(ids + first);
      },
      s);
}

template <class F, class T> Seq<T> inner_filter(F f, const Seq<T>& s) {
  Inner result = inner_of(s);
  result.term = form_of<bool, T>("filter", f, std::array{result.term});
  result.is_filtered = true;
  return Seq<T>::nested(result);
}
template <class T> Seq<std::pair<int64_t, T>> inner_enumerate(const Seq<T>& s) {
  Inner result = unfiltered("enumerate", s);
  result.term = form("enumerate", std::array{result.term});
  return Seq<std::pair<int64_t, T>>::nested(result);
}

// s[start], ..., s[start + length - 1]
template <class T> Seq<T> inner_part(const Seq<T>& s, const Index& start, const Index& length) {
  const Id base = unfiltered("a part", s).term;
  return Seq<T>::nested({.term = form("subseq", std::array{base, start.id(), length.id()}), .known_length = known_length(length)});
}
template <class T> Seq<T> inner_take(const Seq<T>& s, const Index& n) {
  return Seq<T>::nested({.term = form("take", std::array{unfiltered("a part", s).term, n.id()}), .known_length = known_length(n)});
}
template <class T> Seq<T> inner_drop(const Seq<T>& s, const Index& n) {
  return Seq<T>::nested({.term = form("drop", std::array{unfiltered("a part", s).term, n.id()})});
}
template <class T> Seq<T> inner_rev(const Seq<T>& s) {
  Inner result = inner_of(s);
  result.term = form("rev", std::array{result.term});
  return Seq<T>::nested(result);
}
template <class T> Seq<T> inner_append(const std::vector<Seq<T>>& all) {
  std::vector<Id> terms;
  bool is_filtered = false;
  for (const Seq<T>& s : all) {
    const Inner inner = inner_of(s);
    terms.push_back(inner.term);
    is_filtered = is_filtered || inner.is_filtered;
  }
  return Seq<T>::nested({.term = form("append", terms), .is_filtered = is_filtered});
}
template <class T> Seq<T> inner_rotate(const Seq<T>& s, const Index& k) {
  Inner result = unfiltered("rotate", s);
  result.term = form("rotate", std::array{result.term, k.id()});
  return Seq<T>::nested(result);
}
template <class T> Seq<T> inner_interleave(const Seq<T>& s, const Seq<T>& t) {
  return Seq<T>::nested({.term = form("interleave", std::array{unfiltered("interleave", s).term, unfiltered("interleave", t).term})});
}
// s with s[i] replaced by x; an i outside is an error of the force.
template <class T, class X> Seq<T> inner_update(const Seq<T>& s, const Index& i, const X& x) {
  Inner result = unfiltered("update", s);
  Id operands[2 + detail::leaf_count<T>] = {result.term, i.id()};
  to_leaves<T>(converted<T>(x), operands + 2);
  result.term = form("update", operands);
  return Seq<T>::nested(result);
}

[[noreturn]] inline void reject_inner(const char* name, const char* remedy) {
  throw ArgumentError(std::string(name) + " inside a traced function: its result depends on a length that is not known; expected " +
                      remedy);
}

// ---- values -----------------------------------------------------------------------------------------------------------

// A function of elements X... that depends on nothing else, as a form has it: without `fn`.
template <class R, class... X, class F> std::string closed_text(F& f) {
  if constexpr (detail::takes_exprs<F, ExprFor<X>...>()) {
    try {
      return detail::trace_call<R, X...>(f, [](auto... parts) {
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
template <class T, class F> T identity_of() {
  if (constexpr auto known = known_identity<T, F>()) return *known;
  throw ArgumentError("reduce inside a traced function: no identity is known for the function; expected reduce(f, identity, s)");
}

template <class T, class F> Scalar<T> inner_reduce(F& f, const T& identity, const Seq<T>& s) {
  std::string text = closed_text<T, T, T>(f) + ' ' + detail::identity_text<T>(identity);
  return value_of_form<T>(form("reduce", std::array{inner_of(s).term}, detail::leaf_codes<T>, std::move(text)));
}
template <class T> Scalar<int64_t> inner_length(const Seq<T>& s) {
  return value_of_form<int64_t>(form("length", std::array{inner_of(s).term}, detail::leaf_codes<int64_t>));
}
// f(... f(f(b, s[0]), s[1]) ..., s[n - 1])
template <class B, class F, class T> Scalar<B> inner_iterate(F& f, const B& b, const Seq<T>& s) {
  return value_of_form<B>(form_of<B, B, T>("iterate", f, std::array{inner_of(s).term}, detail::leaf_codes<B>, detail::identity_text<B>(b)));
}
// The position of the first element that no other one comes after, by a function `less`; -1 of no elements.
template <class F, class T> Scalar<int64_t> inner_argmax(F& less, const Seq<T>& s) {
  return value_of_form<int64_t>(form("argmax", std::array{inner_of(s).term}, detail::leaf_codes<int64_t>, closed_text<bool, T, T>(less)));
}
// The value, an R, of a form with a function of elements that returns a bool.
template <class R, class... X, class F> Scalar<R> inner_test(const char* name, F& f, std::span<const Id> operands) {
  return value_of_form<R>(form_of<bool, X...>(name, f, operands, detail::leaf_codes<R>));
}

}  // namespace warpfold::tracing
