// The equations that define segments, runs, searches, sets and iterate, over random values, lengths and functions: each result is compared
// with the oracle's and with a plain loop. Results are computed early or late, one by one or together.
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "check.h"
#include "lazy/composed/groups.h"
#include "lazy/composed/iterate.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::vector;
using wf::NodeRef;

namespace {

// An element: x -> a x + b. Composition does not commute.
struct Map {
  int32_t a, b;
  bool operator==(const Map&) const = default;
  bool operator<(const Map& other) const { return a != other.a ? a < other.a : b < other.b; }
};
Map then(Map f, Map g) { return {int32_t(uint32_t(f.a) * uint32_t(g.a)), int32_t(uint32_t(f.b) * uint32_t(g.a) + uint32_t(g.b))}; }
const char* const compose = "(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (mul a c) (add (mul b c) d)))";
const vector<wf::Bits64> unit{1, 0};

using Numbers = std::mt19937_64;

vector<Map> elements_of(const oracle::Value& value) {
  const auto a = graph::column<int32_t>(value, 0), b = graph::column<int32_t>(value, 1);
  vector<Map> all;
  for (size_t i = 0; i < a.size(); i++) all.push_back({a[i], b[i]});
  return all;
}

NodeRef source_of(const vector<Map>& elements) {
  oracle::Value value({wf::Type::I32, wf::Type::I32}, elements.size());
  for (size_t i = 0; i < elements.size(); i++) {
    value.columns[0][i] = wf::to_bits<int32_t>(elements[i].a);
    value.columns[1][i] = wf::to_bits<int32_t>(elements[i].b);
  }
  return graph::source(value);
}

// Elements of few different values, so that neighbours are often equal.
vector<Map> random_elements(size_t n, Numbers& random) {
  vector<Map> all(n);
  for (size_t i = 0; i < n; i++) all[i] = i > 0 && random() % 3 == 0 ? all[i - 1] : Map{int32_t(random() % 7) - 3, int32_t(random() % 5)};
  return all;
}

// Lengths with this sum, many of them 0.
vector<int32_t> random_lengths(size_t n, Numbers& random) {
  vector<int32_t> lengths(random() % 3);
  for (size_t used = 0; used < n;) {
    const size_t most = random() % 4 == 0 ? 0 : random() % 5 == 0 ? n : 9;
    const size_t length = std::min(n - used, most == 0 ? 0 : random() % most + 1);
    lengths.push_back(int32_t(length));
    used += length;
  }
  lengths.resize(lengths.size() + random() % 3);
  return lengths;
}

// One random case, and the results that it has made with those that are expected.
class Case {
 public:
  Case(size_t n, uint64_t seed) : random_(seed), n_(n), elements_(random_elements(n, random_)) {
    // The same elements: in memory, of a delayed map, or of a filter.
    const auto kind = random_() % 3;
    values_ = source_of(elements_);
    if (kind == 1) values_ = graph::map("(fn ((a i32) (b i32)) (tuple (sub a 1:i32) b))", {shifted(1)});
    if (kind == 2) {
      vector<Map> more;
      for (const Map& x : elements_) {
        while (random_() % 3 == 0) more.push_back({100, 0});
        more.push_back(x);
      }
      values_ = graph::filter("(fn ((a i32) (b i32)) (lt a 50:i32))", source_of(more));
      is_open_ = true;
    }
  }

  void segments() {
    const auto lengths = random_lengths(n_, random_);
    vector<int64_t> at{0};
    for (int32_t length : lengths) at.push_back(at.back() + length);
    const NodeRef offsets = random_() % 2 ? wf::offsets(graph::source(lengths)) : graph::source(at);
    const wf::Closure f = graph::fn(compose), keeps = graph::fn("(fn ((a i32) (b i32)) (gt (add a b) 1:i32))");
    vector<Map> totals, before, through, kept;
    vector<int64_t> ids, kept_at{0};
    for (size_t k = 0; k + 1 < at.size(); k++) {
      Map sum{1, 0};
      for (auto i = size_t(at[k]); i < size_t(at[k + 1]); i++) {
        before.push_back(sum);
        through.push_back(sum = then(sum, elements_[i]));
        ids.push_back(int64_t(k));
        if (elements_[i].a + elements_[i].b > 1) kept.push_back(elements_[i]);
      }
      totals.push_back(sum);
      kept_at.push_back(int64_t(kept.size()));
    }
    expect(wf::segment_reduce(f, unit, values_, offsets), totals);
    const wf::Segmented some = wf::segment_filter(keeps, values_, offsets);
    expect(some.values, kept);
    expect(some.offsets, kept_at);
    expect(wf::segment_ids(offsets, int64_t(n_)), ids);
    const NodeRef known = closed_values();
    for (bool inclusive : {false, true}) {
      const wf::ScanResult scanned = wf::segment_scan(f, unit, known, offsets, inclusive);
      expect(scanned.prefixes, inclusive ? through : before);
      expect(scanned.total, totals);
    }
  }

  void runs() {
    const NodeRef s = closed_values();
    vector<int64_t> at, pieces_at{0};
    vector<Map> firsts, pieces;
    for (size_t i = 0; i < n_; i++) {
      if (i == 0 || !(elements_[i] == elements_[i - 1])) at.push_back(int64_t(i)), firsts.push_back(elements_[i]);
      if (elements_[i].b == 2) pieces_at.push_back(int64_t(pieces.size()));
      else pieces.push_back(elements_[i]);
    }
    at.push_back(int64_t(n_));
    pieces_at.push_back(int64_t(pieces.size()));
    const wf::Closure equal = graph::fn("(fn ((a i32) (b i32) (c i32) (d i32)) (and (eq a c) (eq b d)))");
    expect(wf::runs(s, 2), at);
    expect(wf::runs(equal, s), at);
    expect(wf::unique(s, 2), firsts);
    expect(wf::unique(equal, s), firsts);
    const wf::Segmented split = wf::split(graph::fn("(fn ((a i32) (b i32)) (eq b 2:i32))"), s);
    expect(split.values, pieces);
    expect(split.offsets, pieces_at);
  }

  void orders() {
    auto sorted = elements_, other = random_elements(random_() % 2 ? n_ : 20, random_);
    std::ranges::sort(sorted, std::less<>());
    std::ranges::sort(other, std::less<>());
    const NodeRef s = wf::sort(values_, 2, false), t = source_of(other);
    const wf::ElementOrder by_keys{2, false, nullptr};
    const wf::ElementOrder by_less =
        wf::order_of(graph::fn("(fn ((a i32) (b i32) (c i32) (d i32)) (or (lt a c) (and (eq a c) (lt b d))))"), s->types());
    vector<int64_t> lower, upper;
    for (const Map& x : other) {
      lower.push_back(std::ranges::lower_bound(sorted, x, std::less<>()) - sorted.begin());
      upper.push_back(std::ranges::upper_bound(sorted, x, std::less<>()) - sorted.begin());
    }
    vector<Map> both, rest;
    std::ranges::set_intersection(sorted, other, std::back_inserter(both), std::less<>());
    std::ranges::set_difference(sorted, other, std::back_inserter(rest), std::less<>());
    const NodeRef known = is_open_ ? wf::sort(source_of(elements_), 2, false) : s;
    for (const wf::ElementOrder& order : {by_keys, by_less}) {
      expect(wf::search(order, s, t, false), lower);
      expect(wf::search(order, s, t, true), upper);
      expect(wf::intersection(order, known, t), both);
      expect(wf::difference(order, known, t), rest);
    }
  }

  void loops() {
    Map last{5, 0};
    vector<Map> states{last};
    for (const Map& x : elements_) states.push_back(last = {last.b - x.a, int32_t(uint32_t(last.a) * 3 + uint32_t(x.b))});
    const auto f = graph::fn("(fn ((p i32) (q i32) (a i32) (b i32)) (tuple (sub q a) (add (mul p 3:i32) b)))");
    expect(wf::iterate(f, {5, 0}, values_), vector{last});
    expect(wf::iterate_prefixes(f, {5, 0}, closed_values()), states);
  }

  // Segments with one wrong offset: every force of what reads it is an error that names an offset.
  void wrong_offsets() {
    std::vector<int64_t> at{0};
    for (int32_t length : random_lengths(n_, random_)) at.push_back(at.back() + length);
    if (at.size() < 2) at.push_back(int64_t(n_));
    const size_t k = random_() % at.size();
    const auto n = int64_t(n_), before = k > 0 ? at[k - 1] : 0;
    const vector<int64_t> all{INT64_MIN, INT64_MIN + n, -1, n + 1, int64_t(1) << 62, INT64_MAX, before - 1};
    at[k] = all[random_() % all.size()];
    const NodeRef offsets = random_() % 2 ? graph::source(at) : graph::map("(fn ((x i64)) (sub x 1:i64))", {graph::source(above(at))});
    const wf::Closure f = graph::fn(compose);
    expect_wrong_offset("segment_reduce", wf::segment_reduce(f, unit, values_, offsets));
    if (n_ > 0) expect_wrong_offset("segment_ids", wf::segment_ids(offsets, n));
    expect_wrong_offset("segment_filter", wf::segment_filter(graph::fn("(fn ((a i32) (b i32)) (gt a b))"), values_, offsets).offsets);
    for (bool inclusive : {false, true}) {
      const wf::ScanResult scanned = wf::segment_scan(f, unit, closed_values(), offsets, inclusive);
      if (n_ > 0) expect_wrong_offset("segment_scan", scanned.prefixes);
      expect_wrong_offset("totals", scanned.total);
    }
  }

  // Functions that are no order, and sequences that are not in order: results are permutations, and positions are in range.
  void wrong_orders() {
    vector<Map> other = random_elements(random_() % 2 ? n_ : 20, random_), both = elements_;
    both.insert(both.end(), other.begin(), other.end());
    const NodeRef s = closed_values(), t = source_of(other);
    for (const char* text : {"(le a c)", "(ne b d)", "true", "(eq (rem (add (mul a 5:i32) (mul d 3:i32)) 4:i32) 1:i32)", "(lt b c)"}) {
      const wf::Closure order = graph::fn("(fn ((a i32) (b i32) (c i32) (d i32)) " + std::string(text) + ")");
      expect_permutation(wf::sort(order, values_), elements_);
      expect_permutation(wf::merge(order, s, t), both);
      expect_positions(wf::search(wf::order_of(order, s->types()), s, t, random_() % 2));
    }
    const bool descending = random_() % 2;
    expect_permutation(wf::merge(s, t, 1 + int32_t(random_() % 2), descending), both);
    expect_positions(wf::search({2, descending, nullptr}, s, t, random_() % 2));
  }

  // The first difference.
  std::string wrong() {
    if (!wrong_.empty()) return wrong_;
    if (random_() % 3 == 0) wf::force({&values_, 1});
    if (random_() % 2) {
      Nodes all;
      for (const Expected& e : expected_) all.push_back(e.node);
      wf::force(all);
    }
    std::shuffle(expected_.begin(), expected_.end(), random_);
    for (const Expected& e : expected_) {
      const oracle::Value value = graph::forced(e.node);
      if (const std::string text = e.compare(value); !text.empty()) return text;
    }
    return "";
  }

 private:
  struct Expected {
    NodeRef node;
    std::function<std::string(const oracle::Value&)> compare;
  };

  void expect(const NodeRef& node, const vector<Map>& right) {
    add(node, [right](const oracle::Value& value) { return elements_of(value) == right; });
  }
  void expect(const NodeRef& node, const vector<int64_t>& right) {
    add(node, [right](const oracle::Value& value) { return graph::column<int64_t>(value) == right; });
  }
  template <class F> void add(const NodeRef& node, const F& is_right) {
    const auto number = expected_.size();
    oracle::Oracle oracle;
    const oracle::ValueRef by_oracle = oracle.value(node);
    expected_.push_back({node, [=](const oracle::Value& value) -> std::string {
                           if (!is_right(value)) return "result " + std::to_string(number) + " differs from the loop";
                           return oracle::difference(*by_oracle, value);
                         }});
  }

  NodeRef shifted(int32_t by) const {
    vector<Map> all = elements_;
    for (Map& x : all) x.a += by;
    return source_of(all);
  }
  static vector<int64_t> above(vector<int64_t> all) {
    for (int64_t& x : all) x = int64_t(uint64_t(x) + 1);
    return all;
  }
  // Forces the node at once.
  void expect_wrong_offset(const std::string& what, const NodeRef& node) {
    std::string found = "no error";
    try {
      wf::force({&node, 1});
    } catch (const wf::RangeError& error) { found = error.what(); }
    if (wrong_.empty() && found.find("of segments") == found.npos) wrong_ = what + " of wrong offsets: " + found;
  }
  void expect_permutation(const NodeRef& node, vector<Map> right) {
    std::ranges::sort(right, std::less<>());
    expected_.push_back({node, [right](const oracle::Value& value) {
                           vector<Map> found = elements_of(value);
                           std::ranges::sort(found, std::less<>());
                           return found == right ? "" : "elements are lost or doubled";
                         }});
  }
  void expect_positions(const NodeRef& node) {
    expected_.push_back({node, [n = int64_t(n_)](const oracle::Value& value) {
                           const auto outside = [&](int64_t x) { return x < 0 || x > n; };
                           return std::ranges::any_of(graph::column<int64_t>(value), outside) ? "a position is outside" : "";
                         }});
  }
  // The values with a known length.
  NodeRef closed_values() {
    if (values_->length() < 0) wf::forced_length(values_);
    return values_;
  }

  Numbers random_;
  size_t n_;
  vector<Map> elements_;
  NodeRef values_;
  bool is_open_ = false;
  std::string wrong_;
  vector<Expected> expected_;
};

void holds(const char* what, void (Case::*make)(), const vector<int64_t>& lengths, int runs) {
  setenv("RC_PARAMS", "seed=15210", 0);
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, params.maxSuccess * runs / 100);
  const auto result = rc::detail::checkTestable(
      [&] {
        const auto n = *rc::gen::elementOf(lengths);
        const auto seed = *rc::gen::arbitrary<uint32_t>();
        Case random_case(size_t(n), seed);
        (random_case.*make)();
        const std::string wrong = random_case.wrong();
        if (!wrong.empty()) RC_FAIL("n = " + std::to_string(n) + ", seed = " + std::to_string(seed) + ": " + wrong);
      },
      rc::detail::TestMetadata{what, what}, params);
  const bool is_right = result.is<rc::detail::SuccessResult>();
  if (!is_right) rc::detail::printResultMessage(result, std::cerr);
  CHECK(is_right);
}

const vector<int64_t> small = {0, 1, 2, 3, 5, 17, 63, 64, 65, 100, 1023, 1024, 1025}, large = {4097, 20000, 100007};

}  // namespace

TEST(segments) { holds("segments", &Case::segments, small, 100), holds("long segments", &Case::segments, large, 3); }
TEST(runs) { holds("runs", &Case::runs, small, 100), holds("many runs", &Case::runs, large, 3); }
TEST(orders) { holds("orders", &Case::orders, small, 60), holds("long orders", &Case::orders, {4097, 20000}, 2); }
TEST(wrong_offsets) { holds("wrong offsets", &Case::wrong_offsets, small, 100), holds("many wrong", &Case::wrong_offsets, large, 6); }
TEST(wrong_orders) { holds("wrong orders", &Case::wrong_orders, small, 60), holds("long wrong", &Case::wrong_orders, {4097, 60000}, 6); }
TEST(loops) { holds("loops", &Case::loops, small, 60), holds("long loops", &Case::loops, {4097}, 2); }
