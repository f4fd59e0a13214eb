// One thread's state of a program.
#pragma once

#include <memory>
#include <vector>

#include "cpu/compile.h"

namespace wf::cpu {

// What a loop needs beside its body's frame: the variables twice (before and after a step), and which elements still run.
struct LoopState {
  Frame body;
  std::vector<Tile> variables;
  alignas(64) unsigned char active[loop_part];
};

struct Frame::Impl {
  explicit Impl(std::shared_ptr<const Program> program);

  void bind_inputs(std::span<const InputView> views);
  void run_phase(const Phase& phase, int64_t begin, int64_t count);

  std::shared_ptr<const Program> program;
  const Program::Impl& code;
  std::unique_ptr<Tile[]> memory;  // registers and spares
  std::vector<Tile> uniforms;
  std::vector<Operand> places;     // of each place, where it lies now
  std::vector<Operand> operands;   // of the instruction that is running
  std::vector<InputView> inputs;
  std::vector<std::unique_ptr<LoopState>> loop_states;
  const unsigned char* active = nullptr;  // inside a loop: which elements count; null: all
  RangeFault fault;

 private:
  void place_stream(const Stream& stream, int64_t begin, int64_t count);
  void execute(const Instruction& instruction, int64_t begin, int64_t count);
  void check(const Instruction& instruction, int64_t begin, int64_t count);
  void check_bounds(const Instruction& instruction, int64_t begin, int64_t count);
  void iterate(const Instruction& instruction, int64_t begin, int64_t count);
  void iterate_part(const Instruction& instruction, LoopState& state, int64_t first, int64_t begin, int64_t count);
  void call_foreign(const Instruction& instruction, int64_t count);
  void record(int64_t at, int64_t index, int64_t length);
  int64_t value_of(const Base& base) const;
  void* memory_of(PlaceId place) const { return const_cast<void*>(places[place].data); }
  const Operand* gather_operands(const Instruction& instruction);
};

}  // namespace wf::cpu
