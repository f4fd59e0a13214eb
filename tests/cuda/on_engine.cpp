// The same programs on the engine under test (WARPFOLD_TEST_CONTEXT), at lengths near the sizes of warps, tiles and groups, or at the
// lengths in WARPFOLD_TEST_LENGTHS: "0,33,4097".
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "cuda/programs/programs.h"
#include "oracle/graph.h"

namespace {

const std::vector<int64_t>& lengths() {
  static const std::vector<int64_t> chosen = [] {
    const char* list = std::getenv("WARPFOLD_TEST_LENGTHS");
    std::vector<int64_t> all;
    std::istringstream text(list ? list : "0,1,2,31,32,33,1000,1023,1024,1025,4095,4096,4097,16384,131073,300007");
    for (std::string number; std::getline(text, number, ',');) all.push_back(std::stoll(number));
    return all;
  }();
  return chosen;
}

}  // namespace

#define PROGRAM(name)                              \
  TEST(name) {                                     \
    for (int64_t n : lengths()) programs::name(n); \
  }
#include "cuda/programs/programs.def"

// The kernels of many positions and of full groups of bools.
TEST(marks_of_many_positions) {
  if (!graph::context()->pool->device()) SKIP("the engine under test is not a GPU's");
  programs::marks((int64_t(1) << 22) + 77);
}

TEST(many_inputs) {
  if (const char* setting = std::getenv("WARPFOLD_INTERPRET"); setting && std::string_view(setting) == "0") SKIP("WARPFOLD_INTERPRET is 0");
  for (int64_t n : {1000, 5000}) programs::many_inputs(n);
}
