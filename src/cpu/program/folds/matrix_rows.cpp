#include "cpu/program/folds/matrix_rows.h"

#include <algorithm>
#include <cstring>

namespace wf::cpu {
namespace {

// Positions of rows whose values are computed. Longer rows repay a run of the program for each, shorter ones are folded as fast across.
constexpr int64_t shortest_computed = 3, longest_computed = 256;

// The distance of rows whose elements are read.
std::optional<int64_t> distance_of_reads(const FoldCode& code) {
  const auto distances = Matrix::distances_of(code);
  return distances && distances->positions == 1 ? std::optional(distances->rows) : std::nullopt;
}

// Returns true if neither the row nor the position decides the location's value, unless it is the element of an input.
bool is_same_in_rows(const BlockProgram::Impl& along, std::span<const FoldCode::Free> free, LocationId id) {
  const Location& location = along.locations[id];
  switch (location.from) {
    case Location::From::Register:
    case Location::From::Literal:
    case Location::From::Uniform:
    case Location::From::Stream: return true;
    case Location::From::RepeatedParam: return location.index > 0 && free[location.index - 1].is_number;
    default: return false;
  }
}

// A stream of `along` whose elements are the same in every row.
bool is_repeated(const Stream& stream) { return stream.base.location == no_location; }

// The distance of rows whose values are computed from the elements at their index, and from nothing else that depends on both the row and the
// position, or on the row.
std::optional<int64_t> distance_of_values(const FoldCode& code) {
  if (code.lanes == no_lanes || !code.across || code.across->impl().streams.empty()) return std::nullopt;
  const BlockProgram::Impl &along = code.along->impl(), &across = code.across->impl();
  const auto is_plain = [](const Instruction& i) { return i.kind == Instruction::Kind::Plain; };
  const auto is_plain_or_gather = [&](const Instruction& i) { return is_plain(i) || i.kind == Instruction::Kind::Gather; };
  const auto computes = [&](const Instruction& i) {
    if (!is_plain(i) && (i.kind != Instruction::Kind::Select || i.predicate != always)) return false;
    const auto operands = std::span(along.operands).subspan(i.operands, i.operand_count);
    return std::ranges::all_of(operands, [&](LocationId operand) { return is_same_in_rows(along, code.free, operand); });
  };
  const auto is_of_elements = [&](LocationId result) {
    return along.locations[result].from == Location::From::Register || along.locations[result].from == Location::From::Stream;
  };
  if (!along.choices.empty() || !std::ranges::all_of(along.phases[0].code, computes) ||
      !std::ranges::all_of(along.results, is_of_elements) || !std::ranges::all_of(along.row_setup.code, is_plain) ||
      !std::ranges::all_of(across.row_setup.code, is_plain_or_gather))
    return std::nullopt;
  const auto has_stride = [](const Stream& s, int32_t stride) {
    return s.stride == stride && s.walk == Stream::no_walk && s.predicate == always;
  };
  size_t of_matrix = 0;
  for (const Stream& stream : along.streams) {
    const bool shares_input = std::ranges::count(along.streams, stream.slot, &Stream::slot) > 1;
    if (!has_stride(stream, 1) || (is_repeated(stream) && shares_input)) return std::nullopt;
    of_matrix += !is_repeated(stream);
  }
  const int32_t distance = across.streams[0].stride;
  for (const Stream& stream : across.streams)
    if (!has_stride(stream, distance)) return std::nullopt;
  return of_matrix == across.streams.size() ? std::optional<int64_t>(distance) : std::nullopt;
}

}  // namespace

bool MatrixRows::covers(const FoldCode& code) { return distance_of_reads(code).value_or(distance_of_values(code).value_or(0)) > 1; }

MatrixRows::MatrixRows(const FoldCode& code)
    : code_(code), distance_(distance_of_reads(code).value_or(distance_of_values(code).value_or(0))) {
  if (distance_of_reads(code)) {
    matrix_.emplace(code);
    return;
  }
  folder_.emplace(code);
  for (const Stream& stream : code.along->impl().streams)
    if (is_repeated(stream)) repeated_.push_back({stream.slot, stream.type, stream.base.literal, {}});
}

void MatrixRows::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  if (matrix_) return matrix_->bind_inputs(inputs, arguments);
  if (repeated_.empty()) return folder_->bind_inputs(inputs, arguments);
  inputs_.assign(inputs.begin(), inputs.end());
  arguments_.assign(arguments.begin(), arguments.end());
  rows_of_repeated_ = 0;
}

// Lets the folder read elements that are the same in every row in copies of them, one for each of the rows.
void MatrixRows::repeat(int64_t rows, int64_t count) {
  if (repeated_.empty() || rows <= rows_of_repeated_) return;
  rows_of_repeated_ = rows;
  std::vector<InputView> inputs = inputs_;
  for (Repeated& repeated : repeated_) {
    const auto size = int64_t(size_of(repeated.type)), row = count * size;
    const int64_t tiles = (rows * count + tile - 1) / tile;
    repeated.copies.resize(size_t(tiles));
    auto* const copies = reinterpret_cast<std::byte*>(repeated.copies.data());
    const auto* const first = static_cast<const std::byte*>(inputs[repeated.slot].data) + repeated.first * size;
    for (int64_t r = 0; r < rows; r++) std::memcpy(copies + r * row, first, size_t(row));
    inputs[repeated.slot] = {copies - repeated.first * size, repeated.first + tiles * tile};
  }
  folder_->bind_inputs(inputs, arguments_);
}

bool MatrixRows::takes(int64_t count) const {
  return matrix_ ? count > 1 && count <= segment
                 : count == distance_ && count >= shortest_computed && count <= std::min(longest_computed, folder_->block());
}

void MatrixRows::fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs) {
  if (matrix_) {
    matrix_->find_first(free);
    for (size_t k = 0; k < outs.size(); k++)
      fold_column(k, matrix_->first(k), matrix_->elements_from_first(k), rows, count, static_cast<std::byte*>(outs[k]));
    return;
  }
  const int64_t most = folder_->block() / count;
  repeat(std::min(most, rows), count);
  folder_->bind_free(free);
  for (int64_t row = 0; row < rows; row += most) {
    const int64_t some = std::min(most, rows - row), elements = some * count;
    folder_->enter(row);
    const auto columns = folder_->values(0, elements);
    for (size_t k = 0; k < outs.size(); k++)
      fold_column(k, columns[k], (elements + tile - 1) / tile * tile, some, count,
                  static_cast<std::byte*>(outs[k]) + row * int64_t(size_of(code_.combine.types[k])));
  }
}

// Rows that end too close to the end of what can be read are copied, since the loop reads whole vectors.
void MatrixRows::fold_column(size_t k, const void* first, int64_t left, int64_t rows, int64_t count, std::byte* out) {
  const Combine& combine = code_.combine;
  const auto monoid = size_t(combine.monoids[k]), type = size_t(combine.types[k]);
  const int64_t size = int64_t(size_of(combine.types[k])), tiles = (count + tile - 1) / tile * tile;
  const int64_t read = count * size > simd::fold_bytes ? tiles : (count * size + 63) / 64 * 64 / size;
  const int64_t inside = left < read ? 0 : std::min(rows, (left - read) / distance_ + 1);
  simd_tables().folds.rows[monoid][type](first, distance_, count, inside, combine.neutral[k], out);
  copy_.resize(size_t(tiles * size));
  for (int64_t r = inside; r < rows; r++) {
    std::memcpy(copy_.data(), static_cast<const std::byte*>(first) + r * distance_ * size, size_t(count * size));
    const Bits64 total = simd_tables().folds.total[monoid][type](copy_.data(), count, combine.neutral[k]);
    std::memcpy(out + r * size, &total, size_t(size));
  }
}

}  // namespace wf::cpu
