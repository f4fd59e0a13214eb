// The routine Join: pieces of the result in parallel, each copied part by part. A piece begins with a search for its first part.
#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/map.h"
#include "cpu/program/columns.h"
#include "cpu/routines/routines.h"
#include "cpu/routines/words.h"

namespace wf::cpu {
namespace {

constexpr int64_t joined_bytes = int64_t(1) << 18;  // of a piece; its parts of several rows stay in L2

// A column of the parts of each row of the result.
struct JoinedParts {
  std::vector<const std::byte*> data;
  std::vector<int64_t> ends;  // in a row, in bytes

  int64_t width() const { return ends.back(); }
  int64_t begin(size_t part) const { return part == 0 ? 0 : ends[part - 1]; }

  // Copies bytes [from, to) of a row.
  void copy_within(int64_t row, int64_t from, int64_t to, std::byte* out, bool streams) const {
    size_t part = size_t(std::upper_bound(ends.begin(), ends.end(), from) - ends.begin());
    for (; from < to; part++) {
      const int64_t first = begin(part), end = std::min(to, ends[part]);
      write_block(data[part] + row * (ends[part] - first) + (from - first), out + row * width() + from, end - from, streams);
      from = end;
    }
  }

  // Copies whole rows, part by part, so that rows of narrow parts are read line by line.
  void copy_rows(int64_t row, int64_t last, std::byte* out) const {
    for (size_t part = 0; part < data.size(); part++) {
      const int64_t first = begin(part), own = ends[part] - first;
      for (int64_t r = row; r < last; r++) std::memcpy(out + r * width() + first, data[part] + r * own, size_t(own));
    }
  }
};

void join_column(const JoinedParts& parts, int64_t rows, std::byte* out) {
  const int64_t width = parts.width(), bytes = rows * width;
  if (const int64_t together = std::min(rows, joined_bytes / width); together > 1)
    return for_pieces(rows, together, [&](int64_t begin, int64_t end) { parts.copy_rows(begin, end, out); });
  const bool streams = worth_streaming(2 * bytes);
  for_pieces(bytes, joined_bytes, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / width, stop = std::min(end, (row + 1) * width);
      parts.copy_within(row, begin - row * width, stop - row * width, out, streams);
      begin = stop;
    }
    if (streams) simd_tables().streams.fence();
  });
}

}  // namespace

void join(const RoutineCall& call, Launch& launch) {
  if (launch.n == 0) return;
  const auto rows = from_bits<int64_t>(call.parameters[0]);
  for (size_t c = 0; c < call.types.size(); c++) {
    const auto size = int64_t(size_of(call.types[c]));
    const std::vector<InputPart>& all = *launch.inputs[c].parts;
    JoinedParts parts;
    parts.data.reserve(all.size()), parts.ends.reserve(all.size());
    for (const InputPart& part : all) {
      parts.data.push_back(part.buffer->host() + part.offset * size);
      parts.ends.push_back(part.end / rows * size);
    }
    join_column(parts, rows, launch.outputs[c]->host_for_writing());
  }
}

}  // namespace wf::cpu
