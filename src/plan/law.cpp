// The law pass: reduce(g, scan(f)) where f distributes over g needs no carry chained from chunk to chunk.
//
//   g over i of f(t, p[i]) = f(t, g over i of p[i])
//
// so a chunk is scanned from the identity, and its result is shifted by the total t of all earlier chunks (Gorlatch's scan-reduce
// fusion; Horner's rule is its case f = mul, g = add). The pass marks kernels in which every use of a prefix is of that form.
#include <algorithm>

#include "expr/range.h"
#include "plan/plan.h"

namespace wf {
namespace {

// The scan column whose prefix the body result is, unchanged; -1 if it is anything else.
int64_t prefix_column(const Kernel& kernel, uint32_t value) {
  const Term& term = (*kernel.body)[kernel.body->results[value]];
  if (term.kind != Kind::Param || term.slot == 0) return -1;
  return (term.slot - 1) % static_cast<uint32_t>(kernel.scan[0].values.size());
}

void mark(Kernel& kernel) {
  Scan& scan = kernel.scan[0];
  if (scan.values.size() != 1 || scan.axis.exists()) return;
  std::optional<Op> f = as_op(*scan.combine);
  // Engines join the totals of chunks by f if it is associative to the bit. The prefix before all elements must be a number: g leaves out the
  // NaN that min and max may begin with.
  if (!f || !(info(*f).laws & Assoc) || is_nan(scan.combine->params[0].type, neutral_start(*scan.combine, 0, scan.identity[0]))) return;
  const std::vector<bool> term_depends = depends_on_prefix(*kernel.body);
  auto depends = [&](uint32_t value) { return term_depends[kernel.body->results[value]]; };
  for (const Store& s : kernel.stores)
    if (depends(s.value)) return;
  for (const Compact& c : kernel.compactions) {
    if (depends(c.mask)) return;
    for (uint32_t value : c.values)
      if (depends(value)) return;
  }
  std::vector<Reduction*> lawful;
  for (Reduction& r : kernel.reductions) {
    bool any = r.mask != no_mask && depends(r.mask);
    for (uint32_t value : r.values) any = any || depends(value);
    if (!any) continue;
    std::optional<Op> g = as_op(*r.combine);
    if (!g || r.mask != no_mask || prefix_column(kernel, r.values[0]) != 0 || !distributes(*f, *g)) return;
    lawful.push_back(&r);
  }
  for (Reduction* r : lawful) r->by_law = true;
  scan.by_law = true;
}

}  // namespace

bool folds_in_any_order(const Fn& f) {
  const std::optional<Op> op = as_op(f);
  return op && (info(*op).laws & Assoc) && (info(*op).laws & Comm);
}

bool prefixes_fit(const Kernel& kernel, int64_t n) {
  const Scan& scan = kernel.scan[0];
  const Type type = scan.combine->params[0].type;
  if (as_op(*scan.combine) != Op::add_ || is_in(type, Float)) return false;
  const Fn& body = *kernel.body;
  std::vector<Range> params;
  for (const Param& p : body.params) params.push_back(all_of(p.type));
  params[0] = {0, std::max<Wide>(n - 1, 0)};
  const Range x = ranges(body, params)[body.results[scan.values[0]]];
  return Range{std::min<Wide>(x.low, 0) * n, std::max<Wide>(x.high, 0) * n}.is_in(all_of(type));
}

void pass_law(Plan& plan, const PlanOptions&) {
  for (auto& step : plan.steps)
    if (step->kernel.has_scan()) mark(step->kernel);
}

}  // namespace wf
