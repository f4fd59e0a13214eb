#include "cpu/program/folds/rows_together.h"

#include <algorithm>
#include <cstring>

namespace wf::cpu {
namespace {

constexpr int64_t rows_of_group = 4;  // at least: a longer row repays a run of its own

using From = Location::From;

// The parts of a program that decide whether neighbouring rows can be computed as one.
class Parts {
 public:
  Parts(const BlockProgram::Impl& program, std::span<const FoldCode::Free> free) : program_(program), differs_(program.locations.size()) {
    for (size_t k = 0; k < free.size(); k++)
      if (const LocationId x = program.params[1 + k]; x != no_location) differs_[x] = !free[k].is_number;
    for (const Instruction& i : program.row_setup.code)
      for (uint32_t k = 0; k < i.out_count; k++) differs_[program.operands[i.outs + k]] = reads_row(i);
  }

  bool is_of_row(LocationId x) const { return x != no_location && differs_[x]; }
  bool reads_row(const Instruction& i) const {
    return std::ranges::any_of(std::span(program_.operands).subspan(i.operands, i.operand_count),
                               [&](LocationId x) { return is_of_row(x); });
  }
  // In each row, the place at j = count is that of the next row at j = 0, or the place is the same for all j and all rows.
  bool continues(int32_t stride, const Base& base) const { return stride == (is_of_row(base.location) ? 1 : 0); }
  bool continues(const Stream& stream) const {
    return stream.walk == Stream::no_walk && stream.predicate == always && continues(stream.stride, stream.base);
  }
  bool computes_elements(const Instruction& i) const {
    if (i.predicate != always || reads_row(i)) return false;
    switch (i.kind) {
      case Instruction::Kind::Plain:
      case Instruction::Kind::Gather:
      case Instruction::Kind::Check: return true;
      case Instruction::Kind::Bounds: return continues(program_.ranges[i.detail].stride, program_.ranges[i.detail].base);
      default: return false;
    }
  }
  bool is_column(LocationId x) const { return program_.locations[x].from == From::Register || program_.locations[x].from == From::Stream; }

 private:
  const BlockProgram::Impl& program_;
  std::vector<bool> differs_;  // of each location: it is a number that may differ between rows
};

}  // namespace

// The numbers of 64 rows are computed at once, so that their instructions must compute each element of a tile by itself.
bool RowsTogether::covers(const BlockProgram& along, std::span<const FoldCode::Free> free) {
  const BlockProgram::Impl& program = along.impl();
  const Parts parts(program, free);
  auto is_lane_by_lane = [](const Instruction& i) { return i.kind == Instruction::Kind::Plain || i.kind == Instruction::Kind::Gather; };
  return program.choices.empty() && std::ranges::all_of(program.row_setup.code, is_lane_by_lane) &&
         std::ranges::all_of(program.streams, [&](const Stream& stream) { return parts.continues(stream); }) &&
         std::ranges::all_of(program.phases[0].code, [&](const Instruction& i) { return parts.computes_elements(i); }) &&
         std::ranges::all_of(program.results, [&](LocationId x) { return parts.is_column(x); });
}

// A tile of each block is spare, since rows are read to the end of a tile.
RowsTogether::RowsTogether(const FoldCode& code)
    : code_(code),
      frame_(code.along),
      most_positions_(code.along->block() - tile),
      longest_(std::min(most_positions_ / rows_of_group, simd::shortest_in_segments - 1)),
      values_(code.combine.types, code.along->block()) {
  const BlockProgram::Impl& program = code.along->impl();
  const Parts parts(program, code.free);
  auto add = [&](const Base& base) {
    if (parts.is_of_row(base.location) && std::ranges::find(bases_, base.location) == bases_.end()) bases_.push_back(base.location);
  };
  for (const Stream& stream : program.streams) add(stream.base);
  for (const IndexRange& range : program.ranges) add(range.base);
}

void RowsTogether::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  frame_.bind_inputs(inputs, arguments);
}

bool RowsTogether::fold(std::span<const Operand> free, std::span<const int64_t> counts, std::span<void* const> outs,
                        const std::function<void(int32_t)>& fold_long) {
  const auto rows = int64_t(counts.size());
  for (int64_t first = 0; first < rows; first += tile) {
    const std::span<const int64_t> part = counts.subspan(size_t(first), size_t(std::min(tile, rows - first)));
    enter(free, first);
    if (first == 0 && !most_follow(part)) return false;
    for (size_t row = 0; row < part.size();) {
      if (part[row] > longest_) {
        fold_long(int32_t(first) + int32_t(row++));
        continue;
      }
      const Group group = group_from(row, part);
      fold_group(group, part, first, outs);
      row = group.end;
    }
  }
  return true;
}

// Computes the numbers of the rows of a tile.
void RowsTogether::enter(std::span<const Operand> free, int64_t first) {
  for (uint32_t k = 0; k < free.size(); k++)
    frame_.bind_param(1 + k, static_cast<const std::byte*>(free[k].data) + first / tile * free[k].step);
  frame_.enter_row();
}

// Returns true if row `next` begins `count` positions after the beginning of `row`.
bool RowsTogether::follows(size_t row, int64_t count, size_t next) const {
  return std::ranges::all_of(bases_, [&](LocationId base) {
    const auto* begin = static_cast<const int64_t*>(frame_.number(base));
    return uint64_t(begin[next]) == uint64_t(begin[row]) + uint64_t(count);
  });
}

bool RowsTogether::most_follow(std::span<const int64_t> counts) const {
  size_t before = counts.size(), following = 0, others = 0;
  for (size_t row = 0; row < counts.size(); row++) {
    if (counts[row] == 0) continue;
    if (before < counts.size()) (follows(before, counts[before], row) ? following : others)++;
    before = row;
  }
  return following >= rows_of_group * others;
}

RowsTogether::Group RowsTogether::group_from(size_t begin, std::span<const int64_t> counts) const {
  Group group{begin, begin, begin, 0};
  for (; group.end < counts.size(); group.end++) {
    const int64_t count = counts[group.end];
    if (count == 0) continue;
    if (group.total == 0) group.first = group.end;
    if (count > longest_ || group.total + count > most_positions_ || !follows(group.first, group.total, group.end)) break;
    group.total += count;
  }
  return group;
}

void RowsTogether::fold_group(const Group& group, std::span<const int64_t> counts, int64_t first, std::span<void* const> outs) {
  if (group.total == 0) return;
  frame_.select_row(int(group.first), int(group.first));
  frame_.run(0, 0, group.total);
  int64_t starts[tile] = {}, lengths[tile] = {}, at = 0;
  for (size_t row = group.begin; row < group.end; row++) {
    starts[row - group.begin] = at;
    lengths[row - group.begin] = counts[row];
    at += counts[row];
  }
  const Combine& combine = code_.combine;
  for (uint32_t k = 0; k < outs.size(); k++) {
    Tile totals;
    simd_tables().folds.totals[size_t(combine.monoids[k])][size_t(combine.types[k])](values(k, group.total), true, starts, lengths, tile,
                                                                                     combine.neutral[k], &totals);
    const size_t size = size_of(combine.types[k]);
    std::memcpy(static_cast<std::byte*>(outs[k]) + (size_t(first) + group.begin) * size, &totals, (group.end - group.begin) * size);
  }
}

const void* RowsTogether::values(uint32_t k, int64_t count) const {
  const BlockProgram::Impl& program = code_.along->impl();
  const void* const values = frame_.result(k);
  if (program.locations[program.results[k]].from == From::Register) return values;
  std::memcpy(values_.at(int(k)), values, size_t(count * values_.size(int(k))));
  return values_.at(int(k));
}

}  // namespace wf::cpu
