// Chunks are claimed in order or in parts, each once; carries chain; failures reach the caller and no worker waits forever.
#include "cpu/threads/chunks.h"

#include <signal.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "cpu/threads/helpers.h"

namespace wf::cpu {
namespace {

TEST(every_chunk_is_handed_out_once) {
  for (int workers : {1, 2, 5})
    for (int parts : {1, workers, 40})
      for (int64_t count : {0, 1, 2, 17, 1000}) {
        std::vector<std::atomic<int>> seen(count);
        Chunks chunks(count, parts);
        for_chunks(chunks, workers, [&](int number) {
          for (int64_t c, last = -1; (c = chunks.next(number)) >= 0; last = c) {
            CHECK(parts > 1 || c > last);
            seen[c]++;
          }
        });
        for (auto& times : seen) CHECK_EQ(times.load(), 1);
      }
}

TEST(a_worker_claims_its_own_part_first) {
  Chunks chunks(10, 3);  // 0 to 2, 3 to 5, 6 to 9
  auto claims = [&](int worker, std::vector<int64_t> expected) {
    for (int64_t chunk : expected) CHECK_EQ(chunks.next(worker), chunk);
  };
  claims(1, {3});
  claims(2, {6});
  claims(1, {4, 5, 7, 8});
  claims(2, {9, 0});
  claims(0, {1, 2, -1});
  claims(1, {-1});
}

// While a chunk sleeps, a helper takes the next one, also one that has helped before, or of a job beside others.
TEST(helpers_join_every_job) {
  if (machine_threads() == 1) return;
  auto job_with_helper = [] {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> helped = 0;
    Chunks chunks(16);
    for_chunks(chunks, 2, [&](int number) {
      CHECK_EQ(number, int(std::this_thread::get_id() != caller));
      for (; chunks.next(number) >= 0; std::this_thread::sleep_for(std::chrono::milliseconds(1))) helped += number;
    });
    CHECK(helped > 0);
  };
  for (int again = 0; again < 5; again++) job_with_helper();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // helpers fall asleep
  job_with_helper();
}

TEST(a_short_run_after_a_pause_has_one_worker) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::atomic<int64_t> sum = 0;
  Chunks chunks(16);
  const auto add_chunks = [&](int number) {
    CHECK_EQ(number, 0);
    for (int64_t c; (c = chunks.next(number)) >= 0; std::this_thread::sleep_for(std::chrono::milliseconds(1))) sum += c;
  };
  for_chunks(chunks, 2, add_chunks, true);
  CHECK_EQ(sum.load(), 120);
}

TEST(callers_at_once_each_get_all_chunks_done) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 100; caller++)  // more than can have helpers at once
    callers.emplace_back([caller] {
      for (int again = 0; again < 200; again++) {
        const int64_t count = 1 + (caller + again) % 20;
        std::atomic<int64_t> sum = 0;
        Chunks chunks(count);
        for_chunks(chunks, 3, [&](int number) {
          CHECK(number >= 0 && number < 3);
          for (int64_t c; (c = chunks.next(number)) >= 0;) sum += c + 1;
        });
        CHECK_EQ(sum.load(), count * (count + 1) / 2);
      }
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(jobs_within_jobs_end) {
  std::atomic<int64_t> sum = 0;
  Chunks outer(20);
  for_chunks(outer, 4, [&](int number) {
    for (int64_t c; (c = outer.next(number)) >= 0;) {
      Chunks inner(20);
      for_chunks(inner, 4, [&](int helper) {
        for (int64_t k; (k = inner.next(helper)) >= 0;) sum += c * k;
      });
    }
  });
  CHECK_EQ(sum.load(), int64_t(190 * 190));
}

TEST(a_carry_passes_through_all_chunks) {
  for (int workers : {1, 2, 4}) {
    int64_t carry = 0;
    Turn turn;
    Chunks chunks(5000);
    for_chunks(chunks, workers, [&](int number) {
      for (int64_t c; (c = chunks.next(number)) >= 0;) {
        turn.wait(c, chunks);
        CHECK_EQ(carry, c * (c - 1) / 2);
        carry += c;
        turn.pass(c);
      }
    });
    CHECK_EQ(carry, int64_t(5000) * 4999 / 2);
  }
}

TEST(a_failure_reaches_the_caller_and_frees_those_who_wait) {
  for (int workers : {1, 2, 4})
    for (int again = 0; again < 50; again++) {
      Turn turn;
      Chunks chunks(1000);
      std::string message;
      try {
        for_chunks(chunks, workers, [&](int number) {
          for (int64_t c; (c = chunks.next(number)) >= 0;) {
            if (c == 17) throw std::runtime_error("chunk 17");
            turn.wait(c, chunks);
            turn.pass(c);
          }
        });
      } catch (const std::exception& error) { message = error.what(); }
      CHECK_EQ(message, "chunk 17");
    }
}

TEST(workers_have_a_clean_environment) {
  const std::thread::id caller = std::this_thread::get_id();
  unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(0x1f80 | 0x8040 | 0x2000);  // flush subnormals, round down
  Chunks chunks(64);
  for_chunks(chunks, 4, [&](int number) {
    for (int64_t c; (c = chunks.next(number)) >= 0; std::this_thread::yield()) {
      CHECK_EQ(__builtin_ia32_stmxcsr() & 0xffc0u, 0x1f80u);
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      if (std::this_thread::get_id() != caller) CHECK(sigismember(&blocked, SIGINT) == 1);
    }
  });
  CHECK_EQ(__builtin_ia32_stmxcsr() & 0xffc0u, (0x1f80u | 0x8040u | 0x2000u) & 0xffc0u);
  __builtin_ia32_ldmxcsr(saved);
}

}  // namespace
}  // namespace wf::cpu
