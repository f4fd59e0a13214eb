#include "plan/domain.h"

#include <algorithm>

namespace wf {
namespace {

bool is_own_index(const Term& index) { return index.kind == Kind::Param && index.slot == 0; }

// The uses of a Pull's index: one filter over which all sequences that it reads at the index range, or something else.
struct IndexUse {
  bool only_reads = true;  // the index does nothing but read sequences at it
  bool one_domain = true;  // these sequences have one domain
  VertexId domain = no_vertex;
  bool reads = false;
};

IndexUse index_use(const Graph& graph, const GraphVertex& pull) {
  const Fn& fn = *pull.definition->fn;
  IndexUse use;
  for (const Term& term : fn.terms)
    for (Id operand : fn.args(term)) {
      if (!is_own_index(fn[operand])) continue;
      if (term.kind != Kind::At) {
        use.only_reads = false;
        continue;
      }
      VertexId domain = graph.vertices[pull.inputs[term.slot]].domain;
      use.one_domain &= !use.reads || domain == use.domain;
      use.domain = domain;
      use.reads = true;
    }
  for (Id result : fn.results) use.only_reads &= !is_own_index(fn[result]);
  return use;
}

// The filter over whose result the node ranges, if a vertex among the inputs of v ranges over it.
VertexId declared_domain(const Graph& graph, const GraphVertex& v) {
  for (VertexId input : v.inputs) {
    VertexId domain = graph.vertices[input].domain;
    if (domain != no_vertex && graph.vertices[domain].node.get() == v.node->domain()) return domain;
  }
  return no_vertex;
}

VertexId pull_domain(const Graph& graph, const GraphVertex& v) {
  if (std::ranges::all_of(v.inputs, [&](VertexId input) { return graph.vertices[input].domain == no_vertex; })) return no_vertex;
  const IndexUse use = index_use(graph, v);
  if (!use.reads) return declared_domain(graph, v);
  if (!use.only_reads || !use.one_domain || use.domain == no_vertex) return no_vertex;
  const Node& filter = *graph.vertices[use.domain].node;
  const bool whole = v.node->domain() == &filter || (v.length >= 0 && v.length == filter.length());
  return whole ? use.domain : no_vertex;
}

}  // namespace

void set_domain(Graph& graph, VertexId v) {
  GraphVertex& vertex = graph.vertices[v];
  if (vertex.manifest || vertex.scalar) return;
  if (vertex.kind == NodeKind::Filter) vertex.domain = v;
  else if (vertex.kind == NodeKind::Pull) vertex.domain = pull_domain(graph, vertex);
  else if (vertex.kind == NodeKind::Call) vertex.domain = declared_domain(graph, vertex);
  else if (!vertex.definition->axis.exists()) vertex.domain = graph.vertices[vertex.inputs[0]].domain;
  if (vertex.domain != no_vertex) vertex.length = -1;
}

bool is_available(const Plan& plan, VertexId v, int level) {
  const Vertex& vertex = plan.vertices[v];
  return vertex.manifest || (vertex.is_stored() && vertex.level < level);
}

bool is_masked(const Plan& plan, VertexId v, int level) {
  VertexId f = plan.vertices[v].domain;
  return f != no_vertex && !is_available(plan, f, level);
}

LoopDomain domain_of(const Plan& plan, VertexId v, int level) {
  for (;;) {
    const Vertex& vertex = plan.vertices[v];
    if (vertex.kind == NodeKind::Reduce || vertex.kind == NodeKind::Total || vertex.kind == NodeKind::Count) {
      if (vertex.manifest) return {no_vertex, 1};
      v = vertex.inputs[0];
    } else if (vertex.domain == no_vertex) {
      return {no_vertex, vertex.length};
    } else if (!is_masked(plan, v, level)) {
      return {vertex.domain, 0};
    } else {
      v = plan.vertices[vertex.domain].inputs[0];
    }
  }
}

}  // namespace wf
