// The level pass: a kernel of level l reads what kernels of levels below l stored.
//
//   read at the same index, over the same domain   in the same kernel (level)
//   read anywhere else                             once it is stored: one level later (random_level)
//
// A scan of something that contains a scan's prefixes of the same level must wait one level: a kernel scans once.
#include <algorithm>

#include "plan/plan.h"

namespace wf {

bool is_masked(const Plan& plan, VertexId v, int level) {
  VertexId f = plan.vertices[v].domain;
  return f != no_vertex && !(plan.vertices[f].stored && plan.vertices[f].level < level);
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

namespace {

class Levels {
 public:
  explicit Levels(Plan& plan) : plan_(plan) {}

  void assign() {
    for (VertexId v = 0; v < plan_.vertices.size(); v++) {
      Vertex& vertex = plan_.vertices[v];
      vertex.level = vertex.random_level = 0;
      vertex.scan_level = -1;
      if (vertex.manifest) continue;
      if (vertex.kind == NodeKind::Pull && vertex.scalar) assign_scalar(v);
      else if (vertex.kind == NodeKind::Pull) assign_pull(v);
      else assign_primitive(v);
    }
  }

  // Marks what levels show must be stored; true if levels have to be assigned again.
  bool mark() {
    bool changed = false;
    uses_.assign(plan_.vertices.size(), 0);
    for (VertexId v = static_cast<VertexId>(plan_.vertices.size()); v-- > 0;) changed |= mark(v);
    return changed;
  }

 private:
  // Being computed under a filter's mask needs what the mask needs.
  void raise_to_domain(Vertex& vertex) {
    if (vertex.domain == no_vertex) return;
    const Vertex& filter = plan_.vertices[vertex.domain];
    vertex.level = std::max(vertex.level, filter.level);
    vertex.scan_level = std::max(vertex.scan_level, filter.scan_level);
  }

  void assign_pull(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    for (const Read& read : vertex.reads) {
      const Vertex& u = plan_.vertices[read.vertex];
      vertex.random_level = std::max(vertex.random_level, u.random_level);
      if (read.kind == ReadKind::Same) {
        vertex.level = std::max(vertex.level, u.level);
        vertex.scan_level = std::max(vertex.scan_level, u.scan_level);
      } else {
        vertex.level = std::max(vertex.level, u.random_level);
      }
      // Computed before, over a filter that was not stored: its elements can only be met after the filter is.
      if (vertex.domain != no_vertex && u.manifest && !u.scalar && u.node->domain() == plan_.vertices[vertex.domain].node.get())
        vertex.level = std::max(vertex.level, plan_.vertices[vertex.domain].level + 1);
    }
    raise_to_domain(vertex);
    if (vertex.cut) vertex.random_level = vertex.level + 1;
  }

  void assign_primitive(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    for (VertexId input : vertex.inputs) {
      vertex.level = std::max(vertex.level, plan_.vertices[input].level);
      vertex.scan_level = std::max(vertex.scan_level, plan_.vertices[input].scan_level);
      if (vertex.kind != NodeKind::Total && vertex.kind != NodeKind::Count) {
        Vertex masked = plan_.vertices[input];
        raise_to_domain(masked);
        vertex.level = std::max(vertex.level, masked.level);
        vertex.scan_level = std::max(vertex.scan_level, masked.scan_level);
      }
    }
    if (vertex.kind == NodeKind::Scan) {
      if (vertex.scan_level == vertex.level) vertex.level++;
      vertex.scan_level = vertex.level;
    }
    vertex.random_level = vertex.level + 1;
  }

  // A scalar is computed after the loop of the kernel whose reductions it reads, if that is one kernel.
  void assign_scalar(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    for (const Read& read : vertex.reads) {
      const Vertex& u = plan_.vertices[read.vertex];
      vertex.level = std::max(vertex.level, u.scalar && !u.manifest ? u.level : u.random_level);
    }
    bool one_kernel = true;
    LoopDomain home;
    bool has_home = false;
    for (const Read& read : vertex.reads) {
      const Vertex& u = plan_.vertices[read.vertex];
      if (!u.scalar || u.manifest || u.level != vertex.level) continue;
      LoopDomain other = home_of(read.vertex);
      if (other == LoopDomain{}) continue;
      one_kernel &= !has_home || other == home;
      home = other;
      has_home = true;
    }
    if (!one_kernel) vertex.level++, home = {};
    homes_.resize(plan_.vertices.size());
    homes_[v] = home;
    vertex.random_level = vertex.level + 1;
  }

  // The domain of the kernel that a scalar is computed in; none for one that stands alone.
  LoopDomain home_of(VertexId u) const {
    const Vertex& vertex = plan_.vertices[u];
    if (vertex.kind == NodeKind::Pull) return u < homes_.size() ? homes_[u] : LoopDomain{};
    return domain_of(plan_, u, vertex.level);
  }

  static uint64_t bit(int level) { return uint64_t(1) << std::min(level, 63); }

  bool store(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    vertex.stored = true;
    if (vertex.domain == no_vertex || vertex.domain == v || plan_.vertices[vertex.domain].cut) return false;
    plan_.vertices[vertex.domain].cut = plan_.vertices[vertex.domain].stored = true;
    return true;
  }

  // uses_[v]: the levels in whose kernels v's value is needed, as bits.
  bool mark(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    if (vertex.manifest) return false;
    if (vertex.demanded) uses_[v] |= bit(vertex.level);
    if (uses_[v] == 0) return false;
    bool changed = false;
    uint64_t later = uses_[v] & ~bit(vertex.level);
    if (vertex.kind != NodeKind::Pull && vertex.kind != NodeKind::Filter && later) changed |= store(v);
    constexpr double expensive = 40;
    if (vertex.kind == NodeKind::Pull && !vertex.scalar && later && !vertex.cut && vertex.cost > expensive &&
        (uses_[v] & (uses_[v] - 1))) {
      vertex.cut = true;
      store(v);
      changed = true;
    }
    bool inlined = (vertex.kind == NodeKind::Pull && !vertex.stored) || (vertex.kind == NodeKind::Filter && !vertex.stored);
    uint64_t computed = inlined ? uses_[v] : bit(vertex.level);
    if (vertex.kind == NodeKind::Pull) {
      for (const Read& read : vertex.reads) {
        const Vertex& u = plan_.vertices[read.vertex];
        bool here = read.kind == ReadKind::Same || (u.kind == NodeKind::Pull && !u.stored);
        uses_[read.vertex] |= here ? computed : bit(u.level);
        if (!here && !u.manifest && !u.stored) changed |= store(read.vertex);
      }
    } else {
      for (VertexId u : vertex.inputs) uses_[u] |= computed;
    }
    if (vertex.domain != no_vertex && vertex.domain != v) uses_[vertex.domain] |= computed;
    return changed;
  }

  Plan& plan_;
  std::vector<LoopDomain> homes_;
  std::vector<uint64_t> uses_;
};

}  // namespace

void pass_level(Plan& plan) {
  Levels levels(plan);
  do levels.assign();
  while (levels.mark());
}

}  // namespace wf
