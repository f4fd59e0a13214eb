#include "cpu/scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/worker.h"

namespace wf::cpu {

// ---- a chunk: sum, carry, prefixes

// With several workers each chunk is evaluated twice: for its sum, then, when its carry is known, for its prefixes. As long as no other worker has
// begun, none waits for the carry after the chunk.
void Worker::scan_in_chain(int64_t chunk, int64_t begin, int64_t end) {
  const int64_t block = compiled_.block;
  if (is_alone(run_->carry_turn, chunk)) {
    scan_with_carry(begin, end);
    return run_->carry_turn.pass(chunk);
  }
  if (restarts_at(begin, end)) return scan_from_restart(chunk, begin, end);
  // Sum the chunk; it fits in L2, so that reading it twice costs one trip to memory.
  prefixer_->begin_sum();
  for (int64_t at = begin; at < end; at += block) {
    const int64_t count = std::min(block, end - at);
    frame_.run(0, at, count);
    scanned_values();
    prefixer_->add(columns_, count);
  }
  // Chain the carry: wait for the chunk on the left, publish ours.
  run_->carry_turn.wait(chunk, run_->chunks);
  carry_ = run_->carry;
  prefixer_->add_sum_to(run_->carry);
  run_->carry_turn.pass(chunk);
  // Evaluate the chunk again, with the prefixes from the carry on.
  scan_blocks(begin, end, false);
}

// The prefixes from the carry on, and with `sum` the sum as well.
void Worker::scan_blocks(int64_t begin, int64_t end, bool sum) {
  const int64_t block = compiled_.block;
  for (int64_t at = begin; at < end; at += block) {
    const int64_t count = std::min(block, end - at);
    frame_.run(0, at, count);
    scanned_values();
    if (sum) prefixer_->add(columns_, count);
    place_prefixes(at, count);
    scan_block(at, count);
  }
}

// The prefixes of a block are computed in the outputs that store them, but for the first block, whose first prefixes may be replaced.
void Worker::place_prefixes(int64_t at, int64_t count) {
  for (const auto& [output, column, inclusive] : stored_prefixes_) {
    const bool in_output = at > 0 && !run_->stream && has_tiles(output, at, count);
    std::byte* const memory = in_output ? output_at(output, at) : (inclusive ? inclusive_ : exclusive_).at(column);
    (inclusive ? targets_.inclusive : targets_.exclusive)[size_t(column)] = memory;
    frame_.bind_param(uint32_t(1 + column + (inclusive ? compiled_.scan->columns() : 0)), memory);
  }
}

// Returns true if the scan starts again at the first element of the chunk, and so no prefix that is read depends on the carry: the
// exclusive ones of the first element do.
bool Worker::restarts_at(int64_t begin, int64_t end) {
  if (!compiled_.scan->restarts_in_registers() || std::ranges::count(compiled_.exclusive_used, true) > 0) return false;
  frame_.run(0, begin, std::min(compiled_.block, end - begin));
  scanned_values();
  return *static_cast<const bool*>(columns_[0]);
}

// Evaluates each element of such a chunk once.
void Worker::scan_from_restart(int64_t chunk, int64_t begin, int64_t end) {
  carry_ = compiled_.scan->start;
  prefixer_->begin_sum();
  scan_blocks(begin, end, true);
  run_->carry_turn.wait(chunk, run_->chunks);
  prefixer_->add_sum_to(run_->carry);
  run_->carry_turn.pass(chunk);
}

// With one worker the carry is passed directly and each element is evaluated once. If the carry after it has other bits than in a chain, the
// chunk's sum is computed as well.
void Worker::scan_with_carry(int64_t begin, int64_t end) {
  const bool sums = run_->chunks.count() > 1 && prefixer_->sums_round_apart();
  carry_ = run_->carry;
  prefixer_->begin_sum();
  scan_blocks(begin, end, sums);
  if (sums) prefixer_->add_sum_to(run_->carry);
  else run_->carry = carry_;
}

void Worker::scanned_values() {
  columns_.clear();
  for (uint32_t value : compiled_.kernel.scan[0].values) columns_.push_back(frame_.result(value));
}

// Makes `count` prefixes the identity if the scan starts from another value: no element precedes them.
void Worker::begin_with_identity(const ColumnBlock& exclusive, int64_t first, int64_t count) {
  const Combine& scan = *compiled_.scan;
  for (int k = 0; k < scan.columns(); k++)
    for (int64_t i = 0; i < count && scan.start[size_t(k)] != scan.identity[size_t(k)]; i++)
      exclusive.set(k, first + i, scan.identity[size_t(k)]);
}

void Worker::scan_block(int64_t at, int64_t count) {
  const ScanAxis& axis = compiled_.kernel.scan[0].axis;
  if (array_prefixes_) {
    array_prefixes_->run(columns_, at, count, targets_);
    begin_arrays_with_identity(at, count);
  } else {
    prefixer_->run(columns_, count, carry_, targets_);
    if (at == 0 || (axis.exists() && at % axis.length == 0)) begin_with_identity(exclusive_, 0, 1);
  }
  if (compiled_.has_phase_1) frame_.run(1, at, count);
  sink_block(at, count);
}

// ---- a block: prefixes in registers or in a tree

namespace {

class RegisterPrefixer : public Prefixer {
 public:
  explicit RegisterPrefixer(const Combine& combine) : combine_(combine), sum_(make_reducer(combine)), operands_(2 * combine.types.size()) {}

  void bind_inputs(std::span<const InputView>) override {}

  void run(std::span<const void* const> columns, int64_t count, std::span<Bits64> carry, const PrefixTargets& targets) override {
    for (int k = 0; k < combine_.columns(); k++) {
      auto* prefix = simd_tables().prefixes.prefix[int(combine_.monoids[k])][int(combine_.types[k])];
      auto* flags = combine_.restarts && k > 0 ? static_cast<const uint8_t*>(columns[0]) : nullptr;
      prefix(columns[k], flags, count, combine_.neutral[k], &carry[k], targets.exclusive[k], targets.inclusive[k]);
    }
  }

  void begin_sum() override { sum_->clear(); }
  void add(std::span<const void* const> columns, int64_t count) override { sum_->add(columns, count); }
  void add_sum_to(std::span<Bits64> carry) override {
    RangeFault none;
    std::ranges::copy(carry, operands_.begin());
    sum_->total(std::span(operands_).subspan(carry.size()));
    combine_.one(operands_, {}, carry, none);
  }
  bool sums_round_apart() const override { return !combine_.is_exact(); }

  void note_fault(RangeFault&) const override {}

 private:
  const Combine& combine_;
  std::unique_ptr<Reducer> sum_;
  std::vector<Bits64> operands_;
};

class TreePrefixer : public Prefixer {
 public:
  explicit TreePrefixer(const Combine& combine);
  void bind_inputs(std::span<const InputView> inputs) override;
  void run(std::span<const void* const> columns, int64_t count, std::span<Bits64> carry, const PrefixTargets& targets) override;
  void begin_sum() override { sums_.clear(); }
  void add(std::span<const void* const> columns, int64_t count) override;
  void add_sum_to(std::span<Bits64> carry) override;
  bool sums_round_apart() const override { return false; }
  void note_fault(RangeFault& first) const override;

 private:
  struct Level {           // of a tree over `count` elements
    ColumnBlock lefts;     // x[0], x[2], ...
    ColumnBlock sums;      // the elements of the next level
    ColumnBlock prefixes;  // count + 1 of them: the exclusive ones and the one after the last element
    int64_t count = 0;
  };

  template <class F> void for_trees(std::span<const void* const> columns, int64_t count, const F& f);
  size_t up(std::span<const void* const> columns, int64_t count);
  void down(size_t top, std::span<const Bits64> carry);
  void pass_lone(size_t level);
  void bind(const ColumnBlock& lefts, const ColumnBlock& rights);

  const Combine& combine_;
  const int m_;
  Frame frame_;
  int64_t piece_;  // elements in one tree: a power of two
  ColumnBlock rights_;
  ColumnBlock lone_;  // per level the last element, if it has no partner
  std::vector<Level> levels_;
  std::vector<const void*> current_;
  std::vector<Bits64> operands_, results_, sums_;  // sums: of a chunk, the elements without a partner in each tree
  std::span<const InputView> inputs_;
  RangeFault fault_;
};

TreePrefixer::TreePrefixer(const Combine& combine)
    : combine_(combine),
      m_(combine.columns()),
      frame_(combine.program),
      piece_(int64_t(std::bit_floor(uint64_t(2 * combine.program->block())))),
      rights_(combine.types, piece_ / 2),
      lone_(combine.types, 64),
      current_(m_),
      operands_(2 * m_),
      results_(m_) {
  for (int64_t count = piece_; count > 0; count /= 2)
    levels_.push_back(
        {ColumnBlock(combine.types, count / 2), ColumnBlock(combine.types, count / 2), ColumnBlock(combine.types, count + 1), 0});
}

void TreePrefixer::bind_inputs(std::span<const InputView> inputs) {
  inputs_ = inputs;
  frame_.bind_inputs(inputs);
}

void TreePrefixer::bind(const ColumnBlock& lefts, const ColumnBlock& rights) {
  for (int k = 0; k < m_; k++) {
    frame_.bind_param(uint32_t(k), lefts.at(k));
    frame_.bind_param(uint32_t(m_ + k), rights.at(k));
  }
}

// Sums neighbours, level by level, until one element or none is left. Returns the number of the last level.
size_t TreePrefixer::up(std::span<const void* const> columns, int64_t count) {
  size_t number = 0;
  for (;; number++) {
    Level& level = levels_[number];
    auto element = [&](int k) { return number ? levels_[number - 1].sums.at(k) : static_cast<const std::byte*>(columns[k]); };
    level.count = count;
    if (count % 2)
      for (int k = 0; k < m_; k++) {
        const size_t size = size_t(lone_.size(k));
        std::memcpy(lone_.at(k, int64_t(number)), element(k) + (count - 1) * int64_t(size), size);
      }
    if (count <= 1) return number;
    count /= 2;
    for (int k = 0; k < m_; k++) simd_tables().streams.split(rights_.size(k), element(k), count, level.lefts.at(k), rights_.at(k));
    bind(level.lefts, rights_);
    frame_.run(0, 0, count);
    for (int k = 0; k < m_; k++) std::memcpy(level.sums.at(k), frame_.result(uint32_t(k)), size_t(count * level.sums.size(k)));
  }
}

// Computes the prefixes of this level from those of the level above: E[2i] = E'[i], E[2i+1] = E'[i] f x[2i].
void TreePrefixer::down(size_t top, std::span<const Bits64> carry) {
  for (int k = 0; k < m_; k++) levels_[top].prefixes.set(k, 0, carry[k]);
  if (levels_[top].count == 1) pass_lone(top);
  for (size_t number = top; number-- > 0;) {
    Level& level = levels_[number];
    const ColumnBlock& above = levels_[number + 1].prefixes;
    const int64_t pairs = level.count / 2;
    bind(above, level.lefts);
    frame_.run(0, 0, pairs);
    for (int k = 0; k < m_; k++) {
      const ColumnBlock& prefixes = level.prefixes;
      simd_tables().streams.join(prefixes.size(k), above.at(k), frame_.result(uint32_t(k)), pairs, prefixes.at(k));
      prefixes.set(k, 2 * pairs, above.get(k, pairs));
    }
    if (level.count % 2) pass_lone(number);
  }
}

// Computes the prefix after the last element of a level if that element has no partner.
void TreePrefixer::pass_lone(size_t number) {
  const Level& level = levels_[number];
  for (int k = 0; k < m_; k++) {
    operands_[k] = level.prefixes.get(k, level.count - 1);
    operands_[m_ + k] = lone_.get(k, int64_t(number));
  }
  combine_.one(operands_, inputs_, results_, fault_);
  for (int k = 0; k < m_; k++) level.prefixes.set(k, level.count, results_[k]);
}

// f(done, length, top) for each tree once the sums of its pairs are known, up to the level `top`.
template <class F> void TreePrefixer::for_trees(std::span<const void* const> columns, int64_t count, const F& f) {
  for (int64_t done = 0, length; done < count; done += length) {
    length = std::min(piece_, count - done);
    for (int k = 0; k < m_; k++) current_[k] = static_cast<const std::byte*>(columns[k]) + done * rights_.size(k);
    f(done, length, up(current_, length));
  }
}

void TreePrefixer::run(std::span<const void* const> columns, int64_t count, std::span<Bits64> carry, const PrefixTargets& targets) {
  for_trees(columns, count, [&](int64_t done, int64_t length, size_t top) {
    down(top, carry);
    const ColumnBlock& prefixes = levels_[0].prefixes;
    for (int k = 0; k < m_; k++) {
      const int64_t size = prefixes.size(k);
      if (targets.exclusive[k]) std::memcpy(targets.exclusive[k] + done * size, prefixes.at(k), size_t(length * size));
      if (targets.inclusive[k]) std::memcpy(targets.inclusive[k] + done * size, prefixes.at(k, 1), size_t(length * size));
      carry[k] = prefixes.get(k, length);
    }
  });
}

void TreePrefixer::add(std::span<const void* const> columns, int64_t count) {
  for_trees(columns, count, [&](int64_t, int64_t, size_t top) {
    for (auto number = int64_t(top); number >= 0; number--)
      for (int k = 0; k < m_ && levels_[size_t(number)].count % 2; k++) sums_.push_back(lone_.get(k, number));
  });
}

// The carry is combined with the sums one by one, as by run.
void TreePrefixer::add_sum_to(std::span<Bits64> carry) {
  for (size_t at = 0; at < sums_.size(); at += size_t(m_)) {
    std::ranges::copy(carry, operands_.begin());
    std::copy_n(sums_.begin() + ptrdiff_t(at), m_, operands_.begin() + m_);
    combine_.one(operands_, inputs_, carry, fault_);
  }
}

void TreePrefixer::note_fault(RangeFault& first) const {
  for (const RangeFault& fault : {frame_.fault(), fault_})
    if (fault.at >= 0 && first.at < 0) first = fault;
}

}  // namespace

std::unique_ptr<Prefixer> make_prefixer(const Combine& combine) {
  if (combine.in_registers() || combine.restarts_in_registers()) return std::make_unique<RegisterPrefixer>(combine);
  return std::make_unique<TreePrefixer>(combine);
}

}  // namespace wf::cpu
