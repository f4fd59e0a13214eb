// mcss NUMBER...: the maximum contiguous subsequence sum; the sum of an empty subsequence is 0.
// One pass: a reduction over four sums, from which the sums of two neighbouring stretches can be combined.
#include <cstdlib>
#include <iostream>
#include <vector>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

// Sums of a stretch of numbers: the largest sum of any part (best), of a part at the left end (prefix) and at the right end (suffix), and of
// all numbers (total).
template <class T> struct Sums { T best, prefix, suffix, total; };

static Scalar<Sums<int64_t>> sums(const Seq<int64_t>& s) {
  auto single = map(
      [](auto x) {
        auto gain = max(x, 0);
        return Sums<decltype(x)>{gain, gain, gain, x};
      },
      s);
  auto join = []<class S>(S left, S right) {
    return S{max(max(left.best, right.best), left.suffix + right.prefix), max(left.prefix, left.total + right.prefix),
             max(right.suffix, left.suffix + right.total), left.total + right.total};
  };
  return reduce(join, {0, 0, 0, 0}, single);
}

int main(int argc, char** argv) try {
  std::vector<int64_t> numbers;
  for (int k = 1; k < argc; k++) numbers.push_back(std::atoll(argv[k]));
  const Seq s(std::move(numbers));
  const Timing timing;
  const int64_t best = sums(s).get().best;
  timing.report(static_cast<double>(s.size()), "numbers");
  std::cout << best << "\n";
} catch (const Error& error) {
  std::cerr << "mcss: " << error.what() << "\n";
  return 2;
}
