#include "lazy/linear/fourier.h"

#include <numeric>

#include "lazy/arrays/arrays.h"
#include "lazy/compose.h"

namespace wf {
namespace {

// s with this axis, counted from the end, and the one before the last exchanged, as a view.
NodeRef exchanged(const NodeRef& s, int from_end) {
  std::vector<int32_t> axes(size_t(s->rank()));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[axes.size() - 2], axes[axes.size() - size_t(from_end)]);
  return permute(s, axes);
}

void require_axes(const NodeRef& s, int axes, bool is_complex) {
  const Matrices all = matrices(s->rank() == 1 && !is_complex ? reshape(s, ExtentList{1, s->length()}) : s, "a");
  if (is_complex && all.columns != 2)
    throw SizeError("a has shape " + shape_text(s) + "; expected 2 elements along the last axis: real and imaginary parts");
  if (s->rank() < axes + is_complex)
    throw SizeError("a has shape " + shape_text(s) + "; expected at least rank " + std::to_string(axes + is_complex) +
                    (is_complex ? ", of which the last axis has the real and imaginary parts" : ""));
}

// Along the axes before the last, from axis number `first` of these, counted from the end.
NodeRef along_axes(LinearRoutine::Op op, NodeRef s, int first, int axes) {
  for (int k = first; k < axes; k++) s = k == 0 ? fourier(op, s) : exchanged(fourier(op, exchanged(s, k + 2)), k + 2);
  return s;
}

NodeRef divided(const NodeRef& s, double count) {
  return mapped(s, std::array{to_bits(count)}, [&](Builder& b, Id x) {
    return b.apply(Op::div_, {x, b.literal(b.type(x), convert(Type::F64, b.type(x), to_bits(count)))});
  });
}

// The number of elements along the axes of a complex array.
double elements_along(const NodeRef& s, int axes) {
  const ExtentList all = extents_of(s);
  double count = 1;
  for (int k = 0; k < axes; k++) count *= double(all[all.size() - 2 - size_t(k)]);
  return count;
}

}  // namespace

NodeRef fourier(LinearRoutine::Op op, const NodeRef& s) {
  const Matrices a = matrices(s, "a");
  if (a.rows > INT32_MAX) throw SizeError("a has " + std::to_string(a.rows) + " elements along an axis; expected less than 2^31");
  const MatrixInput input = input_of(a);
  return call_linear({.op = op, .batch = a.count(), .n = a.rows, .a = input.operand}, {input.node}, extents_of(s));
}

NodeRef fft(const NodeRef& s, int axes) {
  require_axes(s, axes, true);
  return along_axes(LinearRoutine::Fourier, s, 0, axes);
}

NodeRef inverse_fft(const NodeRef& s, int axes) {
  require_axes(s, axes, true);
  return divided(along_axes(LinearRoutine::InverseFourier, s, 0, axes), elements_along(s, axes));
}

NodeRef real_fft(const NodeRef& s, int axes) {
  require_axes(s, axes, false);
  const Type type = s->types()[0];
  const NodeRef with_zeros = by_element(s, joined(extents_of(s), {2}), {s}, 1, [&](Builder& b, Id i, Id, Id column) {
    const Id x = b.at(0, 0, type, b.apply(Op::div_, {i, b.constant(int64_t{2})}));
    return b.apply(Op::where_, {b.apply(Op::eq_, {column, b.constant(int64_t{0})}), x, b.literal(type, 0)});
  });
  const NodeRef all = fourier(LinearRoutine::Fourier, with_zeros);
  ExtentList extents = extents_of(all);
  const ExtentList strides = row_major(extents);
  int64_t& last = extents[extents.size() - 2];
  last = last == 0 ? 0 : last / 2 + 1;
  return along_axes(LinearRoutine::Fourier, view(all, 0, extents, strides), 1, axes);
}

NodeRef inverse_real_fft(const NodeRef& s, int axes, bool is_odd) {
  require_axes(s, axes, true);
  const Type type = s->types()[0];
  const NodeRef half = along_axes(LinearRoutine::InverseFourier, s, 1, axes);
  ExtentList extents = extents_of(half);
  const int64_t stored = extents[extents.size() - 2], n = stored == 0 ? 0 : 2 * (stored - 1) + is_odd;
  extents[extents.size() - 2] = n;
  // Element k after the stored ones is the conjugate of element n - k.
  const NodeRef full = by_element(half, extents, {half}, 1, [&](Builder& b, Id i, Id row, Id column) {
    const Id matrix = b.apply(Op::div_, {i, b.constant(std::max<int64_t>(1, 2 * n))}),
             is_stored = b.apply(Op::lt_, {row, b.constant(stored)});
    const Id from = b.apply(Op::where_, {is_stored, row, b.apply(Op::sub_, {b.constant(n), row})});
    const Id line = b.apply(Op::add_, {b.apply(Op::mul_, {matrix, b.constant(stored)}), from});
    const Id x = b.at(0, 0, type, b.apply(Op::add_, {b.apply(Op::mul_, {line, b.constant(int64_t{2})}), column}));
    const Id is_kept = b.apply(Op::or_, {is_stored, b.apply(Op::eq_, {column, b.constant(int64_t{0})})});
    return b.apply(Op::where_, {is_kept, x, b.apply(Op::neg_, {x})});
  });
  const NodeRef whole = fourier(LinearRoutine::InverseFourier, full);
  const double count = elements_along(whole, axes);
  ExtentList strides = row_major(extents);
  extents.pop_back(), strides.pop_back();
  return divided(view(whole, 0, extents, strides), count);
}

}  // namespace wf
