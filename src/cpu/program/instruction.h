// The parts of a compiled function: locations, which store operands, and instructions, which read and write locations.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

#include "cpu/loops/loops.h"
#include "cpu/program/block_program.h"
#include "cpu/program/foreign.h"
#include "cpu/program/predicates.h"
#include "expr/indices/walk.h"

namespace wf::cpu {

// Memory for one tile of elements of any type.
struct alignas(64) Tile {
  std::byte bytes[tile * 8];
};

// A tile of 64 copies of the value.
void fill_tile(void* out, Type type, Bits64 bits);

inline int log_size(Type type) { return std::countr_zero(size_of(type)); }

using LocationId = uint32_t;
constexpr LocationId no_location = ~0u;

struct Location {
  enum class From : uint8_t {
    Register,       // a block of elements of the frame
    Literal,        // one tile of the program
    Uniform,        // one tile of the frame, computed when inputs are bound: lengths and values derived from them
    RowUniform,     // the same, computed when a row is entered: values derived from repeated parameters
    Param,          // bound memory
    RepeatedParam,  // bound memory, one tile
    Stream,         // elements of an input at indices of equal distances
  };
  From from;
  Type type;
  // Register: offset in bytes per element of a block; Literal, Uniform, RowUniform: tile number; Param, Stream: its number.
  uint32_t index;
};

// literal + *location: a number that is the same for all elements.
struct Base {
  int64_t literal = 0;
  LocationId location = no_location;
};

// An input read at base + stride * i, or at base + a walk.
struct Stream {
  uint32_t slot;
  Type type;
  int32_t stride;
  Base base;
  LocationId location;
  uint32_t spare;  // a register for blocks that cannot be read in place: offset in bytes per element
  PredicateId predicate;
  uint32_t walk = no_walk;  // of BlockProgram::Impl::walks
  static constexpr uint32_t no_walk = ~0u;
};

// The meaning of a Plain or Select instruction, whose operands have the type `type`.
struct Operation {
  enum class Form : uint8_t {
    Apply,  // op(operands)
    Cast,   // to the type of the output
    Copy,   // of elements as wide as `type`
  };
  Form form;
  Type type;
  Op op = Op::add_;      // of Apply
  Type to = Type::Bool;  // of Cast
};

Loop loop_of(const Operation& operation);  // null if loops() has none

struct Instruction {
  enum class Kind : uint8_t {
    Plain,      // loop(outs[0], operands)
    Select,     // a `where`; copies one operand if choices[detail] has the same outcome for the whole block
    Iota,       // the domain index as a value
    Count,      // walks[detail] as a value
    Length,     // of the input `detail`, on one tile
    Argument,   // argument `detail` of the run, on one tile
    Gather,     // input `detail` at operands[0]
    Check,      // operands index, length, guard
    Bounds,     // operand length; the index is ranges[detail], for every element of the block
    RunBounds,  // the same; the index is walks[detail]
    Iterate,    // loops[detail]; operands: initial values, free values; outs: the variables
    Fold,       // folds[detail]; operands: the count, free values; outs: the columns
    Foreign,    // foreigns[detail]
    Native,     // functions[detail] of the native form
  };
  Kind kind;
  Operation operation = {};                  // of Plain and Select; a Gather's is a copy of its elements
  Loop loop = nullptr;                       // of the operation, or of Gather
  uint32_t operands = 0, operand_count = 0;  // in BlockProgram::Impl::operands
  uint32_t outs = 0, out_count = 0;          // in BlockProgram::Impl::operands too
  uint32_t detail = 0;
  PredicateId predicate = always;
};

inline Instruction plain(const Operation& operation) {
  return {.kind = Instruction::Kind::Plain, .operation = operation, .loop = loop_of(operation)};
}

// An index base + stride * i whose bounds are decided for a whole block at once. stride 0: the same for all elements.
struct IndexRange {
  int32_t stride;
  Base base;
};

// left op right, a comparison of two linear functions of the domain index; see predicates.h.
struct Choice {
  Op op;
  IndexRange left, right;
};

struct LoopCode {
  std::shared_ptr<const BlockProgram> body;  // phase 0: the condition; phase 1: the next values
  std::vector<Type> variables;
};

struct FoldCode;  // folds/fold_code.h

struct Phase {
  std::vector<uint32_t> streams;
  std::vector<Instruction> code;
};

struct BlockProgram::Impl {
  std::vector<Location> locations;
  std::vector<LocationId> operands;
  std::vector<Tile> literals;
  std::vector<Stream> streams;
  std::vector<Walk> walks;
  std::vector<IndexRange> ranges;
  std::vector<Choice> choices;
  std::vector<Predicate> predicates;
  std::vector<LoopCode> loops;
  std::vector<std::shared_ptr<const FoldCode>> folds;
  std::vector<Id> fold_terms;  // of the compiled function, one per fold
  std::vector<std::unique_ptr<ForeignCode>> foreigns;
  Phase setup, row_setup, phases[2];
  std::vector<LocationId> results;
  std::vector<LocationId> params;  // no_location if parameter k is not read
  std::vector<LocationId> bases;   // the same for the base of a parameter that is base + stride * i
  uint32_t uniforms = 0;           // tiles
  bool across_rows = false;        // each run is of the same rows, at another position
  bool reads_inputs = false;       // or arguments; then set up for each run
  uint32_t most_operands = 2;      // of any instruction
  uint32_t bytes_per_element = 0;  // of all registers and spares
  int64_t block = 0;
  int64_t run = 0;  // see BlockProgram::run
};

}  // namespace wf::cpu
