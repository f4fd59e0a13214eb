// quicksort [NUMBER]: sorts so many numbers as the textbook does, by three filters and recursion. The three filters of a step share one pass.
// It shows the style; `sort` is the library's own, and faster.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr int64_t few = 5000;

static Seq<int> quicksort(const Seq<int>& s) {
  if (s.size() <= few) return sort(s);
  const int pivot = s[s.size() / 2].get();
  const auto below = filter([=](auto x) { return x < pivot; }, s), same = filter([=](auto x) { return x == pivot; }, s),
             above = filter([=](auto x) { return x > pivot; }, s);
  force(below, same, above);
  return append(quicksort(below), same, quicksort(above));
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000000;
  // A linear congruential sequence: each number depends on its index alone.
  const auto numbers = tabulate([](auto i) { return cast<int>((i * 1103515245 + 12345) % 1000003); }, n);
  force(numbers);
  const Timing timing;
  const auto sorted = quicksort(numbers);
  force(sorted);
  timing.report(static_cast<double>(n), "numbers");

  const auto right = sort(numbers);
  const bool same = all(map([](auto x, auto y) { return x == y; }, sorted, right)).get();
  std::cout << n << " numbers" << (same ? ", sorted\n" : ", NOT sorted\n");
  return same ? 0 : 1;
} catch (const Error& error) {
  std::cerr << "quicksort: " << error.what() << "\n";
  return 2;
}
