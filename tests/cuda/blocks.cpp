// The free list of a queue: block sizes and capacity.
#include "cuda/device/blocks.h"

#include <algorithm>
#include <vector>

#include "check.h"

using wf::cuda::CUdeviceptr, wf::cuda::FreeBlocks;

TEST(sizes_lose_at_most_a_quarter_and_are_few) {
  size_t before = 0;
  int sizes = 0;
  for (size_t bytes = 0; bytes <= FreeBlocks::largest_small; bytes += bytes < 10000 ? 1 : 97) {
    const size_t size = FreeBlocks::size_for(bytes);
    CHECK(size >= bytes && size >= before && size % 256 == 0);
    CHECK(size <= 256 || size - bytes < std::max<size_t>(256, bytes / 4));
    CHECK_EQ(FreeBlocks::size_for(size), size);
    sizes += size != before;
    before = size;
  }
  CHECK(sizes < 50);
  CHECK_EQ(FreeBlocks::size_for(FreeBlocks::largest_small), FreeBlocks::largest_small);
  CHECK_EQ(FreeBlocks::size_for(FreeBlocks::largest_small + 1), FreeBlocks::largest_small + 256);
}

namespace {

using Blocks = std::vector<CUdeviceptr>;

// Adds a block, and returns the addresses of those that have no room.
Blocks put(FreeBlocks& blocks, CUdeviceptr address, size_t size) {
  Blocks dropped;
  blocks.put({address, size}, [&](const FreeBlocks::Block& block) { dropped.push_back(block.address); });
  return dropped;
}

constexpr size_t MiB = size_t(1) << 20;

}  // namespace

TEST(blocks_come_back_by_size) {
  FreeBlocks blocks;
  CHECK_EQ(blocks.take(512), 0u);
  CHECK(put(blocks, 1000, 512).empty());
  CHECK(put(blocks, 2000, 1024).empty());
  CHECK(put(blocks, 3000, 16 * MiB).empty());
  CHECK(put(blocks, 4000, 16 * MiB).empty());
  CHECK_EQ(blocks.bytes(), 1536 + 32 * MiB);
  CHECK_EQ(blocks.take(1024), 2000u);
  CHECK_EQ(blocks.take(1024), 0u);
  CHECK_EQ(blocks.take(16 * MiB - 256), 0u);
  CHECK_EQ(blocks.take(16 * MiB), 4000u);
  CHECK_EQ(blocks.take(512), 1000u);
  CHECK_EQ(blocks.take(16 * MiB), 3000u);
  CHECK_EQ(blocks.bytes(), 0);
}

TEST(only_so_much_is_kept) {
  FreeBlocks blocks;
  CHECK(put(blocks, 1, FreeBlocks::largest + 256) == Blocks{1});
  size_t kept = 0;
  while (put(blocks, kept + 1, FreeBlocks::largest_small).empty()) kept++;
  CHECK(kept >= 4 && kept < 1000);
  CHECK_EQ(blocks.clear().size(), kept);
  CHECK_EQ(blocks.bytes(), 0);
  CHECK(put(blocks, 1, FreeBlocks::largest_small).empty());
}

TEST(large_blocks_that_were_added_first_are_dropped) {
  FreeBlocks blocks;
  for (CUdeviceptr k = 1; k <= 4; k++) CHECK(put(blocks, k, 32 * MiB).empty());
  CHECK(put(blocks, 5, 2 * MiB) == Blocks{1});
  CHECK(put(blocks, 6, 64 * MiB) == (Blocks{2, 3}));
  CHECK_EQ(blocks.bytes(), 98 * MiB);
  CHECK_EQ(blocks.take(32 * MiB), 4u);
  CHECK_EQ(blocks.take(2 * MiB), 5u);
  CHECK(blocks.clear() == Blocks{6});
}
