#include "cpu/program/choices.h"

namespace wf::cpu {

GuardId Guards::within(GuardId parent, uint32_t choice, uint8_t outcomes) {
  if (outcomes == any_outcome) return parent;
  const auto [known, is_new] = numbers_.try_emplace({parent, choice, outcomes}, GuardId(guards_.size()));
  if (is_new) guards_.push_back({parent, guards_[parent].depth + 1, choice, outcomes});
  return known->second;
}

GuardId Guards::join(GuardId a, GuardId b) {
  if (a == never || a == b) return b;
  if (b == never) return a;
  while (guards_[a].depth > guards_[b].depth) a = guards_[a].parent;
  while (guards_[b].depth > guards_[a].depth) b = guards_[b].parent;
  while (a != b) {
    const Guard &x = guards_[a], &y = guards_[b];
    if (x.parent == y.parent && x.choice == y.choice) return within(x.parent, x.choice, x.outcomes | y.outcomes);
    a = x.parent, b = y.parent;
  }
  return a;
}

}  // namespace wf::cpu
