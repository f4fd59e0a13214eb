#include "bandwidth.h"

#include <immintrin.h>

#include <atomic>
#include <cstring>

#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include "harness.h"
#include "works.h"

namespace bench {

namespace {

using Vector = uint64_t __attribute__((vector_size(64)));
constexpr int64_t width = sizeof(Vector);
constexpr int64_t chunk = 256 << 10;  // bytes that a thread claims at a time

std::atomic<uint64_t> consumed{0};  // depends on all values read, so that no read is optimised away

void consume(Vector v) {
  uint64_t all = 0;
  for (int k = 0; k < 8; ++k) all += v[k];
  consumed.fetch_add(all, std::memory_order_relaxed);
}

// Reads one run of addresses, eight vectors at a time.
void read_run(const char* data, int64_t bytes) {
  const Vector* at = reinterpret_cast<const Vector*>(data);
  int64_t count = bytes / width;
  Vector sum[8] = {};
  int64_t k = 0;
  for (; k + 8 <= count; k += 8) {
    __builtin_prefetch(at + k + 64);
    __builtin_prefetch(at + k + 68);
    for (int j = 0; j < 8; ++j) sum[j] += at[k + j];
  }
  for (; k < count; ++k) sum[0] += at[k];
  for (int j = 1; j < 8; ++j) sum[0] += sum[j];
  consume(sum[0]);
}

// Reads four runs of addresses at the same time: more pages of memory are open at once.
void read_four_runs(const char* data, int64_t bytes) {
  const Vector* at = reinterpret_cast<const Vector*>(data);
  int64_t quarter = bytes / width / 4;
  Vector sum[8] = {};
  for (int64_t k = 0; k + 2 <= quarter; k += 2)
    for (int run = 0; run < 4; ++run) {
      sum[2 * run] += at[run * quarter + k];
      sum[2 * run + 1] += at[run * quarter + k + 1];
    }
  for (int j = 1; j < 8; ++j) sum[0] += sum[j];
  consume(sum[0]);
}

void stream(Vector* to, Vector v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(v));
#else
  const __m128i* parts = reinterpret_cast<const __m128i*>(&v);
  for (int k = 0; k < 4; ++k) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + k, _mm_loadu_si128(parts + k));
#endif
}

// Streaming stores do not read the memory that they overwrite.
void copy_streaming(char* to, const char* from, int64_t bytes) {
  const Vector* in = reinterpret_cast<const Vector*>(from);
  Vector* out = reinterpret_cast<Vector*>(to);
  int64_t count = bytes / width;
  for (int64_t k = 0; k < count; ++k) {
    if (k % 4 == 0) __builtin_prefetch(in + k + 64), __builtin_prefetch(in + k + 66);
    stream(out + k, in[k]);
  }
  _mm_sfence();
}

// Reads a piece that fits in L1, then writes it: memory changes between reading and writing less often.
void copy_streaming_by_pieces(char* to, const char* from, int64_t bytes) {
  constexpr int64_t piece = 16 << 10;
  for (int64_t k = 0; k < bytes; k += piece) {
    int64_t count = std::min(piece, bytes - k);
    for (int64_t j = 0; j < count; j += width) __builtin_prefetch(from + k + j);
    const Vector* in = reinterpret_cast<const Vector*>(from + k);
    Vector* out = reinterpret_cast<Vector*>(to + k);
    for (int64_t j = 0; j < count / width; ++j) stream(out + j, in[j]);
  }
  _mm_sfence();
}

void copy_plain(char* to, const char* from, int64_t bytes) { std::memcpy(to, from, size_t(bytes)); }

// Splits [0, bytes) into equal parts, one per thread (in_parts), or into chunks that threads claim (in_chunks). Calls f(begin, length) for
// each; both are multiples of a vector's size.
template <class F> void in_parts(int64_t bytes, F f) {
  int64_t threads = tbb::info::default_concurrency();
  int64_t part = (bytes / width + threads - 1) / threads * width;
  tbb::parallel_for(
      int64_t(0), threads,
      [&](int64_t t) {
        if (t * part < bytes) f(t * part, std::min(part, bytes - t * part));
      },
      tbb::static_partitioner());
}

template <class F> void in_chunks(int64_t bytes, F f) {
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, (bytes + chunk - 1) / chunk), [&](const auto& range) {
    int64_t begin = range.begin() * chunk;
    f(begin, std::min(range.end() * chunk, bytes) - begin);
  });
}

}  // namespace

Limit read_limit(const void* memory, int64_t bytes) {
  const char* from = static_cast<const char*>(memory);
  return {"read",
          bytes,
          {
              {"read in parts", [=] { in_parts(bytes, [=](int64_t k, int64_t m) { read_run(from + k, m); }); }},
              {"read in parts, four runs", [=] { in_parts(bytes, [=](int64_t k, int64_t m) { read_four_runs(from + k, m); }); }},
              {"read in chunks", [=] { in_chunks(bytes, [=](int64_t k, int64_t m) { read_run(from + k, m); }); }},
          }};
}

Limit copy_limit(const void* source, void* target, int64_t bytes) {
  const char* from = static_cast<const char*>(source);
  char* to = static_cast<char*>(target);
  auto parts = [=](auto copy) { return [=] { in_parts(bytes, [=](int64_t k, int64_t m) { copy(to + k, from + k, m); }); }; };
  auto chunks = [=](auto copy) { return [=] { in_chunks(bytes, [=](int64_t k, int64_t m) { copy(to + k, from + k, m); }); }; };
  return {"copy",
          2 * bytes,
          {
              {"memcpy in parts", parts(copy_plain)},
              {"memcpy in chunks", chunks(copy_plain)},
              {"streaming copy in parts", parts(copy_streaming)},
              {"streaming copy in chunks", chunks(copy_streaming)},
              {"streaming copy by pieces, in parts", parts(copy_streaming_by_pieces)},
              {"streaming copy by pieces, in chunks", chunks(copy_streaming_by_pieces)},
          }};
}

// The variants as rows of their own.
void limits(Bench& bench, int64_t n) {
  Array<int32_t> from(n, [](int64_t i) { return int32_t(random_bits(uint64_t(i))); }), to(n);
  int64_t bytes = n * int64_t(sizeof(int32_t));
  auto race = [&](const char* work, const Limit& limit) {
    Race variants(bench, {work, "i32", n, limit.bytes});
    for (auto& variant : limit.variants) variants.enter(variant.name, variant.run, [] { return true; });
    variants.finish();
  };
  race("limit_read", read_limit(from.data(), bytes));
  race("limit_copy", copy_limit(from.data(), to.data(), bytes));
}

}  // namespace bench
