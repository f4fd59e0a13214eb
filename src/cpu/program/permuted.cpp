#include "cpu/program/permuted.h"

#include <algorithm>

#include "cpu/compiled_kernel.h"
#include "cpu/loops/lines.h"
#include "cpu/map.h"
#include "cpu/program/columns.h"
#include "cpu/routines/words.h"
#include "expr/terms.h"

namespace wf::cpu {
namespace {

constexpr int64_t fewest_permuted_bytes = int64_t(1) << 18;  // of the result
constexpr int64_t permuted_at_a_time = int64_t(1) << 17;     // that a worker claims at a time
constexpr int64_t longest_distance = int64_t(1) << 40;       // products with extents do not overflow

struct PermutedAxis {
  int64_t extent, from, to;  // the strides in the input and in the result
};

}  // namespace

std::optional<PermutedCopy> PermutedCopy::of(const Kernel& kernel) {
  if (!only_stores(kernel) || kernel.stores.size() != 1) return std::nullopt;
  const Fn& body = *kernel.body;
  const Term& at = body[body.results[kernel.stores[0].value]];
  if (at.kind != Kind::At || size_of(at.type) == 1) return std::nullopt;
  std::optional<Walk> walk = walk_of(body, body.args(at)[0]);
  const auto size = int64_t(size_of(at.type));
  if (!walk || walk->axes.size() < 2 || walk->shift != 0 || walk->axes[0].stride < bytes_of_line / size ||
      walk->axes[0].stride > longest_distance)
    return std::nullopt;
  if (std::ranges::none_of(walk->axes, [](const Walk::Axis& axis) { return axis.stride == 1; })) return std::nullopt;
  return PermutedCopy(*std::move(walk), at.slot, size);
}

bool PermutedCopy::run(const Launch& launch) const {
  const int64_t side = bytes_of_line / size_;
  if (launch.n * size_ < fewest_permuted_bytes || launch.in_place || launch.begin != 0) return false;
  std::vector<PermutedAxis> axes;
  int64_t below = 1;
  for (const Walk::Axis& axis : walk_.axes) {
    const bool is_last = axes.size() + 1 == walk_.axes.size();
    if (is_last && launch.n % below != 0) return false;
    axes.push_back({is_last ? launch.n / below : axis.extent, axis.stride, below});
    below *= axes.back().extent;
  }
  const InputBuffer& input = launch.inputs[slot_];
  const auto bounds = bounds_of(walk_, launch.n);
  if (below != launch.n || !bounds || bounds->low < 0 || bounds->high >= input.length) return false;
  const PermutedAxis inner = axes[0];
  const auto found = std::ranges::find_if(axes, [&](const PermutedAxis& axis) { return axis.from == 1 && axis.extent >= side; });
  if (found == axes.end() || inner.extent < side) return false;
  const PermutedAxis across = *found;
  axes.erase(found);
  axes.erase(axes.begin());

  const auto* const from = input.buffer->host() + (input.offset + walk_.base) * size_;
  std::byte* const to = launch.outputs[0]->host_for_writing();
  const bool streams = worth_streaming(traffic_bytes(launch));
  // Pieces are strips of rows of the result, as wide as a line, and parts of long strips. The last ones have what is left, too: a strip's second
  // square overlaps the first one.
  const int64_t part = permuted_at_a_time / side / side * side;
  const int64_t strips = inner.extent / side, parts = std::max<int64_t>(1, across.extent / part);
  auto copy_strip = [&](int64_t first, int64_t at, int64_t out, int64_t count) {
    simd_tables().streams.transpose(size_, from + (at + first * inner.from) * size_, inner.from, to + (out + first) * size_, across.to,
                                    count, streams);
  };
  for_pieces(launch.n / (inner.extent * across.extent) * strips * parts,
             std::max<int64_t>(1, permuted_at_a_time / (side * std::min(part, across.extent))), [&](int64_t begin, int64_t end) {
               for (int64_t k = begin; k < end; k++) {
                 const int64_t number = k % parts, strip = k / parts % strips, row = number * part;
                 const int64_t count = number + 1 < parts ? part : across.extent - row;
                 int64_t rest = k / parts / strips, at = row, out = row * across.to;
                 for (const PermutedAxis& axis : axes) {
                   at += rest % axis.extent * axis.from, out += rest % axis.extent * axis.to;
                   rest /= axis.extent;
                 }
                 copy_strip(strip * side, at, out, count);
                 if (strip + 1 == strips && inner.extent % side != 0) copy_strip(inner.extent - side, at, out, count);
               }
               if (streams) simd_tables().streams.fence();
             });
  return true;
}

}  // namespace wf::cpu
