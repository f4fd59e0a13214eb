#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "kernels.h"

namespace bench::standard {

namespace {
constexpr auto par = std::execution::par;
constexpr auto lesser = [](int32_t a, int32_t b) { return std::min(a, b); };
}  // namespace

Depth depth(Ints s, int32_t* prefixes) {
  if (s.empty()) return {0, 0};
  std::inclusive_scan(par, s.begin(), s.end(), prefixes);
  return {prefixes[s.size() - 1], std::reduce(par, prefixes, prefixes + s.size(), 0, lesser)};
}

Depth depth_sequential(Ints s, int32_t* prefixes) {
  if (s.empty()) return {0, 0};
  std::inclusive_scan(s.begin(), s.end(), prefixes);
  return {prefixes[s.size() - 1], std::reduce(prefixes, prefixes + s.size(), 0, lesser)};
}

Depth depth(Bytes text, int32_t* prefixes) {
  if (text.empty()) return {0, 0};
  std::transform_inclusive_scan(par, text.begin(), text.end(), prefixes, std::plus(), [](uint8_t c) { return kernels::score(c); });
  return {prefixes[text.size() - 1], std::reduce(par, prefixes, prefixes + text.size(), 0, lesser)};
}

float map_sum(Floats s, int maps) {
  return std::transform_reduce(par, s.begin(), s.end(), 0.0f, std::plus(), [maps](float x) {
    for (int k = 0; k < maps; ++k) x = kernels::step(x);
    return x;
  });
}

void exp_chain(Floats s, float* out) {
  std::transform(par, s.begin(), s.end(), out, [](float x) { return kernels::exp_chain(x); });
}

void scan(Ints s, int32_t* prefixes) { std::inclusive_scan(par, s.begin(), s.end(), prefixes); }
void scan(Floats s, float* prefixes) { std::inclusive_scan(par, s.begin(), s.end(), prefixes); }

int32_t sum(Ints s) {
  return int32_t(std::reduce(par, s.begin(), s.end(), uint32_t(0), [](uint32_t a, uint32_t b) { return a + b; }));
}
float sum(Floats s) { return std::reduce(par, s.begin(), s.end(), 0.0f); }

uint32_t prefix_square_sum(Ints s, int32_t* prefixes) {
  std::inclusive_scan(par, s.begin(), s.end(), prefixes);
  return std::transform_reduce(par, prefixes, prefixes + s.size(), uint32_t(0), std::plus(),
                               [](int32_t x) { return uint32_t(x) * uint32_t(x); });
}

int64_t filter(Ints s, int32_t* kept) {
  return std::copy_if(par, s.begin(), s.end(), kept, [](int32_t x) { return kernels::keeps(x); }) - kept;
}

uint32_t filter_map_sum(Ints s) {
  return std::transform_reduce(par, s.begin(), s.end(), uint32_t(0), std::plus(), [](int32_t x) { return kernels::kept_value(x); });
}

}  // namespace bench::standard
