#include "grad/gradient.h"

#include <algorithm>

#include "expr/derivative/derivative.h"
#include "grad/pass.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/check.h"
#include "lazy/composed/segments.h"

namespace wf {

NodeRef over_domain_of(const NodeRef& like, const NodeRef& s) {
  if (like->domain() == s->domain() && like->shape() == s->shape()) return s;
  if (!like->domain() && !s->domain()) {
    const Shape shape = like->shape();
    return reshape(s, shape.extents());
  }
  return computed(like, domain_of(like), {s}, [&](Builder& b, Id i) { return read(b, 0, s->types(), i); });
}

NodeRef vector_of(const NodeRef& s) { return over_domain_of(constants(s, s->length(), Type::I64, 0), s); }

// The filter over whose result s ranges is an input, so that plans count its elements.
NodeRef zeros_like(const NodeRef& s, Type type) {
  Domain domain = domain_of(s);
  const Few<NodeRef> inputs = domain.filter ? Few<NodeRef>{domain.filter} : Few<NodeRef>();
  return computed(s, std::move(domain), inputs, [&](Builder& b, Id) { return std::vector<Id>{b.literal(type, 0)}; });
}

NodeRef reduce_rows(const RowReduction& rows, const NodeRef& s, const FnRef& combine, Few<Bits64> identity) {
  if (rows.offsets) return segment_reduce(closed(combine), {identity.begin(), identity.end()}, s, rows.offsets);
  if (rows.is_whole()) return reduce(closed(combine), std::move(identity), s);
  const std::vector<int64_t> extents{s->length() / std::max<int64_t>(1, rows.count), rows.count};
  const int32_t axis = 1;
  return reduce_axes(closed(combine), {identity.begin(), identity.end()}, reshape(s, extents), {&axis, 1}, false);
}

NodeRef variable(const NodeRef& s) {
  NodeRef made;
  if (const auto manifest = s->state().manifest; manifest && !s->is_tracked())
    made = Node::make(s->context(), s->shape(), ColumnTypes(s->column_types()), {}, std::shared_ptr<const Manifest>(manifest));
  else made = map(closed(identity_fn(s->types())), {&s, 1});
  made->track(Node::Tracking::Variable);
  return made;
}

// ---- the pass ----------------------------------------------------------------------------------------------------------

void GradientPass::collect(std::span<const NodeRef> values, std::span<const NodeRef> variables) {
  for (const NodeRef& v : variables) {
    Entry& entry = entries_[v.get()];
    entry.is_active = true;
    entry.given.resize(v->types().size());
  }
  for (const NodeRef& v : values) visit(v);
}

std::vector<NodeRef> GradientPass::inputs_of(const NodeRef& s) {
  if (!s->is_tracked()) return {};
  if (const auto reduction = reductions_.find(s.get()); reduction != reductions_.end()) return {reduction->second.values};
  const DefinitionRef& definition = entries_[s.get()].definition;
  if (!definition) return {};
  const auto begin = definition->inputs.begin();
  return {begin, has_own_derivative(*definition) ? begin + definition->viewed : definition->inputs.end()};
}

// A node is visited when its inputs are known; then a Pull whose folds are active is replaced by others, which are visited next.
void GradientPass::visit(const NodeRef& root) {
  struct Open {
    NodeRef node;
    std::vector<NodeRef> inputs;
    size_t next = 0;
    bool is_lifted = false;
  };
  std::vector<Open> path;
  const auto open = [&](const NodeRef& s) {
    const auto entry = entries_.try_emplace(s.get()).first;
    if (std::exchange(entry->second.is_known, true)) return;
    entry->second.definition = s->history();
    entry->second.given.resize(s->types().size());
    path.push_back({s, inputs_of(s)});
  };
  open(root);
  while (!path.empty()) {
    Open& last = path.back();
    if (last.next < last.inputs.size()) {
      open(NodeRef(last.inputs[last.next++]));
      continue;
    }
    Entry& entry = entries_.at(last.node.get());
    const bool depends = std::ranges::any_of(last.inputs, [&](const NodeRef& s) { return is_active(s); });
    if (depends && !last.is_lifted && !reductions_.contains(last.node.get()) && entry.definition->kind == NodeKind::Pull) {
      last.is_lifted = true;
      const DefinitionRef made = lifted(*this, last.node, *entry.definition);
      if (made) entry.definition = made;
      if (made || reductions_.contains(last.node.get())) {
        last.inputs = inputs_of(last.node);
        last.next = 0;
        continue;
      }
    }
    if (depends) entry.is_active = true;
    order_.push_back(last.node);
    path.pop_back();
  }
}

void GradientPass::give(const NodeRef& s, size_t column, const NodeRef& cotangent) {
  if (is_active(s)) entries_.at(s.get()).given[column].push_back(over_domain_of(s, cotangent));
}

CotangentColumns GradientPass::cotangents(const NodeRef& s) {
  CotangentColumns sums;
  for (const std::vector<NodeRef>& given : entries_.at(s.get()).given) {
    if (given.size() < 2) {
      sums.push_back(given.empty() ? NodeRef() : given[0]);
      continue;
    }
    Builder b;
    std::vector<Id> terms;
    for (const NodeRef& each : given) terms.push_back(b.param(each->types()[0], "x" + std::to_string(terms.size())));
    Id sum = terms[0];
    for (size_t k = 1; k < terms.size(); k++) sum = b.apply(Op::add_, {sum, terms[k]});
    sums.push_back(map(closed(b.finish({sum})), given));
  }
  return sums;
}

void GradientPass::run() {
  for (size_t k = order_.size(); k-- > 0;)
    if (is_active(order_[k])) pass(order_[k]);
}

void GradientPass::pass(const NodeRef& s) {
  if (std::ranges::none_of(inputs_of(s), [&](const NodeRef& input) { return is_active(input); })) return;
  const CotangentColumns ybar = cotangents(s);
  if (std::ranges::none_of(ybar, [](const NodeRef& c) { return bool(c); })) return;
  if (const auto reduction = reductions_.find(s.get()); reduction != reductions_.end()) return reduce_back(*this, reduction->second, ybar);
  const DefinitionRef kept = entries_.at(s.get()).definition;
  const Definition& d = *kept;
  switch (d.kind) {
    case NodeKind::Pull: return pull_back(*this, s, d, ybar);
    case NodeKind::Reduce: return reduce_back(*this, {d.inputs[0], d.fn, d.identity}, ybar);
    case NodeKind::Total: return reduce_back(*this, {d.inputs[1], d.fn, d.identity}, ybar);
    case NodeKind::Scan: return scan_back(*this, s, d, ybar);
    case NodeKind::Filter: return filter_back(*this, s, d, ybar);
    case NodeKind::Call: return call_back(*this, s, d, ybar);
    case NodeKind::Source:
    case NodeKind::Parameter:
    case NodeKind::Count: return;
  }
}

// ---- the interface -----------------------------------------------------------------------------------------------------

namespace {

void require_floats(const Node& s, const std::string& argument) {
  for (Type type : s.types())
    if (!is_in(type, Float)) throw TypeError(argument + " has columns " + list(s.types()) + "; expected floats, f32 or f64");
}

void require_values(std::span<const NodeRef> values) {
  for (size_t k = 0; k < values.size(); k++)
    if (values[k]->is_manifest() && !values[k]->is_tracked())
      throw ArgumentError(
          ordinal(k, values.size(), "value") +
          " has no history: it was computed before, and not from a variable; expected a sequence that is made from the variables");
}

void require_variables(std::span<const NodeRef> variables) {
  if (variables.empty()) throw ArgumentError("variables is empty; expected at least one");
  for (size_t k = 0; k < variables.size(); k++) {
    if (!variables[k]->is_variable())
      throw ArgumentError(ordinal(k, variables.size(), "argument") +
                          " is not a variable; expected a result of wf_variable, from which the values are made, or a parameter");
    require_floats(*variables[k], ordinal(k, variables.size(), "variable"));
  }
}

void require_alike(const NodeRef& seed, const NodeRef& s, const std::string& argument, const std::string& other, const Measure& measure) {
  if (seed->types() != s->types())
    throw TypeError(argument + " has columns " + list(seed->types()) + " and " + other + " has " + list(s->types()) +
                    "; expected equal types");
  if (seed->domain() != s->domain()) measure(seed), measure(s);
  if (seed->shape() != s->shape())
    throw SizeError(argument + " has " + describe_length(*seed) + " and " + other + " has " + describe_length(*s) +
                    "; expected equal shapes");
}

// The columns as one sequence, over the domain of v.
NodeRef joined_columns(const NodeRef& v, const CotangentColumns& sums) {
  std::vector<NodeRef> all;
  for (size_t c = 0; c < sums.size(); c++) all.push_back(sums[c] ? sums[c] : zeros_like(v, v->types()[c]));
  return zip(all);
}

}  // namespace

std::vector<NodeRef> gradient(std::span<const NodeRef> values, std::span<const NodeRef> seeds, std::span<const NodeRef> variables,
                              const Measure& measure) {
  require_variables(variables);
  require_values(values);
  GradientPass pass(measure);
  pass.collect(values, variables);
  for (size_t k = 0; k < values.size(); k++) {
    require_alike(seeds[k], values[k], ordinal(k, seeds.size(), "seed"), ordinal(k, values.size(), "value"), measure);
    for (size_t c = 0; c < values[k]->types().size(); c++)
      if (is_in(values[k]->types()[c], Float)) pass.give(values[k], c, column_of(seeds[k], c));
  }
  pass.run();
  std::vector<NodeRef> gradients;
  for (const NodeRef& v : variables) gradients.push_back(joined_columns(v, pass.cotangents(v)));
  return gradients;
}

std::vector<NodeRef> tangent(std::span<const NodeRef> values, std::span<const NodeRef> variables, std::span<const NodeRef> tangents,
                             const Measure& measure) {
  require_variables(variables);
  for (size_t k = 0; k < variables.size(); k++)
    require_alike(tangents[k], variables[k], ordinal(k, tangents.size(), "tangent"), ordinal(k, variables.size(), "variable"), measure);
  std::vector<NodeRef> seeds;
  for (size_t k = 0; k < values.size(); k++) {
    require_floats(*values[k], ordinal(k, values.size(), "value"));
    std::vector<NodeRef> zeros;
    for (Type type : values[k]->types()) zeros.push_back(zeros_like(values[k], type));
    seeds.push_back(variable(zip(zeros)));
  }
  const std::vector<NodeRef> gradients = gradient(values, seeds, variables, measure);
  return gradient(gradients, tangents, seeds, measure);
}

}  // namespace wf
