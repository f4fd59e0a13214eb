// Sequences inside a function, such as a row of a matrix. A sequence is a length and a function from a position to an element, which has no
// memory and exists only while the text is parsed: its reductions become folds.
#pragma once

#include <deque>
#include <functional>

#include "expr/written/bodies.h"

namespace wf {

using Columns = std::vector<Id>;  // of an element

struct Sequence {
  uint32_t level;                        // the body that it was made in
  Id length;                             // an i64 of that body, before the filter; negative: no elements
  std::vector<Type> types;               // of an element's columns
  std::function<Columns(Id j)> element;  // in the innermost body, which may be inside the sequence's
  std::function<Id(Id j)> keeps = {};    // of a filter, a bool; empty: every element
  bool checks_index = false;             // element(j) is an error of its own if j is outside
  uint32_t depth = 1;                    // sequences that it is made of, one from the other
};

// A function of elements that a form has, such as the one of `map`.
struct Lambda {
  uint32_t level;  // of the body that it was written in
  FnRef body;      // its parameters, then its free values
  std::vector<Id> free = {};
  size_t parameters() const { return body->params.size() - free.size(); }
};

// The parts of a form: its function, its sequences, and the values of its other operands.
struct Given {
  Token start;
  const Lambda* f = nullptr;
  std::vector<const Sequence*> sequences = {};
  std::vector<Id> values = {};
  const Sequence& s() const { return *sequences[0]; }
};

class Lowering : protected Bodies {
 protected:
  using Bodies::Bodies;

  // lowering.cpp: sequences. docs/written-form.md defines each.
  struct Form {
    std::string_view name;
    // The operands: f a function, c one that depends on nothing else, s a sequence, p one whose positions are known, S and P one or more, i an
    // integer, v values, l literals.
    std::string_view operands;
    Sequence (*sequence)(Lowering&, const Given&) = nullptr;
    Columns (*values)(Lowering&, const Given&) = nullptr;
  };
  static const Form* find_form(std::string_view name);
  const Sequence& keep(const Token& start, Sequence s);
  void require_positions(const Given& given, const Sequence& s);
  Sequence captured(const SlotColumns& from);
  Sequence range(const Given& given);
  Sequence tabulate(const Given& given);
  Sequence map(const Given& given);
  Sequence filter(const Given& given);
  Sequence zip_shortest(const Given& given);
  Sequence enumerate(const Given& given);
  Sequence rev(const Given& given);
  Sequence append(const Given& given);
  Sequence rotate(const Given& given);
  Sequence interleave(const Given& given);
  Sequence update(const Given& given);

  // reductions.cpp: values of sequences
  Columns iterate(const Given& given);
  Columns find_index(const Given& given);
  Columns argmax(const Given& given);
  Columns is_sorted(const Given& given);
  Columns equal(const Given& given);
  Columns compare(const Given& given);

 private:
  using Positions = std::function<Columns(Id j)>;
  using Combine = std::function<Columns(std::span<const Id> left, std::span<const Id> right)>;

  Id number(int64_t x) { return builder().constant(x); }
  Id apply(Op op, std::initializer_list<Id> operands) { return builder().apply(op, operands); }
  Id add(Id a, Id b) { return apply(Op::add_, {a, b}); }
  Id sub(Id a, Id b) { return apply(Op::sub_, {a, b}); }
  Id max(Id a, Id b) { return apply(Op::max_, {a, b}); }
  Id checked(Id i, Id length) { return builder().check(i, length, builder().constant(true)); }
  Id chosen(Id condition, Id a, Id b) { return apply(Op::where_, {condition, a, b}); }
  Columns chosen(Id condition, std::span<const Id> a, std::span<const Id> b);
  Id inward(Id id, uint32_t level) { return Bodies::inward(lexer_.peek(), id, level, {}); }
  Id length_of(const Sequence& s) { return inward(s.length, s.level); }
  // Returns true if an integer is known to be less than 2^62 from 0.
  bool is_near_zero(Id id);
  std::vector<Type> types_of(std::span<const Id> ids);
  // The values of f in the innermost body.
  Columns call(const Lambda& f, std::span<const Id> arguments);
  void require_test(const Given& given, std::vector<Type> types);
  void require_parameters(const Given& given, std::vector<Type> types);
  void require_same_types(const Given& given);
  // The element at j, which must be inside the sequence.
  Columns element_at(const Sequence& s, Id j);
  // The length of sequences that are read together.
  Id common_length(const Given& given);
  Sequence derived(const Sequence& from, Id length, std::vector<Type> types, Positions element);
  Sequence part(const Sequence& s, Id first, Id length);
  Sequence joined(const Given& given, Id length);
  Sequence appended(const Sequence& s, const Sequence& t);

  Columns fold(const Token& start, Id length, std::span<const Id> identity, const Positions& value, const FnRef& combine);
  Columns reduced(const Token& start, const Sequence& s, std::span<const Id> identity, const FnRef& combine);
  FnRef combine_of(const Token& start, const std::vector<Type>& types, const Combine& f);
  Columns reduced(const Token& start, const Sequence& s, std::span<const Id> identity, const Combine& f);
  Id every(const Token& start, Id length, const Positions& condition);
  Id count(const Token& start, const Sequence& s);

  std::deque<Sequence> sequences_;
};

}  // namespace wf
