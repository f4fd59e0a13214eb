// Functions of sequences inside a traced function: the forms that they print, and what they become. The library's own tests have the values of forms.
#include <functional>

#include "rows.h"

namespace {

std::string remedy_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ArgumentError& error) { return error.what(); }
  return "no error";
}

const Seq<int> few{3, -4, 5};
const Seq<float> floats{3, -4, 5};

// The form of a sequence of ints: that of its length; the form of a value.
std::string form_of(const std::string& text) {
  const std::string before = "(fn ((x i64)) (let ((v", after = ")) v";
  const size_t first = text.find(' ', before.size()) + 1;
  return text.substr(0, before.size()) == before ? text.substr(first, text.rfind(after) - first) : text;
}
template <class F> std::string value(F f) {
  return form_of(written_form<int64_t>([=](auto i) { return f(take(few, i), i); }));
}
template <class F> std::string sequence(F f) {
  const std::string text = value([=](auto row, auto i) { return length(f(row, i)); }), before = "(length ";
  return text.substr(0, 8) == before ? text.substr(8, text.size() - 9) : text;
}

}  // namespace

TEST(each_function_prints_its_form) {
  const std::string row = "(take $0 x)";
  const auto print = [](const std::string& found, const std::string& expected) { CHECK_EQ(found, expected); };
  print(sequence([](auto row, auto) { return row; }), row);
  print(sequence([](auto, auto i) { return tabulate([=](auto j) { return cast<int>(j + i); }, i); }),
        "(tabulate ((v0 i64)) (cast i32 (add v0 x)) x)");
  print(sequence([](auto, auto i) { return iota<int>(i); }), "(tabulate ((v0 i64)) (cast i32 v0) x)");
  print(sequence([](auto, auto i) { return range(cast<int>(i), 7); }), "(range (cast i32 x) 7:i32)");
  print(sequence([](auto, auto i) { return fill(cast<int>(i), 4); }), "(tabulate ((v0 i64)) (cast i32 x) 4:i64)");
  print(sequence([](auto row, auto i) { return map([=](auto x) { return x + cast<int>(i); }, row); }),
        "(map ((v0 i32)) (add v0 (cast i32 x)) " + row + ")");
  print(sequence([](auto row, auto) { return map([](auto x, auto y) { return x + y; }, row, few); }),
        "(map ((v0 i32) (v1 i32)) (add v0 v1) (zip " + row + " $0))");
  print(sequence([](auto row, auto) { return map([](auto x, auto y) { return x + y; }, take(row, 3), few); }),
        "(map ((v0 i32) (v1 i32)) (add v0 v1) (zip_equal (take " + row + " 3:i64) $0))");
  print(sequence([](auto row, auto) { return zip_with([](auto x, auto y) { return x + y; }, row, few); }),
        "(map ((v0 i32) (v1 i32)) (add v0 v1) (zip_shortest " + row + " $0))");
  print(sequence([](auto row, auto) { return zip(row, few); }), "(zip " + row + " $0)");
  print(sequence([](auto row, auto) { return zip_shortest(row, few); }), "(zip_shortest " + row + " $0)");
  print(sequence([](auto row, auto) { return enumerate(row); }), "(enumerate " + row + ")");
  print(sequence([](auto row, auto) { return field<1>(zip(row, few)); }), "(map ((v0 i32) (v1 i32)) v1 (zip " + row + " $0))");
  print(sequence([](auto row, auto) { return filter([](auto x) { return x > 0; }, row); }),
        "(filter ((v0 i32)) (gt v0 0:i32) " + row + ")");
  print(sequence([](auto row, auto) { return filter_idx([](auto j, auto x) { return x > cast<int>(j); }, row); }),
        "(map ((v2 i64) (v3 i32)) v3 (filter ((v0 i64) (v1 i32)) (gt v1 (cast i32 v0)) (enumerate " + row + ")))");
  print(sequence([](auto row, auto) { return pack_index([](auto x) { return x > 0; }, row); }),
        "(map ((v2 i64) (v3 i32)) v2 (filter ((v0 i64) (v1 i32)) (gt v1 0:i32) (enumerate " + row + ")))");
  print(sequence([](auto row, auto) { return partition([](auto x) { return x > 0; }, row).second; }),
        "(filter ((v1 i32)) (not (gt v1 0:i32)) " + row + ")");
  print(sequence([](auto, auto i) { return subseq(few, i, 2); }), "(subseq $0 x 2:i64)");
  print(sequence([](auto row, auto i) { return drop(row, i); }), "(drop " + row + " x)");
  print(sequence([](auto row, auto) { return rev(row); }), "(rev " + row + ")");
  print(sequence([](auto row, auto) { return append(row, few, few); }), "(append " + row + " $0 $0)");
  print(sequence([](auto row, auto) { return append(std::vector{row, few}); }), "(append " + row + " $0)");
  print(sequence([](auto row, auto i) { return rotate(row, i); }), "(rotate " + row + " x)");
  print(sequence([](auto row, auto) { return interleave(row, few); }), "(interleave " + row + " $0)");
  print(sequence([](auto row, auto i) { return update(row, i, 7); }), "(update " + row + " x 7:i32)");
  print(sequence([](auto row, auto) { return cast<float>(row); }), "(map ((v0 i32)) (cast f32 v0) " + row + ")");
  print(value([](auto row, auto) { return length(row); }), "(length " + row + ")");
  print(value([](auto row, auto i) { return row[i]; }), "(at " + row + " x)");
  print(value([](auto row, auto i) { return nth(row, i); }), "(at " + row + " x)");
  print(value([](auto row, auto) { return reduce([](auto x, auto y) { return x | y; }, 0, row); }),
        "(reduce ((a i32) (b i32)) (or a b) 0:i32 " + row + ")");
  print(value([](auto row, auto) { return sum(row); }), "(reduce ((a i32) (b i32)) (add a b) 0:i32 " + row + ")");
  print(value([](auto row, auto) { return product(row); }), "(reduce ((a i32) (b i32)) (mul a b) 1:i32 " + row + ")");
  print(value([](auto row, auto) { return max(row); }), "(reduce ((a i32) (b i32)) (max a b) -2147483648:i32 " + row + ")");
  print(value([](auto, auto i) { return min(take(floats, i)); }), "(reduce ((a f32) (b f32)) (min a b) inf:f32 (take $1 x))");
  print(value([](auto row, auto) { return dot(row, few); }),
        "(reduce ((a i32) (b i32)) (add a b) 0:i32 (map ((v0 i32) (v1 i32)) (mul v0 v1) (zip " + row + " $0)))");
  print(value([](auto row, auto) { return count([](auto x) { return x > 0; }, row); }),
        "(length (filter ((v0 i32)) (gt v0 0:i32) " + row + "))");
  print(value([](auto row, auto) { return all([](auto x) { return x > 0; }, row); }),
        "(reduce ((a bool) (b bool)) (and a b) true (map ((v0 i32)) (gt v0 0:i32) " + row + "))");
  print(value([](auto row, auto) { return any([](auto x) { return x > 0; }, row); }),
        "(reduce ((a bool) (b bool)) (or a b) false (map ((v0 i32)) (gt v0 0:i32) " + row + "))");
  print(value([](auto row, auto) { return map_reduce([](auto x) { return x / 3; }, max, -100, row); }),
        "(reduce ((a i32) (b i32)) (max a b) -100:i32 (map ((v0 i32)) (div v0 3:i32) " + row + "))");
  print(value([](auto row, auto i) { return iterate([=](auto state, auto x) { return state * x + cast<int>(i); }, 7, row); }),
        "(iterate 7:i32 ((v0 i32) (v1 i32)) (add (mul v0 v1) (cast i32 x)) " + row + ")");
  print(value([](auto row, auto i) { return find_index([=](auto x) { return x > cast<int>(i); }, row); }),
        "(find_index ((v0 i32)) (gt v0 (cast i32 x)) " + row + ")");
  print(value([](auto row, auto) { return argmax(row); }), "(argmax ((a i32) (b i32)) (lt a b) " + row + ")");
  print(value([](auto row, auto) { return argmin(row); }), "(argmax ((a i32) (b i32)) (lt b a) " + row + ")");
  print(value([](auto row, auto) { return argmax([](auto x, auto y) { return x % 10 < y % 10; }, row); }),
        "(argmax ((a i32) (b i32)) (lt (rem a 10:i32) (rem b 10:i32)) " + row + ")");
  print(value([](auto row, auto) { return is_sorted(row); }), "(is_sorted ((v0 i32) (v1 i32)) (lt v0 v1) " + row + ")");
  print(value([](auto row, auto) { return equal(row, few); }), "(equal ((v0 i32) (v1 i32)) (eq v0 v1) " + row + " $0)");
  CHECK_EQ(written_form<int64_t>([](auto i) { return collate([](auto x, auto y) { return y < x; }, take(few, i), few); }),
           "(fn ((x i64)) (let ((v2 (compare ((v0 i32) (v1 i32)) (lt v1 v0) " + row + " $0))) (cast i32 v2)))");
}

// Tuples, and sequences of their own that a function of the outer element reads.
TEST(tuples_and_captured_sequences) {
  const int64_t n = 1025;
  const auto values = numbers(n);
  const Seq<int> s(values);
  const auto pairs = map_idx([](auto i, auto x) { return std::pair(x / 10, cast<float>(i)); }, s);
  const auto found = tabulate(
                         [&](auto i) {
                           const auto part = take(pairs, i % 77);
                           const auto kept = filter([&](auto a, auto) { return a > cast<int>(i % 5) - 2; }, part);
                           return std::tuple(argmax(part), argmax(kept), is_sorted(part), is_sorted(kept),
                                             find_index([&](auto x) { return x > cast<int>(i % 60); }, s), equal(part, take(pairs, i % 7)),
                                             length(append(part, kept)));
                         },
                         n)
                         .to_vector();
  std::vector<std::pair<int, float>> all;
  for (size_t j = 0; j < values.size(); j++) all.emplace_back(values[j] / 10, float(j));
  for (int64_t i = 0; i < n; i++) {
    const std::vector part(all.begin(), all.begin() + i % 77);
    auto kept = part;
    std::erase_if(kept, [&](const auto& p) { return p.first <= int(i % 5) - 2; });
    auto largest = [](const auto& v) { return v.empty() ? -1 : std::ranges::max_element(v) - v.begin(); };
    const auto at = std::ranges::find_if(values, [&](int x) { return x > int(i % 60); });
    const std::tuple right(largest(part), largest(kept), std::ranges::is_sorted(part), std::ranges::is_sorted(kept),
                           at == values.end() ? int64_t{-1} : at - values.begin(), i % 77 == i % 7, int64_t(part.size() + kept.size()));
    CHECK(found[size_t(i)] == right);
  }
}

// An element is read only if the branch of a `where` that uses it is chosen, whether the `where` and the read are inside of the fold or not.
TEST(branches_that_are_not_chosen_read_nothing) {
  const Seq<int> s{3, 1, 2};
  auto values = [](auto f) { return tabulate(f, 4).to_vector(); };
  auto weighted = [](auto c, auto i) { return sum(tabulate([=](auto j) { return where(i < 3, c + c * cast<int>(j), 0); }, 4)); };
  CHECK(values([&](auto i) { return weighted(s[i], i); }) == (std::vector{30, 10, 20, 0}));
  CHECK(values([&](auto i) { return weighted(where(i < 4, s[i], s[i - 9]), i); }) == (std::vector{30, 10, 20, 0}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return sum(tabulate([=](auto k) { return weighted(c, i) + cast<int>(k); }, 2));
        }) == (std::vector{61, 21, 41, 1}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return sum(tabulate([=](auto j) { return where(i + j < 3, c + c * cast<int>(j), 0); }, 4));
        }) == (std::vector{18, 3, 2, 0}));
  // A branch outside of the reduction reads the element, too; the reduction is in a branch, or over a filter, inside of another one.
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return where(i < 3, c * c, 0) + weighted(c, i);
        }) == (std::vector{39, 11, 24, 0}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return sum(
              tabulate([=](auto k) { return where(i + k < 3, sum(tabulate([=](auto j) { return c + c * cast<int>(j); }, 2)), 1); }, 2));
        }) == (std::vector{18, 6, 7, 2}));
  CHECK(values([&](auto i) {
          const auto c = s[i];
          auto near = [=](auto k) { return sum(filter([=](auto j) { return i + j < 3; }, tabulate([=](auto j) { return j + k; }, 4))); };
          return sum(tabulate([=](auto k) { return where(near(k) > 100, c * c, 1); }, 2));
        }) == (std::vector{2, 2, 2, 2}));
  // A loop that makes no step
  CHECK(values([&](auto i) {
          const auto c = s[i];
          return loop(
              cast<int>(i), [](auto a) { return a < 3; }, [=](auto a) { return a + 3 + c * c; });
        }) == (std::vector{12, 5, 9, 3}));
  // Both the condition and the element use the checked position.
  auto first_of = [&](auto i, auto element) {
    const auto t = tabulate([&](auto j) { return element(j); }, i % 3);
    const auto first = where(length(t) > 0, t[0], -9);
    return sum(fill(first, 2));
  };
  CHECK(values([&](auto i) { return first_of(i, [&](auto j) { return where(j % 3 < 0, s[j % 3 + 3], s[j % 3]); }); }) ==
        (std::vector{-18, 6, 6, -18}));
  // The element is a fold, outside of the one that uses it.
  CHECK(values([&](auto i) { return first_of(i, [&](auto j) { return sum(take(s, j + 1)); }); }) == (std::vector{-18, 6, 6, -18}));
}

TEST(a_function_of_outer_elements_iterates) {
  const Seq<int> s{3, 1, 2};
  auto f = [&](auto i) { return iterate([=](auto a, auto x) { return a * 2 + x * cast<int>(i); }, 1, s); };
  CHECK(tabulate(f, 3).to_vector() == (std::vector{8, 24, 40}));
}

TEST(an_element_fills_a_known_length) {
  auto f = [](auto i) { return sum(fill(i, int64_t{3})) + sum(field<1>(fill(std::pair(i, i + 1), int64_t{2}))); };
  CHECK(tabulate(f, 3).to_vector() == (std::vector<int64_t>{2, 7, 12}));
}

TEST(functions_inside_are_one_kernel) {
  const Ragged a;
  auto row = [&](auto i) { return subseq(a.s, a.begins[i], a.begins[i + 1] - a.begins[i]); };
  CHECK_EQ(kernels(tabulate([&](auto i) { return argmax(row(i)); }, a.rows())), "1 kernel");
  CHECK_EQ(kernels(tabulate([&](auto i) { return collate(row(i), rev(row(i))); }, a.rows())), "1 kernel");
  CHECK_EQ(kernels(tabulate([&](auto i) { return sum(append(row(i), row(i))); }, a.rows())), "1 kernel");
  CHECK_EQ(kernels(tabulate([&](auto i) { return sqrt(cast<float>(dot(row(i), row(i)))); }, a.rows())), "1 kernel");
}

TEST(results_of_unknown_shape_name_the_remedy) {
  const Seq<int> s{3, 1, 2};
  auto inside = [&](auto f) {
    return remedy_of([&] {
      tabulate(
          [&](auto i) {
            f(take(s, i));
            return i;
          },
          2);
    });
  };
  auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(contains(inside([](auto row) { split_mid(row); }), "take(s, length(s) / 2)"));
  CHECK(contains(inside([](auto row) { split_head(row); }), "drop(s, 1)"));
  CHECK(contains(inside([](auto row) { find([](auto x) { return x > 1; }, row); }), "find_index(f, s)"));
  CHECK(contains(inside([](auto row) { sort(row); }), "what needs its elements stored (scan, sort"));
  CHECK(contains(inside([](auto row) { top_k(row, 2); }), "what needs its elements stored (scan, sort"));
  CHECK(
      contains(inside([](auto row) { enumerate(filter([](auto x) { return x > 1; }, row)); }), "positions of its elements are not known"));
}
