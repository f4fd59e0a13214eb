// Tracing, construction and forcing from several threads at once, on shared sequences.
#include <atomic>
#include <chrono>
#include <csignal>
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

TEST(a_signal_cancels_while_its_object_lives) {
  Context cpu("cpu");  // a GPU completes a running kernel
  const auto slow = [&] {
    return reduce(plus, 0.0, tabulate([](auto i) { return sin(exp(sin(exp(sin(cast<double>(i)))))); }, int64_t(1) << 40, cpu));
  };
  for (int round = 0; round < 25; round++) {
    const CancelOnSignal cancels(SIGUSR1);
    std::thread sender([main = pthread_self(), round] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + round));
      pthread_kill(main, SIGUSR1);
    });
    CHECK_THROWS(Canceled, slow().get());
    sender.join();
    CHECK_EQ(reduce(plus, 0, Seq{1, 2, 3}).get(), 6);
  }
  struct sigaction after {};
  sigaction(SIGUSR1, nullptr, &after);
  CHECK(after.sa_handler == SIG_DFL);
}

TEST(a_context_cancels) {
  Context context("cpu");
  std::thread canceler([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    context.cancel();
  });
  CHECK_THROWS(Canceled, reduce(plus, 0.0, tabulate([](auto i) { return sin(exp(cast<double>(i))); }, int64_t(1) << 40, context)).get());
  canceler.join();
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

namespace {

template <class A> std::vector<double> values(const A& a) {
  const auto all = a.to_vector();
  return {all.begin(), all.end()};
}
Array<float, 2> matrix_of(const Seq<int>& s) { return cast<float>(Array<int, 2>(take(s, 64 * 64), {64, 64})); }
Array<float, 2> positive_of(const Seq<int>& s) {
  const auto a = matrix_of(s);
  return matmul(a, t(a)) + 1000.0f;
}

using Work = std::vector<double> (*)(const Seq<int>&);
constexpr auto positions = [](const Seq<int>& s) { return map([](auto x) { return x + 50; }, s); };
const Work works[] = {
    [](const Seq<int>& s) { return values(sort(s)); },
    [](const Seq<int>& s) { return values(sort([](auto x, auto y) { return x * x < y * y; }, s)); },
    [](const Seq<int>& s) { return values(merge([](auto x, auto y) { return x / 2 < y / 2; }, sort(s), sort(s))); },
    [](const Seq<int>& s) { return values(histogram(positions(s), 101)); },
    [](const Seq<int>& s) { return values(scatter(plus, map([](auto x) { return x * 0.5f; }, s), positions(s), cast<float>(s))); },
    [](const Seq<int>& s) { return values(scatter(plus, take(cast<float>(s), 101), positions(s), cast<float>(s))); },
    [](const Seq<int>& s) { return std::vector<double>{double(iterate([](auto x, auto y) { return x * 3 + y; }, 1, s).get())}; },
    [](const Seq<int>& s) { return values(matmul(matrix_of(s), matrix_of(s))); },
    [](const Seq<int>& s) { return values(matmul(cast<int>(matrix_of(s)), cast<int>(matrix_of(s)))); },
    [](const Seq<int>& s) { return values(singular_values(positive_of(s)).values); },
    [](const Seq<int>& s) { return values(filter([](auto x) { return x % 3 == 0; }, s)); },
    [](const Seq<int>& s) { return values(scan_incl(plus, 0, s)); },
    [](const Seq<int>& s) { return values(reduce(plus, 0, split([](auto x) { return x > 48; }, s))); },
    [](const Seq<int>& s) {
      return values(reduce(plus, 0, Array<int, 2>(take(s, 300000), {300, 1000}), 1));
    },
    [](const Seq<int>& s) { return values(unique(sort(s))); },
    [](const Seq<int>& s) { return values(s); },
    [](const Seq<int>& s) { return std::vector<double>{double(Seq(s.to_vector(), s.context()).size() + (s.context().trim() < 0))}; },
};

}  // namespace

// Each context makes the kernels of its routines anew.
TEST(any_work_may_be_the_first_of_a_thread) {
  const auto v = numbers(300001);
  const std::string name = default_context().name();
  const Seq shared(v, Context(name));
  for (const Work& work : works) {
    const int64_t number = &work - works;
    const std::vector<double> expected = work(shared);
    std::vector<std::vector<double>> found(3);
    std::vector<std::thread> threads;
    const Seq s(v, Context(name));
    for (auto& of_thread : found)
      threads.emplace_back([&] {
        try {
          of_thread = work(s);
        } catch (const Error& error) { check::fail(__FILE__, __LINE__, "work " + std::to_string(number) + ": " + error.what()); }
      });
    for (auto& thread : threads) thread.join();
    for (const auto& of_thread : found)
      if (of_thread != expected) check::fail(__FILE__, __LINE__, "work " + std::to_string(number) + " differs");
  }
}
