#include "cpu/program/folds/matrix.h"

#include <algorithm>

#include "cpu/program/folds/across.h"

namespace wf::cpu {
namespace {

// The stream of result k, if it is read at every index; else null.
const Stream* stream_of(const BlockProgram::Impl& program, size_t k) {
  const Location& location = program.locations[program.results[k]];
  if (location.from != Location::From::Stream) return nullptr;
  const Stream& stream = program.streams[location.index];
  return stream.walk == Stream::no_walk && stream.predicate == always ? &stream : nullptr;
}

}  // namespace

std::optional<Matrix::Distances> Matrix::distances_of(const FoldCode& code) {
  if (code.lanes == no_lanes || !code.across || !only_reads(*code.across)) return std::nullopt;
  const BlockProgram::Impl &along = code.along->impl(), &across = code.across->impl();
  const auto computes = [](const Instruction& i) { return i.kind == Instruction::Kind::Plain || i.kind == Instruction::Kind::Gather; };
  if (!across.phases[0].code.empty() || !along.phases[0].code.empty() || !std::ranges::all_of(across.row_setup.code, computes))
    return std::nullopt;
  std::optional<Distances> same;
  for (size_t k = 0; k < size_t(code.combine.columns()); k++) {
    const Stream *position = stream_of(along, k), *row = stream_of(across, k);
    if (!position || !row) return std::nullopt;
    if (!same) same = Distances{row->stride, position->stride};
    if (row->stride != same->rows || position->stride != same->positions) return std::nullopt;
  }
  return same;
}

Matrix::Matrix(const FoldCode& code)
    : code_(code), frame_(code.across), bases_(code.free.size()), columns_(size_t(code.combine.columns())) {
  fill_tile(&position_, Type::I64, 0);
  frame_.bind_param(0, &position_);
}

void Matrix::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  inputs_.assign(inputs.begin(), inputs.end());
  frame_.bind_inputs(inputs, arguments);
}

void Matrix::find_first(std::span<const Operand> free) {
  for (uint32_t k = 0; k < free.size(); k++) {
    frame_.bind_param(1 + k, free[k].data);
    if (code_.free[k].stride == 0) continue;
    fill_tile(&bases_[k], Type::I64, read_bits(free[k].data, 8));
    frame_.bind_base(1 + k, &bases_[k]);
  }
  frame_.enter_row();
  for (size_t k = 0; k < columns_.size(); k++) {
    const Stream& stream = *stream_of(code_.across->impl(), k);
    const auto* number = stream.base.location == no_location ? nullptr : static_cast<const int64_t*>(frame_.number(stream.base.location));
    columns_[k] = {&inputs_[stream.slot], int64_t(uint64_t(stream.base.literal) + uint64_t(number ? *number : 0))};
  }
}

}  // namespace wf::cpu
