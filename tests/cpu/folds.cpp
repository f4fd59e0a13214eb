// Folds along their positions, in lockstep and across: each way, forced, has the same bits, and those of the definition of lanes.
#include <cmath>

#include "by_blocks.h"
#include "cpu/program/folds/across.h"
#include "cpu/program/folds/across_runs.h"
#include "cpu/program/folds/lockstep.h"
#include "cpu/program/folds/row_folder.h"
#include "cpu/program/folds/rows_in_place.h"

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

// A fold with free values of row r: its number r, and base + step * r for each further one.
struct Fold {
  Fold(const string& text, vector<FoldCode::Free> free_, vector<int64_t> bases_ = {0}, vector<int64_t> steps_ = {1})
      : fn(parse(text, types)), free(std::move(free_)), bases(std::move(bases_)), steps(std::move(steps_)), code(fn->loops.at(0), free) {}

  FnRef fn;
  vector<FoldCode::Free> free;
  vector<int64_t> bases, steps;
  FoldCode code;

  // Columns of free values, in whole tiles.
  vector<vector<int64_t>> values(int64_t rows) const {
    vector<vector<int64_t>> all;
    for (size_t k = 0; k < free.size(); k++) {
      all.emplace_back(size_t((rows + 63) / 64 * 64));
      for (int64_t r = 0; r < int64_t(all[k].size()); r++) all[k][size_t(r)] = bases[k] + steps[k] * r;
    }
    return all;
  }
  static vector<cpu::Operand> operands(const vector<vector<int64_t>>& values) {
    vector<cpu::Operand> all;
    for (const auto& column : values) all.push_back({column.data(), 64 * 8});
    return all;
  }
  size_t columns() const { return size_t(code.combine.columns()); }

  // Each row's results, without the identity in front: those of its first `part` positions, or of all, segment by segment.
  vector<vector<Bits64>> along(const vector<int64_t>& counts, int64_t part = cpu::segment) const {
    return of_rows(counts,
                   [&](cpu::RowFolder& folder, int64_t count, vector<Bits64>& result) { folder.total(0, std::min(part, count), result); });
  }
  vector<vector<Bits64>> along_segments(const vector<int64_t>& counts) const {
    return of_rows(counts, [&](cpu::RowFolder& folder, int64_t count, vector<Bits64>& result) {
      vector<Bits64> next(columns());
      for (int64_t at = 0; at < count; at += cpu::segment) {
        folder.total(at, std::min(at + cpu::segment, count), next);
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
  // The results of rows in place; empty for the rows that are not folded there.
  vector<vector<Bits64>> in_place(const vector<int64_t>& counts) const {
    cpu::RowsInPlace rows(code);
    rows.bind_inputs(views(inputs()), {});
    const auto columns_of_values = values(int64_t(counts.size()));
    const auto all = operands(columns_of_values);
    const cpu::ColumnBlock out(code.combine.types, int64_t(counts.size()));
    vector<void*> outs;
    for (size_t k = 0; k < columns(); k++) outs.push_back(out.at(int(k)));
    vector<int32_t> others;
    rows.fold(all, counts, outs, others);
    vector<vector<Bits64>> results(counts.size());
    for (size_t row = 0; row < counts.size(); row++)
      for (size_t k = 0; k < columns() && !std::ranges::binary_search(others, int32_t(row)) && counts[row] > 0; k++)
        results[row].push_back(out.get(int(k), int64_t(row)));
    return results;
  }
  // The results of rows of one count, by groups of lanes, and in runs of lanes.
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

// Float sums in the lanes of fold.h, written down once more.
template <class T> T sum_in_lanes(const vector<T>& x) {
  constexpr size_t lanes = 256 / sizeof(T);
  T lane[lanes] = {};
  for (size_t i = 0; i < x.size(); i++) lane[i % lanes] += x[i];
  for (size_t half = lanes / 2; half; half /= 2)
    for (size_t k = 0; k < half; k++) lane[k] += lane[k + half];
  return lane[0];
}

const vector<int64_t> lengths = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 1000, 4097};

}  // namespace

TEST(sums_of_rows_have_the_bits_of_lanes_along_and_in_lockstep) {
  const Fold sums("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (at $0 (add (mul r 7:i64) j))))", {{false, 0}});
  CHECK_EQ(sums.code.lanes, 64);
  CHECK(!sums.code.is_strided && !sums.code.across);
  const auto* a = reinterpret_cast<const float*>(inputs()[0].bytes.data());
  for (int64_t length : lengths) {
    const vector<int64_t> counts(70, length);
    const auto along = sums.along(counts), together = sums.together(sums.code.lockstep, counts);
    CHECK(along == together);
    for (int64_t r = 0; r < 70; r++)
      CHECK_EQ(from_bits<float>(along[size_t(r)][0]), sum_in_lanes(vector<float>(a + 7 * r, a + 7 * r + length)));
  }
}

TEST(rows_in_place_have_the_same_bits_as_along) {
  const Fold sums("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (at $0 (add r j))))", {{false, 0}}, {5}, {71});
  const Fold several(
      "(fn ((r i64)) (let (((x y z) (fold ((a f64) (b i64) (c f64) (d f64) (e i64) (f f64)) (tuple (add a d) (add b e) (max c f)) "
      "(tuple 0.0:f64 0:i64 -inf:f64) ((j 5:i64)) (tuple (at $1 (add r j)) (at $2 (add (mul r 3:i64) j)) (at $1 j))))) (tuple x y z)))",
      {{false, 0}});
  CHECK(sums.code.in_place && several.code.in_place);
  vector<int64_t> counts;
  for (int64_t r = 0; r < 200; r++) counts.push_back(r % 11 == 3 ? 0 : 1 + r * r * 2654435761 % 300);
  counts[7] = cpu::segment, counts[64] = cpu::segment + 1, counts[199] = 3 * cpu::segment - 1, counts[130] = 2049;
  for (const Fold* fold : {&sums, &several}) {
    auto expected = fold->along_segments(counts);
    for (size_t r = 0; r < counts.size(); r++)
      if (counts[r] == 0) expected[r].clear();
    CHECK(fold->in_place(counts) == expected);
    CHECK(fold->in_place({1}) == fold->along({1}));
    vector<int64_t> few;
    for (int64_t r = 0; r < 200; r++) few.push_back(1 + r * r * 2654435761 % (r < 64 ? 4 : r < 128 ? 9 : 17));
    CHECK(fold->in_place(few) == fold->along(few));
  }
}

TEST(rows_that_are_not_inside_are_not_folded_in_place) {
  const int64_t most = INT64_MAX, least = INT64_MIN;
  auto is_folded = [](int64_t begin, int64_t count) {
    const Fold sums("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (at $0 (add r j))))", {{false, 0}}, {begin}, {0});
    return !sums.in_place({count})[0].empty();
  };
  CHECK(is_folded(0, 1) && is_folded(input_length - 164, 100) && is_folded(0, input_length - 63));
  for (int64_t begin : {int64_t(-1), least, least + 1, input_length, input_length - 50, most, most - 5})
    for (int64_t count : {int64_t(1), int64_t(100), most}) CHECK(!is_folded(begin, count));
  for (int64_t begin : {int64_t(0), int64_t(1), int64_t(1000)}) CHECK(!is_folded(begin, input_length) && !is_folded(begin, most));
}

TEST(values_that_are_computed_are_not_in_place) {
  auto in_place = [](const string& value) {
    return Fold("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) " + value + "))", {{false, 0}}).code.in_place;
  };
  CHECK(in_place("(at $0 (sub (add j 3:i64) r))"));
  CHECK(!in_place("(at $0 (sub r j))"));
  CHECK(!in_place("(at $0 (mul 2:i64 j))"));
  CHECK(!in_place("(at $0 r)"));
  CHECK(!in_place("(neg (at $0 (add r j)))"));
  CHECK(!in_place("(cast f32 j)"));
  CHECK(!in_place("(where (lt j r) (at $0 j) 0.0:f32)"));
}

TEST(rows_of_falling_lengths_have_the_same_bits_in_lockstep) {
  const Fold sums("(fn ((r i64)) (fold ((a f64) (b f64)) (add a b) 0.0:f64 ((j 5:i64)) (mul (at $1 (add (mul r 7:i64) j)) (cast f64 j))))",
                  {{false, 0}});
  CHECK_EQ(sums.code.lanes, 32);
  vector<int64_t> counts;
  for (int64_t r = 0; r < 256; r++) counts.push_back(1 + (255 - r) * (255 - r) / 200);
  CHECK(sums.along(counts) == sums.together(sums.code.lockstep, counts));
}

TEST(sums_of_columns_have_the_same_bits_along_in_lockstep_and_across) {
  for (int32_t sign : {1, -1}) {
    const Fold sums("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (at $0 (add (mul j 71:i64) r))))", {{false, sign}},
                    {sign > 0 ? 3 : 200}, {sign});
    CHECK(sums.code.is_strided && sums.code.across);
    for (int64_t length : lengths) {
      const vector<int64_t> counts(130, length);
      const auto along = sums.along(counts);
      CHECK(along == sums.together(sums.code.lockstep, counts));
      CHECK(along == sums.together(sums.code.across, counts));
    }
  }
}

TEST(short_rows_that_follow_each_other_are_read_at_equal_distances) {
  for (int32_t stride : {4, -3}) {
    const Fold sums("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (at $0 (add r j))))", {{false, stride}},
                    {stride > 0 ? 3 : 900}, {stride});
    CHECK(sums.code.across && !sums.code.prefers_across);
    for (int64_t length : lengths) {
      const vector<int64_t> counts(130, length);
      const auto along = sums.along(counts);
      CHECK(along == sums.together(sums.code.lockstep, counts));
      CHECK(along == sums.together(sums.code.across, counts));
    }
  }
}

TEST(groups_of_lanes_have_the_same_bits_as_along) {
  const string sum = "(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) ";
  const Fold folds[] = {
      {sum + "(at $0 (add (mul j 7:i64) r))))", {{false, 1}}, {3}},
      {sum + "(at $0 (add (mul j 7:i64) r))))", {{false, -1}}, {2500}, {-1}},
      // The position is a value, too.
      {sum + "(mul (cast f32 j) (at $0 (add (mul j 7:i64) r)))))", {{false, 1}}},
      // A base is read.
      {sum + "(at $0 (add (rem (at $2 j) 1000:i64) r))))", {{false, 1}}},
      {"(fn ((r i64)) (let (((x y z) (fold ((a f64) (b i64) (c f64) (d f64) (e i64) (f f64)) (tuple (add a d) (add b e) (min c f)) "
       "(tuple 0.0:f64 0:i64 inf:f64) ((j 5:i64)) (let ((x (at $1 (add (mul j 7:i64) r)))) (tuple x (at $2 (add r j)) (mul x x)))))) "
       "(tuple x y z)))",
       {{false, 1}}},
      // Reads that are not checked, and several of them.
      {sum + "(load $0 (add (mul j 7:i64) r))))", {{false, 1}}, {3}},
      {"(fn ((r i64)) (let (((x y) (fold ((a f64) (b i64) (c f64) (d i64)) (tuple (max a c) (add b d)) (tuple -inf:f64 0:i64) "
       "((j 5:i64)) (tuple (at $1 (add (mul j 7:i64) r)) (at $2 (add (mul j 3:i64) r)))))) (tuple x y)))",
       {{false, 1}}},
      {"(fn ((r i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j 5:i64)) (at $2 (add (mul j 7:i64) r))))", {{false, 1}}},
  };
  for (const Fold& fold : folds)
    for (const auto& [rows, count] : {std::pair<int64_t, int64_t>{1, 1},
                                      {32, 31},
                                      {65, 63},
                                      {64, 64},
                                      {130, 65},
                                      {2049, 129},
                                      {2300, 1000},
                                      {33, cpu::segment},
                                      {70, cpu::segment + 1},
                                      {40, 2 * cpu::segment + 70}}) {
      const auto expected = fold.along_segments(vector<int64_t>(size_t(rows), count));
      for (int threads : {1, 2, 16}) CHECK(fold.across(rows, count, threads) == expected);
    }
}

TEST(runs_of_lanes_have_the_same_bits_as_along) {
  auto sums = [](const string& rows) {
    return Fold("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (load $0 (add (mul j " + rows + ":i64) r))))",
                {{false, 1}}, {3});
  };
  const Fold folds[] = {
      sums("2"),
      sums("4"),
      sums("7"),
      sums("64"),
      sums("100"),
      sums("511"),
      {"(fn ((r i64)) (let (((x y z) (fold ((a f64) (b i64) (c f64) (d f64) (e i64) (f f64)) (tuple (add a d) (add b e) (min c f)) "
       "(tuple 0.0:f64 0:i64 inf:f64) ((j 5:i64)) (let ((k (add (mul j 6:i64) r))) (tuple (load $1 k) (load $2 (add k 5:i64)) (load $1 "
       "k)))))) "
       "(tuple x y z)))",
       {{false, 1}}},
      {"(fn ((r i64)) (fold ((a i64) (b i64)) (max a b) -9223372036854775808:i64 ((j 5:i64)) (load $2 (add (mul j 3:i64) r))))",
       {{false, 1}}},
  };
  for (const Fold& fold : folds) {
    const int64_t rows = cpu::AcrossRuns::rows_of(fold.code);
    CHECK(rows >= 2);
    for (int64_t count : {int64_t(1), int64_t(31), int64_t(63), int64_t(64), int64_t(65), int64_t(129), int64_t(455), cpu::segment,
                          cpu::segment + 1, 2 * cpu::segment + 70}) {
      if (count * rows + 8 > input_length) continue;
      const auto expected = fold.along_segments(vector<int64_t>(size_t(rows), count));
      for (int threads : {1, 2, 16}) CHECK(fold.in_runs(count, threads) == expected);
    }
  }
}

TEST(positions_that_do_not_follow_each_other_are_not_runs) {
  auto rows = [](const string& value) {
    return cpu::AcrossRuns::rows_of(
        Fold("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) " + value + "))", {{false, 1}}).code);
  };
  CHECK_EQ(rows("(load $0 (add (mul j 7:i64) r))"), 7);
  CHECK_EQ(rows("(load $0 (add r (mul 7:i64 (add j 2:i64))))"), 7);
  CHECK_EQ(rows("(at $0 (add (mul j 7:i64) r))"), 0);  // an index that is checked
  CHECK_EQ(rows("(load $0 (sub (mul j 7:i64) r))"), 0);
  CHECK_EQ(rows("(load $0 (sub r (mul j 7:i64)))"), 0);
  CHECK_EQ(rows("(load $0 (add (rem j 7:i64) r))"), 0);
  CHECK_EQ(rows("(load $0 (add (mul (load $2 j) 7:i64) r))"), 0);
  CHECK_EQ(rows("(load $0 (add j r))"), 0);
  CHECK_EQ(rows("(load $0 (add (mul j 7:i64) (mul r 2:i64)))"), 0);
  CHECK_EQ(rows("(neg (load $0 (add (mul j 7:i64) r)))"), 0);
  CHECK_EQ(rows("(where (lt j 100:i64) (load $0 (add (mul j 7:i64) r)) 0.0:f32)"), 0);
  CHECK_EQ(rows("(load $0 (add (mul j 1000:i64) r))"), 0);  // a run that does not fit into L2
}

TEST(columns_of_a_tuple_have_the_same_bits_in_each_way) {
  const Fold both(
      "(fn ((r i64)) (let (((x y z) (fold ((a f32) (b i64) (c f32) (d f32) (e i64) (f f32)) (tuple (add a d) (max b e) (min c f)) "
      "(tuple 0.0:f32 -9223372036854775808:i64 inf:f32) ((j 5:i64)) (let ((x (at $0 (add (mul j 71:i64) r)))) (tuple x (mul j r) x))))) "
      "(tuple x y z)))",
      {{false, 1}});
  CHECK_EQ(both.code.lanes, 64);
  for (int64_t length : lengths) {
    const vector<int64_t> counts(65, length);
    const auto along = both.along(counts);
    CHECK(along == both.together(both.code.lockstep, counts));
    CHECK(along == both.together(both.code.across, counts));
  }
}

TEST(functions_whose_operands_have_an_order_have_no_lanes) {
  const Fold maps(
      "(fn ((r i64)) (let (((p q) (fold ((a u32) (b u32) (c u32) (d u32)) (tuple (mul a c) (add (mul b c) d)) (tuple 1:u32 0:u32) ((j "
      "5:i64)) "
      "(tuple (cast u32 (add (mul 2:i64 j) 1:i64)) (cast u32 (at $2 (add r j))))))) (tuple p q)))",
      {{false, 1}});
  CHECK_EQ(maps.code.lanes, cpu::no_lanes);
  for (int64_t length : lengths) {
    const vector<int64_t> counts(65, length);
    CHECK(maps.along(counts) == maps.together(maps.code.lockstep, counts));
  }
  // Lanes of different numbers.
  const Fold mixed(
      "(fn ((r i64)) (let (((x y) (fold ((a f32) (b f64) (c f32) (d f64)) (tuple (add a c) (add b d)) (tuple 0.0:f32 0.0:f64) ((j 5:i64)) "
      "(tuple (cast f32 j) (cast f64 (mul j r)))))) (tuple x y)))",
      {{false, 1}});
  CHECK_EQ(mixed.code.lanes, cpu::no_lanes);
}

TEST(reads_by_position_are_told_apart) {
  auto is_strided = [](const string& index) {
    return Fold("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (at $0 " + index + ")))", {{false, 0}})
        .code.is_strided;
  };
  CHECK(!is_strided("(add j r)"));
  CHECK(!is_strided("(sub r j)"));
  CHECK(!is_strided("(at $2 (add j r))"));
  CHECK(!is_strided("(add (at $2 (add j r)) 1:i64)"));
  CHECK(is_strided("(add (mul j 3:i64) r)"));
  CHECK(is_strided("(rem (add j r) 100:i64)"));
  CHECK(is_strided("(at $2 (add (mul j 3:i64) r))"));
}
