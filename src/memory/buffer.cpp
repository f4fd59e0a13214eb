#include "memory/buffer.h"

#include <utility>

namespace wf {

BufferRef Buffer::make(std::shared_ptr<Pool> pool, size_t bytes) {
  struct Made : Buffer {  // which make_shared may construct
    Made() {}
  };
  BufferRef buffer = std::make_shared<Made>();
  buffer->bytes_ = bytes;
  buffer->pool_ = std::move(pool);
  if (!buffer->pool_->device()) {
    buffer->allocate_host();
    buffer->host_current_ = true;
  }
  return buffer;
}

BufferRef Buffer::collected_from(std::shared_ptr<Pool> pool, size_t bytes, std::shared_ptr<const Elsewhere> elsewhere) {
  BufferRef buffer(new Buffer);
  buffer->bytes_ = bytes;
  buffer->pool_ = std::move(pool);
  buffer->elsewhere_ = std::move(elsewhere);
  return buffer;
}

std::shared_ptr<const Elsewhere> Buffer::elsewhere() const {
  if (has_host_copy()) return nullptr;
  std::lock_guard lock(mutex_);
  return elsewhere_;
}

BufferRef Buffer::adopt(const void* data, size_t bytes, std::function<void()> deleter, bool padded) {
  BufferRef buffer(new Buffer);
  buffer->host_ = static_cast<std::byte*>(const_cast<void*>(data));
  buffer->host_current_ = true;
  buffer->bytes_ = bytes;
  buffer->capacity_ = padded ? (bytes + Pool::alignment - 1) / Pool::alignment * Pool::alignment : bytes;
  buffer->deleter_ = std::move(deleter);
  return buffer;
}

BufferRef Buffer::adopt_device(std::shared_ptr<Pool> pool, void* address, size_t bytes, std::function<void()> deleter) {
  BufferRef buffer = make(pool, bytes);
  buffer->block_ = pool->device()->adopt(address, bytes);
  buffer->device_pool_ = std::move(pool);
  buffer->device_current_ = true;
  buffer->deleter_ = std::move(deleter);
  return buffer;
}

Buffer::~Buffer() {
  if (is_device_adopted()) {
    device_pool_->device()->release_adopted(block_, std::exchange(deleter_, nullptr));
  } else if (device_pool_) {
    device_pool_->set_evictable(this, false);
    if (block_.address) device_pool_->release_device(block_);
    device_pool_->drop_idle(idle_);
  }
  if (pool_ && host_) pool_->release(host_, capacity_);
  if (deleter_) deleter_();
}

void Buffer::shrink(size_t bytes) {
  std::lock_guard lock(mutex_);
  bytes_ = bytes;
  if (pool_ && host_) capacity_ = pool_->shrink(host_, capacity_, bytes);
  if (block_.address) shrink_on_device();
}

// A device block cannot be cut. If most of a large block is unused, the kept bytes move to a smaller block. That costs at most a quarter of the traffic
// of writing the whole block once, but also a call of the driver, so blocks stay where they are while the pool may keep their idle bytes.
void Buffer::shrink_on_device() {
  constexpr size_t worth_moving = size_t(1) << 20;
  if (idle_ > 0 || block_.bytes < worth_moving || bytes_ > block_.bytes / 8) return;
  if (device_pool_->keep_idle(block_.bytes - bytes_)) {
    idle_ = block_.bytes - bytes_;
    return;
  }
  DeviceMemory::Block smaller = device_pool_->spare_device(bytes_, DeviceMemory::For::Results);
  if (!smaller.address) return;
  device_pool_->device()->copy(smaller, block_, bytes_);
  device_pool_->release_device(block_);
  block_ = smaller;
}

void Buffer::allocate_host() const {
  if (host_) return;
  host_ = static_cast<std::byte*>(pool_->allocate(bytes_));
  capacity_ = Pool::usable_bytes(bytes_);
}

const std::byte* Buffer::filled_host() const {
  std::lock_guard lock(mutex_);
  if (host_current_) return host_;
  const auto allocated = [&] {
    allocate_host();
    return host_;
  };
  if (elsewhere_) {
    elsewhere_->collect(allocated);
    elsewhere_ = nullptr;
  } else if (allocated(); device_current_) {
    device_pool_->device()->copy_out(host_, block_, 0, bytes_);
    if (!is_device_adopted()) device_pool_->set_evictable(const_cast<Buffer*>(this), true);
  }
  host_current_.store(true, std::memory_order_release);
  return host_;
}

bool Buffer::fill_device(const void* data) {
  if (!pool_ || !pool_->device() || bytes_ < large) return false;
  std::lock_guard lock(mutex_);
  block_ = pool_->spare_device(bytes_, DeviceMemory::For::CopyIn);
  if (!block_.address) return false;
  device_pool_ = pool_;
  pool_->device()->copy_in(block_, data, bytes_);
  return device_current_ = true;
}

bool Buffer::read_device(size_t from, size_t bytes, void* to) const {
  constexpr int few_times = 64;
  const bool is_small = bytes <= small;
  if (host_current_.load(std::memory_order_acquire) || (!is_small && bytes < large)) return false;
  std::lock_guard lock(mutex_);
  if (host_current_ || !device_current_ || (is_small && small_reads_ == few_times)) return false;
  if (is_small) small_reads_++;
  device_pool_->device()->copy_out(to, block_, from, bytes);
  return true;
}

void Buffer::wait() const {
  if (host_current_.load(std::memory_order_acquire)) return;
  std::lock_guard lock(mutex_);
  if (!host_current_ && device_current_) device_pool_->device()->wait(block_);
}

std::byte* Buffer::host_for_writing() {
  if (pool_ && !pool_->device()) return const_cast<std::byte*>(host());  // a device has no copy
  std::lock_guard lock(mutex_);
  allocate_host();
  device_current_ = false;
  host_current_.store(true, std::memory_order_release);
  return host_;
}

void Buffer::allocate_on_device(const std::shared_ptr<Pool>& pool, DeviceMemory::For purpose) {
  if (block_.address) return;
  block_ = pool->allocate_device(bytes_, purpose);
  device_pool_ = pool;
}

Buffer::Lease Buffer::device(const BufferRef& buffer, const std::shared_ptr<Pool>& pool) {
  Buffer& b = *buffer;
  std::lock_guard lock(b.mutex_);
  b.allocate_on_device(pool, b.host_current_ ? DeviceMemory::For::CopyIn : DeviceMemory::For::Results);
  DeviceMemory& device = *pool->device();
  if (!b.device_current_) {
    if (b.host_current_) device.copy_in(b.block_, b.host_, b.bytes_);
    b.device_current_ = true;
    if (b.host_current_) pool->set_evictable(&b, true);
  }
  device.use(b.block_);
  b.leases_.fetch_add(1);
  return {buffer, b.block_.address};
}

Buffer::Lease Buffer::device_for_writing(const BufferRef& buffer, const std::shared_ptr<Pool>& pool) {
  Buffer& b = *buffer;
  std::lock_guard lock(b.mutex_);
  b.allocate_on_device(pool, DeviceMemory::For::Results);
  pool->device()->use(b.block_);
  pool->set_evictable(&b, false);
  b.device_current_ = true;
  b.host_current_.store(false, std::memory_order_release);
  b.leases_.fetch_add(1);
  return {buffer, b.block_.address};
}

bool Buffer::evict(DeviceMemory& device) noexcept {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || leases_.load() > 0 || !host_current_ || !block_.address) return false;
  device.release(block_);
  device_pool_->drop_idle(std::exchange(idle_, 0));
  block_ = {};
  device_current_ = false;
  return true;
}

}  // namespace wf
