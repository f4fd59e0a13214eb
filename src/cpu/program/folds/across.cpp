#include "cpu/program/folds/across.h"

#include <algorithm>
#include <cstring>

#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr int64_t lanes_of_integers = 64;      // of f32; integers, whose order does not matter, have as many
constexpr int64_t bytes_of_group = 256 << 10;  // a part of L2; more lanes read longer runs of memory
constexpr int64_t bytes_of_totals = 2 << 20;   // of the segments that threads share at once, unless these are few
constexpr int64_t few_segments = 4;            // so that each thread has its own; a row of less than 2^15 positions has no more
constexpr int64_t narrow = 2048;               // rows of a block whose totals stay in L2
constexpr int64_t items_per_thread = 2;
constexpr int64_t elements_per_thread = 1 << 16;  // the fewest that repay waking it

int64_t whole_tiles(int64_t rows) { return (rows + tile - 1) / tile * tile; }

// Returns true if the numbers that depend on parameter 0 are used as bases of streams and ranges alone, and each is computed lane by lane:
// then a tile can contain those of 64 positions.
bool only_places_streams(const BlockProgram::Impl& program) {
  if (program.params[0] == no_location) return true;
  std::vector<bool> depends(program.locations.size());
  depends[program.params[0]] = true;
  auto reads = [&](const Instruction& i) {
    return std::ranges::any_of(std::span(program.operands).subspan(i.operands, i.operand_count), [&](LocationId x) { return depends[x]; });
  };
  for (const Instruction& i : program.row_setup.code) {
    if (!reads(i)) continue;
    if (i.kind != Instruction::Kind::Plain && i.kind != Instruction::Kind::Gather) return false;
    for (uint32_t k = 0; k < i.out_count; k++) depends[program.operands[i.outs + k]] = true;
  }
  return std::ranges::none_of(program.phases[0].code, reads) &&
         std::ranges::none_of(program.results, [&](LocationId x) { return depends[x]; });
}

// Returns true if each result is an element that is read. Instructions only check indices, then.
bool results_are_elements(const BlockProgram::Impl& program) {
  return std::ranges::all_of(program.results, [&](LocationId result) { return program.locations[result].from == Location::From::Stream; });
}

}  // namespace

bool only_reads(const BlockProgram& across) { return only_places_streams(across.impl()) && results_are_elements(across.impl()); }

Across::Across(const FoldCode& code)
    : code_(code),
      m_(size_t(code.combine.columns())),
      lanes_(code.lanes == 1 ? lanes_of_integers : code.lanes),
      positions_are_bases_(only_places_streams(code.across->impl())),
      only_reads_(only_reads(*code.across)) {
  for (size_t k = 0; k < m_; k++) folds_.push_back(simd_tables().folds.across[int(code.combine.monoids[k])][int(code.combine.types[k])]);
}

Across::Steps::Steps(const FoldCode& code) : frame(code.across), bases(code.free.size()), elements(size_t(code.combine.columns())) {
  frame.bind_param(0, &positions);
}

void Across::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  inputs_.assign(inputs.begin(), inputs.end());
  arguments_.assign(arguments.begin(), arguments.end());
  if (steps_.size() > 1) steps_.resize(1);
  for (auto& steps : steps_) steps->frame.bind_inputs(inputs_, arguments_);
}

bool Across::has_fault() const {
  return std::ranges::any_of(steps_, [](const auto& steps) { return steps->frame.fault().at >= 0; });
}
void Across::forget_fault() {
  for (auto& steps : steps_) steps->frame.forget_fault();
}

void Across::bind_free(Steps& steps, std::span<const Operand> free) const {
  for (uint32_t k = 0; k < free.size(); k++) {
    steps.frame.bind_param(1 + k, free[k].data);
    if (code_.free[k].stride == 0) continue;
    fill_tile(&steps.bases[k], Type::I64, read_bits(free[k].data, 8));
    steps.frame.bind_base(1 + k, &steps.bases[k]);
  }
}

void Across::fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs, int threads) {
  const int64_t block = count >= fewest_of_wide ? code_.across->block() : std::min(code_.across->block(), narrow);
  std::vector<Operand> part(free.begin(), free.end());
  std::vector<void*> part_outs(m_);
  for (int64_t first = 0; first < rows; first += block) {
    for (size_t k = 0; k < part.size(); k++) part[k].data = static_cast<const std::byte*>(free[k].data) + first / tile * free[k].step;
    for (size_t k = 0; k < m_; k++) part_outs[k] = static_cast<std::byte*>(outs[k]) + first * int64_t(size_of(code_.combine.types[k]));
    fold_block(part, std::min(block, rows - first), count, part_outs, threads);
  }
}

// The most lanes whose totals stay in the cache, but at least two groups for each thread.
int64_t Across::lanes_of_group(int64_t rows, int64_t segments, int threads) const {
  if (!positions_are_bases_) return 1;  // the frame expects equal distances between steps (see Frame::Impl::ask_for_next)
  int64_t bytes = 0, lanes = lanes_;
  for (Type type : code_.combine.types) bytes += whole_tiles(rows) * int64_t(size_of(type));
  while (lanes > 1 && (lanes * bytes > bytes_of_group || (threads > 1 && segments * lanes_ / lanes < items_per_thread * threads)))
    lanes /= 2;
  return lanes;
}

void Across::fold_block(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs, int threads) {
  threads = int(std::clamp<int64_t>(rows * std::min(count, elements_per_thread * threads) / elements_per_thread, 1, threads));
  while (steps_.size() < size_t(threads)) {
    steps_.push_back(std::make_unique<Steps>(code_));
    steps_.back()->frame.bind_inputs(inputs_, arguments_);
  }
  for (int thread = 0; thread < threads; thread++) bind_free(*steps_[size_t(thread)], free);
  const int64_t length = code_.segment_of(count), segments = (count - 1) / length + 1, stride = whole_tiles(rows);
  const int64_t least = std::min({int64_t(threads), segments, few_segments});
  const int64_t at_once = std::clamp(bytes_of_totals / (lanes_ * stride * 8), least, segments);
  const int64_t lanes = lanes_of_group(rows, at_once, threads);
  if (totals_.capacity() < at_once * lanes_ * stride) totals_ = ColumnBlock(code_.combine.types, at_once * lanes_ * stride);
  for (int64_t first = 0; first < segments && !has_fault(); first += at_once) {
    const Segments part{first, std::min(at_once, segments - first), length, count};
    fold_groups(part, lanes, rows, threads);
    Chunks strips((rows + narrow - 1) / narrow, threads);
    for_chunks(strips, threads, [&](int thread) {
      for (int64_t strip; (strip = strips.next(thread)) >= 0;) join_strip(strip * narrow, part, rows, outs);
    });
  }
}

void Across::fold_groups(const Segments& segments, int64_t lanes, int64_t rows, int threads) {
  const int64_t groups = lanes_ / lanes, stride = whole_tiles(rows);
  Chunks items(segments.count * groups, threads);
  for_chunks(items, threads, [&](int thread) {
    for (int64_t item; (item = items.next(thread)) >= 0;) {
      const int64_t s = item / groups, lane = item % groups * lanes;
      fold_group(*steps_[size_t(thread)], {segments.begin(s), segments.end(s), lane, lanes, (s * lanes_ + lane) * stride}, rows);
    }
  });
}

// total[l] = value(begin + l) f value(begin + l + lanes_) f ... for each lane l of the group.
void Across::fold_group(Steps& steps, const Group& group, int64_t rows) const {
  for (int64_t first = group.begin; first < group.end;) {
    const bool folded = only_reads_ && fold_reads(steps, group, first, rows);
    if (!folded) fold_tile(steps, group, first, rows);
    first += (folded ? rounds_at_once(group) : tile / group.lanes) * lanes_;
  }
}

// Computes the positions of the group from `first` on that a tile has space for, one after another.
void Across::fold_tile(Steps& steps, const Group& group, int64_t first, int64_t rows) const {
  auto* positions = reinterpret_cast<int64_t*>(&steps.positions);
  auto position = [&](int64_t t) { return position_of(group, first, t); };
  for (int64_t t = 0; t < tile; t++) positions[t] = position(t);
  if (positions_are_bases_) steps.frame.enter_row();
  for (int64_t t = 0; t < tile; t++) {
    const int64_t j = position(t);
    if (j >= group.end) continue;
    if (positions_are_bases_) {
      steps.frame.select_row(int(t), int(std::min(t + 1, tile - 1)));
    } else {
      std::fill_n(positions, tile, j);
      steps.frame.enter_row();
    }
    steps.frame.run(0, 0, rows);
    fold_value(steps, group, j, t % group.lanes, rows);
  }
}

// Folds the value of position j, which the frame has computed, into the total of the group's lane.
void Across::fold_value(const Steps& steps, const Group& group, int64_t j, int64_t index, int64_t rows) const {
  for (size_t k = 0; k < m_; k++) {
    std::byte* total = total_of(group, index, k, rows);
    const void* value = steps.frame.result(uint32_t(k));
    if (j < group.begin + lanes_) std::memcpy(total, value, size_t(rows * totals_.size(int(k))));
    else combine(total, value, k, rows);
  }
}

// Folds several positions of each lane of the group, from `first` on, whose elements are read in place: the totals are read and written once, and
// each position of a lane begins a run of memory that the next lane's continues. Returns false, and folds nothing, if some elements are not.
bool Across::fold_reads(Steps& steps, const Group& group, int64_t first, int64_t rows) const {
  const bool checks = !code_.across->impl().phases[0].code.empty();
  const int64_t at_once = rounds_at_once(group), last = at_once * group.lanes;
  auto* positions = reinterpret_cast<int64_t*>(&steps.positions);
  for (int64_t begin = 0; begin < last; begin += tile) {
    for (int64_t t = 0; t < tile; t++) positions[t] = position_of(group, first, begin + t);
    steps.frame.enter_row();
    for (int64_t t = 0; t < tile && positions[t] < group.end; t++) {
      steps.frame.select_row(int(t), int(t));
      if (checks) steps.frame.run(0, 0, rows);
      const int64_t index = (begin + t) % group.lanes, round = (begin + t) / group.lanes;
      for (uint32_t k = 0; k < m_; k++) {
        const void* elements = steps.frame.in_place(k, 0, rows);
        if (!elements) return false;
        steps.elements[k][size_t(index * at_once + round)] = elements;
      }
    }
  }
  for (int64_t index = 0; index < group.lanes; index++) {
    const int64_t remaining = (group.end - first - group.lane - index + lanes_ - 1) / lanes_, count = std::min(remaining, at_once);
    for (size_t k = 0; k < m_ && count > 0; k++) {
      const void* const* elements = &steps.elements[k][size_t(index * at_once)];
      std::byte* total = total_of(group, index, k, rows);
      int64_t r = 0;
      const void* before = first == group.begin ? elements[r++] : total;
      do {
        const int64_t some = std::min(rounds, count - r);
        folds_[k](before, elements + r, int(some), whole_tiles(rows), total);
        before = total, r += some;
      } while (r < count);
    }
  }
  return true;
}

std::byte* Across::total_of(const Group& group, int64_t index, size_t k, int64_t rows) const {
  return totals_.at(int(k), group.totals + index * whole_tiles(rows));
}

// Joins the lanes of these segments, and the segments to those before them, for a strip of the rows.
void Across::join_strip(int64_t begin, const Segments& segments, int64_t rows, std::span<void* const> outs) const {
  const int64_t width = std::min(narrow, rows - begin), stride = whole_tiles(rows);
  for (int64_t s = 0; s < segments.count; s++) {
    const int64_t total = s * lanes_ * stride + begin;
    join_lanes(total, segments.end(s) - segments.begin(s), stride, width);
    for (size_t k = 0; k < m_; k++) {
      std::byte* const out = static_cast<std::byte*>(outs[k]) + begin * totals_.size(int(k));
      if (segments.first + s > 0) combine(out, totals_.at(int(k), total), k, width);
      else std::memcpy(out, totals_.at(int(k), total), size_t(width * totals_.size(int(k))));
    }
  }
}

// Makes the total of lane 0 that of all lanes, for a segment of `count` positions and `width` of the rows.
void Across::join_lanes(int64_t totals, int64_t count, int64_t stride, int64_t width) const {
  int64_t end = std::min(lanes_, count);
  for (int64_t half = lanes_ / 2; half > 0; half /= 2) {
    for (int64_t lane = half; lane < end; lane++)
      for (size_t k = 0; k < m_; k++)
        combine(totals_.at(int(k), totals + (lane - half) * stride), totals_.at(int(k), totals + lane * stride), k, width);
    end = std::min(end, half);
  }
}

// left[r] = left[r] f right[r], in whole tiles.
void Across::combine(std::byte* left, const void* right, size_t k, int64_t rows) const {
  const Type type = code_.combine.types[k];
  const int64_t step = tile * int64_t(size_of(type));
  const Operand both[] = {{left, step}, {right, step}};
  loops().op[int(code_.combine.ops[k])][int(type)](left, both, whole_tiles(rows) / tile);
}

}  // namespace wf::cpu
