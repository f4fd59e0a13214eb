// Sequences of many pieces: append, flatten, sums of them, and elements of them.

#include <cstring>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

using warpfold::Seq;

void pieces(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const Array<int32_t> input(std::max<int64_t>(1, n / 16), [](int64_t i) { return int32_t(random_bits(uint64_t(i))); });
  const int64_t m = input.size();
  std::vector<int32_t> out(static_cast<size_t>(m));
  for (const int64_t count : {int64_t(64), int64_t(4096)}) {
    if (count > m) continue;
    std::vector<Seq<int32_t>> parts;
    for (int64_t k = 0; k < count; k++)
      parts.emplace_back(input.view().subspan(size_t(m * k / count), size_t(m * (k + 1) / count - m * k / count)), context);
    Seq<int32_t> result;
    const auto is_right = [&](std::span<const int32_t> x) { return all_equal(x, input.view()); };
    Race race(bench, {"append", "i32, " + std::to_string(count) + " pieces", m, 8 * m});
    race.enter_warpfold([&] { result = complete(append(parts)); }, [&] { return is_right(result.span()); });
    race.enter(
        "memcpy of each on threads",
        [&] {
          in_parts(count, [&](int64_t begin, int64_t end) {
            std::memcpy(out.data() + m * begin / count, input.data() + m * begin / count,
                        size_t(m * end / count - m * begin / count) * sizeof(int32_t));
          });
        },
        [&] { return is_right(out); });
    race.finish();
  }
}

}  // namespace bench::ordinary
