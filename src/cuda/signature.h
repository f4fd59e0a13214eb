// The words that a kernel's launch passes and the results that it returns. The launch of compiled and of interpreted kernels is the same.
#pragma once

#include <cstdint>
#include <vector>

namespace wf::cuda {

// The names of a kernel's function, and of its second one, for the long rows of uneven ones.
constexpr const char* kernel_name = "warpfold";
constexpr const char* second_kernel_name = "warpfold_long";

// One 8-byte word of the kernel's argument.
struct Argument {
  enum class Kind : uint8_t {
    Count,         // n
    Fault,         // the record of the first index out of range
    OffsetsFault,  // the record of the first wrong offset of segments
    Results,       // scalars, then counts, then the law flag
    Counters,      // zero before and after (reduce), or zero before (scan)
    Partials,      // one Sums per block, or per tile
    TileWords,
    TileValues,
    GroupWords,
    GroupValues,
    Total,         // of the look-back
    Parts,         // into which a row's folds are divided
    RowCount,      // the elements of a row
    Capacity,      // tasks for which the queue of long rows has room
    Queued,        // the number of queued tasks, zero before
    Tasks,         // the queue
    FoldPartials,  // per row and part, or per task, the state of a fold
    FoldCounters,  // parts of a row that are done, zero before
    Full,          // word `value` of the full groups of a scatter's bools (skeletons/scatter.cuh)
    Input,         // the address of input `value`
    InputLength,   // of input `value`
    Output,        // the address of output `value`
    Literal,       // number `value` (literals.h)
    Constant,      // `value` itself
  } kind;
  uint64_t value = 0;
};

// The words of 8 bytes in which look_back.cuh publishes a value of that size.
inline uint32_t published_words(size_t bytes) { return bytes > 16 ? 1 : uint32_t((bytes + 3) / 4); }

struct Signature {
  std::vector<Argument> arguments;
  uint32_t scalars = 0, counts = 0;
  bool law_flag = false;        // a word after the counts is true if the law held
  bool has_checks = false;      // of indices
  bool checks_offsets = false;  // of segments
  uint32_t sums_bytes = 0;      // at least sizeof(Sums), of a Local and of a Carry
  uint32_t local_bytes = 0, carry_bytes = 0;
  uint32_t local_words = 1, carry_words = 1;  // at least the words in which one is published
  uint32_t fold_bytes = 0;                    // at least the size of a fold's state, if several blocks share a row
};

}  // namespace wf::cuda
