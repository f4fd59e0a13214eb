// A kernel compiled for the block evaluator; shared by all runs and threads, and cached for the next kernel with its structure.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/native/native_program.h"
#include "cpu/native/tier.h"
#include "cpu/neighbours.h"
#include "cpu/program/columns.h"
#include "cpu/program/permuted.h"
#include "cpu/reductions/decisive.h"
#include "cpu/reductions/selection.h"
#include "cpu/row_elements.h"
#include "engine/engine.h"

namespace wf::cpu {

class Worker;

// The bytes that pass through the caches if every index writes its outputs and reads one element of each input.
int64_t traffic_bytes(const Launch& launch);

// The division of a scan along an axis into chunks (scan.h).
enum class WayAlong : uint8_t { whole, parts, strips, rows };

struct CompiledKernel {
  // n: the number of elements of its first run, for which it may have further code.
  CompiledKernel(const Kernel& kernel, int64_t n);
  ~CompiledKernel();

  // Elements per chunk: a multiple of the block, or any number if the body has folds or loops. If results depend on the chunks, it depends on
  // the kernel and on lengths alone, so that a result does not depend on scheduling.
  int64_t chunk_length(const Launch& launch) const;
  // The number of chunks of a scan in strips, each of so many neighbouring columns; nothing for any other kernel.
  std::optional<int64_t> strips(int64_t n, int64_t width) const;
  // How n elements are scanned, if the kernel scans along an axis.
  WayAlong way_along(int64_t n) const;

  // Returns true if the time per element is known only by running: the body has loops.
  bool has_unknown_cost() const { return loops_; }
  // Returns true if so many chunks take less than 50 us by the cost of an element.
  bool is_short(int64_t chunks) const;
  // Nanoseconds of work that repay waking all threads.
  static int64_t time_that_repays();
  // Returns true if so many elements repay waking threads, by the time that was noted last; false if none was.
  bool repays_threads(int64_t elements) const;
  void note_time(int64_t elements, int64_t nanoseconds) const;

  // The idle worker that was given back with this number, which the core's cache may contain, or a new one.
  std::unique_ptr<Worker> take_worker(int number) const;
  void give_back(int number, std::unique_ptr<Worker> worker) const;

  // Returns an estimate of the nanoseconds that compile_native() takes.
  int64_t price_of_native() const;
  // Compiles the kernel's programs to native code for later runs. Without LLVM, or if they are too long, they stay interpreted.
  void compile_native() const;
  // Returns true if runs that begin now use native code.
  bool is_native() const;

  Kernel kernel;
  std::shared_ptr<const BlockProgram> program;  // the body. Phase 0: the scanned values (all results, without a scan); phase 1: the rest
  int64_t block;                                // elements per run of the body
  std::unique_ptr<const Combine> scan;          // null: none
  std::vector<std::unique_ptr<const Combine>> reductions;
  Replacements replacements;       // of a kernel that selects an element
  std::vector<Decisive> decisive;  // per reduction, if chunks may be left out
  std::optional<ScalarFunction> finish;
  std::optional<ElementCode> elements;
  std::optional<Neighbours> neighbours;
  std::optional<PermutedCopy> permuted;
  std::vector<bool> exclusive_used, inclusive_used;  // per scan column: the body reads it
  std::vector<bool> law_inclusive;                   // per reduction by law: it reads the inclusive prefix
  bool has_phase_1 = false;                          // there are results other than the scanned values
  bool ends_in_tree;                                 // native code combines the only sink's elements in a tree with the body
  bool only_stores;                                  // of the body's results, for all elements
  bool stores_rows;                                  // the totals of rows are the results, and are only stored
  bool spans;                                        // results do not depend on the lengths of blocks
  bool phase_1_by_law = false;                       // there are results other than those and the reductions by law
  std::vector<Type> result_types;                    // of the body
  mutable std::optional<native::Tier> tier;

 private:
  int64_t cost_of_folding() const;
  int64_t smallest_chunk(const Launch& launch) const;
  int64_t chunk_of_rows(const Launch& launch) const;
  int64_t chunk_of_vectors(const ScanAxis& axis, int64_t n) const;
  int64_t chunk_of_loops(int64_t n) const;
  int64_t chunk_of(int64_t wanted, int64_t smallest, int64_t n) const;
  std::vector<std::shared_ptr<const BlockProgram>> programs() const;
  std::optional<native::Epilogue> epilogue() const;
  std::vector<native::Ending> endings() const;

  int64_t cost_, largest_chunk_;    // of an element, in additions; of a chunk
  std::vector<uint32_t> gathered_;  // the inputs that the body reads at any indices, once for each such read
  bool is_chained_;                 // chunks wait for each other
  bool folds_, goes_across_;
  bool loops_;                                   // the body has loops, but no folds
  bool cuts_blocks_;                             // blocks may be cut between tiles: native code may fold the reductions with the body
  bool shares_blocks_;                           // threads share the folds of a block of rows, so that one chunk suffices
  mutable std::atomic<int64_t> vector_time_{0};  // nanoseconds of a vector of elements
  static constexpr int most_idle = 2;
  mutable std::atomic<Worker*> idle_[most_idle] = {};  // by number
};

}  // namespace wf::cpu
