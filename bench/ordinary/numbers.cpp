// Numbers that change from call to call, next to the same calls with one number: no call waits for a compiler because a captured number is new.

#include <algorithm>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

using warpfold::Context;
using warpfold::Scalar;
using warpfold::Seq;

namespace {

constexpr int64_t elements = 4096;  // few, so that a plan would take most of the time

// of(number) computes a sequence. All numbers are at least 5 and at most 2004; contestants take turns, so the one number returns as often.
template <class Of> void repeated_and_new(Bench& bench, const std::string& work, const Of& of) {
  constexpr int64_t first = 5, count = 2000, same = 1000;
  int64_t number = 0;
  Seq<int32_t> result, known;
  for (int64_t k = 0; k < 40; k++) known = complete(of(same));
  Race race(bench, {"numbers", work, elements, 8 * elements});
  race.enter_warpfold([&] { result = complete(of(first + number++ % count)); },
                      [&] { return all_equal(complete(of(same)).span(), known.span()); });
  race.enter(
      "the same number", [&] { known = complete(of(same)); }, [&] { return known.size() > 0; });
  race.finish();
}

}  // namespace

void numbers(Bench& bench, int64_t n) {
  if (n < elements) return;
  const Context context(bench.options().context);
  const Array<int32_t> input(elements, [](int64_t i) { return int32_t(random_bits(uint64_t(i))); });
  const Seq<int32_t> q(input.view(), context);
  const auto made = [&](const auto& f, int64_t length) { return tabulate(f, length, context); };
  repeated_and_new(bench, "an offset, clamped",
                   [&](int64_t d) { return made([&](auto i) { return q[min(i + d, elements - 1)]; }, elements); });
  repeated_and_new(bench, "clamped on both sides",
                   [&](int64_t d) { return made([&](auto i) { return q[min(max(i - d, 0), elements - 1)]; }, elements); });
  repeated_and_new(bench, "a rotation", [&](int64_t d) { return made([&](auto i) { return q[(i + d) % elements]; }, elements); });
  repeated_and_new(bench, "a rotation back",
                   [&](int64_t d) { return made([&](auto i) { return q[(i - d + elements) % elements]; }, elements); });
  repeated_and_new(bench, "bounds", [&](int64_t d) { return made([&](auto i) { return where(i < d && i > d - 5, q[i], 0); }, elements); });
  repeated_and_new(bench, "a product", [&](int64_t d) { return made([&](auto i) { return q[i * d % elements]; }, elements); });
  repeated_and_new(bench, "a scalar", [&](int64_t d) {
    const Scalar<int64_t> by(d, context);
    return made([&](auto i) { return q[min(i + by, elements - 1)]; }, elements);
  });
  repeated_and_new(bench, "a length", [&](int64_t d) { return made([&](auto i) { return q[i] + q[i + d]; }, elements - d); });
  repeated_and_new(bench, "rows after one", [&](int64_t d) {
    const int64_t row = d % 64;
    return made([&](auto i) { return where(i / 64 > row, q[i] - q[row * 64 + i % 64], q[i]); }, elements);
  });
}

}  // namespace bench::ordinary
