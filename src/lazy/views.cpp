// Views: sequences that read others at shifted or mirrored indices, and compute nothing.
#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {

// r[i] = s[start + i], of this shape. A view of a manifest sequence is manifest: it shares the buffers, at another offset.
static NodeRef window(const NodeRef& s, int64_t start, Shape shape) {
  if (auto whole = s->state().manifest) {
    Manifest part{whole->columns, shape.length, whole->record};
    for (Column& column : part.columns) column.offset += start;
    return Node::make(s->context(), shape, s->types(), {}, {nullptr, std::make_shared<const Manifest>(std::move(part))});
  }
  Builder builder;
  Id i = builder.param(Type::I64, "i");
  Id index = builder.apply(Op::add_, {i, builder.constant(start)});
  return pull(s->context(), {shape, {}}, builder.finish(read(builder, 0, s->types(), index)), {s}, 1);
}

NodeRef nth(const NodeRef& s, int64_t i) {
  int64_t n = known_length(*s);
  if (i < 0 || i >= n)
    throw IndexError("i is " + std::to_string(i) + ", but s has length " + std::to_string(n) +
                     (n > 0 ? "; expected 0 to " + std::to_string(n - 1) : ": no index is valid"));
  return window(s, i, Shape::scalar());
}

NodeRef subseq(const NodeRef& s, int64_t start, int64_t length) {
  int64_t n = known_length(*s);
  if (start < 0 || length < 0 || start > n || length > n - start)
    throw IndexError("start is " + std::to_string(start) + " and length is " + std::to_string(length) + ", but s has length " +
                     std::to_string(n) + "; expected a range within s");
  if (start == 0 && length == n) return s;
  return window(s, start, Shape::vector(length));
}

// r[i] = s[n - 1 - i]
NodeRef rev(const NodeRef& s) {
  int64_t n = known_length(*s);
  Builder builder;
  Id i = builder.param(Type::I64, "i");
  Id index = builder.apply(Op::sub_, {builder.constant(n - 1), i});
  return pull(s->context(), {Shape::vector(n), {}}, builder.finish(read(builder, 0, s->types(), index)), {s}, 1);
}

namespace {
struct Part {
  uint32_t slot;
  int64_t begin;  // its first index in the result
};
}  // namespace

// The elements at i of parts[0] ++ parts[1] ++ ...: a balanced tree of choices. A part that is not chosen is read at an invalid index; its
// value does not matter and its Checks do not apply.
static std::vector<Id> choose_part(Builder& builder, std::span<const Part> parts, std::span<const Type> types, Id i) {
  if (parts.size() == 1) {
    Id index = builder.apply(Op::sub_, {i, builder.constant(parts[0].begin)});
    return read(builder, parts[0].slot, types, index);
  }
  size_t middle = parts.size() / 2;
  Id is_left = builder.apply(Op::lt_, {i, builder.constant(parts[middle].begin)});
  std::vector<Id> left = choose_part(builder, parts.first(middle), types, i);
  std::vector<Id> right = choose_part(builder, parts.subspan(middle), types, i);
  for (size_t column = 0; column < types.size(); column++) left[column] = builder.apply(Op::where_, {is_left, left[column], right[column]});
  return left;
}

NodeRef append(std::span<const NodeRef> sequences) {
  const auto& context = common_context(sequences);
  const std::vector<Type>& types = sequences[0]->types();
  std::vector<NodeRef> inputs;  // the sequences that are not empty
  std::vector<Part> parts;
  int64_t total = 0;
  for (size_t k = 0; k < sequences.size(); k++) {
    std::string argument = "sequences[" + std::to_string(k) + "]";
    if (sequences[k]->types() != types)
      throw TypeError(argument + " has columns " + list(sequences[k]->types()) + " but sequences[0] has " + list(types) +
                      "; expected equal types");
    int64_t n = known_length(*sequences[k], argument);
    if (n == 0) continue;
    parts.push_back({uint32_t(inputs.size()), total});
    inputs.push_back(sequences[k]);
    if (__builtin_add_overflow(total, n, &total)) throw SizeError("the sum of the lengths of the sequences overflows 64 bits");
  }
  if (inputs.empty()) return sequences[0];
  if (inputs.size() == 1) return inputs[0];
  require_length(total, types);
  Builder builder;
  Id i = builder.param(Type::I64, "i");
  FnRef fn = builder.finish(choose_part(builder, parts, types, i));
  const size_t viewed = inputs.size();
  return pull(context, {Shape::vector(total), {}}, std::move(fn), std::move(inputs), viewed);
}

}  // namespace wf
