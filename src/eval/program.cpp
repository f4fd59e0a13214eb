#include "eval/program.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "engine/index_error.h"
#include "engine/span.h"
#include "eval/faulty_element.h"
#include "eval/stretches.h"
#include "eval/wrong_offsets.h"
#include "lazy/check.h"

namespace wf {
namespace {

bool is_parameter(const Node& node) {
  const auto definition = node.state().definition;
  return definition && definition->kind == NodeKind::Parameter;
}

// Most sequences have one column, and then share the list of types.
bool same_types(const Node& a, const Node& b) { return &a.types() == &b.types() || a.types() == b.types(); }
bool same_shape(const Node& a, const Node& b) {
  return a.rank() == b.rank() && (a.rank() < 2 ? a.length() == b.length() : a.shape() == b.shape());
}

// The bits of a delayed scalar that is a literal.
std::optional<Bits64> literal_of(const Node& node) {
  const auto definition = node.state().definition;
  if (!definition || definition->kind != NodeKind::Pull || node.rank() != 0 || node.types().size() != 1) return std::nullopt;
  const Term& term = (*definition->fn)[definition->fn->results[0]];
  if (term.kind == Kind::Literal) return term.bits;
  if (term.kind == Kind::Argument) return definition->arguments[term.slot];
  return std::nullopt;
}

}  // namespace

Program::Program(std::span<const NodeRef> parameters, std::span<const NodeRef> results)
    : parameters_(parameters.begin(), parameters.end()), results_(results.begin(), results.end()), values_(parameters_) {
  if (results.empty()) throw ArgumentError("the function returns no sequence; expected at least one");
  std::vector<NodeRef> all = parameters_;
  all.insert(all.end(), results.begin(), results.end());
  context_ = std::static_pointer_cast<Context>(common_context(all));
  std::unordered_set<const Node*> given;
  for (size_t k = 0; k < parameters.size(); k++) {
    if (!is_parameter(*parameters[k]))
      throw ArgumentError(ordinal(k, parameters.size(), "parameter") + " is not a parameter; expected one of wf_parameter");
    if (!given.insert(parameters[k].get()).second)
      throw ArgumentError(ordinal(k, parameters.size(), "parameter") + " is an earlier parameter, too; expected each once");
  }
  PlanOptions options = plan_options(*context_);
  options.given = &given;
  std::vector<NodeRef> delayed;
  for (const NodeRef& result : results)
    if (!result->is_manifest() && !given.contains(result.get())) delayed.push_back(result);
  if (!delayed.empty())
    for_each_graph(delayed, options, [&](Graph&& graph, bool) {
      const Span span("plan");
      plan_steps(graph, options);
      for (const GraphVertex& v : graph.vertices)
        if (v.demanded) given.insert(v.node.get());
      add_stage(std::move(graph));
    });
  for (const NodeRef& result : results) result_values_.push_back({no_vertex, number_of(result.get())});
  find_last_uses();
}

Program::ValueId Program::number_of(const Node* node) const {
  const auto found = std::ranges::find(values_, node, &NodeRef::get);
  return found == values_.end() ? no_value : static_cast<ValueId>(found - values_.begin());
}

void Program::add_stage(Graph&& graph) {
  Stage stage;
  stage.arguments = argument_values(graph);
  for (VertexId v = 0; v < graph.vertices.size(); v++) {
    GraphVertex& vertex = graph.vertices[v];
    if (vertex.manifest && vertex.manifest->has_elements) {
      stage.constants.emplace_back(v, std::move(vertex.manifest));
    } else if (vertex.manifest) {
      const ValueId value = number_of(vertex.node.get());
      if (value == no_value)
        throw ArgumentError(
            "a result depends on a parameter that is not one of `parameters`; expected all parameters that results depend on");
      stage.inputs.push_back({v, value});
    } else if (vertex.demanded) {
      stage.outputs.push_back({v, static_cast<ValueId>(values_.size())});
      values_.push_back(vertex.node);
    }
    vertex.manifest = nullptr;
    if (vertex.computed) continue;  // a run reads the parts of an append from its definition
    vertex.definition = nullptr;
    vertex.node = NodeRef();
  }
  stage.graph = std::move(graph);
  stages_.push_back(std::move(stage));
}

// Parameters are excepted: their elements belong to the caller.
void Program::find_last_uses() {
  std::vector<bool> needed(values_.size());
  std::fill_n(needed.begin(), parameters_.size(), true);
  const auto visit = [&](std::vector<ValueUse>& uses) {
    for (size_t k = uses.size(); k-- > 0;) {
      if (uses[k].value == no_value) continue;
      uses[k].is_last = !needed[uses[k].value];
      needed[uses[k].value] = true;
    }
  };
  visit(result_values_);
  for (size_t s = stages_.size(); s-- > 0;) visit(stages_[s].inputs);
}

// The first argument that does not fit, and why.
Program::Misfit Program::misfit(const Few<NodeRef>& arguments) const {
  if (arguments.size() != parameters_.size()) return {Misfit::Number};
  for (size_t k = 0; k < arguments.size(); k++) {
    const Node &argument = *arguments[k], &parameter = *parameters_[k];
    if (argument.context().get() != context_.get()) return {Misfit::Context, k};
    if (!same_types(argument, parameter)) return {Misfit::Types, k};
    if (argument.length() < 0) forced_length(arguments[k]);
    if (!same_shape(argument, parameter)) return {Misfit::Shape, k};
  }
  return {Misfit::None};
}

void Program::require_fits(const Few<NodeRef>& arguments) const {
  const auto [what, k] = misfit(arguments);
  const std::string name = ordinal(k, arguments.size(), "argument");
  switch (what) {
    case Misfit::None: return;
    case Misfit::Number:
      throw ArgumentError("there are " + count(arguments.size(), "argument") + "; expected " + std::to_string(parameters_.size()) +
                          ", one for each parameter");
    case Misfit::Context: throw ArgumentError(name + " belongs to another context than the program; expected one context for all");
    case Misfit::Types:
      throw TypeError(name + " has columns " + list(arguments[k]->types()) + "; expected " + list(parameters_[k]->types()));
    case Misfit::Shape:
      throw SizeError(name + " has " + describe_length(*arguments[k]) + "; expected " + describe_length(*parameters_[k]) +
                      ", for which the program was made");
  }
}

// Computes the arguments that are delayed.
void Program::make_ready(Few<NodeRef>& arguments) const {
  if (context_->closed.load()) throw ContextError("the context of this program is closed; it can only be released");
  Few<NodeRef> delayed;
  for (NodeRef& argument : arguments) {
    if (argument->is_manifest()) continue;
    if (const auto bits = literal_of(*argument))
      argument = source(argument->context(), Shape::scalar(), argument->types(), {{stored_scalars(*context_, {&*bits, 1}), 0}});
    else delayed.push_back(argument);
  }
  if (!delayed.empty()) force(std::span(delayed.begin(), delayed.size()));
}

Few<NodeRef> Program::run_stages(const Few<NodeRef>& arguments) const {
  Few<std::shared_ptr<const Manifest>> values;
  values.resize(values_.size());
  for (size_t k = 0; k < arguments.size(); k++) values[k] = *arguments[k]->result();
  const auto use = [&](const ValueUse& u) { return u.is_last ? std::move(values[u.value]) : values[u.value]; };
  for (const Stage& stage : stages_) {
    Few<VertexResult> known;
    known.resize(stage.graph.vertices.size());
    for (const auto& [v, manifest] : stage.constants) known[v].manifest = manifest;
    for (const ValueUse& input : stage.inputs) known[input.vertex].manifest = use(input);
    for (VertexId v = 0; v < known.size(); v++)
      if (const GraphVertex& vertex = stage.graph.vertices[v]; vertex.computed)
        known[v].parts = {vertex.node, vertex.definition, vertex.computed};
    Run(stage.graph, stage.arguments, *context_, known).run();
    for (const ValueUse& output : stage.outputs) values[output.value] = std::move(known[output.vertex].manifest);
  }
  Few<NodeRef> results;
  results.reserve(results_.size());
  for (size_t k = 0; k < results_.size(); k++) {
    const ValueUse& value = result_values_[k];
    if (value.value == no_value) {
      results.push_back(results_[k]);
    } else if (value.value < parameters_.size()) {
      results.push_back(arguments[value.value]);
    } else {
      const Node& like = *results_[k];
      std::shared_ptr<const Manifest> manifest = use(value);
      Shape shape = like.domain() ? Shape::vector(manifest->length) : like.shape();
      results.push_back(Node::make(like.context(), std::move(shape), ColumnTypes(like.column_types()), {}, std::move(manifest)));
    }
  }
  return results;
}

Few<NodeRef> Program::run(Few<NodeRef> arguments) const {
  Few<NodeRef> results;
  on_all_processes(*context_, [&] { results = run_ready(arguments); });
  return results;
}

Few<NodeRef> Program::run_ready(Few<NodeRef>& arguments) const {
  make_ready(arguments);
  try {
    return run_stages(arguments);
  } catch (const IndexFault& fault) {
    auto compute = [&](const NodeRef& offsets) { return *Program(parameters_, {&offsets, 1}).run_stages(arguments)[0]->result(); };
    if (const auto message = describe_wrong_offset(results_, fault, compute)) throw RangeError(*message);
    const auto elements = [&](const NodeRef& node) {
      const auto parameter = std::ranges::find(parameters_, node);
      return parameter == parameters_.end() ? node->state().manifest : arguments[size_t(parameter - parameters_.begin())]->state().manifest;
    };
    throw RangeError(index_error(fault.index, fault.length, place_of(results_, fault, elements)));
  }
}

}  // namespace wf
