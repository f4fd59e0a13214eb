#include "lazy/check.h"

#include <algorithm>

#include "expr/terms.h"

namespace wf {

std::string list(std::span<const Type> types) {
  std::string text = "(";
  for (Type t : types) text.append(text.size() > 1 ? ", " : "").append(name(t));
  return text + ")";
}

static std::vector<Type> param_types(const Fn& f) {
  std::vector<Type> types;
  for (const Param& p : f.params) types.push_back(p.type);
  return types;
}

std::string signature(const Fn& f) { return list(param_types(f)) + " -> " + list(f.result_types()); }

std::string describe_length(const Node& s) {
  if (s.rank() == 0) return "rank 0 (a scalar)";
  if (s.rank() > 1) return "shape " + text_of(s.shape().extents());
  int64_t n = s.length();
  return n < 0 ? "a length that is not known before the filter has run" : "length " + std::to_string(n);
}

std::string count(size_t n, const std::string& noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string ordinal(size_t k, size_t n, const std::string& noun) {
  if (n == 1) return "the " + noun;
  const size_t number = k + 1, last = number / 10 % 10 == 1 ? 0 : number % 10;
  return "the " + std::to_string(number) + (last == 1 ? "st " : last == 2 ? "nd " : last == 3 ? "rd " : "th ") + noun;
}

const std::shared_ptr<NodeContext>& common_context(std::span<const NodeRef> sequences, const Closure* f) {
  if (sequences.empty()) throw ArgumentError("sequences is empty; expected at least one sequence");
  const std::shared_ptr<NodeContext>& context = sequences[0]->context();
  for (size_t k = 1; k < sequences.size(); k++)
    if (sequences[k]->context() != context)
      throw ArgumentError(ordinal(k, sequences.size(), "sequence") +
                          " belongs to another context than the 1st; expected one context for all");
  if (f)
    for (size_t k = 0; k < f->captures.size(); k++)
      if (f->captures[k]->context() != context)
        throw ArgumentError("f captures a sequence ($" + std::to_string(k) + ") of another context than the " +
                            (sequences.size() > 1 ? "1st sequence" : "sequence") + "; expected one context for all");
  return context;
}

static void complain_of_lengths(std::span<const NodeRef> sequences, std::span<const char* const> names, size_t k, size_t other,
                                const std::string& remedy) {
  const auto named = [&](size_t n) { return n < names.size() ? std::string(names[n]) : ordinal(n, sequences.size(), "sequence"); };
  throw SizeError(named(k) + " has " + describe_length(*sequences[k]) + " but " + named(other) + " has " +
                  describe_length(*sequences[other]) + "; " + remedy);
}

Domain common_domain(std::span<const NodeRef> sequences, std::span<const char* const> names) {
  size_t open = sequences.size();  // a sequence whose filter has to run before all lengths are known
  for (size_t k = 0; k < sequences.size(); k++)
    if (sequences[k]->domain() && sequences[k]->length() < 0) open = k;
  const Node* filter = sequences[open < sequences.size() ? open : 0]->domain();
  const auto other = std::ranges::find_if(sequences, [&](const NodeRef& s) { return s->domain() != filter; });
  if (filter && other == sequences.end() && !filter->is_manifest()) return {Shape::vector(-1), NodeRef(const_cast<Node*>(filter))};
  if (open < sequences.size())
    complain_of_lengths(sequences, names, size_t(other - sequences.begin()), open,
                        "force the filtered sequences first, so that their lengths are known");
  Shape shape = sequences[0]->shape();
  for (size_t k = 1; k < sequences.size(); k++)
    if (sequences[k]->shape() != shape)
      complain_of_lengths(sequences, names, k, 0,
                          "expected equal " + std::string(sequences[k]->rank() > 1 || shape.rank() > 1 ? "shapes" : "lengths"));
  return {std::move(shape), {}};
}

void require_vector(const Node& s, const std::string& argument) {
  if (s.rank() > 1)
    throw SizeError(argument + " has " + describe_length(s) + "; expected rank 1: reshape it, or use a function along an axis");
  require_axes(s, argument);
}

void require_axes(const Node& s, const std::string& argument) {
  if (s.rank() == 0) throw SizeError(argument + " has rank 0; expected a sequence of rank 1");
}

int64_t known_length(const Node& s, const std::string& argument) {
  require_vector(s, argument);
  int64_t n = s.length();
  if (n < 0) throw SizeError(argument + " has " + describe_length(s) + "; force it first");
  return n;
}

void require_length(int64_t n, std::span<const Type> types) {
  if (n < 0) throw SizeError("the length is " + std::to_string(n) + "; expected a number that is not negative");
  for (Type t : types) {
    int64_t bytes;
    if (__builtin_mul_overflow(n, int64_t(size_of(t)), &bytes) || bytes > INT64_MAX - (int64_t(1) << 22))
      throw SizeError("the length is " + std::to_string(n) + ": the bytes of that many elements of type " + std::string(name(t)) +
                      " overflow 64 bits");
  }
}

void require_parameters(const Fn& f, std::span<const Type> types, std::string_view meaning) {
  bool fits = std::equal(f.params.begin(), f.params.end(), types.begin(), types.end(), [](const Param& p, Type t) { return p.type == t; });
  if (!fits)
    throw TypeError("f is " + signature(f) + "; expected " + count(types.size(), "parameter") + " " + list(types) + ", " +
                    std::string(meaning));
  if (f.results.empty())
    throw TypeError("f is " + signature(f) + ", a function without results; expected at least one, for each column of the result one");
}

void require_combine(const Closure& f, std::span<const Type> types, size_t identities) {
  const Fn& fn = *f.fn;
  const size_t m = types.size();
  bool fits = fn.params.size() == 2 * m && fn.results.size() == m;
  for (size_t k = 0; fits && k < 2 * m; k++) fits = fn.params[k].type == types[k % m];
  for (size_t k = 0; fits && k < m; k++) fits = fn[fn.results[k]].type == types[k];
  if (!fits) {
    std::vector<Type> both(types.begin(), types.end());
    both.insert(both.end(), types.begin(), types.end());
    throw TypeError("f is " + signature(fn) + "; expected " + list(both) + " -> " + list(types) +
                    ", from the columns of two elements of s to those of one");
  }
  if (!f.captures.empty())
    throw ArgumentError("f captures " + count(f.captures.size(), "sequence") +
                        "; expected a function that depends on its parameters alone");
  if (const auto op = op_not_associative(fn))
    throw ArgumentError("f applies " + std::string(name(*op)) +
                        ", which is not associative; expected an associative function, or iterate or " +
                        "iterate_prefixes, which apply any function to one element after another");
  if (identities != types.size())
    throw TypeError("identity has " + count(identities, "value") + "; expected " + std::to_string(types.size()) +
                    ", one per column of s, " + list(types));
}

NodeRef delayed(const std::shared_ptr<NodeContext>& context, Domain domain, ColumnTypes types, Definition definition) {
  return Node::make(context, std::move(domain.shape), std::move(types), std::move(domain.filter), std::move(definition));
}

NodeRef pull(const std::shared_ptr<NodeContext>& context, Domain domain, FnRef fn, Few<NodeRef> inputs, uint32_t viewed,
             Few<Bits64> arguments) {
  const size_t columns = fn->results.size();
  ColumnTypes types = columns == 1 ? ColumnTypes((*fn)[fn->results[0]].type) : ColumnTypes(fn->result_types());
  return Node::make(context, std::move(domain.shape), std::move(types), std::move(domain.filter),
                    {.kind = NodeKind::Pull,
                     .fn = std::move(fn),
                     .inputs = std::move(inputs),
                     .identity = {},
                     .viewed = viewed,
                     .arguments = std::move(arguments)});
}

}  // namespace wf
