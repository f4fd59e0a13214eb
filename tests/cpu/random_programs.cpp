// Random functions of the index and of inputs: the program agrees with evaluation term by term, element by element.
#include "by_blocks.h"
#include "random_function.h"

using namespace wf;
using namespace by_blocks;

TEST(random_functions) {
  for (int seed = 0; seed < 1500; seed++) {
    RandomFunction g{std::mt19937_64(uint64_t(seed)), {}, {}};
    FnRef f = g.function();
    std::vector<uint32_t> early;
    for (uint32_t r = 0; r < f->results.size(); r++)
      if (g.below(3) == 0) early.push_back(r);
    agrees(f, some_inputs(g.below(2) ? 500 : 130), g.below(2) ? 0 : 64, 1 + g.below(400), early);
  }
}
