// Indices out of range inside loops and folds, and of names from outside that they read.
#include <functional>

#include "check.h"
#include "eval/range.h"

using graph::elements;
using range::add;
using range::error;
using range::names;
using range::sum;
using range::three;
using std::string;
using std::vector;
using wf::NodeRef;

TEST(loops_report_it) {
  const NodeRef s = graph::tabulate(
      "(fn ((i i64)) (let (((k sum) (loop ((k 0:i64) (sum 0:i32)) (lt k i) (tuple (add k 1:i64) (add sum (at $0 k)))))) sum))", 10,
      {three()});
  CHECK(names(error(s), "3"));
  CHECK_EQ(elements<int32_t>(wf::subseq(s, 0, 4)), (vector<int32_t>{0, 5, 11, 18}));
}

TEST(names_from_outside_are_evaluated_if_a_step_uses_them) {
  const char* const body = " (loop ((k 0:i32) (sum 0:i32)) (lt k 2:i32) (tuple (add k 1:i32) (add sum x))))) b))";
  const string outside = string("(fn ((i i64)) (let ((x (at $0 i)) ((a b)") + body;
  const string guarded = string("(fn ((i i64)) (let ((x (where (lt i 3:i64) (at $0 i) 1:i32)) ((a b)") + body;
  const string never = "(fn ((i i64)) (let ((x (at $0 i)) ((a b) (loop ((k 0:i32) (sum 0:i32)) false (tuple k x)))) b))";
  const string inside = "(fn ((i i64)) (let (((a b) (loop ((k 0:i32) (sum 0:i32)) false (tuple k (at $0 i))))) b))";
  // Only elements 0 to 2 make a step.
  const string some =
      "(fn ((i i64)) (let ((x (at $0 i)) ((a b) (loop ((k i) (sum 0:i32)) (lt k 3:i64) (tuple (add k 3:i64) (add x (mul x x)))))) b))";
  for (int64_t n : {5, 100007}) {
    CHECK(names(error(graph::tabulate(outside, n, {three()})), "index 3"));
    CHECK_EQ(elements<int32_t>(sum(graph::tabulate(guarded, n, {three()}))), vector<int32_t>{int32_t(36 + 2 * (n - 3))});
    CHECK_EQ(elements<int32_t>(sum(graph::tabulate(inside, n, {three()}))), vector<int32_t>{0});
    CHECK_EQ(elements<int32_t>(sum(graph::tabulate(never, n, {three()}))), vector<int32_t>{0});
    CHECK_EQ(elements<int32_t>(sum(graph::tabulate(some, n, {three()}))), vector<int32_t>{30 + 42 + 56});
  }
}

// A loop or fold evaluates the names from outside that its body reads, even if their values do not matter.
TEST(names_from_outside_count_in_loops_and_folds_even_if_their_values_do_not_matter) {
  const NodeRef s = graph::source(std::vector<int>{10, 20, 30});
  const NodeRef checked = graph::tabulate("(fn ((i i64)) (at $0 (add i 2:i64)))", 3, {s});
  for (const char* ignored : {"(let ((y x)) 1:i32)", "(mul x 0:i32)", "(sub x x)"}) {
    const std::string steps = std::string("(add k 1:i32) (add total ") + ignored + ")";
    const std::string loop = "(loop ((k 0:i32) (total 0:i32)) (lt k 4:i32) (tuple " + steps + "))";
    const std::string fold = std::string("(fold ((a i32) (b i32)) (add a b) 0:i32 ((j 3:i64)) ") + ignored + ")";
    for (const std::string& body : {"(let (((k total) " + loop + ")) total)", fold}) {
      const NodeRef r = graph::map("(fn ((x i32)) " + body + ")", {checked});
      CHECK_THROWS(wf::RangeError, graph::elements<int>(r));
      CHECK_EQ(graph::elements<int>(wf::nth(r, 0)).size(), 1u);
    }
  }
}

// A fold without steps evaluates nothing from outside its value, whether its count is a literal or not.
TEST(a_fold_without_steps_evaluates_only_its_count) {
  const NodeRef s = graph::source(std::vector<int>{10, 20, 30});
  const std::string fold = "(fold ((a i32) (b i32)) (add a b) 0:i32 ((j n)) (add x (cast i32 j))))";
  auto over = [&](const std::string& count, int64_t n) {
    return graph::tabulate("(fn ((i i64)) (let ((x (at $0 (add i 2:i64))) (n " + count + ")) " + fold + ")", n, {s});
  };
  CHECK(graph::elements<int>(over("0:i64", 5)) == std::vector<int>(5));
  CHECK(graph::elements<int>(over("(rem (length $0) 3:i64)", 5)) == std::vector<int>(5));
  CHECK(graph::elements<int>(over("(sub 1:i64 i)", 5)) == (std::vector<int>{30, 0, 0, 0, 0}));
  CHECK_THROWS(wf::RangeError, graph::elements<int>(over("(sub 2:i64 i)", 5)));
  CHECK_THROWS(wf::RangeError, graph::elements<int>(over("1:i64", 5)));
  CHECK_THROWS(wf::RangeError, graph::elements<int>(over("(cast i64 (at $0 i))", 5)));
}

// A branch or an inner fold that a constant column lets the planner drop is evaluated all the same.
TEST(names_from_outside_count_in_loops_and_folds_even_if_no_step_reads_them) {
  const NodeRef s = graph::source(std::vector<int>{10, 20, 30});
  const NodeRef zero_and_checked = graph::tabulate("(fn ((i i64)) (tuple (xor i i) (at $0 (add i 2:i64))))", 3, {s});
  auto fold = [](const std::string& count, const std::string& value) {
    return "(fold ((a i32) (b i32)) (add a b) 0:i32 ((j " + count + ")) " + value + ")";
  };
  const auto loop = [](const std::string& value) {
    return "(let (((k total) (loop ((k 0:i32) (total 0:i32)) (lt k 4:i32) (tuple (add k 1:i32) (add total " + value + "))))) total)";
  };
  for (const std::string& unread : {std::string("(where (ne z 0:i64) x 1:i32)"), fold("z", "x")})
    for (const std::string& body : {loop(unread), fold("3:i64", unread), loop(fold("3:i64", unread)), fold("(add z 3:i64)", loop(unread)),
                                    fold("(length $0)", unread)}) {
      const NodeRef r = graph::map("(fn ((z i64) (x i32)) " + body + ")", {zero_and_checked}, {s});
      CHECK_THROWS(wf::RangeError, graph::elements<int>(r));
      CHECK_EQ(graph::elements<int>(wf::nth(r, 0)).size(), 1u);
    }
  for (const std::string& body : {fold("z", "x"), fold("z", loop("x")), fold("z", "(where (ne z 0:i64) x 1:i32)")})
    CHECK_EQ(graph::elements<int>(graph::map("(fn ((z i64) (x i32)) " + body + ")", {zero_and_checked})), std::vector<int>(3));
}

// A condition that is a literal chooses as one that is computed: the fold outside that it does not choose is not evaluated.
TEST(a_where_of_values_from_outside_chooses_before_the_fold) {
  auto fold = [](const string& count, const string& value) {
    return "(fold ((a i32) (b i32)) (add a b) 0:i32 ((j " + count + ")) " + value + ")";
  };
  auto sums = [&](const string& condition, const string& other = "5:i32") {
    const string outside = "(let ((x " + fold("1:i64", "(at $0 (add i 1:i64))") + ") (c " + condition + ")) ";
    return graph::tabulate("(fn ((i i64)) " + outside + fold("2:i64", "(add (cast i32 j) (where c x " + other + "))") + "))", 3, {three()});
  };
  for (const string& never : {string("false"), string("(lt 1:i64 0:i64)"), string("(lt i 0:i64)"), string("(lt (length $0) 3:i64)")})
    for (const string& five :
         {string("5:i32"), string("(where (lt i i) 1:i32 5:i32)"), string("(add 5:i32 (sub (cast i32 i) (cast i32 i)))")})
      CHECK_EQ(elements<int32_t>(sums(never, five)), (vector<int32_t>{11, 11, 11}));
  for (const string& always : {string("true"), string("(lt i 3:i64)")}) CHECK(names(error(sums(always)), "index 3"));
}

// A fold whose value a `where` does not choose in any step of another fold makes no step, even if the other branch or the condition reads elements.
TEST(a_where_that_reads_elements_chooses_before_the_fold) {
  auto fold = [](const string& count, const string& value) {
    return "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j " + count + ")) " + value + ")";
  };
  for (int64_t n : {1, 3, 65, 2000}) {
    vector<int64_t> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; i++) values[size_t(i)] = (i * 7 + 3) % 5 - 1;
    const auto at = [&](int64_t i) { return values[size_t(i)]; };
    const NodeRef s = graph::source(values);
    // The value: values[i + 1] + values[i + 1] + ..., for i + 1 < n and for elements of at least 2.
    const string outside = "(let ((x " + fold("(at $0 i)", "(at $0 (add i 1:i64))") + ")) ";
    const auto sums = [&](const string& condition, const string& other) {
      const string value = "(where (ne j i) (where " + condition + " x " + other + ") 7:i64)";
      return graph::tabulate("(fn ((i i64)) " + outside + fold("3:i64", value) + "))", n, {s});
    };
    const auto expected = [&](auto condition, auto other) {
      vector<int64_t> result;
      for (int64_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int64_t j = 0; j < 3; j++)
          sum += j == i ? 7 : !condition(i) ? other(i, j) : std::max<int64_t>(at(i), 0) * (at(i) > 0 ? at(i + 1) : 0);
        result.push_back(sum);
      }
      return result;
    };
    const auto inside = [&](int64_t i) { return i + 1 < n; };
    CHECK_EQ(elements<int64_t>(sums("(lt (add i 1:i64) (length $0))", "(at $0 i)")),
             expected(inside, [&](int64_t i, int64_t) { return at(i); }));
    CHECK_EQ(elements<int64_t>(sums("(lt (add i 1:i64) (length $0))", "(add j (at $0 (rem j (length $0))))")),
             expected(inside, [&](int64_t, int64_t j) { return j + at(j % n); }));
    CHECK_EQ(elements<int64_t>(sums("(and (le 2:i64 (at $0 i)) (lt (add i 1:i64) (length $0)))", "j")),
             expected([&](int64_t i) { return at(i) >= 2 && inside(i); }, [&](int64_t, int64_t j) { return j; }));
    // The last element is at least 1 for some n: then the fold of the last row is chosen, and fails.
    const NodeRef wrong = sums("(le 1:i64 (at $0 i))", "(at $0 i)");
    if (at(n - 1) >= 1) CHECK(names(error(wrong), std::to_string(n)));
    else CHECK_EQ(elements<int64_t>(wrong), expected([&](int64_t i) { return at(i) >= 1; }, [&](int64_t i, int64_t) { return at(i); }));
  }
}

// The same for loops, for loops and folds inside of each other, and for values that are computed from a fold's.
TEST(conditions_that_all_steps_share_choose_before_loops_and_nested_folds) {
  using Inside = std::function<string(const string& name, const string& value)>;
  const auto fold = [](const string& name, const string& count, const string& value) {
    return "(fold ((a i64) (b i64)) (add a b) 0:i64 ((" + name + " " + count + ")) " + value + ")";
  };
  const auto loop = [](const string& name, const string& goes, const string& value) {
    return "(let (((" + name + " total) (loop ((" + name + " 0:i64) (total 0:i64)) " + goes + " (tuple (add " + name +
           " 1:i64) (add total " + value + "))))) total)";
  };
  const Inside folds = [&](const string& name, const string& value) { return fold(name, "3:i64", value); };
  const Inside counted = [&](const string& name, const string& value) { return fold(name, "(length $0)", value); };
  const Inside loops = [&](const string& name, const string& value) { return loop(name, "(lt " + name + " 3:i64)", value); };
  const Inside tests = [&](const string& name, const string& value) {
    return loop(name, "(and (lt " + name + " 3:i64) (le " + value + " 1000:i64))", value);
  };
  // x: the elements i and i + 1, of which the last row's is outside. Only a condition of the row chooses it, in a step or in none.
  const string outside = "(let ((x " + fold("j", "2:i64", "(at $0 (add i j))") + ") (inside (lt (add i 1:i64) (length $0)))) ";
  const auto rows = [&](const string& body) {
    return graph::tabulate("(fn ((i i64)) " + outside + body + "))", 3, {graph::source(vector<int64_t>{5, 6, 7})});
  };
  const auto times = [](int64_t steps) { return vector<int64_t>{11 * steps, 13 * steps, 7 * steps}; };
  const string other = "(at $0 i)";
  const auto chosen = [&](const string& value) { return "(where inside " + value + " " + other + ")"; };
  for (const Inside& one : {folds, counted, loops, tests}) {
    CHECK_EQ(elements<int64_t>(rows(one("k", chosen("x")))), times(3));
    CHECK_EQ(elements<int64_t>(rows("(let ((y (add x 0:i64))) " + one("k", chosen("y")) + ")")), times(3));
    CHECK_EQ(
        elements<int64_t>(rows("(let ((y (where (lt i 9:i64) (add x (at $0 0:i64)) 1:i64))) " + one("k", chosen("(sub y 5:i64)")) + ")")),
        times(3));
    CHECK(names(error(rows(one("k", "(where (le i 2:i64) x " + other + ")"))), "index 3"));
    for (const Inside& inner : {folds, loops, tests}) {
      CHECK_EQ(elements<int64_t>(rows(one("k", inner("l", chosen("x"))))), times(9));
      CHECK_EQ(elements<int64_t>(rows(one("k", "(where (lt i 2:i64) " + inner("l", "x") + " " + inner("l", other) + ")"))), times(9));
      CHECK_EQ(elements<int64_t>(rows(one("k", inner("l", "(where (lt (add k l) 9:i64) " + chosen("x") + " k)")))), times(9));
      CHECK_EQ(elements<int64_t>(rows(one("k", one("l", inner("m", chosen("x")))))), times(27));
      CHECK(names(error(rows(one("k", inner("l", "(where (le i 2:i64) x " + other + ")")))), "index 3"));
    }
    // The inner fold or loop makes no step.
    CHECK_EQ(elements<int64_t>(rows(one("k", fold("l", "(sub 2:i64 i)", "x")))), (vector<int64_t>{66, 39, 0}));
    CHECK_EQ(elements<int64_t>(rows(one("k", loop("l", "(lt l (sub 2:i64 i))", "x")))), (vector<int64_t>{66, 39, 0}));
  }
}

// A loop's condition may choose a value by its variables. Before the first step, only their first values count.
TEST(a_loop_without_steps_evaluates_what_its_condition_chooses_at_first) {
  const string x = "(let ((x (fold ((a i64) (b i64)) (add a b) 0:i64 ((j 2:i64)) (at $0 (add i j))))) ";
  const auto counts = [&](const string& first, const string& goes) {
    const string loop = "(loop ((k " + first + ")) " + goes + " (add k 1:i64))";
    return graph::tabulate("(fn ((i i64)) " + x + loop + "))", 3, {graph::source(vector<int64_t>{5, 6, 7})});
  };
  // The last row begins with 2, and x is outside.
  CHECK_EQ(elements<int64_t>(counts("i", "(and (lt k 2:i64) (lt 0:i64 x))")), (vector<int64_t>{2, 2, 2}));
  CHECK_EQ(elements<int64_t>(counts("i", "(lt k (where (lt k 2:i64) (add x -9:i64) 0:i64))")), (vector<int64_t>{2, 2, 2}));
  CHECK_EQ(elements<int64_t>(counts("i", "(and (lt k 2:i64) (lt 0:i64 (fold ((a i64) (b i64)) (add a b) 0:i64 ((l 2:i64)) (add l x))))")),
           (vector<int64_t>{2, 2, 2}));
  // An element that every step reads, too.
  const string read = "(let ((y (at $0 (add i 1:i64)))) (loop ((k i)) (and (lt k 2:i64) (lt 0:i64 y)) (add k (div y y))))";
  CHECK_EQ(elements<int64_t>(graph::tabulate("(fn ((i i64)) " + read + ")", 3, {graph::source(vector<int64_t>{5, 6, 7})})),
           (vector<int64_t>{2, 2, 2}));
  CHECK(names(error(counts("i", "(and (lt k 3:i64) (lt 0:i64 x))")), "index 3"));
  CHECK(names(error(counts("(sub i 1:i64)", "(and (lt k 2:i64) (lt 0:i64 x))")), "index 3"));
}

// A delayed sequence that a fold reads has checks of its own, which the conditions in the fold's value guard like the fold's checks.
TEST(conditions_inside_folds_guard_the_checks_of_what_the_folds_read) {
  for (int64_t n : {1, 2, 100, 5000}) {
    vector<int64_t> next(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; i++) next[size_t(i)] = (i * 7 + 3) % (n + 5) - 2;  // some are outside
    const NodeRef s = graph::source(next), delayed = graph::tabulate("(fn ((i i64)) (mul (at $0 i) 3:i64))", n, {s});
    const string guarded = "(where (or (lt k 0:i64) (le (length $0) k)) -1:i64 (at $0 k))";
    const string fold = "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j 3:i64)) (add j (let ((k x)) " + guarded + ")))";
    const string nested = "(fold ((a i64) (b i64)) (add a b) 0:i64 ((l 1:i64)) " + fold + ")";
    const string loop =
        "(let (((k total) (loop ((step 0:i64) (total 0:i64)) (lt step 1:i64) (tuple (add step 1:i64) (add total " + fold + "))))) total)";
    vector<int64_t> expected;
    for (int64_t k : next) expected.push_back(3 + 3 * (k < 0 || k >= n ? -1 : 3 * next[size_t(k)]));
    for (const string& body : {fold, nested, loop}) {
      const NodeRef r = graph::map("(fn ((x i64)) " + body + ")", {s}, {delayed});
      const NodeRef together[] = {delayed, r};
      if (n == 100) wf::force(together);
      CHECK_EQ(elements<int64_t>(r), expected);
    }
  }
}

TEST(an_element_that_is_filtered_out_is_not_chosen_in_loops) {
  const NodeRef low = graph::filter("(fn ((i i64)) (lt i 3:i64))", graph::tabulate("(fn ((i i64)) i)", 100));
  const char* up_to =
      "(fn ((i i64)) (let (((k sum) (loop ((k 0:i64) (sum 0:i32)) (le k i)"
      " (tuple (add k 1:i64) (add sum (at $0 k)))))) sum))";
  CHECK_EQ(elements<int32_t>(sum(graph::map(up_to, {low}, {three()}))), vector<int32_t>{34});
}

// Many short rows, and two long ones, that gather: the first row that reads outside is named, wherever it is.
TEST(rows_that_gather_name_the_first_index_outside) {
  constexpr int64_t n = 70000, length = 5000;
  vector<int64_t> starts{0};
  for (int64_t i = 0; i < n; i++) starts.push_back(starts.back() + (i == 4000 || i == 60000 ? length : i % 5));
  for (const auto& [row, position] : {std::pair<int64_t, int64_t>{3, 0}, {69998, 2}, {4000, 0}, {60000, length - 1}}) {
    vector<int32_t> to(size_t(starts.back()), 1);
    to[size_t(starts[size_t(row)] + position)] = 3;
    for (size_t i = size_t(starts[size_t(row) + 1]); i < to.size(); i += 1013) to[i] = 4;
    const NodeRef sums = graph::tabulate(
        "(fn ((i i64)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j (sub (at $0 (add i 1:i64)) (at $0 i)))) "
        "(at $2 (cast i64 (at $1 (add (at $0 i) j))))))",
        n, {graph::source(starts), graph::source(to), three()});
    CHECK_EQ(error(sums).substr(0, 30), ("index 3 at element " + std::to_string(row) + " is out of range").substr(0, 30));
  }
}

// A fold or loop that would go on for years ends soon after its first fault, whoever runs it: rows alone and many, in every order of folding, along
// and across the positions, in lanes and term by term.
TEST(folds_and_loops_end_soon_after_a_fault) {
  const string most = "9223372036854775807:i64", sum_of = "(fold ((a i32) (b i32)) (add a b) 0:i32 ((j ", value = ")) (at $0 (add i j)))";
  const string by_function = "(fold ((a i32) (b i32)) (add (mul a 3:i32) b) 0:i32 ((j ";
  const string some_long = "(where (eq i 1:i64) 4611686018427387904:i64 1:i64)", inner = sum_of + most + ")) (at $0 (add j k)))";
  const string without_check = sum_of + "(where (ge i 3:i64) " + most + " 0:i64))) (cast i32 (mul j j)))";
  const string steps = "(loop ((k i)) (ge (at $0 k) 0:i32) (add k 1:i64))";
  const vector<string> functions = {
      sum_of + most + value,
      by_function + most + value,
      sum_of + some_long + ")) (at $0 (add i (mul j 2:i64))))",
      by_function + some_long + value,
      sum_of + most + ")) (at $0 (add (mul j 70001:i64) i)))",
      sum_of + most + ")) (where (eq j 100000:i64) (at $0 j) 1:i32))",
      sum_of + "(add 4611686018427387904:i64 (shr i 62:i64)))) (fold ((a i32) (b i32)) (add a b) 0:i32 ((k " + most +
          ")) (at $0 (add j k))))",
      "(add (at $0 i) " + without_check + ")",
      "(cast i32 " + steps + ")",
      "(let ((x (at $0 (add i 3:i64)))) (cast i32 (loop ((k 0:i64)) (eq x 0:i32) (add k 1:i64))))",
      sum_of + most + ")) (cast i32 (loop ((k j)) (ge (at $0 k) 0:i32) (add k 1:i64))))",
      "(cast i32 (loop ((k i)) (ge k 0:i64) (add k (cast i64 " + sum_of + "3:i64)) (at $0 (add k j)))))))",
  };
  for (const string& function : functions)
    for (int64_t n : {4, 70, 5000}) {
      const auto rows = [&] { return graph::tabulate("(fn ((i i64)) " + function + ")", n, {three()}); };
      for (const NodeRef& s : {rows(), wf::nth(rows(), 3), sum(rows()), graph::scan(add, "0:i32", rows(), true).prefixes,
                               graph::filter("(fn ((x i32)) (gt x 1:i32))", rows()), wf::rev(rows())})
        CHECK(names(error(s), "is out of range for a sequence of length 3"));
    }
  const char* const after_sum = "(fn ((x i32)) (loop ((k (cast i64 x))) (ge (at $0 k) 0:i32) (add k 1:i64)))";
  CHECK(names(error(graph::map(after_sum, {sum(three())}, {three()})), "index 18 "));
}
