// How a kernel is to be run: its skeleton, how it loads what it reads at its own index, and how much a thread takes at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/kernel.h"

namespace wf::cuda {

enum class Skeleton : uint8_t { Map, Reduce, Scan, Small };

// How an element that a body reads at i, i + c or c - i is loaded.
enum class Load : uint8_t {
  Packed,   // in packs: the address is aligned to 16 bytes, and all indices are inside
  Single,   // one by one, all indices inside
  Guarded,  // one by one with a test; also everything read at other indices
};

// A load of the body at the kernel's own index, forwards or backwards.
struct Stream {
  Id term;
  Load load;
  bool operator==(const Stream&) const = default;
};

constexpr size_t stages = 2;  // tiles that a scan's block holds, as in skeletons/stage.cuh

struct Form {
  Skeleton skeleton = Skeleton::Map;
  bool by_law = false;   // reductions of prefixes by the law, as one reduction
  bool bounded = false;  // so, and no prefix can wrap
  bool by_bytes = false; // by the law, four elements to a word: see bytes.h
  std::vector<Stream> streams;  // Packed and Single ones
  int threads = 256, pack = 1, rows = 1;
  bool rolled = false;   // the body is long and written once, not for each place of a pack
  bool staged = false;   // a reduction in order loads through shared memory
  bool bulk = false;
  int blocks = 0;        // of a reduction, for each multiprocessor; 0: as many as it has places for their threads
  int64_t tile() const { return int64_t(threads) * pack * rows; }
  bool operator==(const Form&) const = default;
};

// Kernels of at most that many elements are run by one block (skeletons/small.cuh), whatever they do.
constexpr int64_t few_elements = 4096;

// Where an input lies and how long it is.
struct Place {
  uint64_t address;
  int64_t length;
};

// A reduction is not commutative, or carries a total and what was found (by the law).
bool reduces_in_order(const Kernel& kernel, bool by_law);

// Of few elements the form depends on nothing else, and the law brings nothing: by_law is then left out.
Form choose_form(const Kernel& kernel, std::span<const Place> inputs, int64_t n, bool by_law);

// The stream in whose shared memory a compaction's output is packed, being of the same type: no other output has it. Nothing where
// there is none.
std::optional<size_t> stream_with_room(const Kernel& kernel, const Form& form, uint32_t output);

// Results of the body that are scanned, and the masks of compactions: what is known before prefixes are.
std::vector<uint32_t> early_values(const Kernel& kernel);
// Every result that a sink reads; by the law what is scanned, in place of its prefixes, which are never computed.
std::vector<uint32_t> sink_values(const Kernel& kernel, bool by_law);
// Which terms of the body are needed for those results.
std::vector<bool> needed_for(const Fn& fn, std::span<const Id> results);
// Which terms depend on a prefix parameter.
std::vector<bool> depends_on_prefix(const Fn& body);

}  // namespace wf::cuda
