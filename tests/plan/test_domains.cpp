// Sequences over filters, computed together and alone, early and late. Each value is compared with the oracle's. Each program also runs
// over sequences longer than a chunk.
#include <functional>
#include <iostream>
#include <numeric>

#include "check.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::vector;
using wf::NodeRef;

namespace {

const char* const add = "(fn ((a i32) (b i32)) (add a b))";
const char* const kept = "(fn ((x i32)) (ne (rem x 3:i32) 0:i32))";
const char* const next = "(fn ((x i32)) (add x 1:i32))";
const char* const twice = "(fn ((x i32)) (mul x 2:i32))";

const vector<int64_t> all_lengths = {0, 1, 10, 1000, 4097, 100003};
const vector<int64_t> short_lengths = {10, 1000};

NodeRef numbers(int64_t n) {
  vector<int32_t> values(n);
  for (int64_t i = 0; i < n; i++) values[i] = int32_t((i * 7919 + 5) % 1009);
  return graph::source(values);
}

NodeRef sum_of(const NodeRef& a, const NodeRef& b) { return graph::map(add, {a, b}); }
NodeRef prefixes(const NodeRef& s) { return graph::scan(add, "0:i32", s, true).prefixes; }

// Forces a group, and compares each of its sequences with the value that the oracle computed before anything was forced.
class Groups {
 public:
  // Sequences whose values are compared when `force` names them.
  void expect(const NodeRef& node) { oracle_.remember(node, oracle_.value(node)); }
  bool force(const Nodes& group) {
    wf::force(group);
    for (const NodeRef& node : group) {
      const std::string fault = oracle::difference(*oracle_.value(node), oracle::read(*node));
      if (!fault.empty()) return std::cerr << fault << "\n", false;
    }
    return true;
  }

 private:
  oracle::Oracle oracle_;
};

// Runs make(s) for sources of every length and forces the groups that it names, in order.
using Order = vector<vector<size_t>>;
bool agree(const std::function<Nodes(const NodeRef&)>& make, const Order& order, const vector<int64_t>& lengths = all_lengths) {
  for (int64_t n : lengths) {
    const Nodes nodes = make(numbers(n));
    Groups groups;
    for (const NodeRef& node : nodes) groups.expect(node);
    for (const auto& members : order) {
      Nodes group;
      for (size_t k : members) group.push_back(nodes[k]);
      if (!groups.force(group)) return std::cerr << "  of " << n << " elements\n", false;
    }
  }
  return true;
}

}  // namespace

TEST(a_sequence_over_a_filter_is_computed_before_the_filter) {
  auto make = [](const NodeRef& s) {
    NodeRef f = graph::filter(kept, s), m = graph::map(next, {f});
    return Nodes{m, graph::map(add, {graph::map(add, {graph::map(twice, {m}), m}), f})};
  };
  CHECK(agree(make, {{0}, {1}}));
  CHECK(agree(make, {{0, 1}}));
  CHECK(agree(make, {{1}, {0}}));
}

TEST(a_sequence_over_a_filter_is_scanned_and_reversed) {
  auto make = [](const NodeRef& s) {
    NodeRef f = graph::filter(kept, s), m = graph::map(next, {f}), p = prefixes(m);
    wf::forced_length(m);
    return Nodes{wf::rev(m), f, p, m};
  };
  CHECK(agree(make, {{0, 1, 2}}));
  CHECK(agree(make, {{2, 1, 0}}));
  CHECK(agree(make, {{0}, {1}, {2}}));
  CHECK(agree(make, {{2}, {0, 1}}));
  CHECK(agree(make, {{3}, {0, 1, 2}}));
}

TEST(nodes_that_are_made_after_the_length_is_known_have_the_same_values) {
  auto make = [](const NodeRef& s) {
    NodeRef f = graph::filter(kept, s), m = graph::map(next, {f});
    wf::force({&m, 1});
    NodeRef w = sum_of(graph::map(twice, {m}), f);
    return Nodes{prefixes(f), wf::rev(m), w, prefixes(w), wf::rev(w), graph::reduce(add, "0:i32", w), f};
  };
  for (size_t k = 0; k < 7; k++) CHECK(agree(make, {{k}}));
  CHECK(agree(make, {{0, 1, 2, 3, 4, 5, 6}}));
  CHECK(agree(make, {{6}, {5, 4}, {3, 2, 1, 0}}));
}

// The first prefix is the identity, infinity, also where elements before the first kept one are dropped.
TEST(exclusive_prefixes_of_a_counted_filter_begin_with_the_identity) {
  auto make = [](const NodeRef& s) {
    NodeRef f = graph::filter("(fn ((x i32)) (gt x 5:i32))", s), m = graph::map(next, {f});
    wf::force({&m, 1});
    NodeRef w = graph::map("(fn ((x i32)) (cast f32 x))", {f});
    NodeRef p = graph::scan("(fn ((a f32) (b f32)) (min a b))", "inf:f32", w, false).prefixes;
    return Nodes{p, graph::map("(fn ((a f32) (b f32)) (add a b))", {p, w}), f};
  };
  for (size_t k = 0; k < 3; k++) CHECK(agree(make, {{k}}));
  CHECK(agree(make, {{0, 1, 2}}));
  CHECK(agree(make, {{2}, {1}, {0}}));
}

TEST(a_filter_meets_a_plain_sequence_of_its_length) {
  auto make = [](const NodeRef& s) {
    NodeRef f = graph::filter(kept, s);
    NodeRef plain = numbers(wf::forced_length(f)), other = graph::map(next, {plain});
    return Nodes{sum_of(f, plain),
                 sum_of(other, graph::map(twice, {f})),
                 prefixes(sum_of(f, other)),
                 graph::filter(kept, sum_of(plain, f)),
                 graph::tabulate("(fn ((i i64)) (add (at $0 i) (cast i32 i)))", f->length(), {f}),
                 wf::subseq(f, 0, f->length() / 2),
                 sum_of(wf::rev(f), f)};
  };
  for (size_t k = 0; k < 7; k++) CHECK(agree(make, {{k}}));
  CHECK(agree(make, {{0, 1, 2, 3, 4, 5, 6}}));
}

TEST(filters_of_filters_meet_what_was_computed_over_them) {
  auto make = [](const NodeRef& s) {
    NodeRef f = graph::filter(kept, s), m = graph::map(next, {f}), g = graph::filter("(fn ((x i32)) (lt x 500:i32))", m);
    NodeRef k = graph::map(twice, {g}), h = graph::filter(kept, k);
    NodeRef a = sum_of(k, g), b = sum_of(prefixes(k), sum_of(a, g)), c = sum_of(m, sum_of(prefixes(f), f));
    return Nodes{m, k, a, b, c, h, graph::reduce(add, "0:i32", h), prefixes(h), graph::reduce(add, "0:i32", sum_of(a, b)), f, g};
  };
  vector<size_t> all(11);
  std::iota(all.begin(), all.end(), 0);
  CHECK(agree(make, {all}));
  for (size_t first = 0; first < all.size(); first++)
    for (size_t second = 0; second < all.size(); second++) CHECK(agree(make, {{first}, {second}, all}, short_lengths));
}

TEST(a_hundred_filters_on_one_another) {
  for (int depth : {60, 68, 69, 70, 100, 200}) {
    auto make = [&](NodeRef s) {
      Nodes all;
      for (int k = 0; k < depth; k++) {
        const std::string f = "(fn ((x i32)) (ne (rem x " + std::to_string(k + 11) + ":i32) 3:i32))";
        s = graph::filter(f, s);
        all.push_back(s);
      }
      return Nodes{all.back(), graph::reduce(add, "0:i32", all[depth / 2]), prefixes(all[depth - 2])};
    };
    const vector<int64_t> lengths = depth == 69 ? all_lengths : short_lengths;
    CHECK(agree(make, {{0}, {1}, {2}}, lengths));
    CHECK(agree(make, {{0, 1, 2}}, lengths));
  }
}

TEST(scans_on_one_another) {
  for (int depth : {3, 63, 64, 65, 130}) {
    const vector<int64_t> lengths = depth == 65 ? vector<int64_t>{1, 40009} : vector<int64_t>{1, 5000};
    auto make = [&](NodeRef s) {
      Nodes all;
      for (int k = 0; k < depth; k++) all.push_back(s = k % 3 == 2 ? sum_of(prefixes(s), all[k / 2]) : prefixes(s));
      return Nodes{all.back(), all[depth - 2], all[depth / 2], graph::reduce(add, "0:i32", all[depth - 1])};
    };
    CHECK(agree(make, {{0}, {1}, {2}, {3}}, lengths));
    CHECK(agree(make, {{0, 1, 2, 3}}, lengths));
  }
}

// The element of t is read by a scan and, under a condition on the scan's prefixes, by a filter.
TEST(an_index_that_a_scan_checks_is_checked_under_a_condition_on_its_prefixes) {
  auto make = [](const NodeRef& s) {
    NodeRef t = numbers(1009), f = graph::filter(kept, s);
    NodeRef m = graph::map("(fn ((x i32)) (where (lt x 1009:i32) (at $0 (cast i64 x)) 1:i32))", {f}, {t});
    NodeRef q = graph::map("(fn ((p i32) (x i32)) (sub (add p p) x))", {prefixes(m), m});
    NodeRef g = graph::filter("(fn ((x i32)) (ne (rem x 7:i32) 3:i32))", q);
    return Nodes{f, m, g, graph::reduce(add, "0:i32", g), prefixes(g)};
  };
  for (size_t k = 0; k < 5; k++) CHECK(agree(make, {{k}}));
  CHECK(agree(make, {{0, 1, 2, 3, 4}}));
  CHECK(agree(make, {{1, 2}, {3, 4}}));
}

// The condition is true for every element, but its index depends on prefixes and is checked.
TEST(a_filter_that_keeps_all_still_checks_an_index_of_prefixes) {
  auto make = [](const NodeRef& s) {
    NodeRef p = prefixes(s), same = graph::map("(fn ((x i32)) 19:i32)", {p});
    NodeRef g = graph::filter("(fn ((x i32)) (gt (at $0 (rem (and (cast i64 x) 0x7fffffffffffffff:i64) (length $0))) 0:i32))", p, {same});
    return Nodes{p, g, prefixes(g), graph::map(add, {p, s})};
  };
  for (size_t k = 0; k < 4; k++) CHECK(agree(make, {{k}}));
  CHECK(agree(make, {{0, 1, 2, 3}}));
}
