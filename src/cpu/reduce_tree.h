// The general form of reduction; see reduce.h.
#pragma once

#include <vector>

#include "cpu/reduce.h"

namespace wf::cpu {

class TreeReducer : public Reducer {
 public:
  explicit TreeReducer(const Combine& combine);
  void bind_inputs(std::span<const InputView> inputs) override { frame_.bind_inputs(inputs); }
  void clear() override;
  void add(std::span<const void* const> columns, int64_t count) override;
  void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) override;
  bool total(std::span<Bits64> results) override;
  void note_fault(RangeFault& first) const override;

 private:
  // Results of one step of halving wait here until there are enough for another.
  struct Level {
    Block partials;
    int64_t count = 0;
  };
  using Columns = std::vector<const void*>;

  void reduce_into(size_t level, int64_t count, int64_t until);
  void halve(int64_t pairs);
  void make_room(size_t level);
  void move_up(size_t level, int64_t until);
  void take(const Block& elements);

  const Combine& combine_;
  const int m_;
  Frame frame_;
  int64_t capacity_;  // elements that can be halved at once
  Block operands_[2];  // left columns then right ones; two sets, since results may lie in the operands themselves
  int turn_ = 0;
  Columns current_;    // the elements being halved
  Block odd_ones_;     // elements that had no partner, the last one first
  Block chosen_;       // masked elements side by side
  std::vector<Level> levels_;
};

}  // namespace wf::cpu
