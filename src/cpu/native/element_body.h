// The text of instructions on elements of a run in memory: operands are loaded at the current element, or once before the loop if they are the
// same for all elements.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cpu/native/body.h"

namespace wf::cpu::native {

class ElementBody : public Body {
 public:
  ElementBody(Lanes& lanes, const BlockProgram::Impl& program) : Body(lanes, program), in_entry_(program.locations.size()) {}

 protected:
  Value fetch(LocationId location, Type type) override;
  Value same_for_all(const Instruction& instruction, Type type) override;
  Value gather(uint32_t input, Type type, const Value& indices) override;
  Value count(const Walk& walk) override;
  Value check(const Value& indices, const Value& lengths, const Value& wanted) override;

  // Forgets the values of other elements. The lanes of the current vector are the elements from `first` on, a number in the block.
  void place(const Value& first);
  const Position& position() const { return position_; }
  Value element_address(LocationId location, Type type);

  // The text of a loop over parts of the elements, from the block `part` on. It computes elements [%from, %until) from the block `start0` to
  // `next_part`, and continues at `end`. Some parts' gathers are prefetched.
  std::string parts_ahead(std::span<const ReadAhead> ahead);

  const Value& first_element() const { return element_; }
  struct Input {
    Value data, length;  // data: not null
  };
  const Input& input(uint32_t number);              // computed once, in the function's first block
  Value number_at(LocationId location);             // a scalar, i64 or i1, that is the same for all elements
  Value outer_digits(const Walk& walk, Value run);  // the sum of the walk's digits from the second one on, whose number is `run`
  Value load_from_stream(const Value& address, Type type);

  // true: gathers test for equal indices in all lanes.
  void expect_equal_indices(bool expects) { expects_equal_ = expects; }

  // write(), directed to the function's first block.
  template <class F> Value in_entry(const F& write) {
    std::string* outside = lanes().write_to(&entry_);
    const Value result = write();
    lanes().write_to(outside);
    return result;
  }
  const std::string& entry() const { return entry_; }
  Value member(size_t offset);                      // a pointer in Memory
  Value splat_at(const Value& address, Type type);  // a value in memory, in all lanes

 private:
  // The member of an input's view in Memory, which is loaded once.
  Value member_of_input(uint32_t input, size_t offset, std::string_view type);
  Value is_distant(uint32_t input, Type type);
  struct Prefetched {
    Value expected, next, jumps;  // the first index if the run goes on, that of the next iteration, and whether it does not
  };
  Prefetched prefetch_run(uint32_t input, Type type, const Value& indices, int step);
  Value data_of(LocationId location);
  Value splat_of(LocationId location, Type type);

  struct InEntry {
    Value data, splat;
  };
  std::vector<InEntry> in_entry_;  // by location
  std::map<uint32_t, Input> inputs_;
  std::string entry_;
  Value noted_;    // memory for the operands of a failed check; empty: none is reserved
  Value element_;  // the number of the current vector's first element in the block
  Position position_;
  bool expects_equal_ = false;
};

}  // namespace wf::cpu::native
