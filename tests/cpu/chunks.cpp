// Chunks are claimed in order, each once; carries chain; failures reach the caller and no worker waits forever.
#include "cpu/chunks.h"

#include <signal.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace wf::cpu {
namespace {

TEST(every_chunk_is_handed_out_once) {
  for (int workers : {1, 2, 5})
    for (int64_t count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> seen(count);
      Chunks chunks(count);
      for_chunks(chunks, workers, [&](int) {
        for (int64_t c, last = -1; (c = chunks.next()) >= 0; last = c) {
          CHECK(c > last);
          seen[c]++;
        }
      });
      for (auto& times : seen) CHECK_EQ(times.load(), 1);
    }
}

TEST(a_carry_passes_through_all_chunks) {
  for (int workers : {1, 2, 4}) {
    int64_t carry = 0;
    Turn turn;
    Chunks chunks(5000);
    for_chunks(chunks, workers, [&](int) {
      for (int64_t c; (c = chunks.next()) >= 0;) {
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
        for_chunks(chunks, workers, [&](int) {
          for (int64_t c; (c = chunks.next()) >= 0;) {
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
  for_chunks(chunks, 4, [&](int) {
    for (int64_t c; (c = chunks.next()) >= 0; std::this_thread::yield()) {
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
