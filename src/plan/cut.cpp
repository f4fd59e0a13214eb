// The cut pass chooses the delayed vertices that get memory of their own.
//
// A Pull is inlined wherever it is read. At one index that costs nothing. At c different indices it is computed c times per element,
// so it is stored if that costs more than writing and reading it. A fold reads at an index for each of its steps. Kernels are also kept
// below a size that engines compile well. A vertex that a loop reads must be in memory.
#include <algorithm>
#include <map>
#include <tuple>

#include "expr/indices/neighbours.h"
#include "plan/domain.h"

namespace wf {
namespace {

constexpr double gather_cost = 12;    // an element read at any index is worth storing above this cost
constexpr uint32_t size_limit = 256;  // terms in a body

// The reads of a vertex, summed up.
struct ReadSummary {
  bool same = false, any = false, in_loop = false, by_vector = false;
  uint32_t elsewhere = 0;  // reads at other indices
  double by_folds = 0;     // elements that folds read
  double by_views = 0;     // elements that views read, repeated ones again
};

void count_uses(const Plan& plan, std::vector<ReadSummary>& uses) {
  for (const Vertex& reader : plan.vertices)
    for (const Read& read : reader.reads) {
      ReadSummary& u = uses[read.vertex];
      if (read.kind == ReadKind::Same) u.same = true;
      else u.elsewhere++;
      u.any |= read.kind == ReadKind::Any;
      u.in_loop |= read.kind == ReadKind::InLoop;
      if (read.kind == ReadKind::InFold)
        u.by_folds += double(read.times) * double(reader.length < 0 ? plan.vertices[read.vertex].length : reader.length);
      if (read.kind == ReadKind::Any && reader.definition->view) u.by_views += double(reader.length);
      u.by_vector |= !reader.scalar;
    }
}

// The reason to store a Pull rather than inline it; None: there is none.
Reason worth_storing(const Vertex& v, const ReadSummary& u) {
  if (u.in_loop) return Reason::Looped;
  if (v.scalar) return u.by_vector && v.cost > 0 ? Reason::Reread : Reason::None;  // once instead of once per element
  uint32_t copies = (u.same || v.demanded ? 1 : 0) + u.elsewhere;
  if (u.elsewhere == 0) return Reason::None;
  if (v.domain != no_vertex) return Reason::Gathered;  // under a mask only the own index can be computed
  if (v.demanded) return v.cost > demanded_cost ? Reason::Demanded : Reason::None;
  if (u.by_folds * v.cost > double(v.length) * (v.cost + store_cost)) return Reason::Looped;
  if (v.cost > demanded_cost && u.by_views * v.cost > double(v.length) * (v.cost + store_cost)) return Reason::Gathered;
  if (u.any && v.cost > gather_cost) return Reason::Gathered;
  return v.cost * (copies - 1) > store_cost ? Reason::Reread : Reason::None;
}

// Marks the vertices that one other vertex reads at the neighbours of each element of a matrix, and that an engine may compute about once per element
// there (PlanOptions::shares_neighbours). Such a vertex may read neighbours itself, but not of another such vertex.
void share_neighbours(Plan& plan) {
  constexpr size_t most_terms = 1500;
  std::vector<uint32_t> readers(plan.vertices.size());
  for (const Vertex& v : plan.vertices)
    for (VertexId u : v.inputs) readers[u]++;
  for (const Vertex& v : plan.vertices) {
    if (v.kind != NodeKind::Pull || v.manifest || v.scalar || v.domain != no_vertex) continue;
    const Fn& fn = *v.definition->fn;
    const std::optional<int64_t> width = neighbourhood_width(fn);
    if (!width || std::ranges::any_of(v.inputs, [&](VertexId u) { return plan.vertices[u].shared; })) continue;
    for (VertexId id : v.inputs) {
      Vertex& u = plan.vertices[id];
      if (u.kind != NodeKind::Pull || u.manifest || u.demanded || u.length != v.length || u.domain != no_vertex || readers[id] != 1)
        continue;
      const Fn& read = *u.definition->fn;
      const bool is_of_element = std::ranges::all_of(u.reads, [](const Read&r) { return r.kind <= ReadKind::Fixed; }),
                 is_alike = neighbourhood_width(read) == width;
      if ((!is_of_element && !is_alike) || std::ranges::any_of(u.inputs, [&](VertexId w) { return plan.vertices[w].shared; })) continue;
      const auto reads = size_t(std::ranges::count(fn.terms, Kind::At, &Term::kind));
      u.shared = reads * read.terms.size() <= most_terms;
    }
  }
}

// Returns true if a kernel that computes v computes its input in the same body. What is stored is read at other indices from memory.
bool is_inlined(const Plan& plan, const Vertex& v, VertexId input) {
  const Vertex& u = plan.vertices[input];
  const bool is_in_body = u.kind == NodeKind::Pull || u.kind == NodeKind::Filter || u.kind == NodeKind::Scan;
  if (!is_in_body || u.manifest || u.barrier || (u.is_stored() && u.level < v.level)) return false;
  return !u.cut || v.kind != NodeKind::Pull ||
         std::ranges::any_of(v.reads, [&](const Read& read) { return read.vertex == input && read.kind == ReadKind::Same; });
}

// The computations of an element of each vertex that v inlines for an element of v, where they are more than one.
std::map<VertexId, double> times_read(const Vertex& v) {
  std::map<VertexId, double> times;
  for (const Read& read : v.reads)
    if (read.kind == ReadKind::InFold) times[read.vertex] = std::max(times[read.vertex], double(read.times));
  return times;
}

// Returns true if a kernel of an earlier level can compute u, which is then read from memory, and that is as cheap as computing it again.
bool may_be_loaded(const Vertex& v, const Vertex& u) { return u.level < v.level && u.cost > expensive; }

// Adds the cost and size of all inlined inputs to those of v. Beyond the size that engines compile well, inputs are stored: first those that may be
// loaded, then the largest ones, which become barriers unless kernels of earlier levels compute them.
void measure(Plan& plan, Vertex& v) {
  v.size = v.kind == NodeKind::Pull ? static_cast<uint32_t>(v.definition->fn->terms.size()) : 1;
  const std::map<VertexId, double> times = times_read(v);
  std::vector<VertexId> inlined;
  for (VertexId u : v.inputs)
    if (is_inlined(plan, v, u)) inlined.push_back(u);
  std::ranges::sort(inlined, {}, [&](VertexId u) { return std::tuple(may_be_loaded(v, plan.vertices[u]), plan.vertices[u].size, u); });
  inlined.erase(std::unique(inlined.begin(), inlined.end()), inlined.end());
  for (VertexId u : inlined) {
    Vertex& input = plan.vertices[u];
    if (v.size + input.size > size_limit && input.size > 1) {
      input.barrier = input.level == v.level;
      input.cut = true;
      input.store(Reason::Large);
      continue;
    }
    v.size += input.size;
    const auto repeated = times.find(u);
    if (!input.cut) v.cost += input.cost * (repeated == times.end() ? 1 : repeated->second);
  }
}

void keep_in_memory(Vertex& input, Reason reason) {
  if (input.manifest) return;
  input.cut = true;
  input.store(reason);
}

// A scan along an axis reads the elements that a filter keeps at their own numbers.
bool scans_filtered(const Plan& plan, const Vertex& v) {
  return v.kind == NodeKind::Scan && v.definition->axis.exists() && plan.vertices[v.inputs[0]].domain != no_vertex;
}

}  // namespace

void pass_cut(Plan& plan, const PlanOptions& options) {
  std::vector<ReadSummary> uses(plan.vertices.size());
  count_uses(plan, uses);
  if (options.shares_neighbours) share_neighbours(plan);
  assign_levels(plan);

  for (VertexId id = 0; id < plan.vertices.size(); id++) {
    Vertex& v = plan.vertices[id];
    if (v.manifest) continue;
    if (v.kind != NodeKind::Call) measure(plan, v);
    Reason reason = Reason::None;
    if (v.kind == NodeKind::Filter) reason = v.demanded ? Reason::Demanded : uses[id].elsewhere > 0 ? Reason::Gathered : Reason::None;
    if (v.kind == NodeKind::Pull && !v.shared) reason = worth_storing(v, uses[id]);
    if (v.kind == NodeKind::Call) {
      reason = Reason::Called;
      v.barrier = true;
      for (VertexId input : v.inputs) keep_in_memory(plan.vertices[input], Reason::Called);
    }
    if (scans_filtered(plan, v)) keep_in_memory(plan.vertices[v.inputs[0]], Reason::Gathered);
    if (reason != Reason::None) v.cut = true, v.store(reason);
  }
}

}  // namespace wf
