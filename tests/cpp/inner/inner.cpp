// Inner sequences: reductions inside traced functions.
#include <cmath>

#include "../common.h"

using namespace warpfold;

namespace {

// The first words of the error that `f` raises.
template <class Error, class F> std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) { return error.what(); }
  return "no error";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<float> row_sums(const std::vector<float>& a, int64_t rows, int64_t m) {
  std::vector<float> sums;
  for (int64_t i = 0; i < rows; i++) {
    float sum = 0;
    for (int64_t j = 0; j < m; j++) sum += a[static_cast<size_t>(i * m + j)];
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

// ---- the written form ---------------------------------------------------------------------------------------------------

TEST(reductions_inside_are_forms) {
  Seq<float> a{1, 2, 3, 4, 5, 6};
  CHECK_EQ(written_form<int64_t>([&](auto i) { return reduce(plus, 0.f, subseq(a, i * 3, 3)); }),
           "(fn ((x i64)) (let ((v0 (reduce ((a f32) (b f32)) (add a b) 0.0:f32 (subseq $0 (mul x 3:i64) 3:i64)))) v0))");
  // A sequence that is used twice is named, and so is a value that is used inside and outside of a function.
  CHECK_EQ(written_form<int64_t>([&](auto i) {
             const auto row = take(a, i);
             const auto most = reduce(max, row);
             return most + reduce(plus, 0.f, map([&](auto x) { return x - most; }, row));
           }),
           "(fn ((x i64)) (let ((t0 (take $0 x)) (v0 (reduce ((a f32) (b f32)) (max a b) -inf:f32 t0)) (v2 (reduce ((a f32) (b f32)) "
           "(add a b) 0.0:f32 (map ((v1 f32)) (sub v1 v0) t0)))) (add v0 v2)))");
}

// Reductions of filters that keep only NaNs, and of those that keep nothing
TEST(a_reduction_of_nans_alone_is_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const Seq<float> s{nan, -1, nan};
  const auto of_kept = [&](auto f) {
    return tabulate([&](auto i) { return f(filter([=](auto x) { return isnan(x) && i == 0; }, s)); }, 2).to_vector();
  };
  const auto check = [&](auto f, auto of_nothing) {
    const auto found = of_kept(f);
    CHECK(std::isnan(found[0]));
    CHECK(found[1] == of_nothing || (std::isnan(found[1]) && std::isnan(of_nothing)));
  };
  check([](auto part) { return max(part); }, -infinity);
  check([](auto part) { return min(part); }, infinity);
  check([](auto part) { return reduce([](auto x, auto y) { return max(x, y); }, -std::numeric_limits<float>::infinity(), part); },
        -infinity);
  check([](auto part) { return minmax(part).template get<0>(); }, infinity);
  check([](auto part) { return minmax(part).template get<1>(); }, -infinity);
  check([](auto part) { return sum(part); }, 0.f);
  check([](auto part) { return product(part); }, 1.f);
  check([](auto part) { return mean(part); }, std::numeric_limits<double>::quiet_NaN());
  CHECK(of_kept([](auto part) { return argmax(part); }) == (std::vector<int64_t>{0, -1}));
  CHECK(of_kept([](auto part) { return argmin(part); }) == (std::vector<int64_t>{0, -1}));
  CHECK(of_kept([](auto part) { return length(part); }) == (std::vector<int64_t>{2, 0}));
  CHECK(of_kept([](auto part) { return count([](auto x) { return isnan(x); }, part); }) == (std::vector<int64_t>{2, 0}));
  CHECK(of_kept([](auto part) { return any([](auto x) { return isnan(x); }, part); }) == (std::vector<bool>{true, false}));
  CHECK(of_kept([](auto part) { return all([](auto x) { return x == x; }, part); }) == (std::vector<bool>{false, true}));
}

// ---- values -------------------------------------------------------------------------------------------------------------

TEST(sums_of_squares_of_rows) {
  for (const auto& shape : {std::pair<int64_t, int64_t>{10007, 7}, {1, 10007}, {0, 3}, {3, 0}}) {
    const int64_t n = shape.first, m = shape.second;
    const auto values = numbers<float>(n * m);
    Seq<float> a(values);
    auto norms = tabulate([&](auto i) { return reduce(plus, 0.f, map([](auto x) { return x * x; }, subseq(a, i * m, m))); }, n);
    static_assert(std::is_same_v<decltype(norms), Seq<float>>);
    std::vector<float> squares;
    for (float x : values) squares.push_back(x * x);
    CHECK_EQ(norms.to_vector(), row_sums(squares, n, m));
  }
}

TEST(a_sparse_matrix_times_a_vector) {
  const int64_t rows = 10007, columns = 501;
  std::vector<int> row{0}, col;
  std::vector<float> v;
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t k = 0; k < r % 6; k++) col.push_back(static_cast<int>((r * 31 + k * 77) % columns)), v.push_back(float(r % 9 - k));
    row.push_back(static_cast<int>(col.size()));
  }
  const auto x = numbers<float>(columns);
  Seq<int> row_seq(row), col_seq(col);
  Seq<float> v_seq(v), x_seq(x);
  auto y = tabulate(
      [&](auto r) {
        return reduce(plus, 0.f, map([&](auto k) { return v_seq[k] * x_seq[col_seq[k]]; }, range(row_seq[r], row_seq[r + 1])));
      },
      rows);
  CHECK_EQ(kernels(y), "1 kernel");
  CHECK(contains(explain(y), "(fold "));
  std::vector<float> right;
  for (size_t r = 0; r < size_t(rows); r++) {
    float sum = 0;
    for (int k = row[r]; k < row[r + 1]; k++) sum += v[size_t(k)] * x[size_t(col[size_t(k)])];
    right.push_back(sum);
  }
  CHECK_EQ(y.to_vector(), right);
}

TEST(a_tabulate_inside_that_uses_the_outer_index_is_inner) {
  const int64_t n = 1009;
  const auto p = numbers<float>(n);
  Seq<float> s(p);
  auto forces = tabulate([&](auto i) { return reduce(plus, 0.f, tabulate([&](auto j) { return s[j] - s[i]; }, n)); }, n);
  CHECK_EQ(kernels(forces), "1 kernel");
  // Independent of i: a scalar of its own, which is computed once.
  auto same = tabulate([&](auto i) { return cast<float>(i) + reduce(plus, 0.f, tabulate([&](auto j) { return s[j]; }, n)); }, n);
  CHECK(!contains(explain(same), "(fold "));
  float total = 0;
  for (float x : p) total += x;
  std::vector<float> right, right_same;
  for (int64_t i = 0; i < n; i++) {
    float sum = 0;
    for (float x : p) sum += x - p[size_t(i)];
    right.push_back(sum);
    right_same.push_back(float(i) + total);
  }
  CHECK_EQ(forces.to_vector(), right);
  CHECK_EQ(same.to_vector(), right_same);
}

TEST(pairs_are_reduced_inside) {
  const int64_t n = 3001, m = 5;
  const auto values = numbers<float>(n * m);
  Seq<float> a(values);
  using Best = std::pair<float, int64_t>;
  auto best = tabulate(
      [&](auto i) {
        auto row = map([](auto k, auto x) { return std::pair(x, k); }, enumerate(subseq(a, i * m, m)));
        auto larger = [](auto p, auto q) { return where(p.first >= q.first, p, q); };
        auto [x, k] = reduce(larger, Best{-1e30f, -1}, row);
        return std::pair(x + 0, k);
      },
      n);
  std::vector<Best> right;
  for (int64_t i = 0; i < n; i++) {
    Best top{-1e30f, -1};
    for (int64_t j = 0; j < m; j++)
      if (float x = values[size_t(i * m + j)]; x > top.first) top = {x, j};
    right.push_back(top);
  }
  CHECK(best.to_vector() == right);
}

TEST(reductions_of_reductions) {
  // The product of two matrices of k x k, then its largest row sum.
  const int64_t k = 23;
  const auto values = numbers<int>(k * k);
  Seq<int> a(values);
  auto largest = tabulate(
      [&](auto i) {
        return reduce(
            max, -1000000,
            tabulate([&](auto j) { return reduce(plus, 0, tabulate([&](auto l) { return a[i * k + l] * a[l * k + j]; }, k)); }, k));
      },
      k);
  std::vector<int> right;
  for (int64_t i = 0; i < k; i++) {
    int most = -1000000;
    for (int64_t j = 0; j < k; j++) {
      int sum = 0;
      for (int64_t l = 0; l < k; l++) sum += values[size_t(i * k + l)] * values[size_t(l * k + j)];
      most = std::max(most, sum);
    }
    right.push_back(most);
  }
  CHECK_EQ(largest.to_vector(), right);
}

TEST(functions_of_sequences_work_inside_and_outside) {
  auto mean = [](const Seq<float>& s) { return reduce(plus, 0.f, s) / cast<float>(length(s)); };
  Seq<float> a{1, 2, 3, 4, 5, 7};
  CHECK_EQ(mean(a).get(), 22.f / 6);
  CHECK_EQ(tabulate([&](auto i) { return mean(subseq(a, i * 3, 3)); }, 2).to_vector(), (std::vector<float>{2, 16.f / 3}));
  // With expressions, numbers and other reductions.
  auto spread = tabulate(
      [&](auto i) {
        auto row = subseq(a, i * 3, 3);
        auto x = reduce(max, row) - reduce(min, row);
        x += 1;
        return where(x > 3, x * 2 + cast<float>(i), -x);
      },
      2);
  CHECK_EQ(spread.to_vector(), (std::vector<float>{-3, 9}));
}

TEST(reductions_and_lazy_scalars_are_expressions_by_name) {
  const Seq<float> a{1, 2, 3, 4, 5, 7};
  auto largest = [&](const Expr<int64_t>& i) -> Expr<float> { return max(subseq(a, i * 2, 2)); };
  const auto total = sum(a);
  auto f = [&](auto i) {
    Expr<float> x = largest(i);
    x = where(x > 6, total, x);
    Expr<int64_t> n = length(filter([](auto y) { return y > 2; }, take(a, i)));
    return std::pair(x, n);
  };
  const auto expected = std::vector<std::pair<float, int64_t>>{{2, 0}, {4, 0}, {22, 0}};
  CHECK(tabulate(f, 3).to_vector() == expected);
  // Outside of a trace there is no expression.
  CHECK_THROWS(ArgumentError, Expr<float>{total});
}

// The bounds of no elements, such as the least of none and the largest of none, are so far apart that their difference wraps around.
TEST(ranges_between_the_limits) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  const Seq<int64_t> a{most, most, 5, -3, least}, b{least, least + 2, 7, least, least};
  CHECK_EQ(map([](auto x, auto y) { return length(range(x, y)); }, a, b).to_vector(), (std::vector<int64_t>{0, 0, 2, 0, 0}));
  CHECK_EQ(map([](auto x, auto y) { return sum(range(x, y)); }, a, b).to_vector(), (std::vector<int64_t>{0, 0, 11, 0, 0}));
  CHECK_EQ(map([](auto y) { return length(range(int64_t{9}, y)); }, b).to_vector(), (std::vector<int64_t>{0, 0, 0, 0, 0}));
  const Seq<uint64_t> c{(uint64_t{1} << 63) - 1, ~uint64_t{0}}, d{(uint64_t{1} << 63) + 1, 3};
  CHECK_EQ(map([](auto x, auto y) { return length(range(x, y)); }, c, d).to_vector(), (std::vector<int64_t>{2, 0}));
  const Seq<int> rows{4, -1, 7, 2, 9};
  const auto inner_extremes = tabulate(
      [&](auto i) {
        const auto row = map([](auto x) { return cast<int64_t>(x); }, take(rows, i));
        return length(range(min(row), max(row) + 1));
      },
      6);
  CHECK_EQ(inner_extremes.to_vector(), (std::vector<int64_t>{0, 1, 6, 9, 9, 11}));
}

TEST(filtered_sequences_and_lazy_scalars_are_captured) {
  const auto values = numbers<int>(1000);
  Seq<int> s(values);
  auto positive = filter([](auto x) { return x > 0; }, s);
  auto total = reduce(plus, 0, s);
  auto counts = map([&](auto x) { return reduce(plus, 0, map([&](auto y) { return cast<int>(y < x) + total; }, positive)); }, s);
  int sum = 0;
  for (int x : values) sum += x;
  std::vector<int> right;
  for (int x : values) {
    int count = 0;
    for (int y : values)
      if (y > 0) count += (y < x) + sum;
    right.push_back(count);
  }
  CHECK_EQ(counts.to_vector(), right);
}

// ---- errors -------------------------------------------------------------------------------------------------------------

TEST(an_index_outside_of_a_part_is_an_error) {
  Seq<int> a{1, 2, 3, 4, 5, 6};
  auto sums = [&](int64_t m, int64_t n) { return tabulate([&](auto i) { return reduce(plus, 0, subseq(a, i * m, m)); }, n); };
  CHECK_EQ(sums(3, 2).to_vector(), (std::vector<int>{6, 15}));
  CHECK(contains(error_of<RangeError>([&] { sums(3, 3).force(); }), "6"));
  CHECK_THROWS(RangeError, sums(4, 2).force());
  // A part of a part stays inside of it, although the memory goes on.
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return reduce(plus, 0, take(subseq(a, i, 2), 3)); }, 2).force());
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return subseq(a, i, 2)[2]; }, 2).force());
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return reduce(plus, 0, drop(subseq(a, i + 1, 2), -1)); }, 2).force());
  CHECK_EQ(tabulate([&](auto i) { return subseq(a, i, 2)[1]; }, 2).to_vector(), (std::vector<int>{2, 3}));
  // Lengths between the limits.
  constexpr int64_t least = INT64_MIN, most = INT64_MAX;
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return reduce(plus, 0, subseq(a, i, most)); }, 2).force());
  CHECK_THROWS(RangeError,
               tabulate([&](auto i) { return sum(map([&](auto j) { return a[j]; }, range(i - most - 1, i + most / 2))); }, 2).force());
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return reduce(plus, 0, drop(subseq(a, i, 2), i + least)); }, 2).force());
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return reduce(plus, 0, append(subseq(a, i, most), subseq(a, i, most))); }, 2).force());
  CHECK_EQ(tabulate([&](auto i) { return reduce(plus, 0, drop(subseq(a, i, 2), i + most)); }, 1).to_vector(), std::vector<int>{0});
  CHECK_EQ(tabulate([&](auto i) { return is_sorted(subseq(a, i, least)); }, 2).to_vector(), (std::vector<bool>{true, true}));
  // A shorter partner.
  CHECK_THROWS(
      RangeError,
      tabulate([&](auto i) { return reduce(plus, 0, map([](auto x, auto y) { return x * y; }, subseq(a, i, 3), subseq(a, i, 2))); }, 2)
          .force());
}

TEST(partners_of_different_lengths_are_an_error) {
  const Seq<int> a{1, 2, 3, 4, 5, 6};
  const Seq<int> evens = filter([](auto x) { return x % 2 == 0; }, a);
  auto products = [&](auto left, auto right, int64_t n) {
    return tabulate([&](auto i) { return reduce(plus, 0, map([](auto x, auto y) { return x * y; }, left(i), right(i))); }, n);
  };
  auto all = [&](auto) { return a; };
  auto three = [&](auto) { return evens; };
  auto part = [&](auto i) { return subseq(a, i, 3); };
  auto first = [&](auto i) { return take(a, i); };
  auto none = [&](auto i) { return take(a, -i); };
  CHECK_EQ(products(part, three, 2).to_vector(), (std::vector<int>{2 + 8 + 18, 4 + 12 + 24}));
  CHECK_EQ(products(first, first, 3).to_vector(), (std::vector<int>{0, 1, 5}));
  CHECK_EQ(products(none, none, 3).to_vector(), (std::vector<int>{0, 0, 0}));
  CHECK_EQ(products([&](auto i) { return take(a, i - 2); }, none, 3).to_vector(), (std::vector<int>{0, 0, 0}));
  CHECK_EQ(products(
               all, [&](auto i) { return take(a, i + 6); }, 1)
               .to_vector(),
           (std::vector<int>{91}));
  // The left one is shorter, the right one.
  CHECK_EQ(error_of<RangeError>([&] { products(first, all, 7).force(); }).substr(0, 87),
           "force: index 5 at element 0 is out of range for a sequence of length 0");
  CHECK_THROWS(RangeError, products(all, first, 7).force());
  CHECK_THROWS(RangeError, products(part, all, 2).force());
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return length(zip(part(i), part(i), a)); }, 2).force());
  CHECK_EQ(tabulate([&](auto i) { return length(zip(part(i), part(i), evens)); }, 2).to_vector(), (std::vector<int64_t>{3, 3}));
}

TEST(inner_sequences_do_not_leave_their_function) {
  Seq<float> a{1, 2, 3, 4};
  Seq<float> row;
  Scalar<float> sum = 0.f;
  auto s = tabulate(
      [&](auto i) {
        row = subseq(a, i, 2);
        sum = reduce(plus, 0.f, row);
        return sum;
      },
      3);
  CHECK_EQ(s.to_vector(), (std::vector<float>{3, 5, 7}));
  CHECK(contains(error_of<ArgumentError>([&] { row.to_vector(); }), "a sequence that depends on the arguments of a traced function"));
  CHECK(contains(error_of<ArgumentError>([&] { sum.get(); }), "has no value yet"));
  CHECK(contains(error_of<ArgumentError>([&] { reduce(plus, 0.f, row); }),
                 "a sequence or reduction that depends on one, is used outside of"));
  CHECK(contains(error_of<ArgumentError>([&] { tabulate([&](auto) { return reduce(plus, 0.f, row); }, 3); }), "used outside of"));
  CHECK(contains(error_of<ArgumentError>([&] { tabulate([&](auto) { return sum; }, 3); }), "used outside of"));
  CHECK(contains(error_of<ArgumentError>([&] { (void)row[0]; }), "a sequence or reduction that depends on one, is used outside of"));
  CHECK(contains(error_of<ArgumentError>([&] { (void)(sum + 1.f); }), "a sequence or reduction that depends on one, is used outside of"));
}

TEST(results_that_would_be_nested_are_errors) {
  Seq<float> a{1, 2, 3, 4};
  auto inside = [&](auto f) { return error_of<ArgumentError>([&] { tabulate([&](auto i) { return f(subseq(a, i, 2)); }, 2); }); };
  CHECK(contains(inside([](auto row) { return reduce(plus, 0.f, scan_incl(plus, 0.f, row)); }), "what needs its elements stored (scan"));
  CHECK(contains(inside([](auto row) { return row.size() + reduce(plus, 0.f, row); }), "length"));
  CHECK(contains(inside([](auto row) { return take(filter([](auto x) { return x > 1; }, row), 1)[0]; }), "filtered"));
  CHECK(contains(error_of<ArgumentError>([&] {
                   tabulate([&](auto i) { return reduce([&](auto x, auto y) { return x + y + cast<float>(i); }, 0.f, subseq(a, i, 2)); },
                            2);
                 }),
                 "depends on more than its two arguments"));
  CHECK(contains(error_of<ArgumentError>(
                     [&] { tabulate([&](auto i) { return reduce([](float x, float y) { return x + y; }, 0.f, subseq(a, i, 2)); }, 2); }),
                 "runs on the host"));
  CHECK(contains(inside([](auto row) { return reduce([](auto x, auto y) { return x + y; }, row); }), "reduce(f, identity, s)"));
}
