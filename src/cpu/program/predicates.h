// Predicates: the blocks in which an instruction must run.
//
// A choice is a comparison of the domain index with a number that decides a `where`, as append generates. In most blocks its
// outcome is the same for all elements: then neither the comparison nor the branch not taken is computed. A block over k
// appended sequences reads only the one or two that it overlaps.
//
// A predicate holds in the blocks that need an instruction. Predicate 0 always holds; any other holds if its parent holds and its choice
// has one of certain outcomes. An instruction read by several others has the narrowest predicate that holds whenever one of theirs
// does.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace wf::cpu {

using PredicateId = uint32_t;
constexpr PredicateId always = 0, never = ~0u;
constexpr uint32_t no_choice = ~0u;

// The outcome of a choice in a block, as bits of a set.
enum Outcome : uint8_t { all_false = 1, all_true = 2, mixed = 4, any_outcome = 7 };

struct Predicate {
  PredicateId parent = always;
  uint32_t depth = 0;
  uint32_t choice = no_choice;
  uint8_t outcomes = any_outcome;
};

class Predicates {
 public:
  // The predicate that holds if `parent` holds and the choice has one of these outcomes.
  PredicateId within(PredicateId parent, uint32_t choice, uint8_t outcomes);
  // The narrowest predicate that holds whenever a or b does; `never` is neutral.
  PredicateId join(PredicateId a, PredicateId b);

  const std::vector<Predicate>& all() const { return predicates_; }  // parents before children

 private:
  std::vector<Predicate> predicates_{Predicate{}};
  std::map<std::tuple<PredicateId, uint32_t, uint8_t>, PredicateId> numbers_;  // by parent, choice and outcomes
};

}  // namespace wf::cpu
