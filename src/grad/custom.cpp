// Nodes whose history is not how they are computed: that is the identity of a value, which is a constant.
//   Derivative  inputs: x..., the parameters y and ybar, the cotangents of x made from these. The cotangents are copied with the node and its
//               cotangent in the place of the parameters.
//   Recompute   inputs: x..., parameters like them, the value made from these parameters. It is copied with x in their place, and the
//               cotangents go back through the copy.
// Histories do not refer to the value, so that what it is made of is released when it has been computed.
#include <algorithm>

#include "expr/derivative/derivative.h"
#include "grad/pass.h"

namespace wf {
namespace {

NodeRef with_history(const NodeRef& value, Definition&& history) {
  const NodeRef constant = constant_of(value);
  const auto x = history.inputs.begin();
  if (std::none_of(x, x + history.viewed, [](const NodeRef& s) { return s->is_tracked(); })) return constant;
  const NodeRef made = map(closed(identity_fn(value->types())), {&constant, 1});
  made->track(Node::Tracking::Made);
  made->set_history(std::move(history));
  return made;
}

// Copies nodes, with others in the place of some that they are made of. What does not depend on those is not copied.
class Replacement {
 public:
  void put(const NodeRef& old, const NodeRef& by) { made_.emplace(old.get(), by), kept_.push_back(old); }

  // Nested inputs are on a list, not on the stack: a graph may be deep.
  NodeRef of(const NodeRef& root) {
    std::vector<NodeRef> open{root};
    while (!open.empty()) {
      const NodeRef s = open.back();
      const size_t before = open.size();
      for (const NodeRef& input : inputs_of(s))
        if (!made_.contains(input.get())) open.push_back(input);
      if (open.size() > before && !made_.contains(s.get())) continue;
      open.resize(before - 1);
      if (!made_.contains(s.get())) put(s, copied(s));
    }
    return made_.at(root.get());
  }

 private:
  // The value of a node with a derivative of its own.
  static NodeRef value_of(const NodeRef& s) {
    const NodeState state = s->state();
    return state.definition ? state.definition->inputs[0] : constant_of(s);
  }
  std::vector<NodeRef> inputs_of(const NodeRef& s) {
    std::vector<NodeRef> inputs;
    const DefinitionRef d = s->history();
    if (d) inputs.assign(d->inputs.begin(), d->inputs.end());
    if (d && has_own_derivative(*d) && !s->is_manifest()) inputs.push_back(value_of(s));
    if (const Node* filter = s->domain(); filter && filter != s.get()) inputs.emplace_back(const_cast<Node*>(filter));
    return inputs;
  }

  NodeRef copied(const NodeRef& s) {
    const std::vector<NodeRef> inputs = inputs_of(s);
    const auto replaced = [&](const NodeRef& input) { return made_.contains(input.get()) ? made_.at(input.get()) : input; };
    if (std::ranges::all_of(inputs, [&](const NodeRef& input) { return replaced(input) == input; })) return s;
    const DefinitionRef d = s->history();
    Few<NodeRef> others;
    for (const NodeRef& input : d->inputs) others.push_back(replaced(input));
    Definition definition = d->with(d->fn, std::move(others));
    if (has_own_derivative(*d)) return with_history(replaced(value_of(s)), std::move(definition));
    const Node* filter = s->domain();
    NodeRef domain = filter && filter != s.get() ? replaced(NodeRef(const_cast<Node*>(filter))) : NodeRef();
    return Node::make(s->context(), filter ? Shape::vector(-1) : s->shape(), ColumnTypes(s->column_types()), std::move(domain),
                      std::move(definition));
  }

  std::unordered_map<const Node*, NodeRef> made_;
  std::vector<NodeRef> kept_;  // so that no other node gets the address of one in the table
};

Definition history_of(Routine::Kind kind, std::span<const NodeRef> x, std::initializer_list<std::span<const NodeRef>> rest) {
  Few<NodeRef> inputs;
  for (const NodeRef& s : x) inputs.push_back(s);
  for (std::span<const NodeRef> more : rest)
    for (const NodeRef& s : more) inputs.push_back(s);
  Definition made{NodeKind::Call, nullptr, std::move(inputs), {}};
  made.viewed = uint32_t(x.size());
  made.routine.kind = kind;
  return made;
}

NodeRef whole_cotangent(const NodeRef& y, const CotangentColumns& ybar) {
  std::vector<NodeRef> all;
  for (size_t c = 0; c < ybar.size(); c++) all.push_back(ybar[c] ? ybar[c] : zeros_like(y, y->types()[c]));
  return zip(all);
}

// x, but it cannot be computed before the cotangent: no number is below -inf, which no rule of the simplifier knows.
NodeRef after(const NodeRef& x, const NodeRef& ybar) {
  return computed(x, domain_of(x), {x, ybar}, [&](Builder& b, Id i) {
    const Type type = ybar->types()[0];
    const Id first = b.at(1, 0, type, b.constant<int64_t>(0));
    const Bits64 lowest = type == Type::F32 ? to_bits(-__builtin_inff()) : to_bits(-__builtin_inf());
    const Id never = b.apply(Op::lt_, {first, b.literal(type, lowest)});
    std::vector<Id> results = read(b, 0, x->types(), i);
    for (Id& r : results) r = b.apply(Op::where_, {never, b.literal(b.type(r), 0), r});
    return results;
  });
}

}  // namespace

NodeRef with_derivative(const NodeRef& value, const NodeRef& y, const NodeRef& ybar, std::span<const NodeRef> x,
                        std::span<const NodeRef> xbar) {
  const NodeRef parameters[] = {y, ybar};
  return with_history(value, history_of(Routine::Derivative, x, {parameters, xbar}));
}

std::vector<NodeRef> recomputed(std::span<const NodeRef> values, std::span<const NodeRef> x) {
  std::vector<NodeRef> parameters;
  Replacement by_parameters, by_constants;
  for (const NodeRef& s : x) {
    parameters.push_back(parameter(s->context(), s->shape(), s->types()));
    by_parameters.put(s, parameters.back());
    by_constants.put(s, constant_of(s));
  }
  std::vector<NodeRef> made;
  for (const NodeRef& value : values) {
    const NodeRef made_of[] = {by_parameters.of(value)}, constant = by_constants.of(value);
    if (constant->is_tracked())
      throw ArgumentError("values[" + std::to_string(made.size()) +
                          "] depends on a variable that is not among inputs; expected all among them");
    made.push_back(with_history(constant, history_of(Routine::Recompute, x, {parameters, made_of})));
  }
  return made;
}

void derivative_back(GradientPass& pass, const NodeRef& y, const Definition& history, const CotangentColumns& ybar) {
  const size_t n = history.viewed;
  Replacement replacement;
  replacement.put(history.inputs[n], over_domain_of(history.inputs[n], y));
  replacement.put(history.inputs[n + 1], over_domain_of(history.inputs[n + 1], whole_cotangent(y, ybar)));
  for (size_t k = 0; k < n; k++) replacement.put(history.inputs[k], history.inputs[k]);
  for (size_t k = 0; k < n; k++) {
    const NodeRef& x = history.inputs[k];
    if (!pass.is_active(x)) continue;
    const NodeRef xbar = replacement.of(history.inputs[n + 2 + k]);
    for (size_t c = 0; c < x->types().size(); c++)
      if (is_in(x->types()[c], Float)) pass.give(x, c, column_of(xbar, c));
  }
}

void recompute_back(GradientPass& pass, const Definition& history, const CotangentColumns& ybar) {
  const size_t n = history.viewed;
  const auto given = std::ranges::find_if(ybar, [](const NodeRef& c) { return bool(c); });
  Replacement replacement;
  std::vector<NodeRef> variables;
  for (size_t k = 0; k < n; k++) {
    variables.push_back(variable(after(history.inputs[k], *given)));
    replacement.put(history.inputs[n + k], variables.back());
  }
  const NodeRef again = replacement.of(history.inputs[2 * n]);
  GradientPass inner(pass.measure());
  inner.collect({&again, 1}, variables);
  for (size_t c = 0; c < ybar.size(); c++)
    if (ybar[c]) inner.give(again, c, ybar[c]);
  inner.run();
  for (size_t k = 0; k < n; k++) {
    const CotangentColumns sums = inner.cotangents(variables[k]);
    for (size_t c = 0; c < sums.size(); c++)
      if (sums[c]) pass.give(history.inputs[k], c, sums[c]);
  }
}

}  // namespace wf
