// Exhaustion of a real device's memory; tests/memory/device.cpp tests the behaviour in detail with a simulated device. This test allocates
// all of the device's memory, so do not run other programs on it.
#include "check.h"
#include "oracle/graph.h"

namespace {

using wf::NodeRef;

void needs_gpu() {
  if (!graph::context()->name.starts_with("cuda")) SKIP("WARPFOLD_TEST_CONTEXT is not a GPU");
}

constexpr int64_t length = int64_t(1) << 29;  // 4 GiB per sequence of i64

NodeRef large(int k) { return graph::tabulate("(fn ((i i64)) (add i " + std::to_string(k) + ":i64))", length); }

int64_t most(const NodeRef& s) {
  return graph::elements<int64_t>(graph::reduce("(fn ((a i64) (b i64)) (max a b))", "-9223372036854775808:i64", s))[0];
}

// Computes as many sequences as fit; the last one did not fit.
graph::Nodes fill() {
  graph::Nodes all;
  for (int k = 0; k < 4096; k++) {
    all.push_back(large(k));
    try {
      wf::force(std::span(&all.back(), 1));
    } catch (const wf::MemoryError&) { return all; }
  }
  return all;
}

}  // namespace

TEST(a_full_device_is_an_error_that_leaves_everything_usable) {
  needs_gpu();
  wf::Pool& pool = *graph::context()->pool;
  const int64_t before = pool.live();
  {
    most(graph::tabulate("(fn ((i i64)) i)", 1000));  // allocates scratch memory
    graph::Nodes all = fill();
    const size_t kept = all.size() - 1;
    CHECK(kept >= 1);
    CHECK(!all.back()->is_manifest());
    CHECK_EQ(most(all[0]), length - 1);
    CHECK_EQ(most(all[kept - 1]), length - 1 + int64_t(kept) - 1);
    // The same handle is computed once memory is available again.
    all.erase(all.begin());
    wf::force(std::span(&all.back(), 1));
    CHECK_EQ(most(all.back()), length - 1 + int64_t(kept));
  }
  CHECK_EQ(pool.live(), before);
  CHECK(pool.trim() > 0);
}

TEST(device_copies_with_a_host_copy_are_evicted) {
  needs_gpu();
  std::vector<int64_t> numbers(1 << 23, 7);
  const NodeRef s = graph::source(numbers);
  CHECK_EQ(most(s), 7);
  {
    const graph::Nodes all = fill();
    CHECK(all.size() > 1);
  }
  CHECK_EQ(most(s), 7);
  CHECK_EQ(graph::elements<int64_t>(s)[12345], 7);
  graph::context()->pool->trim();
}
