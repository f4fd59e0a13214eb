// The graph pass turns the demanded nodes and all that they depend on into vertices, inputs before their users.
//
// Another thread may make nodes manifest at the same time, so each node's state is read once and the plan follows that state.
#include <algorithm>
#include <array>
#include <bit>

#include "expr/of_thread.h"
#include "lazy/arrays/join.h"
#include "memory/buffer.h"
#include "plan/domain.h"

namespace wf {
namespace {

// Node -> vertex: open addressing by the node's address. The table of a graph of a few nodes, the common case, needs no memory of its own.
class Index {
 public:
  explicit Index(const Graph& graph) : graph_(graph) {}
  VertexId find(const Node* node) const {
    const size_t place = place_of(node);
    return nodes_[place] ? vertices_[place] : no_vertex;
  }
  // The graph's last vertex is new.
  void added() {
    const size_t count = graph_.vertices.size();
    if (4 * count > 3 * nodes_.size()) {
      more_nodes_.assign(std::bit_ceil(2 * count), nullptr);
      more_vertices_.resize(more_nodes_.size());
      nodes_ = more_nodes_, vertices_ = more_vertices_;
      for (VertexId w = 0; w < count; w++) enter(w);
    } else {
      enter(static_cast<VertexId>(count - 1));
    }
  }

 private:
  static constexpr size_t few = 32;
  // The place of the node's vertex in the table, or the free place for it.
  size_t place_of(const Node* node) const {
    const size_t last = nodes_.size() - 1;
    size_t at = (reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15 >> 40) & last;
    while (nodes_[at] && nodes_[at] != node) at = (at + 1) & last;
    return at;
  }
  void enter(VertexId v) {
    const Node* node = graph_.vertices[v].node.get();
    if (!node) return;  // a count that was added
    const size_t place = place_of(node);
    nodes_[place] = node, vertices_[place] = v;
  }

  const Graph& graph_;
  std::array<const Node*, few> few_nodes_{};
  std::array<VertexId, few> few_vertices_;  // of places with a node
  std::vector<const Node*> more_nodes_;
  std::vector<VertexId> more_vertices_;
  std::span<const Node*> nodes_ = few_nodes_;
  std::span<VertexId> vertices_ = few_vertices_;
};

// The manifest of a node that has elements when a program runs.
std::shared_ptr<const Manifest> without_elements(const Node& node) {
  Manifest manifest{{}, node.length(), nullptr, false};
  manifest.columns.resize(node.types().size());
  return std::make_shared<const Manifest>(std::move(manifest));
}

// A node whose inputs become vertices.
struct Visit {
  Visit(const NodeRef& visited, const PlanOptions& options) : node(visited), state(visited->state()) {
    if (!state.definition) return;
    const bool is_given = state.definition->kind == NodeKind::Parameter || (options.given && options.given->contains(node.get()));
    if (!is_given) return;
    state.definition = nullptr;
    state.manifest = without_elements(*node);
  }
  // The next input that becomes a vertex, or null. The parts of an append that are in memory need none: there may be many.
  const NodeRef* next_input() {
    for (; state.definition && next < state.definition->inputs.size(); next++) {
      const NodeRef& input = state.definition->inputs[next];
      if (computed && input->is_manifest()) continue;
      if (computed) computed->push_back(uint32_t(next));
      return next++, &input;
    }
    return nullptr;
  }

  NodeRef node;
  NodeState state;
  Few<VertexId> inputs;  // so far
  std::shared_ptr<Computed> computed;
  size_t next = 0;  // input
};

// The parts of many appends on top of each other, as in a loop that appends to its result, are those of one Join, and maps of one function
// among them are one map. The planner sees neither the appends nor the maps in between, unless they are vertices, which others read. An append that
// is demanded alone, of parts in memory, is a Join, too, which copies them and compiles nothing.
void open_appends(Visit& visit, const Index& index, const PlanOptions& options, bool is_alone) {
  const auto may_open = [&](const Node& node) {
    return index.find(&node) == no_vertex && !(options.given && options.given->contains(&node));
  };
  std::vector<NodeRef> parts = appended(visit.state.definition, may_open);
  const bool is_call = visit.state.definition->kind == NodeKind::Call;
  const Few<NodeRef>& inputs = visit.state.definition->inputs;
  const auto is_in_memory = [](const NodeRef& part) { return part->is_in_memory(); };
  if (parts.size() > (is_call ? 0 : most_chosen)) visit.state.definition = DefinitionRef(appending(std::move(parts), may_open));
  else if (!is_call && is_alone && options.parts && std::ranges::all_of(inputs, is_in_memory))
    visit.state.definition = DefinitionRef(joining(inputs, 1));
}

// A node whose inputs are looked at next.
void begin_visit(Visit& visit, const Index& index, const PlanOptions& options, bool is_alone) {
  const DefinitionRef& definition = visit.state.definition;
  if (!definition) return;
  if (is_append(*definition)) open_appends(visit, index, options, is_alone);
  if (definition->kind != NodeKind::Call || definition->routine.kind != Routine::Join) return;
  visit.computed = std::make_shared<Computed>();
}

// Appends the vertex of a node whose inputs are vertices.
void add_vertex(Graph& graph, Visit& visit) {
  GraphVertex& v = graph.vertices.emplace_back(std::move(visit.node), std::move(visit.state), std::move(visit.inputs));
  v.computed = std::move(visit.computed);
  if (v.manifest) {
    v.length = v.manifest->length;
    return;
  }
  v.kind = v.definition->kind;
  v.again = v.kind == NodeKind::Call && v.node->was_computed();
  v.length = v.scalar ? 1 : v.node->length();
  // A scan's total is a by-product of the scan. If the prefixes are manifest already, it is a reduction of the scanned sequence.
  if (v.kind == NodeKind::Total) {
    bool with_scan = !graph.vertices[v.inputs[0]].manifest;
    v.kind = with_scan ? NodeKind::Total : NodeKind::Reduce;
    v.inputs = {v.inputs[with_scan ? 0 : 1]};
  }
  int64_t counted = v.kind == NodeKind::Count ? v.definition->inputs[0]->length() : -1;
  if (counted >= 0) {
    Builder b;
    b.param(Type::I64, "i");
    Id length = b.constant(counted);
    Definition known{NodeKind::Pull, b.finish(std::span(&length, 1)), {}, {}};
    v.kind = NodeKind::Pull;
    v.inputs.clear();
    v.definition = DefinitionRef(std::move(known));
  }
}

// (length $slot) of a filtered input is read from a Count of its filter, which is added before the reader. Returns the counts by slot.
Few<std::pair<uint32_t, VertexId>> add_counts(Graph& graph, const Visit& reader) {
  Few<std::pair<uint32_t, VertexId>> lengths;
  const Definition* definition = reader.state.definition.get();
  if (!definition || definition->kind != NodeKind::Pull) return lengths;
  const auto domain_of_input = [&](size_t k) { return graph.vertices[reader.inputs[k]].domain; };
  for_each_body(*definition->fn, [&](const Fn& fn, bool) {
    for (const Term& term : fn.terms) {
      if (term.kind != Kind::Length) continue;
      VertexId filter = domain_of_input(term.slot);
      if (filter == no_vertex || std::ranges::count(lengths, term.slot, &std::pair<uint32_t, VertexId>::first) > 0) continue;
      GraphVertex count;
      count.kind = NodeKind::Count;
      count.inputs = {filter};
      count.types = {Type::I64};
      count.length = 1;
      count.scalar = true;
      lengths.push_back({term.slot, static_cast<VertexId>(graph.vertices.size())});
      graph.vertices.push_back(std::move(count));
    }
  });
  std::ranges::sort(lengths);
  return lengths;
}

// The delayed reductions of sequences that the graph reduces anyway, as optional vertices. A reduction by one operation cannot fail,
// whatever its elements; those by other functions are left alone.
void add_siblings(Graph& graph, Index& index, const PlanOptions& options) {
  const VertexId count = static_cast<VertexId>(graph.vertices.size());
  for (VertexId v = 0; v < count && graph.vertices.size() < count + Node::most_reductions; v++) {
    if (graph.vertices[v].kind != NodeKind::Reduce) continue;
    const VertexId reduced = graph.vertices[v].inputs[0];
    const Node& input = *graph.vertices[reduced].node;
    for (const NodeRef& sibling : input.reductions_besides(graph.vertices[v].node.get())) {
      if (!sibling || index.find(sibling.get()) != no_vertex) continue;
      Visit visit(sibling, options);
      if (visit.state.manifest || !folds_in_any_order(*visit.state.definition->fn)) continue;
      visit.inputs = {reduced};
      add_vertex(graph, visit);
      graph.vertices.back().optional = true;
      index.added();
    }
  }
}

// The bytes of the vertex's elements, or of all that a filter may keep.
int64_t bytes_at_most(const Graph& graph, const GraphVertex& v) {
  const GraphVertex* of = &v;
  while (of->length < 0) of = &graph.vertices[graph.vertices[of->domain].inputs[0]];
  double bytes = 0;
  for (Type type : v.types) bytes += double(of->length) * double(size_of(type));
  return bytes < double(INT64_MAX) ? int64_t(bytes) : INT64_MAX;
}

// Marks the vertices that an earlier plan computed, that may be asked for again, and for which there is memory; and sorts that may be. The
// references that do not count are those of the graph and, since demanded nodes and results of routines drop their definitions, those from such
// definitions.
void find_again(Graph& graph, const Index& index, const Pool& memory) {
  const auto was_computed = [](const GraphVertex& v) { return !v.manifest && v.node && v.node->was_computed(); };
  const auto moves_columns = [](const GraphVertex& v) {
    return v.node && !v.manifest && v.kind == NodeKind::Call && is_permutation(v.definition->routine.kind) && v.types.size() > 1;
  };
  if (std::ranges::none_of(graph.vertices, [&](const GraphVertex& v) { return was_computed(v) || moves_columns(v); })) return;
  const auto for_each_referred = [&](const GraphVertex& v, const auto& visit) {
    if (v.manifest || !v.node) return;
    const auto enter = [&](const Node* node) {
      if (const VertexId found = index.find(node); found != no_vertex) visit(found);
    };
    for (const NodeRef& input : v.definition->inputs) enter(input.get());
    if (const Node* filter = v.node->domain(); filter != v.node.get()) enter(filter);
  };
  std::vector<int64_t> known(graph.vertices.size(), 1);
  for (const GraphVertex& v : graph.vertices) for_each_referred(v, [&](VertexId u) { known[u]++; });
  for (VertexId id = static_cast<VertexId>(graph.vertices.size()); id-- > 0;) {
    GraphVertex& v = graph.vertices[id];
    if (!v.node) continue;
    if (v.demanded) v.again = was_computed(v);
    else v.held = moves_columns(v) && v.node->references() > known[id];
    if (v.demanded || v.kind == NodeKind::Call || v.node->references() <= known[id]) continue;
    for_each_referred(v, [&](VertexId u) { known[u]--; });
    v.again = was_computed(v) && memory.has_room(bytes_at_most(graph, v));
  }
}

// Memory that a thread keeps for its next graph.
struct Spare {
  std::vector<GraphVertex> vertices;
  std::vector<Visit> stack;
};
constinit thread_local OfThread<Spare> spare;

template <class T> void keep(std::vector<T>& kept, std::vector<T>& used) {
  used.clear();
  if (used.capacity() <= 2 * largest_kept_graph && used.capacity() > kept.capacity()) kept.swap(used);
}

// The nodes on the way from a demanded node to the one that is looked at.
struct Stack {
  Spare& from = spare.get();
  std::vector<Visit> visits = std::exchange(from.stack, {});
  ~Stack() { keep(from.stack, visits); }
};

}  // namespace

Graph::Graph() : vertices(std::exchange(spare.get().vertices, {})) {}
Graph::~Graph() {
  if (Spare* mine = spare.known()) keep(mine->vertices, vertices);
}

bool pass_graph(Graph& graph, std::span<const NodeRef> demanded, const PlanOptions& options, size_t most) {
  Index index(graph);
  Stack path;
  std::vector<Visit>& stack = path.visits;
  bool is_filtered = false;  // a vertex ranges over a filter's result
  for (const NodeRef& root : demanded) {
    VertexId v = index.find(root.get());
    const auto visit_node = [&](const NodeRef& node) {
      const bool is_alone = demanded.size() == 1 && stack.empty();
      begin_visit(stack.emplace_back(node, options), index, options, is_alone);
    };
    if (v == no_vertex) visit_node(root);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (const NodeRef* input = visit.next_input()) {
        if (const VertexId known = index.find(input->get()); known != no_vertex) visit.inputs.push_back(known);
        else visit_node(*input);
        continue;
      }
      Few<std::pair<uint32_t, VertexId>> lengths;
      if (is_filtered) lengths = add_counts(graph, visit);
      if (graph.vertices.size() >= most) return false;
      // Every node on the stack becomes a vertex.
      if (graph.vertices.size() == graph.vertices.capacity())
        graph.vertices.reserve(graph.vertices.size() + std::max(stack.size(), graph.vertices.size()));
      add_vertex(graph, visit);
      if (!lengths.empty()) graph.vertices.back().lengths = std::move(lengths);
      v = static_cast<VertexId>(graph.vertices.size() - 1);
      index.added();
      if (is_filtered || graph.vertices[v].kind == NodeKind::Filter) set_domain(graph, v);
      is_filtered |= graph.vertices[v].domain != no_vertex;
      stack.pop_back();
      if (!stack.empty()) stack.back().inputs.push_back(v);
      if (stack.capacity() > 1000 && stack.size() < stack.capacity() / 4) stack.shrink_to_fit();  // the vertices need the memory
    }
    if (!graph.vertices[v].manifest) graph.vertices[v].demanded = true;
  }
  if (options.share && options.siblings && !options.given) add_siblings(graph, index, options);
  if (options.keep && !options.given) find_again(graph, index, *options.pool);
  return true;
}

}  // namespace wf
