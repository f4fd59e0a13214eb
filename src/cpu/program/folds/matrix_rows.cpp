#include "cpu/program/folds/matrix_rows.h"

#include <algorithm>
#include <cstring>

namespace wf::cpu {

bool MatrixRows::covers(const FoldCode& code) {
  const auto distances = Matrix::distances_of(code);
  return distances && distances->positions == 1 && distances->rows > 1;
}

MatrixRows::MatrixRows(const FoldCode& code) : code_(code), distance_(Matrix::distances_of(code)->rows), matrix_(code) {}

void MatrixRows::fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs) {
  matrix_.find_first(free);
  for (size_t k = 0; k < outs.size(); k++) fold_column(k, rows, count, static_cast<std::byte*>(outs[k]));
}

// The loop reads whole tiles, so rows whose last tile is not in the input are copied.
void MatrixRows::fold_column(size_t k, int64_t rows, int64_t count, std::byte* out) {
  const Combine& combine = code_.combine;
  const auto monoid = size_t(combine.monoids[k]), type = size_t(combine.types[k]);
  const int64_t size = int64_t(size_of(combine.types[k])), read = (count + tile - 1) / tile * tile;
  const int64_t spare = matrix_.elements_from_first(k) - read;
  const int64_t inside = spare < 0 ? 0 : std::min(rows, spare / distance_ + 1);
  const std::byte* const first = matrix_.first(k);
  simd_tables().folds.rows[monoid][type](first, distance_, count, inside, combine.neutral[k], out);
  copy_.resize(size_t(read * size));
  for (int64_t r = inside; r < rows; r++) {
    std::memcpy(copy_.data(), first + r * distance_ * size, size_t(count * size));
    const Bits64 total = simd_tables().folds.total[monoid][type](copy_.data(), count, combine.neutral[k]);
    std::memcpy(out + r * size, &total, size_t(size));
  }
}

}  // namespace wf::cpu
