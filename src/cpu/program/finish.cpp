#include "cpu/program/finish.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>

#include "engine/cancellation.h"
#include "expr/terms.h"

namespace wf::cpu {
namespace {

bool needs_program(const Fn& fn) {
  for (const Term& term : fn.terms)
    if (term.kind == Kind::Fold || term.kind == Kind::Foreign) return true;
  return std::ranges::any_of(fn.loops, [](const Fn::LoopInfo& loop) { return needs_program(*loop.body); });
}

Bits64 element(const InputView& input, Type type, int64_t index) {
  Bits64 bits = 0;
  if (index < 0 || index >= input.length) return bits;
  const size_t size = size_of(type);
  std::memcpy(&bits, static_cast<const char*>(input.data) + size_t(index) * size, size);
  return bits;
}

// The operands of `where` are a bool, then two values of the term's type; the operands of other operations share one type.
Type computed_in(const Fn& fn, const Term& term) { return fn[fn.args(term)[term.count == 3 ? 1 : 0]].type; }

// The sources of values besides parameters.
struct Surroundings {
  std::span<const InputView> inputs;
  std::span<const Bits64> arguments;
  RangeFault& fault;
};

}  // namespace

// One operation on parameters, or a parameter.
struct Simple {
  Single operation;  // null: params[0]
  std::array<uint32_t, 3> params;
};

// The result of a function if it has only one, which is simple.
static std::optional<Simple> simple_result(const Fn& fn) {
  if (fn.results.size() != 1 || fn.params.empty()) return std::nullopt;
  const Term& term = fn[fn.results[0]];
  if (term.kind == Kind::Param) return Simple{nullptr, {term.slot}};
  if (term.kind != Kind::Apply) return std::nullopt;
  Simple result{loops().single[int(term.op)][int(computed_in(fn, term))], {}};
  for (size_t k = 0; k < fn.args(term).size(); k++) {
    const Term& param = fn[fn.args(term)[k]];
    if (param.kind != Kind::Param) return std::nullopt;
    result.params[k] = param.slot;
  }
  return result;
}

// The terms of a function in the order of evaluation: those that do not change while a loop runs, those that the condition of a loop's body
// depends on, and the rest.
struct Terms {
  explicit Terms(FnRef of, const Fn::LoopInfo* loop = nullptr);  // loop: whose body it is
  void run(std::span<const Id> part, std::span<const Bits64> params, std::span<Bits64> values, const Surroundings& around) const;
  void run_loop(Id id, std::span<Bits64> values, const Surroundings& around) const;
  void check(const Term& term, std::span<const Bits64> values, const Surroundings& around) const;

  FnRef fn;
  std::vector<Id> fixed, condition, rest;
  std::vector<Terms> loops;      // by slot
  std::vector<Single> single;    // of each Apply
  std::optional<Simple> simple;  // the result, if that is all
};

Terms::Terms(FnRef of, const Fn::LoopInfo* loop) : fn(std::move(of)), simple(simple_result(*fn)) {
  for (const Fn::LoopInfo& inner : fn->loops) loops.emplace_back(inner.body, &inner);
  const size_t count = fn->terms.size();
  std::vector<bool> decides(count);
  if (loop) decides[fn->results[0]] = true;
  for (Id id = Id(count); id-- > 0;)
    if (decides[id])
      for (Id arg : fn->args((*fn)[id])) decides[arg] = true;
  single.resize(count);
  for (Id id = 0; id < count; id++) {
    const Term& term = (*fn)[id];
    if (term.kind == Kind::Apply) single[id] = cpu::loops().single[int(term.op)][int(computed_in(*fn, term))];
    const bool is_fixed = term.kind == Kind::Literal || term.kind == Kind::Argument || term.kind == Kind::Length ||
                          (term.kind == Kind::Param && (!loop || term.slot >= loop->variables));
    (is_fixed ? fixed : decides[id] ? condition : rest).push_back(id);
  }
}

void Terms::check(const Term& term, std::span<const Bits64> values, const Surroundings& around) const {
  const std::span<const Id> args = fn->args(term);
  const int64_t index = from_bits<int64_t>(values[args[0]]), length = from_bits<int64_t>(values[args[1]]);
  const bool guard = values[args[2]] & 1;
  if (guard && (index < 0 || index >= length) && around.fault.at < 0) around.fault = {0, index, length};
}

void Terms::run(std::span<const Id> part, std::span<const Bits64> params, std::span<Bits64> values, const Surroundings& around) const {
  for (Id id : part) {
    const Term& term = (*fn)[id];
    const std::span<const Id> args = fn->args(term);
    auto arg = [&](size_t k) { return k < args.size() ? values[args[k]] : Bits64(0); };
    switch (term.kind) {
      case Kind::Param: values[id] = params[term.slot]; break;
      case Kind::Literal: values[id] = term.bits; break;
      case Kind::Argument: values[id] = around.arguments[term.slot]; break;
      case Kind::Apply: values[id] = single[id](arg(0), arg(1), arg(2)); break;
      case Kind::Cast: values[id] = convert((*fn)[args[0]].type, term.type, arg(0)); break;
      case Kind::Length: values[id] = to_bits(around.inputs[term.slot].length); break;
      case Kind::Check: check(term, values, around); [[fallthrough]];
      case Kind::Require: values[id] = arg(0); break;
      case Kind::At: values[id] = element(around.inputs[term.slot], term.type, from_bits<int64_t>(arg(0))); break;
      case Kind::Loop: run_loop(id, values, around); break;
      case Kind::Pick:
      case Kind::Fold:
      case Kind::Foreign: break;  // Pick: see run_loop; the others: see needs_program
    }
  }
}

// Stores the variables at the end in the Picks of the loop.
void Terms::run_loop(Id id, std::span<Bits64> values, const Surroundings& around) const {
  const Term& loop = (*fn)[id];
  const Terms& body = loops[loop.slot];
  const size_t variables = body.fn->results.size() - 1;
  std::vector<Bits64> params, inside(body.fn->terms.size());
  for (Id arg : fn->args(loop)) params.push_back(values[arg]);
  body.run(body.fixed, params, inside, around);
  constexpr int64_t steps_between_looks = 1024;
  for (int64_t step = 0;; step++) {
    if (step % steps_between_looks == 0) stop_if_canceled();
    body.run(body.condition, params, inside, around);
    if (!(inside[body.fn->results[0]] & 1) || around.fault.at >= 0) break;
    body.run(body.rest, params, inside, around);
    for (size_t k = 0; k < variables; k++) params[k] = inside[body.fn->results[k + 1]];
  }
  for (Id pick = id + 1; pick < fn->terms.size(); pick++)
    if (const Term& term = (*fn)[pick]; term.kind == Kind::Pick && fn->args(term)[0] == id) values[pick] = params[term.slot];
}

ScalarFunction::ScalarFunction(FnRef fn) : fn_(std::move(fn)) {
  if (!needs_program(*fn_)) {
    terms_ = std::make_unique<const Terms>(fn_);
    return;
  }
  std::vector<uint32_t> all(fn_->results.size());
  std::iota(all.begin(), all.end(), 0u);
  program_ = BlockProgram::compile(*fn_, all, false);
}

ScalarFunction::ScalarFunction(ScalarFunction&&) noexcept = default;
ScalarFunction& ScalarFunction::operator=(ScalarFunction&&) noexcept = default;
ScalarFunction::~ScalarFunction() = default;

void ScalarFunction::operator()(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results,
                                RangeFault& fault, std::span<const Bits64> arguments) const {
  if (program_) return by_program(params, inputs, results, fault, arguments);
  if (terms_->simple) {
    const auto& [operation, slots] = *terms_->simple;
    results[0] = operation ? operation(params[slots[0]], params[slots[1]], params[slots[2]]) : params[slots[0]];
    return;
  }
  std::array<Bits64, 64> few;
  std::vector<Bits64> many(fn_->terms.size() > few.size() ? fn_->terms.size() : 0);
  const std::span<Bits64> values = many.empty() ? std::span<Bits64>(few) : std::span<Bits64>(many);
  const Surroundings around{inputs, arguments, fault};
  for (const std::vector<Id>* part : {&terms_->fixed, &terms_->condition, &terms_->rest}) terms_->run(*part, params, values, around);
  for (size_t k = 0; k < fn_->results.size(); k++) results[k] = values[fn_->results[k]];
}

void ScalarFunction::by_program(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results,
                                RangeFault& fault, std::span<const Bits64> arguments) const {
  Frame frame(program_);
  frame.bind_inputs(inputs, arguments);
  std::vector<std::array<Bits64, tile>> columns(params.size());  // a whole tile is read, of the widest type at most
  for (uint32_t k = 0; k < params.size(); k++) {
    columns[k] = {params[k]};
    frame.bind_param(k, columns[k].data());
  }
  frame.run(0, 0, 1);
  for (uint32_t k = 0; k < fn_->results.size(); k++) {
    results[k] = 0;
    std::memcpy(&results[k], frame.result(k), size_of(fn_->terms[fn_->results[k]].type));
  }
  if (fault.at < 0) fault = frame.fault();
}

}  // namespace wf::cpu
