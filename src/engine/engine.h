// The interface that both engines implement.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "lazy/few.h"
#include "memory/buffer.h"
#include "plan/kernel.h"
#include "plan/routine.h"

namespace wf {

// An index checked inside a kernel was out of range; the message names the first one by domain index.
struct RangeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A RangeError of an index outside [0, length), which a step of a plan found at its own index `at`.
struct IndexFault : RangeError {
  IndexFault(const std::string& message, int64_t index_, int64_t at_, int64_t length_)
      : RangeError(message), index(index_), at(at_), length(length_) {}
  int64_t index, at, length;
};
// A kernel's text does not compile because of a source function in it; the message is the compiler's whole log.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A device, its driver or its compiler is missing or has failed.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct InputPart {
  const Buffer* buffer;
  int64_t offset;  // of the part's first element in the buffer, in elements
  int64_t end;     // of the part in the input
};

struct InputBuffer {
  BufferRef buffer;
  int64_t length;      // elements
  int64_t offset = 0;  // of element 0 in the buffer, in elements
  // In place of the buffer, for an input of parts (Input::of_parts), and each column of a Join: the parts, none of which is empty, one after another.
  std::shared_ptr<const std::vector<InputPart>> parts = nullptr;
};

template <> inline constexpr uint32_t elements_within<InputBuffer> = 4;  // lists of them are on the stack

// One run of a kernel over n indices: [0, n), or [begin, begin + n) of an engine that runs ranges.
struct Launch {
  const Kernel* kernel;
  int64_t n;
  std::span<const InputBuffer> inputs;
  std::span<const BufferRef> outputs;  // one per column of kernel->outputs, each large enough for its elements
  // Written by the run:
  Few<Bits64> scalars = {};              // finish's results
  std::vector<int64_t> counts = {};      // one per compaction: elements written to its outputs
  std::function<double()> elapsed = {};  // the kernel's seconds, if they differ from the duration of run(); waits for its end
  std::string rows = {};                 // who computed the folds of an element, for explain; empty if there are none
  int64_t left_out = 0;                  // indices that were not computed, since they could not change the results
  // Input as well: the values of the kernel's arguments.
  std::span<const Bits64> arguments = {};
  // An output is the buffer of inputs that the kernel reads at their own index alone. Then run() may fail only before it writes.
  bool in_place = false;
  // Input: if not null, run() and call() may return before the checks of their indices are known, and then append an entry (Engine::settle).
  // Functions that the caller runs in the meantime must not depend on the checks for their end, since they may read anything.
  std::vector<uint32_t>* deferred = nullptr;
  // Written by the run, for explain: "native", or "interpreted", perhaps with the reason; empty if the engine does not tell.
  const char* code = "";
  // Input: the first index. Elements are stored at their indices; compactions begin at the outputs' first elements.
  int64_t begin = 0;
  // Input: the prefix before the first index, one value per column of the scan; empty: no element precedes it.
  std::span<const Bits64> scan_start = {};
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  // "cpu", "cuda:0"
  // The device and the compilers of kernels, for people.
  virtual std::string description() const { return name(); }
  // Runs the kernel and fills scalars and counts. Throws RangeError, UnsupportedError, MemoryError; after a throw the
  // outputs are undefined and the engine is unchanged.
  virtual void run(Launch& launch) = 0;
  // Returns true if run() accepts launches with `begin` and `scan_start`, so that a domain may be split. It accepts no range of a kernel that scans
  // along an axis or numbers segments.
  virtual bool runs_ranges() const { return false; }
  // Returns true if run() accepts launches in place.
  virtual bool runs_in_place() const { return false; }
  // The question that a planner asks of kernels that read neighbours in a matrix; null: no kernel shares values among neighbours.
  virtual SharesNeighbours shares_neighbours() const { return nullptr; }
  // Returns true if run() accepts kernels with scatters. An output of a scatter may be the buffer of its base.
  virtual bool scatters_in_kernels() const { return false; }
  // Returns true if the routine Scatter combines floats into any number of elements. Others do into at most 128.
  virtual bool scatters_in_order() const { return false; }
  // Returns true if run() accepts kernels with inputs of segments, whose offsets it checks (Input::of_segments).
  virtual bool numbers_segments() const { return false; }
  // Returns true if call() sorts the wanted positions alone (RoutineCall::wanted).
  virtual bool selects() const { return false; }
  // Returns true if call() sorts rows of n elements of these types each on its own (Routine::Sort with a row's length).
  virtual bool sorts_rows(std::span<const Type>, int64_t /*n*/) const { return false; }
  // Returns true if run() accepts kernels with inputs of parts (Input::of_parts).
  virtual bool reads_parts() const { return false; }
  // Returns true if a fold down a column of a matrix finds it in a cache if an earlier fold of the same kernel has read it. Others read memory again,
  // and run such folds faster as kernels of their own.
  virtual bool keeps_columns() const { return false; }
  // Returns true if run() folds from neutral_start of each identity, and tells no elements from NaNs: the identities are then the results of
  // reductions of no elements, and the exclusive prefixes before the first element. Otherwise kernels are given neutral starts.
  virtual bool knows_identities() const { return false; }
  // The fewest elements of rows whose folds and elements run() computes in one kernel (RowElements) faster than in two.
  virtual int64_t shortest_row() const { return 2; }
  // Returns true if run() is faster with a scan of vectors along this axis than with one scan of all their elements that restarts at each vector.
  virtual bool scans_along(const ScanAxis&, int64_t /*elements*/, const Fn& /*combine*/) const { return false; }
  // Runs a routine on the launch's inputs, the columns of each input sequence side by side, and fills its outputs. The launch's kernel
  // states their types alone. An output of a scatter may be the buffer of its base's column.
  // Throws MemoryError and UnsupportedError.
  virtual void call(const RoutineCall& call, Launch& launch) = 0;
  // Waits for the runs of the calling thread whose checks were deferred, and clears the list. Throws RangeError for the first one that failed.
  virtual void settle(std::vector<uint32_t>& deferred) { deferred.clear(); }
  // Copy bandwidth of this engine in bytes (read + written) per second, measured at the first call.
  virtual double copy_bandwidth() = 0;
};

}  // namespace wf
