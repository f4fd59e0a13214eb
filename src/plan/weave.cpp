// Values of vertices at an index, as terms: substitution.
#include "plan/weave.h"

#include <algorithm>
#include <stdexcept>

#include "expr/guards/guard.h"
#include "plan/domain.h"
#include "plan/index.h"

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
  for (uint32_t c = 0; c < vertex.types.size(); c++) columns.push_back(region.builder.at(input_slot(v, c), 0, vertex.types[c], index));
  return columns;
}

Bounds Weaver::bounds(const Region& region, VertexId input, const Affine& index) const {
  const bool known = region.kind == Region::Body && step_.domain.filter == no_vertex;
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
  const Id low = b.apply(Op::ge_, {index, b.constant(int64_t(0))}), high = b.apply(Op::lt_, {index, b.constant(vertex.length)});
  const Id is_inside = known.low ? high : known.high ? low : b.apply(Op::and_, {low, high});
  return b.apply(Op::where_, {is_inside, value, b.literal(b.type(value), 0)});
}

Id Weaver::length_of(Region& region, VertexId reader, uint32_t slot) {
  const Vertex& vertex = plan_.vertices[reader];
  VertexId count = vertex.count_of(slot);
  if (count != no_vertex) return expand(region, count, region.builder.constant(int64_t(0)))[0];
  return region.builder.constant(plan_.vertices[vertex.inputs[slot]].length);
}

std::vector<Id> Weaver::expand_function(Region& region, VertexId v, const Fn& fn, std::span<const Id> args) {
  const size_t viewed = plan_.vertices[v].definition->viewed;
  auto outer = [&](const Term& term, Id at) -> Id {
    if (term.kind == Kind::Argument) return region.builder.argument(argument_slot(v, term.slot), term.type);
    if (term.kind == Kind::Length) return length_of(region, v, term.slot);
    VertexId input = plan_.vertices[v].inputs[term.slot];
    const Id own = canonical(region, input, at), value = expand(region, input, own)[term.column];
    return term.slot < viewed ? value : captured(region, input, own, value);
  };
  auto body = [&](FnRef inside) { return expand_inside(v, *inside); };
  return region.builder.inline_call(fn, args, outer, body);
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

std::vector<Id> Weaver::expand_pull(Region& region, VertexId v, Id index) {
  return expand_function(region, v, *plan_.vertices[v].definition->fn, {&index, 1});
}

// Scalars of this kernel exist in its epilogue only; elsewhere they are loaded.
std::vector<Id> Weaver::expand_scalar(Region& region, VertexId v) {
  const Vertex& vertex = plan_.vertices[v];
  bool here = region.kind == Region::Epilogue && vertex.level == level_ && domain_of(plan_, v, level_) == step_.domain;
  return here ? scalar_params(v) : load(region, v, 0);
}

const std::vector<Id>& Weaver::expand(Region& region, VertexId v, Id index) {
  auto key = std::make_pair(v, index);
  if (auto it = region.values.find(key); it != region.values.end()) return it->second;
  const Vertex& vertex = plan_.vertices[v];
  std::vector<Id> values;
  if (is_available(v)) {
    values = load(region, v, index);
  } else if (vertex.kind == NodeKind::Pull) {
    values = expand_pull(region, v, index);
    if (!vertex.is_stored()) step_.inlined++;
  } else if (vertex.scalar) {
    values = expand_scalar(region, v);
  } else if (!is_own_index(region, v, index)) {
    values = load(region, v, index);
  } else if (vertex.kind == NodeKind::Scan) {
    const ScanPart& part = scans_[scan_part(v)];
    values = vertex.definition->inclusive ? part.inclusive : part.exclusive;
  } else {
    values = expand(region, vertex.inputs[0], index);
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
  if (filter == no_vertex || !is_masked(plan_, filter, level_)) return no_id;
  const Vertex& f = plan_.vertices[filter];
  if (!f.is_stored() && !body_.values.count({f.inputs[1], index_})) step_.masks++;
  Id mask = expand(body_, f.inputs[1], index_)[0];
  Id outer = mask_of(plan_.vertices[f.inputs[0]].domain);
  if (outer == no_id) return mask;
  // The conjunction; an index that the inner condition checks is evaluated only if the outer condition is true.
  Builder& b = body_.builder;
  return has_checks(b.so_far()) ? b.apply(Op::where_, {outer, mask, b.constant(false)}) : b.apply(Op::and_, {outer, mask});
}

uint32_t Weaver::scan_part(VertexId v) {
  for (uint32_t k = 0; k < scans_.size(); k++)
    if (std::count(scans_[k].vertices.begin(), scans_[k].vertices.end(), v)) return k;
  const Vertex& vertex = plan_.vertices[v];
  const Definition& scan = *vertex.definition;
  std::vector<Id> values = expand(body_, vertex.inputs[0], index_);
  Id mask = mask_of(vertex.domain);
  for (uint32_t c = 0; mask != no_id && c < values.size(); c++) {
    Id identity = body_.builder.literal(vertex.types[c], scan.identity[c]);
    values[c] = body_.builder.apply(Op::where_, {mask, values[c], identity});
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
    index = add_reduction(vertex.definition->fn, vertex.definition->identity, values, plan_.vertices[input].domain);
  }
  std::vector<Id> params;
  for (uint32_t c = 0; c < vertex.types.size(); c++) {
    params.push_back(epilogue_.builder.param(vertex.types[c]));
    epilogue_params_.push_back({vertex.kind == NodeKind::Total, index, c});
  }
  return scalar_params_[v] = std::move(params);
}

}  // namespace wf
