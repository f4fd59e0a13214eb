// A function compiled for evaluation block by block: each instruction is a loop over a block of elements that stays in L1.
//
// A register holds up to block() elements of one type, 64-byte aligned. Instructions work on whole tiles of 64 elements, so a
// register's last tile may contain undefined values after `count`; nothing traps on them. A literal is one tile that
// instructions read repeatedly (stride 0).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cpu/loops/loops.h"  // tile
#include "cpu/program/folds/ways.h"
#include "expr/fn.h"

namespace wf::cpu {

struct PartView {
  const void* data;  // the part's first element
  int64_t begin, end;
  int64_t readable;  // elements from its first one on
};

struct InputView {   // one column of a kernel's input, as At(slot) reads it
  const void* data;  // element 0
  int64_t length;
  int64_t readable = length;  // elements that may be read; those from `length` on are undefined
  bool of_segments = false;   // the data are the offsets at which `length` segments begin: Input::of_segments (plan/kernel.h)
  // If not empty, there are no data, but parts: Input::of_parts.
  std::span<const PartView> parts = {};
  // Returns the part that contains an element.
  const PartView& part_of(int64_t index) const { return *std::ranges::upper_bound(parts, index, {}, &PartView::end); }
};

// The first checked index that was out of range, by domain index.
struct RangeFault {
  int64_t at = -1;  // domain index; -1: none
  int64_t index = 0, length = 0;
};

struct CompileOptions;
struct NativeFunction;  // cpu/native
struct NativeProgram;

class BlockProgram {
 public:
  // Compiles f. Results listed in `early` are computed by phase 0 (they may not depend on parameters from 1 on); all
  // others by phase 1. With `indexed`, parameter 0 is the domain index and costs nothing if it is only used in indices;
  // otherwise all parameters are bound to memory.
  static std::shared_ptr<const BlockProgram> compile(const Fn& f, std::span<const uint32_t> early, bool indexed);
  static std::shared_ptr<const BlockProgram> compile(const Fn& f, const CompileOptions& options);
  ~BlockProgram();

  // Returns true if the program is one fold of the rows of a matrix (folds/matrix_rows.h), which all have as many positions.
  bool folds_rows() const;
  int64_t block() const;  // the most elements per run: a multiple of 64, such that all registers together fit in L1

  // If not 0, runs of the program must not cross multiples of this number of elements: CompileOptions::in_runs.
  int64_t run() const;

  // The native form, or null as long as none is published. Publishing is thread-safe; all but the first native form are dropped.
  const NativeProgram* native() const { return native_.load(std::memory_order_acquire); }
  void publish(std::unique_ptr<const NativeProgram> native) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  BlockProgram();
  std::unique_ptr<Impl> impl_;
  mutable std::atomic<const NativeProgram*> native_{nullptr};
};

// One thread's registers for a program. Not thread-safe; cheap to keep, so each worker keeps one for a whole run.
class Frame {
 public:
  explicit Frame(std::shared_ptr<const BlockProgram> program);
  Frame(Frame&&) noexcept;
  ~Frame();

  // Must be called once before the first run of a program that reads inputs or arguments.
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments = {});
  // Binds the memory of parameter k for the next runs: `count` elements, readable to a multiple of 64 elements.
  void bind_param(uint32_t k, const void* data);
  // The base of parameter k, if it is base + stride * i: one tile.
  void bind_base(uint32_t k, const void* data);
  // Must be called after the memory of repeated parameters has changed, if the program computes values from them alone.
  void enter_row();
  // If repeated parameters are bound to tiles of the values of 64 rows, and the program's numbers are used as bases of streams and ranges
  // alone: the next run is of row `row`, and the one after it of row `next`, or unknown if that is the same.
  void select_row(int row, int next);
  // The tile of a number (a literal, a uniform or a repeated parameter), as the last enter_row has left it.
  const void* number(uint32_t location) const;
  // Lets the runs use further threads; only for a thread that shares its run with no other.
  void may_use_threads(bool may);
  // Evaluates a phase for domain indices [begin, begin + count), count <= block(). Phase 1 may read the values of phase 0 of the
  // same block.
  void run(int phase, int64_t begin, int64_t count);
  // Evaluates phase 0 and folds its results, as the native form does with an epilogue. lanes: of each fold. `count` is a multiple of 64.
  void run_folding(void* const* lanes, int64_t begin, int64_t count);
  // The number of elements, at most `count`, that a run of phase 0, or run_folding, may compute from `begin` on although they are more than a
  // block, since it reads inputs in place and writes only placed results: one instruction, native code that computes all in registers, or a copy.
  // 0: no more than a block. Choices have one outcome in such a run.
  int64_t span(int64_t begin, int64_t count);
  // If the program folds_rows(): evaluates it for any number of indices into outs, the memory of each result. Returns false, and evaluates
  // nothing, if the rows have too many positions.
  bool fold_rows(int64_t begin, int64_t count, std::span<void* const> outs);
  bool folds() const;  // run_folding may be called, from the last bind_inputs on
  // The block's values of result k; valid until the next run. It may be an input's own memory, unaligned and unpadded.
  const void* result(uint32_t k) const;
  // The memory of the input that has these values of result k, if that is an element read in place; else null. Valid after the next run, too.
  const void* in_place(uint32_t k, int64_t begin, int64_t count) const;
  // The next runs compute result k in this memory, aligned to 64 bytes, if the program has a register for it, or copies it from an input. The
  // memory must have space for whole tiles, and be none that the program reads. Null: in the frame again.
  void place_result(uint32_t k, void* memory);
  // The next runs store what native code computes in placed memory past the caches (true), if it can.
  void store_past_caches(bool past);
  // Returns true if they do so for result k, once it is placed, and do not read it.
  bool stores_past_caches(uint32_t k) const;
  const RangeFault& fault() const;  // the first over all runs since inputs were bound, by domain index
  void forget_fault();
  FoldWays fold_ways() const;  // of all runs since inputs were bound, without those of folds inside of loops and folds

  struct Impl;

 private:
  friend struct LoopState;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wf::cpu
