#include "ordinary/ordinary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "works.h"

namespace bench {

namespace {

// The rows of a work, from the first one on: those with its name, size and type. Prints its line of the table and returns warpfold's time as a multiple of
// the best peer's; 0 if there is no peer.
double print_ratio(std::span<const Row> rows) {
  const Row *ours = nullptr, *best = nullptr;
  for (const Row& row : rows)
    if (row.peer == "warpfold") ours = &row;
    else if (!best || row.ms < best->ms) best = &row;
  if (!ours) return 0;
  std::printf("  %-28s %11lld %-24s %10.4g ms", ours->work.c_str(), static_cast<long long>(ours->n), ours->type.c_str(), ours->ms);
  if (best) std::printf("  %6.2f of %s", ours->ms / best->ms, best->peer.c_str());
  std::printf("\n");
  return best ? ours->ms / best->ms : 0;
}

}  // namespace

void ordinary_code(Bench& bench, int64_t n) {
  const size_t first = bench.rows().size();
  for (auto* works : {ordinary::pieces, ordinary::numbers, ordinary::updates, ordinary::selection, ordinary::groups, ordinary::again,
                      ordinary::shapes, ordinary::axes, ordinary::loops, ordinary::caches})
    works(bench, n);
  first_call(bench, n);

  const std::span<const Row> rows = std::span(bench.rows()).subspan(first);
  double product = 0, worst = 0;
  int64_t count = 0;
  std::printf("ordinary code: milliseconds, and multiples of the best peer's\n");
  for (size_t begin = 0, end; begin < rows.size(); begin = end) {
    const auto is_same = [&](const Row& row) {
      return row.work == rows[begin].work && row.n == rows[begin].n && row.type == rows[begin].type;
    };
    for (end = begin + 1; end < rows.size() && is_same(rows[end]);) end++;
    const double ratio = print_ratio(rows.subspan(begin, end - begin));
    if (ratio == 0) continue;
    product += std::log(ratio), count++;
    worst = std::max(worst, ratio);
  }
  if (count > 0)
    std::printf("ordinary: geometric mean %.2f, worst %.2f, of %lld works\n", std::exp(product / double(count)), worst, (long long)count);
}

namespace ordinary {

void fit(Bench& bench, const std::string& work, std::span<const int64_t> sizes, const std::function<std::function<void()>(int64_t)>& make) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> x, y;
  for (const int64_t size : sizes) {
    const auto run = make(size);
    run();
    double least = INFINITY, spent = 0;
    for (int k = 0; k < 3 || (k < 50 && spent < (bench.options().quick ? 0.1 : 0.5)); k++) {
      const auto begin = Clock::now();
      run();
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      least = std::min(least, seconds), spent += seconds;
    }
    x.push_back(std::log(double(size))), y.push_back(std::log(least));
    bench.record({work, size, "fit", bench.options().context, "warpfold", least * 1e3, 0, 0});
  }
  double mean_x = 0, mean_y = 0, above = 0, below = 0;
  for (size_t k = 0; k < x.size(); k++) mean_x += x[k] / double(x.size()), mean_y += y[k] / double(x.size());
  for (size_t k = 0; k < x.size(); k++) above += (x[k] - mean_x) * (y[k] - mean_y), below += (x[k] - mean_x) * (x[k] - mean_x);
  std::printf("%s: time grows as size^%.2f\n", work.c_str(), above / below);
}

}  // namespace ordinary

}  // namespace bench
