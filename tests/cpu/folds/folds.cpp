// Folds along their positions, in lockstep and across: each way, forced, has the same bits, and those of the definition of lanes.
#include "folds.h"

namespace {

// Float sums in the lanes of fold.h, written down once more.
template <class T> T sum_in_lanes(const vector<T>& x) {
  constexpr size_t lanes = 256 / sizeof(T);
  T lane[lanes] = {};
  for (size_t i = 0; i < x.size(); i++) lane[i % lanes] += x[i];
  for (size_t half = lanes / 2; half; half /= 2)
    for (size_t k = 0; k < half; k++) lane[k] += lane[k + half];
  return lane[0];
}

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
  counts[7] = cpu::simd::longest_segment, counts[64] = cpu::simd::longest_segment + 1, counts[199] = 3 * cpu::simd::longest_segment - 1,
  counts[130] = 2047, counts[131] = 2048, counts[132] = 2049, counts[140] = 5000;
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

TEST(blocks_have_the_same_bits_as_along) {
  const string sum = "(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) ";
  const Fold folds[] = {
      {sum + "(at $0 (add r j))))", {{false, 0}}, {5}, {71}},
      {sum + "(neg (at $0 (add r j)))))", {{false, 0}}, {5}, {71}},
      {sum + "(load $0 (add (mul r 71:i64) j))))", {{false, 1}}},
      {sum + "(at $0 (rem (mul (add j r) 7:i64) 1000:i64))))", {{false, 0}}},
      {sum + "(at $0 (add (mul j 3:i64) r))))", {{false, 1}}},
      {"(fn ((r i64)) (let (((x y) (fold ((a f64) (b f64) (c f64) (d f64)) (tuple (add a c) (max b d)) (tuple 0.0:f64 -inf:f64) "
       "((j 5:i64)) (tuple (at $1 (add r j)) (mul (at $1 (add r j)) (at $1 j)))))) (tuple x y)))",
       {{false, 0}}},
  };
  vector<vector<int64_t>> sets;
  for (int64_t count : {2047, 2048, 2049, 5000, 16384, 16385, 40000})
    for (size_t rows : {1, 3, 70}) sets.emplace_back(rows, count);
  for (int64_t longest : {2048, 5000, 30000, 50000}) {
    vector<int64_t>& counts = sets.emplace_back();
    for (int64_t r = 0; r < 150; r++) counts.push_back(r % 11 == 3 ? 0 : 1 + r * r * 2654435761 % 40);
    counts[9] = longest, counts[64] = 2048, counts[100] = longest - 1, counts[149] = 4096;
  }
  for (const Fold& fold : folds)
    for (const vector<int64_t>& counts : sets) {
      auto expected = fold.whole(counts);
      for (size_t r = 0; r < counts.size(); r++)
        for (size_t k = 0; k < fold.columns() && counts[r] == 0; k++) expected[r][k] = fold.code.combine.identity[k];
      for (bool may_use_threads : {false, true}) CHECK(fold.in_blocks(counts, may_use_threads) == expected);
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
    return code_of("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) " + value + "))").in_place;
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

TEST(rows_of_a_matrix_have_the_same_bits_as_along) {
  auto sums = [](int64_t rows, int64_t distance, int64_t base = 3) {
    return Fold("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (load $0 (add (mul r " + std::to_string(distance) +
                    ":i64) j))))",
                {{false, 1}}, {base < 0 ? input_length / distance - rows : base});
  };
  for (int64_t count = 2; count <= 140; count++)
    for (int64_t distance : {count, count + 1, int64_t(2), int64_t(150)})
      for (int64_t base : {int64_t(3), int64_t(-1)}) {  // -1: the last rows end where the input does, or before, by less than a row
        const int64_t rows = 131;
        const Fold fold = sums(rows, distance, base);
        if (distance < count && base < 0) continue;
        CHECK(cpu::MatrixRows::covers(fold.code));
        CHECK(fold.of_matrix(rows, count) == fold.whole(vector<int64_t>(size_t(rows), count)));
      }
  for (int64_t count :
       {int64_t(255), int64_t(256), int64_t(1000), int64_t(2047), int64_t(2048), int64_t(4097), cpu::simd::longest_segment}) {
    const Fold fold = sums(17, 4000);
    CHECK(cpu::MatrixRows::covers(fold.code));
    CHECK(fold.of_matrix(17, count) == fold.whole(vector<int64_t>(17, count)));
  }
  const Fold last = sums(17, 3000, -1);  // 7 elements follow
  CHECK(last.of_matrix(17, 3000) == last.whole(vector<int64_t>(17, 3000)));
  const Fold others[] = {
      {"(fn ((r i64)) (let (((x y z) (fold ((a f64) (b i64) (c f64) (d f64) (e i64) (f f64)) (tuple (add a d) (add b e) (min c f)) "
       "(tuple 0.0:f64 0:i64 inf:f64) ((j 5:i64)) (let ((k (add (mul r 6:i64) j))) (tuple (load $1 k) (load $2 (add k 5:i64)) (load $1 "
       "k)))))) "
       "(tuple x y z)))",
       {{false, 1}}},
      {"(fn ((r i64)) (fold ((a f64) (b f64)) (max a b) -inf:f64 ((j 5:i64)) (load $1 (add (mul r 3:i64) j))))", {{false, 1}}},
      {"(fn ((r i64)) (fold ((a i64) (b i64)) (xor a b) 0:i64 ((j 5:i64)) (load $2 (add j (mul r 5:i64)))))", {{false, 1}}},
  };
  for (const Fold& fold : others) {
    CHECK(cpu::MatrixRows::covers(fold.code));
    for (int64_t rows : {1, 2, 63, 64, 65, 1000})
      for (int64_t count = 1; count <= 70; count++) CHECK(fold.of_matrix(rows, count) == fold.whole(vector<int64_t>(size_t(rows), count)));
  }
}

TEST(rows_that_are_computed_have_the_same_bits_as_along) {
  const string sum = "(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) ";
  for (int64_t count : {2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33, 64, 65, 100, 128, 200}) {
    const string index = "(add (mul r " + std::to_string(count) + ":i64) j)";
    const Fold folds[] = {
        {sum + "(mul (load $0 " + index + ") (load $0 " + index + "))))", {{false, 1}}, {input_length / count - 131}},
        {sum + "(sub (load $0 " + index + ") (load $0 (add " + index + " 1:i64)))))", {{false, 1}}, {3}},
        {sum + "(where (gt (load $0 " + index + ") 0.0:f32) 1.0:f32 0.3:f32)))", {{false, 1}}, {3}},
        // Elements that are the same in every row.
        {sum + "(mul (cast f32 (load $2 (add j 9:i64))) (sub (load $0 " + index + ") (cast f32 (load $1 j))))))", {{false, 1}}, {3}},
        // A free value of the row.
        {"(fn ((r i64) (x f64)) (fold ((a f64) (b f64)) (add a b) 0.0:f64 ((j 5:i64)) (mul (load $1 " + index + ") (sub x (load $1 " +
             index + ")))))",
         {{false, 1}, {false, 0}},
         {3, int64_t(0x3fe5555555555555)},
         {1, int64_t(0x0000123456789abc)}},
        // One column is read, another one computed, with a number of all rows.
        {"(fn ((r i64) (s i64)) (let (((x y) (fold ((a f64) (b i64) (c f64) (d i64)) (tuple (add a c) (max b d)) (tuple 0.0:f64 "
         "-9223372036854775808:i64) ((j 5:i64)) (tuple (load $1 " +
             index + ") (mul s (load $2 " + index + ")))))) (tuple x y)))",
         {{false, 1}, {true, 0}},
         {3, -5},
         {1, 0}},
    };
    for (const Fold& fold : folds) {
      CHECK(cpu::MatrixRows::covers(fold.code));
      for (int64_t rows : {1, 2, 64, 131}) CHECK(fold.of_matrix(rows, count) == fold.whole(vector<int64_t>(size_t(rows), count)));
    }
  }
}

TEST(rows_that_do_not_follow_each_other_are_no_matrix) {
  // The row is the free value of type i64; others are what does not depend on the position.
  auto is_matrix = [](const string& value) {
    const FnRef fn = parse("(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) " + value + "))", types);
    vector<FoldCode::Free> free;
    for (const auto& param : std::span(fn->loops.at(0).body->params).subspan(1)) free.push_back({false, param.type == Type::I64});
    return cpu::MatrixRows::covers(FoldCode(fn->loops.at(0), free));
  };
  CHECK(is_matrix("(load $0 (add (mul r 7:i64) j))"));
  CHECK(is_matrix("(load $0 (add j (mul 7:i64 (add r 2:i64))))"));
  CHECK(!is_matrix("(at $0 (add (mul r 7:i64) j))"));  // an index that is checked
  CHECK(!is_matrix("(load $0 (sub (mul r 7:i64) j))"));
  CHECK(!is_matrix("(load $0 (sub j (mul r 7:i64)))"));
  CHECK(!is_matrix("(load $0 (add (rem r 7:i64) j))"));
  CHECK(!is_matrix("(load $0 (add j r))"));
  CHECK(!is_matrix("(load $0 (add (mul j 2:i64) (mul r 7:i64)))"));
  // Values that are computed.
  CHECK(is_matrix("(neg (load $0 (add (mul r 7:i64) j)))"));
  CHECK(is_matrix("(mul (load $0 (add (mul r 7:i64) j)) (sub (load $0 (add (mul r 7:i64) (add j 1:i64))) 2.5:f32))"));
  CHECK(is_matrix("(mul (load $0 (add (mul r 7:i64) j)) (cast f32 (load $2 (add j 9:i64))))"));
  CHECK(is_matrix("(mul (load $0 (add (mul r 7:i64) j)) (load $0 r))"));
  CHECK(!is_matrix("(add (load $0 (add (mul r 7:i64) j)) (cast f32 r))"));
  CHECK(!is_matrix("(mul (load $0 (add (mul r 7:i64) j)) (load $0 j))"));
  CHECK(!is_matrix("(mul (load $0 (add (mul r 7:i64) j)) (cast f32 (load $2 (mul j 2:i64))))"));
  CHECK(!is_matrix("(mul (load $0 (add (mul r 7:i64) j)) (load $0 (add (mul r 8:i64) j)))"));
  CHECK(!is_matrix("(add (load $0 (add (mul r 7:i64) j)) (cast f32 j))"));
  CHECK(!is_matrix("(load $0 (add (mul r 7:i64) (load $2 (add (mul r 7:i64) j))))"));
  CHECK(!is_matrix("(where (lt j 3:i64) (load $0 (add (mul r 7:i64) j)) 0.0:f32)"));
}
