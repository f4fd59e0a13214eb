// Every reduction over every view of a captured sequence, with bounds that depend on the outer element, next to loops over vectors.
#include <numeric>

#include "rows.h"

TEST(sums) {
  compare_all(
      Ragged(), [](auto row, auto) { return sum(row); },
      [](const Row& row, int64_t) { return std::accumulate(row.begin(), row.end(), 0); });
}
TEST(reductions_by_a_function) {
  compare_all(
      Ragged(), [](auto row, auto) { return reduce([](auto x, auto y) { return where(abs(x) >= abs(y), x, y); }, 0, row); },
      [](const Row& row, int64_t) {
        int most = 0;
        for (int x : row) most = std::abs(most) >= std::abs(x) ? most : x;
        return most;
      });
}
TEST(extremes) {
  compare_all(
      Ragged(), [](auto row, auto) { return min(row); },
      [](const Row& row, int64_t) { return row.empty() ? INT32_MAX : *std::ranges::min_element(row); });
  compare_all(
      Ragged(), [](auto row, auto) { return max(row); },
      [](const Row& row, int64_t) { return row.empty() ? INT32_MIN : *std::ranges::max_element(row); });
}
TEST(counts) {
  compare_all(
      Ragged(), [](auto row, auto i) { return count([&](auto x) { return x > cast<int>(i) - 30; }, row); },
      [](const Row& row, int64_t r) { return std::ranges::count_if(row, [&](int x) { return x > int(r) - 30; }); });
  compare_all(
      Ragged(), [](auto row, auto) { return length(row); }, [](const Row& row, int64_t) { return int64_t(row.size()); });
}
TEST(truths) {
  compare_all(
      Ragged(), [](auto row, auto i) { return all([&](auto x) { return x > cast<int>(i) - 80; }, row); },
      [](const Row& row, int64_t r) { return std::ranges::all_of(row, [&](int x) { return x > int(r) - 80; }); });
  compare_all(
      Ragged(), [](auto row, auto i) { return any([&](auto x) { return x == cast<int>(i); }, row); },
      [](const Row& row, int64_t r) { return std::ranges::count(row, int(r)) > 0; });
}
TEST(products) {
  // A filtered sequence has no elements by position, so it has no partner.
  compare_all(
      Ragged(), [](auto row, auto) { return sum(map([](auto x) { return x * x; }, row)); },
      [](const Row& row, int64_t) {
        uint32_t total = 0;  // wraps, as the library's sums do
        for (int x : row) total += uint32_t(x) * uint32_t(x);
        return int(total);
      });
  const Ragged a;
  const auto dots = tabulate(
                        [&](auto i) {
                          auto row = subseq(a.s, a.begins[i], a.begins[i + 1] - a.begins[i]);
                          return dot(row, rev(row));
                        },
                        a.rows())
                        .to_vector();
  for (int64_t r = 0; r < a.rows(); r++) {
    const Row row = a.row(r);
    CHECK_EQ(dots[size_t(r)], std::inner_product(row.begin(), row.end(), row.rbegin(), 0));
  }
}
// Folds in folds in folds: the bounds of the innermost depend on both outer positions.
TEST(nested_two_deep) {
  const Ragged a;
  const auto found = tabulate(
                         [&](auto i) {
                           auto row = subseq(a.s, a.begins[i], min(a.begins[i + 1] - a.begins[i], 25));
                           return max(tabulate(
                               [&](auto j) {
                                 auto longer = map([&](auto x) { return x * cast<int>(j) + sum(take(row, j % 3)); }, take(row, j));
                                 return sum(longer) - count([&](auto x) { return x > cast<int>(j); }, row);
                               },
                               length(row)));
                         },
                         a.rows())
                         .to_vector();
  for (int64_t r = 0; r < a.rows(); r++) {
    Row row = a.row(r);
    row.resize(std::min<size_t>(row.size(), 25));
    int64_t most = INT64_MIN;
    for (int j = 0; j < int(row.size()); j++) {
      const int first = std::accumulate(row.begin(), row.begin() + j % 3, 0);
      int total = 0;
      for (int k = 0; k < j; k++) total += row[size_t(k)] * j + first;
      most = std::max<int64_t>(most, total - std::ranges::count_if(row, [&](int x) { return x > j; }));
    }
    CHECK_EQ(int64_t(found[size_t(r)]), most);
  }
}

// Many rows are folded at once, and results that exceed the caches are stored past them.
TEST(sums_of_many_short_rows) {
  auto check = [](auto zero, int64_t rows, int64_t m) {
    using T = decltype(zero);
    std::vector<T> a;
    for (int64_t k = 0; k < rows * m + 1; k++) a.push_back(static_cast<T>((k * 7919) % 1009 % 251));
    const Seq<T> elements(a);
    const T start = static_cast<T>(zero + 5);
    auto sums = tabulate([&](auto i) { return reduce(plus, start, subseq(elements, i * m + 1, m)); }, rows);
    auto both = tabulate(
        [&](auto i) {
          auto row = subseq(elements, i * m, m);
          return std::pair(reduce(max, row), reduce(plus, start, row));
        },
        rows);
    force(sums, both);
    const auto sum = sums.to_vector();
    const auto pairs = both.to_vector();
    CHECK_EQ(static_cast<int64_t>(sum.size()), rows);
    bool all_sums = true, all_pairs = true;
    for (int64_t i = 0; i < rows; i++) {
      T shifted = start, total = start, largest = a[static_cast<size_t>(i * m)];
      for (int64_t j = 0; j < m; j++) {
        const T x = a[static_cast<size_t>(i * m + j)];
        shifted = static_cast<T>(shifted + a[static_cast<size_t>(i * m + j + 1)]);
        total = static_cast<T>(total + x);
        largest = std::max(largest, x);
      }
      all_sums &= sum[static_cast<size_t>(i)] == shifted;
      all_pairs &= pairs[static_cast<size_t>(i)] == std::pair(largest, total);
    }
    CHECK(all_sums);
    CHECK(all_pairs);
  };
  for (int64_t m : {2, 3, 4, 8, 16, 31, 64}) {
    check(0.f, 70001, m);
    check(0, 40000, m);
    check(uint8_t(0), 33000, m);
    check(int64_t(0), 32768, m);
  }
  check(0.f, 5'000'003, 2);
  check(0.0, 3'000'001, 3);
}
