// Functions of single values: the scalars behind a kernel's loop, and the joining of carries.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cpu/program/program.h"
#include "expr/fn.h"

namespace wf::cpu {

// Evaluates a function term by term, which costs no compilation; one with loops or foreign functions goes through a Program. The
// results have the bits that the block loops give.
// May be used by several threads at once.
class ScalarFunction {
 public:
  explicit ScalarFunction(FnRef fn);
  // A failed Check is noted in `fault` unless one is there already.
  void operator()(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results,
                  RangeFault& fault, std::span<const Bits64> arguments = {}) const;

 private:
  void term_by_term(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results,
                    RangeFault& fault, std::span<const Bits64> arguments) const;
  void by_program(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results,
                  RangeFault& fault, std::span<const Bits64> arguments) const;

  FnRef fn_;
  std::shared_ptr<const Program> program_;  // null: term by term
};

}  // namespace wf::cpu
