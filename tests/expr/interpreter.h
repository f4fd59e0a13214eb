// Slow evaluators of one call of a function. Strict: every term is computed, as in the engines, and a Check counts if its guard
// holds. Lazy: only terms that the results need are computed, so a Check counts if its element is chosen.
#pragma once

#include <map>
#include <vector>

#include "expr/fn.h"

namespace interpreter {

using namespace wf;
using Data = std::vector<std::vector<std::vector<Bits64>>>;  // [slot][column][index]

struct Outcome {
  std::vector<Bits64> results;
  bool is_out_of_range = false;
};

class Call {
 public:
  Call(const Fn& f, std::vector<Bits64> args, const Data& data, bool is_lazy, bool& fault)
      : f_(f), args_(std::move(args)), data_(data), is_lazy_(is_lazy), fault_(fault) {
    if (!is_lazy)
      for (Id id = 0; id < f.terms.size(); id++) values(id);
  }
  Bits64 value(Id id) { return values(id).at(0); }

 private:
  const std::vector<Bits64>& values(Id id) {
    auto known = known_.find(id);
    if (known == known_.end()) known = known_.emplace(id, compute(id)).first;
    return known->second;
  }

  std::vector<Bits64> compute(Id id) {
    const Term& t = f_[id];
    std::span<const Id> x = f_.args(t);
    switch (t.kind) {
      case Kind::Param: return {args_[t.slot]};
      case Kind::Literal: return {t.bits};
      case Kind::Argument: throw std::logic_error("this interpreter does not evaluate arguments");
      case Kind::Apply: {
        if (is_lazy_ && t.op == Op::where_) return {value(x[value(x[0]) ? 1 : 2])};
        // The right operand counts only if the left one does not decide.
        if (is_lazy_ && t.type == Type::Bool && (t.op == Op::and_ || t.op == Op::or_) && value(x[0]) == Bits64(t.op == Op::or_))
          return {value(x[0])};
        Bits64 b[3] = {};
        for (size_t k = 0; k < x.size(); k++) b[k] = value(x[k]);
        return {evaluate(t.op, f_[x.back()].type, b[0], b[1], b[2])};
      }
      case Kind::Cast: return {convert(f_[x[0]].type, t.type, value(x[0]))};
      case Kind::Length: return {data_[t.slot][0].size()};
      case Kind::Check: {
        const int64_t i = int64_t(value(x[0])), n = int64_t(value(x[1]));
        if ((i < 0 || i >= n) && value(x[2])) fault_ = true;
        return {Bits64(i)};
      }
      case Kind::Require:
        for (Id other : x) value(other);
        return {value(x[0])};
      case Kind::At: {
        const std::vector<Bits64>& column = data_[t.slot][t.column];
        const Bits64 i = value(x[0]);
        return {i < column.size() ? column[i] : 0};
      }
      case Kind::Loop: {
        const Fn::LoopInfo& loop = f_.loops[t.slot];
        std::vector<Bits64> state;
        for (Id y : x) state.push_back(value(y));
        while (true) {
          Call body(*loop.body, state, data_, is_lazy_, fault_);
          if (!body.value(loop.body->results[0])) break;
          std::vector<Bits64> next = state;
          for (uint32_t k = 0; k < loop.variables; k++) next[k] = body.value(loop.body->results[k + 1]);
          state = next;
        }
        state.resize(loop.variables);
        return state;
      }
      case Kind::Fold: {
        const Fn::LoopInfo& fold = f_.loops[t.slot];
        std::vector<Bits64> state = fold.identity, args;
        for (Id y : x) args.push_back(value(y));
        const auto count = int64_t(args[0]);
        for (int64_t j = 0; j < count; j++) {
          args[0] = Bits64(j);
          Call body(*fold.body, args, data_, is_lazy_, fault_);
          std::vector<Bits64> sides = state;
          for (Id result : fold.body->results) sides.push_back(body.value(result));
          Call combine(*fold.combine, sides, data_, is_lazy_, fault_);
          for (size_t k = 0; k < state.size(); k++) state[k] = combine.value(fold.combine->results[k]);
        }
        return state;
      }
      case Kind::Pick: return {values(x[0]).at(t.slot)};
      case Kind::Foreign: break;
    }
    throw std::logic_error("foreign functions are not interpreted");
  }

  const Fn& f_;
  std::vector<Bits64> args_;
  const Data& data_;
  bool is_lazy_;
  bool& fault_;
  std::map<Id, std::vector<Bits64>> known_;
};

inline Outcome call(const Fn& f, const std::vector<Bits64>& args, const Data& data, bool is_lazy) {
  Outcome outcome;
  Call running(f, args, data, is_lazy, outcome.is_out_of_range);
  for (Id id : f.results) outcome.results.push_back(running.value(id));
  return outcome;
}
inline Outcome strict(const Fn& f, const std::vector<Bits64>& args, const Data& data = {}) { return call(f, args, data, false); }
inline Outcome lazy(const Fn& f, const std::vector<Bits64>& args, const Data& data = {}) { return call(f, args, data, true); }

}  // namespace interpreter
