// sort and merge against std::stable_sort.
#include <algorithm>
#include <tuple>

#include "common.h"

using namespace warpfold;

template <class T, class Less = std::less<>> static std::vector<T> in_order(std::vector<T> v, Less less = {}) {
  std::stable_sort(v.begin(), v.end(), less);
  return v;
}

TEST(scalars) {
  for (int64_t n : lengths) {
    const auto v = numbers(n);
    CHECK(sort(Seq(v)).to_vector() == in_order(v));
    CHECK(sort(Seq(v), descending).to_vector() == in_order(v, std::greater<>()));
    const auto by_remainder = [](auto x, auto y) { return x % 7 < y % 7; };
    CHECK(sort(by_remainder, Seq(v)).to_vector() == in_order(v, by_remainder));
    CHECK(sort_by([](auto x) { return x % 7; }, Seq(v)).to_vector() == in_order(v, by_remainder));
  }
}

TEST(tuples) {
  for (int64_t n : lengths) {
    const auto a = numbers(n);
    const auto b = numbers<float>(n);
    std::vector<std::pair<int, float>> v;
    for (size_t k = 0; k < a.size(); k++) v.emplace_back(a[k] % 5, b[k]);
    const auto s = map([](auto x, auto y) { return std::pair(x % 5, y); }, Seq(a), Seq(b));
    CHECK(sort(s).to_vector() == in_order(v));
    const auto by_second = [](const auto& x, const auto& y) { return x.second < y.second; };
    CHECK(sort_by([](auto, auto y) { return y; }, s).to_vector() == in_order(v, by_second));
    CHECK(sort([](auto x, auto y) { return std::get<1>(x) < std::get<1>(y); }, s).to_vector() == in_order(v, by_second));
  }
}

TEST(merges) {
  for (int64_t n : lengths) {
    const auto a = in_order(numbers(n)), b = in_order(numbers(n / 2 + 3));
    std::vector<int> merged(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    CHECK(merge(Seq(a), Seq(b)).to_vector() == merged);
    CHECK(merge([](auto x, auto y) { return x < y; }, Seq(a), Seq(b)).to_vector() == merged);
    CHECK(merge(sort(Seq(a), descending), sort(Seq(b), descending), descending).to_vector() == in_order(merged, std::greater<>()));
  }
}

TEST(sorted_results_are_sequences) {
  const auto s = sort(filter([](auto x) { return x % 2 == 0; }, iota<int>(100000)), descending);
  CHECK_EQ(s.size(), 50000);
  CHECK_EQ(reduce(plus, 0, take(s, 3)).get(), 99998 + 99996 + 99994);
  CHECK_THROWS(ArgumentError, sort([s](auto x, auto y) { return x < y + s[0]; }, s));
}
