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

NodeRef filtered(const NodeRef& s, const NodeRef& mask) {
  return delayed(s->context(), {Shape::vector(-1), {}}, s->column_types(), {NodeKind::Filter, nullptr, {s, mask}, {}});
}

}  // namespace wf
