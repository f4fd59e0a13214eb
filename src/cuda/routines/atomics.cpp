#include "cuda/routines/atomics.h"

#include <optional>

#include "cuda/text/statements.h"

namespace wf::cuda {
namespace {

// The hardware's operation, if it has one, with the type that it takes: atomicAdd, or reduceAdd (dialects/cuda.cuh), which has no result.
struct Atomic {
  std::string name, type;
};
std::optional<Atomic> atomic_of(Op op, Type type) {
  if (size_of(type) == 1) return std::nullopt;
  const bool wide = size_of(type) == 8, has_sign = type == Type::I32 || type == Type::I64;
  const std::string bits = wide ? "unsigned long long" : "unsigned", number = has_sign ? (wide ? "long long" : "int") : bits;
  switch (op) {
    case Op::add_: return Atomic{"Add", bits};
    case Op::min_: return Atomic{"Min", number};
    case Op::max_: return Atomic{"Max", number};
    case Op::and_: return Atomic{"And", bits};
    case Op::or_: return Atomic{"Or", bits};
    case Op::xor_: return Atomic{"Xor", bits};
    default: return std::nullopt;
  }
}

std::string combine_head(const std::string& name, const std::string& element) {
  return "  static WF_MEMBER void " + name + "(" + element + "* at, " + element + " x) { ";
}

// The rest of a function whose operation is none of the hardware's; empty if it is one. An `or` of bools stores nothing but true and an `and`
// nothing but false, so plain stores agree.
std::string combine_in_software(Op op, Type type) {
  const std::string element = type_text(type);
  if (may_look(op, type)) return op == Op::or_ ? "if (x) *at = true; }\n" : "if (!x) *at = false; }\n";
  if (atomic_of(op, type)) return {};
  return "update_atomically(at, [&](" + element + " y) { return op_" + std::string(name(op)) + "<" + element + ">(y, x); }); }\n";
}

std::string combine(const std::string& name, const std::string& kind, Op op, Type type) {
  const std::string head = combine_head(name, type_text(type)), rest = combine_in_software(op, type);
  if (!rest.empty()) return head + rest;
  const Atomic atomic = *atomic_of(op, type);
  return head + kind + atomic.name + "(reinterpret_cast<" + atomic.type + "*>(at), static_cast<" + atomic.type + ">(x)); }\n";
}

}  // namespace

std::string combine_text(Op op, Type type) { return combine("combine", "atomic", op, type); }

std::string combine_out_text(Op op, Type type) { return combine("combine_out", "reduce", op, type); }

std::string combine_looking_text(Op op) {
  return combine_head("combine_out", "bool") + (op == Op::or_ ? "if (x && !*at) *at = true; }\n" : "if (!x && *at) *at = false; }\n");
}

std::string looks_text(Op op, Type type) {
  return std::string("  static constexpr bool may_look = ") + (may_look(op, type) ? "true" : "false") +
         ", last = " + (op == Op::or_ ? "true" : "false") + ";\n";
}

}  // namespace wf::cuda
