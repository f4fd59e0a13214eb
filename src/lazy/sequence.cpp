// Sequences computed element by element, put together from others' columns, or filtered.
#include <array>

#include "expr/lift.h"
#include "lazy/compose.h"
#include "lazy/inline.h"

namespace wf {

static Few<Type> all_types(std::span<const NodeRef> sequences) {
  Few<Type> types;
  for (const NodeRef& s : sequences)
    for (Type t : s->types()) types.push_back(t);
  return types;
}

NodeRef source(std::shared_ptr<NodeContext> context, Shape shape, std::vector<Type> types, std::vector<Column> columns) {
  auto manifest = std::make_shared<const Manifest>(Manifest{std::move(columns), shape.length(), nullptr});
  return Node::make(context, std::move(shape), std::move(types), {}, std::move(manifest));
}

NodeRef parameter(std::shared_ptr<NodeContext> context, Shape shape, std::vector<Type> types) {
  Definition definition{NodeKind::Parameter, nullptr, {}, {}};
  return Node::make(context, std::move(shape), std::move(types), {}, std::move(definition));
}

// i -> the argument, of that type.
static const FnRef& argument_fn(Type type) {
  static const std::array<FnRef, type_count>& functions = *[] {
    auto* all = new std::array<FnRef, type_count>;  // never destroyed: nodes may outlive static objects
    for (int t = 0; t < type_count; t++) {
      Builder builder;
      builder.param(Type::I64, "i");
      (*all)[size_t(t)] = builder.finish({builder.argument(0, static_cast<Type>(t))});
    }
    return all;
  }();
  return functions[static_cast<size_t>(type)];
}

static FnRef literal_fn(Type type, Bits64 bits) {
  return remembered(std::array{uint64_t(2), uint64_t(type), uint64_t(bits)}, nullptr, [&] {
    Builder builder;
    builder.param(Type::I64, "i");
    return builder.finish({builder.literal(type, bits)});
  });
}

// No plan depends on the value of a number unless folding looks at it.
NodeRef constant(std::shared_ptr<NodeContext> context, Type type, Bits64 bits) {
  const bool is_argument = type != Type::Bool && !decides_form({type, bits});
  if (is_argument) return pull(context, {Shape::scalar(), {}}, argument_fn(type), {}, 0, {bits});
  return pull(context, {Shape::scalar(), {}}, literal_fn(type, bits), {}, 0);
}

NodeRef tabulate(std::shared_ptr<NodeContext> context, const Closure& f, int64_t n) {
  require_parameters(*f.fn, std::array{Type::I64}, "the index");
  require_length(n, f.fn->result_types());
  for (const NodeRef& capture : f.captures)
    if (capture->context() != context)
      throw ArgumentError("f captures a sequence that does not belong to context; expected one context for all");
  return pull(context, {Shape::vector(n), {}}, f.fn, f.captures, 0, f.arguments);
}

// Returns true if the function has results, and a parameter of the same type for each column of the sequences.
static bool takes_columns_of(const Fn& f, std::span<const NodeRef> sequences) {
  size_t k = 0;
  for (const NodeRef& s : sequences)
    for (Type t : s->types())
      if (k == f.params.size() || f.params[k++].type != t) return false;
  return k == f.params.size() && !f.results.empty();
}

NodeRef map(const Closure& f, std::span<const NodeRef> sequences) {
  const auto& context = common_context(sequences, &f);
  if (!takes_columns_of(*f.fn, sequences)) require_parameters(*f.fn, all_types(sequences), "the columns of the sequences");
  Domain domain = common_domain(sequences);
  Few<NodeRef> inputs;
  inputs.reserve(sequences.size() + f.captures.size());
  for (const NodeRef& s : sequences) inputs.push_back(s);
  for (const NodeRef& s : f.captures) inputs.push_back(s);
  return pull(context, std::move(domain), pointwise(f.fn, sequences), std::move(inputs), sequences.size(), f.arguments);
}

// The chosen columns as a manifest, or null unless all sequences are manifest and untracked.
static std::shared_ptr<const Manifest> pick(std::span<const NodeRef> sequences, std::span<const std::pair<uint32_t, uint32_t>> columns) {
  std::vector<std::shared_ptr<const Manifest>> manifests;
  for (const NodeRef& s : sequences) {
    auto manifest = s->state().manifest;
    if (!manifest || s->is_tracked()) return nullptr;
    manifests.push_back(std::move(manifest));
  }
  Manifest result{{}, manifests[0]->length, manifests[0]->record};
  for (auto [k, column] : columns) result.columns.push_back(manifests[k]->columns[column]);
  return std::make_shared<const Manifest>(std::move(result));
}

// A node of these columns, each given as (number of the sequence, number of its column), over the common domain.
static NodeRef choose(std::span<const NodeRef> sequences, std::span<const std::pair<uint32_t, uint32_t>> columns) {
  const auto& context = common_context(sequences);
  Domain domain = common_domain(sequences);
  if (auto manifest = pick(sequences, columns)) {
    std::vector<Type> types;
    for (auto [k, column] : columns) types.push_back(sequences[k]->types()[column]);
    return Node::make(context, std::move(domain.shape), std::move(types), std::move(domain.filter), std::move(manifest));
  }
  std::vector<uint64_t> key{1};
  for (auto [k, column] : columns) key.push_back(uint64_t(k) << 40 | uint64_t(column) << 8 | uint64_t(sequences[k]->types()[column]));
  FnRef fn = remembered(key, nullptr, [&] {
    Builder builder;
    Id i = builder.param(Type::I64, "i");
    std::vector<Id> results;
    for (auto [k, column] : columns) results.push_back(builder.at(k, column, sequences[k]->types()[column], i));
    return builder.finish(results);
  });
  return pull(context, std::move(domain), std::move(fn), std::vector(sequences.begin(), sequences.end()), sequences.size());
}

NodeRef zip(std::span<const NodeRef> sequences) {
  common_context(sequences);
  if (sequences.size() == 1) return sequences[0];
  std::vector<std::pair<uint32_t, uint32_t>> all;
  for (uint32_t k = 0; k < sequences.size(); k++)
    for (uint32_t column = 0; column < sequences[k]->types().size(); column++) all.emplace_back(k, column);
  return choose(sequences, all);
}

NodeRef columns(const NodeRef& s, std::span<const int32_t> which) {
  if (which.empty()) throw ArgumentError("which is empty; expected at least one column");
  std::vector<std::pair<uint32_t, uint32_t>> chosen;
  for (size_t k = 0; k < which.size(); k++) {
    if (which[k] < 0 || size_t(which[k]) >= s->types().size())
      throw IndexError(ordinal(k, which.size(), "column") + " is " + std::to_string(which[k]) + ", but s has " +
                       count(s->types().size(), "column") + " " + list(s->types()) + "; expected 0 to " +
                       std::to_string(s->types().size() - 1));
    chosen.emplace_back(0, uint32_t(which[k]));
  }
  return choose({&s, 1}, chosen);
}

NodeRef filter(const Closure& f, const NodeRef& s) {
  require_vector(*s);
  if (f.fn->result_types() != std::vector{Type::Bool})
    throw TypeError("f is " + signature(*f.fn) + "; expected one result of type bool, true if the element is kept");
  NodeRef mask = map(f, {&s, 1});
  return filtered(s, mask);
}

NodeRef length(const NodeRef& s) {
  if (const Node* filter = s->domain(); filter && s->length() < 0)
    return delayed(s->context(), {Shape::scalar(), {}}, {Type::I64}, {NodeKind::Count, nullptr, {NodeRef(const_cast<Node*>(filter))}, {}});
  return constant(s->context(), Type::I64, to_bits(s->length()));
}

}  // namespace wf
