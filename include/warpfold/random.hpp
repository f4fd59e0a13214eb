// Random numbers without state. Element i of a random sequence depends on a key and i alone: it is the same on every engine, in any order, whole
// or in parts. Random sequences are delayed and fuse, so that a Monte Carlo estimate reads no memory:
//
//     const random::Key key(42);
//     auto x = random::uniform<float>(key.split(0), n), y = random::uniform<float>(key.split(1), n);
//     double pi = 4.0 * length(filter([](auto x, auto y) { return x * x + y * y < 1.0f; }, zip(x, y))).get() / n;
//
// Draw from a key once, and from keys that it splits into for further draws. capi/warpfold.h lists the distributions and their parameters.
// A parameter is a number, a Scalar, or a Seq with an element per draw. Instead of a key and n, a sequence of keys gives one draw from each.
// Inside a traced function, random::uniform(key, number) is one draw, so that loops of chains draw.
#pragma once

#include <initializer_list>
#include <string>

#include "warpfold/primitives.hpp"

namespace warpfold {
namespace random {

class Key {
 public:
  explicit Key(uint64_t seed, const Context& context = default_context())
      : bits_(Scalar<uint64_t>::own(detail::sequence(wf_random_key, context.raw(), static_cast<int64_t>(seed)))) {}
  explicit Key(Scalar<uint64_t> bits) : bits_(std::move(bits)) {}
  static Key own(wf_seq* raw) { return Key(Scalar<uint64_t>::own(raw)); }
  // The i-th of the keys that this one splits into. Throws nothing that depends on i.
  Key split(int64_t i) const { return Key(Scalar<uint64_t>::own(detail::sequence(wf_random_split, raw(), i))); }
  const Scalar<uint64_t>& bits() const { return bits_; }
  wf_seq* raw() const { return bits_.raw(); }

 private:
  Scalar<uint64_t> bits_;
};

namespace core = ::warpfold::detail;

namespace detail {

// A parameter as a sequence of rank 0 or 1.
template <core::Lazy P> const P& parameter(const Context&, const P& sequence) { return sequence; }
template <Constant P> Scalar<P> parameter(const Context& context, P number) { return Scalar<P>(number, context); }

// use(parameters, number of parameters)
template <class Use, class... P> auto with_parameters(const Context& context, const Use& use, const P&... parameters) {
  auto call = [&](const auto&... sequences) {
    const std::array<wf_seq*, sizeof...(P)> raw{sequences.raw()...};
    return use(raw.data(), static_cast<int32_t>(raw.size()));
  };
  return call(parameter(context, parameters)...);
}

template <class T, class... P> Seq<T> draw(const char* distribution, wf_seq* key, int64_t n, const P&... parameters) {
  if (n < 0) throw SizeError(distribution + (": the length is " + std::to_string(n)) + "; expected 0 or more");
  auto call = [&](wf_seq* const* raw, int32_t count) {
    return Seq<T>::own(core::sequence(wf_random, distribution, key, raw, count, n, type_code<T>));
  };
  return with_parameters(core::context_of(key), call, parameters...);
}

template <class T> using RealOf = std::conditional_t<std::is_same_v<T, float>, float, double>;
template <class T> Seq<RealOf<T>> own_like(const Seq<T>&, wf_seq* raw) { return Seq<RealOf<T>>::own(raw); }
template <class T> Scalar<RealOf<T>> own_like(const Scalar<T>&, wf_seq* raw) { return Scalar<RealOf<T>>::own(raw); }

template <class F, class X, class... P> auto of_values(F* function, const char* distribution, const X& x, const P&... parameters) {
  auto call = [&](wf_seq* const* raw, int32_t count) { return own_like(x, core::sequence(function, distribution, x.raw(), raw, count)); };
  return with_parameters(core::context_of(x.raw()), call, parameters...);
}

// A key or a number that is an expression.
template <class K, class I>
concept InTrace = (tracing::is_expr<K> || tracing::is_expr<I>)&&(std::is_same_v<K, Key> || tracing::Operand<K>)&&tracing::Operand<I>;

inline const Scalar<uint64_t>& bits_of(const Key& key) { return key.bits(); }
template <class K> const K& bits_of(const K& key) { return key; }

template <class P> inline constexpr int32_t number_code = std::is_integral_v<P> ? WF_I64 : WF_F64;

// The term (draw NAME TYPE key number parameter...).
template <class T> struct Draw {
  const char* head;
  template <class K, class I, class... P> auto operator()(const K& key, const I& number, const P&... parameters) const {
    static_assert(sizeof...(P) <= 2);
    const tracing::Id operands[] = {tracing::operand_term<WF_U64, false>(key), tracing::operand_term<WF_I64, false>(number),
                                    tracing::operand_term<number_code<P>, false>(parameters)...};
    return Expr<Stored<T>>::of(tracing::Trace::current().apply(head, type_code<T>, operands, sizeof...(P) + 2));
  }
};

}  // namespace detail

// Each throws ArgumentError for another number of parameters, and SizeError if a sequence's length is not n. Work n.
#define WARPFOLD_SEQUENCES(name, Default)                                                                     \
  template <Element T = Default, class... P> Seq<T> name(const Key& key, int64_t n, const P&... parameters) { \
    return detail::draw<T>(#name, key.raw(), n, parameters...);                                               \
  }                                                                                                           \
  template <Element T = Default, class... P> Seq<T> name(const Seq<uint64_t>& keys, const P&... parameters) { \
    return detail::draw<T>(#name, keys.raw(), keys.size(), parameters...);                                    \
  }
// Inside a traced function: element `number` of that sequence, as an expression. So a loop draws as many numbers as it needs:
//     loop(std::tuple(x, 0), going, [&](auto x, auto k) { return std::tuple(x + random::gaussian(key, k), k + 1); })
#define WARPFOLD_DISTRIBUTION(name, Default)                                                                        \
  WARPFOLD_SEQUENCES(name, Default)                                                                                 \
  template <Element T = Default, class K, class I, class... P>                                                      \
  requires detail::InTrace<K, I>                                                                                    \
  auto name(const K& key, const I& number, const P&... parameters) {                                                \
    static const auto& head = *new std::string("draw " #name " " + std::string(tracing::type_names[type_code<T>])); \
    return tracing::evaluate(detail::Draw<T>{head.c_str()}, detail::bits_of(key), number, parameters...);           \
  }
WARPFOLD_DISTRIBUTION(uniform, float)
WARPFOLD_DISTRIBUTION(gaussian, float)
WARPFOLD_DISTRIBUTION(lognormal, float)
WARPFOLD_DISTRIBUTION(exponential, float)
WARPFOLD_DISTRIBUTION(weibull, float)
WARPFOLD_DISTRIBUTION(gumbel, float)
WARPFOLD_DISTRIBUTION(laplace, float)
WARPFOLD_DISTRIBUTION(cauchy, float)
WARPFOLD_DISTRIBUTION(gamma, float)
WARPFOLD_DISTRIBUTION(chi_squared, float)
WARPFOLD_DISTRIBUTION(student_t, float)
WARPFOLD_DISTRIBUTION(beta, float)
WARPFOLD_DISTRIBUTION(log_gamma, float)
WARPFOLD_SEQUENCES(dirichlet, float)
WARPFOLD_DISTRIBUTION(bernoulli, bool)
WARPFOLD_DISTRIBUTION(uniform_int, int64_t)
WARPFOLD_DISTRIBUTION(geometric, int64_t)
WARPFOLD_DISTRIBUTION(negative_binomial, int64_t)
WARPFOLD_DISTRIBUTION(poisson, int64_t)
WARPFOLD_DISTRIBUTION(binomial, int64_t)
WARPFOLD_SEQUENCES(permutation, int64_t)
WARPFOLD_SEQUENCES(categorical, int64_t)
#undef WARPFOLD_DISTRIBUTION
#undef WARPFOLD_SEQUENCES

// Inside a traced function: one of the keys that a key splits into.
template <class K, class I>
requires detail::InTrace<K, I> Expr<uint64_t> split(const K& key, const I& number) {
  return tracing::evaluate(detail::Draw<uint64_t>{"draw key u64"}, detail::bits_of(key), number);
}

// The logarithm of the density of x, or of the probability of a count, under a distribution of that name, such as "gaussian"; and the
// probability of numbers up to x. x: a Seq or a Scalar. Of x's type if that is a float, else of doubles. Under "dirichlet", one per row; under
// "permutation", one: of all numbers below x's length, or below a parameter, in this order. Work n.
template <core::Lazy X, class... P> auto log_density(const char* distribution, const X& x, const P&... parameters) {
  return detail::of_values(wf_log_density, distribution, x, parameters...);
}
template <core::Lazy X, class... P> auto distribution_function(const char* distribution, const X& x, const P&... parameters) {
  return detail::of_values(wf_distribution_function, distribution, x, parameters...);
}

// n different elements of s, in random order. Throws RangeError if n is more than its length. Work m log m for a sequence of length m. The log
// density of their indices is log_density("permutation", indices, m).
template <class T> Seq<T> sample(const Key& key, const Seq<T>& s, int64_t n) {
  return Seq<T>::like(tabulate([s, order = take(permutation(key, s.size()), n)](auto i) { return s[order[i]]; }, n, s.context()));
}

// The keys 0 to n - 1 that `key` splits into.
inline Seq<uint64_t> keys(const Key& key, int64_t n) { return detail::draw<uint64_t>("key", key.raw(), n); }

}  // namespace random

}  // namespace warpfold
