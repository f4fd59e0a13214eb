// Rows of different lengths, and every view of a captured sequence, with bounds that depend on the outer element.
#pragma once

#include <algorithm>
#include <cstring>

#include "../common.h"

using namespace warpfold;

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

template <class Change> auto changed(const Ragged& a, Change change) {
  return [&a, change](int64_t r) {
    Row row = a.row(r);
    change(row, r);
    return row;
  };
}
inline auto part_of(const Ragged& a) {
  return [&a](auto i) { return subseq(a.s, a.begins[i], a.begins[i + 1] - a.begins[i]); };
}

// Calls use(the view of row i inside of a function, its elements in a loop) for a part, a filtered part and a view of views.
template <class Use> void few_views(const Ragged& a, Use use) {
  auto length = [&](auto i) { return a.begins[i + 1] - a.begins[i]; };
  auto part = part_of(a);
  use("subseq", part, changed(a, [](Row&, int64_t) {}));
  use(
      "filter", [&](auto i) { return filter([&](auto x) { return x > cast<int>(i) - 20; }, part(i)); },
      changed(a, [](Row& row, int64_t r) { std::erase_if(row, [&](int x) { return x <= int(r) - 20; }); }));
  use(
      "views of views", [&](auto i) { return rev(drop(take(map([](auto x) { return x ^ 5; }, part(i)), length(i) / 2), length(i) / 4)); },
      changed(a, [](Row& row, int64_t) {
        const size_t n = row.size();
        row.resize(n / 2);
        row.erase(row.begin(), row.begin() + int64_t(n / 4));
        for (int& x : row) x ^= 5;
        std::ranges::reverse(row);
      }));
}

// The same for each kind of view.
template <class Use> void each_view(const Ragged& a, Use use) {
  few_views(a, use);
  auto length = [&](auto i) { return a.begins[i + 1] - a.begins[i]; };
  auto part = part_of(a);
  use(
      "map", [&](auto i) { return map([&](auto x) { return x * 3 - cast<int>(i); }, part(i)); }, changed(a, [](Row& row, int64_t r) {
        for (int& x : row) x = x * 3 - int(r);
      }));
  use(
      "zip", [&](auto i) { return map([](auto x, auto y) { return x * 2 - y; }, zip(part(i), rev(part(i)))); },
      changed(a, [](Row& row, int64_t) {
        const Row from = row;
        for (size_t j = 0; j < row.size(); j++) row[j] = from[j] * 2 - from[row.size() - 1 - j];
      }));
  use(
      "tabulate", [&](auto i) { return tabulate([&](auto j) { return a.s[a.begins[i] + j] + cast<int>(j * i); }, length(i)); },
      changed(a, [](Row& row, int64_t r) {
        for (size_t j = 0; j < row.size(); j++) row[j] += int(int64_t(j) * r);
      }));
  use(
      "take", [&](auto i) { return take(part(i), (length(i) + 1) / 2); },
      changed(a, [](Row& row, int64_t) { row.resize((row.size() + 1) / 2); }));
  use(
      "drop", [&](auto i) { return drop(part(i), length(i) / 3); },
      changed(a, [](Row& row, int64_t) { row.erase(row.begin(), row.begin() + int64_t(row.size() / 3)); }));
  use(
      "rev", [&](auto i) { return map([](auto k, auto x) { return cast<int>(k) * x; }, enumerate(rev(part(i)))); },
      changed(a, [](Row& row, int64_t) {
        std::ranges::reverse(row);
        for (size_t j = 0; j < row.size(); j++) row[j] *= int(j);
      }));
  use(
      "append", [&](auto i) { return append(part(i), take(a.s, i), rev(part(i))); }, changed(a, [&](Row& row, int64_t r) {
        const Row back(row.rbegin(), row.rend());
        row.insert(row.end(), a.values.begin(), a.values.begin() + r);
        row.insert(row.end(), back.begin(), back.end());
      }));
  use(
      "rotate", [&](auto i) { return map([](auto k, auto x) { return cast<int>(k) * x; }, enumerate(rotate(part(i), i * 3 - 70))); },
      changed(a, [](Row& row, int64_t r) {
        const auto n = int64_t(row.size());
        if (n > 0) std::rotate(row.begin(), row.begin() + ((r * 3 - 70) % n + n) % n, row.end());
        for (size_t j = 0; j < row.size(); j++) row[j] *= int(j);
      }));
  use(
      "update", [&](auto i) { return update(append(part(i), tabulate([&](auto) { return 9; }, i % 2 + 1)), length(i), cast<int>(i)); },
      changed(a, [](Row& row, int64_t r) {
        row.push_back(int(r));
        if (r % 2 == 1) row.push_back(9);
      }));
}

// Compares `inside` of a view with `outside` of its elements. With positions, `inside` refuses filtered views.
template <class Inside, class Outside> auto comparison(const Ragged& a, Inside inside, Outside outside, bool needs_positions) {
  return [=, &a](const char* name, auto view, auto elements) {
    auto results = [&] { return tabulate([&](auto i) { return inside(view(i), i); }, a.rows()); };
    if (needs_positions && std::strcmp(name, "filter") == 0) {
      CHECK_THROWS(ArgumentError, results());
      return;
    }
    const auto found = results().to_vector();
    int64_t wrong = 0;
    for (int64_t r = 0; r < a.rows(); r++) wrong += int64_t(found[size_t(r)]) != int64_t(outside(elements(r), r));
    if (wrong > 0) std::printf("%s\n", name);
    CHECK_EQ(wrong, 0);
  };
}
template <class Inside, class Outside> void compare(const Ragged& a, Inside inside, Outside outside, bool needs_positions = false) {
  few_views(a, comparison(a, inside, outside, needs_positions));
}
template <class Inside, class Outside> void compare_all(const Ragged& a, Inside inside, Outside outside) {
  each_view(a, comparison(a, inside, outside, false));
}
