// Functions as instructions: which register or word holds each value, and what computes it.
#pragma once

#include <utility>
#include <vector>

#include "cuda/bytecode/bytecode.h"

namespace wf::cuda {

// An instruction's code for an operation in a type; casts are operations too.
constexpr uint32_t code_of(uint32_t op, Type type) { return op * interpreter::types + uint32_t(type); }
// Of three instructions that follow each other, for 1, 4 and 8 bytes, the one for that type.
constexpr uint32_t by_size(uint32_t first, Type type) { return first + (size_of(type) == 1 ? 0 : size_of(type) == 4 ? 1 : 2); }

// Registers, each counted by how many hold it; one that nobody holds is free.
class Registers {
 public:
  // `count` that are held for good.
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
  // The operands of a function's terms; of a loop, those of its variables.
  struct Values {
    const Site& site;
    std::vector<Operand> params;
    std::vector<std::vector<Operand>> of_term;
    std::vector<uint32_t> uses;  // that are still to come

    Values(const Site& function, std::vector<Operand> parameters)
        : site(function), params(std::move(parameters)), of_term(function.fn->terms.size()), uses(function.fn->terms.size()) {}
    Operand result(uint32_t k) const { return of_term[site.fn->results[k]][0]; }
  };

  explicit FunctionWriter(Bytecode& code) : code_(code) {}

  // The whole function; its results are held for the caller. With `folds` its float minima and maxima are fold_min and fold_max.
  std::vector<Operand> call(const Site& site, std::vector<Operand> params, bool folds = false);
  // The needed terms that have no value yet. values.uses says how often each will be dropped.
  void write(Values& values, const std::vector<bool>& needed);
  void drop(Values& values, Id id);

  void emit(uint32_t code, Operand out, Operands in, uint32_t extra = 0);
  uint32_t here() const { return uint32_t(code_.instructions.size()); }
  // A new word.
  uint32_t word(Argument::Kind kind, uint32_t index);
  // The number of a word that always holds these bits.
  uint32_t constant(Bits64 bits);
  // The words of an input: its address, and the next its length.
  static uint32_t input(uint32_t slot) { return 2 * slot; }

  Registers registers;

 private:
  std::vector<Operand> write_term(Values& values, Id id);
  uint32_t operation(const Fn& fn, const Term& term) const;
  std::vector<Operand> write_loop(Values& values, const Term& term);
  Operand write_word(uint32_t number);
  void assign(const std::vector<Operand>& variables, const std::vector<Operand>& next);

  Bytecode& code_;
  std::vector<uint32_t> words_of_constants_;
  bool folds_ = false;
  double runs_ = 1;  // of what is written now, for one element
};

}  // namespace wf::cuda
