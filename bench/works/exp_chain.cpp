// exp_chain: exp(-x * x) * tanh(x), stored. 4 bytes per element are read and 4 written; it may be compute-bound.

#include "complete.h"
#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

static Seq<float> chain(const Seq<float>& s) {
  return complete(map([](auto x) { return exp(-x * x) * tanh(x); }, s));
}

void exp_chain(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<float> s(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -3, 3); }).view(), context), result;
  std::span<const float> input = s.span();
  Array<float> expected(n), out(n);
  threads::exp_chain(input, expected.data());
  auto right = [&] { return all_close(out.view(), expected.view()); };

  Race race(bench, {"exp_chain", "f32", n, 8 * n, copy_limit(s.data(), out.data(), 4 * n)});
  race.enter_warpfold([&] { result = chain(s); }, [&] { return all_close(result.span(), expected.view()); });
  race.enter(
      "libm, threads", [&] { threads::exp_chain(input, out.data()); }, right);
  race.enter(
      "std::par transform", [&] { standard::exp_chain(input, out.data()); }, right);
  race.enter(
      "Eigen", [&] { eigen::exp_chain(input, out.data()); }, right);
  race.enter(
      "Eigen, threads", [&] { eigen::exp_chain_threads(input, out.data()); }, right);
  race.finish();
}

}  // namespace bench
