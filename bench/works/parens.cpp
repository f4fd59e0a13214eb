// parens: do parentheses match, if 1 opens and -1 closes one? The work is prefix sums, their minimum and the last of them.
// One pass reads 4 bytes per element and stores no prefix. Another row is the memory used beyond the input.

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"
#include "works/parentheses.h"

namespace bench {

using warpfold::Seq;

static bool match_parens(const Seq<int>& s) {
  auto [prefix, last] = scan_incl_total(warpfold::plus, 0, s);
  return (last == 0 && reduce(warpfold::min, 0, prefix) >= 0).get();
}

void parens(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<int> s(Array<int32_t>(n, [=](int64_t i) { return parenthesis(i, n); }).view(), context);
  std::span<const int32_t> input = s.span();
  Array<int32_t> prefixes(n);
  bool matched = false;
  auto right = [&] { return matched == loop::depth(input).matched(); };

  Race race(bench, {"parens", "i32", n, 4 * n, read_limit(s.data(), 4 * n)});
  race.enter_warpfold([&] { matched = match_parens(s); }, right);
  race.enter(
      "loop", [&] { matched = loop::depth(input).matched(); }, right);
  race.enter(
      "threads, one pass", [&] { matched = threads::depth(input).matched(); }, right);
  race.enter(
      "std scan + reduce", [&] { matched = standard::depth_sequential(input, prefixes.data()).matched(); }, right);
  race.enter(
      "std::par scan + reduce", [&] { matched = standard::depth(input, prefixes.data()).matched(); }, right);
  race.enter_gpu_peers(input.data(), [&](double value) { return (value != 0) == loop::depth(input).matched(); });
  std::vector<Row> rows = race.finish();

  int64_t before = context.memory().live;
  context.reset_peak();
  matched = match_parens(s);
  Row memory = rows.front();
  memory.work = "parens_memory";
  memory.allocated = context.memory().peak - before;
  bench.record(memory);
}

}  // namespace bench
