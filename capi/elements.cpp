#include "elements.h"

#include <algorithm>
#include <cstring>

#include "ops/meaning.h"

namespace wf::capi {

namespace {

// A bool from outside is read as the byte that it is.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<bool> {
  using type = uint8_t;
};

template <class To, class From>
To converted(typename Stored<From>::type x) {
  if constexpr (std::is_same_v<From, bool>) return meaning::convert<To>(x != 0);
  else return meaning::convert<To>(x);
}

template <class To, class From>
void copy_converted(To* to, int64_t to_stride, const typename Stored<From>::type* from, int64_t from_stride, int64_t n) {
  if (to_stride == 1 && from_stride == 1)
    for (int64_t k = 0; k < n; k++) to[k] = converted<To, From>(from[k]);
  else
    for (int64_t k = 0; k < n; k++) to[k * to_stride] = converted<To, From>(from[k * from_stride]);
}

}  // namespace

void copy_elements(const Elements& to, const Elements& from, int64_t n) {
  if (n <= 0) return;
  if (to.type == from.type && to.type != Type::Bool && to.stride == 1 && from.stride == 1) {
    std::memcpy(to.data, from.data, size_t(n) * size_of(to.type));
    return;
  }
  visit(to.type, [&](auto to_tag) {
    visit(from.type, [&](auto from_tag) {
      using To = typename decltype(to_tag)::type;
      using From = typename decltype(from_tag)::type;
      copy_converted<To, From>(static_cast<To*>(to.data), to.stride,
                               static_cast<const typename Stored<From>::type*>(from.data), from.stride, n);
    });
  });
}

int64_t first_non_bool(const void* data, int64_t n) {
  auto* bytes = static_cast<const uint8_t*>(data);
  auto* found = std::find_if(bytes, bytes + n, [](uint8_t x) { return x > 1; });
  return found == bytes + n ? -1 : found - bytes;
}

}  // namespace wf::capi
