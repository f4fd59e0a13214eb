// The same programs on the engine under test (WARPFOLD_TEST_CONTEXT), at lengths around those of warps, tiles and groups.
#include "check.h"
#include "cuda/programs.h"

namespace {

constexpr int64_t lengths[] = {0, 1, 2, 31, 32, 33, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 16384, 131073, 300007};

}  // namespace

#define PROGRAM(name) \
  TEST(name) {        \
    for (int64_t n : lengths) programs::name(n); \
  }
#include "cuda/programs.def"
