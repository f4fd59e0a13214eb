// The numbers of segments: pieces of positions in parallel. A piece begins with a search for its first segment.
#include <algorithm>
#include <atomic>

#include "cpu/loops/segment_numbers.h"
#include "cpu/routines/routines.h"
#include "cpu/routines/words.h"
#include "engine/index_error.h"
#include "engine/segment_offsets.h"

namespace wf::cpu {
namespace {

constexpr int64_t ids_grain = 1 << 14, offsets_grain = 1 << 15;

// Throws RangeError for the first offset that does not cut n elements into segments.
void require_segment_offsets(const int64_t* offsets, int64_t count, int64_t n, bool lacks_end) {
  const int64_t last = lacks_end ? count : count - 1;
  auto wrong = [&](int64_t k) { return wrong_offset(offsets[std::max<int64_t>(k - 1, 0)], offsets[k], k == 0, k == last, n); };
  std::atomic<int64_t> first = count;
  for_pieces(count, offsets_grain, [&](int64_t begin, int64_t end) {
    bool in_order = !wrong(begin) && !wrong(end - 1);
    for (int64_t k = begin + 1; k < end; k++) in_order &= offsets[k - 1] <= offsets[k];
    if (in_order) return;  // from 0 on to n
    int64_t at = begin;
    while (at < end && !wrong(at)) at++;
    for (int64_t known = first; at < end && at < known && !first.compare_exchange_weak(known, at);) {}
  });
  if (first == count) return;
  const WrongIndex found = *wrong(first);
  throw_index_error(found.index, first, found.length);
}

}  // namespace

void check_offsets(const InputBuffer& offsets, bool lacks_end, int64_t n) {
  const auto* first = reinterpret_cast<const int64_t*>(offsets.buffer->host()) + offsets.offset;
  require_segment_offsets(first, offsets.length, n, lacks_end);
}

void segment_ids(const RoutineCall& call, Launch& launch) {
  if (launch.n == 0) return;  // no id needs an offset
  const InputBuffer& input = launch.inputs[0];
  const auto* offsets = reinterpret_cast<const int64_t*>(input.buffer->host()) + input.offset;
  const int64_t count = input.length, segments = call.routine.lacks_end ? count : count - 1, n = launch.n;
  require_segment_offsets(offsets, count, n, call.routine.lacks_end);
  std::byte* const out = launch.outputs[0]->host_for_writing();
  for_pieces(n, ids_grain, [&](int64_t begin, int64_t end) {
    const int64_t first = segment_of(offsets, segments, begin);
    if (call.types[0] == Type::I32) number_positions(offsets, segments, first, begin, end, reinterpret_cast<int32_t*>(out) + begin);
    else number_positions(offsets, segments, first, begin, end, reinterpret_cast<int64_t*>(out) + begin);
  });
}

}  // namespace wf::cpu
