// Kernels that compute the numbers of segments that they read: the plans, and the results on the engine under test.
#include <algorithm>

#include "check.h"
#include "lazy/composed/segments.h"
#include "oracle/graph.h"
#include "plan/explained.h"
#include "plan/plan.h"

using graph::Nodes;
using std::string;
using wf::NodeRef;

namespace {

constexpr int64_t many = 40'013, few = 30'000;  // numbers of fewer than 2^15 positions are stored

NodeRef tabulated(const string& body, int64_t n, const Nodes& captures = {}) {
  return graph::tabulate("(fn ((i i64)) " + body + ")", n, captures);
}

// Offsets of n positions from the lengths of segments, repeated until they suffice; the last segment is cut.
std::vector<int64_t> offsets_of(const std::vector<int64_t>& lengths, int64_t n) {
  std::vector<int64_t> offsets{0};
  for (size_t k = 0; offsets.back() < n; k++) offsets.push_back(std::min(n, offsets.back() + lengths[k % lengths.size()]));
  return offsets;
}
// Lengths that cross blocks, with runs of empty segments.
std::vector<int64_t> usual() { return offsets_of({16, 0, 1, 0, 0, 3, 700, 0, 64, 5000, 1, 1, 0, 2}, many); }

NodeRef numbers(const std::vector<int64_t>& offsets) { return wf::segment_ids(graph::source(offsets), offsets.back()); }
// The product of a position with a value of its segment.
NodeRef weighted(const NodeRef& ids, int64_t n) {
  return tabulated("(mul i (at $1 (at $0 i)))", n, {ids, tabulated("(rem (mul i 7919:i64) 1009:i64)", n + 1)});
}

string plan_of(const Nodes& nodes, bool segments = true) {
  wf::PlanOptions options;
  options.segments = segments;
  options.scatters = true;
  options.verify = true;
  string text;
  for (const auto& step : wf::make_plan(nodes, options).steps) text += (text.empty() ? "" : "; ") + wf::summary(*step);
  return text;
}

std::vector<int64_t> expected_numbers(const std::vector<int64_t>& offsets) {
  std::vector<int64_t> expected;
  for (size_t k = 0; k + 1 < offsets.size(); k++) expected.insert(expected.end(), size_t(offsets[k + 1] - offsets[k]), int64_t(k));
  return expected;
}

string error(const NodeRef& node) {
  try {
    wf::force({&node, 1});
  } catch (const wf::RangeError& e) { return e.what(); }
  return "no error";
}

}  // namespace

TEST(a_kernel_computes_the_numbers_that_it_reads) {
  const NodeRef ids = numbers(usual());
  CHECK_EQ(plan_of({weighted(ids, many)}), "store(1)");
  CHECK_EQ(plan_of({weighted(ids, many)}, false), "segment_ids; store(1)");
  CHECK_EQ(plan_of({tabulated("(mul i (at $0 i))", many, {ids})}), "store(1)");
  // The numbers themselves are those of a call, as i64.
  CHECK_EQ(plan_of({ids, weighted(ids, many)}), "store(2)");
  // Two readers, of which one depends on the other's kernel.
  const NodeRef first = tabulated("(mul i (at $0 i))", many, {ids}),
                second = tabulated("(add (at $0 i) (at $1 (rem (mul i 7:i64) 1000:i64)))", many, {ids, wf::histogram(first, many * many)});
  CHECK_EQ(plan_of({first, second}).find("segment_ids"), string::npos);
  // A kernel that scatters.
  const NodeRef base = graph::source(std::vector<int64_t>(1 << 15, 5));
  const wf::Closure add = graph::fn("(fn ((a i64) (b i64)) (add a b))");
  CHECK_EQ(plan_of({wf::scatter(&add, base, tabulated("(rem (add i (at $0 i)) 20000:i64)", many, {ids}), tabulated("3:i64", many))}),
           "scatter(add)");
}

TEST(numbers_that_others_need_are_stored) {
  const NodeRef ids = numbers(usual());
  CHECK_EQ(plan_of({tabulated("(at $0 (sub 40012:i64 i))", many, {ids})}).find("segment_ids"), size_t(0));
  CHECK_EQ(plan_of({graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", ids)}).find("segment_ids"), size_t(0));
  CHECK_EQ(plan_of({graph::filter("(fn ((x i64)) (eq (rem x 3:i64) 0:i64))", ids)}).find("segment_ids"), size_t(0));
  const NodeRef fewer = numbers(offsets_of({16, 0, 1}, few));
  CHECK_EQ(plan_of({weighted(fewer, few)}), "segment_ids; store(1)");
}

TEST(numbers_in_kernels_are_right) {
  const std::vector<std::vector<int64_t>> lengths{{16}, {1}, {1, 0}, {many}, {0, 0, 0, 1}, {many / 2, 0, 0, many}, {3, 1000, 0, 20'000, 1}};
  std::vector<std::vector<int64_t>> all{usual()};
  for (const auto& some : lengths) all.push_back(offsets_of(some, many));
  // Many empty segments at one position, at the beginning and at the end.
  for (int64_t position : {int64_t(0), int64_t(20'000), many}) {
    std::vector<int64_t> offsets = offsets_of({16}, many);
    offsets.insert(std::ranges::lower_bound(offsets, position), 10'000, position);
    all.push_back(std::move(offsets));
    std::vector<int64_t> one{0, many};
    one.insert(std::ranges::lower_bound(one, position), 3, position);
    all.push_back(std::move(one));
  }
  for (const std::vector<int64_t>& offsets : all) {
    const std::vector<int64_t> expected = expected_numbers(offsets);
    const NodeRef ids = numbers(offsets);
    CHECK(graph::elements<int64_t>(tabulated("(add (mul (at $0 i) 2:i64) (rem i 2:i64))", many, {ids})) == [&] {
      std::vector<int64_t> twice(many);
      for (int64_t i = 0; i < many; i++) twice[i] = 2 * expected[i] + i % 2;
      return twice;
    }());
    // Next to other sequences of numbers, of all sizes.
    const NodeRef others = numbers(offsets_of({7, 0, 90}, many)), bytes = tabulated("(cast u8 (rem i 251:i64))", many);
    wf::force({&bytes, 1});
    const std::vector<int64_t> beside = expected_numbers(offsets_of({7, 0, 90}, many));
    const auto sums = graph::elements<int64_t>(
        tabulated("(add (mul (at $0 i) 1000:i64) (add (at $1 i) (cast i64 (at $2 i))))", many, {numbers(offsets), others, bytes}));
    bool right = true;
    for (int64_t i = 0; i < many; i++) right &= sums[i] == 1000 * expected[i] + beside[i] + i % 251;
    CHECK(right);
    // A long body, written once.
    string body = "(cast f64 (at $0 i))";
    for (int k = 0; k < 60; k++) body = "(sin (add " + body + " 0.25:f64))";
    const auto waves = graph::elements<double>(tabulated(body, many, {numbers(offsets)}));
    for (int64_t i : {int64_t(0), int64_t(4097), many - 1}) {
      const auto same = std::ranges::find(expected, expected[i]) - expected.begin();
      CHECK(waves[i] == waves[same]);
    }
    const NodeRef stored = numbers(offsets);
    wf::force({&stored, 1});
    CHECK(waves == graph::elements<double>(tabulated(body, many, {stored})));
  }
}

// A GPU has longer tiles.
TEST(numbers_of_many_positions_are_right) {
  for (const std::vector<int64_t>& lengths :
       std::vector<std::vector<int64_t>>{{16, 0, 1, 0, 0, 3, 700, 0, 64, 5000, 1, 1, 0, 2}, {1'000'000, 0, 3}}) {
    const int64_t n = (int64_t(1) << 22) + 77;
    const std::vector<int64_t> offsets = offsets_of(lengths, n), expected = expected_numbers(offsets);
    const auto shifted =
        graph::elements<int64_t>(tabulated("(add i (mul (at $0 i) 5000000:i64))", n, {wf::segment_ids(graph::source(offsets), n)}));
    bool right = true;
    for (int64_t i = 0; i < n; i++) right &= shifted[size_t(i)] == i + expected[size_t(i)] * 5'000'000;
    CHECK(right);
  }
}

// Also few, which are otherwise stored, by one block of a GPU and by several.
TEST(numbers_decide_where_a_kernel_scatters) {
  for (int64_t n : {many, few, int64_t(5000), int64_t(100), int64_t(1)}) {
    const std::vector<int64_t> offsets = offsets_of({16, 0, 1, 0, 0, 3, 700, 0, 64, 5000, 1, 1, 0, 2}, n),
                               expected = expected_numbers(offsets);
    std::vector<int64_t> sums(1 << 15, 5);
    for (int64_t i = 0; i < n; i++) sums[size_t((i + 13 * expected[size_t(i)]) % 20'000)] += 3;
    const wf::Closure add = graph::fn("(fn ((a i64) (b i64)) (add a b))");
    const auto scattered = [&](const NodeRef& ids) {
      return wf::scatter(&add, graph::source(std::vector<int64_t>(1 << 15, 5)),
                         tabulated("(rem (add i (mul 13:i64 (at $0 i))) 20000:i64)", n, {ids}), tabulated("3:i64", n));
    };
    CHECK_EQ(plan_of({scattered(numbers(offsets))}), "scatter(add)");
    CHECK(graph::elements<int64_t>(scattered(numbers(offsets))) == sums);
    std::vector<int64_t> wrong = offsets;
    wrong[1]++;
    wrong[0]++;
    CHECK(error(scattered(wf::segment_ids(graph::source(wrong), n))).find("offset") != string::npos);
  }
}

// Offsets that are computed are released after their last reader, and are not the memory of a result.
TEST(offsets_stay_as_they_are) {
  std::vector<int64_t> all(many + 1);
  for (int64_t k = 0; k <= many; k++) all[k] = k;
  const NodeRef offsets = tabulated("i", many + 1);
  CHECK(graph::elements<int64_t>(weighted(wf::segment_ids(offsets, many), many)).size() == size_t(many));
  CHECK(graph::elements<int64_t>(offsets) == all);
  // As many offsets as positions.
  all.assign(many, 0);
  for (int64_t k = 1; k < many; k++) all[k] = k + 1;
  const NodeRef source = graph::source(all);
  NodeRef one_longer = tabulated("(at $0 i)", many, {source});
  const NodeRef doubled = tabulated("(mul 2:i64 (at $0 i))", many, {wf::segment_ids(one_longer, many)});
  one_longer = NodeRef();
  const auto values = graph::elements<int64_t>(doubled);
  CHECK(values[0] == 0 && values[1] == 0 && values[2] == 2 && values[many - 1] == 2 * (many - 2));
}

TEST(wrong_offsets_are_errors) {
  const auto message = [](std::vector<int64_t> offsets) {
    return error(weighted(wf::segment_ids(graph::source(offsets), many), many)).find("offset");
  };
  std::vector<int64_t> descending = usual(), reversed = usual(), scattered;
  std::swap(descending[5], descending[7]);
  std::ranges::reverse(reversed);
  for (int64_t k = 0; k < 30'000; k++) scattered.push_back(k * k * 7919 % many);
  for (std::vector<int64_t> wrong : {descending,
                                     reversed,
                                     scattered,
                                     {0, many - 1},
                                     {0, many + 1},
                                     {1, many},
                                     {0, -2, many},
                                     {0, INT64_MAX, many},
                                     {0, 9, INT64_MIN, many}})
    CHECK(message(wrong) != string::npos);
  CHECK(message(usual()) == string::npos);
}

// Offsets whose end is appended are not stored: the segments' starts and the number of positions suffice.
TEST(an_appended_end_is_not_read) {
  const auto appended = [](std::vector<int64_t> offsets) {
    const NodeRef end = graph::source(std::vector<int64_t>{offsets.back()});
    offsets.pop_back();
    return wf::append({graph::source(offsets), end});
  };
  CHECK_EQ(plan_of({weighted(wf::segment_ids(appended(usual()), many), many)}), "store(1)");
  CHECK_EQ(plan_of({wf::segment_ids(appended(usual()), many)}), "store(1)");
  // An end that differs or is not known yet is appended, and checked.
  CHECK_EQ(plan_of({weighted(wf::segment_ids(appended({0, 9, many - 1}), many), many)}), "store(1); store(1)");
  const NodeRef starts = graph::source(std::vector<int64_t>{0, 9}), delayed = wf::append({starts, tabulated("(add i 40013:i64)", 1)});
  CHECK_EQ(plan_of({weighted(wf::segment_ids(delayed, many), many)}), "store(1); store(1)");
  CHECK_EQ(error(weighted(wf::segment_ids(delayed, many), many)), "no error");

  for (const std::vector<int64_t>& lengths : std::vector<std::vector<int64_t>>{
           {16}, {1}, {0, 1}, {many}, {many / 2, 0, 0, many}, {3, 1000, 0, 20'000, 1}, {16, 0, 1, 0, 0, 3, 700, 0, 64, 5000, 1, 1, 0, 2}})
    for (int64_t n : {many, few, int64_t(1)}) {
      std::vector<int64_t> offsets = offsets_of(lengths, n);
      for (int64_t empty : {0, 1, 5000}) {  // segments at the end
        offsets.insert(offsets.end(), empty, n);
        const std::vector<int64_t> expected = expected_numbers(offsets);
        CHECK(graph::elements<int64_t>(wf::segment_ids(appended(offsets), n)) == expected);
        const auto tripled = graph::elements<int64_t>(tabulated("(mul (at $0 i) 3:i64)", n, {wf::segment_ids(appended(offsets), n)}));
        bool right = true;
        for (int64_t i = 0; i < n; i++) right &= tripled[i] == 3 * expected[i];
        CHECK(right);
      }
    }

  const auto message = [&](const std::vector<int64_t>& offsets) { return error(weighted(wf::segment_ids(appended(offsets), many), many)); };
  CHECK(message({1, 9, many}).find("offset 0 of segments is 1; expected 0") != string::npos);
  CHECK(message({0, 9, 8, many}).find("offset 2 of segments is 8, below offset 1, which is 9") != string::npos);
  CHECK(message({0, many + 1, many}).find("offset 1 of segments is 40014; expected at most 40013") != string::npos);
  CHECK(message({0, -5, many}).find("offset 1 of segments is -5") != string::npos);
  CHECK(message({0, 9, many - 1}).find("the last one, is 40012; expected 40013") != string::npos);
  CHECK_EQ(message({0, 9, 9, many, many}), "no error");
}
