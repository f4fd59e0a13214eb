// Functions that are equal but for the values of their literals.
//
// A program that captures a number which changes at each step sends a new text at each step. A new function would need a new plan and
// a new program, so the literals that vary become arguments: terms whose values each run supplies. A literal stays a literal if its
// value decides the function's form:
//   an index or a length is computed from it       the planner distinguishes i + 1 from any other index
//   it is the identity of a fold                   engines reorder folds by it
//   an identity could fold it                      0, 1, -1, NaN, and operations whose operands are all constant
//   it has the value of another literal            equal terms are shared; literals of one value become one argument
// So the lifted function has the same terms as the plain one, and every result has the same bits. If an index is computed from an argument and
// a few values return often, they are literals again: some kernels, such as those of neighbourhoods, are faster if they know the numbers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/fn.h"

namespace wf {

// A literal with a number, as it appears in a text: all but true and false.
struct Number {
  Type type;
  Bits64 bits;
  bool operator==(const Number&) const = default;
};

// Returns true if folding depends on the value: 0, -0, 1, -1 and NaN stay literals.
bool decides_form(const Number& x);

// The part of a number in computing an index. All but Summand decide the function's form.
enum class InIndex : uint8_t { None, Summand, Divisor, Distance, Steps };

// Calls visit(literal or argument, part) for those from which f computes an index, in functions inside it, too.
void for_index_numbers(const Fn& f, const std::function<void(const Term&, InIndex)>& visit);

// Splits a text into its numbers and the text without them, which is appended to `rest`. A text with comments is not split.
void split_numbers(std::string_view text, std::string& rest, std::vector<Number>& numbers);

constexpr uint32_t not_lifted = ~0u;

// The function of `text`, not simplified. Number k becomes argument argument_of[k], unless that is not_lifted. The identities of folds stay
// literals: their numbers are marked in `fixed`, which has one flag per number.
FnRef parse_with_arguments(std::string_view text, const CaptureTypes& captures, const std::vector<uint32_t>& argument_of,
                           std::vector<bool>& fixed);

// All texts that differ only in their numbers.
class Family {
 public:
  explicit Family(std::vector<Number> first) : never_(first.size()) {
    references_.push_back({std::move(first), std::vector<bool>(never_.size())});
  }

  // A function made by `lift` that equals the text with these numbers, and the values of its arguments. The function is null if these numbers have
  // returned so often that the text should be a function of its own.
  std::optional<Lifted> find(const std::vector<Number>& numbers);
  // Notes which numbers have changed; returns true if an attempt to lift them may succeed.
  bool note(const std::vector<Number>& numbers);
  // Lifts the numbers that have been seen to vary. `plain` is the function of the text. Nothing if none can be lifted.
  std::optional<Lifted> lift(std::string_view text, const CaptureTypes& captures, const std::vector<Number>& numbers, const Fn& plain);

 private:
  struct Form {
    std::vector<uint32_t> argument_of;  // of each number, or not_lifted
    std::vector<Number> numbers;        // of the text that it was made from
    uint32_t arguments;
    FnRef fn;
    bool computes_index = false;  // from an argument
  };
  // The first text with its numbers that are never lifted, such as the width of a matrix. Only what varies among texts with these is lifted: a matrix
  // of another width has other bounds, too, and neighbourhoods are found by literal bounds.
  struct Reference {
    std::vector<Number> first;
    std::vector<bool> varies;
  };
  struct Asked {
    uint64_t hash = 0;
    int times = 0;
  };
  bool returns_often(const std::vector<Number>& numbers);
  static bool fits(const Form& form, const std::vector<Number>& numbers);
  static Lifted call(const Form& form, const std::vector<Number>& numbers);
  Reference& reference_of(const std::vector<Number>& numbers);
  std::vector<uint32_t> choose(const std::vector<Number>& numbers, uint32_t& arguments);

  std::vector<Reference> references_;
  std::vector<bool> never_;
  std::vector<Form> forms_;
  int attempts_ = 0;
  std::array<Asked, 8> recent_;  // if more values take turns, none of them returns often
  size_t oldest_ = 0;
};

}  // namespace wf
