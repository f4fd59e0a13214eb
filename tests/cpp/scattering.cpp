// scatter and histogram against loops.
#include <algorithm>
#include <utility>

#include "common.h"

using namespace warpfold;

TEST(the_last_value_wins) {
  for (int64_t n : lengths) {
    const auto values = numbers(n);
    std::vector<int> right(101, -1);
    for (size_t k = 0; k < values.size(); k++) right[k * 7919 % 101] = values[k];
    const auto indices = tabulate([](auto i) { return i * 7919 % 101; }, n);
    CHECK(scatter(Seq(std::vector<int>(101, -1)), indices, Seq(values)).to_vector() == right);
    const auto pairs = map([](auto x) { return std::pair(x, x * 0.5f); }, Seq(values));
    const auto base = tabulate([](auto) { return std::pair(-1, 0.0f); }, 101);
    const auto scattered = scatter(base, indices, pairs).to_vector();
    for (size_t k = 0; k < right.size(); k++) CHECK_EQ(scattered[k].first, right[k]);
  }
}

TEST(operations_combine) {
  for (int64_t n : lengths) {
    const auto values = numbers(n);
    std::vector<int> sums(101), most(101, -1000000);
    for (size_t k = 0; k < values.size(); k++) {
      sums[k % 101] += values[k];
      most[k % 101] = std::max(most[k % 101], values[k]);
    }
    const auto indices = map([](auto i) { return cast<int>(i % 101); }, tabulate([](auto i) { return i; }, n));
    CHECK(scatter(plus, Seq(std::vector<int>(101)), indices, Seq(values)).to_vector() == sums);
    CHECK(scatter([](auto x, auto y) { return max(x, y); }, Seq(std::vector<int>(101, -1000000)), indices, Seq(values)).to_vector() ==
          most);
    const auto halves = scatter(plus, Seq(std::vector<float>(101)), indices, map([](auto x) { return x * 0.5f; }, Seq(values))).to_vector();
    for (size_t k = 0; k < sums.size(); k++) CHECK_EQ(halves[k], float(sums[k]) * 0.5f);
  }
}

// Like map and zip, a scatter runs the filters of indices and values that do not come from one filter.
TEST(indices_and_values_may_be_results_of_different_filters) {
  const Seq<int> base(std::vector<int>(4)), numbers{5, 6, 7, 8};
  auto even = [](auto x) { return x % 2 == 0; };
  auto small = [](auto x) { return x < 2; };
  CHECK(scatter(base, Seq<int>{3, 1}, filter(even, numbers)).to_vector() == (std::vector{0, 8, 0, 6}));
  CHECK(scatter(plus, base, filter(small, Seq<int>{0, 9, 1}), Seq<int>{5, 6}).to_vector() == (std::vector{5, 6, 0, 0}));
  CHECK(scatter(base, filter(small, Seq<int>{0, 9, 1}), filter(even, numbers)).to_vector() == (std::vector{6, 8, 0, 0}));
  try {
    scatter(base, Seq<int>{0, 1, 2}, filter(even, numbers));
    CHECK(false);
  } catch (const SizeError& e) {
    CHECK_EQ(std::string(e.what()), "scatter: values has length 2 but indices has length 3; expected equal lengths");
  }
}

TEST(elements_are_counted) {
  for (int64_t n : lengths) {
    const auto counts = histogram(tabulate([](auto i) { return i * i % 10; }, n), 10).to_vector();
    std::vector<int64_t> right(10);
    for (int64_t i = 0; i < n; i++) right[size_t(i * i % 10)]++;
    CHECK(counts == right);
  }
}

TEST(an_index_outside_is_an_error) {
  const Seq<int> base(std::vector<int>(3));
  const auto wrong = scatter(plus, base, tabulate([](auto i) { return i; }, 5), Seq(std::vector<int>(5)));
  CHECK_THROWS(RangeError, wrong.force());
  CHECK_THROWS(ArgumentError, scatter([](auto x, auto y) { return x - y; }, base, base, base));
}
