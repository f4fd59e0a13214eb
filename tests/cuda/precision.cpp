// Functions of f32 compute in f32 on GPUs, since some have few units for f64: the PTX of each operation has no instruction of f64, apart from
// the incomplete functions, whose terms cancel.
#include <dlfcn.h>

#include "check.h"
#include "cuda/device/driver.h"
#include "cuda/embedded.h"
#include "cuda/text/emit.h"
#include "engine/engine.h"
#include "expr/library.h"
#include "ops/ops.h"

namespace {

using namespace wf;

// out[i] = op(in0[i], in1[i], ...)
Kernel kernel_of(Op op, Type type) {
  Builder b;
  const Id i = b.param(Type::I64);
  std::vector<Id> operands;
  Kernel kernel;
  for (uint32_t slot = 0; slot < info(op).arity; slot++) {
    operands.push_back(b.at(slot, 0, type, i));
    kernel.inputs.push_back({type});
  }
  kernel.body = b.finish({b.apply(op, operands)});
  kernel.outputs = {result_type(op, type)};
  kernel.stores = {{0, 0}};
  return kernel;
}

template <class F> F of_library(const char* name) {
  Dl_info where;
  CHECK(dladdr(reinterpret_cast<void*>(cuda::nvrtc().nvrtcCompileProgram), &where) != 0);
  return reinterpret_cast<F>(dlsym(dlopen(where.dli_fname, RTLD_LAZY), name));
}

std::string ptx_of(const Kernel& kernel) {
  const std::vector<cuda::InputView> views(kernel.inputs.size(), {0, 1000});
  const std::string text = cuda::emit(kernel, cuda::choose_form(kernel, views, 1000, false)).text;
  const auto get_size = of_library<int (*)(cuda::nvrtcProgram, size_t*)>("nvrtcGetPTXSize");
  const auto get = of_library<int (*)(cuda::nvrtcProgram, char*)>("nvrtcGetPTX");
  const cuda::Nvrtc& n = cuda::nvrtc();
  cuda::nvrtcProgram program = nullptr;
  const char* options[] = {"--std=c++17", "--fmad=false", "--device-as-default-execution-space", "--disable-warnings",
                           "--gpu-architecture=compute_80"};
  CHECK_EQ(n.nvrtcCreateProgram(&program, text.c_str(), "kernel.cu", cuda::skeleton_count, cuda::skeleton_texts, cuda::skeleton_names), 0);
  CHECK_EQ(n.nvrtcCompileProgram(program, 5, options), 0);
  size_t size = 0;
  CHECK_EQ(get_size(program, &size), 0);
  std::string ptx(size, '\0');
  CHECK_EQ(get(program, ptx.data()), 0);
  n.nvrtcDestroyProgram(&program);
  return ptx;
}

// Instructions of f64 have registers; constants of the other texts are global and not read.
bool uses_f64(Op op, Type type) { return ptx_of(kernel_of(op, type)).find(".reg .f64") != std::string::npos; }

void require_compiler() {
  try {
    cuda::nvrtc();
  } catch (const DeviceError& e) { SKIP(e.what()); }
}

}  // namespace

TEST(functions_of_f32_with_shapes_use_f64) {
  require_compiler();
  std::string found;
  for (int k = 0; k < op_count; k++)
    if (op_table[k].on == Float && uses_f64(Op(k), Type::F32)) found += std::string(op_table[k].name) + " ";
  CHECK_EQ(found, "polygamma mvpolygamma gamma_p gamma_q ibeta gamma_p_da ibeta_da ibeta_db ");
}

// The test above would see it.
TEST(f64_functions_use_f64) {
  require_compiler();
  for (Op op : {Op::sqrt_, Op::exp_, Op::lgamma_}) CHECK(uses_f64(op, Type::F64));
}
