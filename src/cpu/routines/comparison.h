// A comparison by which elements are sorted, compiled. All sorts by it share it.
#pragma once

#include <memory>
#include <vector>

#include "cpu/native/tier.h"
#include "cpu/program/block_program.h"
#include "engine/engine.h"

namespace wf::cpu {

struct Comparison {
  Comparison(FnRef fn, std::vector<Type> types);
  // Returns an estimate of the nanoseconds that compile_native() takes.
  int64_t price_of_native() const;
  // Compiles the merges of native/merging.h, and publishes them as the program's native form. Without LLVM, or if it is too long, the
  // comparison stays interpreted.
  void compile_native() const;

  const FnRef fn;
  const std::vector<Type> types;                      // of an element's columns
  const std::shared_ptr<const BlockProgram> program;  // phase 0 computes the bool
  mutable native::Tier tier;
};

// The comparison of a recent sort by the same function, or a new one.
std::shared_ptr<const Comparison> find_comparison(const RoutineCall& call);

}  // namespace wf::cpu
