// Every function of sequences that is a fold or a view, inside a traced function, next to loops over vectors.
#include <functional>
#include <numeric>

#include "rows.h"

namespace {

std::string remedy_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ArgumentError& error) { return error.what(); }
  return "no error";
}

// A sum of the elements with their positions, so that misplaced elements show.
template <class S> auto weighed(const S& s) {
  return sum(map_idx([](auto j, auto x) { return cast<int>(j + 1) * x; }, s));
}
int weighed(const Row& row) {
  uint32_t total = 0;
  for (size_t j = 0; j < row.size(); j++) total += uint32_t(j + 1) * uint32_t(row[j]);
  return int(total);
}
Row appended(Row a, const Row& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST(appended_sequences) {
  const Ragged a;
  const Seq<int> few{3, -4, 5};
  compare(
      a, [&](auto row, auto i) { return weighed(append(row, take(few, i % 4), rev(row))); },
      [](const Row& row, int64_t r) {
        const Row few{3, -4, 5};
        return weighed(appended(appended(row, Row(few.begin(), few.begin() + r % 4)), Row(row.rbegin(), row.rend())));
      },
      true);
  // Of filtered ones there are no positions, but there are reductions.
  compare(
      a, [&](auto row, auto) { return sum(append(row, few)) * 100 + cast<int>(length(append(few, row, row))); },
      [](const Row& row, int64_t) { return (std::accumulate(row.begin(), row.end(), 0) + 4) * 100 + int(3 + 2 * row.size()); });
  compare(
      a,
      [&](auto row, auto) {
        return weighed(append(std::vector{row, few}));
      },
      [](const Row& row, int64_t) {
        return weighed(appended(row, {3, -4, 5}));
      },
      true);
  compare(
      a, [&](auto row, auto i) { return weighed(append(take(row, -i - 1), few)); },
      [](const Row&, int64_t) {
        return weighed(Row{3, -4, 5});
      },
      true);
}

TEST(elements_and_indices) {
  const Ragged a;
  compare(
      a, [](auto row, auto i) { return sum(map_idx([&](auto j, auto x) { return x * cast<int>(j - i); }, row)); },
      [](const Row& row, int64_t r) {
        int total = 0;
        for (size_t j = 0; j < row.size(); j++) total += row[j] * (int(j) - int(r));
        return total;
      },
      true);
  compare(
      a, [](auto row, auto) { return sum(map([](auto j, auto x) { return x ^ cast<int>(j); }, enumerate(row))); },
      [](const Row& row, int64_t) {
        int total = 0;
        for (size_t j = 0; j < row.size(); j++) total += row[j] ^ int(j);
        return total;
      },
      true);
  compare(
      a, [](auto row, auto i) { return sum(filter_idx([&](auto j, auto x) { return (x + cast<int>(j + i)) % 3 == 0; }, row)); },
      [](const Row& row, int64_t r) {
        int total = 0;
        for (size_t j = 0; j < row.size(); j++) total += (row[j] + int(j) + int(r)) % 3 == 0 ? row[j] : 0;
        return total;
      },
      true);
  compare(
      a, [](auto row, auto) { return max(pack_index([](auto x) { return x > 10; }, row)) & 1023; },
      [](const Row& row, int64_t) {
        int64_t last = INT64_MIN;
        for (size_t j = 0; j < row.size(); j++) last = row[j] > 10 ? int64_t(j) : last;
        return last & 1023;
      },
      true);
  compare(
      a, [](auto, auto i) { return sum(iota(i % 7)) + sum(map([](auto x) { return cast<int64_t>(x); }, iota<int>(i))); },
      [](const Row&, int64_t r) { return (r % 7) * (r % 7 - 1) / 2 + r * (r - 1) / 2; });
  compare(
      a, [](auto row, auto i) { return sum(fill(i + 3, length(row))) + sum(fill(i, 4)) + sum(fill(2, i)); },
      [](const Row& row, int64_t r) { return (r + 3) * int64_t(row.size()) + 4 * r + 2 * r; });
  compare(
      a, [](auto row, auto i) { return weighed(gather(append(row, fill(7, 3)), map([](auto j) { return j * 2 % 3; }, iota(i % 5)))); },
      [](Row row, int64_t r) {
        row.insert(row.end(), 3, 7);
        Row gathered;
        for (int64_t j = 0; j < r % 5; j++) gathered.push_back(row[size_t(j * 2 % 3)]);
        return weighed(gathered);
      },
      true);
}

TEST(sequences_of_different_lengths_together) {
  const Ragged a;
  compare(
      a, [&](auto row, auto i) { return weighed(zip_with([](auto x, auto y) { return x - 2 * y; }, row, take(a.s, i))); },
      [&](const Row& row, int64_t r) {
        Row both;
        for (size_t j = 0; j < std::min(row.size(), size_t(r)); j++) both.push_back(row[j] - 2 * a.values[j]);
        return weighed(both);
      },
      true);
  compare(
      a, [&](auto row, auto i) { return weighed(map([](auto x, auto y) { return x * y; }, zip_shortest(take(a.s, i), row))); },
      [&](const Row& row, int64_t r) {
        Row both;
        for (size_t j = 0; j < std::min(row.size(), size_t(r)); j++) both.push_back(row[j] * a.values[j]);
        return weighed(both);
      },
      true);
  compare(
      a, [](auto row, auto) { return weighed(interleave(row, rev(row))); },
      [](const Row& row, int64_t) {
        Row both;
        for (size_t j = 0; j < row.size(); j++) both.push_back(row[j]), both.push_back(row[row.size() - 1 - j]);
        return weighed(both);
      },
      true);
}

TEST(parts_and_replaced_elements) {
  const Ragged a;
  auto rotated = [](Row row, int64_t k) {
    const auto n = int64_t(row.size());
    if (n > 0) std::rotate(row.begin(), row.begin() + (k % n + n) % n, row.end());
    return weighed(row);
  };
  compare(
      a, [](auto row, auto i) { return weighed(rotate(row, i * 3 - 70)); },
      [&](const Row& row, int64_t r) { return rotated(row, r * 3 - 70); }, true);
  compare(
      a, [](auto row, auto) { return weighed(rotate(row, -1)); }, [&](const Row& row, int64_t) { return rotated(row, -1); }, true);
  compare(
      a,
      [](auto row, auto) {
        const auto half = length(row) / 2;
        return weighed(take(row, half)) - 3 * weighed(drop(row, half));
      },
      [](const Row& row, int64_t) {
        const auto middle = row.begin() + int64_t(row.size() / 2);
        return weighed(Row(row.begin(), middle)) - 3 * weighed(Row(middle, row.end()));
      },
      true);
  compare(
      a,
      [](auto row, auto) {
        const auto [low, high] = partition([](auto x) { return x < 7; }, row);
        return sum(low) * 3 - sum(high);
      },
      [](const Row& row, int64_t) {
        int total = 0;
        for (int x : row) total += x < 7 ? 3 * x : -x;
        return total;
      });
  compare(
      a, [](auto row, auto i) { return weighed(update(append(row, fill(0, 1)), i % (length(row) + 1), cast<int>(i))); },
      [](Row row, int64_t r) {
        row.push_back(0);
        row[size_t(r % int64_t(row.size()))] = int(r);
        return weighed(row);
      },
      true);
  compare(
      a,
      [](auto row, auto i) {
        const auto longer = append(row, fill(9, 1));
        return nth(longer, length(row)) + longer[i % (length(row) + 1)] + longer[0];
      },
      [](Row row, int64_t r) {
        row.push_back(9);
        return 9 + row[size_t(r % int64_t(row.size()))] + row[0];
      },
      true);
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return sum(update(take(a.s, i), i, 3)); }, 3).force());
}

// An element is read only if the branch of a `where` that uses it is chosen, whether the `where` and the read are inside of the fold or not.
TEST(branches_that_are_not_chosen_read_nothing) {
  const Seq<int> s{3, 1, 2};
  auto values = [](auto f) { return tabulate(f, 4).to_vector(); };
  auto weighted = [](auto c, auto i) { return sum(tabulate([=](auto j) { return where(i < 3, c + c * cast<int>(j), 0); }, 4)); };
  CHECK(values([&](auto i) { return weighted(s[i], i); }) == (std::vector{30, 10, 20, 0}));
  CHECK(values([&](auto i) { return weighted(where(i < 4, s[i], s[i - 9]), i); }) == (std::vector{30, 10, 20, 0}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return sum(tabulate([=](auto k) { return weighted(c, i) + cast<int>(k); }, 2));
        }) == (std::vector{61, 21, 41, 1}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return sum(tabulate([=](auto j) { return where(i + j < 3, c + c * cast<int>(j), 0); }, 4));
        }) == (std::vector{18, 3, 2, 0}));
  // A branch outside of the reduction reads the element, too; the reduction is in a branch, or over a filter, inside of another one.
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return where(i < 3, c * c, 0) + weighted(c, i);
        }) == (std::vector{39, 11, 24, 0}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return sum(
              tabulate([=](auto k) { return where(i + k < 3, sum(tabulate([=](auto j) { return c + c * cast<int>(j); }, 2)), 1); }, 2));
        }) == (std::vector{18, 6, 7, 2}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          auto near = [=](auto k) { return sum(filter([=](auto j) { return i + j < 3; }, tabulate([=](auto j) { return j + k; }, 4))); };
          return sum(tabulate([=](auto k) { return where(near(k) > 100, c * c, 1); }, 2));
        }) == (std::vector{2, 2, 2, 2}));
  // A loop that makes no step
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return loop(
              cast<int>(i), [](auto a) { return a < 3; }, [=](auto a) { return a + 3 + c * c; });
        }) == (std::vector{12, 5, 9, 3}));
  // Both the condition and the element use the checked position.
  auto first_of = [&](auto i, auto element) {
    const auto t = tabulate([&](auto j) { return element(j); }, i % 3);
    const auto first = where(length(t) > 0, t[0], -9);
    return sum(fill(first, 2));
  };
  CHECK(values([&](auto i) { return first_of(i, [&](auto j) { return where(j % 3 < 0, s[j % 3 + 3], s[j % 3]); }); }) ==
        (std::vector{-18, 6, 6, -18}));
  // The element is a fold, outside of the one that uses it.
  CHECK(values([&](auto i) { return first_of(i, [&](auto j) { return sum(take(s, j + 1)); }); }) == (std::vector{-18, 6, 6, -18}));
}

TEST(a_function_of_outer_elements_iterates) {
  const Seq<int> s{3, 1, 2};
  auto f = [&](auto i) { return iterate([=](auto a, auto x) { return a * 2 + x * cast<int>(i); }, 1, s); };
  CHECK(tabulate(f, 3).to_vector() == (std::vector{8, 24, 40}));
}

TEST(an_element_fills_a_known_length) {
  auto f = [](auto i) { return sum(fill(i, int64_t{3})) + sum(field<1>(fill(std::pair(i, i + 1), int64_t{2}))); };
  CHECK(tabulate(f, 3).to_vector() == (std::vector<int64_t>{2, 7, 12}));
}

TEST(functions_inside_are_one_kernel) {
  const Ragged a;
  auto row = [&](auto i) { return subseq(a.s, a.begins[i], a.begins[i + 1] - a.begins[i]); };
  CHECK_EQ(kernels(tabulate([&](auto i) { return argmax(row(i)); }, a.rows())), "1 kernel");
  CHECK_EQ(kernels(tabulate([&](auto i) { return collate(row(i), rev(row(i))); }, a.rows())), "1 kernel");
  CHECK_EQ(kernels(tabulate([&](auto i) { return sum(append(row(i), row(i))); }, a.rows())), "1 kernel");
}

TEST(results_of_unknown_shape_name_the_remedy) {
  const Seq<int> s{3, 1, 2};
  auto inside = [&](auto f) {
    return remedy_of([&] {
      tabulate(
          [&](auto i) {
            f(take(s, i));
            return i;
          },
          2);
    });
  };
  auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(contains(inside([](auto row) { split_mid(row); }), "take(s, length(s) / 2)"));
  CHECK(contains(inside([](auto row) { split_head(row); }), "drop(s, 1)"));
  CHECK(contains(inside([](auto row) { find([](auto x) { return x > 1; }, row); }), "find_index(f, s)"));
  CHECK(contains(inside([](auto row) { sort(row); }), "what needs its elements stored (scan, sort"));
  CHECK(contains(inside([](auto row) { top_k(row, 2); }), "what needs its elements stored (scan, sort"));
  CHECK(
      contains(inside([](auto row) { enumerate(filter([](auto x) { return x > 1; }, row)); }), "positions of its elements are not known"));
}
