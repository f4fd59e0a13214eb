#include "plan/reads/index.h"

#include "plan/domain.h"

namespace wf {

ReadKind read_kind(const Vertex& reader, const Vertex& input, const Fn& fn, Id index) {
  if (fn[index].kind == Kind::Check) index = fn.args(index)[0];
  const Affine a = affine(fn, index);
  if (!a.known) return ReadKind::Any;
  if (a.sign == 0) return ReadKind::Fixed;
  const bool same_domain = reader.domain == input.domain && reader.scalar == input.scalar && reader.length == input.length;
  return a.sign == 1 && a.offset == 0 && same_domain ? ReadKind::Same : ReadKind::Shifted;
}

Bounds bounds(const Affine& index, const Vertex& input, int64_t n) {
  if (n == 0) return {true, true};
  if (!index.known || (n < 0 && index.sign != 0)) return {false, false};
  return {index.lowest(n) >= 0, index.highest(n) < input.length};
}

namespace {

// The element that a column of a Pull copies: a column of one of its inputs. The index is unknown if it copies none.
struct Copied {
  ColumnRef source;
  Affine index;
};

// `at` is the Pull's index in terms of a loop over [0, n).
Copied copied(const Plan& plan, const Vertex& pull, uint32_t column, const Affine& at, int64_t n) {
  const Fn& fn = *pull.definition->fn;
  const Term& term = fn[fn.results[column]];
  if (term.kind != Kind::At) return {};
  const VertexId input = pull.inputs[term.slot];
  Id index = fn.args(term)[0];
  const bool is_checked = fn[index].kind == Kind::Check;
  if (is_checked) index = fn.args(index)[0];
  const Affine a = affine(fn, index).of(at);
  const bool is_viewed = !is_checked && term.slot < pull.definition->viewed;
  if (!is_viewed && !bounds(a, plan.vertices[input], n).both()) return {};
  return {{input, term.column}, a};
}

}  // namespace

ColumnAlias alias_of(const Plan& plan, VertexId v, uint32_t column) {
  const Vertex& to = plan.vertices[v];
  Affine index{true, 1, 0};
  ColumnRef at{v, column};
  do {
    const Vertex& pull = plan.vertices[at.vertex];
    if (pull.kind != NodeKind::Pull) return {};
    const Copied from = copied(plan, pull, at.column, index, to.length);
    if (!from.index.known) return {};
    index = from.index;
    at = from.source;
  } while (!is_available(plan, at.vertex, to.level));
  const Vertex& from = plan.vertices[at.vertex];
  if (from.scalar || index.sign != 1 || index.offset < 0) return {};
  // A small part would keep the memory of the whole alive.
  const bool whole = index.offset == 0 && domain_of(plan, at.vertex, to.level) == domain_of(plan, v, to.level);
  const bool part = from.length >= 0 && to.length >= 0 && index.offset + to.length <= from.length && 2 * to.length >= from.length;
  return whole || part ? ColumnAlias{at, index.offset} : ColumnAlias{};
}

}  // namespace wf
