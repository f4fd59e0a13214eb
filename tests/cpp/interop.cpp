// Conversion from and to ranges, spans, vectors and Eigen; files; printing; errors; contexts.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <ranges>
#include <sstream>

#include <Eigen/Core>

#include "common.h"

using namespace warpfold;

template <class T> static std::string printed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(ranges_in) {
  std::vector<int> v{1, 2, 3};
  CHECK(Seq(std::span(v)).to_vector() == v);
  CHECK(Seq(std::list<int>{1, 2, 3}).to_vector() == v);
  CHECK(Seq(std::array{1, 2, 3}).to_vector() == v);
#ifndef __clang__  // clang 14 cannot compile the views of libstdc++ 12
  CHECK(Seq(std::views::iota(1, 4)).to_vector() == v);
#endif
  CHECK((Seq<float>(v).to_vector() == std::vector{1.f, 2.f, 3.f}));
  CHECK((Seq(std::vector<bool>{true, false}).to_vector() == std::vector<bool>{true, false}));
  CHECK((Seq<char>(std::string("ab")).to_vector() == std::vector{'a', 'b'}));
  CHECK((Seq<long long>{1, 2}.to_vector() == std::vector<long long>{1, 2}));
}

// A char is stored as a byte, a long long as a long. Functions of sequences of them return sequences of them.
template <class T> void functions_keep_their_type(T a, T b, T c) {
  const Seq<T> s{a, b, c};
  const Seq<T> filled = fill(b, 3), picked = gather(s, Seq<int64_t>{2, 0}), both = interleave(s, rev(s)), runs = unique(s);
  const Seq<T> changed = update(s, 1, a), drawn = random::sample(random::Key(1), s, 3), numbers = iota<T>(2);
  CHECK((filled.to_vector() == std::vector<T>{b, b, b} && picked.to_vector() == std::vector<T>{c, a}));
  CHECK((both.to_vector() == std::vector<T>{a, c, b, b, c, a} && runs.to_vector() == std::vector<T>{a, b, c}));
  CHECK((changed.to_vector() == std::vector<T>{a, a, c} && sort(drawn).to_vector() == std::vector<T>{a, b, c}));
  CHECK((numbers.to_vector() == std::vector<T>{0, 1}));
}

TEST(types_that_are_stored_alike) {
  functions_keep_their_type<char>('a', 'b', 'c');
  functions_keep_their_type<long long>(-1, 2, 3);
  functions_keep_their_type<unsigned long long>(1, 2, ~0ull);
  functions_keep_their_type<unsigned char>(1, 2, 255);
  using Pair = std::pair<char, long long>;
  CHECK((fill(Pair{'x', 7}, 2).to_vector() == std::vector<Pair>{{'x', 7}, {'x', 7}}));
  CHECK((gather(Seq<Pair>{{'x', 7}, {'y', 8}}, Seq<int>{1}).to_vector() == std::vector<Pair>{{'y', 8}}));
}

TEST(braces_around_a_range_take_its_elements) {
  std::vector<int> v{1, 2, 3};
  const std::string text = "ab";
  static_assert(std::is_same_v<decltype(Seq{v}), Seq<int>>);
  static_assert(std::is_same_v<decltype(Seq{std::vector{1.5}}), Seq<double>>);
  static_assert(std::is_same_v<decltype(Seq{std::span(v)}), Seq<int>>);
  static_assert(std::is_same_v<decltype(Seq{text}), Seq<char>>);
  static_assert(std::is_same_v<decltype(Seq{std::pair(1, 2.f)}), Seq<std::pair<int, float>>>);
  static_assert(std::is_same_v<decltype(Seq{v[0], v[1]}), Seq<int>>);
  CHECK(Seq{v}.to_vector() == v);
  CHECK((Seq{v, Context("cpu")}.to_vector() == v));
  CHECK(Seq<int>{v}.to_vector() == v);
  CHECK((Seq{text}.to_vector() == std::vector{'a', 'b'}));
  const int* memory = v.data();
  CHECK(Seq{std::move(v)}.data() == memory);
}

TEST(zero_copy) {
  std::vector<float> v{1, 2, 3};
  const float* memory = v.data();
  CHECK(Seq<float>::borrow(v).data() == memory);
  CHECK(Seq(std::move(v)).data() == memory);
  static int released = 0;
  static const int values[] = {7, 8};
  {
    auto s = Seq<int>::adopt(values, 2, [] { released++; });
    auto t = map([](auto x) { return x + 1; }, s);
    s = Seq<int>();
    CHECK_EQ(released, 0);
    CHECK(t.to_vector() == std::vector({8, 9}));
  }
  CHECK_EQ(released, 1);
}

// The elements are adopted from memory that ends where a page begins that cannot be read.
template <class T> static Seq<T> before_unreadable_page(const std::vector<T>& values) {
  const size_t page = 1 << 16, bytes = values.size() * sizeof(T), readable = (bytes / page + 1) * page;
  auto* memory = static_cast<std::byte*>(mmap(nullptr, readable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(memory != MAP_FAILED && mprotect(memory + readable, page, PROT_NONE) == 0);
  auto* first = reinterpret_cast<T*>(memory + readable - bytes);
  std::copy(values.begin(), values.end(), first);
  return Seq<T>::adopt(first, static_cast<int64_t>(values.size()), [=] { munmap(memory, readable + page); });
}

template <class T> static void adopted_elements_alone_are_read(int64_t n) {
  const auto values = numbers<T>(n);
  const Seq<T> s = before_unreadable_page(values), copy(values);
  // Rows of up to 4 elements, some of them empty, and rows of half the length.
  auto rows = [&](const Seq<T>& from) {
    return tabulate([&](auto i) { return sum(subseq(from, i, min(n - i, i % 5))) + sum(subseq(from, i / 2, n / 2)); }, n);
  };
  auto sums = [&](const Seq<T>& from) { return reduce(plus, T(0), Segments<T>(from, Seq<int64_t>{0, 0, n / 3, n / 3, n, n})); };
  CHECK(rows(s).to_vector() == rows(copy).to_vector() && sums(s).to_vector() == sums(copy).to_vector());
  CHECK(scan_incl(plus, T(0), s).to_vector() == scan_incl(plus, T(0), copy).to_vector());
  auto is_positive = [](auto x) { return x > T(0); };
  CHECK(filter(is_positive, s).to_vector() == filter(is_positive, copy).to_vector());
  CHECK(sort(s).to_vector() == sort(copy).to_vector() && gather(s, iota(n)).to_vector() == values);
}

TEST(adopted_memory_is_read_only_where_it_has_elements) {
  for (int64_t n : {1, 2, 3, 7, 15, 16, 31, 62, 63, 64, 65, 100, 127, 200, 5000}) {
    adopted_elements_alone_are_read<uint8_t>(n);
    adopted_elements_alone_are_read<int>(n);
    adopted_elements_alone_are_read<int64_t>(n);
    adopted_elements_alone_are_read<double>(n);
  }
}

TEST(ranges_out) {
  auto s = map([](auto x) { return x * x; }, Seq{1, 2, 3});
  int sum = 0;
  for (int x : s) sum += x;
  CHECK_EQ(sum, 14);
  CHECK_EQ(s.span()[2], 9);
  static_assert(std::ranges::contiguous_range<const Seq<int>>);
}

TEST(eigen) {
  Eigen::VectorXf v = Eigen::VectorXf::LinSpaced(5, 0, 4);
  CHECK((Seq(v).to_vector() == std::vector<float>{0, 1, 2, 3, 4}));
  Eigen::Map<const Eigen::ArrayXf, 0, Eigen::InnerStride<2>> even(v.data(), 3);
  CHECK((Seq(even).to_vector() == std::vector<float>{0, 2, 4}));
  Eigen::MatrixXd m(2, 2);
  m << 1, 2, 3, 4;
  CHECK((Seq(m).to_vector() == std::vector<double>{1, 3, 2, 4}));
  CHECK_THROWS(ArgumentError, Seq(Eigen::MatrixXd(3, 3).topRows(2)));
  auto squares = map([](auto x) { return x * x; }, Seq(v));
  Eigen::Map<const Eigen::ArrayXf> out(squares.data(), squares.size());
  CHECK_EQ(out.sum(), 30.f);
}

TEST(printing) {
  CHECK_EQ(printed(Seq{1, 2, 3}), "<1,2,3>");
  CHECK_EQ(printed(Seq<int>()), "<>");
  CHECK_EQ(printed(Seq<uint8_t>{65, 66}), "<65,66>");
  CHECK_EQ(printed(zip(Seq{1, 2}, Seq{true, false})), "<(1,true),(2,false)>");
  CHECK_EQ(printed(tabulate([](auto i) { return i; }, 1000)), "<0,1,2,3,4,5,6,7,8,9,...,990,991,992,993,994,995,996,997,998,999>");
  CHECK_EQ(printed(iota(20)), "<0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19>");
  CHECK_EQ(printed(iota(21)), "<0,1,2,3,4,5,6,7,8,9,...,11,12,13,14,15,16,17,18,19,20>");
  CHECK_EQ(printed(reduce(plus, 0, Seq{1, 2, 3})), "6");
  const Seq<char> text(std::string("one or two words of text"));
  CHECK_EQ(printed(text), "one or two words of text");
  CHECK_EQ(printed(Seq<char>()), "");
  const Seq<char> joined = map([](auto c) { return where(c == ' ', '_', c); }, take(text, 6));
  CHECK_EQ(printed(joined), "one_or");
  CHECK_EQ(printed(Segments<char>(take(text, 6), Seq<int64_t>{0, 3, 4, 6})), "<one, ,or>");
  CHECK_EQ(printed(zip(take(text, 2), Seq{1, 2})), "<(o,1),(n,2)>");
  CHECK_EQ(printed(text[2]), "e");
}

TEST(errors_are_exceptions) {
  Seq a{1, 2, 3};
  CHECK_THROWS(SizeError, map(plus, a, Seq{1, 2}));
  CHECK_THROWS(SizeError, zip(a, Seq<int>()));
  CHECK_THROWS(SizeError, tabulate([](auto i) { return i; }, -1));
  CHECK_THROWS(RangeError, a[3]);
  CHECK_THROWS(RangeError, take(a, 4));
  CHECK_THROWS(RangeError, tabulate([&](auto i) { return a[i]; }, 4).force());
  CHECK_THROWS(IoError, from_file<int>("/nonexistent/file"));
  CHECK_THROWS(ArgumentError, Context("abacus"));
  CHECK_THROWS(ArgumentError, reduce([](auto x, auto y) { return x + y + 1; }, a));
  try {
    a[7];
  } catch (const Error& error) {
    CHECK_EQ(error.code(), WF_ERROR_RANGE);
    CHECK(std::string(error.what()).find('7') != std::string::npos);
  }
  CHECK_EQ(reduce(plus, 0, a).get(), 6);
}

TEST(memory_limits) {
  Context context("cpu");
  auto s = tabulate([](auto i) { return i; }, 1 << 20, context);
  context.set_limit(1 << 20);
  CHECK_THROWS(MemoryError, s.force());
  context.set_limit(-1);
  CHECK_EQ(s.force().size(), 1 << 20);
  CHECK(context.memory().live >= 8 << 20);
}

// A filter that might keep more than there is memory for counts first; functions that differ in numbers share a kernel.
TEST(filters_keep_what_fits) {
  Context context("cpu");
  context.set_limit(1 << 20);
  const auto s = tabulate([](auto i) { return i; }, 1 << 21, context);
  for (int64_t step : {1 << 20, 1 << 19, 1 << 18}) {
    const auto kept = filter([&](auto i) { return i % step == 5; }, s);
    CHECK_EQ(kept.size(), (1 << 21) / step);
    CHECK_EQ(kept[1].get(), step + 5);
  }
  CHECK_THROWS(MemoryError, filter([](auto i) { return i >= 0; }, s).force());
}

TEST(contexts) {
  Context mine("cpu");
  CHECK_EQ(mine.name(), "cpu");
  ContextScope scope(mine);
  Seq s{1, 2, 3};
  CHECK_EQ(s.context().name(), "cpu");
  CHECK(s.context() == mine);
  CHECK(map([](auto x) { return x; }, s).context() == mine);
  CHECK(Context("cpu") != mine);
  {
    ContextScope inner(Context("cpu"));
    mine.close();
    CHECK_EQ(Seq({1, 2}).size(), 2);
  }
  CHECK_THROWS(ArgumentError, map([](auto x) { return x; }, s).force());
  CHECK_THROWS(ArgumentError, Seq({1, 2}));
}

TEST(files) {
  std::string path = "warpfold-interop-test.bin";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const int values[] = {10, 20, 30};
  std::fwrite(values, sizeof values, 1, file);
  std::fclose(file);
  CHECK(from_file<int>(path).to_vector() == std::vector({10, 20, 30}));
  CHECK_EQ(from_file<uint8_t>(path).size(), 12);
  CHECK_THROWS(SizeError, from_file<double>(path));
  std::remove(path.c_str());
}
