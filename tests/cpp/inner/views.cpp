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
