// A group: consecutive instructions of a phase as one native function, which keeps their values in vector registers. It stores only values
// that are read after the group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cpu/loops/isa.h"
#include "cpu/native/lanes.h"
#include "cpu/native/stretches/linear_code.h"
#include "cpu/program/instruction.h"

namespace wf::cpu {
struct Combine;
}

namespace wf::cpu::native {

// The memory that a native function reads and writes. The generated code knows the offsets of its members.
struct Memory {
  const Operand* locations;  // of the frame
  const InputView* inputs;
  const Bits64* arguments;
  void* const* lanes;  // of each ResultFold
  // Called if indices are out of range: bit k is set if index k of element first + k of the block that begins at `begin` is.
  void (*note_outside)(void* frame, int64_t begin, int64_t first, uint64_t bits, const int64_t* indices, const int64_t* lengths);
  void* frame;
};

// A result of phase 0 that native code folds into lanes (loops/fold.h) instead of storing it.
struct ResultFold {
  uint32_t result;
  Op op;
  Type type;
  std::optional<uint32_t> mask = {};  // a result of bools: only elements where it is true are folded
  bool from_nan = false;              // the lanes begin with NaNs
};

// The end of the native function that phase 0 of a program ends in: folds of results.
struct Epilogue {
  std::vector<ResultFold> folds;
  std::vector<bool> read;         // the results that are read from memory as well
  bool selects = false;           // instead, the program is a search: search.h
  const Combine* tree = nullptr;  // instead, the results `values` are combined in a tree: halving.h
  std::vector<uint32_t> values = {};
};

// Computes the elements begin, begin + 1, ..., begin + count - 1 of the domain. Values after them, to the end of the last tile, are undefined.
using Function = void (*)(const Memory*, int64_t begin, int64_t count);

// Returns true if the instruction checks a whole block at once. A group may contain it and does not compute it.
bool is_of_block(const Instruction& instruction);

struct Group {
  std::span<const Instruction> code;
  std::vector<LocationId> live;  // the locations whose values are read after the group
  std::vector<ResultFold> folds = {};
  std::vector<uint32_t> direct = {};  // streams that it reads in their inputs: stretches/linear_code.h
};
LinearCode linear_code_of(const BlockProgram::Impl& program, const Group& group);

// Splits a phase, 0 or 1, into groups and instructions that are interpreted. masked: the program is the body of a loop that is interpreted. Its
// runs include elements that have finished, with which a loop of the body might never end, so such loops are interpreted, too.
std::vector<Group> groups_of(const BlockProgram::Impl& program, int phase, Isa isa, bool masked = false);
// The same of phase 0, the last group of which folds. There is no phase 1.
std::vector<Group> groups_of(const BlockProgram::Impl& program, const Epilogue& epilogue, Isa isa);

// Returns true if stores may limit the group's time, and it stores results alone, which no later instruction of the program reads.
bool may_store_past_caches(const BlockProgram::Impl& program, int phase, const Group& group);

// The text of modules: functions, then the intrinsics that they call.
class ModuleText {
 public:
  ModuleText(Isa isa, bool typed_pointers) : isa_(isa), typed_pointers_(typed_pointers) {}
  Isa isa() const { return isa_; }
  Lanes lanes(int width) const { return Lanes(width, typed_pointers_, reads_ahead_); }
  // The functions that are added from now on prefetch, or do not, what they read in order.
  void read_ahead(bool reads_ahead) { reads_ahead_ = reads_ahead; }
  // Adds a function and what `lanes` declares.
  void add(const std::string& function, const Lanes& lanes);
  // past_caches: the function stores past the caches, to memory that is aligned to 64 bytes.
  void add(const std::string& name, const BlockProgram::Impl& program, const Group& group, bool past_caches = false);
  std::string text() const;

 private:
  Isa isa_;
  bool typed_pointers_, reads_ahead_ = false;
  std::string functions_;
  std::set<std::string> declarations_;
};

}  // namespace wf::cpu::native
