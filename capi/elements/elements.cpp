#include "elements/elements.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cpu/loops/loops.h"
#include "cpu/threads/chunks.h"
#include "lazy/arrays/view.h"

namespace wf::capi {

namespace {

Elements behind(const Elements& all, int64_t k) {
  return {static_cast<std::byte*>(all.data) + k * all.stride * int64_t(size_of(all.type)), all.type, all.stride};
}

template <size_t bytes> void copy_bytes(const Elements& to, const Elements& from, int64_t n) {
  auto* out = static_cast<std::byte*>(to.data);
  auto* in = static_cast<const std::byte*>(from.data);
  const int64_t out_step = to.stride * int64_t(bytes), in_step = from.stride * int64_t(bytes);
  for (int64_t k = 0; k < n; k++) std::memcpy(out + k * out_step, in + k * in_step, bytes);
}

// Both have one type. A caller's bool is read as a byte, since it may be neither 0 nor 1.
void copy_same(const Elements& to, const Elements& from, int64_t n) {
  const size_t size = size_of(to.type);
  if (to.type == Type::Bool)
    for (int64_t k = 0; k < n; k++)
      static_cast<bool*>(to.data)[k * to.stride] = static_cast<const uint8_t*>(from.data)[k * from.stride] != 0;
  else if (to.stride == 1 && from.stride == 1) std::memcpy(to.data, from.data, size_t(n) * size);
  else if (size == 1) copy_bytes<1>(to, from, n);
  else if (size == 4) copy_bytes<4>(to, from, n);
  else copy_bytes<8>(to, from, n);
}

// The engine's loops convert whole tiles; others are converted in a tile on the stack.
void copy_converted(const Elements& to, const Elements& from, int64_t n) {
  using cpu::tile;
  const cpu::Loop cast = cpu::loops().cast[int(from.type)][int(to.type)];
  int64_t k = 0;
  if (to.stride == 1 && from.stride == 1 && from.type != Type::Bool) {
    const cpu::Operand operand{from.data, tile * int64_t(size_of(from.type))};
    cast(to.data, &operand, n / tile);
    k = n / tile * tile;
  }
  alignas(64) std::byte source[8 * tile] = {}, result[8 * tile];
  const cpu::Operand operand{source, 0};
  for (; k < n; k += tile) {
    const int64_t count = std::min(tile, n - k);
    copy_same({source, from.type}, behind(from, k), count);
    cast(result, &operand, 1);
    copy_same(behind(to, k), {result, to.type}, count);
  }
}

void copy_run(const Elements& to, const Elements& from, int64_t n) {
  if (to.type == from.type) copy_same(to, from, n);
  else copy_converted(to, from, n);
}

}  // namespace

// All cores share a large copy: on one core, the page faults of fresh memory take longer than the copy.
void copy_elements(const Elements& to, const Elements& from, int64_t n) {
  constexpr int64_t piece = 1 << 18;
  if (n <= 0) return;
  if (n < 4 * piece) return copy_run(to, from, n);
  cpu::Chunks pieces((n + piece - 1) / piece, cpu::worker_count());
  cpu::for_chunks(pieces, cpu::worker_count(), [&](int worker) {
    for (int64_t k; (k = pieces.next(worker)) >= 0;)
      copy_run(behind(to, k * piece), behind(from, k * piece), std::min(piece, n - k * piece));
  });
}

// One copy per run along the innermost of the merged axes.
void copy_array(const Elements& to, const Elements& from, std::span<const int64_t> extents, std::span<const int64_t> strides) {
  std::vector<Axis> axes = length_of(extents) == 0 ? std::vector<Axis>{{0, 1}} : merged_axes(extents, strides);
  if (axes.empty()) axes = {{1, 1}};
  const Axis inner = axes.back();
  axes.pop_back();
  std::vector<int64_t> index(axes.size());
  int64_t written = 0, at = 0;
  for (bool goes_on = true; goes_on;) {
    const Elements run = behind(from, at);
    copy_elements(behind(to, written), {run.data, run.type, inner.stride}, inner.extent);
    written += inner.extent;
    goes_on = false;
    for (size_t k = axes.size(); k-- > 0 && !goes_on;) {
      at += axes[k].stride;
      goes_on = ++index[k] < axes[k].extent;
      if (!goes_on) at -= axes[k].stride * std::exchange(index[k], 0);
    }
  }
}

int64_t first_non_bool(const void* data, int64_t n) {
  auto* bytes = static_cast<const uint8_t*>(data);
  auto* found = std::find_if(bytes, bytes + n, [](uint8_t x) { return x > 1; });
  return found == bytes + n ? -1 : found - bytes;
}

}  // namespace wf::capi
