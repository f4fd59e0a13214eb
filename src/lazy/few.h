// A list that stores a few elements inside the object, and more on the heap. Most nodes have one or two inputs, and a graph may have millions
// of nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace wf {

// The number of elements inside the object: 8 bytes, unless a type says otherwise.
template <class T> inline constexpr uint32_t elements_within = sizeof(T) < 8 ? uint32_t(8 / sizeof(T)) : 1;

template <class T> class Few {
 public:
  Few() {
    if constexpr (sizeof bytes_ <= 64) std::memset(bytes_, 0, sizeof bytes_);  // for compilers; clearing more takes as long as a use
  }
  // The constructors delegate to Few(), so that an exception in one destroys the elements copied so far.
  Few(std::initializer_list<T> all) : Few() {
    for (const T& x : all) push_back(x);
  }
  Few(std::vector<T> all) : Few() {
    reserve(all.size());
    for (T& x : all) push_back(std::move(x));
  }
  Few(const Few& other) : Few() {
    reserve(other.size_);
    for (const T& x : other) push_back(x);
  }
  Few(Few&& other) noexcept : size_(std::exchange(other.size_, 0)), capacity_(std::exchange(other.capacity_, within)) {
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
  }
  Few& operator=(Few other) noexcept { return swap(other), *this; }
  ~Few() {
    clear();
    if (!is_inline()) std::allocator<T>().deallocate(many_, capacity_);
  }

  void reserve(size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  operator std::vector<T>() const { return {begin(), end()}; }
  bool operator==(const Few& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return is_inline() ? few() : many_; }
  T* end() { return begin() + size_; }
  const T* begin() const { return const_cast<Few*>(this)->begin(); }
  const T* end() const { return begin() + size_; }
  T& operator[](size_t k) { return begin()[k]; }
  const T& operator[](size_t k) const { return begin()[k]; }

  void resize(size_t size) {
    reserve(size);
    T* const first = begin();
    for (; size_ < size; size_++) std::construct_at(first + size_);
    while (size_ > size) std::destroy_at(begin() + --size_);
  }
  void push_back(T x) {
    if (size_ == capacity_) grow(2 * size_t(capacity_));
    std::construct_at(begin() + size_++, std::move(x));
  }
  void clear() { resize(0); }
  template <class P> void erase_if(P is_gone) { resize(size_t(std::remove_if(begin(), end(), is_gone) - begin())); }

 private:
  static constexpr uint32_t within = elements_within<T>;
  bool is_inline() const { return capacity_ == within; }
  T* few() { return reinterpret_cast<T*>(bytes_); }

  // Rare, so it is not inlined.
  [[gnu::noinline]] void grow(size_t capacity) {
    T* larger = std::allocator<T>().allocate(capacity);
    std::uninitialized_move(begin(), end(), larger);
    std::destroy(begin(), end());
    if (!is_inline()) std::allocator<T>().deallocate(many_, capacity_);
    many_ = larger;
    capacity_ = uint32_t(capacity);
  }

  // Elements may be moved as bytes.
  void swap(Few& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    unsigned char bytes[sizeof bytes_];  // std::swap of arrays goes byte by byte
    std::memcpy(bytes, bytes_, sizeof bytes_);
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
    std::memcpy(other.bytes_, bytes, sizeof bytes_);
  }

  uint32_t size_ = 0, capacity_ = within;
  union {
    alignas(8) unsigned char bytes_[sizeof(T) * within];
    T* many_;
  };
};

}  // namespace wf
