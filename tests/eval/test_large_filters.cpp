// Filters of more than the caches contain: kept elements are written past the caches.
#include <numeric>

#include "check.h"
#include "cpu/threads/chunks.h"
#include "oracle/graph.h"

using graph::elements;
using std::vector;
using wf::NodeRef;

namespace {

template <class T> vector<T> numbers(int64_t n, uint64_t seed) {
  vector<T> result(static_cast<size_t>(n));
  for (T& x : result) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x = T(seed >> 40) % T(100);
  }
  return result;
}

// Checks both parts of the elements below `bound` and the others, forced alone and together, by several numbers of workers.
template <class T> void check_parts(const std::string& type, int64_t n, std::initializer_list<int> bounds) {
  const vector<T> s = numbers<T>(n, uint64_t(n));
  const NodeRef x = graph::source(s);
  for (int bound : bounds) {
    vector<T> below, above;
    for (T x : s) (x < T(bound) ? below : above).push_back(x);
    const std::string test = "(fn ((x " + type + ")) (lt x " + std::to_string(bound) + ":" + type + "))";
    const std::string other = "(fn ((x " + type + ")) (ge x " + std::to_string(bound) + ":" + type + "))";
    for (int workers : {1, 3}) {
      wf::cpu::limit_workers(workers);
      CHECK(elements<T>(graph::filter(test, x)) == below);
      const graph::Nodes both{graph::filter(test, x), graph::filter(other, x)};
      wf::force(both);
      CHECK(elements<T>(both[0]) == below);
      CHECK(elements<T>(both[1]) == above);
      wf::cpu::limit_workers(0);
    }
  }
}

}  // namespace

TEST(of_words) { check_parts<int32_t>("i32", (int64_t(9) << 20) + 77, {0, 45, 100}); }
TEST(of_pairs_of_words) { check_parts<int64_t>("i64", (int64_t(5) << 20) + 4711, {7}); }
TEST(of_bytes) { check_parts<uint8_t>("u8", (int64_t(36) << 20) + 13, {60}); }

// The budget has room for what is kept alone: the filter counts first.
TEST(of_more_elements_than_the_budget_has_room_for) {
  constexpr int64_t n = int64_t(1) << 23, step = 1 << 20;
  wf::Pool& pool = *graph::context()->pool;
  const std::string kept = "(eq (rem x " + std::to_string(step) + ":i64) 5:i64)";
  const NodeRef s = graph::tabulate("(fn ((i i64)) i)", n),
                sums = graph::scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", s, false).prefixes;
  const NodeRef alone = graph::filter("(fn ((x i64)) " + kept + ")", s);
  const NodeRef after_scan = graph::filter("(fn ((x i64) (sum i64)) " + kept + ")", wf::zip(graph::Nodes{s, sums}));
  const NodeRef by_sum = graph::filter("(fn ((x i64) (sum i64)) (lt sum 10:i64))", wf::zip(graph::Nodes{s, sums}));
  const NodeRef total = graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", alone);
  pool.set_limit(pool.live() + (4 << 20));
  auto fits = [](const char* what, const graph::Nodes& nodes) {
    std::string problem;
    try {
      wf::force(nodes);
    } catch (const wf::MemoryError& error) { problem = error.what(); }
    CHECK_EQ(what + problem, what);
  };
  fits("alone", {alone, total});
  fits("after a scan", {after_scan});
  const bool is_gpu = graph::context()->pool->device() != nullptr;  // stores the prefixes that a mask reads
  if (!is_gpu) fits("by a scan", {by_sum});
  CHECK_THROWS(wf::MemoryError, elements<int64_t>(graph::filter("(fn ((x i64)) (ge x 0:i64))", s)));
  pool.set_limit(-1);
  vector<int64_t> places, prefixes;
  for (int64_t i = 5; i < n; i += step) places.push_back(i), prefixes.push_back(i * (i - 1) / 2);
  CHECK(elements<int64_t>(alone) == places);
  CHECK(elements<int64_t>(after_scan, 0) == places);
  CHECK(elements<int64_t>(after_scan, 1) == prefixes);
  CHECK(elements<int64_t>(by_sum, 0) == (vector<int64_t>{0, 1, 2, 3, 4}));
  CHECK_EQ(elements<int64_t>(total)[0], std::accumulate(places.begin(), places.end(), int64_t(0)));
}
