// Functions with derivatives of their own. Such a function is called as an opaque one is, which derivatives see; what it computes is written in its
// place before an engine sees it.
#include <algorithm>

#include "expr/derivative/derivative.h"

namespace wf {
namespace {

std::vector<Type> parameter_types(const Fn& f) {
  std::vector<Type> types;
  for (const Param& p : f.params) types.push_back(p.type);
  return types;
}

std::string listed(std::span<const Type> types) {
  std::string text = "(";
  for (Type t : types) text += (text.size() > 1 ? ", " : "") + std::string(name(t));
  return text + ")";
}

std::vector<Type> floats_of(std::span<const Type> types) {
  std::vector<Type> floats;
  std::ranges::copy_if(types, std::back_inserter(floats), [](Type t) { return is_in(t, Float); });
  return floats;
}

struct Without : Copy {
  using Copy::Copy;
  std::vector<Id> foreign(Id id, std::span<const Id> x) {
    const Foreign& f = *from.foreigns[from[id].slot];
    return f.body ? to.inline_call(*without_derivatives(f.body), x) : Copy::foreign(id, x);
  }
  std::vector<Id> repeat(Id id, std::span<const Id> x) { return to.repeat(info(id).with(without_derivatives), x); }
};

}  // namespace

FnRef with_derivative(const FnRef& f, const FnRef& derivative) {
  const std::vector<Type> params = parameter_types(*f), results = f->result_types(), floats = floats_of(results);
  std::vector<Type> takes = params;
  takes.insert(takes.end(), results.begin(), results.end());
  takes.insert(takes.end(), floats.begin(), floats.end());
  const std::vector<Type> gives = floats_of(params);
  if (parameter_types(*derivative) != takes || derivative->result_types() != gives)
    throw TypeError("derivative is " + listed(parameter_types(*derivative)) + " -> " + listed(derivative->result_types()) + "; expected " +
                    listed(takes) + " -> " + listed(gives) +
                    ": of f's parameters, its results and a cotangent per float result, a cotangent per float parameter");
  Foreign called;
  called.name = f->foreigns.empty() ? "custom" : f->foreigns[0]->name;
  called.params = params, called.results = results, called.body = f, called.derivative = derivative;
  Builder b;
  const std::vector<Id> args = copy_params(b, *f);
  return b.finish(b.foreign(std::make_shared<const Foreign>(std::move(called)), args));
}

bool has_derivatives(const Fn& f) {
  return std::ranges::any_of(f.foreigns, [](const auto& g) { return bool(g->body); }) ||
         std::ranges::any_of(f.loops, [](const Fn::LoopInfo& info) {
           return has_derivatives(*info.body) || (info.is_fold() && has_derivatives(*info.combine));
         });
}

FnRef without_derivatives(const FnRef& f) {
  if (!has_derivatives(*f)) return f;
  return f->computed.get([&] {
    Builder b;
    Without copy(b, *f);
    const std::vector<Id> params = copy_params(b, *f);
    return b.finish(copy_terms(copy, params));
  });
}

const Fn& derivative_of(const Foreign& f) {
  if (!f.derivative)
    throw NoDerivative("the opaque function \"" + f.name +
                       "\" has no derivative; expected wf_fn_derivative or a function in the written form");
  return *f.derivative;
}

}  // namespace wf
