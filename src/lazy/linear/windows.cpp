// Convolution and pooling: each element of the result is a fold over a window of the image.
#include <algorithm>

#include "lazy/inline.h"
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

// A function of one fold divides to find p and q. More positions than engines fold side by side are a fold over p of folds over q.
constexpr int64_t most_in_one_fold = 24;

// The fold over the window whose first element is at `first` in slot 0, an image with rows of this length.
Id fold_of_window(Builder& b, Id first, int64_t row_length, const Windows& w, Id identity, Op op, const Combined& value) {
  const Type type = b[identity].type;
  if (w.rows * w.columns <= most_in_one_fold) {
    Builder body;
    const Id place = body.param(Type::I64, "j"), begin = body.param(Type::I64, "first"), columns = body.constant(w.columns);
    const Id p = body.apply(Op::div_, {place, columns}), q = body.apply(Op::rem_, {place, columns});
    const Id at = body.apply(Op::add_, {body.apply(Op::add_, {begin, body.apply(Op::mul_, {p, body.constant(row_length)})}), q});
    const FnRef each = body.finish({value(body, body.at(0, 0, type, at), place)});
    return b.fold(b.constant(w.rows * w.columns), {&identity, 1}, {&first, 1}, each, op_fn(op, type))[0];
  }
  Builder rows;
  const Id p = rows.param(Type::I64, "p"), begin = rows.param(Type::I64, "first");
  const Id free[] = {rows.apply(Op::add_, {begin, rows.apply(Op::mul_, {p, rows.constant(row_length)})}),
                     rows.apply(Op::mul_, {p, rows.constant(w.columns)})};
  Builder columns;
  const Id q = columns.param(Type::I64, "q"), at = columns.param(Type::I64, "at"), place = columns.param(Type::I64, "place");
  const Id element = columns.at(0, 0, type, columns.apply(Op::add_, {at, q}));
  const FnRef each = columns.finish({value(columns, element, columns.apply(Op::add_, {place, q}))});
  const Id none = rows.literal(type, b[identity].bits);
  const FnRef row = rows.finish({rows.fold(rows.constant(w.columns), {&none, 1}, free, each, op_fn(op, type))[0]});
  return b.fold(b.constant(w.rows), {&identity, 1}, {&first, 1}, row, op_fn(op, type))[0];
}

// `op` and the windows determine `value`: programs build the same function again and again.
NodeRef windows(const Matrices& image, const Windows& w, std::initializer_list<NodeRef> inputs, Bits64 identity, Op op,
                const Combined& value) {
  static const char place = 0;
  const Type type = image.node->types()[0];
  const ExtentList extents = joined(image.batches, {w.height, w.width});
  require_extents(extents, {&type, 1});
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(&place), uint64_t(op), uint64_t(type), image.batches.empty()};
  for (int64_t x : {image.rows, image.columns, w.height, w.width, w.rows, w.columns, w.step_i, w.step_j}) key.push_back(uint64_t(x));
  FnRef fn = remembered(key, nullptr, [&] {
    return function_of_element(extents, [&](Builder& b, Id i, Id row, Id column) {
      const Id matrix = b.apply(Op::div_, {i, b.constant(std::max<int64_t>(1, w.height * w.width))});
      const Id line =
          b.apply(Op::add_, {b.apply(Op::mul_, {matrix, b.constant(image.rows)}), b.apply(Op::mul_, {row, b.constant(w.step_i)})});
      const Id first =
          b.apply(Op::add_, {b.apply(Op::mul_, {line, b.constant(image.columns)}), b.apply(Op::mul_, {column, b.constant(w.step_j)})});
      return fold_of_window(b, first, image.columns, w, b.literal(type, identity), op, value);
    });
  });
  return pull(image.node->context(), {Shape::of(extents), {}}, std::move(fn), inputs, 0);
}

}  // namespace

NodeRef convolve(const NodeRef& image, const NodeRef& kernel) {
  const NodeRef both[] = {image, kernel};
  common_context(both);
  const Matrices m = images(image, "image"), k = images(kernel, "kernel");
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
  const Matrices m = images(image, "image");
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
