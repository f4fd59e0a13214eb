// Every kind of kernel compiles, for sm_80 or sm_90, or for AMD (compile_only.h): all uses of the skeletons, and all kinds of terms in functions.
#include "check.h"
#include "cuda/compile_only.h"
#include "cuda/programs/programs.h"
#include "oracle/graph.h"

namespace {

// Replaces the engine under test by the engine that only compiles.
bool prepare() {
  static const bool ready = [] {
    std::string why;
    auto engine = compile_only::make_engine(why);
    if (!engine) SKIP(why);
    auto context = std::make_shared<wf::Context>();
    context->name = "nvrtc";
    context->pool = std::make_shared<wf::Pool>();
    context->engine = std::move(engine);
    graph::set_context(context);
    return true;
  }();
  return ready;
}

}  // namespace

#define PROGRAM(name)                                 \
  TEST(name) {                                        \
    prepare();                                        \
    const int before = compile_only::compiled();      \
    for (int64_t n : {1000, 5000}) programs::name(n); \
    CHECK(compile_only::compiled() > before);         \
  }
#include "cuda/programs/programs.def"

// Kernels number segments only if there are many positions.
TEST(segments_of_many_positions) {
  prepare();
  const int before = compile_only::compiled();
  programs::segments(int64_t(1) << 15);
  CHECK(compile_only::compiled() > before);
}
