// The GPU's side of linear algebra on machines without a GPU: the libraries have all functions that are used, and the kernels compile.
#include <filesystem>

#include "check.h"
#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/linear/kernels.h"
#include "cuda/linear/libraries.h"
#include "engine/engine.h"

namespace {

template <class F> void run_or_skip(const F& f) {
  try {
    f();
  } catch (const wf::DeviceError& e) {
    if (std::string(e.what()).find("was not found") != std::string::npos) SKIP(e.what());
    throw;
  }
}

}  // namespace

TEST(the_libraries_have_all_functions) {
  run_or_skip([] {
    CHECK(wf::cuda::blas<float>().gemm_v2 && wf::cuda::blas<double>().geam);
    CHECK(wf::cuda::solver<float>().gesvd && wf::cuda::solver<double>().potrf);
  });
}

TEST(kernels_compile) {
  run_or_skip([] {
    for (size_t bytes : {4, 8}) {
      CHECK(!wf::cuda::machine_code(wf::cuda::product_text(bytes), "sm_90").empty());
      CHECK(!wf::cuda::machine_code(wf::cuda::diagonal_text(bytes), "sm_90").empty());
      CHECK(!wf::cuda::machine_code(wf::cuda::nan_text(bytes), "sm_90").empty());
      CHECK(!wf::cuda::machine_code(wf::cuda::few_text(bytes == 4 ? wf::Type::F32 : wf::Type::I64), "sm_90").empty());
      CHECK(!wf::cuda::machine_code(wf::cuda::scale_text(bytes), "sm_90").empty());
    }
    CHECK(!wf::cuda::machine_code(wf::cuda::convert_text(), "sm_90").empty());
  });
}
