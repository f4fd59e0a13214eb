#include "cuda/routines/atomics.h"

#include <optional>

#include "cuda/text/statements.h"

namespace wf::cuda {
namespace {

// The atomic function of the hardware for an operation, if it has one, with the type that it takes, and the instruction without a result.
struct Atomic {
  std::string function, type, reduction;
};
std::optional<Atomic> atomic_of(Op op, Type type) {
  if (size_of(type) == 1) return std::nullopt;
  const bool wide = size_of(type) == 8, has_sign = type == Type::I32 || type == Type::I64;
  const std::string width = wide ? "64" : "32", bits = wide ? "unsigned long long" : "unsigned";
  const std::string number = type == Type::I32 ? "int" : type == Type::I64 ? "long long" : bits, kind = (has_sign ? "s" : "u") + width;
  switch (op) {
    case Op::add_: return Atomic{"atomicAdd", bits, "add.u" + width};
    case Op::min_: return Atomic{"atomicMin", number, "min." + kind};
    case Op::max_: return Atomic{"atomicMax", number, "max." + kind};
    case Op::and_: return Atomic{"atomicAnd", bits, "and.b" + width};
    case Op::or_: return Atomic{"atomicOr", bits, "or.b" + width};
    case Op::xor_: return Atomic{"atomicXor", bits, "xor.b" + width};
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

}  // namespace

std::string combine_text(Op op, Type type) {
  const std::string head = combine_head("combine", type_text(type)), rest = combine_in_software(op, type);
  if (!rest.empty()) return head + rest;
  const Atomic atomic = *atomic_of(op, type);
  return head + atomic.function + "(reinterpret_cast<" + atomic.type + "*>(at), static_cast<" + atomic.type + ">(x)); }\n";
}

// The instruction without a result is named: in a kernel that records faults, the compiler would choose one with a result, which takes 1.4 times
// as long (bench/results/gpu_rows.md).
std::string combine_out_text(Op op, Type type) {
  const std::string head = combine_head("combine_out", type_text(type)), rest = combine_in_software(op, type);
  if (!rest.empty()) return head + rest;
  return head + "asm volatile(\"red.relaxed.gpu.global." + atomic_of(op, type)->reduction +
         " [%0], %1;\" ::\"l\"(__cvta_generic_to_global(at)), \"" + (size_of(type) == 8 ? "l" : "r") + "\"(x) : \"memory\"); }\n";
}

std::string combine_looking_text(Op op) {
  return combine_head("combine_out", "bool") + (op == Op::or_ ? "if (x && !*at) *at = true; }\n" : "if (!x && *at) *at = false; }\n");
}

std::string looks_text(Op op, Type type) {
  return std::string("  static constexpr bool may_look = ") + (may_look(op, type) ? "true" : "false") +
         ", last = " + (op == Op::or_ ? "true" : "false") + ";\n";
}

}  // namespace wf::cuda
