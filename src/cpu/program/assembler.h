// Writes a program: its places, its registers, its instructions. What is computed where is the compiler's affair.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "cpu/program/instruction.h"

namespace wf::cpu {

class Assembler {
 public:
  explicit Assembler(Program::Impl& program) : program_(program) {}

  // Where instructions go from now on, and which blocks need them.
  void enter(Phase& phase) { phase_ = &phase; }
  Phase& phase() { return *phase_; }
  // Returns the guard until now.
  GuardId guard_by(GuardId guard) { return std::exchange(guard_, guard); }

  // An instruction that reads `operands`; add its outputs, to the phase or to what runs when inputs are bound.
  Instruction begin(Instruction instruction, std::span<const PlaceId> operands);
  uint32_t finish(Instruction instruction, std::span<const PlaceId> outs);
  void set_up(Instruction instruction, PlaceId out);

  PlaceId new_register(Type type);  // a free one, if there is one
  void free_register(PlaceId place);
  uint32_t reserve(Type type);      // memory for a block: its offset in bytes per element
  PlaceId new_uniform(Type type) { return add_place(Place::From::Uniform, type, program_.uniforms++); }
  PlaceId add_place(Place::From from, Type type, uint32_t index);
  PlaceId literal(Type type, Bits64 bits);
  PlaceId number(Type type, double x) { return literal(type, type == Type::F32 ? to_bits(float(x)) : to_bits(x)); }

  bool is_one_tile(PlaceId place) const;
  PlaceId full(PlaceId place);  // the value spread over a whole block

 private:
  void append(Phase& phase, Instruction instruction, std::span<const PlaceId> outs);

  Program::Impl& program_;
  Phase* phase_ = nullptr;
  GuardId guard_ = always;
  std::array<std::vector<PlaceId>, 4> free_;
};

}  // namespace wf::cpu
