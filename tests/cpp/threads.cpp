// Tracing, construction and forcing from several threads at once, on shared sequences.
#include <atomic>
#include <numeric>
#include <thread>

#include "common.h"

using namespace warpfold;

TEST(threads_share_sequences) {
  auto v = numbers(20000);
  Seq s(v);
  auto shared = scan_incl(plus, 0, map([](auto x) { return x + 1; }, s));
  int expected = std::accumulate(v.begin(), v.end(), 0);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; round++) {
        int factor = t * 50 + round;
        auto scaled = map([&](auto x) { return x * factor; }, s);
        wrong += reduce(plus, 0, scaled).get() != expected * factor;
        wrong += shared[s.size() - 1].get() != expected + static_cast<int>(v.size());
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

TEST(errors_stay_on_their_thread) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 100; round++) try {
          Seq{1, 2, 3}[1000 + t];
        } catch (const RangeError& error) { right += std::string(error.what()).find(std::to_string(1000 + t)) != std::string::npos; }
    });
  for (auto& thread : threads) thread.join();
  CHECK_EQ(right.load(), 400);
}

TEST(threads_that_share_a_queue_see_their_own_faults) {
  constexpr int count = 80, rounds = 10;  // a GPU has 64 queues
  const auto s = iota<int64_t>(5000).force();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; t++)
    threads.emplace_back([&, t] {
      const int64_t bad = t % 3 == 0 ? 6000 + t : 7;
      for (int round = 0; round < rounds; round++) {
        const auto gathered = map([&](auto i) { return s[where(i == 600, bad, i)]; }, iota(4000));
        const auto others = map([&](auto i) { return s[i + 1] + gathered[i / 2]; }, iota(4900));
        try {
          force(gathered, others);
          right += t % 3 != 0 && gathered[600].get() == 7 && others[1200].get() == 1208;
        } catch (const RangeError& error) { right += std::string(error.what()).find(std::to_string(bad)) != std::string::npos; }
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK_EQ(right.load(), count * rounds);
}
