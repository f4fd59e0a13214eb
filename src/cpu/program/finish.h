// Functions of single values: the scalars after a kernel's loop, and the combination of carries.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cpu/program/block_program.h"
#include "expr/fn.h"

namespace wf::cpu {

struct Terms;

// Evaluates a function term by term, which costs no compilation, and less per step of a loop than a block of one element. A function with
// folds or foreign functions is run as a BlockProgram. The results have the same bits as those of the block loops. Thread-safe.
class ScalarFunction {
 public:
  explicit ScalarFunction(FnRef fn);
  ScalarFunction(ScalarFunction&&) noexcept;
  ScalarFunction& operator=(ScalarFunction&&) noexcept;
  ~ScalarFunction();
  // A failed Check is recorded in `fault` unless `fault` already records one.
  void operator()(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results, RangeFault& fault,
                  std::span<const Bits64> arguments = {}) const;

 private:
  void by_program(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results, RangeFault& fault,
                  std::span<const Bits64> arguments) const;

  FnRef fn_;
  std::unique_ptr<const Terms> terms_;           // null: by program
  std::shared_ptr<const BlockProgram> program_;  // null: term by term
};

}  // namespace wf::cpu
