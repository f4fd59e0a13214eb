#include "cpu/routines/scatter/first_outside.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "cpu/routines/scatter/column.h"
#include "cpu/routines/words.h"
#include "engine/index_error.h"

namespace wf::cpu {
namespace {

constexpr int64_t checked_grain = 1 << 16;  // indices that a worker looks at together

// The number of indices before the first one outside [0, m). m > 0. An index x is outside if the sign bit of x or of last - x is set, which is true of
// some that are inside if `last` has that bit.
template <class T> int64_t count_in_range(const T* indices, int64_t count, int64_t m) {
  using Word = std::make_unsigned_t<T>;  // in which negative numbers are greater than others
  const auto last = Word(std::min(uint64_t(m) - 1, uint64_t(std::numeric_limits<T>::max())));
  for (int64_t begin = 0; begin < count; begin += indices_at_once) {
    const int64_t end = std::min(count, begin + indices_at_once);
    Word signs = 0;
    for (int64_t k = begin; k < end; k++) signs |= Word(indices[k]) | Word(last - Word(indices[k]));
    if (signs >> (8 * sizeof(T) - 1) == 0) continue;
    const int64_t at = std::find_if(indices + begin, indices + end, [&](T k) { return Word(k) > last; }) - indices;
    if (at < end) return at;
  }
  return count;
}

}  // namespace

bool FirstOutside::look(int64_t begin, int64_t end) {
  const int64_t at = first_in(begin, end);
  if (at == end) return false;
  for (int64_t known = first_; at < known && !first_.compare_exchange_weak(known, at);) {}
  return true;
}

void FirstOutside::require_none() const {
  if (first_ == n_) return;
  int64_t index = 0;
  read_indices(type_, indices_, first_, 1, &index);
  throw_index_error(index, first_, m_);
}

void FirstOutside::look_at_all() {
  for_pieces(n_, checked_grain, [&](int64_t begin, int64_t end) { look(begin, end); });
}

// The first one outside in [begin, end), or end.
int64_t FirstOutside::first_in(int64_t begin, int64_t end) const {
  if (m_ == 0) return begin;
  return visit(type_, [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return begin + count_in_range(reinterpret_cast<const T*>(indices_) + begin, end - begin, m_);
    else return end;
  });
}

}  // namespace wf::cpu
