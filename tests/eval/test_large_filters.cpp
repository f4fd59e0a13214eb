// Filters of more than the caches contain: kept elements are written past the caches.
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
