#include "eval/in_place.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>

#include "expr/guards/guard.h"

namespace wf {

std::vector<bool> reached_only_by(const Graph& graph, std::span<const OwnedNode> owned) {
  std::unordered_map<const Node*, VertexId> vertices;
  std::vector<int64_t> known(graph.vertices.size());
  for (VertexId v = 0; v < graph.vertices.size(); v++)
    if (const Node* node = graph.vertices[v].node.get()) {
      vertices.emplace(node, v);
      known[v] = 1;
    }
  for (const auto& [node, references] : owned)
    if (auto found = vertices.find(node); found != vertices.end()) known[found->second] += references;
  // An input that is not a vertex, or a reference that is not counted here, only makes its node count as reachable.
  auto for_inputs = [&](VertexId v, const auto& visit) {
    if (!graph.vertices[v].definition) return;
    for (const NodeRef& input : graph.vertices[v].definition->inputs)
      if (auto found = vertices.find(input.get()); found != vertices.end()) visit(found->second);
  };
  std::unordered_set<const Definition*> counted;
  for (VertexId v = 0; v < graph.vertices.size(); v++)
    if (counted.insert(graph.vertices[v].definition.get()).second) for_inputs(v, [&](VertexId input) { known[input]++; });
  std::vector<bool> alone(graph.vertices.size());
  for (VertexId v = 0; v < graph.vertices.size(); v++) {
    const Node* node = graph.vertices[v].node.get();
    alone[v] = node && node->references() == known[v];
  }
  std::atomic_thread_fence(std::memory_order_acquire);  // after what the owners of released references did
  for (VertexId v = static_cast<VertexId>(graph.vertices.size()); v-- > 0;)
    if (!alone[v]) for_inputs(v, [&](VertexId input) { alone[input] = false; });
  return alone;
}

namespace {

// Returns true if the kernel stores a value per index and nothing else, and no part of it can fail.
bool only_stores(const Step& step) {
  const Kernel& kernel = step.kernel;
  if (step.call || kernel.finish || kernel.has_scan() || !kernel.compactions.empty() || !kernel.reductions.empty()) return false;
  return kernel.elements.empty() && !has_foreign(kernel) && !has_folds(kernel) && !has_checks(*kernel.body) && !has_segments(kernel) &&
         !has_parts(kernel);
}

// Marks the inputs that the function reads at another index than parameter 0.
void mark_reads_elsewhere(const Fn& body, std::vector<bool>& marked) {
  for_each_body(body, [&](const Fn& fn, bool in_loop) {
    for (const Term& term : fn.terms) {
      if (term.kind != Kind::At) continue;
      const Term& index = fn[fn.args(term)[0]];
      if (in_loop || index.kind != Kind::Param || index.slot != 0) marked[term.slot] = true;
    }
  });
}

}  // namespace

std::vector<bool> inputs_read_in_place(const Step& step, std::span<const InputBuffer> inputs) {
  std::vector<bool> marked(inputs.size());
  if (step.call && step.call->routine.kind == Routine::Scatter && step.kernel.outputs.size() == 1) {
    for (size_t k = 1; k < inputs.size(); k++) marked[k] = true;
  } else if (only_stores(step)) {
    const Fn& body = *step.kernel.body;
    mark_reads_elsewhere(body, marked);
    for (Id result : body.results)
      if (body[result].kind == Kind::At) marked[body[result].slot] = true;
  } else {
    return std::vector<bool>(inputs.size(), false);
  }
  std::vector<bool> allowed(inputs.size());
  for (size_t k = 0; k < inputs.size(); k++) {
    allowed[k] = true;
    for (size_t j = 0; j < inputs.size(); j++)
      if (inputs[j].buffer == inputs[k].buffer && marked[j]) allowed[k] = false;
  }
  return allowed;
}

std::optional<uint32_t> base_of_output(const Step& step, uint32_t output) {
  if (step.call) return step.call->routine.kind == Routine::Scatter ? std::optional(output) : std::nullopt;
  for (const Scatter& s : step.kernel.scatters)
    if (s.output == output) return s.base;
  return std::nullopt;
}

void release_bases(Graph& graph) {
  constexpr int64_t references = 2;  // the plan's and that of the scatter's definition
  for (const auto& step : graph.steps)
    for (uint32_t k = 0; k < step->kernel.outputs.size(); k++) {
      const std::optional<uint32_t> input = base_of_output(*step, k);
      if (!input) continue;
      GraphVertex& base = graph.vertices[step->sources[*input].vertex];
      if (base.node && !base.manifest && !base.demanded && base.node->references() == references) base.node = NodeRef();
    }
}

}  // namespace wf
