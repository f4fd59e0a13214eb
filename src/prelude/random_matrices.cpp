// Random matrices, and the logarithms of their densities. Like all random numbers they depend on their key alone. Elements have the type of the
// matrix that is given.
#include <cmath>
#include <numbers>
#include <sstream>

#include "lazy/arrays/arrays.h"
#include "lazy/compose.h"
#include "lazy/linear/linear.h"
#include "lazy/linear/matrix.h"
#include "prelude/compose.h"
#include "prelude/prelude.h"
#include "random/random.h"

namespace wf::prelude {
namespace {

// The number of rows of a square matrix.
int64_t size_of_square(const NodeRef& a, const char* what) {
  const Shape shape = a->shape();
  if (shape.rank() != 2 || shape.extents()[0] != shape.extents()[1])
    throw SizeError(std::string(what) + " has shape " + shape_text(a) + "; expected a square matrix");
  return shape.extents()[0];
}

// The number of rows of the scale of a Wishart distribution whose density exists.
int64_t wishart_size(const NodeRef& scale, double degrees) {
  const int64_t p = size_of_square(scale, "the scale");
  if (degrees > double(p - 1)) return p;
  std::ostringstream text;
  text << "the degrees of freedom are " << degrees << " for a scale of " << shape_text(scale) << "; expected more than " << p - 1;
  throw ArgumentError(text.str());
}

void require_mean(const NodeRef& mean, int64_t m) {
  if (mean->rank() != 1 || mean->length() != m)
    throw SizeError("the mean has shape " + shape_text(mean) + "; expected " + std::to_string(m) + " as the covariance");
}

NodeRef linear(std::string_view name, std::initializer_list<NodeRef> matrices) {
  return linear_function(name, std::span(matrices.begin(), matrices.size()));
}
NodeRef cholesky(const NodeRef& a) { return factor("cholesky", a)[0]; }

// rows x columns gaussian numbers.
NodeRef gaussian(Type type, const NodeRef& key, int64_t rows, int64_t columns) {
  const int64_t extents[] = {rows, columns};
  require_extents(extents, std::span(&type, 1));
  return reshape(random::draw("gaussian", key, {}, rows * columns, type), extents);
}

// With the logarithm of 2^(d p / 2) and the multivariate gamma function of d / 2 as `constant`:
// a log |first| - constant - b log |second| - trace / 2.
NodeRef density(const NodeRef& x, const NodeRef& trace, double degrees, int64_t p, double a, const NodeRef& first, double b,
                const NodeRef& second) {
  double constant = degrees * double(p) / 2 * std::log(2.0) + double(p * (p - 1)) / 4 * std::log(std::numbers::pi);
  for (int64_t i = 0; i < p; i++) constant += std::lgamma((degrees - double(i)) / 2);
  const Type type = x->types()[0];
  return mapped(
      "(fn ((first T) (second T) (trace T) (a T) (b T) (constant T))"
      " (sub (sub (mul a first) (add constant (mul b second))) (mul 0.5:T trace)))",
      type, {first, second, trace, number(x, type, a), number(x, type, b), number(x, type, constant)});
}
NodeRef log_determinant(const NodeRef& a) { return linear("log_determinant_positive", {a}); }

}  // namespace

NodeRef multivariate_gaussian(const Arguments& of) {
  const NodeRef &key = of.arrays[0], &mean = of.arrays[1], &covariance = of.arrays[2];
  const int64_t m = size_of_square(covariance, "the covariance");
  require_mean(mean, m);
  const Type type = covariance->types()[0];
  const NodeRef z = gaussian(type, key, integer(of.numbers[0], "n"), m);
  return mapped("(fn ((x T) (mean T)) (add mean x))", type, {matmul(z, transposed(cholesky(covariance))), mean});
}

NodeRef multivariate_gaussian_log_density(const Arguments& of) {
  const NodeRef &x = of.arrays[0], &mean = of.arrays[1], &covariance = of.arrays[2];
  const int64_t m = size_of_square(covariance, "the covariance");
  require_mean(mean, m);
  const Type type = covariance->types()[0];
  const NodeRef l = cholesky(covariance), centered = mapped("(fn ((x T) (mean T)) (sub x mean))", type, {x, mean});
  const NodeRef z = solve("lower", l, transposed(centered));
  const double first[] = {0};
  const NodeRef squares = Axes(z, first, false).reduce(Op::add_, mapped("(fn ((z T)) (mul z z))", type, {z}));
  const NodeRef constant = number(x, type, 0.5 * std::log(2 * std::numbers::pi) * double(m));
  return mapped("(fn ((squares T) (determinant T) (constant T)) (sub (mul -0.5:T squares) (add constant (mul 0.5:T determinant))))", type,
                {squares, linear("log_determinant_cholesky", {l}), constant});
}

NodeRef wishart(const Arguments& of) {
  const NodeRef &key = of.arrays[0], &scale = of.arrays[1];
  const int64_t p = wishart_size(scale, of.numbers[0]);
  const Type type = scale->types()[0];
  const NodeRef places = positions(scale, p), columns = reshape(places, ExtentList{1, p}), rows = reshape(places, ExtentList{p, 1});
  const NodeRef degrees = mapped("(fn ((i i64) (degrees T)) (sub degrees (cast T i)))", type, {places, number(scale, type, of.numbers[0])});
  const NodeRef squares = random::draw("chi_squared", random::split(key, 0), {&degrees, 1}, p, type);
  const NodeRef lower = mapped("(fn ((z T) (square T) (i i64) (j i64)) (where (gt i j) z (where (eq i j) (sqrt square) 0.0:T)))", type,
                               {gaussian(type, random::split(key, 1), p, p), squares, rows, columns});
  const NodeRef factor = linear("lower_product", {cholesky(scale), lower});
  return linear("outer", {factor, factor});
}

NodeRef inverse_wishart(const Arguments& of) {
  wishart_size(of.arrays[1], of.numbers[0]);
  const NodeRef arrays[] = {of.arrays[0], linear("inverse_positive", {of.arrays[1]})};
  return linear("inverse_positive", {wishart({arrays, of.numbers})});
}

NodeRef wishart_log_density(const Arguments& of) {
  const NodeRef &x = of.arrays[0], &scale = of.arrays[1];
  const double d = of.numbers[0];
  const int64_t p = wishart_size(scale, d);
  const NodeRef trace = linear("trace", {solve("positive", scale, x)});
  return density(x, trace, d, p, (d - double(p) - 1) / 2, log_determinant(x), d / 2, log_determinant(scale));
}

NodeRef inverse_wishart_log_density(const Arguments& of) {
  const NodeRef &x = of.arrays[0], &scale = of.arrays[1];
  const double d = of.numbers[0];
  const int64_t p = wishart_size(scale, d);
  const NodeRef trace = linear("trace", {solve("positive", x, scale)});
  return density(x, trace, d, p, d / 2, log_determinant(scale), (d + double(p) + 1) / 2, log_determinant(x));
}

NodeRef orthogonal(const Arguments& of) {
  const int64_t n = integer(of.numbers[0], "n");
  return factor("qr", gaussian(type_of(of.numbers[1]), of.arrays[0], n, n))[0];
}

NodeRef permutation_matrix(const Arguments& of) {
  const int64_t n = integer(of.numbers[0], "n");
  const Type type = type_of(of.numbers[1]);
  const int64_t extents[] = {n, n};
  require_extents(extents, std::span(&type, 1));
  const NodeRef order = broadcast(reshape(random::draw("permutation", of.arrays[0], {}, n, Type::I64), ExtentList{n, 1}), extents);
  return mapped("(fn ((i i64) (j i64)) (cast T (eq i j)))", type, {order, positions(order, n)});
}

}  // namespace wf::prelude
