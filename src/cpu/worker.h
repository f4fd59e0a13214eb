// One thread's part of a run: it takes chunks through the loop and leaves what they give in the run's record.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cpu/chunks.h"
#include "cpu/compiled.h"
#include "cpu/filter.h"
#include "cpu/law.h"
#include "cpu/reduce.h"
#include "cpu/scan.h"
#include "engine/engine.h"

namespace wf::cpu {

// The partial results of one reduction, a tuple for each chunk that had an element.
struct Partials {
  Block values;
  std::vector<uint8_t> taken;
};

// How the prefixes of a chunk come about.
enum class ScanMode : uint8_t {
  none,
  by_law,  // every chunk from the identity: law.h
  carry,   // one worker: the carry goes straight through
  chain,   // each chunk twice: sum it, take the carry from the left and pass it on, then the prefixes
};

// What the workers of one run share.
struct Run {
  Run(const Compiled& compiled, const Launch& launch, bool by_law, int workers);

  const Compiled& compiled;
  const Launch& launch;
  std::vector<InputView> inputs;
  std::vector<std::byte*> outputs;
  int64_t chunk_length;
  Chunks chunks;
  ScanMode mode;
  bool stream;  // outputs are written past the caches

  Turn carry_turn;
  std::vector<Bits64> carry;  // behind the chunks that have passed
  Turn kept_turn;
  std::vector<int64_t> kept;  // of each compaction, by those chunks
  std::vector<Partials> partials;
  std::optional<LawResults> law;

  std::mutex fault_mutex;
  RangeFault fault;
};

class Worker {
 public:
  explicit Worker(const Compiled& compiled);

  void begin(Run& run);
  void run_chunk(int64_t chunk);
  void end();
  // Tells the run of the first index out of range that this worker has seen.
  void note_faults();

  // A reduction's result: of the only chunk, or of the partial results of all.
  void total(size_t reduction, std::span<Bits64> results);
  void join(size_t reduction, std::span<Bits64> results);

 private:
  void scan_by_law(int64_t begin, int64_t end);
  void scan_with_carry(int64_t begin, int64_t end);
  void scan_in_chain(int64_t chunk, int64_t begin, int64_t end);
  void add_to_carry();
  void scanned_values();
  void scan_block(int64_t begin, int64_t count);
  void sink_block(int64_t begin, int64_t count);
  void leave_results(int64_t chunk);
  void write_compacted(int64_t chunk);

  const Compiled& compiled_;
  Run* run_ = nullptr;
  Frame frame_;
  std::vector<std::unique_ptr<Reducer>> reducers_;  // one a reduction
  std::vector<std::unique_ptr<Compactor>> compactors_;
  std::unique_ptr<Reducer> scan_total_;
  std::unique_ptr<Prefixer> prefixer_;
  std::unique_ptr<LawScan> law_;
  Block exclusive_, inclusive_;
  PrefixTargets targets_;
  std::vector<Bits64> carry_, operands_;
  std::vector<int64_t> offsets_;
  std::vector<const void*> columns_;  // of whatever is being handed on
  std::vector<std::byte*> outputs_;
  RangeFault fault_;
};

}  // namespace wf::cpu
