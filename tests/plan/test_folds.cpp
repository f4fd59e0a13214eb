// Folds inside functions: their values against the oracle's, and the kernels that compute them.
#include "check.h"
#include "oracle/graph.h"
#include "plan/explained.h"
#include "plan/plan.h"

using graph::elements;
using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

string explained(const Nodes& nodes) { return wf::explain(nodes, wf::ExplainFormat::Text); }

// The first difference between the oracle's value and the engine's; empty if there is none.
string wrong(const NodeRef& node) {
  oracle::Oracle oracle;
  const oracle::ValueRef expected = oracle.value(node);
  return oracle::difference(*expected, graph::forced(node));
}

// Whole numbers that differ by position, so that sums of a few thousand are exact in f32.
NodeRef numbers(int64_t n) { return graph::tabulate("(fn ((i i64)) (cast f32 (sub (rem (mul i 7919:i64) 101:i64) 50:i64)))", n); }
NodeRef forced(NodeRef s) {
  wf::force({&s, 1});
  return s;
}

const string sum = "fold ((a f32) (b f32)) (add a b) 0.0:f32 ";
// Row i of n numbers each of $0.
string row_sums(int64_t n) {
  const string length = std::to_string(n) + ":i64";
  return "(fn ((i i64)) (" + sum + "((j " + length + ")) (at $0 (add (mul i " + length + ") j))))";
}

}  // namespace

// The values of loops that become folds: their counters, and starts that no step changes.
TEST(loops_that_count_have_the_values_of_their_steps) {
  const vector<int64_t> bounds = {-3, 0, 1, 2, 3, 4, 33, 1025, 5000, 100'003};
  for (int64_t first : {0, 3})
    for (const int64_t repeated : {1, 200}) {
      vector<int64_t> ends;
      for (int64_t k = 0; k < repeated; k++) ends.insert(ends.end(), bounds.begin(), bounds.end() - (repeated > 1 ? 2 : 0));
      const string text = "(fn ((n i64)) (loop ((j " + std::to_string(first) +
                          ":i64) (s n) (p 3:i32) (l 70:i64)) (lt j n) (tuple (add j 1:i64) (add s (mul j j)) (mul p (cast i32 (add j n))) "
                          "(min l (xor j 77:i64)))))";
      const NodeRef r = graph::map(text, {graph::source(ends)});
      const oracle::Value found = graph::forced(r);
      for (size_t i = 0; i < ends.size(); i++) {
        int64_t j = first, s = ends[i], l = 70;
        uint32_t p = 3;
        for (; j < ends[i]; j++) s += j * j, p *= uint32_t(j + ends[i]), l = std::min(l, j ^ 77);
        CHECK_EQ(int64_t(found.columns[0][i]), j);
        CHECK_EQ(int64_t(found.columns[1][i]), s);
        CHECK_EQ(uint32_t(found.columns[2][i]), p);
        CHECK_EQ(int64_t(found.columns[3][i]), l);
      }
    }
}

TEST(sums_of_rows_are_one_kernel_that_explain_shows_with_its_fold) {
  const NodeRef sums = graph::tabulate(row_sums(7), 1000, {forced(numbers(7000))});
  CHECK_EQ(kernels({sums}), "store(1); i < 1000");
  CHECK(explained({sums}).find("(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 7:i64)) (load $0 (add (mul i 7:i64) j)))") != string::npos);
  CHECK_EQ(wrong(sums), "");
  CHECK(explained({sums}).find("(fold ") != string::npos);  // of the run that computed it
}

// On the CPU. tests/cpu/folds forces each way and compares the bits; tests/cuda/rows.cpp has those of GPUs.
TEST(explain_tells_who_folded_the_rows) {
  if (graph::context()->name != "cpu") SKIP("these ways are those of the CPU engine");
  const NodeRef floats = forced(numbers(600000));
  const auto way = [&](int64_t rows, const string& count, const string& index) {
    const NodeRef s = forced(graph::tabulate(
        "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j " + count + ")) (at $0 " + index + ")))", rows, {floats}));
    const string text = explained({s}), line = "\n  rows    ";
    const size_t at = text.find(line);
    return at == string::npos ? "" : text.substr(at + line.size(), text.find('\n', at + 1) - at - line.size());
  };
  CHECK_EQ(way(590, "1000:i64", "(add j (mul i 1000:i64))"), "each by one core, along it, read in place");
  CHECK_EQ(way(600, "1000:i64", "(rem (mul (add j i) 7:i64) 1000:i64)"), "each by one core, along it");
  CHECK_EQ(way(100000, "(add 5:i64 (rem i 2:i64))", "(add i (rem (mul j i) 7:i64))"), "each by one lane");
  CHECK_EQ(way(100000, "5:i64", "(add i (rem (mul j i) 7:i64))"), "");  // its positions are unrolled
  CHECK_EQ(way(100000, "6:i64", "(add j (mul i 6:i64))"), "each by one core, along it, read in place");
  CHECK_EQ(way(100000, "5:i64", "(add i (mul j 100000:i64))"), "each by one lane, across neighbouring rows");
  CHECK_EQ(way(1000, "600:i64", "(add i (mul j 1000:i64))"), "each by one lane, across neighbouring rows, in groups of lanes");
  CHECK_EQ(way(100, "6000:i64", "(add i (mul j 100:i64))"), "each by one lane, across neighbouring rows, in runs of lanes");
  CHECK_EQ(way(99, "6000:i64", "(add i (mul j 100:i64))"), "each by one lane, across neighbouring rows, in groups of lanes");
  // A middle axis: 10 arrays of 600 rows of 100.
  CHECK_EQ(way(1000, "600:i64", "(add (add (mul (div i 100:i64) 60000:i64) (rem i 100:i64)) (mul j 100:i64))"),
           "each by one lane, across neighbouring rows, in runs of lanes");
  CHECK(way(2, "50000:i64", "(rem (mul (add j i) 7:i64) 1000:i64)").find("along it, in segments") != string::npos);
  // Rows of different lengths.
  CHECK_EQ(way(1000, "(where (eq (rem i 100:i64) 0:i64) 5000:i64 3:i64)", "(rem (mul (add j i) 7:i64) 1000:i64)"),
           "each by one core, along it; each by one lane");
  CHECK_EQ(way(1000, "0:i64", "(add j i)"), "");
  const string counts = "(add 3:i64 (mul 4:i64 (rem i 2:i64)))",
               begin = "(add j (add (mul 10:i64 (div i 2:i64)) (mul 3:i64 (rem i 2:i64))))";
  CHECK_EQ(way(1000, counts, begin), "each by one core, along it, read in place");
  const NodeRef computed = forced(graph::tabulate(
      "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j " + counts + ")) (sqrt (at $0 " + begin + "))))", 1000, {floats}));
  CHECK(explained({computed}).find("each by one core, along it, computed with its neighbours") != string::npos);
}

TEST(rows_of_many_lengths_across_blocks) {
  for (auto [rows, length] : {std::pair<int64_t, int64_t>{100007, 1}, {100007, 3}, {4097, 64}, {3, 100003}, {1, 250007}, {5, 0}, {0, 5}})
    CHECK_EQ(wrong(graph::tabulate(row_sums(length), rows, {forced(numbers(rows * length))})), "");
}

TEST(rows_whose_lengths_vary) {
  constexpr int64_t rows = 100007;
  // Row i has i % 6 elements.
  const NodeRef starts = graph::tabulate(
      "(fn ((i i64)) (let ((k (div i 6:i64)) (r (rem i 6:i64))) "
      "(add (mul k 15:i64) (div (mul r (sub r 1:i64)) 2:i64))))",
      rows + 1);
  const char* const segments =
      "(fn ((i i64)) (let ((first (at $1 i)) (last (at $1 (add i 1:i64)))) "
      "(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j (sub last first))) (at $0 (add first j)))))";
  for (const NodeRef& from : {starts, forced(starts)})
    CHECK_EQ(wrong(graph::tabulate(segments, rows, {forced(numbers(elements<int64_t>(starts)[rows])), from})), "");
  // A few long rows among short ones.
  const char* const uneven =
      "(fn ((i i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 "
      "((j (where (eq (rem i 1000:i64) 7:i64) 5000:i64 (rem i 4:i64)))) (mul i j)))";
  CHECK_EQ(wrong(graph::tabulate(uneven, 20011)), "");
}

TEST(tuples_are_folded_together) {
  const char* const largest =
      "(fn ((i i64)) (fold ((x f32) (k i64) (y f32) (l i64)) (let ((left (ge x y))) "
      "(tuple (where left x y) (where left k l))) (tuple -inf:f32 -1:i64) ((j (rem i 13:i64))) "
      "(tuple (at $0 (rem (mul i j) (length $0))) j)))";
  CHECK_EQ(wrong(graph::tabulate(largest, 5003, {forced(numbers(1009))})), "");
}

// Affine maps x -> a x + b, composed.
TEST(functions_that_do_not_commute_are_applied_in_order) {
  for (const char* count : {"40:i64", "(rem i 100:i64)", "1000:i64"}) {
    const string maps = "(fold ((a i64) (b i64) (c i64) (d i64)) (tuple (mul a c) (add (mul b c) d)) (tuple 1:i64 0:i64) ((j " +
                        string(count) + ")) (tuple (or (add i j) 1:i64) j))";
    CHECK_EQ(wrong(graph::tabulate("(fn ((i i64)) " + maps + ")", 10007)), "");
  }
}

TEST(folds_in_maps_reductions_scans_and_filters) {
  const NodeRef s = forced(numbers(10007)), lengths = graph::tabulate("(fn ((i i64)) (rem i 7:i64))", 10007);
  const char* const value = "(fn ((x f32) (n i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j n)) (add x (at $0 j))))";
  const NodeRef mapped = graph::map(value, {s, lengths}, {s});
  CHECK_EQ(kernels({mapped}), "store(1); i < 10007");
  CHECK_EQ(wrong(graph::reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", mapped)), "");
  const NodeRef prefixes = graph::scan("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", mapped, true).prefixes;
  CHECK_EQ(kernels({prefixes}), "store(1); i < 10007 | scan(max), store(1); i < 10007");
  CHECK_EQ(wrong(prefixes), "");
  const char* const some = "(fn ((x f32) (n i64)) (fold ((a bool) (b bool)) (or a b) false ((j n)) (lt (at $0 j) x)))";
  const NodeRef kept = graph::filter(some, wf::zip(Nodes{s, lengths}), {s});
  CHECK_EQ(wrong(graph::reduce("(fn ((a f32) (b i64) (c f32) (d i64)) (tuple (max a c) (add b d)))", "(tuple -inf:f32 0:i64)", kept)), "");
  CHECK_EQ(wrong(kept), "");
  // In the function that combines.
  const char* const power = "(fn ((a u32) (b u32)) (fold ((x u32) (y u32)) (mul x y) 1:u32 ((j 2:i64)) (where (eq j 0:i64) a b)))";
  const NodeRef odd = graph::tabulate("(fn ((i i64)) (add (mul 2:u32 (cast u32 i)) 1:u32))", 10007);
  CHECK_EQ(wrong(graph::reduce(power, "1:u32", odd)), "");
  CHECK_EQ(wrong(graph::scan(power, "1:u32", odd, false).prefixes), "");
}

TEST(folds_of_captured_scalars_and_filters) {
  const NodeRef s = forced(numbers(1000));
  const NodeRef kept = graph::filter("(fn ((x f32)) (gt x 10.0:f32))", s);
  const NodeRef total = graph::reduce("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", s);
  // The filter's length is not known before it has run.
  const char* const over =
      "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j (sub (length $0) i))) "
      "(sub (at $0 (add i j)) (at $1 0:i64))))";
  CHECK_EQ(wrong(graph::tabulate(over, 100, {kept, total})), "");
  const NodeRef short_one = graph::filter("(fn ((x f32)) (gt x 40.0:f32))", s);
  CHECK_EQ(wrong(graph::map("(fn ((x f32)) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((j (length $0))) (mul x (at $0 j))))", {kept},
                            {short_one})),
           "");
}

TEST(folds_of_delayed_sequences_give_what_stored_ones_give) {
  const NodeRef cheap = graph::map("(fn ((x f32)) (mul x 2.0:f32))", {forced(numbers(7000))});
  const NodeRef dear = graph::map("(fn ((x f32)) (round (mul 8.0:f32 (sqrt (sqrt (sqrt (abs x)))))))", {forced(numbers(7000))});
  const NodeRef scanned = graph::scan("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", forced(numbers(7000)), true).prefixes;
  for (const NodeRef& s : {cheap, dear, scanned, wf::rev(cheap), wf::subseq(forced(numbers(8000)), 500, 7000)})
    CHECK_EQ(wrong(graph::tabulate(row_sums(7), 1000, {s})), "");
}

TEST(a_delayed_sequence_is_computed_in_the_fold_unless_storing_it_is_cheaper) {
  const NodeRef dear = graph::map("(fn ((x f32)) (exp (sin x)))", {forced(numbers(4096))});
  // Each element is read once: no memory.
  const NodeRef sums = graph::tabulate(row_sums(64), 64, {dear});
  CHECK_EQ(kernels({sums}), "store(1); i < 64");
  CHECK(explained({sums}).find("(exp (sin ") != string::npos);
  // Every row reads every element.
  const char* const pairs = "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 4096:i64)) (sub (at $0 j) (at $0 i))))";
  CHECK_EQ(kernels({graph::tabulate(pairs, 4096, {dear})}), "store(1); i < 4096 | store(1); i < 4096");
  // So few rows that storing the whole costs more.
  CHECK_EQ(kernels({graph::tabulate(row_sums(8), 2, {dear})}), "store(1); i < 2");
  // Read by a loop of the fold's value: in memory.
  const char* const loops =
      "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 64:i64)) (let (((k x) (loop ((k 0:i64) "
      "(x 0.0:f32)) (lt k 3:i64) (tuple (add k 1:i64) (add x (at $0 (add j k))))))) x)))";
  CHECK_EQ(kernels({graph::tabulate(loops, 64, {dear})}), "store(1); i < 4096 | store(1); i < 64");
  CHECK_EQ(wrong(graph::tabulate(loops, 64, {forced(numbers(4096))})), "");
  // Through a chain of views, scalars and other folds.
  const NodeRef scale = graph::reduce("(fn ((a f32) (b f32)) (max a b))", "0.0:f32", forced(numbers(100)));
  const NodeRef scaled = graph::map("(fn ((x f32)) (mul x (at $0 0:i64)))", {wf::rev(forced(numbers(4096)))}, {scale});
  const NodeRef chained = graph::tabulate(row_sums(64), 64, {wf::rev(scaled)});
  CHECK_EQ(kernels({chained}), "reduce(max), finish(1); i < 100 | store(1); i < 64");
  CHECK_EQ(wrong(chained), "");
  const NodeRef rows = graph::tabulate(row_sums(16), 256, {forced(numbers(4096))});
  const NodeRef sums_of_sums = graph::tabulate(row_sums(16), 16, {rows});
  CHECK_EQ(kernels({sums_of_sums}), "store(1); i < 16");
  CHECK_EQ(wrong(sums_of_sums), "");
}

TEST(folds_of_folds) {
  // The product of two matrices of 20 x 30 and 30 x 20, and the largest of its rows' sums of squares.
  const char* const text =
      "(fn ((i i64)) (fold ((c f32) (d f32)) (max c d) 0.0:f32 ((k 20:i64)) "
      "(let ((x (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 30:i64)) "
      "(mul (at $0 (add (mul i 30:i64) j)) (at $0 (add (mul j 20:i64) k)))))) (mul x x))))";
  CHECK_EQ(wrong(graph::tabulate(text, 20, {forced(numbers(600))})), "");
  const char* const triangle =
      "(fn ((i i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j (rem i 9:i64))) "
      "(fold ((a i64) (b i64)) (add a b) 0:i64 ((k j)) (add (mul i k) j))))";
  CHECK_EQ(wrong(graph::tabulate(triangle, 10007)), "");
}

// ---- indices out of range -----------------------------------------------------------------------------------------------

TEST(an_index_outside_is_an_error_that_names_it) {
  const NodeRef s = forced(numbers(30));
  NodeRef sums = graph::tabulate(row_sums(3), 11, {s});
  try {
    wf::force({&sums, 1});
    CHECK(false);
  } catch (const std::exception& error) { CHECK(string(error.what()).find("30") != string::npos); }
}

TEST(a_fold_that_is_not_chosen_is_not_evaluated) {
  const NodeRef s = forced(numbers(30));
  auto guarded = [&](const string& value) { return wrong(graph::tabulate("(fn ((i i64)) " + value + ")", 5003, {s})); };
  CHECK_EQ(guarded("(where (lt i 10:i64) (" + sum + "((j 3:i64)) (at $0 (add (mul i 3:i64) j))) 0.0:f32)"), "");
  CHECK_EQ(guarded("(and (lt i 10:i64) (gt (" + sum + "((j 3:i64)) (at $0 (add (mul i 3:i64) j))) 1.0:f32))"), "");
  CHECK_EQ(guarded("(or (ge i 10:i64) (gt (" + sum + "((j 3:i64)) (at $0 (add (mul i 3:i64) j))) 1.0:f32))"), "");
  CHECK_EQ(guarded("(" + sum + "((j i)) (where (lt j 30:i64) (at $0 j) 0.0:f32))"), "");
}

TEST(a_fold_that_is_not_chosen_makes_no_step) {
  // These would never end, and the oracle evaluates them.
  const string endless = "(fold ((a i64) (b i64)) (max a b) 0:i64 ((j 0x7fffffffffffffff:i64)) (mul i j))";
  vector<int64_t> all(5003);
  for (int64_t i = 0; i < 5003; i++) all[i] = i;
  auto mapped = [&](const string& value) { return graph::tabulate("(fn ((i i64)) " + value + ")", 5003); };
  CHECK_EQ(elements<int64_t>(mapped("(where (lt i 0:i64) " + endless + " i)")), all);
  CHECK_EQ(elements<int64_t>(mapped("(where (eq (rem i 2:i64) 2:i64) (where (lt i 9:i64) " + endless + " 1:i64) i)")), all);
  CHECK_EQ(elements<int64_t>(mapped("(loop ((k i)) (ne k i) " + endless + ")")), all);
  // Under a filter's mask, and where a scan's prefixes decide.
  const NodeRef none = graph::filter("(fn ((x i64)) (lt x 0:i64))", mapped("i"));
  const NodeRef after = graph::map("(fn ((i i64)) " + endless + ")", {none});
  CHECK_EQ(elements<int64_t>(graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", after)), vector<int64_t>{0});
  const NodeRef prefixes = graph::scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", mapped("(min 1:i64 i)"), true).prefixes;
  CHECK_EQ(elements<int64_t>(graph::map("(fn ((i i64)) (where (lt i 0:i64) " + endless + " i))", {prefixes})), all);
}

// A kernel computes what it scans before it has the prefixes, so its folds of equal counts are not one.
TEST(short_folds_before_and_after_a_scan) {
  const string add = "(fn ((a i64) (b i64)) (add a b))", twice = "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j 2:i64)) ";
  for (int64_t n : {1, 64, 65, 100003}) {
    const NodeRef s = forced(graph::tabulate("(fn ((i i64)) (sub (rem (mul i 7919:i64) 101:i64) 50:i64))", n));
    const NodeRef before = graph::map("(fn ((x i64)) " + twice + "(xor x j)))", {s});
    const NodeRef prefixes = graph::scan(add, "0:i64", before, true).prefixes;
    const NodeRef after = graph::map("(fn ((x i64)) " + twice + "(xor x (add j 5:i64))))", {prefixes});
    const NodeRef product = graph::reduce(add, "0:i64", graph::map("(fn ((x i64)) (mul x x))", {after}));
    const NodeRef all[] = {prefixes, after, product};
    oracle::Oracle oracle;
    vector<oracle::ValueRef> expected;
    for (const NodeRef& node : all) expected.push_back(oracle.value(node));
    CHECK_EQ(kernels({prefixes, after, product}).find("scan(add), reduce(add), store(2)"), 0u);
    wf::force(all);
    for (size_t k = 0; k < 3; k++) CHECK_EQ(oracle::difference(*expected[k], graph::forced(all[k])), "");
  }
}

// The fold is not chosen by the `where`, but the guard of the read needs its value.
TEST(a_guard_reads_folds_that_are_not_chosen) {
  for (int64_t n : {4, 100, 5000}) {
    const NodeRef two = graph::source(vector<int64_t>{10, 20});
    const string fold = "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j 3:i64)) (mul i (add j 1:i64)))";
    const string body = "(let ((k " + fold + ")) (add (where (lt i 0:i64) k 0:i64) (at $0 i (lt k 12:i64))))";
    vector<int64_t> expected(static_cast<size_t>(n));
    expected[0] = 10, expected[1] = 20;
    CHECK_EQ(elements<int64_t>(graph::tabulate("(fn ((i i64)) " + body + ")", n, {two})), expected);
  }
}

// An element is read outside of a fold or loop that uses it, several times, in branches alone.
TEST(elements_from_outside_are_evaluated_if_a_branch_that_uses_them_is_chosen) {
  const NodeRef three = graph::source(vector<int64_t>{3, 1, 2}), delayed = graph::tabulate("(fn ((i i64)) (at $0 i))", 9, {three});
  const auto fold = [](const string& count, const string& value) {
    return "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j " + count + ")) " + value + ")";
  };
  const auto loop = [](const string& goes, const string& value) {
    return "(let (((k r) (loop ((k 0:i64) (r 0:i64)) " + goes + " (tuple (add k 1:i64) (add r " + value + "))))) r)";
  };
  const string c = "(let ((c (at $0 i))) ", used = "(add c (mul c j))", chosen = "(where (lt i 3:i64) " + used + " 0:i64)";
  struct Case {
    string body;
    vector<int64_t> expected;
    bool is_stored = false;  // a delayed sequence is stored, so all of it is evaluated
  };
  const Case cases[] = {
      {c + fold("4:i64", chosen) + ")", {30, 10, 20, 0, 0}},
      {c + fold("i", chosen) + ")", {0, 1, 6, 0, 0}, true},
      {c + fold("4:i64", "(where (lt (add i j) 3:i64) " + used + " 0:i64)") + ")", {18, 3, 2, 0, 0}},
      {c + fold("4:i64", "(where (and (lt i 3:i64) (lt c j)) " + used + " 0:i64)") + ")", {0, 7, 8, 0, 0}},
      // The index of an element is an element, and the fold is in a branch.
      {"(let ((d (at $0 i)) (c (at $0 (sub d 1:i64)))) " + fold("4:i64", "(where (lt i 3:i64) (add c d) 0:i64)") + ")", {20, 16, 12, 0, 0}},
      {c + fold("2:i64", "(where (lt (add i j) 3:i64) " + fold("3:i64", "(add c (mul c j))") + " 0:i64)") + ")", {36, 12, 12, 0, 0}},
      {c + fold("2:i64", "(add j " + fold("4:i64", "(where (lt i 3:i64) (add c (mul c j)) 0:i64)") + ")") + ")", {61, 21, 41, 1, 1}},
      {c + fold("2:i64", fold("(sub 3:i64 i)", "(add c (mul c j))")) + ")", {36, 6, 4, 0, 0}, true},
      // Other uses are outside of the fold.
      {c + "(add (where (lt i 3:i64) (mul c c) 0:i64) " + fold("4:i64", chosen) + "))", {39, 11, 24, 0, 0}},
      {"(let ((c (at $0 (rem i 3:i64)))) (add c " + fold("4:i64", chosen) + "))", {33, 11, 22, 3, 1}},
      // Loops: no step is made, or no step chooses the element.
      {c + loop("(lt k (sub 3:i64 i))", "(mul c c)") + ")", {27, 2, 4, 0, 0}},
      {c + loop("(lt k 2:i64)", "(where (lt (add i k) 3:i64) (mul c c) 0:i64)") + ")", {18, 2, 4, 0, 0}, true},
      {c + fold("2:i64", loop("(lt (add i k) 3:i64)", "(mul c c)")) + ")", {54, 4, 8, 0, 0}, true},
      // Folds: a choice that does not depend on the position.
      {"(let ((c " + fold("2:i64", "(at $0 (add i j))") + ")) " + fold("2:i64", "(add j (where (lt i 2:i64) (mul c c) 0:i64))") + ")",
       {33, 19, 1, 1, 1}},
      {"(let ((c " + fold("2:i64", "(at $0 (add i j))") + ")) " +
           fold("2:i64", "(where (eq (add j (mul i 0:i64)) 1:i64) (where (lt i 2:i64) (mul c c) 0:i64) j)") + ")",
       {16, 9, 0, 0, 0}},
  };
  for (const NodeRef& s : {three, delayed})
    for (const auto& [body, expected, is_stored] : cases) {
      const NodeRef node = graph::tabulate("(fn ((i i64)) " + body + ")", 5, {s});
      if (is_stored && s == delayed) continue;
      CHECK_EQ(wrong(node), "");
      CHECK_EQ(elements<int64_t>(node), expected);
    }
}

TEST(elements_from_outside_that_each_step_evaluates_are_read_outside) {
  const string sum = "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j i)) ";
  const auto body = [&](const string& value) {
    return wf::print(*wf::parse("(fn ((i i64)) (let ((c (at $0 i))) " + value + "))", {{wf::Type::I64}}));
  };
  for (const string value : {"(mul c c)", "(mul c (where (lt j 3:i64) c 2:i64))", "(where (lt j 3:i64) (mul c 3:i64) c)"})
    CHECK_EQ(body(sum + value + ")").substr(0, 44), "(fn ((i i64)) (let ((v0 (at $0 i (gt i 0:i64");
  // The function evaluates the element elsewhere.
  CHECK_EQ(body("(add c " + sum + "(where (lt j 3:i64) (mul c c) 2:i64)))").substr(0, 34), "(fn ((i i64)) (let ((v0 (at $0 i))");
}
