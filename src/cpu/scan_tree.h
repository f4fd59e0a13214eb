// The general form of prefixes; see scan.h.
#pragma once

#include <vector>

#include "cpu/scan.h"

namespace wf::cpu {

class TreePrefixer : public Prefixer {
 public:
  explicit TreePrefixer(const Combine& combine);
  void bind_inputs(std::span<const InputView> inputs) override;
  void run(std::span<const void* const> columns, int64_t count, std::span<Bits64> carry,
           const PrefixTargets& targets) override;
  void note_fault(RangeFault& first) const override;

 private:
  struct Level {        // of a tree over `count` elements
    Block lefts;        // x[0], x[2], ...
    Block sums;         // the elements of the next level
    Block prefixes;     // count + 1 of them: exclusive ones, and the one behind the last
    int64_t count = 0;
  };

  size_t up(std::span<const void* const> columns, int64_t count);
  void down(size_t top, std::span<const Bits64> carry);
  void pass_lone(size_t level);
  void bind(const Block& lefts, const Block& rights);

  const Combine& combine_;
  const int m_;
  Frame frame_;
  int64_t piece_;  // elements in one tree: a power of two
  Block rights_;
  Block lone_;     // of each level the last element, where it has no partner
  std::vector<Level> levels_;
  std::vector<const void*> current_;
  std::vector<Bits64> operands_, results_;
  std::span<const InputView> inputs_;
  RangeFault fault_;
};

}  // namespace wf::cpu
