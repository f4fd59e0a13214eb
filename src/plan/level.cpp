// The level pass: a kernel of level l reads only vertices that kernels of lower levels stored.
//
//   read at the same index, over the same domain   in the same kernel (level), unless it is a barrier
//   read anywhere else                             once it is stored: one level later (random_level)
//
// A scan of something that contains a scan's prefixes of the same level must wait one level: a kernel scans once, along one axis. So must what
// reads prefixes along two axes. A kernel that scans along an axis reduces and filters nothing.
#include <algorithm>
#include <limits>

#include "plan/domain.h"

namespace wf {

namespace {

class Levels {
 public:
  explicit Levels(Plan& plan) : plan_(plan) {}

  void assign() {
    for (VertexId v = 0; v < plan_.vertices.size(); v++) {
      Vertex& vertex = plan_.vertices[v];
      vertex.level = vertex.random_level = 0;
      vertex.scan_level = -1;
      vertex.scan_axis = {};
      if (vertex.manifest) continue;
      if (vertex.kind == NodeKind::Pull && vertex.scalar) assign_scalar(v);
      else if (vertex.kind == NodeKind::Pull) assign_pull(v);
      else assign_primitive(v);
    }
  }

  // Marks the vertices that these levels need in memory. Returns true if levels have to be assigned again.
  bool mark() {
    bool changed = false;
    needed_.assign(plan_.vertices.size(), {});
    for (VertexId v = static_cast<VertexId>(plan_.vertices.size()); v-- > 0;) changed |= mark(v);
    return changed;
  }

  // Takes memory back from vertices that no demanded vertex reads, such as captured sequences that a function ignores.
  void drop_unneeded() {
    for (VertexId v = 0; v < plan_.vertices.size(); v++)
      if (!needed_[v].any()) plan_.vertices[v].placement = Placement::Inlined;
  }

 private:
  // v is computed in a kernel that also computes u; if u is a barrier, the kernel loads it.
  static void raise_with(Vertex& v, const Vertex& u) {
    v.level = std::max(v.level, u.barrier ? u.random_level : u.level);
    if (u.barrier || u.scan_level < v.scan_level) return;
    if (u.scan_level > v.scan_level) v.scan_level = u.scan_level, v.scan_axis = u.scan_axis;
    else if (u.scan_axis != v.scan_axis) v.level = std::max(v.level, v.scan_level + 1);
  }

  // A vertex under a filter's mask needs the inputs of the mask.
  void raise_to_domain(Vertex& v, VertexId domain) {
    if (domain != no_vertex) raise_with(v, plan_.vertices[domain]);
  }

  void assign_pull(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    for (const Read& read : vertex.reads) {
      const Vertex& u = plan_.vertices[read.vertex];
      vertex.random_level = std::max(vertex.random_level, u.random_level);
      if (read.kind == ReadKind::Same) raise_with(vertex, u);
      else vertex.level = std::max(vertex.level, u.random_level);
    }
    raise_to_domain(vertex, vertex.domain);
    if (vertex.cut) vertex.random_level = vertex.level + 1;
  }

  void assign_primitive(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    if (vertex.kind == NodeKind::Total || vertex.kind == NodeKind::Count) {  // a by-product of the kernel that scans or filters
      vertex.level = plan_.vertices[vertex.inputs[0]].level;
      vertex.random_level = vertex.level + 1;
      return;
    }
    VertexId over = plan_.vertices[vertex.inputs[0]].domain;
    if (vertex.kind == NodeKind::Call) {
      for (VertexId input : vertex.inputs) vertex.level = std::max(vertex.level, plan_.vertices[input].random_level);
      if (vertex.domain != no_vertex) vertex.level = std::max(vertex.level, plan_.vertices[vertex.domain].random_level);
      vertex.random_level = vertex.level + 1;
      return;
    }
    for (VertexId input : vertex.inputs) raise_with(vertex, plan_.vertices[input]);
    raise_to_domain(vertex, over);
    if (vertex.kind == NodeKind::Scan) {
      const ScanAxis& axis = vertex.definition->axis;
      if (axis.exists() && over != no_vertex) vertex.level = std::max(vertex.level, plan_.vertices[vertex.inputs[0]].random_level);
      if (vertex.scan_level == vertex.level) vertex.level++;
      vertex.scan_level = vertex.level;
      vertex.scan_axis = axis;
    } else if (vertex.scan_level == vertex.level && vertex.scan_axis.exists()) {
      vertex.level++;
    }
    vertex.random_level = vertex.level + 1;
  }

  // A scalar is computed after the loop of the kernel whose reductions it reads, if that is one kernel.
  void assign_scalar(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    for (const Read& read : vertex.reads) {
      const Vertex& u = plan_.vertices[read.vertex];
      bool together = read.kind == ReadKind::Same && u.scalar && !u.manifest && !u.barrier;
      vertex.level = std::max(vertex.level, together ? u.level : u.random_level);
    }
    bool one_kernel = true;
    LoopDomain home = no_loop;
    for (const Read& read : vertex.reads) {
      const Vertex& u = plan_.vertices[read.vertex];
      if (!u.scalar || u.manifest || u.barrier || u.level != vertex.level) continue;
      LoopDomain other = home_of(read.vertex);
      if (other == no_loop) continue;
      one_kernel &= home == no_loop || other == home;
      home = other;
    }
    if (!one_kernel) vertex.level++, home = no_loop;
    vertex.home = home;
    // A scalar that depends on no reduction, such as a constant, is computed where it is read.
    const bool is_free = one_kernel && home == no_loop && !vertex.demanded && !vertex.is_stored() && !vertex.barrier;
    vertex.random_level = is_free ? vertex.level : vertex.level + 1;
  }

  // The domain of the kernel that a scalar is computed in.
  LoopDomain home_of(VertexId u) const {
    const Vertex& vertex = plan_.vertices[u];
    if (vertex.kind == NodeKind::Pull) return vertex.home;
    return domain_of(plan_, u, vertex.level);
  }

  // The lowest and the highest level whose kernels need a value.
  struct Needed {
    int first = std::numeric_limits<int>::max(), last = -1;
    bool any() const { return last >= 0; }
    void add(int level) { first = std::min(first, level), last = std::max(last, level); }
    void add(const Needed& other) { first = std::min(first, other.first), last = std::max(last, other.last); }
  };

  // Gives v memory. A vertex over a filter can be loaded only at indices of the filter's result, so the filter is stored too. Returns
  // true if the filter was not stored before.
  bool store(VertexId v, Reason reason) {
    Vertex& vertex = plan_.vertices[v];
    vertex.store(reason);
    if (vertex.domain == no_vertex || vertex.domain == v) return false;
    Vertex& filter = plan_.vertices[vertex.domain];
    bool is_new = !filter.is_stored();
    filter.cut = true;
    filter.store(Reason::Later);
    return is_new;
  }

  bool mark(VertexId v) {
    Vertex& vertex = plan_.vertices[v];
    if (vertex.manifest) return false;
    if (vertex.demanded) needed_[v].add(vertex.level);
    if (!needed_[v].any()) return false;
    bool changed = false;
    bool later = needed_[v].last > vertex.level, by_several = needed_[v].first < needed_[v].last;
    bool pure = vertex.kind == NodeKind::Pull || vertex.kind == NodeKind::Filter;
    if (later && (!pure || vertex.is_stored())) changed |= store(v, Reason::Later);
    if (vertex.kind == NodeKind::Pull && !vertex.scalar && later && !vertex.is_stored() && vertex.cost > expensive && by_several) {
      vertex.cut = true;
      store(v, Reason::Reread);
      changed = true;
    }
    Needed computed = needed_[v];  // the levels that compute v, rather than load it
    if (!pure || vertex.is_stored()) computed = {vertex.level, vertex.level};
    if (vertex.kind != NodeKind::Pull)
      for (VertexId u : vertex.inputs) needed_[u].add(computed);
    for (const Read& read : vertex.reads) {
      needed_[read.vertex].add(computed);
      const Vertex& u = plan_.vertices[read.vertex];
      bool inlined = u.kind == NodeKind::Pull && !u.cut;
      if (read.kind != ReadKind::Same && !inlined && !u.manifest) changed |= store(read.vertex, Reason::Gathered);
    }
    if (vertex.domain != no_vertex && vertex.domain != v) needed_[vertex.domain].add(computed);
    return changed;
  }

  Plan& plan_;
  std::vector<Needed> needed_;
};

}  // namespace

void assign_levels(Plan& plan) { Levels(plan).assign(); }

void pass_level(Plan& plan, const PlanOptions&) {
  Levels levels(plan);
  do levels.assign();
  while (levels.mark());
  levels.drop_unneeded();
}

}  // namespace wf
