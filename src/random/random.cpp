#include "random/random.h"

#include <map>
#include <mutex>
#include <string>

#include "lazy/check.h"
#include "ops/ops.h"
#include "random/composed.h"
#include "random/distributions.h"
#include "random/functions.h"

namespace wf::random {
namespace {

// Throws unless s has one column and rank 0 or n elements.
void require_each(const NodeRef& s, const std::string& argument, int64_t n) {
  if (s->types().size() != 1) throw TypeError(argument + " has columns " + list(s->types()) + "; expected one column");
  if (s->rank() == 0) return;
  if (n == as_scalar) throw SizeError(argument + " has rank 1; expected rank 0, as the result");
  if (const int64_t length = known_length(*s, argument); length != n)
    throw SizeError(argument + " has length " + std::to_string(length) + "; expected " + std::to_string(n) + ", or rank 0");
}
// The same of a distribution's parameters, which are the last parameters of f.
void require_parameters(const Fn& f, std::span<const NodeRef> parameters, int64_t n) {
  const size_t first = f.params.size() - parameters.size();
  for (size_t k = 0; k < parameters.size(); k++) require_each(parameters[k], f.params[first + k].name, n);
}

// i -> f(arguments), where the arguments are the elements of the inputs at i. With `draws`, the first input is a key, after which f takes the
// number of the element; an element that has a key of its own is the first draw from it. Otherwise the result is NaN if the first one is.
FnRef element(const Fn& f, std::span<const NodeRef> inputs, bool draws, Type type) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), zero = b.constant<int64_t>(0);
  std::vector<Id> arguments;
  for (uint32_t slot = 0; slot < inputs.size(); slot++) {
    const bool is_number = inputs[slot]->rank() == 0;
    const Id x = b.at(slot, 0, inputs[slot]->types()[0], is_number ? zero : i);
    arguments.push_back(b.cast(f.params[arguments.size()].type, x));
    if (draws && slot == 0) arguments.push_back(is_number ? i : zero);
  }
  Id result = b.cast(type, b.inline_call(f, arguments)[0]);
  if (!draws && is_in(inputs[0]->types()[0], Float))
    result = b.apply(Op::where_, {b.apply(Op::isnan_, {arguments[0]}), arguments[0], result});
  return simplify(b.finish({result}));
}

// The same, made once for inputs of the same types and ranks, so that plans are found again.
FnRef element_of(const std::string& name, const Fn& f, std::span<const NodeRef> inputs, bool draws, Type type) {
  std::string key = name + " " + std::string(wf::name(type));
  for (const NodeRef& s : inputs) key += (s->rank() == 0 ? " " : " *") + std::string(wf::name(s->types()[0]));
  static std::mutex mutex;
  static auto& made = *new std::map<std::string, FnRef>;  // never destroyed: nodes may outlive static objects
  std::lock_guard lock(mutex);
  FnRef& fn = made[key];
  if (!fn) fn = element(f, inputs, draws, type);
  return fn;
}

Few<NodeRef> joined(const NodeRef& first, std::span<const NodeRef> rest) {
  Few<NodeRef> all{first};
  for (const NodeRef& s : rest) all.push_back(s);
  common_context(all);
  return all;
}

void require_key(const NodeRef& key) {
  if (key->types()[0] != Type::U64) throw TypeError("key has type " + list(key->types()) + "; expected u64");
}

NodeRef of_values(std::string_view distribution, Asked asked, const NodeRef& x, std::span<const NodeRef> parameters) {
  if (NodeRef several = composed(distribution, asked, x, parameters)) return several;
  const Distribution& d = find_distribution(distribution, composed_names);
  const Type type = is_in(x->types()[0], Float) ? x->types()[0] : Type::F64;
  const auto [f, name] = function_of(d, parameters.size(), asked, type);
  Few<NodeRef> inputs = joined(x, parameters);
  const int64_t n = x->rank() == 0 ? as_scalar : x->length();
  require_each(x, "x", n);
  require_parameters(*f, parameters, n);
  FnRef fn = element_of(name, *f, inputs, false, type);
  const auto viewed = uint32_t(inputs.size());
  return pull(x->context(), domain_of(x), std::move(fn), std::move(inputs), viewed);
}

}  // namespace

// Plans do not depend on the bits of a key, so they are an argument.
NodeRef key(std::shared_ptr<NodeContext> context, uint64_t seed) {
  static const FnRef& fn = *new FnRef([] {
    Builder b;
    b.param(Type::I64, "i");
    return b.finish({b.argument(0, Type::U64)});
  }());
  return pull(std::move(context), {Shape::scalar(), {}}, fn, {}, 0, {seed});
}

NodeRef split(const NodeRef& key, int64_t i) {
  require_each(key, "key", as_scalar);
  require_key(key);
  const Fn& f = *function("split", Type::F64);
  if (auto definition = key->state().definition; definition && definition->kind == NodeKind::Pull && definition->inputs.empty()) {
    const Fn& made = *definition->fn;
    if (made.terms.size() == 2 && made[made.results[0]].kind == Kind::Argument) {
      Builder b;
      const Id known = b.literal(Type::I64, definition->arguments[0]), number = b.constant(i);
      const Id arguments[] = {known, number};
      return random::key(key->context(), b[b.inline_call(f, arguments)[0]].bits);
    }
  }
  Builder b;
  const Id arguments[] = {b.cast(Type::I64, b.param(Type::U64, "key")), b.constant(i)};
  return map({b.finish({b.cast(Type::U64, b.inline_call(f, arguments)[0])}), {}, {}}, {&key, 1});
}

NodeRef draw(std::string_view distribution, const NodeRef& key, std::span<const NodeRef> parameters, int64_t n, Type type) {
  if (NodeRef several = composed(distribution, key, parameters, n, type)) return several;
  const Distribution& d = find_distribution(distribution, composed_names);
  const auto [f, name] = function_of(d, parameters.size(), Asked::Draw, real_of(d, type));
  if (n != as_scalar) require_length(n, std::span(&type, 1));
  Few<NodeRef> inputs = joined(key, parameters);
  require_each(key, "key", n);
  require_key(key);
  require_parameters(*f, parameters, n);
  FnRef fn = element_of(name, *f, inputs, true, type);
  const auto viewed = uint32_t(inputs.size());
  return pull(key->context(), {n == as_scalar ? Shape::scalar() : Shape::vector(n), {}}, std::move(fn), std::move(inputs), viewed);
}

NodeRef log_density(std::string_view distribution, const NodeRef& x, std::span<const NodeRef> parameters) {
  return of_values(distribution, Asked::LogDensity, x, parameters);
}

NodeRef distribution_function(std::string_view distribution, const NodeRef& x, std::span<const NodeRef> parameters) {
  return of_values(distribution, Asked::DistributionFunction, x, parameters);
}

}  // namespace wf::random
