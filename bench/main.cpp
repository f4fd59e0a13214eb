// The program: the list of benchmarks, the selection of those to run, and the output of the rows.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <tbb/info.h>

#include "harness.h"
#include "warpfold/context.hpp"
#include "works.h"

namespace bench {

namespace {

struct Work {
  const char* name;
  void (*run)(Bench& bench, int64_t n);
  int64_t n;          // if no size is given; several_sizes: see sizes
  int64_t footprint;  // bytes per element that all contestants use together
};

constexpr int64_t large = int64_t(1) << 26, million = int64_t(1) << 20, several_sizes = -1;
constexpr Work works[] = {
    {"limits", limits, large, 12},  // of the host
    {"reduce", reduce, several_sizes, 8},
    {"parens", parens, large, 16},
    {"parens_text", parens_text, large, 7},
    {"map8_reduce", map8_reduce, several_sizes, 12},
    {"exp_chain", exp_chain, large, 32},
    {"functions", functions, large / 2, 64},
    {"random", random_numbers, large, 16},
    {"scan", scan, large, 32},
    {"scan_square_reduce", scan_square_reduce, large, 16},
    {"filter", filter, large, 32},
    {"filter_map_reduce", filter_map_reduce, large, 12},
    {"sort", sort, large / 4, 32},
    {"sort_pairs", sort_pairs, large / 16, 128},
    {"histogram", histogram, large, 8},
    {"scatter_add", scatter_add, large / 4, 24},
    {"mcss", mcss, several_sizes, 8},
    {"polynomial", polynomial, several_sizes, 8},
    {"moments", moments, several_sizes, 8},
    {"argmax", argmax, several_sizes, 8},
    {"counts", counts, several_sizes, 2},
    {"gather", gather, several_sizes, 24},
    {"mandelbrot", mandelbrot, several_sizes, 16},
    {"gemm", gemm, 1 << 24, 32},  // matrices of 4096 x 4096
    {"gemm_f64", gemm_f64, 1 << 24, 64},
    {"batched_gemm", batched_gemm, 10000 * 1024, 32},
    {"cholesky", cholesky, 1 << 24, 32},
    {"triangular_solve", triangular_solve, 1 << 24, 48},
    {"transpose", transpose, large, 16},
    {"permute4", permute4, large, 16},
    {"softmax", softmax, large, 16},
    {"layer_norm", layer_norm, large, 16},
    {"edges", edges, large, 16},
    {"convolve", convolve, large, 16},
    {"broadcast_add", broadcast_add, large, 16},
    {"axis_sums", axis_sums, large, 16},
    {"axis_scans", axis_scans, large, 16},
    {"life", life, large, 4},
    {"heat", heat, 10000, 16},  // and heat_at
    {"matrix_sums", matrix_sums, large, 8},
    {"segment_sums", segment_sums, large, 16},
    {"sparse_product", sparse_product, large / 4, 32},
    {"bodies", bodies, 1 << 13, 64},
    {"word_counts", word_counts, 1 << 30, 17},
    {"primes", primes, 100000000, 64},
    {"breadth_first_search", breadth_first_search, 1 << 22, 800},
    {"convex_hull", convex_hull, 10000000, 96},
    {"k_means", k_means, 10000000, 160},
    {"complex", complex, million, 500},
    {"small", small, 1000, 8},
    {"small_sum", small_sum, 1000, 8},
    {"small_map", small_map, 1000, 16},
    {"changing_constant", changing_constant, 1000, 8},
    {"changing_scalar", changing_scalar, 1000, 8},
    {"descent", descent, 1000, 8},
    {"small_often", small_often, 1000, 8},
    {"threads_small", threads_small, 1000, 8},
    {"new_kernel", new_kernel, 1000, 8},
    {"new_large_map", new_large_map, 1 << 20, 8},
    {"new_large_sum", new_large_sum, 1 << 20, 8},
    {"new_large_scan", new_large_scan, 1 << 20, 16},
    {"new_large_filter", new_large_filter, 1 << 20, 16},
    {"first_call", first_call, 1000, 8},
    {"transfer", transfer, large, 24},
    {"batches", batches, large, 80},
    {"ordinary", ordinary_code, large / 4, 64},
    {"gradients", values_and_gradients, large / 4, 64},
};

constexpr const char* usage =
    "bench [OPTION...] [WORK...]   times of warpfold, its peers and the machine's limits; by default of all works\n"
    "  --quick         fewer runs: a minute in all\n"
    "  --n LOG2        2^LOG2 elements instead of each work's own number; several times for several numbers\n"
    "  --sizes         2^10, 2^12, ..., 2^30 elements, as far as memory goes\n"
    "  --context NAME  where warpfold computes (cpu)\n"
    "  --json FILE     the rows as JSON\n"
    "works:";

[[noreturn]] void explain_usage(int status) {
  std::FILE* out = status == 0 ? stdout : stderr;
  std::fputs(usage, out);
  for (const Work& work : works) std::fprintf(out, " %s", work.name);
  std::fputs("\n", out);
  std::exit(status);
}

bool is_work(const std::string& name) {
  return std::any_of(std::begin(works), std::end(works), [&](const Work& work) { return name == work.name; });
}

int64_t number(const std::string& text, int64_t low, int64_t high) {
  char* end;
  int64_t value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || value < low || value > high) {
    std::fprintf(stderr, "bench: %s is not a number from %lld to %lld\n", text.c_str(), (long long)low, (long long)high);
    std::exit(2);
  }
  return value;
}

struct Command {
  Options options;
  std::string first_call;  // the kind of call; empty: not a child process of the work first_call
};

Command parse(int argc, char** argv) {
  Command command;
  Options& options = command.options;
  for (int k = 1; k < argc; ++k) {
    std::string argument = argv[k];
    auto value = [&]() -> std::string {
      if (k + 1 == argc) explain_usage(2);
      return argv[++k];
    };
    if (argument == "--quick") options.quick = true;
    else if (argument == "--n") options.sizes.push_back(int64_t(1) << number(value(), 0, 34));
    else if (argument == "--sizes")
      for (int log = 10; log <= 30; log += 2) options.sizes.push_back(int64_t(1) << log);
    else if (argument == "--context") options.context = value();
    else if (argument == "--json") options.json = value();
    else if (argument == "--first-call") command.first_call = value();
    else if (argument == "--help" || argument == "-h") explain_usage(0);
    else if (is_work(argument)) options.works.push_back(argument);
    else explain_usage(2);
  }
  return command;
}

bool wanted(const Options& options, const char* name) {
  return options.works.empty() || std::find(options.works.begin(), options.works.end(), name) != options.works.end();
}

void run(Bench& bench, const Work& work, int64_t n) {
  int64_t available = int64_t(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (n > available / work.footprint) {
    std::printf("%s, n = %lld: skipped, it needs %lld bytes per element and %lld bytes are free\n", work.name, (long long)n,
                (long long)work.footprint, (long long)available);
    return;
  }
  work.run(bench, n);
}

// Elementary works have few elements, which fit into caches, and many. A GPU reads 2^26 elements in less time than a call takes, so the large
// works have more elements on it.
std::vector<int64_t> sizes(const Options& options, const Work& work) {
  if (!options.sizes.empty()) return options.sizes;
  if (options.context == "cpu") {
    if (work.n != several_sizes) return {work.n};
    return options.quick ? std::vector<int64_t>{1 << 10, 1 << 16, million} : std::vector<int64_t>{1 << 10, 1 << 16, million, large};
  }
  if (work.n == large || work.n == several_sizes) return {int64_t(1) << 28, int64_t(1) << 30};
  return {work.n == million ? int64_t(1) << 24 : work.n};
}

int run_all(Options options) {
  options.context = warpfold::Context(options.context).name();  // "auto" by its name
  Bench bench(options);
  std::printf("%d threads, context %s\n", tbb::info::default_concurrency(), options.context.c_str());
  for (const Work& work : works) {
    if (!wanted(options, work.name)) continue;
    if (work.run == limits && options.context != "cpu") continue;
    for (int64_t n : sizes(options, work)) run(bench, work, n);
  }
  if (!options.json.empty()) write_json(bench.rows(), options.json);
  return bench.all_equal() ? 0 : 1;
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  bench::Command command = bench::parse(argc, argv);
  try {
    if (!command.first_call.empty()) return bench::time_first_call(command.options, command.first_call), 0;
    return bench::run_all(command.options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
    return 1;
  }
}
