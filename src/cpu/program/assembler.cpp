#include "cpu/program/assembler.h"

#include <algorithm>
#include <cstring>

namespace wf::cpu {

void fill_tile(void* out, Type type, Bits64 bits) {
  visit(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(static_cast<T*>(out), tile, from_bits<T>(bits));
  });
}

Loop loop_of(const Operation& operation) {
  const int type = int(operation.type);
  switch (operation.form) {
    case Operation::Form::Apply: return loops().op[int(operation.op)][type];
    case Operation::Form::Cast: return loops().cast[type][int(operation.to)];
    case Operation::Form::Copy: return loops().copy[log_size(operation.type)];
  }
  return nullptr;
}

Instruction Assembler::begin(Instruction instruction, std::span<const LocationId> operands) {
  instruction.operands = uint32_t(program_.operands.size());
  instruction.operand_count = uint32_t(operands.size());
  program_.operands.insert(program_.operands.end(), operands.begin(), operands.end());
  program_.most_operands = std::max(program_.most_operands, instruction.operand_count);
  return instruction;
}

uint32_t Assembler::finish(Instruction instruction, std::span<const LocationId> outs) {
  instruction.predicate = predicate_;
  append(*phase_, instruction, outs);
  return phase_->code.back().outs;
}

void Assembler::set_up(Instruction instruction, LocationId out) {
  const std::span operands(program_.operands.data() + instruction.operands, instruction.operand_count);
  const bool of_row = std::ranges::any_of(operands, [&](LocationId operand) {
    const Location::From from = program_.locations[operand].from;
    return from == Location::From::RepeatedParam || from == Location::From::RowUniform;
  });
  if (of_row) program_.locations[out].from = Location::From::RowUniform;
  append(of_row ? program_.row_setup : program_.setup, instruction, {&out, 1});
}

void Assembler::append(Phase& phase, Instruction instruction, std::span<const LocationId> outs) {
  instruction.outs = uint32_t(program_.operands.size());
  instruction.out_count = uint32_t(outs.size());
  program_.operands.insert(program_.operands.end(), outs.begin(), outs.end());
  phase.code.push_back(instruction);
}

LocationId Assembler::new_register(Type type) {
  std::vector<LocationId>& free = free_[log_size(type)];
  if (free.empty()) return add_location(Location::From::Register, type, reserve(type));
  LocationId location = free.back();
  free.pop_back();
  return location;
}

void Assembler::free_register(LocationId location) { free_[log_size(program_.locations[location].type)].push_back(location); }

uint32_t Assembler::reserve(Type type) {
  uint32_t offset = program_.bytes_per_element;
  program_.bytes_per_element += uint32_t(size_of(type));
  return offset;
}

LocationId Assembler::add_location(Location::From from, Type type, uint32_t index) {
  program_.locations.push_back({from, type, index});
  return LocationId(program_.locations.size() - 1);
}

LocationId Assembler::literal(Type type, Bits64 bits) {
  Tile filled;
  fill_tile(&filled, type, bits);
  program_.literals.push_back(filled);
  return add_location(Location::From::Literal, type, uint32_t(program_.literals.size() - 1));
}

bool Assembler::is_one_tile(LocationId location) const {
  Location::From from = program_.locations[location].from;
  return from == Location::From::Literal || from == Location::From::Uniform || from == Location::From::RowUniform ||
         from == Location::From::RepeatedParam;
}

LocationId Assembler::full(LocationId location) {
  if (!is_one_tile(location)) return location;
  Type type = program_.locations[location].type;
  Instruction copy = begin(plain({Operation::Form::Copy, type}), {&location, 1});
  LocationId out = new_register(type);
  finish(copy, {&out, 1});
  return out;
}

}  // namespace wf::cpu
