#include "lazy/compose.h"

namespace wf {

NodeRef constants(const NodeRef& like, int64_t n, Type type, Bits64 bits) {
  Builder b;
  b.param(Type::I64, "i");
  return pull(like->context(), {Shape::vector(n), {}}, b.finish({b.literal(type, bits)}), {}, 0);
}

NodeRef positions(const NodeRef& like, int64_t n) {
  Builder b;
  return pull(like->context(), {Shape::vector(n), {}}, b.finish({b.param(Type::I64, "i")}), {}, 0);
}

// A filter's result has no positions of its own before it is computed, so they are counted.
NodeRef positions(const NodeRef& s) {
  Builder b;
  if (s->length() >= 0) return pull(s->context(), domain_of(s), b.finish({b.param(Type::I64, "i")}), {}, 0);
  for (Type type : s->types()) b.param(type);
  const Closure one = closed(b.finish({b.constant<int64_t>(1)}));
  return scan(closed(op_fn(Op::add_, Type::I64)), {0}, map(one, {&s, 1}), false).prefixes;
}

NodeRef constant_of(const NodeRef& s) {
  if (!s->is_tracked()) return s;
  const NodeRef made = map(closed(identity_fn(s->types())), {&s, 1});
  made->track(Node::Tracking::None);
  return made;
}

NodeRef filtered(const NodeRef& s, const NodeRef& mask) {
  return delayed(s->context(), {Shape::vector(-1), {}}, s->column_types(), {NodeKind::Filter, nullptr, {s, mask}, {}});
}

}  // namespace wf
