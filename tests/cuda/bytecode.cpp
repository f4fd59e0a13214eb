// The instructions of every kind of kernel, interpreted on the host, compute the oracle's results.
#include "cuda/bytecode/bytecode.h"

#include "check.h"
#include "cuda/programs/programs.h"
#include "oracle/bytecode_engine.h"
#include "oracle/graph.h"

namespace {

void prepare() {
  static const bool ready = [] {
    auto context = std::make_shared<wf::Context>();
    context->name = "bytecode";
    context->pool = std::make_shared<wf::Pool>();
    context->engine = bytecode_engine::make_engine();
    graph::set_context(context);
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

// More inputs than fit in the kernel's argument.
TEST(append_of_many) {
  prepare();
  const int before = bytecode_engine::interpreted();
  for (int64_t n : {1000, 5000}) programs::append_of_many(n);
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
