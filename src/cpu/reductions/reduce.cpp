#include "cpu/reductions/reduce.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "cpu/loops/isa.h"
#include "cpu/native/halving.h"
#include "cpu/native/native_program.h"

namespace wf::cpu {
namespace {

class RegisterReducer : public Reducer {
  // The table entry of column k.
  template <class Table> auto of(const Table& table, int k) const {
    return table[static_cast<int>(combine_.monoids[k])][static_cast<int>(combine_.types[k])];
  }

 public:
  explicit RegisterReducer(const Combine& combine) : combine_(combine), neutral_(combine.columns()) {
    for (int k = 0; k < combine_.columns(); k++) {
      const simd::Monoid by = combine_.monoids[k];
      rounds_ |= is_in(combine_.types[k], Float) && (by == simd::Monoid::add_ || by == simd::Monoid::mul_);
      for (size_t at = 0, size = size_of(combine_.types[k]); at < simd::fold_bytes; at += size)
        std::memcpy(neutral_[k].bytes + at, &combine_.neutral[k], size);
    }
    clear();
  }

  void bind_inputs(std::span<const InputView>, std::span<const Bits64>) override {}

  void clear() override {
    has_taken_ = false;
    if (std::exchange(marks_, false)) taken_ = {};
    lanes_ = neutral_;
    filled_ = spans_ = 0;
  }

  void begin(int64_t n) override { has_spans_ = rounds_ && n >= fewest_in_spans; }
  int64_t room() const override { return has_spans_ ? span - filled_ : INT64_MAX; }
  void note_folded(int64_t count) override {
    if (!has_spans_) return;
    filled_ += (count + tile - 1) / tile * tile;
    if (filled_ == span) end_span();
  }

  void* lanes(int k, bool all) override {
    has_taken_ |= all;
    return lanes_[k].bytes;
  }
  void* taken() override {
    marks_ = true;
    return taken_.bytes;
  }

  void add(std::span<const void* const> columns, int64_t count) override {
    has_taken_ |= count > 0;
    for_spans(count, [&](int64_t at, int64_t n) {
      for (int k = 0; k < combine_.columns(); k++) of(simd_tables().folds.fold, k)(element(columns, k, at), n, lanes_[k].bytes);
    });
  }

  void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) override {
    has_taken_ = has_taken_ || simd_tables().compresses.count(mask, count) > 0;
    for_spans(count, [&](int64_t at, int64_t n) {
      for (int k = 0; k < combine_.columns(); k++)
        of(simd_tables().folds.masked, k)(element(columns, k, at), mask + at, n, lanes_[k].bytes, combine_.neutral[k]);
    });
  }

  bool total(std::span<Bits64> results) override {
    if (!has_taken_ && !std::memchr(taken_.bytes, 1, sizeof taken_.bytes)) return false;
    for (size_t level = 0; level < levels_.size(); level++)
      if (spans_ >> level & 1) combine_with(levels_[level]);
    for (int k = 0; k < combine_.columns(); k++) results[k] = of(simd_tables().folds.join, k)(lanes_[k].bytes);
    return true;
  }

  void note_fault(RangeFault&) const override {}

 private:
  static constexpr int64_t span = 1 << 13, fewest_in_spans = 1 << 17;  // of fewer, the tree takes a tenth of the time
  struct alignas(64) Lanes {
    std::byte bytes[simd::fold_bytes];
  };

  const std::byte* element(std::span<const void* const> columns, int k, int64_t at) const {
    return static_cast<const std::byte*>(columns[size_t(k)]) + at * int64_t(size_of(combine_.types[k]));
  }
  // fold(at, n) for the parts of `count` elements that belong to different spans.
  template <class F> void for_spans(int64_t count, const F& fold) {
    for (int64_t at = 0, n; at < count; at += n) {
      n = std::min(count - at, room());
      fold(at, n);
      note_folded(n);
    }
  }
  void combine_with(const std::vector<Lanes>& before) {
    for (int k = 0; k < combine_.columns(); k++)
      of(simd_tables().folds.fold, k)(before[k].bytes, simd::fold_bytes / int64_t(size_of(combine_.types[k])), lanes_[k].bytes);
  }
  void end_span() {
    size_t level = 0;
    for (; spans_ >> level & 1; level++) combine_with(levels_[level]);
    if (level == levels_.size()) levels_.push_back(neutral_);
    std::ranges::copy(lanes_, levels_[level].begin());
    std::ranges::copy(neutral_, lanes_.begin());
    filled_ = 0;
    spans_++;
  }

  const Combine& combine_;
  std::vector<Lanes> neutral_, lanes_;  // per column
  // levels_[j]: the lanes of 2^j spans, if bit j of the number of spans is 1.
  std::vector<std::vector<Lanes>> levels_;
  int64_t filled_ = 0, spans_ = 0;           // elements of the span that is being folded, whole tiles; spans before it
  bool rounds_ = false, has_spans_ = false;  // rounds: a column is a sum or product of floats
  Lanes taken_{};
  bool marks_ = false;  // native code may have written to taken_
  bool has_taken_ = false;
};

// Column 0 flags the elements at which the other columns start again: only those from the last flag on count.
class RestartReducer : public Reducer {
 public:
  explicit RestartReducer(const Combine& combine) : all_(combine), chosen_(), types_(combine.types) {}

  void bind_inputs(std::span<const InputView>, std::span<const Bits64>) override {}
  void clear() override {
    all_.clear();
    has_restarted_ = false;
  }

  void add(std::span<const void* const> columns, int64_t count) override {
    auto* flags = static_cast<const uint8_t*>(columns[0]);
    auto* last = static_cast<const uint8_t*>(count > 0 ? memrchr(flags, 1, size_t(count)) : nullptr);
    const int64_t from = last ? last - flags : 0;
    if (last) {
      all_.clear();
      has_restarted_ = true;
    }
    current_.clear();
    for (size_t k = 0; k < columns.size(); k++)
      current_.push_back(static_cast<const std::byte*>(columns[k]) + from * int64_t(size_of(types_[k])));
    all_.add(current_, count - from);
  }

  void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) override {
    if (chosen_.capacity() < count) chosen_ = ColumnBlock(types_, count);
    int64_t kept = 0;
    std::vector<const void*> chosen;
    for (int k = 0; k < chosen_.columns(); k++) {
      kept = simd_tables().compresses.of_size(chosen_.size(k))(columns[size_t(k)], mask, count, chosen_.at(k));
      chosen.push_back(chosen_.at(k));
    }
    add(chosen, kept);
  }

  bool total(std::span<Bits64> results) override {
    if (!all_.total(results)) return false;
    results[0] = has_restarted_;
    return true;
  }

  void note_fault(RangeFault&) const override {}

 private:
  RegisterReducer all_;
  ColumnBlock chosen_;
  std::vector<Type> types_;
  std::vector<const void*> current_;
  bool has_restarted_ = false;
};

constexpr int halvings_of_tile = 6;
static_assert(tile == 1 << halvings_of_tile);
constexpr int64_t most_partials = 256;                  // of a level
constexpr int most_odd = 64;                            // elements without a partner, of any length
constexpr int64_t most_of_rest = 1 + halvings_of_tile;  // partial results of fewer elements than a tile

class TreeReducer : public Reducer {
 public:
  explicit TreeReducer(const Combine& combine);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) override {
    frame_.bind_inputs(inputs, arguments);
    native_ = combine_.program->native();
  }
  void clear() override;
  void add(std::span<const void* const> columns, int64_t count) override;
  int64_t begin_halved(int64_t count) override;
  void* halved(int k) override { return operands_[turn_ ^ 1].at(k); }
  void add_halved(int64_t count) override;
  void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) override;
  bool total(std::span<Bits64> results) override;
  void note_fault(RangeFault& first) const override;

 private:
  // Results of halving are stored here until there are enough for another step.
  struct Level {
    ColumnBlock partials;
    int64_t count = 0;
  };
  using Columns = std::vector<const void*>;

  void reduce_into(size_t level, int64_t count, bool is_own);
  void halve_into(size_t level, int64_t count, int most, bool is_own);
  void halve(int64_t pairs);
  int halve_natively(int64_t count, int most, bool has_memory_after);
  Level& level_for(size_t number, int64_t partials);
  void take(std::span<const void* const> columns, int64_t first);
  void take(const ColumnBlock& elements);

  const Combine& combine_;
  const int m_;
  Frame frame_;
  int64_t capacity_;         // elements that one step can halve, a multiple of 2 tiles
  ColumnBlock operands_[2];  // left columns, then right ones; two sets, since results may be stored in the operands themselves
  int turn_ = 0;
  Columns current_;       // the elements being halved
  ColumnBlock odd_ones_;  // elements without a partner, the last one first
  ColumnBlock chosen_;    // masked elements, compacted
  const NativeProgram* native_ = nullptr;
  std::vector<Operand> native_columns_;
  std::vector<Level> levels_;
};

TreeReducer::TreeReducer(const Combine& combine)
    : combine_(combine),
      m_(combine.columns()),
      frame_(combine.program),
      capacity_(2 * combine.program->block()),
      operands_{ColumnBlock(combine.operand_types(), capacity_ / 2), ColumnBlock(combine.operand_types(), capacity_ / 2)},
      current_(m_),
      odd_ones_(combine.types, most_odd) {}

void TreeReducer::clear() {
  for (Level& level : levels_) level.count = 0;
}

void TreeReducer::take(std::span<const void* const> columns, int64_t first) {
  for (int k = 0; k < m_; k++) current_[k] = static_cast<const std::byte*>(columns[k]) + first * int64_t(size_of(combine_.types[k]));
}

void TreeReducer::take(const ColumnBlock& elements) {
  for (int k = 0; k < m_; k++) current_[k] = elements.at(k);
}

void TreeReducer::add(std::span<const void* const> columns, int64_t count) {
  for (int64_t done = 0, length; done < count; done += length) {
    const Level& level = level_for(0, 1);
    length = std::min({count - done, capacity_, (most_partials - level.count) * tile});
    take(columns, done);
    reduce_into(0, length, false);
  }
}

int64_t TreeReducer::begin_halved(int64_t count) {
  if (!native_ || !native_->halving) return 0;
  const Level& level = level_for(0, 1);
  const int64_t unit = native::halving_unit(isa(), native::halvings);
  return std::min({count, capacity_ / 2 << native::halvings, (most_partials - level.count) * tile}) / unit * unit;
}

void TreeReducer::add_halved(int64_t count) {
  turn_ ^= 1;
  take(operands_[turn_]);
  halve_into(0, count >> native::halvings, halvings_of_tile - native::halvings, true);
}

void TreeReducer::add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) {
  if (chosen_.capacity() == 0) chosen_ = ColumnBlock(combine_.types, capacity_);
  for (int64_t done = 0; done < count; done += capacity_) {
    level_for(0, capacity_ / tile + most_of_rest);
    int64_t kept = 0, length = std::min(capacity_, count - done);
    for (int k = 0; k < m_; k++) {
      auto* compress = simd_tables().compresses.of_size(chosen_.size(k));
      auto from = static_cast<const std::byte*>(columns[k]) + done * chosen_.size(k);
      kept = compress(from, mask + done, length, chosen_.at(k));
    }
    take(chosen_);
    reduce_into(0, kept, true);
  }
}

// current = current[0] f current[1], current[2] f current[3], ...
void TreeReducer::halve(int64_t pairs) {
  ColumnBlock& operands = operands_[turn_ ^= 1];
  for (int k = 0; k < m_; k++) {
    simd_tables().streams.split(operands.size(k), current_[k], pairs, operands.at(k), operands.at(m_ + k));
    frame_.bind_param(uint32_t(k), operands.at(k));
    frame_.bind_param(uint32_t(m_ + k), operands.at(m_ + k));
  }
  frame_.run(0, 0, pairs);
  for (int k = 0; k < m_; k++) current_[k] = frame_.result(uint32_t(k));
}

// Halves the elements at most `most` times in native code, of which `count` are an even number. Returns the number of times, 0 if native code
// cannot. It may read elements after the last one, up to a whole step, where there is memory for them.
int TreeReducer::halve_natively(int64_t count, int most, bool has_memory_after) {
  if (!native_ || !native_->halving) return 0;
  auto unit = [](int steps) { return native::halving_unit(isa(), steps); };
  const int steps = native::halvings <= most && count % unit(native::halvings) == 0 ? native::halvings : 1;
  if (!has_memory_after && count % unit(steps) != 0) return 0;
  ColumnBlock& results = operands_[turn_ ^= 1];
  native_columns_.clear();
  for (int k = 0; k < m_; k++) native_columns_.push_back({current_[k], 0});
  for (int k = 0; k < m_; k++) native_columns_.push_back({current_[k] = results.at(k), 0});
  const native::Memory memory{native_columns_.data(), nullptr, nullptr, nullptr, nullptr, nullptr};
  (steps == 1 ? native_->halving_once : native_->halving)(&memory, 0, count);
  return steps;
}

// Halves the `count` current elements until one is left, at most `most` times. Appends those that are left to a level, followed by the elements
// without a partner. is_own: the elements are in memory of the reducer, which has space for whole tiles.
void TreeReducer::halve_into(size_t to, int64_t count, int most, bool is_own) {
  Level& level = levels_[to];
  int64_t odd = 0;
  for (int done = 0; done < most && count > 1;) {
    if (count % 2) {
      count--;
      for (int k = 0; k < m_; k++) {
        auto last = static_cast<const std::byte*>(current_[k]) + count * odd_ones_.size(k);
        std::memcpy(odd_ones_.at(k, odd), last, size_t(odd_ones_.size(k)));
      }
      odd++;
    }
    const int steps = halve_natively(count, most - done, is_own || done > 0);
    if (steps == 0) halve(count / 2);
    count >>= std::max(steps, 1);
    done += std::max(steps, 1);
  }
  const ColumnBlock& partials = level.partials;
  for (int k = 0; k < m_; k++) {
    const int64_t size = partials.size(k);
    std::memcpy(partials.at(k, level.count), current_[k], size_t(count * size));
    for (int64_t i = 0; i < odd; i++) std::memcpy(partials.at(k, level.count + count + i), odd_ones_.at(k, odd - 1 - i), size_t(size));
  }
  level.count += count + odd;
}

// Appends the results of whole tiles of the current elements to a level, then those of the rest.
void TreeReducer::reduce_into(size_t to, int64_t count, bool is_own) {
  const Columns first = current_;
  const int64_t whole = count / tile * tile;
  if (whole > 0) halve_into(to, whole, halvings_of_tile, is_own);
  if (whole == count) return;
  take(first, whole);
  halve_into(to, count - whole, halvings_of_tile, is_own);
}

// The level, with space for so many partial results: a full level is reduced into the next.
TreeReducer::Level& TreeReducer::level_for(size_t number, int64_t partials) {
  if (number == levels_.size()) levels_.push_back({ColumnBlock(combine_.types, most_partials + most_of_rest), 0});
  if (levels_[number].count + partials > most_partials) {
    level_for(number + 1, most_partials / tile + most_of_rest);
    take(levels_[number].partials);
    reduce_into(number + 1, std::exchange(levels_[number].count, 0), true);
  }
  return levels_[number];
}

bool TreeReducer::total(std::span<Bits64> results) {
  // Earlier elements are in higher levels: what is left of each level is appended to the next.
  for (size_t number = 0; number < levels_.size(); number++) {
    while (levels_[number].count > 1) {
      take(levels_[number].partials);
      halve_into(number, std::exchange(levels_[number].count, 0), most_odd, true);
    }
    if (levels_[number].count == 0 || number + 1 == levels_.size()) continue;
    level_for(number + 1, 1);
    take(levels_[number].partials);
    halve_into(number + 1, std::exchange(levels_[number].count, 0), 0, true);
  }
  if (levels_.empty() || levels_.back().count == 0) return false;
  for (int k = 0; k < m_; k++) results[k] = levels_.back().partials.get(k, 0);
  return true;
}

void TreeReducer::note_fault(RangeFault& first) const {
  const RangeFault& fault = frame_.fault();
  if (fault.at >= 0 && first.at < 0) first = fault;
}

}  // namespace

std::unique_ptr<Reducer> make_reducer(const Combine& combine) {
  if (combine.in_registers()) return std::make_unique<RegisterReducer>(combine);
  if (combine.restarts_in_registers()) return std::make_unique<RestartReducer>(combine);
  return std::make_unique<TreeReducer>(combine);
}

}  // namespace wf::cpu
