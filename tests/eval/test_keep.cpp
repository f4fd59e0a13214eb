// A delayed sequence that a second plan computes is stored, and nothing else changes. With WARPFOLD_DISABLE=keep, none is.
#include <barrier>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>

#include "check.h"
#include "eval/program.h"
#include "lazy/arrays/arrays.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

constexpr int64_t n = 100007;  // several chunks, and a part of one

bool keeps() {
  const char* const disabled = std::getenv("WARPFOLD_DISABLE");
  return !disabled || string(disabled).find("keep") == string::npos;
}

const char* const add = "(fn ((a f32) (b f32)) (add a b))";
NodeRef sum_of(const NodeRef& s) { return graph::reduce(add, "0.0:f32", s); }
NodeRef most_of(const NodeRef& s) { return graph::reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", s); }
NodeRef squares_of(const NodeRef& s) { return graph::map("(fn ((x f32)) (mul x x))", {s}); }
NodeRef costly(const NodeRef& s) { return graph::map("(fn ((x f32)) (exp (sin x)))", {s}); }
NodeRef cheap(const NodeRef& s) { return graph::map("(fn ((x f32)) (add x 1.0:f32))", {s}); }
NodeRef positive(const NodeRef& s) { return graph::filter("(fn ((x f32)) (gt (sin x) 0.0:f32))", s); }

NodeRef numbers(int64_t count = n) {
  vector<float> elements;
  for (int64_t i = 0; i < count; i++) elements.push_back(float(i * 7919 % 1009 - 300) / 16);
  return graph::source(elements);
}

using Columns = decltype(oracle::Value::columns);
Columns bits_of(const NodeRef& node) { return graph::forced(node).columns; }
float value(const NodeRef& scalar) { return graph::elements<float>(scalar)[0]; }
string explained(const NodeRef& node) { return wf::explain({&node, 1}, wf::ExplainFormat::Text); }
bool is_kept_by(const NodeRef& node) { return explained(node).find("1 kept: computed before") != string::npos; }
// The number of delayed sequences that the plan inlines.
int inlined_by(const NodeRef& node) {
  const string text = explained(node);
  const size_t at = text.find("  fused   ");
  return at == string::npos ? 0 : std::atoi(text.c_str() + at + 10);
}
int64_t live() { return graph::context()->pool->live(); }

}  // namespace

TEST(the_second_plan_keeps) {
  const NodeRef x = numbers(), y = costly(x);
  const float sum = value(sum_of(y)), squares = value(sum_of(squares_of(costly(x)))), most = value(most_of(costly(x)));
  CHECK(!y->is_manifest());
  const NodeRef again = sum_of(squares_of(y));
  CHECK_EQ(is_kept_by(again), keeps());
  CHECK(std::abs(value(again) - squares) <= 1e-5f * squares);
  CHECK_EQ(y->is_manifest(), keeps());
  CHECK(!is_kept_by(most_of(y)));
  CHECK_EQ(value(most_of(y)), most);
  CHECK(std::abs(value(sum_of(y)) - sum) <= 1e-5f * sum);
  CHECK(bits_of(y) == bits_of(costly(x)));
}

TEST(a_loop_of_map_and_reduce_computes_few_sequences_a_step) {
  for (const bool is_costly : {false, true}) {
    NodeRef s = numbers(1000);
    vector<float> right = graph::elements<float>(s);
    int most = 0;
    for (int step = 0; step < 100; step++) {
      s = is_costly ? costly(s) : cheap(s);
      const NodeRef largest = most_of(s);
      most = std::max(most, inlined_by(largest));
      value(largest);
    }
    CHECK_EQ(most <= 12, keeps());
    if (is_costly) continue;
    for (float& x : right)
      for (int step = 0; step < 100; step++) x += 1;
    CHECK(graph::elements<float>(s) == right);
  }
}

TEST(what_is_reduced_once_is_not_stored) {
  const NodeRef x = numbers();
  value(sum_of(x));  // now it is on the device, if there is one
  const int64_t before = live();
  const NodeRef y = costly(x), sum = sum_of(squares_of(y));
  value(sum);
  CHECK(!y->is_manifest() && live() - before < 4 * n);
}

TEST(nobody_can_ask_for_it_again) {
  const NodeRef x = numbers();
  NodeRef y = costly(x);
  const NodeRef last = graph::reduce("(fn ((a f32) (b f32)) (where (eq b 1e30:f32) a b))", "1e30:f32", y);
  value(sum_of(y));
  y = {};
  CHECK(!is_kept_by(last));
  value(last);
}

TEST(the_last_of_a_chain_is_kept) {
  const NodeRef x = numbers(), y = costly(x), z = costly(y);
  value(sum_of(z));
  value(sum_of(z));
  CHECK(z->is_manifest() == keeps() && !y->is_manifest());
  value(sum_of(y));
  CHECK_EQ(y->is_manifest(), keeps());
}

TEST(a_demanded_sequence_keeps_nothing_below) {
  const NodeRef x = numbers(), y = costly(x), z = costly(y);
  value(sum_of(z));
  wf::force({&z, 1});
  CHECK(z->is_manifest() && !y->is_manifest());
}

TEST(cheap_elements_are_computed_again) {
  const NodeRef y = cheap(numbers());
  for (int k = 0; k < 4; k++) value(sum_of(y));
  CHECK(!y->is_manifest());
}

TEST(the_base_of_a_view_is_kept) {
  const NodeRef y = costly(numbers()), r = wf::rev(y);
  for (int k = 0; k < 2; k++) value(sum_of(r));
  CHECK(!r->is_manifest() && y->is_manifest() == keeps());
}

TEST(single_elements_and_short_parts_keep_nothing) {
  const NodeRef y = costly(numbers());
  for (int64_t k = 0; k < 4; k++) value(wf::nth(y, k));
  for (int64_t k = 0; k < 4; k++) value(sum_of(wf::subseq(y, 10 * k, 1000)));
  CHECK(!y->is_manifest());
  for (int k = 0; k < 2; k++) value(sum_of(y));
  CHECK_EQ(y->is_manifest(), keeps());
}

TEST(neighbours_and_rows) {
  const NodeRef x = numbers(), y = costly(x);
  const char* const differences = "(fn ((i i64)) (sub (at $0 (add i 1:i64)) (at $0 i)))";
  const Columns right = bits_of(graph::tabulate(differences, n - 1, {costly(x)}));
  value(most_of(graph::tabulate(differences, n - 1, {y})));
  CHECK(bits_of(graph::tabulate(differences, n - 1, {y})) == right);
  CHECK_EQ(y->is_manifest(), keeps());

  const NodeRef z = costly(x);
  const char* const rows = "(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((k 1000:i64)) (at $0 (add (mul i 1000:i64) k))))";
  for (int k = 0; k < 2; k++) {
    const NodeRef r = graph::tabulate(rows, 100, {z});
    wf::force({&r, 1});
  }
  CHECK_EQ(z->is_manifest(), keeps());
}

TEST(filters_and_maps_of_filters) {
  for (const int64_t length : {int64_t(0), int64_t(1), int64_t(5000), n}) {
    const NodeRef x = numbers(length), f = positive(x), y = costly(f);
    const Columns right = bits_of(costly(positive(x)));
    const float most = value(most_of(costly(positive(x))));
    CHECK_EQ(value(most_of(y)), most);
    CHECK(!y->is_manifest() && !f->is_manifest());
    CHECK_EQ(value(most_of(y)), most);
    CHECK(y->is_manifest() == keeps() && !f->is_manifest());
    CHECK_EQ(value(most_of(f)), value(most_of(positive(x))));
    CHECK(f->is_manifest() == keeps());
    CHECK(bits_of(y) == right && bits_of(f) == bits_of(positive(x)));
  }
}

TEST(scans_and_scalars) {
  const NodeRef x = numbers();
  const char* const sum = "(fn ((a i32) (b i32)) (add a b))";
  const NodeRef whole = graph::map("(fn ((x f32)) (cast i32 x))", {x});
  const auto scanned = graph::scan(sum, "0:i32", whole, true);
  const char* const last_bits = "(fn ((a i32) (b i32)) (xor a b))";
  for (int k = 0; k < 2; k++) CHECK(!graph::elements<int32_t>(graph::reduce(last_bits, "0:i32", scanned.prefixes)).empty());
  CHECK_EQ(scanned.prefixes->is_manifest(), keeps());
  CHECK(bits_of(scanned.prefixes) == bits_of(graph::scan(sum, "0:i32", whole, true).prefixes));

  const NodeRef total = sum_of(x);
  const float right = value(sum_of(numbers()));
  CHECK_EQ(value(cheap(total)), right + 1);
  CHECK(!total->is_manifest());
  CHECK_EQ(value(cheap(total)), right + 1);
  CHECK_EQ(total->is_manifest(), keeps());
  CHECK_EQ(value(total), right);
}

TEST(columns_of_all_types_have_their_bits) {
  vector<double> special = {0.0, -0.0, 1.5, -3.25, INFINITY, -INFINITY, NAN, 1e300, std::numeric_limits<double>::denorm_min()};
  for (size_t k = 0; k < 5000; k++) special.push_back(double(k % 97) - 40);
  const NodeRef x = graph::source(special);
  for (const char* type : {"bool", "u8", "i32", "u32", "i64", "u64", "f32", "f64"}) {
    const string f = string("(fn ((x f64)) (tuple (cast ") + type + " (sqrt (div x 3.0:f64))) (cast " + type + " (div 7.0:f64 x))))";
    const NodeRef y = graph::map(f, {x});
    const string count = string("(fn ((a ") + type + ") (b " + type + ")) (add (cast i64 (ne a b)) (cast i64 (lt a b))))";
    const auto reduced = [&] {
      return graph::elements<int64_t>(graph::reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64", graph::map(count, {y})))[0];
    };
    const int64_t once = reduced();
    CHECK_EQ(reduced(), once);
    CHECK_EQ(y->is_manifest(), keeps());
    CHECK_EQ(reduced(), once);
    CHECK(bits_of(y) == bits_of(graph::map(f, {x})));
  }
}

TEST(without_memory_nothing_is_kept) {
  wf::Pool& pool = *graph::context()->pool;
  const NodeRef x = numbers();
  const float right = value(most_of(costly(x)));
  const NodeRef y = costly(x);
  value(most_of(y));
  pool.set_limit(pool.live() + 4 * n * 2);  // an eighth does not suffice
  CHECK_EQ(value(most_of(y)), right);
  CHECK(!y->is_manifest());
  pool.set_limit(-1);
  for (int64_t k = 1; k <= 4; k++) {  // the k-th allocation fails
    const NodeRef z = costly(x);
    value(most_of(z));
    pool.fail_after(k);
    if (keeps()) CHECK_EQ(value(most_of(z)), right);
    pool.fail_after(0);
  }
}

TEST(programs_keep_their_plans) {
  const NodeRef x = numbers(), y = costly(x);
  const NodeRef parameter = wf::parameter(graph::context(), wf::Shape::vector(n), {wf::Type::F32});
  const NodeRef result = most_of(graph::map("(fn ((a f32) (b f32)) (add a b))", {parameter, y}));
  value(most_of(y));
  const wf::Program program({&parameter, 1}, {&result, 1});
  const float right = value(program.run({x})[0]);
  for (int k = 0; k < 3; k++) CHECK_EQ(value(program.run({x})[0]), right);
  CHECK(!y->is_manifest());
}

TEST(errors_name_the_same_element) {
  const NodeRef x = numbers();
  const NodeRef y = graph::map("(fn ((x f32)) (exp (sin (at $0 (cast i64 (add x 300.0:f32))))))", {x}, {numbers(301)});
  vector<string> messages;
  for (int k = 0; k < 3; k++) try {
      value(most_of(y));
    } catch (const wf::RangeError& error) { messages.push_back(error.what()); }
  CHECK(messages.size() == 3 && messages[0] == messages[1] && messages[0] == messages[2]);
  CHECK(!y->is_manifest());
}

TEST(many_threads_ask_at_once) {
  constexpr int threads = 6;
  const NodeRef x = numbers(5000);
  const float right = value(most_of(costly(x)));
  for (int round = 0; round < 30; round++) {
    const NodeRef y = costly(x);
    std::barrier start(threads);
    vector<std::thread> all;
    for (int t = 0; t < threads; t++)
      all.emplace_back([&] {
        start.arrive_and_wait();
        for (int k = 0; k < 3; k++) CHECK_EQ(value(most_of(y)), right);
      });
    for (std::thread& thread : all) thread.join();
    CHECK_EQ(y->is_manifest(), keeps());
  }
}
