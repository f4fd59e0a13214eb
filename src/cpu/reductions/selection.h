// Reductions that select one of the elements, such as the first largest of (index, value): where(c, right, left) in every column.
//
// Few elements replace the one that is selected so far; of n in random order, ln n. So the condition is computed with the selected element as
// the left one of all pairs, together with the body. Only a block in which some pair would select its right element is combined, in a tree.
#pragma once

#include <memory>

#include "cpu/native/group.h"
#include "cpu/program/instruction.h"
#include "cpu/reductions/reduce.h"
#include "plan/kernel.h"

namespace wf::cpu {

// Programs of a kernel that does nothing but one such reduction: true if element i replaces the selected one. The first is exact; the second, if
// there is one, is simpler and may be true for other elements, too. Parameters: i, then the m columns of the selected element, bound to one tile
// each. Empty for any other kernel.
using Replacements = std::vector<std::shared_ptr<const BlockProgram>>;
Replacements replacements_of(const Kernel& kernel);
// The native form computes whether any element of a block does.
native::Epilogue replacement_epilogue();

class Selector : public Reducer {
 public:
  Selector(const Combine& combine, const Replacements& replacements);

  // Returns the number of elements from `begin` on, whole blocks or all up to `end`, that replace none, so that they need not be added. 0: the
  // next block must be added.
  int64_t skip(int64_t begin, int64_t end, int64_t block);

  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) override;
  void clear() override;
  void add(std::span<const void* const> columns, int64_t count) override;
  void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) override;
  bool total(std::span<Bits64> results) override;
  void note_fault(RangeFault& first) const override { block_->note_fault(first); }

 private:
  // Returns true if test k is true for one of the elements.
  bool any(size_t k, int64_t begin, int64_t count);

  const Combine& combine_;
  std::vector<Frame> tests_;        // of the replacements
  std::vector<int64_t> blocks_;     // the most elements that each can examine at once
  std::unique_ptr<Reducer> block_;  // combines a block
  std::vector<Tile> tiles_;         // of each column of the selected element
  std::vector<Bits64> both_;        // the selected element, then the next one
  bool has_selected_ = false;
  int64_t hits_ = 0, unchecked_ = 0, ahead_ = 1;  // blocks
};

}  // namespace wf::cpu
