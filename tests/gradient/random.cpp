// Random programs with gradients: forward against reverse mode, which need no step size; both against differences; the same gradient however its
// parts are forced; and the symmetry of second derivatives. WARPFOLD_GRADIENT_PROGRAMS is their number, WARPFOLD_GRADIENT_SEED the first.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include "check.h"
#include "eval/program.h"
#include "expr/derivative/derivative.h"
#include "grad/gradient.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/composed/iterate.h"
#include "lazy/composed/segments.h"
#include "lazy/linear/linear.h"
#include "oracle/engine.h"
#include "oracle/graph.h"

namespace {

using graph::Nodes;
using wf::NodeRef;
using Vector = std::vector<double>;

std::string at(int slot, const std::string& index) { return "(at $" + std::to_string(slot) + " " + index + ")"; }
std::string literal(int64_t k) { return std::to_string(k) + ":i64"; }
std::string map_of(const std::string& body) { return "(fn ((a f64)) " + body + ")"; }
std::string map_of_two(const std::string& body) { return "(fn ((a f64) (b f64)) " + body + ")"; }
std::string tabulate_of(const std::string& body) { return "(fn ((i i64)) " + body + ")"; }

constexpr const char* affine = "(fn ((a f64) (b f64) (c f64) (d f64)) (tuple (mul a c) (add (mul c b) d)))";

// A forcing tells which sequences are forced while the program is built.
enum class Forcing : uint8_t { Late, Early, Traced };

// The sequences of one random program of x, which are smooth near it, except at few points.
class Program {
 public:
  Program(unsigned seed, const NodeRef& x, Forcing forcing) : random_(seed), forcing_(forcing), all_{x} {
    for (int64_t steps = 2 + below(7); steps > 0; steps--) {
      step();
      const bool is_forced = below(3) == 0;
      if (is_forced && forcing_ == Forcing::Early) wf::force({&all_.back(), 1});
    }
  }
  // The last sequence, and sometimes one from the middle.
  Nodes results() const {
    if (all_.size() % 3 == 0) return {all_.back()};
    return {all_.back(), all_[all_.size() / 2]};
  }
  const std::string& text() const { return text_; }

 private:
  int64_t below(int64_t n) { return n <= 0 ? 0 : int64_t(random_() % uint64_t(n)); }
  template <size_t n> std::string one_of(const std::array<const char*, n>& texts) { return texts[size_t(below(n))]; }
  const NodeRef& any() { return below(3) ? all_.back() : all_[size_t(below(int64_t(all_.size())))]; }
  int64_t length_of(const NodeRef& s) {
    if (s->length() < 0 && forcing_ == Forcing::Traced) throw wf::UnsupportedError("the length of a filter");
    return wf::forced_length(s);
  }
  void keep(const std::string& how, NodeRef node) {
    text_ += "  s" + std::to_string(all_.size()) + " = " + how + " of " + name_ + "\n";
    all_.push_back(std::move(node));
  }
  NodeRef pick() {
    const NodeRef s = any();
    name_ = "s" + std::to_string(std::ranges::find(all_, s) - all_.begin());
    return s;
  }

  std::string unary() {
    return one_of(std::array{"(sin a)", "(mul a 1.25:f64)", "(tanh a)", "(sub (mul a a) 0.5:f64)", "(sqrt (add 1.0:f64 (mul a a)))",
                             "(softplus a)", "(where (gt a 0.3:f64) (log a) (mul a 2.0:f64))", "(abs (sub a 0.123:f64))",
                             "(div a (add 2.0:f64 (mul a a)))",
                             "(loop ((z a) (k 0:i32)) (lt k 3:i32) (tuple (cos (mul z a)) (add k 1:i32)))", "(cast f64 (cast f32 0.5:f64))",
                             "(add a (exp (neg (mul a a))))", "(min a 0.377:f64)"});
  }
  std::string binary() {
    return one_of(std::array{"(mul (sin a) b)", "(add a b)", "(sub a (mul 0.5:f64 b))", "(max a (add b 0.0123:f64))",
                             "(where (gt a b) (mul a a) (cos b))", "(logaddexp a b)", "(atan2 a (add 2.0:f64 (mul b b)))",
                             "(hypot a (add b 1.5:f64))", "(fma a b a)", "(sin b)"});
  }
  NodeRef flat(const NodeRef& s) { return s->rank() == 1 ? s : wf::reshape(s, std::array{length_of(s)}); }
  NodeRef bounded(const NodeRef& s) { return graph::map(map_of("(sin (max a -2.0:f64))"), {s}); }
  NodeRef near_one(const NodeRef& s) { return graph::map(map_of("(add 1.0:f64 (mul 0.02:f64 (sin a)))"), {s}); }

  void step() {
    const NodeRef s = pick();
    switch (below(20)) {
      case 0:
      case 1: return map_one(s);
      case 2: return map_two(s);
      case 3: return read_others(s);
      case 4:
      case 5: return gather(s);
      case 6: return reduce(s);
      case 7:
      case 8: return scan(s);
      case 9: return filter(s);
      case 10: return sort(s);
      case 11: return scatter(s);
      case 12: return segments(s);
      case 13: return iterate(s);
      case 14: return parts(s);
      case 15:
      case 16: return arrays(s);
      case 17: return fold(s);
      case 18: return columns(s);
      case 19: return matrix(s);
    }
  }

  void map_one(const NodeRef& s) {
    const std::string f = unary();
    const bool is_loop = f.starts_with("(loop");
    const std::string body = is_loop ? "(let (((z k) " + f + ")) z)" : f;
    keep(body, graph::map(map_of(body), {s}));
  }
  void map_two(const NodeRef& s) {
    Nodes like;
    for (const NodeRef& t : all_)
      if (t->domain() == s->domain() && t->shape() == s->shape()) like.push_back(t);
    const NodeRef t = like[size_t(below(int64_t(like.size())))];
    const std::string f = binary();
    keep(f + " with s" + std::to_string(std::ranges::find(all_, t) - all_.begin()), graph::map(map_of_two(f), {s, t}));
  }
  // A map that reads another sequence at a fixed index.
  void read_others(const NodeRef& s) {
    const NodeRef t = all_[size_t(below(int64_t(all_.size())))];
    const int64_t n = length_of(t);
    if (n == 0) return;
    const std::string body = "(let ((b " + at(0, literal(below(n))) + ")) " + binary() + ")";
    keep(body + " captures s" + std::to_string(std::ranges::find(all_, t) - all_.begin()), graph::map(map_of(body), {s}, {t}));
  }
  // Elements by index, as far as the sequence reaches, whose length may be unknown.
  void read_within(const NodeRef& s) {
    const std::string index = one_of(std::array{"i", "(add i 1:i64)", "(div i 2:i64)", "(mul i 2:i64)", "0:i64"});
    const std::string body = "(where (lt " + index + " (length $0)) (mul " + at(0, index) + " 1.5:f64) 0.25:f64)";
    keep(body, graph::tabulate(tabulate_of(body), 1 + below(70), {s}));
  }
  void gather(const NodeRef& s) {
    if (below(3) == 0 || text_.find("filter") != std::string::npos) return read_within(s);
    const int64_t n = length_of(s);
    if (n == 0) return;
    const std::string N = literal(n);
    const std::array<std::string, 8> indices{"(sub " + literal(n - 1) + " i)",
                                             "(rem (mul i i) " + N + ")",
                                             "(div i 3:i64)",
                                             "(rem i " + N + ")",
                                             "(min (add i 1:i64) " + literal(n - 1) + ")",
                                             "(rem (mul i 7:i64) " + N + ")",
                                             "(rem (cast i64 (mul 10.0:f64 (abs " + at(0, "(rem i " + N + ")") + "))) " + N + ")",
                                             "(div (mul i 2:i64) 3:i64)"};
    const std::string a = indices[size_t(below(8))], b = indices[size_t(below(8))];
    const std::string guarded = "(where (gt i 0:i64) " + at(0, "(sub i 1:i64)") + " 0.25:f64)";
    const std::string body = "(let ((a " + at(0, a) + ") (b " + (below(3) ? at(0, b) : guarded) + ")) " + binary() + ")";
    keep(body, graph::tabulate(tabulate_of(body), n, {s}));
  }
  void reduce(const NodeRef& given) {
    const NodeRef s = given->rank() == 0 ? graph::tabulate(tabulate_of(at(0, "0:i64")), 3, {given}) : given;
    const int64_t kind = below(6);
    NodeRef r;
    if (kind == 0) r = graph::reduce(map_of_two("(add a b)"), "0.0:f64", s);
    if (kind == 1) r = graph::reduce(map_of_two("(max a b)"), "-inf:f64", graph::map(map_of("(add a 0.01:f64)"), {s}));
    if (kind == 2) r = graph::reduce(map_of_two("(min a b)"), "inf:f64", s);
    if (kind == 3) r = graph::reduce(map_of_two("(mul a b)"), "1.0:f64", near_one(s));
    if (kind == 4) r = graph::reduce(map_of_two("(logaddexp a b)"), "-inf:f64", s);
    if (kind == 5) r = graph::map(map_of_two("(add a b)"), {graph::reduce(affine, "(tuple 1.0:f64 0.0:f64)", pairs(s))});
    keep("reduce " + std::to_string(kind), bounded(r));
    if (below(2)) map_with_scalar(s);
  }
  // The last sequence is a scalar, which a map of s captures.
  void map_with_scalar(const NodeRef& s) {
    const std::string body = "(let ((b " + at(0, "0:i64") + ")) " + binary() + ")";
    keep(body + " and the scalar", graph::map(map_of(body), {s}, {all_.back()}));
  }
  NodeRef pairs(const NodeRef& s) { return graph::map(map_of("(tuple (mul 0.5:f64 (cos a)) (mul a a))"), {s}); }

  void scan(const NodeRef& given) {
    const NodeRef s = flat(given);
    const bool inclusive = below(2);
    const int64_t kind = below(5);
    wf::ScanResult r;
    if (kind == 0) r = graph::scan(map_of_two("(add a b)"), "0.0:f64", graph::map(map_of("(mul a 0.01:f64)"), {s}), inclusive);
    if (kind == 1) r = graph::scan(map_of_two("(mul a b)"), "1.0:f64", near_one(s), inclusive);
    if (kind == 2) r = graph::scan(map_of_two("(max a b)"), "-inf:f64", s, inclusive);
    if (kind == 3) r = graph::scan(map_of_two("(logaddexp a b)"), "-inf:f64", s, inclusive);
    if (kind == 4) {
      r = graph::scan(affine, "(tuple 1.0:f64 0.0:f64)", pairs(s), inclusive);
      r = {graph::map(map_of_two("(add a (sin b))"), {r.prefixes}), graph::map(map_of_two("(add a b)"), {r.total})};
    }
    keep("scan " + std::to_string(kind), bounded(r.prefixes));
    if (below(3) == 0) keep("its total", bounded(r.total));
    if (below(3) == 0 && all_.back()->rank() == 0) map_with_scalar(s);
  }
  void filter(const NodeRef& given) {
    const NodeRef s = flat(given);
    const std::string f =
        one_of(std::array{"(gt a 0.1:f64)", "(lt (abs a) 0.7:f64)", "(gt a 100.0:f64)", "(lt (sin (mul 20.0:f64 a)) 0.4:f64)"});
    keep("filter " + f, graph::filter(map_of(f), s));
    if (below(2)) map_one(NodeRef(all_.back()));
    if (below(2)) scan(NodeRef(all_.back()));
  }
  void sort(const NodeRef& given) {
    const NodeRef s = flat(given);
    length_of(s);
    switch (below(3)) {
      case 0: return keep("sort", wf::sort(s, 1, below(2)));
      case 1: {
        const NodeRef both = graph::map(map_of("(tuple a (cos a))"), {s});
        const NodeRef sorted = wf::sort(graph::fn("(fn ((a f64) (b f64) (c f64) (d f64)) (lt b d))"), both);
        return keep("sort_by", graph::map(map_of_two(binary()), {sorted}));
      }
      default:
        return keep("merge",
                    wf::merge(wf::sort(s, 1, false), wf::sort(graph::map(map_of("(add 0.1:f64 (mul a a))"), {s}), 1, false), 1, false));
    }
  }
  void scatter(const NodeRef& s) {
    const int64_t n = length_of(s);
    if (n == 0) return;
    const NodeRef values = graph::tabulate(tabulate_of("(add 0.01:f64 " + at(0, "i") + ")"), n, {s});
    const int64_t m = 1 + below(2 * n), kind = below(6);
    const NodeRef base = graph::tabulate(tabulate_of("(mul 0.9:f64 (sin " + at(0, "(rem i " + literal(n) + ")") + "))"), m, {s});
    const NodeRef indices = graph::tabulate(tabulate_of("(rem (mul i (add i 3:i64)) " + literal(m) + ")"), n);
    const auto by = [&](const char* f) {
      const wf::Closure closure = graph::fn(map_of_two(f));
      return wf::scatter(&closure, base, indices, kind == 4 ? near_one(values) : values);
    };
    keep("scatter " + std::to_string(kind) + " into " + std::to_string(m), bounded(kind == 0 ? wf::scatter(nullptr, base, indices, values)
                                                                                             : by(kind == 2   ? "(min a b)"
                                                                                                  : kind == 3 ? "(max a b)"
                                                                                                  : kind == 4 ? "(mul a b)"
                                                                                                              : "(add a b)")));
  }
  void segments(const NodeRef& s) {
    const int64_t n = length_of(s);
    if (n == 0) return;
    const NodeRef values = graph::tabulate(tabulate_of(at(0, "i")), n, {s});
    const NodeRef offsets = graph::source(std::vector<int64_t>{0, n / 3, n / 3, n / 2, n});
    const int64_t kind = below(5);
    const bool is_product = kind == 2;
    const wf::Closure f = graph::fn(map_of_two(kind == 0 || kind == 4 ? "(add a b)"
                                               : kind == 1            ? "(max a b)"
                                               : kind == 2            ? "(mul a b)"
                                                                      : "(logaddexp a b)"));
    const std::vector<wf::Bits64> identity = wf::parse_literals(kind == 0 || kind == 4 ? "0.0:f64"
                                                                : is_product           ? "1.0:f64"
                                                                                       : "-inf:f64",
                                                                values->types());
    const NodeRef of = is_product ? near_one(values) : values;
    if (kind == 4) keep("segment_scan", bounded(wf::segment_scan(f, identity, of, offsets, below(2)).prefixes));
    else keep("segment_reduce " + std::to_string(kind), bounded(wf::segment_reduce(f, identity, of, offsets)));
  }
  void iterate(const NodeRef& given) {
    const int64_t n = std::min<int64_t>(length_of(given), 300);
    const NodeRef s = graph::tabulate(tabulate_of(at(0, "i")), n, {given});
    const wf::Closure f = graph::fn(map_of_two("(add (mul 0.5:f64 (sin a)) (mul b (add 1.0:f64 (mul 0.1:f64 a))))"));
    const std::vector<wf::Bits64> initial = wf::parse_literals("0.3:f64", s->types());
    if (below(2)) keep("iterate", wf::iterate(f, initial, s));
    else keep("iterate_prefixes", wf::iterate_prefixes(f, initial, s));
  }
  void parts(const NodeRef& given) {
    const int64_t n = length_of(given);
    if (n == 0) return;
    const NodeRef s = flat(given);
    const int64_t start = below(n), count = below(n - start + 1);
    switch (below(5)) {
      case 0: return keep("subseq", wf::subseq(s, start, count));
      case 1: return keep("rev", wf::rev(s));
      case 2: return keep("append", wf::append({s, graph::map(map_of(binary_of_one()), {s}), wf::subseq(s, start, count)}));
      case 3: return keep("nth", wf::nth(s, start));
      default: return keep("append of itself", wf::append({s, s}));
    }
  }
  std::string binary_of_one() { return "(let ((b (cos a))) " + binary() + ")"; }

  // s as an array of two axes, without its last elements.
  NodeRef as_matrix(const NodeRef& s, int64_t most) {
    const int64_t n = std::min(length_of(s), most), columns = 1 + below(std::min<int64_t>(n, 9)), rows = n / columns;
    return wf::reshape(graph::tabulate(tabulate_of(at(0, "i")), rows * columns, {s}), std::array{rows, columns});
  }
  void arrays(const NodeRef& s) {
    if (length_of(s) == 0) return;
    NodeRef a = as_matrix(s, 1 << 20);
    const std::array<int64_t, 2> extents{a->shape().extents()[0], a->shape().extents()[1]};
    const int32_t axis = int32_t(below(2));
    const wf::Closure add = graph::fn(map_of_two("(add a b)")), most = graph::fn(map_of_two("(max a b)")),
                      any = graph::fn(map_of_two("(logaddexp a b)"));
    switch (below(9)) {
      case 0: return keep("reduce_axes add", bounded(wf::reduce_axes(add, {0}, a, {&axis, 1}, below(2))));
      case 1: return keep("reduce_axes max", wf::reduce_axes(most, wf::parse_literals("-inf:f64", a->types()), a, {&axis, 1}, false));
      case 2: return keep("scan_axis add", bounded(wf::scan_axis(add, {0}, a, axis, below(2)).prefixes));
      case 3:
        return keep("scan_axis any", bounded(wf::scan_axis(any, wf::parse_literals("-inf:f64", a->types()), a, axis, below(2)).prefixes));
      case 4: return keep("permute", wf::permute(a, std::array{1, 0}));
      case 5: {
        const NodeRef row =
            wf::reshape(wf::subseq(wf::reshape(a, std::array{a->length()}), 0, extents[1]), std::array{int64_t(1), extents[1]});
        return keep("broadcast", graph::map(map_of_two(binary()), {a, wf::broadcast(row, extents)}));
      }
      case 6: return keep("sort_axis", wf::sort_axis(a, axis, below(2)));
      case 7: {
        const std::array<int64_t, 2> starts{below(extents[0]), 0}, counts{extents[0] - starts[0], (extents[1] + 1) / 2},
            steps{1, extents[1] > 1 ? 2 : 1};
        const std::array<int64_t, 2> all{counts[0], extents[1] > 1 ? extents[1] / 2 : 1};
        return keep("slice", wf::slice(a, starts, all, steps.data()));
      }
      default: return keep("join", wf::join({a, graph::map(map_of("(mul a a)"), {a})}, axis));
    }
  }
  void matrix(const NodeRef& s) {
    if (length_of(s) == 0) return;
    const NodeRef a = as_matrix(s, 400), transposed = wf::permute(a, std::array{1, 0});
    const NodeRef square = wf::matmul(transposed, a);
    if (below(2)) return keep("matmul", bounded(wf::matmul(a, square)));
    const int64_t n = square->shape().extents()[0];
    const std::string body =
        "(add (mul 0.1:f64 " + at(0, "i") + ") (where (eq (div i " + literal(n) + ") (rem i " + literal(n) + ")) 2.0:f64 0.0:f64))";
    const NodeRef positive = wf::reshape(graph::tabulate(tabulate_of(body), n * n, {square}), std::array{n, n});
    if (below(2)) return keep("cholesky", wf::factor("cholesky", positive)[0]);
    keep("solve", wf::solve("positive", positive, transposed));
  }
  void fold(const NodeRef& s) {
    const int64_t n = std::min<int64_t>(length_of(s), 40);
    if (n == 0) return;
    const std::string f = one_of(std::array{"(add a b) 0.0:f64", "(max a b) -inf:f64", "(logaddexp a b) -inf:f64"});
    const std::string index = one_of(std::array{"j", "(rem (add i j) ", "(rem (mul i j) "});
    const std::string value =
        "(let ((a " + at(0, "i") + ") (b " + at(0, index == "j" ? index : index + literal(n) + ")") + ")) " + binary() + ")";
    const std::string text = "(fold ((a f64) (b f64)) " + f + " ((j " + literal(n) + ")) " + value + ")";
    keep(text, bounded(graph::tabulate(tabulate_of(text), n, {s})));
  }
  void columns(const NodeRef& s) {
    const NodeRef both[] = {s, graph::map(map_of("(mul a (cos a))"), {s})};
    const NodeRef zipped = wf::zip(both);
    const std::array<int32_t, 3> which{1, 0, 1};
    keep("columns", graph::map("(fn ((a f64) (b f64) (c f64)) (add a (mul b c)))", {wf::columns(zipped, which)}));
  }

  std::mt19937_64 random_;
  const Forcing forcing_;
  Nodes all_;
  std::string text_, name_;
};

Vector random_vector(int64_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> in(-1, 1);
  Vector values(size_t(n), 0);
  for (double& v : values) v = in(random);
  return values;
}
// Sums of products, and of their sizes.
struct Dot {
  double sum = 0, size = 0;
  void add(const Vector& a, const Vector& b) {
    for (size_t k = 0; k < a.size(); k++) sum += a[k] * b[k], size += std::abs(a[k] * b[k]);
  }
};
Vector elements_of(const NodeRef& s) { return graph::elements<double>(s); }
NodeRef like(const NodeRef& s, unsigned seed) {
  return wf::reshape(graph::source(random_vector(wf::forced_length(s), seed)), s->shape().extents());
}

// An outcome is what one program gives: its values, their tangents, the cotangent of x, and how it changes in a direction.
struct Outcome {
  std::vector<Vector> values, tangents;
  Vector cotangent, changes;
  std::string text;
};

struct Case {
  unsigned seed;
  int64_t n;
  bool is_second;
  Vector x = random_vector(n, seed), v = random_vector(n, seed + 1), u = random_vector(n, seed + 2);

  std::vector<Vector> values_at(const Vector& point) const {
    const Nodes results = Program(seed, graph::source(point), Forcing::Late).results();
    std::vector<Vector> values;
    for (const NodeRef& r : results) values.push_back(elements_of(r));
    return values;
  }

  // The gradient and the tangents, forced together, or one after another.
  Outcome outcome(Forcing forcing) const {
    const NodeRef x_node = wf::variable(graph::source(x)), v_node = graph::source(v);
    const Program program(seed, x_node, forcing);
    Outcome made;
    made.text = program.text();
    const Nodes results = program.results();
    Nodes cotangents;
    for (size_t k = 0; k < results.size(); k++) cotangents.push_back(like(results[k], seed + 3 + unsigned(k)));
    const NodeRef gradient = wf::gradient(results, cotangents, {&x_node, 1}, wf::forced_length)[0];
    Nodes all = wf::tangent(results, {&x_node, 1}, {&v_node, 1}, wf::forced_length);
    all.push_back(gradient);
    if (is_second) all.push_back(wf::tangent({&gradient, 1}, {&x_node, 1}, {&v_node, 1}, wf::forced_length)[0]);
    if (forcing == Forcing::Late) {
      all.insert(all.end(), results.begin(), results.end());
      wf::force(all);
    }
    for (size_t k = 0; k < results.size(); k++)
      made.tangents.push_back(elements_of(all[k])), made.values.push_back(elements_of(results[k]));
    made.cotangent = elements_of(gradient);
    if (is_second) made.changes = elements_of(all[results.size() + 1]);
    return made;
  }
  // The same as a program that runs twice.
  Vector traced() const {
    const NodeRef x_node = wf::parameter(graph::context(), wf::Shape::vector(n), {wf::Type::F64});
    const auto measure = [](const NodeRef& s) -> int64_t {
      if (s->length() < 0) throw wf::UnsupportedError("the length of a filter");
      return s->length();
    };
    const Nodes results = Program(seed, x_node, Forcing::Traced).results();
    Nodes cotangents;
    for (size_t k = 0; k < results.size(); k++) {
      measure(results[k]);
      cotangents.push_back(like(results[k], seed + 3 + unsigned(k)));
    }
    const wf::Program program({&x_node, 1}, wf::gradient(results, cotangents, {&x_node, 1}, measure));
    program.run({graph::source(random_vector(n, seed + 9))});
    return elements_of(program.run({graph::source(x)})[0]);
  }
};

bool is_close(double a, double b, double size, double tolerance) { return std::abs(a - b) <= tolerance * std::max(1.0, size); }

struct Counts {
  int programs = 0, traced = 0, differences = 0, second = 0, without = 0;
};

// The first fault, or nothing.
std::string fault_of(const Case& c, Counts& counts) {
  Outcome late;
  try {
    late = c.outcome(Forcing::Late);
  } catch (const wf::NoDerivative&) { return counts.without++, ""; }
  const auto said = [&](const std::string& what, double a, double b) {
    std::ostringstream text;
    text.precision(15);
    text << "seed " << c.seed << ", n = " << c.n << "\n" << late.text << what << ": " << a << " and " << b;
    return text.str();
  };
  counts.programs++;
  Dot forward, reverse;
  std::vector<Vector> cotangents;
  for (size_t k = 0; k < late.values.size(); k++) {
    cotangents.push_back(random_vector(int64_t(late.values[k].size()), c.seed + 3 + unsigned(k)));
    forward.add(cotangents[k], late.tangents[k]);
  }
  reverse.add(late.cotangent, c.v);
  const double size = std::max(forward.size, reverse.size);
  if (!is_close(forward.sum, reverse.sum, size, 1e-10)) return said("forward and reverse", forward.sum, reverse.sum);

  const auto differences = [&](double h) {
    Dot change;
    Vector up = c.x, down = c.x;
    for (size_t k = 0; k < up.size(); k++) up[k] += h * c.v[k], down[k] -= h * c.v[k];
    const std::vector<Vector> above = c.values_at(up), below = c.values_at(down);
    for (size_t k = 0; k < above.size(); k++) {
      if (above[k].size() != cotangents[k].size() || below[k].size() != cotangents[k].size()) return std::nan("");
      change.add(cotangents[k], above[k]);
      Vector minus = below[k];
      for (double& v : minus) v = -v;
      change.add(cotangents[k], minus);
    }
    return change.sum / (2 * h);
  };
  // Differences say nothing where something has a corner between their points.
  const double narrow = differences(1e-7), wide = differences(4e-7), large = std::max(size, 1.0);
  if (is_close(narrow, wide, large, 1e-6)) {
    counts.differences++;
    if (!is_close(reverse.sum, narrow, large, 1e-5)) return said("the gradient and differences", reverse.sum, narrow);
  }

  const auto apart = [&](const Vector& other, const std::string& how) -> std::string {
    if (other.size() != late.cotangent.size()) return said(how + ", lengths", double(other.size()), double(late.cotangent.size()));
    for (size_t k = 0; k < other.size(); k++)
      if (!is_close(other[k], late.cotangent[k], large, 1e-8))
        return said(how + ", element " + std::to_string(k), other[k], late.cotangent[k]);
    return "";
  };
  if (const std::string fault = apart(c.outcome(Forcing::Early).cotangent, "forced early"); !fault.empty()) return fault;
  try {
    const std::string fault = apart(c.traced(), "as a program");
    counts.traced++;
    if (!fault.empty()) return fault;
  } catch (const wf::UnsupportedError&) {}  // a filter's length decides

  if (c.is_second) {
    counts.second++;
    Case other = c;
    std::swap(other.u, other.v);
    const Outcome swapped = other.outcome(Forcing::Early);
    Dot one, two;
    one.add(late.changes, c.u);
    two.add(swapped.changes, c.v);
    if (!is_close(one.sum, two.sum, std::max(one.size, two.size), 1e-8)) return said("second derivatives", one.sum, two.sum);
  }
  return "";
}

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

}  // namespace

TEST(random_programs) {
  constexpr int64_t lengths[] = {1, 2, 3, 5, 33, 64, 65, 200, 1025};
  const int programs = number("WARPFOLD_GRADIENT_PROGRAMS", 150);
  const unsigned first = unsigned(number("WARPFOLD_GRADIENT_SEED", 1));
  Counts counts;
  int faults = 0;
  for (unsigned k = 0; int(k) < programs && faults < 5; k++) {
    const unsigned seed = (first + k) * 16;
    const Case c{seed, lengths[(first + k) % std::size(lengths)], (first + k) % 10 == 0};
    std::string fault;
    try {
      fault = fault_of(c, counts);
    } catch (const std::exception& e) { fault = "seed " + std::to_string(seed) + ", n = " + std::to_string(c.n) + ": " + e.what(); }
    if (!fault.empty()) faults++, check::fail(__FILE__, __LINE__, fault);
  }
  std::cerr << counts.programs << " programs, " << counts.differences << " by differences, " << counts.traced << " traced, "
            << counts.second << " of second order, " << counts.without << " without derivative\n";
  CHECK(counts.differences * 2 > counts.programs);
}

// Engines that do not scatter in order sort floats by index, and fold them.
TEST(sums_at_indices_on_engines_that_sort) {
  const auto sorting = std::make_shared<wf::Context>();
  sorting->name = "oracle", sorting->pool = std::make_shared<wf::Pool>(), sorting->engine = oracle::make_engine();
  const auto before = graph::context();
  graph::set_context(sorting);
  const int64_t n = 300, m = 200;
  const NodeRef x = wf::variable(graph::source(random_vector(n, 1))), base = wf::variable(graph::source(random_vector(m, 2)));
  const NodeRef indices = graph::tabulate(tabulate_of("(rem (mul i 7:i64) " + literal(m - 1) + ")"), n);
  const wf::Closure add = graph::fn(map_of_two("(add a b)"));
  const NodeRef sums = wf::scatter(&add, base, indices, x), squares = graph::map(map_of("(mul a a)"), {sums});
  const std::vector<NodeRef> variables{x, base};
  const NodeRef seed = like(squares, 3);
  const auto gradients = wf::gradient({&squares, 1}, {&seed, 1}, variables, wf::forced_length);
  const Vector seeds = elements_of(seed), values = elements_of(sums), by_x = elements_of(gradients[0]), by_base = elements_of(gradients[1]);
  for (int64_t i = 0; i < n; i++) {
    const size_t k = size_t(i * 7 % (m - 1));
    CHECK_EQ(by_x[size_t(i)], 2 * values[k] * seeds[k]);
  }
  for (size_t k = 0; k < size_t(m); k++) CHECK_EQ(by_base[k], 2 * values[k] * seeds[k]);
  // The gradient of a read at computed indices is such a sum, and has a gradient.
  const NodeRef read = graph::tabulate(tabulate_of("(let ((x (at $0 (at $1 i)))) (mul x (mul x x)))"), n, {base, indices});
  const auto gradient_of = [&](const NodeRef& y) {
    const NodeRef ones = graph::tabulate(tabulate_of("1:f64"), y->length());
    return wf::gradient({&y, 1}, {&ones, 1}, {&base, 1}, wf::forced_length)[0];
  };
  const Vector second = elements_of(gradient_of(gradient_of(read)));
  const Vector at = elements_of(base);
  for (size_t k = 0; k < size_t(m); k++) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += size_t(i * 7 % (m - 1)) == k;
    CHECK(is_close(second[k], 6 * double(count) * at[k], 10, 1e-12));
  }
  graph::set_context(before);
}
