// Views of arrays: other shapes, parts, windows, joins, against plain loops.
#include "arrays.h"

using namespace warpfold;

TEST(other_shapes) {
  const auto a = numbered(3, 4);
  CHECK_EQ(reshape(a, 2, -1).shape(), (Shape<2>{2, 6}));
  CHECK_EQ(reshape(a, 2, 3, 2)(1, 0, 1).get(), 7);
  CHECK_EQ(reshape(Seq<int>{1, 2, 3, 4}, 2, 2)(1, 0).get(), 3);
  CHECK_EQ(flatten(a).shape(), Shape<1>{12});
  CHECK_EQ(insert_axis(a, 1).shape(), (Shape<3>{3, 1, 4}));
  CHECK_EQ(insert_axis(a, -1).shape(), (Shape<3>{3, 4, 1}));
  CHECK_EQ(broadcast(a, 2, 3, 4)(1, 2, 3).get(), 11);
  CHECK_THROWS(SizeError, reshape(a, 5, 5));
  CHECK_THROWS(SizeError, broadcast(a, 3, 5));
  const auto b = reshape(a, 2, 3, 2);
  const auto right = array([&](auto k, auto i, auto j) { return b(i, j, k); }, 2, 2, 3);
  CHECK_EQ(permute(b, 2, 0, 1).to_vector(), right.to_vector());
  CHECK_EQ(t(b).shape(), (Shape<3>{2, 2, 3}));
  for_shapes([](int64_t m, int64_t n) {
    const auto right = by_loops<int>(n, m, [=](int64_t i, int64_t j) { return int(j * n + i); });
    CHECK_EQ(t(numbered(m, n)).to_vector(), right);
    CHECK_EQ((t(numbered(m, n)) + 1 - 1).to_vector(), right);
  });
}

// The positions that Python's slice(start, stop, step) selects.
static std::vector<int64_t> selected(const Slice& s, int64_t n) {
  std::vector<int64_t> positions;
  auto bound = [&](std::optional<int64_t> b, int64_t otherwise, int64_t low, int64_t high) {
    return b ? std::clamp(*b < 0 ? *b + n : *b, low, high) : otherwise;
  };
  if (s.step > 0)
    for (int64_t i = bound(s.start, 0, 0, n); i < bound(s.stop, n, 0, n); i += s.step) positions.push_back(i);
  else
    for (int64_t i = bound(s.start, n - 1, -1, n - 1); i > bound(s.stop, -1, -1, n - 1); i += s.step) positions.push_back(i);
  return positions;
}

TEST(slices) {
  const std::vector<Slice> slices{every,          slice(1),          slice(-2),        slice({}, -1), slice(1, 2),   slice({}, {}, 2),
                                  slice(0, 9, 3), slice({}, {}, -1), slice(-1, 0, -2), slice(5, 2),   slice(-9, 99), slice(2, {}, -1)};
  for (int64_t m : {0, 1, 2, 5, 17})
    for (const Slice& first : slices)
      for (const Slice& second : slices) {
        const int64_t n = 7;
        std::vector<int> right;
        for (int64_t i : selected(first, m))
          for (int64_t j : selected(second, n)) right.push_back(int(i * n + j));
        const auto part = numbered(m, n)(first, second);
        CHECK_EQ(part.shape(), (Shape<2>{int64_t(selected(first, m).size()), int64_t(selected(second, n).size())}));
        CHECK_EQ(part.to_vector(), right);
      }
  CHECK_THROWS(ArgumentError, numbered(2, 2)(slice(0, 1, 0), every));
}

TEST(rows_and_columns) {
  const auto a = numbered(3, 4);
  static_assert(std::is_same_v<decltype(a[0]), Array<int, 1>>);
  static_assert(std::is_same_v<decltype(a[0][0]), Scalar<int>>);
  CHECK_EQ(a[1].to_vector(), (std::vector{4, 5, 6, 7}));
  CHECK_EQ(a[-1][-1].get(), 11);
  CHECK_EQ(a.row(2).to_vector(), (std::vector{8, 9, 10, 11}));
  CHECK_EQ(a.column(-1).to_vector(), (std::vector{3, 7, 11}));
  CHECK_EQ(a(every, 1).to_vector(), (std::vector{1, 5, 9}));
  CHECK_EQ(a(slice(1)).to_vector(), (std::vector{4, 5, 6, 7, 8, 9, 10, 11}));
  CHECK_EQ(reshape(a, 3, 2, 2)(every, 1, every).to_vector(), (std::vector{2, 3, 6, 7, 10, 11}));
  CHECK_THROWS(RangeError, a[3]);
  CHECK_EQ(message([&] { a.column(4); }), "the index along axis 1 is 4, but the array has shape 3 x 4");
}

TEST(diagonals) {
  for_shapes([](int64_t m, int64_t n) {
    for (int64_t k : {-300, -2, -1, 0, 1, 2, 300}) {
      std::vector<int> right;
      for (int64_t i = 0; i < m; i++)
        if (i + k >= 0 && i + k < n) right.push_back(int(i * n + i + k));
      CHECK_EQ(diagonal(numbered(m, n), k).to_vector(), right);
    }
  });
}

TEST(windows_of_an_array) {
  const auto a = numbered(5, 7);
  const auto w = windows(a, 2, 3);
  CHECK_EQ(w.shape(), (Shape<4>{4, 5, 2, 3}));
  const auto right = array([&](auto i, auto j, auto di, auto dj) { return a(i + di, j + dj); }, 4, 5, 2, 3);
  CHECK_EQ(w.to_vector(), right.to_vector());
  CHECK_EQ(windows(numbered(1, 5)[0], 3).to_vector(), (std::vector{0, 1, 2, 1, 2, 3, 2, 3, 4}));
  CHECK_EQ(message([&] { windows(a, 6, 1); }), "windows: the window 6 x 1 does not fit into the shape 5 x 7 along axis 0");
}

TEST(flips_and_translations) {
  for_shapes([](int64_t m, int64_t n) {
    const auto a = numbered(m, n);
    CHECK_EQ(flip(a, 0).to_vector(), by_loops<int>(m, n, [=](int64_t i, int64_t j) { return int((m - 1 - i) * n + j); }));
    CHECK_EQ(flip(a, -1).to_vector(), by_loops<int>(m, n, [=](int64_t i, int64_t j) { return int(i * n + n - 1 - j); }));
    for (int64_t dy : {-1, 0, 2})
      for (int64_t dx : {-3, 0, 1}) {
        auto moved = [=](int64_t i, int64_t j) {
          const int64_t y = i - dy, x = j - dx;
          return y < 0 || y >= m || x < 0 || x >= n ? -7 : int(y * n + x);
        };
        CHECK_EQ(translate(a, {dy, dx}, -7).to_vector(), by_loops<int>(m, n, moved));
      }
  });
}

TEST(joins) {
  const auto a = numbered(2, 3), b = numbered(1, 3) + 10;
  CHECK_EQ(join({a, b}).to_vector(), (std::vector{0, 1, 2, 3, 4, 5, 10, 11, 12}));
  CHECK_EQ(join({t(a), t(b)}, 1).to_vector(), t(join({a, b})).to_vector());
  CHECK_EQ(pack(t(a), t(b)).shape(), (Shape<2>{3, 3}));
  CHECK_EQ(stack({a, a + 10}).shape(), (Shape<3>{2, 2, 3}));
  CHECK_EQ(stack({a, a + 10}, -1).to_vector(), (std::vector{0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15}));
  try {
    stack({a, reshape(a, 3, 2)});
    CHECK(false);
  } catch (const SizeError& error) { CHECK_EQ(std::string(error.what()), "stack: the shapes are 2 x 3 and 3 x 2; expected equal shapes"); }
  CHECK_EQ(stack({Scalar<int>(7), Scalar<int>(8)}).to_vector(), (std::vector{7, 8}));
  CHECK_THROWS(SizeError, join({a, t(a)}));
  const auto parts = split(numbered(5, 4), {2, 0, 3});
  CHECK_EQ(parts[1].shape(), (Shape<2>{0, 4}));
  CHECK_EQ(join(parts).to_vector(), numbered(5, 4).to_vector());
  CHECK_EQ(join(split(numbered(5, 4), 2, 1), 1).to_vector(), numbered(5, 4).to_vector());
  CHECK_THROWS(SizeError, split(numbered(5, 4), 2));
  CHECK_THROWS(SizeError, split(numbered(5, 4), {2, 2}));
}

// Extents, steps and distances near the limits of 64 bits are errors or right.
TEST(views_near_the_limits) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  const auto a = numbered(5, 4);
  for (int64_t k : {least, -most, most}) {
    CHECK_EQ(diagonal(a, k).shape(), Shape<1>{0});
    CHECK_THROWS(RangeError, a[k]);
    CHECK_THROWS(RangeError, flip(a, k));
  }
  CHECK_EQ(a(slice({}, {}, most), 0).to_vector(), std::vector{0});
  CHECK_EQ(a(slice({}, {}, least), 0).to_vector(), std::vector{16});
  CHECK_EQ(a(slice(least, most), 0).shape(), Shape<1>{5});
  CHECK_EQ(a(slice(most, least, least), 0).to_vector(), std::vector{16});
  CHECK_THROWS(SizeError, windows(a, most, 1));
  CHECK_THROWS(SizeError, windows(a, least, 1));
  CHECK_THROWS(SizeError, windows(broadcast(numbered(1, 1), int64_t{1} << 31, int64_t{1} << 30), int64_t{1} << 30, int64_t{1} << 29));
  CHECK_THROWS(SizeError, split(a, {most, most, 7}));
  CHECK_THROWS(SizeError, split(a, {7, -2}));
  CHECK_THROWS(SizeError, split(a, least));
  CHECK_THROWS(SizeError, broadcast(a, most, 5, 4));
  CHECK_THROWS(SizeError, reshape(a, most, most));
  CHECK_THROWS(SizeError, reshape(a, -1, least));
  CHECK_THROWS(SizeError, array([](auto i, auto) { return i; }, int64_t{1} << 32, int64_t{1} << 32));
  CHECK_THROWS(SizeError, iota(int64_t{1} << 32, int64_t{1} << 32));
  CHECK_EQ(iota(most, int64_t{0}, most).shape(), (Shape<3>{most, 0, most}));
  CHECK_THROWS(SizeError, windows(iota(int64_t{3}, most / 64, int64_t{0}), 3, 1, 1));
}

// Views of views, forced early, late, together and alone, have the same elements.
TEST(views_forced_in_any_order) {
  const auto chain = [](bool early) {
    auto a = numbered(17, 257) * 3;
    if (early) a.force();
    auto b = t(a)(slice({}, {}, -2), slice(1));
    if (early) b.force();
    auto c = flip(b, 1) + reshape(b, b.shape()[0], -1);
    return std::pair(b, c);
  };
  const auto [b, c] = chain(false);
  const auto [b2, c2] = chain(true);
  force(b, c);
  CHECK(b.to_vector() == b2.to_vector());
  CHECK(c.to_vector() == c2.to_vector());
  CHECK(chain(false).second.to_vector() == c.to_vector());
  std::vector<int> right;
  for (int64_t i = 256; i >= 0; i -= 2)
    for (int64_t j = 1; j < 17; j++) right.push_back(int(3 * (j * 257 + i)));
  CHECK(b.to_vector() == right);
}

// A lazy index is computed with what it selects: nothing runs before.
TEST(lazy_indices) {
  const int64_t m = 17, n = 33;
  const auto a = numbered(m, n);
  const auto deep = Array<int, 3>(iota<int>(2 * 3 * 5), {2, 3, 5});
  for (int64_t at : {0, 5, 16}) {
    const Scalar<int64_t> k = sum(iota(at + 1)) - at * (at - 1) / 2;  // at
    const Scalar<int> small = cast<int>(k % 2);
    const auto row = a.row(k), column = a.column(k), other_row = a[k], other_column = a(every, k);
    const auto element = a(at, k);
    CHECK(!k.is_manifest());  // nothing has run
    CHECK_EQ(element.get(), int(at * n + at));
    CHECK_EQ(a(k, k).get(), a(at, at).get());
    CHECK_EQ(a(-1, k).get(), a(-1, at).get());
    CHECK(row.to_vector() == a.row(at).to_vector() && other_row.to_vector() == row.to_vector());
    CHECK(column.to_vector() == a.column(at).to_vector() && other_column.to_vector() == column.to_vector());
    CHECK(a(k, slice(1, -1)).to_vector() == a(at, slice(1, -1)).to_vector());
    CHECK(deep[small].to_vector() == deep[at % 2].to_vector() && deep[small].shape() == deep[at % 2].shape());
    CHECK(deep(small, every, -1).to_vector() == deep(at % 2, every, -1).to_vector());
    CHECK(deep(small, slice({}, {}, -1), small).to_vector() == deep(at % 2, slice({}, {}, -1), at % 2).to_vector());
  }
  CHECK_THROWS(RangeError, a.row(Scalar<int64_t>(m)).force());
  CHECK_THROWS(RangeError, a.column(Scalar<int64_t>(-1)).force());
  CHECK_THROWS(RangeError, a(0, Scalar<int64_t>(n)).get());
  const auto pick = jit([](const Array<int, 2>& x, Scalar<int64_t> i) { return x.row(i) + x(i, every) - x[i]; });
  for (int64_t i : {3, 4}) CHECK(pick(a, i).to_vector() == a.row(i).to_vector());
}
TEST(lazy_indices_of_sequences) {
  const Seq<int> s(numbers(1025));
  const auto pairs = zip(s, iota<float>(1025));
  const Scalar<int64_t> k = length(filter([](auto x) { return x > 0; }, s)), x = k * 0 + 7;
  const int64_t at = length(filter([](auto y) { return y > 0; }, s)).get();
  std::vector<int> changed = s.to_vector();
  changed[size_t(at)] = 7;
  const auto updated = update(s, k, 7), part = subseq(s, k, 9);
  const auto pair = pairs[k];
  CHECK(!k.is_manifest());  // nothing has run
  CHECK(updated.to_vector() == changed && update(s, at, x).to_vector() == changed && update(s, k, x).to_vector() == changed);
  CHECK(part.to_vector() == subseq(s, at, 9).to_vector());
  CHECK(pair.get() == pairs[at].get() && nth(s, k).get() == s[at].get());
  CHECK(update(pairs, k, std::pair(7, 1.f)).to_vector()[size_t(at)] == std::pair(7, 1.f));
  CHECK_THROWS(RangeError, update(s, k + 1025, 7).force());
  CHECK_THROWS(RangeError, subseq(s, k + 1025, 9).force());
  const auto pieces = chunks(s, 2);
  CHECK(pieces[k / 2].to_vector() == pieces[at / 2].to_vector() && take(s, k).size() == at && drop(s, k).size() == 1025 - at);
}
// The same at indices that depend on the arguments of a traced function.
TEST(parts_inside_traced_functions) {
  const auto a = numbered(17, 33);
  const auto deep = Array<int, 3>(iota<int>(2 * 3 * 5), {2, 3, 5});
  const auto got =
      tabulate([&](auto i) { return sum(a(every, i)) + sum(a[i]) + sum(a(i, slice(1, -1))) + sum(deep(i % 2, every, 1)); }, 17);
  for (int64_t i = 0; i < 17; i++)
    CHECK_EQ(got[i].get(), (sum(a.column(i)) + sum(a.row(i)) + sum(a(i, slice(1, -1))) + sum(deep(i % 2, every, 1))).get());
}
