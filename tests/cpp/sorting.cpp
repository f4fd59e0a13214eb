// sort and merge against std::stable_sort.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
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

namespace {

// A GPU sorts large sequences by the bits that tell nearly all keys apart.
int64_t large(int log2) { return default_context().name().starts_with("cuda") ? (int64_t(1) << log2) + 3 : 40003; }

// Sorts keys alone, and with their positions, and checks order, stability and completeness.
template <class T, class Key> void check_large(const char* what, int64_t n, Order order, Key key_at) {
  std::vector<T> keys(static_cast<size_t>(n));
  for (size_t i = 0; i < keys.size(); i++) keys[i] = key_at(i);
  const Seq s(keys);
  const auto [by_key, positions] =
      unzip(sort_by([](auto key, auto) { return key; }, zip(s, iota<uint32_t>(n, s.context())), order).force());
  const std::vector<T> alone = sort(s, order).to_vector(), with = by_key.to_vector();
  const std::vector<uint32_t> from = positions.to_vector();
  std::vector<bool> seen(keys.size());
  int64_t wrong = 0;
  for (size_t i = 0; i < keys.size(); i++) {
    wrong += alone[i] != with[i] || from[i] >= keys.size() || seen[from[i]] || keys[from[i]] != with[i];
    if (wrong > 0) break;
    seen[from[i]] = true;
    if (i > 0) wrong += with[i - 1] == with[i] ? from[i - 1] >= from[i] : (with[i - 1] < with[i]) != (order == Order::ascending);
  }
  CHECK_EQ(what + std::string(": ") + std::to_string(wrong), what + std::string(": 0"));
}

}  // namespace

TEST(large_sequences_of_wide_keys) {
  std::mt19937_64 random(13);
  constexpr uint64_t odd = 0x9e3779b97f4a7c15u;
  const int64_t n = large(24);
  for (Order order : {Order::ascending, Order::descending}) {
    check_large<uint64_t>("random", n, order, [&](size_t) { return random(); });
    check_large<int64_t>("below 2^20", n, order, [&](size_t) { return int64_t(random() >> 44); });
    check_large<double>("floats", n, order, [&](size_t) { return double(int64_t(random())) * 0x1p-63; });
  }
  check_large<int64_t>("below 2^20 but one", n, Order::ascending, [&](size_t i) { return i == 999 ? -1 : int64_t(random() >> 44); });
  check_large<uint64_t>("80000 hashes", n, Order::ascending, [&](size_t) { return (1 + random() % 80000) * odd; });
  // Four long runs, in which three keys are mixed: a sample has few of them.
  check_large<uint64_t>("hashes that share leading bits", n, Order::ascending, [&](size_t) {
    const uint64_t x = random() % 80000;
    return x < 12 ? uint64_t(x / 3) << 56 | x % 3 : (x + 1) * odd;
  });
  // The leading bits of half of the keys are the same.
  check_large<uint64_t>("half below 2^30", n, Order::ascending, [&](size_t) { return random() % 2 ? random() : random() >> 34; });
  check_large<uint64_t>("pairs", n, Order::ascending, [&](size_t) { return random() % 300 << 32 | random() % 1000000; });
  check_large<uint64_t>("equal", n, Order::ascending, [&](size_t) { return odd; });
  check_large<uint64_t>("sorted", n, Order::ascending, [&](size_t i) { return uint64_t(i) << 20; });
}

TEST(large_sequences_of_narrow_keys) {
  std::mt19937_64 random(14);
  check_large<uint32_t>("24 bits", large(26), Order::ascending, [&](size_t) { return uint32_t(random() >> 40); });
}

// Keys are counted if they have a small range, or if few of them are different, however far apart.
TEST(few_different_keys) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15u;
  for (const int64_t n : {int64_t(32767), int64_t(32768), int64_t(300007)})
    for (const Order order : {Order::ascending, Order::descending}) {
      std::mt19937_64 random(15);
      check_large<uint8_t>("bytes", n, order, [&](size_t) { return uint8_t(random() % 7); });
      check_large<int32_t>("below and above 0", n, order, [&](size_t) { return int32_t(random() % 1000) - 500; });
      check_large<int32_t>("12 bits", n, order, [&](size_t) { return int32_t(random() % 4096) + 1000000; });
      check_large<int64_t>("far apart", n, order, [&](size_t) { return int64_t((random() % 1000) * odd); });
      check_large<uint32_t>("2048 keys", n, order, [&](size_t) { return uint32_t(random() % 2048) * 2654435761u; });
      check_large<uint32_t>("2049 keys", n, order, [&](size_t) { return uint32_t(random() % 2049) * 2654435761u; });
      check_large<uint64_t>("few until the end", n, order, [&](size_t i) { return 5 * i < 4 * size_t(n) ? random() % 9 * odd : random(); });
      check_large<float>("floats", n, order, [&](size_t) { return float(int(random() % 99)) / 7 - 5; });
    }
  // -0 comes before 0, and NaNs after all numbers, in their order.
  const float special[] = {1.5f, -0.0f, NAN, 0.0f, -INFINITY, 0.0f, -0.0f, INFINITY};
  const float in_order[] = {-INFINITY, -0.0f, 0.0f, 1.5f, INFINITY, NAN};
  const size_t counts[] = {1, 2, 2, 1, 1, 1};
  std::vector<std::pair<float, int32_t>> pairs;
  for (size_t i = 0; i < 80000; i++) pairs.emplace_back(special[i % 8], int32_t(i));
  const auto sorted = sort_by([](auto key, auto) { return key; }, Seq(pairs)).to_vector();
  size_t at = 0, wrong = 0;
  for (size_t k = 0; k < 6; k++)
    for (size_t i = 0; i < 10000 * counts[k]; i++, at++) {
      const auto& [key, position] = sorted[at];
      wrong += std::signbit(key) != std::signbit(in_order[k]) || (key != in_order[k] && !(std::isnan(key) && k == 5));
      wrong += std::signbit(special[position % 8]) != std::signbit(key) || (i > 0 && sorted[at - 1].second >= position);
    }
  CHECK_EQ(wrong, 0u);
  // Several key columns, and elements that a filter keeps.
  std::vector<std::tuple<bool, uint8_t, double>> tuples;
  for (size_t i = 0; i < 70001; i++) tuples.emplace_back(i % 3 == 0, uint8_t(i * 7 % 5), double(i % 4) - 1);
  auto right = tuples;
  std::ranges::stable_sort(right);
  CHECK(sort(Seq(tuples)).to_vector() == right);
  std::erase_if(right, [](const auto& x) { return std::get<1>(x) == 2; });
  CHECK(sort(filter([](auto, auto y, auto) { return y != 2; }, Seq(tuples))).to_vector() == right);
}

// Columns that are asked for one after the other are sorted once, although the first plan reads one alone.
TEST(columns_of_sorted_pairs) {
  const std::vector<int> keys = numbers(5000);
  const Seq<std::pair<int, int>> pairs = sort_by([](auto x) { return x.first; }, zip(Seq(keys), iota<int>(5000)));
  const Seq<int> first = field<0>(pairs), second = field<1>(pairs);
  first.force();
  CHECK(explain(second).find("sort") == std::string::npos);
  std::vector<int> order(5000);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return keys[size_t(i)]; });
  CHECK(second.to_vector() == order);
}

// All digits of such keys are equally frequent, so that their places share the sets of a cache.
TEST(permutations_and_reversals) {
  for (const int64_t n : {int64_t{1} << 15, int64_t{1} << 18, (int64_t{1} << 18) + 5}) {
    std::vector<int> right(static_cast<size_t>(n)), reversed, mixed;
    std::iota(right.begin(), right.end(), -7);
    for (int64_t i = 0; i < n; i++) {
      reversed.push_back(right[size_t(n - 1 - i)]);
      mixed.push_back(right[size_t(i * 4099 % n)]);
    }
    for (const std::vector<int>& keys : {reversed, mixed}) {
      CHECK(sort(Seq(keys)).to_vector() == right);
      const Seq<int64_t> wide = map([](auto x) { return cast<int64_t>(x) * 5; }, Seq(keys));
      CHECK(map([](auto x) { return cast<int>(x / 5); }, sort(wide)).to_vector() == right);
      const auto pairs = sort_by([](auto x) { return x.first; }, zip(Seq(keys), Seq(keys)));
      CHECK(field<1>(pairs).to_vector() == right);
    }
  }
}
