// scan: inclusive prefix sums, stored. 4 bytes per element are read and 4 written.

#include "complete.h"
#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

// Sums of T. Prefixes are equal if same(x, y) returns true.
template <class T, class Value, class Same> static void scan_of(Bench& bench, const char* type, int64_t n, Value value, Same same) {
  warpfold::Context context(bench.options().context);
  Seq<T> s(Array<T>(n, value).view(), context);
  Seq<T> prefixes;
  std::span<const T> input = s.span();
  Array<T> expected(n), out(n);
  loop::scan(input, expected.data());
  auto right = [&] { return same(out.view(), expected.view()); };

  Race race(bench, {"scan", type, n, 8 * n, copy_limit(s.data(), out.data(), 4 * n)});
  race.enter_warpfold([&] { prefixes = complete(scan_incl(warpfold::plus, 0, s)); },
                      [&] { return same(prefixes.span(), expected.view()); });
  race.enter(
      "loop", [&] { loop::scan(input, out.data()); }, right);
  race.enter(
      "threads, two passes", [&] { threads::scan(input, out.data()); }, right);
  race.enter(
      "std::par inclusive_scan", [&] { standard::scan(input, out.data()); }, right);
  race.enter_gpu_peers(input.data(), out.data(), [&](int64_t) { return right(); });
  race.finish();
}

void scan(Bench& bench, int64_t n) {
  scan_of<int32_t>(
      bench, "i32", n, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) % 100) - 50; }, all_equal);
  // Values are -1 and 1, so that the sums are exact.
  if (bench.options().context != "cpu")
    scan_of<float>(
        bench, "f32", n, [](int64_t i) { return random_bits(uint64_t(i)) & 1 ? 1.0f : -1.0f; },
        [](auto x, auto y) { return all_close(x, y); });
}

}  // namespace bench
