// Indices out of range of captured sequences: the force fails and names the first one, but only if the element is chosen.
#include <algorithm>

#include "check.h"
#include "eval/range.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/composed/iterate.h"
#include "lazy/composed/segments.h"
#include "oracle/graph.h"

using graph::elements;
using graph::Nodes;
using range::add;
using range::at_i;
using range::beyond;
using range::error;
using range::names;
using range::sum;
using range::three;
using std::string;
using std::vector;
using wf::NodeRef;

TEST(the_first_index_outside_is_named) {
  for (int64_t n : {4, 64, 65, 1000, 5000, 100000, 1000000}) {
    const string message = error(beyond(n));
    CHECK(names(message, "index 3 ") || names(message, "index 3,"));
    CHECK(names(message, "length 3"));
  }
}

// Few elements read outside, in whole tiles and after them, alone and after others of the same thread.
TEST(the_first_of_a_few_indices_outside_is_named) {
  constexpr int64_t n = 1000003;
  const NodeRef s = graph::source(vector<int32_t>(5000, 2)), ends = graph::source(vector<int64_t>{0, 7, n});
  for (const vector<int64_t>& places :
       {vector<int64_t>{0}, {n - 1}, {n - 2, 999000}, {777777, 777776, 777780}, {3, 900001}, {70001, 70002, 500000, 262144}}) {
    vector<int64_t> indices;
    for (int64_t i = 0; i < n; i++) indices.push_back(i % 5000);
    for (int64_t place : places) indices[size_t(place)] = 5000 + place;
    const int64_t first = *std::ranges::min_element(places);
    const string expected = "index " + std::to_string(5000 + first) + " at element " + std::to_string(first) + " is out of range";
    const NodeRef x = graph::map("(fn ((k i64)) (at $0 k))", {graph::source(indices)}, {s});
    const NodeRef ids = wf::segment_ids(ends, n), or_base = graph::source(vector<bool>(5000));
    const wf::Closure either = graph::fn("(fn ((a bool) (b bool)) (or a b))");
    const auto named = [&](const NodeRef& r) { CHECK_EQ(error(r).substr(0, expected.size()), expected); };
    named(x);
    named(sum(x));
    named(graph::scan(add, "0:i32", x, true).prefixes);
    named(graph::map("(fn ((p i32) (x i32)) (add p x))", {graph::scan(add, "0:i32", x, false).prefixes, x}));
    named(graph::filter("(fn ((x i32)) (gt x 1:i32))", x));
    named(graph::tabulate("(fn ((i i64)) (add (at $0 (at $1 i)) (cast i32 (at $2 i))))", n, {s, graph::source(indices), ids}));
    named(wf::scatter(&either, or_base,
                      graph::tabulate("(fn ((i i64)) (rem (add i (cast i64 (at $0 (at $1 i)))) 5000:i64))", n, {s, graph::source(indices)}),
                      graph::tabulate("(fn ((i i64)) true)", n)));
  }
}

TEST(the_first_is_so_by_the_order_of_the_result) {
  const NodeRef s = graph::source(vector<int32_t>(100000, 1));
  CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (sub 150000:i64 i)))", 150001, {s})), "150000"));
  CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (sub 70000:i64 i)))", 100000, {s})), "-1"));
  CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (where (gt i 80000:i64) (mul i -2:i64) i)))", 100000, {s})), "-160002"));
}

TEST(every_sink_reports_it) {
  CHECK(names(error(sum(beyond(5000))), "3"));
  CHECK(names(error(graph::scan(add, "0:i32", beyond(5000), true).prefixes), "3"));
  CHECK(names(error(graph::scan(add, "0:i32", beyond(5000), false).total), "3"));
  CHECK(names(error(graph::filter("(fn ((x i32)) (gt x 5:i32))", beyond(5000))), "3"));
}

TEST(an_index_that_is_not_chosen_is_no_error) {
  CHECK_EQ(elements<int32_t>(graph::tabulate("(fn ((i i64)) (where (lt i 3:i64) (at $0 i) 0:i32))", 5, {three()})),
           (vector<int32_t>{5, 6, 7, 0, 0}));
  const char* nested = "(fn ((i i64)) (where (ge i 1:i64) (where (lt i 3:i64) (at $0 i) 1:i32) (at $0 (sub i -1:i64))))";
  CHECK_EQ(elements<int32_t>(graph::tabulate(nested, 5, {three()})), (vector<int32_t>{6, 6, 7, 1, 1}));
}

// ---- an index that is evaluated outside is an error, even if its value does not matter, simplified or not, forced or not ------

namespace {

// The captured sequence has length 3. Each function reads it at an index of 5 or more for some element, whose value does not matter.
const char* const heedless[] = {
    "(fn ((i i64)) (mul (at $0 (add i 3:i64)) 0:i32))",
    "(fn ((i i64)) (sub (at $0 (add i 3:i64)) (at $0 (add i 3:i64))))",
    "(fn ((i i64)) (xor (at $0 (add i 3:i64)) (at $0 (add i 3:i64))))",
    "(fn ((i i64)) (min (at $0 (add i 3:i64)) (at $0 (add i 3:i64))))",
    "(fn ((i i64)) (max (at $0 (add i 3:i64)) (at $0 (add i 3:i64))))",
    "(fn ((i i64)) (and (eq (at $0 (add i 3:i64)) 1:i32) false))",
    "(fn ((i i64)) (or (eq (at $0 (add i 3:i64)) 1:i32) true))",
    "(fn ((i i64)) (eq (at $0 (add i 3:i64)) (at $0 (add i 3:i64))))",
    "(fn ((i i64)) (where (eq (at $0 (add i 3:i64)) 1:i32) i i))",
    "(fn ((i i64)) (let ((unused (at $0 (add i 3:i64)))) i))",
    "(fn ((i i64)) (let ((a (at $0 (add i 3:i64))) (unused (add a 1:i32))) i))",
    "(fn ((i i64)) (mul (loop ((k 0:i32)) (lt k 9:i32) (add (add k 1:i32) (mul 0:i32 (at $0 (add i k))))) 0:i32))",
    "(fn ((i i64)) (at $0 (mul i 2:i64)))",
};

// 7, 7, 7 in three ways: in memory, as a constant function, and as a function of the index with a constant value.
std::vector<NodeRef> sevens() {
  return {graph::source(vector<int32_t>(3, 7)),
          graph::tabulate("(fn ((i i64)) 7:i32)", 3),
          graph::map("(fn ((x i32)) (where (lt x 100:i32) 7:i32 x))", {graph::source(vector<int32_t>(3, 1))}),
          graph::tabulate("(fn ((i i64)) (where (lt (length $0) 9:i64) 7:i32 (cast i32 i)))", 3, {three()}),
          wf::subseq(graph::tabulate("(fn ((i i64)) 7:i32)", 9), 2, 3),
          wf::rev(graph::tabulate("(fn ((i i64)) 7:i32)", 3)),
          wf::append(Nodes{graph::tabulate("(fn ((i i64)) 7:i32)", 2), graph::tabulate("(fn ((i i64)) 7:i32)", 1)})};
}

}  // namespace

TEST(an_index_outside_is_an_error_whether_its_value_matters_or_not) {
  for (int64_t n : {4, 100007})
    for (const char* f : heedless)
      for (const bool is_forced : {false, true})
        for (const NodeRef& s : sevens()) {
          if (is_forced) wf::force({&s, 1});
          const NodeRef r = graph::tabulate(f, n, {s});
          CHECK_EQ(f + string(error(r).empty() ? " is no error" : ""), string(f));
          const NodeRef zero =
              graph::map("(fn ((x i64)) (sub x x))",
                         {graph::map("(fn ((a i64)) a)", {graph::tabulate("(fn ((i i64)) (cast i64 (at $0 i)))", n, {s})})});
          CHECK(names(error(zero), "index 3"));
          CHECK(names(error(graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", zero)), "index 3"));
        }
}

TEST(an_index_that_is_not_evaluated_is_no_error) {
  for (const NodeRef& s : sevens())
    for (int64_t n : {3, 100007}) {
      const NodeRef r = graph::tabulate("(fn ((i i64)) (where (lt i 3:i64) (add 1:i32 (mul 0:i32 (at $0 i))) 5:i32))", n, {s});
      CHECK_EQ(error(r), "");
      CHECK_EQ(elements<int32_t>(wf::nth(r, n - 1)), vector<int32_t>{n == 3 ? 1 : 5});
      const NodeRef equal = graph::tabulate("(fn ((i i64)) (and (lt i 3:i64) (eq (at $0 i) 7:i32)))", n, {s});
      CHECK_EQ(elements<int64_t>(
                   graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", graph::map("(fn ((x bool)) (cast i64 x))", {equal}))),
               vector<int64_t>{3});
      const NodeRef previous =
          graph::tabulate("(fn ((i i64)) (or (or (le i 0:i64) (gt i 3:i64)) (eq (at $0 (sub i 1:i64)) 7:i32)))", n, {s});
      CHECK_EQ(error(previous), "");
      CHECK_EQ(error(graph::filter("(fn ((x i64)) (and (lt x 3:i64) (eq (at $0 x) 7:i32)))", graph::tabulate("(fn ((i i64)) i)", n), {s})),
               "");
    }
}

TEST(scalars_have_the_index_0_and_no_other) {
  for (const bool is_forced : {false, true})
    for (const NodeRef& s : {sum(three()), wf::nth(three(), 1), wf::nth(graph::tabulate("(fn ((i i64)) 7:i32)", 9), 4),
                             graph::map("(fn ((x i32)) 7:i32)", {sum(three())})}) {
      if (is_forced) wf::force({&s, 1});
      for (int64_t n : {3, 4, 100007}) {  // 3: the length of what is reduced, too
        CHECK_EQ(error(graph::tabulate("(fn ((i i64)) (at $0 0:i64))", n, {s})), "");
        CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 i))", n, {s})), "index 1"));
        CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 1:i64))", n, {s})), "index 1"));
        CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (sub i 1:i64)))", n, {s})), "index -1"));
        CHECK_EQ(error(graph::tabulate("(fn ((i i64)) (where (lt i 1:i64) (at $0 i) 0:i32))", n, {s})), "");
        CHECK_EQ(elements<int32_t>(wf::nth(graph::tabulate("(fn ((i i64)) (load $0 i))", n, {s}), n - 1)), vector<int32_t>{0});
        CHECK_EQ(elements<int32_t>(wf::nth(graph::tabulate("(fn ((i i64)) (load $0 i))", n, {s}), 0)), elements<int32_t>(s));
      }
      CHECK(names(error(graph::map("(fn ((x i32)) (at $0 5:i64))", {sum(three())}, {s})), "index 5"));
      CHECK_EQ(elements<int32_t>(graph::map("(fn ((x i32)) (load $0 5:i64))", {sum(three())}, {s})), vector<int32_t>{0});
    }
}

// The kernel that reads the scalar ranges over the indices of what the scalar is computed from.
TEST(a_scalar_has_the_index_0_in_a_loop_over_what_it_is_computed_from) {
  for (int64_t n : {3, 100007}) {
    const NodeRef ones = graph::source(vector<int32_t>(n, 1)), kept = graph::filter("(fn ((x i32)) (gt x 0:i32))", ones);
    auto scalars = [&] {
      return Nodes{sum(ones), graph::scan(add, "0:i32", ones, true).total, graph::map("(fn ((x i32)) (add x 1:i32))", {sum(ones)}),
                   graph::map("(fn ((x i64)) (cast i32 x))", {wf::length(kept)}), wf::nth(wf::rev(ones), 1)};
    };
    for (size_t k = 0; k < scalars().size(); k++) {
      const NodeRef s = scalars()[k], loaded = graph::tabulate("(fn ((i i64)) (load $0 i))", n, {s});
      wf::force(Nodes{ones, s, loaded});
      CHECK_EQ(elements<int32_t>(loaded)[0], elements<int32_t>(s)[0]);
      CHECK_EQ(std::ranges::count(elements<int32_t>(loaded), 0), n - 1);
      CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 i))", n, {scalars()[k]})), "index 1"));
    }
  }
}

TEST(load_gives_0_outside_whatever_it_reads) {
  const int64_t n = 100007;
  vector<int32_t> all(n);
  for (int64_t i = 0; i < n; i++) all[i] = int32_t(i % 1000 + 1);
  const NodeRef memory = graph::source(all), made = graph::tabulate("(fn ((i i64)) (cast i32 (add (rem i 1000:i64) 1:i64)))", n);
  for (const NodeRef& whole : {memory, made, graph::map("(fn ((x i32)) x)", {memory}), wf::rev(wf::rev(made))})
    for (const NodeRef& s :
         {whole, wf::subseq(whole, 10, n - 20), wf::append(Nodes{wf::subseq(whole, 0, 10), wf::subseq(whole, 10, n - 20)})})
      for (const char* f : {"(fn ((i i64)) (load $0 (sub i 5:i64)))", "(fn ((i i64)) (load $0 (sub 50000:i64 i)))",
                            "(fn ((i i64)) (load $0 (mul (sub i 7:i64) 3:i64)))", "(fn ((i i64)) (load $0 (add i 90000:i64)))"}) {
        const NodeRef r = graph::tabulate(f, n, {s}), doubled = graph::map("(fn ((x i32)) (mul x 2:i32))", {r});
        const oracle::Value expected = *oracle::Oracle().value(r), twice = *oracle::Oracle().value(doubled);
        CHECK_EQ(oracle::difference(twice, graph::forced(doubled)), "");
        CHECK_EQ(oracle::difference(expected, graph::forced(r)), "");
      }
  // The elements outside of the window have errors of their own.
  const NodeRef window = wf::subseq(beyond(10), 0, 3);
  CHECK_EQ(elements<int32_t>(graph::tabulate("(fn ((i i64)) (load $0 i))", 5, {window})), (vector<int32_t>{5, 6, 7, 0, 0}));
}

// Sequences whose length only a filter tells.
TEST(load_gives_0_outside_a_filtered_sequence) {
  const char *const kept = "(fn ((x i32)) (gt x 0:i32))", *const few = "(fn ((x i32)) (eq (rem x 10:i32) 3:i32))",
                    *const none = "(fn ((x i32)) (gt x 5000:i32))", *const next = "(fn ((x i32)) (add x 7:i32))";
  for (const int64_t n : {0, 1, 30, 1003}) {
    vector<int32_t> all(n);
    for (int64_t i = 0; i < n; i++) all[i] = int32_t(i % 1000 + 1);
    for (const char* condition : {kept, few, none}) {
      // Each variant is made anew, since forcing one of them tells the length of its filter.
      auto variants = [&]() -> Nodes {
        const NodeRef f = graph::filter(condition, graph::source(all)), m = graph::map(next, {f});
        const NodeRef p = graph::scan(add, "0:i32", m, false).prefixes, two = graph::filter("(fn ((x i32)) (lt x 500:i32))", m);
        return {f,
                m,
                graph::map(next, {m}),
                graph::map("(fn ((x i32)) 9:i32)", {f}),
                p,
                graph::map(next, {p}),
                graph::map(add, {m, p}),
                graph::map("(fn ((x i32)) (add x (cast i32 (length $0))))", {m}, {f}),
                graph::map(next, {two}),
                wf::columns(wf::zip(Nodes{m, p}), vector<int32_t>{1})};
      };
      for (size_t k = 0; k < variants().size(); k++)
        for (const char* f :
             {"(fn ((i i64)) (load $0 i))", "(fn ((i i64)) (load $0 (sub i 5:i64)))", "(fn ((i i64)) (load $0 -1:i64))",
              "(fn ((i i64)) (load $0 (length $0)))", "(fn ((i i64)) (load $0 (sub (sub (length $0) 1:i64) i)))",
              "(fn ((i i64)) (where (gt i 2:i64) (load $0 (mul (sub i 7:i64) 3:i64)) 4:i32))",
              "(fn ((i i64)) (loop ((k 0:i32)) (lt k 9:i32) (add (add k 1:i32) (and 3:i32 (load $0 (add i (cast i64 k)))))))"}) {
          for (int way = 0; way < 6; way++) {
            const Nodes all_made = variants();
            const NodeRef s = all_made[k], r = graph::tabulate(f, n + 20, {s}), one = graph::map(next, {wf::nth(r, n + 19)});
            const string what = f + string(" of ") + std::to_string(k);
            const oracle::Value expected = *oracle::Oracle().value(r), last = *oracle::Oracle().value(one);
            if (way == 1) wf::force(Nodes{s, r});
            if (way == 2) wf::forced_length(s);
            if (way == 3) wf::force(Nodes{s});
            if (way == 4) wf::force(Nodes{all_made[0]});
            if (way == 5) wf::force(Nodes{graph::map("(fn ((x i32)) (mul x 3:i32))", {all_made[0]})});
            CHECK_EQ(what + oracle::difference(last, graph::forced(one)), what);
            CHECK_EQ(what + oracle::difference(expected, graph::forced(r)), what);
          }
        }
    }
  }
}

TEST(an_element_that_is_filtered_out_is_not_chosen) {
  for (int64_t n : {10, 5000}) {
    const NodeRef low = graph::filter("(fn ((i i64)) (lt i 3:i64))", graph::tabulate("(fn ((i i64)) i)", n));
    const NodeRef s = graph::map("(fn ((i i64)) (at $0 i))", {low}, {three()});
    CHECK_EQ(elements<int32_t>(sum(s)), vector<int32_t>{18});
    CHECK_EQ(elements<int32_t>(graph::scan(add, "0:i32", s, true).prefixes), (vector<int32_t>{5, 11, 18}));
    CHECK_EQ(elements<int32_t>(s), (vector<int32_t>{5, 6, 7}));
  }
}

TEST(a_filter_may_look_up_what_another_filter_let_through) {
  const NodeRef low = graph::filter("(fn ((i i64)) (lt i 3:i64))", graph::tabulate("(fn ((i i64)) i)", 100));
  const NodeRef odd = graph::filter("(fn ((i i64)) (eq (rem (at $0 i) 2:i32) 1:i32))", low, {three()});
  CHECK_EQ(elements<int64_t>(wf::length(odd)), vector<int64_t>{2});
  CHECK_EQ(elements<int64_t>(odd), (vector<int64_t>{0, 2}));
}

TEST(an_element_that_is_not_chosen_may_have_an_error_of_its_own) {
  const NodeRef s = graph::tabulate("(fn ((i i64)) (where (lt i 3:i64) (at $0 i) 0:i32))", 5, {beyond(10)});
  CHECK_EQ(elements<int32_t>(s), (vector<int32_t>{5, 6, 7, 0, 0}));
}

TEST(a_part_that_is_not_chosen_is_not_read) {
  const NodeRef a = graph::tabulate(at_i, 3, {three()}), b = graph::tabulate("(fn ((i i64)) (at $0 (sub 2:i64 i)))", 3, {three()});
  CHECK_EQ(elements<int32_t>(wf::append(Nodes{a, b, a})), (vector<int32_t>{5, 6, 7, 7, 6, 5, 5, 6, 7}));
  CHECK_EQ(elements<int32_t>(sum(wf::append(Nodes{a, b}))), vector<int32_t>{36});
  const char* shifted = "(fn ((i i64)) (where (lt i 2:i64) (at $0 (add i 1:i64)) 0:i32))";
  CHECK_EQ(elements<int32_t>(graph::tabulate(shifted, 4, {a})), (vector<int32_t>{6, 7, 0, 0}));
}

TEST(views_need_only_what_they_show) {
  const NodeRef s = beyond(10);
  CHECK_EQ(elements<int32_t>(wf::subseq(s, 0, 3)), (vector<int32_t>{5, 6, 7}));
  CHECK_EQ(elements<int32_t>(wf::nth(s, 2)), vector<int32_t>{7});
  CHECK(!error(wf::nth(s, 5)).empty());
}

TEST(after_an_error_everything_is_as_before) {
  const NodeRef bad = beyond(10), good = graph::map("(fn ((x i32)) (mul x 2:i32))", {three()});
  for (int k = 0; k < 3; k++) {
    CHECK_THROWS(wf::RangeError, wf::force(Nodes{good, bad}));
    CHECK(!bad->is_manifest());
  }
  CHECK_EQ(elements<int32_t>(good), (vector<int32_t>{10, 12, 14}));
  CHECK(!error(bad).empty());
}

// Such an index ends below 0, so that its last value lies before the sequence's end.
TEST(an_index_that_wraps_is_outside) {
  for (const char* index : {"(add i 9223372036854775775:i64)", "(sub i -9223372036854775775:i64)", "(add i 9223372036854770000:i64)"})
    for (int64_t n : {10, 34, 100, 100000}) {
      const string read = "(at $0 " + string(index) + ")", unused = "(let ((x " + read + ")) (cast i32 i))";
      for (const string& element : {read, unused}) {
        const string message = error(graph::tabulate("(fn ((i i64)) " + element + ")", n, {three()}));
        CHECK(names(message, "index 92233720368547") && names(message, "at element 0 "));
      }
    }
  CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (sub -9223372036854775800:i64 i)))", 100, {three()})),
              "index -9223372036854775800 "));
}

// The index of a `load` may have been checked against the length of the sequence that is read through it.
TEST(a_load_at_an_index_checked_elsewhere_is_0_outside) {
  for (int64_t n : {2, 100, 5000}) {
    const NodeRef numbers = graph::source(vector<int64_t>(static_cast<size_t>(n), 1));
    const NodeRef total = graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", numbers);
    const NodeRef half = graph::tabulate("(fn ((i i64)) (add i 7:i64))", n / 2);
    for (const NodeRef& shorter : {total, wf::nth(numbers, 1), half}) {
      const NodeRef loads = graph::tabulate("(fn ((i i64)) (load $0 i))", n, {shorter});
      const NodeRef reads =
          graph::map("(fn ((x i64) (i i64)) (at $0 (sub i (sub x 1:i64))))", {numbers, graph::tabulate("(fn ((i i64)) i)", n)}, {loads});
      vector<int64_t> expected(static_cast<size_t>(n));
      if (shorter == half)
        for (int64_t i = 0; i < n / 2; i++) expected[size_t(i)] = i + 7;
      else expected[0] = shorter == total ? n : 1;
      CHECK_EQ(elements<int64_t>(reads), expected);
      CHECK_EQ(elements<int64_t>(loads), expected);
      CHECK(names(error(graph::map("(fn ((x i64)) (at $0 (add x " + std::to_string(n) + ":i64)))", {numbers}, {loads})),
                  "index " + std::to_string(n + 1)));
    }
  }
}

// ---- the element that an error names is one of the sequence whose function has read outside, however it is read ----------------------

TEST(an_index_outside_names_the_element_whatever_reads_it) {
  constexpr int64_t n = 120000, bad = 65432;
  vector<int64_t> indices;
  for (int64_t i = 0; i < n; i++) indices.push_back(i % 3);
  indices[bad] = 7;
  const NodeRef places = graph::source(indices), offsets = graph::tabulate("(fn ((k i64)) (mul k 6:i64))", n / 6 + 1);
  const char* const gather = "(fn ((k i64)) (at $0 k))";
  const auto x = [&] { return graph::map(gather, {places}, {three()}); };
  const wf::Closure plus = graph::fn(add), step = graph::fn("(fn ((a i32) (k i64)) (add (mul a 3:i32) (at $0 k)))", {three()});
  const auto matrix = [&] { return wf::reshape(x(), vector<int64_t>{300, 400}); };
  const vector<int32_t> transposed{1, 0}, first{0}, last{1};
  const auto small = graph::filter("(fn ((k i64)) (lt k 100:i64))", places);
  const NodeRef all[] = {
      x(),
      wf::rev(x()),
      wf::subseq(wf::rev(x()), 1000, n - 2000),
      wf::append({three(), x()}),
      sum(wf::rev(x())),
      wf::nth(x(), bad),
      graph::map("(fn ((x i32)) (add x 1:i32))", {wf::rev(x())}),
      graph::filter("(fn ((x i32)) (gt x 1:i32))", wf::rev(x())),
      wf::sort(wf::rev(x()), 1, false),
      wf::segment_reduce(plus, {0}, x(), offsets),
      wf::segment_scan(plus, {0}, x(), offsets, false).total,
      wf::permute(matrix(), transposed),
      wf::reduce_axes(plus, {0}, matrix(), first, false),
      wf::reduce_axes(plus, {0}, matrix(), last, false),
      wf::scan_axis(plus, {0}, matrix(), 0, true).prefixes,
      graph::map("(fn ((k i64)) (at $0 (sub k 1:i64)))", {graph::scan("(fn ((a i64) (b i64)) (max a b))", "1:i64", places, true).prefixes},
                 {three()}),
      wf::iterate(step, {0}, places),
      wf::iterate_prefixes(step, {0}, places),
      wf::scatter(&plus, graph::source(vector<int32_t>(3)), places, graph::source(vector<int32_t>(n, 1))),
      wf::histogram(places, 3),
  };
  const string element = " at element " + std::to_string(bad) + " is out of range for a sequence of length 3;";
  for (const NodeRef& s : all) CHECK(names(error(s), element));
  // A row's fold belongs to the element of the row, as does what a scalar's function reads to none.
  const NodeRef rows =
      graph::tabulate("(fn ((r i64)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j 400:i64)) (at $1 (at $0 (add (mul r 400:i64) j)))))", 300,
                      {places, three()});
  CHECK(names(error(wf::rev(rows)), "index 7 at element 163 is"));
  CHECK(names(error(graph::map("(fn ((x i32)) (at $0 (cast i64 x)))", {sum(three())}, {three()})), "index 18 is out of range"));
  // The number of the element is not known before the filter has run.
  const NodeRef kept = graph::map(gather, {small}, {three()});
  CHECK(names(error(kept), "index 7 at element " + std::to_string(bad) + " before the filter is"));
  CHECK(names(error(sum(kept)), "index 7 at element " + std::to_string(bad) + " before the filter is"));
  wf::force({&small, 1});
  CHECK(names(error(graph::map(gather, {small}, {three()})), "index 7 at element " + std::to_string(bad) + " is"));
}

// `load` reads 0 outside, whichever way rows are folded: rows and columns of matrices that lie partly or wholly outside of the input.
TEST(loads_outside_are_zeros_in_folds) {
  constexpr int64_t n = 1000;
  vector<float> numbers;
  for (int64_t i = 0; i < n; i++) numbers.push_back(float(i + 1));
  const NodeRef s = graph::source(numbers);
  const auto element = [&](int64_t i) { return i >= 0 && i < n ? numbers[size_t(i)] : 0.0f; };
  for (int64_t first : {int64_t(0), int64_t(-70), int64_t(900), int64_t(1000), int64_t(1) << 62, INT64_MIN, INT64_MAX - 100})
    for (int64_t count : {3, 19, 64, 300})
      for (bool is_across : {false, true})
        for (const char* value : {"x", "(mul x 2.0:f32)"})
          for (int64_t rows : {1, 64, 100, 257}) {
            const string at =
                "(add " + std::to_string(first) + ":i64 " +
                (is_across ? "(add (mul j " + std::to_string(rows) + ":i64) i))" : "(add (mul i " + std::to_string(count) + ":i64) j))");
            const NodeRef r = graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) 0.0:f32 ((j " + std::to_string(count) +
                                                  ":i64)) (let ((x (load $0 " + at + "))) " + value + ")))",
                                              rows, {s});
            const vector<float> found = elements<float>(r);
            vector<float> expected;
            for (int64_t i = 0; i < rows; i++) {
              float most = 0;
              for (int64_t j = 0; j < count; j++)
                most = std::max(most, element(int64_t(uint64_t(first) + uint64_t(is_across ? j * rows + i : i * count + j))));
              expected.push_back(value[0] == 'x' ? most : 2 * most);
            }
            CHECK(found == expected);
          }
}
