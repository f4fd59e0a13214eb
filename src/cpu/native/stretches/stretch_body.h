// The text of a group of which some instructions are linear along stretches (linear_code.h). The elements of a vector that belongs to one stretch are
// loaded together, at an index that is known since the stretch began. Any other vector is merged from those of its stretches, by masked loads.
#pragma once

#include <string>
#include <vector>

#include "cpu/native/element_body.h"
#include "cpu/native/stretches/linear_code.h"

namespace wf::cpu::native {

class StretchBody : public ElementBody {
 public:
  StretchBody(Lanes& lanes, const BlockProgram::Impl& program, std::span<const Instruction> code, LinearCode linear);

 protected:
  const LinearCode& linear() const { return linear_; }
  // The facts about the current stretch pass from vector to vector. Call begin_stretches at the beginning of a loop, read_stretches after place(),
  // write_at for each instruction, and put stretch_phis at the beginning of the loop.
  void begin_stretches();
  void read_stretches();
  void write_at(size_t instruction);
  std::string stretch_phis(const std::string& before, const std::string& last) const;

  Value fetch(LocationId location, Type type) override;

 private:
  // A linear value at the first element of a stretch.
  struct Form {
    Value base;
    int64_t stride = 0;
    Value held = {};  // an i1: the value is the same for all elements of the stretch, in spite of the stride; empty: false
    int bits = 64;    // the value is at most 2^bits and at least -2^bits
  };
  // A vector that instructions read: elements of an input, or a linear value.
  struct Leaf {
    LocationId location;
    Type type;
    int64_t stride;
    bool is_element;
    uint32_t input = 0;  // of an element
    Form form = {};      // of the index or the value, in the current stretch
    Value inside = {};   // an i1: the index is within the input
    std::string carried_type() const { return is_element || type == Type::I64 ? "i64" : "i1"; }
    Type memory_type() const { return is_element && type == Type::Bool ? Type::U8 : type; }
  };
  struct Fault {
    Form index;
    Value length, is_outside;
  };
  struct Carried {
    std::string type;
    Value name, value;
  };

  void bound(const Value& count);
  void bound_unless(const Value& held, const Value& count);
  void bound_room(const Form& x);
  Form operand(const Instruction& instruction, uint32_t k);
  Form count_from(const Walk& walk, const Value& at);
  Form apply(Op op, Type type, std::span<const Form> x, int64_t stride);
  Form compare(Op op, Form a, Form b);
  Form extreme(bool is_min, const Form& a, const Form& b);
  Form chosen(const Value& condition, const Form& a, const Form& b);
  Form moved_by(const Value& base, const Form& a, const Form& b, int64_t stride);
  Value shortest();
  Value stride_of(const Form& x);
  Value is_inside(const Form& index, const Value& length);
  void begin_stretch(const Value& at);
  void note_faults(const Value& lanes, const Value& first);
  Value merged(const Leaf& leaf, const Value& lanes, const Value& first, const Value& before);
  Value vector_of_bits(const Value& lanes);
  Value lanes_if(const Value& lanes, const Value& condition, bool holds);
  Value along(const Leaf& leaf, const Value& carried);
  Value scalar(std::string_view text) { return lanes().emit(text); }
  Value number_vector(const Value& first, const Form& form);

  const std::span<const Instruction> code_;
  const LinearCode linear_;
  std::vector<Leaf> leaves_;
  std::vector<int> leaf_of_;      // by instruction; -1: none
  std::vector<Carried> carried_;  // the element after the stretch, or 0 if not all vectors within it are loaded as one; then one per leaf
  std::vector<Value> vectors_;    // of the leaves
  std::vector<Form> forms_;       // by location, of the current stretch
  std::vector<bool> has_form_;
  std::vector<Fault> faults_;
  std::vector<Value> bounds_;  // the stretch has at most so many elements: unsigned numbers
};

}  // namespace wf::cpu::native
