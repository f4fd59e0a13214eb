// The facts that the compiler derives about a function's terms before it emits instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/program/compile.h"
#include "cpu/program/instruction.h"
#include "cpu/program/predicates.h"

namespace wf::cpu {

struct Fact {
  static constexpr int32_t largest_stride = 4096, not_affine = INT32_MAX;

  // Forwards:
  bool uniform = false;         // the same for all elements
  int32_t stride = not_affine;  // the term is base + stride * i, i the domain index
  bool walks = false;           // a quotient or remainder, or an element at an index, that is counted along the block (walk.h)
  // Backwards:
  bool early = false;  // phase 0 needs it
  bool value_needed = false;
  bool base_needed = false;            // the term is an index known by its base
  bool checked = false;                // a Check that must run, or a Require whose other operands must
  PredicateId predicate = never;       // the blocks that need the value or the check
  PredicateId base_predicate = never;  // the blocks that use the base
  uint32_t choice = no_choice;         // of a comparison or the `where` that it decides
  uint32_t uses = 0;                   // of the value, by instructions not yet emitted; a result is never free
  // During emission:
  LocationId location = no_location;
  Base base;

  bool needed() const { return value_needed || base_needed || checked; }
  bool streams() const { return stride != 0 && stride != not_affine; }
};

struct Facts {
  std::vector<Fact> of_terms;
  Predicates predicates;
  uint32_t choices = 0;
};
Facts find_facts(const Fn& f, const CompileOptions& options);

// The term whose value this is, below Checks and Requires.
inline Id origin(const Fn& f, Id t) {
  while (f[t].kind == Kind::Check || f[t].kind == Kind::Require) t = f.args(t)[0];
  return t;
}

// An index that is counted along the block: a walk, and a number that is the same for all elements, if there is one.
struct CountedIndex {
  Id walk;
  std::optional<Id> base;
};
// Returns a checked index only if an argument moves it: its runs are checked then (Instruction::RunBounds).
std::optional<CountedIndex> counted_index(const Fn& f, const std::vector<Fact>& facts, Id index);

// The number of the product's operand that is a literal, or -1.
int literal_factor(const Fn& f, const Term& product);

// Returns true if the check's index is base + stride * i throughout a block, so that the block's ends decide.
bool decided_by_runs(const Fn& f, const std::vector<Fact>& facts, const Term& check, const CompileOptions& options);
bool decided_by_bounds(const Fn& f, const std::vector<Fact>& facts, const Term& check, const CompileOptions& options);

}  // namespace wf::cpu
