#include "cpu/reduce.h"

#include <cstring>

#include "cpu/reduce_tree.h"

namespace wf::cpu {
namespace {

class RegisterReducer : public Reducer {
  // The entry of column k.
  template <class Table>
  auto of(const Table& table, int k) const {
    return table[static_cast<int>(combine_.monoids[k])][static_cast<int>(combine_.types[k])];
  }

 public:
  explicit RegisterReducer(const Combine& combine) : combine_(combine), neutral_(combine.columns()) {
    for (int k = 0; k < combine_.columns(); k++)
      for (size_t at = 0, size = size_of(combine_.types[k]); at < simd::fold_bytes; at += size)
        std::memcpy(neutral_[k].bytes + at, &combine_.neutral[k], size);
    clear();
  }

  void bind_inputs(std::span<const InputView>) override {}

  void clear() override {
    taken_ = false;
    lanes_ = neutral_;
  }

  void add(std::span<const void* const> columns, int64_t count) override {
    taken_ |= count > 0;
    for (int k = 0; k < combine_.columns(); k++) of(simd_tables().folds.fold, k)(columns[k], count, lanes_[k].bytes);
  }

  void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) override {
    taken_ = taken_ || simd_tables().compresses.count(mask, count) > 0;
    for (int k = 0; k < combine_.columns(); k++)
      of(simd_tables().folds.masked, k)(columns[k], mask, count, lanes_[k].bytes, combine_.neutral[k]);
  }

  bool total(std::span<Bits64> results) override {
    if (!taken_) return false;
    for (int k = 0; k < combine_.columns(); k++) results[k] = of(simd_tables().folds.join, k)(lanes_[k].bytes);
    return true;
  }

  void note_fault(RangeFault&) const override {}

 private:
  struct alignas(64) Lanes {
    std::byte bytes[simd::fold_bytes];
  };

  const Combine& combine_;
  std::vector<Lanes> neutral_, lanes_;  // of each column
  bool taken_ = false;
};

}  // namespace

std::unique_ptr<Reducer> make_reducer(const Combine& combine) {
  if (combine.in_registers()) return std::make_unique<RegisterReducer>(combine);
  return std::make_unique<TreeReducer>(combine);
}

}  // namespace wf::cpu
