// The apart pass keeps loops and folds out of kernels that work in order: those that scan, compact, or reduce by a function that does not
// commute.
//
// An engine computes the scanned values of a chunk twice, for its sum and for its prefixes (src/cpu/scan.cpp), and shares the folds of a
// row among threads only in kernels without an order (src/cuda/row_form.h). Under a filter's mask, the body is computed for all elements,
// kept or not. So a vertex between the two is stored, and a later kernel reads it, if the work costs more than to store and load an element:
//
//   a scan reads a loop, or any such kernel a fold    the results of the loop or fold
//   a scan reads a transposed view                    the view: kernels without an order read and write it in tiles
//   a fold reads prefixes at its own index            the prefixes, with what is computed of them
//   costly work on a filter's result                  the filter's result
#include <algorithm>

#include "expr/indices/walk.h"
#include "plan/plan.h"

namespace wf {
namespace {

constexpr double costly = 40;  // work on a filter's result, in cheap operations

// Returns true if neighbours of the view lie far apart in memory.
bool is_transposed(const Vertex& v) {
  constexpr int64_t fewest = 1 << 16, shortest = 32;  // elements: fewer stay in caches
  if (v.kind != NodeKind::Pull || v.manifest || !v.definition->view || v.length < fewest) return false;
  const Fn& fn = *v.definition->fn;
  return std::ranges::any_of(fn.terms, [&](const Term& t) {
    const std::optional<Walk> walk = t.kind == Kind::At ? walk_of(fn, fn.args(t)[0]) : std::nullopt;
    return walk && walk->axes[0].extent >= shortest && std::abs(walk->axes[0].stride) >= shortest;
  });
}

bool repeats_fold(const Vertex& v) { return v.repeats && has_folds(*v.definition->fn); }

// The kernels that read a vertex at its own index, directly or through Pulls and filters.
struct Readers {
  bool scan = false, ordered = false;
  void add(const Readers& other) { scan |= other.scan, ordered |= other.ordered; }
};

class Apart {
 public:
  explicit Apart(Plan& plan)
      : plan_(plan), readers_(plan.vertices.size()), under_mask_(plan.vertices.size()), prefix_(plan.vertices.size()) {}

  void run() {
    const VertexId count = static_cast<VertexId>(plan_.vertices.size());
    for (VertexId v = 0; v < count; v++) {
      if (plan_.vertices[v].manifest) continue;
      find_prefixes(v);
      store_filter_before(v);
    }
    for (VertexId v = count; v-- > 0;)
      if (!plan_.vertices[v].manifest) store_before_readers(v);
  }

 private:
  void store(Vertex& v) {
    if (v.manifest) return;
    v.cut = v.barrier = true;
    v.store(Reason::Apart);
  }

  // Marks v if it contains prefixes of the kernel that computes it.
  void find_prefixes(VertexId v) {
    const Vertex& vertex = plan_.vertices[v];
    if (vertex.kind == NodeKind::Scan) prefix_[v] = true;
    if (vertex.kind == NodeKind::Filter) prefix_[v] = std::ranges::any_of(vertex.inputs, [&](VertexId input) { return prefix_[input]; });
    if (vertex.kind == NodeKind::Pull && !repeats_fold(vertex))
      prefix_[v] = std::ranges::any_of(vertex.reads, [&](const Read& read) { return read.kind == ReadKind::Same && prefix_[read.vertex]; });
  }

  void store_filter_before(VertexId v) {
    const Vertex& vertex = plan_.vertices[v];
    if (vertex.kind != NodeKind::Pull || vertex.domain == no_vertex) return;
    under_mask_[v] = vertex.cost;
    for (const Read& read : vertex.reads)
      if (plan_.vertices[read.vertex].domain == vertex.domain) under_mask_[v] += under_mask_[read.vertex];
    if (under_mask_[v] > costly || vertex.repeats) store(plan_.vertices[vertex.domain]);
  }

  // Readers have higher numbers, so that those of v are known.
  void store_before_readers(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    Readers readers = readers_[v];
    switch (vertex.kind) {
      case NodeKind::Call: return;
      case NodeKind::Scan: readers = {true, true}; break;
      case NodeKind::Filter:
        if (vertex.barrier) readers = {};
        readers.ordered |= vertex.is_stored();
        break;
      case NodeKind::Reduce: readers.ordered |= !folds_in_any_order(*vertex.definition->fn); break;
      case NodeKind::Pull: return store_pull_before(vertex, readers);
      default: break;
    }
    for (VertexId input : vertex.inputs) readers_[input].add(readers);
  }

  void store_pull_before(Vertex& vertex, Readers readers) {
    if (readers.scan && (vertex.repeats || is_transposed(vertex))) store(vertex);
    if (repeats_fold(vertex)) {
      if (readers.ordered) store(vertex);
      for (const Read& read : vertex.reads)
        if (read.kind == ReadKind::Same && prefix_[read.vertex]) store(plan_.vertices[read.vertex]);
    }
    if (vertex.barrier) readers = {};
    for (const Read& read : vertex.reads) {
      if (read.kind == ReadKind::Same) readers_[read.vertex].add(readers);
      else if (plan_.vertices[read.vertex].kind == NodeKind::Filter) readers_[read.vertex].ordered = true;  // compacted
    }
  }

  Plan& plan_;
  std::vector<Readers> readers_;
  std::vector<double> under_mask_;  // the cost of an element, with what is computed for it from the filter's result
  std::vector<bool> prefix_;
};

}  // namespace

void pass_apart(Plan& plan, const PlanOptions&) {
  const auto may_store = [](const Vertex& v) { return v.repeats || (v.domain != no_vertex && v.cost > 0) || is_transposed(v); };
  if (std::ranges::any_of(plan.vertices, may_store)) Apart(plan).run();
}

}  // namespace wf
