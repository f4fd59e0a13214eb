// Reductions of one sequence that are asked for one after another share a kernel, and nothing else changes.
#include <atomic>
#include <barrier>
#include <thread>

#include "check.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

constexpr int64_t n = 100007;  // several chunks, and a part of one

// Counts what the engine under test runs.
struct Counting : wf::Engine {
  explicit Counting(std::unique_ptr<wf::Engine> engine) : inner(std::move(engine)) {}
  string name() const override { return inner->name(); }
  double copy_bandwidth() override { return inner->copy_bandwidth(); }
  void run(wf::Launch& launch) override {
    inner->run(launch);
    kernels++;
    reductions += int(launch.kernel->reductions.size());
    wf::Step step;
    step.kernel = *launch.kernel;
    for (const wf::InputBuffer& input : launch.inputs) step.lengths.push_back(input.length);
    bytes += wf::traffic(step, launch.arguments, launch.n).read;
  }
  void call(const wf::RoutineCall& call, wf::Launch& launch) override { inner->call(call, launch); }
  std::unique_ptr<wf::Engine> inner;
  std::atomic<int> kernels = 0, reductions = 0;
  std::atomic<int64_t> bytes = 0;
};

Counting& counting() {
  static Counting& engine = [&]() -> Counting& {
    auto context = std::make_shared<wf::Context>();
    context->name = graph::context()->name;
    context->pool = graph::context()->pool;
    auto wrapped = std::make_unique<Counting>(std::move(graph::context()->engine));
    Counting& made = *wrapped;
    context->engine = std::move(wrapped);
    graph::set_context(context);
    return made;
  }();
  engine.kernels = engine.reductions = 0;
  engine.bytes = 0;
  return engine;
}

const char* const add = "(fn ((a f32) (b f32)) (add a b))";
const char* const min = "(fn ((a f32) (b f32)) (min a b))";
const char* const max = "(fn ((a f32) (b f32)) (max a b))";
const char* const mul = "(fn ((a f32) (b f32)) (mul a b))";

NodeRef sum_of(const NodeRef& s) { return graph::reduce(add, "0.0:f32", s); }
NodeRef most_of(const NodeRef& s) { return graph::reduce(max, "-inf:f32", s); }
NodeRef least_of(const NodeRef& s) { return graph::reduce(min, "inf:f32", s); }
NodeRef product_of(const NodeRef& s) { return graph::reduce(mul, "1.0:f32", s); }

float element(int64_t i) { return float(i * 7919 % 1009 - 300) / 16; }
NodeRef stored() {
  vector<float> elements;
  for (int64_t i = 0; i < n; i++) elements.push_back(element(i));
  return graph::source(elements);
}
NodeRef mapped(const NodeRef& s) { return graph::map("(fn ((x f32)) (add (mul x 1.5:f32) 0.25:f32))", {s}); }

float value(const NodeRef& scalar) { return graph::elements<float>(scalar)[0]; }

bool fails(const NodeRef& node) {
  try {
    wf::force({&node, 1});
  } catch (const wf::RangeError&) { return true; }
  return false;
}

}  // namespace

TEST(reductions_of_one_sequence_are_one_kernel) {
  Counting& ran = counting();
  float most = -1e30f, least = 1e30f;
  for (int64_t i = 0; i < n; i++) most = std::max(most, element(i) * 1.5f + 0.25f), least = std::min(least, element(i) * 1.5f + 0.25f);
  const NodeRef s = stored(), m = mapped(s);
  const NodeRef high = most_of(m), low = least_of(m), sum = sum_of(m);
  CHECK_EQ(value(high), most);
  CHECK(low->is_manifest() && sum->is_manifest());
  CHECK(!m->is_manifest());
  CHECK_EQ(value(low), least);
  value(sum);
  CHECK_EQ(ran.kernels.load(), 1);
  CHECK_EQ(ran.bytes.load(), n * 4);
}

TEST(reductions_of_a_source_or_a_filter_are_one_kernel) {
  const NodeRef s = stored();
  const NodeRef kept = graph::filter("(fn ((x f32)) (gt x 0.0:f32))", s);
  for (const NodeRef& of : {s, kept}) {
    Counting& ran = counting();
    const NodeRef high = most_of(of), low = least_of(of);
    value(low), value(high);
    CHECK_EQ(ran.kernels.load(), 1);
  }
}

TEST(scalars_computed_from_reductions_share_them) {
  Counting& ran = counting();
  const NodeRef m = mapped(stored()), sum = sum_of(m);
  const NodeRef mean = graph::map("(fn ((x f32)) (div x 100007.0:f32))", {sum});
  const NodeRef high = most_of(m), twice = graph::map("(fn ((x f32)) (add x x))", {high});
  value(mean);
  CHECK(high->is_manifest());
  CHECK_EQ(value(twice), 2 * value(high));
  CHECK_EQ(ran.bytes.load(), n * 4);
}

// The order in which floats are added must not depend on what else is alive.
TEST(a_sibling_changes_no_bit) {
  const NodeRef s = stored(), m = mapped(s);
  for (auto reduce : {sum_of, product_of, most_of}) {
    const float alone = value(reduce(m));
    for (auto other : {sum_of, product_of, least_of}) {
      const NodeRef sibling = other(m), x = reduce(m);
      CHECK(wf::to_bits(value(x)) == wf::to_bits(alone));
      CHECK(sibling->is_manifest());
      CHECK(wf::to_bits(value(sibling)) == wf::to_bits(value(other(m))));
    }
  }
}

TEST(a_released_sibling_is_not_computed) {
  Counting& ran = counting();
  const NodeRef m = mapped(stored()), sum = sum_of(m);
  most_of(m);
  value(sum);
  CHECK_EQ(ran.reductions.load(), 1);
  most_of(m);
  value(least_of(m));
  CHECK_EQ(ran.reductions.load(), 2);
}

TEST(a_sequence_knows_a_few_of_its_reductions) {
  Counting& ran = counting();
  const NodeRef m = mapped(stored());
  Nodes all;
  for (int k = 0; k < 100; k++) all.push_back(k % 2 ? most_of(m) : least_of(m));
  value(all.back());
  CHECK_EQ(ran.reductions.load(), int(wf::Node::most_reductions));
  for (const NodeRef& node : all) CHECK_EQ(value(node), value(all[size_t(&node - all.data()) % 2]));
}

TEST(siblings_need_no_kernel_of_their_own) {
  Counting& ran = counting();
  const NodeRef m = mapped(stored()), other = graph::map("(fn ((x f32)) (sub x 2.0:f32))", {m});
  Nodes together;
  for (int k = 0; k < 15; k++) together.push_back(k % 2 ? most_of(other) : least_of(other));
  together.push_back(sum_of(m));
  const NodeRef sibling = least_of(m);
  wf::force(together);
  CHECK_EQ(ran.kernels.load(), 1);
  CHECK(sibling->is_manifest());
}

TEST(other_functions_are_left_alone) {
  Counting& ran = counting();
  const NodeRef m = mapped(stored());
  const NodeRef last = graph::reduce("(fn ((a f32) (b f32)) (where (eq b 1e30:f32) a b))", "1e30:f32", m);
  const NodeRef sum = sum_of(m);
  value(sum);
  CHECK(!last->is_manifest());
  const NodeRef most = most_of(m);
  CHECK_EQ(value(last), element(n - 1) * 1.5f + 0.25f);
  CHECK(!most->is_manifest());
  CHECK_EQ(ran.kernels.load(), 2);
}

TEST(reductions_by_the_law_are_left_alone) {
  counting();
  const NodeRef prefixes =
      graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", graph::tabulate("(fn ((i i64)) (cast i32 (rem i 7:i64)))", n), true)
          .prefixes;
  const NodeRef least = graph::reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", prefixes);
  const NodeRef product = graph::reduce("(fn ((a i32) (b i32)) (mul a b))", "1:i32", prefixes);
  CHECK(wf::explain({&least, 1}, wf::ExplainFormat::Text).find("by law") != string::npos);
  CHECK_EQ(graph::elements<int32_t>(least)[0], 0);
  CHECK(!product->is_manifest());
}

TEST(errors_stay_with_their_own_sequence) {
  const NodeRef s = stored(), m = mapped(s);
  const NodeRef outside = graph::map("(fn ((x f32)) (at $0 (cast i64 x)))", {m}, {s});
  const NodeRef sum = sum_of(m), bad = sum_of(outside), worse = most_of(outside);
  value(sum);
  CHECK(fails(bad) && !worse->is_manifest() && fails(worse) && fails(bad));
  CHECK_EQ(value(most_of(m)), value(most_of(mapped(s))));
}

TEST(siblings_are_forced_and_released_by_many_threads) {
  constexpr int threads = 8;
  const NodeRef s = graph::tabulate("(fn ((i i64)) (cast f32 (rem i 17:i64)))", 5000);
  const float right[] = {value(sum_of(s)), value(most_of(s)), value(least_of(s))};
  for (int round = 0; round < 60; round++) {
    const NodeRef m = graph::map("(fn ((x f32)) x)", {s});
    vector<Nodes> mine(threads);
    for (int t = 0; t < threads; t++) mine[t] = {t % 3 == 0 ? sum_of(m) : t % 3 == 1 ? most_of(m) : least_of(m)};
    std::barrier start(threads);
    vector<std::thread> all;
    for (int t = 0; t < threads; t++)
      all.emplace_back([&, t] {
        start.arrive_and_wait();
        if ((t + round) % 4 == 0) mine[t].clear();
        else CHECK_EQ(value(mine[t][0]), right[t % 3]);
        most_of(m);
        CHECK_EQ(value(least_of(m)), right[2]);
        mine[t].clear();
      });
    for (std::thread& thread : all) thread.join();
  }
}
