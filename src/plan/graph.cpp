// The graph pass turns the demanded nodes and all that they depend on into vertices, inputs before their users.
//
// Another thread may make nodes manifest at the same time, so each node's state is read once and the plan follows that state.
#include <algorithm>
#include <array>
#include <bit>

#include "plan/domain.h"

namespace wf {
namespace {

// Node -> vertex: open addressing by the node's address. The table of a graph of a few nodes, the common case, needs no memory of its own.
class Index {
 public:
  explicit Index(const Plan& plan) : plan_(plan) {}
  VertexId find(const Node* node) const { return table_[place_of(node)].vertex; }
  // The plan's last vertex is new.
  void added() {
    const size_t count = plan_.vertices.size();
    if (4 * count > 3 * table_.size()) {
      many_.assign(std::bit_ceil(2 * count), {});
      table_ = many_;
      for (VertexId w = 0; w < count; w++) enter(w);
    } else {
      enter(static_cast<VertexId>(count - 1));
    }
  }

 private:
  struct Entry {
    const Node* node = nullptr;
    VertexId vertex = no_vertex;
  };
  // The place of the node's vertex in the table, or the free place for it.
  size_t place_of(const Node* node) const {
    const size_t last = table_.size() - 1;
    size_t at = (reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15 >> 40) & last;
    while (table_[at].node && table_[at].node != node) at = (at + 1) & last;
    return at;
  }
  void enter(VertexId v) {
    if (const Node* node = plan_.vertices[v].node.get()) table_[place_of(node)] = {node, v};  // counts that were added have none
  }

  const Plan& plan_;
  std::array<Entry, 32> few_;
  std::vector<Entry> many_;
  std::span<Entry> table_ = few_;
};

struct Visit {
  NodeRef node;
  NodeState state;
  size_t next = 0;  // the input to look at next
};

// Fills in the plan's last vertex, which is new.
void fill_vertex(Plan& plan, Visit& visit, const Index& index) {
  Vertex& v = plan.vertices.back();
  v.node = std::move(visit.node);
  v.types = v.node->column_types();
  v.scalar = v.node->rank() == 0;
  v.manifest = std::move(visit.state.manifest);
  v.definition = std::move(visit.state.definition);
  if (v.manifest) {
    v.length = v.manifest->length;
    return;
  }
  v.kind = v.definition->kind;
  for (const NodeRef& input : v.definition->inputs) v.inputs.push_back(index.find(input.get()));
  v.length = v.scalar ? 1 : v.node->length();
  // A scan's total is a by-product of the scan. If the prefixes are manifest already, it is a reduction of the scanned sequence.
  if (v.kind == NodeKind::Total) {
    bool with_scan = !plan.vertices[v.inputs[0]].manifest;
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
    v.definition = std::make_shared<const Definition>(std::move(known));
  }
}

// (length $slot) of a filtered input is read from a Count of its filter, which is added before the reader. Returns the counts by slot.
Few<std::pair<uint32_t, VertexId>> add_counts(Plan& plan, const Definition* reader, const Index& index) {
  Few<std::pair<uint32_t, VertexId>> lengths;
  if (!reader || reader->kind != NodeKind::Pull) return lengths;
  const auto is_filtered = [&](const NodeRef& input) { return plan.vertices[index.find(input.get())].domain != no_vertex; };
  if (std::ranges::none_of(reader->inputs, is_filtered)) return lengths;
  for_each_body(*reader->fn, [&](const Fn& fn, bool) {
    for (const Term& term : fn.terms) {
      if (term.kind != Kind::Length) continue;
      VertexId filter = plan.vertices[index.find(reader->inputs[term.slot].get())].domain;
      if (filter == no_vertex || std::ranges::count(lengths, term.slot, &std::pair<uint32_t, VertexId>::first) > 0) continue;
      Vertex count;
      count.kind = NodeKind::Count;
      count.inputs = {filter};
      count.types = {Type::I64};
      count.length = 1;
      count.scalar = true;
      lengths.push_back({term.slot, static_cast<VertexId>(plan.vertices.size())});
      plan.vertices.push_back(std::move(count));
    }
  });
  std::ranges::sort(lengths);
  return lengths;
}

// The delayed reductions of sequences that the graph reduces anyway, as optional vertices. A reduction by one operation cannot fail,
// whatever its elements; those by other functions are left alone.
void add_siblings(Plan& plan, Index& index) {
  const VertexId count = static_cast<VertexId>(plan.vertices.size());
  for (VertexId v = 0; v < count && plan.vertices.size() < count + Node::most_reductions; v++) {
    if (plan.vertices[v].kind != NodeKind::Reduce) continue;
    const Node& input = *plan.vertices[plan.vertices[v].inputs[0]].node;
    for (const NodeRef& sibling : input.reductions_besides(plan.vertices[v].node.get())) {
      if (!sibling || index.find(sibling.get()) != no_vertex) continue;
      Visit visit{sibling, sibling->state()};
      if (visit.state.manifest || !folds_in_any_order(*visit.state.definition->fn)) continue;
      plan.vertices.emplace_back();
      fill_vertex(plan, visit, index);
      plan.vertices.back().optional = true;
      index.added();
    }
  }
}

}  // namespace

bool pass_graph(Plan& plan, std::span<const NodeRef> demanded, const PlanOptions& options, size_t most) {
  Index index(plan);
  constexpr size_t few = 12;  // vertices of most graphs, allocated at once
  std::vector<Visit> stack;
  stack.reserve(few);
  plan.vertices.reserve(few);
  auto enter = [&](const NodeRef& node) {
    if (index.find(node.get()) == no_vertex) stack.push_back({node, node->state()});
  };
  for (const NodeRef& root : demanded) {
    enter(root);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const Definition* definition = visit.state.definition.get();
      if (definition && visit.next < definition->inputs.size()) {
        enter(definition->inputs[visit.next++]);
        continue;
      }
      if (index.find(visit.node.get()) == no_vertex) {
        auto lengths = add_counts(plan, definition, index);
        if (plan.vertices.size() >= most) return false;
        // Every node on the stack becomes a vertex.
        if (plan.vertices.size() == plan.vertices.capacity())
          plan.vertices.reserve(plan.vertices.size() + std::max(stack.size(), plan.vertices.size()));
        plan.vertices.emplace_back().lengths = std::move(lengths);
        fill_vertex(plan, visit, index);
        VertexId v = static_cast<VertexId>(plan.vertices.size() - 1);
        index.added();
        set_domain(plan, v);
      }
      stack.pop_back();
      if (stack.capacity() > 1000 && stack.size() < stack.capacity() / 4) stack.shrink_to_fit();  // the vertices need the memory
    }
    VertexId v = index.find(root.get());
    if (plan.vertices[v].manifest) continue;
    plan.vertices[v].demanded = true;
    plan.vertices[v].store(Reason::Demanded);
  }
  if (options.share) add_siblings(plan, index);
  return true;
}

}  // namespace wf
