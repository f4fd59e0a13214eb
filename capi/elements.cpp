#include "elements.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cpu/chunks.h"
#include "ops/meaning.h"

namespace wf::capi {

namespace {

// A caller's bool is read as a byte, since it may be neither 0 nor 1.
template <class T> struct Stored { using type = T; };
template <> struct Stored<bool> { using type = uint8_t; };

template <class To, class From> To converted(typename Stored<From>::type x) {
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

void copy_run(const Elements& to, const Elements& from, int64_t n) {
  if (to.type == from.type && to.type != Type::Bool && to.stride == 1 && from.stride == 1) {
    std::memcpy(to.data, from.data, size_t(n) * size_of(to.type));
    return;
  }
  visit(to.type, [&](auto to_tag) {
    visit(from.type, [&](auto from_tag) {
      using To = typename decltype(to_tag)::type;
      using From = typename decltype(from_tag)::type;
      copy_converted<To, From>(static_cast<To*>(to.data), to.stride, static_cast<const typename Stored<From>::type*>(from.data),
                               from.stride, n);
    });
  });
}

Elements behind(const Elements& all, int64_t k) {
  return {static_cast<std::byte*>(all.data) + k * all.stride * int64_t(size_of(all.type)), all.type, all.stride};
}

}  // namespace

// All cores share a large copy: on one core, the page faults of fresh memory take longer than the copy.
void copy_elements(const Elements& to, const Elements& from, int64_t n) {
  constexpr int64_t piece = 1 << 18;
  if (n <= 0) return;
  if (n < 4 * piece) return copy_run(to, from, n);
  cpu::Chunks pieces((n + piece - 1) / piece);
  cpu::for_chunks(pieces, cpu::worker_count(), [&](int) {
    for (int64_t k; (k = pieces.next()) >= 0;) copy_run(behind(to, k * piece), behind(from, k * piece), std::min(piece, n - k * piece));
  });
}

int64_t first_non_bool(const void* data, int64_t n) {
  auto* bytes = static_cast<const uint8_t*>(data);
  auto* found = std::find_if(bytes, bytes + n, [](uint8_t x) { return x > 1; });
  return found == bytes + n ? -1 : found - bytes;
}

}  // namespace wf::capi
