// Random programs of matrices: products, systems of equations and factors of views, between maps and sums, against plain loops on whole matrices
// and against the oracle. All elements are small integers, so that results are exact. Matrices are forced early, late, together, or never.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "check.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"
#include "oracle/graph.h"

namespace {

using wf::NodeRef;
using Extents = std::vector<int64_t>;

constexpr int64_t sizes[] = {0, 1, 2, 3, 17, 65};

// `batch` matrices, or one without an axis for the batch if batch < 0, by rows.
struct Matrices {
  NodeRef node;
  int64_t batch, rows, columns;
  std::vector<double> values = std::vector<double>(size_t(count() * rows * columns));

  int64_t count() const { return batch < 0 ? 1 : batch; }
  Extents extents() const { return batch < 0 ? Extents{rows, columns} : Extents{batch, rows, columns}; }
  // One matrix, or a batch of one, serves every k.
  double& operator()(int64_t k, int64_t i, int64_t j) { return values[size_t(((count() == 1 ? 0 : k) * rows + i) * columns + j)]; }
  double operator()(int64_t k, int64_t i, int64_t j) const { return const_cast<Matrices&>(*this)(k, i, j); }
  double largest() const {
    double most = 0;
    for (double x : values) most = std::max(most, std::abs(x));
    return most;
  }
};

template <class T> class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {}

  void run() {
    add_source(any_batch(), any_size(), any_size());
    for (int64_t steps = 3 + below(8); steps > 0; steps--) {
      step();
      if (below(4) == 0) force_some(1 + size_t(below(3)));
    }
    force_some(all_.size());
    for (const Matrices& m : all_) compare(m);
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr bool is_float = std::is_floating_point_v<T>;
  const std::string type{wf::name(wf::type_of<T>)};

  int64_t below(int64_t n) { return n <= 0 ? 0 : int64_t(random_() % uint64_t(n)); }
  int64_t any_size() { return sizes[size_t(below(24) == 0 ? 0 : 1 + below(below(3) ? 4 : 5))]; }
  int64_t any_batch() { return below(2) ? -1 : below(12) == 0 ? 0 : 1 + below(3); }
  // A batch that is broadcast with that of m.
  int64_t partner(const Matrices& m) { return below(3) == 0 ? -1 : below(3) == 0 || m.batch < 0 ? 1 : m.batch; }
  Matrices any() { return below(3) ? all_.back() : all_[size_t(below(int64_t(all_.size())))]; }

  void force_some(size_t count) {
    std::vector<NodeRef> nodes;
    for (size_t k = 0; k < count; k++) nodes.push_back(count == all_.size() ? all_[k].node : any().node);
    text_ += "force " + std::to_string(count) + "\n";
    wf::force(nodes);
  }

  void check_equal(const Matrices& m, const std::vector<T>& got, const std::string& by) {
    CHECK_EQ(got.size(), m.values.size());
    for (size_t i = 0; i < got.size(); i++)
      if (double(got[i]) != m.values[i]) {
        CHECK_EQ(text_ + by + ": element " + std::to_string(i) + " is " + std::to_string(got[i]), std::to_string(m.values[i]));
        return;
      }
  }
  void compare(const Matrices& m) {
    CHECK_EQ(wf::text_of(m.node->shape().extents()), wf::text_of(m.extents()));
    check_equal(m, graph::elements<T>(m.node), "engine");
  }

  // Keeps m, whose value the oracle computes before it is forced.
  void keep(Matrices m, const std::string& line) {
    text_ += "m" + std::to_string(all_.size()) + " = " + line + "    ; " + wf::text_of(m.extents()) + "\n";
    const oracle::ValueRef value = oracle_.value(m.node);
    check_equal(m, graph::column<T>(*value), "oracle");
    oracle_.remember(m.node, value);
    all_.push_back(std::move(m));
  }

  Matrices with(Matrices m, NodeRef node) {
    m.node = std::move(node);
    return m;
  }
  // The node of m's values: delayed or stored, by rows or as a transpose.
  Matrices made(Matrices m) {
    const bool flips = below(2);
    std::vector<T> elements;
    for (int64_t k = 0; k < m.count(); k++)
      for (int64_t i = 0; i < (flips ? m.columns : m.rows); i++)
        for (int64_t j = 0; j < (flips ? m.rows : m.columns); j++) elements.push_back(T(flips ? m(k, j, i) : m(k, i, j)));
    NodeRef s = graph::source(elements);
    if (below(2)) s = graph::map("(fn ((x " + type + ")) (neg x))", {graph::map("(fn ((x " + type + ")) (neg x))", {s})});
    Extents extents = m.extents();
    if (flips) std::swap(extents[extents.size() - 1], extents[extents.size() - 2]);
    s = wf::reshape(s, extents);
    return with(std::move(m), flips ? turned(s) : s);
  }
  static NodeRef turned(const NodeRef& s) {
    std::vector<int32_t> axes;
    for (int32_t k = 0; k < s->rank(); k++) axes.push_back(k);
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    return wf::permute(s, axes);
  }

  Matrices small(int64_t batch, int64_t rows, int64_t columns) {
    Matrices m{{}, batch, rows, columns};
    for (double& x : m.values) x = double(below(7) - 3);
    return m;
  }
  void add_source(int64_t batch, int64_t rows, int64_t columns) { keep(made(small(batch, rows, columns)), "source"); }

  // A unit lower triangle whose inverse has small integers: row i has elements in its own block of 4 and in the first one.
  Matrices unit_lower(int64_t batch, int64_t n) {
    Matrices m{{}, batch, n, n};
    for (int64_t k = 0; k < m.count(); k++)
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) m(k, i, j) = i == j ? 1 : j < 4 || i / 4 == j / 4 ? double(below(3) - 1) : 0;
    return m;
  }
  // A matrix with a large diagonal: symmetric, or with its rows exchanged.
  Matrices dominant(int64_t batch, int64_t n, bool symmetric) {
    Matrices m = small(batch, n, n);
    for (int64_t k = 0; k < m.count(); k++)
      for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; symmetric && j < i; j++) m(k, i, j) = m(k, j, i);
        m(k, i, i) = double(4 * n);
      }
    for (int64_t k = 0; !symmetric && k < m.count(); k++)
      for (int64_t i = 0; i + 1 < n; i++) {
        const int64_t other = i + below(n - i);
        for (int64_t j = 0; j < n; j++) std::swap(m(k, i, j), m(k, other, j));
      }
    return m;
  }

  Matrices product(const Matrices& a, const Matrices& b) {
    Matrices c{wf::matmul(a.node, b.node), a.batch == 1 || a.batch < 0 ? std::max(b.batch, a.batch) : a.batch, a.rows, b.columns};
    if (b.batch == 0 && a.batch >= 0) c = {c.node, 0, a.rows, b.columns};
    for (int64_t k = 0; k < c.count(); k++)
      for (int64_t i = 0; i < c.rows; i++)
        for (int64_t j = 0; j < c.columns; j++)
          for (int64_t p = 0; p < a.columns; p++) c(k, i, j) += a(k, i, p) * b(k, p, j);
    return c;
  }

  void step() {
    Matrices m = any();
    // Elements stay small enough for exact sums.
    if (m.largest() > 1000) return reduce_elements(m);
    switch (below(is_float ? 10 : 5)) {
      case 0: return view(m);
      case 1: return map(m);
      case 2:
      case 3: return multiply(m);
      case 4: return below(2) ? times_vector(m) : fail(m);
      case 5: return solve_triangle(m);
      case 6:
      case 7: return solve(m);
      case 8: return factor(m.rows, m.batch);
      default: return fail(m);
    }
  }

  void reduce_elements(Matrices m) {
    const std::string seven = wf::print_literal(wf::type_of<T>, wf::to_bits(T(7)));
    m.node = graph::map("(fn ((x " + type + ")) (rem x " + seven + "))", {m.node});
    for (double& x : m.values) x = std::fmod(x, 7);
    keep(std::move(m), "rem 7");
  }

  void map(Matrices m) {
    const std::string two = wf::print_literal(wf::type_of<T>, wf::to_bits(T(2)));
    m.node = graph::map("(fn ((x " + type + ") (y " + type + ")) (sub (mul x " + two + ") y))", {m.node, m.node});
    keep(std::move(m), "2 x - x");
  }

  void view(const Matrices& m) {
    if (below(2)) {
      Matrices t{turned(m.node), m.batch, m.columns, m.rows};
      for (int64_t k = 0; k < t.count(); k++)
        for (int64_t i = 0; i < t.rows; i++)
          for (int64_t j = 0; j < t.columns; j++) t(k, i, j) = m(k, j, i);
      return keep(std::move(t), "transpose");
    }
    const int64_t row_step = 1 + below(2), column_step = 1 + below(2), top = below(m.rows), left = below(m.columns);
    Matrices part{{}, m.batch, (m.rows - top + row_step - 1) / row_step, (m.columns - left + column_step - 1) / column_step};
    const Extents starts{0, top, left}, steps{1, row_step, column_step}, counts{m.count(), part.rows, part.columns};
    const size_t first = m.batch < 0 ? 1 : 0;
    part.node = wf::slice(m.node, std::span(starts).subspan(first), std::span(counts).subspan(first), steps.data() + first);
    for (int64_t k = 0; k < part.count(); k++)
      for (int64_t i = 0; i < part.rows; i++)
        for (int64_t j = 0; j < part.columns; j++) part(k, i, j) = m(k, top + i * row_step, left + j * column_step);
    keep(std::move(part), "slice");
  }

  void multiply(const Matrices& m) {
    for (const Matrices& other : all_)
      if (other.rows == m.columns && below(2) && other.largest() <= 1000 && (other.batch == m.batch || other.batch == 1 || m.batch < 0))
        return keep(product(m, other), "product of two");
    const int64_t n = any_size();
    if (below(2)) keep(product(m, made(small(partner(m), m.columns, n))), "product with a small one on the right");
    else keep(product(made(small(partner(m), n, m.rows)), m), "product with a small one on the left");
  }

  void times_vector(const Matrices& m) {
    Matrices v = made(small(-1, m.columns, 1));
    const Matrices c = product(m, v);
    const NodeRef r = wf::matmul(m.node, wf::reshape(v.node, Extents{m.columns}));
    keep(with(c, wf::reshape(r, c.extents())), "product with a vector");
  }

  void solve_triangle(const Matrices& m) {
    Matrices t = unit_lower(partner(m), m.rows);
    const bool upper = below(2), unit = below(2);
    if (upper)
      for (int64_t k = 0; k < t.count(); k++)
        for (int64_t i = 0; i < t.rows; i++)
          for (int64_t j = 0; j < i; j++) std::swap(t(k, i, j), t(k, j, i));
    Matrices full = t;
    // Elements outside of the triangle are not read.
    for (int64_t k = 0; k < t.count(); k++)
      for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < t.rows; j++)
          if (i == j ? unit : upper ? i > j : i < j) full(k, i, j) = 5;
    full = made(std::move(full));
    const std::string form = std::string(unit ? "unit_" : "") + (upper ? "upper" : "lower");
    const Matrices b = product(with(t, full.node), m);
    const NodeRef arguments[] = {full.node, m.node}, scaled = wf::linear_function(form + "_product", arguments);
    Matrices right = b;
    right.node = scaled;
    keep(right, form + " product");
    if (right.largest() > 1000) return;
    // The inverse of the product, which is m again, once for each matrix of the batch.
    Matrices x = right;
    x.node = wf::solve(form, full.node, right.node);
    for (int64_t k = 0; k < x.count(); k++)
      for (int64_t i = 0; i < x.rows; i++)
        for (int64_t j = 0; j < x.columns; j++) x(k, i, j) = m(k, i, j);
    keep(std::move(x), form + " solve");
  }

  // Systems whose solutions are known: rounded, they are exact.
  void solve(const Matrices& m) {
    static constexpr const char* forms[] = {"general", "positive", "cholesky"};
    const std::string form = forms[below(3)];
    const Matrices a = made(dominant(partner(m), m.rows, form != "general"));
    Matrices x = product(a, m);
    const NodeRef factor = form == "cholesky" ? wf::factor("cholesky", a.node)[0] : a.node;
    x.node = graph::map("(fn ((x " + type + ")) (round x))", {wf::solve(form, factor, x.node)});
    for (int64_t k = 0; k < x.count(); k++)
      for (int64_t i = 0; i < x.rows; i++)
        for (int64_t j = 0; j < x.columns; j++) x(k, i, j) = m(k, i, j);
    keep(std::move(x), form + " solve");
  }

  void factor(int64_t n, int64_t batch) {
    const Matrices l = unit_lower(batch, n);
    Matrices square = l;
    for (int64_t k = 0; k < l.count(); k++)
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
          square(k, i, j) = 0;
          for (int64_t p = 0; p < n; p++) square(k, i, j) += l(k, i, p) * l(k, j, p);
        }
    keep(with(l, wf::factor("cholesky", made(square).node)[0]), "cholesky");
  }

  // A GPU factors the transpose, in which another pivot may be the first that is 0.
  static std::string comparable(std::string message) {
    constexpr std::string_view before = "is pivot ";
    const size_t at = message.find(before), begin = at + before.size();
    if (at != std::string::npos && graph::context()->name.starts_with("cuda")) message.erase(begin, message.find(';', begin) - begin);
    return message;
  }

  template <class F> void expect_error(const std::string& expected, const F& f) {
    std::string message = "no error";
    try {
      const NodeRef s = f();
      wf::force({&s, 1});
    } catch (const std::exception& e) { message = e.what(); }
    CHECK_EQ(text_ + comparable(message), text_ + comparable(expected));
    text_ += "error: " + expected + "\n";
  }

  void fail(const Matrices& m) {
    if (below(2) || !is_float) {
      const Matrices other = made(small(-1, m.columns + 1, 2));
      const std::string axis = std::to_string(m.node->rank() - 1), columns = std::to_string(m.columns);
      return expect_error("a has shape " + wf::text_of(m.extents()) + " and b " + wf::text_of(other.extents()) + ": axis " + axis +
                              " of a has " + columns + " elements and axis 0 of b " + std::to_string(m.columns + 1) +
                              "; expected equal extents",
                          [&] { return wf::matmul(m.node, other.node); });
    }
    const int64_t batch = 1 + below(3), n = std::max<int64_t>(1, m.rows), at = below(batch), pivot = below(n);
    const Matrices b = made(small(-1, n, 3));
    const std::string which = "matrix " + std::to_string(at) + (batch == 1 ? "" : " of " + std::to_string(batch)),
                      number = std::to_string(pivot);
    switch (below(3)) {
      case 0: {
        Matrices t = unit_lower(batch, n);
        t(at, pivot, pivot) = 0;
        return expect_error(which + " is singular: 0 on its diagonal at row " + number + "; expected a triangle without 0 on its diagonal",
                            [&] { return wf::solve("lower", made(t).node, b.node); });
      }
      case 1: {
        Matrices a = dominant(batch, n, false);
        for (int64_t i = 0; i < n; i++) a(at, i, pivot) = 0;
        return expect_error(which + " is singular: 0 is pivot " + number + "; expected a matrix of full rank",
                            [&] { return wf::solve("general", made(a).node, b.node); });
      }
      default: {
        Matrices a = dominant(batch, n, true);
        a(at, pivot, pivot) = -double(4 * n);
        return expect_error(
            which + " is not positive definite: pivot " + number + "; expected a symmetric matrix whose pivots are all positive",
            [&] { return wf::solve("positive", made(a).node, b.node); });
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<Matrices> all_;
  oracle::Oracle oracle_;
  std::string text_;
};

template <class T> void run_programs(unsigned seeds) {
  const char* given = std::getenv("WARPFOLD_MATRIX_PROGRAMS");
  const unsigned count = given ? unsigned(std::atoi(given)) : seeds;
  for (unsigned seed = 0; seed < count; seed++) {
    Program<T> program(seed);
    try {
      program.run();
    } catch (const std::exception& error) { CHECK_EQ("program " + std::to_string(seed) + "\n" + program.text() + error.what(), ""); }
  }
}

}  // namespace

TEST(random_programs_of_f64) { run_programs<double>(400); }
TEST(random_programs_of_f32) { run_programs<float>(400); }
TEST(random_programs_of_integers) {
  run_programs<int32_t>(100);
  run_programs<int64_t>(100);
}
