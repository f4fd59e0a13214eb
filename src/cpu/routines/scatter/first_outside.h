// The check of a scatter's indices.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ops/types.h"

namespace wf::cpu {

// The first of n indices that is outside [0, m), found by several workers.
class FirstOutside {
 public:
  FirstOutside(Type type, const std::byte* indices, int64_t n, int64_t m) : type_(type), indices_(indices), n_(n), m_(m), first_(n) {}

  // Looks at indices [begin, end). Returns true if one of them is outside.
  bool look(int64_t begin, int64_t end);
  // Throws RangeError if an index that was looked at is outside.
  void require_none() const;
  // Looks at all indices, in several threads.
  void look_at_all();

 private:
  int64_t first_in(int64_t begin, int64_t end) const;

  const Type type_;
  const std::byte* const indices_;
  const int64_t n_, m_;
  std::atomic<int64_t> first_;
};

}  // namespace wf::cpu
