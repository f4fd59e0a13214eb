#include "cuda/bytecode/function_writer.h"

#include <algorithm>
#include <optional>
#include <span>

#include "expr/terms.h"

namespace wf::cuda {

using namespace interpreter;

// ---- words and instructions --------------------------------------------------------------------------------------------------

uint32_t FunctionWriter::word(Argument::Kind kind, uint64_t value) {
  code_.signature.arguments.push_back({kind, value});
  return uint32_t(code_.signature.arguments.size() - 1);
}

uint32_t FunctionWriter::constant(Bits64 bits) {
  const auto [at, is_new] = words_of_constants_.try_emplace(bits);
  if (is_new) at->second = word(Argument::Kind::Constant, bits);
  return at->second;
}

void FunctionWriter::add_inputs(size_t count) {
  static_assert(most_words % 2 == 0);
  if (code_.signature.arguments.size() % 2 != 0) word(Argument::Kind::Constant, 0);
  first_input_ = uint32_t(code_.signature.arguments.size());
  for (uint32_t k = 0; k < count; k++) word(Argument::Kind::Input, k), word(Argument::Kind::InputLength, k);
}

// Returns an operand for the word. A word that does not fit in shared memory is loaded into a register.
FunctionWriter::Operand FunctionWriter::write_word(uint32_t number) {
  if (number < most_words) return Operand(is_word | number);
  const Operand out = registers.take();
  emit(code_word, out, {}, number - most_words);
  return out;
}

void FunctionWriter::write_load(Operand out, Type type, uint32_t slot, Operand index) {
  const uint32_t column = input(slot);
  if (column < most_words) emit(by_size(code_load_1, type), out, {index}, column);
  else emit(by_size(code_load_more_1, type), out, {index}, column - most_words);
}

void FunctionWriter::emit(uint32_t code, Operand out, Operands in, uint32_t extra) {
  code_.instructions.push_back({uint16_t(code), out, in.x, in.y, in.z, 0, extra});
  code_.work += runs_;
}

// ---- order -------------------------------------------------------------------------------------------------------------------

namespace {

// The registers that computing each term needs if operands with a larger need are computed first (Sethi and Ullman 1970).
// A term that is used more than once is counted as if it were used once.
struct Need {
  std::vector<uint32_t> registers;
  std::vector<Id> operands;  // as Fn::operands, but each term's operands are sorted by decreasing need

  explicit Need(const Fn& fn) : registers(fn.terms.size()), operands(fn.operands) {
    for (Id id = 0; id < fn.terms.size(); id++) {
      const Term& term = fn[id];
      const auto first = operands.begin() + term.first, last = first + term.count;
      std::stable_sort(first, last, [&](Id a, Id b) { return registers[a] > registers[b]; });
      const bool has_own = term.kind == Kind::Apply || term.kind == Kind::Cast || term.kind == Kind::At || term.kind == Kind::Loop;
      registers[id] = has_own ? 1 : 0;
      for (uint32_t k = 0; k < term.count; k++) registers[id] = std::max(registers[id], registers[first[k]] + k);
    }
  }
};

// Returns the terms, operands before their users. A function with index checks or loops keeps its own order, which decides the fault
// that is reported first.
std::vector<Id> order_of(const Fn& fn) {
  std::vector<Id> order;
  if (std::ranges::any_of(fn.terms, [](const Term& t) { return t.kind == Kind::Check || t.kind == Kind::Loop; })) {
    for (Id id = 0; id < fn.terms.size(); id++) order.push_back(id);
    return order;
  }
  const Need need(fn);
  std::vector<bool> entered(fn.terms.size());
  struct Visit {
    Id id;
    uint32_t next;  // operand
  };
  std::vector<Visit> path;
  auto enter = [&](Id id) {
    if (entered[id]) return;
    entered[id] = true;
    path.push_back({id, 0});
  };
  for (Id result : fn.results) {
    enter(result);
    while (!path.empty()) {
      const Visit visit = path.back();
      const Term& term = fn[visit.id];
      if (visit.next < term.count) {
        path.back().next++;
        enter(need.operands[term.first + visit.next]);
      } else {
        order.push_back(visit.id);
        path.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

// ---- functions ---------------------------------------------------------------------------------------------------------------

void FunctionWriter::drop(Values& values, Id id) {
  if (--values.uses[id] > 0) return;
  for (Operand r : values.of_term[id]) registers.release(r);
}

void FunctionWriter::write(Values& values, const std::vector<bool>& needed) {
  const Fn& fn = *values.site.fn;
  for (Id id : order_of(fn)) {
    if (!needed[id] || !values.of_term[id].empty()) continue;
    values.of_term[id] = write_term(values, id);
    for (Id arg : fn.args(id)) drop(values, arg);
    if (values.uses[id] == 0)
      for (Operand r : values.of_term[id]) registers.release(r);
  }
}

uint32_t FunctionWriter::operation(const Fn& fn, const Term& term) const {
  if (term.op == Op::where_) return code_select;
  const Type type = fn[fn.args(term).back()].type;
  if (folds_ && is_in(type, Float)) {
    if (term.op == Op::min_) return type == Type::F64 ? code_fold_min_8 : code_fold_min_4;
    if (term.op == Op::max_) return type == Type::F64 ? code_fold_max_8 : code_fold_max_4;
  }
  return code_of(uint32_t(term.op), type);
}

// Writes one term and returns its operands, each with one reference for the term.
std::vector<FunctionWriter::Operand> FunctionWriter::write_term(Values& values, Id id) {
  const Fn& fn = *values.site.fn;
  const Term& term = fn[id];
  const std::span<const Id> args = fn.args(term);
  auto arg = [&](size_t k) { return values.of_term[args[k]][0]; };
  auto held = [&](Operand operand) {
    registers.hold(operand);
    return std::vector<Operand>{operand};
  };
  switch (term.kind) {
    case Kind::Param: return held(values.params[term.slot]);
    case Kind::Literal: {
      const uint32_t k = values.site.literal_of[id];
      return {write_word(k == Site::in_text ? constant(term.bits) : word(Argument::Kind::Literal, k))};
    }
    case Kind::Length: return {write_word(input(term.slot) + 1)};
    case Kind::Pick: return held(values.of_term[args[0]][term.slot]);
    case Kind::Loop: return write_loop(values, term);
    case Kind::Check: emit(code_check, 0, {arg(0), arg(1), arg(2)}); return held(arg(0));
    case Kind::Require: return held(arg(0));
    default: break;
  }
  const Operand out = registers.take();
  if (term.kind == Kind::At) {
    write_load(out, term.type, term.slot, arg(0));
  } else if (term.kind == Kind::Cast) {
    emit(code_of(number_to_Bool + uint32_t(term.type), fn[args[0]].type), out, {arg(0)});
  } else {
    emit(operation(fn, term), out, {arg(0), args.size() > 1 ? arg(1) : Operand(0), args.size() > 2 ? arg(2) : Operand(0)});
  }
  return {out};
}

namespace {

// Returns the number of iterations of a loop over a counter from a literal up to a literal, in steps of a literal. Otherwise it is guessed.
double iterations(const Fn& fn, const Term& loop) {
  constexpr double guess = 100;
  const Fn::LoopInfo& info = fn.loops[loop.slot];
  const Fn& body = *info.body;
  auto number = [](const Term& t) -> std::optional<double> {
    if (t.kind != Kind::Literal || (t.type != Type::I32 && t.type != Type::I64)) return std::nullopt;
    return t.type == Type::I32 ? double(from_bits<int32_t>(t.bits)) : double(from_bits<int64_t>(t.bits));
  };
  // A literal of the body, or a literal that is passed to it.
  auto known = [&](Id id) {
    const Term& t = body[id];
    return number(t.kind == Kind::Param && t.slot >= info.variables ? fn[fn.args(loop)[t.slot]] : t);
  };
  const Term& condition = body[body.results[0]];
  if (!is_op(condition, Op::lt_)) return guess;
  const Term& counter = body[body.args(condition)[0]];
  if (counter.kind != Kind::Param || counter.slot >= info.variables) return guess;
  const Term& next = body[body.results[counter.slot + 1]];
  if (!is_op(next, Op::add_) || body[body.args(next)[0]].kind != Kind::Param || body[body.args(next)[0]].slot != counter.slot) return guess;
  const auto first = number(fn[fn.args(loop)[counter.slot]]), last = known(body.args(condition)[1]), step = known(body.args(next)[1]);
  return first && last && step && *step > 0 ? std::max(1.0, (*last - *first) / *step) : guess;
}

}  // namespace

std::vector<FunctionWriter::Operand> FunctionWriter::write_loop(Values& values, const Term& term) {
  const Fn& fn = *values.site.fn;
  const Fn::LoopInfo& info = fn.loops[term.slot];
  const std::span<const Id> args = fn.args(term);
  std::vector<Operand> variables, params;
  for (uint32_t k = 0; k < args.size(); k++) {
    const Operand init = values.of_term[args[k]][0];
    if (k < info.variables) {
      variables.push_back(registers.take());
      emit(code_move, variables.back(), {init});
    }
    params.push_back(k < info.variables ? variables.back() : init);
  }
  const uint32_t top = here();
  const double runs = runs_;
  runs_ *= iterations(fn, term);
  const std::vector<Operand> results = call(values.site.loops[term.slot], params);
  runs_ = runs;
  const uint32_t exit = here();
  emit(code_jump_unless, 0, {results[0]});
  assign(variables, {results.begin() + 1, results.end()});
  emit(code_jump, 0, {}, top);
  code_.instructions[exit].extra = here();
  for (Operand r : results) registers.release(r);
  return variables;
}

// Assigns all variables at once: a next value that is itself a variable is copied first.
void FunctionWriter::assign(const std::vector<Operand>& variables, const std::vector<Operand>& next) {
  auto move = [&](Operand to, Operand from) { emit(code_move, to, {from}); };
  std::vector<Operand> from = next, aside;
  for (size_t k = 0; k < variables.size(); k++) {
    if (next[k] == variables[k] || std::ranges::find(variables, next[k]) == variables.end()) continue;
    aside.push_back(registers.take());
    move(aside.back(), next[k]);
    from[k] = aside.back();
  }
  for (size_t k = 0; k < variables.size(); k++)
    if (from[k] != variables[k]) move(variables[k], from[k]);
  for (Operand r : aside) registers.release(r);
}

std::vector<FunctionWriter::Operand> FunctionWriter::call(const Site& site, std::vector<Operand> params, bool folds) {
  const bool folds_outside = std::exchange(folds_, folds);
  Values values(site, std::move(params));
  const Fn& fn = *site.fn;
  for (Id id = 0; id < fn.terms.size(); id++)
    for (Id arg : fn.args(id)) values.uses[arg]++;
  for (Id id : fn.results) values.uses[id]++;
  write(values, std::vector<bool>(fn.terms.size(), true));
  std::vector<Operand> results;
  for (Id id : fn.results) {
    results.push_back(values.of_term[id][0]);
    registers.hold(results.back());
    drop(values, id);
  }
  folds_ = folds_outside;
  return results;
}

}  // namespace wf::cuda
