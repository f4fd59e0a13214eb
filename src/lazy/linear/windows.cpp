// Convolution and pooling: each element of the result is a fold over a window of the image.
#include <algorithm>

#include "lazy/linear/linear.h"
#include "lazy/linear/matrix.h"

namespace wf {
namespace {

// result[matrix, i, j] = the fold over p < rows and q < columns of value(builder, slot 0 at image[matrix, i * step_i + p, j * step_j + q], p * columns + q).
struct Windows {
  int64_t height, width;  // of the result
  int64_t rows, columns, step_i, step_j;
};
using Combined = std::function<Id(Builder&, Id element, Id place)>;
NodeRef windows(const Matrices& image, const Windows& w, std::initializer_list<NodeRef> inputs, Bits64 identity, Op op,
                const Combined& value) {
  const Type type = image.node->types()[0];
  return by_element(image.node, joined(image.batches, {w.height, w.width}), inputs, 0, [&](Builder& b, Id i, Id row, Id column) {
    const Id matrix = b.apply(Op::div_, {i, b.constant(std::max<int64_t>(1, w.height * w.width))});
    const Id line =
        b.apply(Op::add_, {b.apply(Op::mul_, {matrix, b.constant(image.rows)}), b.apply(Op::mul_, {row, b.constant(w.step_i)})});
    const Id first =
        b.apply(Op::add_, {b.apply(Op::mul_, {line, b.constant(image.columns)}), b.apply(Op::mul_, {column, b.constant(w.step_j)})});
    // Two folds: one over all p and q would divide to find them, and is longer than the rows that engines fold side by side.
    const Id none = b.literal(type, identity);
    Builder outer;
    const Id p = outer.param(Type::I64, "p"), begin = outer.param(Type::I64, "first");
    const Id free[] = {outer.apply(Op::add_, {begin, outer.apply(Op::mul_, {p, outer.constant(image.columns)})}),
                       outer.apply(Op::mul_, {p, outer.constant(w.columns)})};
    Builder inner;
    const Id q = inner.param(Type::I64, "q"), at = inner.param(Type::I64, "at"), place = inner.param(Type::I64, "place");
    const Id element = inner.at(0, 0, type, inner.apply(Op::add_, {at, q}));
    const FnRef one = inner.finish({value(inner, element, inner.apply(Op::add_, {place, q}))});
    const Id zero = outer.literal(type, identity);
    const FnRef across = outer.finish({outer.fold(outer.constant(w.columns), {&zero, 1}, free, one, op_fn(op, type))[0]});
    return b.fold(b.constant(w.rows), {&none, 1}, {&first, 1}, across, op_fn(op, type))[0];
  });
}

}  // namespace

NodeRef convolve(const NodeRef& image, const NodeRef& kernel) {
  const NodeRef both[] = {image, kernel};
  common_context(both);
  const Matrices m = matrices(image, "image", false), k = matrices(kernel, "kernel", false);
  if (image->types() != kernel->types())
    throw TypeError("image has columns " + list(image->types()) + " and kernel has " + list(kernel->types()) + "; expected equal types");
  if (!k.batches.empty() || k.rows < 1 || k.columns < 1 || k.rows > m.rows || k.columns > m.columns)
    throw SizeError("kernel has shape " + shape_text(kernel) + " and image " + shape_text(image) +
                    "; expected a kernel of rank 2 that is not empty and not larger than the image");
  const Type type = image->types()[0];
  return windows(m, {m.rows - k.rows + 1, m.columns - k.columns + 1, k.rows, k.columns, 1, 1}, {image, kernel}, 0, Op::add_,
                 [&](Builder& b, Id element, Id place) {
                   return b.apply(Op::mul_, {element, b.at(1, 0, type, place)});
                 });
}

NodeRef max_pool(const NodeRef& image, int64_t rows, int64_t columns) {
  const Matrices m = matrices(image, "image", false);
  if (rows < 1 || columns < 1)
    throw SizeError("the blocks are " + std::to_string(rows) + " x " + std::to_string(columns) + "; expected at least 1 x 1");
  const Type type = image->types()[0];
  const int64_t height = m.rows / rows, width = m.columns / columns;
  // Blocks that do not fit leave no result, whatever their extents.
  if (height == 0 || width == 0) rows = columns = 1;
  return windows(m, {height, width, rows, columns, rows, columns}, {image}, *identity_bits(Op::max_, type), Op::max_,
                 [](Builder&, Id element, Id) { return element; });
}

}  // namespace wf
