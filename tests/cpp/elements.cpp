// Pairs, tuples and structs as elements: construction, reading, and every primitive.
#include <algorithm>
#include <array>

#include "common.h"

using namespace warpfold;

struct Sample {
  double value;
  uint8_t flag;
  int count;
  bool operator==(const Sample&) const = default;
};
template <class T> struct Vector2 {
  T x, y;
  bool operator==(const Vector2&) const = default;
};
class Fraction {
 public:
  Fraction() = default;
  Fraction(long over, long under) : over_(over), under_(under) {}
  bool operator==(const Fraction&) const = default;
  template <class> friend struct warpfold::Fields;

 private:
  long over_ = 0, under_ = 1;
};
template <> struct warpfold::Fields<Fraction> {
  static auto tie(auto& f) { return std::tie(f.over_, f.under_); }
};

TEST(structs_go_in_and_out) {
  std::vector<Sample> samples{{1.5, 2, 3}, {-4, 255, 6}, {0, 0, -1}};
  CHECK(Seq(samples).to_vector() == samples);
  std::vector<Fraction> fractions{{1, 2}, {3, 4}};
  CHECK(Seq(fractions).to_vector() == fractions);
  std::vector<std::array<float, 3>> points{{1, 2, 3}, {4, 5, 6}};
  CHECK(Seq(points).to_vector() == points);
  std::vector<std::pair<std::pair<bool, int>, double>> nested{{{true, 1}, 2}, {{false, 3}, 4}};
  CHECK(Seq(nested).to_vector() == nested);
  CHECK(Seq<Sample>().to_vector().empty());
}

TEST(structs_in_range_for) {
  auto v = numbers(100007);
  int64_t sum = 0, weighted = 0;
  for (auto [i, x] : zip(tabulate([](auto i) { return i; }, 100007), Seq(v))) sum += x, weighted += i * x;
  int64_t i = 0;
  for (int x : v) sum -= x, weighted -= i++ * x;
  CHECK_EQ(sum, 0);
  CHECK_EQ(weighted, 0);
  std::vector<Sample> samples{{1.5, 2, 3}, {-4, 255, 6}}, seen;
  for (const Sample& sample : Seq(samples)) seen.push_back(sample);
  CHECK(seen == samples);
  for (auto [a, b] : Seq<std::pair<int, int>>()) CHECK(a == b && false);
  static_assert(std::ranges::input_range<const Seq<Sample>>);
  CHECK(std::ranges::count_if(Seq(samples), [](const Sample& s) { return s.count > 3; }) == 1);
}

TEST(structs_in_lambdas) {
  Seq<Sample> s{{1.5, 2, 3}, {-4, 255, 6}};
  auto doubled = map(
      [](auto sample) {
        auto [value, flag, count] = sample;
        return Expr<Sample>(value * 2, flag, count + 1);
      },
      s);
  CHECK((doubled.to_vector() == std::vector<Sample>{{3, 2, 4}, {-8, 255, 7}}));
  CHECK((map([](auto value, auto, auto count) { return value * count; }, s).to_vector() == std::vector{4.5, -24.0}));
  Seq<Vector2<float>> v{{1, 2}, {3, 4}};
  CHECK((map([](auto p) { return decltype(p){p.y, p.x}; }, v).to_vector() == std::vector<Vector2<float>>{{2, 1}, {4, 3}}));
  CHECK(field<2>(s).to_vector() == std::vector({3, 6}));
  CHECK((as<std::pair<float, float>>(v).to_vector()[1] == std::pair{3.f, 4.f}));
  CHECK((filter([](auto sample) { return sample.template get<1>() == 255; }, s).to_vector() == std::vector<Sample>{{-4, 255, 6}}));
  CHECK((rev(s).to_vector()[0] == Sample{-4, 255, 6}));
  CHECK((s[1].get() == Sample{-4, 255, 6}));
}

TEST(types_with_one_stored_type_convert) {
  Seq<char> text(std::string("warp fold"));
  text = filter([](auto c) { return c != ' '; }, text);
  text = map([](auto c) { return c - 32; }, text);
  CHECK(text.to_vector() == (std::vector<char>{'W', 'A', 'R', 'P', 'F', 'O', 'L', 'D'}));
  Seq<long long> n = iota(3);
  CHECK(append(n, n).to_vector() == (std::vector<long long>{0, 1, 2, 0, 1, 2}));
  const Seq<int64_t> same = n;
  CHECK_EQ(same.raw(), n.raw());
  static_assert(!std::is_convertible_v<Seq<int>, Seq<int64_t>> && !std::is_convertible_v<Seq<unsigned>, Seq<int>>);
}

TEST(the_largest_and_its_position) {
  auto v = numbers(100001);
  Seq s(v);
  auto indexed = zip(s, tabulate([](auto i) { return i; }, s.size()));
  auto larger = [](auto a, auto b) { return where(b.first > a.first || (b.first == a.first && b.second < a.second), b, a); };
  auto [value, index] = reduce(larger, {std::numeric_limits<int>::lowest(), std::numeric_limits<int64_t>::max()}, indexed);
  auto expected = std::max_element(v.begin(), v.end());
  CHECK_EQ(value.get(), *expected);
  CHECK_EQ(index.get(), expected - v.begin());
}

TEST(reduce_does_not_need_to_commute) {
  for (int64_t n : lengths) {
    // Compositions of x -> a x + b, modulo 2^32.
    using Affine = Vector2<uint32_t>;
    std::vector<Affine> maps;
    for (int x : numbers(n)) maps.push_back({static_cast<uint32_t>(2 * x + 1), static_cast<uint32_t>(x)});
    Affine expected{1, 0};
    std::vector<Affine> prefixes;
    for (auto f : maps) {
      prefixes.push_back(expected);
      expected = {expected.x * f.x, expected.y * f.x + f.y};
    }
    auto compose = []<class A>(A f, A g) { return A{f.x * g.x, f.y * g.x + g.y}; };
    CHECK((reduce(compose, {1, 0}, Seq(maps)).get() == expected));
    auto [before, total] = scan(compose, {1, 0}, Seq(maps));
    CHECK(before.to_vector() == prefixes);
    CHECK((total.get() == expected));
  }
}
