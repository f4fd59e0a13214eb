// permutation: the indices, sorted by random words.
//
// dirichlet: gamma numbers divided by their sum, row by row; computed from logarithms, since small parameters give tiny numbers.
//
// categorical: Walker's alias method, 1977: a number k is kept with probability keep[k], and replaced by alias[k] otherwise. The table is
// computed in parallel, from prefix sums. Of the weights p[k], scaled to the mean 1, let D[k] be the sum of the deficits max(0, 1 - p) up to k,
// and E[k] that of the excesses max(0, p - 1). The excess of the first heavy number serves the first light ones, until the last of them
// takes more than is left; the rest is taken from the next heavy number:
//   light k   alias[k] = the first j with E[j] > D[k - 1], keep[k] = p[k]
//   heavy k   alias[k] = the first j with E[j] > E[k],     keep[k] = 1 - (D[l] - E[k]) for the first l with D[l] >= E[k]
#include "random/composed.h"

#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include "lazy/check.h"
#include "random/functions.h"
#include "random/random.h"

namespace wf::random {
namespace {

std::string literal(int64_t x) { return std::to_string(x) + ":i64"; }

NodeRef tabulated(const std::string& text, int64_t n, std::vector<NodeRef> captures) {
  CaptureTypes types;
  for (const NodeRef& s : captures) types.push_back(s->types());
  const auto context = captures[0]->context();
  const Lifted f = parse_cached(text, types);
  return tabulate(context, {f.fn, std::move(captures), std::vector<Bits64>(f.arguments)}, n);
}

NodeRef sum_of(const NodeRef& s) { return reduce({op_fn(Op::add_, Type::F64), {}, {}}, {0}, s); }
NodeRef sums_up_to(const NodeRef& s) { return scan({op_fn(Op::add_, Type::I64), {}, {}}, {0}, s, true).prefixes; }

NodeRef as_type(const NodeRef& s, Type type) {
  Builder b;
  return map({b.finish({b.cast(type, b.param(s->types()[0], "x"))}), {}, {}}, {&s, 1});
}

// As numbers of f64, whose sum neither overflows nor is subnormal.
NodeRef weights_of(const NodeRef& given) {
  const NodeRef weights = as_type(given, Type::F64);
  const NodeRef greatest = reduce({op_fn(Op::max_, Type::F64), {}, {}}, {to_bits(-std::numeric_limits<double>::infinity())}, weights);
  return tabulated(
      "(fn ((k i64)) (let ((greatest (at $1 0:i64))) (mul (at $0 k) (where (gt greatest 0x1p512:f64) 0x1p-512:f64"
      " (where (lt greatest 0x1p-512:f64) 0x1p600:f64 1.0:f64)))))",
      known_length(*given), {weights, greatest});
}

NodeRef permutation(const NodeRef& key, int64_t n, Type type) {
  const NodeRef words = draw("key", key, {}, n, Type::U64);
  const NodeRef indices = tabulated("(fn ((i i64)) i)", n, {words});
  const NodeRef both[] = {words, indices};
  const int32_t second[] = {1};
  return as_type(columns(sort(zip(both), 1, false), second), type);
}

// The first index from which on `holds` is true of the element x of $slot.
std::string first_index(const std::string& slot, const std::string& bound, int64_t m, const char* op) {
  return "(let (((first end) (loop ((first 0:i64) (end " + literal(m) +
         ")) (lt first end) (let ((middle (shr (add first end) 1:i64)) (is-in (" + op + " (at " + slot + " middle) " + bound +
         "))) (tuple (where is-in first (add middle 1:i64)) (where is-in middle end)))))) first)";
}

NodeRef categorical(const NodeRef& key, const NodeRef& weights, int64_t n, Type type) {
  const int64_t m = known_length(*weights, "weights");
  if (m == 0 && n > 0) throw SizeError("weights is empty; expected at least one weight");
  const NodeRef given = weights_of(weights);
  // Integers, since their sums do not depend on the order: units of 1 / one, such that the sums fit.
  const std::string one = literal(int64_t(1) << (61 - std::bit_width(uint64_t(m)))), last = literal(m - 1);
  const NodeRef p = tabulated(
      "(fn ((k i64)) (cast i64 (mul (at $0 k) (div (mul (cast f64 " + one + ") " + std::to_string(m) + ".0:f64) (at $1 0:i64)))))", m,
      {given, sum_of(given)});
  const NodeRef deficits = sums_up_to(tabulated("(fn ((k i64)) (max 0:i64 (sub " + one + " (at $0 k))))", m, {p}));
  const NodeRef excesses = sums_up_to(tabulated("(fn ((k i64)) (max 0:i64 (sub (at $0 k) " + one + ")))", m, {p}));
  // Rounded numbers leave a deficit of a few units, which the last heavy number serves.
  const NodeRef table = tabulated("(fn ((k i64)) (let ((p (at $0 k)) (is-light (lt p " + one +
                                      ")) (excess (at $2 k))"
                                      " (before (where (gt k 0:i64) (at $1 (sub k 1:i64)) 0:i64))"
                                      " (bound (min (where is-light before excess) (sub (at $2 " +
                                      last +
                                      ") 1:i64)))"
                                      " (alias " +
                                      first_index("$2", "bound", m, "gt") +
                                      ")"
                                      " (served " +
                                      first_index("$1", "excess", m, "ge") +
                                      ")"
                                      " (rest (where (lt served " +
                                      literal(m) + ") (sub " + one + " (sub (at $1 served) excess)) " + one +
                                      ")))"
                                      " (tuple (div (cast f64 (where is-light p rest)) (cast f64 " +
                                      one + ")) alias)))",
                                  m, {p, deficits, excesses});
  const NodeRef places = draw("uniform", key, {}, n, Type::F64);
  return as_type(tabulated("(fn ((i i64)) (let ((x (mul (at $0 i) " + std::to_string(m) + ".0:f64)) (k (min " + last +
                               " (cast i64 x))))"
                               " (where (lt (sub x (cast f64 k)) (at $1.0 k)) k (at $1.1 k))))",
                           n, {places, table}),
                 type);
}

NodeRef dirichlet(const NodeRef& key, const NodeRef& shapes, int64_t n, Type type) {
  const int64_t m = known_length(*shapes, "shapes");
  if (m == 0) throw SizeError("shapes is empty; expected at least one shape");
  if (n % m != 0) throw SizeError("n is " + std::to_string(n) + "; expected a multiple of " + std::to_string(m) + ", the length of shapes");
  const std::string t(name(type)), length = literal(m);
  const NodeRef tiled = tabulated("(fn ((i i64)) (at $0 (rem i " + length + ")))", n, {shapes});
  const NodeRef logs = draw("log_gamma", key, {&tiled, 1}, n, type);
  auto fold = [&](const char* op, const std::string& identity, const std::string& value) {
    return "(fn ((r i64)) (fold ((a " + t + ") (b " + t + ")) (" + op + " a b) " + identity + ":" + t + " ((j " + length + ")) " + value +
           "))";
  };
  const std::string element = "(at $0 (add (mul r " + length + ") j))";
  const NodeRef greatest = tabulated(fold("max", "-inf", element), n / m, {logs});
  const NodeRef sums = tabulated(fold("add", "0.0", "(exp (sub " + element + " (at $1 r)))"), n / m, {logs, greatest});
  return tabulated("(fn ((i i64)) (let ((r (div i " + length + "))) (div (exp (sub (at $0 i) (at $1 r))) (at $2 r))))", n,
                   {logs, greatest, sums});
}

// Functions of values

// The function of texts/ with that name, of the elements of s.
NodeRef applied(const char* name, const NodeRef& s) {
  Builder b;
  const Id x[] = {b.param(s->types()[0], "x")};
  return map({simplify(b.finish(b.inline_call(*function(name, Type::F64), x))), {}, {}}, {&s, 1});
}

Type real_like(const NodeRef& x) { return is_in(x->types()[0], Float) ? x->types()[0] : Type::F64; }

// A number for each row of x: the factor's logarithm, the sum over j of part(a[j]) - part(a[0] + a[1] + ...), and the sum of the elements'
// parts.
NodeRef dirichlet_log_density(const NodeRef& x, const NodeRef& given) {
  const int64_t m = known_length(*given, "shapes"), n = known_length(*x, "x");
  if (m == 0) throw SizeError("shapes is empty; expected at least one shape");
  if (n % m != 0)
    throw SizeError("x has length " + std::to_string(n) + "; expected a multiple of " + std::to_string(m) + ", the length of shapes");
  const NodeRef shapes = as_type(given, Type::F64), sum = sum_of(shapes);
  const NodeRef factors = sum_of(applied("dirichlet-factor", shapes)), of_sum = applied("dirichlet-factor", sum);
  const NodeRef tiled =
      tabulated("(fn ((i i64)) (tuple (cast f64 (at $0 i)) (at $1 (rem i " + literal(m) + ")) (at $2 0:i64)))", n, {x, shapes, sum});
  Builder b;
  const Id arguments[] = {b.param(Type::F64, "x"), b.param(Type::F64, "a"), b.param(Type::F64, "sum")};
  const NodeRef parts = map({simplify(b.finish(b.inline_call(*function("dirichlet-part", Type::F64), arguments))), {}, {}}, {&tiled, 1});
  return as_type(tabulated("(fn ((r i64)) (add (sub (at $1 0:i64) (at $2 0:i64)) (fold ((a f64) (b f64)) (add a b) 0.0:f64 ((j " +
                               literal(m) + ")) (at $0 (add (mul r " + literal(m) + ") j)))))",
                           n / m, {parts, factors, of_sum}),
                 real_like(x));
}

NodeRef mapped(const std::string& text, const NodeRef& x, std::vector<NodeRef> captures) {
  CaptureTypes types;
  for (const NodeRef& s : captures) types.push_back(s->types());
  const Lifted f = parse_cached(text, types);
  return map({f.fn, std::move(captures), std::vector<Bits64>(f.arguments)}, {&x, 1});
}

NodeRef categorical_values(Asked asked, const NodeRef& x, const NodeRef& given) {
  const std::string m = std::to_string(known_length(*given, "weights")) + ".0:f64";
  const NodeRef weights = weights_of(given), values = as_type(x, Type::F64);
  if (asked == Asked::LogDensity) {
    const char* density = "(log (div (at $0 (cast i64 x)) (at $1 0:i64)))";
    const std::string is_index = "(and (and (ge x 0.0:f64) (lt x " + m + ")) (eq x (floor x)))";
    return as_type(
        mapped("(fn ((x f64)) (where (isnan x) x (where " + is_index + " " + density + " -inf:f64)))", values, {weights, sum_of(weights)}),
        real_like(x));
  }
  const NodeRef sums = scan({op_fn(Op::add_, Type::F64), {}, {}}, {0}, weights, true).prefixes;
  const std::string last = literal(known_length(*given) - 1), probability = "(div (at $0 (cast i64 x)) (at $0 " + last + "))";
  return as_type(
      mapped("(fn ((x f64)) (where (isnan x) x (where (ge x 0.0:f64) (where (lt x " + m + ") " + probability + " 1.0:f64) 0.0:f64)))",
             values, {sums}),
      real_like(x));
}

// x as the first numbers of a permutation of m, all of them unless m is given: (m - k)! / m! for k numbers.
NodeRef permutation_log_density(const NodeRef& x, std::span<const NodeRef> given) {
  if (x->rank() == 0) throw SizeError("x has rank 0; expected rank 1, the numbers of a permutation");
  if (!given.empty() && given[0]->rank() != 0) throw SizeError("m has rank 1; expected rank 0");
  const int64_t k = known_length(*x, "x");
  const NodeRef sorted = columns(sort(as_type(x, Type::F64), 1, false), std::array{0});
  const NodeRef m = given.empty() ? tabulated("(fn ((i i64)) (cast f64 " + literal(k) + "))", 1, {x}) : as_type(given[0], Type::F64);
  const NodeRef fits = tabulated(
      "(fn ((i i64)) (let ((x (at $0 i))) (and (and (gt x (where (gt i 0:i64) (at $0 (sub i 1:i64)) -1.0:f64)) (eq x (floor x)))"
      " (lt x (at $1 0:i64)))))",
      k, {sorted, m});
  const NodeRef all = reduce({op_fn(Op::and_, Type::Bool), {}, {}}, {1}, fits);
  return as_type(tabulated("(fn ((i i64)) (let ((m (at $1 0:i64)) (k (cast f64 " + literal(k) +
                               "))) (where (at $0 0:i64) (neg (add (lchoose m k) (lfact k))) -inf:f64)))",
                           1, {all, m}),
                 real_like(x));
}

enum class Composed { Permutation, Categorical, Dirichlet };

std::optional<Composed> find_composed(std::string_view name) {
  if (name == "permutation") return Composed::Permutation;
  if (name == "categorical") return Composed::Categorical;
  if (name == "dirichlet") return Composed::Dirichlet;
  return {};
}

void require_parameters(std::string_view distribution, std::span<const NodeRef> parameters, size_t expected) {
  if (parameters.size() != expected)
    throw ArgumentError(std::string(distribution) + " has " + count(parameters.size(), "parameter") + "; expected " +
                        std::to_string(expected));
}

}  // namespace

NodeRef composed(std::string_view distribution, const NodeRef& key, std::span<const NodeRef> parameters, int64_t n, Type type) {
  const auto found = find_composed(distribution);
  if (!found) return {};
  require_parameters(distribution, parameters, found == Composed::Permutation ? 0 : 1);
  require_length(n, std::span(&type, 1));
  const bool is_real = found == Composed::Dirichlet;
  if (is_in(type, Float) != is_real || type == Type::Bool)
    throw TypeError("type is " + std::string(name(type)) + "; expected " + (is_real ? "f32 or f64" : "a type of integers"));
  if (key->rank() != 0) throw SizeError("key has rank 1; expected rank 0");
  switch (*found) {
    case Composed::Permutation: return permutation(key, n, type);
    case Composed::Categorical: return categorical(key, parameters[0], n, type);
    case Composed::Dirichlet: break;
  }
  return dirichlet(key, parameters[0], n, type);
}

NodeRef composed(std::string_view distribution, Asked asked, const NodeRef& x, std::span<const NodeRef> parameters) {
  const auto found = find_composed(distribution);
  if (!found) return {};
  if (found != Composed::Categorical && asked == Asked::DistributionFunction) reject_asked(distribution, asked);
  if (found != Composed::Permutation) require_parameters(distribution, parameters, 1);
  else if (parameters.size() > 1) throw ArgumentError("permutation has " + count(parameters.size(), "parameter") + "; expected 0 or 1");
  if (x->types().size() != 1) throw TypeError("x has columns " + list(x->types()) + "; expected one column");
  switch (*found) {
    case Composed::Permutation: return permutation_log_density(x, parameters);
    case Composed::Categorical: return categorical_values(asked, x, parameters[0]);
    case Composed::Dirichlet: break;
  }
  return dirichlet_log_density(x, parameters[0]);
}

}  // namespace wf::random
