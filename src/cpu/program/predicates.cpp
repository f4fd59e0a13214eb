#include "cpu/program/predicates.h"

namespace wf::cpu {

PredicateId Predicates::within(PredicateId parent, uint32_t choice, uint8_t outcomes) {
  if (outcomes == any_outcome) return parent;
  const auto [known, is_new] = numbers_.try_emplace({parent, choice, outcomes}, PredicateId(predicates_.size()));
  if (is_new) predicates_.push_back({parent, predicates_[parent].depth + 1, choice, outcomes});
  return known->second;
}

PredicateId Predicates::join(PredicateId a, PredicateId b) {
  if (a == never || a == b) return b;
  if (b == never) return a;
  while (predicates_[a].depth > predicates_[b].depth) a = predicates_[a].parent;
  while (predicates_[b].depth > predicates_[a].depth) b = predicates_[b].parent;
  while (a != b) {
    const Predicate &x = predicates_[a], &y = predicates_[b];
    if (x.parent == y.parent && x.choice == y.choice) return within(x.parent, x.choice, x.outcomes | y.outcomes);
    a = x.parent, b = y.parent;
  }
  return a;
}

}  // namespace wf::cpu
