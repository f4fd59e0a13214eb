#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include "kernels.h"

namespace bench {

namespace loop {
Depth depth(Ints s) { return kernels::depth(s); }
Depth depth(Bytes text) { return kernels::depth(text); }
float sum(Floats s) { return kernels::sum(s); }
std::vector<float> map(Floats s) {
  std::vector<float> out(s.size());
  for (size_t i = 0; i < s.size(); ++i) out[i] = kernels::step(s[i]);
  return out;
}
float map_sum(Floats s, int maps) { return kernels::map_sum(s, maps); }
void exp_chain(Floats s, float* out) { kernels::exp_chain(s, out); }
int32_t scan(Ints s, int32_t* prefixes) { return kernels::scan(s, 0, prefixes); }
float scan(Floats s, float* prefixes) { return kernels::scan(s, 0.0f, prefixes); }
uint32_t prefix_square_sum(Ints s) { return kernels::prefix_square_sum(s); }
float largest_sum(Floats s) { return kernels::largest_sum(s); }
int64_t filter(Ints s, int32_t* kept) { return kernels::filter(s, int64_t(s.size()), kept); }
uint32_t filter_map_sum(Ints s) { return kernels::filter_map_sum(s); }
}  // namespace loop

namespace threads {

namespace {

// Elements per chunk: four chunks for each core, so that every core is busy until the end; but as many as repay waking a thread.
size_t chunk_length(size_t n) {
  static const auto cores = size_t(tbb::info::default_concurrency());
  return std::clamp<size_t>(n / (4 * cores), 1 << 15, 1 << 18);
}
size_t chunk_count(size_t n) { return (n + chunk_length(n) - 1) / chunk_length(n); }

// Calls f(chunk number, elements, offset of the first) for each chunk, on all cores.
template <class T, class F> void in_chunks(std::span<const T> s, F f) {
  const size_t length = chunk_length(s.size());
  const auto run = [&](size_t k) { f(k, s.subspan(k * length, std::min(length, s.size() - k * length)), k * length); };
  if (chunk_count(s.size()) <= 1) return run(0);
  tbb::parallel_for(size_t(0), chunk_count(s.size()), run);
}

template <class T, class R, class F, class Combine> R reduce(std::span<const T> s, R first, F f, Combine combine) {
  std::vector<R> parts(std::max<size_t>(chunk_count(s.size()), 1), first);
  in_chunks(s, [&](size_t k, std::span<const T> part, size_t) { parts[k] = f(part); });
  for (const R& part : parts) first = combine(first, part);
  return first;
}

Depth join(Depth left, Depth right) { return {left.total + right.total, std::min(left.lowest, left.total + right.lowest)}; }

// Pass 1 measures each chunk; then the chunks' starts are computed; pass 2 writes each chunk.
template <class R, class T, class Measure, class Write> R two_passes(std::span<const T> s, Measure measure, Write write) {
  std::vector<R> starts(std::max<size_t>(chunk_count(s.size()), 1) + 1, R(0));
  in_chunks(s, [&](size_t k, std::span<const T> part, size_t) { starts[k + 1] = measure(part); });
  for (size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
  in_chunks(s, [&](size_t k, std::span<const T> part, size_t begin) { write(part, starts[k], begin); });
  return starts.back();
}

}  // namespace

Depth depth(Ints s) {
  return reduce(
      s, Depth{0, 0}, [](Ints part) { return kernels::depth(part); }, join);
}
Depth depth(Bytes text) {
  return reduce(
      text, Depth{0, 0}, [](Bytes part) { return kernels::depth(part); }, join);
}
float map_sum(Floats s, int maps) {
  return reduce(
      s, 0.0f, [=](Floats part) { return kernels::map_sum(part, maps); }, std::plus());
}
float sum(Floats s) {
  return reduce(
      s, 0.0f, [](Floats part) { return kernels::sum(part); }, std::plus());
}
float polynomial_sum(Floats s) {
  return reduce(
      s, 0.0f, [](Floats part) { return kernels::polynomial_sum(part); }, std::plus());
}
Moments moments(Floats s) {
  return reduce(
      s, kernels::moments({}), [](Floats part) { return kernels::moments(part); },
      [](const Moments& x, const Moments& y) {
        return Moments{x.sum + y.sum, x.squares + y.squares, std::min(x.least, y.least), std::max(x.greatest, y.greatest)};
      });
}
Largest largest(Floats s) {
  return reduce(
      s, Largest{-INFINITY, -1},
      [=](Floats part) {
        Largest found = kernels::largest(part);
        found.index += part.data() - s.data();
        return found;
      },
      [](const Largest& x, const Largest& y) { return x.index < 0 || y.value > x.value ? y : x; });
}
Counts counts(Bytes s) {
  return reduce(
      s, Counts{}, [](Bytes part) { return kernels::counts(part); },
      [](Counts x, const Counts& y) {
        for (size_t k = 0; k < x.size(); ++k) x[k] += y[k];
        return x;
      });
}
float largest_sum(Floats s) {
  return reduce(
             s, kernels::Stretch{}, [](Floats part) { return kernels::stretch(part); }, kernels::join)
      .best;
}
void gather(Floats s, Ints indices, float* out) {
  in_chunks(indices, [=](size_t, Ints part, size_t begin) { kernels::gather(s, part, out + begin); });
}
void exp_chain(Floats s, float* out) {
  in_chunks(s, [=](size_t, Floats part, size_t begin) { kernels::exp_chain(part, out + begin); });
}
template <class T> static void scan_of(std::span<const T> s, T* prefixes) {
  two_passes<T>(s, kernels::sum<T>,
                [=](std::span<const T> part, T before, size_t begin) { kernels::scan(part, before, prefixes + begin); });
}
void scan(Ints s, int32_t* prefixes) { scan_of(s, prefixes); }
void scan(Floats s, float* prefixes) { scan_of(s, prefixes); }
int64_t filter(Ints s, int32_t* kept) {
  return two_passes<int64_t>(s, kernels::count,
                             [=](Ints part, int64_t start, size_t) { kernels::filter(part, kernels::count(part), kept + start); });
}
uint32_t filter_map_sum(Ints s) {
  return reduce(
      s, uint32_t(0), [](Ints part) { return kernels::filter_map_sum(part); }, std::plus());
}

}  // namespace threads

}  // namespace bench
