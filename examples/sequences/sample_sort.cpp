// sample_sort [NUMBER]: sorts so many numbers by buckets between the elements of a sorted sample, as textbooks do. It shows the style; `sort` is
// the library's own, and faster.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr int64_t buckets = 32, sampled = 16;  // for each bucket

static Seq<float> sample_sort(const Seq<float>& s) {
  const int64_t n = s.size();
  if (n < buckets * sampled) return sort(s);
  const auto sample = sort(tabulate([=](auto k) { return s[k * n / (buckets * sampled)]; }, buckets * sampled));
  const auto pivots = tabulate([=](auto k) { return sample[(k + 1) * sampled]; }, buckets - 1);
  force(pivots);
  const auto [bucket, groups] = collect(zip(upper_bound(pivots, s), s));
  std::vector<Seq<float>> sorted;
  for (int64_t k = 0; k < groups.size(); k++) sorted.push_back(sort(groups[k]));
  return append(sorted);
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000000;
  const auto numbers = tabulate([](auto i) { return cast<float>(i * 7919 % 1000003) / 1000003; }, n);
  force(numbers);
  const Timing timing;
  const auto sorted = sample_sort(numbers);
  force(sorted);
  timing.report(static_cast<double>(n), "numbers");
  const bool same = equal(sorted, sort(numbers)).get();
  std::cout << n << " numbers" << (same ? ", sorted\n" : ", NOT sorted\n");
  return same ? 0 : 1;
} catch (const Error& error) {
  std::cerr << "sample_sort: " << error.what() << "\n";
  return 2;
}
