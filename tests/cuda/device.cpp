// Tests that need a real device: large copies through pinned memory, from several threads at once, and while kernels run. Also the times
// of asynchronous kernels, a retry of the law after it failed, more elements than 32 bits can count, and two devices.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "check.h"
#include "eval/report.h"
#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"
#include "oracle/graph.h"

namespace {

using wf::NodeRef;

void needs_gpu() {
  if (!graph::context()->pool->device()) SKIP("WARPFOLD_TEST_CONTEXT is not a GPU");
}

// Returns a sequence of n numbers in host memory; element i is a i mod 2^32.
NodeRef on_host(int64_t n, uint32_t a) {
  const wf::BufferRef buffer = wf::Buffer::make(graph::context()->pool, size_t(n) * sizeof(uint32_t));
  auto* data = reinterpret_cast<uint32_t*>(buffer->host_for_writing());
  for (int64_t i = 0; i < n; i++) data[i] = a * uint32_t(i);
  return wf::source(graph::context(), wf::Shape::vector(n), {wf::Type::U32}, {{buffer, 0}});
}

const uint32_t* host(const NodeRef& s) {
  wf::force(std::span(&s, 1));
  return reinterpret_cast<const uint32_t*>(s->state().manifest->columns[0].buffer->host());
}

bool counts_by(const uint32_t* data, int64_t n, uint32_t a, uint32_t b) {
  for (int64_t i = 0; i < n; i++)
    if (data[i] != a * uint32_t(i) + b) return false;
  return true;
}

NodeRef plus_one(const NodeRef& s) { return graph::map("(fn ((x u32)) (add x 1:u32))", {s}); }

// Returns the second number of "  ran     0.5 ms, 3000 GB/s".
double gigabytes_a_second(const NodeRef& s) {
  const std::string text = wf::explain(std::span(&s, 1), wf::ExplainFormat::Text);
  const size_t at = text.find(" ms, ");
  return at == text.npos ? -1 : std::atof(text.c_str() + at + 5);
}

// Checks stored prefixes and the elements that a filter kept. The device compares them, since they may not fit in host memory.
// For -3, -2, ..., 3, -3, ... the prefix at r = i mod 7 is (r + 1) (r - 6) / 2, and 1, 2, 3 are kept.
void prefixes_and_kept_are_right(int64_t n) {
  auto all = [](const std::string& f, int64_t length, const NodeRef& of) {
    const NodeRef truths = graph::tabulate(f, length, {of});
    return graph::elements<bool>(graph::reduce("(fn ((a bool) (b bool)) (and a b))", "true", truths)) == std::vector<bool>{true};
  };
  const NodeRef x = graph::tabulate("(fn ((i i64)) (sub (cast i32 (rem i 7:i64)) 3:i32))", n);
  const NodeRef prefixes = graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", x, true).prefixes;
  const NodeRef kept = graph::filter("(fn ((x i32)) (gt x 0:i32))", x);
  wf::force(std::vector<NodeRef>{x});
  wf::force(std::vector<NodeRef>{prefixes});
  CHECK(
      all("(fn ((i i64)) (let ((r (cast i32 (rem i 7:i64)))) (eq (at $0 i) (div (mul (add r 1:i32) (sub r 6:i32)) 2:i32))))", n, prefixes));
  const int64_t expected = n / 7 * 3 + std::max<int64_t>(n % 7 - 4, 0);
  CHECK_EQ(graph::elements<int64_t>(wf::length(kept))[0], expected);
  CHECK(all("(fn ((j i64)) (eq (at $0 j) (add (cast i32 (rem j 3:i64)) 1:i32)))", expected, kept));
}

}  // namespace

TEST(prefixes_and_what_a_filter_keeps) { prefixes_and_kept_are_right(1000003); }

TEST(prefixes_and_what_a_filter_keeps_of_more_than_two_to_the_31) {
  needs_gpu();
  prefixes_and_kept_are_right((int64_t(1) << 31) + 3);
}

// The memory of look-backs, 8 MiB in all, is cleared for many kernels at once.
TEST(many_scans_and_filters_in_turn) {
  needs_gpu();
  const NodeRef x = graph::tabulate("(fn ((i i64)) (cast i32 (rem (mul i 7919:i64) 1009:i64)))", 400'000);
  wf::force(std::span(&x, 1));
  std::vector<int32_t> sums(400'000);
  for (int64_t i = 0; i < 400'000; i++) sums[size_t(i)] = (i == 0 ? 0 : sums[size_t(i) - 1]) + int32_t(i * 7919 % 1009);
  bool right = true;
  for (int64_t k = 0; k < 2000; k++) {
    const int64_t n = 300'000 + 97 * (k % 1000);
    const auto [prefixes, total] = graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", wf::subseq(x, 0, n), true);
    const NodeRef kept = graph::filter("(fn ((p i32)) (eq (rem p 2:i32) 0:i32))", prefixes), count = wf::length(kept);
    wf::force(std::vector<NodeRef>{prefixes, total, count});
    right &= graph::elements<int32_t>(total)[0] == sums[size_t(n) - 1];
    if (k % 50 == 0) right &= graph::elements<int32_t>(prefixes) == std::vector<int32_t>(sums.begin(), sums.begin() + n);
    if (k % 50 == 0)
      right &= graph::elements<int64_t>(count)[0] == std::count_if(sums.begin(), sums.begin() + n, [](int32_t p) { return p % 2 == 0; });
  }
  CHECK(right);
}

// A scan without a total still runs, interpreted since it is new, when the host waits for the sum after it.
TEST(a_kernel_without_results_does_not_announce_those_of_the_next) {
  needs_gpu();
  const NodeRef x = graph::tabulate("(fn ((i i64)) (cast i32 (rem i 1009:i64)))", 1 << 18);
  wf::force(std::span(&x, 1));
  std::string f = "x";
  for (int k = 0; k < 12; k++) {
    f = "(add (mul x " + f + ") x)";
    const auto prefixes =
        graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", graph::map("(fn ((x i32)) " + f + ")", {x}), true).prefixes;
    const NodeRef sum = graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", wf::subseq(x, k, 1000));
    wf::force(std::span(&prefixes, 1));
    int32_t expected = 0;
    for (int i = 0; i < 1000; i++) expected += (i + k) % 1009;
    CHECK_EQ(graph::elements<int32_t>(sum)[0], expected);
  }
}

TEST(the_process_keeps_its_handlers_of_signals) {
  needs_gpu();
  for (const int number : {SIGINT, SIGTERM, SIGUSR2}) {
    struct sigaction now {};
    sigaction(number, nullptr, &now);
    CHECK(now.sa_handler == SIG_DFL);
  }
}

// A solution of 5 x = (0, 5, 10, ...), and a product of integers, which wraps.
TEST(linear_algebra_runs_on_the_host_where_there_is_no_cublas) {
  needs_gpu();
  constexpr int64_t n = 33;
  const auto matrix = [](const std::string& element) {
    return wf::reshape(graph::tabulate("(fn ((i i64)) " + element + ")", n * n), std::vector<int64_t>{n, n});
  };
  const NodeRef fives = matrix("(where (eq (rem i 34:i64) 0:i64) 5.0:f32 0.0:f32)"), sides = matrix("(cast f32 (mul i 5:i64))");
  const NodeRef ones = matrix("(where (eq (rem i 34:i64) 0:i64) 65536:u32 0:u32)"), numbers = matrix("(cast u32 (mul i 65537:i64))");
  const NodeRef product = wf::matmul(numbers, ones);
  const std::vector<float> x = graph::elements<float>(wf::solve("positive", fives, sides));
  const std::vector<uint32_t> y = graph::elements<uint32_t>(product);
  for (int64_t i = 0; i < n * n; i++) CHECK(std::abs(x[size_t(i)] - float(i)) <= 1e-5f * float(i) && y[size_t(i)] == uint32_t(i) << 16);
  const bool on_host = wf::explain(std::span(&product, 1), wf::ExplainFormat::Text).find("on the host, since cuBLAS") != std::string::npos;
  CHECK_EQ(on_host, !graph::context()->name.starts_with("cuda"));
}

TEST(large_copies_come_whole) {
  needs_gpu();
  for (int64_t n : {int64_t(8) << 20, (int64_t(8) << 20) + 1, (int64_t(25) << 20) + 12345}) {
    const NodeRef r = plus_one(on_host(n, 77));
    CHECK(counts_by(host(r), n, 77, 1));
  }
}

TEST(threads_copy_at_once) {
  needs_gpu();
  constexpr int64_t n = (int64_t(9) << 20) + 3;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 6; t++)
    threads.emplace_back([t] {
      for (uint32_t round = 0; round < 4; round++) {
        const uint32_t a = 10 * t + round;
        CHECK(counts_by(host(plus_one(on_host(n, a))), n, a, 1));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// A map still runs when the call returns; its reported time is nevertheless the kernel's.
TEST(times_of_maps_are_those_of_their_kernels) {
  needs_gpu();
  const NodeRef s = graph::tabulate("(fn ((i i64)) (cast u32 i))", int64_t(1) << 28);
  wf::force(std::span(&s, 1));
  const double limit = graph::context()->engine->copy_bandwidth() * 1e-9;
  int k = 0;
  for (int runs = 0; k < 3 && runs < 10000; runs++) {
    const NodeRef r = plus_one(s);
    wf::force(std::span(&r, 1));
    if (static_cast<const wf::RunRecord&>(*r->state().manifest->record).code == std::string_view("interpreted")) continue;
    k++;
    const double speed = gigabytes_a_second(r);
    CHECK(speed > 0.1 * limit && speed < 1.3 * limit);
  }
  CHECK_EQ(k, 3);
}

// A batch is copied to the device while the kernel over the previous batch still runs.
TEST(copies_come_in_while_kernels_run) {
  needs_gpu();
  constexpr int64_t n = int64_t(64) << 20;
  constexpr int batches = 6;
  using Clock = std::chrono::steady_clock;
  auto milliseconds = [](auto work) {
    const auto start = Clock::now();
    work();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  // Steps of a linear congruential generator: on an H200, 700 steps take about as long as the copy.
  auto walk = [](const NodeRef& s, int steps) {
    return graph::map("(fn ((x u32)) (let (((y i) (loop ((y x) (i 0:i32)) (lt i " + std::to_string(steps) +
                          ":i32) (tuple (add (mul y 1664525:u32) 1013904223:u32) (add i 1:i32))))) y))",
                      {s});
  };
  auto run = [&](const std::vector<NodeRef>& of, int steps) {
    std::vector<NodeRef> last;
    return milliseconds([&] {
      for (const NodeRef& s : of) {
        const NodeRef r = walk(s, steps);
        wf::force(std::span(&r, 1));
        last.push_back(graph::tabulate("(fn ((i i64)) (at $0 (add i " + std::to_string(n - 1) + ":i64)))", 1, {r}));
        wf::force(std::span(&last.back(), 1));
      }
      for (const NodeRef& e : last) graph::elements<uint32_t>(e);
    });
  };
  auto made = [&](uint32_t seed) {
    std::vector<NodeRef> inputs;
    for (uint32_t b = 0; b < batches; b++) inputs.push_back(on_host(n, seed + b));
    return inputs;
  };
  const std::vector<NodeRef> warm = made(1);
  run(warm, 1), run(warm, 700), run(warm, 1), run(warm, 700);  // now compiled, and copied to the device
  const double copies = run(made(10), 1) - run(warm, 1), kernels = run(warm, 700);
  const double both = run(made(20), 700);
  std::printf("%d batches: copies %.1f ms, kernels %.1f, both %.1f\n", batches, copies, kernels, both);
  CHECK(both < copies + kernels - 0.5 * std::min(copies, kernels));
}

// Two devices in one thread and in several threads, alternating and concurrent: each computes its own results.
TEST(two_devices) {
  needs_gpu();
  std::vector<std::shared_ptr<wf::Context>> contexts;
  try {
    for (const char* name : {"cuda:0", "cuda:1"}) contexts.push_back(wf::make_context(name));
  } catch (const wf::DeviceError& e) { SKIP(std::string("there are fewer than two devices: ") + e.what()); }
  auto right = [&](size_t device, int64_t n, uint32_t a) {
    const wf::BufferRef buffer = wf::Buffer::make(contexts[device]->pool, size_t(n) * sizeof(uint32_t));
    auto* data = reinterpret_cast<uint32_t*>(buffer->host_for_writing());
    for (int64_t i = 0; i < n; i++) data[i] = a * uint32_t(i);
    const NodeRef s = wf::source(contexts[device], wf::Shape::vector(n), {wf::Type::U32}, {{buffer, 0}});
    const auto scanned = graph::scan("(fn ((a u32) (b u32)) (add a b))", "0:u32", plus_one(s), true);
    const uint32_t* prefixes = host(scanned.prefixes);
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++)
      if (prefixes[i] != (sum += a * uint32_t(i) + 1)) return false;
    return graph::elements<uint32_t>(scanned.total)[0] == sum;
  };
  const std::vector<int64_t> lengths = {1000, 50000, (int64_t(5) << 20) + 3};
  for (uint32_t round = 0; round < 3; round++)
    for (int64_t n : lengths)
      for (size_t device : {0, 1}) CHECK(right(device, n, round + 1));
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 6; t++)
    threads.emplace_back([&, t] {
      for (uint32_t round = 0; round < 6; round++) CHECK(right((t + round) % 2, lengths[round % 3], 10 * t + round));
    });
  for (std::thread& thread : threads) thread.join();
}

// Queues are shared if there are more threads than queues.
TEST(more_threads_than_queues) {
  needs_gpu();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 150; t++)
    threads.emplace_back([t] {
      constexpr int64_t n = 3000;
      const NodeRef s = on_host(n, t);
      for (int round = 0; round < 5; round++) {
        const NodeRef r = plus_one(plus_one(s));
        CHECK(counts_by(host(r), n, t, 2));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// One thread starts computing results, and another reads them in its own queue while the first kernel may still run. The handles are
// released during the read, and their memory is reused.
TEST(results_cross_from_queue_to_queue) {
  needs_gpu();
  for (int64_t n : {int64_t(5000), int64_t(1) << 22}) {
    const NodeRef s = on_host(n, 3);
    for (uint32_t round = 0; round < 60; round++) {
      NodeRef made = graph::map("(fn ((x u32)) (add x " + std::to_string(round) + ":u32))", {s});
      wf::force(std::span(&made, 1));
      NodeRef read;
      std::thread reader([&] {
        read = plus_one(made);
        wf::force(std::span(&read, 1));
      });
      reader.join();
      made = NodeRef();
      std::vector<NodeRef> others;
      for (int k = 0; k < 3; k++) {
        others.push_back(graph::tabulate("(fn ((i i64)) 12345:u32)", n));
        wf::force(std::span(&others.back(), 1));
      }
      CHECK(counts_by(host(read), n, 3, round + 1));
    }
  }
}

// Results do not depend on whether the law held in earlier runs.
TEST(data_for_which_the_law_fails_and_holds_in_turns) {
  needs_gpu();
  constexpr int64_t n = 100000;
  for (int k = 0; k < 40; k++) {
    const bool wraps = k % 3 == 0;
    const NodeRef x = graph::source(std::vector<int32_t>(n, wraps ? 100000000 : -1));
    const NodeRef least = graph::reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32",
                                        graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", x, true).prefixes);
    int32_t expected = 2147483647;
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) expected = std::min(expected, int32_t(sum += uint32_t(wraps ? 100000000 : -1)));
    CHECK_EQ(graph::elements<int32_t>(least)[0], expected);
  }
}
