// The cost of calls with little to compute in several threads, each with a sequence of its own: time
// over the number of calls that all threads made. Where threads do not wait for each other it falls as they become more. The calls:
//   sum     map and reduce, to a host value
//   stored  map, forced; on a GPU the call returns before its kernel is done

#include <algorithm>
#include <barrier>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

static auto mapped(const Seq<float>& s) {
  return map([](auto x) { return x * 1.0001f + 0.5f; }, s);
}

// call(s): whether its result is right.
template <class Call>
static double ms_per_call(const Array<float>& input, const warpfold::Context& context, int n_threads, int calls, Call call) {
  std::vector<int> wrong(size_t(n_threads), 0);
  // When the last of the threads came there: to the start, and to the end.
  std::vector<std::chrono::steady_clock::time_point> times;
  times.reserve(2);
  std::barrier together(n_threads, [&]() noexcept { times.push_back(std::chrono::steady_clock::now()); });
  std::vector<std::thread> threads;
  for (int t = 0; t < n_threads; ++t)
    threads.emplace_back([&, t] {
      Seq<float> s(input.view(), context);
      auto make = [&](int count) {
        for (int k = 0; k < count; ++k) wrong[size_t(t)] += !call(s);
      };
      make(calls / 10 + 1);
      together.arrive_and_wait();
      make(calls);
      together.arrive_and_wait();
    });
  for (std::thread& thread : threads) thread.join();
  if (std::any_of(wrong.begin(), wrong.end(), [](int k) { return k > 0; })) throw std::runtime_error("threads_small: a result is wrong");
  return std::chrono::duration<double, std::milli>(times[1] - times[0]).count() / (n_threads * calls);
}

void threads_small(Bench& bench, int64_t n) {
  const int calls = bench.options().quick ? 500 : 5000;
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  const float expected = loop::map_sum(input.view(), 1);
  warpfold::Context context(bench.options().context);
  auto sum = [&](const Seq<float>& s) { return close(reduce(warpfold::plus, 0.0f, mapped(s)).get(), expected); };
  auto stored = [](const Seq<float>& s) { return force(mapped(s)), true; };
  auto record = [&](const char* what, int n_threads, double ms, int64_t bytes) {
    const std::string peer = std::string("warpfold, ") + what + ", threads: " + std::to_string(n_threads);
    bench.record({"threads_small", n, "f32", bench.options().context, peer, ms, double(bytes) / ms * 1e-6, 0});
  };
  // A GPU interprets kernels of few elements until compiling them has paid.
  ms_per_call(input, context, 1, 5000, sum);
  ms_per_call(input, context, 1, 5000, stored);
  for (int n_threads : {1, 2, 4, 8}) {
    record("sum", n_threads, ms_per_call(input, context, n_threads, calls, sum), 4 * n);
    record("stored", n_threads, ms_per_call(input, context, n_threads, calls, stored), 8 * n);
  }
}

}  // namespace bench
