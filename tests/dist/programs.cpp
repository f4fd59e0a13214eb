// The same programs in parts and on the CPU: integers, filters and random numbers have the same bits.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>

#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

// More elements than a block, than a chunk, than parts; fewer than parts.
const std::vector<int64_t> lengths = {0, 1, 2, 3, 6, 64, 1025, 100003};

std::vector<int> numbers(int64_t n) {
  std::vector<int> values(static_cast<size_t>(n));
  uint32_t state = 12345;
  for (int& x : values) state = state * 1664525 + 1013904223, x = int(state >> 16) % 101 - 50;
  return values;
}

// The contexts that are compared with the CPU: those of the variable, such as mpi.
const std::vector<std::string> contexts = [] {
  const char* name = std::getenv("WARPFOLD_TEST_PARTS");
  return name ? std::vector<std::string>{name} : std::vector<std::string>{"parts:1", "parts:2", "parts:3", "parts:7"};
}();

// program(n) -> elements, on the CPU and in parts.
void check_everywhere(const std::function<std::vector<int64_t>(int64_t)>& program) {
  for (int64_t n : lengths) {
    const auto run = [&](const std::string& context) {
      const ContextScope scope{Context(context)};
      return program(n);
    };
    const std::vector<int64_t> expected = run("cpu");
    for (const std::string& context : contexts) CHECK(run(context) == expected);
  }
}

auto squares(int64_t n) {
  return map([](auto x) { return cast<int64_t>(x * x); }, Seq(numbers(n)));
}
Seq<int64_t> forced(Seq<int64_t> s) {
  force(s);
  return s;
}

// The line of a plan that tells how parts compute it.
template <class... S> std::string parts_line(const S&... s) {
  const std::string plan = explain(s...);
  const size_t at = plan.find("  parts   ");
  return at == plan.npos ? "" : plan.substr(at + 10, plan.find('\n', at) - at - 10);
}

TEST(maps_and_tabulations) {
  check_everywhere([](int64_t n) { return squares(n).to_vector(); });
  check_everywhere([](int64_t n) { return zip_with([](auto x, auto y) { return x - 3 * y; }, forced(squares(n)), iota(n)).to_vector(); });
}

// A view of a column in parts has fewer elements than the parts.
TEST(views_of_columns_in_parts) {
  check_everywhere([](int64_t n) {
    const auto s = forced(squares(n));
    const auto first = forced(take(s, n / 2)), last = forced(drop(s, n / 2));
    std::vector<int64_t> all{reduce(plus, int64_t(0), first + int64_t(1)).get(), reduce(plus, int64_t(0), last + int64_t(1)).get()};
    for (int64_t x : (take(s, n - n / 3) + int64_t(1)).to_vector()) all.push_back(x);
    return all;
  });
}

TEST(reductions) {
  check_everywhere([](int64_t n) {
    const auto s = squares(n), t = forced(s);
    return std::vector<int64_t>{reduce(plus, int64_t(0), s).get(), reduce(plus, int64_t(5), t).get(), reduce(min, t).get(),
                                reduce([](auto a, auto b) { return a ^ b; }, int64_t(0), t).get()};
  });
}

// A function that does not commute: the parts' results are combined in order.
TEST(reductions_in_order) {
  check_everywhere([](int64_t n) {
    const auto pairs = zip(map([](auto i) { return i | 1; }, iota(n)), iota(n));
    const auto compose = [](auto f, auto g) { return std::pair(g.first * f.first, g.first * f.second + g.second); };
    const auto [a, b] = reduce(compose, std::pair<int64_t, int64_t>(1, 0), pairs).get();
    return std::vector<int64_t>{a, b};
  });
}

TEST(scans) {
  check_everywhere([](int64_t n) { return scan_incl(plus, int64_t(0), forced(squares(n))).to_vector(); });
  check_everywhere([](int64_t n) {
    auto s = scan(max, std::numeric_limits<int64_t>::lowest(), squares(n));
    std::vector<int64_t> all = s.prefixes.to_vector();
    all.push_back(s.total.get());
    return all;
  });
  check_everywhere([](int64_t n) {
    const auto s = map([](auto x) { return where(x > 0, int64_t(1), int64_t(-1)); }, Seq(numbers(n)));
    return std::vector<int64_t>{reduce(min, scan_incl(plus, int64_t(0), s)).get()};
  });
}

TEST(filters) {
  const auto even = [](auto x) { return x % 2 == 0; };
  check_everywhere([=](int64_t n) { return filter(even, squares(n)).to_vector(); });
  check_everywhere([=](int64_t n) { return std::vector<int64_t>{filter(even, squares(n)).size()}; });
  // All elements are in one part.
  check_everywhere([](int64_t n) { return filter([n](auto i) { return i < n / 5; }, forced(iota(n) + int64_t(0))).to_vector(); });
  // A filter of a filter, with work between, on uneven parts.
  check_everywhere([=](int64_t n) {
    const auto once = forced(filter(even, squares(n)));
    const auto twice = forced(filter([](auto x) { return x % 3 == 1; }, once + int64_t(1)));
    const int64_t step = twice.size() > 0;
    const auto shifted = forced(zip_with([](auto x, auto y) { return x - y; }, drop(twice, step), take(twice, twice.size() - step)));
    std::vector<int64_t> all = twice.to_vector();
    for (int64_t x : shifted.to_vector()) all.push_back(x);
    all.push_back(reduce(plus, int64_t(0), scan_incl(plus, int64_t(0), twice)).get());
    return all;
  });
}

// All NaNs, in some parts alone, and no elements.
TEST(least_floats) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  check_everywhere([=](int64_t n) {
    const auto bits = [](float x) { return std::isnan(x) ? int64_t(-1) : int64_t(std::bit_cast<int32_t>(x)); };
    const auto values = map([=](auto i) { return where(i < n / 2, nan, infinity); }, iota(n));
    std::vector<int64_t> all;
    for (int64_t limit : {int64_t(0), n / 4, n})
      all.push_back(bits(reduce(min, infinity, filter([=](auto) { return true; }, take(values, limit))).get()));
    const auto kept = [&](auto keeps) {
      return bits(reduce(min, infinity, map([=](auto i) { return where(i < n / 2, nan, infinity); }, filter(keeps, iota(n)))).get());
    };
    all.push_back(kept([=](auto i) { return i < n / 2 && i % 2 == 0; }));
    all.push_back(kept([=](auto i) { return i > n; }));
    return all;
  });
}

TEST(reads_of_neighbours) {
  check_everywhere([](int64_t n) {
    auto s = forced(squares(n));
    for (int step = 0; step < 3 && n > 6; step++) {
      const auto inside = map([](auto a, auto b, auto c) { return a - b + 2 * c; }, take(s, n - 5), drop(take(s, n - 2), 3), drop(s, 5));
      s = forced(append(append(take(s, 2), inside), take(s, 3)));
    }
    return s.to_vector();
  });
  check_everywhere([](int64_t n) { return rev(forced(squares(n))).to_vector(); });
}

TEST(reads_at_any_index) {
  check_everywhere([](int64_t n) {
    const auto s = forced(squares(n));
    return n == 0 ? std::vector<int64_t>{} : map([&](auto i) { return s[i * 7919 % n] + s[n / 2]; }, iota(n)).to_vector();
  });
}

TEST(rows) {
  check_everywhere([](int64_t n) {
    const int64_t columns = 5, rows = n / columns;
    const auto s = forced(take(squares(n), rows * columns));
    return map(
               [&](auto i) {
                 return reduce(plus, int64_t(0), map([&](auto j) { return s[i * columns + j]; }, range(int64_t(0), columns)));
               },
               iota(rows))
        .to_vector();
  });
}

TEST(random_numbers) {
  check_everywhere(
      [](int64_t n) { return map([](auto x) { return cast<int64_t>(x * 1e9); }, random::uniform(random::Key(7), n)).to_vector(); });
}

TEST(routines_run_as_a_whole) {
  check_everywhere([](int64_t n) { return sort(forced(squares(n))).to_vector(); });
  check_everywhere([](int64_t n) { return scan_incl(plus, int64_t(0), sort(forced(squares(n)))).to_vector(); });
}

// The least index of the domain is named, on any part, also if the scanned values fail.
TEST(errors_name_the_same_index) {
  const auto error = [](const std::string& context, bool scanned) -> std::string {
    const ContextScope scope{Context(context)};
    const int64_t n = 1000;
    const auto s = forced(squares(n));
    const auto wrong = map([&](auto i) { return s[where(i == 700 || i == 900, i + n, i)]; }, iota(n));
    try {
      if (scanned) force(scan_incl(plus, int64_t(0), wrong));
      else force(wrong);
    } catch (const Error& e) { return e.what(); }
    return "none";
  };
  for (bool scanned : {false, true}) {
    const std::string expected = error("cpu", scanned);
    CHECK(expected.find("700") != expected.npos);
    for (const std::string& context : contexts) CHECK_EQ(error(context, scanned), expected);
  }
}

TEST(exhausted_memory_changes_nothing) {
  const Context context("parts:3");
  const ContextScope scope{context};
  const auto s = forced(squares(1000));
  for (int64_t k = 1;; k++) {
    const auto sums = scan_incl(plus, int64_t(0), filter([](auto x) { return x % 2 == 0; }, s));
    std::optional<std::vector<int64_t>> found;
    wf_context_fail_allocation(context.raw(), k);
    try {
      found = sums.to_vector();
    } catch (const MemoryError&) {}
    wf_context_fail_allocation(context.raw(), 0);
    const std::vector<int64_t> expected = sums.to_vector();
    if (!found) continue;
    CHECK(*found == expected);
    CHECK(k > 5);
    break;
  }
}

// The most messages and bytes that a part sends for the run that computed s.
template <class S> std::pair<int64_t, int64_t> sent(const S& s) {
  const std::string text = explain(s);
  long long messages = 0, bytes = 0;
  const size_t at = text.find("sends   at most ");
  if (at != text.npos) std::sscanf(text.c_str() + at, "sends   at most %lld messages, %lld bytes", &messages, &bytes);
  return {messages, bytes};
}

// A binary logarithm of messages per exchange of all parts, and a few between neighbours; no more bytes than a part has, and a status of each part.
TEST(few_messages_for_many_parts) {
  constexpr int64_t n = 1 << 14, status = 128;
  for (int64_t parts : {8, 64, 1024}) {
    const ContextScope scope{Context("parts:" + std::to_string(parts))};
    const int64_t rounds = std::bit_width(uint64_t(parts - 1)), others = status * (parts - 1), elements = n / parts * 8;
    const auto check = [&](const auto& s, int64_t exchanges, int64_t messages, int64_t bytes) {
      force(s);
      CHECK(sent(s).first >= exchanges * rounds && sent(s).first <= exchanges * rounds + messages);
      CHECK(sent(s).second >= exchanges * others && sent(s).second <= exchanges * others + bytes);
    };
    const auto s = forced(squares(n));
    check(s + int64_t(1), 1, 0, 0);
    check(reduce(plus, int64_t(0), s), 2, 0, 0);
    check(scan_incl(plus, int64_t(0), s), 2, 0, 0);
    check(filter([](auto x) { return x % 2 == 0; }, s), 2, 0, 0);
    check(drop(s, 3) - take(s, n - 3), 3, 2, 8 * 8);  // two inputs
    check(drop(forced(squares(n)), n / parts / 2) + int64_t(1), 2, 2, elements);
    check(rev(forced(squares(n))) + int64_t(1), 2, 2, elements);
  }
}

TEST(plans_tell_what_parts_do) {
  const ContextScope scope{Context("parts:3")};
  const auto s = forced(squares(1000));
  CHECK_EQ(parts_line(s + int64_t(1)), "each its range");
  CHECK_EQ(parts_line(reduce(plus, int64_t(0), s)), "each its range, partial results are combined");
  CHECK_EQ(parts_line(scan_incl(plus, int64_t(0), s)), "each its range, from the carry of the parts before");
  CHECK_EQ(parts_line(sort(s)), "as a whole: a routine");
  CHECK_EQ(parts_line(map([&](auto i) { return s[i * 7919 % 1000]; }, iota(1000))), "each its range; all of $0");
  const ContextScope on_cpu{Context("cpu")};
  CHECK_EQ(parts_line(Seq(numbers(1000)) + 1), "");
}

}  // namespace
