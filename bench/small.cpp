// What calls cost where there is little to compute: from C++ to the value, the graph built anew each time.
//   small       map and reduce, the kernel found in the cache
//   new_kernel  the same with a function of sixteen steps whose structure was never seen before
//   first_call  the very first call of a process: the context, its threads, the first kernel

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

static float map_sum(const Seq<float>& s) {
  return reduce(warpfold::plus, 0.0f, map([](auto x) { return x * 1.0001f + 0.5f; }, s)).get();
}

void small(Bench& bench, int64_t n) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context);
  float sum = 0;
  auto right = [&] { return close(sum, loop::map_sum(input.view(), 1)); };

  Race race(bench, {"small", "f32", n, 4 * n});
  race.enter_warpfold([&] { sum = map_sum(s); }, right);
  race.enter("loop", [&] { sum = loop::map_sum(input.view(), 1); }, right);
  race.enter("std::par transform_reduce", [&] { sum = standard::map_sum(input.view(), 1); }, right);
  race.finish();
}

// Sixteen steps, each one of two by a bit of `code`: every code is a function of another structure.
template <class X>
static X coded_steps(X x, uint32_t code) {
  for (int k = 0; k < 16; ++k) {
    if (code >> k & 1) x = x * 1.0001f + 0.5f;
    else x = x / (x * x + 1.5f);
  }
  return x;
}

void new_kernel(Bench& bench, int64_t n) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context);
  float sum = 0;
  uint32_t code = 0;
  auto expected = [&] {
    float total = 0;
    for (float x : input.view()) total += coded_steps(x, code);
    return total;
  };

  Race race(bench, {"new_kernel", "f32", n, 4 * n});
  race.enter_warpfold(
      [&] {
        ++code;
        sum = reduce(warpfold::plus, 0.0f, map([&](auto x) { return coded_steps(x, code); }, s)).get();
      },
      [&] { return close(sum, expected()); });
  race.finish();
}

void time_first_call(const Options& options, int64_t n) {
  std::vector<float> input(static_cast<size_t>(n), 1.0f);
  auto start = std::chrono::steady_clock::now();
  warpfold::Context context(options.context);
  Seq<float> s(input, context);
  float sum = map_sum(s);
  std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%.6f %.3f\n", elapsed.count(), sum);
}

// This program again, for the sake of its first call alone; milliseconds.
static double first_call_of_a_process(const Options& options, int64_t n) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length < 0) throw std::runtime_error("cannot find this program in /proc");
  std::ostringstream line;
  line << "'" << std::string_view(path, size_t(length)) << "' --context '" << options.context << "' --first-call " << n;
  std::string command = line.str();
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> child(popen(command.c_str(), "r"), pclose);
  double ms = 0;
  if (!child || std::fscanf(child.get(), "%lf", &ms) != 1) throw std::runtime_error("no time from " + command);
  return ms;
}

void first_call(Bench& bench, int64_t n) {
  std::vector<double> ms;
  for (int k = 0; k < (bench.options().quick ? 5 : 15); ++k) ms.push_back(first_call_of_a_process(bench.options(), n));
  std::nth_element(ms.begin(), ms.begin() + ms.size() / 2, ms.end());
  double middle = ms[ms.size() / 2];
  bench.record({"first_call", n, "f32", bench.options().context, "warpfold", middle, double(4 * n) / middle * 1e-6, 0});
}

}  // namespace bench
