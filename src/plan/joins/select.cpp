// The select pass finds the positions of a sort that other steps read: the first k, the median, the last of each row. An engine then selects them
// and need not sort the rest. A sort of which an earlier plan selected positions is sorted and kept: its handle may be asked for more of them.
//
// Positions are bounds of the indices at which kernels read: of whole indices, or of their remainders by the length of a row, if the routine
// sorts rows. Remainders are exact for sums of multiples of the length and of the rest, as the indices of views are.
#include <algorithm>

#include "expr/range.h"
#include "plan/plan.h"

namespace wf {
namespace {

constexpr size_t most_selections = 8;     // of the positions: each is selected on its own
constexpr int64_t elements_per_part = 8;  // more positions are not worth selecting

// Bounds of a term, and of its remainder, from 0 on, by the length of a row.
struct Bounded {
  Range value, rest;
};

class Reads {
 public:
  explicit Reads(int64_t row) : row_(row) {}

  // Adds the positions at which fn, and its folds and loops, read one of these inputs. Returns false if they are not known.
  bool add(const Fn& fn, const std::vector<bool>& slots, const std::vector<Bounded>& params) {
    std::vector<Range> values;
    for (const Bounded& param : params) values.push_back(param.value);
    values = ranges(fn, values);
    std::vector<Bounded> terms(fn.terms.size());
    for (Id id = 0; id < fn.terms.size(); id++) {
      terms[id].value = values[id];
      terms[id].rest = rest_of(fn, fn[id], terms, params, values[id]);
      const Term& term = fn[id];
      if (term.kind == Kind::At && slots[term.slot] && !add_positions(terms[fn.args(term)[0]].rest)) return false;
      if (term.kind != Kind::Fold && term.kind != Kind::Loop) continue;
      const Fn::LoopInfo& loop = fn.loops[term.slot];
      std::vector<Bounded> inner;
      for (const Param& param : loop.body->params) inner.push_back({all_of(param.type), {}});
      for (size_t k = loop.variables; k < inner.size(); k++) inner[k] = terms[fn.args(term)[k]];
      if (loop.is_fold()) inner[0] = position_below(values[fn.args(term)[0]]);
      if (!add(*loop.body, slots, inner)) return false;
    }
    return true;
  }

  // The positions in order; none if selecting them would not pay.
  std::vector<Positions> positions() {
    std::ranges::sort(parts_, {}, &Positions::first);
    std::vector<Positions> merged;
    int64_t all = 0;
    for (const Positions& part : parts_) {
      if (merged.empty() || merged.back().first + merged.back().count < part.first) merged.push_back({part.first, 0});
      Positions& last = merged.back();
      const int64_t more = std::max<int64_t>(part.first + part.count - (last.first + last.count), 0);
      last.count += more, all += more;
    }
    if (merged.size() > most_selections || all > row_ / elements_per_part) return {};
    return merged;
  }

  Bounded position_below(const Range& count) const {
    const Range value{0, std::max<Wide>(count.known() ? count.high - 1 : INT64_MAX, 0)};
    return {value, value.high < row_ ? value : Range{}};
  }

 private:
  Range in_row(const Range& x) const { return x.known() && x.low >= 0 && x.high < row_ ? x : Range{}; }

  Range rest_of(const Fn& fn, const Term& term, const std::vector<Bounded>& terms, const std::vector<Bounded>& params,
                const Range& value) const {
    if (in_row(value).known()) return value;
    if (term.kind == Kind::Param) return params.empty() ? Range{} : params[term.slot].rest;
    if (term.kind == Kind::Check) return terms[fn.args(term)[0]].rest;
    const bool may_wrap = !value.known() || value.low < 0 || value.high >= all_of(term.type).high;
    if (may_wrap || term.type != Type::I64) return {};
    if (term.kind == Kind::Literal) return {value.low % row_, value.low % row_};
    if (term.kind != Kind::Apply) return {};
    const auto args = fn.args(term);
    const Range x = terms[args[0]].rest;
    auto multiplies = [&](Id id) { return fn[id].kind == Kind::Literal && from_bits<int64_t>(fn[id].bits) % row_ == 0; };
    if (term.op == Op::mul_ && (multiplies(args[0]) || multiplies(args[1]))) return {0, 0};
    if (term.op != Op::add_ || !x.known() || !terms[args[1]].rest.known()) return {};
    const Range& y = terms[args[1]].rest;
    return in_row({x.low + y.low, x.high + y.high});
  }

  bool add_positions(const Range& rest) {
    if (!rest.known()) return false;
    parts_.push_back({int64_t(rest.low), int64_t(rest.high - rest.low + 1)});
    return parts_.size() < most_reads;
  }

  static constexpr size_t most_reads = 64;
  const int64_t row_;
  std::vector<Positions> parts_;
};

// Adds the positions of vertex v that the step reads. Returns false if they are not known.
bool add_positions_read(Reads& reads, const Step& step, const std::vector<bool>& slots) {
  const Kernel& k = step.kernel;
  for (size_t slot = 0; slot < slots.size(); slot++)
    if (slots[slot] && (k.inputs[slot].of_segments || std::ranges::count(k.scatters, slot, &Scatter::base) > 0)) return false;
  bool known = true;
  for_each_function(k, [&](const FnRef& fn) {
    std::vector<Bounded> params;
    for (const Param& param : fn->params) params.push_back({all_of(param.type), {}});
    const bool has_index = fn == k.body || (!k.elements.empty() && fn == k.elements[0].value);
    const int64_t n = step.domain.n * (fn == k.body ? 1 : has_index ? k.elements[0].count : 0);
    if (has_index && step.domain.filter == no_vertex) params[0] = reads.position_below({n, n});
    known = known && reads.add(*fn, slots, params);
  });
  return known;
}

// The positions that other steps read of the vertex that a call sorts; none: all, or more than it pays to select.
std::vector<Positions> positions_read(const Plan& plan, const Step& call, int64_t row) {
  const VertexId v = call.finished[0].vertex;
  if (plan.vertices[v].demanded || plan.vertices[v].again) return {};
  Reads reads(row);
  for (const std::shared_ptr<Step>& step : plan.steps) {
    const auto is_alias = [&](const StoredColumn& c) { return c.origin == StoredColumn::Alias && c.source.vertex == v; };
    if (step->domain.filter == v || std::ranges::any_of(step->stored, is_alias)) return {};
    std::vector<bool> slots;  // those with a column of v
    for (const ColumnRef& source : step->sources) slots.push_back(source.vertex == v);
    if (std::ranges::count(slots, true) == 0) continue;
    if (step->call || !add_positions_read(reads, *step, slots)) return {};
  }
  return reads.positions();
}

}  // namespace

void pass_select(Plan& plan, const PlanOptions&) {
  for (const std::shared_ptr<Step>& step : plan.steps) {
    if (!step->call || step->call->routine.kind != Routine::Sort || step->domain.filter != no_vertex || step->domain.n == 0) continue;
    const auto& parameters = step->call->parameters;
    step->call->wanted = positions_read(plan, *step, parameters.empty() ? step->domain.n : from_bits<int64_t>(parameters[0]));
    step->finished[0].is_partial |= !step->call->wanted.empty();
  }
}

}  // namespace wf
