// Writes a program's locations, registers and instructions. The compiler decides their order and operands.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "cpu/program/instruction.h"

namespace wf::cpu {

class Assembler {
 public:
  explicit Assembler(BlockProgram::Impl& program) : program_(program) {}

  // Sets the phase to which instructions are appended, and the predicate of the blocks that need them.
  void enter(Phase& phase) { phase_ = &phase; }
  Phase& phase() { return *phase_; }
  // Returns the previous predicate.
  PredicateId predicate_by(PredicateId predicate) { return std::exchange(predicate_, predicate); }

  // Begins an instruction that reads `operands`. finish adds its outputs and appends it to the phase; set_up appends it to the
  // instructions that run when inputs are bound or, if it depends on a repeated parameter, when a row is entered.
  Instruction begin(Instruction instruction, std::span<const LocationId> operands);
  uint32_t finish(Instruction instruction, std::span<const LocationId> outs);
  void set_up(Instruction instruction, LocationId out);

  LocationId new_register(Type type);  // from the free list, if that is not empty
  void free_register(LocationId location);
  uint32_t reserve(Type type);  // memory for a block; returns its offset in bytes per element
  LocationId new_uniform(Type type) { return add_location(Location::From::Uniform, type, program_.uniforms++); }
  LocationId add_location(Location::From from, Type type, uint32_t index);
  LocationId literal(Type type, Bits64 bits);

  bool is_one_tile(LocationId location) const;
  LocationId full(LocationId location);  // the value spread over a whole block

 private:
  void append(Phase& phase, Instruction instruction, std::span<const LocationId> outs);

  BlockProgram::Impl& program_;
  Phase* phase_ = nullptr;
  PredicateId predicate_ = always;
  std::array<std::vector<LocationId>, 4> free_;
};

}  // namespace wf::cpu
