#include "cpu/program/folds/across_runs.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr int64_t most_bytes_of_run = 512 << 10;
constexpr int64_t most_bytes_of_part = 256 << 10;      // a part of L2
constexpr int64_t most_bytes_of_narrow_run = 8 << 10;  // read one after another: the totals stay in L1
constexpr int64_t runs_at_once = simd::many_across;    // read next to each other; the totals are read and written once
constexpr int64_t least_bytes_of_part = 4 << 10;
constexpr int64_t bytes_of_all_totals = 2 << 20;  // of the segments that threads share at once
constexpr int64_t items_per_worker = 2;
constexpr int64_t elements_per_worker = 1 << 16;  // the fewest that repay waking it

int64_t widest(const Combine& combine) {
  size_t bytes = 0;
  for (Type type : combine.types) bytes = std::max(bytes, size_of(type));
  return int64_t(bytes);
}

int64_t lanes_in_runs(const FoldCode& code) { return code.lanes == 1 ? simd::fold_bytes / int64_t(sizeof(float)) : code.lanes; }

}  // namespace

int64_t AcrossRuns::rows_of(const FoldCode& code) {
  const auto distances = Matrix::distances_of(code);
  if (!distances || distances->rows != 1 || distances->positions <= 1) return 0;
  const int64_t rows = distances->positions;
  return lanes_in_runs(code) * rows * widest(code.combine) > most_bytes_of_run ? 0 : rows;
}

AcrossRuns::AcrossRuns(const FoldCode& code)
    : code_(code),
      m_(size_t(code.combine.columns())),
      lanes_(lanes_in_runs(code)),
      rows_(rows_of(code)),
      run_(lanes_ * rows_),
      matrix_(code) {
  for (size_t k = 0; k < m_; k++) folds_.push_back(simd_tables().folds.across[int(code.combine.monoids[k])][int(code.combine.types[k])]);
}

// A power of two that divides the tiles of a run: the fewest parts that the caches contain and that occupy the threads, but none of them short.
int AcrossRuns::parts_of_runs(int64_t segments, int threads) const {
  int parts = 1;
  auto is_too_few = [&](int64_t bytes) {
    if (bytes > most_bytes_of_part) return true;
    return threads > 1 && segments * parts < items_per_worker * threads && bytes / 2 >= least_bytes_of_part;
  };
  while (run_ / parts % (2 * tile) == 0 && is_too_few(run_ / parts * widest(code_.combine))) parts *= 2;
  return parts;
}

bool AcrossRuns::fold(std::span<const Operand> free, int64_t count, std::span<void* const> outs, int threads) {
  matrix_.find_first(free);
  for (size_t k = 0; k < m_; k++)
    if (matrix_.column(k).left() / rows_ < count) return false;
  threads = int(std::clamp<int64_t>(rows_ * count / elements_per_worker, 1, threads));
  const int64_t segment = code_.segment_of(count), segments = (count + segment - 1) / segment;
  const int64_t at_once = std::clamp<int64_t>(bytes_of_all_totals / (run_ * 8), 1, segments);
  if (totals_.capacity() < at_once * run_ + tile) totals_ = ColumnBlock(code_.combine.types, at_once * run_ + tile);
  const int64_t parts = parts_of_runs(at_once, threads);
  for (int64_t first = 0; first < segments; first += at_once) {
    const int64_t some = std::min(at_once, segments - first);
    auto count_of = [&](int64_t s) { return std::min(segment, count - (first + s) * segment); };
    Chunks items(some * parts, threads);
    std::vector<std::atomic<int>> folded(static_cast<size_t>(some));  // parts of each segment
    for_chunks(items, threads, [&](int thread) {
      for (int64_t item = items.next(thread); item >= 0; item = items.next(thread)) {
        const int64_t s = item / parts;
        fold_part((first + s) * segment, count_of(s), item % parts, parts, s * run_);
        const bool is_last = folded[size_t(s)].fetch_add(1, std::memory_order_acq_rel) == parts - 1;
        if (is_last && count_of(s) % lanes_ == 0) join_lanes(s * run_);
      }
    });
    for (int64_t s = 0; s < some; s++) {
      const int64_t rest = count_of(s) % lanes_, whole = count_of(s) - rest;
      if (rest > 0) {
        fold_rest((first + s) * segment + whole, rest, s * run_);
        join_lanes(s * run_);
      }
      for (size_t k = 0; k < m_; k++) {
        const void* total = totals_.at(int(k), s * run_);
        if (first + s > 0) folds_[k](outs[k], &total, 1, (rows_ + tile - 1) / tile * tile, outs[k]);
        else std::memcpy(outs[k], total, size_t(rows_ * totals_.size(int(k))));
      }
    }
  }
  return true;
}

// totals = run(begin) f run(begin + lanes) f ..., of all lanes or none, in one part of the elements of a run.
void AcrossRuns::fold_part(int64_t begin, int64_t count, int64_t part, int64_t parts, int64_t totals) const {
  const int64_t length = run_ / parts, runs = count / lanes_;
  for (size_t k = 0; k < m_; k++) {
    const int64_t size = totals_.size(int(k)), offset = part * length * size;
    const std::byte* from = elements(k, begin) + offset;
    std::byte* total = totals_.at(int(k), totals) + offset;
    if (runs == 0) {
      fill_with_neutral(k, total, length);
      continue;
    }
    const void* before = from;
    if (runs > 1 && parts == 1 && run_ * size <= most_bytes_of_narrow_run) {
      const auto fold_runs = simd_tables().folds.runs[int(code_.combine.monoids[k])][int(code_.combine.types[k])];
      fold_runs(from, from + run_ * size, runs - 1, run_, total);
      continue;
    }
    for (int64_t r = 1; r < runs || before == from; r += runs_at_once) {
      const void* x[runs_at_once];
      const int64_t at_once = std::min(runs_at_once, runs - r);
      for (int64_t i = 0; i < at_once; i++) x[i] = from + (r + i) * run_ * size;
      folds_[k](before, x, int(at_once), length, total);
      before = total;
    }
  }
}

// In whole tiles, of which the last one may extend beyond `count`.
void AcrossRuns::fill_with_neutral(size_t k, void* out, int64_t count) const {
  Tile one;
  fill_tile(&one, code_.combine.types[k], code_.combine.neutral[k]);
  const Operand from{&one, 0};
  loops().copy[log_size(code_.combine.types[k])](out, &from, (count + tile - 1) / tile);
}

// Folds the `count` positions from `begin` on, fewer than lanes, into their lanes.
void AcrossRuns::fold_rest(int64_t begin, int64_t count, int64_t totals) {
  if (rest_.capacity() < run_ + tile) rest_ = ColumnBlock(code_.combine.types, run_ + tile);
  for (size_t k = 0; k < m_; k++) {
    fill_with_neutral(k, rest_.at(int(k)), run_);
    std::memcpy(rest_.at(int(k)), elements(k, begin), size_t(count * rows_ * rest_.size(int(k))));
    const void* x = rest_.at(int(k));
    std::byte* const total = totals_.at(int(k), totals);
    folds_[k](total, &x, 1, run_, total);
  }
}

// Makes the totals of lane 0 those of all lanes. What follows them is undefined.
void AcrossRuns::join_lanes(int64_t totals) const {
  for (int64_t half = run_ / 2; half >= rows_; half /= 2)
    for (size_t k = 0; k < m_; k++) {
      const void* right = totals_.at(int(k), totals + half);
      std::byte* const left = totals_.at(int(k), totals);
      folds_[k](left, &right, 1, (half + tile - 1) / tile * tile, left);
    }
}

}  // namespace wf::cpu
