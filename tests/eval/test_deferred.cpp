// Checks of indices that an engine defers: results are published after they are known, and the first error is reported.
#include "check.h"
#include "engine/engine.h"
#include "expr/guards/guard.h"
#include "oracle/engine.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using wf::NodeRef;

namespace {

constexpr int64_t n = 100;

// The oracle's engine, which defers every check that it may: an error of a run is thrown when it is settled.
class Deferring : public wf::Engine {
 public:
  std::string name() const override { return "deferring"; }
  double copy_bandwidth() override { return 1; }
  void run(wf::Launch& launch) override {
    if (runs++ == fails_at) throw wf::MemoryError("no memory");
    longest = std::max(longest, launch.deferred ? launch.deferred->size() : 0);
    had_open_checks_in_loop |= !launch.kernel->body->loops.empty() && !launch.deferred->empty();
    if (!wf::has_checks(*launch.kernel->body) || launch.kernel->finish || !launch.kernel->compactions.empty()) return slow_->run(launch);
    std::string error;
    try {
      slow_->run(launch);
    } catch (const wf::RangeError& e) {
      error = e.what();
      for (const wf::BufferRef& output : launch.outputs) output->host_for_writing();  // something that may not be used
    }
    errors_.push_back(error);
    launch.deferred->push_back(uint32_t(errors_.size() - 1));
  }
  void call(const wf::RoutineCall& call, wf::Launch& launch) override { slow_->call(call, launch); }
  void settle(std::vector<uint32_t>& deferred) override {
    settled++;
    std::vector<uint32_t> checks;
    checks.swap(deferred);
    for (uint32_t k : checks)
      if (!errors_.at(k).empty()) throw wf::RangeError(errors_[k]);
  }

  int runs = 0, fails_at = -1, settled = 0;
  size_t longest = 0;
  bool had_open_checks_in_loop = false;

 private:
  std::unique_ptr<wf::Engine> slow_ = oracle::make_engine();
  std::vector<std::string> errors_;
};

Deferring& begin() {
  auto context = std::make_shared<wf::Context>();
  context->name = "deferring";
  context->pool = std::make_shared<wf::Pool>();
  auto engine = std::make_unique<Deferring>();
  Deferring& deferring = *engine;
  context->engine = std::move(engine);
  graph::set_context(std::move(context));
  return deferring;
}

NodeRef numbers() { return graph::source(oracle::Value(graph::forced(graph::tabulate("(fn ((i i64)) (sub 99:i64 i))", n)))); }
// s at n - 1 - s[i] + more, checked.
NodeRef gathered(const NodeRef& s, const string& more = "0:i64") {
  return graph::tabulate("(fn ((i i64)) (let ((k (add (sub 99:i64 (at $0 i)) " + more + "))) (at $0 (check k (length $0) true))))", n, {s});
}
string error(const Nodes& nodes) {
  try {
    wf::force(nodes);
  } catch (const std::exception& e) { return e.what(); }
  return "";
}

}  // namespace

TEST(one_force_waits_once_for_the_checks_of_its_kernels) {
  Deferring& engine = begin();
  const NodeRef s = numbers(), a = gathered(s), b = gathered(a), c = gathered(b);
  engine.runs = engine.settled = 0;
  CHECK_EQ(error({a, b, c}), "");
  CHECK_EQ(engine.runs, 3);
  CHECK_EQ(engine.settled, 1);
  CHECK_EQ(engine.longest, size_t(2));
  CHECK(a->is_manifest() && b->is_manifest() && c->is_manifest());
  CHECK(graph::elements<int64_t>(b) == graph::elements<int64_t>(s));
}

TEST(the_first_kernel_that_failed_is_the_error) {
  begin();
  const NodeRef s = numbers(), a = gathered(s, "(where (eq i 70:i64) 1000:i64 0:i64)"), b = gathered(a),
                c = gathered(b, "(where (eq i 3:i64) -2000:i64 0:i64)");
  CHECK_EQ(error({a, b, c}).find("index 1070 at element 70 is out of range"), size_t(0));
  CHECK(!a->is_manifest() && !b->is_manifest() && !c->is_manifest());
  CHECK_EQ(error({a}).find("index 1070 at element 70 is out of range"), size_t(0));
}

TEST(an_error_of_a_later_step_comes_after_those_of_open_checks) {
  Deferring& engine = begin();
  const NodeRef s = numbers(), good = gathered(s), bad = gathered(s, "1000:i64");
  engine.fails_at = engine.runs + 1;
  CHECK_EQ(error({bad, gathered(bad)}).find("index 1000 at element 0 is out of range"), size_t(0));
  CHECK(!bad->is_manifest());
  engine.fails_at = engine.runs + 1;
  CHECK_EQ(error({good, gathered(good)}), "no memory");
  CHECK(good->is_manifest());
}

TEST(a_loop_runs_after_the_checks_that_it_may_depend_on) {
  Deferring& engine = begin();
  const NodeRef s = numbers(), a = gathered(s);
  const NodeRef looped = graph::tabulate("(fn ((i i64)) (loop ((k (at $0 i))) (lt k 1000:i64) (add k 100:i64)))", n, {a});
  CHECK_EQ(error({a, looped}), "");
  CHECK(!engine.had_open_checks_in_loop);
}
