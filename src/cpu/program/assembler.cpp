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

Instruction Assembler::begin(Instruction instruction, std::span<const PlaceId> operands) {
  instruction.operands = uint32_t(program_.operands.size());
  instruction.operand_count = uint32_t(operands.size());
  program_.operands.insert(program_.operands.end(), operands.begin(), operands.end());
  program_.most_operands = std::max(program_.most_operands, instruction.operand_count);
  return instruction;
}

uint32_t Assembler::finish(Instruction instruction, std::span<const PlaceId> outs) {
  instruction.guard = guard_;
  append(*phase_, instruction, outs);
  return phase_->code.back().outs;
}

void Assembler::set_up(Instruction instruction, PlaceId out) { append(program_.setup, instruction, {&out, 1}); }

void Assembler::append(Phase& phase, Instruction instruction, std::span<const PlaceId> outs) {
  instruction.outs = uint32_t(program_.operands.size());
  instruction.out_count = uint32_t(outs.size());
  program_.operands.insert(program_.operands.end(), outs.begin(), outs.end());
  phase.code.push_back(instruction);
}

PlaceId Assembler::new_register(Type type) {
  std::vector<PlaceId>& free = free_[log_size(type)];
  if (free.empty()) return add_place(Place::From::Register, type, reserve(type));
  PlaceId place = free.back();
  free.pop_back();
  return place;
}

void Assembler::free_register(PlaceId place) { free_[log_size(program_.places[place].type)].push_back(place); }

uint32_t Assembler::reserve(Type type) {
  uint32_t offset = program_.bytes_per_element;
  program_.bytes_per_element += uint32_t(size_of(type));
  return offset;
}

PlaceId Assembler::add_place(Place::From from, Type type, uint32_t index) {
  program_.places.push_back({from, type, index});
  return PlaceId(program_.places.size() - 1);
}

PlaceId Assembler::literal(Type type, Bits64 bits) {
  Tile filled;
  fill_tile(&filled, type, bits);
  program_.literals.push_back(filled);
  return add_place(Place::From::Literal, type, uint32_t(program_.literals.size() - 1));
}

bool Assembler::is_one_tile(PlaceId place) const {
  Place::From from = program_.places[place].from;
  return from == Place::From::Literal || from == Place::From::Uniform || from == Place::From::RepeatedParam;
}

PlaceId Assembler::full(PlaceId place) {
  if (!is_one_tile(place)) return place;
  Type type = program_.places[place].type;
  Instruction copy = begin({.kind = Instruction::Kind::Plain, .loop = loops().copy[log_size(type)]}, {&place, 1});
  PlaceId out = new_register(type);
  finish(copy, {&out, 1});
  return out;
}

}  // namespace wf::cpu
