#include "ops/ops.h"

#include <limits>

#include "ops/meaning.h"

namespace wf {

const OpInfo op_table[op_count] = {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) \
  {#name, arity, TypeClass::on, Result::result, uint8_t(laws), Identity::identity, Exactness::bits, Cost::cost, #meaning},
#include "ops/ops.def"
};

std::optional<Op> find_op(std::string_view name) {
  for (int k = 0; k < op_count; k++)
    if (op_table[k].name == name) return static_cast<Op>(k);
  return std::nullopt;
}

Type operand_type(Op op, Type t) {
  TypeClass on = info(op).on;
  if (is_in(t, on)) return t;
  if (t == Type::Bool && (on & Int)) return Type::I32;
  return Type::F64;
}

std::optional<Bits64> identity_bits(Op op, Type t) {
  return visit(t, [&](auto tag) -> std::optional<Bits64> {
    using T = typename decltype(tag)::type;
    using L = std::numeric_limits<T>;
    switch (info(op).identity) {
      case Identity::none: return std::nullopt;
      case Identity::zero: return to_bits(T(0));
      case Identity::one: return to_bits(T(1));
      case Identity::ones: return to_bits(T(std::is_same_v<T, bool> ? T(1) : T(~uint64_t(0))));
      case Identity::highest: return to_bits(L::has_infinity ? L::infinity() : L::max());
      case Identity::lowest: return to_bits(L::has_infinity ? T(-L::infinity()) : L::lowest());
    }
    return std::nullopt;
  });
}

Bits64 neutral_bits(Op op, Type t) {
  if (is_in(t, Float) && op == Op::add_) return convert(Type::F64, t, to_bits(-0.0));
  if (is_in(t, Float) && info(op).laws & Idem) return convert(Type::F64, t, to_bits(std::numeric_limits<double>::quiet_NaN()));
  return *identity_bits(op, t);
}

bool distributes(Op f, Op g) {
#define DISTRIBUTES(first, second) \
  if (f == Op::first##_ && g == Op::second##_) return true;
#include "ops/laws.def"
  return false;
}

namespace {

template <TypeClass on, class T> constexpr bool accepts = is_in(type_of<T>, on);

// One function per operation, over every type; the meaning is instantiated only if `on` contains the type.
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning_)                                   \
  template <class T> Bits64 scalar_##name(Bits64 a_bits, Bits64 b_bits, Bits64 c_bits) {                            \
    if constexpr (accepts<TypeClass::on, T>) {                                                                      \
      using namespace meaning;                                                                                      \
      using U [[maybe_unused]] = typename Wrap<T>::type;                                                            \
      [[maybe_unused]] auto a = from_bits<std::conditional_t<arity == 3 && TypeClass::on == Any, bool, T>>(a_bits); \
      [[maybe_unused]] T b = from_bits<T>(b_bits), c = from_bits<T>(c_bits);                                        \
      return to_bits(meaning_);                                                                                     \
    } else {                                                                                                        \
      return 0;                                                                                                     \
    }                                                                                                               \
  }
#include "ops/ops.def"

}  // namespace

Bits64 evaluate(Op op, Type t, Bits64 a, Bits64 b, Bits64 c) {
  return visit(t, [&](auto tag) -> Bits64 {
    using T = typename decltype(tag)::type;
    switch (op) {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) \
  case Op::name##_: {                                                            \
    return scalar_##name<T>(a, b, c);                                            \
  }
#include "ops/ops.def"
    }
    return 0;
  });
}

Bits64 convert(Type from, Type to, Bits64 bits) {
  return visit(from, [&](auto from_tag) {
    return visit(to, [&](auto to_tag) {
      using From = typename decltype(from_tag)::type;
      using To = typename decltype(to_tag)::type;
      return to_bits(meaning::convert<To>(from_bits<From>(bits)));
    });
  });
}

}  // namespace wf
