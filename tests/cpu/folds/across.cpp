// Folds across neighbouring rows: each way, forced, has the same bits as along.
#include "folds.h"

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

TEST(columns_that_are_read_in_place_have_the_same_bits_across) {
  const string sums = "(fn ((r i64)) (fold ((a f64) (b f64)) (add a b) 0.0:f64 ((j 5:i64)) (";
  const Fold folds[] = {
      {sums + "load $1 (add (mul j 71:i64) r))))", {{false, 1}}},
      {sums + "at $1 (add (mul (rem (mul j 5:i64) 13:i64) 71:i64) r))))", {{false, 1}}},
      {"(fn ((r i64)) (fold ((a i64) (b i64)) (xor a b) 0:i64 ((j 5:i64)) (load $2 (add (mul j 71:i64) r))))", {{false, 1}}},
      {"(fn ((r i64)) (let (((x y) (fold ((a f32) (b i64) (c f32) (d i64)) (tuple (min a c) (add b d)) (tuple inf:f32 0:i64) "
       "((j 5:i64)) (tuple (load $0 (add (mul j 71:i64) r)) (load $2 (add r (mul 3:i64 j))))))) (tuple x y)))",
       {{false, 1}}},
  };
  for (const Fold& fold : folds)
    for (int64_t count = 1; count <= 130; count++) {
      const vector<int64_t> counts(130, count);
      CHECK(fold.along(counts) == fold.together(fold.code.across, counts));
    }
  // The last rows' tiles are not all in the input.
  const Fold last(sums + "at $1 (add (mul j 1000:i64) r))))", {{false, 1}}, {input_length - 9 * 1000 - 200});
  const vector<int64_t> counts(200, 10);
  CHECK(last.along(counts) == last.together(last.code.across, counts));
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
                                      {2200, 2100},
                                      {300, 2047},
                                      {2049, 2048},
                                      {2400, 5000},
                                      {33, cpu::simd::longest_segment},
                                      {70, cpu::simd::longest_segment + 1},
                                      {40, 2 * cpu::simd::longest_segment + 70}}) {
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
      sums("3"),
      sums("4"),
      sums("32"),
      sums("7"),
      sums("64"),
      sums("100"),
      sums("511"),
      sums("1024"),  // its runs are folded in two parts, whoever works
      sums("2040"),
      {"(fn ((r i64)) (let (((x y z) (fold ((a f64) (b i64) (c f64) (d f64) (e i64) (f f64)) (tuple (add a d) (add b e) (min c f)) "
       "(tuple 0.0:f64 0:i64 inf:f64) ((j 5:i64)) (let ((k (add (mul j 6:i64) r))) (tuple (load $1 k) (load $2 (add k 5:i64)) (load $1 "
       "k)))))) "
       "(tuple x y z)))",
       {{false, 1}}},
      {"(fn ((r i64)) (fold ((a i64) (b i64)) (max a b) -9223372036854775808:i64 ((j 5:i64)) (load $2 (add (mul j 3:i64) r))))",
       {{false, 1}}},
      // A run is not a whole number of tiles, and 0 is not neutral.
      {"(fn ((r i64)) (fold ((a f64) (b f64)) (min a b) inf:f64 ((j 5:i64)) (load $1 (add (mul j 25:i64) r))))", {{false, 1}}},
      {"(fn ((r i64)) (fold ((a f64) (b f64)) (max a b) -inf:f64 ((j 5:i64)) (load $1 (add (mul j 25:i64) r))))", {{false, 1}}},
  };
  for (const Fold& fold : folds) {
    const int64_t rows = cpu::AcrossRuns::rows_of(fold.code);
    CHECK(rows >= 2);
    for (int64_t count : {int64_t(1), int64_t(31), int64_t(63), int64_t(64), int64_t(65), int64_t(129), int64_t(455), int64_t(2048),
                          int64_t(3000), cpu::simd::longest_segment, cpu::simd::longest_segment + 1, 2 * cpu::simd::longest_segment + 70}) {
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
  CHECK_EQ(rows("(load $0 (add (mul j 2048:i64) r))"), 2048);
  CHECK_EQ(rows("(load $0 (add (mul j 2049:i64) r))"), 0);  // a run that L2 does not contain
}
