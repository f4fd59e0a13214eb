// Which instructions a block needs.
//
// A choice is a comparison of the domain index with a number that decides a `where`; append makes them. In most blocks it comes
// out the same for all elements: then neither the comparison nor the branch not taken is computed. Of k sequences appended,
// a block reads the one or two that it lies in.
//
// A guard says when an instruction is needed: guard 0 always; any other where its parent holds and its choice comes out in one of
// certain ways. An instruction read by several others has the narrowest guard that holds where one of theirs does.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace wf::cpu {

using GuardId = uint32_t;
constexpr GuardId always = 0, never = ~0u;
constexpr uint32_t no_choice = ~0u;

// How a choice comes out in a block, as bits of a set.
enum Outcome : uint8_t { all_false = 1, all_true = 2, mixed = 4, any_outcome = 7 };

struct Guard {
  GuardId parent = always;
  uint32_t depth = 0;
  uint32_t choice = no_choice;
  uint8_t outcomes = any_outcome;
};

class Guards {
 public:
  // Where `parent` holds and the choice comes out in one of these ways.
  GuardId within(GuardId parent, uint32_t choice, uint8_t outcomes);
  // The narrowest that holds where a or b does; `never` is neutral.
  GuardId join(GuardId a, GuardId b);

  const std::vector<Guard>& all() const { return guards_; }  // parents before children

 private:
  std::vector<Guard> guards_{Guard{}};
  std::map<std::tuple<GuardId, uint32_t, uint8_t>, GuardId> numbers_;  // by parent, choice and outcomes
};

}  // namespace wf::cpu
