// Arrays: making, shapes, elements, views, operators with broadcasting, against plain loops.
#include "arrays.h"

#include <limits>

using namespace warpfold;

TEST(nested_lists) {
  Array a{{1, 2, 3}, {4, 5, 6}};
  static_assert(std::is_same_v<decltype(a), Array<int, 2>>);
  CHECK_EQ(a.shape(), (Shape<2>{2, 3}));
  CHECK_EQ(a.strides(), (Shape<2>{3, 1}));
  CHECK_EQ(a.to_vector(), (std::vector{1, 2, 3, 4, 5, 6}));
  Array b{{{1.f, 2.f}}, {{3.f, 4.f}}};
  static_assert(std::is_same_v<decltype(b), Array<float, 3>>);
  CHECK_EQ(b.shape(), (Shape<3>{2, 1, 2}));
  static_assert(std::is_same_v<decltype(Array{1.5, 2.5}), Array<double, 1>>);
  CHECK_EQ((Array<bool, 2>{{true, false}}.to_vector()), (std::vector{true, false}));
  CHECK_EQ((Array<int, 2>().shape()), (Shape<2>{0, 0}));
  CHECK_THROWS(SizeError, Array<int, 2>{{1, 2}, {3}});
}

TEST(from_host_memory) {
  const std::vector<int> v{1, 2, 3, 4, 5, 6};
  CHECK_EQ(Array(v, Shape<2>{2, 3})(1, 0).get(), 4);
  CHECK_EQ(Array(v, std::array<int64_t, 2>{-1, 2}).shape(), (Shape<2>{3, 2}));
  CHECK_EQ((Array<float, 2>::copy(v.data(), {3, 2}, {1, 3}).to_vector()), (std::vector{1.f, 4.f, 2.f, 5.f, 3.f, 6.f}));
  CHECK_EQ((Array<int, 2>::copy(v.data() + 5, {2, 3}, {-3, -1}).to_vector()), (std::vector{6, 5, 4, 3, 2, 1}));
  CHECK_THROWS(SizeError, Array(v, Shape<2>{2, 2}));
  int released = 0;
  {
    const auto a = Array<int, 2>::adopt(v.data(), {2, 3}, {3, 1}, [&] { released++; });
    CHECK_EQ(static_cast<const void*>(a.data()), static_cast<const void*>(v.data()));
    CHECK_EQ((t(a)(2, 1).get()), 6);
  }
  CHECK_EQ(released, 1);
}

TEST(sequences_are_arrays_of_rank_1) {
  const Seq<int> s{1, 2, 3};
  const Array<int, 1> a = s;
  const Seq<int> back = a;
  CHECK(back.raw() == s.raw());
  CHECK_EQ((Array(s).to_vector()), (std::vector{1, 2, 3}));
  CHECK_EQ((a + s).to_vector(), (std::vector{2, 4, 6}));
  const auto few = filter([](auto x) { return x != 2; }, s);
  CHECK_EQ((Array(few) * 2).to_vector(), (std::vector{2, 6}));
  CHECK_EQ(Array(few).shape(), Shape<1>{2});
}

TEST(made_of_functions) {
  for_shapes([](int64_t m, int64_t n) {
    const auto a = array([](auto i, auto j) { return 10 * i + j; }, m, n);
    CHECK_EQ(a.shape(), (Shape<2>{m, n}));
    CHECK_EQ(a.to_vector(), (by_loops<int64_t>(m, n, [](int64_t i, int64_t j) { return 10 * i + j; })));
  });
  CHECK_EQ(array([](auto i, auto j, auto k) { return 100 * i + 10 * j + k; }, 2, 1, 2).to_vector(), (std::vector<int64_t>{0, 1, 100, 101}));
  CHECK_EQ(fill(2.5f, 2, 2).to_vector(), std::vector(4, 2.5f));
  CHECK_EQ(zeros<int>(3).to_vector(), std::vector(3, 0));
  CHECK_EQ(ones(1, 2).to_vector(), std::vector(2, 1.f));
  CHECK_EQ(iota(2, 2).to_vector(), (std::vector<int64_t>{0, 1, 2, 3}));
  CHECK_EQ(eye<int>(2, 3).to_vector(), (std::vector{1, 0, 0, 0, 1, 0}));
  CHECK_EQ(diagonal(Seq<int>{7, 8}).to_vector(), (std::vector{7, 0, 0, 8}));
  CHECK_THROWS(SizeError, array([](auto i) { return i; }, -1));
}

TEST(elements) {
  const auto a = numbered(3, 4);
  CHECK_EQ(a(1, 2).get(), 6);
  CHECK_EQ(a(-1, -4).get(), 8);
  CHECK_EQ(a.values()(2, 3), 11);
  CHECK_THROWS(RangeError, a(3, 0));
  CHECK_THROWS(RangeError, a(0, -5));
  int64_t sum = 0;
  for (int x : a) sum += x;
  CHECK_EQ(sum, 66);
  const auto transposed = array([&](auto i, auto j) { return a(j, i); }, 4, 3);
  CHECK_EQ(transposed.to_vector(), t(a).to_vector());
  const auto outside = array([&](auto i, auto j) { return a(i, j - 1); }, 3, 4);
  CHECK_THROWS(RangeError, outside.force());
  const auto guarded = array([&](auto i, auto j) { return where(j > 0, a(i, j - 1), -1); }, 2, 2);
  CHECK_EQ(guarded.to_vector(), (std::vector{-1, 0, -1, 4}));
  const auto rows = tabulate([&](auto i) { return reduce(plus, 0, a.row(i)); }, 3);
  CHECK_EQ(rows.to_vector(), (std::vector{6, 22, 38}));
  const auto columns = tabulate([&](auto j) { return reduce(plus, 0, a.column(j)); }, 4);
  CHECK_EQ(columns.to_vector(), (std::vector{12, 15, 18, 21}));
}

TEST(operators_broadcast) {
  for_shapes([](int64_t m, int64_t n) {
    const auto a = numbered(m, n);
    const auto row = numbered(1, n);
    const auto column = array([](auto i, auto) { return cast<int>(3 * i); }, m, 1);
    const Seq<int> vector = numbered(1, n).flat();
    const auto right = by_loops<int>(m, n, [=](int64_t i, int64_t j) { return int(2 * (i * n + j) + j - 3 * i); });
    CHECK_EQ((2 * a + row - column).to_vector(), right);
    CHECK_EQ((2 * a + vector - column).to_vector(), right);
    CHECK_EQ((row - column).shape(), (Shape<2>{m, n}));
    CHECK_EQ(map([](auto x, auto y, auto z) { return 2 * x + y - z; }, a, row, column).to_vector(), right);
  });
  const auto a = numbered(2, 3);
  CHECK_EQ((a < 3).to_vector(), (std::vector{true, true, true, false, false, false}));
  CHECK_EQ((a == t(t(a))).to_vector(), std::vector(6, true));
  CHECK_EQ((-a + 1).to_vector(), (std::vector{1, 0, -1, -2, -3, -4}));
  CHECK_EQ((!(a < 1) && a != 2).to_vector(), (std::vector{false, true, false, true, true, true}));
  CHECK_EQ((a * 0.5).to_vector(), (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5}));
  const Scalar<int> three = reduce(plus, 0, Seq{1, 2});
  CHECK_EQ((a * three).to_vector(), (std::vector{0, 3, 6, 9, 12, 15}));
  auto b = a;
  b += Array{{1}, {10}};
  b *= 2;
  CHECK_EQ(b.to_vector(), (std::vector{2, 4, 6, 26, 28, 30}));
  CHECK_EQ(message([&] { a + numbered(3, 3); }),
           "operator +: the shapes 2 x 3 and 3 x 3 differ along axis 0; expected equal extents, or an extent of 1");
  CHECK_THROWS(SizeError, map([](auto x, auto y) { return x + y; }, a, numbered(1, 2)));
}

// An operator is traced once for the bits of its numbers; more different ones follow than are remembered.
TEST(operators_with_different_numbers) {
  const auto a = numbered(1, 3);
  for (int round = 0; round < 2; round++)
    for (int k = 0; k < 9; k++) CHECK_EQ((a * k - 1).to_vector(), (std::vector{-1, k - 1, 2 * k - 1}));
  const Array one{{1.f}};
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK_EQ((one / 0.f).to_vector(), std::vector{infinity});
  CHECK_EQ((one / -0.f).to_vector(), std::vector{-infinity});
  CHECK_EQ((2 / one).to_vector(), std::vector{2.f});
  CHECK_EQ((one / 2).to_vector(), std::vector{0.5f});
  const Scalar<float> two = reduce(plus, 0.f, Seq{1.f, 1.f}), three = reduce(plus, 0.f, Seq{1.f, 2.f});
  CHECK_EQ((one + two).to_vector(), std::vector{3.f});
  CHECK_EQ((one + three).to_vector(), std::vector{4.f});
}

TEST(functions_of_elements) {
  const Array a{{-1.5f, 0.f}, {0.25f, 4.f}};
  CHECK_EQ(sqrt(abs(a)).to_vector(), (std::vector{std::sqrt(1.5f), 0.f, 0.5f, 2.f}));
  CHECK_EQ(max(a, 0).to_vector(), (std::vector{0.f, 0.f, 0.25f, 4.f}));
  CHECK_EQ(min(0.25f, a).to_vector(), (std::vector{-1.5f, 0.f, 0.25f, 0.25f}));
  CHECK_EQ(rectify(a).to_vector(), max(a, 0).to_vector());
  CHECK_EQ(clamp(a, -1, Array{{1.f}, {3.f}}).to_vector(), (std::vector{-1.f, 0.f, 0.25f, 3.f}));
  CHECK_EQ(where(a > 0, a, -a).to_vector(), abs(a).to_vector());
  CHECK_EQ(cast<int>(a).to_vector(), (std::vector{-1, 0, 0, 4}));
  CHECK_EQ(fma(a, 2, a).to_vector(), (3 * a).to_vector());
  CHECK_EQ(pow(a, 2).to_vector(), (a * a).to_vector());
  const auto pairs = zip(a, Array{{1, 2}});
  CHECK_EQ(field<1>(pairs).to_vector(), (std::vector{1, 2, 1, 2}));
  CHECK_EQ(map([](auto x, auto k) { return x * k; }, pairs).to_vector(), (a * Array{{1, 2}}).to_vector());
  CHECK(conforms(a, cast<int>(a)));
  CHECK(!conforms(a, a[0]));
}

TEST(the_program_of_the_readme) {
  const Array a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  const auto normal = (a - mean(a, 1, keep)) / sqrt(variance(a, 1, keep) + 1e-5f);
  const auto blur = array([&](auto i, auto j) { return (a(i, j) + a(i, max(j - 1, 0))) / 2; }, 2, 3);
  const auto odd = t(a)(slice({}, {}, 2), every);
  const float first = a(0, -1);
  CHECK_EQ(blur.to_vector(), (std::vector{1.f, 1.5f, 2.5f, 4.f, 4.5f, 5.5f}));
  CHECK_EQ(odd.to_vector(), (std::vector{1.f, 4.f, 3.f, 6.f}));
  CHECK_EQ(max(a, {0}).to_vector(), (std::vector{4.f, 5.f, 6.f}));
  CHECK_EQ(first, 3);
  CHECK(std::abs(sort(normal, 1)(0, 0).get() + 1.2247) < 1e-3);
}

// Arrays inside a traced function: those that do not depend on its arguments are computed outside of it.
TEST(arrays_inside_traced_functions) {
  const auto a = numbered(3, 4);
  const auto r = tabulate([&](auto i) { return reduce(plus, 0, (a + 1).row(i)) + sum(a) + cast<int>(a(2, 3)); }, 3);
  CHECK_EQ(r.to_vector(), (std::vector{6 + 4 + 66 + 11, 22 + 4 + 66 + 11, 38 + 4 + 66 + 11}));
  const auto depends = [&] { tabulate([&](auto i) { return sum(map([&](auto x) { return x * i; }, a)); }, 3); };
  CHECK(contains_text(message(depends), "depends on the arguments of a traced function"));
  CHECK(contains_text(message([&] { tabulate([&](auto i) { return sum(array([&](auto j) { return i * j; }, 3)); }, 3); }),
                      "depends on the arguments of a traced function"));
}

TEST(a_program_is_one_kernel) {
  const auto few = [](const auto& s) { return s.substr(s.find("in "), s.find('\n', s.find("in ")) - s.find("in ")); };
  const auto u = Array(numbers<float>(300 * 257), Shape<2>{300, 257});
  const auto next = array([&](auto i, auto j) { return u(i, j) + u(299 - i, j) + u(i, 256 - j); }, 300, 257);
  CHECK_EQ(few(explain(next)), "in      $0 f32");  // three reads of one input
  const auto a = Array(numbers<float>(300 * 257), Shape<2>{300, 257});
  const auto b = rectify(2 * t(a) + 1) - t(a)[0];
  CHECK_EQ(kernels(b), "1 kernel");
  CHECK_EQ(kernels(b, exp(b)), "1 kernel");
}
