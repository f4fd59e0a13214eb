#include "plan/kernel.h"

#include <algorithm>

#include "expr/recent.h"

namespace wf {
namespace {

template <class T, class Same> bool all_same(const std::vector<T>& a, const std::vector<T>& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

Kernel with_values(const Kernel& kernel, std::span<const Bits64> arguments) {
  Kernel bound = kernel;
  bound.body = with_values(kernel.body, arguments);
  bound.finish = with_values(kernel.finish, arguments);
  bound.arguments = 0;
  return bound;
}

bool has_folds(const Kernel& kernel) {
  bool found = false;
  for_each_function(kernel, [&](const FnRef& fn) { found = found || has_folds(*fn); });
  return found;
}

Kernel lower_folds(const Kernel& kernel) {
  Kernel lowered = kernel;
  lowered.body = lower_folds(kernel.body);
  lowered.finish = lower_folds(kernel.finish);
  for (Scan& s : lowered.scan) s.combine = lower_folds(s.combine);
  for (Reduction& r : lowered.reductions) r.combine = lower_folds(r.combine);
  return lowered;
}

uint64_t structure_hash(const Kernel& kernel, bool with_literals) {
  Hash hash;
  for_each_function(kernel, [&](const FnRef& fn) { hash(structure_hash(*fn, with_literals)); });
  hash(kernel.outputs);
  for (const Scan& s : kernel.scan) hash(s.values);
  for (const Store& s : kernel.stores) hash(s.value), hash(s.output);
  for (const Compact& c : kernel.compactions) hash(c.mask), hash(c.values), hash(c.outputs);
  for (const Reduction& r : kernel.reductions) hash(r.values), hash(r.mask), hash(r.by_law);
  return hash.value;
}

bool same_structure(const Kernel& a, const Kernel& b, bool with_literals) {
  auto same = [&](const FnRef& f, const FnRef& g) { return f == g || (f && g && same_structure(*f, *g, with_literals)); };
  auto same_identity = [&](const std::vector<Bits64>& x, const std::vector<Bits64>& y) { return !with_literals || x == y; };
  return a.arguments == b.arguments && same(a.body, b.body) && same(a.finish, b.finish) && a.outputs == b.outputs &&
         all_same(a.inputs, b.inputs, [](const Input& x, const Input& y) { return x.type == y.type; }) &&
         all_same(a.scan, b.scan,
                  [&](const Scan& x, const Scan& y) {
                    return same(x.combine, y.combine) && same_identity(x.identity, y.identity) && x.values == y.values &&
                           x.by_law == y.by_law;
                  }) &&
         all_same(a.stores, b.stores, [](const Store& x, const Store& y) { return x.value == y.value && x.output == y.output; }) &&
         all_same(a.compactions, b.compactions,
                  [](const Compact& x, const Compact& y) { return x.mask == y.mask && x.values == y.values && x.outputs == y.outputs; }) &&
         all_same(a.reductions, b.reductions, [&](const Reduction& x, const Reduction& y) {
           return same(x.combine, y.combine) && same_identity(x.identity, y.identity) && x.values == y.values && x.mask == y.mask &&
                  x.by_law == y.by_law && x.law_column == y.law_column;
         });
}

bool has_foreign(const Fn& fn) {
  return !fn.foreigns.empty() || std::ranges::any_of(fn.loops, [](const Fn::LoopInfo& loop) { return has_foreign(*loop.body); });
}

bool has_foreign(const Kernel& kernel) {
  bool found = false;
  for_each_function(kernel, [&](const FnRef& fn) { found = found || has_foreign(*fn); });
  return found;
}

std::vector<bool> depends_on_prefix(const Fn& body) {
  std::vector<bool> depends(body.terms.size());
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    depends[id] = t.kind == Kind::Param && t.slot > 0;
    for (Id arg : body.args(t)) depends[id] = depends[id] || depends[arg];
  }
  return depends;
}

}  // namespace wf
