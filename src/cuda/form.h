// The form in which a kernel runs: its skeleton, the loads at its own index, and the elements that a thread processes at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/text/row_terms.h"
#include "expr/range.h"
#include "plan/kernel.h"

namespace wf::cuda {

enum class Skeleton : uint8_t { Map, Reduce, Scan, Along, Rows, Small };

// The load of an element that a body reads at i, i + c or c - i.
enum class Load : uint8_t {
  Packed,         // in packs: the address is aligned to 16 bytes, and all indices are in range
  Single,         // one by one; all indices are in range
  BoundsChecked,  // one by one with a bounds check; also all loads at other indices
  Runs,           // along a walk whose runs are whole packs of neighbours, aligned and in range
  Strided,        // along a walk whose runs are whole packs of elements at a fixed distance, in range
  Repeats,        // along a walk whose runs repeat one element for whole packs, in range
  Segments,       // not loaded: the numbers of the segments of indices (Input::of_segments)
};

// A load of the body at the kernel's own index, forwards or backwards, or along a walk (expr/indices/walk.h).
struct Stream {
  Id term;
  Load load;
  int64_t distance = 0;  // of Strided; a literal that the text contains, so that kernels with other distances have other texts
  bool operator==(const Stream&) const = default;
};

// The order in which a map visits the elements if neighbours of its output lie far apart in an input (skeletons/reduce.cuh): in tiles over the
// innermost axis, of extent `inner`, and the axis of the output along which neighbours of the input lie. Its neighbours are `below` apart in
// the output; extent 0: it is the outermost axis.
struct Tiles {
  int64_t inner, below, extent;
  bool operator==(const Tiles&) const = default;
};

// The elements of a map that reads neighbourhoods, as rows (window.h). A thread computes packs below each other in a strip of rows, with indices of
// 32 bits. The others, at the borders, are at most `margin` rows away from the first or last row, or at the ends of the other rows.
struct Window {
  int64_t width;
  int64_t height;  // 0 if strips do not depend on it: there is no margin
  int64_t margin;
  int64_t high;       // rows of a strip
  int64_t together;   // rows that are loaded at once
  int64_t pack;       // columns of a strip
  int64_t alignment;  // elements to which all rows of the inputs are aligned: those of a load, if the element is not too large
  int64_t first() const { return (margin + pack - 1) / pack * pack; }  // column of strips
  int64_t packs() const { return (width - margin - first()) / pack; }  // side by side
  Range columns(int64_t elements) const { return {first(), first() + packs() * pack - elements}; }
  Range rows() const { return {margin, height > 0 ? height - margin - 1 : INT32_MAX}; }
  bool operator==(const Window&) const = default;
};

// A filter whose threads evaluate packs of elements in registers (text/filters/filter_form.h).
struct FilterForm {
  // The reads of an input at i + first, ..., i + last. The pack begins at i + packed.
  struct Reads {
    uint32_t slot;
    int64_t first, last, packed;
    int64_t margin;  // elements before and after these that loads may read; 0: packs are aligned
    bool is_aligned() const { return margin == 0; }
    bool operator==(const Reads&) const = default;
  };
  // A comparison of the index that is the same for all inner elements, or a Check that holds for them. They are at indices of at least, or at most,
  // bound + distance.
  struct Decided {
    Id term, bound;
    int64_t distance;
    bool value, is_lowest;
    bool operator==(const Decided&) const = default;
  };
  std::vector<Reads> reads;
  std::vector<Decided> decided;
  bool operator==(const FilterForm&) const = default;
};

constexpr size_t stages = 2;  // tiles in a scan block's shared memory, as in skeletons/stage.cuh

struct Form {
  Skeleton skeleton = Skeleton::Map;
  bool by_law = false;          // reductions of prefixes by the law, as one reduction
  bool bounded = false;         // by the law, and no prefix can wrap
  bool by_bytes = false;        // by the law, four elements per word: see bytes.h
  std::vector<Stream> streams;  // Packed and Single ones
  int threads = 256, pack = 1, rows = 1;
  bool rolled = false;             // the body is long and written once, not once per place of a pack
  std::optional<Tiles> tiles;      // of a map
  std::optional<Window> window;    // of a map, without streams
  bool staged = false;             // a reduction in order loads through shared memory
  bool bulk = false;               // a scan's tiles are loaded by bulk copies
  bool gathers = false;            // a scan reads elements at indices that it loads or computes
  int slices = 1;                  // threads that share a row's folds (row_form.h)
  bool across = false;             // neighbouring threads belong to neighbouring rows, or to neighbouring columns of a scan
  int down = 1;                    // warps that go along a vector of a scan together
  bool parts = false;              // several blocks share a row
  bool flat = false;               // a block's threads divide the positions of all its rows among themselves
  bool shares = false;             // all rows read the same elements
  bool uneven = false;             // the rows' lengths are not known: blocks of a second launch fold long rows
  bool reduces = false;            // a kernel of rows computes scalars
  std::vector<RowTerm> row_terms;  // of rows whose elements are kept in shared memory, or computed
  int row_capacity = 0;            // elements of a row in shared memory; 0: rows are not kept
  int held = 0;                    // elements of a slice in registers, loaded directly or by way of shared memory; 0: they stay there
  int blocks = 0;                  // of a reduction, per multiprocessor; 0: as many as fill its threads
  std::optional<FilterForm> filter;
  bool full_groups = false;  // the blocks of a scatter keep the bits of full groups of bools in shared memory (skeletons/scatter.cuh)
  bool narrow = false;       // the body's integers of 64 bits are computed in 32
  std::vector<Id> within;    // if narrow, the reads whose indices are always in range
  std::vector<Id> checked;   // the reads whose indices are in range if the Checks that these are hold: lengths are the same
  int64_t tile() const { return int64_t(threads) / slices * pack * rows; }
  bool operator==(const Form&) const = default;
};

// A kernel over at most this many elements runs as one block (skeletons/small.cuh), or over fewer if it scans or filters gathered elements.
constexpr int64_t few_elements = 4096;

// One column of a kernel's input on the device.
struct InputView {
  uint64_t address;
  int64_t length;
};

// Returns true if the body computes random words outside of loops. Neighbouring elements may then share a block of words.
bool draws(const Kernel& kernel);

// Returns true if a reduction is not commutative, or runs by the law, which combines a total and extremes.
bool reduces_in_order(const Kernel& kernel, bool by_law);

// The form of one block depends on nothing else, and by_law is ignored: the law saves no time there. shared_memory: bytes that a block may have.
Form choose_form(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, bool by_law, size_t shared_memory = SIZE_MAX);

// Returns the approximate number of instructions of one evaluation.
double weight(const Fn& fn);

// Returns the bytes of a struct with a member of each type, which are aligned to their sizes.
size_t struct_bytes(const std::vector<Type>& types);

// Returns the stream whose shared memory a compaction's packed output reuses, or nullopt. The stream has the output's type, and no other
// output reuses it.
std::optional<size_t> stream_with_room(const Kernel& kernel, const Form& form, uint32_t output);

// Returns the body's results that are scanned, and the masks of compactions. They do not depend on prefixes.
std::vector<uint32_t> early_values(const Kernel& kernel);
// Returns every result that a sink reads. With by_law, the scanned result replaces its prefixes, which are never computed.
std::vector<uint32_t> sink_values(const Kernel& kernel, bool by_law);

// See Engine::scans_along.
bool scans_along(const ScanAxis& axis, int64_t elements);

}  // namespace wf::cuda
