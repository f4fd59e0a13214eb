// The build pass: kernels, level by level. A kernel takes the stored vertices of one level and domain.
#include <algorithm>
#include <array>
#include <map>

#include "plan/domain.h"
#include "plan/weave.h"

namespace wf {
namespace {

// A kernel with more terms or vertices than these gets no further sinks.
constexpr uint32_t kernel_terms = 512;
constexpr size_t kernel_vertices = 16;

// The domain of the kernel that stores v.
LoopDomain home_of(const Plan& plan, VertexId v) {
  const Vertex& vertex = plan.vertices[v];
  if (vertex.kind == NodeKind::Filter) return domain_of(plan, vertex.inputs[0], vertex.level);
  if (!vertex.scalar || vertex.kind != NodeKind::Pull) return domain_of(plan, v, vertex.level);
  return vertex.home == no_loop ? LoopDomain{} : vertex.home;
}

// The kernel of a vertex works in order, or runs loops or folds that the apart pass keeps out of such a kernel.
struct Work {
  bool ordered = false, repeats = false;
  void add(const Work& other) { ordered |= other.ordered, repeats |= other.repeats; }
};

Work work_of(const Plan& plan, VertexId v, const std::vector<Work>& known) {
  const Vertex& vertex = plan.vertices[v];
  const bool is_reduction = vertex.kind == NodeKind::Reduce && !vertex.manifest;
  Work work{vertex.kind == NodeKind::Scan || vertex.kind == NodeKind::Filter || vertex.kind == NodeKind::Total, vertex.repeats};
  work.ordered |= is_reduction && !folds_in_any_order(*vertex.definition->fn);
  work.ordered |= vertex.kind == NodeKind::Pull && is_masked(plan, v, vertex.level);
  auto add = [&](VertexId u) {
    if (!is_available(plan, u, vertex.level)) work.add(known[u]);
  };
  for (const Read& read : vertex.reads)
    if (read.kind == ReadKind::Same) add(read.vertex);
  if (is_reduction) add(vertex.inputs[0]);
  return work;
}

using Groups = std::vector<std::pair<LoopDomain, std::vector<VertexId>>>;

// The axis along which the kernel of v scans, if it does not scan or works on elements in order.
ScanAxis axis_of(const Plan& plan, VertexId v) {
  const Vertex& vertex = plan.vertices[v];
  const bool may_scan = vertex.kind == NodeKind::Scan || (vertex.kind == NodeKind::Pull && !vertex.scalar);
  return may_scan && vertex.scan_level == vertex.level ? vertex.scan_axis : ScanAxis{};
}

// Returns true if v is computed element by element, in any order and without prefixes.
bool is_elementwise(const Plan& plan, VertexId v) {
  const Vertex& vertex = plan.vertices[v];
  return vertex.kind == NodeKind::Pull && !vertex.scalar && vertex.scan_level != vertex.level && !is_masked(plan, v, vertex.level);
}

// Adds groups without scans to groups over the same domain that scan along an axis.
void join_scans(const Plan& plan, Groups& groups) {
  auto scans = [&](const auto& group) { return std::ranges::any_of(group.second, [&](VertexId v) { return axis_of(plan, v).exists(); }); };
  for (auto& [domain, members] : groups) {
    if (!std::ranges::all_of(members, [&](VertexId v) { return is_elementwise(plan, v); })) continue;
    const auto to = std::ranges::find_if(groups, [&](const auto& group) { return group.first == domain && scans(group); });
    if (to == groups.end()) continue;
    to->second.insert(to->second.end(), members.begin(), members.end());
    members.clear();
  }
}

// Divides groups into the vertices with loops or folds and those that work in order, unless a vertex does both.
void separate(Groups& groups, const std::vector<Work>& work) {
  for (size_t g = 0, count = groups.size(); g < count; g++) {
    Work all;
    bool both = false;
    for (VertexId v : groups[g].second) all.add(work[v]), both |= work[v].ordered && work[v].repeats;
    if (both || !all.ordered || !all.repeats) continue;
    std::vector<VertexId>& members = groups[g].second;
    const auto repeating = std::stable_partition(members.begin(), members.end(), [&](VertexId v) { return !work[v].repeats; });
    std::vector<VertexId> apart(repeating, members.end());
    members.erase(repeating, members.end());
    groups.push_back({groups[g].first, std::move(apart)});
  }
}

// A comparison of elements with some of their columns alone.
FnRef of_columns(const FnRef& less, const std::vector<uint32_t>& columns, size_t all) {
  if (!less || columns.size() == all) return less;
  Builder b;
  std::vector<Id> args(2 * all);
  for (size_t k = 0; k < args.size(); k++) args[k] = b.literal(less->params[k].type, 0);
  for (size_t side = 0; side < 2; side++)
    for (uint32_t c : columns) args[side * all + c] = b.param(less->params[side * all + c].type);
  return b.finish(b.inline_call(*less, args));
}

// The step of a routine: its inputs' columns, then its own. A sort or merge moves the columns that are read or compared.
Step call_step(const Plan& plan, VertexId v) {
  const Vertex& vertex = plan.vertices[v];
  const bool moves = is_permutation(vertex.definition->routine.kind);
  std::vector<uint32_t> columns;
  for (uint32_t c = 0; c < vertex.types.size(); c++)
    if (!moves || plan.is_read({v, c}) || compared(vertex) >> c & 1) columns.push_back(c);
  Step step;
  step.level = vertex.level;
  step.domain = domain_of(plan, v, vertex.level);
  step.call = RoutineCall{vertex.definition->routine,
                          lower_folds(moves ? of_columns(vertex.definition->fn, columns, vertex.types.size()) : vertex.definition->fn),
                          {},
                          vertex.definition->identity};
  const auto add_source = [&](VertexId input, uint32_t c) {
    step.sources.push_back({input, c});
    step.kernel.inputs.push_back({plan.vertices[input].types[c]});
  };
  for (VertexId input : vertex.inputs) {
    if (moves) std::ranges::for_each(columns, [&](uint32_t c) { add_source(input, c); });
    else
      for (uint32_t c = 0; c < plan.vertices[input].types.size(); c++) add_source(input, c);
  }
  for (uint32_t c : columns) {
    step.call->types.push_back(vertex.types[c]);
    step.kernel.outputs.push_back(vertex.types[c]);
    step.stored.push_back({{v, c}, StoredColumn::Output, uint32_t(step.stored.size()), {}, 0, ~0u});
  }
  step.finished.push_back({v, vertex.placement, vertex.reason, columns.size() < vertex.types.size()});
  return step;
}

}  // namespace

void pass_build(Plan& building, const PlanOptions& options) {
  const Plan& plan = building;
  std::vector<std::vector<VertexId>> stored;  // by level
  std::vector<Work> work(plan.vertices.size());
  std::vector<VertexId> optional;
  for (VertexId v = 0; v < plan.vertices.size(); v++) {
    const Vertex& vertex = plan.vertices[v];
    if (options.apart) work[v] = work_of(plan, v, work);
    if (vertex.optional) optional.push_back(v);
    if (vertex.manifest || !vertex.is_stored()) continue;
    if (stored.size() <= static_cast<size_t>(vertex.level)) stored.resize(vertex.level + 1);
    stored[vertex.level].push_back(v);
  }
  for (int level = static_cast<int>(stored.size()) - 1; level >= 0; level--) {
    Groups groups;
    std::map<std::array<int64_t, 4>, size_t> group_of;
    bool along_axes = false;
    for (VertexId v : stored[level]) {
      if (plan.vertices[v].kind == NodeKind::Call) {
        building.steps.push_back(std::make_shared<Step>(call_step(plan, v)));
        continue;
      }
      LoopDomain home = home_of(plan, v);
      const ScanAxis axis = axis_of(plan, v);
      along_axes |= axis.exists();
      const auto [known, is_new] = group_of.try_emplace({int64_t(home.filter), home.n, axis.length, axis.inner}, groups.size());
      if (is_new) groups.push_back({home, {}});
      groups[known->second].second.push_back(v);
    }
    if (along_axes) join_scans(plan, groups);
    separate(groups, work);
    for (auto& [domain, members] : groups) {
      size_t k = 0;
      while (k < members.size()) {
        Weaver weaver(plan, level, domain, options);
        size_t first = k;
        do weaver.add(members[k++]);
        while (k < members.size() && options.share && weaver.size() < kernel_terms && k - first < kernel_vertices);
        std::erase_if(optional, [&](VertexId v) {
          if (!weaver.takes_along(v)) return false;
          building.vertices[v].store(Reason::Sibling);
          weaver.add(v);
          return true;
        });
        building.steps.push_back(std::make_shared<Step>(weaver.finish()));
      }
    }
  }
  std::reverse(building.steps.begin(), building.steps.end());
}

void find_lengths(Plan& plan) {
  for (const std::shared_ptr<Step>& step : plan.steps)
    for (const ColumnRef& source : step->sources) step->lengths.push_back(plan.vertices[source.vertex].length);
}

void find_last_uses(Plan& plan) {
  std::vector<bool> is_used(plan.vertices.size());
  for (size_t s = plan.steps.size(); s-- > 0;) {
    Step& step = *plan.steps[s];
    auto use = [&](VertexId v) {
      if (v == no_vertex || is_used[v]) return;
      is_used[v] = true;
      step.last_used.push_back(v);
    };
    for (size_t k = 0; k < step.sources.size(); k++) {
      const VertexId source = step.sources[k].vertex;
      use(source);
      if (step.kernel.inputs[k].of_parts) std::ranges::for_each(plan.vertices[source].inputs, use);
    }
    for (const StoredColumn& c : step.stored)
      if (c.origin == StoredColumn::Alias) use(c.source.vertex);
    for (const Finished& f : step.finished) use(f.vertex);
    use(step.domain.filter);
  }
}

}  // namespace wf
