// Shared by the skeletons: working memory for the columns of a tuple, and associative functions prepared for evaluation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "cpu/loops/compress.h"
#include "cpu/loops/fold.h"
#include "cpu/loops/prefix.h"
#include "cpu/loops/stream.h"
#include "cpu/program/block_program.h"
#include "cpu/program/finish.h"
#include "expr/fn.h"

namespace wf::cpu {

// The tables of the chosen instruction set.
struct Simd {
  const simd::FoldTable& folds;
  const simd::PrefixTable& prefixes;
  const simd::CompressTable& compresses;
  const simd::StreamTable& streams;
};
const Simd& simd_tables();

// The form of an operation in vector lanes, if it has one.
std::optional<simd::Monoid> monoid_of(Op op);

// Columns of `capacity` elements each, aligned to 64 bytes and padded to the next whole tile.
class ColumnBlock {
 public:
  ColumnBlock() = default;
  ColumnBlock(std::span<const Type> types, int64_t capacity);

  int columns() const { return int(offsets_.size()); }
  int64_t capacity() const { return capacity_; }
  int64_t size(int k) const { return sizes_[k]; }  // bytes per element
  std::byte* at(int k, int64_t i = 0) const { return memory_.get() + offsets_[k] + i * sizes_[k]; }
  // Read and write element i of column k as bits.
  Bits64 get(int k, int64_t i) const;
  void set(int k, int64_t i, Bits64 bits) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::vector<int64_t> offsets_, sizes_;
  int64_t capacity_ = 0;
};

Bits64 read_bits(const void* from, int64_t size);

// An associative function of m columns: (left columns, right columns) -> m results.
struct Combine {
  Combine(FnRef fn, std::vector<Bits64> identity);

  // Returns true if a Combine of this function is in_registers().
  static bool has_register_form(const Fn& fn);

  int columns() const { return int(types.size()); }
  // Returns true if every column is combined by one operation with a register form, independently of the others.
  bool in_registers() const { return !monoids.empty() && !restarts; }
  // Returns true if column 0 is a bool that restarts the others, each combined by one operation with a register form:
  // (s, a...) f (t, b...) = (s or t, b... if t, else a op b...). The first entries of monoids, ops and neutral are those of `or`.
  bool restarts_in_registers() const { return restarts; }
  // Returns true if elements combined in registers have the same bits in any brackets.
  bool is_exact() const {
    return in_registers() && std::ranges::all_of(types, [](Type type) { return !is_in(type, Float); });
  }
  // Returns true if column k is folded from a NaN, which is the start of a min or max.
  bool begins_with_nan(size_t k) const { return is_nan(types[k], neutral[k]); }
  std::vector<Type> operand_types() const;  // the types of the 2m parameters

  FnRef fn;
  std::vector<Bits64> identity;  // the value for no elements
  std::vector<Bits64> start;     // precedes the first element: neutral_start of the identity
  std::vector<Type> types;
  bool restarts = false;
  std::vector<simd::Monoid> monoids;            // one per column, or empty
  std::vector<Op> ops;                          // the same as operations
  std::vector<Bits64> neutral;                  // per column: changes no result
  std::shared_ptr<const BlockProgram> program;  // the general form: all 2m parameters bound to memory
  ScalarFunction one;                           // on single tuples
};

}  // namespace wf::cpu
