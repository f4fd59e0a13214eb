// The cut pass: which delayed vertices get memory of their own.
//
// A Pull is inlined wherever it is read. Read at one index, that costs nothing; read at c different indices it is computed c
// times for each element, so it is stored once that costs more than writing and reading it. Kernels are also kept below a size
// that engines compile well, and what a loop reads must be memory.
#include <algorithm>

#include "plan/plan.h"

namespace wf {
namespace {

constexpr double store_cost = 24;      // of writing an element and reading it again, in cheap operations
constexpr double gather_cost = 12;     // above it, an element read anywhere is worth storing
constexpr double demanded_cost = 4;    // an element that is stored anyway is recomputed only if it is cheaper than this
constexpr uint32_t size_limit = 256;   // terms in a body

double op_cost(Op op) {
  switch (op) {
    case Op::div_: case Op::rem_: case Op::sqrt_: case Op::rsqrt_: return 4;
    case Op::floor_: case Op::ceil_: case Op::round_: case Op::trunc_: case Op::copysign_: case Op::isnan_:
    case Op::isinf_: case Op::isfinite_: case Op::fma_: return 1;
    default: return op >= Op::sqrt_ ? 10 : 1;
  }
}

double own_cost(const Fn& fn) {
  double cost = 0;
  for (const Term& term : fn.terms) {
    if (term.kind == Kind::Apply) cost += op_cost(term.op);
    if (term.kind == Kind::Cast) cost += 1;
    if (term.kind == Kind::At && fn[fn.args(term)[0]].kind != Kind::Param) cost += 2;
    if (term.kind == Kind::Loop || term.kind == Kind::Foreign) cost += 100;
  }
  return cost;
}

ReadKind kind_of(const Plan& plan, const Vertex& reader, const Vertex& input, const Fn& fn, Id index) {
  if (fn[index].kind == Kind::Check) index = fn.args(index)[0];
  Affine a = affine(fn, index);
  if (!a.known) return ReadKind::Any;
  if (a.sign == 0) return ReadKind::Fixed;
  bool same_domain = reader.domain == input.domain && reader.scalar == input.scalar && reader.length == input.length;
  (void)plan;
  return a.sign == 1 && a.offset == 0 && same_domain ? ReadKind::Same : ReadKind::Shifted;
}

void find_reads(Plan& plan, Vertex& reader) {
  const Fn& fn = *reader.definition->fn;
  auto add = [&](VertexId v, ReadKind kind) {
    if (plan.vertices[v].scalar && kind != ReadKind::InLoop) kind = reader.scalar ? ReadKind::Same : ReadKind::Fixed;
    for (const Read& r : reader.reads)
      if (r.vertex == v && r.kind == kind && kind <= ReadKind::Fixed) return;
    reader.reads.push_back({v, kind});
  };
  for (const Term& term : fn.terms)
    if (term.kind == Kind::At) {
      VertexId v = reader.inputs[term.slot];
      bool seen = false;  // columns of one input at one index are one read
      for (const Term& other : fn.terms) {
        if (&other == &term) break;
        seen |= other.kind == Kind::At && other.slot == term.slot && fn.args(other)[0] == fn.args(term)[0];
      }
      if (!seen) add(v, kind_of(plan, reader, plan.vertices[v], fn, fn.args(term)[0]));
    }
  for (const auto& loop : fn.loops)
    for (const Term& term : loop.body->terms)
      if (term.kind == Kind::At) add(reader.inputs[term.slot], ReadKind::InLoop);
  for (auto& [slot, count] : reader.lengths) add(count, ReadKind::Fixed);
}

// What reads a vertex, summed up.
struct Uses {
  bool same = false, any = false, in_loop = false, by_vector = false;
  uint32_t elsewhere = 0;  // reads at other indices
};

void count_uses(const Plan& plan, std::vector<Uses>& uses) {
  for (const Vertex& reader : plan.vertices)
    for (const Read& read : reader.reads) {
      Uses& u = uses[read.vertex];
      if (read.kind == ReadKind::Same) u.same = true;
      else u.elsewhere++;
      u.any |= read.kind == ReadKind::Any;
      u.in_loop |= read.kind == ReadKind::InLoop;
      u.by_vector |= !reader.scalar;
    }
}

bool worth_storing(const Vertex& v, const Uses& u) {
  if (u.in_loop) return true;
  if (v.scalar) return u.by_vector && v.cost > 0;  // once, not once an element
  uint32_t copies = (u.same || v.demanded ? 1 : 0) + u.elsewhere;
  if (u.elsewhere == 0) return false;
  if (v.domain != no_vertex) return true;  // under a mask only the own index can be computed
  if (v.demanded) return v.cost > demanded_cost;
  return (u.any && v.cost > gather_cost) || v.cost * (copies - 1) > store_cost;
}

// Cuts inputs, the largest first, until what is inlined into v is small enough.
void limit_size(Plan& plan, Vertex& v) {
  auto inlined = [&](VertexId u) {
    return plan.vertices[u].kind == NodeKind::Pull && !plan.vertices[u].manifest && !plan.vertices[u].cut && !plan.vertices[u].scalar;
  };
  while (v.size > size_limit) {
    VertexId largest = no_vertex;
    for (VertexId u : v.inputs)
      if (inlined(u) && (largest == no_vertex || plan.vertices[u].size > plan.vertices[largest].size)) largest = u;
    if (largest == no_vertex) return;
    Vertex& u = plan.vertices[largest];
    u.cut = u.stored = true;
    for (VertexId w : v.inputs)
      if (w == largest) v.size -= u.size;
  }
}

}  // namespace

void pass_cut(Plan& plan) {
  for (Vertex& v : plan.vertices)
    if (v.kind == NodeKind::Pull && !v.manifest) find_reads(plan, v);
  std::vector<Uses> uses(plan.vertices.size());
  count_uses(plan, uses);

  for (VertexId id = 0; id < plan.vertices.size(); id++) {
    Vertex& v = plan.vertices[id];
    if (v.manifest) continue;
    if (v.kind == NodeKind::Filter) {
      v.cut = v.demanded || uses[id].elsewhere > 0;
    } else if (v.kind == NodeKind::Scan) {
      v.cut = false;
    } else if (v.kind == NodeKind::Pull) {
      v.cost = own_cost(*v.definition->fn);
      v.size = static_cast<uint32_t>(v.definition->fn->terms.size());
      for (VertexId u : v.inputs) {
        const Vertex& input = plan.vertices[u];
        if (input.kind != NodeKind::Pull || input.manifest || input.cut) continue;
        v.cost += input.cost;
        v.size += input.size;
      }
      limit_size(plan, v);
      v.cut = v.cut || worth_storing(v, uses[id]);
    }
    v.stored = v.stored || v.cut;
  }
  // What several vertices over one filter share at different levels must agree on its indices: once a vertex over a filter is
  // stored and read again, or was computed before, so is the filter.
  for (VertexId id = 0; id < plan.vertices.size(); id++) {
    const Vertex& v = plan.vertices[id];
    for (const Read& read : v.reads) {
      const Vertex& u = plan.vertices[read.vertex];
      bool over_delayed = v.domain != no_vertex && v.domain != id;
      if (over_delayed && read.kind == ReadKind::Same && u.stored && !u.manifest)
        plan.vertices[v.domain].cut = plan.vertices[v.domain].stored = true;
      if (over_delayed && u.manifest && !u.scalar && read.kind == ReadKind::Shifted && u.node->domain() == plan.vertices[v.domain].node.get())
        plan.vertices[v.domain].cut = plan.vertices[v.domain].stored = true;
    }
    if (v.domain != no_vertex && v.domain != id && v.stored && uses[id].elsewhere > 0)
      plan.vertices[v.domain].cut = plan.vertices[v.domain].stored = true;
  }
}

Affine affine(const Fn& fn, Id index) {
  const Term& term = fn[index];
  if (term.kind == Kind::Param && term.slot == 0) return {true, 1, 0};
  if (term.kind == Kind::Literal && term.type == Type::I64) return {true, 0, from_bits<int64_t>(term.bits)};
  if (term.kind != Kind::Apply || (term.op != Op::add_ && term.op != Op::sub_) || term.type != Type::I64) return {};
  Id a = fn.args(term)[0], b = fn.args(term)[1];
  auto leaf = [&](Id id) { return fn[id].kind == Kind::Param || fn[id].kind == Kind::Literal; };
  // One step deep is enough: build.cpp writes every affine index as i, i + c or c - i.
  if (!leaf(a) || !leaf(b)) return {};
  Affine x = affine(fn, a), y = affine(fn, b);
  if (!x.known || !y.known || (x.sign != 0 && y.sign != 0)) return {};
  return term.op == Op::add_ ? Affine{true, x.sign + y.sign, x.offset + y.offset}
                             : Affine{true, x.sign - y.sign, x.offset - y.offset};
}

}  // namespace wf
