// Searches, sets, comparisons, and functions of indices against the standard library.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "common.h"

using namespace warpfold;

namespace {

const std::vector<int64_t> sizes = {0, 1, 2, 63, 1025, 100007};

std::vector<int> in_order(int64_t n, int step = 1) {
  auto values = numbers(n);
  std::ranges::sort(values);
  for (size_t i = 0; i < values.size(); i++) values[i] = values[i] * step + int(i) / 100;
  std::ranges::sort(values);
  return values;
}

// The message of the RangeError that f throws.
template <class F> std::string message_of(F&& f) {
  try {
    f();
  } catch (const RangeError& error) { return error.what(); }
  return "no error";
}

using Pair = std::pair<int, float>;
std::vector<Pair> pairs_in_order(int64_t n) {
  std::vector<Pair> pairs;
  const auto values = numbers(2 * n);
  for (size_t i = 0; i < size_t(n); i++) pairs.emplace_back(values[2 * i] / 10, float(values[2 * i + 1] / 10) + 0.5f);
  std::ranges::sort(pairs);
  return pairs;
}

template <class T> void check_bounds(const std::vector<T>& sorted, const std::vector<T>& needles) {
  const Seq s(sorted), x(needles);
  const auto low = lower_bound(s, x), high = upper_bound(s, x);
  const auto found = binary_search(s, x);
  force(low, high, found);
  const auto lows = low.to_vector(), highs = high.to_vector();
  const auto is_there = found.to_vector();
  for (size_t k = 0; k < needles.size(); k++) {
    CHECK_EQ(lows[k], std::ranges::lower_bound(sorted, needles[k]) - sorted.begin());
    CHECK_EQ(highs[k], std::ranges::upper_bound(sorted, needles[k]) - sorted.begin());
    CHECK_EQ(bool(is_there[k]), std::ranges::binary_search(sorted, needles[k]));
  }
}

template <class T> void check_sets(const std::vector<T>& a, const std::vector<T>& b) {
  const Seq s(a), t(b);
  std::vector<T> both, either, rest;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  std::ranges::set_union(a, b, std::back_inserter(either));
  std::ranges::set_difference(a, b, std::back_inserter(rest));
  CHECK(set_intersection(s, t).to_vector() == both);
  CHECK(set_union(s, t).to_vector() == either);
  CHECK(set_difference(s, t).to_vector() == rest);
  auto less = [](const auto& x, const auto& y) { return tracing::comes_before<T>(x, y); };
  CHECK(set_intersection(less, s, t).to_vector() == both);
  CHECK(set_union(less, s, t).to_vector() == either);
  CHECK(set_difference(less, s, t).to_vector() == rest);
}

}  // namespace

TEST(searches_find_what_the_standard_library_finds) {
  for (int64_t n : sizes) {
    check_bounds<int>(in_order(n), numbers(5003));
    check_bounds<Pair>(pairs_in_order(n), pairs_in_order(1009));
    check_bounds<int>(in_order(n), {});
  }
  const Seq<int> down{9, 7, 7, 3};
  CHECK(lower_bound(down, Seq<int>{10, 9, 7, 4, 3, 0}, descending).to_vector() == std::vector<int64_t>({0, 0, 1, 3, 3, 4}));
  CHECK(upper_bound([](auto x, auto y) { return x > y; }, down, Seq<int>{10, 9, 7, 4, 3, 0}).to_vector() ==
        std::vector<int64_t>({0, 1, 3, 3, 4, 4}));
}

TEST(a_search_is_fused_with_its_needles) {
  const Seq sorted(in_order(1025)), x(numbers(1025));
  CHECK_EQ(kernels(sum(lower_bound(sorted, map([](auto v) { return v * v; }, x)))), "1 kernel");
  CHECK_EQ(kernels(lower_bound(sorted, x), upper_bound(sorted, x)), "1 kernel");
}

TEST(sets_are_those_of_the_standard_library) {
  for (int64_t n : sizes)
    for (int64_t m : {int64_t{0}, int64_t{40}, n}) {
      check_sets<int>(in_order(n), in_order(m, 2));
      check_sets<Pair>(pairs_in_order(n), pairs_in_order(m));
    }
}

TEST(unique_elements_in_order) {
  for (int64_t n : sizes) {
    auto values = in_order(n);
    const Seq s(values);
    const auto distinct = unique(s);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    CHECK(distinct.to_vector() == values);
  }
}

TEST(sequences_are_compared) {
  for (int64_t n : sizes) {
    const auto values = in_order(n);
    const Seq s(values);
    CHECK_EQ(is_sorted(s).get(), true);
    CHECK_EQ(equal(s, Seq(values)).get(), true);
    CHECK_EQ(collate(s, Seq(values)).get(), 0);
    if (n == 0) continue;
    CHECK_EQ(is_sorted(rev(s)).get(), values.front() == values.back());
    CHECK_EQ(equal(s, drop(s, 1)).get(), false);
    CHECK_EQ(collate(s, take(s, n - 1)).get(), 1);
    CHECK_EQ(collate(take(s, n - 1), s).get(), -1);
    for (int64_t i : {int64_t{0}, n / 2, n - 1}) {
      auto other = values;
      other[size_t(i)]++;
      CHECK_EQ(equal(s, Seq(other)).get(), false);
      CHECK_EQ(collate(s, Seq(other)).get(), -1);
      CHECK_EQ(collate(Seq(other), s).get(), 1);
      CHECK_EQ(collate(Seq(other), take(s, i)).get(), 1);
      CHECK_EQ(collate([](auto x, auto y) { return x > y; }, s, Seq(other)).get(), 1);
    }
  }
  // Lexicographic order of all short sequences, as in the standard library.
  std::vector<std::vector<int>> all{{}, {0}, {1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 0, 1}, {1, 0, 0}};
  for (const auto& a : all)
    for (const auto& b : all) CHECK_EQ(collate(Seq<int>(a), Seq<int>(b)).get(), a < b ? -1 : a > b ? 1 : 0);
  const Seq<Pair> p{{1, 2.0f}, {1, 3.0f}}, q{{1, 2.0f}, {2, 0.0f}};
  CHECK_EQ(collate(p, q).get(), -1);
  CHECK_EQ(is_sorted(p).get(), true);
  CHECK_EQ(equal(p, p).get(), true);
  CHECK_EQ(equal(p, q).get(), false);
}

TEST(elements_and_indices) {
  for (int64_t n : sizes) {
    const auto values = numbers(n);
    const Seq s(values);
    std::vector<int64_t> weighted, negative;
    std::vector<int> odd, shifted;
    for (size_t i = 0; i < values.size(); i++) {
      weighted.push_back(int64_t(i) * values[i]);
      if (values[i] < 0) negative.push_back(int64_t(i));
      if (i % 2) odd.push_back(values[i]);
      if (i + 1 < values.size()) shifted.push_back(values[i] + values[i + 1]);
    }
    CHECK(map_idx([](auto i, auto x) { return i * x; }, s).to_vector() == weighted);
    CHECK(pack_index([](auto x) { return x < 0; }, s).to_vector() == negative);
    CHECK(pack_index(map([](auto x) { return x < 0; }, s)).to_vector() == negative);
    CHECK(filter_idx([](auto i, auto) { return i % 2 == 1; }, s).to_vector() == odd);
    CHECK(zip_with([](auto x, auto y) { return x + y; }, s, drop(s, std::min<int64_t>(n, 1))).to_vector() == shifted);
    const auto both_short = zip_shortest(s, take(iota(n), n / 2)), other_short = zip_shortest(take(s, n / 2), iota(n));
    CHECK(field<0>(both_short).to_vector() == take(s, n / 2).to_vector() && field<1>(both_short).to_vector() == iota(n / 2).to_vector());
    CHECK(other_short.to_vector() == both_short.to_vector());
    CHECK(gather(s, rev(iota(n))).to_vector() == rev(s).to_vector());
    const auto [low, high] = partition([](auto x) { return x < 10; }, s);
    auto parted = values;
    const auto middle = std::stable_partition(parted.begin(), parted.end(), [](int x) { return x < 10; });
    CHECK(low.to_vector() == std::vector<int>(parted.begin(), middle));
    CHECK(high.to_vector() == std::vector<int>(middle, parted.end()));
    for (int64_t k : {0, 1, -1, 5, 2000000}) {
      auto turned = values;
      if (n > 0) std::rotate(turned.begin(), turned.begin() + (k % n + n) % n, turned.end());
      CHECK(rotate(s, k).to_vector() == turned);
    }
    const auto both = interleave(s, rev(s)).to_vector();
    CHECK_EQ(int64_t(both.size()), 2 * n);
    for (size_t i = 0; i < both.size(); i++) CHECK_EQ(both[i], i % 2 ? values[values.size() - 1 - i / 2] : values[i / 2]);
  }
}

TEST(elements_are_replaced) {
  const Seq<int> s{1, 2, 3};
  CHECK_EQ(to_string(update(s, 0, 7)), "<7,2,3>");
  CHECK_EQ(to_string(update(s, 2, 7)), "<1,2,7>");
  CHECK_EQ(to_string(update(cast<double>(s), 1, 7)), "<1,7,3>");  // the element type is that of s
  CHECK_THROWS(RangeError, update(s, 3, 7));
  CHECK_THROWS(RangeError, update(s, -1, 7));
  CHECK_EQ(to_string(inject(s, Seq<std::pair<int, int>>{{0, 5}, {2, 6}, {0, 8}})), "<8,2,6>");
  CHECK_THROWS(RangeError, inject(s, Seq<std::pair<int, int>>{{3, 5}}).force());
  const Seq<Pair> p{{1, 2.0f}, {3, 4.0f}};
  CHECK_EQ(to_string(update(p, 1, Pair(5, 6.5f))), "<(1,2),(5,6.5)>");
}

TEST(prefixes_of_steps) {
  for (int64_t n : sizes) {
    const auto values = numbers(n);
    auto step = [](auto a, auto x) { return a * 3 - x; };
    const auto [prefixes, last] = iterate_prefixes(step, 7, Seq(values));
    const auto through = iterate_prefixes_incl(step, 7, Seq(values));
    std::vector<int> before, after;
    uint32_t state = 7;
    for (int x : values) {
      before.push_back(int(state));
      after.push_back(int(state = state * 3 - uint32_t(x)));
    }
    CHECK_EQ(last.get(), int(state));
    CHECK(prefixes.to_vector() == before);
    CHECK(through.to_vector() == after);
  }
  // The initial state, and the routine.
  CHECK_EQ(kernels(iterate_prefixes_incl([](auto a, auto x) { return a - x; }, 0, Seq(numbers(100007)))), "2 kernels");
}

TEST(prefixes_of_steps_that_capture) {
  const Seq<int> table{5, 3, 8};
  auto step = [&](auto a, auto x) { return a * 3 - table[(x % 3 + 3) % 3]; };
  for (int64_t n : sizes) {
    const auto values = numbers(n);
    std::vector<int> after;
    uint32_t state = 7;
    for (int x : values) after.push_back(int(state = state * 3 - uint32_t(table.span()[size_t((x % 3 + 3) % 3)])));
    CHECK(iterate_prefixes_incl(step, 7, Seq(values)).to_vector() == after);
  }
  CHECK_EQ(kernels(iterate_prefixes_incl(step, 0, Seq(numbers(63)))), "1 kernel");
  CHECK_EQ(kernels(iterate_prefixes_incl(step, 0, Seq(numbers(100007)))), "3 kernels");
}

TEST(compositions_by_one_name) {
  const Seq<int> s{3, -1, 4, -1, 5}, t{1, 2};
  auto square = [](auto x) { return x * x; };
  CHECK_EQ(map_reduce(square, plus, 0, s).get(), 52);
  CHECK_EQ(to_string(map_scan(square, plus, 0, s).prefixes), "<0,9,10,26,27>");
  CHECK_EQ(map_scan(square, plus, 0, s).total.get(), 52);
  CHECK_EQ(to_string(map_scan_incl(square, plus, 0, s)), "<9,10,26,27,52>");
  CHECK_EQ(to_string(map_filter(
               square, [](auto x) { return x > 1; }, s)),
           "<9,16,25>");
  CHECK_EQ(to_string(map_filter_idx([](auto i, auto x) { return i * x; }, [](auto i, auto y) { return i < 4 && y != 0; }, s)), "<-1,8,-3>");
  CHECK_EQ(to_string(map_merge(
               square, [](auto x, auto y) { return x < y; }, t, Seq<int>{0, 3})),
           "<0,1,4,9>");
  CHECK_EQ(kernels(map_reduce(square, plus, 0, s)), "1 kernel");
  CHECK_EQ(to_string([](int x) { return "#" + std::to_string(x); }, t), "<#1,#2>");
}

TEST(parts_and_small_sequences) {
  CHECK_EQ(to_string(empty<float>()), "<>");
  CHECK_EQ(to_string(singleton(Pair(1, 2.5f))), "<(1,2.5)>");
  CHECK_EQ(to_string(fill(7, 3)), "<7,7,7>");
  const Seq<int> s{1, 2, 3};
  CHECK(!split_head(Seq<int>()));
  const auto [head, tail] = *split_head(s);
  CHECK_EQ(head.get(), 1);
  CHECK_EQ(to_string(tail), "<2,3>");
  CHECK(std::holds_alternative<std::monostate>(split_mid(Seq<int>())));
  CHECK_EQ(std::get<1>(split_mid(tail[0].get() == 2 ? take(tail, 1) : s)).get(), 2);
  const auto [left, right] = std::get<2>(split_mid(s));
  CHECK_EQ(to_string(left), "<1>");
  CHECK_EQ(to_string(right), "<2,3>");
}

// The extremes of NaNs alone are NaN, the element at argmax; those of no elements are infinities.
TEST(extremes_of_nans_alone) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), none = std::numeric_limits<double>::infinity();
  for (int64_t n : {1, 2, 100, 70001}) {
    const Seq<double> s(std::vector<double>(size_t(n), nan));
    CHECK(std::isnan(max(s).get()) && std::isnan(min(s).get()) && std::isnan(s[argmax(s)].get()) && argmax(s).get() == 0);
    const auto kept = filter([](auto x) { return x != 1.; }, s), dropped = filter([](auto x) { return x == 1.; }, s);
    CHECK(std::isnan(max(kept).get()) && max(dropped).get() == -none && min(dropped).get() == none);
    CHECK(std::isnan(max(reshape(s, 1, n), {1}).to_vector()[0]) && std::isnan(max_pool(reshape(s, n, 1), 1, 1).to_vector()[0]));
    const auto rows = tabulate([&](auto i) { return max(take(s, i)); }, 2).to_vector();  // of 0 and 1 elements
    CHECK(rows[0] == -none && std::isnan(rows[1]));
    const auto some = tabulate([&](auto i) { return max(filter([&](auto x) { return isnan(x) & (i > 0); }, take(s, 1))); }, 2).to_vector();
    CHECK(some[0] == -none && std::isnan(some[1]));
    const auto before = scan(max, -none, s).prefixes.to_vector(), kept_before = scan(max, -none, kept).prefixes.to_vector();
    CHECK(before[0] == -none && kept_before[0] == -none && (n == 1 || (std::isnan(before.back()) && std::isnan(kept_before.back()))));
    CHECK(std::isnan(jit([](const Seq<double>& x) { return max(x); })(s).get()));
  }
}

// NaN is neither the largest nor the least unless there is nothing else, and -0 and 0 are equal: the element at argmax is the maximum.
TEST(the_largest_and_the_least_of_floats) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  auto check = [](const std::vector<float>& values, int64_t largest, int64_t least) {
    const Seq s(values);
    CHECK_EQ(argmax(s).get(), largest);
    CHECK_EQ(argmin(s).get(), least);
  };
  check({nan, -1, nan, 2, nan, 2, -1}, 3, 1);
  check({nan, nan}, 0, 0);
  check({-infinity, nan, -infinity}, 0, 0);
  check({nan, -infinity, infinity, infinity}, 2, 1);
  check({-0.0f, 0.0f}, 0, 0);
  check({0.0f, -0.0f}, 0, 0);
  std::vector<float> many(100007, nan);
  check(many, 0, 0);
  many[65537] = many[65536] = 1, many[1025] = many[4096] = -1;
  check(many, 65536, 1025);
  const Seq pairs(std::vector<std::pair<int, float>>{{1, nan}, {1, 0.0f}, {0, nan}});
  CHECK_EQ(argmax(pairs).get(), 0);
  CHECK_EQ(argmin(pairs).get(), 2);
}

// Lengths, widths and distances near the limits of 64 bits are errors or right. Only the elements that are read are computed.
TEST(lengths_near_the_limits) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min(), n = most / 2 + 1000;
  const auto s = tabulate([](auto i) { return cast<uint8_t>(i & 127); }, n);
  auto at = [](int64_t i) { return uint8_t(i & 127); };
  CHECK(take(rotate(s, n - 2), 3).to_vector() == (std::vector{at(n - 2), at(n - 1), at(0)}));
  CHECK(take(rotate(s, -1), 2).to_vector() == (std::vector{at(n - 1), at(0)}));
  CHECK(take(rotate(Seq<int>{1, 2, 3}, most), 1).to_vector() == std::vector{1 + int(most % 3)});
  CHECK(take(rotate(Seq<int>{1, 2, 3}, least), 1).to_vector() == std::vector{1 + int((least % 3 + 3) % 3)});
  CHECK_THROWS(SizeError, interleave(s, s));
  CHECK(interleave(take(s, n / 2), drop(s, n - n / 2))[2 * (n / 2) - 1].get() == at(n - 1));
  CHECK_THROWS(SizeError, range(least, most));
  CHECK_THROWS(SizeError, range(int64_t{-2}, most));
  CHECK_EQ(range(most, least).size(), 0);
  CHECK_EQ(range(most - 2, most).to_vector(), (std::vector{most - 2, most - 1}));
  CHECK_EQ(range(uint64_t{1} << 63, (uint64_t{1} << 63) + 2)[1].get(), (uint64_t{1} << 63) + 1);
  CHECK(top_k(Seq<int>{3, 1, 2}, most).to_vector() == (std::vector{3, 2, 1}));
  CHECK_EQ(message_of([&] { top_k(Seq<int>{3, 1, 2}, -1); }), "top_k: k is -1; expected 0 or more");
  CHECK_EQ(message_of([&] { update(Seq<int>{3, 1, 2}, 3, 0); }), "update: i is 3, but s has length 3; expected 0 to 2");
  CHECK_EQ(message_of([&] { update(Seq<int>(), 0, 0); }), "update: i is 0, but s has length 0: no index is valid");
  for (int64_t k : {least, int64_t{-1}, n + 1, most}) {
    CHECK_THROWS(RangeError, take(s, k));
    CHECK_THROWS(RangeError, drop(s, k));
    CHECK_THROWS(RangeError, subseq(s, k, 1));
    CHECK_THROWS(RangeError, subseq(s, 1, k));
    CHECK_THROWS(RangeError, update(s, k, uint8_t{1}));
    CHECK_THROWS(RangeError, nth(s, k));
  }
}

TEST(statistics) {
  for (int64_t n : sizes) {
    const auto values = numbers(n);
    const Seq s(values);
    const auto [low, high] = minmax(s).get();
    const double m = mean(s);
    if (n == 0) {
      CHECK(low == std::numeric_limits<int>::max() && high == std::numeric_limits<int>::lowest() && std::isnan(m));
      CHECK_THROWS(RangeError, argmax(s));
      CHECK_THROWS(RangeError, argmin(s));
      try {
        argmin(s);
      } catch (const RangeError& error) { CHECK_EQ(std::string(error.what()), "argmin: s is empty; expected at least one element"); }
    } else {
      CHECK_EQ(low, *std::ranges::min_element(values));
      CHECK_EQ(high, *std::ranges::max_element(values));
      CHECK_EQ(m, double(std::accumulate(values.begin(), values.end(), int64_t{0})) / double(n));
      CHECK_EQ(argmax(s).get(), std::ranges::max_element(values) - values.begin());
      CHECK_EQ(argmin(s).get(), std::ranges::min_element(values) - values.begin());
      CHECK_EQ(argmax([](auto x, auto y) { return x % 10 < y % 10; }, s).get(),
               std::ranges::max_element(values, [](int x, int y) { return x % 10 < y % 10; }) - values.begin());
      CHECK_EQ(kernels(argmax(s)), "1 kernel");
    }
    const auto at = std::ranges::find(values, 13);
    CHECK_EQ(find_index([](auto x) { return x == 13; }, s).get(), at == values.end() ? -1 : at - values.begin());
    CHECK_EQ(find([](auto x) { return x == 13; }, s).has_value(), at != values.end());
    auto largest = values;
    std::ranges::stable_sort(largest, std::greater<>());
    largest.resize(std::min<size_t>(largest.size(), 10));
    CHECK(top_k(s, 10).to_vector() == largest);
    uint32_t state = 7;
    for (int x : values) state = state * 31 + uint32_t(x);
    CHECK_EQ(iterate([](auto a, auto x) { return a * 31 + cast<uint32_t>(x); }, uint32_t{7}, s).get(), state);
  }
  CHECK_EQ(product(Seq<int>{2, 3, 7}).get(), 42);
  const Pair last = iterate([](auto a, auto x) { return std::pair(x, a.first * 0.5f); }, Pair(1, 0.0f), Seq<int>{4, 6, 5});
  CHECK(last == Pair(5, 3.0f));
  CHECK_EQ(kernels(iterate([](auto a, auto x) { return a - x; }, 0, Seq<int>{4, 6, 5})), "1 kernel");
}

// A search and `any` and `all` stop once their results are known: any chunk's, but the first index only after all elements before it.
TEST(searches_stop_at_a_hit) {
  const int64_t n = 3 << 20;
  const auto is = [](auto x) { return x == 99; };
  const auto left_out = [](const auto& result) { return explain(result).find(" elements out, which") != std::string::npos; };
  std::vector<int> values = numbers(n);
  for (const int64_t hit : {int64_t(0), int64_t(65535), int64_t(65536), n / 2 - 1, n / 2, n - 1, n}) {
    for (int64_t i = hit; i < n; i += 50001) values[size_t(i)] = 99;
    const Seq s(values);
    const auto index = find_index(is, s);
    CHECK_EQ(index.get(), hit < n ? hit : -1);
    CHECK_EQ(any(is, s).get(), hit < n);
    CHECK_EQ(all([](auto x) { return x != 99; }, s).get(), hit == n);
    const auto two = any(is, s), other = any([](auto x) { return x == 98; }, s);  // the second one needs all elements
    force(two, other);
    CHECK(two.get() == (hit < n) && !other.get() && !left_out(two));
    const auto kept = filter([](auto x) { return x > 0; }, s);
    CHECK_EQ(any(is, kept).get(), hit < n);
    std::ranges::replace(values, 99, 1);
  }
  const Seq s(values);
  CHECK_EQ(all([](auto x) { return x < 99; }, s).get(), true);
  CHECK_THROWS(RangeError, any([&](auto i) { return s[where(i == n - 1, n, i)] > -99; }, iota(n)).get());
  if (default_context().name() != "cpu") return;
  const auto yes = any([](auto x) { return x < 99; }, s), no = any(is, s);
  const auto first = find_index([](auto x) { return x < 99; }, s);
  CHECK(yes.get() && !no.get() && first.get() == 0);
  CHECK(left_out(yes) && left_out(first) && !left_out(no));
}
