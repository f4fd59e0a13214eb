// Slow evaluators of one call of a function. Strict: every term is computed, as in the engines, and a Check counts if its guard
// holds. Lazy: only terms that the results need are computed, once, so a Check counts if its element is chosen. Eager: the same, but free values
// that depend on loops or folds are computed before the first step of the loop or fold that reads them.
#pragma once

#include <algorithm>
#include <functional>
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

enum class Way { Strict, Lazy, Eager };

class Call {
 public:
  using Value = std::function<Bits64()>;
  Call(const Fn& f, std::vector<Value> args, const Data& data, Way way, bool& fault)
      : f_(f), args_(std::move(args)), data_(data), way_(way), fault_(fault) {
    if (way == Way::Strict)
      for (Id id = 0; id < f.terms.size(); id++) values(id);
  }
  Bits64 value(Id id) { return values(id).at(0); }
  static std::vector<Value> known(const std::vector<Bits64>& bits) {
    std::vector<Value> values;
    for (Bits64 x : bits) values.push_back([x] { return x; });
    return values;
  }

 private:
  bool is_lazy() const { return way_ != Way::Strict; }
  const std::vector<Bits64>& values(Id id) {
    auto known = values_.find(id);
    if (known == values_.end()) known = values_.emplace(id, compute(id)).first;
    return known->second;
  }

  std::vector<Bits64> compute(Id id) {
    const Term& t = f_[id];
    std::span<const Id> x = f_.args(t);
    switch (t.kind) {
      case Kind::Param: return {args_[t.slot]()};
      case Kind::Literal: return {t.bits};
      case Kind::Argument: throw std::logic_error("this interpreter does not evaluate arguments");
      case Kind::Apply: {
        if (is_lazy() && t.op == Op::where_) return {value(x[value(x[0]) ? 1 : 2])};
        // The right operand counts only if the left one does not decide.
        if (is_lazy() && t.type == Type::Bool && (t.op == Op::and_ || t.op == Op::or_) && value(x[0]) == Bits64(t.op == Op::or_))
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
        for (uint32_t k = 0; k < loop.variables; k++) state.push_back(value(x[k]));
        for (bool is_first = true;; is_first = false) {
          Call body(*loop.body, with_free(state, x), data_, way_, fault_);
          if (!body.value(loop.body->results[0])) break;
          if (is_first) compute_repeated(x.subspan(loop.variables));
          for (uint32_t k = 0; k < loop.variables; k++) state[k] = body.value(loop.body->results[k + 1]);
        }
        return state;
      }
      case Kind::Fold: {
        const Fn::LoopInfo& fold = f_.loops[t.slot];
        std::vector<Bits64> state = fold.identity;
        const auto count = int64_t(value(x[0]));
        if (count > 0) compute_repeated(x.subspan(1));
        for (int64_t j = 0; j < count; j++) {
          Call body(*fold.body, with_free({Bits64(j)}, x), data_, way_, fault_);
          std::vector<Bits64> sides = state;
          for (Id result : fold.body->results) sides.push_back(body.value(result));
          Call combine(*fold.combine, known(sides), data_, way_, fault_);
          for (size_t k = 0; k < state.size(); k++) state[k] = combine.value(fold.combine->results[k]);
        }
        return state;
      }
      case Kind::Pick: return {values(x[0]).at(t.slot)};
      case Kind::Foreign: break;
    }
    throw std::logic_error("foreign functions are not interpreted");
  }

  // The arguments of a body: its variables, and the free values, which are the operands after them.
  std::vector<Value> with_free(const std::vector<Bits64>& variables, std::span<const Id> operands) {
    std::vector<Value> args = known(variables);
    for (Id x : operands.subspan(variables.size())) args.push_back([this, x] { return value(x); });
    return args;
  }
  bool depends_on_repeated(Id id) const {
    return f_[id].kind == Kind::Loop || f_[id].kind == Kind::Fold ||
           std::ranges::any_of(f_.args(id), [&](Id x) { return depends_on_repeated(x); });
  }
  void compute_repeated(std::span<const Id> free) {
    for (Id x : free)
      if (way_ == Way::Eager && depends_on_repeated(x)) value(x);
  }

  const Fn& f_;
  std::vector<Value> args_;
  const Data& data_;
  Way way_;
  bool& fault_;
  std::map<Id, std::vector<Bits64>> values_;
};

inline Outcome call(const Fn& f, const std::vector<Bits64>& args, const Data& data, Way way) {
  Outcome outcome;
  Call running(f, Call::known(args), data, way, outcome.is_out_of_range);
  for (Id id : f.results) outcome.results.push_back(running.value(id));
  return outcome;
}
inline Outcome strict(const Fn& f, const std::vector<Bits64>& args, const Data& data = {}) { return call(f, args, data, Way::Strict); }
inline Outcome lazy(const Fn& f, const std::vector<Bits64>& args, const Data& data = {}) { return call(f, args, data, Way::Lazy); }
inline Outcome eager(const Fn& f, const std::vector<Bits64>& args, const Data& data = {}) { return call(f, args, data, Way::Eager); }

}  // namespace interpreter
