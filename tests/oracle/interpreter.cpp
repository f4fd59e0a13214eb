#include "oracle/interpreter.h"

#include <algorithm>

#include "oracle/meaning.h"

namespace oracle {

using wf::Id;
using wf::Kind;
using wf::Term;

void Row::append(const Row& right) {
  if (!faults.empty() || !right.faults.empty()) {
    faults.resize(values.size());
    faults.insert(faults.end(), right.faults.begin(), right.faults.end());
    faults.resize(values.size() + right.values.size());
  }
  values.insert(values.end(), right.values.begin(), right.values.end());
}

std::optional<Fault> Row::first_fault() const {
  for (const auto& fault : faults)
    if (fault) return fault;
  return std::nullopt;
}

Value::Value(std::vector<Type> column_types, int64_t n)
    : types(std::move(column_types)), columns(types.size(), std::vector<Bits64>(n)), length(n), faults(types.size()) {}

const Fault* Value::fault(size_t column, int64_t i) const {
  if (faults[column].empty()) return nullptr;
  const auto found = faults[column].find(i);
  return found == faults[column].end() ? nullptr : &found->second;
}

void Value::set(size_t column, int64_t i, Bits64 value, const Fault* fault) {
  columns[column][i] = value;
  if (fault) faults[column][i] = *fault, may_fail = true;
}

Row Value::row(int64_t i) const {
  Row row;
  for (size_t k = 0; k < columns.size(); k++) {
    row.values.push_back(columns[k][i]);
    const Fault* found = fault(k, i);
    if (!found) continue;
    row.faults.resize(columns.size());
    row.faults[k] = *found;
  }
  return row;
}

void Value::set_row(int64_t i, const Row& row) {
  for (size_t k = 0; k < columns.size(); k++) {
    const auto fault = row.fault(k);
    set(k, i, row.values[k], fault ? &*fault : nullptr);
  }
}

bool Value::has_fault() const {
  return length_fault || std::ranges::any_of(faults, [](const auto& column) { return !column.empty(); });
}

Interpreter::Interpreter(const wf::Fn& fn, std::vector<const Value*> captures)
    : fn_(fn),
      captures_(std::move(captures)),
      values_(fn.terms.size()),
      faults_(fn.terms.size()),
      none_(fn.params.size()),
      several_(fn.terms.size()) {
  for (const auto& loop : fn.loops) {
    bodies_.emplace_back(*loop.body, captures_);
    combines_.emplace_back(loop.is_fold() ? *loop.combine : *loop.body, captures_);
    const std::span<const Id> results = loop.body->results;
    used_.push_back(bodies_.back().used_params(results));
    used_first_.push_back(loop.is_fold() ? used_.back() : bodies_.back().used_params(results.first(1)));
    std::fill_n(used_.back().begin(), loop.variables, true);
    std::fill_n(used_first_.back().begin(), loop.variables, true);
  }
}

Row Interpreter::operator()(const Row& args) {
  Faults faults(args.values.size());
  for (size_t k = 0; k < args.faults.size(); k++) faults[k] = args.faults[k] ? &*args.faults[k] : nullptr;
  run(args.values, faults);
  Row results;
  for (Id id : fn_.results) {
    results.values.push_back(values_[id]);
    if (!faults_[id]) continue;
    results.faults.resize(fn_.results.size());
    results.faults[results.values.size() - 1] = *faults_[id];
  }
  return results;
}

std::vector<Bits64> Interpreter::operator()(std::span<const Bits64> args) {
  run(args, none_);
  std::vector<Bits64> results;
  results.reserve(fn_.results.size());
  for (size_t k = 0; k < fn_.results.size(); k++) {
    if (fault(k)) throw *fault(k);
    results.push_back(result(k));
  }
  return results;
}

static bool has_body(const Term& term) { return term.kind == Kind::Loop || term.kind == Kind::Fold; }

// The parameters that these results depend on other than through guards of Checks.
std::vector<bool> Interpreter::used_params(std::span<const Id> results) const {
  std::vector<bool> used(fn_.terms.size()), params(fn_.params.size());
  for (Id id : results) used[id] = true;
  for (Id id = Id(fn_.terms.size()); id-- > 0;) {
    const Term& term = fn_.terms[id];
    if (!used[id]) continue;
    if (term.kind == Kind::Param) params[term.slot] = true;
    for (size_t k = 0; k < term.count; k++) {
      const bool only_guards = term.kind == Kind::Check ? k == 2 : has_body(term) && !used_[term.slot][k];
      if (!only_guards) used[fn_.args(term)[k]] = true;
    }
  }
  return params;
}

void Interpreter::run(std::span<const Bits64> args, const Faults& faults_of_args) {
  found_.clear();
  for (Id id = 0; id < fn_.terms.size(); id++) {
    const Term& term = fn_.terms[id];
    faults_[id] = term.kind == Kind::Param ? faults_of_args[term.slot] : fault_of_operands(term);
    evaluate(id, args);
  }
}

// A Check's guard, and what only guards Checks in the body of a loop or fold, need not be inside. The other values that the body uses are
// evaluated before a loop or fold that makes a step, and those that a loop's condition uses before any loop.
const Fault* Interpreter::fault_of_operands(const Term& term) const {
  std::span<const Id> operands = fn_.args(term);
  if (term.kind == Kind::Apply && term.op == wf::Op::where_) {
    if (faults_[operands[0]]) return faults_[operands[0]];
    return faults_[operands[values_[operands[0]] ? 1 : 2]];
  }
  if (term.kind == Kind::Check) operands = operands.first(2);
  if (term.kind == Kind::Fold && wf::from_bits<int64_t>(values_[operands[0]]) <= 0) operands = operands.first(1);
  for (size_t k = 0; k < operands.size(); k++)
    if (faults_[operands[k]] && (!has_body(term) || used_first_[term.slot][k])) return faults_[operands[k]];
  return nullptr;
}

void Interpreter::run_loop(Id id) {
  const auto& info = fn_.loops[fn_.terms[id].slot];
  std::vector<Bits64> args;  // the variables, then the free values
  Faults faults;
  for (Id operand : fn_.args(id)) args.push_back(values_[operand]), faults.push_back(faults_[operand]);
  Interpreter& body = bodies_[fn_.terms[id].slot];
  auto fails = [&](size_t result) {
    const Fault* fault = body.faults_[info.body->results[result]];
    if (fault) faults_[id] = new_fault(*fault);
    return fault != nullptr;
  };
  for (bool is_first = true; !faults_[id]; is_first = false) {
    body.run(args, faults);
    if (fails(0) || !body.values_[info.body->results[0]]) break;
    for (size_t k = info.variables; is_first && k < args.size(); k++)
      if (used_[fn_.terms[id].slot][k] && !faults_[id]) faults_[id] = faults[k];
    if (faults_[id]) break;
    for (uint32_t k = 1; k <= info.variables && !fails(k); k++) args[k - 1] = body.values_[info.body->results[k]];
  }
  args.resize(info.variables);
  several_[id] = args;
}

// From the left: the identity, then one value after another.
void Interpreter::run_fold(Id id) {
  const auto& info = fn_.loops[fn_.terms[id].slot];
  const size_t columns = info.identity.size();
  std::vector<Bits64> args;  // the position, then the free values
  Faults faults;
  for (Id operand : fn_.args(id)) args.push_back(values_[operand]), faults.push_back(faults_[operand]);
  const auto count = wf::from_bits<int64_t>(args[0]);
  Interpreter &body = bodies_[fn_.terms[id].slot], &combine = combines_[fn_.terms[id].slot];
  std::vector<Bits64> sides = info.identity;
  sides.resize(2 * columns);
  for (int64_t j = 0; j < count && !faults_[id]; j++) {
    args[0] = wf::to_bits(j);
    body.run(args, faults);
    for (size_t k = 0; k < columns && !faults_[id]; k++) {
      const Id result = info.body->results[k];
      sides[columns + k] = body.values_[result];
      if (body.faults_[result]) faults_[id] = new_fault(*body.faults_[result]);
    }
    combine.run(sides, combine.none_);
    for (size_t k = 0; k < columns; k++) {
      if (combine.fault(k)) throw *combine.fault(k);
      sides[k] = combine.result(k);
    }
  }
  sides.resize(columns);
  several_[id] = sides;
}

namespace {

std::vector<Bits64> call_foreign(const wf::Foreign& f, std::span<const Bits64> args) {
  if (f.scalar && f.params == std::vector{Type::F64} && f.results == std::vector{Type::F64})
    return {wf::to_bits(reinterpret_cast<double (*)(double)>(f.scalar)(wf::from_bits<double>(args[0])))};
  if (!f.block) throw std::logic_error("the oracle does not call foreign functions of this type: " + f.name);
  // The low bytes of each value are its bytes, so it can be passed in place as a block of one element.
  std::vector<const void*> in;
  for (const Bits64& x : args) in.push_back(&x);
  std::vector<Bits64> results(f.results.size());
  std::vector<void*> out;
  for (Bits64& x : results) out.push_back(&x);
  f.block(f.user.get(), 1, in.data(), out.data());
  return results;
}

}  // namespace

void Interpreter::evaluate(Id id, std::span<const Bits64> args) {
  const Term& term = fn_.terms[id];
  const auto operands = fn_.args(id);
  auto operand = [&](size_t k) { return k < operands.size() ? values_[operands[k]] : 0; };
  Bits64& value = values_[id];
  switch (term.kind) {
    case Kind::Param: value = args[term.slot]; break;
    case Kind::Literal: value = term.bits; break;
    case Kind::Argument: throw std::logic_error("the oracle does not interpret arguments");
    case Kind::Apply: {
      const Type type = fn_.terms[operands.back()].type;  // the last operand's: the first operand of `where` is a bool
      value = meaning(term.op, type, operand(0), operand(1), operand(2));
      break;
    }
    case Kind::Cast: value = conversion(fn_.terms[operands[0]].type, term.type, operand(0)); break;
    case Kind::Length:
      value = wf::to_bits(captures_.at(term.slot)->length);
      if (captures_[term.slot]->length_fault) faults_[id] = &*captures_[term.slot]->length_fault;
      break;
    case Kind::Check: {
      const auto index = wf::from_bits<int64_t>(operand(0)), length = wf::from_bits<int64_t>(operand(1));
      if (operand(2) && (index < 0 || index >= length) && !faults_[id]) faults_[id] = new_fault({index, length});
      value = operand(0);
      break;
    }
    case Kind::At: {
      const Value& captured = *captures_.at(term.slot);
      const auto index = wf::from_bits<int64_t>(operand(0));
      const auto& faults = captured.faults[term.column];
      value = index < 0 || index >= captured.length ? 0 : captured.columns[term.column][index];
      if (faults_[id]) break;
      if (captured.length_fault) faults_[id] = &*captured.length_fault;
      else if (const auto fault = faults.find(index); fault != faults.end()) faults_[id] = &fault->second;
      break;
    }
    case Kind::Require: value = operand(0); break;
    case Kind::Loop: run_loop(id); break;
    case Kind::Fold: run_fold(id); break;
    case Kind::Foreign: {
      std::vector<Bits64> arguments;
      for (Id k : operands) arguments.push_back(values_[k]);
      if (faults_[id]) several_[id].resize(fn_.foreigns[term.slot]->results.size());
      else several_[id] = call_foreign(*fn_.foreigns[term.slot], arguments);
      break;
    }
    case Kind::Pick: value = several_[operands[0]][term.slot]; break;
  }
}

}  // namespace oracle
