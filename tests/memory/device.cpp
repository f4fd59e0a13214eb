// Buffers with a device copy, on a device that is host memory with a capacity: when bytes are copied, and the behaviour when the
// device is full.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "check.h"
#include "memory/buffer.h"

namespace {

using wf::Buffer, wf::BufferRef, wf::DeviceMemory, wf::MemoryError, wf::Pool;

class SmallDevice : public DeviceMemory {
 public:
  explicit SmallDevice(size_t capacity) : capacity_(capacity) {}
  ~SmallDevice() override { trim(); }

  Block allocate(size_t bytes, For) override {
    if (in_use + cached_ + bytes > capacity_) return {};
    in_use += bytes;
    Block block;
    block.address = std::malloc(bytes + 1);
    block.bytes = bytes;
    return block;
  }
  // As on a real device, released memory is free only after a trim.
  void release(const Block& block) noexcept override {
    in_use -= block.bytes;
    cached_ += block.bytes;
    released_.push_back(block);
  }
  size_t trim() noexcept override {
    trims++;
    for (const Block& block : released_) std::free(block.address);
    released_.clear();
    return std::exchange(cached_, 0);
  }
  size_t cached() const noexcept override { return cached_; }
  void use(Block&) override {}
  void copy(Block& to, Block& from, size_t bytes) override { std::memcpy(to.address, from.address, bytes); }
  void copy_in(Block& block, const void* host, size_t bytes) override { copies_in++, std::memcpy(block.address, host, bytes); }
  void copy_out(void* host, Block& block, size_t from, size_t bytes) override {
    copies_out++;
    std::memcpy(host, static_cast<char*>(block.address) + from, bytes);
  }
  void wait(const Block&) override { waits++; }

  int number() const override { return 0; }
  Block adopt(void* address, size_t bytes) override { return {address, bytes}; }
  void release_adopted(const Block&, std::function<void()> done) noexcept override { done(); }
  void wait_for(void*) override {}
  void let_wait(void*) override {}

  size_t in_use = 0;
  int trims = 0, copies_in = 0, copies_out = 0, waits = 0;

 private:
  size_t capacity_, cached_ = 0;
  std::vector<Block> released_;
};

constexpr size_t MiB = size_t(1) << 20;

struct Fixture {
  std::shared_ptr<SmallDevice> device = std::make_shared<SmallDevice>(100 * MiB);
  std::shared_ptr<Pool> pool = std::make_shared<Pool>(-1, device);

  // A buffer with its contents on the host.
  BufferRef on_host(size_t bytes, char fill) {
    BufferRef buffer = Buffer::make(pool, bytes);
    std::memset(buffer->host_for_writing(), fill, bytes);
    return buffer;
  }
  // A buffer with its contents on the device only.
  BufferRef on_device(size_t bytes, char fill) {
    BufferRef buffer = Buffer::make(pool, bytes);
    std::memset(Buffer::device_for_writing(buffer, pool).address(), fill, bytes);
    return buffer;
  }
  char first_on_device(const BufferRef& buffer) { return *static_cast<char*>(Buffer::device(buffer, pool).address()); }
};

char first(const BufferRef& buffer) { return char(*buffer->host()); }

}  // namespace

TEST(device_and_host_copies_are_filled_once) {
  Fixture f;
  const BufferRef a = f.on_host(1000, 'a');
  CHECK_EQ(f.device->copies_in, 0);
  for (int k = 0; k < 3; k++) CHECK(f.first_on_device(a) == 'a');
  CHECK_EQ(f.device->copies_in, 1);
  const BufferRef b = f.on_device(1000, 'b');
  for (int k = 0; k < 3; k++) CHECK(first(b) == 'b');
  CHECK_EQ(f.device->copies_out, 1);
  std::memset(a->host_for_writing(), 'c', 1000);
  CHECK(f.first_on_device(a) == 'c');
  CHECK_EQ(f.device->copies_in, 2);
}

TEST(adopted_device_memory_is_used_in_place_and_given_back_once) {
  Fixture f;
  std::vector<char> theirs(3 * MiB, 't');
  int given_back = 0;
  BufferRef a = Buffer::adopt_device(f.pool, theirs.data(), theirs.size(), [&] { given_back++; });
  CHECK(!a->is_pooled());
  CHECK_EQ(f.pool->live(), 0);
  CHECK(Buffer::device(a, f.pool).address() == theirs.data());
  theirs[0] = 'u';
  CHECK(first(a) == 'u');
  CHECK_EQ(f.device->copies_out, 1);
  // The device copy is not evicted, although the host has one.
  std::vector<BufferRef> others;
  for (int k = 0; k < 30; k++) others.push_back(f.on_host(10 * MiB, 'h')), f.first_on_device(others.back());
  CHECK(Buffer::device(a, f.pool).address() == theirs.data());
  CHECK_EQ(given_back, 0);
  others.clear();
  a.reset();
  CHECK_EQ(given_back, 1);
  CHECK_EQ(f.pool->live(), 0);
  CHECK_EQ(f.device->in_use, size_t(0));
}

TEST(who_waits_for_bytes_waits_for_the_device_unless_the_host_has_them) {
  Fixture f;
  f.on_host(1000, 'a')->wait();
  CHECK_EQ(f.device->waits, 0);
  const BufferRef b = f.on_device(1000, 'b');
  b->wait();
  CHECK_EQ(f.device->waits, 1);
  CHECK(first(b) == 'b');
  b->wait();
  CHECK_EQ(f.device->waits, 1);
}

TEST(a_few_bytes_are_read_without_a_host_copy) {
  Fixture f;
  const BufferRef a = f.on_device(MiB, 'a');
  static_cast<char*>(Buffer::device(a, f.pool).address())[1000] = 'x';
  char two[2] = {};
  CHECK(a->read_device(999, 2, two));
  CHECK(two[0] == 'a' && two[1] == 'x');
  CHECK_EQ(f.pool->live(), MiB);
  // After a few reads the whole buffer is copied to the host.
  int reads = 0;
  while (reads < 1000 && a->read_device(0, 1, two)) reads++;
  CHECK(reads > 0 && reads < 1000);
  CHECK(a->host()[1000] == std::byte('x'));
  CHECK(!a->read_device(0, 1, two));
  CHECK(!f.on_host(10, 'h')->read_device(0, 1, two));
}

TEST(many_bytes_go_straight_to_the_device_and_back) {
  Fixture f;
  std::vector<char> bytes(20 * MiB, 'm'), back(20 * MiB);
  bytes[12345] = 'x';
  const BufferRef a = Buffer::make(f.pool, bytes.size());
  CHECK(a->fill_device(bytes.data()));
  CHECK_EQ(f.pool->live(), 20 * MiB);
  for (int k = 0; k < 2; k++) {
    std::fill(back.begin(), back.end(), ' ');
    CHECK(a->read_device(0, back.size(), back.data()));
    CHECK(back == bytes);
  }
  CHECK_EQ(f.pool->live(), 20 * MiB);
  // A middling number of bytes is read through the host copy.
  CHECK(!a->read_device(0, MiB, back.data()));
  CHECK(a->host()[12345] == std::byte('x'));
  CHECK(!Buffer::make(f.pool, MiB)->fill_device(bytes.data()));
  // Also if the device is full; nothing is evicted for it.
  const BufferRef full = f.on_device(70 * MiB, 'f'), b = Buffer::make(f.pool, bytes.size());
  CHECK(!b->fill_device(bytes.data()));
  CHECK(!Buffer::make(std::make_shared<Pool>(), bytes.size())->fill_device(bytes.data()));
}

TEST(released_blocks_are_trimmed_when_the_device_is_full) {
  Fixture f;
  for (int k = 0; k < 10; k++) f.on_device(40 * MiB, 'x');
  CHECK(f.device->trims >= 4);
}

TEST(device_copies_with_a_current_host_copy_are_evicted_before_memory_is_exhausted) {
  Fixture f;
  const BufferRef clean = f.on_host(40 * MiB, 'a'), read_back = f.on_device(40 * MiB, 'b');
  f.first_on_device(clean);
  CHECK(first(read_back) == 'b');
  const BufferRef next = f.on_device(90 * MiB, 'n');  // evicts both
  CHECK(first(next) == 'n');
  CHECK_EQ(f.device->in_use, 90 * MiB);
  // Their host copies are unchanged, and fill the device again.
  CHECK(first(clean) == 'a');
  CHECK(first(read_back) == 'b');
  CHECK(f.first_on_device(read_back) == 'b');
  CHECK(f.first_on_device(clean) == 'a');
}

TEST(device_copies_without_a_host_copy_or_in_use_are_not_evicted) {
  Fixture f;
  const int64_t before = f.pool->live();
  {
    const BufferRef dirty = f.on_device(50 * MiB, 'd'), leased = f.on_host(20 * MiB, 'l');
    const Buffer::Lease lease = Buffer::device(leased, f.pool);
    const BufferRef large = Buffer::make(f.pool, 60 * MiB);
    const int64_t live = f.pool->live();
    try {
      Buffer::device_for_writing(large, f.pool);
      CHECK(false);
    } catch (const MemoryError& e) {
      CHECK_EQ(std::string(e.what()), "GPU memory is exhausted: " + std::to_string(60 * MiB) + " bytes were asked for, " +
                                          std::to_string(live) + " are live, the limit is the GPU's");
    }
    CHECK_EQ(f.pool->live(), live);
    CHECK(*static_cast<char*>(lease.address()) == 'l');
    CHECK(f.first_on_device(dirty) == 'd');
    CHECK(first(dirty) == 'd');
    // Now there is a host copy, so the device copy can be evicted.
    Buffer::device_for_writing(large, f.pool);
    CHECK(first(dirty) == 'd');
    CHECK_EQ(f.device->in_use, 80 * MiB);
  }
  CHECK_EQ(f.pool->live(), before);
  CHECK_EQ(f.device->in_use, 0);
}

TEST(the_budget_counts_host_and_device_copies) {
  Fixture f;
  const BufferRef a = f.on_host(10 * MiB, 'a');
  f.first_on_device(a);
  CHECK_EQ(f.pool->live(), 20 * MiB);
  f.pool->set_limit(int64_t(25 * MiB));
  const BufferRef b = f.on_device(12 * MiB, 'b');  // evicts a's device copy
  CHECK_EQ(f.pool->live(), 22 * MiB);
  CHECK_THROWS(MemoryError, f.first_on_device(a));
  CHECK(first(a) == 'a');
}

TEST(a_shrunk_block_moves_where_most_of_it_is_left_over) {
  Fixture f;
  f.pool->set_limit(1000 * MiB);
  const BufferRef little = f.on_device(40 * MiB, 'k'), much = f.on_device(40 * MiB, 'm'), small = f.on_device(MiB / 2, 's');
  little->shrink(MiB);
  much->shrink(30 * MiB);
  small->shrink(1);
  CHECK_EQ(f.device->in_use, MiB + 40 * MiB + MiB / 2);
  CHECK_EQ(f.pool->live(), MiB + 40 * MiB + MiB / 2);
  CHECK_EQ(little->bytes(), MiB);
  CHECK(first(little) == 'k');
  CHECK(first(much) == 'm');
  // If there is no memory for a smaller block, the block stays as it is.
  const BufferRef other = f.on_device(10 * MiB, 'o');
  f.pool->set_limit(f.pool->live());
  other->shrink(1000);
  f.pool->set_limit(-1);
  CHECK(first(other) == 'o');
}

TEST(some_bytes_of_shrunk_blocks_stay_idle) {
  Fixture f;
  BufferRef first_kept = f.on_device(40 * MiB, 'a');
  const BufferRef moved = f.on_device(40 * MiB, 'b');
  first_kept->shrink(MiB);
  CHECK_EQ(f.device->in_use, 80 * MiB);
  moved->shrink(MiB);
  CHECK_EQ(f.device->in_use, 41 * MiB);
  first_kept->shrink(MiB / 2);
  CHECK_EQ(f.device->in_use, 41 * MiB);
  CHECK(first(first_kept) == 'a' && first(moved) == 'b');
  first_kept = nullptr;
  CHECK_EQ(f.device->in_use, MiB);
  f.device->trim();
  const BufferRef kept = f.on_device(40 * MiB, 'c');
  kept->shrink(1);
  CHECK_EQ(f.device->in_use, 41 * MiB);
  CHECK_EQ(kept->bytes(), size_t(1));
  CHECK(first(kept) == 'c');
}
