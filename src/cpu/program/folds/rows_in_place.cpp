#include "cpu/program/folds/rows_in_place.h"

#include <algorithm>
#include <cstring>

namespace wf::cpu {
namespace {

constexpr Tile zeros{};

const Stream* stream_at(const BlockProgram::Impl& program, LocationId location) {
  const auto found = std::ranges::find(program.streams, location, &Stream::location);
  return found == program.streams.end() ? nullptr : &*found;
}

}  // namespace

// The numbers of 64 rows are computed at once, so that their instructions must compute each element of a tile by itself.
bool RowsInPlace::covers(const BlockProgram& along) {
  const BlockProgram::Impl& program = along.impl();
  auto is_lane_by_lane = [](const Instruction& i) { return i.kind == Instruction::Kind::Plain || i.kind == Instruction::Kind::Gather; };
  auto checks_ends = [&](const Instruction& i) {
    return i.kind == Instruction::Kind::Bounds && i.predicate == always && program.ranges[i.detail].stride == 1;
  };
  auto is_read_in_place = [&](LocationId result) {
    const Stream* stream = stream_at(program, result);
    return stream && stream->stride == 1 && stream->walk == Stream::no_walk && stream->predicate == always;
  };
  return std::ranges::all_of(program.row_setup.code, is_lane_by_lane) && std::ranges::all_of(program.phases[0].code, checks_ends) &&
         std::ranges::all_of(program.results, is_read_in_place);
}

RowsInPlace::RowsInPlace(const FoldCode& code) : code_(code), along_(code.along->impl()), frame_(code.along) {
  for (LocationId result : along_.results) streams_.push_back(stream_at(along_, result));
}

void RowsInPlace::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  inputs_.assign(inputs.begin(), inputs.end());
  frame_.bind_inputs(inputs, arguments);
}

void RowsInPlace::fold(std::span<const Operand> free, std::span<const int64_t> counts, std::span<void* const> outs,
                       std::vector<int32_t>& others) {
  const auto rows = int64_t(counts.size());
  for (int64_t first = 0; first < rows; first += tile) {
    for (uint32_t k = 0; k < free.size(); k++)
      frame_.bind_param(1 + k, static_cast<const std::byte*>(free[k].data) + first / tile * free[k].step);
    frame_.enter_row();
    const std::span<const int64_t> part = counts.subspan(size_t(first), size_t(std::min(tile, rows - first)));
    const bool are_inside = find_inside(part);
    // A skipped row reads the first elements of the inputs, which have 64 of them if any row is inside.
    const bool is_any_inside = std::ranges::any_of(lengths_, [](int64_t n) { return n != 0; });
    for (uint32_t k = 0; k < outs.size() && is_any_inside; k++) {
      fold_column(k, static_cast<std::byte*>(outs[k]) + first * int64_t(size_of(code_.combine.types[k])));
    }
    for (size_t r = 0; r < part.size() && !are_inside; r++)
      if (lengths_[r] != part[r]) others.push_back(int32_t(first) + int32_t(r));
  }
}

void RowsInPlace::fold_column(uint32_t k, std::byte* out) const {
  const Combine& combine = code_.combine;
  const Stream& stream = *streams_[k];
  int64_t firsts[tile];
  simd_tables().folds.place(bases(stream.base), stream.base.literal, lengths_, firsts);
  const auto* elements = static_cast<const std::byte*>(inputs_[stream.slot].data);
  const auto monoid = size_t(combine.monoids[k]), type = size_t(combine.types[k]);
  simd_tables().folds.totals[monoid][type](elements, false, firsts, lengths_, tile, combine.neutral[k], out);
}

// lengths_[r] = counts[r] if row r is inside, else 0. Returns true if all are.
bool RowsInPlace::find_inside(std::span<const int64_t> counts) {
  int64_t outside[tile] = {};
  std::ranges::fill(std::ranges::copy(counts, lengths_).out, lengths_ + tile, 0);
  auto mark = [&](const Base& base, const int64_t* limits) {
    simd_tables().folds.mark_outside(bases(base), base.literal, limits, lengths_, outside);
  };
  for (const Stream* stream : streams_) {
    int64_t limits[tile];
    std::ranges::fill(limits, inputs_[stream->slot].length - (tile - 1));
    mark(stream->base, limits);
  }
  for (const Instruction& check : along_.phases[0].code)
    mark(along_.ranges[check.detail].base, static_cast<const int64_t*>(frame_.number(along_.operands[check.operands])));
  return !simd_tables().folds.leave_out(outside, lengths_);
}

const int64_t* RowsInPlace::bases(const Base& base) const {
  return static_cast<const int64_t*>(base.location == no_location ? static_cast<const void*>(&zeros) : frame_.number(base.location));
}

}  // namespace wf::cpu
