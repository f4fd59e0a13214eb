// The first call of a process, in a new process for each kind of call: the context, its threads, the first kernel, which is interpreted. The rows are
// medians, without files of compiled code. On a GPU the parts of map and reduce are rows, too: open_context, then first_kernel (interpreted),
// compiled_kernel, or cached_kernel (compiled before and read from disk).

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {
namespace {

using warpfold::Seq;

constexpr int64_t n = 1024;
constexpr const char* usual = "map and reduce";

struct Kind {
  const char* name;
  void (*call)(const Seq<float>& s);  // n elements
};
float scaled_sum(const Seq<float>& s) {
  return reduce(warpfold::plus, 0.0f, map([](auto x) { return x * 1.0001f + 0.5f; }, s)).get();
}
warpfold::Array<float, 2> matrix(const Seq<float>& s) { return {s, {32, n / 32}}; }

constexpr Kind kinds[] = {
    {usual, [](const Seq<float>& s) { scaled_sum(s); }},
    {"map", [](const Seq<float>& s) { warpfold::wait(map([](auto x) { return exp(x) + 1.0f; }, s)); }},
    {"reduce", [](const Seq<float>& s) { sum(s).get(); }},
    {"scan", [](const Seq<float>& s) { warpfold::wait(scan_incl(warpfold::plus, 0.0f, s)); }},
    {"filter", [](const Seq<float>& s) { warpfold::wait(filter([](auto x) { return x > 0.5f; }, s)); }},
    {"sort", [](const Seq<float>& s) { warpfold::wait(sort(s)); }},
    {"argmax", [](const Seq<float>& s) { argmax(s).get(); }},
    {"gather", [](const Seq<float>& s) { warpfold::wait(warpfold::tabulate([&](auto i) { return s[(i * 7) % n]; }, n)); }},
    {"scatter",
     [](const Seq<float>& s) {
       warpfold::wait(scatter(warpfold::plus, s, map([](auto x) { return warpfold::cast<int64_t>(x) % 8; }, s), s));
     }},
    {"reduce by key",
     [](const Seq<float>& s) {
       warpfold::wait(reduce_by_key(warpfold::plus, 0.0f, map([](auto x) { return warpfold::cast<int>(x); }, s), s));
     }},
    {"softmax", [](const Seq<float>& s) { warpfold::wait(warpfold::Array<float, 2>(softmax(matrix(s), 1))); }},
    {"matmul", [](const Seq<float>& s) { warpfold::wait(matmul(matrix(s), t(matrix(s)))); }},
    {"solve", [](const Seq<float>& s) { warpfold::wait(solve(matrix(s) + warpfold::eye<float>(32) * 99.0f, matrix(s))); }},
    {"random", [](const Seq<float>&) { warpfold::wait(warpfold::random::gaussian<float>(warpfold::random::Key(1), n)); }},
    {"jit",
     [](const Seq<float>& s) {
       warpfold::wait(warpfold::jit([](const Seq<float>& x) { return map([](auto y) { return y * 2.0f; }, x); })(s));
     }},
};

struct FirstCall {
  double open, call;  // milliseconds
};

// Runs this program again and measures its first call. `environment` is shell text: assignments of variables.
FirstCall first_call_of_a_process(const Options& options, const std::string& kind, const std::string& environment) {
  const std::string path = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = environment + " '" + path + "' --context '" + options.context + "' --first-call '" + kind + "'";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> child(popen(command.c_str(), "r"), pclose);
  FirstCall times{};
  if (!child || std::fscanf(child.get(), "%lf %lf", &times.open, &times.call) != 2) throw std::runtime_error("no time from " + command);
  return times;
}

}  // namespace

void time_first_call(const Options& options, const std::string& kind) {
  using Clock = std::chrono::steady_clock;
  auto milliseconds = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  const auto* found = std::ranges::find(kinds, kind, &Kind::name);
  if (found == std::end(kinds)) throw std::runtime_error("no kind of first call is named " + kind);
  std::vector<float> input(n, 1.0f);
  auto start = Clock::now();
  warpfold::Context context(options.context);
  warpfold::ContextScope scope(context);
  Seq<float> s(input, context);
  auto opened = Clock::now();
  found->call(s);
  std::printf("%.6f %.6f\n", milliseconds(opened - start), milliseconds(Clock::now() - opened));
}

void first_call(Bench& bench, int64_t) {
  const std::string& engine = bench.options().context;
  const int times = bench.options().quick ? 5 : 15;
  auto record = [&](const char* work, const char* kind, const std::string& environment, auto part) {
    std::vector<double> ms;
    for (int k = 0; k < times; ++k) ms.push_back(part(first_call_of_a_process(bench.options(), kind, environment)));
    std::ranges::nth_element(ms, ms.begin() + times / 2);
    const double middle = ms[size_t(times) / 2];
    bench.record({work, n, kind, engine, "warpfold", middle, double(4 * n) / middle * 1e-6, 0});
  };
  const std::string compiling = "WARPFOLD_CACHE=0 CUDA_CACHE_DISABLE=1";  // NVRTC has a cache of its own
  const auto call = [](FirstCall t) { return t.call; };
  for (const Kind& kind : kinds) record("first_call", kind.name, compiling, [](FirstCall t) { return t.open + t.call; });
  if (engine == "cpu") return;
  record("open_context", usual, compiling, [](FirstCall t) { return t.open; });
  record("first_kernel", usual, compiling, call);
  const std::filesystem::path cache = std::filesystem::temp_directory_path() / ("warpfold-bench-" + std::to_string(getpid()));
  const std::string always_compile = "WARPFOLD_INTERPRET=0 ", cached = always_compile + "XDG_CACHE_HOME='" + cache.string() + "'";
  record("compiled_kernel", usual, always_compile + compiling, call);
  first_call_of_a_process(bench.options(), usual, cached);
  record("cached_kernel", usual, cached, call);
  std::filesystem::remove_all(cache);
}

}  // namespace bench
