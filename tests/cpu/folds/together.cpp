// Rows that begin where the row before them ends, computed together: the same bits as along.
#include "folds.h"

namespace {

const string sum = "(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) ";
const string product = "(mul (at $0 (add r j)) (at $0 (at $2 (add (add r 100:i64) j))))";

// The fold, of rows that follow each other from `begin` on.
Fold following(const string& text, int64_t begin, const vector<int64_t>& counts) {
  Fold fold(text, {{false, 0}});
  for (int64_t count : counts) {
    fold.first_values.push_back(begin);
    begin += count;
  }
  return fold;
}

// The results that are expected of rows that are computed together, which have positions and are not long.
vector<vector<Bits64>> expected_of(const Fold& fold, const vector<int64_t>& counts, const vector<vector<Bits64>>& results) {
  vector<vector<Bits64>> expected = fold.along_segments(counts);
  for (size_t r = 0; r < counts.size(); r++)
    if (counts[r] == 0 || results[r].empty()) expected[r].clear();
  return expected;
}
int64_t folded(const vector<vector<Bits64>>& results) {
  return std::ranges::count_if(results, [](const auto& result) { return !result.empty(); });
}

}  // namespace

TEST(rows_that_follow_each_other_have_the_same_bits_computed_together) {
  const string folds[] = {
      sum + product + "))",
      sum + "(neg (at $0 (add j r)))))",
      "(fn ((r i64)) (fold ((a bool) (b bool)) (or a b) false ((j 5:i64)) (gt (at $0 (add r j)) 998.0:f32)))",
      "(fn ((r i64)) (let (((x y z) (fold ((a f64) (b i64) (c f64) (d f64) (e i64) (f f64)) (tuple (add a d) (add b e) (max c f)) "
      "(tuple 0.0:f64 0:i64 -inf:f64) ((j 5:i64)) (tuple (at $1 (add r j)) (at $2 (add (add r 3:i64) j)) (sqrt (at $1 (add r j))))))) "
      "(tuple x y z)))",
  };
  for (const string& text : folds)
    for (int64_t most : {1, 3, 17, 40, 65, 130, 3000}) {
      vector<int64_t> counts;
      for (int64_t r = 0; r < 330; r++) counts.push_back(r % 7 == 3 ? 0 : 1 + r * r * 2654435761 % most);
      counts[150] = cpu::simd::longest_segment + 5, counts[151] = 2049;
      const Fold fold = following(text, 12, counts);
      CHECK(fold.code.together);
      const auto results = fold.computed_together(counts);
      CHECK(results == expected_of(fold, counts, results));
      if (most <= 40) CHECK_EQ(folded(results), 330 - std::ranges::count(counts, 0) - 2);
      CHECK(results[150].empty());
    }
}

TEST(some_rows_begin_elsewhere) {
  vector<int64_t> counts;
  for (int64_t r = 0; r < 200; r++) counts.push_back(1 + r * 37 % 50);
  Fold fold = following(sum + product + "))", 0, counts);
  for (int64_t r : {5, 6, 63, 64, 100, 199}) fold.first_values[size_t(r)] = 200000 - 1000 * r;
  const auto results = fold.computed_together(counts);
  CHECK(results == fold.along(counts));
  // If most do, they are left to the other ways.
  for (int64_t r = 0; r < 200; r++) fold.first_values[size_t(r)] = 200000 - 1000 * r;
  cpu::RowsTogether rows(fold.code);
  rows.bind_inputs(views(inputs()), {});
  const auto values = fold.values(200);
  vector<float> out(256, 5.0f);
  void* const outs[] = {out.data()};
  CHECK(!rows.fold(Fold::operands(values), counts, outs, [](int32_t) { CHECK(false); }));
  CHECK_EQ(std::ranges::count(out, 5.0f), 256);
}

TEST(values_that_depend_on_the_row_or_the_position_are_not_computed_together) {
  auto is_together = [](const string& value) { return code_of(sum + value + "))").together; };
  CHECK(is_together(product));
  CHECK(is_together("(mul (at $0 (add r j)) (at $0 (sub (add j 5:i64) (sub 0:i64 r))))"));
  CHECK(is_together("(where (gt (at $0 (add r j)) 1.0:f32) 1.0:f32 (at $0 (add r j)))"));
  CHECK(!is_together("(at $0 (add r j))"));  // in place
  CHECK(!is_together("(mul (at $0 (add r j)) (cast f32 j))"));
  CHECK(!is_together("(mul (at $0 (add r j)) (cast f32 r))"));
  CHECK(!is_together("(mul (at $0 (add r j)) (at $0 j))"));
  CHECK(!is_together("(mul (at $0 (add r j)) (at $0 r))"));
  CHECK(!is_together("(mul (at $0 (add r j)) (at $0 (add r (mul 2:i64 j))))"));
  CHECK(!is_together("(mul (at $0 (add r j)) (at $0 (sub r j)))"));
  CHECK(!is_together("(mul (at $0 (add r j)) (at $0 (rem (add r j) 100:i64)))"));
  CHECK(!is_together("(where (lt j 3:i64) (neg (at $0 (add r j))) 0.0:f32)"));
  CHECK(!is_together("(where (lt (add r j) 1000:i64) (neg (at $0 (add r j))) 0.0:f32)"));
  CHECK(!is_together("(add (at $0 (add r j)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((k 3:i64)) (at $0 (add k (add r j)))))"));
  // A number that is the same for all rows, or is not.
  const string scaled =
      "(fn ((r i64) (s i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 5:i64)) (mul (at $0 (add r j)) (cast f32 s))))";
  CHECK(Fold(scaled, {{false, 0}, {true, 0}}, {0, 3}, {1, 0}).code.together);
  CHECK(!Fold(scaled, {{false, 0}, {false, 0}}, {0, 3}, {1, 0}).code.together);
  CHECK(!Fold("(fn ((r i64)) (fold ((a f32) (b f32)) (mul (neg a) b) 0.0:f32 ((j 5:i64)) (neg (at $0 (add r j)))))", {{false, 0}})
             .code.together);
}
