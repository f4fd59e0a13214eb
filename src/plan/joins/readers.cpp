#include "plan/joins/readers.h"

namespace wf {
namespace {

bool is_index_parameter(const Term& t) { return t.kind == Kind::Param && t.slot == 0; }

// Returns true if the body reads the input at its own index alone, and not its length.
bool reads_slot_at_own_index(const Fn& body, uint32_t slot) {
  bool is_own = true;
  for_each_body(body, [&](const Fn& fn, bool in_loop) {
    for (const Term& t : fn.terms) {
      if (t.slot != slot || (t.kind != Kind::At && t.kind != Kind::Length)) continue;
      is_own = is_own && !in_loop && t.kind == Kind::At && is_index_parameter(fn[fn.args(t)[0]]);
    }
  });
  return is_own;
}

bool reads_slot(const Fn& fn, uint32_t slot) {
  return std::ranges::any_of(fn.terms, [&](const Term& t) { return t.kind == Kind::At && t.slot == slot; });
}

}  // namespace

bool depends_on(const Step& step, VertexId v) {
  const bool is_alias =
      std::ranges::any_of(step.stored, [&](const StoredColumn& c) { return c.origin == StoredColumn::Alias && c.source.vertex == v; });
  return is_alias || step.domain.filter == v || std::ranges::find(step.sources, v, &ColumnRef::vertex) != step.sources.end();
}

bool reads_at_own_index(const Step& step, VertexId v) {
  const Kernel& k = step.kernel;
  if (step.call || step.domain.filter == v) return false;
  if (std::ranges::any_of(step.stored, [](const StoredColumn& c) { return c.origin == StoredColumn::Alias; })) return false;
  for (uint32_t slot = 0; slot < step.sources.size(); slot++) {
    if (step.sources[slot].vertex != v) continue;
    if (!reads_slot_at_own_index(*k.body, slot) || std::ranges::find(k.scatters, slot, &Scatter::base) != k.scatters.end()) return false;
    if (k.finish && reads_slot(*k.finish, slot)) return false;
  }
  return true;
}

}  // namespace wf
