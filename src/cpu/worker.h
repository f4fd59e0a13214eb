// One thread's part of a run: it evaluates chunks and stores their results in the run's record.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "cpu/compiled_kernel.h"
#include "cpu/filter.h"
#include "cpu/law.h"
#include "cpu/reductions/reduce.h"
#include "cpu/reductions/selection.h"
#include "cpu/scan.h"
#include "cpu/threads/chunks.h"
#include "engine/engine.h"
#include "lazy/few.h"

namespace wf::cpu {

// The partial results of one reduction, one tuple per chunk that had an element.
struct Partials {
  ColumnBlock values;
  std::vector<uint8_t> taken;
};

// The method that computes the prefixes of a chunk.
enum class ScanMode : uint8_t {
  none,
  by_law,  // every chunk starts from the identity: law.h
  carry,   // one worker: the carry is passed directly
  along,   // an axis, each vector on its own: scan.h
  chain,   // each chunk is read twice: its sum, then the carry is read from the left and published, then the prefixes
};

// The state that the workers of one run share.
struct Run {
  Run(const CompiledKernel& compiled, const Launch& launch, bool by_law, int workers);
  // Returns true if the results are known without the elements from `begin` on.
  bool is_decided(int64_t begin) const;

  const CompiledKernel& compiled;
  const Launch& launch;
  std::vector<std::vector<PartView>> parts;  // of each input of parts
  Few<InputView> inputs;
  Few<std::byte*> outputs;
  int64_t chunk_length;
  Chunks chunks;
  ScanMode mode;
  Neighbours::Way way;          // of a kernel that reads neighbours
  bool stream;                  // outputs are written past the caches, which do not contain their lines
  std::atomic<int> workers{0};  // those that have begun

  Turn carry_turn;
  std::vector<Bits64> carry;  // after the chunks that have passed
  ColumnBlock carries;        // the same of a scan along an axis in parts
  Turn kept_turn;
  std::vector<int64_t> kept;  // elements that those chunks kept, per compaction
  std::vector<Partials> partials;
  std::vector<std::atomic<int64_t>> ends;  // per decisive reduction: elements from there on do not change its result
  std::atomic<int64_t> left_out{0};        // of the elements
  std::optional<LawResults> law;

  std::mutex fault_mutex;
  RangeFault fault;
};

class Worker {
 public:
  explicit Worker(const CompiledKernel& compiled);

  void begin(Run& run);
  void run_chunk(int64_t chunk);
  void end();
  // Reports to the run the first index out of range in this worker's chunks.
  void note_faults();
  FoldWays fold_ways() const;

  // A reduction's result: total from the only chunk, join from the partial results of all chunks.
  void total(size_t reduction, std::span<Bits64> results);
  void join(size_t reduction, std::span<Bits64> results);

 private:
  void scan_by_law(int64_t begin, int64_t end);
  void scan_with_carry(int64_t begin, int64_t end);
  void scan_arrays(int64_t chunk, int64_t begin, int64_t end);
  void scan_rows(int64_t begin, int64_t end);
  void scan_columns(int64_t strip);
  void scan_in_chain(int64_t chunk, int64_t begin, int64_t end);
  bool restarts_at(int64_t begin, int64_t end);
  void scan_from_restart(int64_t chunk, int64_t begin, int64_t end);
  void scan_blocks(int64_t begin, int64_t end, bool sum);
  void place_prefixes(int64_t at, int64_t count);
  void scanned_values();
  void begin_with_identity(const ColumnBlock& exclusive, int64_t first, int64_t count);
  void begin_arrays_with_identity(int64_t at, int64_t count);
  void scan_block(int64_t begin, int64_t count);
  int64_t room_for(int64_t count) const;
  int64_t run_block(int64_t begin, int64_t end);
  int64_t run_tree(int64_t begin, int64_t end);
  int64_t run_rows_of_matrix(int64_t at, int64_t end);
  int64_t run_row(int64_t begin, int64_t end);
  void run_through_rows(int64_t begin, int64_t end);
  int64_t run_inner(int64_t index, int64_t at, int64_t count);
  void store_edges(int64_t begin, int64_t end);
  void sink_block(int64_t begin, int64_t count, bool folded = false);
  std::byte* output_at(uint32_t output, int64_t at) const;
  bool has_tiles(uint32_t output, int64_t at, int64_t count) const;
  void place_results(Frame& frame, int64_t at, int64_t count);
  void store(uint32_t output, const void* values, int64_t at, int64_t count);
  void store_elements(int64_t begin, int64_t count);
  // Returns true if all chunks on the left have passed, and no other worker has begun, which might wait for this chunk.
  bool is_alone(const Turn& turn, int64_t chunk) const { return turn.is_at(chunk) && run_->workers.load(std::memory_order_relaxed) == 1; }
  void begin_compactions(int64_t chunk);
  void leave_results(int64_t chunk);
  void write_compacted(int64_t chunk);

  const CompiledKernel& compiled_;
  Run* run_ = nullptr;
  Frame frame_;
  std::vector<std::unique_ptr<Reducer>> reducers_;  // one per reduction
  Selector* selector_ = nullptr;                    // the only reducer, if it is one
  std::vector<std::unique_ptr<Compactor>> compactors_;
  bool compacts_directly_ = false;  // the chunk's compactions, into the outputs
  std::unique_ptr<Prefixer> prefixer_;
  std::unique_ptr<LawScan> law_;
  std::optional<ArrayPrefixes> array_prefixes_;    // of a scan along an axis
  std::optional<ColumnPrefixes> column_prefixes_;  // of the same in strips
  std::optional<ElementFrame> elements_;
  std::optional<Frame> inner_, edges_;  // of neighbours
  std::vector<Bits64> inner_arguments_;
  int64_t inner_row_ = -1;
  ColumnBlock exclusive_, inclusive_;
  PrefixTargets targets_;
  struct StoredPrefix {
    uint32_t output;
    int column;
    bool inclusive;
  };
  std::vector<StoredPrefix> stored_prefixes_;  // the outputs that are prefixes as they are, one for each
  std::vector<Bits64> carry_, operands_;
  std::vector<int64_t> offsets_;
  ColumnBlock totals_;                // of rows that are stored past the caches
  std::vector<void*> lanes_;          // of the reductions that native code folds
  std::vector<const void*> columns_;  // scratch for the columns passed to other objects
  std::vector<std::byte*> outputs_;
  RangeFault fault_;
  std::optional<std::chrono::steady_clock::time_point> began_;  // if the run's time counts
};

}  // namespace wf::cpu
