// The results of planning: the value of a graph, and the kernels that compute it.
#include <cstdlib>

#include "check.h"
#include "lazy/check.h"
#include "oracle/graph.h"
#include "plan/explained.h"
#include "plan/plan.h"

using graph::elements;
using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

const char* const add = "(fn ((a i32) (b i32)) (add a b))";
const char* const min = "(fn ((a i32) (b i32)) (min a b))";
const char* const max = "(fn ((a i32) (b i32)) (max a b))";
const char* const twice = "(fn ((x i32)) (mul x 2:i32))";
const char* const positive = "(fn ((x i32)) (gt x 0:i32))";
const string lowest = "-2147483648:i32", highest = "2147483647:i32";

NodeRef numbers(int64_t n) { return graph::tabulate("(fn ((i i64)) (cast i32 (sub (rem (mul i 7919:i64) 1000:i64) 300:i64)))", n); }
// The same sequence, forced.
NodeRef stored(int64_t n) {
  NodeRef s = numbers(n);
  wf::force({&s, 1});
  return s;
}

vector<int32_t> plain(int64_t n) {
  vector<int32_t> all;
  for (int64_t i = 0; i < n; i++) all.push_back(int32_t(i * 7919 % 1000 - 300));
  return all;
}

int32_t value(const NodeRef& scalar) { return elements<int32_t>(scalar)[0]; }

}  // namespace

// ---- producers are substituted into consumers ---------------------------------------------------------------------------

TEST(a_chain_of_maps_and_a_reduction_are_one_kernel) {
  NodeRef s = stored(1000);
  for (int k = 0; k < 8; k++) s = graph::map("(fn ((x i32)) (add (mul x 3:i32) 1:i32))", {s});
  const NodeRef sum = graph::reduce(add, "0:i32", s);
  CHECK_EQ(kernels({sum}), "reduce(add), finish(1); i < 1000");
  int32_t right = 0;
  for (uint32_t x : plain(1000)) {
    for (int k = 0; k < 8; k++) x = x * 3 + 1;
    right += int32_t(x);
  }
  CHECK_EQ(value(sum), right);
}

TEST(nothing_is_read_where_all_is_computed) {
  const NodeRef sum = graph::reduce(add, "0:i32", graph::tabulate("(fn ((i i64)) (cast i32 i))", 100));
  CHECK(wf::explain(Nodes{sum}, wf::ExplainFormat::Text).find("0 B read, 0 B written") != string::npos);
  CHECK_EQ(value(sum), 4950);
}

TEST(consumers_of_one_input_share_a_kernel) {
  const NodeRef s = graph::map(twice, {stored(1000)});
  const NodeRef sum = graph::reduce(add, "0:i32", s), most = graph::reduce(max, lowest, s);
  CHECK_EQ(kernels({sum, most}), "reduce(add), reduce(max), finish(2); i < 1000");
  CHECK_EQ(kernels({sum, most, s}), "reduce(add), reduce(max), store(1), finish(2); i < 1000");
  wf::force(Nodes{sum, most});
  CHECK(!s->is_manifest());
  CHECK_EQ(value(most), 2 * 699);
}

TEST(consumers_over_different_lengths_do_not_share) {
  const NodeRef a = graph::reduce(add, "0:i32", stored(1000)), b = graph::reduce(add, "0:i32", stored(999));
  CHECK_EQ(kernels({a, b}), "reduce(add), finish(1); i < 999 | reduce(add), finish(1); i < 1000");
}

TEST(zip_and_columns_are_free) {
  const NodeRef s = stored(1000), t = graph::map(twice, {s});
  const NodeRef both = wf::zip(Nodes{s, t});
  const NodeRef sum = graph::reduce(add, "0:i32", graph::map("(fn ((x i32) (y i32)) (sub y x))", {both}));
  CHECK_EQ(kernels({sum}), "reduce(add), finish(1); i < 1000");
  const vector<int32_t> first{0};
  CHECK_EQ(kernels({wf::columns(both, first)}), "");
  CHECK_EQ(elements<int32_t>(wf::columns(both, first)), plain(1000));
}

TEST(views_are_index_arithmetic) {
  const NodeRef s = graph::map(twice, {stored(1000)});
  const NodeRef sum = graph::reduce(add, "0:i32", wf::rev(wf::subseq(wf::rev(s), 10, 500)));
  CHECK_EQ(kernels({sum}), "reduce(add), finish(1); i < 500");
  const auto all = plain(1000);
  int32_t right = 0;
  for (int i = 490; i < 990; i++) right += 2 * all[i];
  CHECK_EQ(value(sum), right);
}

TEST(operations_on_scalars_come_after_the_loop) {
  const NodeRef s = stored(1000);
  const NodeRef sum = graph::reduce(add, "0:i32", s), most = graph::reduce(max, lowest, s);
  const NodeRef both = graph::map("(fn ((x i32) (y i32)) (and (gt x 0:i32) (lt y 700:i32)))", {sum, most});
  CHECK_EQ(kernels({both}), "reduce(add), reduce(max), finish(1); i < 1000");
  CHECK_EQ(elements<bool>(both), vector<bool>{true});
}

// ---- scans --------------------------------------------------------------------------------------------------------------

TEST(readers_of_prefixes_join_the_scan) {
  const auto [prefixes, total] = graph::scan(add, "0:i32", stored(1000), true);
  const NodeRef sum = graph::reduce(add, "0:i32", graph::map(twice, {prefixes}));
  CHECK_EQ(kernels({sum}), "scan(add), reduce(add), finish(1); i < 1000");
  CHECK_EQ(kernels({sum, total}), "scan(add), reduce(add), finish(2); i < 1000");
  CHECK_EQ(kernels({prefixes, total}), "scan(add), store(1), finish(1); i < 1000");
  int32_t right = 0, prefix = 0;
  for (int32_t x : plain(1000)) right += 2 * (prefix += x);
  CHECK_EQ(value(sum), right);
  CHECK(!prefixes->is_manifest());
}

TEST(matching_parentheses_is_one_kernel_without_a_chain) {
  const NodeRef s = graph::tabulate("(fn ((i i64)) (where (lt i 500:i64) 1:i32 -1:i32))", 1000);
  wf::force({&s, 1});
  const auto [prefixes, total] = graph::scan(add, "0:i32", s, true);
  const NodeRef least = graph::reduce(min, highest, prefixes);
  const NodeRef matched = graph::map("(fn ((t i32) (l i32)) (and (eq t 0:i32) (ge l 0:i32)))", {total, least});
  CHECK_EQ(kernels({matched}), "scan(add), reduce(min) by law, finish(1); i < 1000");
  CHECK_EQ(elements<bool>(matched), vector<bool>{true});
}

TEST(the_law_holds_back_where_it_does_not_apply) {
  const auto [prefixes, total] = graph::scan(add, "0:i32", stored(1000), true);
  // The prefix is mapped, so that the reduction does not read the prefix itself.
  CHECK_EQ(kernels({graph::reduce(min, highest, graph::map(twice, {prefixes}))}), "scan(add), reduce(min), finish(1); i < 1000");
  // The prefixes are also results.
  CHECK_EQ(kernels({graph::reduce(min, highest, prefixes), prefixes}), "scan(add), reduce(min), store(1), finish(1); i < 1000");
  // xor does not distribute over min.
  const char* exclusive_or = "(fn ((a i32) (b i32)) (xor a b))";
  const auto scanned = graph::scan(exclusive_or, "0:i32", stored(1000), true);
  CHECK_EQ(kernels({graph::reduce(min, highest, scanned.prefixes)}), "scan(xor), reduce(min), finish(1); i < 1000");
}

TEST(the_law_is_exact_where_sums_wrap) {
  vector<int32_t> large(5000, 1 << 30);
  const NodeRef least = graph::reduce(min, highest, graph::scan(add, "0:i32", graph::source(large), true).prefixes);
  CHECK_EQ(kernels({least}), "scan(add), reduce(min) by law, finish(1); i < 5000");
  CHECK_EQ(value(least), std::numeric_limits<int32_t>::min());
}

// Prefixes of the depth of parentheses in text, whose steps are bounded, and of numbers with no known bounds.
TEST(prefixes_fit_their_type_up_to_a_length) {
  auto scanned_by_law = [](const NodeRef& x) {
    const NodeRef least = graph::reduce(min, highest, graph::scan(add, "0:i32", x, true).prefixes);
    return wf::make_plan({&least, 1}, {}).steps[0]->kernel;
  };
  const wf::Kernel text = scanned_by_law(
      graph::map("(fn ((c u8)) (sub (cast i32 (eq c 40:u8)) (cast i32 (eq c 41:u8))))", {graph::source(vector<uint8_t>(100, 40))}));
  CHECK(text.scan[0].by_law);
  CHECK(wf::prefixes_fit(text, 0));
  CHECK(wf::prefixes_fit(text, 2147483647));
  CHECK(!wf::prefixes_fit(text, 2147483648));
  CHECK(!wf::prefixes_fit(text, int64_t(1) << 62));
  CHECK(!wf::prefixes_fit(scanned_by_law(stored(100)), 100));
  const wf::Kernel indices = scanned_by_law(graph::tabulate("(fn ((i i64)) (cast i32 (neg i)))", 100));
  CHECK(wf::prefixes_fit(indices, 40000));
  CHECK(!wf::prefixes_fit(indices, 50000));
}

TEST(two_scans_of_one_input_share_a_kernel_and_a_scan_of_a_scan_does_not) {
  const NodeRef s = stored(1000);
  const NodeRef sums = graph::scan(add, "0:i32", s, true).prefixes, mosts = graph::scan(max, lowest, s, true).prefixes;
  CHECK_EQ(kernels({sums, mosts}), "scan(fn), store(2); i < 1000");
  const NodeRef again = graph::scan(add, "0:i32", sums, true).prefixes;
  CHECK_EQ(kernels({again}), "scan(add), store(1); i < 1000 | scan(add), store(1); i < 1000");
}

// ---- filters ------------------------------------------------------------------------------------------------------------

TEST(a_reduction_of_a_filter_is_masked) {
  const NodeRef kept = graph::map(twice, {graph::filter(positive, stored(1000))});
  const NodeRef sum = graph::reduce(add, "0:i32", kept);
  CHECK_EQ(kernels({sum}), "reduce(add) masked, finish(1); i < 1000");
  int32_t right = 0;
  for (int32_t x : plain(1000)) right += x > 0 ? 2 * x : 0;
  CHECK_EQ(value(sum), right);
  CHECK_EQ(kept->length(), -1);
}

TEST(the_length_of_a_filter_is_a_count) {
  const NodeRef kept = graph::filter(positive, stored(1000));
  const NodeRef n = wf::length(kept);
  CHECK_EQ(kernels({n}), "reduce(add), finish(1); i < 1000");
  CHECK_EQ(elements<int64_t>(n), vector<int64_t>{699});
}

TEST(a_filter_that_is_wanted_is_compacted_once) {
  const NodeRef kept = graph::filter(positive, stored(1000));
  const NodeRef sum = graph::reduce(add, "0:i32", kept);
  CHECK_EQ(kernels({kept, sum, wf::length(kept)}), "reduce(add) masked, reduce(add), filter(1), finish(2); i < 1000");
  CHECK_EQ(kernels({graph::map(twice, {kept})}), "filter(1); i < 1000");
}

TEST(a_filter_of_a_filter_is_one_mask) {
  const NodeRef kept = graph::filter("(fn ((x i32)) (lt x 100:i32))", graph::filter(positive, stored(1000)));
  CHECK_EQ(kernels({graph::reduce(add, "0:i32", kept)}), "reduce(add) masked, finish(1); i < 1000");
  CHECK_EQ(kernels({kept}), "filter(1); i < 1000");
  CHECK_EQ(elements<int32_t>(kept).size(), 99);
}

TEST(a_scan_of_a_filter_is_one_kernel) {
  const NodeRef sums = graph::scan(add, "0:i32", graph::filter(positive, stored(1000)), true).prefixes;
  CHECK_EQ(kernels({sums}), "scan(add), filter(1); i < 1000");
}

// ---- results that are kept, and values that are computed again ----------------------------------------------------------

TEST(a_result_is_kept) {
  const NodeRef s = graph::map(twice, {stored(1000)});
  CHECK_EQ(kernels({s}), "store(1); i < 1000");
  wf::force({&s, 1});
  CHECK(s->is_manifest());
  CHECK_EQ(kernels({s}), "");
  CHECK_EQ(kernels({graph::reduce(add, "0:i32", s)}), "reduce(add), finish(1); i < 1000");
  const string text = wf::explain(Nodes{s}, wf::ExplainFormat::Text);
  CHECK(text.find("computed by a kernel: store(1)") != string::npos);
  if (graph::context()->name != "cpu") return;
  const char* setting = std::getenv("WARPFOLD_INTERPRET");
  CHECK(text.find(setting && *setting == '0' ? "\n  code    native\n" : "\n  code    interpreted\n") != string::npos);
}

TEST(a_cheap_value_is_computed_at_every_index_at_which_it_is_read) {
  const NodeRef s = graph::map(twice, {stored(1000)});
  const NodeRef steps = graph::tabulate("(fn ((i i64)) (sub (at $0 (add i 1:i64)) (at $0 i)))", 999, {s});
  CHECK_EQ(kernels({steps}), "store(1); i < 999");
}

TEST(a_costly_value_is_stored_before_it_is_read_at_several_indices) {
  NodeRef s = graph::map("(fn ((x i32)) (sqrt (exp (sin (cast f64 x)))))", {stored(1000)});
  for (int k = 0; k < 3; k++) s = graph::map("(fn ((x f64)) (exp (sin x)))", {s});
  const NodeRef steps = graph::tabulate("(fn ((i i64)) (sub (at $0 (add i 1:i64)) (at $0 i)))", 999, {s});
  CHECK_EQ(kernels({steps}), "store(1); i < 1000 | store(1); i < 999");
}

TEST(a_reduction_is_computed_once_not_once_an_element) {
  const NodeRef s = stored(1000);
  const NodeRef sum = graph::reduce(add, "0:i32", s);
  const NodeRef shifted = graph::map("(fn ((x i32)) (sub x (at $0 0:i64)))", {s}, {sum});
  CHECK_EQ(kernels({shifted}), "reduce(add), finish(1); i < 1000 | store(1); i < 1000");
}

TEST(an_empty_sequence_needs_no_elements) {
  const NodeRef none = numbers(0);
  CHECK_EQ(value(graph::reduce(add, "7:i32", none)), 7);
  CHECK_EQ(elements<int32_t>(graph::scan(add, "0:i32", none, true).prefixes).size(), 0);
  CHECK_EQ(elements<int32_t>(graph::filter(positive, none)).size(), 0);
}

// ---- plans are kept by the structure of the graph -------------------------------------------------------------------------

TEST(functions_made_anew_find_the_plan_of_equal_ones) {
  const NodeRef s = stored(1000), t = stored(1000), shorter = stored(999);
  auto planned = [](const NodeRef& s, int32_t factor) {
    wf::Builder b;
    const wf::FnRef scaled = b.finish({b.apply(wf::Op::mul_, {b.param(wf::Type::I32, "x"), b.constant(factor)})});
    const wf::Closure scale{scaled, {}, {}}, sum{wf::op_fn(wf::Op::add_, wf::Type::I32), {}, {}};
    const NodeRef total = wf::reduce(sum, {0}, wf::map(scale, {&s, 1}));
    return wf::make_plan({&total, 1}, {}).steps[0];
  };
  const auto first = planned(s, 7);
  CHECK(planned(s, 7) == first);
  CHECK(planned(t, 7) == first);
  CHECK(planned(s, 8) != first);
  CHECK(planned(shorter, 7) != first);
}

// A view reads only valid indices, so its kernel does not check them. The kernel of an equal function that captures the sequence does.
TEST(a_view_and_an_equal_function_have_plans_of_their_own) {
  const NodeRef s = stored(1000), at = stored(1000);
  auto planned = [&](uint32_t viewed) {
    wf::Builder b;
    const wf::Id index = b.cast(wf::Type::I64, b.at(1, 0, wf::Type::I32, b.param(wf::Type::I64, "i")));
    const NodeRef read =
        wf::pull(s->context(), {wf::Shape::vector(1000), {}}, b.finish({b.at(0, 0, wf::Type::I32, index)}), {s, at}, viewed);
    return wf::make_plan({&read, 1}, {}).steps[0];
  };
  const auto view = planned(2);
  CHECK(planned(2) == view);
  CHECK(planned(0) != view);
}

TEST(one_plan_serves_all_lengths_once_a_form_returns) {
  const auto kernel_of = [](int64_t n, const std::string& f) {
    const NodeRef s = graph::source(std::vector<int32_t>(size_t(n) + 3)), made = graph::tabulate(f, n, {s});
    const NodeRef sum = graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", made), all[] = {made, sum};
    const auto plan = wf::make_plan(all, {});
    CHECK_EQ(plan.steps.size(), size_t(1));
    CHECK_EQ(plan.steps[0]->domain.n, n);
    CHECK_EQ(plan.steps[0]->lengths, std::vector<int64_t>{n + 3});
    return plan.steps[0]->kernel.id;
  };
  const std::string shifted = "(fn ((i i64)) (mul (at $0 (add i 2:i64)) 77:i32))", halved = "(fn ((i i64)) (at $0 (div i 2:i64)))";
  const uint64_t first = kernel_of(40, shifted), general = kernel_of(50, shifted);
  CHECK(first != general);
  for (int64_t n = 60; n < 70; n++) CHECK_EQ(kernel_of(n, shifted), general);
  CHECK_EQ(kernel_of(40, shifted), first);
  // No element, and one, are forms of their own; a digit of the index depends on the length.
  CHECK(kernel_of(0, shifted) != general);
  CHECK(kernel_of(1, shifted) != general);
  CHECK(kernel_of(50, halved) != kernel_of(60, halved));
  CHECK(kernel_of(60, halved) != kernel_of(70, halved));
}

TEST(one_plan_serves_numbers_of_one_size) {
  const auto kernel_of = [](int64_t number) {
    const wf::NodeRef scalar = wf::constant(graph::context(), wf::Type::I64, wf::to_bits(number));
    const NodeRef s = graph::source(std::vector<int32_t>(100)),
                  r = graph::tabulate("(fn ((i i64)) (at $0 (min (add i (at $1 0:i64)) 99:i64)))", 60, {s, scalar});
    return wf::make_plan({&r, 1}, {}).steps[0];
  };
  const auto near = kernel_of(5), other = kernel_of(40), back = kernel_of(-5), far = kernel_of(int64_t(1) << 50);
  CHECK_EQ(near->kernel.id, other->kernel.id);
  CHECK(near->kernel.id != back->kernel.id && near->kernel.id != far->kernel.id && far->kernel.id != back->kernel.id);
  // An index that begins at a positive number is never below 0.
  const auto checks = [](const wf::Fn& f) { return std::ranges::count(f.terms, wf::Kind::Check, &wf::Term::kind); };
  CHECK_EQ(checks(*near->kernel.body), 0);
  CHECK_EQ(checks(*back->kernel.body), 1);
}
