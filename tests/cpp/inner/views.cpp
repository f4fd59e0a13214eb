// Every reduction over every view of a captured sequence, with bounds that depend on the outer element, next to loops over vectors.
#include <algorithm>
#include <numeric>

#include "../common.h"

using namespace warpfold;

namespace {

using Row = std::vector<int>;

// Rows of 0 to 300 elements, which begin at first[r] and end at first[r + 1]; lengths around tiles and registers.
struct Ragged {
  Ragged() {
    for (int64_t length : {0, 1, 2, 7, 63, 64, 65, 0, 128, 129, 300, 3, 24, 25}) first.push_back(first.back() + length);
    for (int repeat = 0; repeat < 4; repeat++)
      for (size_t k = 0; k < 14; k++) first.push_back(first.back() + first[k + 1] - first[k]);
    values = numbers(first.back());
    s = Seq<int>(values), begins = Seq<int64_t>(first);
  }
  int64_t rows() const { return int64_t(first.size()) - 1; }
  Row row(int64_t r) const { return Row(values.begin() + first[size_t(r)], values.begin() + first[size_t(r) + 1]); }

  std::vector<int64_t> first{0};
  std::vector<int> values;
  Seq<int> s;
  Seq<int64_t> begins;
};

// Calls use(the view of row i inside of a function, its elements in a loop) for each kind of view.
template <class Use> void each_view(const Ragged& a, Use use) {
  auto length = [&](auto i) { return a.begins[i + 1] - a.begins[i]; };
  auto part = [&](auto i) { return subseq(a.s, a.begins[i], length(i)); };
  auto changed = [&](auto change) {
    return [&, change](int64_t r) {
      Row row = a.row(r);
      change(row, r);
      return row;
    };
  };
  use("subseq", part, changed([](Row&, int64_t) {}));
  use(
      "map", [&](auto i) { return map([&](auto x) { return x * 3 - cast<int>(i); }, part(i)); }, changed([](Row& row, int64_t r) {
        for (int& x : row) x = x * 3 - int(r);
      }));
  use(
      "zip", [&](auto i) { return map([](auto x, auto y) { return x * 2 - y; }, zip(part(i), rev(part(i)))); },
      changed([](Row& row, int64_t) {
        const Row from = row;
        for (size_t j = 0; j < row.size(); j++) row[j] = from[j] * 2 - from[row.size() - 1 - j];
      }));
  use(
      "tabulate", [&](auto i) { return tabulate([&](auto j) { return a.s[a.begins[i] + j] + cast<int>(j * i); }, length(i)); },
      changed([](Row& row, int64_t r) {
        for (size_t j = 0; j < row.size(); j++) row[j] += int(int64_t(j) * r);
      }));
  use(
      "take", [&](auto i) { return take(part(i), (length(i) + 1) / 2); },
      changed([](Row& row, int64_t) { row.resize((row.size() + 1) / 2); }));
  use(
      "drop", [&](auto i) { return drop(part(i), length(i) / 3); },
      changed([](Row& row, int64_t) { row.erase(row.begin(), row.begin() + int64_t(row.size() / 3)); }));
  use(
      "rev", [&](auto i) { return map([](auto k, auto x) { return cast<int>(k) * x; }, enumerate(rev(part(i)))); },
      changed([](Row& row, int64_t) {
        std::ranges::reverse(row);
        for (size_t j = 0; j < row.size(); j++) row[j] *= int(j);
      }));
  use(
      "filter", [&](auto i) { return filter([&](auto x) { return x > cast<int>(i) - 20; }, part(i)); },
      changed([](Row& row, int64_t r) { std::erase_if(row, [&](int x) { return x <= int(r) - 20; }); }));
  use(
      "views of views", [&](auto i) { return rev(drop(take(map([](auto x) { return x ^ 5; }, part(i)), length(i) / 2), length(i) / 4)); },
      changed([](Row& row, int64_t) {
        const size_t n = row.size();
        row.resize(n / 2);
        row.erase(row.begin(), row.begin() + int64_t(n / 4));
        for (int& x : row) x ^= 5;
        std::ranges::reverse(row);
      }));
}

// Compares `inside` of each view with `outside` of its elements.
template <class Inside, class Outside> void compare(const Ragged& a, Inside inside, Outside outside) {
  each_view(a, [&](const char* name, auto view, auto elements) {
    const auto found = tabulate([&](auto i) { return inside(view(i), i); }, a.rows()).to_vector();
    int64_t wrong = 0;
    for (int64_t r = 0; r < a.rows(); r++) wrong += int64_t(found[size_t(r)]) != int64_t(outside(elements(r), r));
    if (wrong > 0) std::printf("%s\n", name);
    CHECK_EQ(wrong, 0);
  });
}

}  // namespace

TEST(sums) {
  compare(
      Ragged(), [](auto row, auto) { return sum(row); },
      [](const Row& row, int64_t) { return std::accumulate(row.begin(), row.end(), 0); });
}
TEST(reductions_by_a_function) {
  compare(
      Ragged(), [](auto row, auto) { return reduce([](auto x, auto y) { return where(abs(x) >= abs(y), x, y); }, 0, row); },
      [](const Row& row, int64_t) {
        int most = 0;
        for (int x : row) most = std::abs(most) >= std::abs(x) ? most : x;
        return most;
      });
}
TEST(extremes) {
  compare(
      Ragged(), [](auto row, auto) { return min(row); },
      [](const Row& row, int64_t) { return row.empty() ? INT32_MAX : *std::ranges::min_element(row); });
  compare(
      Ragged(), [](auto row, auto) { return max(row); },
      [](const Row& row, int64_t) { return row.empty() ? INT32_MIN : *std::ranges::max_element(row); });
}
TEST(counts) {
  compare(
      Ragged(), [](auto row, auto i) { return count([&](auto x) { return x > cast<int>(i) - 30; }, row); },
      [](const Row& row, int64_t r) { return std::ranges::count_if(row, [&](int x) { return x > int(r) - 30; }); });
  compare(
      Ragged(), [](auto row, auto) { return length(row); }, [](const Row& row, int64_t) { return int64_t(row.size()); });
}
TEST(truths) {
  compare(
      Ragged(), [](auto row, auto i) { return all([&](auto x) { return x > cast<int>(i) - 80; }, row); },
      [](const Row& row, int64_t r) { return std::ranges::all_of(row, [&](int x) { return x > int(r) - 80; }); });
  compare(
      Ragged(), [](auto row, auto i) { return any([&](auto x) { return x == cast<int>(i); }, row); },
      [](const Row& row, int64_t r) { return std::ranges::count(row, int(r)) > 0; });
}
TEST(products) {
  // A filtered sequence has no elements by position, so it has no partner.
  compare(
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
