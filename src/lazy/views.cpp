// Views: sequences that read others at shifted or mirrored indices, and compute nothing.
#include "lazy/arrays/join.h"
#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {

// r[i] = s[start + i], of this shape. A view of a manifest sequence is manifest: it shares the buffers, at another offset.
static NodeRef window(const NodeRef& all, int64_t begin, Shape shape) {
  const auto [s, start] = shape.length() > 0 ? narrowed(all, begin, shape.length()) : Within{all, begin};
  if (start == 0 && shape == s->shape()) return s;
  if (auto whole = s->state().manifest; whole && !s->is_tracked()) {
    Manifest part{whole->columns, shape.length(), whole->record};
    for (Column& column : part.columns) column.offset += start;
    return Node::make(s->context(), Shape(shape), ColumnTypes(s->column_types()), {}, std::make_shared<const Manifest>(std::move(part)));
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

}  // namespace wf
