// Derivatives of functions, and of sequences.
#include "grad/gradient.h"
#include "checks/arguments.h"
#include "expr/derivative/derivative.h"
#include "lazy/compose.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_fn_gradient(const wf_fn* f, int32_t forward, wf_fn** out) {
  return guarded("wf_fn_gradient", [&](Call& call) {
    prepare(out);
    const Mode mode = flag(forward, "forward") ? Mode::Forward : Mode::Reverse;
    const Closure& given = closure(call, f);
    auto made = std::make_unique<wf_fn>();
    made->closure = {gradient_of(given.fn, mode), given.captures, given.arguments};
    *out = made.release();
  });
}

int32_t wf_variable(wf_seq* s, wf_seq** out) {
  return making("wf_variable", out, [&](Call& call) { return variable(sequence(call, s)); });
}

int32_t wf_constant(wf_seq* s, wf_seq** out) {
  return making("wf_constant", out, [&](Call& call) { return constant_of(sequence(call, s)); });
}

namespace {

// A value without a seed has one element, and the seed 1 in each column of floats.
NodeRef one_like(const NodeRef& value, const std::string& name) {
  if (forced_length(value) != 1)
    throw SizeError(name + " has " + describe_length(*value) + "; expected one element, or seeds: the cotangents of all elements");
  const std::vector<Type>& types = value->types();
  Builder b;
  b.param(Type::I64, "i");
  std::vector<Id> ones;
  for (Type type : types) ones.push_back(b.literal(type, convert(Type::I32, type, 1)));
  return pull(value->context(), domain_of(value), b.finish(ones), {}, 0);
}

void require_parameter_like(const NodeRef& s, const NodeRef& value, const std::string& argument) {
  forced_length(value);
  const DefinitionRef definition = s->history();
  if (!definition || definition->kind != NodeKind::Parameter || s->types() != value->types() || s->shape() != value->shape())
    throw ArgumentError(argument + " is not a parameter like value; expected a result of wf_parameter(value, ...)");
}

void give_all(std::vector<NodeRef> made, wf_seq** out) {
  for (size_t k = 0; k < made.size(); k++) out[k] = give(std::move(made[k]));
}

void clear(wf_seq** out, int32_t n) {
  require(out, "out");
  for (int32_t k = 0; k < n; k++) out[k] = nullptr;
}

}  // namespace

int32_t wf_fn_derivative(const wf_fn* f, const wf_fn* derivative, wf_fn** out) {
  return guarded("wf_fn_derivative", [&](Call& call) {
    prepare(out);
    const auto alone = [&](const wf_fn* handle, const char* argument) {
      const Closure& given = closure(call, handle, argument);
      if (!given.captures.empty())
        throw ArgumentError(std::string(argument) + " captures sequences; expected a function of its parameters alone");
      return with_values(given.fn, given.arguments);
    };
    auto made = std::make_unique<wf_fn>();
    made->closure.fn = with_derivative(alone(f, "f"), alone(derivative, "derivative"));
    *out = made.release();
  });
}

int32_t wf_derivative(wf_seq* value, wf_seq* y, wf_seq* ybar, wf_seq* const* inputs, wf_seq* const* gradients, int32_t n, wf_seq** out) {
  return making("wf_derivative", out, [&](Call& call) {
    const NodeRef of = sequence(call, value, "value"), at = sequence(call, y, "y"), seed = sequence(call, ybar, "ybar");
    const Few<NodeRef> x = sequences(call, inputs, n, "inputs"), xbar = sequences(call, gradients, n, "gradients");
    require_parameter_like(at, of, "y");
    require_parameter_like(seed, of, "ybar");
    for (int32_t k = 0; k < n; k++) {
      if (x[k]->domain() != xbar[k]->domain()) forced_length(x[k]), forced_length(xbar[k]);
      if (xbar[k]->types() != x[k]->types() || xbar[k]->shape() != x[k]->shape())
        throw TypeError(ordinal(size_t(k), size_t(n), "gradient") + " has " + describe_length(*xbar[k]) + " and " +
                        ordinal(size_t(k), size_t(n), "input") + " has " + describe_length(*x[k]) +
                        "; expected the columns and shape of the input");
    }
    return with_derivative(of, at, seed, x, xbar);
  });
}

int32_t wf_checkpoint(wf_seq* const* values, int32_t n_values, wf_seq* const* inputs, int32_t n_inputs, wf_seq** out) {
  return guarded("wf_checkpoint", [&](Call& call) {
    clear(out, n_values);
    const Few<NodeRef> of = sequences(call, values, n_values, "values"), x = sequences(call, inputs, n_inputs, "inputs");
    for (int32_t k = 0; k < n_inputs; k++)
      if (x[k]->domain())
        throw UnsupportedError(ordinal(size_t(k), size_t(n_inputs), "input") +
                               " is the result of a filter; expected a sequence whose length is known from the start");
    give_all(recomputed(of, x), out);
  });
}

int32_t wf_gradient(wf_seq* const* values, wf_seq* const* seeds, int32_t n_values, wf_seq* const* variables, int32_t n_variables,
                    wf_seq** out) {
  return guarded("wf_gradient", [&](Call& call) {
    clear(out, n_variables);
    const Few<NodeRef> of = sequences(call, values, n_values, "values"), by = sequences(call, variables, n_variables, "variables");
    std::vector<NodeRef> with;
    if (seeds)
      for (const NodeRef& seed : sequences(call, seeds, n_values, "seeds")) with.push_back(seed);
    else
      for (size_t k = 0; k < of.size(); k++) with.push_back(one_like(of[k], ordinal(k, of.size(), "value")));
    give_all(gradient(of, with, by, forced_length), out);
  });
}

int32_t wf_tangent(wf_seq* const* values, int32_t n_values, wf_seq* const* variables, wf_seq* const* tangents, int32_t n_variables,
                   wf_seq** out) {
  return guarded("wf_tangent", [&](Call& call) {
    clear(out, n_values);
    const Few<NodeRef> of = sequences(call, values, n_values, "values"), by = sequences(call, variables, n_variables, "variables");
    give_all(tangent(of, by, sequences(call, tangents, n_variables, "tangents"), forced_length), out);
  });
}
