// One thread's state for running a program.
#pragma once

#include <memory>
#include <vector>

#include "cpu/program/compile.h"
#include "cpu/program/panels.h"

namespace wf::cpu {

// The state of a loop in addition to its body's frame, for one part of a block; finished elements may have been removed.
struct LoopState {
  LoopState(const LoopCode& loop, const BlockProgram::Impl& outer, const Instruction& instruction);
  void enter(const Frame::Impl& outer, const Instruction& instruction, int64_t first, int64_t begin, int64_t count);
  void keep_running(const LoopCode& loop, int side, int64_t count);
  // The values of variable k before or after a step; for a free value, side is 0.
  void* value(uint32_t k, int side) { return values[side].data() + k * size_t(part / tile); }

  Frame body;
  int64_t part;             // elements
  std::vector<Type> types;  // variables, then free values
  std::vector<Tile> values[2];
  std::vector<unsigned char> active;
  std::vector<int32_t> positions;  // in the original part
  std::vector<int64_t> indices;    // of the domain
};

class FoldState;  // folds/fold_state.h

// out[k] = element first + stride * k of the input, 0 outside. size: bytes of an element.
void copy_within_bounds(std::byte* out, const InputView& input, size_t size, int64_t first, int64_t stride, int64_t count);

struct Frame::Impl {
  explicit Impl(std::shared_ptr<const BlockProgram> program);
  ~Impl();

  void bind_inputs(std::span<const InputView> views, std::span<const Bits64> values);
  void set_up(const Phase& phase);  // instructions on single tiles
  const Phase* phases() const;      // of the native form, if there is one
  void run_phase(int number, const Phase& phase, int64_t begin, int64_t count);

  std::shared_ptr<const BlockProgram> program;
  const BlockProgram::Impl& code;
  const NativeProgram* native = nullptr;  // null: interpreted
  void* const* lanes = nullptr;           // of run_folding
  std::unique_ptr<Tile[]> memory;         // registers and spares
  std::vector<Tile> uniforms;
  std::vector<Operand> locations;         // per location, its current memory
  std::vector<Operand> operands;          // of the running instruction
  std::vector<Outcome> outcomes;          // per choice, in this block
  std::vector<uint8_t> holds;             // per predicate
  std::vector<std::byte*> spares;         // per stream: the memory for elements that are not read in place
  std::vector<const std::byte*> earlier;  // per stream: its address in the run before, if runs of the program are at growing distances
  std::vector<std::unique_ptr<Panels>> panels;  // per walk that reads a transposed array; empty if there is none
  std::vector<InputView> inputs;
  std::vector<int64_t> segments;  // per stream: the number of the last position, if it numbers segments; else empty
  std::vector<Bits64> arguments;
  std::vector<std::unique_ptr<LoopState>> loop_states;
  std::vector<std::unique_ptr<FoldState>> fold_states;
  // Inside a loop: the mask of active elements (null: all), and their domain indices (null: from `begin` on).
  const unsigned char* active = nullptr;
  const int64_t* indices = nullptr;
  bool may_use_threads = false, past_caches = false;
  int row = 0, next_row = -1;  // of those whose numbers the tiles contain: see Frame::select_row. -1: unknown
  RangeFault fault;

  void record(int64_t at, int64_t index, int64_t length);
  // The number of these elements of the block, from `first` on, that precede the first fault so far. Loops and folds run for no others, whose
  // values do not matter.
  int64_t before_fault(int64_t begin, int64_t first, int64_t count) const;

 private:
  friend class Frame;
  friend struct LoopState;
  void decide(int64_t begin, int64_t count);
  Outcome outcome_of(const Choice& choice, int64_t begin, int64_t count) const;
  void select(const Instruction& instruction, void* out, int64_t count);
  void ask_for_next(uint32_t k, int64_t count);
  const std::byte* in_place(const Stream& stream, int64_t begin, int64_t count) const;
  bool runs_one(const Phase& phase) const;                                      // instruction at most, after decide
  bool needs_no_frame(const Phase& phase, int64_t begin, int64_t count) const;  // if it runs one, after decide: see Frame::span
  bool is_placed(LocationId location) const;                                    // in memory other than the frame's
  bool goes_past_caches(const NativeFunction& f) const;                         // all that it stores is placed
  void place_stream(uint32_t number, int64_t begin, int64_t count);
  void place_segment_numbers(uint32_t stream, int64_t begin, int64_t count);
  void count_walk(const Walk& walk, int64_t* out, int64_t begin, int64_t count) const;
  void place_walk(uint32_t stream, int64_t begin, int64_t count);
  void execute(const Instruction& instruction, int64_t begin, int64_t count);
  void check(const Instruction& instruction, int64_t begin, int64_t count);
  static void note_outside(void* frame, int64_t begin, int64_t first, uint64_t bits, const int64_t* bad, const int64_t* lengths);
  void check_run(int64_t begin, int64_t first, int64_t stride, int64_t count, int64_t length);
  void check_runs(const Instruction& instruction, int64_t begin, int64_t count);
  void check_bounds(const Instruction& instruction, int64_t begin, int64_t count);
  void iterate(const Instruction& instruction, int64_t begin, int64_t count);
  void iterate_part(const Instruction& instruction, LoopState& state, int64_t first, int64_t begin, int64_t count);
  void fold(const Instruction& instruction, int64_t begin, int64_t count);
  bool fold_rows(int64_t begin, int64_t count, std::span<void* const> outs);
  void call_foreign(const Instruction& instruction, int64_t count);
  int64_t value_of(const Base& base) const;
  std::byte* register_memory(LocationId location) const {
    return reinterpret_cast<std::byte*>(memory.get()) + code.locations[location].index * code.block;
  }
  std::byte* spare_of(const Stream& stream) const { return reinterpret_cast<std::byte*>(memory.get()) + stream.spare * code.block; }
  void* memory_of(LocationId location) const { return const_cast<void*>(locations[location].data); }
  const Operand* gather_operands(const Instruction& instruction);
};

}  // namespace wf::cpu
