#include <cstring>
#include <random>
#include <thread>

#include "check.h"
#include "memory/buffer.h"

using namespace wf;

constexpr size_t MiB = size_t(1) << 20;

TEST(blocks_are_aligned_and_writable) {
  Pool pool;
  for (size_t bytes : {size_t(0), size_t(1), size_t(63), size_t(64), size_t(65), size_t(513), size_t(100000), 2 * MiB - 1, 2 * MiB,
                       2 * MiB + 1, 9 * MiB}) {
    void* block = pool.allocate(bytes);
    CHECK_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    if (bytes >= 2 * MiB) CHECK_EQ(reinterpret_cast<uintptr_t>(block) % (2 * MiB), 0u);
    std::memset(block, 1, (bytes + 63) / 64 * 64);
    CHECK(pool.live() >= int64_t(bytes));
    CHECK(pool.live() <= int64_t(std::max(bytes + bytes / 4 + 64, (bytes + 2 * MiB - 1) / (2 * MiB) * (2 * MiB))));
    pool.release(block, bytes);
    CHECK_EQ(pool.live(), 0);
  }
}

TEST(freed_blocks_are_reused) {
  Pool pool;
  void* small = pool.allocate(1000);
  void* large = pool.allocate(8 * MiB);
  pool.release(small, 1000);
  pool.release(large, 8 * MiB);
  CHECK(pool.cached() >= int64_t(8 * MiB + 1000));
  CHECK(pool.allocate(1000) == small);
  CHECK(pool.allocate(8 * MiB) == large);
  CHECK_EQ(pool.cached(), 0);
  pool.release(small, 1000);
  pool.release(large, 8 * MiB);
  CHECK(pool.trim() >= int64_t(8 * MiB + 1000));
  CHECK_EQ(pool.cached(), 0);
  CHECK_EQ(pool.trim(), 0);
}

TEST(runs_are_split_and_joined) {
  Pool pool;
  void* whole = pool.allocate(16 * MiB);
  pool.release(whole, 16 * MiB);
  void* parts[4];
  for (void*& part : parts) part = pool.allocate(4 * MiB);
  CHECK_EQ(pool.cached(), 0);
  for (int k : {2, 0, 3, 1}) pool.release(parts[k], 4 * MiB);
  CHECK(pool.allocate(16 * MiB) == whole);
  pool.release(whole, 16 * MiB);
}

TEST(a_shrunk_block_gives_pages_back) {
  Pool pool;
  auto* block = static_cast<char*>(pool.allocate(8 * MiB));
  std::memset(block, 7, 8 * MiB);
  size_t bytes = pool.shrink(block, 8 * MiB, 3 * MiB);
  CHECK_EQ(pool.live(), int64_t(4 * MiB));
  CHECK_EQ(pool.cached(), int64_t(4 * MiB));
  bytes = pool.shrink(block, bytes, 0);
  CHECK_EQ(pool.live(), int64_t(2 * MiB));
  CHECK(block[2 * MiB - 1] == 7);
  pool.release(block, bytes);
  CHECK_EQ(pool.live(), 0);
  CHECK_EQ(pool.cached(), int64_t(8 * MiB));
  void* small = pool.allocate(1000);
  CHECK_EQ(pool.shrink(small, 1000, 10), size_t(1000));
  pool.release(small, 1000);
}

TEST(the_limit_holds) {
  Pool pool(int64_t(10 * MiB));
  void* first = pool.allocate(6 * MiB);
  CHECK_THROWS(MemoryError, pool.allocate(6 * MiB));
  CHECK_EQ(pool.live(), int64_t(6 * MiB));
  pool.release(first, 6 * MiB);
  void* second = pool.allocate(10 * MiB);  // the cache is trimmed for it
  CHECK_THROWS(MemoryError, pool.allocate(1));
  pool.release(second, 10 * MiB);
  CHECK(pool.live() + pool.cached() <= int64_t(10 * MiB));
  pool.set_limit(0);
  CHECK_EQ(pool.cached(), 0);
  CHECK_THROWS(MemoryError, pool.allocate(1));
  pool.set_limit(-1);
  pool.release(pool.allocate(1), 1);
  CHECK_EQ(pool.peak(), int64_t(10 * MiB));
  pool.reset_peak();
  CHECK_EQ(pool.peak(), 0);
}

TEST(the_error_says_how_much) {
  Pool pool(int64_t(4 * MiB));
  void* block = pool.allocate(2 * MiB);
  try {
    pool.allocate(5000000);
    CHECK(false);
  } catch (const MemoryError& error) {
    std::string text = error.what();
    CHECK(text.find("5000000 bytes were asked for") != std::string::npos);
    CHECK(text.find("2097152 are live") != std::string::npos);
    CHECK(text.find("4194304") != std::string::npos);
  }
  pool.release(block, 2 * MiB);
}

TEST(sizes_that_overflow_fail) {
  Pool pool;
  CHECK_THROWS(MemoryError, pool.allocate(SIZE_MAX));
  CHECK_THROWS(MemoryError, pool.allocate(SIZE_MAX - 63));
  CHECK_THROWS(MemoryError, pool.allocate(size_t(INT64_MAX)));
  CHECK_THROWS(MemoryError, pool.allocate(size_t(1) << 62));
  CHECK_EQ(pool.live(), 0);
}

TEST(the_kth_allocation_fails_once) {
  Pool pool;
  pool.fail_after(3);
  void* first = pool.allocate(10);
  void* second = pool.allocate(10);
  CHECK_THROWS(MemoryError, pool.allocate(10));
  void* third = pool.allocate(10);
  for (void* block : {first, second, third}) pool.release(block, 10);
  pool.fail_after(1);
  pool.fail_after(0);
  pool.release(pool.allocate(10), 10);
}

TEST(threads_share_a_pool) {
  Pool pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&pool, t] {
      std::mt19937 random(t);
      std::vector<std::pair<unsigned char*, size_t>> blocks;
      for (int round = 0; round < 3000; round++) {
        if (blocks.size() > 20 || (!blocks.empty() && random() % 2)) {
          auto [block, bytes] = blocks.back();
          blocks.pop_back();
          CHECK(block[0] == (t + 1) && block[bytes - 1] == (t + 1));
          pool.release(block, bytes);
        } else {
          size_t bytes = 1 + random() % (random() % 50 == 0 ? 5 * MiB : 10000);
          auto* block = static_cast<unsigned char*>(pool.allocate(bytes));
          block[0] = block[bytes - 1] = static_cast<unsigned char>(t + 1);
          blocks.emplace_back(block, bytes);
        }
      }
      for (auto [block, bytes] : blocks) pool.release(block, bytes);
    });
  for (auto& thread : threads) thread.join();
  CHECK_EQ(pool.live(), 0);
}

TEST(buffers_count_against_the_pool) {
  auto pool = std::make_shared<Pool>();
  {
    BufferRef buffer = Buffer::make(pool, 6 * MiB);
    CHECK_EQ(buffer->bytes(), 6 * MiB);
    CHECK_EQ(buffer->capacity(), 6 * MiB);
    buffer->shrink(100);
    CHECK_EQ(buffer->bytes(), size_t(100));
    CHECK_EQ(buffer->capacity(), 2 * MiB);
    CHECK_EQ(pool->live(), int64_t(2 * MiB));
  }
  CHECK_EQ(pool->live(), 0);
  pool->set_limit(MiB);
  CHECK_THROWS(MemoryError, Buffer::make(pool, 6 * MiB));
}

TEST(adopted_memory_is_given_back_once) {
  int data[4] = {1, 2, 3, 4}, deleted = 0;
  {
    BufferRef buffer = Buffer::adopt(data, sizeof data, [&] { deleted++; });
    BufferRef other = buffer;
    CHECK(buffer->host() == reinterpret_cast<std::byte*>(data));
    CHECK_EQ(buffer->capacity(), sizeof data);
    CHECK_EQ(deleted, 0);
  }
  CHECK_EQ(deleted, 1);
}
