// Functions that users define in CUDA C++: error messages. The programs test their values.
#include "cuda/text/foreign.h"

#include "check.h"
#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/text/emit.h"
#include "engine/engine.h"
#include "oracle/graph.h"

namespace {

using namespace wf;

FnRef calling(const char* name, const char* text, void* address = nullptr) {
  auto f = std::make_shared<Foreign>();
  f->name = name;
  f->source = text;
  f->scalar = address;
  f->params = f->results = {Type::F32};
  Builder b;
  const Id x = b.param(Type::F32);
  return b.finish(b.foreign(std::move(f), {&x, 1}));
}

// out[i] = f(i).
Kernel kernel_of(const FnRef& f) {
  Builder b;
  const Id i = b.param(Type::I64);
  const Id x = b.cast(Type::F32, i);
  Kernel kernel;
  kernel.body = b.finish(b.inline_call(*f, {&x, 1}));
  kernel.outputs = {Type::F32};
  kernel.stores = {{0, 0}};
  return kernel;
}

std::string text_of(const Kernel& kernel) { return cuda::emit(kernel, cuda::choose_form(kernel, {}, 1000, false)).text; }

void require_compiler() {
  try {
    cuda::nvrtc();
  } catch (const DeviceError& e) { SKIP(e.what()); }
}

template <class Error, class F> std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "no error";
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST(the_compilers_log_comes_whole) {
  require_compiler();
  const Kernel kernel = kernel_of(
      calling("broken", "float helper(float x) { return x; }\nfloat broken(float x) {\n  return missing(x);\n}\nint also(broken);\n"));
  const std::string log = message_of<CompileError>([&] { cuda::compile(text_of(kernel), "sm_90"); });
  CHECK(holds(log, "broken(3): error") && holds(log, "missing"));
  CHECK(holds(log, "broken(5): error"));
}

TEST(the_compiler_says_where_a_definition_is_missing) {
  require_compiler();
  const std::string log =
      message_of<CompileError>([&] { cuda::compile(text_of(kernel_of(calling("f", "float g(float x) { return x; }"))), "sm_90"); });
  CHECK(holds(log, "has no member \"f\"") && holds(log, "the kernel that calls f"));
}

TEST(a_host_function_has_no_text) {
  const Kernel kernel = kernel_of(calling("on_the_host", "", reinterpret_cast<void*>(+[](float x) { return x; })));
  const std::string why = message_of<UnsupportedError>([&] { text_of(kernel); });
  CHECK(holds(why, "on_the_host") && holds(why, "a GPU cannot call it"));
}

TEST(kernels_are_equal_without_their_host_functions) {
  auto sine = [](float x) { return x; };
  auto other = [](float x) { return x + 1; };
  const char* text = "float f(float x) { return sinf(x); }";
  const FnRef f = calling("f", text, reinterpret_cast<void*>(+sine)), g = calling("f", text, reinterpret_cast<void*>(+other));
  CHECK(!same_structure(*f, *g, false));
  const Kernel x = kernel_of(f), y = kernel_of(g);
  CHECK(cuda::calls_foreign(x));
  CHECK(same_structure(*cuda::for_device(x).body, *cuda::for_device(y).body, false));
  CHECK_EQ(text_of(x), text_of(y));
  const Kernel z = kernel_of(calling("f", "float f(float x) { return cosf(x); }"));
  CHECK(!same_structure(*cuda::for_device(x).body, *cuda::for_device(z).body, false));
}

// On the engine under test: error messages name the missing host or CUDA code, and contain the compiler's log for an invalid text.
TEST(the_engine_under_test) {
  const bool on_gpu = graph::context()->pool->device() != nullptr;
  graph::Nodes x{graph::source(std::vector<float>{1, 2})};
  auto forced = [&](const FnRef& f) {
    const NodeRef y = wf::map({f, {}}, x);
    force(std::span(&y, 1));
  };
  if (on_gpu) {
    const std::string log = message_of<CompileError>([&] { forced(calling("broken", "float broken(float x) { return missing(x); }")); });
    CHECK(holds(log, "broken(1): error"));
    CHECK_THROWS(UnsupportedError, forced(calling("f", "", reinterpret_cast<void*>(+[](float v) { return v; }))));
  } else {
    const std::string why = message_of<UnsupportedError>([&] { forced(calling("on_the_gpu", "float on_the_gpu(float x) { return x; }")); });
    CHECK(holds(why, "on_the_gpu") && holds(why, "the CPU cannot call it"));
  }
}
