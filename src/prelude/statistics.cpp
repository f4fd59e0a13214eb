// Statistics along axes. Sums of floats are computed in f64, and rounded to f32 for an array of f32.
#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/check.h"
#include "lazy/compose.h"
#include "prelude/compose.h"
#include "prelude/prelude.h"

namespace wf::prelude {
namespace {

NodeRef in_f64(const NodeRef& a) { return as_type(Type::F64, a); }

NodeRef mean_of(const NodeRef& a, const Axes& axes) {
  const NodeRef x = in_f64(a);
  return mapped("(fn ((total f64) (n i64)) (div total (cast f64 n)))", Type::F64, {axes.reduce(Op::add_, x), axes.count(x)});
}

// The greatest elements, to be subtracted before exp. An infinite one is not, since the difference of two infinities is NaN. The result does not depend
// on what is subtracted, so no gradient passes through it.
NodeRef highest(const NodeRef& x, const Axes& axes) {
  return constant_of(mapped("(fn ((high T)) (where (isfinite high) high 0.0:T))", x->types()[0], {axes.reduce(Op::max_, x)}));
}

NodeRef exponentials(const NodeRef& x, const NodeRef& high) {
  return mapped("(fn ((x T) (high T)) (exp (sub x high)))", x->types()[0], {x, high});
}

// Two reductions by single operations, so that loops are vectorized; the second one usually reads the caches.
NodeRef index_of(Op op, const Arguments& of) {
  const NodeRef a = of.arrays[0];
  float_of(a);
  const Axes along(a, of.numbers, false);
  const auto axis = size_t(along.axes[0]);
  const Shape shape = a->shape();
  const int64_t n = shape.extents()[axis];
  if (n == 0)
    throw IndexError("shape " + text_of(shape.extents()) + " has no elements along axis " + std::to_string(axis) +
                     "; expected at least one");
  std::vector<int64_t> one(shape.extents().size(), 1);
  one[axis] = n;
  const Type type = n < INT32_MAX ? Type::I32 : Type::I64;
  const NodeRef places = as_type(type, broadcast(reshape(positions(a, n), one), shape.extents())),
                none = constant(a->context(), type, to_bits(n));
  const std::string element = "(fn ((x " + std::string(name(a->types()[0])) + ") (best " + std::string(name(a->types()[0])) + ") ";
  const NodeRef candidates =
      mapped(element + "(i T) (none T)) (where (eq x best) i none))", type, {a, along.kept().reduce(op, a), places, none});
  return mapped("(fn ((i T) (none T)) (cast i64 (where (eq i none) 0:T i)))", type, {along.reduce(Op::min_, candidates), none});
}

}  // namespace

NodeRef mean(const Arguments& of) {
  const NodeRef& a = of.arrays[0];
  return as_type(float_of(a), mean_of(a, Axes(a, of.numbers.subspan(1), of.numbers[0] != 0)));
}

// The computed mean is rounded: the square of the sum of the distances from it is subtracted.
NodeRef variance(const Arguments& of) {
  const NodeRef& a = of.arrays[0];
  const Axes axes(a, of.numbers.subspan(2), of.numbers[0] != 0);
  const NodeRef x = in_f64(a);
  const NodeRef distances = mapped("(fn ((x f64) (mean f64)) (sub x mean))", Type::F64, {x, mean_of(x, axes.kept())});
  const NodeRef squares = mapped("(fn ((d f64)) (mul d d))", Type::F64, {distances});
  const NodeRef result = mapped(
      "(fn ((squares f64) (total f64) (n i64) (c f64)) (let ((count (cast f64 n)))"
      " (let ((rest (sub squares (div (mul total total) count)))) (div (where (lt rest 0.0:f64) 0.0:f64 rest) (sub count c)))))",
      Type::F64, {axes.reduce(Op::add_, squares), axes.reduce(Op::add_, distances), axes.count(x), number(a, Type::F64, of.numbers[1])});
  return as_type(float_of(a), result);
}

// The squares of other types fit f64. If the sum for f64 overflows, or is so small that squares may have vanished, the elements are scaled first.
NodeRef norm(const Arguments& of) {
  const NodeRef& a = of.arrays[0];
  const Axes axes(a, of.numbers.subspan(1), of.numbers[0] != 0);
  const NodeRef x = in_f64(a);
  const auto plain = mapped("(fn ((s f64)) (where (eq s 0.0:f64) 0.0:f64 (sqrt s)))", Type::F64,
                            {axes.reduce(Op::add_, mapped("(fn ((x f64)) (mul x x))", Type::F64, {x}))});
  if (a->types()[0] != Type::F64) return as_type(float_of(a), plain);
  const auto scaled = [&](std::string_view up, std::string_view down) {
    const auto text = "(fn ((x f64)) (let ((y (mul x " + std::string(up) + ":f64))) (mul y y)))";
    const NodeRef sum = axes.reduce(Op::add_, mapped(text, Type::F64, {x}));
    return mapped("(fn ((s f64)) (where (eq s 0.0:f64) 0.0:f64 (mul (sqrt s) " + std::string(down) + ":f64)))", Type::F64, {sum});
  };
  return mapped("(fn ((plain f64) (small f64) (large f64)) (where (lt plain 0x1p-450:f64) small (where (isfinite plain) plain large)))",
                Type::F64, {plain, scaled("0x1p600", "0x1p-600"), scaled("0x1p-600", "0x1p600")});
}

NodeRef logsumexp(const Arguments& of) {
  const NodeRef& a = of.arrays[0];
  const NodeRef x = as_type(float_of(a), a);
  const Axes axes(a, of.numbers.subspan(1), of.numbers[0] != 0);
  const NodeRef high = highest(x, axes.kept());
  const NodeRef sums = axes.kept().reduce(Op::add_, exponentials(x, high));
  return axes.dropped(mapped("(fn ((sum T) (high T)) (add (log sum) high))", x->types()[0], {sums, high}));
}

NodeRef softmax(const Arguments& of) {
  const NodeRef& a = of.arrays[0];
  const NodeRef x = as_type(float_of(a), a);
  const Axes axes(a, of.numbers, true);
  const NodeRef powers = exponentials(x, highest(x, axes));
  return mapped("(fn ((power T) (sum T)) (where (eq sum 0.0:T) 0.0:T (div power sum)))", x->types()[0],
                {powers, axes.reduce(Op::add_, powers)});
}

NodeRef argmax(const Arguments& of) { return index_of(Op::max_, of); }
NodeRef argmin(const Arguments& of) { return index_of(Op::min_, of); }

}  // namespace wf::prelude
