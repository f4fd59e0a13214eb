// The form of kernels with folds: who works on a row follows from the number of rows, their length and the reads.
#include "cuda/row_form.h"

#include <algorithm>

#include "check.h"
#include "cuda/text/emit.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/composed/segments.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using wf::NodeRef;
using wf::cuda::RowForm;

namespace {

std::string literal(int64_t x) { return std::to_string(x) + ":i64"; }

// The form for `n` rows of `count` positions: index is that of a read in i and j, of one input of the given length.
std::optional<RowForm> form(int64_t n, const std::string& count, const std::string& index, int64_t length) {
  const NodeRef x = graph::source(std::vector<float>(9));
  const NodeRef sums =
      graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j " + count + ")) (load $0 " + index + ")))", 9, {x});
  const wf::Plan plan = wf::make_plan({&sums, 1}, {});
  return wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{length}, n);
}
std::optional<RowForm> along(int64_t n, int64_t count) {
  return form(n, literal(count), "(add (mul i " + literal(count) + ") j)", n * count);
}
std::optional<RowForm> across(int64_t n, int64_t count) { return form(n, literal(count), "(add (mul j " + literal(n) + ") i)", n * count); }

// The number of reads in the kernel's text that caches evict first.
int64_t streamed_reads(const wf::Kernel& kernel, const wf::cuda::Form& form) {
  const std::string text = wf::cuda::emit(kernel, form).text, call = "load_streamed(";
  int64_t count = 0;
  for (size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) count++;
  return count;
}

}  // namespace

TEST(rows_are_shared_by_a_warp_a_block_or_several_blocks) {
  const auto many = along(1 << 20, 1024), few = along(1000, 1 << 15), one = along(1, 1 << 26), four = along(4, 1 << 26);
  CHECK_EQ(many->form.slices, 32);
  CHECK_EQ(few->form.slices, 256);
  CHECK_EQ(few->parts, 1);
  CHECK_EQ(one->parts, 1024);
  CHECK_EQ(four->parts, 256);
  CHECK_EQ(many->describe(), "each by 32 threads, along it");
  CHECK_EQ(four->describe(), "each by 256 threads of each of 256 blocks, along it");
  for (const auto& rows : {many, few, one, four}) CHECK(!rows->form.across);
}

TEST(segments_are_rows) {
  const NodeRef values = graph::source(std::vector<float>(9)), offsets = graph::source(std::vector<int64_t>{0, 4, 9});
  const NodeRef sums = wf::segment_reduce(graph::fn("(fn ((a f32) (b f32)) (add a b))"), {0}, values, offsets);
  const wf::Plan plan = wf::make_plan({&sums, 1}, {});
  const auto form = wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{(1 << 20) + 1, 1 << 30}, 1 << 20);
  CHECK(form.has_value());
  CHECK_EQ(form->form.slices, 32);
  CHECK(!form->form.across);
  CHECK(form->form.uneven);
  CHECK_EQ(form->describe(), "each by 32 threads, along it; those of more than 8192 positions by blocks, in parts of 16384");
  const auto few = wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{4, 1 << 20}, 3);
  CHECK_EQ(few->describe(), "each by 256 threads, along it; those of more than 65536 positions by blocks, in parts of 16384");
  const auto short_ones = wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{(1 << 20) + 1, 1 << 21}, 1 << 20);
  CHECK_EQ(short_ones->describe(), "each by one thread; those of more than 256 positions by blocks, in parts of 16384");
  // Fewer threads each if there are many rows.
  const auto of_20 = wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{(1 << 22) + 1, 20 << 22}, 1 << 22);
  CHECK_EQ(of_20->form.slices, 1);
  const auto few_of_40 = wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{4097, 40 << 12}, 1 << 12);
  CHECK_EQ(few_of_40->form.slices, 8);
  // A sparse matrix times a vector.
  const NodeRef columns = graph::source(std::vector<int32_t>(9));
  const NodeRef product = graph::tabulate(
      "(fn ((r i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j (sub (at $0 (add r 1:i64)) (at $0 r)))) "
      "(mul (at $1 (add (at $0 r) j)) (at $3 (cast i64 (at $2 (add (at $0 r) j)))))))",
      2, {offsets, values, columns, values});
  const wf::Plan sparse = wf::make_plan({&product, 1}, {});
  const auto flat = wf::cuda::choose_rows(sparse.steps[0]->kernel, std::vector<int64_t>{(1 << 20) + 1, 1 << 25, 1 << 25, 1 << 20}, 1 << 20);
  CHECK_EQ(flat->describe(), "flat, 256 by a block; those of more than 4096 positions by blocks, in parts of 16384");
  // The matrix is read once, and must not evict the vector from the cache.
  CHECK_EQ(streamed_reads(sparse.steps[0]->kernel, flat->form), 2);
  CHECK_EQ(streamed_reads(plan.steps[0]->kernel, form->form), 0);
}

TEST(short_rows_have_few_slices) {
  CHECK_EQ(along(1 << 20, 64)->form.slices, 16);
  CHECK_EQ(along(1 << 20, 16)->form.slices, 4);
  CHECK(!along(1 << 26, 4));  // no loop
  CHECK(!along(100, 100));    // too little work
}

TEST(rows_without_a_loop_are_those_of_neighbouring_threads) {
  const NodeRef x = graph::source(std::vector<float>(9));
  auto pack = [&](const char* value) {
    const NodeRef s = graph::tabulate(std::string("(fn ((i i64)) ") + value + ")", 9, {x});
    const wf::Plan plan = wf::make_plan({&s, 1}, {});
    return wf::cuda::choose_form(wf::lower_folds(plan.steps[0]->kernel), std::vector<wf::cuda::InputView>{{0, 1 << 28}}, 1 << 26, false)
        .pack;
  };
  CHECK_EQ(pack("(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 4:i64)) (load $0 (add (mul i 4:i64) j)))"), 1);
  CHECK_EQ(pack("(load $0 (add 1:i64 (mul i 2:i64)))"), 1);
  CHECK_EQ(pack("(fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 4:i64)) (load $0 (add i j)))"), 4);
  CHECK_EQ(pack("(add (load $0 i) (load $0 7:i64))"), 4);
}

TEST(strided_folds_go_across) {
  const auto square = across(1 << 15, 1 << 15), narrow = across(4, 1 << 26), hundred = across(100, 1 << 20);
  for (const auto& rows : {square, narrow, hundred}) CHECK(rows->form.across);
  CHECK_EQ(square->form.slices, 8);
  CHECK_EQ(square->parts, 1);
  CHECK_EQ(narrow->form.slices, 64);
  CHECK_EQ(narrow->parts, 1024);
  CHECK_EQ(hundred->form.slices, 8);
  CHECK_EQ(hundred->parts, 256);
  CHECK_EQ(hundred->describe(), "each by 8 threads of each of 256 blocks, across 32 rows");
  CHECK(!across(1 << 26, 4));
  CHECK_EQ(across(1 << 20, 40)->form.slices, 1);
}

TEST(maps_that_read_across_go_through_tiles) {
  const auto tiles = [](const std::string& index, int64_t n) {
    const NodeRef x = graph::source(std::vector<float>(size_t(n))), s = graph::tabulate("(fn ((i i64)) (load $0 " + index + "))", n, {x});
    const wf::Plan plan = wf::make_plan({&s, 1}, {});
    return wf::cuda::choose_form(plan.steps[0]->kernel, std::vector<wf::cuda::InputView>{{256, n}}, n, false);
  };
  // A transpose of 1024 x 2048, and axes in another order: of 64 x 32 x 128.
  const auto transpose = tiles("(add (div i 1024:i64) (mul (rem i 1024:i64) 2048:i64))", 1 << 21);
  CHECK(transpose.tiles == (wf::cuda::Tiles{1024, 1024, 0}));
  CHECK_EQ(transpose.pack, 4);
  const auto inner =
      tiles("(add (add (mul (div i 8192:i64) 262144:i64) (rem (div i 128:i64) 64:i64)) (mul (rem i 128:i64) 2048:i64))", 1 << 18);
  CHECK(inner.tiles == (wf::cuda::Tiles{128, 128, 64}));
  CHECK(!tiles("(add (mul (div i 1024:i64) 4096:i64) (rem i 1024:i64))", 1 << 21).tiles);
  CHECK(!tiles("(add (div i 8:i64) (mul (rem i 8:i64) 262144:i64))", 1 << 21).tiles);
}

// Every row reads the same positions: as many slices as keep the machine busy.
TEST(folds_over_a_shared_sequence_are_shared_by_a_warp) {
  const auto shared = form(1 << 14, literal(1 << 14), "j", 1 << 14);
  CHECK(shared->form.shares);
  CHECK_EQ(shared->form.slices, 4);
  CHECK_EQ(shared->describe(), "8 by a warp, which read the same elements");
  CHECK_EQ(form(1 << 13, literal(1 << 14), "j", 1 << 14)->describe(), "4 by a warp, which read the same elements");
  CHECK_EQ(form(1 << 12, literal(1 << 14), "j", 1 << 14)->describe(), "2 by a warp, which read the same elements");
  CHECK(!form(1 << 14, literal(1 << 14), "(add i j)", 1 << 15)->form.shares);
  CHECK_EQ(form(100, literal(1 << 20), "j", 1 << 20)->form.slices, 256);
}

TEST(the_length_of_the_input_stands_for_counts_that_vary) {
  CHECK_EQ(form(1 << 20, "(rem i 7:i64)", "(add (mul i i) j)", int64_t(1) << 29)->form.slices, 16);
  CHECK_EQ(form(1 << 20, "(rem i 7:i64)", "(add (mul i i) j)", 1 << 21)->form.slices, 1);
}

TEST(reductions_along_axes_are_rows) {
  const wf::Closure add = graph::fn("(fn ((a f32) (b f32)) (add a b))");
  const std::vector<int64_t> extents{64, 128, 32};
  const NodeRef s = wf::reshape(graph::source(std::vector<float>(64 * 128 * 32)), extents);
  auto form_of = [&](int32_t axis) {
    const NodeRef sums = wf::reduce_axes(add, {0}, s, {&axis, 1}, false);
    const wf::Plan plan = wf::make_plan({&sums, 1}, {});
    return wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{s->length()}, sums->length());
  };
  CHECK(form_of(0)->form.across);
  CHECK(!form_of(2)->form.across);
}

TEST(views_in_whole_packs_are_loaded_in_packs) {
  auto load_of = [](int64_t width, bool is_row, bool is_aligned) {
    const std::vector<int64_t> extents{1000, width};
    const NodeRef s = wf::reshape(graph::source(std::vector<float>(size_t(is_row ? width : 1000))),
                                  std::vector<int64_t>{is_row ? 1 : 1000, is_row ? width : 1});
    const NodeRef view = graph::map("(fn ((x f32)) (neg x))", {wf::broadcast(s, extents)});
    const wf::Plan plan = wf::make_plan({&view, 1}, {});
    const wf::cuda::InputView input{is_aligned ? 256u : 260u, s->length()};
    const wf::cuda::Form form = wf::cuda::choose_form(plan.steps[0]->kernel, {&input, 1}, view->length(), false);
    return form.streams.empty() ? wf::cuda::Load::BoundsChecked : form.streams[0].load;
  };
  CHECK(load_of(64, true, true) == wf::cuda::Load::Runs);
  CHECK(load_of(64, false, true) == wf::cuda::Load::Repeats);
  CHECK(load_of(64, false, false) == wf::cuda::Load::Repeats);
  CHECK(load_of(64, true, false) == wf::cuda::Load::Strided);
  CHECK(load_of(65, true, true) == wf::cuda::Load::BoundsChecked);
}

namespace {

// The plan of a function of the elements of n rows, of which $1 and $2 have the maxima and the sums of exp.
wf::Plan softmax(int64_t n, int64_t m, const std::string& value) {
  const NodeRef a = graph::source(std::vector<float>(size_t(n * m)));
  const std::string x = "(at $0 (add (mul i " + literal(m) + ") j))", count = " ((j " + literal(m) + ")) ",
                    row = "(div k " + literal(m) + ")";
  const NodeRef most = graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -inf:f32" + count + x + "))", n, {a});
  const NodeRef sum = graph::tabulate(
      "(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32" + count + "(exp (sub " + x + " (at $1 i)))))", n, {a, most});
  const NodeRef y = graph::tabulate(
      "(fn ((k i64)) (let ((x (at $0 k)) (most (at $1 " + row + ")) (sum (at $2 " + row + "))) " + value + "))", n * m, {a, most, sum});
  return wf::make_plan({&y, 1}, {});
}
std::optional<RowForm> form_of(const wf::Plan& plan, int64_t n, int64_t m) {
  return wf::cuda::choose_rows(plan.steps[0]->kernel, std::vector<int64_t>{n * m}, n);
}
bool shares_a_value(const RowForm& rows) {
  return std::ranges::any_of(rows.form.row_terms, [](const auto& t) { return t.kind == wf::cuda::RowTerm::Value; });
}

}  // namespace

TEST(rows_with_elements_are_kept) {
  for (auto [m, who] : {std::pair<int64_t, const char*>{16, "each by 4 threads, along it, in shared memory"},
                        {1001, "each by 32 threads, along it, in shared memory"},
                        {16386, "each by 512 threads, along it, in shared memory"},
                        {100, "each by 16 threads, along it, in registers"},
                        {1000, "each by 32 threads, along it, in registers"},
                        {1500, "each by 128 threads, along it, in registers"},
                        {4096, "each by 128 threads, along it, in registers"},
                        {16384, "each by 512 threads, along it, in registers"},
                        {20000, "each by 1024 threads, along it, in registers"},
                        {32768, "each by 1024 threads, along it, in registers"}}) {
    const wf::Plan plan = softmax(64, m, "(div (exp (sub x most)) sum)");
    CHECK_EQ(plan.steps.size(), size_t(1));
    CHECK_EQ(form_of(plan, 1 << 16, m)->describe(), who);
  }
}

// Blocks of 512 threads or fewer load the rows that they hold without shared memory. Quotients by a row's value are computed in packs.
TEST(rows_in_registers_are_loaded_directly) {
  for (auto [m, is_direct] : {std::pair<int64_t, bool>{100, true}, {1024, true}, {16384, true}, {20000, false}, {32768, false}}) {
    const wf::Plan plan = softmax(64, m, "(div (exp (sub x most)) sum)");
    const wf::cuda::Emitted emitted = wf::cuda::emit(plan.steps[0]->kernel, form_of(plan, 1 << 16, m)->form);
    const auto has = [&](const char* part) { return emitted.text.find(part) != std::string::npos; };
    CHECK_EQ(emitted.shared_bytes == 0, is_direct);
    CHECK_EQ(has("slice.load("), is_direct);
    CHECK_EQ(has("keep_row"), !is_direct);
    CHECK(has("store_quotients<"));
    CHECK(!has("op_div<float>"));
  }
  const wf::Plan plan = softmax(64, 1024, "(div (exp (sub x most)) (add x sum))");
  CHECK(wf::cuda::emit(plan.steps[0]->kernel, form_of(plan, 1 << 16, 1024)->form).text.find("op_div<float>") != std::string::npos);
}

// A softmax computes each exponential once. A function that reads the element as well cannot replace it.
TEST(a_value_that_a_fold_computed_replaces_the_element) {
  CHECK(shares_a_value(*form_of(softmax(64, 1000, "(div (exp (sub x most)) sum)"), 1 << 16, 1000)));
  CHECK(!shares_a_value(*form_of(softmax(64, 1000, "(div (exp (sub x sum)) most)"), 1 << 16, 1000)));
  CHECK(!shares_a_value(*form_of(softmax(64, 1000, "(add x (div (exp (sub x most)) sum))"), 1 << 16, 1000)));
}

TEST(rows_that_several_folds_read_are_kept) {
  const NodeRef a = graph::source(std::vector<float>(64000));
  const std::string x = "(at $0 (add (mul i 1000:i64) j))", fold = "(fold ((a f32) (b f32)) (", count = " ((j 1000:i64)) ";
  const std::string most = fold + "max a b) -inf:f32" + count + x + ")";
  const auto describe = [&](const std::string& value) {
    const NodeRef y = graph::tabulate("(fn ((i i64)) " + value + ")", 64, {a});
    return form_of(wf::make_plan({&y, 1}, {}), 1 << 16, 1000)->describe();
  };
  const auto text_of = [&](int64_t count) {
    const std::string fold = "(fold ((a f32) (b f32)) (", x = "(at $0 (add (mul i " + literal(count) + ") j))",
                      js = " ((j " + literal(count) + ")) ";
    const NodeRef y = graph::tabulate("(fn ((i i64)) (let ((m " + fold + "max a b) -inf:f32" + js + x + "))) " + fold + "add a b) 0.0:f32" +
                                          js + "(exp (sub " + x + " m)))))",
                                      64, {a});
    const wf::Plan plan = wf::make_plan({&y, 1}, {});
    return wf::cuda::emit(plan.steps[0]->kernel, form_of(plan, 1 << 16, count)->form).text;
  };
  CHECK(text_of(1000).find("slice.load(") != std::string::npos);
  CHECK(text_of(100).find("slice.load(") == std::string::npos);  // short rows of which one number is stored
  CHECK_EQ(describe("(let ((m " + most + ")) " + fold + "add a b) 0.0:f32" + count + "(exp (sub " + x + " m))))"),
           "each by 32 threads, along it, in registers");
  CHECK_EQ(describe(most), "each by 32 threads, along it");
}
