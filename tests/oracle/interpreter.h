// Evaluates a function for one element, term by term. An element outside of its sequence has a fault instead of a value. A `where` has the
// fault of its condition or of the chosen branch; any other term has the faults of its operands. Results with a fault throw it.
#pragma once

#include <deque>
#include <map>
#include <memory>
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

// The intended value of a sequence: every element of every column, and the elements that have a fault instead.
struct Value {
  std::vector<Type> types;
  std::vector<std::vector<Bits64>> columns;
  int64_t length = 0;
  std::map<int64_t, Fault> faults;

  Value() = default;
  Value(std::vector<Type> column_types, int64_t n);
  std::vector<Bits64> row(int64_t i) const;  // throws the element's Fault
  void set_row(int64_t i, std::span<const Bits64> row);
};

class Interpreter {
 public:
  // captures[k] is the sequence of slot k; captures must outlive the interpreter.
  Interpreter(const wf::Fn& fn, std::vector<const Value*> captures = {});
  // The results for these arguments; throws a Fault.
  std::vector<Bits64> operator()(std::span<const Bits64> args);

 private:
  using Faults = std::vector<const Fault*>;  // null: none
  void run(std::span<const Bits64> args, const Faults& faults_of_args);
  void evaluate(wf::Id id, std::span<const Bits64> args);
  void run_loop(wf::Id id);
  const Fault* fault_of_operands(const wf::Term& term) const;
  const Fault* new_fault(const Fault& fault) { return &found_.emplace_back(fault); }

  const wf::Fn& fn_;
  std::vector<const Value*> captures_;
  std::vector<Bits64> values_;  // per term
  Faults faults_;               // per term
  std::deque<Fault> found_;
  std::vector<std::vector<Bits64>> several_;  // per Loop or Foreign term
  std::vector<Interpreter> bodies_;           // per loop in fn_.loops
};

}  // namespace oracle
