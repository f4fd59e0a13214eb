#include "eval/stretches.h"

#include "plan/plan.h"

namespace wf {
namespace {

constexpr size_t stretch_terms = 256;  // the planner's limit for a body

bool reads(const Fn& fn, uint32_t slot) {
  bool found = false;
  for_each_body(fn, [&](const Fn& body, bool) {
    for (const Term& term : body.terms) found |= term.kind == Kind::At && term.slot == slot;
  });
  return found;
}

// A delayed node that is made of other sequences.
bool has_inputs(const Node& node) {
  const NodeState state = node.state();
  return state.definition && !state.definition->inputs.empty();
}

// The only input of a chain's node; null if there are several, or if it is not read.
NodeRef link_below(const Definition& definition) {
  NodeRef link;
  for (uint32_t slot = 0; slot < definition.inputs.size(); slot++) {
    const NodeRef& input = definition.inputs[slot];
    if (input == link || !has_inputs(*input)) continue;
    if (link || (definition.fn && definition.kind == NodeKind::Pull && !reads(*definition.fn, slot))) return {};
    link = input;
  }
  return link;
}

}  // namespace

std::vector<NodeRef> stretch_ends(const NodeRef& demanded) {
  std::vector<NodeRef> ends;
  size_t terms = 0;
  for (NodeRef node = demanded; node && !node->domain();) {
    const auto definition = node->state().definition;
    if (!definition || (definition->kind != NodeKind::Pull && node != demanded)) break;
    const size_t own = definition->fn ? definition->fn->terms.size() : 1;
    terms += own;
    if (terms > stretch_terms && node != demanded) {
      ends.push_back(node);
      terms = own;
    }
    node = link_below(*definition);
  }
  return ends;
}

}  // namespace wf
