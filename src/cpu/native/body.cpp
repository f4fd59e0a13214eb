#include "cpu/native/body.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cpu/native/operations.h"
#include "cpu/native/stretches/linear_code.h"

namespace wf::cpu::native {

// The body of a data-dependent loop. Its parameters are values of the surrounding body.
class LoopBody : public Body {
 public:
  LoopBody(Body& outer, const BlockProgram::Impl& program) : Body(outer.lanes(), program), outer_(outer) {
    for (const Instruction& instruction : program.setup.code) write(instruction, {});
  }

 protected:
  Value fetch(LocationId location, Type type) override { return literal(location, type); }
  Value same_for_all(const Instruction& instruction, Type type) override { return outer_.same_for_all(instruction, type); }
  Value gather(uint32_t input, Type type, const Value& indices) override { return outer_.gather(input, type, indices); }
  Value check(const Value& indices, const Value& lengths, const Value& wanted) override { return outer_.check(indices, lengths, wanted); }
  // Not covered:
  Value count(const Walk&) override { return {}; }

 private:
  Body& outer_;
};

namespace {

// A vector's lanes are elements of at most two runs of the walk.
bool covers_walk(const Walk& walk, Isa isa) {
  return !walk.has_argument() && (walk.axes.size() == 1 || walk.axes[0].extent >= bytes_of_vector(isa));
}

bool is_covered_in_loops(const Instruction& instruction) {
  return instruction.predicate == always && instruction.kind != Instruction::Kind::Count;
}

bool covers_all(const BlockProgram::Impl& program, const Phase& phase, Isa isa) {
  return phase.streams.empty() && std::ranges::all_of(phase.code, [&](const Instruction& instruction) {
           return is_covered_in_loops(instruction) && covers(program, instruction, isa);
         });
}

bool is_cheap_index(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  switch (instruction.kind) {
    case Instruction::Kind::Plain: return operation.form != Operation::Form::Apply || info(operation.op).cost == Cost::simple;
    case Instruction::Kind::Iota:
    case Instruction::Kind::Count:
    case Instruction::Kind::Gather: return true;
    default: return false;
  }
}

bool covers_setup(const Phase& setup, Isa isa) {
  return std::ranges::all_of(setup.code, [&](const Instruction& instruction) {
    switch (instruction.kind) {
      case Instruction::Kind::Argument:
      case Instruction::Kind::Length: return true;
      case Instruction::Kind::Plain: return covers(instruction.operation, isa);
      default: return false;
    }
  });
}

// Returns true if the code checks elements' indices.
bool has_checks(const BlockProgram::Impl& program) {
  const auto checks = [&](const Instruction& i) {
    if (i.kind == Instruction::Kind::Iterate) return has_checks(program.loops[i.detail].body->impl());
    return i.kind == Instruction::Kind::Check;
  };
  return std::ranges::any_of(program.phases[0].code, checks) || std::ranges::any_of(program.phases[1].code, checks);
}

}  // namespace

bool covers(const BlockProgram::Impl& program, const Instruction& instruction, Isa isa) {
  switch (instruction.kind) {
    case Instruction::Kind::Plain:
    case Instruction::Kind::Select: return covers(instruction.operation, isa);
    case Instruction::Kind::Count: return covers_walk(program.walks[instruction.detail], isa);
    case Instruction::Kind::Iota:
    case Instruction::Kind::Gather:
    case Instruction::Kind::Check: return true;
    case Instruction::Kind::Iterate: {
      const BlockProgram::Impl& body = program.loops[instruction.detail].body->impl();
      return body.row_setup.code.empty() && covers_setup(body.setup, isa) && covers_all(body, body.phases[0], isa) &&
             covers_all(body, body.phases[1], isa);
    }
    default: return false;
  }
}

std::vector<ReadAhead> reads_ahead(const BlockProgram::Impl& program, std::span<const Instruction> code, const LinearCode& linear) {
  constexpr size_t most = 16;
  std::vector<bool> is_needed(program.locations.size());
  std::vector<ReadAhead> ahead;
  for (size_t at = code.size(); at-- > 0;) {
    const Instruction& instruction = code[at];
    const auto operands = program.operands.begin() + instruction.operands, outs = program.operands.begin() + instruction.outs;
    const bool computes_index = std::any_of(outs, outs + instruction.out_count, [&](LocationId out) { return is_needed[out]; });
    if (!computes_index && (instruction.kind != Instruction::Kind::Gather || linear.facts[at].is_linear)) continue;
    if (computes_index && !is_cheap_index(instruction)) return {};
    ahead.push_back({&instruction, !computes_index});
    std::for_each(outs, outs + instruction.out_count, [&](LocationId out) { is_needed[out] = false; });
    std::for_each(operands, operands + instruction.operand_count, [&](LocationId operand) { is_needed[operand] = true; });
  }
  if (ahead.size() > most) return {};
  std::ranges::reverse(ahead);
  return ahead;
}

Value Body::read(LocationId location, Type type) {
  if (known_[location].value.empty()) known_[location] = {fetch(location, type), type};
  return known_[location].value;
}

Value Body::literal(LocationId location, Type type) const {
  Bits64 bits = 0;
  std::memcpy(&bits, program_.literals[program_.locations[location].index].bytes, size_of(type));
  const Value value = lanes_.constant(type, bits);
  if (!is_nan(type, bits)) lanes_.note_number(value);
  return value;
}

void Body::write(const Instruction& instruction, const Position& position) {
  switch (instruction.kind) {
    case Instruction::Kind::Plain:
    case Instruction::Kind::Select: {
      const Operation& operation = instruction.operation;
      const bool applies = operation.form == Operation::Form::Apply;
      std::vector<Value> operands;
      for (uint32_t k = 0; k < instruction.operand_count; k++) {
        const bool is_condition = applies && operation.op == Op::where_ && k == 0;
        operands.push_back(read(operand(instruction, k), is_condition ? Type::Bool : operation.type));
      }
      Type type = operation.type;
      if (applies) type = result_type(operation.op, type);
      if (operation.form == Operation::Form::Cast) type = operation.to;
      set(out(instruction, 0), type, write_operation(lanes_, operation, operands));
      const bool counts = operation.form == Operation::Form::Cast && operation.type == Type::Bool && is_in(type, Int);
      if (counts) known_[out(instruction, 0)].mask = operands[0];
      return;
    }
    case Instruction::Kind::Iota: return set(out(instruction, 0), Type::I64, position.index);
    case Instruction::Kind::Count: return set(out(instruction, 0), Type::I64, count(program_.walks[instruction.detail]));
    case Instruction::Kind::Iterate: return iterate(instruction, position);
    case Instruction::Kind::Gather: {
      const Type type = instruction.operation.type;
      return set(out(instruction, 0), type, gather(instruction.detail, type, read(operand(instruction, 0), Type::I64)));
    }
    case Instruction::Kind::Check: {
      const Value indices = read(operand(instruction, 0), Type::I64), lengths = read(operand(instruction, 1), Type::I64);
      const Value guard = read(operand(instruction, 2), Type::Bool);
      const Value failed = check(indices, lengths, lanes_.two("and", Type::Bool, guard, position.inside));
      failed_ = failed_.empty() ? failed : lanes_.two("or", Type::Bool, failed_, failed);
      return;
    }
    case Instruction::Kind::Argument:
    case Instruction::Kind::Length: {
      const Type type = program_.locations[out(instruction, 0)].type;
      return set(out(instruction, 0), type, same_for_all(instruction, type));
    }
    default: return;  // not covered, or not computed by the group
  }
}

// All lanes iterate together until the condition of each is false, or a check of it has failed. A finished lane keeps its values.
void Body::iterate(const Instruction& instruction, const Position& position) {
  const LoopCode& loop = program_.loops[instruction.detail];
  const BlockProgram::Impl& inner = loop.body->impl();
  const auto variables = uint32_t(loop.variables.size());
  std::vector<Value> first, current, next;
  LoopBody body(*this, inner);
  for (uint32_t k = 0; k < instruction.operand_count; k++) {
    const LocationId param = inner.params[k];
    if (k < variables) first.push_back(read(operand(instruction, k), loop.variables[k]));
    else if (param != no_location) body.set(param, inner.locations[param].type, read(operand(instruction, k), inner.locations[param].type));
  }
  auto without_failed = [&](const Value& lanes, const Value& failed) {
    return failed.empty() ? lanes : lanes_.two("and", Type::Bool, lanes, lanes_.two("xor", Type::Bool, failed, lanes_.number(true)));
  };
  const Value enters = without_failed(position.inside, failed_);
  const std::string number = lanes_.fresh().substr(1), before = lanes_.block();
  const std::string head = "head_" + number, step = "step_" + number, done = "done_" + number;
  lanes_.line("br label %" + head);
  // The head's choices precede its instructions, and are known after those of the step.
  std::string text, choices;
  std::string* outside = lanes_.write_to(&text);
  lanes_.begin_block(head);
  for (uint32_t k = 0; k < variables; k++) {
    current.push_back(lanes_.fresh());
    if (inner.params[k] != no_location) body.set(inner.params[k], loop.variables[k], current[k]);
  }
  const Value was_running = lanes_.fresh(), had_failed = has_checks(inner) ? lanes_.fresh() : Value();
  body.failed_ = had_failed;
  for (const Instruction& i : inner.phases[0].code) body.write(i, {position.index, was_running});
  const Value has_failed = body.failed_, goes_on = lanes_.two("and", Type::Bool, was_running, body.read(inner.results[0], Type::Bool));
  const Value running = without_failed(goes_on, has_failed);
  lanes_.line("br i1 " + lanes_.any(running) + ", label %" + step + ", label %" + done);
  lanes_.begin_block(step);
  for (const Instruction& i : inner.phases[1].code) body.write(i, {position.index, running});
  for (uint32_t k = 0; k < variables; k++)
    next.push_back(lanes_.select(running, loop.variables[k], body.read(inner.results[1 + k], loop.variables[k]), current[k]));
  lanes_.line("br label %" + head);
  const std::string after = lanes_.block(), label = head + ":\n";
  lanes_.write_to(&choices);
  auto choose = [&](const Value& name, Type type, const Value& initial, const Value& later) {
    lanes_.line(name + " = phi " + lanes_.vector(type) + " [ " + initial + ", %" + before + " ], [ " + later + ", %" + after + " ]");
  };
  for (uint32_t k = 0; k < variables; k++) choose(current[k], loop.variables[k], first[k], next[k]);
  choose(was_running, Type::Bool, enters, running);
  if (!had_failed.empty()) choose(had_failed, Type::Bool, failed_.empty() ? lanes_.number(false) : failed_, body.failed_);
  lanes_.write_to(outside);
  outside->append(label).append(choices).append(text, label.size());
  lanes_.begin_block(done);
  if (!has_failed.empty()) failed_ = has_failed;
  for (uint32_t k = 0; k < variables; k++) set(out(instruction, k), loop.variables[k], current[k]);
}

}  // namespace wf::cpu::native
