// Segments, groups and pieces against loops over vectors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include "common.h"

using namespace warpfold;
template <class T> using Vectors = std::vector<std::vector<T>>;

namespace {

const std::vector<int64_t> sizes = {0, 1, 2, 64, 1025, 100007};

// Segments of 0 to 12 elements, the first and the last one empty, and one of a third of all.
Segments<int> varied(int64_t n, std::vector<std::vector<int>>* expected = nullptr) {
  const std::vector<int> values = numbers(n);
  std::vector<int> parts{0};
  int64_t used = 0;
  for (int k = 0; used < n; k++) {
    const int64_t length = std::min<int64_t>(n - used, k == 5 ? n / 3 : k % 4 == 0 ? 0 : k * 7 % 13);
    parts.push_back(int(length));
    used += length;
  }
  parts.push_back(0);
  if (expected) {
    auto at = values.begin();
    for (int length : parts) expected->emplace_back(at, at + length), at += length;
  }
  return Segments<int>::of_lengths(Seq(values), Seq(parts));
}

}  // namespace

TEST(segments_are_views_of_their_values) {
  for (int64_t n : sizes) {
    Vectors<int> expected;
    const auto s = varied(n, &expected);
    CHECK_EQ(s.size(), int64_t(expected.size()));
    CHECK(s.to_vectors() == expected);
    CHECK(flatten(s).to_vector() == numbers(n));
    for (size_t k = 0; k < expected.size(); k += expected.size() / 3 + 1) CHECK(s[k].to_vector() == expected[k]);
    CHECK_THROWS(RangeError, s[s.size()]);
    CHECK_THROWS(RangeError, s[-1]);
    const auto ids = segment_ids(s).to_vector();
    const auto lengths_of = s.lengths().to_vector();
    size_t i = 0;
    for (size_t k = 0; k < expected.size(); k++) {
      CHECK_EQ(lengths_of[k], int64_t(expected[k].size()));
      for (size_t j = 0; j < expected[k].size(); j++) CHECK_EQ(ids[i++], int64_t(k));
    }
  }
}

// Segments of 0 to 20000 values, which begin and end at, before and after multiples of 64.
TEST(ids_of_long_segments) {
  for (const std::vector<int>& lengths : std::vector<std::vector<int>>{{64},
                                                                       {1, 127},
                                                                       {0, 200, 0},
                                                                       {0, 0, 63, 1, 64, 65, 0, 20000, 0, 0, 128, 1000, 1, 1, 0},
                                                                       {20000, 0, 0, 0, 20001},
                                                                       {4095, 4097, 1, 0, 8191}}) {
    std::vector<int64_t> right;
    for (size_t k = 0; k < lengths.size(); k++) right.insert(right.end(), size_t(lengths[k]), int64_t(k));
    const int64_t n = int64_t(right.size());
    const auto s = Segments<int64_t>::of_lengths(iota(n), Seq(lengths));
    CHECK(segment_ids(s).to_vector() == right);
    // Fused with a reader, and counted.
    const auto first = map([offsets = s.offsets()](auto which) { return offsets[which]; }, segment_ids(s)).to_vector();
    int64_t at = 0;
    for (size_t k = 0; k < lengths.size(); at += lengths[k++])
      for (int64_t i = at; i < at + lengths[k]; i++) CHECK_EQ(first[size_t(i)], at);
    CHECK(histogram(segment_ids(s), int64_t(lengths.size())).to_vector() == std::vector<int64_t>(lengths.begin(), lengths.end()));
  }
}

TEST(primitives_inside_segments) {
  for (int64_t n : sizes) {
    Vectors<int> expected;
    const auto s = varied(n, &expected);
    const auto doubled = map([](auto x) { return 2 * x; }, s);
    const auto large = filter([](auto x) { return x > 20; }, doubled);
    const auto sums = reduce(plus, 0, large);
    const auto [prefixes, totals] = scan(plus, 0, doubled);
    const auto inclusive = scan_incl(plus, 0, doubled);
    const auto longest = map_segments([](auto row) { return std::pair(length(row), reduce(max, -1000, row)); }, s);
    const auto summed = sums.to_vector(), total = totals.to_vector();
    const auto both = longest.to_vector();
    const auto before = prefixes.to_vectors(), through = inclusive.to_vectors(), kept = large.to_vectors();
    for (size_t k = 0; k < expected.size(); k++) {
      std::vector<int> right, some;
      int sum = 0, most = -1000;
      for (int x : expected[k]) {
        right.push_back(sum);
        sum += 2 * x;
        if (2 * x > 20) some.push_back(2 * x);
        most = std::max(most, x);
      }
      CHECK(before[k] == right);
      for (size_t j = 0; j < right.size(); j++) CHECK_EQ(through[k][j], j + 1 < right.size() ? right[j + 1] : sum);
      CHECK_EQ(total[k], sum);
      CHECK(kept[k] == some);
      CHECK_EQ(summed[k], std::accumulate(some.begin(), some.end(), 0));
      CHECK_EQ(both[k].first, int64_t(expected[k].size()));
      CHECK_EQ(both[k].second, most);
    }
  }
}

TEST(a_reduction_of_segments_is_one_kernel) {
  const auto s = varied(1025);
  force(s.values(), s.offsets());
  CHECK_EQ(kernels(reduce(plus, 0, map([](auto x) { return x * x; }, s))), "1 kernel");
  CHECK_EQ(kernels(reduce(plus, 0, chunks(s.values(), 10))), "1 kernel");
  CHECK_EQ(kernels(reduce(plus, 0, windows(s.values(), 10))), "1 kernel");
  const auto kept = filter([](auto x) { return x > 0; }, s);
  CHECK_EQ(kernels(kept.values(), kept.offsets()), "2 kernels");  // the second one reads the offsets
}

TEST(tuples_in_segments) {
  const auto s = map([](auto x) { return std::pair(x, 0.5f * x); }, varied(1025));
  const auto sums = reduce([](auto x, auto y) { return std::pair(x.first + y.first, x.second + y.second); }, {0, 0.0f}, s).to_vector();
  const auto plain = reduce(plus, 0, varied(1025)).to_vector();
  for (size_t k = 0; k < sums.size(); k++) {
    CHECK_EQ(sums[k].first, plain[k]);
    CHECK_EQ(sums[k].second, 0.5f * float(plain[k]));
  }
}

TEST(chunks_windows_and_sequences_of_sequences) {
  for (int64_t n : {0, 1, 5, 6, 7, 1025})
    for (int64_t k : {1, 3, 6, 2000}) {
      const auto values = numbers(n);
      const Seq s(values);
      Vectors<int> parts, all;
      for (int64_t i = 0; i < n; i += k) parts.emplace_back(values.begin() + i, values.begin() + std::min(i + k, n));
      for (int64_t i = 0; i + k <= n; i++) all.emplace_back(values.begin() + i, values.begin() + i + k);
      CHECK(chunks(s, k).to_vectors() == parts);
      CHECK(Segments<int>(windows(s, k)).to_vectors() == all);
      const auto sums = reduce(plus, 0, windows(s, k)).to_vector();
      CHECK_EQ(sums.size(), all.size());
      for (size_t i = 0; i < all.size(); i++) CHECK_EQ(sums[i], std::accumulate(all[i].begin(), all[i].end(), 0));
      std::vector<Seq<int>> sequences;
      for (const auto& part : parts) sequences.emplace_back(part);
      CHECK(Segments(sequences).to_vectors() == parts);
      CHECK(flatten(sequences).to_vector() == values);
      CHECK(flatten(chunks(s, k)).to_vector() == values);
    }
  CHECK_THROWS(SizeError, chunks(Seq<int>{1, 2}, 0));
  CHECK_THROWS(SizeError, windows(Seq<int>{1, 2}, 0));
}

TEST(segments_and_windows_are_printed) {
  const auto printed = [](const auto& s) {
    std::ostringstream out;
    out << s;
    return out.str();
  };
  const Seq<int> s{1, 2, 3, 4};
  CHECK_EQ(printed(Segments<int>::of_lengths(map([](auto x) { return x * 2; }, s), Seq<int>{1, 0, 3})), "<<2>,<>,<4,6,8>>");
  CHECK_EQ(printed(filter([](auto x) { return x != 2; }, chunks(s, 2))), "<<1>,<3,4>>");
  CHECK_EQ(printed(windows(s, 3)), "<<1,2,3>,<2,3,4>>");
  CHECK_EQ(printed(windows(s, 5)), "<>");
  const std::string many = printed(chunks(iota(22), 1));
  CHECK_EQ(many, "<<0>,<1>,<2>,<3>,<4>,<5>,<6>,<7>,<8>,<9>,...,<12>,<13>,<14>,<15>,<16>,<17>,<18>,<19>,<20>,<21>>");
  CHECK_THROWS(RangeError, printed(Segments<int>(s, Seq<int64_t>{0, 3, 1, 4})));
}

// Widths near the limits of 64 bits are errors or right. Only the elements that are read are computed.
TEST(chunks_and_windows_near_the_limits) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min(), n = most / 2 + 1000;
  const Seq few{1, 2, 3};
  for (int64_t k : {most, most - 1, most / 2 + 1, int64_t{3}}) CHECK(chunks(few, k).to_vectors() == (Vectors<int>{{1, 2, 3}}));
  CHECK(chunks(few, most / 2).offsets().to_vector() == (std::vector<int64_t>{0, 3}));
  CHECK(Segments<int>(windows(few, most)).to_vectors().empty());
  for (int64_t k : {least, int64_t{-1}, int64_t{0}}) {
    CHECK_THROWS(SizeError, chunks(few, k));
    CHECK_THROWS(SizeError, windows(few, k));
  }
  const auto s = tabulate([](auto i) { return cast<uint8_t>(i & 127); }, n);
  CHECK(chunks(s, n - 1).offsets().to_vector() == (std::vector<int64_t>{0, n - 1, n}));
  CHECK(chunks(s, most / 2).offsets().to_vector() == (std::vector<int64_t>{0, most / 2, n}));
  CHECK_EQ(chunks(s, n - 1)[1].size(), 1);
  CHECK_EQ(windows(s, 3)[n - 3].to_vector()[2], uint8_t((n - 1) & 127));
  CHECK_EQ(windows(s, n).size(), 1);
  CHECK_EQ(Segments<uint8_t>(windows(s, n)).values().size(), n);
  CHECK_THROWS(SizeError, Segments<uint8_t>(windows(s, most / 4)));
  CHECK_THROWS(SizeError, Segments<uint8_t>(windows(take(s, int64_t{1} << 34), int64_t{1} << 33)));
  for (const Seq<int64_t>& wrong : {Seq<int64_t>{0, most, 3}, Seq<int64_t>{0, 4, 3}, Seq<int64_t>{0, 2, 1, 3}, Seq<int64_t>{1, 3},
                                    Seq<int64_t>{0, 2}, Seq<int64_t>{least, most, 3}, Seq<int64_t>{most, least, 3}}) {
    const Segments<int> segments(few, wrong);
    CHECK_THROWS(RangeError, segments.to_vectors());
    CHECK_THROWS(RangeError, (reduce(plus, 0, segments).force()));
  }
  CHECK_THROWS(RangeError, Segments<int>(few, Seq<int64_t>{least, most, 3})[0]);
  CHECK_THROWS(RangeError, Segments<int>(few, Seq<int64_t>{2, 0, 3})[0]);
  CHECK_THROWS(RangeError, reduce(plus, 0, Segments<int>::of_lengths(few, Seq<int64_t>{most, most, 5})).force());
}

TEST(pieces_and_runs) {
  for (int64_t n : sizes) {
    const auto values = numbers(n);
    const Seq s(values);
    auto separates = [](auto x) { return x % 7 == 0; };
    Vectors<int> pieces(1), begun, equal;
    for (size_t i = 0; i < values.size(); i++) {
      if (values[i] % 7 == 0) pieces.emplace_back();
      else pieces.back().push_back(values[i]);
      if (i == 0 || values[i] % 7 == 0) begun.emplace_back();
      begun.back().push_back(values[i]);
      if (i == 0 || values[i] / 40 != values[i - 1] / 40) equal.emplace_back();
      equal.back().push_back(values[i]);
    }
    CHECK(split(separates, s).to_vectors() == pieces);
    CHECK(split_before(separates, s).to_vectors() == begun);
    CHECK(flatten(split_before(separates, s)).to_vector() == values);
    CHECK(runs([](auto x, auto y) { return x / 40 == y / 40; }, s).to_vectors() == equal);
    const auto firsts = unique([](auto x, auto y) { return x / 40 == y / 40; }, s).to_vector();
    CHECK_EQ(firsts.size(), equal.size());
    for (size_t k = 0; k < firsts.size(); k++) CHECK_EQ(firsts[k], equal[k][0]);
    int64_t total = 0;
    for (auto [x, count] : run_lengths(map([](auto x) { return x / 40; }, s))) total += count;
    CHECK_EQ(total, n);
  }
}

TEST(groups_keep_the_order_of_their_values) {
  for (int64_t n : sizes) {
    const auto values = numbers(n);
    std::vector<std::pair<int, int>> pairs;
    for (size_t i = 0; i < values.size(); i++) pairs.emplace_back(values[i], int(i));
    const auto [keys, groups] = collect(Seq(pairs));
    const auto key = keys.to_vector();
    const auto group = groups.to_vectors();
    CHECK(std::ranges::is_sorted(key, std::less_equal<>()) || key.size() < 2);
    CHECK_EQ(key.size(), group.size());
    size_t total = 0;
    for (size_t k = 0; k < group.size(); k++) {
      CHECK(!group[k].empty());
      CHECK(std::ranges::is_sorted(group[k]));
      for (int i : group[k]) CHECK_EQ(values[size_t(i)], key[k]);
      total += group[k].size();
    }
    CHECK_EQ(total, values.size());
    const auto sums = reduce_by_key(plus, 0, Seq(values), map([](auto x) { return x * 3; }, Seq(values))).to_vector();
    for (size_t k = 0; k < sums.size(); k++) {
      CHECK_EQ(sums[k].first, key[k]);
      CHECK_EQ(sums[k].second, 3 * key[k] * int(group[k].size()));
    }
    const auto down = collect([](auto x, auto y) { return x > y; }, Seq(pairs));
    CHECK(rev(down.keys).to_vector() == key);
    const auto reversed = down.values.to_vectors();
    for (size_t k = 0; k < group.size(); k++) CHECK(reversed[group.size() - 1 - k] == group[k]);
    const auto by = group_by([](auto x) { return x % 5; }, Seq(values));
    const auto remainders = by.keys.to_vector();
    const auto members = by.values.to_vectors();
    for (size_t k = 0; k < members.size(); k++)
      for (int x : members[k]) CHECK_EQ(x % 5, remainders[k]);
  }
}

TEST(keys_of_nans_and_of_negative_zeros) {
  for (const int64_t n : {1000, 20000})
    for (const bool in_order : {false, true}) {
      std::vector<int> keys;
      std::vector<float> values;
      for (int64_t i = 0; i < n; i++) keys.push_back(int(in_order ? i * 10 / n : i * 7 % 10));
      for (const int key : keys) values.push_back(key == 3 ? std::numeric_limits<float>::quiet_NaN() : float(key));
      for (const auto& found : {reduce_by_key(max, -std::numeric_limits<float>::infinity(), Seq(keys), Seq(values)).to_vector(),
                                reduce_by_key(min, std::numeric_limits<float>::infinity(), Seq(keys), Seq(values)).to_vector()})
        for (const auto& [key, value] : found) CHECK(key == 3 ? std::isnan(value) : value == float(key));
      const std::vector<float> zeros(keys.size(), -0.f);
      for (const auto& [key, value] : reduce_by_key(plus, -0.f, Seq(keys), Seq(zeros)).to_vector()) CHECK(std::signbit(value));
    }
}

namespace {

// reduce_by_key next to a loop over a map.
template <class K, class V, class F> void check_totals(F f, V identity, const std::vector<K>& keys, const std::vector<V>& values) {
  std::map<K, V> right;
  for (size_t i = 0; i < keys.size(); i++) {
    V& total = right.try_emplace(keys[i], identity).first->second;
    total = V(f(total, values[i]));
  }
  const auto found = reduce_by_key(f, identity, Seq(keys), Seq(values)).to_vector();
  CHECK_EQ(found.size(), right.size());
  size_t k = 0, wrong = 0;
  for (const auto& [key, total] : right) wrong += found[k].first != key || found[k].second != total, k++;
  CHECK_EQ(wrong, 0u);
}

template <class K> void check_totals_of(int64_t n, K first, uint64_t range) {
  std::vector<K> keys;
  std::vector<int> values;
  std::vector<uint8_t> bytes;
  std::vector<double> whole;  // whose sums are exact in any order
  for (uint64_t i = 0; i < uint64_t(n); i++) {
    keys.push_back(K(first + K(i * i % range / 2 * 2 % range)));  // odd ones do not occur
    values.push_back(int(i * 7919 % 1009) - 500);
    bytes.push_back(uint8_t(i));
    whole.push_back(double(values.back()));
  }
  for (const bool in_order : {false, true}) {
    if (in_order) std::ranges::sort(keys);
    check_totals(plus, 0, keys, values);
    check_totals(min, std::numeric_limits<int>::max(), keys, values);
    check_totals(bit_xor, 0, keys, values);
    check_totals(plus, uint8_t(0), keys, bytes);
    check_totals(plus, 0.0, keys, whole);
    check_totals(max, -std::numeric_limits<double>::infinity(), keys, whole);
  }
}

}  // namespace

// Runs if the keys are in order, tables if their range is small, a sort elsewhere.
TEST(totals_by_key_in_every_way) {
  for (const int64_t n : {int64_t(1), int64_t(16383), int64_t(16384), int64_t(100003)}) {
    check_totals_of<int32_t>(n, 0, 1000);
    check_totals_of<int32_t>(n, -500, 1000);
    check_totals_of<int32_t>(n, std::numeric_limits<int32_t>::min(), 77);
    check_totals_of<int32_t>(n, std::numeric_limits<int32_t>::max() - 65534, 65535);
    check_totals_of<int64_t>(n, std::numeric_limits<int64_t>::min(), 65536);
    check_totals_of<int64_t>(n, -3, 70001);
    check_totals_of<uint64_t>(n, ~uint64_t(0) - 99, 100);
    check_totals_of<uint32_t>(n, 0, uint64_t(1) << 32);
    check_totals_of<uint8_t>(n, 0, 256);
  }
  check_totals_of<int32_t>(300007, -9, 75001);
  check_totals_of<int64_t>(300007, 100, 70001);
  const Seq<int> none = filter([](auto x) { return x > 100; }, iota<int>(100));
  CHECK(reduce_by_key(plus, 0, none, none).to_vector().empty());
  const Seq<int> some = filter([](auto x) { return x % 3 == 0; }, iota<int>(100000));
  CHECK_EQ(reduce_by_key(plus, 0, map([](auto x) { return x % 2; }, some), some).to_vector().size(), 2u);
  CHECK_THROWS(SizeError, reduce_by_key(plus, 0, iota<int>(20000), iota<int>(20001)));
}

// Keys of any type, and functions that do not commute, where the keys are in order.
TEST(totals_by_keys_in_order) {
  constexpr int64_t each = 5001;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> firsts = {-2.0f, -0.0f, 0.0f, 3.0f, nan};
  std::vector<float> keys;
  std::vector<std::pair<int, int>> values;
  for (const float key : firsts)
    for (int64_t i = 0; i < each; i++) keys.push_back(key), values.emplace_back(int(2 * i + 1), int(keys.size()));
  const auto composed = [](auto f, auto g) { return std::pair(f.first * g.first, f.second * g.first + g.second); };
  const auto found = reduce_by_key(composed, std::pair(1, 0), Seq(keys), Seq(values)).to_vector();
  CHECK_EQ(found.size(), firsts.size());
  for (size_t k = 0; k < firsts.size(); k++) {
    std::pair<uint32_t, uint32_t> total(1, 0);
    for (size_t i = k * each; i < (k + 1) * each; i++)
      total = {total.first * uint32_t(values[i].first), total.second * uint32_t(values[i].first) + uint32_t(values[i].second)};
    CHECK(std::isnan(firsts[k]) ? std::isnan(found[k].first) : found[k].first == firsts[k]);
    CHECK_EQ(std::signbit(found[k].first) && !std::isnan(firsts[k]), std::signbit(firsts[k]));
    CHECK_EQ(uint32_t(found[k].second.first), total.first);
    CHECK_EQ(uint32_t(found[k].second.second), total.second);
  }
}

// Every function that reads offsets names the wrong one, also if its element has another position than the segment's.
TEST(messages_name_the_wrong_offset) {
  const Seq<int> values{1, 2, 3};
  const std::vector<std::pair<std::vector<int64_t>, std::string>> cases = {
      {{0, 2, 1, 3}, "offset 2 of segments is 1, below offset 1, which is 2; expected offsets that do not descend"},
      {{0, 3, 3, 2}, "offset 3 of segments is 2, below offset 2, which is 3; expected offsets that do not descend"},
      {{1, 3}, "offset 0 of segments is 1; expected 0"},
      {{-1, 3}, "offset 0 of segments is -1; expected 0"},
      {{0, 2}, "offset 1 of segments, the last one, is 2; expected 3, the number of values"},
      {{0, 4}, "offset 1 of segments is 4; expected at most 3, the number of values"},
      {{0, -2, 3}, "offset 1 of segments is -2; expected 0 to 3, the number of values"}};
  for (const auto& [offsets, expected] : cases) {
    const Segments<int> s(values, Seq(offsets));
    auto message = [&](const auto& result) -> std::string {
      try {
        force(result);
      } catch (const RangeError& error) { return error.what(); }
      return "no error";
    };
    const std::string right = "force: " + expected;
    const auto sums = reduce(plus, 0, s);
    CHECK_EQ(message(sums), right);
    CHECK_EQ(message(rev(sums)), right);
    CHECK_EQ(message(reduce(plus, 0, sums)), right);
    CHECK_EQ(message(scan(plus, 0, s).totals), right);
    CHECK_EQ(message(scan_incl(plus, 0, s).values()), right);
    CHECK_EQ(message(filter([](auto x) { return x > 1; }, s).offsets()), right);
    CHECK_EQ(message(segment_ids(s)), right);
  }
  // An index that is wrong elsewhere is not blamed on offsets that are right.
  const Segments<int> right(values, Seq<int64_t>{0, 1, 3});
  const Seq<int> few{7, 8};
  const auto sums = map([few](auto sum) { return few[sum]; }, reduce(plus, 0, right));
  CHECK_THROWS(RangeError, sums.force());
  try {
    sums.force();
  } catch (const RangeError& error) { CHECK(std::string(error.what()).find("index 5 at element 1") != std::string::npos); }
}

// A chain of segments whose offsets come from earlier ones: the fault is searched for once per sequence of offsets.
TEST(a_fault_below_many_segments_is_found_at_once) {
  auto wrong = Segments<int64_t>(Seq<int64_t>{0, 1, 2}, Seq<int64_t>{0, 2, 1, 3});
  Seq<int64_t> sums = reduce(plus, 0, wrong);
  for (int k = 0; k < 40; k++) sums = reduce(plus, 0, Segments<int64_t>(Seq<int64_t>{0, 1, 2}, append(Seq<int64_t>{0}, sums)));
  CHECK_THROWS(RangeError, sums.force());
}

TEST(distances_of_wrong_offsets_do_not_wrap) {
  constexpr int64_t least = INT64_MIN, most = INT64_MAX;
  const Segments<int> s(Seq<int>{1, 2, 3}, Seq<int64_t>{0, least, most, least, 2, 3});
  CHECK_EQ(s.lengths().to_vector(), (std::vector<int64_t>{0, 1, 0, 1, 1}));
  const auto sum_of = [&](int64_t k) { return map_segments([](auto segment) { return sum(segment); }, s)[k].get(); };
  CHECK_EQ(sum_of(0) + sum_of(2) + sum_of(4), 3);
  for (int64_t k : {1, 3}) CHECK_THROWS(RangeError, sum_of(k));
}

TEST(wrong_offsets_are_errors_of_the_force) {
  const Seq<int> values{1, 2, 3};
  CHECK_THROWS(RangeError, reduce(plus, 0, Segments<int>(values, Seq<int64_t>{0, 2, 1, 3})).force());
  CHECK_THROWS(RangeError, reduce(plus, 0, Segments<int>::of_lengths(values, Seq<int>{1, 1})).force());
  const auto many = iota(1000);
  for (const Seq<int64_t>& wrong :
       {Seq<int64_t>{1, 500, 1000}, Seq<int64_t>{0, 500, 999}, Seq<int64_t>{0, 500, 1001}, Seq<int64_t>{0, 600, 500, 1000}})
    CHECK_THROWS(RangeError, segment_ids(Segments<int64_t>(many, wrong)).force());
  CHECK_THROWS(SizeError, reduce(plus, 0, Segments<int>(values, Seq<int64_t>())));
  const Segments<int> none{Seq<int>(), Seq<int64_t>()};
  CHECK_THROWS(SizeError, none.size());
  CHECK_THROWS(SizeError, none.lengths());
  CHECK_THROWS(SizeError, none.to_vectors());
}

namespace {
constexpr float none = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();
bool same(float a, float b) { return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b)); }
}  // namespace

TEST(a_segment_begins_with_the_identity_as_a_scan_does) {
  for (int64_t n : {0, 1, 2, 3, 64, 66, 1025, 100008}) {
    // Segments of 3 elements: NaN, -0 and a number in turns of 4.
    std::vector<float> values;
    for (int64_t i = 0; i < n; i++) values.push_back(i % 4 == 0 ? not_a_number : i % 4 == 1 ? -0.0f : float(i % 101 + 1));
    const Seq s(values);
    const auto parts = chunks(s, 3);
    const Segments<float> segments = parts;
    const auto lows = scan_incl(min, none, segments).values().to_vector(), sums = scan_incl(plus, 0.f, segments).values().to_vector();
    const auto [before, totals] = scan(min, none, segments);
    const auto first = before.values().to_vector(), total = totals.to_vector(), reduced = reduce(min, none, segments).to_vector();
    float low = not_a_number, sum = 0;
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
      if (i % 3 == 0) low = not_a_number, sum = 0;
      wrong += !same(first[i], i % 3 == 0 ? none : low);
      low = std::fmin(low, values[i]), sum += values[i];
      wrong += !same(lows[i], low) + !same(sums[i], sum);
    }
    for (size_t k = 0; k < total.size(); k++) wrong += !same(total[k], reduced[k]);
    if (n % 3 == 0 && n > 0) {
      const auto along = scan_incl(min, none, reshape(s, n / 3, 3), 1).to_vector();
      for (int64_t i = 0; i < n; i++) wrong += !same(along[i], lows[i]);
    }
    CHECK_EQ(wrong, 0);
  }
}
