// The k-th allocation of a program fails, for every k: the force reports the failure, nothing is lost or leaked, and the same
// sequences can be computed afterwards.
#include "check.h"
#include "oracle/graph.h"

using graph::elements;
using graph::Nodes;
using std::vector;
using wf::NodeRef;

namespace {

const char* const add = "(fn ((a i64) (b i64)) (add a b))";

// A program that stores, scans, filters, reduces and computes scalars, in several kernels.
struct Program {
  NodeRef numbers = graph::tabulate("(fn ((i i64)) (rem (mul i 7919:i64) 1000:i64))", 10000);
  NodeRef prefixes = graph::scan(add, "0:i64", numbers, true).prefixes;
  NodeRef again = graph::scan(add, "0:i64", prefixes, true).prefixes;
  NodeRef kept = graph::filter("(fn ((x i64)) (gt x 500:i64))", numbers);
  NodeRef reversed = graph::tabulate("(fn ((i i64)) (at $0 (sub 9999:i64 i)))", 10000, {again});
  NodeRef sum = graph::reduce(add, "0:i64", reversed);
  NodeRef count = wf::length(kept);
  NodeRef both = graph::map("(fn ((x i64) (y i64)) (tuple (add x y) (cast f32 x)))", {sum, count});
  Nodes demanded{kept, again, reversed, both};
};

// Forces a reader of s, so that an engine that copies its inputs has its copy.
NodeRef read_once(const NodeRef& s) {
  const std::string type(wf::name(s->types()[0]));
  graph::forced(graph::reduce("(fn ((a " + type + ") (b " + type + ")) (add a b))", "0:" + type, s));
  return s;
}

}  // namespace

TEST(every_allocation_may_fail) {
  wf::Pool& pool = *graph::context()->pool;
  int64_t right = 0;
  {
    Program program;
    wf::force(program.demanded);
    right = elements<int64_t>(program.both)[0];
  }
  const int64_t before = pool.live();
  int64_t k = 1;
  for (bool failed = true; failed; k++) {
    Program program;
    failed = false;
    pool.fail_after(k);
    try {
      wf::force(program.demanded);
    } catch (const wf::MemoryError&) { failed = true; }
    pool.fail_after(0);
    wf::force(program.demanded);
    CHECK_EQ(elements<int64_t>(program.both)[0], right);
    CHECK_EQ(elements<int64_t>(program.again).size(), 10000);
  }
  CHECK(k > 5);
  CHECK_EQ(pool.live(), before);
}

TEST(exceeding_a_budget_is_an_error_and_the_rest_goes_on) {
  wf::Pool& pool = *graph::context()->pool;
  const NodeRef large = graph::tabulate("(fn ((i i64)) i)", int64_t(1) << 24);
  pool.set_limit(pool.live() + (1 << 20));
  CHECK_THROWS(wf::MemoryError, graph::forced(large));
  CHECK(!large->is_manifest());
  // A reduction needs hardly any memory.
  CHECK_EQ(elements<int64_t>(graph::reduce(add, "0:i64", large))[0], (int64_t(1) << 23) * ((int64_t(1) << 24) - 1));
  pool.set_limit(-1);
  wf::force({&large, 1});
  CHECK(large->is_manifest());
}

TEST(a_length_whose_bytes_overflow_is_refused) { CHECK_THROWS(wf::SizeError, graph::tabulate("(fn ((i i64)) i)", int64_t(1) << 61)); }

TEST(intermediate_results_are_freed_after_their_last_use) {
  wf::Pool& pool = *graph::context()->pool;
  const NodeRef source = read_once(graph::source(vector<int64_t>(1 << 20, 1)));
  const int64_t bytes = 8 << 20;
  const int64_t before = pool.live();
  pool.reset_peak();
  NodeRef s = source;
  for (int k = 0; k < 20; k++) s = graph::scan(add, "0:i64", s, true).prefixes;
  wf::force({&s, 1});
  CHECK(pool.peak() - before <= 3 * bytes);
  CHECK(pool.live() - before <= bytes + bytes / 4);
}

TEST(parentheses_need_no_memory_beyond_their_input) {
  wf::Pool& pool = *graph::context()->pool;
  const NodeRef s = read_once(graph::source(vector<int32_t>(1 << 20, 1)));
  const auto [prefixes, total] = graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", s, true);
  const NodeRef least = graph::reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", prefixes);
  const int64_t before = pool.live();
  pool.reset_peak();
  wf::force(Nodes{total, least});
  CHECK(pool.peak() - before < 1 << 20);
}
