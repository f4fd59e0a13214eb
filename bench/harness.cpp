#include "harness.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include <tbb/info.h>

#include "warpfold.h"

namespace bench {

namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The element of which the share `part` is smaller: 0.5 is the median.
double quantile(std::vector<double> x, double part) {
  const auto at = x.begin() + ptrdiff_t(double(x.size()) * part);
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

double median(const std::vector<double>& x) { return quantile(x, 0.5); }

std::string size_text(int64_t n) {
  if (n > 1 && (n & (n - 1)) == 0) return std::string("2^").append(std::to_string(63 - __builtin_clzll(uint64_t(n))));
  return std::to_string(n);
}

std::string time_text(double ms) {
  char text[32];
  if (ms < 1) std::snprintf(text, sizeof text, "%.2f us", ms * 1e3);
  else std::snprintf(text, sizeof text, "%.2f ms", ms);
  return text;
}

template <class T, class Same> bool all_elements(std::span<const T> x, std::span<const T> y, Same same) {
  if (x.size() != y.size()) return false;
  std::atomic<bool> right{true};
  tbb::parallel_for(tbb::blocked_range<size_t>(0, x.size(), 1 << 16), [&](const auto& range) {
    for (size_t i = range.begin(); i < range.end(); ++i)
      if (!same(x[i], y[i])) right = false;
  });
  return right;
}

}  // namespace

bool close(double x, double y, double tolerance) { return std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y)); }

bool all_close(std::span<const float> x, std::span<const float> y, double tolerance) {
  return all_elements(x, y, [=](float a, float b) { return close(a, b, tolerance); });
}

bool all_equal(std::span<const int32_t> x, std::span<const int32_t> y) {
  return all_elements(x, y, [](int32_t a, int32_t b) { return a == b; });
}

void Bench::record(const Row& row) {
  std::printf("%s, n = %s, %s: %s %s", row.work.c_str(), size_text(row.n).c_str(), row.type.c_str(), row.peer.c_str(),
              time_text(row.ms).c_str());
  if (row.allocated >= 0) std::printf(", %.1f KiB allocated beyond the input", double(row.allocated) / 1024);
  std::printf("\n");
  std::fflush(stdout);
  rows_.push_back(row);
}

Race::Race(Bench& bench, Spec spec) : bench_(bench), spec_(std::move(spec)) {}

void Race::enter(std::string peer, Run run, Check check) {
  if (on_gpu()) return;
  contestants_.push_back({"cpu", std::move(peer), std::move(run), std::move(check)});
}

void Race::enter_warpfold(Run run, Check check, std::string name) {
  contestants_.push_back({bench_.options().context, std::move(name), std::move(run), std::move(check)});
}

void Race::enter_gpu_peers(const void* input, std::function<bool(GpuPeer&)> check) {
  if (!on_gpu()) return;
  for (auto& [name, peer] : open_gpu_peers(spec_.work, spec_.type, input, spec_.n))
    contestants_.push_back({bench_.options().context, name, [peer] { peer->run(); }, [peer, check] { return check(*peer); }});
}
void Race::enter_gpu_peers(const void* input, std::function<bool(double)> check) {
  enter_gpu_peers(input, std::function<bool(GpuPeer&)>([=](GpuPeer& peer) { return check(peer.value()); }));
}
void Race::enter_gpu_peers(const void* input, void* output, std::function<bool(int64_t)> check) {
  enter_gpu_peers(input, std::function<bool(GpuPeer&)>([=](GpuPeer& peer) { return check(peer.output(output)); }));
}

// The limits run in turns with the contestants: if the machine is slow for a while, it is slow for both. On a GPU the limit is a
// copy of its own memory.
void Race::add_limits() {
  if (on_gpu()) {
    if (spec_.limit.bytes == 0) return;
    for (auto& [name, peer] : open_gpu_peers("copy", "", nullptr, spec_.limit.bytes / 2))
      limits_.push_back({bench_.options().context, name, [peer] { peer->run(); }, [] { return true; }});
    spec_.limit.bytes = spec_.limit.bytes / 2 * 2;
    spec_.limit.name = "copy";
    return;
  }
  for (auto& variant : spec_.limit.variants) limits_.push_back({"cpu", variant.name, variant.run, [] { return true; }});
}

// The first two runs fill caches of kernels and pages, and are checked. warpfold runs on until its kernels, which are interpreted at first, have had time
// to be compiled. The time of the last run determines the number of
// calls per sample.
void Race::warm_up(Contestant& contestant) {
  constexpr double shortest_sample = 5e-4, compilation = 0.5;
  contestant.right = true;
  for (int k = 0; k < 2; ++k) {
    contestant.run();
    contestant.right = contestant.right && contestant.check();
  }
  if (contestant.peer.starts_with("warpfold"))
    for (const double begin = now(); now() - begin < compilation;) contestant.run();
  double start = now();
  contestant.run();
  double once = std::max(now() - start, 2e-8);
  contestant.repeats = std::max<int64_t>(1, int64_t(shortest_sample / once));
}

void Race::sample(Contestant& contestant) {
  double start = now();
  for (int64_t k = 0; k < contestant.repeats; ++k) contestant.run();
  double elapsed = now() - start;
  contestant.spent += elapsed;
  contestant.seconds.push_back(elapsed / double(contestant.repeats));
}

void Race::run_in_turns() {
  const size_t rounds = bench_.options().quick ? 7 : 21;
  const double patience = bench_.options().quick ? 0.5 : 2.5;  // seconds per contestant; three samples are taken anyway
  for (size_t round = 0; round < rounds; ++round)
    for (auto* group : {&limits_, &contestants_})
      for (auto& contestant : *group)
        if (contestant.seconds.size() < 3 || contestant.spent < patience) sample(contestant);
}

std::vector<Row> Race::finish() {
  add_limits();
  for (auto& limit : limits_) warm_up(limit);
  for (auto& contestant : contestants_) warm_up(contestant);
  run_in_turns();

  double limit_gbps = 0;
  for (auto& limit : limits_) limit_gbps = std::max(limit_gbps, double(spec_.limit.bytes) / median(limit.seconds) * 1e-9);
  std::vector<Row> rows;
  for (auto& contestant : contestants_) {
    double seconds = median(contestant.seconds);
    rows.push_back({spec_.work, spec_.n, spec_.type, contestant.engine, contestant.peer, seconds * 1e3,
                    double(spec_.bytes) / seconds * 1e-9, limit_gbps});
    rows.back().noise = (quantile(contestant.seconds, 0.75) - quantile(contestant.seconds, 0.25)) * 1e3;
  }
  print(rows, limit_gbps);
  bench_.rows_.insert(bench_.rows_.end(), rows.begin(), rows.end());
  return rows;
}

void Race::print(const std::vector<Row>& rows, double limit_gbps) const {
  std::printf("%s, n = %s, %s", spec_.work.c_str(), size_text(spec_.n).c_str(), spec_.type.c_str());
  if (limit_gbps > 0) std::printf("; %s limit %.1f GB/s", spec_.limit.name, limit_gbps);
  std::printf("\n");
  double ours = 0;
  for (auto& row : rows)
    if (row.peer == "warpfold") ours = row.ms;
  for (size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    std::printf("  %-34s %12s %8.2f GB/s", row.peer.c_str(), time_text(row.ms).c_str(), row.gbps);
    if (row.limit_gbps > 0) std::printf(" %6.2f of limit", row.gbps / row.limit_gbps);
    if (ours > 0 && row.peer != "warpfold") {
      if (row.ms >= ours) std::printf("   warpfold %.2f times faster", row.ms / ours);
      else std::printf("   warpfold %.2f times SLOWER", ours / row.ms);
    }
    if (!contestants_[k].right) {
      std::printf("   WRONG RESULT");
      bench_.all_equal_ = false;
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

void write_json(const std::vector<Row>& rows, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) throw std::runtime_error("cannot write " + path);
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::ifstream info("/proc/cpuinfo");
  std::string processor;
  while (std::getline(info, processor) && !processor.starts_with("model name")) {}
  processor.erase(0, std::min(processor.size(), processor.find(": ") + 2));
  std::fprintf(file,
               "{\"date\": \"%s\", \"processor\": \"%s\", \"threads\": %d, \"version\": \"%s\", \"compiler\": \"%s\", \"peers\": \"%s\", "
               "\"rows\": [",
               date, processor.c_str(), tbb::info::default_concurrency(), wf_version(), __VERSION__, PEERS);
  for (size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    std::fprintf(file,
                 "%s\n  {\"work\": \"%s\", \"n\": %lld, \"type\": \"%s\", \"engine\": \"%s\", \"peer\": \"%s\", "
                 "\"ms\": %.6g, \"noise\": %.3g, \"gbps\": %.6g, \"limit_gbps\": %.6g",
                 k ? "," : "", row.work.c_str(), (long long)row.n, row.type.c_str(), row.engine.c_str(), row.peer.c_str(), row.ms,
                 row.noise, row.gbps, row.limit_gbps);
    if (row.allocated >= 0) std::fprintf(file, ", \"allocated\": %lld", (long long)row.allocated);
    std::fprintf(file, "}");
  }
  std::fprintf(file, "\n]}\n");
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
