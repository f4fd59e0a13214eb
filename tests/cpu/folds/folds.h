// A fold compiled from its text, and its rows' results in each way, forced.
#pragma once

#include <cmath>

#include "../by_blocks.h"
#include "cpu/program/folds/across.h"
#include "cpu/program/folds/across_runs.h"
#include "cpu/program/folds/fold_state.h"
#include "cpu/program/folds/lockstep.h"
#include "cpu/program/folds/matrix_rows.h"
#include "cpu/program/folds/row_folder.h"
#include "cpu/program/folds/rows_in_place.h"
#include "cpu/program/folds/rows_together.h"

using namespace wf;
using namespace by_blocks;
using cpu::FoldCode;
using std::string;
using std::vector;

namespace {

constexpr int64_t input_length = 300007;

// The inputs, with values whose sums depend on their order.
const vector<Column>& inputs() {
  static const vector<Column> all = [] {
    vector<float> a;
    vector<double> b;
    vector<int64_t> c;
    for (int64_t i = 0; i < input_length; i++) {
      a.push_back(std::sin(float(i)) * float(1 + i % 1000));
      b.push_back(1 / (1.0 + double(i % 977)));
      c.push_back(i * 7919 % input_length);
    }
    return vector<Column>{column(a), column(b), column(c)};
  }();
  return all;
}
const CaptureTypes types = {{Type::F32}, {Type::F64}, {Type::I64}};

// A fold with free values of row r: its number r, and base + step * r for each further one; or given values instead of the first one.
struct Fold {
  Fold(const string& text, vector<FoldCode::Free> free_, vector<int64_t> bases_ = {0}, vector<int64_t> steps_ = {1})
      : fn(parse(text, types)), free(std::move(free_)), bases(std::move(bases_)), steps(std::move(steps_)), code(fn->loops.at(0), free) {}

  FnRef fn;
  vector<FoldCode::Free> free;
  vector<int64_t> bases, steps;
  FoldCode code;
  vector<int64_t> first_values;

  // Columns of free values, in whole tiles.
  vector<vector<int64_t>> values(int64_t rows) const {
    vector<vector<int64_t>> all;
    for (size_t k = 0; k < free.size(); k++) {
      all.emplace_back(size_t((rows + 63) / 64 * 64));
      for (int64_t r = 0; r < int64_t(all[k].size()); r++) all[k][size_t(r)] = bases[k] + steps[k] * r;
      if (k == 0) std::ranges::copy(first_values, all[k].begin());
    }
    return all;
  }
  static vector<cpu::Operand> operands(const vector<vector<int64_t>>& values) {
    vector<cpu::Operand> all;
    for (const auto& column : values) all.push_back({column.data(), 64 * 8});
    return all;
  }
  size_t columns() const { return size_t(code.combine.columns()); }

  // Each row's results, without the identity in front: those of its first `part` positions, as one segment, or of all, segment by segment.
  vector<vector<Bits64>> along(const vector<int64_t>& counts, int64_t part = cpu::simd::longest_segment) const {
    return of_rows(counts,
                   [&](cpu::RowFolder& folder, int64_t count, vector<Bits64>& result) { folder.total(0, std::min(part, count), result); });
  }
  // The same, after the identity.
  vector<vector<Bits64>> whole(const vector<int64_t>& counts) const {
    vector<vector<Bits64>> results = along_segments(counts);
    for (auto& result : results)
      for (size_t k = 0; k < columns(); k++)
        result[k] = cpu::loops().single[int(code.combine.ops[k])][int(code.combine.types[k])](code.combine.identity[k], result[k], 0);
    return results;
  }
  vector<vector<Bits64>> along_segments(const vector<int64_t>& counts) const {
    return of_rows(counts, [&](cpu::RowFolder& folder, int64_t count, vector<Bits64>& result) {
      vector<Bits64> next(columns());
      const int64_t length = code.segment_of(count);
      for (int64_t at = 0; at < count; at += length) {
        folder.total(at, std::min(at + length, count), next);
        for (size_t k = 0; k < columns(); k++)
          result[k] = at == 0 ? next[k] : cpu::loops().single[int(code.combine.ops[k])][int(code.combine.types[k])](result[k], next[k], 0);
      }
    });
  }
  template <class Fold> vector<vector<Bits64>> of_rows(const vector<int64_t>& counts, const Fold& fold) const {
    cpu::RowFolder folder(code);
    folder.bind_inputs(views(inputs()), {});
    const auto columns_of_values = values(int64_t(counts.size()));
    const auto all = operands(columns_of_values);
    folder.bind_free(all);
    vector<vector<Bits64>> results;
    for (size_t row = 0; row < counts.size(); row++) {
      folder.enter(int64_t(row));
      fold(folder, counts[row], results.emplace_back(columns()));
    }
    return results;
  }
  // The results of rows in place or computed together; empty for the rows that are not folded there.
  vector<vector<Bits64>> in_place(const vector<int64_t>& counts) const {
    return where_folded(counts, [&](auto& free, auto& outs, vector<int32_t>& others) {
      cpu::RowsInPlace rows(code);
      rows.bind_inputs(views(inputs()), {});
      rows.fold(free, counts, outs, others);
    });
  }
  vector<vector<Bits64>> computed_together(const vector<int64_t>& counts) const {
    return where_folded(counts, [&](auto& free, auto& outs, vector<int32_t>& others) {
      cpu::RowsTogether rows(code);
      rows.bind_inputs(views(inputs()), {});
      CHECK(rows.fold(free, counts, outs, [&](int32_t row) { others.push_back(row); }));
    });
  }
  template <class Run> vector<vector<Bits64>> where_folded(const vector<int64_t>& counts, const Run& run) const {
    const auto columns_of_values = values(int64_t(counts.size()));
    const auto all = operands(columns_of_values);
    const cpu::ColumnBlock out(code.combine.types, int64_t(counts.size()));
    vector<void*> outs;
    for (size_t k = 0; k < columns(); k++) outs.push_back(out.at(int(k)));
    vector<int32_t> others;
    run(all, outs, others);
    vector<vector<Bits64>> results(counts.size());
    for (size_t row = 0; row < counts.size(); row++)
      for (size_t k = 0; k < columns() && !std::ranges::binary_search(others, int32_t(row)) && counts[row] > 0; k++)
        results[row].push_back(out.get(int(k), int64_t(row)));
    return results;
  }
  // The results of rows of one count: those of a matrix, by groups of lanes, and in runs of lanes.
  vector<vector<Bits64>> of_matrix(int64_t rows, int64_t count) const {
    cpu::MatrixRows all_rows(code);
    all_rows.bind_inputs(views(inputs()), {});
    return of_blocks(rows, [&](const auto& free, std::span<void* const> outs) { all_rows.fold(free, rows, count, outs); });
  }
  // The results, after the identity, in the way that a kernel's blocks are folded.
  vector<vector<Bits64>> in_blocks(const vector<int64_t>& counts, bool may_use_threads) const {
    vector<int64_t> column = counts;
    column.resize((counts.size() + 63) / 64 * 64);
    const bool same = std::ranges::count(counts, counts[0]) == int64_t(counts.size());
    cpu::FoldState rows(code);
    rows.bind_inputs(views(inputs()), {});
    return of_blocks(int64_t(counts.size()), [&](const auto& free, std::span<void* const> outs) {
      const cpu::Operand count{column.data(), same ? 0 : 64 * 8};
      CHECK(rows.run({count, free, int64_t(counts.size()), nullptr, outs, may_use_threads}).at < 0);
    });
  }
  vector<vector<Bits64>> across(int64_t rows, int64_t count, int threads) const {
    cpu::Across all_rows(code);
    all_rows.bind_inputs(views(inputs()), {});
    const auto results =
        of_blocks(rows, [&](const auto& free, std::span<void* const> outs) { all_rows.fold(free, rows, count, outs, threads); });
    CHECK(!all_rows.has_fault());
    return results;
  }
  vector<vector<Bits64>> in_runs(int64_t count, int threads) const {
    cpu::AcrossRuns all_rows(code);
    all_rows.bind_inputs(views(inputs()), {});
    return of_blocks(cpu::AcrossRuns::rows_of(code),
                     [&](const auto& free, std::span<void* const> outs) { all_rows.fold(free, count, outs, threads); });
  }
  template <class Run> vector<vector<Bits64>> of_blocks(int64_t rows, const Run& run) const {
    const auto columns_of_values = values(rows);
    const cpu::ColumnBlock out(code.combine.types, rows);
    vector<void*> outs;
    for (size_t k = 0; k < columns(); k++) outs.push_back(out.at(int(k)));
    run(operands(columns_of_values), outs);
    vector<vector<Bits64>> results(static_cast<size_t>(rows), vector<Bits64>(columns()));
    for (int64_t row = 0; row < rows; row++)
      for (size_t k = 0; k < columns(); k++) results[size_t(row)][k] = out.get(int(k), row);
    return results;
  }
  vector<vector<Bits64>> together(const std::shared_ptr<const cpu::BlockProgram>& program, const vector<int64_t>& counts) const {
    cpu::Lockstep lockstep(code, program);
    lockstep.bind_inputs(views(inputs()), {});
    const auto columns_of_values = values(int64_t(counts.size()));
    const auto all = operands(columns_of_values);
    CHECK(int64_t(counts.size()) <= lockstep.most_rows());
    lockstep.run(all, counts);
    vector<vector<Bits64>> results(counts.size(), vector<Bits64>(columns()));
    for (size_t row = 0; row < counts.size(); row++)
      for (size_t k = 0; k < columns(); k++) {
        const auto size = int64_t(size_of(code.combine.types[k]));
        results[row][k] = cpu::read_bits(static_cast<const std::byte*>(lockstep.result(int(k))) + int64_t(row) * size, size);
      }
    return results;
  }
};

// The code of a fold whose free values may be any numbers of a row. What does not depend on the position is one, too.
inline FoldCode code_of(const string& text) {
  const FnRef fn = parse(text, types);
  return FoldCode(fn->loops.at(0), vector<FoldCode::Free>(fn->loops.at(0).body->params.size() - 1));
}

const vector<int64_t> lengths = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 1000, 4097};

}  // namespace
