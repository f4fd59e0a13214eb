// Functions as instructions: the register or word of each value, and the instruction that computes it.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda/bytecode/bytecode.h"

namespace wf::cuda {

// An instruction's code for an operation in a type; casts are operations too.
constexpr uint32_t code_of(uint32_t op, Type type) { return op * interpreter::types + uint32_t(type); }
// Returns the one of three consecutive instructions, for 1, 4 and 8 bytes, that has the type's size.
constexpr uint32_t by_size(uint32_t first, Type type) { return first + (size_of(type) == 1 ? 0 : size_of(type) == 4 ? 1 : 2); }

// Reference-counted registers. A register whose count is 0 is on the free list.
class Registers {
 public:
  // Allocates `count` consecutive registers that are never released, and returns the first.
  interpreter::Operand reserve(uint32_t count) {
    const interpreter::Operand first = interpreter::Operand(holders_.size());
    holders_.resize(holders_.size() + count, 1);
    return first;
  }
  interpreter::Operand take() {
    if (free_.empty()) return reserve(1);
    const interpreter::Operand r = free_.back();
    free_.pop_back();
    holders_[r] = 1;
    return r;
  }
  void hold(interpreter::Operand r) {
    if (!(r & interpreter::is_word)) holders_[r]++;
  }
  void release(interpreter::Operand r) {
    if (!(r & interpreter::is_word) && --holders_[r] == 0) free_.push_back(r);
  }
  uint32_t count() const { return uint32_t(holders_.size()); }

 private:
  std::vector<uint32_t> holders_;
  std::vector<interpreter::Operand> free_;
};

class FunctionWriter {
 public:
  using Operand = interpreter::Operand;
  struct Operands {
    Operand x = 0, y = 0, z = 0;
  };
  // The operands of a function's terms. A loop has one operand per variable.
  struct Values {
    const Site& site;
    std::vector<Operand> params;
    std::vector<std::vector<Operand>> of_term;
    std::vector<uint32_t> uses;  // remaining uses of each term

    Values(const Site& function, std::vector<Operand> parameters)
        : site(function), params(std::move(parameters)), of_term(function.fn->terms.size()), uses(function.fn->terms.size()) {}
    Operand result(uint32_t k) const { return of_term[site.fn->results[k]][0]; }
  };

  explicit FunctionWriter(Bytecode& code) : code_(code) {}

  // Writes the whole function; the caller releases its results. With `folds`, float min and max become fold_min and fold_max.
  std::vector<Operand> call(const Site& site, std::vector<Operand> params, bool folds = false);
  // Writes the needed terms that have no value yet. values.uses is the number of times that each will be dropped.
  void write(Values& values, const std::vector<bool>& needed);
  void drop(Values& values, Id id);

  void emit(uint32_t code, Operand out, Operands in, uint32_t extra = 0);
  uint32_t here() const { return uint32_t(code_.instructions.size()); }
  // Adds a word and returns its number.
  uint32_t word(Argument::Kind kind, uint64_t value);
  // Returns the number of a constant word with these bits.
  uint32_t constant(Bits64 bits);
  // Adds two words per input, its address and its length. Either both fit in the kernel's argument or neither.
  void add_inputs(size_t count);

  Registers registers;

 private:
  std::vector<Operand> write_term(Values& values, Id id);
  uint32_t operation(const Fn& fn, const Term& term) const;
  std::vector<Operand> write_loop(Values& values, const Term& term);
  Operand write_word(uint32_t number);
  void write_load(Operand out, Type type, uint32_t slot, Operand index);
  void assign(const std::vector<Operand>& variables, const std::vector<Operand>& next);

  // Returns the number of an input's first word.
  uint32_t input(uint32_t slot) const { return first_input_ + 2 * slot; }

  Bytecode& code_;
  uint32_t first_input_ = 0;
  std::unordered_map<Bits64, uint32_t> words_of_constants_;
  bool folds_ = false;
  double runs_ = 1;  // executions per element of the code that is being written
};

}  // namespace wf::cuda
