// Neighbouring elements that read the words of one block of random numbers compute it once: the machine code of a kernel is much shorter than
// that of one whose elements need blocks of their own.
#include "check.h"
#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/form.h"
#include "cuda/text/emit.h"
#include "oracle/engine.h"
#include "oracle/graph.h"
#include "random/random.h"

namespace {

size_t code_size = 0;

class Measure : public wf::Engine {
 public:
  std::string name() const override { return "measure"; }
  double copy_bandwidth() override { return 1; }
  void run(wf::Launch& launch) override {
    const wf::Kernel kernel = wf::with_values(*launch.kernel, launch.arguments);
    code_size = wf::cuda::compile(wf::cuda::emit(kernel, wf::cuda::choose_form(kernel, {}, launch.n, false)).text, "sm_90").size();
    slow_->run(launch);
  }
  void call(const wf::RoutineCall& call, wf::Launch& launch) override { slow_->call(call, launch); }

 private:
  std::unique_ptr<wf::Engine> slow_ = oracle::make_engine();
};

void prepare() {
  try {
    wf::cuda::nvrtc();
  } catch (const wf::DeviceError& e) { throw check::Skip{e.what()}; }
  static const bool ready = [] {
    auto context = std::make_shared<wf::Context>();
    context->name = "measure";
    context->pool = std::make_shared<wf::Pool>();
    context->engine = std::make_unique<Measure>();
    graph::set_context(context);
    return true;
  }();
  (void)ready;
}

constexpr int64_t n = 10000;

size_t size_of_code(const wf::NodeRef& node) {
  wf::force(std::vector{node});
  return code_size;
}

size_t size_of_words(const std::string& counter) {
  return size_of_code(graph::tabulate("(fn ((i i64)) (cast i32 (philox32 5:i64 " + counter + " 0:i64)))", n));
}

}  // namespace

TEST(a_pack_shares_a_block) {
  prepare();
  const size_t other = size_of_code(graph::tabulate("(fn ((i i64)) (cast i32 i))", n));
  const size_t alone = size_of_words("(mul i 4:i64)") - other, shared = size_of_words("i") - other;
  const wf::NodeRef key = wf::random::key(graph::context(), 1);
  const size_t uniform = size_of_code(wf::random::draw("uniform", key, {}, n, wf::Type::F32)) - other;
  const std::string sizes =
      std::to_string(alone) + " alone, " + std::to_string(shared) + " shared, " + std::to_string(uniform) + " uniform";
  if (shared > alone * 6 / 10 || uniform > alone * 6 / 10) CHECK_EQ(sizes, "less than six tenths of the first");
}
