// The scalar operations of ops.def as C++: enum, names, arities, type sets, laws, identities, scalar evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ops/types.h"

namespace wf {

enum class Op : uint8_t {
#define OP(name, monoid) name##_,
#include "ops/names.def"
};

constexpr int op_count = 0
#define OP(name, monoid) +1
#include "ops/names.def"
    ;

enum Laws : uint8_t { NoLaw = 0, Assoc = 1, Comm = 2, Idem = 4 };
enum class Result : uint8_t { Same, Truth };
enum class Exactness : uint8_t { exact, close };
enum class Cost : uint8_t { simple, quotient, root, light, heavy, special };
enum class Identity : uint8_t { none, zero, one, ones, highest, lowest };

struct OpInfo {
  std::string_view name;
  uint8_t arity;
  TypeClass on;
  Result result;
  uint8_t laws;
  Identity identity;
  Exactness bits;
  Cost cost;
  std::string_view meaning;
};

extern const OpInfo op_table[op_count];
inline const OpInfo& info(Op op) { return op_table[static_cast<int>(op)]; }
inline std::string_view name(Op op) { return info(op).name; }

// Returns true if every engine gives the same bits, so that the operation may be folded.
inline bool is_exact(Op op) { return info(op).bits == Exactness::exact; }

// The operation of that name, or nullopt.
std::optional<Op> find_op(std::string_view name);

// The type that op computes in when its operands have type `t` at most: t itself, or the first later type that op takes.
Type operand_type(Op op, Type t);

// The type of op's result when it computes in t.
inline Type result_type(Op op, Type t) { return info(op).result == Result::Truth ? Type::Bool : t; }

// One value's bits: the value of its type in the low bytes, the rest zero.
using Bits64 = uint64_t;
template <class T> Bits64 to_bits(T x) {
  Bits64 bits = 0;
  __builtin_memcpy(&bits, &x, sizeof(T));
  return bits;
}
template <class T> T from_bits(Bits64 bits) {
  T x;
  __builtin_memcpy(&x, &bits, sizeof(T));
  return x;
}

// The identity of op in type t, if ops.def declares one.
std::optional<Bits64> identity_bits(Op op, Type t);
// The x of type t for which op(x, y) and op(y, x) have the bits of y for each y: the identity, but -0 for a sum of floats and NaN for their min
// and max. op has an identity.
Bits64 neutral_bits(Op op, Type t);

// f(x, g(y, z)) = g(f(x, y), f(x, z)), by laws.def.
bool distributes(Op f, Op g);

// op applied to scalars: operands and result as bits of type t (where: a is a bool; comparisons give a bool).
Bits64 evaluate(Op op, Type t, Bits64 a, Bits64 b = 0, Bits64 c = 0);

inline bool is_nan(Type t, Bits64 bits) { return is_in(t, Float) && evaluate(Op::isnan_, t, bits); }

// The value `bits` of type `from` as type `to`: floats to integers saturate and NaN becomes 0; to bool is x != 0.
Bits64 convert(Type from, Type to, Bits64 bits);

}  // namespace wf
