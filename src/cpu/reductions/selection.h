// Reductions that select one of the elements, such as the first largest of (index, value): where(c, right, left) in every column.
//
// Few elements replace the one that is selected so far; of n in random order, ln n. So the condition is computed with the selected element as
// the left one of all pairs, together with the body. An element for which it holds is the selected one from there on. Where many elements
// replace it, blocks are combined in a tree instead. The bracketing depends only on the elements and on the lengths of chunks and blocks.
#pragma once

#include <memory>
#include <optional>

#include "cpu/native/search.h"
#include "cpu/program/instruction.h"
#include "cpu/reductions/reduce.h"
#include "plan/kernel.h"

namespace wf::cpu {

// Programs of a kernel that does nothing but one such reduction. Parameters: i, then the m columns of the selected element, bound to one tile
// each. All are null for any other kernel.
struct Replacements {
  std::shared_ptr<const BlockProgram> exact;     // true if element i replaces the selected one
  std::shared_ptr<const BlockProgram> possible;  // simpler, and true for other elements, too; null if there is none
  std::shared_ptr<const BlockProgram> element;   // both (twice the first without a second), then element i; native: native/search.h
};
Replacements replacements_of(const Kernel& kernel);

class Selector : public Reducer {
 public:
  Selector(const Combine& combine, const Replacements& replacements);

  // Examines elements from `begin` on, all up to `end` or fewer, and returns their number: they need not be added. 0: the next block must be
  // added, since many elements in a row have replaced the selected one.
  int64_t skip(int64_t begin, int64_t end);

  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) override;
  void clear() override;
  // Selects the identity after clear(), which the total then contains.
  void begin_with_identity();
  bool contains_identity() const { return contains_identity_; }
  void add(std::span<const void* const> columns, int64_t count) override;
  void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) override;
  bool total(std::span<Bits64> results) override;
  void note_fault(RangeFault& first) const override { block_->note_fault(first); }

 private:
  native::Examined examine(int64_t begin, int64_t end, int64_t replaced);
  int64_t first_replacing(int64_t begin, int64_t count);
  void select(int64_t at);
  void bind_rest();
  void place_selected();

  const Combine& combine_;
  std::span<const InputView> inputs_;
  std::span<const Bits64> arguments_;
  bool is_rest_bound_ = false;
  std::optional<Frame> possible_;
  Frame exact_, element_;
  int64_t block_length_;            // the most elements that each can evaluate at once
  std::unique_ptr<Reducer> block_;  // combines a block
  std::vector<Tile> tiles_;         // of each column of the selected element
  std::vector<Bits64> both_;        // the selected element, then the next one
  std::vector<void*> lanes_;        // of native code: Examined, the selected element
  bool has_selected_ = false, contains_identity_ = false, is_placed_ = false;
  static constexpr int64_t fewest_after_burst = 4, fewest_ahead = 2 * tile;
  int64_t unchecked_ = 0, after_burst_ = fewest_after_burst;  // blocks to add: still, and after a part in which many elements replaced it
  int64_t ahead_ = fewest_ahead;                              // the most elements to interpret at once
};

}  // namespace wf::cpu
