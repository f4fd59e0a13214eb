// Converts a C++ callable to a function of the library.
//
// - A callable that takes expressions (a generic lambda, a named function) is traced: one call with expressions records its
//   operations. It then runs on every engine, fused with its neighbours. Each use traces it again, since its captures may have
//   changed; the library's function is reused if the text is the same.
// - A callable with concrete parameter types runs on the host, element by element, in several threads at once. CPU engine
//   only. An exception that it throws terminates the program, as with std::execution::par.
// - foreign(name, address): a C function of scalars, called by its address.
// - source<R(A...)>(name, text): CUDA C++ for the CUDA engine, alone or with a host function.
#pragma once

#include <memory>

#include "warpfold/expressions/apply.hpp"
#include "warpfold/expressions/fixed.hpp"

namespace warpfold {

// A C function of scalars. CPU engine only.
template <class R, class... A> struct Foreign {
  const char* name;
  R (*address)(A...);
};
// map(foreign("j0", j0), s)
template <Element R, Element... A> Foreign<R, A...> foreign(const char* name, R (*address)(A...)) { return {name, address}; }

// CUDA C++ for the CUDA engine, and the host function for the CPU engine.
template <class Signature, class Host> struct Source {
  const char* name;
  const char* text;
  Host host;
};
struct NoHost {};
// map(source<float(float)>("quick", "float quick(float x) { return __sinf(x); }"), s): `text` defines the function `name`; see
// wf_fn_source. The CPU engine calls `host`, a callable with the same parameters and result.
template <class Signature, class Host = NoHost> Source<Signature, Host> source(const char* name, const char* text, Host host = {}) {
  return {name, text, std::move(host)};
}

namespace detail {

// A function of the library, and the element type of its result.
template <class V> struct Function {
  using Value = V;
  FnHandle handle;
};

template <class F> struct IsForeign : std::false_type {};
template <class R, class... A> struct IsForeign<Foreign<R, A...>> : std::true_type { using Result = R; };

template <class F> struct IsSource : std::false_type {};
template <class R, class... A, class Host> struct IsSource<Source<R(A...), Host>> : std::true_type { using Result = R; };

// Returns true if each leaf of Result has the type of the leaf of V, or an earlier one in the order of promotion.
template <class V, class Result> consteval bool widens_to() {
  if (leaf_count<V> != leaf_count<Result>) return false;
  for (size_t k = 0; k < leaf_count<V>; k++)
    if (leaf_codes<Result>[k] > leaf_codes<V>[k]) return false;
  return true;
}

// The result of f for expressions of elements T...
template <class F, class... T>
using TracedResult = decltype(tracing::apply_traced(std::declval<F&>(), std::declval<const ExprFor<T>&>()...));

// Calls f once with expressions of elements T..., and converts its results to the leaves of Value. Returns finish(number of
// parameters, results, number of results), called while the trace is in progress.
template <class Value, class... T, class F, class Finish> auto trace_call(F& f, const Finish& finish) {
  using tracing::Id;
  tracing::Trace trace;
  constexpr uint32_t n_parameters = (uint32_t{0} + ... + static_cast<uint32_t>(leaf_count<T>));
  Id parameters[n_parameters], results[leaf_count<Value>];
  uint32_t n = 0;
  auto parameter = [&]<class E>(std::type_identity<E>) {
    uint32_t start = n;
    for (int32_t code : leaf_codes<E>) parameters[n++] = trace.parameter(code);
    return tracing::from_leaves<E>(parameters + start);
  };
  std::tuple<ExprFor<T>...> arguments{parameter(std::type_identity<T>{})...};  // in order: braces
  tracing::to_leaves<Value>(std::apply([&](const auto&... x) { return tracing::apply_traced(f, x...); }, arguments), results);
  for (Id result : results) trace.scope_of(result);
  return finish(n_parameters, results, static_cast<uint32_t>(leaf_count<Value>));
}

// The function of a traced callable. V: the result's element type, or void for f's own.
template <class V, class... T, class F> auto trace_function(F& f) {
  static constinit thread_local OfThread<tracing::FunctionCache> cache;
  using Result = TracedResult<F, T...>;
  using Value = std::conditional_t<std::is_void_v<V>, ValueFor<Result>, V>;
  auto traced = [&] { return trace_call<Value, T...>(f, [](auto... parts) { return tracing::finish(*cache, parts...); }); };
  if constexpr (IsFixed<F>) {
    static constinit thread_local OfThread<FnHandle> function;
    if (!*function) *function = traced();
    return Function<Value>{*function};
  } else {
    return Function<Value>{traced()};
  }
}

// ---- functions that run on the host -----------------------------------------------------------------------------------

template <size_t first, class T> T load(const void* const* in, int64_t i) {
  T value{};
  each_leaf<first>(value, [&](auto& leaf, auto column) {
    using Leaf = std::remove_cvref_t<decltype(leaf)>;
    leaf = static_cast<Leaf>(static_cast<const Stored<Leaf>*>(in[column])[i]);
  });
  return value;
}
template <class T> void store(void* const* out, int64_t i, const T& value) {
  each_leaf(value, [&](const auto& leaf, auto column) {
    using S = Stored<std::remove_cvref_t<decltype(leaf)>>;
    static_cast<S*>(out[column])[i] = static_cast<S>(leaf);
  });
}

template <class V, class F, class... T> struct HostFunction {
  static constexpr auto offsets = [] {
    std::array<size_t, sizeof...(T) + 1> sums{};
    size_t k = 0, sum = 0;
    ((sums[k++] = sum, sum += leaf_count<T>), ...);
    return sums;
  }();

  static void run(void* user, int64_t n, const void* const* in, void* const* out) noexcept {
    auto& f = *static_cast<F*>(user);
    for (int64_t i = 0; i < n; i++) [&]<size_t... k>(std::index_sequence<k...>) {
        store<V>(out, i, static_cast<V>(apply_to_values(f, load<offsets[k], T>(in, i)...)));
      }
    (std::index_sequence_for<T...>{});
  }
};

template <class V, class... T, class F> auto host_function(const F& f) {
  using Result = std::decay_t<decltype(apply_to_values(std::declval<F&>(), std::declval<const T&>()...))>;
  using Value = std::conditional_t<std::is_void_v<V>, Result, V>;
  constexpr size_t n_params = (size_t{0} + ... + leaf_count<T>);
  int32_t param_types[n_params], n = 0;
  (std::for_each(leaf_codes<T>.begin(), leaf_codes<T>.end(), [&](int32_t code) { param_types[n++] = code; }), ...);
  auto user = std::make_unique<F>(f);
  wf_block block{};
  block.name = "host function";
  block.function = HostFunction<Value, F, T...>::run;
  block.user = user.get();
  block.destroy = [](void* p) { delete static_cast<F*>(p); };
  block.param_types = param_types;
  block.result_types = leaf_codes<Value>.data();
  block.n_params = n;
  block.n_results = static_cast<int32_t>(leaf_count<Value>);
  wf_fn* raw = nullptr;
  check(wf_fn_block(&block, &raw));
  user.release();
  return Function<Value>{FnHandle::own(raw)};
}

template <class R, class... A> Function<R> foreign_function(const Foreign<R, A...>& f) {
  const int32_t param_types[] = {type_code<A>...};
  wf_fn* raw = nullptr;
  check(wf_fn_foreign(f.name, reinterpret_cast<void*>(f.address), param_types, sizeof...(A), type_code<R>, &raw));
  return {FnHandle::own(raw)};
}

template <class R, class... A, class Host> Function<R> source_function(const Source<R(A...), Host>& f) {
  constexpr size_t n_params = (size_t{0} + ... + leaf_count<A>);
  int32_t param_types[n_params], n = 0;
  (std::for_each(leaf_codes<A>.begin(), leaf_codes<A>.end(), [&](int32_t code) { param_types[n++] = code; }), ...);
  FnHandle host;
  if constexpr (!std::is_same_v<Host, NoHost>) host = host_function<R, A...>(f.host).handle;
  wf_fn* raw = nullptr;
  check(wf_fn_source(f.name, f.text, param_types, n, leaf_codes<R>.data(), static_cast<int32_t>(leaf_count<R>), host.raw(), &raw));
  return {FnHandle::own(raw)};
}

template <class V, class... T, class F> auto function_of(F& f);

// f of custom_derivative (gradient.hpp).
template <class V, class... T, class F> auto function_with_derivative(const F& f) {
  static_assert((std::is_floating_point_v<T> && ...),
                "custom_derivative: a parameter is not a float; expected floats, or a function of sequences");
  const auto value = function_of<V, T...>(f.f);
  using Value = typename std::remove_const_t<decltype(value)>::Value;
  static_assert(std::is_floating_point_v<Value>,
                "custom_derivative: the result of f is not one float; expected one, or a function of sequences");
  using Gradients = std::conditional_t<sizeof...(T) == 1, std::tuple_element_t<0, std::tuple<T...>>, std::tuple<T...>>;
  const auto derivative = function_of<Gradients, T..., Value, Value>(f.df);
  wf_fn* raw = nullptr;
  check(wf_fn_derivative(value.handle.raw(), derivative.handle.raw(), &raw));
  return Function<Value>{FnHandle::own(raw)};
}

// f as a function of elements of types T.... Its result is converted to V; if V is void, it keeps f's own type.
template <class V, class... T, class F> auto function_of(F& f) {
  if constexpr (IsForeign<std::remove_cv_t<F>>::value) {
    static_assert(std::is_void_v<V> || std::is_same_v<V, typename IsForeign<std::remove_cv_t<F>>::Result>);
    return foreign_function(f);
  } else if constexpr (IsSource<std::remove_cv_t<F>>::value) {
    static_assert(std::is_void_v<V> || std::is_same_v<V, typename IsSource<std::remove_cv_t<F>>::Result>);
    return source_function(f);
  } else if constexpr (requires { typename F::HasDerivative; }) {
    return function_with_derivative<V, T...>(f);
  } else if constexpr (is_host<std::remove_cv_t<F>>) {
    return host_function<V, T...>(f.f);
  } else if constexpr (takes_exprs<F, ExprFor<T>...>()) {
    return trace_function<V, T...>(f);
  } else {
    static_assert(takes_values<F, T...>(),
                  "the function cannot be called with the elements; expected parameters of their types, or auto for expressions");
    return host_function<V, T...>(f);
  }
}

// An identity in the written form: one literal per column. Valid until this thread's next identity of the type: the text of the latest one is
// kept, since programs combine with the same identity again and again.
template <class T> const std::string& identity_text(const T& b) {
  struct Latest {
    std::array<uint64_t, leaf_count<T>> bits;
    std::string text;
  };
  static constinit thread_local OfThread<Latest> of_thread;
  Latest& latest = *of_thread;
  std::array<uint64_t, leaf_count<T>> bits;
  each_leaf(b,
            [&](const auto& leaf, auto k) { bits[k] = tracing::to_bits(static_cast<Stored<std::remove_cvref_t<decltype(leaf)>>>(leaf)); });
  if (latest.text.empty() || latest.bits != bits) {
    std::string text;
    if (leaf_count < T >> 1) text += "(tuple ";
    for (size_t k = 0; k < bits.size(); k++) {
      if (k > 0) text += ' ';
      tracing::write_literal(text, leaf_codes<T>[k], bits[k]);
    }
    if (leaf_count < T >> 1) text += ')';
    latest = {bits, std::move(text)};
  }
  return latest.text;
}

// The element type of f's result for elements T....
template <class F, class... T> using ResultOf = typename decltype(function_of<void, T...>(std::declval<F&>()))::Value;

// A function that combines two elements T, for reduce and scan.
template <class T, class F> auto combiner_of(F& f) {
  if constexpr (takes_exprs<F, ExprFor<T>, ExprFor<T>>()) {
    using Result = TracedResult<F, T, T>;
    static_assert(Constant<Result> || widens_to<T, ValueFor<Result>>(),
                  "the function's result type differs from the element type; expected the same type: cast<...>(...) the result, or "
                  "map the elements first");
  }
  return function_of<T, T, T>(f);
}

}  // namespace detail

// The written form of a traced callable, before simplification: written_form<float>([](auto x) { return 2 * x; }) is
// "(fn ((x f32)) (mul 2.0:f32 x))".
template <class... T, class F> std::string written_form(F f) {
  return detail::trace_call<ValueFor<detail::TracedResult<F, T...>>, T...>(f, [](auto... parts) {
    std::string text;
    tracing::Writer(tracing::Trace::current(), text).function(parts...);
    return text;
  });
}

}  // namespace warpfold
