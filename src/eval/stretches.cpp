#include "eval/stretches.h"

#include <algorithm>

#include "expr/guards/guard.h"
#include "lazy/arrays/join.h"

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
    const NodeRef current = node;
    const auto definition = current->state().definition;
    if (!definition || (definition->kind != NodeKind::Pull && node != demanded)) break;
    if (is_append(*definition) && appended(definition, [](const Node&) { return true; }).size() > most_chosen) break;  // one vertex
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

namespace {

constexpr size_t fewest_terms = 3;   // that a vertex counts for, so that a stretch has no more vertices than a plan that is kept
constexpr size_t most_open = 4;      // nodes at the end of a stretch
constexpr size_t never_open = 1000;  // the weight of a vertex that is not to be stored

size_t terms_of(const GraphVertex& v) {
  if (!v.definition) return 0;
  return std::max(v.definition->fn ? v.definition->fn->terms.size() : 0, fewest_terms);
}

// The cost of a vertex at the end of a stretch. Filtered elements may be a mask only, and elements that may fail are perhaps never chosen.
size_t weight_of(const GraphVertex& v) {
  if (!v.definition || v.demanded) return 0;
  const bool may_fail = v.kind == NodeKind::Pull && has_checks(*v.definition->fn);
  return v.node && v.domain == no_vertex && !may_fail ? 1 : never_open;
}

// A scan over the vertices, in an order in which inputs come first, for the places where stretches end.
class Cutter {
 public:
  explicit Cutter(const Graph& graph) : vertices_(graph.vertices), last_(vertices_.size()), closed_(vertices_.size()) {
    for (VertexId v = 0; v < vertices_.size(); v++) each_input(v, [&](VertexId input) { last_[input] = v; });
  }

  std::vector<std::vector<NodeRef>> run() {
    std::vector<std::vector<NodeRef>> all;
    VertexId best = 0;
    size_t terms = 0, open = 0, least = never_open;
    for (VertexId v = 0; v < vertices_.size(); v++) {
      terms += terms_of(vertices_[v]);
      open += weight_of(vertices_[v]);
      each_input(v, [&](VertexId input) {
        if (input < begin_ || last_[input] != v || closed_[input] > begin_) return;
        closed_[input] = begin_ + 1;
        open -= weight_of(vertices_[input]);
      });
      if (terms > stretch_terms && least <= most_open) {
        if (least > 0) all.push_back(ends(best));  // else only demanded vertices are open, which are computed together
        v = best;
        begin_ = best + 1;
        terms = open = 0, least = never_open;
      } else if (2 * terms >= stretch_terms && open <= least) {
        best = v, least = open;
      }
    }
    return all;
  }

 private:
  template <class F> void each_input(VertexId v, const F& f) const {
    for (const VertexId input : vertices_[v].inputs) f(input);
    for (const auto& [slot, count] : vertices_[v].lengths) f(count);
  }

  // The vertices from begin_ to `last` that later ones read.
  std::vector<NodeRef> ends(VertexId last) const {
    std::vector<NodeRef> nodes;
    for (VertexId v = begin_; v <= last; v++)
      if (last_[v] > last && weight_of(vertices_[v]) == 1) nodes.push_back(vertices_[v].node);
    return nodes;
  }

  const std::vector<GraphVertex>& vertices_;
  std::vector<VertexId> last_;    // per vertex: the last that reads it
  std::vector<VertexId> closed_;  // per vertex: greater than begin_ if its last reader belongs to the stretch
  VertexId begin_ = 0;            // of the stretch
};

}  // namespace

bool is_one_stretch(const Graph& graph) {
  size_t terms = 0;
  for (const GraphVertex& v : graph.vertices) terms += terms_of(v);
  return graph.vertices.size() <= largest_kept_graph && terms <= stretch_terms;
}

std::vector<std::vector<NodeRef>> stretches(const Graph& graph) {
  if (graph.vertices.size() <= largest_kept_graph) return {};
  return Cutter(graph).run();
}

}  // namespace wf
