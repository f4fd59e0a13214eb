#include "cuda/device/device.h"

#include <signal.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <thread>

#include "engine/engine.h"
#include "engine/span.h"
#include "expr/of_thread.h"

namespace wf::cuda {

std::shared_ptr<Device> Device::open(const DriverTable& driver, int number) {
  static std::mutex mutex;
  // Devices are never destroyed: at exit the driver may be unloaded before a destructor here runs.
  static auto& devices = *new std::map<std::pair<const DriverTable*, int>, std::shared_ptr<Device>>;
  std::lock_guard lock(mutex);
  std::shared_ptr<Device>& device = devices[{&driver, number}];
  if (!device) {
    device.reset(new Device(driver, number));
    device->prepare();
  }
  return device;
}

void Device::prepare() {
  Queue& mine = queue();
  mine.results(1);
  mine.scratch(1);
  check(driver().cuStreamSynchronize(mine.stream), "preparing a stream");
}

Device::Device(const DriverTable& d, int number) : number_(number), context_{&d} {
  int count = 0;
  check(d.cuDeviceGetCount(&count), "counting devices");
  if (number >= count) throw DeviceError("there is no " + name() + "; the driver reports " + std::to_string(count) + " devices");
  check(d.cuDeviceGet(&device_, number), "opening the device");
  auto attribute = [&](int which) {
    int value = 0;
    check(d.cuDeviceGetAttribute(&value, which, device_), "reading the device's attributes");
    return value;
  };
  char model[256] = {};
  check(d.cuDeviceGetName(model, sizeof model, device_), "reading the device's name");
  model_ = model;
  architecture_ = d.architecture(d, device_);
  multiprocessors_ = attribute(attribute_multiprocessors);
  threads_per_multiprocessor_ = attribute(attribute_threads_per_multiprocessor);
  shared_memory_ = size_t(attribute(attribute_shared_optin)) - static_shared_bytes;
  check(d.cuDevicePrimaryCtxRetain(&context_.handle, device_), "opening the device's primary context");
  check(d.cuDeviceGetDefaultMemPool(&pool_, device_), "opening the device's memory pool");
  staging_ = std::make_unique<Staging>(context_);
  uint64_t keep_all = ~uint64_t(0);
  check(driver().cuMemPoolSetAttribute(pool_, pool_release_threshold, &keep_all), "setting up the device's memory pool");
}

// ---- queues ------------------------------------------------------------------------------------------------------------------

struct Device::ThreadQueues {
  std::vector<std::pair<Device*, Queue*>> queues;
  ~ThreadQueues() {
    for (auto [device, queue] : queues) device->give_queue(queue);
  }
};

Queue& Device::queue() {
  static constinit thread_local OfThread<ThreadQueues> of_thread;
  ThreadQueues& mine = of_thread.get();
  for (auto [device, queue] : mine.queues)
    if (device == this) return *queue;
  mine.queues.emplace_back(this, take_queue());
  return *mine.queues.back().second;
}

Queue* Device::take_queue() {
  std::lock_guard lock(queues_mutex_);
  if (!idle_.empty()) {
    Queue* queue = idle_.back();
    idle_.pop_back();
    return queue;
  }
  if (queues_.size() + (copies_ ? 0 : 1) < most_queues) return new_queue();
  Queue* shared = queues_[next_shared_++ % queues_.size()].get();
  return shared != copies_ ? shared : queues_[next_shared_++ % queues_.size()].get();
}

Queue* Device::new_queue() {
  auto queue = std::make_unique<Queue>(context_);
  queue->number = uint32_t(queues_.size());
  check(driver().cuStreamCreate(&queue->stream, stream_non_blocking), "creating a stream");
  check(driver().cuEventCreate(&queue->event, event_no_timing), "creating an event");
  by_number_[queue->number] = queue.get();
  queues_.push_back(std::move(queue));
  return queues_.back().get();
}

void Device::give_queue(Queue* queue) noexcept {
  std::lock_guard lock(queues_mutex_);
  if (std::ranges::find(idle_, queue) != idle_.end()) return;
  try {
    idle_.push_back(queue);
  } catch (const std::bad_alloc&) {}
}

Queue& Device::copies() {
  if (Queue* known = copies_) return *known;
  std::lock_guard lock(queues_mutex_);
  if (!copies_) copies_ = new_queue();
  return *copies_;
}

void Device::order(Queue& queue, Queue& other) {
  if (&queue == &other) return;
  check(driver().cuEventRecord(other.event, other.stream), "recording an event");
  check(driver().cuStreamWaitEvent(queue.stream, other.event, 0), "waiting for an event");
}

// ---- times -------------------------------------------------------------------------------------------------------------------

CUevent Device::take_timer() {
  std::lock_guard lock(timers_mutex_);
  if (timers_.empty()) {
    CUevent timer = nullptr;
    check(driver().cuEventCreate(&timer, 0), "creating an event");
    timers_.reserve(timers_.capacity() + 1);  // so that give_timer does not allocate
    return timer;
  }
  CUevent timer = timers_.back();
  timers_.pop_back();
  return timer;
}

void Device::give_timer(CUevent timer) noexcept {
  std::lock_guard lock(timers_mutex_);
  timers_.push_back(timer);
}

Timing::Timing(Device& device, Queue& queue) : device_(device), start_(device.take_timer()), stop_(device.take_timer()) {
  check(queue.driver().cuEventRecord(start_, queue.stream), "recording an event");
}

Timing::~Timing() {
  device_.give_timer(start_);
  device_.give_timer(stop_);
}

void Timing::stop(Queue& queue) { check(queue.driver().cuEventRecord(stop_, queue.stream), "recording an event"); }

double Timing::seconds() {
  const ContextDriver& d = device_.driver();
  check(d.cuEventSynchronize(stop_), "waiting for an event");
  float milliseconds = 0;
  check(d.cuEventElapsedTime(&milliseconds, start_, stop_), "reading a time");
  return milliseconds * 1e-3;
}

// ---- memory ------------------------------------------------------------------------------------------------------------------

DeviceMemory::Block Device::allocate(size_t bytes, For purpose) {
  Queue& mine = purpose == For::CopyIn && bytes >= Staging::least ? copies() : queue();
  Block block;
  block.bytes = FreeBlocks::size_for(bytes);
  block.writer = mine.number;
  block.users = block.ordered = mine.bit();
  CUdeviceptr address = mine.blocks.take(block.bytes);
  if (!address) {
    free_released();
    const CUresult result = driver().cuMemAllocAsync(&address, block.bytes, mine.stream);
    if (result == out_of_memory) return {};
    check(result, "allocating device memory");
  }
  block.address = reinterpret_cast<void*>(address);
  return block;
}

void Device::release(const Block& block) noexcept {
  const auto leave = [&](const Block& left) {
    std::lock_guard lock(released_mutex_);
    try {
      released_.push_back(left);
    } catch (const std::bad_alloc&) {
      // The block is leaked; nothing else is affected.
    }
  };
  if (!std::has_single_bit(block.users)) return leave(block);
  // The queue's blocks have no other users.
  by_number_[block.writer].load()->blocks.put({reinterpret_cast<CUdeviceptr>(block.address), block.bytes},
                                              [&](const FreeBlocks::Block& old) {
                                                Block left = block;
                                                left.address = reinterpret_cast<void*>(old.address), left.bytes = old.size;
                                                leave(left);
                                              });
}

void Device::free_released() {
  std::vector<Block> blocks;
  {
    std::lock_guard lock(released_mutex_);
    blocks.swap(released_);
  }
  for (const Block& block : blocks) {
    // The block is freed in one of its users' queues, after the others. Users of copied data already run after the copy, so the queue of
    // copies is not waited for.
    uint64_t users = block.users;
    if (Queue* copies = copies_; copies && users != copies->bit()) users &= ~copies->bit();
    Queue& last = *by_number_[std::countr_zero(users)].load();
    for (uint32_t number = 0; number < most_queues; number++)
      if (users >> number & 1) order(last, *by_number_[number].load());
    check(driver().cuMemFreeAsync(reinterpret_cast<CUdeviceptr>(block.address), last.stream), "freeing device memory");
  }
}

size_t Device::cached() const noexcept try {
  uint64_t reserved = 0, used = 0;
  if (driver().cuMemPoolGetAttribute(pool_, pool_reserved_current, &reserved) != 0) return 0;
  if (driver().cuMemPoolGetAttribute(pool_, pool_used_current, &used) != 0) return 0;
  std::lock_guard lock(released_mutex_);
  size_t bytes = size_t(reserved - used);
  for (const Block& block : released_) bytes += block.bytes;
  for (const auto& queue : by_number_)
    if (queue.load()) bytes += queue.load()->blocks.bytes();
  return bytes;
} catch (const std::exception&) { return 0; }

// Memory that was freed in a queue is available once the queue has executed the call.
size_t Device::trim() noexcept {
  try {
    uint64_t before = 0, after = 0;
    check(driver().cuMemPoolGetAttribute(pool_, pool_reserved_current, &before), "reading the pool's size");
    free_released();
    for (auto& by_number : by_number_)
      if (Queue* queue = by_number.load()) {
        for (CUdeviceptr block : queue->blocks.clear()) check(driver().cuMemFreeAsync(block, queue->stream), "freeing device memory");
        check(driver().cuStreamSynchronize(queue->stream), "waiting for a stream");
      }
    check(driver().cuMemPoolTrimTo(pool_, 0), "trimming the device's memory pool");
    check(driver().cuMemPoolGetAttribute(pool_, pool_reserved_current, &after), "reading the pool's size");
    return size_t(before - after);
  } catch (const std::exception&) { return 0; }
}

void Device::use(Block& block) {
  Queue& mine = queue();
  if (!(block.ordered & mine.bit())) order(queue(), *by_number_[block.writer].load());
  block.ordered |= mine.bit();
  block.users |= mine.bit();
}

void Device::wrote(Block& block) {
  block.writer = queue().number;
  block.ordered = queue().bit();
}

void Device::copy(Block& to, Block& from, size_t bytes) {
  if (bytes == 0) return;
  use(from);
  use(to);
  check(driver().cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(to.address), reinterpret_cast<CUdeviceptr>(from.address), bytes,
                                   queue().stream),
        "copying on the device");
  wrote(to);
}

// Copies in the calling thread's queue, or in the queue of copies if the block was allocated there. The driver stages small pageable
// copies before it returns. Pinned memory, which may contain a small block, is not staged, so a small copy is staged here first.
void Device::copy_in(Block& block, const void* host, size_t bytes) {
  if (bytes == 0) return;
  const Span span("copy", [&] { return std::to_string(bytes) + " bytes to the device"; });
  constexpr size_t small = 1024;
  Queue* into = &queue();
  if (const Queue* copies = copies_; copies && block.users == copies->bit()) {
    into = copies_;
  } else {
    use(block);
    wrote(block);
  }
  const CUdeviceptr to = reinterpret_cast<CUdeviceptr>(block.address);
  if (bytes >= Staging::least && staging_->copy_in(to, host, bytes, into->stream, into->event)) return;
  unsigned char aside[small];
  if (bytes <= small) std::memcpy(aside, host, bytes);
  check(driver().cuMemcpyHtoDAsync(to, bytes <= small ? aside : host, bytes, into->stream), "copying to the device");
  if (bytes > small) check(driver().cuStreamSynchronize(into->stream), "copying to the device");
}

void Device::copy_out(void* host, Block& block, size_t from, size_t bytes) {
  if (bytes == 0) return;
  const Span span("copy", [&] { return std::to_string(bytes) + " bytes from the device"; });
  use(block);
  Queue& mine = queue();
  const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(block.address) + from;
  if (bytes >= Staging::least && staging_->copy_out(host, address, bytes, mine.stream, mine.event)) return;
  check(driver().cuMemcpyDtoHAsync(host, address, bytes, mine.stream), "copying from the device");
  check(driver().cuStreamSynchronize(mine.stream), "copying from the device");
}

void Device::wait(const Block& block) {
  const Span span("wait");
  check(driver().cuStreamSynchronize(by_number_[block.writer].load()->stream), "waiting for a kernel");
}

// ---- memory and streams of other libraries -----------------------------------------------------------------------------------

DeviceMemory::Block Device::adopt(void* address, size_t bytes) {
  std::call_once(gives_back_, [this] {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { give_back(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
  const Queue& mine = queue();
  return {address, bytes, mine.number, mine.bit(), mine.bit()};
}

void Device::release_adopted(const Block& block, std::function<void()> done) noexcept {
  try {
    std::lock_guard lock(adopted_mutex_);
    adopted_.push_back({block.users, std::move(done)});
  } catch (const std::bad_alloc&) {
    // The block is leaked; nothing else is affected.
  }
  adopted_changed_.notify_one();
}

void Device::give_back() {
  for (;;) {
    std::vector<Adopted> all;
    {
      std::unique_lock lock(adopted_mutex_);
      adopted_changed_.wait(lock, [&] { return !adopted_.empty(); });
      all.swap(adopted_);
    }
    for (const Adopted& block : all) {
      try {
        for (uint32_t number = 0; number < most_queues; number++)
          if (block.users >> number & 1) driver().cuStreamSynchronize(by_number_[number].load()->stream);
      } catch (const DeviceError&) {
        // The driver has ended, and with it the block's users.
      }
      block.done();
    }
  }
}

void Device::order(CUstream stream, CUstream other) {
  const CUevent event = take_timer();
  const CUresult recorded = driver().cuEventRecord(event, other);
  const CUresult waits = recorded ? recorded : driver().cuStreamWaitEvent(stream, event, 0);
  give_timer(event);
  check(waits, "waiting for another library's stream");
}

void Device::wait_for(void* stream) { order(queue().stream, static_cast<CUstream>(stream)); }
void Device::let_wait(void* stream) {
  const Queue& mine = queue();
  order(static_cast<CUstream>(stream), mine.stream);
}

}  // namespace wf::cuda
