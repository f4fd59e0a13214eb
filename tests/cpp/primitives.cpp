// Every primitive against a plain loop.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "common.h"

using namespace warpfold;

TEST(map_one) {
  for (int64_t n : lengths) {
    auto v = numbers(n), expected = v;
    for (auto& x : expected) x = 2 * x + 1;
    CHECK(map([](auto x) { return 2 * x + 1; }, Seq(v)).to_vector() == expected);
  }
}

TEST(map_several) {
  for (int64_t n : lengths) {
    auto a = numbers(n);
    auto b = numbers<float>(n);
    std::vector<float> expected;
    for (size_t i = 0; i < a.size(); i++) expected.push_back(static_cast<float>(a[i]) * b[i] + 1);
    CHECK(map([](auto x, auto y) { return x * y + 1; }, Seq(a), Seq(b)).to_vector() == expected);
  }
}

TEST(tabulate_squares) {
  auto s = tabulate([](auto i) { return i * i; }, 1000);
  static_assert(std::is_same_v<decltype(s), Seq<int64_t>>);
  CHECK_EQ(s.size(), 1000);
  CHECK(!s.is_manifest());
  CHECK_EQ(s[999].get(), 999 * 999);
  CHECK_EQ(tabulate([](auto) { return 1.5f; }, 3).to_vector()[2], 1.5f);
}

TEST(reduce_each_operation) {
  for (int64_t n : lengths) {
    auto v = numbers(n);
    Seq s(v);
    CHECK_EQ(reduce(plus, 0, s).get(), std::accumulate(v.begin(), v.end(), 0));
    int least = std::numeric_limits<int>::max(), most = std::numeric_limits<int>::lowest();
    for (int x : v) least = std::min(least, x), most = std::max(most, x);
    CHECK_EQ(reduce(min, s).get(), least);
    CHECK_EQ(reduce(max, s).get(), most);
    CHECK_EQ(reduce(std::plus<>{}, 0, s).get(), std::accumulate(v.begin(), v.end(), 0));
    CHECK_EQ(reduce([](auto a, auto b) { return a ^ b; }, 0, s).get(), std::accumulate(v.begin(), v.end(), 0, std::bit_xor<>{}));
    CHECK_EQ(reduce(logical_or, false, map([](auto x) { return x == 50; }, s)).get(), std::find(v.begin(), v.end(), 50) != v.end());
  }
}

namespace {

// The identity is the value of an empty sequence, with its bits: f's own identity, which the library knows, as well as any other.
template <class T> void check_identity(auto f, T identity) {
  const Seq<T> none(std::vector<T>{});
  for (const T value : {identity, T(5), T(0)}) {
    const auto bits = tracing::to_bits(value);
    CHECK_EQ(tracing::to_bits(reduce(f, value, none).get()), bits);
    CHECK_EQ(tracing::to_bits(scan(f, value, none).total.get()), bits);
    CHECK_EQ(tracing::to_bits(scan(f, value, Seq<T>(std::vector<T>{T(1)})).prefixes[0].get()), bits);
  }
}

template <class T> void check_identities() {
  using Limits = std::numeric_limits<T>;
  check_identity<T>(plus, T(0));
  check_identity<T>(times, T(1));
  check_identity<T>(min, Limits::has_infinity ? Limits::infinity() : Limits::max());
  check_identity<T>(max, Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  if constexpr (std::is_integral_v<T>) {
    check_identity<T>(bit_and, T(~T(0)));
    check_identity<T>(bit_or, T(0));
    check_identity<T>(bit_xor, T(0));
  }
}

}  // namespace

TEST(identities) {
  check_identities<uint8_t>();
  check_identities<int32_t>();
  check_identities<uint32_t>();
  check_identities<int64_t>();
  check_identities<uint64_t>();
  check_identities<float>();
  check_identities<double>();
  CHECK(std::signbit(reduce(plus, -0.0f, Seq<float>(std::vector<float>{})).get()));
  const Seq<bool> none(std::vector<bool>{});
  for (const bool value : {false, true}) CHECK_EQ(reduce(logical_or, value, none).get(), value);
}

// The rounding error of a sum grows with the logarithm of its length.
TEST(sums_of_many_floats) {
  const auto is_close = [](float sum, double right) { return std::abs(sum - right) <= 1e-6 * std::abs(right); };
  for (const int64_t n : {131'072, 333'333, 1'000'000}) {
    const Seq<float> s = map([](auto x) { return x; }, Seq<float>(std::vector<float>(size_t(n), 0.1f)));
    for (int k = 0; k < 3; k++) {
      CHECK(is_close(sum(s).get(), double(n) * double(0.1f)));
      CHECK(is_close(sum(map([](auto x) { return x * x; }, s)).get(), double(n) * double(0.1f * 0.1f)));
      CHECK(is_close(sum(filter([](auto x) { return x > 0; }, s)).get(), double(n) * double(0.1f)));
    }
  }
}

TEST(scans) {
  for (int64_t n : lengths) {
    auto v = numbers(n);
    std::vector<int> exclusive(v.size()), inclusive(v.size());
    std::exclusive_scan(v.begin(), v.end(), exclusive.begin(), 0);
    std::inclusive_scan(v.begin(), v.end(), inclusive.begin());
    Seq s(v);
    auto [before, total] = scan(plus, 0, s);
    CHECK(before.to_vector() == exclusive);
    CHECK_EQ(total.get(), std::accumulate(v.begin(), v.end(), 0));
    CHECK(scan_incl(plus, 0, s).to_vector() == inclusive);
    auto [with, all] = scan_incl_total(max, std::numeric_limits<int>::lowest(), s);
    std::inclusive_scan(v.begin(), v.end(), inclusive.begin(), [](int a, int b) { return std::max(a, b); });
    CHECK_EQ(all.get(), n ? inclusive.back() : std::numeric_limits<int>::lowest());
    CHECK(with.to_vector() == inclusive);
  }
}

TEST(filters) {
  for (int64_t n : lengths) {
    auto v = numbers(n);
    std::vector<int> expected;
    for (int x : v)
      if (x % 3 == 0) expected.push_back(x);
    auto kept = filter([](auto x) { return x % 3 == 0; }, Seq(v));
    CHECK_EQ(length(kept).get(), expected.size());
    CHECK_EQ(reduce(plus, 0, kept).get(), std::accumulate(expected.begin(), expected.end(), 0));
    CHECK(kept.to_vector() == expected);
    CHECK_EQ(kept.size(), expected.size());
  }
}

TEST(views) {
  auto v = numbers(1000);
  Seq s(v);
  CHECK(take(s, 10).to_vector() == std::vector(v.begin(), v.begin() + 10));
  CHECK(drop(s, 990).to_vector() == std::vector(v.begin() + 990, v.end()));
  CHECK(subseq(s, 5, 20).to_vector() == std::vector(v.begin() + 5, v.begin() + 25));
  CHECK(rev(s).to_vector() == std::vector(v.rbegin(), v.rend()));
  auto twice = v;
  twice.insert(twice.end(), v.begin(), v.end());
  CHECK(append(s, s).to_vector() == twice);
  CHECK_EQ(append(s, take(s, 1), s).size(), 2001);
  CHECK_EQ(nth(s, 7).get(), v[7]);
  CHECK_EQ(s[7].get(), v[7]);
}

TEST(zips) {
  auto v = numbers(100);
  auto w = numbers<double>(100);
  auto pairs = zip(Seq(v), Seq(w)).to_vector();
  CHECK_EQ(pairs[17].first, v[17]);
  CHECK_EQ(pairs[17].second, w[17]);
  auto triples = zip(Seq(v), Seq(w), Seq(v));
  static_assert(std::is_same_v<decltype(triples), Seq<std::tuple<int, double, int>>>);
  auto [a, b, c] = unzip(triples);
  CHECK(b.to_vector() == w);
  CHECK(c.to_vector() == v);
}

TEST(indices) {
  CHECK(iota(4).to_vector() == std::vector<int64_t>({0, 1, 2, 3}));
  static_assert(std::is_same_v<decltype(iota<int>(3)), Seq<int>> && std::is_same_v<decltype(iota<char>(3)), Seq<char>>);
  CHECK_EQ(reduce(plus, 0.0f, iota<float>(100001)).get(),
           reduce(plus, 0.0f, map([](auto i) { return cast<float>(i); }, iota(100001))).get());
  CHECK(iota<uint8_t>(3).to_vector() == std::vector<uint8_t>({0, 1, 2}));
  CHECK_THROWS(SizeError, iota(-1));
  for (int64_t n : lengths) {
    auto v = numbers(n);
    auto pairs = enumerate(Seq(v));
    static_assert(std::is_same_v<decltype(pairs), Seq<std::pair<int64_t, int>>>);
    auto values = pairs.to_vector();
    CHECK_EQ(values.size(), v.size());
    for (size_t i = 0; i < v.size(); i += 997) CHECK((values[i] == std::pair(static_cast<int64_t>(i), v[i])));
  }
  CHECK(
      (enumerate(filter([](auto x) { return x > 1; }, Seq{1, 2, 3})).to_vector() == std::vector<std::pair<int64_t, int>>{{0, 2}, {1, 3}}));
}

TEST(vectors_of_sequences) {
  auto v = numbers(100007);
  Seq s(v);
  std::vector<Seq<int>> parts;
  std::vector<Scalar<int>> sums;
  std::vector<int> expected;
  for (int k = 0; k < 5; k++) {
    parts.push_back(map([&](auto x) { return x + k; }, s));
    sums.push_back(reduce(plus, 0, parts.back()));
    for (int x : v) expected.push_back(x + k);
  }
  CHECK_EQ(kernels(sums), "1 kernel");
  CHECK_EQ(kernels(sums, reduce(max, 0, s)), "1 kernel");
  force(sums);
  for (int k = 0; k < 5; k++) {
    CHECK(sums[k].is_manifest());
    CHECK_EQ(sums[k].get(), std::accumulate(v.begin(), v.end(), 0) + k * static_cast<int>(v.size()));
  }
  CHECK(append(parts).to_vector() == expected);
  CHECK(append(std::vector<Seq<int>>()).empty());
  force(std::vector<Seq<int>>());
  wait(parts[0], sums);
  CHECK(parts[0].is_manifest() && !parts[4].is_manifest());
  wait(parts, s, sums);
  CHECK(parts[4].is_manifest());
  wait(std::vector<Seq<int>>());
  CHECK_THROWS(RangeError, wait(tabulate([&](auto i) { return s[i - 1]; }, 3)));
  auto rows = zip<5>(parts);
  static_assert(std::is_same_v<decltype(rows), Seq<std::array<int, 5>>>);
  CHECK((rows[99999].get() == std::array{v[99999], v[99999] + 1, v[99999] + 2, v[99999] + 3, v[99999] + 4}));
  CHECK_THROWS(SizeError, zip<4>(parts));
  CHECK((zip(std::array{s, parts[1]}).to_vector()[7] == std::array{v[7], v[7] + 1}));
}

TEST(captured_sequences_and_scalars) {
  for (int64_t n : {1, 100, 100001}) {
    auto va = numbers(n), vb = va;
    Seq a(va), b(vb);
    std::vector<int> expected;
    for (size_t i = 0; i < va.size(); i++) expected.push_back(va[i] * vb[va.size() - 1 - i]);
    CHECK(tabulate([&](auto i) { return a[i] * b[n - 1 - i]; }, n).to_vector() == expected);
    auto total = reduce(max, 1, a);
    for (size_t i = 0; i < va.size(); i++) expected[i] = va[i] * *std::max_element(va.begin(), va.end());
    if (n > 1) CHECK(map([&](auto x) { return x * total; }, a).to_vector() == expected);
  }
}

TEST(indices_count_only_where_chosen) {
  Seq s{1, 2, 3};
  auto shifted = tabulate([&](auto i) { return where(i > 0, s[i - 1], 0); }, 3);
  CHECK(shifted.to_vector() == std::vector{0, 1, 2});
}

TEST(and_and_or_guard_their_right_operand) {
  for (int64_t n : {3, 100007}) {
    const std::vector<int> values = numbers(n);
    const Seq s(values), lazy = map([](auto x) { return x + 0; }, s);
    std::vector<bool> rises, ends;
    for (size_t i = 0; i < values.size(); i++) {
      rises.push_back(i > 0 && values[i - 1] < values[i]);
      ends.push_back(i + 1 >= values.size() || values[i + 1] != values[i]);
    }
    for (const auto& t : {s, lazy}) {
      const auto up = tabulate([&](auto i) { return i > 0 && t[i - 1] < t[i]; }, n);
      const auto last = tabulate([&](auto i) { return i + 1 >= n || t[i + 1] != t[i]; }, n);
      CHECK_EQ(int64_t(reduce(plus, int64_t(0), map([](auto x) { return cast<int64_t>(x); }, up))), std::ranges::count(rises, true));
      CHECK_EQ(int64_t(reduce(plus, int64_t(0), map([](auto x) { return cast<int64_t>(x); }, last))), std::ranges::count(ends, true));
      CHECK_THROWS(RangeError, tabulate([&](auto i) { return t[i - 1] < t[i] && i > 0; }, n).force());
    }
  }
}

TEST(indices_count_even_if_their_values_do_not_matter) {
  const Seq<int> s = tabulate([](auto) { return 7; }, 5);
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return s[i]; }, 6).force());
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return s[i] * 0; }, 6).force());
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return s[i] - s[i]; }, 6).force());
  CHECK(tabulate([&](auto i) { return where(i < 5, s[i] * 0, 1); }, 6).to_vector() == std::vector({0, 0, 0, 0, 0, 1}));
}

// a * b + c is rounded once, but not if c is also a product: then a result that is exactly 0 for these numbers stays 0.
TEST(products_that_cancel_give_zero) {
  for (int64_t n : {1, 1025, 300001}) {
    const Seq<float> a(std::vector<float>(size_t(n), .1f)), b(std::vector<float>(size_t(n), .2f));
    const auto root = map([](auto x, auto y, auto z) { return sqrt(y * y - 4 * x * z); }, a, b, a);
    const auto squares = map([](auto x, auto y) { return x * x - y * y; }, b, b);
    const auto cross = map([](auto x, auto y) { return x * y - y * x; }, a, b);
    const auto negated = map([](auto x, auto y) { return -(x * y) + y * x; }, a, b);
    CHECK_EQ(float(reduce(max, -1.0f, squares)), 0.0f);
    CHECK_EQ(float(reduce(max, -1.0f, map([](auto x) { return abs(x); }, cross))), 0.0f);
    CHECK_EQ(float(reduce(max, -1.0f, map([](auto x) { return abs(x); }, negated))), 0.0f);
    const std::vector<float> alone = map([](auto x) { return x + 0.0f; }, root).to_vector();
    zip(root, squares, cross).force();
    CHECK(alone == std::vector<float>(size_t(n), 0.0f));
    const std::vector<float> zeros(size_t(n), 0.0f);
    CHECK(root.to_vector() == zeros && squares.to_vector() == zeros && cross.to_vector() == zeros);
  }
}

TEST(loops_run) {
  auto steps = map(
      [](auto x) {
        auto [y, n] = loop(
            std::tuple(x, 0), [](auto y, auto) { return y != 1; },
            [](auto y, auto n) { return std::tuple(where(y % 2 == 0, y / 2, 3 * y + 1), n + 1); });
        return n;
      },
      Seq{1, 2, 3, 6, 7, 9, 27});
  CHECK(steps.to_vector() == std::vector{0, 1, 7, 8, 16, 19, 111});
}

TEST(lazy_scalars) {
  Seq s{3, 1, 2};
  auto total = reduce(plus, 0, s);
  Scalar<double> mean = total / 3.0;
  CHECK_EQ(mean.get(), 2.0);
  CHECK((total == 6 && mean > 1.5).get());
  CHECK_EQ(max(total, 10).get(), 10);
  CHECK_EQ(sqrt(cast<float>(total) + 3).get(), 3.0f);
  CHECK_EQ(where(total > 5, total, -1).get(), 6);
  CHECK_EQ((-total % 4).get(), -2);
  int plain = total + 1;
  CHECK_EQ(plain, 7);
  CHECK_EQ(s[total - 5].get(), 1);
  CHECK_EQ(Scalar<float>(2.5f).get(), 2.5f);
  CHECK_EQ(map([](auto a, auto b) { return a * b; }, total, mean).get(), 12.0);
}

TEST(lazy_scalars_are_updated) {
  Seq s{3, 1, 2};
  auto total = reduce(plus, 0, s);
  total += 4;
  static_assert(std::is_same_v<decltype(total), Scalar<int>>);
  CHECK(!total.is_manifest());
  CHECK_EQ(total.get(), 10);
  total *= 0.55;
  CHECK_EQ(total.get(), 5);
  total <<= 2, total -= 3, total %= 10, total |= 8, total ^= 1, total &= 14, total >>= 1, total /= 2;
  CHECK_EQ(total.get(), (((((20 - 3) % 10) | 8) ^ 1) & 14) / 2 / 2);
  CHECK_EQ((++total).get(), 4);
  CHECK_EQ((total--).get(), 4);
  CHECK_EQ(total.get(), 3);
  Scalar<long long> wide = 1LL << 40;
  wide += total;
  CHECK_EQ(wide.get(), (1LL << 40) + 3);
  int plain = 1;
  plain += total;
  CHECK_EQ(plain, 4);
  CHECK_EQ(reduce(plus, 0, s).get(), 6);
}

TEST(numbers_that_change_between_calls) {
  static int factor = 2;
  auto scaled = [](const Seq<int>& s) { return map([](auto x) { return x * factor; }, s); };
  CHECK_EQ(scaled({1})[0].get(), 2);
  factor = 3;
  CHECK_EQ(scaled({1})[0].get(), 3);
}

static bool match_parens(const Seq<int>& s) {
  auto [prefix, last] = scan_incl_total(plus, 0, s);
  return (last == 0 && reduce(min, 0, prefix) >= 0).get();
}

TEST(parentheses) {
  CHECK(match_parens({1, 1, -1, -1, 1, -1}));
  CHECK(!match_parens({1, -1, -1, 1}));
  CHECK(!match_parens({1}));
  CHECK(match_parens(Seq<int>()));
}

TEST(casts_of_sequences) {
  for (int64_t n : {0, 1, 2, 3, 17, 100007}) {
    const Seq<int64_t> s = iota(n);
    const std::vector<uint8_t> bytes = cast<uint8_t>(s).to_vector();
    bool same = int64_t(bytes.size()) == n;
    for (size_t i = 0; i < bytes.size(); i++) same = same && bytes[i] == uint8_t(i);
    CHECK(same);
    CHECK_EQ(sum(cast<double>(s)).get(), double(n) * double(n - 1) / 2);
  }
  CHECK((cast<long long>(Seq<double>{2.7, std::nan(""), -1e30}).to_vector() == std::vector<long long>{2, 0, INT64_MIN}));
  CHECK((cast<bool>(Seq<int>{0, 7}).to_vector() == std::vector<bool>{false, true}));
  CHECK((cast<int>(Seq<int>{0, 7}).to_vector() == std::vector<int>{0, 7}));
  const Seq<uint8_t> wide{200, 100, 50};
  CHECK((map_segments([](auto window) { return sum(cast<int>(window)); }, windows(wide, 2)).to_vector() == std::vector<int>{300, 150}));
}

TEST(an_error_names_the_function_that_was_called) {
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const SizeError& e) { return e.what(); }
    return "no error";
  };
  CHECK_EQ(message([] { iota(-1); }), "iota: the length is -1; expected a number that is not negative");
  CHECK_EQ(message([] { fill(1, -2); }), "fill: the length is -2; expected a number that is not negative");
  CHECK_EQ(message([] { fill(std::pair(1, 2.5), -2); }), "fill: the length is -2; expected a number that is not negative");
  CHECK_EQ(message([] { tabulate([](auto i) { return i; }, -3); }), "tabulate: the length is -3; expected a number that is not negative");
  CHECK_EQ(message([] {
             interleave(Seq<int>{1, 2, 3}, Seq<int>{1});
           }),
           "interleave: the 2nd sequence has length 1 but the 1st sequence has length 3; expected equal lengths");
}

namespace {

// Elements of which each is repeated, and the digits that repeat, from any index on.
template <class T> void check_repeated(int64_t n, int64_t times, int64_t first) {
  std::vector<T> values;
  for (int64_t i = 0; i < n; i++) values.push_back(T(i * 7919 % 251));
  const int64_t count = n * times - first;
  const Seq<T> s(values);
  const auto repeated = tabulate([s, times, first](auto i) { return s[(i + first) / times]; }, count).to_vector();
  const auto digits = tabulate([times, first](auto i) { return (i + first) % times * 10 + (i + first) / times; }, count).to_vector();
  size_t wrong = 0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t at = (i + first) / times;
    wrong += repeated[size_t(i)] != values[size_t(at)] || digits[size_t(i)] != (i + first) % times * 10 + at;
  }
  CHECK_EQ(wrong, 0u);
}

}  // namespace

TEST(repeated_elements_and_digits) {
  for (const int64_t n : {int64_t(1), int64_t(70), int64_t(5003)})
    for (const int64_t times : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40})
      for (const int64_t first : {0, 1, 5}) {
        if (first > n * times) continue;
        check_repeated<uint8_t>(n, times, first);
        check_repeated<int32_t>(n, times, first);
        check_repeated<double>(n, times, first);
      }
}
