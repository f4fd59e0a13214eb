// Evaluates a function for one element, term by term. A term that evaluates an index outside has a fault instead of a value; a `where`
// has the fault of its condition or of the branch that it chooses, and everything else has those of its operands.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "expr/fn.h"

namespace oracle {

using wf::Bits64;
using wf::Type;

// An index out of range for a sequence of that length, read by a function.
struct Fault {
  int64_t index, length;
};

// The values of one element, one per column, some of which may have a fault instead.
struct Row {
  std::vector<Bits64> values;
  std::vector<std::optional<Fault>> faults = {};  // empty: none

  void append(const Row& right);
  std::optional<Fault> fault(size_t column) const { return faults.empty() ? std::nullopt : faults[column]; }
  std::optional<Fault> first_fault() const;
};

// The intended value of a sequence: every element of every column, and the elements that have a fault instead.
struct Value {
  std::vector<Type> types;
  std::vector<std::vector<Bits64>> columns;
  int64_t length = 0;
  std::vector<std::map<int64_t, Fault>> faults;  // by column
  // The fault of a filter's condition, which leaves the length unknown: there are no elements.
  std::optional<Fault> length_fault;
  // True if this sequence, or one that it is made from, has a fault.
  bool may_fail = false;

  Value() = default;
  Value(std::vector<Type> column_types, int64_t n);
  Row row(int64_t i) const;
  void set_row(int64_t i, const Row& row);
  void set(size_t column, int64_t i, Bits64 value, const Fault* fault);  // fault: null, or the element's
  const Fault* fault(size_t column, int64_t i) const;                    // null: none
  bool has_fault() const;
};

class Interpreter {
 public:
  using Faults = std::vector<const Fault*>;  // null: none

  // captures[k] is the sequence of slot k; captures must outlive the interpreter.
  Interpreter(const wf::Fn& fn, std::vector<const Value*> captures = {});
  // The results for these arguments.
  Row operator()(const Row& args);
  // The results for arguments without faults; throws the first Fault.
  std::vector<Bits64> operator()(std::span<const Bits64> args);

  // The same without memory for each call: run computes the results, which are valid until the next run.
  void run(std::span<const Bits64> args, const Faults& faults_of_args);
  Bits64 result(size_t k) const { return values_[fn_.results[k]]; }
  const Fault* fault(size_t k) const { return faults_[fn_.results[k]]; }

 private:
  void evaluate(wf::Id id, std::span<const Bits64> args);
  void run_loop(wf::Id id);
  void run_fold(wf::Id id);
  const Fault* fault_of_operands(const wf::Term& term) const;
  std::vector<bool> used_params(std::span<const wf::Id> results) const;
  const Fault* new_fault(const Fault& fault) { return &found_.emplace_back(fault); }

  const wf::Fn& fn_;
  std::vector<const Value*> captures_;
  std::vector<Bits64> values_;  // per term
  Faults faults_;               // per term
  Faults none_;                 // of arguments without faults
  std::deque<Fault> found_;
  std::vector<std::vector<Bits64>> several_;   // per Loop, Fold or Foreign term
  std::vector<Interpreter> bodies_;            // per loop in fn_.loops
  std::vector<std::vector<bool>> used_;        // per loop: the operands that its body uses other than to guard Checks
  std::vector<std::vector<bool>> used_first_;  // the same of those that a fold, or the condition of a loop, uses
  std::vector<Interpreter> combines_;          // of folds; of a loop: its body again
};

}  // namespace oracle
