#include "lazy/shape.h"

#include <algorithm>

namespace wf {

int64_t length_of(std::span<const int64_t> extents) {
  if (std::ranges::count(extents, 0) > 0) return 0;
  int64_t length = 1;
  for (int64_t n : extents)
    if (__builtin_mul_overflow(length, n, &length)) return -1;
  return length;
}

std::string text_of(std::span<const int64_t> extents) {
  if (extents.empty()) return "rank 0";
  std::string text;
  for (int64_t n : extents) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

Shape Shape::of(std::span<const int64_t> extents) {
  if (extents.empty()) return scalar();
  if (extents.size() == 1) return vector(extents[0]);
  auto* list = new List{1, wf::length_of(extents), {}};
  std::ranges::copy(extents, list->extents);
  Shape shape;
  shape.list_ = list;
  shape.rank_ = int32_t(extents.size());
  return shape;
}

void Shape::release() {
  if (list_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete list_;
}

bool Shape::operator==(const Shape& other) const { return std::ranges::equal(extents(), other.extents()); }

}  // namespace wf
