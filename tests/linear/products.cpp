// matmul and the functions made of it against plain loops.
#include "cpu/linear/products.h"
#include "cpu/threads/chunks.h"
#include "linear/matrices.h"

using namespace matrices;
using graph::source;
using std::vector;
using wf::NodeRef;

namespace {

constexpr int64_t odd_sizes[] = {0, 1, 2, 3, 17, 257};

template <class T> void check_products(double bound) {
  for (int64_t m : odd_sizes)
    for (int64_t n : odd_sizes)
      for (int64_t k : odd_sizes) {
        if (m * n * k > 257 * 257 * 17 && m * n * k != 257 * 257 * 257) continue;
        const Matrix<T> a = random<T>(m, k, 1), b = random<T>(k, n, 2), right = product(a, b);
        const NodeRef x = node(a), y = node(b), xt = flipped(node(transposed(a))), yt = flipped(node(transposed(b)));
        CHECK(distance(value<T>(wf::matmul(x, y)), right, std::sqrt(double(m * n * k))) <= bound);
        CHECK(distance(value<T>(wf::matmul(xt, y)), right, std::sqrt(double(m * n * k))) <= bound);
        CHECK(distance(value<T>(wf::matmul(x, yt)), right, std::sqrt(double(m * n * k))) <= bound);
        CHECK(distance(value<T>(wf::matmul(xt, yt)), right, std::sqrt(double(m * n * k))) <= bound);
      }
}

std::string plan(const NodeRef& s) { return wf::explain({&s, 1}, wf::ExplainFormat::Text); }

// The message of the error that f throws.
template <class E, class F> std::string thrown(const F& f) {
  try {
    f();
  } catch (const E& e) { return e.what(); }
  return "nothing";
}

// The k-th of matrices one below another.
Matrix<float> part(const Matrix<float>& m, int64_t k, int64_t rows) {
  Matrix<float> p{rows, m.columns};
  std::copy_n(m.elements.begin() + k * rows * m.columns, rows * m.columns, p.elements.begin());
  return p;
}

// Every way to read and to store, around the edges of tiles: the result lies within a larger matrix whose other elements stay as they are.
template <class T> void check_tiles(int64_t m, int64_t n, int64_t k) {
  using wf::cpu::Into;
  wf::cpu::Products products(std::make_shared<wf::Pool>(), 1);
  Matrix<T> a{m, k}, b{k, n};
  for (size_t i = 0; i < a.elements.size(); i++) a.elements[i] = T(int(i * 7 % 19) - 9);
  for (size_t i = 0; i < b.elements.size(); i++) b.elements[i] = T(int(i * 5 % 23) - 11);
  const Matrix<T> at = transposed(a), bt = transposed(b), c = product(a, b);
  const wf::cpu::MatrixView<const T> lefts[] = {{a.elements.data(), k, 1}, {at.elements.data(), 1, m}},
                                     rights[] = {{b.elements.data(), n, 1}, {bt.elements.data(), 1, k}};
  for (const auto& left : lefts)
    for (const auto& right : rights)
      for (Into into : {Into::Set, Into::Add, Into::Subtract})
        for (bool flip : {false, true}) {
          Matrix<T> all{m + 2, n + 3}, expected = all;
          if (flip) all = expected = Matrix<T>{n + 3, m + 2};
          for (size_t i = 0; i < all.elements.size(); i++) all.elements[i] = expected.elements[i] = T(int(i % 13));
          for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
              T& x = flip ? expected(j + 1, i + 1) : expected(i + 1, j + 1);
              x = into == Into::Set ? c(i, j) : into == Into::Add ? T(x + c(i, j)) : T(x - c(i, j));
            }
          const wf::cpu::MatrixView<T> inner = wf::cpu::by_rows(&all(1, 1), all.columns);
          products({m, n, k}, left, right, flip ? inner.transposed() : inner, into);
          CHECK(all.elements == expected.elements);
        }
}

}  // namespace

TEST(tiles_of_products) {
  for (int64_t m : {1, 2, 7, 8, 9, 14, 15, 30})
    for (int64_t n : {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 47, 65})
      for (int64_t k : {1, 5, 16}) {
        check_tiles<float>(m, n, k);
        check_tiles<double>(m, n, k);
        check_tiles<uint32_t>(m, n, k);
      }
  for (int64_t k : {255, 257, 600})
    for (int64_t m : {1, 7, 64, 200})
      for (int64_t n : {1, 3, 17, 64}) check_tiles<double>(m, n, k), check_tiles<uint32_t>(m, n, k);
  for (int64_t m : {127, 129, 230}) check_tiles<double>(m, 131, 260), check_tiles<float>(131, m, 2), check_tiles<uint64_t>(m, 133, 3);
}

TEST(products_of_floats) {
  check_products<float>(20);
  check_products<double>(20);
}

TEST(products_of_integers_wrap) {
  check_products<int32_t>(0);
  check_products<uint64_t>(0);
}

TEST(large_products_use_all_cores) {
  const Matrix<float> a = random<float>(1001, 515), b = random<float>(515, 2049);
  CHECK(distance(value<float>(wf::matmul(node(a), node(b))), product(a, b)) < 20);
}

// Long sums of few elements are divided, in the same way for any number of workers.
TEST(long_sums_are_divided) {
  check_tiles<double>(30, 40, 5000);
  check_tiles<uint32_t>(64, 64, 4099);
  for (const auto& [m, n, k] : {std::tuple(64, 64, 40001), std::tuple(3, 5, 300000), std::tuple(300, 270, 3000)}) {
    const Matrix<float> a = random<float>(k, m), b = random<float>(k, n, 2);
    vector<Matrix<float>> results;
    for (int workers : {1, 2, 5}) {
      wf::cpu::limit_workers(workers);
      results.push_back(value<float>(wf::matmul(flipped(node(a)), node(b))));
    }
    wf::cpu::limit_workers(0);
    CHECK(distance(results[0], product(transposed(a), b), std::sqrt(double(k))) < 20);
    CHECK(results[0].elements == results[1].elements && results[0].elements == results[2].elements);
  }
}

template <class T> void check_long(int64_t m, int64_t n, int64_t k) {
  const Matrix<T> a = random<T>(k, m), b = random<T>(k, n, 2), c = transposed(a), d = transposed(b), right = product(c, b);
  const double scale = std::sqrt(double(k)), most = 200;  // the right product of f64 adds one term after another
  CHECK(distance(value<T>(wf::matmul(flipped(node(a)), node(b))), right, scale) < most);
  CHECK(distance(value<T>(wf::matmul(node(c), node(b))), right, scale) < most);
  CHECK(distance(value<T>(wf::matmul(node(c), flipped(node(d)))), right, scale) < most);
}

TEST(long_sums_of_few_elements) {
  for (const auto& [m, n, k] : {std::tuple(4, 4, 32768), std::tuple(1, 3, 100003), std::tuple(33, 31, 65537)})
    check_long<int32_t>(m, n, k), check_long<uint64_t>(m, n, k), check_long<double>(m, n, k), check_long<float>(m, n, k);
}

TEST(a_transpose_is_read_in_place) {
  const Matrix<float> a = random<float>(300, 200);
  const NodeRef x = node(a), p = wf::matmul(flipped(x), x);
  CHECK(plan(p).find("1 kernel\n") == 0);
  CHECK(plan(p).find("product(200 x 300 by 300 x 200, a transposed)") != std::string::npos);
  CHECK(distance(value<float>(p), product(transposed(a), a)) < 20);
}

TEST(slices_are_read_in_place) {
  const Matrix<double> a = random<double>(40, 50);
  const int64_t starts[] = {3, 7}, counts[] = {20, 30}, steps[] = {1, 2};
  Matrix<double> part{20, 30};
  for (int64_t i = 0; i < 20; i++)
    for (int64_t j = 0; j < 30; j++) part(i, j) = a(i + 3, j + 7);
  const NodeRef x = wf::slice(node(a), starts, counts, nullptr), p = wf::matmul(x, flipped(x));
  CHECK(plan(p).find("1 kernel\n") == 0);
  CHECK(distance(value<double>(p), product(part, transposed(part))) < 20);
  // Every second column is not: it is stored first.
  const int64_t half[] = {20, 15}, first[] = {0, 0};
  const NodeRef y = wf::slice(node(part), first, half, steps), square = wf::matmul(flipped(y), y);
  CHECK(plan(square).find("2 kernels\n") == 0);
  CHECK_EQ(value<double>(square)(1, 2), value<double>(wf::matmul(flipped(node(part)), node(part)))(2, 4));
}

TEST(vectors_are_rows_on_the_left_and_columns_on_the_right) {
  for (int64_t n : odd_sizes) {
    const Matrix<double> a = random<double>(n, 19), v = random<double>(19, 1), w = random<double>(1, n);
    const NodeRef column = wf::matmul(node(a), source(v.elements)), row = wf::matmul(source(w.elements), node(a));
    CHECK(extents(column) == vector<int64_t>{n});
    CHECK(extents(row) == vector<int64_t>{19});
    CHECK(distance(value<double>(shaped(column, {n, 1})), product(a, v), 1) < 20);
    CHECK(distance(value<double>(shaped(row, {1, 19})), product(w, a), 1) < 20);
    const NodeRef inner = wf::matmul(source(w.elements), source(w.elements));
    CHECK(inner->rank() == 0);
    CHECK(std::abs(graph::elements<double>(inner)[0] - std::pow(size_of_elements(w), 2)) <= 1e-12 * double(n));
  }
}

TEST(batches_are_broadcast) {
  const Matrix<float> a = random<float>(5 * 33, 17), b = random<float>(5 * 17, 9), one = random<float>(17, 9);
  const NodeRef x = shaped(node(a), {5, 33, 17}), y = shaped(node(b), {5, 17, 9});
  const NodeRef each = wf::matmul(x, y), same = wf::matmul(x, node(one)), left = wf::matmul(node(part(a, 0, 33)), y);
  CHECK(extents(each) == vector<int64_t>{5, 33, 9});
  CHECK(extents(left) == vector<int64_t>{5, 33, 9});
  CHECK(plan(same).find("product(165 x 17 by 17 x 9)") != std::string::npos);
  const Matrix<float> all = value<float>(shaped(each, {5 * 33, 9})), repeated = value<float>(shaped(same, {5 * 33, 9}));
  const Matrix<float> first = value<float>(shaped(left, {5 * 33, 9}));
  for (int64_t k = 0; k < 5; k++) {
    CHECK(distance(part(all, k, 33), product(part(a, k, 33), part(b, k, 17))) < 20);
    CHECK(distance(part(repeated, k, 33), product(part(a, k, 33), one)) < 20);
    CHECK(distance(part(first, k, 33), product(part(a, 0, 33), part(b, k, 17))) < 20);
  }
  const NodeRef many =
      wf::matmul(shaped(node(random<float>(200 * 8, 8)), {100, 2, 8, 8}), shaped(node(random<float>(2 * 8, 8)), {1, 2, 8, 8}));
  CHECK(extents(many) == vector<int64_t>{100, 2, 8, 8});
  const Matrix<float> last = part(value<float>(shaped(many, {200 * 8, 8})), 199, 8);
  CHECK(distance(last, product(part(random<float>(200 * 8, 8), 199, 8), part(random<float>(16, 8), 1, 8))) < 20);
}

TEST(neighbours_of_a_product_are_fused_around_it) {
  const NodeRef x = graph::map("(fn ((x f32)) (mul x 2.0:f32))", {node(random<float>(64, 64))});
  const NodeRef y = graph::map("(fn ((x f32)) (max x 0.0:f32))", {wf::matmul(x, node(random<float>(64, 64)))});
  CHECK(plan(y).find("3 kernels\n") == 0);
}

// A product of columns and rows is elementwise, so that its readers compute it.
TEST(products_of_columns_and_rows) {
  const Matrix<float> column = random<float>(70, 1), row = random<float>(1, 33);
  CHECK_EQ(distance(value<float>(wf::matmul(node(column), node(row))), product(column, row)), 0.0);
  const NodeRef difference =
      graph::map("(fn ((x f32) (y f32)) (sub x y))", {shaped(node(random<float>(70, 33)), {70, 33}), wf::matmul(node(column), node(row))});
  CHECK(plan(difference).find("1 kernel\n") == 0);
  const Matrix<float> columns = random<float>(3 * 70, 1), rows = random<float>(3, 33);
  const NodeRef each = wf::matmul(shaped(node(columns), {3, 70, 1}), shaped(node(rows), {3, 1, 33}));
  const NodeRef same = wf::matmul(shaped(node(column), {70, 1}), shaped(node(rows), {3, 1, 33}));
  const NodeRef stacked = wf::matmul(shaped(node(columns), {3, 70, 1}), node(row));
  CHECK(extents(each) == vector<int64_t>{3, 70, 33});
  const Matrix<float> found[] = {value<float>(shaped(each, {210, 33})), value<float>(shaped(same, {210, 33})),
                                 value<float>(shaped(stacked, {210, 33}))};
  for (int64_t k = 0; k < 3; k++) {
    CHECK_EQ(distance(part(found[0], k, 70), product(part(columns, k, 70), part(rows, k, 1))), 0.0);
    CHECK_EQ(distance(part(found[1], k, 70), product(column, part(rows, k, 1))), 0.0);
    CHECK_EQ(distance(part(found[2], k, 70), product(part(columns, k, 70), row)), 0.0);
  }
}

TEST(functions_of_two_matrices) {
  const Matrix<double> a = random<double>(5, 7), b = random<double>(5, 7, 3), c = random<double>(3, 2);
  auto two = [](const char* name, const NodeRef& x, const NodeRef& y) { return wf::linear_function(name, std::vector{x, y}); };
  CHECK(distance(value<double>(two("inner", node(a), node(b))), product(transposed(a), b)) < 20);
  CHECK(distance(value<double>(two("outer", node(a), node(b))), product(a, transposed(b))) < 20);
  const Matrix<double> k = value<double>(two("kronecker", node(a), node(c)));
  CHECK(k.rows == 15 && k.columns == 14);
  for (int64_t i = 0; i < 15; i++)
    for (int64_t j = 0; j < 14; j++) CHECK_EQ(k(i, j), a(i / 3, j / 2) * c(i % 3, j % 2));
  double sum = 0;
  for (size_t i = 0; i < 35; i++) sum += a.elements[i] * b.elements[i];
  CHECK(std::abs(graph::elements<double>(two("frobenius", node(a), node(b)))[0] - sum) < 1e-13);
  const NodeRef v = source(vector<double>{1, 2, 3}), w = source(vector<double>{4, 5});
  CHECK(value<double>(two("outer", v, w)).elements == vector<double>{4, 5, 8, 10, 12, 15});
}

TEST(functions_of_one_matrix) {
  const Matrix<int64_t> a{3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  auto one = [](const char* name, const NodeRef& x) { return wf::linear_function(name, std::vector{x}); };
  CHECK(value<int64_t>(one("lower", node(a))).elements == vector<int64_t>{1, 0, 0, 4, 5, 0, 7, 8, 9});
  CHECK(value<int64_t>(one("upper", node(a))).elements == vector<int64_t>{1, 2, 3, 0, 5, 6, 0, 0, 9});
  CHECK(value<int64_t>(one("unit_lower", node(a))).elements == vector<int64_t>{1, 0, 0, 4, 1, 0, 7, 8, 1});
  CHECK(graph::elements<int64_t>(one("trace", node(a))) == vector<int64_t>{15});
  CHECK(graph::elements<int64_t>(one("diagonal", node(a))) == vector<int64_t>{1, 5, 9});
  CHECK(std::abs(graph::elements<double>(one("norm", node(Matrix<double>{2, 2, {1, 2, 3, 4}})))[0] - std::sqrt(30)) < 1e-14);
  CHECK(value<int64_t>(wf::matrix_power(node(a), 0)).elements == identity<int64_t>(3).elements);
  CHECK(value<int64_t>(wf::matrix_power(node(a), 5)).elements == product(a, product(product(a, a), product(a, a))).elements);
}

TEST(norms_of_any_size) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  auto norms = [](const auto& x, int64_t n) {
    using T = typename std::decay_t<decltype(x)>::value_type;
    return graph::elements<T>(wf::linear_function("norm", std::vector{shaped(source(x), {int64_t(x.size()) / n, 1, n})}));
  };
  const vector<double> vectors{3e200, 4e200, 0, 3e-200, 4e-200, 0, 3, 4, 1e-200, 1e200, 1, 1e-200, 0, 0, 0, 3e-320, 4e-320, 0};
  const vector<double> sizes{5e200, 5e-200, 5, 1e200, 0, 5e-320}, found = norms(vectors, 3);
  for (size_t k = 0; k < sizes.size(); k++) CHECK(std::abs(found[k] - sizes[k]) <= 4e-16 * sizes[k] + 5e-324);
  const vector<double> special = norms(vector<double>{inf, 1, nan, 1, nan, inf, 1e200, nan}, 2);
  CHECK(special[0] == inf && std::isnan(special[1]) && std::isnan(special[2]) && std::isnan(special[3]));
  const vector<float> singles = norms(vector<float>{3e30f, 4e30f, 3e-40f, 4e-40f}, 2);
  CHECK(singles == (vector<float>{5e30f, 5e-40f}));
}

TEST(windows) {
  const Matrix<float> image = random<float>(2 * 19, 23), kernel = random<float>(3, 5);
  const NodeRef x = shaped(node(image), {2, 19, 23}), blurred = wf::convolve(x, node(kernel)), pooled = wf::max_pool(x, 2, 3);
  CHECK(extents(blurred) == vector<int64_t>{2, 17, 19});
  CHECK(extents(pooled) == vector<int64_t>{2, 9, 7});
  const vector<float> b = graph::elements<float>(blurred), p = graph::elements<float>(pooled);
  for (int64_t k = 0; k < 2; k++) {
    for (int64_t i = 0; i < 17; i++)
      for (int64_t j = 0; j < 19; j++) {
        double sum = 0;
        for (int64_t u = 0; u < 3; u++)
          for (int64_t v = 0; v < 5; v++) sum += double(kernel(u, v)) * image(k * 19 + i + u, j + v);
        CHECK(std::abs(b[size_t((k * 17 + i) * 19 + j)] - sum) < 1e-5);
      }
    for (int64_t i = 0; i < 9; i++)
      for (int64_t j = 0; j < 7; j++) {
        float best = -2;
        for (int64_t u = 0; u < 6; u++) best = std::max(best, image(k * 19 + 2 * i + u / 3, 3 * j + u % 3));
        CHECK_EQ(p[size_t((k * 9 + i) * 7 + j)], best);
      }
  }
}

// Bytes as bytes: sums wrap.
TEST(windows_of_bytes) {
  const Matrix<uint8_t> image{3, 4, {250, 1, 2, 3, 4, 5, 6, 255, 8, 9, 10, 11}}, kernel{2, 2, {1, 2, 0, 1}};
  CHECK(value<uint8_t>(wf::max_pool(node(image), 2, 2)).elements == vector<uint8_t>{250, 255});
  CHECK(value<uint8_t>(wf::max_pool(node(image), 3, 1)).elements == vector<uint8_t>{250, 9, 10, 255});
  CHECK(value<uint8_t>(wf::convolve(node(image), node(kernel))).elements == vector<uint8_t>{1, 11, 7, 23, 27, 15});
}

TEST(phi_has_half_of_the_diagonal) {
  const NodeRef a = node(Matrix<float>{3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}});
  CHECK(value<float>(wf::linear_function("phi", std::vector{a})).elements == vector<float>{0.5f, 0, 0, 4, 2.5f, 0, 7, 8, 4.5f});
}

// Equal windows have one function, so that their plan is found again. Others differ in extents, batches, type or operation.
TEST(windows_of_equal_extents_have_one_function) {
  const NodeRef x = node(random<float>(6, 8)), weights = node(random<float>(2, 2));
  const auto fn = [](const NodeRef& s) { return s->state().definition->fn; };
  const wf::FnRef first = fn(wf::convolve(x, weights));
  CHECK(fn(wf::convolve(node(random<float>(6, 8)), node(random<float>(2, 2)))) == first);
  CHECK(fn(wf::convolve(shaped(x, {1, 6, 8}), weights)) != first);
  CHECK(fn(wf::convolve(node(random<float>(8, 6)), weights)) != first);
  CHECK(fn(wf::convolve(x, node(random<float>(1, 4)))) != first);
  CHECK(fn(wf::convolve(node(random<double>(6, 8)), node(random<double>(2, 2)))) != first);
  CHECK(fn(wf::max_pool(x, 2, 2)) != first);
  CHECK(fn(wf::max_pool(x, 2, 2)) == fn(wf::max_pool(x, 2, 2)));
}

TEST(errors_name_shapes_and_axes) {
  const NodeRef a = node(random<float>(3, 4)), b = node(random<float>(5, 2)), d = node(random<double>(4, 4));
  CHECK_EQ(thrown<wf::SizeError>([&] { wf::matmul(a, b); }),
           "a has shape 3 x 4 and b 5 x 2: axis 1 of a has 4 elements and axis 0 of b 5; expected equal extents");
  const std::vector transposes{a, b};
  CHECK_EQ(thrown<wf::SizeError>([&] { wf::linear_function("inner", transposes); }),
           "a has shape 3 x 4 and b 5 x 2: axis 0 of a has 3 elements and axis 0 of b 5; expected equal extents");
  CHECK_EQ(thrown<wf::SizeError>([&] { wf::linear_function("outer", transposes); }),
           "a has shape 3 x 4 and b 5 x 2: axis 1 of a has 4 elements and axis 1 of b 2; expected equal extents");
  CHECK_EQ(thrown<wf::TypeError>([&] { wf::matmul(a, d); }), "a has columns (f32) and b has (f64); expected equal types");
  CHECK_EQ(thrown<wf::SizeError>([&] { wf::factor("cholesky", a); }),
           "a has shape 3 x 4: 3 rows and 4 columns; expected as many rows as columns");
  CHECK(thrown<wf::SizeError>([&] {
          wf::matmul(shaped(node(random<float>(6, 2)), {3, 2, 2}), shaped(node(random<float>(4, 2)), {2, 2, 2}));
        }).find("axis 0 of the batches has 3 and 2 matrices") != std::string::npos);
  CHECK_EQ(thrown<wf::ArgumentError>([&] { wf::factor("lq", a); }),
           "factorization is \"lq\"; expected one of cholesky, qr, eigen, singular_values");
  CHECK(thrown<wf::ArgumentError>([&] { wf::solve("diagonal", d, d); }).find("expected one of general, positive") != std::string::npos);
}
