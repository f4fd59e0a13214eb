#include "gradients/gradients.h"

#include <cstdio>

#include "works.h"

namespace bench {

void values_and_gradients(Bench& bench, int64_t n) {
  const warpfold::ContextScope scope(warpfold::Context(bench.options().context));
  const size_t first = bench.rows().size();
  gradients::sequences(bench, n);
  gradients::arrays(bench, n);
  std::printf("gradients: milliseconds of the value, of the value and its gradient, and their ratio\n");
  const std::span<const Row> rows = std::span(bench.rows()).subspan(first);
  for (size_t k = 0; k + 1 < rows.size(); k += 2)
    std::printf("  %-34s %11lld %10.4g %10.4g %6.2f\n", rows[k].work.c_str(), static_cast<long long>(rows[k].n), rows[k + 1].ms, rows[k].ms,
                rows[k].ms / rows[k + 1].ms);
}

}  // namespace bench
