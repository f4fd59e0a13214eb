// Tensors of DLPack in and out: the same memory, any strides, and what is refused stays with the caller.
#include "../../../capi/elements/dlpack.h"
#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;
using namespace wf::capi::dlpack;

namespace {

int deleted = 0;

// A tensor of the library's host memory in row-major order, or with rows and columns exchanged.
struct Owned {
  std::vector<float> elements;
  std::vector<int64_t> shape, strides;
  DLManagedTensor tensor{};
  DLManagedTensorVersioned versioned{};

  Owned(int64_t m, int64_t n, bool transposed) : elements(size_t(m * n)), shape{m, n}, strides{transposed ? 1 : n, transposed ? m : 1} {
    for (size_t k = 0; k < elements.size(); k++) elements[k] = float(k);
    const DLTensor view{elements.data(), {cpu_device, 0}, 2, {float_code, 32, 1}, shape.data(), strides.data(), 0};
    tensor = {view, this, [](DLManagedTensor*) { deleted++; }};
    versioned = {1, 0, this, [](DLManagedTensorVersioned*) { deleted++; }, read_only, view};
  }
};

}  // namespace

TEST(tensors_in) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{0, 3}, {1, 1}, {2, 3}, {17, 3}, {3, 17}})
    for (bool transposed : {false, true}) {
      Owned owned(m, n, transposed);
      const int before = deleted;
      {
        const auto a = from_dlpack<float, 2>(&owned.tensor), b = from_dlpack<float, 2>(&owned.versioned);
        CHECK((a.shape() == Shape<2>{m, n}));
        const auto values = a.values();
        for (int64_t i = 0; i < m; i++)
          for (int64_t j = 0; j < n; j++) CHECK_EQ(values(i, j), float(transposed ? j * m + i : i * n + j));
        CHECK((a + b).to_vector() == (2 * a).to_vector());
        CHECK(transposed || m == 0 || a.data() == owned.elements.data() || default_context().name() != "cpu");
      }
      CHECK_EQ(deleted, before + 2);
    }
}

TEST(tensors_out) {
  const auto a = iota<int32_t>(17, 3) * 2;
  DLManagedTensor* tensor = to_dlpack<DLManagedTensor>(a, -1);
  CHECK(tensor->dl_tensor.ndim == 2 && tensor->dl_tensor.shape[0] == 17 && tensor->dl_tensor.shape[1] == 3);
  CHECK((from_dlpack<int32_t, 2>(tensor, -1).to_vector() == a.to_vector()));
  auto* versioned = to_dlpack<DLManagedTensorVersioned>(iota<int64_t>(5), -1);
  CHECK(versioned->major == 1 && (versioned->flags & read_only) != 0);
  CHECK((from_dlpack<int64_t, 1>(versioned, -1).to_vector() == std::vector<int64_t>{0, 1, 2, 3, 4}));
  auto* scalar = to_dlpack<DLManagedTensor>(sum(iota<int64_t>(5)), -1);
  CHECK_EQ(scalar->dl_tensor.ndim, 0);
  CHECK_EQ((from_dlpack<int64_t, 0>(scalar, -1).get()), 10);
}

TEST(refused_tensors_stay_with_the_caller) {
  Owned owned(2, 3, false);
  const int before = deleted;
  CHECK_THROWS(SizeError, (from_dlpack<float, 1>(&owned.tensor)));
  CHECK_THROWS(TypeError, (from_dlpack<double, 2>(&owned.tensor)));
  CHECK_THROWS(TypeError, (from_dlpack<int32_t, 2>(&owned.versioned)));
  CHECK_EQ(deleted, before);
}
