#include "memory/buffer.h"

namespace wf {

BufferRef Buffer::make(std::shared_ptr<Pool> pool, size_t bytes) {
  BufferRef buffer(new Buffer);
  buffer->host_ = static_cast<std::byte*>(pool->allocate(bytes));
  buffer->bytes_ = buffer->capacity_ = bytes;
  buffer->pool_ = std::move(pool);
  return buffer;
}

BufferRef Buffer::adopt(const void* data, size_t bytes, std::function<void()> deleter, bool padded) {
  BufferRef buffer(new Buffer);
  buffer->host_ = static_cast<std::byte*>(const_cast<void*>(data));
  buffer->bytes_ = buffer->capacity_ = bytes;
  buffer->padded_ = padded;
  buffer->deleter_ = std::move(deleter);
  return buffer;
}

Buffer::~Buffer() {
  if (pool_) pool_->release(host_, capacity_);
  if (deleter_) deleter_();
}

void Buffer::shrink(size_t bytes) {
  bytes_ = bytes;
  if (pool_) capacity_ = pool_->shrink(host_, capacity_, bytes);
}

}  // namespace wf
