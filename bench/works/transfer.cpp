// to_engine, to_host: a sequence made from host memory, and its elements copied back. 4 bytes per element are read and 4 written.
// batches (on a GPU): sequences from host memory one after the other, each mapped by 700 steps of arithmetic, which takes an H200 about as
// long as its copy; the copies alone; and the arithmetic alone. Copies overlap with the map of the previous sequence.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "harness.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void transfer(Bench& bench, int64_t n) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }), out(n);
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context);
  size_t bytes = size_t(n) * sizeof(float);
  auto right = [&] { return std::memcmp(out.data(), input.data(), bytes) == 0; };

  Race in(bench, {"to_engine", "f32", n, 8 * n, copy_limit(input.data(), out.data(), 4 * n)});
  in.enter_warpfold([&] { s = Seq<float>(input.view(), context); }, [&] { return std::memcmp(s.data(), input.data(), bytes) == 0; });
  in.enter(
      "memcpy", [&] { std::memcpy(out.data(), input.data(), bytes); }, right);
  in.finish();

  Race back(bench, {"to_host", "f32", n, 8 * n, copy_limit(input.data(), out.data(), 4 * n)});
  back.enter_warpfold([&] { wf_to_host(s.raw(), 0, 0, n, out.data(), WF_F32, 1); }, right);
  back.enter(
      "memcpy", [&] { std::memcpy(out.data(), input.data(), bytes); }, right);
  back.finish();
}

void batches(Bench& bench, int64_t n) {
  if (bench.options().context == "cpu") return;
  constexpr int count = 8;
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  auto walked = [](const Seq<float>& s) {
    return map(
        [](auto x) {
          auto [y, k] = warpfold::loop(
              std::tuple(x, 0), [](auto, auto i) { return i < 700; },
              [](auto y, auto i) { return std::tuple(y * 0.999f + 0.001f, i + 1); });
          return y;
        },
        s);
  };
  auto last = [&](const Seq<float>& s) { return warpfold::tabulate([&](auto i) { return s[i + (n - 1)]; }, 1, context); };
  // Forces each result of `next`; reading one element waits for the whole result.
  auto milliseconds = [&](auto next) {
    std::vector<Seq<float>> ends;
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < count; ++k) {
      Seq<float> s = next();
      force(s);
      ends.push_back(last(s));
      force(ends.back());
    }
    for (const Seq<float>& end : ends) (void)end.data()[0];
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / count;
  };
  const Seq<float> here(input.view(), context);
  auto record = [&](const char* what, auto next) {
    std::vector<double> ms;
    for (int k = 0; k < 7; ++k) ms.push_back(milliseconds(next));
    std::nth_element(ms.begin(), ms.begin() + 3, ms.end());
    bench.record({"batches", n, "f32", bench.options().context, std::string("warpfold, ") + what, ms[3], double(4 * n) / ms[3] * 1e-6, 0});
  };
  record("copied in and mapped", [&] { return walked(Seq<float>(input.view(), context)); });
  record("copied in", [&] { return Seq<float>(input.view(), context); });
  record("mapped", [&] { return walked(here); });
}

}  // namespace bench
