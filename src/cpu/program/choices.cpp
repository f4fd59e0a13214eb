#include "cpu/program/choices.h"

namespace wf::cpu {

GuardId Guards::within(GuardId parent, uint32_t choice, uint8_t outcomes) {
  if (outcomes == any_outcome) return parent;
  for (GuardId g = 1; g < guards_.size(); g++)
    if (guards_[g].parent == parent && guards_[g].choice == choice && guards_[g].outcomes == outcomes) return g;
  guards_.push_back({parent, guards_[parent].depth + 1, choice, outcomes});
  return GuardId(guards_.size() - 1);
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
