// The harness: all contestants of a work run over the same data in one process, in turns, so that noise affects all of them alike. Each
// result is checked before it is timed, and the median of the runs is reported.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tbb/parallel_for.h>

#include "bandwidth.h"
#include "cuda/peers.h"

namespace bench {

// The name of a contestant: warpfold, where the function of a work is traced once (jit).
constexpr const char* by_jit = "warpfold, traced once";

struct Options {
  bool quick = false;              // fewer runs of each contestant
  std::vector<int64_t> sizes;      // elements; empty: every work's own default
  std::string context = "cpu";     // the context in which warpfold computes
  std::string json;                // a file to write; empty: none
  std::vector<std::string> works;  // empty: all
};

struct Row {
  std::string work;
  int64_t n;
  std::string type, engine, peer;
  double ms, gbps, limit_gbps;  // limit_gbps is 0 if no limit applies
  int64_t allocated = -1;       // bytes beyond the input; -1: not measured
  double noise = 0;             // ms between the quartiles of the samples; 0: not known
};

struct Spec {
  std::string work, type;
  int64_t n;
  int64_t bytes;     // the minimum that the work reads and writes, together
  Limit limit = {};  // of the hardware
};

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)) {}
  const Options& options() const { return options_; }
  const std::vector<Row>& rows() const { return rows_; }
  // Returns true if no contestant's result was wrong.
  bool all_equal() const { return all_equal_; }
  // Adds and prints a row that was not measured by a Race.
  void record(const Row& row);

 private:
  friend class Race;
  Options options_;
  std::vector<Row> rows_;
  bool all_equal_ = true;
};

class Race {
 public:
  using Run = std::function<void()>;
  using Check = std::function<bool()>;

  Race(Bench& bench, Spec spec);
  // Adds a contestant: `run` is timed; then `check` returns true if its result is right.
  void enter(std::string peer, Run run, Check check);
  // Adds CUB and Thrust, if warpfold computes on a GPU. They use a copy of the input; their scalar or their output is checked.
  void enter_gpu_peers(const void* input, std::function<bool(double)> check);
  void enter_gpu_peers(const void* input, void* output, std::function<bool(int64_t)> check);
  void enter_warpfold(Run run, Check check, std::string name = "warpfold");
  // Runs all contestants, prints the table, and adds the rows to the Bench. Returns the rows in the order of entry.
  std::vector<Row> finish();

 private:
  struct Contestant {
    std::string engine, peer;
    Run run;
    Check check;
    int64_t repeats = 1;  // calls per sample: many, if they are short
    std::vector<double> seconds = {};
    double spent = 0;
    bool right = true;
  };
  bool on_gpu() const { return bench_.options().context != "cpu"; }
  void enter_gpu_peers(const void* input, std::function<bool(GpuPeer&)> check);
  void add_limits();
  void warm_up(Contestant& contestant);
  void sample(Contestant& contestant);
  void run_in_turns();
  void print(const std::vector<Row>& rows, double limit_gbps) const;

  Bench& bench_;
  Spec spec_;
  std::vector<Contestant> contestants_, limits_;
};

// n elements on huge pages, aligned to a page. The thread that fills a page is the first that touches it.
template <class T> class Array {
 public:
  explicit Array(int64_t n) : n_(n) {
    void* block = mmap(nullptr, bytes() + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    block_ = static_cast<char*>(block);
    data_ = reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(block_) + page - 1) / page * page);
    madvise(data_, bytes(), MADV_HUGEPAGE);
  }
  template <class F> Array(int64_t n, F f) : Array(n) { fill(f); }
  Array(const Array&) = delete;
  ~Array() { munmap(block_, bytes() + page); }

  // element i = f(i)
  template <class F> void fill(F f) {
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, n_, 1 << 16), [&](const auto& range) {
      for (int64_t i = range.begin(); i < range.end(); ++i) data_[i] = f(i);
    });
  }
  int64_t size() const { return n_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::span<const T> view() const { return {data_, size_t(n_)}; }
  T& operator[](int64_t i) { return data_[i]; }
  const T& operator[](int64_t i) const { return data_[i]; }

 private:
  static constexpr size_t page = size_t(2) << 20;
  size_t bytes() const { return (size_t(n_) * sizeof(T) + page - 1) / page * page + page; }
  int64_t n_;
  char* block_;
  T* data_;
};

// A random number for each index: the same in every run and for every number of threads.
inline uint64_t random_bits(uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}
inline float random_float(uint64_t i, float low, float high) { return low + (high - low) * (float(random_bits(i) >> 40) * 0x1p-24f); }

// Returns true if x and y are equal but for rounding errors.
bool close(double x, double y, double tolerance = 1e-4);
bool all_close(std::span<const float> x, std::span<const float> y, double tolerance = 1e-5);
bool all_equal(std::span<const int32_t> x, std::span<const int32_t> y);

// The rows and what they were measured with, for bench/report.py and bench/compare.py.
void write_json(const std::vector<Row>& rows, const std::string& path);

}  // namespace bench
