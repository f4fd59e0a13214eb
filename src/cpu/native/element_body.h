// The text of instructions on elements of a run in memory: operands are loaded at the current element, or once before the loop if they are the
// same for all elements.
#pragma once

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
  void check(const Value& indices, const Value& lengths, const Value& wanted) override;

  // Forgets the values of other elements. The lanes of the current vector are the elements from `first` on, a number in the block.
  void place(const Value& first);
  const Position& position() const { return position_; }
  Value element_address(LocationId location, Type type);

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
  Value data_of(LocationId location);
  Value splat_of(LocationId location, Type type);

  struct InEntry {
    Value data, splat;
  };
  std::vector<InEntry> in_entry_;  // by location
  std::string entry_;
  Value noted_;    // memory for the operands of a failed check; empty: none is reserved
  Value element_;  // the number of the current vector's first element in the block
  Position position_;
};

}  // namespace wf::cpu::native
