// scan: inclusive prefix sums, stored. 4 bytes an element are read and 4 written.

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void scan(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<int32_t> s(Array<int32_t>(n, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) % 100) - 50; }).view(), context);
  Seq<int32_t> prefixes;
  std::span<const int32_t> input = s.span();
  Array<int32_t> expected(n), out(n);
  loop::scan(input, expected.data());
  auto right = [&] { return all_equal(out.view(), expected.view()); };

  Race race(bench, {"scan", "i32", n, 8 * n, copy_limit(s.data(), out.data(), 4 * n)});
  race.enter_warpfold([&] { prefixes = scan_incl(warpfold::plus, 0, s).force(); },
                      [&] { return all_equal(prefixes.span(), expected.view()); });
  race.enter("loop", [&] { loop::scan(input, out.data()); }, right);
  race.enter("threads, two passes", [&] { threads::scan(input, out.data()); }, right);
  race.enter("std::par inclusive_scan", [&] { standard::scan(input, out.data()); }, right);
  race.finish();
}

}  // namespace bench
