// The place pass: a stored vertex whose columns are all views of stored columns needs no memory and no kernel.
//
// A column that no demanded result depends on is not stored, as entries of the Jacobians that a scan of a gradient has combined.
//
// After it every vertex has its placement, and building kernels decides nothing.
#include <algorithm>

#include "expr/guards/guard.h"
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

namespace {

constexpr uint64_t all_columns = ~uint64_t(0);

class Unread {
 public:
  explicit Unread(Plan& plan) : plan_(plan), read_(plan.vertices.size()), failing_(plan.vertices.size()) {}

  // Readers have higher numbers, so that those of v are known.
  void run() {
    for (VertexId v = 0; v < plan_.vertices.size(); v++) failing_[v] = failing(plan_.vertices[v]);
    for (VertexId v = static_cast<VertexId>(plan_.vertices.size()); v-- > 0;) {
      const Vertex& vertex = plan_.vertices[v];
      if (vertex.demanded || vertex.again || vertex.held || vertex.optional || vertex.kind == NodeKind::Filter || read_[v] == 0)
        read_[v] = all_columns;
      read_[v] |= failing_[v];
      const uint64_t unread = vertex.types.size() < 64 ? ~read_[v] & ((uint64_t(1) << vertex.types.size()) - 1) : 0;
      if (unread) plan_.unread.emplace_back(v, unread);
      if (!vertex.manifest) visit(vertex, read_[v]);
    }
    std::ranges::reverse(plan_.unread);
  }

 private:
  // The columns whose elements may have no value, since an index is outside. Such a column is computed although nothing reads it: an error does
  // not depend on the plan.
  uint64_t failing(const Vertex& v) const {
    if (v.manifest || !v.definition) return 0;
    if (v.kind == NodeKind::Pull) return failing_results(v, *v.definition->fn);
    const bool moves = v.kind == NodeKind::Call && is_permutation(v.definition->routine.kind);
    uint64_t of_inputs = 0;
    for (VertexId input : v.inputs) of_inputs |= failing_[input];
    if (moves) return of_inputs;
    return of_inputs || v.kind == NodeKind::Call || (v.definition->fn && has_checks(*v.definition->fn)) ? all_columns : 0;
  }
  uint64_t failing_results(const Vertex& v, const Fn& fn) const {
    std::vector<bool> fails(fn.terms.size());
    for (Id id = 0; id < fn.terms.size(); id++) {
      const Term& t = fn[id];
      const auto reads_failing = [&] {
        return t.column < 64 ? failing_[v.inputs[t.slot]] >> t.column & 1 : failing_[v.inputs[t.slot]] != 0;
      };
      fails[id] = t.kind == Kind::Check || (t.kind == Kind::At && reads_failing()) ||
                  ((t.kind == Kind::Loop || t.kind == Kind::Fold) && failing_results(v, *fn.loops[t.slot].body)) ||
                  std::ranges::any_of(fn.args(t), [&](Id x) { return fails[x]; });
    }
    uint64_t columns = 0;
    for (size_t c = 0; c < fn.results.size(); c++)
      if (fails[fn.results[c]]) columns |= c < 64 ? uint64_t(1) << c : all_columns;
    return columns;
  }

  void visit(const Vertex& v, uint64_t read) {
    if (v.kind == NodeKind::Pull) return read_terms(v, *v.definition->fn, read);
    const bool moves = v.kind == NodeKind::Call && is_permutation(v.definition->routine.kind);
    for (VertexId input : v.inputs) read_[input] |= moves ? read | compared(v) : all_columns;
  }

  // The terms that the columns depend on, and all of loops.
  void read_terms(const Vertex& v, const Fn& fn, uint64_t read) {
    std::vector<bool> used(fn.terms.size());
    for (size_t c = 0; c < fn.results.size(); c++)
      if (c >= 64 || read >> c & 1) used[fn.results[c]] = true;
    for (Id id = Id(fn.terms.size()); id-- > 0;) {
      if (!used[id]) continue;
      const Term& t = fn[id];
      for (Id x : fn.args(t)) used[x] = true;
      if (t.kind == Kind::At) read_[v.inputs[t.slot]] |= t.column < 64 ? uint64_t(1) << t.column : all_columns;
      if (t.kind == Kind::Loop || t.kind == Kind::Fold) read_terms(v, *fn.loops[t.slot].body, all_columns);
    }
  }

  Plan& plan_;
  std::vector<uint64_t> read_, failing_;
};

}  // namespace

bool is_permutation(Routine::Kind kind) { return kind == Routine::Sort || kind == Routine::Merge; }

uint64_t compared(const Vertex& v) {
  const Definition& d = *v.definition;
  if (v.types.size() >= 64) return all_columns;
  if (!d.fn) return (uint64_t(1) << d.routine.keys) - 1;
  uint64_t read = 1;
  const auto add = [&](Id x) {
    if ((*d.fn)[x].kind == Kind::Param) read |= uint64_t(1) << ((*d.fn)[x].slot % v.types.size());
  };
  for (const Term& t : d.fn->terms) std::ranges::for_each(d.fn->args(t), add);
  std::ranges::for_each(d.fn->results, add);
  return read;
}

void pass_place(Plan& plan, const PlanOptions& options) {
  if (options.unread) Unread(plan).run();
  if (!options.alias) return;
  for (VertexId v = 0; v < plan.vertices.size(); v++) {
    Vertex& vertex = plan.vertices[v];
    const bool may_share = vertex.is_stored() && vertex.kind == NodeKind::Pull && !vertex.manifest && !vertex.scalar;
    if (!may_share || is_masked(plan, v, vertex.level)) continue;
    std::vector<ColumnAlias> aliases;
    for (uint32_t c = 0; c < vertex.types.size(); c++) aliases.push_back(alias_of(plan, v, c));
    if (std::ranges::none_of(aliases, &ColumnAlias::exists)) continue;
    bool is_alias = true;
    for (uint32_t c = 0; c < aliases.size(); c++) is_alias = is_alias && (aliases[c].exists() || !plan.is_read({v, c}));
    if (options.needs_lengths) *options.needs_lengths = true;
    if (is_alias) vertex.placement = Placement::Aliased;
    plan.views.push_back({v, std::move(aliases)});
  }
}

}  // namespace wf
