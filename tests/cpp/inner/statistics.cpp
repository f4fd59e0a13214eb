// Statistics, searches and comparisons inside a traced function, next to loops over vectors.
#include <numeric>

#include "rows.h"

TEST(statistics_inside) {
  const Ragged a;
  compare(
      a, [](auto row, auto) { return product(map([](auto x) { return x | 1; }, row)); },
      [](const Row& row, int64_t) {
        uint32_t all = 1;
        for (int x : row) all *= uint32_t(x | 1);
        return int(all);
      });
  compare(
      a, [](auto row, auto) { return where(length(row) > 0, mean(row), -1); },
      [](const Row& row, int64_t) {
        return row.empty() ? -1 : double(std::accumulate(row.begin(), row.end(), int64_t{0})) / double(row.size());
      });
  compare(
      a,
      [](auto row, auto) {
        const auto [low, high] = minmax(row);
        return cast<int64_t>(high) - cast<int64_t>(low);
      },
      [](const Row& row, int64_t) {
        if (row.empty()) return int64_t{INT32_MIN} - int64_t{INT32_MAX};
        const auto [low, high] = std::ranges::minmax_element(row);
        return int64_t{*high} - int64_t{*low};
      });
  compare(
      a, [](auto row, auto) { return argmax(row) * 1000 + argmin(row); },
      [](const Row& row, int64_t) {
        if (row.empty()) return int64_t{-1001};
        return (std::ranges::max_element(row) - row.begin()) * 1000 + (std::ranges::min_element(row) - row.begin());
      });
  compare(
      a, [](auto row, auto) { return argmax([](auto x, auto y) { return x % 10 < y % 10; }, row); },
      [](const Row& row, int64_t) {
        return row.empty() ? -1 : std::ranges::max_element(row, [](int x, int y) { return x % 10 < y % 10; }) - row.begin();
      });
  compare(
      a, [](auto row, auto i) { return find_index([&](auto x) { return x % 30 == cast<int>(i % 30); }, row); },
      [](const Row& row, int64_t r) {
        const auto at = std::ranges::find_if(row, [&](int x) { return x % 30 == int(r % 30); });
        return at == row.end() ? -1 : at - row.begin();
      });
  compare(
      a, [](auto row, auto i) { return iterate([&](auto state, auto x) { return state * 31 + x + cast<int>(i); }, 7, row); },
      [](const Row& row, int64_t r) {
        uint32_t state = 7;
        for (int x : row) state = state * 31 + uint32_t(x) + uint32_t(r);
        return int(state);
      });
  compare(
      a, [](auto row, auto) { return map_reduce([](auto x) { return x / 3; }, max, -100, row); },
      [](const Row& row, int64_t) {
        int most = -100;
        for (int x : row) most = std::max(most, x / 3);
        return most;
      });
}

TEST(comparisons_inside) {
  const Ragged a;
  // Rows of few different elements, so that prefixes are equal and rows are in order.
  auto coarse = [](auto row, auto i) { return map([i](auto x) { return x / (30 + cast<int>(i)); }, row); };
  auto coarse_row = [](Row row, int64_t r) {
    for (int& x : row) x /= 30 + int(r);
    return row;
  };
  compare(
      a, [&](auto row, auto i) { return is_sorted(coarse(row, i)); },
      [&](const Row& row, int64_t r) { return std::ranges::is_sorted(coarse_row(row, r)); });
  compare(
      a, [&](auto row, auto i) { return is_sorted([](auto x, auto y) { return y < x; }, coarse(row, i)); },
      [&](const Row& row, int64_t r) { return std::ranges::is_sorted(coarse_row(row, r), std::greater<>()); });
  compare(
      a, [&](auto row, auto i) { return equal(coarse(row, i), rev(coarse(row, i))); },
      [&](const Row& row, int64_t r) {
        const Row c = coarse_row(row, r);
        return std::equal(c.begin(), c.end(), c.rbegin());
      },
      true);
  compare(
      a, [&](auto row, auto i) { return equal([&](auto x, auto y) { return x - y < cast<int>(i); }, row, take(a.s, i)); },
      [&](const Row& row, int64_t r) {
        if (int64_t(row.size()) != r) return false;
        for (size_t j = 0; j < row.size(); j++)
          if (row[j] - a.values[j] >= int(r)) return false;
        return true;
      },
      true);
  auto sign = [](auto order) { return order < 0 ? -1 : order > 0 ? 1 : 0; };
  compare(
      a, [&](auto row, auto i) { return collate(coarse(row, i), coarse(take(a.s, i), i)); },
      [&](const Row& row, int64_t r) { return sign(coarse_row(row, r) <=> coarse_row(Row(a.values.begin(), a.values.begin() + r), r)); },
      true);
  compare(
      a, [&](auto row, auto) { return collate(row, rev(row)); },
      [&](const Row& row, int64_t) { return sign(row <=> Row(row.rbegin(), row.rend())); }, true);
  compare(
      a, [&](auto row, auto i) { return collate([](auto x, auto y) { return y < x; }, take(row, min(i, length(row))), row); },
      [&](const Row& row, int64_t r) { return r < int64_t(row.size()) ? -1 : 0; }, true);
}

// Tuples, and sequences of their own that a function of the outer element reads.
TEST(tuples_and_captured_sequences) {
  const int64_t n = 1025;
  const auto values = numbers(n);
  const Seq<int> s(values);
  const auto pairs = map_idx([](auto i, auto x) { return std::pair(x / 10, cast<float>(i)); }, s);
  const auto found = tabulate(
                         [&](auto i) {
                           const auto part = take(pairs, i % 77);
                           const auto kept = filter([&](auto a, auto) { return a > cast<int>(i % 5) - 2; }, part);
                           return std::tuple(argmax(part), argmax(kept), is_sorted(part), is_sorted(kept),
                                             find_index([&](auto x) { return x > cast<int>(i % 60); }, s), equal(part, take(pairs, i % 7)),
                                             length(append(part, kept)));
                         },
                         n)
                         .to_vector();
  std::vector<std::pair<int, float>> all;
  for (size_t j = 0; j < values.size(); j++) all.emplace_back(values[j] / 10, float(j));
  for (int64_t i = 0; i < n; i++) {
    const std::vector part(all.begin(), all.begin() + i % 77);
    auto kept = part;
    std::erase_if(kept, [&](const auto& p) { return p.first <= int(i % 5) - 2; });
    auto largest = [](const auto& v) { return v.empty() ? -1 : std::ranges::max_element(v) - v.begin(); };
    const auto at = std::ranges::find_if(values, [&](int x) { return x > int(i % 60); });
    const std::tuple right(largest(part), largest(kept), std::ranges::is_sorted(part), std::ranges::is_sorted(kept),
                           at == values.end() ? int64_t{-1} : at - values.begin(), i % 77 == i % 7, int64_t(part.size() + kept.size()));
    CHECK(found[size_t(i)] == right);
  }
}
