// The instructions of every kind of kernel, interpreted on the host, compute the oracle's results.
#include "cuda/bytecode/bytecode.h"

#include <cmath>

#include "check.h"
#include "cuda/programs/programs.h"
#include "oracle/bytecode_engine.h"
#include "oracle/graph.h"
#include "plan/plan.h"

namespace {

void prepare() {
  static const bool ready = [] {
    auto context = std::make_shared<wf::Context>();
    context->name = "bytecode";
    context->pool = std::make_shared<wf::Pool>();
    context->engine = bytecode_engine::make_engine();
    graph::set_context(context);
    programs::elements_in_rows = 1 << 13;  // on the host, more of them take minutes
    return true;
  }();
  (void)ready;
}

// Returns false for programs whose kernels are always compiled, or split in two.
bool is_interpreted(const std::string& name) {
  return !name.starts_with("source_functions") && name != "filter_by_prefix" && name != "more_arguments_than_parameters";
}

}  // namespace

#define PROGRAM(name)                                                          \
  TEST(name) {                                                                 \
    prepare();                                                                 \
    const int before = bytecode_engine::interpreted();                         \
    for (int64_t n : {0, 1, 4, 5, 6, 33, 1000}) programs::name(n);             \
    if (is_interpreted(#name)) CHECK(bytecode_engine::interpreted() > before); \
  }
#include "cuda/programs/programs.def"

// The estimated time counts the iterations of loops, as far as they are known.
TEST(work_of_loops) {
  auto work = [](const std::string& value) {
    const wf::NodeRef s = graph::tabulate("(fn ((i i64)) " + value + ")", 9);
    const wf::Plan plan = wf::make_plan({&s, 1}, {});
    const wf::Kernel kernel = wf::lower_folds(plan.steps[0]->kernel);
    return wf::cuda::assemble(kernel, wf::cuda::literals_of(kernel), false)->work;
  };
  auto loop = [&](const std::string& condition, const std::string& step) {
    return work("(let (((k v) (loop ((k 0:i32) (v 1.0:f32)) (lt k " + condition + ") (tuple (add k " + step + ") (add v 0.5:f32))))) v)");
  };
  const double hundred = loop("(cast i32 i)", "1:i32");
  CHECK(hundred > 300 && hundred < 1000);
  const double known = loop("16384:i32", "1:i32");
  CHECK(known / hundred > 100 && known / hundred < 200);
  CHECK(std::abs(known / loop("16384:i32", "2:i32") - 2) < 0.1);
  CHECK(loop("-5:i32", "1:i32") < 0.1 * hundred);
  const std::string fold = "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j COUNT)) (mul i j))";
  auto folded = [&](const std::string& count) { return work(std::string(fold).replace(fold.find("COUNT"), 5, count)); };
  CHECK(std::abs(folded("10000:i64") / folded("i") - 100) < 5);
}

// More inputs than fit in the kernel's argument.
TEST(many_inputs) {
  prepare();
  const int before = bytecode_engine::interpreted();
  for (int64_t n : {1000, 5000}) programs::many_inputs(n);
  CHECK_EQ(bytecode_engine::interpreted(), before + 2);
}

// More literals than fit in the kernel's argument.
TEST(many_literals) {
  prepare();
  std::string text = "x";
  for (int k = 0; k < 500; k++)
    text = "(add (mul " + text + " " + std::to_string(k % 7 - 3) + ":i64) " + std::to_string(1000 + k) + ":i64)";
  const wf::NodeRef r = graph::map("(fn ((x i64)) " + text + ")", {graph::source(std::vector<int64_t>{0, -1, 2, 77})});
  oracle::Oracle oracle;
  const int before = bytecode_engine::interpreted();
  CHECK_EQ(oracle::difference(*oracle.value(r), graph::forced(r)), "");
  CHECK(bytecode_engine::interpreted() > before);
}
