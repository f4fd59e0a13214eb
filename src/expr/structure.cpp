// Equality and hash of functions by structure. Builder::finish numbers terms canonically, so equal functions are equal arrays.
#include <algorithm>

#include "expr/fn.h"
#include "expr/terms.h"

namespace wf {

uint64_t structure_hash(const Fn& f, bool with_literals) {
  uint64_t h = mix(f.params.size(), f.terms.size());
  for (const Param& p : f.params) h = mix(h, uint64_t(p.type));
  for (const Term& t : f.terms) {
    h = mix(h, uint64_t(t.kind) | uint64_t(t.op) << 8 | uint64_t(t.type) << 16 | uint64_t(t.count) << 24);
    h = mix(h, uint64_t(t.slot) | uint64_t(t.column) << 32);
    if (with_literals && is_literal(t)) h = mix(h, t.bits);
  }
  for (Id x : f.operands) h = mix(h, x);
  for (Id x : f.results) h = mix(h, x);
  for (const Fn::LoopInfo& l : f.loops) {
    h = mix(h, mix(structure_hash(*l.body, with_literals), l.variables));
    if (l.is_fold()) h = mix(h, structure_hash(*l.combine, with_literals));
  }
  for (const auto& foreign : f.foreigns) h = mix(h, std::hash<std::string>()(foreign->name));
  return h;
}

bool same_structure(const Fn& f, const Fn& g, bool with_literals) {
  if (&f == &g) return true;
  auto same_term = [&](const Term& s, const Term& t) {
    return s.kind == t.kind && s.op == t.op && s.type == t.type && s.slot == t.slot && s.column == t.column && s.count == t.count &&
           (s.bits == t.bits || (is_literal(s) && !with_literals));
  };
  auto same_loop = [&](const Fn::LoopInfo& k, const Fn::LoopInfo& l) {
    return k.variables == l.variables && same_structure(*k.body, *l.body, with_literals) && k.is_fold() == l.is_fold() &&
           (!k.is_fold() || (same_structure(*k.combine, *l.combine, with_literals) && (k.identity == l.identity || !with_literals)));
  };
  auto same_foreign = [](const auto& k, const auto& l) { return k == l || *k == *l; };
  return std::ranges::equal(f.params, g.params, {}, &Param::type, &Param::type) && std::ranges::equal(f.terms, g.terms, same_term) &&
         f.operands == g.operands && f.results == g.results && std::ranges::equal(f.loops, g.loops, same_loop) &&
         std::ranges::equal(f.foreigns, g.foreigns, same_foreign);
}

}  // namespace wf
