// Values of vertices at an index, as terms: substitution.
#include "plan/weave.h"

#include <algorithm>
#include <stdexcept>

#include "expr/guards/guard.h"
#include "expr/rewrite.h"
#include "plan/domain.h"
#include "plan/reads/index.h"

namespace wf {

Weaver::Weaver(const Plan& plan, int level, LoopDomain domain, const PlanOptions& options) : plan_(plan), level_(level), options_(options) {
  step_.level = level;
  step_.domain = domain;
  for (Region* region : {&body_, &epilogue_}) {
    region->builder.reads_cannot_fail();
    region->builder.params_cannot_fail();
  }
  index_ = body_.builder.param(Type::I64, "i");
  epilogue_.kind = Region::Epilogue;
}

bool Weaver::is_available(VertexId v) const { return wf::is_available(plan_, v, level_); }

bool Weaver::is_own_index(const Region& region, VertexId v, Id index) const {
  return region.kind == Region::Body && index == index_ && !plan_.vertices[v].scalar && domain_of(plan_, v, level_) == step_.domain;
}

uint32_t Weaver::input_slot(VertexId v, uint32_t column) {
  const auto [slot, is_new] = sources_.add(uint64_t(v) << 32 | column);
  if (is_new) {
    step_.sources.push_back({v, column});
    step_.kernel.inputs.push_back({plan_.vertices[v].types[column]});
  }
  return slot;
}

uint32_t Weaver::argument_slot(VertexId v, uint32_t slot) {
  for (uint32_t k = 0; k < step_.arguments.size(); k++)
    if (step_.arguments[k].vertex == v && step_.arguments[k].slot == slot) return k;
  step_.arguments.push_back({v, slot});
  return step_.kernel.arguments++;
}

std::vector<Id> Weaver::load(Region& region, VertexId v, Id index) {
  const Vertex& vertex = plan_.vertices[v];
  if (!is_available(v)) throw std::logic_error("plan: a kernel reads a vertex that no earlier kernel stores");
  if (is_masked(plan_, v, level_)) throw std::logic_error("plan: a filtered sequence is loaded under a mask");
  if (vertex.scalar) index = region.builder.constant(int64_t(0));
  std::vector<Id> columns;
  for (uint32_t c = 0; c < vertex.types.size(); c++)
    columns.push_back(plan_.is_read({v, c}) ? region.builder.at(input_slot(v, c), 0, vertex.types[c], index)
                                            : region.builder.literal(vertex.types[c], 0));
  return columns;
}

Bounds Weaver::bounds(const Region& region, VertexId input, const Affine& index) const {
  const bool known = region.kind == Region::Body && step_.domain.filter == no_vertex && !options_.needs_lengths;
  if (options_.needs_lengths && index.known) {
    // Equal lengths are equal in all graphs of the form.
    if (index.sign == 0 && !plan_.vertices[input].scalar) return {index.offset >= 0, false};
    if (index.sign == 1 && index.offset == 0 && step_.domain.filter == no_vertex && plan_.vertices[input].length == step_.domain.n &&
        region.kind == Region::Body)
      return {true, true};
  }
  return wf::bounds(index, plan_.vertices[input], known ? step_.domain.n : -1);
}

// Every affine index is written as i, i + c, c - i or c, so that equal indices are one term and engines recognise streams.
// A check that cannot fail is removed.
Id Weaver::canonical(Region& region, VertexId input, Id index) {
  Builder& b = region.builder;
  const Fn& fn = b.so_far();
  const bool is_checked = fn[index].kind == Kind::Check;
  const Affine a = affine(fn, is_checked ? fn.args(index)[0] : index);
  if (!a.known || (is_checked && !bounds(region, input, a).both())) return index;
  if (a.sign == 0) return b.constant(a.offset);
  if (region.kind != Region::Body) return is_checked ? fn.args(index)[0] : index;
  if (a.sign < 0) return b.apply(Op::sub_, {b.constant(a.offset), index_});
  return a.offset == 0 ? index_ : b.apply(Op::add_, {index_, b.constant(a.offset)});
}

// Returns true if `index` is a Check that fails unless it is within `input`. The Check of an index that an outer sequence was read at has
// that sequence's length.
static bool is_checked_within(const Fn& fn, Id index, const Vertex& input) {
  if (fn[index].kind != Kind::Check) return false;
  const Term& length = fn[fn.args(index)[1]];
  return input.length < 0 || (length.kind == Kind::Literal && from_bits<int64_t>(length.bits) <= input.length);
}

// A checked index is evaluated even if the element does not depend on it. An element at an unchecked index outside is 0.
Id Weaver::captured(Region& region, VertexId input, Id index, Id value) {
  Builder& b = region.builder;
  const Fn& fn = b.so_far();
  const Vertex& vertex = plan_.vertices[input];
  const bool reads_there = fn[value].kind == Kind::At && fn.args(value)[0] == index;
  if (is_checked_within(fn, index, vertex)) return reads_there ? value : b.require(value, {index});
  const bool is_memory = reads_there && is_available(input);
  const Bounds known = bounds(region, input, affine(fn, index));
  if (is_memory || known.both() || is_own_index(region, input, index)) return value;
  if (vertex.length < 0) throw std::logic_error("plan: a sequence over a filter is computed at an index other than its own");
  if (options_.needs_lengths) *options_.needs_lengths = true;
  const Id low = b.apply(Op::ge_, {index, b.constant(int64_t(0))}), high = b.apply(Op::lt_, {index, b.constant(vertex.length)});
  const Id is_inside = known.low ? high : known.high ? low : b.apply(Op::and_, {low, high});
  return b.apply(Op::where_, {is_inside, value, b.literal(b.type(value), 0)});
}

Id Weaver::length_of(Region& region, VertexId reader, uint32_t slot) {
  const Vertex& vertex = plan_.vertices[reader];
  VertexId count = vertex.count_of(slot);
  if (count != no_vertex) return expand(region, count, region.builder.constant(int64_t(0)))[0];
  const VertexId input = vertex.inputs[slot];
  if (options_.needs_lengths && is_available(input) && !plan_.vertices[input].scalar) return region.builder.length(input_slot(input, 0));
  if (options_.needs_lengths) *options_.needs_lengths = true;
  return region.builder.constant(plan_.vertices[input].length);
}

// A function on its way into a region: v's function, or a function inside it.
struct Weaver::Woven : Copy {
  Woven(Weaver& weaver, Region& region, VertexId v, const Fn& fn, std::span<const Id> args)
      : Copy(region.builder, fn), weaver(weaver), region(region), v(v), args(args.begin(), args.end()) {}

  Id argument(Id id) { return to.argument(weaver.argument_slot(v, from[id].slot), from[id].type); }
  Id length(Id id) { return weaver.length_of(region, v, from[id].slot); }
  Id at(Id id, Id index) {
    const Term& term = from[id];
    const VertexId input = vertex().inputs[term.slot];
    const Id own = weaver.canonical(region, input, index), value = weaver.expand(region, input, own)[term.column];
    return term.slot < vertex().definition->viewed ? value : weaver.captured(region, input, own, value);
  }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    return to.repeat(info(id).with([&](FnRef inside) { return weaver.expand_inside(v, *inside); }), x);
  }

  // Copies the terms up to the next one that reads a value which has to be computed first. Returns it, if there is one.
  std::optional<std::pair<VertexId, Id>> copy_to_next_read() {
    for (; next < from.terms.size(); next++) {
      const Term& term = from.terms[next];
      if (term.kind == Kind::At && !weaver.is_available(vertex().inputs[term.slot])) {
        const VertexId input = vertex().inputs[term.slot];
        const Id index = weaver.canonical(region, input, here[from.args(next)[0]]);
        const VertexId u = weaver.valued(region, input, index);
        if (weaver.is_computed(region, u, index)) return std::pair(u, index);
      }
      copy_term(*this, next, args);
    }
    return std::nullopt;
  }
  // The vertex and index, if the function is a vertex's.
  std::pair<VertexId, Id> element() const { return {v, args[0]}; }
  std::vector<Id> results() const {
    std::vector<Id> all;
    for (Id x : from.results) all.push_back(here[x]);
    return all;
  }

 private:
  const Vertex& vertex() const { return weaver.plan_.vertices[v]; }
  Weaver& weaver;
  Region& region;
  VertexId v;
  std::vector<Id> args;
  Id next = 0;
};

// Functions that wait for what they read are on a stack of their own, since chains of vertices are long and threads' stacks may be small.
std::vector<Id> Weaver::expand_function(Region& region, VertexId v, const Fn& fn, std::span<const Id> args) {
  std::vector<Woven> waiting;
  waiting.emplace_back(*this, region, v, fn, args);
  for (;;) {
    if (const auto read = waiting.back().copy_to_next_read()) {
      const auto [u, index] = *read;
      waiting.emplace_back(*this, region, u, *plan_.vertices[u].definition->fn, std::span(&index, 1));
      continue;
    }
    std::vector<Id> results = waiting.back().results();
    if (waiting.size() == 1) return results;
    const auto key = waiting.back().element();
    waiting.pop_back();
    keep_pull(region, key, std::move(results));
  }
}

// A loop reads only memory, since the cut pass stores all that loops read; a fold may also read what is computed at any index. What is
// computed may check indices of its own, under the conditions of the fold's function.
FnRef Weaver::expand_inside(VertexId v, const Fn& inside) {
  Region region{Region::Inside};
  region.builder.reads_cannot_fail();
  std::vector<Id> params;
  for (const Param& p : inside.params) params.push_back(region.builder.param(p.type, p.name));
  return guard(region.builder.finish(expand_function(region, v, inside, params)), false);
}

const std::vector<Id>& Weaver::keep_pull(Region& region, std::pair<VertexId, Id> key, std::vector<Id> values) {
  if (!plan_.vertices[key.first].is_stored()) step_.inlined++;
  return region.values[key] = std::move(values);
}

// Scalars of this kernel exist in its epilogue only; elsewhere they are loaded.
std::vector<Id> Weaver::expand_scalar(Region& region, VertexId v) {
  const Vertex& vertex = plan_.vertices[v];
  bool here = region.kind == Region::Epilogue && vertex.level == level_ && domain_of(plan_, v, level_) == step_.domain;
  return here ? scalar_params(v) : load(region, v, 0);
}

VertexId Weaver::valued(const Region& region, VertexId v, Id index) const {
  while (plan_.vertices[v].kind == NodeKind::Filter && !is_available(v) && is_own_index(region, v, index)) v = plan_.vertices[v].inputs[0];
  return v;
}

bool Weaver::is_computed(const Region& region, VertexId v, Id index) const {
  return plan_.vertices[v].kind == NodeKind::Pull && !is_available(v) && !region.values.contains({v, index});
}

const std::vector<Id>& Weaver::expand(Region& region, VertexId v, Id index) {
  v = valued(region, v, index);
  const auto key = std::make_pair(v, index);
  if (auto it = region.values.find(key); it != region.values.end()) return it->second;
  const Vertex& vertex = plan_.vertices[v];
  if (is_computed(region, v, index)) return keep_pull(region, key, expand_function(region, v, *vertex.definition->fn, {&index, 1}));
  std::vector<Id> values;
  if (is_available(v)) {
    values = load(region, v, index);
  } else if (vertex.scalar) {
    values = expand_scalar(region, v);
  } else if (!is_own_index(region, v, index)) {
    values = load(region, v, index);
  } else {
    const ScanPart& part = scans_[scan_part(v)];
    values = vertex.definition->inclusive ? part.inclusive : after_identity(*vertex.definition, part.exclusive);
  }
  return region.values[key] = std::move(values);
}

uint32_t Weaver::result(Id value) {
  const auto [number, is_new] = result_numbers_.add(value);
  if (is_new) results_.push_back(value);
  return number;
}

// The condition under which index i passes `filter` and the filters that it ranges over; no_id: all indices pass.
Id Weaver::mask_of(VertexId filter) {
  std::vector<Id> masks;  // the filter's own first, then those of the filters that it ranges over
  for (; filter != no_vertex && is_masked(plan_, filter, level_); filter = plan_.vertices[plan_.vertices[filter].inputs[0]].domain) {
    const Vertex& f = plan_.vertices[filter];
    if (!f.is_stored() && !body_.values.count({valued(body_, f.inputs[1], index_), index_})) step_.masks++;
    masks.push_back(expand(body_, f.inputs[1], index_)[0]);
  }
  if (masks.empty()) return no_id;
  Id all = masks.back();
  Builder& b = body_.builder;
  // The conjunction; an index that the inner condition checks is evaluated only if the outer condition is true.
  for (size_t k = masks.size() - 1; k-- > 0;)
    all = has_checks(b.so_far()) ? b.apply(Op::where_, {all, masks[k], b.constant(false)}) : b.apply(Op::and_, {all, masks[k]});
  return all;
}

uint32_t Weaver::scan_part(VertexId v) {
  for (uint32_t k = 0; k < scans_.size(); k++)
    if (std::count(scans_[k].vertices.begin(), scans_[k].vertices.end(), v)) return k;
  const Vertex& vertex = plan_.vertices[v];
  const Definition& scan = *vertex.definition;
  std::vector<Id> values = expand(body_, vertex.inputs[0], index_);
  Id mask = mask_of(vertex.domain);
  for (uint32_t c = 0; mask != no_id && c < values.size(); c++) {
    const Id neutral = body_.builder.literal(vertex.types[c], neutral_start(*scan.fn, c, scan.identity[c]));
    values[c] = body_.builder.apply(Op::where_, {mask, values[c], neutral});
  }
  std::vector<uint32_t> numbers;
  for (Id value : values) numbers.push_back(result(value));
  for (uint32_t k = 0; k < scans_.size(); k++) {
    const Definition& other = *plan_.vertices[scans_[k].vertices[0]].definition;
    if (scans_[k].values == numbers && other.fn == scan.fn && other.identity == scan.identity) {
      scans_[k].vertices.push_back(v);
      return k;
    }
  }
  ScanPart part{{v}, {}, {}, std::move(numbers)};
  for (Type t : vertex.types) part.exclusive.push_back(body_.builder.param(t));
  for (Type t : vertex.types) part.inclusive.push_back(body_.builder.param(t));
  scans_.push_back(std::move(part));
  return static_cast<uint32_t>(scans_.size() - 1);
}

// The identities of a Reduce or a Scan as the engine takes them.
std::vector<Bits64> Weaver::starts_of(const Definition& fold) const {
  std::vector<Bits64> starts = fold.identity;
  for (size_t c = 0; c < starts.size() && !options_.identities; c++) starts[c] = neutral_start(*fold.fn, c, starts[c]);
  return starts;
}

// The exclusive prefixes at the kernel's index, but the identity where nothing precedes it.
std::vector<Id> Weaver::after_identity(const Definition& scan, std::vector<Id> prefixes) {
  Builder& b = body_.builder;
  const std::vector<Bits64> starts = starts_of(scan);
  for (size_t c = 0; c < prefixes.size(); c++) {
    if (starts[c] == scan.identity[c]) continue;
    const ScanAxis& axis = scan.axis;
    const Id at =
        axis.exists() ? b.apply(Op::rem_, {b.apply(Op::div_, {index_, b.constant(axis.inner)}), b.constant(axis.length)}) : index_;
    const Id is_first = b.apply(Op::lt_, {at, b.constant<int64_t>(1)});
    prefixes[c] = b.apply(Op::where_, {is_first, b.literal(b.type(prefixes[c]), scan.identity[c]), prefixes[c]});
  }
  return prefixes;
}

// A parameter of the epilogue: a column of a reduction or of a total.
Id Weaver::scalar_param(Type type, bool is_total, uint32_t index, uint32_t column) {
  epilogue_params_.push_back({is_total, index, column});
  return epilogue_.builder.param(type);
}

uint32_t Weaver::add_reduction(FnRef combine, std::vector<Bits64> identity, const std::vector<Id>& values, VertexId domain) {
  Reduction r;
  r.combine = std::move(combine);
  r.identity = std::move(identity);
  for (Id value : values) r.values.push_back(result(value));
  Id mask = mask_of(domain);
  if (mask != no_id) r.mask = result(mask);
  step_.kernel.reductions.push_back(std::move(r));
  return static_cast<uint32_t>(step_.kernel.reductions.size() - 1);
}

// Makes the results of a Reduce or Total the identity if there are no elements and the engine folds from another start.
void Weaver::unless_empty(VertexId v, std::vector<Id>& results) {
  const Vertex& vertex = plan_.vertices[v];
  const Definition& fold = *vertex.definition;
  const VertexId input = vertex.inputs[0], domain = plan_.vertices[input].domain;
  const bool is_total = vertex.kind == NodeKind::Total, is_known = domain == no_vertex;
  if (is_known && plan_.vertices[input].length > 0) return;
  Builder& b = epilogue_.builder;
  Id any = is_known ? b.constant(false) : no_id;
  for (size_t c = 0; c < results.size(); c++) {
    const Bits64 neutral = neutral_start(*fold.fn, c, fold.identity[c]);
    if (neutral == fold.identity[c] || (options_.identities && !is_total)) continue;
    if (any == no_id)
      any = scalar_param(Type::Bool, false, add_reduction(op_fn(Op::or_, Type::Bool), {0}, {body_.builder.constant(true)}, domain), 0);
    results[c] = b.apply(Op::where_, {any, results[c], b.literal(vertex.types[c], fold.identity[c])});
  }
}

const std::vector<Id>& Weaver::scalar_params(VertexId v) {
  if (auto known = scalar_params_.find(v); known != scalar_params_.end()) return known->second;
  const Vertex& vertex = plan_.vertices[v];
  VertexId input = vertex.inputs[0];
  uint32_t index;
  if (vertex.kind == NodeKind::Total) {
    index = scan_part(input);
  } else if (vertex.kind == NodeKind::Count) {
    Id one = body_.builder.cast(Type::I64, mask_of(input));
    index = add_reduction(op_fn(Op::add_, Type::I64), {0}, {one}, no_vertex);
  } else {
    const std::vector<Id> values = expand(body_, input, index_);
    index = add_reduction(vertex.definition->fn, starts_of(*vertex.definition), values, plan_.vertices[input].domain);
  }
  std::vector<Id> params;
  for (uint32_t c = 0; c < vertex.types.size(); c++)
    params.push_back(scalar_param(vertex.types[c], vertex.kind == NodeKind::Total, index, c));
  if (vertex.kind != NodeKind::Count) unless_empty(v, params);
  return scalar_params_[v] = std::move(params);
}

}  // namespace wf
