#include "cpu/routines/scatter/column.h"

#include <type_traits>

namespace wf::cpu {

void read_indices(Type type, const std::byte* from, int64_t begin, int64_t count, int64_t* to) {
  visit(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      const T* indices = reinterpret_cast<const T*>(from) + begin;
      for (int64_t k = 0; k < count; k++) to[k] = int64_t(indices[k]);
    }
  });
}

void check_indices(const ScatterColumn& c) {
  if (!c.unchecked) return;
  c.unchecked->look_at_all();
  c.unchecked->require_none();
}

}  // namespace wf::cpu
