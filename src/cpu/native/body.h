// The text of a program's instructions on the lanes of one vector. Values that one instruction computes for another stay in registers.
#pragma once

#include <span>
#include <vector>

#include "cpu/loops/isa.h"
#include "cpu/native/lanes.h"
#include "cpu/program/instruction.h"

namespace wf::cpu::native {

struct LinearCode;  // stretches

// Returns true if native code can include the instruction.
bool covers(const BlockProgram::Impl& program, const Instruction& instruction, Isa isa);

// An instruction that computes indices of gathers, or a gather whose elements are prefetched.
struct ReadAhead {
  const Instruction* instruction;
  bool prefetches;
};
// The instructions in order that prefetch the elements of the gathers in the code: its last ones, on whose elements no index depends. Empty if
// there are no gathers but those of stretches, or their indices cost too much to be computed twice.
std::vector<ReadAhead> reads_ahead(const BlockProgram::Impl& program, std::span<const Instruction> code, const LinearCode& linear);

// The position of the lanes in the domain: names of vectors.
struct Position {
  Value index;   // i64: the domain index
  Value inside;  // i1: the lane is an element of the block
};

class Body {
 public:
  Body(Lanes& lanes, const BlockProgram::Impl& program) : lanes_(lanes), program_(program), known_(program.locations.size()) {}
  virtual ~Body() = default;

  void write(const Instruction& instruction, const Position& position);
  Value read(LocationId location, Type type);
  void set(LocationId location, Type type, const Value& value) { known_[location] = {value, type}; }
  void forget() { known_.assign(known_.size(), {}), failed_.clear(); }
  Type type_of_value(LocationId location) const { return known_[location].type; }
  // The vector of bools whose conversion to an integer the value is; empty if it is none.
  const Value& mask_of(LocationId location) const { return known_[location].mask; }

 protected:
  // The value of a location that no instruction has written so far.
  virtual Value fetch(LocationId location, Type type) = 0;
  Value literal(LocationId location, Type type) const;
  // The value of an instruction that is the same for all elements of a run: an argument, or the length of an input.
  virtual Value same_for_all(const Instruction& instruction, Type type) = 0;
  // The elements of an input at the indices, 0 outside of it.
  virtual Value gather(uint32_t input, Type type, const Value& indices) = 0;
  // The index that the walk reaches at each lane.
  virtual Value count(const Walk& walk) = 0;
  // Records the lanes of `wanted`, bools, whose index is not in [0, length), and returns them.
  virtual Value check(const Value& indices, const Value& lengths, const Value& wanted) = 0;
  const BlockProgram::Impl& program() const { return program_; }
  Lanes& lanes() { return lanes_; }

 private:
  friend class LoopBody;
  void iterate(const Instruction& instruction, const Position& position);
  LocationId operand(const Instruction& instruction, uint32_t k) const { return program_.operands[instruction.operands + k]; }
  LocationId out(const Instruction& instruction, uint32_t k) const { return program_.operands[instruction.outs + k]; }

  struct Known {
    Value value;  // empty: unknown
    Type type;
    Value mask = {};
  };
  Lanes& lanes_;
  const BlockProgram::Impl& program_;
  std::vector<Known> known_;  // by location
  Value failed_;              // bools: the lanes of which a check has failed so far; empty: none
};

// A program of parameters and literals alone, whose parameters are set before its instructions are written.
class PureBody : public Body {
 public:
  using Body::Body;

 protected:
  Value fetch(LocationId location, Type type) override { return literal(location, type); }
  // Not covered:
  Value same_for_all(const Instruction&, Type) override { return {}; }
  Value gather(uint32_t, Type, const Value&) override { return {}; }
  Value count(const Walk&) override { return {}; }
  Value check(const Value&, const Value&, const Value&) override { return {}; }
};

}  // namespace wf::cpu::native
