// jit(f): a function of sequences that is traced once for each shape of its arguments, and from then on runs its plan.
//
//     auto step = jit([](const Seq<float>& x, Scalar<float> rate) { return map([=](auto v) { return v - rate * v; }, x); });
//     for (int k = 0; k < 1000; k++) x = step(x, 0.01f);                   // one trace, a thousand runs
//
// f is called with sequences that have no elements yet, as a function of elements is called without values. What else f reads (captured
// numbers and sequences, files, random seeds) is a constant of the plan, and what f does besides returning sequences happens while it is traced
// alone. f cannot force, nor loop or branch on values: expected where, reduce and filter.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "warpfold/arrays/array.hpp"

namespace warpfold {
namespace jits {

// The parts of arguments and results: sequences, scalars, arrays and keys. Segments, pairs, tuples, structs and vectors consist of them.
template <class V>
concept Handle = detail::Lazy<V> && requires(wf_seq* raw) {
  { V::own(raw) } -> std::same_as<V>;
};
template <class V> inline constexpr bool is_vector = false;
template <class V> inline constexpr bool is_vector<std::vector<V>> = true;

// visit(handle) for each sequence in the value, in order.
template <class V, class Visit> void each_handle(V& value, const Visit& visit) {
  using Plain = std::remove_const_t<V>;
  if constexpr (Handle<Plain>) {
    visit(value);
  } else if constexpr (is_vector<Plain>) {
    for (auto& each : value) each_handle(each, visit);
  } else if constexpr (requires { value.each_handle(visit); }) {
    value.each_handle(visit);
  } else {
    static_assert(!Element<Plain>, "jit: a number as a result, or inside of a tuple or struct; expected a Scalar");
    std::apply([&](auto&... field) { (each_handle(field, visit), ...); }, detail::tie_fields(value));
  }
}
// The value with other sequences: next() for each.
template <class V, class Next> V with_handles(V value, const Next& next) {
  each_handle(value, [&](auto& handle) { handle = std::remove_cvref_t<decltype(handle)>::own(next(handle.raw())); });
  return value;
}
template <class V> void append_handles(const V& value, std::vector<wf_seq*>& to) {
  each_handle(value, [&](const auto& handle) { to.push_back(handle.raw()); });
}

// The lengths of the vectors in a value, in order.
template <class V> void append_lengths(const V& value, std::vector<size_t>& to) {
  if constexpr (is_vector<V>) {
    to.push_back(value.size());
    for (const auto& each : value) append_lengths(each, to);
  } else if constexpr (!Handle<V> && !requires { value.each_handle(to); }) {
    std::apply([&](const auto&... field) { (append_lengths(field, to), ...); }, detail::tie_fields(value));
  }
}

template <class... A> std::vector<size_t> lengths_of(const A&... arguments) {
  std::vector<size_t> lengths;
  (append_lengths(arguments, lengths), ...);
  return lengths;
}

// A number is an argument as a Scalar.
template <class A> decltype(auto) lifted(const A& argument, const Context& context) {
  if constexpr (Element<A>) return Scalar<A>(argument, context);
  else return static_cast<const A&>(argument);
}
template <class A> using Lifted = std::remove_cvref_t<decltype(lifted(std::declval<const A&>(), std::declval<const Context&>()))>;

// The context of the first sequence among the arguments.
template <class... A> Context context_of(const A&... arguments) {
  wf_seq* first = nullptr;
  auto look = [&](const auto& argument) {
    if constexpr (!Element<std::remove_cvref_t<decltype(argument)>>)
      each_handle(argument, [&](const auto& handle) { first = first ? first : handle.raw(); });
  };
  (look(arguments), ...);
  if (!first) return default_context();
  return detail::context_of(first);
}

// Greater than 0 while this thread traces a function of jit.
inline constinit thread_local int depth = 0;

// The address tells lists of types apart.
template <class... T> inline constexpr char types_tag = 0;

// One trace of a function.
struct Trace {
  const char* types;
  std::vector<size_t> lengths;  // of the vectors in the arguments
  detail::ProgramHandle program;
  std::shared_ptr<const void> form;  // of the results: they with null handles
  int32_t n_results;
};
using TraceRef = std::shared_ptr<const Trace>;

// The traces of a function, the latest one first. Thread-safe.
class Traces {
 public:
  using List = std::vector<TraceRef>;
  std::shared_ptr<const List> all() const {
    std::lock_guard lock(mutex_);
    return all_;
  }
  void add(TraceRef trace) {
    std::lock_guard lock(mutex_);
    auto list = std::make_shared<List>(1, std::move(trace));
    list->insert(list->end(), all_->begin(), all_->begin() + static_cast<std::ptrdiff_t>(std::min(all_->size(), most - 1)));
    all_ = std::move(list);
  }

 private:
  static constexpr size_t most = 64;
  mutable std::mutex mutex_;
  std::shared_ptr<const List> all_ = std::make_shared<const List>();
};

template <class F> class Jit {
  template <class... A> using Result = std::remove_cvref_t<std::invoke_result_t<F&, const A&...>>;

 public:
  explicit Jit(F f) : state_(std::make_shared<State>(std::move(f))) {}

  // The results, computed. arguments: sequences, arrays, scalars, keys, segments, numbers; tuples, structs and vectors of all but numbers.
  // Throws what f throws, and as force does. Any number of threads may call at once; they trace one after another, perhaps one shape more
  // than once. Within another traced function, f is part of that trace.
  template <class... A> Result<Lifted<A>...> operator()(const A&... arguments) const {
    if (depth > 0 || tracing::trace_in_progress) return state_->f(lifted(arguments, default_context())...);
    if constexpr ((Handle<A> && ...)) {
      return run(arguments...);
    } else {
      const Context context = context_of(arguments...);
      return run(lifted(arguments, context)...);
    }
  }

  // The plan of the call with these arguments, as explain prints it.
  template <class... A> std::string explain(const A&... arguments) const {
    const Context context = context_of(arguments...);
    const TraceRef trace = trace_of(lifted(arguments, context)...);
    return detail::copy_text([&](char* buffer, int64_t capacity, int64_t* needed) {
      detail::check(wf_program_explain(trace->program.raw(), 0, buffer, capacity, needed));
    });
  }

 private:
  struct State {
    explicit State(F function) : f(std::move(function)) {}
    F f;
    std::mutex tracing;
    Traces traces;
  };
  template <class... A> Result<A...> run(const A&... arguments) const {
    using R = Result<A...>;
    const std::vector<size_t> lengths = lengths_of(arguments...);
    const auto call = [&](wf_seq* const* raw, int32_t n) {
      const auto known = state_->traces.all();
      for (const TraceRef& trace : *known)
        if (trace->types == &types_tag<R, A...> && trace->lengths == lengths)
          if (auto results = run_trace<R>(*trace, raw, n)) return *std::move(results);
      const TraceRef made = trace_of(arguments...);
      state_->traces.add(made);
      return *run_trace<R>(*made, raw, n);
    };
    if constexpr ((Handle<A> && ...)) {
      return call(std::array<wf_seq*, sizeof...(A)>{arguments.raw()...}.data(), static_cast<int32_t>(sizeof...(A)));
    } else {
      std::vector<wf_seq*> raw;
      (append_handles(arguments, raw), ...);
      return call(raw.data(), static_cast<int32_t>(raw.size()));
    }
  }

  // The results, or nothing if the arguments have other shapes than those of the trace.
  template <class R> static std::optional<R> run_trace(const Trace& trace, wf_seq* const* raw, int32_t n) {
    const auto runs = [&](wf_seq** results) {
      int32_t fits = 0;
      detail::check(wf_program_run(trace.program.raw(), raw, n, results, trace.n_results, &fits));
      return fits != 0;
    };
    if constexpr (Handle<R>) {
      wf_seq* result = nullptr;
      return runs(&result) ? std::optional<R>(R::own(result)) : std::nullopt;
    } else {
      constexpr int32_t few = 8;  // results that need no memory
      wf_seq* on_stack[few];
      std::vector<wf_seq*> more(trace.n_results > few ? static_cast<size_t>(trace.n_results) : 0);
      wf_seq** const results = trace.n_results > few ? more.data() : on_stack;
      if (!runs(results)) return std::nullopt;
      wf_seq* const* next = results;
      return with_handles(*static_cast<const R*>(trace.form.get()), [&](wf_seq*) { return *next++; });
    }
  }

  // A new trace.
  template <class... A> TraceRef trace_of(const A&... arguments) const {
    using R = Result<A...>;
    std::lock_guard lock(state_->tracing);
    const struct Depth {
      Depth() { depth++; }
      ~Depth() { depth--; }
    } within;
    const ContextScope scope(context_of(arguments...));
    const auto parameter_like = [](wf_seq* s) { return detail::sequence(wf_parameter, s); };
    const std::tuple<A...> parameters{with_handles(arguments, parameter_like)...};
    R results = std::apply(state_->f, parameters);
    std::vector<wf_seq*> from, to;
    std::apply([&](const auto&... parameter) { (append_handles(parameter, from), ...); }, parameters);
    append_handles(results, to);
    wf_program* program = nullptr;
    detail::check(wf_program_create(from.data(), static_cast<int32_t>(from.size()), to.data(), static_cast<int32_t>(to.size()), &program));
    auto owned = detail::ProgramHandle::own(program);
    auto form = std::make_shared<const R>(with_handles(std::move(results), [](wf_seq*) { return nullptr; }));
    return std::make_shared<const Trace>(
        Trace{&types_tag<R, A...>, lengths_of(arguments...), std::move(owned), std::move(form), static_cast<int32_t>(to.size())});
  }

  std::shared_ptr<State> state_;  // copies share the traces
};

}  // namespace jits

// A function that calls f once for each list of types and shapes of its arguments, to trace it, and otherwise runs the plan of its results, which
// are computed at each call: up to 64 traces are kept. Throws when it is called.
template <class F> jits::Jit<F> jit(F f) { return jits::Jit<F>(std::move(f)); }

}  // namespace warpfold
