// demo FILE...: checks the brackets of these files, prints the plan, and measures the rate for a large text made of the files, next to
// a plain loop and the parallel standard library. The output has ten lines.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <execution>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "brackets.h"

using namespace brackets;

static constexpr int64_t MiB = 1 << 20;
using Bytes = std::span<const uint8_t>;

// The results of one pass over a text, as brackets::Piece computes them.
struct Depths {
  int total = 0, lowest = std::numeric_limits<int>::max(), highest = std::numeric_limits<int>::lowest(), lines = 0;
  bool operator==(const Depths&) const = default;
};

// Calls work(start) in parallel for the start of each piece of [0, size).
static void for_pieces(int64_t size, int64_t piece, const std::function<void(int64_t)>& work) {
  std::vector<int64_t> starts;
  for (int64_t start = 0; start < size; start += piece) starts.push_back(start);
  std::for_each(std::execution::par, starts.begin(), starts.end(), work);
}

// ---- three ways to compute them ---------------------------------------------------------------------------------------

static Depths by_loop(Bytes text) {
  Depths d;
  for (uint8_t c : text) {
    d.total += step(c);
    d.lowest = std::min(d.lowest, d.total);
    d.highest = std::max(d.highest, d.total);
    d.lines += c == '\n';
  }
  return d;
}

// The plain loop computes the pieces in parallel; then the pieces' results are combined in order.
static Depths by_standard_library(Bytes text) {
  std::vector<Depths> results((text.size() + MiB - 1) / MiB);
  for_pieces(static_cast<int64_t>(text.size()), MiB, [&](int64_t start) {
    const auto first = static_cast<size_t>(start);
    results[first / MiB] = by_loop(text.subspan(first, std::min<size_t>(MiB, text.size() - first)));
  });
  Depths all;
  for (const auto& d : results) {
    all.lowest = std::min(all.lowest, all.total + d.lowest);
    all.highest = std::max(all.highest, all.total + d.highest);
    all.total += d.total;
    all.lines += d.lines;
  }
  return all;
}

static Depths by_warpfold(const Text& text) {
  Piece piece(text);
  piece.measure();
  return {piece.total.get(), piece.lowest.get(), piece.highest.get(), piece.lines.get()};
}

// ---- a large text in memory -------------------------------------------------------------------------------------------

// The bytes of memory that can be used without swapping, by the system's estimate.
static int64_t free_memory() {
  int64_t free = std::numeric_limits<int64_t>::max(), used = 0, kib = 0;
  std::ifstream system("/proc/meminfo");
  for (std::string word; system >> word;)
    if (word == "MemAvailable:" && system >> kib) free = kib << 10;
  std::ifstream limit_file("/sys/fs/cgroup/memory.max"), use_file("/sys/fs/cgroup/memory.current");
  int64_t limit = 0;
  if (limit_file >> limit && use_file >> used) free = std::min(free, limit - used);
  return free;
}

struct LargeText {
  std::unique_ptr<uint8_t[]> memory;
  int64_t size = 0;
  Bytes bytes() const { return {memory.get(), static_cast<size_t>(size)}; }
};

// `pattern`, repeated to `size` bytes, or to fewer if memory is short.
static LargeText make_large(const std::vector<uint8_t>& pattern, int64_t size) {
  LargeText text;
  text.size = std::min(size, std::max(MiB, free_memory() / 2 / MiB * MiB));
  while (!text.memory) {
    text.memory.reset(new (std::nothrow) uint8_t[static_cast<size_t>(text.size)]);
    if (!text.memory && text.size == MiB) throw std::bad_alloc();
    if (!text.memory) text.size /= 2;
  }
  int64_t length = static_cast<int64_t>(pattern.size());
  for_pieces(text.size, length,
             [&](int64_t start) { std::copy_n(pattern.begin(), std::min(length, text.size - start), text.memory.get() + start); });
  return text;
}

// ---- the output -------------------------------------------------------------------------------------------------------

// The concatenated bytes of the files. Prints a line that describes them.
static std::vector<uint8_t> read_files(const std::vector<std::string>& files, const Context& context) {
  std::vector<uint8_t> all;
  int64_t depth = 0;
  std::string deepest;
  for (const auto& file : files) {
    Text text = from_file<uint8_t>(file, context);
    Report report = match(text, text.size(), [](int64_t) {});
    if (report.depth > depth) {
      depth = report.depth;
      deepest = " deep, at " + file + ":" + std::to_string(report.deepest->line) + ":" + std::to_string(report.deepest->column);
    }
    all.insert(all.end(), text.begin(), text.end());
  }
  std::printf("%zu files, %zu bytes; the deepest bracket is %lld%s\n", files.size(), all.size(), static_cast<long long>(depth),
              deepest.c_str());
  return all;
}

// The summary of a plan, such as "1 kernel: scan(add), reduce(min); 1024 B read, 0 B written".
static std::string in_a_line(const std::string& plan) {
  auto part = [&](const std::string& before, char after) {
    size_t start = plan.find(before);
    if (start == std::string::npos) return std::string();
    start += before.size();
    return plan.substr(start, plan.find(after, start) - start);
  };
  return plan.substr(0, plan.find('\n')) + ": " + part("kernel 1: ", ';') + "; " + part("moves   ", '\n');
}

// Runs `compute` for about a second and prints a line with the best rate. Throws if the result is not the expected one.
static void race(const std::string& name, Bytes text, const Depths& expected, const std::function<Depths()>& compute) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity(), sum = 0;
  for (int run = 0; run < 6 && sum < 1; run++) {
    auto start = Clock::now();
    Depths result = compute();
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!(result == expected)) throw std::runtime_error(name + " gives another result than the plain loop");
    best = std::min(best, seconds), sum += seconds;
  }
  std::printf("  %-24s %8.2f billion characters a second\n", name.c_str(), static_cast<double>(text.size()) * 1e-9 / best);
  std::fflush(stdout);
}

static void race_all(const LargeText& large, int64_t wanted, const std::vector<Context>& contexts) {
  Bytes text = large.bytes();
  std::printf("%lld MiB of them in memory%s; all results are equal:\n", static_cast<long long>(large.size / MiB),
              large.size < wanted ? (" (there is too little for " + std::to_string(wanted / MiB) + ")").c_str() : "");
  Depths expected = by_loop(text);
  race("plain loop", text, expected, [&] { return by_loop(text); });
  race("std::par, " + std::to_string(std::thread::hardware_concurrency()) + " threads", text, expected,
       [&] { return by_standard_library(text); });
  for (const auto& context : contexts) {
    Text there = Text::borrow(text, context);
    by_warpfold(there);  // the first call copies the text to a GPU
    race("warpfold, " + context.name(), text, expected, [&] { return by_warpfold(there); });
  }
}

// The context of the option --context, or the CPU and the first GPU.
static std::vector<Context> choose_contexts(const std::string& name) {
  if (!name.empty()) return {Context(name)};
  std::vector<Context> contexts{Context("cpu")};
  try {
    contexts.emplace_back("cuda:0");
  } catch (const Error&) { std::fprintf(stderr, "(there is no GPU, or its driver or NVRTC is missing)\n"); }
  return contexts;
}

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  std::string context;
  int64_t size = 1024 * MiB;
  bool is_explained = false;
  for (int k = 1; k < argc; k++) {
    std::string argument = argv[k];
    if (argument == "--context" && k + 1 < argc) context = argv[++k];
    else if (argument == "--size" && k + 1 < argc) size = std::max(int64_t{1}, int64_t{std::atol(argv[++k])}) * MiB;
    else if (argument == "--explain") is_explained = true;
    else files.push_back(argument);
  }
  auto contexts = choose_contexts(context);
  auto pattern = read_files(files, contexts[0]);
  if (pattern.empty()) throw std::runtime_error("usage: demo [--context NAME] [--explain] [--size MIB] FILE...: expected files with text");
  LargeText large = make_large(pattern, size);
  std::string plan = Piece(Text::borrow(large.bytes(), contexts[0])).plan();
  std::printf("%s\n", is_explained ? plan.c_str() : in_a_line(plan).c_str());
  race_all(large, size, contexts);
} catch (const std::exception& error) {
  std::fprintf(stderr, "demo: %s\n", error.what());
  return 2;
}
