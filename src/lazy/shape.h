// The shape of a sequence: its extent along each axis. A scalar has rank 0. The elements of any rank are in row-major order: the last index
// counts fastest.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace wf {

// Ranks 0 and 1 occupy no memory but the object's own 16 bytes. Equal lists of extents may be different objects.
class Shape {
 public:
  static constexpr int most_axes = 8;

  Shape() = default;  // of a scalar
  static Shape scalar() { return {}; }
  static Shape vector(int64_t n) { return Shape(1, n); }
  // At most most_axes extents, whose product fits in 64 bits (see length_of).
  static Shape of(std::span<const int64_t> extents);

  Shape(const Shape& other) : rank_(other.rank_), length_(other.length_) {
    if (has_list()) list_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Shape(Shape&& other) noexcept : rank_(std::exchange(other.rank_, 0)), length_(std::exchange(other.length_, 1)) {}
  Shape& operator=(Shape other) noexcept { return std::swap(rank_, other.rank_), std::swap(length_, other.length_), *this; }
  ~Shape() {
    if (has_list()) release();
  }

  int rank() const { return rank_; }
  // The number of elements.
  int64_t length() const { return has_list() ? list_->length : length_; }
  // Valid as long as the shape is.
  std::span<const int64_t> extents() const { return {has_list() ? list_->extents : &length_, size_t(rank_)}; }
  bool operator==(const Shape& other) const;

 private:
  struct List {
    std::atomic<int64_t> references;
    int64_t length;
    int64_t extents[most_axes];
  };
  Shape(int32_t rank, int64_t length) : rank_(rank), length_(length) {}
  bool has_list() const { return rank_ > 1; }
  void release();

  int32_t rank_ = 0;
  union {
    int64_t length_ = 1;
    List* list_;  // of rank 2 or more
  };
};

// The product of the extents, or -1 if it does not fit in 64 bits. An extent 0 makes it 0, whatever the others are.
int64_t length_of(std::span<const int64_t> extents);

// "3 x 4"; "rank 0" without extents
std::string text_of(std::span<const int64_t> extents);

}  // namespace wf
