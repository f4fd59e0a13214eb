// Functions of matrices that are composed of products, factorizations and folds.
#include <algorithm>

#include "lazy/arrays/arrays.h"
#include "lazy/compose.h"
#include "lazy/linear/fourier.h"
#include "lazy/linear/linear.h"
#include "lazy/linear/solve.h"

namespace wf {
namespace {

using Arguments = std::span<const NodeRef>;

// For each matrix, the sum of count elements: value(builder, index of the element), the j-th of matrix k at k * size + j * step.
using ValueAt = std::function<Id(Builder&, Id index)>;
NodeRef sums(const ExtentList& batches, Type type, int64_t size, int64_t count, int64_t step, std::initializer_list<NodeRef> inputs,
             const ValueAt& value, const std::function<Id(Builder&, Id)>& after = {}) {
  Builder b;
  const Id first = b.apply(Op::mul_, {b.param(Type::I64, "k"), b.constant(size)});
  const Id sum = sum_of(b, type, b.constant(count), {&first, 1}, [&](Builder& inner, Id j, std::span<const Id> begin) {
    return value(inner, inner.apply(Op::add_, {begin[0], inner.apply(Op::mul_, {j, inner.constant(step)})}));
  });
  FnRef fn = b.finish({after ? after(b, sum) : sum});
  return pull((*inputs.begin())->context(), {Shape::of(batches), {}}, simplify(std::move(fn)), inputs, 0);
}

Id log_of_size(Builder& b, Type type, Id index) { return b.apply(Op::log_, {b.apply(Op::abs_, {b.at(0, 0, type, index)})}); }

NodeRef inverse(Arguments a) { return solve_general(a[0], identity(a[0], square(a[0], "a").batches, square(a[0], "a").rows)); }
NodeRef inverse_cholesky(Arguments l) { return solve_cholesky(l[0], identity(l[0], {}, square(l[0], "a").rows)); }
NodeRef inverse_positive(Arguments a) {
  const NodeRef l = cholesky_call(a[0]);
  return inverse_cholesky({&l, 1});
}

template <bool upper, bool unit> NodeRef inverse_triangle(Arguments a) {
  const Matrices m = square(a[0], "a");
  return triangular(LinearRoutine::TriangularSolve, a[0], {upper, unit}, identity(a[0], m.batches, m.rows));
}

NodeRef log_determinant(Arguments a) {
  const Matrices m = square(a[0], "a");
  const Type type = a[0]->types()[0];
  return sums(m.batches, type, m.rows * m.rows + m.rows, m.rows, m.rows + 1, {eliminate_call(a[0], false)},
              [&](Builder& b, Id i) { return log_of_size(b, type, i); });
}

NodeRef log_determinant_of(const NodeRef& triangle, int64_t factor) {
  const Matrices m = square(triangle, "a");
  const Type type = triangle->types()[0];
  return sums(
      m.batches, type, m.rows * m.rows, m.rows, m.rows + 1, {triangle}, [&](Builder& b, Id i) { return log_of_size(b, type, i); },
      [&](Builder& b, Id sum) {
        return b.apply(Op::mul_, {sum, b.cast(type, b.constant(factor))});
      });
}
NodeRef log_determinant_triangular(Arguments a) { return log_determinant_of(a[0], 1); }
NodeRef log_determinant_cholesky(Arguments l) { return log_determinant_of(l[0], 2); }
NodeRef log_determinant_positive(Arguments a) { return log_determinant_of(cholesky_call(a[0]), 2); }

NodeRef trace(Arguments a) {
  const Matrices m = square(a[0], "a", false);
  const Type type = a[0]->types()[0];
  return sums(m.batches, type, m.rows * m.rows, m.rows, m.rows + 1, {a[0]}, [&](Builder& b, Id i) { return b.at(0, 0, type, i); });
}

NodeRef diagonal(Arguments a) {
  const Matrices m = matrices(a[0], "a", false);
  const int64_t n = std::min(m.rows, m.columns);
  ExtentList strides = row_major(extents_of(a[0]));
  strides[strides.size() - 2] += 1;
  strides.pop_back();
  return view(a[0], 0, joined(m.batches, {n}), strides);
}

NodeRef frobenius(Arguments a) {
  const Matrices m = matrices(a[0], "a", false), other = matrices(a[1], "b", false);
  if (a[0]->types() != a[1]->types() || a[0]->shape() != a[1]->shape())
    throw SizeError("a has shape " + shape_text(a[0]) + " and type " + list(a[0]->types()) + ", and b " + shape_text(a[1]) + " and " +
                    list(a[1]->types()) + "; expected equal shapes and types");
  const Type type = a[0]->types()[0];
  return sums(m.batches, type, m.rows * m.columns, m.rows * m.columns, 1, {a[0], a[1]}, [&](Builder& b, Id i) {
    return b.apply(Op::mul_, {b.at(0, 0, type, i), b.at(1, 0, type, i)});
  });
}

// The root of the sum of the squares, which f64 holds for f32. If the sum for f64 overflows, or is so small that squares may have vanished, the
// elements are scaled first.
NodeRef norm(Arguments a) {
  const Matrices m = matrices(a[0], "a");
  const Type type = a[0]->types()[0];
  Builder b;
  const Id count = b.constant(m.rows * m.columns), first = b.apply(Op::mul_, {b.param(Type::I64, "k"), count});
  const auto norm_scaled_by = [&](double factor) {
    const Id sum = sum_of(b, Type::F64, count, {&first, 1}, [&](Builder& inner, Id j, std::span<const Id> begin) {
      const Id x = inner.cast(Type::F64, inner.at(0, 0, type, inner.apply(Op::add_, {begin[0], j})));
      const Id y = inner.apply(Op::mul_, {x, inner.constant(factor)});
      return inner.apply(Op::mul_, {y, y});
    });
    return b.apply(Op::mul_, {b.apply(Op::sqrt_, {sum}), b.constant(1 / factor)});
  };
  Id result = norm_scaled_by(1);
  if (type == Type::F64) {
    const Id rest = b.apply(Op::where_, {b.apply(Op::isfinite_, {result}), result, norm_scaled_by(0x1p-600)});
    result = b.apply(Op::where_, {b.apply(Op::lt_, {result, b.constant(0x1p-450)}), norm_scaled_by(0x1p600), rest});
  }
  return pull(a[0]->context(), {Shape::of(m.batches), {}}, simplify(b.finish({b.cast(type, result)})), {a[0]}, 0);
}

// Throws as matmul does if the axes from the end do not fit, but states the shapes before a matrix is transposed.
void require_axes_fit(const NodeRef& a, int from_end_a, const NodeRef& b, int from_end_b) {
  const int axis_a = std::max(0, a->rank() - from_end_a), axis_b = std::max(0, b->rank() - from_end_b);
  if (a->rank() > 0 && b->rank() > 0) require_fit(a, axis_a, extents_of(a)[size_t(axis_a)], b, axis_b, extents_of(b)[size_t(axis_b)]);
}

NodeRef inner(Arguments a) {
  matrices(a[0], "a", false);
  require_axes_fit(a[0], 2, a[1], 2);
  return matmul(transposed(a[0]), a[1]);
}

NodeRef outer(Arguments a) {
  if (a[0]->rank() == 1 && a[1]->rank() == 1)
    return matmul(reshape(a[0], ExtentList{a[0]->length(), 1}), reshape(a[1], ExtentList{1, a[1]->length()}));
  matrices(a[1], "b", false);
  require_axes_fit(a[0], 1, a[1], 1);
  return matmul(a[0], transposed(a[1]));
}

NodeRef kronecker(Arguments a) {
  const Matrices x = matrices(a[0], "a", false), y = matrices(a[1], "b", false);
  if (a[0]->types() != a[1]->types())
    throw TypeError("a has columns " + list(a[0]->types()) + " and b has " + list(a[1]->types()) + "; expected equal types");
  if (!x.batches.empty() || !y.batches.empty())
    throw SizeError("a has shape " + shape_text(a[0]) + " and b " + shape_text(a[1]) + "; expected rank 2");
  int64_t rows, columns;
  if (__builtin_mul_overflow(x.rows, y.rows, &rows) || __builtin_mul_overflow(x.columns, y.columns, &columns))
    throw SizeError("the extents of the result overflow 64 bits");
  const Type type = a[0]->types()[0];
  return by_element(a[0], {rows, columns}, {a[0], a[1]}, 0, [&](Builder& b, Id, Id row, Id column) {
    const Id height = b.constant(std::max<int64_t>(1, y.rows)), width = b.constant(std::max<int64_t>(1, y.columns));
    auto at = [&](uint32_t slot, Op op, int64_t stride) {
      const Id line = b.apply(Op::mul_, {b.apply(op, {row, height}), b.constant(stride)});
      return b.at(slot, 0, type, b.apply(Op::add_, {line, b.apply(op, {column, width})}));
    };
    return b.apply(Op::mul_, {at(0, Op::div_, x.columns), at(1, Op::rem_, y.columns)});
  });
}

template <bool upper, bool unit> NodeRef triangle_of(Arguments a) {
  matrices(a[0], "a", false);
  return triangle(a[0], upper, unit);
}
template <bool upper, bool unit> NodeRef triangular_product(Arguments a) {
  return of_columns(a[0], a[1], [](const NodeRef& x, const NodeRef& b) {
    return triangular(LinearRoutine::TriangularProduct, x, {upper, unit}, b);
  });
}

// The operator of the derivative of Cholesky's factorization (Murray, "Differentiation of the Cholesky decomposition", 2016).
NodeRef phi(Arguments a) {
  square(a[0], "a");
  const Type type = a[0]->types()[0];
  return by_element(a[0], extents_of(a[0]), {a[0]}, 1, [&](Builder& b, Id i, Id row, Id column) {
    const Id x = b.at(0, 0, type, i), half = b.cast(type, b.constant(0.5));
    const Id below = b.apply(Op::where_, {b.apply(Op::gt_, {row, column}), x, b.literal(type, 0)});
    return b.apply(Op::where_, {b.apply(Op::eq_, {row, column}), b.apply(Op::mul_, {half, x}), below});
  });
}

template <int axes> NodeRef fft_of(Arguments a) { return fft(a[0], axes); }
template <int axes> NodeRef inverse_fft_of(Arguments a) { return inverse_fft(a[0], axes); }
template <int axes> NodeRef real_fft_of(Arguments a) { return real_fft(a[0], axes); }
template <int axes, bool is_odd> NodeRef inverse_real_fft_of(Arguments a) { return inverse_real_fft(a[0], axes, is_odd); }

struct Function {
  std::string_view name;
  size_t arguments;
  NodeRef (*make)(Arguments arguments);
};
constexpr Function functions[] = {
    {"inverse", 1, inverse},
    {"inverse_positive", 1, inverse_positive},
    {"inverse_cholesky", 1, inverse_cholesky},
    {"inverse_lower", 1, inverse_triangle<false, false>},
    {"inverse_upper", 1, inverse_triangle<true, false>},
    {"inverse_unit_lower", 1, inverse_triangle<false, true>},
    {"inverse_unit_upper", 1, inverse_triangle<true, true>},
    {"log_determinant", 1, log_determinant},
    {"log_determinant_positive", 1, log_determinant_positive},
    {"log_determinant_cholesky", 1, log_determinant_cholesky},
    {"log_determinant_triangular", 1, log_determinant_triangular},
    {"trace", 1, trace},
    {"diagonal", 1, diagonal},
    {"norm", 1, norm},
    {"lower", 1, triangle_of<false, false>},
    {"upper", 1, triangle_of<true, false>},
    {"unit_lower", 1, triangle_of<false, true>},
    {"unit_upper", 1, triangle_of<true, true>},
    {"phi", 1, phi},
    {"frobenius", 2, frobenius},
    {"inner", 2, inner},
    {"outer", 2, outer},
    {"kronecker", 2, kronecker},
    {"fft", 1, fft_of<1>},
    {"fft2", 1, fft_of<2>},
    {"fft3", 1, fft_of<3>},
    {"inverse_fft", 1, inverse_fft_of<1>},
    {"inverse_fft2", 1, inverse_fft_of<2>},
    {"inverse_fft3", 1, inverse_fft_of<3>},
    {"real_fft", 1, real_fft_of<1>},
    {"real_fft2", 1, real_fft_of<2>},
    {"real_fft3", 1, real_fft_of<3>},
    {"inverse_real_fft", 1, inverse_real_fft_of<1, false>},
    {"inverse_real_fft2", 1, inverse_real_fft_of<2, false>},
    {"inverse_real_fft3", 1, inverse_real_fft_of<3, false>},
    {"inverse_real_fft_odd", 1, inverse_real_fft_of<1, true>},
    {"inverse_real_fft2_odd", 1, inverse_real_fft_of<2, true>},
    {"inverse_real_fft3_odd", 1, inverse_real_fft_of<3, true>},
    {"lower_product", 2, triangular_product<false, false>},
    {"upper_product", 2, triangular_product<true, false>},
    {"unit_lower_product", 2, triangular_product<false, true>},
    {"unit_upper_product", 2, triangular_product<true, true>},
};

}  // namespace

NodeRef linear_function(std::string_view name, std::span<const NodeRef> arguments) {
  std::string known;
  for (const Function& f : functions) {
    if (f.name != name) {
      known += (known.empty() ? "" : ", ") + std::string(f.name);
      continue;
    }
    if (arguments.size() != f.arguments)
      throw ArgumentError(std::string(name) + " has " + count(arguments.size(), "argument") + "; expected " + std::to_string(f.arguments));
    common_context(arguments);
    return f.make(arguments);
  }
  throw ArgumentError("function is \"" + std::string(name) + "\"; expected one of " + known);
}

}  // namespace wf
