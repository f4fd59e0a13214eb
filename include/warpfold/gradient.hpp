// Gradients of functions of sequences, arrays and scalars.
//
//     auto loss = [](const Array<float, 2>& x, const Seq<float>& y, const Seq<float>& w) {
//       return sum(map([](auto p, auto t) { return softplus(p) - t * p; }, matmul(x, w), y));
//     };
//     auto [value, gradient] = value_and_grad<2>(loss)(x, y, w);         // gradient: a Seq<float>, by argument 2
//
// Values and gradients are delayed, as all else: forced together, they share kernels. Within jit, the gradient is part of the trace. Arguments
// that are differentiated are floats: sequences, arrays, scalars, numbers (as scalars), and tuples, structs and vectors of these, whose
// gradients have the same form. docs/gradients.md states the derivative of each operation.
#pragma once

#include "warpfold/jit.hpp"

namespace warpfold {
namespace derivatives {

// Functions of jit are called, not run, while this lives: the results of a run have no history.
struct Following {
  Following() { jits::depth++; }
  ~Following() { jits::depth--; }
  Following(const Following&) = delete;
};

template <class V> void require_lazy() {
  static_assert(!Element<V>,
                "gradient: the value is a number, which has no history; expected the reduction itself, a Scalar, not its value");
}

// The value's handles, replaced in order.
template <class V> V replaced(const V& value, wf_seq**& next) {
  return jits::with_handles(value, [&](wf_seq*) { return *next++; });
}
template <class... V> std::vector<wf_seq*> handles_of(const V&... values) {
  std::vector<wf_seq*> all;
  (jits::append_handles(values, all), ...);
  return all;
}
inline int32_t count_of(const std::vector<wf_seq*>& handles) { return static_cast<int32_t>(handles.size()); }

// One value, or a tuple of several.
template <class... V> auto one_or_all(std::tuple<V...> all) {
  if constexpr (sizeof...(V) == 1) return std::get<0>(std::move(all));
  else return all;
}

// seeds: none, or one like each value.
template <class... V> auto gradients(const std::vector<wf_seq*>& values, const std::vector<wf_seq*>& seeds, const V&... variables) {
  const std::vector<wf_seq*> by = handles_of(variables...);
  std::vector<wf_seq*> out(by.size());
  detail::check(wf_gradient(values.data(), seeds.empty() ? nullptr : seeds.data(), count_of(values), by.data(), count_of(by), out.data()));
  wf_seq** next = out.data();
  return one_or_all(std::tuple<V...>{replaced(variables, next)...});
}

template <class V> V as_variable(const V& value) {
  return jits::with_handles(value, [](wf_seq* s) { return detail::sequence(wf_variable, s); });
}

template <class V> V as_constant(const V& value) {
  return jits::with_handles(value, [](wf_seq* s) { return detail::sequence(wf_constant, s); });
}

// f of the arguments, of which numbers are scalars and those numbered k are variables.
template <size_t... k, class F, class... A> auto evaluated(const F& f, std::index_sequence<k...>, const A&... arguments) {
  const Context context = jits::context_of(arguments...);
  std::tuple<jits::Lifted<A>...> all{jits::lifted(arguments, context)...};
  ((std::get<k>(all) = as_variable(std::get<k>(all))), ...);
  const Following following;
  auto value = std::apply(f, std::as_const(all));
  require_lazy<decltype(value)>();
  using Variables = std::tuple<std::tuple_element_t<k, decltype(all)>...>;
  return std::pair(std::move(value), Variables(std::get<k>(std::move(all))...));
}

template <size_t... k> struct Chosen { using type = std::index_sequence<k...>; };
template <> struct Chosen<> { using type = std::index_sequence<0>; };

}  // namespace derivatives

// The same values, of which gradients can be taken: gradients(loss, x) follows how loss was made from x, whether it was computed meanwhile or not.
template <class V> V variable(const V& value) { return derivatives::as_variable(value); }

// The same values as constants: no gradient passes.
template <class V> V stop_gradient(const V& value) { return derivatives::as_constant(value); }

// The gradient of the value, which has one element, by a variable, or a tuple of the gradients by several; 0 for one that it does not depend on.
// Delayed. Throws ArgumentError for what is not a variable, TypeError, and UnsupportedError for an operation without a derivative.
template <class L, class... V> auto gradients(const L& value, const V&... variables) {
  derivatives::require_lazy<L>();
  return derivatives::gradients(derivatives::handles_of(value), {}, variables...);
}

// A function of the same arguments that returns the pair of f's value, a Scalar, and its gradient by argument k, or a tuple for several k; by
// argument 0 without k. Throws as gradients does.
template <size_t... k, class F> auto value_and_grad(F f) {
  return [f = std::move(f)](const auto&... arguments) {
    auto [value, variables] = derivatives::evaluated(f, typename derivatives::Chosen<k...>::type{}, arguments...);
    auto all = std::apply([&of = value](const auto&... v) { return gradients(of, v...); }, variables);
    return std::pair(std::move(value), std::move(all));
  };
}
// The same, without the value.
template <size_t... k, class F> auto grad(F f) {
  return [g = value_and_grad<k...>(std::move(f))](const auto&... arguments) { return g(arguments...).second; };
}

// The pair of y = f(x...) and a function from a cotangent, which is like y, to those of x: one, or a tuple of several.
template <class F, class... X> auto vjp(const F& f, const X&... x) {
  auto [y, variables] = derivatives::evaluated(f, std::index_sequence_for<X...>{}, x...);
  auto pull = [y = y, variables = variables](const std::remove_cvref_t<decltype(y)>& cotangent) {
    return std::apply(
        [&](const auto&... v) { return derivatives::gradients(derivatives::handles_of(y), derivatives::handles_of(cotangent), v...); },
        variables);
  };
  return std::pair(std::move(y), std::move(pull));
}

// The pair of f(x...) and its derivative in the direction in which x changes by dx.
template <class F, class... X> auto jvp(const F& f, const std::tuple<X...>& x, const std::tuple<X...>& dx) {
  auto [y, variables] =
      std::apply([&](const X&... each) { return derivatives::evaluated(f, std::index_sequence_for<X...>{}, each...); }, x);
  const auto of = derivatives::handles_of(y), by = derivatives::handles_of(variables), in = derivatives::handles_of(dx);
  std::vector<wf_seq*> out(of.size());
  detail::check(wf_tangent(of.data(), derivatives::count_of(of), by.data(), in.data(), derivatives::count_of(by), out.data()));
  wf_seq** next = out.data();
  auto tangent = derivatives::replaced(y, next);
  return std::pair(std::move(y), std::move(tangent));
}
template <class F, class X> auto jvp(const F& f, const X& x, const X& dx) { return jvp(f, std::tuple<X>(x), std::tuple<X>(dx)); }

// A function of x and v: the product of the Hessian of f, whose value has one element, at x with v.
template <class F> auto hessian_vector(F f) {
  return [g = grad(std::move(f))](const auto& x, const std::remove_cvref_t<decltype(x)>& v) { return jvp(g, x, v).second; };
}

namespace derivatives {

template <class F, class D> struct WithDerivative {
  using HasDerivative = void;
  F f;
  D df;

  template <class... X>
  requires((Element<X> || jits::Handle<X>)&&...) auto operator()(const X&... x) const {
    const Context context = jits::context_of(x...);
    const std::tuple<jits::Lifted<X>...> all{jits::lifted(x, context)...};
    const Following following;
    const auto value = std::apply([&](const auto&... each) { return f(as_constant(each)...); }, all);
    using V = std::remove_cvref_t<decltype(value)>;
    static_assert(jits::Handle<V>, "custom_derivative: the value of f is not one sequence, array or Scalar");
    const V y = V::own(detail::sequence(wf_parameter, value.raw())), ybar = V::own(detail::sequence(wf_parameter, value.raw()));
    const auto gradients = std::apply([&](const auto&... each) { return df(each..., y, ybar); }, all);
    const auto inputs = handles_of(all), by = handles_of(gradients);
    if (inputs.size() != by.size())
      throw ArgumentError("custom_derivative: df returned " + std::to_string(by.size()) + " cotangents; expected one like each of the " +
                          std::to_string(inputs.size()) + " arguments");
    wf_seq* out = nullptr;
    detail::check(wf_derivative(value.raw(), y.raw(), ybar.raw(), inputs.data(), by.data(), count_of(inputs), &out));
    return V::own(out);
  }
};

}  // namespace derivatives

// f with a derivative of its own: df(x..., y, ybar) returns the cotangents of x, one or a tuple, for y = f(x...) and its cotangent ybar. Either f is
// a function of floats for map and the like, also an opaque one (foreign, source, host): both are functions of elements. Or it is a function of
// sequences, arrays and scalars, and so is df: it is called once, with y and ybar without elements, and each gradient copies what it made.
template <class F, class D> auto custom_derivative(F f, D df) { return derivatives::WithDerivative<F, D>{std::move(f), std::move(df)}; }

// A function like f, a function of sequences, arrays and scalars, whose gradient computes f's inner values again instead of keeping them. f
// captures no variables. Arguments are not results of filters.
template <class F> auto checkpoint(F f) {
  return [f = std::move(f)](const auto&... x) {
    const Context context = jits::context_of(x...);
    const auto all = std::tuple<jits::Lifted<std::remove_cvref_t<decltype(x)>>...>{jits::lifted(x, context)...};
    const derivatives::Following following;
    auto value = std::apply(f, all);
    const auto of = derivatives::handles_of(value), inputs = derivatives::handles_of(all);
    std::vector<wf_seq*> out(of.size());
    detail::check(wf_checkpoint(of.data(), derivatives::count_of(of), inputs.data(), derivatives::count_of(inputs), out.data()));
    wf_seq** next = out.data();
    return derivatives::replaced(value, next);
  };
}

}  // namespace warpfold
