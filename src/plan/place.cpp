// The place pass: a stored vertex whose columns are all views of stored columns needs no memory and no kernel.
//
// After it every vertex has its placement, and building kernels decides nothing.
#include <algorithm>

#include "plan/domain.h"
#include "plan/reads/index.h"

namespace wf {

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::None: return "inlined";
    case Reason::Demanded: return "demanded";
    case Reason::Reread: return "read more than once";
    case Reason::Gathered: return "read at other indices";
    case Reason::Looped: return "read by a loop";
    case Reason::Large: return "cut from a large kernel";
    case Reason::Sibling: return "reduced on the way";
    case Reason::Later: return "read by a later kernel";
    case Reason::Called: return "passed to a routine";
    case Reason::Kept: return "kept: computed before";
    case Reason::Apart: return "apart from a scan or filter";
  }
  return "";
}

void pass_place(Plan& plan, const PlanOptions& options) {
  if (!options.alias) return;
  for (VertexId v = 0; v < plan.vertices.size(); v++) {
    Vertex& vertex = plan.vertices[v];
    const bool may_share = vertex.is_stored() && vertex.kind == NodeKind::Pull && !vertex.manifest && !vertex.scalar;
    if (!may_share || is_masked(plan, v, vertex.level)) continue;
    std::vector<ColumnAlias> aliases;
    for (uint32_t c = 0; c < vertex.types.size(); c++) aliases.push_back(alias_of(plan, v, c));
    if (std::ranges::none_of(aliases, &ColumnAlias::exists)) continue;
    if (options.needs_lengths) *options.needs_lengths = true;
    if (std::ranges::all_of(aliases, &ColumnAlias::exists)) vertex.placement = Placement::Aliased;
    plan.views.push_back({v, std::move(aliases)});
  }
}

}  // namespace wf
