#include "cpu/program/folds/matrix_rows.h"

#include <algorithm>
#include <cstring>

#include "cpu/loops/repeat.h"
#include "cpu/program/frame.h"

namespace wf::cpu {
namespace {

// Positions of rows whose values are computed. Longer rows repay a run of the program for each, shorter ones are folded as fast across.
constexpr int64_t shortest_computed = 3, longest_computed = 256;

bool has_stride(const Stream& s, int32_t stride) { return s.stride == stride && s.walk == Stream::no_walk && s.predicate == always; }

// A stream of `through` whose elements are the same in every row.
bool is_same_in_rows(const Stream& stream) { return stream.base.location == no_location; }

// Returns true if neither the row nor the position decides the location's value, other than through elements and columns.
bool has_no_index(const BlockProgram::Impl& program, std::span<const FoldCode::Free> free, LocationId id) {
  const Location& location = program.locations[id];
  switch (location.from) {
    case Location::From::Register:
    case Location::From::Literal:
    case Location::From::Uniform:
    case Location::From::Stream:
    case Location::From::Param: return true;
    case Location::From::RepeatedParam: return location.index > 0 && free[location.index - 1].is_number;
    default: return false;
  }
}

}  // namespace

// ---- values of rows -----------------------------------------------------------------------------------------------------------

bool RowValues::may_cover(const FoldCode& code) {
  if (code.lanes == no_lanes || !code.across || code.along->impl().streams.empty()) return false;
  const auto& streams = code.across->impl().streams;
  return !streams.empty() && streams[0].stride > 1 &&
         std::ranges::all_of(streams, [&](const Stream& stream) { return has_stride(stream, streams[0].stride); });
}

bool RowValues::covers(const FoldCode& code) {
  const BlockProgram::Impl &through = code.through->impl(), &across = code.across->impl();
  const auto is_plain = [](const Instruction& i) { return i.kind == Instruction::Kind::Plain; };
  const auto is_plain_or_gather = [&](const Instruction& i) { return is_plain(i) || i.kind == Instruction::Kind::Gather; };
  const auto computes = [&](const Instruction& i) {
    if (!is_plain(i) && (i.kind != Instruction::Kind::Select || i.predicate != always)) return false;
    const auto operands = std::span(through.operands).subspan(i.operands, i.operand_count);
    return std::ranges::all_of(operands, [&](LocationId operand) { return has_no_index(through, code.free, operand); });
  };
  const auto is_of_elements = [&](LocationId result) {
    return through.locations[result].from == Location::From::Register || through.locations[result].from == Location::From::Stream;
  };
  if (!through.choices.empty() || !std::ranges::all_of(through.phases[0].code, computes) ||
      !std::ranges::all_of(through.results, is_of_elements) || !std::ranges::all_of(through.row_setup.code, is_plain) ||
      !std::ranges::all_of(across.row_setup.code, is_plain_or_gather))
    return false;
  size_t of_matrix = 0;
  for (const Stream& stream : through.streams) {
    const bool shares_input = std::ranges::count(through.streams, stream.slot, &Stream::slot) > 1;
    if (!has_stride(stream, 1) || (is_same_in_rows(stream) && shares_input)) return false;
    of_matrix += !is_same_in_rows(stream);
  }
  return of_matrix == across.streams.size();
}

int64_t RowValues::distance_of(const FoldCode& code) { return code.across->impl().streams[0].stride; }

RowValues::RowValues(const FoldCode& code)
    : code_(code), frame_(code.through), free_(code.free.size()), columns_(size_t(code.combine.columns())) {
  for (const Stream& stream : code.through->impl().streams)
    if (is_same_in_rows(stream)) repeated_.push_back({stream.slot, stream.type, stream.base.literal, {}});
}

void RowValues::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  if (repeated_.empty()) return frame_.bind_inputs(inputs, arguments);
  inputs_.assign(inputs.begin(), inputs.end());
  arguments_.assign(arguments.begin(), arguments.end());
  rows_of_repeated_ = 0;
}

// Lets the program read elements that are the same in every row in copies of them, one for each of the rows.
void RowValues::repeat_elements(int64_t rows, int64_t count) {
  if (repeated_.empty() || rows <= rows_of_repeated_) return;
  rows_of_repeated_ = rows;
  std::vector<InputView> inputs = inputs_;
  for (Repeated& repeated : repeated_) {
    const auto size = int64_t(size_of(repeated.type)), row = count * size;
    const int64_t tiles = (rows * count + tile - 1) / tile;
    repeated.copies.resize(size_t(tiles));
    auto* const copies = reinterpret_cast<std::byte*>(repeated.copies.data());
    for (int64_t r = 0; r < rows; r++) copy_within_bounds(copies + r * row, inputs[repeated.slot], size_t(size), repeated.first, 1, count);
    inputs[repeated.slot] = {copies - repeated.first * size, repeated.first + tiles * tile};
  }
  frame_.bind_inputs(inputs, arguments_);
}

// The values of free value k, each as often as a row has positions; of an index, the first one.
const void* RowValues::repeated_value(size_t k, const std::byte* values, int64_t rows, int64_t count) {
  std::vector<Tile>& copies = free_[k];
  const Type type = code_.free_types[k];
  const bool is_index = type == Type::I64;
  copies.resize(is_index ? 1 : size_t((rows * count + tile - 1) / tile + 1));
  if (is_index) fill_tile(copies.data(), type, read_bits(values, 8));
  else repeat_each(values, size_of(type), rows, count, copies.data());
  return copies.data();
}

std::span<const void* const> RowValues::run(std::span<const Operand> free, int64_t row, int64_t rows, int64_t count) {
  repeat_elements(rows, count);
  for (uint32_t k = 0; k < free.size(); k++) {
    const auto* values = static_cast<const std::byte*>(free[k].data) + row * int64_t(size_of(code_.free_types[k]));
    frame_.bind_param(1 + k, free[k].step == 0 ? free[k].data : repeated_value(k, values, rows, count));
  }
  frame_.enter_row();
  frame_.run(0, 0, rows * count);
  for (uint32_t k = 0; k < columns_.size(); k++) columns_[k] = frame_.result(k);
  return columns_;
}

// ---- folds of rows ------------------------------------------------------------------------------------------------------------

bool MatrixRows::reads(const FoldCode& code) {
  const auto distances = Matrix::distances_of(code);
  return distances && distances->positions == 1 && distances->rows > 1;
}
bool MatrixRows::covers(const FoldCode& code) { return reads(code) || code.through; }

MatrixRows::MatrixRows(const FoldCode& code) : code_(code) {
  if (const auto distances = Matrix::distances_of(code)) {
    distance_ = distances->rows;
    matrix_.emplace(code);
  } else {
    distance_ = RowValues::distance_of(code);
    values_.emplace(code);
  }
}

void MatrixRows::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  if (matrix_) matrix_->bind_inputs(inputs, arguments);
  else values_->bind_inputs(inputs, arguments);
}

bool MatrixRows::takes(int64_t count) const {
  if (matrix_) return count > 1 && count <= simd::longest_segment;
  return count == distance_ && count >= shortest_computed && count <= std::min(longest_computed, values_->block());
}

void MatrixRows::fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs) {
  if (matrix_) {
    matrix_->find_first(free);
    for (size_t k = 0; k < outs.size(); k++)
      fold_column(k, *matrix_->column(k).input, matrix_->column(k).index, rows, count, static_cast<std::byte*>(outs[k]));
    return;
  }
  const int64_t most = values_->block() / count;
  for (int64_t row = 0; row < rows; row += most) {
    const int64_t some = std::min(most, rows - row);
    const auto columns = values_->run(free, row, some, count);
    for (size_t k = 0; k < outs.size(); k++)
      fold_column(k, {columns[k], (some * count + tile - 1) / tile * tile}, 0, some, count,
                  static_cast<std::byte*>(outs[k]) + row * int64_t(size_of(code_.combine.types[k])));
  }
}

// Rows that end too close to the end of the input, or outside, are copied, since the loop reads whole vectors.
void MatrixRows::fold_column(size_t k, const InputView& input, int64_t first, int64_t rows, int64_t count, std::byte* out) {
  const Combine& combine = code_.combine;
  const auto monoid = size_t(combine.monoids[k]), type = size_t(combine.types[k]);
  const int64_t size = int64_t(size_of(combine.types[k])), tiles = (count + tile - 1) / tile * tile;
  const int64_t read = count * size > simd::fold_bytes ? tiles : (count * size + 63) / 64 * 64 / size;
  const int64_t inside = first < 0 || first > input.length - read ? 0 : std::min(rows, (input.length - read - first) / distance_ + 1);
  const auto fold_rows = simd_tables().folds.rows[monoid][type];
  if (inside > 0)
    fold_rows(static_cast<const std::byte*>(input.data) + first * size, distance_, count, inside, combine.neutral[k], combine.identity[k],
              out);
  copy_.resize(size_t(tiles * size));
  for (int64_t r = inside; r < rows; r++) {
    copy_within_bounds(copy_.data(), input, size_t(size), int64_t(uint64_t(first) + uint64_t(r) * uint64_t(distance_)), 1, count);
    fold_rows(copy_.data(), distance_, count, 1, combine.neutral[k], combine.identity[k], out + r * size);
  }
}

}  // namespace wf::cpu
