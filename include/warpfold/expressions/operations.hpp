// Operators and functions: + - * / % comparisons && || ! & | ^ ~ << >>, where, clamp, cast and the functions of the table. They take expressions,
// lazy scalars, sequences, arrays (arrays/elementwise.hpp) and, if one of these is among the operands, numbers; the functions also take numbers
// alone. All are found by argument-dependent lookup.
//
// Promotion: bool < u8 < i32 < u32 < i64 < u64 < f32 < f64; of two expressions the higher type wins; a bool in arithmetic
// is an i32, so (c == '(') - (c == ')') is one; an integer in a floating-point function is an f64.
// A C++ number adopts the type of the other operand, as in array libraries:
//     Expr<float>   * 1.0001      f32: a double constant must not turn a float loop into a double one
//     Expr<uint8_t> == '('        u8
//     Expr<int>     + 1L          i32; a number that does not fit is a TypeError (in a comparison it is widened)
//     Expr<int>     * 0.5         f64: an integer expression takes the number's floating type
// f<R>(x) casts x to R first and computes in R: sqrt<float>(n).
#pragma once

#include <cmath>

#include "warpfold/scalar.hpp"

namespace warpfold {
namespace tracing {

// ---- types ------------------------------------------------------------------------------------------------------------

enum class Takes { Any, Num, Bits, Int, Float };  // as in the table of operations

// The type of a computation whose operands have type `code` at most.
consteval int32_t operand_code(Takes takes, int32_t code) {
  if (takes == Takes::Float && !detail::is_floating(code)) return WF_F64;
  if ((takes == Takes::Num || takes == Takes::Int) && code == WF_BOOL) return WF_I32;
  return code;
}

template <class A> consteval int32_t expr_code() {
  if constexpr (is_expr<A>) return type_code<typename A::value_type>;
  else return -1;
}
// The type that a number contributes if the other operands are expressions of type `strong` at most (-1: numbers only).
template <class A> consteval int32_t contribution(int32_t strong) {
  if constexpr (!Constant<A>) return -1;
  else if (detail::is_floating(strong) || (detail::is_integer(strong) && std::is_integral_v<A>)) return -1;
  else return constant_code<A>;
}
template <class... A> consteval int32_t common_code() {
  int32_t strong = std::max({expr_code<A>()...});
  return std::max({strong, contribution<A>(strong)...});
}

// ---- applying an operation --------------------------------------------------------------------------------------------

template <class A>
concept Operand = (is_expr<A> && Element<typename A::value_type>) || (is_scalar<A> && Element<typename A::value_type>) || Constant<A>;
// Operands, at least one of them no number. Sequences and arrays have scalars as elements.
template <class A>
concept AnyOperand = Operand<A> ||(has_axes<A>&& Element<typename A::value_type>);
template <class... A>
concept Operands = (AnyOperand<A> && ...) && (!Constant<A> || ...);
// Pairs, tuples and structs, which can be compared by == and != with each other. Other operators of them report the remedy.
template <class A>
concept TupleOperand = (is_expr<A> || is_scalar<A> || has_axes<A>)&&!Element<typename A::value_type>;
template <class A, class B>
concept OperatorOperands = Operands<A, B> ||(TupleOperand<A> && (TupleOperand<B> || AnyOperand<B>)) || (AnyOperand<A> && TupleOperand<B>);

// An operand in the trace: a lazy scalar is captured.
template <class A> auto in_trace(const A& a) {
  if constexpr (is_scalar<A>) {
    using T = typename A::value_type;
    return Expr<Stored<T>>::of(leaf_of(a, 0));
  } else {
    return a;
  }
}

// The term of an operand of an operation that computes in type `code`.
template <int32_t code, bool is_comparison, class A> Id operand_term(const A& a) {
  if constexpr (is_expr<A>) {
    return a.id();
  } else {
    using T = detail::TypeAt<code>;
    if constexpr (is_comparison && std::is_integral_v<A> && std::is_signed_v<A> && detail::is_integer(code) && code != WF_U64 &&
                  !std::is_same_v<A, char>) {
      if (!std::in_range<T>(static_cast<int64_t>(a))) return literal<int64_t>(a);
    }
    return literal<T>(a);
  }
}

// The operations on operands in the trace; each returns an Expr. `called`: the name in messages.
template <class Rule> struct Apply {
  static constexpr const char* called = Rule::called;
  template <class... A> auto operator()(const A&... a) const {
    constexpr int32_t code = operand_code(Rule::takes, common_code<A...>());
    static_assert(!detail::is_floating(code) || (Rule::takes != Takes::Bits && Rule::takes != Takes::Int),
                  "an operand is a float: & | ^ ~ take integers and bools, << >> popcount clz integers; write cast<int>(x) first");
    const Id operands[] = {operand_term<code, Rule::is_truth>(a)...};
    using Result = detail::TypeAt<Rule::is_truth ? int32_t{WF_BOOL} : code>;
    return Expr<Result>::of(Trace::current().apply(Rule::name, type_code<Result>, operands, sizeof...(A)));
  }
};
template <class R> struct Cast {
  static constexpr const char* called = "cast";
  template <class A> Expr<R> operator()(const A& a) const {
    if constexpr (is_expr<A>) return Expr<R>::of(Trace::current().cast(type_code<R>, a.id()));
    else return Expr<R>(static_cast<R>(a));
  }
};
template <class Rule> struct ApplyToTruth {
  static constexpr const char* called = Rule::called;
  template <class... A> auto operator()(const A&... a) const { return Apply<Rule>{}(Cast<bool>{}(a)...); }
};
template <class Rule> struct Choose {
  static constexpr const char* called = Rule::called;
  template <class C, class A, class B> auto operator()(const C& c, const A& a, const B& b) const {
    constexpr int32_t code = common_code<A, B>();
    const Id operands[] = {Cast<bool>{}(c).id(), operand_term<code, false>(a), operand_term<code, false>(b)};
    return Expr<detail::TypeAt<code>>::of(Trace::current().apply(Rule::name, code, operands, 3));
  }
};

// The functions last traced at one place in the source. A trace of the same terms as one of them is not written again.
struct FunctionCache {
  struct Entry {
    Record record;
    std::string text;
    detail::FnHandle function;  // null if it captures sequences
  };
  std::array<Entry, 8> entries;
  size_t next = 0;  // the entry to replace

  // The entry of the trace; if there is none, an empty one.
  Entry& find(const Trace& trace, const Id* results, uint32_t n_results) {
    for (Entry& entry : entries)
      if (trace.equals(entry.record, results, n_results)) return entry;
    Entry& entry = entries[next++ % entries.size()];
    entry = {};
    return entry;
  }
};

// The function with these results of the trace in progress, whose first terms are its parameters.
inline detail::FnHandle finish(FunctionCache& cache, uint32_t n_parameters, const Id* results, uint32_t n_results) {
  Trace& trace = Trace::current();
  FunctionCache::Entry& entry = cache.find(trace, results, n_results);
  const bool is_new = entry.record.terms.empty(), captures_nothing = trace.n_captures() == 0;
  if (captures_nothing && entry.function) return entry.function;
  if (is_new) {
    entry.text.clear();
    Writer(trace, entry.text).function(n_parameters, results, n_results);
  }
  wf_fn* raw = nullptr;
  detail::check(wf_fn_create(entry.text.c_str(), trace.captures(), trace.n_captures(), &raw));
  auto function = detail::FnHandle::own(raw);
  if (is_new) entry.record = trace.record(results, n_results);
  if (captures_nothing) entry.function = function;
  return function;
}

// Returns true if a is a reduction of the trace in progress (inner.hpp).
template <class A> bool is_traced(const A& a) {
  if constexpr (is_scalar<A>) return a.is_traced();
  else return false;
}

// f of lazy scalars and numbers, as a lazy scalar; as one that is an expression if an operand is.
template <class F, class... A> auto lift(const F& f, const A&... a) {
  if ((is_traced(a) || ...)) {
    auto result = f(in_trace(a)...);
    const Id id = result.id();
    return Scalar<typename decltype(result)::value_type>::traced(&id);
  }
  static constinit thread_local detail::OfThread<FunctionCache> cache;
  Trace trace;
  wf_seq* raw[sizeof...(A)];
  int32_t n_scalars = 0;
  auto parameter = [&](const auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (is_scalar<X>) {
      raw[n_scalars++] = x.raw();
      return Expr<Stored<typename X::value_type>>::of(trace.parameter(type_code<typename X::value_type>));
    } else {
      return x;
    }
  };
  auto parameters = std::tuple{parameter(a)...};  // in order: braces
  auto result = std::apply(f, parameters);
  Id id = result.id();
  auto function = finish(*cache, static_cast<uint32_t>(n_scalars), &id, 1);
  wf_seq* out = nullptr;
  detail::check(wf_map(function.raw(), raw, n_scalars, &out));
  return Scalar<typename decltype(result)::value_type>::own(out);
}

template <class F, class... A> auto evaluate(const F& f, const A&... a) {
  if constexpr ((TupleOperand<A> || ...)) return by_fields(f, a...);  // arrays/elementwise.hpp
  else if constexpr ((has_axes<A> || ...)) return elementwise(f, a...);
  else if constexpr ((is_expr<A> || ...)) return f(in_trace(a)...);
  else return lift(f, a...);
}
// The same of numbers: a number, which the CPU computes.
template <class F, Constant... A> auto evaluate_numbers(const F& f, const A&... a) {
  static const Context cpu("cpu");
  return lift(f, Scalar<detail::TypeAt<constant_code<A>>>(a, cpu)...).get();
}

// ---- assignment -------------------------------------------------------------------------------------------------------

// x op= y may be written for an A x and a B y.
template <class A, class B>
concept Updatable = Operands<A, B> && !Constant<A> && rank_of<B> <= rank_of<A>;

template <class T, class U> void update(Expr<T>& a, const Expr<U>& result) {
  a = Expr<T>::of(Trace::current().cast(type_code<T>, result.id()));
}
template <class T, class U> void update(Scalar<T>& a, const Scalar<U>& result) {
  a = Scalar<T>::same_as(evaluate(Cast<Stored<T>>{}, result));
}
template <class A, class R>
requires has_axes<A>
void update(A& a, const R& result) { a = cast<typename A::value_type>(result); }
template <class B> constexpr void reject_update() {
  static_assert(warpfold::detail::never<B>,
                "a traced function is called once, with expressions, and cannot change a variable outside of it: write "
                "reduce or scan");
}
template <class T, class U> void update(Scalar<T>&, const Expr<U>&) { reject_update<U>(); }

// ---- the table --------------------------------------------------------------------------------------------------------

#define WARPFOLD_RULE(id, the_called, the_name, the_takes, truth) \
  struct id##_rule {                                              \
    static constexpr const char* called = the_called;             \
    static constexpr const char* name = the_name;                 \
    static constexpr Takes takes = Takes::the_takes;              \
    static constexpr bool is_truth = truth;                       \
  };
#define WARPFOLD_OPERATOR(symbol, id, the_name, takes, truth)    \
  WARPFOLD_RULE(id, "operator " #symbol, the_name, takes, truth) \
  template <class A, class B>                                    \
  requires OperatorOperands<A, B>                                \
  auto operator symbol(const A& a, const B& b) { return evaluate(Apply<id##_rule>{}, a, b); }
#define WARPFOLD_COMPARISON(symbol, id) WARPFOLD_OPERATOR(symbol, id, #id, Any, true)

// x op= y is x = x op y, converted back to x's type as in C++. The operations and, or, xor, not have keywords of C++ as names, so they are
// operators only: && || ! of truth values, & | ^ ~ of bits.
#define WARPFOLD_ARITHMETIC(symbol, id, the_name, takes)                                                \
  WARPFOLD_OPERATOR(symbol, id, the_name, takes, false)                                                 \
  template <class A, class B>                                                                           \
  requires Updatable<A, B> A& operator symbol##=(A& a, const B& b) { return update(a, a symbol b), a; } \
  template <class A, class B>                                                                           \
  requires Updatable<A, B>                                                                              \
  void operator symbol##=(const A&&, const B&) { warpfold::detail::reject_assignment<A>(); }            \
  template <Constant A, class B>                                                                        \
  requires is_expr<B>                                                                                   \
  void operator symbol##=(A&, const B&) { reject_update<B>(); }

#include "warpfold/expressions/functions.def"
#undef WARPFOLD_OPERATOR

// The forwarding reference distinguishes x++ of a variable from x++ of a temporary.
#define WARPFOLD_STEP(symbol)                                                                     \
  template <class A>                                                                              \
  requires Updatable < std::remove_reference_t<A>,                                                \
  int > decltype(auto) operator symbol##symbol(A&& a) { return std::forward<A>(a) symbol## = 1; } \
  template <class A>                                                                              \
  requires Updatable < std::remove_reference_t<A>,                                                \
  int > auto operator symbol##symbol(A&& a, int) {                                                \
    auto before = a;                                                                              \
    std::forward<A>(a) symbol## = 1;                                                              \
    return before;                                                                                \
  }
WARPFOLD_STEP(+)
WARPFOLD_STEP(-)
#undef WARPFOLD_STEP

WARPFOLD_RULE(logical_and, "operator &&", "and", Bits, false)
WARPFOLD_RULE(logical_or, "operator ||", "or", Bits, false)
WARPFOLD_RULE(logical_not, "operator !", "not", Bits, false)
WARPFOLD_RULE(bit_not, "operator ~", "not", Bits, false)
WARPFOLD_RULE(neg, "operator -", "neg", Num, false)
WARPFOLD_RULE(plus, "operator +", "pos", Num, false)
WARPFOLD_RULE(where, "where", "where", Any, false)

// Expressions: b is evaluated only if a does not decide the result, so a can guard an index in b. Lazy operands: both are computed.
template <class A, class B>
requires Operands<A, B>
auto operator&&(const A& a, const B& b) { return evaluate(ApplyToTruth<logical_and_rule>{}, a, b); }
template <class A, class B>
requires Operands<A, B>
auto operator||(const A& a, const B& b) { return evaluate(ApplyToTruth<logical_or_rule>{}, a, b); }
template <class A>
requires Operands<A>
auto operator!(const A& a) { return evaluate(ApplyToTruth<logical_not_rule>{}, a); }
template <class A>
requires Operands<A>
auto operator~(const A& a) { return evaluate(Apply<bit_not_rule>{}, a); }
template <class A>
requires Operands<A>
auto operator-(const A& a) { return evaluate(Apply<neg_rule>{}, a); }
// The same value; of bools an int.
template <class A>
requires Operands<A>
auto operator+(const A& a) {
  if constexpr (std::is_same_v<typename A::value_type, bool>) return evaluate(Apply<plus_rule>{}, a);
  else return a;
}

// x converted to R: floats to integers saturate and NaN becomes 0; to bool is x != 0.
template <Element R, class A>
requires Operand<A>
auto cast(const A& a) {
  if constexpr (Constant<A>) return static_cast<Stored<R>>(a);
  else return evaluate(Cast<Stored<R>>{}, a);
}

// f<R>(x) casts x to R first. Without a type: x itself.
template <class R, class A> decltype(auto) cast_to(const A& a) {
  if constexpr (std::is_void_v<R>) return (a);
  else return cast<R>(a);
}
// A function of numbers alone. Its operands are a pack, so that a function of std with its name is preferred.
#define WARPFOLD_NUMBERS_standard(id, arity) using std::id;
#define WARPFOLD_NUMBERS_engine(id, arity) \
  template <class R = void, Constant... A> \
  requires(sizeof...(A) == arity) auto id(const A&... a) { return evaluate_numbers(Apply<id##_rule>{}, cast_to<R>(a)...); }

#define WARPFOLD_FUNCTION1(id, takes, truth, numbers)                  \
  WARPFOLD_RULE(id, #id, #id, takes, truth)                            \
  WARPFOLD_NUMBERS_##numbers(id, 1) template <class R = void, class A> \
  requires Operands<A>                                                 \
  auto id(const A& a) { return evaluate(Apply<id##_rule>{}, cast_to<R>(a)); }
#define WARPFOLD_FUNCTION2(id, takes, truth, numbers)                           \
  WARPFOLD_RULE(id, #id, #id, takes, truth)                                     \
  WARPFOLD_NUMBERS_##numbers(id, 2) template <class R = void, class A, class B> \
  requires Operands<A, B>                                                       \
  auto id(const A& a, const B& b) { return evaluate(Apply<id##_rule>{}, cast_to<R>(a), cast_to<R>(b)); }
#define WARPFOLD_FUNCTION3(id, takes, truth, numbers)                                    \
  WARPFOLD_RULE(id, #id, #id, takes, truth)                                              \
  WARPFOLD_NUMBERS_##numbers(id, 3) template <class R = void, class A, class B, class C> \
  requires Operands<A, B, C>                                                             \
  auto id(const A& a, const B& b, const C& c) { return evaluate(Apply<id##_rule>{}, cast_to<R>(a), cast_to<R>(b), cast_to<R>(c)); }
// named.hpp has function objects of the names min and max, too; these functions are found by argument-dependent lookup.
#define WARPFOLD_NUMBERS_none(id, arity)
WARPFOLD_FUNCTION2(min, Any, false, none)
WARPFOLD_FUNCTION2(max, Any, false, none)
#include "warpfold/expressions/functions.def"
#undef WARPFOLD_NUMBERS_none
#undef WARPFOLD_NUMBERS_standard
#undef WARPFOLD_NUMBERS_engine
#undef WARPFOLD_RULE

// a where condition holds, else b; a and b may be tuple-like, then field by field.
template <class C, class A, class B>
requires Operands<C, A, B>
auto where(const C& condition, const A& a, const B& b) { return evaluate(Choose<where_rule>{}, condition, a, b); }
template <Constant C, Constant A, Constant B> auto where(C condition, A a, B b) {
  using T = detail::TypeAt<common_code<A, B>()>;
  return condition ? static_cast<T>(a) : static_cast<T>(b);
}
template <class C, class A, class B>
requires(Operands<C> && !has_axes<C> && !Operand<A> && !Operand<B> && !has_axes<A>) auto where(const C& condition, const A& a, const B& b) {
  using T = ValueFor<A>;
  constexpr size_t n = detail::leaf_count<T>;
  Id c = Cast<bool>{}(in_trace(condition)).id(), as[n], bs[n], chosen[n];
  to_leaves<T>(a, as);
  to_leaves<T>(b, bs);
  for (size_t k = 0; k < n; k++) {
    const Id operands[] = {c, as[k], bs[k]};
    chosen[k] = Trace::current().apply("where", detail::leaf_codes<T>[k], operands, 3);
  }
  return from_leaves<T>(chosen);
}

// The nearest number in [low, high].
struct Clamp {
  static constexpr const char* called = "clamp";
  template <class A, class B, class C> auto operator()(const A& a, const B& low, const C& high) const {
    return Apply<max_rule>{}(Apply<min_rule>{}(a, high), low);
  }
};
template <class A, class B, class C>
requires Operands<A, B, C>
auto clamp(const A& a, const B& low, const C& high) { return evaluate(Clamp{}, a, low, high); }
template <Constant... A>
requires(sizeof...(A) == 3) auto clamp(const A&... a) {
  using T = detail::TypeAt<common_code<A...>()>;
  const auto [x, low, high] = std::array{static_cast<T>(a)...};
  return std::max(std::min(x, high), low);
}

}  // namespace tracing

using tracing::cast;
using tracing::clamp;
using tracing::where;
#define WARPFOLD_FUNCTION1(id, takes, truth, numbers) using tracing::id;
#define WARPFOLD_FUNCTION2(id, takes, truth, numbers) using tracing::id;
#define WARPFOLD_FUNCTION3(id, takes, truth, numbers) using tracing::id;
#include "warpfold/expressions/functions.def"

}  // namespace warpfold
