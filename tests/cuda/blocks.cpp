// The free list of a queue: block sizes and capacity.
#include "cuda/device/blocks.h"

#include <algorithm>

#include "check.h"

using wf::cuda::FreeBlocks;

TEST(sizes_lose_at_most_a_quarter_and_are_few) {
  size_t before = 0;
  int sizes = 0;
  for (size_t bytes = 0; bytes <= FreeBlocks::largest; bytes += bytes < 10000 ? 1 : 97) {
    const size_t size = FreeBlocks::size_for(bytes);
    CHECK(size >= bytes && size >= before && size % 256 == 0);
    CHECK(size <= 256 || size - bytes < std::max<size_t>(256, bytes / 4));
    CHECK_EQ(FreeBlocks::size_for(size), size);
    sizes += size != before;
    before = size;
  }
  CHECK(sizes < 50);
  CHECK_EQ(FreeBlocks::size_for(FreeBlocks::largest), FreeBlocks::largest);
  CHECK_EQ(FreeBlocks::size_for(FreeBlocks::largest + 1), FreeBlocks::largest + 256);
}

TEST(blocks_come_back_by_size) {
  FreeBlocks blocks;
  CHECK_EQ(blocks.take(512), 0u);
  CHECK(blocks.put(1000, 512));
  CHECK(blocks.put(2000, 1024));
  CHECK_EQ(blocks.bytes(), 1536);
  CHECK_EQ(blocks.take(1024), 2000u);
  CHECK_EQ(blocks.take(1024), 0u);
  CHECK_EQ(blocks.take(512), 1000u);
  CHECK_EQ(blocks.bytes(), 0);
}

TEST(only_so_much_is_kept) {
  FreeBlocks blocks;
  CHECK(!blocks.put(1, FreeBlocks::largest + 256));
  size_t kept = 0;
  while (blocks.put(kept + 1, FreeBlocks::largest)) kept++;
  CHECK(kept >= 4 && kept < 1000);
  CHECK_EQ(blocks.clear().size(), kept);
  CHECK_EQ(blocks.bytes(), 0);
  CHECK(blocks.put(1, FreeBlocks::largest));
}
