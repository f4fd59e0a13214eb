#include <vector>

#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include "kernels.h"

namespace bench {

namespace loop {
Depth depth(Ints s) { return kernels::depth(s); }
Depth depth(Bytes text) { return kernels::depth(text); }
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

// Calls f(chunk number, elements, offset of the first) for each chunk, on all cores. With chunks of a quarter million elements, every core
// is busy until the end.
template <class T, class F> int64_t in_chunks(std::span<const T> s, F f) {
  constexpr size_t chunk = 1 << 18;
  int64_t chunks = int64_t((s.size() + chunk - 1) / chunk);
  tbb::parallel_for(int64_t(0), chunks, [&](int64_t k) {
    size_t begin = size_t(k) * chunk;
    f(size_t(k), s.subspan(begin, std::min(chunk, s.size() - begin)), begin);
  });
  return chunks;
}

template <class T> size_t chunk_count(std::span<const T> s) { return (s.size() >> 18) + 1; }

template <class T, class R, class F, class Combine> R reduce(std::span<const T> s, R first, F f, Combine combine) {
  std::vector<R> parts(chunk_count(s), first);
  in_chunks(s, [&](size_t k, std::span<const T> part, size_t) { parts[k] = f(part); });
  for (const R& part : parts) first = combine(first, part);
  return first;
}

Depth join(Depth left, Depth right) { return {left.total + right.total, std::min(left.lowest, left.total + right.lowest)}; }

// Pass 1 measures each chunk; then the chunks' starts are computed; pass 2 writes each chunk.
template <class R, class T, class Measure, class Write> R two_passes(std::span<const T> s, Measure measure, Write write) {
  std::vector<R> starts(chunk_count(s) + 1, R(0));
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
