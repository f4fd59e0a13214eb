// Operators and functions on expressions and lazy scalars: + - * / % comparisons && || ! & | ^ ~ << >>, where, cast, loop
// and the table's functions. All are found by argument-dependent lookup.
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
// Operands, at least one of them traced or lazy.
template <class... A>
concept Operands = (Operand<A> && ...) && ((is_expr<A> || is_scalar<A>) || ...);

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

// The operations on operands in the trace; each returns an Expr.
template <class Rule> struct Apply {
  template <class... A> auto operator()(const A&... a) const {
    constexpr int32_t code = operand_code(Rule::takes, common_code<A...>());
    const Id operands[] = {operand_term<code, Rule::is_truth>(a)...};
    using Result = detail::TypeAt<Rule::is_truth ? int32_t{WF_BOOL} : code>;
    return Expr<Result>::of(Trace::current().apply(Rule::name, type_code<Result>, operands, sizeof...(A)));
  }
};
template <class R> struct Cast {
  template <class A> Expr<R> operator()(const A& a) const {
    if constexpr (is_expr<A>) return Expr<R>::of(Trace::current().cast(type_code<R>, a.id()));
    else return Expr<R>(static_cast<R>(a));
  }
};
template <class Rule> struct ApplyToTruth {
  template <class... A> auto operator()(const A&... a) const { return Apply<Rule>{}(Cast<bool>{}(a)...); }
};
template <class Rule> struct Choose {
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
  if constexpr ((is_expr<A> || ...)) return f(in_trace(a)...);
  else return lift(f, a...);
}

// ---- assignment -------------------------------------------------------------------------------------------------------

// x op= y may be written for an A x and a B y.
template <class A, class B>
concept Updatable = Operands<A, B> &&(is_expr<A> || is_scalar<A>);

template <class T, class U> Expr<T>& update(Expr<T>& a, const Expr<U>& result) {
  return a = Expr<T>::of(Trace::current().cast(type_code<T>, result.id()));
}
template <class T, class U> Scalar<T>& update(Scalar<T>& a, const Scalar<U>& result) {
  return a = Scalar<T>::same_as(evaluate(Cast<Stored<T>>{}, result));
}
template <class B> constexpr void reject_update() {
  static_assert(warpfold::detail::never<B>,
                "a traced function is called once, with expressions, and cannot change a variable outside of it: write "
                "reduce or scan");
}
template <class T, class U> Scalar<T>& update(Scalar<T>& a, const Expr<U>&) { return reject_update<U>(), a; }

// ---- the table --------------------------------------------------------------------------------------------------------

#define WARPFOLD_RULE(id, the_name, the_takes, truth) \
  struct id##_rule {                                  \
    static constexpr const char* name = the_name;     \
    static constexpr Takes takes = Takes::the_takes;  \
    static constexpr bool is_truth = truth;           \
  };
#define WARPFOLD_OPERATOR(symbol, id, the_name, takes, truth) \
  WARPFOLD_RULE(id, the_name, takes, truth)                   \
  template <class A, class B>                                 \
  requires Operands<A, B>                                     \
  auto operator symbol(const A& a, const B& b) { return evaluate(Apply<id##_rule>{}, a, b); }
WARPFOLD_OPERATOR(==, eq, "eq", Any, true)
WARPFOLD_OPERATOR(!=, ne, "ne", Any, true)
WARPFOLD_OPERATOR(<, lt, "lt", Any, true)
WARPFOLD_OPERATOR(<=, le, "le", Any, true)
WARPFOLD_OPERATOR(>, gt, "gt", Any, true)
WARPFOLD_OPERATOR(>=, ge, "ge", Any, true)

// x op= y is x = x op y, converted back to x's type as in C++. The operations and, or, xor, not have keywords of C++ as names, so they are
// operators only: && || ! of truth values, & | ^ ~ of bits.
#define WARPFOLD_ARITHMETIC(symbol, id, the_name, takes)                                             \
  WARPFOLD_OPERATOR(symbol, id, the_name, takes, false)                                              \
  template <class A, class B>                                                                        \
  requires Updatable<A, B> A& operator symbol##=(A& a, const B& b) { return update(a, a symbol b); } \
  template <class A, class B>                                                                        \
  requires Updatable<A, B>                                                                           \
  void operator symbol##=(const A&&, const B&) { warpfold::detail::reject_assignment<A>(); }         \
  template <Constant A, class B>                                                                     \
  requires is_expr<B>                                                                                \
  void operator symbol##=(A&, const B&) { reject_update<B>(); }
WARPFOLD_ARITHMETIC(+, add, "add", Num)
WARPFOLD_ARITHMETIC(-, sub, "sub", Num)
WARPFOLD_ARITHMETIC(*, mul, "mul", Num)
WARPFOLD_ARITHMETIC(/, div, "div", Num)
WARPFOLD_ARITHMETIC(%, rem, "rem", Num)
WARPFOLD_ARITHMETIC(<<, shl, "shl", Int)
WARPFOLD_ARITHMETIC(>>, shr, "shr", Int)
WARPFOLD_ARITHMETIC(&, bit_and, "and", Bits)
WARPFOLD_ARITHMETIC(|, bit_or, "or", Bits)
WARPFOLD_ARITHMETIC(^, bit_xor, "xor", Bits)
#undef WARPFOLD_ARITHMETIC
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

WARPFOLD_RULE(bit_not, "not", Bits, false)
WARPFOLD_RULE(neg, "neg", Num, false)
WARPFOLD_RULE(where, "where", Any, false)

// Expressions: b is evaluated only if a does not decide the result, so a can guard an index in b. Lazy scalars: both are computed.
template <class A, class B>
requires Operands<A, B>
auto operator&&(const A& a, const B& b) { return evaluate(ApplyToTruth<bit_and_rule>{}, a, b); }
template <class A, class B>
requires Operands<A, B>
auto operator||(const A& a, const B& b) { return evaluate(ApplyToTruth<bit_or_rule>{}, a, b); }
template <class A>
requires Operands<A>
auto operator!(const A& a) { return evaluate(ApplyToTruth<bit_not_rule>{}, a); }
template <class A>
requires Operands<A>
auto operator~(const A& a) { return evaluate(Apply<bit_not_rule>{}, a); }
template <class A>
requires Operands<A>
auto operator-(const A& a) { return evaluate(Apply<neg_rule>{}, a); }
template <class A>
requires Operands<A> A operator+(const A& a) { return a; }

// x converted to R: floats to integers saturate and NaN becomes 0; to bool is x != 0.
template <Element R, class A>
requires Operand<A>
auto cast(const A& a) {
  if constexpr (Constant<A>) return static_cast<Stored<R>>(a);
  else return evaluate(Cast<Stored<R>>{}, a);
}

#define WARPFOLD_FUNCTION1(id, takes, truth)                                 \
  WARPFOLD_RULE(id, #id, takes, truth)                                       \
  template <class R = void, class A>                                         \
  requires Operands<A>                                                       \
  auto id(const A& a) {                                                      \
    if constexpr (std::is_void_v<R>) return evaluate(Apply<id##_rule>{}, a); \
    else return evaluate(Apply<id##_rule>{}, cast<R>(a));                    \
  }
#define WARPFOLD_FUNCTION2(id, takes, truth)                                    \
  WARPFOLD_RULE(id, #id, takes, truth)                                          \
  template <class R = void, class A, class B>                                   \
  requires Operands<A, B>                                                       \
  auto id(const A& a, const B& b) {                                             \
    if constexpr (std::is_void_v<R>) return evaluate(Apply<id##_rule>{}, a, b); \
    else return evaluate(Apply<id##_rule>{}, cast<R>(a), cast<R>(b));           \
  }
// named.hpp has function objects of the names min and max, too; these functions are found by argument-dependent lookup.
WARPFOLD_FUNCTION2(min, Any, false)
WARPFOLD_FUNCTION2(max, Any, false)
#include "warpfold/expressions/functions.def"
#undef WARPFOLD_RULE

// a * b + c, rounded once. In floating point.
struct fma_rule {
  static constexpr const char* name = "fma";
  static constexpr Takes takes = Takes::Float;
  static constexpr bool is_truth = false;
};
template <class A, class B, class C>
requires Operands<A, B, C>
auto fma(const A& a, const B& b, const C& c) { return evaluate(Apply<fma_rule>{}, a, b, c); }

// The regularized incomplete beta function I_x(a, b).
struct ibeta_rule {
  static constexpr const char* name = "ibeta";
  static constexpr Takes takes = Takes::Float;
  static constexpr bool is_truth = false;
};
template <class A, class B, class X>
requires Operands<A, B, X>
auto ibeta(const A& a, const B& b, const X& x) { return evaluate(Apply<ibeta_rule>{}, a, b, x); }

// a where condition holds, else b; a and b may be tuple-like, then field by field.
template <class C, class A, class B>
requires Operands<C, A, B>
auto where(const C& condition, const A& a, const B& b) { return evaluate(Choose<where_rule>{}, condition, a, b); }
template <class C, class A, class B>
requires(Operands<C> && !Operand<A> && !Operand<B>) auto where(const C& condition, const A& a, const B& b) {
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

}  // namespace tracing

using tracing::cast;
using tracing::fma;
using tracing::ibeta;
using tracing::where;
#define WARPFOLD_FUNCTION1(id, takes, truth) using tracing::id;
#define WARPFOLD_FUNCTION2(id, takes, truth) using tracing::id;
#include "warpfold/expressions/functions.def"

}  // namespace warpfold
