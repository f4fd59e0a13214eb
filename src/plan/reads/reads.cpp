// The reads pass finds how each Pull reads its inputs, and what its own function costs.
#include <algorithm>

#include "expr/numbering.h"
#include "plan/reads/index.h"

namespace wf {
namespace {

double op_cost(Op op) {
  switch (info(op).cost) {
    case Cost::simple:
    case Cost::light: return 1;
    case Cost::quotient:
    case Cost::root: return 4;
    case Cost::heavy: return 10;
    case Cost::special: return 40;
  }
  return 1;
}

// The steps of a fold, or an estimate if the count is not known.
double steps_of(const Fn& fn, const Term& fold) {
  constexpr double usual = 64;
  const Term& count = fn[fn.args(fold)[0]];
  if (count.kind != Kind::Literal) return usual;
  return std::max(1.0, double(from_bits<int64_t>(count.bits)));
}

constexpr double of_view = 2;  // engines count along the axes of a view and do not divide

struct OwnCost {
  double all = 0, repeated = 0;  // repeated: of the loops and folds
};

OwnCost own_cost(const Fn& fn) {
  constexpr double of_call = 100;  // of a loop or an opaque function
  OwnCost cost;
  std::vector<double> step(fn.loops.size());  // of a fold
  for (size_t k = 0; k < fn.loops.size(); k++)
    if (const Fn::LoopInfo& info = fn.loops[k]; info.is_fold()) step[k] = 1 + own_cost(*info.body).all + own_cost(*info.combine).all;
  for (const Term& term : fn.terms) {
    if (term.kind == Kind::Apply) cost.all += op_cost(term.op);
    if (term.kind == Kind::Cast) cost.all += 1;
    if (term.kind == Kind::At && fn[fn.args(term)[0]].kind != Kind::Param) cost.all += 2;
    if (term.kind == Kind::Foreign) cost.all += of_call;
    if (term.kind == Kind::Loop) cost.repeated += of_call;
    if (term.kind == Kind::Fold) cost.repeated += steps_of(fn, term) * step[term.slot];
  }
  cost.all += cost.repeated;
  return cost;
}

// For each term: 1 or -1 if it is i + a or a - i, where a is computed from arguments and literals alone; 0 if it is such a number itself.
constexpr int8_t no_rank_step = 2;
std::vector<int8_t> steps_beside_arguments(const Fn& fn) {
  std::vector<int8_t> steps(fn.terms.size(), no_rank_step);
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& t = fn[id];
    const std::span<const Id> x = fn.args(t);
    if (t.kind == Kind::Param && t.slot == 0) steps[id] = 1;
    if (t.kind == Kind::Argument || t.kind == Kind::Literal) steps[id] = 0;
    if (t.kind != Kind::Apply && t.kind != Kind::Cast) continue;
    if (std::ranges::all_of(x, [&](Id y) { return steps[y] == 0; })) steps[id] = 0;
    else if (t.type == Type::I64 && t.kind == Kind::Apply && (t.op == Op::add_ || t.op == Op::sub_) && steps[x[0]] != no_rank_step &&
             steps[x[1]] != no_rank_step && (steps[x[0]] == 0 || steps[x[1]] == 0))
      steps[id] = int8_t(t.op == Op::add_ ? steps[x[0]] + steps[x[1]] : steps[x[0]] - steps[x[1]]);
  }
  return steps;
}

void find_reads(Plan& plan, Vertex& reader) {
  const Fn& fn = *reader.definition->fn;
  Numbering<uint64_t> counted;  // reads at the own index or a literal one, which count once
  auto add = [&](VertexId v, ReadKind kind, double times = 1) {
    const bool is_inside = kind >= ReadKind::InFold;
    if (plan.vertices[v].scalar) kind = is_inside ? ReadKind::InLoop : reader.scalar ? ReadKind::Same : ReadKind::Fixed;
    if (kind <= ReadKind::Fixed && !counted.add(uint64_t(v) << 8 | uint64_t(kind)).second) return;
    reader.reads.push_back({v, kind, static_cast<uint16_t>(std::min(times, 65535.0))});
  };
  // Columns of one input at one index are one read.
  std::vector<std::pair<uint32_t, Id>> loads;
  for (const Term& term : fn.terms)
    if (term.kind == Kind::At) loads.emplace_back(term.slot, fn.args(term)[0]);
  std::sort(loads.begin(), loads.end());
  loads.erase(std::unique(loads.begin(), loads.end()), loads.end());
  const bool has_arguments = !reader.definition->arguments.empty();
  std::vector<int8_t> steps;  // if needed
  for (auto& [slot, index] : loads) {
    VertexId v = reader.inputs[slot];
    ReadKind kind = read_kind(reader, plan.vertices[v], fn, index);
    if (kind == ReadKind::Any && has_arguments) {
      if (steps.empty()) steps = steps_beside_arguments(fn);
      const int8_t step = steps[fn[index].kind == Kind::Check ? fn.args(index)[0] : index];
      if (step != no_rank_step) kind = step == 0 ? ReadKind::Fixed : ReadKind::Shifted;
    }
    add(v, kind);
  }
  auto add_inside = [&](const auto& self, const Fn& body, ReadKind kind, double times) -> void {
    std::vector<double> steps(body.loops.size(), 1);
    for (const Term& term : body.terms) {
      if (term.kind == Kind::At && kind >= ReadKind::InFold) add(reader.inputs[term.slot], kind, times);
      if (term.kind == Kind::Fold) steps[term.slot] = std::max(steps[term.slot], steps_of(body, term));
      if (term.kind != Kind::Length) continue;
      VertexId count = reader.count_of(term.slot);
      if (count != no_vertex) add(count, kind);
    }
    for (size_t k = 0; k < body.loops.size(); k++) {
      const Fn::LoopInfo& info = body.loops[k];
      self(self, *info.body, info.is_fold() ? std::max(kind, ReadKind::InFold) : ReadKind::InLoop, times * steps[k]);
    }
  };
  add_inside(add_inside, fn, ReadKind::Fixed, 1);
}

}  // namespace

void pass_reads(Plan& plan, const PlanOptions&) {
  for (Vertex& v : plan.vertices) {
    if (v.kind != NodeKind::Pull || v.manifest) continue;
    const OwnCost cost = v.definition->view ? OwnCost{of_view, 0} : own_cost(*v.definition->fn);
    v.cost = cost.all;
    v.repeats = !v.scalar && cost.repeated > store_cost;
    find_reads(plan, v);
  }
}

}  // namespace wf
