// Writes a program's places, registers and instructions. The compiler decides their order and operands.
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

  // Sets the phase to which instructions are appended, and the guard of the blocks that need them.
  void enter(Phase& phase) { phase_ = &phase; }
  Phase& phase() { return *phase_; }
  // Returns the previous guard.
  GuardId guard_by(GuardId guard) { return std::exchange(guard_, guard); }

  // Begins an instruction that reads `operands`. finish adds its outputs and appends it to the phase; set_up appends it to the
  // instructions that run when inputs are bound.
  Instruction begin(Instruction instruction, std::span<const PlaceId> operands);
  uint32_t finish(Instruction instruction, std::span<const PlaceId> outs);
  void set_up(Instruction instruction, PlaceId out);

  PlaceId new_register(Type type);  // from the free list, if that is not empty
  void free_register(PlaceId place);
  uint32_t reserve(Type type);  // memory for a block; returns its offset in bytes per element
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
