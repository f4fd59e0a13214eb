#include "cpu/program/finish.h"

#include <array>
#include <cstring>
#include <numeric>

#include "expr/terms.h"

namespace wf::cpu {
namespace {

bool needs_program(const Fn& fn) {
  for (const Term& term : fn.terms)
    if (is_repeated(term) || term.kind == Kind::Foreign) return true;
  return false;
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

}  // namespace

ScalarFunction::ScalarFunction(FnRef fn) : fn_(std::move(fn)) {
  if (!needs_program(*fn_)) return;
  std::vector<uint32_t> all(fn_->results.size());
  std::iota(all.begin(), all.end(), 0u);
  program_ = BlockProgram::compile(*fn_, all, false);
}

void ScalarFunction::operator()(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results,
                                RangeFault& fault, std::span<const Bits64> arguments) const {
  if (program_) by_program(params, inputs, results, fault, arguments);
  else term_by_term(params, inputs, results, fault, arguments);
}

void ScalarFunction::term_by_term(std::span<const Bits64> params, std::span<const InputView> inputs, std::span<Bits64> results,
                                  RangeFault& fault, std::span<const Bits64> arguments) const {
  const Fn& fn = *fn_;
  std::array<Bits64, 64> few;
  std::vector<Bits64> many(fn.terms.size() > few.size() ? fn.terms.size() : 0);
  Bits64* value = many.empty() ? few.data() : many.data();
  const auto& single = loops().single;
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& term = fn[id];
    std::span<const Id> args = fn.args(term);
    auto arg = [&](size_t k) { return k < args.size() ? value[args[k]] : Bits64(0); };
    switch (term.kind) {
      case Kind::Param: value[id] = params[term.slot]; break;
      case Kind::Literal: value[id] = term.bits; break;
      case Kind::Argument: value[id] = arguments[term.slot]; break;
      case Kind::Apply: value[id] = single[int(term.op)][int(computed_in(fn, term))](arg(0), arg(1), arg(2)); break;
      case Kind::Cast: value[id] = convert(fn[args[0]].type, term.type, arg(0)); break;
      case Kind::Length: value[id] = to_bits(inputs[term.slot].length); break;
      case Kind::Check: {
        int64_t index = from_bits<int64_t>(arg(0)), length = from_bits<int64_t>(arg(1));
        bool guard = arg(2) & 1;
        if (guard && (index < 0 || index >= length) && fault.at < 0) fault = {0, index, length};
        value[id] = arg(0);
        break;
      }
      case Kind::Require: value[id] = arg(0); break;
      case Kind::At: value[id] = element(inputs[term.slot], term.type, from_bits<int64_t>(arg(0))); break;
      case Kind::Loop:
      case Kind::Fold:
      case Kind::Pick:
      case Kind::Foreign: break;  // see needs_program
    }
  }
  for (size_t k = 0; k < fn.results.size(); k++) results[k] = value[fn.results[k]];
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
