#include "cpu/program/folds/fold_state.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cpu/program/frame.h"
#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr int64_t longest_short_row = 24;   // positions; a longer row is folded along
constexpr int64_t longest_in_lockstep = 8;  // positions of rows of equal counts that might be folded in place
constexpr int64_t fewest_across = 32;       // rows
constexpr int64_t shortest_in_groups = 16;  // positions of rows whose values are computed and folded by groups of lanes
constexpr int64_t shortest_runs = 128;      // the same, of rows that are folded in runs
constexpr int64_t items_of_threads = 64;    // segments of rows that threads share at once
constexpr int64_t shortest_together = 5;    // positions of rows on average: shorter rows are faster in lockstep
constexpr int64_t longest_together = 128;   // the same: longer rows are as fast along

int64_t instructions(const BlockProgram& program) {
  return int64_t(program.impl().phases[0].code.size() + program.impl().row_setup.code.size());
}

template <class T> void put_rows_as(void* out, const void* values, std::span<const int32_t> rows) {
  for (size_t k = 0; k < rows.size(); k++) static_cast<T*>(out)[rows[k]] = static_cast<const T*>(values)[k];
}
void put_rows(void* out, const void* values, int64_t size, std::span<const int32_t> rows) {
  (size == 1 ? put_rows_as<uint8_t> : size == 4 ? put_rows_as<uint32_t> : put_rows_as<uint64_t>)(out, values, rows);
}

}  // namespace

FoldState::FoldState(const FoldCode& code)
    : code_(code),
      m_(size_t(code.combine.columns())),
      step_cost_(60 + 20 * instructions(*code.lockstep)),
      row_cost_(60 + 20 * instructions(*code.along)),
      rows_of_runs_(AcrossRuns::rows_of(code)),
      sorted_free_(code.free.size()) {
  if (MatrixRows::covers(code)) matrix_rows_.emplace(code);
  if (code.in_place) in_place_.emplace(code);
  if (code.together) together_.emplace(code);
  if (code.across && code.lanes != no_lanes) {
    across_.emplace(code);
    shortest_across_ = only_reads(*code.across) ? Lockstep::longest_joined(code) + 1 : shortest_in_groups;
  }
}

void FoldState::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  inputs_.assign(inputs.begin(), inputs.end());
  arguments_.assign(arguments.begin(), arguments.end());
  ways_ = {};
  if (matrix_rows_) matrix_rows_->bind_inputs(inputs_, arguments_);
  if (in_place_) in_place_->bind_inputs(inputs_, arguments_);
  if (together_) together_->bind_inputs(inputs_, arguments_);
  if (folders_.size() > 1) folders_.resize(1);
  for (auto& folder : folders_) folder->bind_inputs(inputs_, arguments_);
  if (across_) across_->bind_inputs(inputs_, arguments_);
  if (runs_) runs_->bind_inputs(inputs_, arguments_);
  for (auto* lockstep : {&lockstep_, &lockstep_across_})
    if (*lockstep) (*lockstep)->bind_inputs(inputs_, arguments_);
}

Lockstep& FoldState::lockstep(Way way) {
  std::optional<Lockstep>& chosen = way == Way::Across ? lockstep_across_ : lockstep_;
  if (!chosen) {
    chosen.emplace(code_, way == Way::Across ? code_.across : code_.lockstep);
    chosen->bind_inputs(inputs_, arguments_);
  }
  return *chosen;
}

int FoldState::threads() const { return block_->may_use_threads ? worker_count() : 1; }

RowFolder& FoldState::folder(size_t thread) {
  while (folders_.size() <= thread) {
    folders_.push_back(std::make_unique<RowFolder>(code_));
    folders_.back()->bind_inputs(inputs_, arguments_);
  }
  return *folders_[thread];
}

RangeFault FoldState::run(const Block& block) {
  const bool same = block.count.step == 0 && std::ranges::all_of(code_.free, &FoldCode::Free::is_number);
  const int64_t first = same && block.active ? std::find(block.active, block.active + block.rows, 1) - block.active : 0;
  Block folded = block;
  if (same) folded.rows = first < block.rows, folded.active = nullptr;
  block_ = &folded;
  const bool have_positions = read_counts(folded);
  if (!have_positions || shortest_ == 0) fill_with_identity(block.outs, folded.rows);
  if (!have_positions) return spread_first_row(same ? block.rows : 0), RangeFault{};
  if (goes_by_matrix_rows()) fold_matrix_rows();
  else if (goes_in_place()) fold_in_place();
  else if (shortest_ == longest_) fold_equal_rows();
  else if (!fold_together()) fold_sorted();
  RangeFault fault = first_fault();
  if (fault.at >= 0) fill_with_identity(block.outs, folded.rows), fault.at += first;
  if (same) spread_first_row(block.rows);
  return fault;
}

// Returns true if some row has a position.
bool FoldState::read_counts(const Block& block) {
  const auto* counts = static_cast<const int64_t*>(block.count.data);
  if (block.count.step == 0 && !block.active) return set_equal_counts(std::max<int64_t>(counts[0], 0), size_t(block.rows));
  if (block.count.step != 0) counts_.assign(counts, counts + block.rows);
  else counts_.assign(size_t(block.rows), counts[0]);
  for (int64_t row = 0; block.active && row < block.rows; row++) counts_[row] = block.active[row] ? counts_[row] : 0;
  if (counts_.empty()) return false;
  shortest_ = INT64_MAX, longest_ = 0;
  for (int64_t& count : counts_) {
    count = std::max<int64_t>(count, 0);
    shortest_ = std::min(shortest_, count);
    longest_ = std::max(longest_, count);
  }
  return longest_ > 0;
}

// The blocks of a kernel usually have the same counts, which are kept.
bool FoldState::set_equal_counts(int64_t count, size_t rows) {
  const bool are_kept = counts_.size() == rows && shortest_ == count && longest_ == count;
  if (!are_kept) counts_.assign(rows, count);
  shortest_ = longest_ = count;
  return rows > 0 && count > 0;
}

// The most positions of a row that is folded in lockstep with others. A row's count decides, if the ways' results may differ.
int64_t FoldState::longest_lockstep() const {
  if (code_.lanes != no_lanes) return longest_short_row;
  return code_.is_strided ? INT64_MAX : shortest_tree - 1;
}

bool FoldState::goes_by_matrix_rows() const {
  return matrix_rows_ && shortest_ == longest_ && counts_.size() > 1 && matrix_rows_->takes(longest_);
}

void FoldState::fold_matrix_rows() {
  ways_.add(matrix_rows_->reads() ? FoldWay::InPlace : FoldWay::Along);
  matrix_rows_->fold(block_->free, block_->rows, longest_, block_->outs);
}

bool FoldState::run_of_matrix(const Block& block) {
  const int64_t count = *static_cast<const int64_t*>(block.count.data);
  if (!matrix_rows_->takes(count)) return false;
  ways_.add(FoldWay::InPlace);
  matrix_rows_->fold(block.free, block.rows, count, block.outs);
  return true;
}

// Few long rows are left to threads. Short rows of equal counts need no masks in lockstep.
bool FoldState::goes_in_place() const {
  const bool is_short = shortest_ == longest_ && longest_ <= longest_in_lockstep;
  return in_place_ && !is_short && (longest_ < shortest_shared || threads() == 1);
}

void FoldState::fold_in_place() {
  ways_.add(FoldWay::InPlace);
  along_.clear();
  in_place_->fold(block_->free, counts_, block_->outs, along_);
  finish_rows();
  if (!along_.empty()) fold_along();
}

// Returns false, and folds nothing, if another way is better.
bool FoldState::fold_together() {
  if (!together_ || longest_ > INT32_MAX) return false;
  const int64_t positions = std::accumulate(counts_.begin(), counts_.end(), int64_t(0));
  if (positions < shortest_together * block_->rows || positions > longest_together * block_->rows) return false;
  along_.clear();
  const bool are_shared = longest_ >= shortest_shared;
  auto fold_long = [&](int32_t row) {
    along_.push_back(row);
    if (are_shared) return;
    if (along_.size() == 1) begin_totals(block_->rows);
    fold_alone(along_.size() - 1);
  };
  if (!together_->fold(block_->free, counts_, block_->outs, fold_long)) return false;
  ways_.add(FoldWay::Together);
  finish_rows();
  if (along_.empty()) return true;
  if (are_shared) fold_segments();
  else ways_.add(FoldWay::Along), write_along();
  return true;
}

// Combines the identity and the totals.
void FoldState::finish_rows() {
  for (size_t k = 0; k < m_; k++) {
    prepend_identity(k, block_->outs[k], block_->rows);
    if (shortest_ > 0) continue;
    // The identity of a row without positions has been combined with itself.
    const size_t size = size_of(code_.combine.types[k]);
    for (size_t row = 0; row < counts_.size(); row++)
      if (counts_[row] == 0) std::memcpy(static_cast<std::byte*>(block_->outs[k]) + row * size, &code_.combine.identity[k], size);
  }
}

FoldState::Way FoldState::way_of_equal_rows() const {
  const auto rows = int64_t(counts_.size());
  if (code_.lanes == no_lanes && longest_ > longest_lockstep()) return Way::Along;
  if (code_.prefers_across && (code_.lanes == no_lanes || rows >= fewest_across)) return Way::Across;
  const bool goes_along = code_.lanes != no_lanes && (longest_ > longest_short_row || rows * row_cost_ < longest_ * step_cost_);
  if (goes_along) return Way::Along;
  return code_.across ? Way::Across : Way::Lockstep;
}

// A block with all rows of a matrix.
bool FoldState::goes_in_runs() const { return rows_of_runs_ > 0 && block_->rows == rows_of_runs_ && longest_ >= shortest_runs; }

void FoldState::fold_equal_rows() {
  if (goes_in_runs() && fold_in_runs()) return;
  const Way way = way_of_equal_rows();
  if (way == Way::Across && across_ && longest_ >= shortest_across_) return fold_across();
  if (way != Way::Along) return fold_in_lockstep(way, block_->free, counts_, false);
  if (fold_together()) return;
  along_.resize(counts_.size());
  std::iota(along_.begin(), along_.end(), 0);
  fold_along();
}

void FoldState::fold_sorted() {
  const int64_t longest = longest_lockstep();
  along_.clear();
  for (size_t row = 0; row < counts_.size(); row++)
    if (counts_[row] > longest) along_.push_back(int32_t(row));
  sort_short_rows(longest);
  if (code_.lanes != no_lanes) leave_longest_to_along();
  if (!sorted_.empty()) fold_in_lockstep(Way::Lockstep, sorted_free_values(), sorted_counts_, true);
  if (!along_.empty()) fold_along();
}

void FoldState::fold_in_lockstep(Way way, std::span<const Operand> free, std::span<const int64_t> counts, bool is_sorted) {
  ways_.add(way == Way::Across ? FoldWay::Across : FoldWay::Lockstep);
  Lockstep& rows = lockstep(way);
  const auto n = int64_t(counts.size());
  std::vector<Operand> part(free.begin(), free.end());
  for (int64_t first = 0; first < n; first += rows.most_rows()) {
    const int64_t count = std::min(rows.most_rows(), n - first);
    for (size_t k = 0; k < part.size(); k++) part[k].data = static_cast<const std::byte*>(free[k].data) + first / tile * free[k].step;
    rows.run(part, counts.subspan(size_t(first), size_t(count)));
    for (size_t k = 0; k < m_; k++) {
      const auto size = int64_t(size_of(code_.combine.types[k]));
      std::byte* const out = static_cast<std::byte*>(block_->outs[k]) + first * size;
      const void* result = rows.result(int(k));
      if (code_.lanes != no_lanes) rows.prepend_identity(int(k), is_sorted ? rows.result(int(k)) : out);
      if (is_sorted) put_rows(block_->outs[k], result, size, std::span(sorted_).subspan(size_t(first), size_t(count)));
      else if (code_.lanes == no_lanes) std::memcpy(out, result, size_t(count * size));
    }
  }
}

// The same for long rows of equal counts.
void FoldState::fold_across() {
  ways_.add(FoldWay::Groups);
  across_->fold(block_->free, block_->rows, longest_, block_->outs, threads());
  for (size_t k = 0; k < m_; k++) prepend_identity(k, block_->outs[k], block_->rows);
}

// Returns false, and folds nothing, if an element is outside.
bool FoldState::fold_in_runs() {
  if (!runs_) runs_.emplace(code_), runs_->bind_inputs(inputs_, arguments_);
  if (!runs_->fold(block_->free, longest_, block_->outs, threads())) return false;
  ways_.add(FoldWay::Runs);
  for (size_t k = 0; k < m_; k++) prepend_identity(k, block_->outs[k], block_->rows);
  return true;
}

// values = identity f values, of column k.
void FoldState::prepend_identity(size_t k, void* values, int64_t rows) const {
  Tile identity;
  const Type type = code_.combine.types[k];
  fill_tile(&identity, type, code_.combine.identity[k]);
  const Operand both[] = {{&identity, 0}, {values, int64_t(size_of(type)) * tile}};
  loops().op[int(code_.combine.ops[k])][int(type)](values, both, (rows + tile - 1) / tile);
}

void FoldState::fold_along() {
  if (longest_ >= shortest_shared) return fold_segments();
  ways_.add(FoldWay::Along);
  begin_totals(int64_t(along_.size()));
  for (size_t k = 0; k < along_.size(); k++) fold_alone(k);
  write_along();
}

void FoldState::begin_totals(int64_t rows) {
  folder(0).bind_free(block_->free);
  total_.resize(m_), part_.resize(m_);
  if (totals_.capacity() < rows) totals_ = ColumnBlock(code_.combine.types, rows);
}

// Total k is that of row along_[k].
void FoldState::fold_alone(size_t k) {
  const int32_t row = along_[k];
  const int64_t count = counts_[size_t(row)], length = code_.segment_of(count);
  folder(0).enter(row);
  folder(0).total(0, std::min(length, count), total_);
  for (int64_t begin = length; begin < count && !folder(0).has_fault(); begin += length) {
    folder(0).total(begin, std::min(begin + length, count), part_);
    join(total_, part_, total_);
  }
  for (size_t c = 0; c < m_; c++) totals_.set(int(c), int64_t(k), total_[c]);
}

// Writes identity f total of each row in along_.
void FoldState::write_along() {
  const auto rows = int64_t(along_.size());
  std::vector<Bits64> total(m_), joined(m_);
  for (int64_t row = 0; !code_.combine.in_registers() && row < rows; row++) {
    for (size_t c = 0; c < m_; c++) total[c] = totals_.get(int(c), row);
    join(code_.combine.identity, total, joined);
    for (size_t c = 0; c < m_; c++) totals_.set(int(c), row, joined[c]);
  }
  for (size_t c = 0; c < m_; c++) {
    void* column = totals_.at(int(c));
    if (code_.combine.in_registers()) prepend_identity(c, column, rows);
    put_rows(block_->outs[c], column, totals_.size(int(c)), along_);
  }
}

// Folds the rows segment by segment, so that rows that read the same elements read them in cache.
void FoldState::fold_segments() {
  const auto rows = int64_t(along_.size());
  int64_t segments = 0;
  for (int32_t row : along_) {
    const int64_t count = counts_[size_t(row)], length = code_.segment_of(count);
    segments = std::max(segments, (count - 1) / length + 1);
  }
  ways_.add(threads() > 1 ? FoldWay::SharedSegments : FoldWay::Segments);
  const int64_t at_once = threads() > 1 ? std::max<int64_t>(1, items_of_threads / rows) : 1;
  if (totals_.capacity() < rows * at_once) totals_ = ColumnBlock(code_.combine.types, rows * at_once);
  std::vector<Bits64> joined(size_t(rows) * m_), total(m_), both(m_);
  for (int64_t first = 0; first < segments; first += at_once) {
    const int64_t items = std::min(at_once, segments - first) * rows;
    const auto workers = size_t(std::min<int64_t>(threads(), items));
    for (size_t thread = 0; thread < workers; thread++) folder(thread).bind_free(block_->free);
    Chunks chunks(items, int(workers));
    for_chunks(chunks, int(workers), [&](int thread) {
      for (int64_t item = chunks.next(thread); item >= 0; item = chunks.next(thread)) fold_item(*folders_[size_t(thread)], item, first);
    });
    if (std::ranges::any_of(folders_, &RowFolder::has_fault)) return;
    for (int64_t item = 0; item < items; item++) {
      const int64_t count = counts_[size_t(along_[size_t(item % rows)])], begin = (first + item / rows) * code_.segment_of(count);
      if (begin >= count) continue;
      std::span<Bits64> left = std::span(joined).subspan(size_t(item % rows) * m_, m_);
      for (size_t k = 0; k < m_; k++) total[k] = totals_.get(int(k), item);
      if (begin > 0) join(left, total, both);
      std::ranges::copy(begin > 0 ? both : total, left.begin());
    }
  }
  for (int64_t row = 0; row < rows; row++)
    for (size_t k = 0; k < m_; k++) totals_.set(int(k), row, joined[size_t(row) * m_ + k]);
  write_along();
}

// Items are the rows' segments, all rows of a segment before the next one.
void FoldState::fold_item(RowFolder& folder, int64_t item, int64_t first_segment) {
  const auto rows = int64_t(along_.size());
  const int32_t row = along_[item % rows];
  const int64_t count = counts_[row], length = code_.segment_of(count);
  const int64_t begin = (first_segment + item / rows) * length, end = std::min(begin + length, count);
  if (begin >= end) return;
  std::vector<Bits64> total(m_);
  folder.enter(row);
  folder.total(begin, end, total);
  for (size_t k = 0; k < m_; k++) totals_.set(int(k), item, total[k]);
}

void FoldState::join(std::span<const Bits64> left, std::span<const Bits64> right, std::span<Bits64> results) const {
  const Combine& combine = code_.combine;
  if (combine.in_registers()) {
    for (size_t k = 0; k < m_; k++) results[k] = loops().single[int(combine.ops[k])][int(combine.types[k])](left[k], right[k], 0);
    return;
  }
  std::vector<Bits64> both(left.begin(), left.end());
  both.insert(both.end(), right.begin(), right.end());
  RangeFault fault;
  combine.one(both, inputs_, results, fault, arguments_);
}

void FoldState::fill_with_identity(std::span<void* const> outs, int64_t rows) const {
  for (size_t k = 0; k < m_; k++) {
    Tile one;
    const Type type = code_.combine.types[k];
    fill_tile(&one, type, code_.combine.identity[k]);
    const Operand from{&one, 0};
    loops().copy[log_size(type)](outs[k], &from, (std::max<int64_t>(rows, 1) + tile - 1) / tile);
  }
}

void FoldState::spread_first_row(int64_t rows) const {
  for (size_t k = 0; k < m_; k++) {
    Tile one;
    const Type type = code_.combine.types[k];
    fill_tile(&one, type, read_bits(block_->outs[k], int64_t(size_of(type))));
    const Operand from{&one, 0};
    loops().copy[log_size(type)](block_->outs[k], &from, (rows + tile - 1) / tile);
  }
}

// If some index was out of range, looks for the first one row by row.
RangeFault FoldState::first_fault() {
  bool any = false;
  for (const auto& folder : folders_) any |= folder->has_fault();
  for (auto* lockstep : {&lockstep_, &lockstep_across_})
    if (*lockstep) any |= (*lockstep)->has_fault(), (*lockstep)->forget_fault();
  if (across_) any |= across_->has_fault(), across_->forget_fault();
  if (together_) any |= together_->has_fault(), together_->forget_fault();
  if (!any) return {};
  for (auto& folder : folders_) folder->first_fault(0);
  RowFolder& along = folder(0);
  along.bind_free(block_->free);
  for (size_t row = 0; row < counts_.size(); row++) {
    if (counts_[row] == 0) continue;
    along.enter(int64_t(row));
    const RangeFault fault = along.first_fault(counts_[row]);
    if (fault.at >= 0) return {int64_t(row), fault.index, fault.length};
  }
  return {};
}

// ---- the instruction ----------------------------------------------------------------------------------------------------------

// The other instructions compute the number of the first row, of which a tile suffices.
bool Frame::Impl::fold_rows(int64_t begin, int64_t count, std::span<void* const> outs) {
  const std::span<const Instruction> all = phases()[0].code;
  for (const Instruction& instruction : all.first(all.size() - 1)) execute(instruction, begin, tile);
  const Operand* in = gather_operands(all.back());
  return fold_states[all.back().detail]->run_of_matrix({in[0], {in + 1, all.back().operand_count - 1}, count, nullptr, outs, false});
}

void Frame::Impl::fold(const Instruction& instruction, int64_t begin, int64_t count) {
  const Operand* in = gather_operands(instruction);
  FoldState& state = *fold_states[instruction.detail];
  std::vector<void*> outs;
  for (uint32_t k = 0; k < instruction.out_count; k++) outs.push_back(memory_of(code.operands[instruction.outs + k]));
  const int64_t rows = before_fault(begin, 0, count);
  if (rows < count) state.fill_with_identity(outs, count);
  const RangeFault first = state.run({in[0], {in + 1, instruction.operand_count - 1}, rows, active, outs, may_use_threads});
  if (first.at >= 0) record(indices ? indices[first.at] : begin + first.at, first.index, first.length);
}

}  // namespace wf::cpu
