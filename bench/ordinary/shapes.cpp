// Arrays of rank 3, parts of arrays, rows and columns that are repeated, conditions on two indices, and neighbours of bytes, next to nested loops.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {
namespace {

using warpfold::slice;
using Matrix = warpfold::Array<float, 2>;
using Cube = warpfold::Array<float, 3>;

float element(int64_t i) { return random_float(uint64_t(i), -1, 1); }
int64_t within(int64_t i, int64_t n) { return std::clamp<int64_t>(i, 0, n - 1); }

// A race of compute(), a delayed array, with loop(out, begin, end), which writes rows [begin, end) of as many elements.
template <class Compute, class Loop>
void race(Bench& bench, const char* work, const std::string& type, int64_t rows, int64_t columns, int64_t bytes, const Compute& compute,
          const Loop& loop) {
  std::vector<float> expected(size_t(rows * columns)), out(size_t(rows * columns));
  loop(expected.data(), 0, rows);
  const auto is_right = [&](std::span<const float> x) {
    for (size_t i = 0; i < expected.size(); i++)
      if (!close(double(x[i]), double(expected[i]), 1e-4)) return false;
    return x.size() == expected.size();
  };
  decltype(compute()) result = compute();
  Race race(bench, {work, type, rows * columns, bytes});
  race.enter_warpfold(
      [&] {
        result = compute();
        warpfold::wait(result);
      },
      [&] { return is_right(result.span()); });
  race.enter(
      "loops on threads",
      [&] {
        const int64_t parts = std::min<int64_t>(rows, std::max<int64_t>(1, rows * columns >> 14));
        tbb::parallel_for(int64_t(0), parts, [&](int64_t k) { loop(out.data(), rows * k / parts, rows * (k + 1) / parts); });
      },
      [&] { return is_right(out); });
  race.finish();
}

// Sums of each element and its six neighbours: limited by the borders, and of inner elements alone.
void cubes(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const Array<float> host(n * n * n, element);
  const Cube a(host.view(), {n, n, n}, context);
  const float* const in = host.data();
  auto clamped = [&] {
    return Cube(warpfold::arrays::array_of(
        [&](auto i, auto j, auto k) {
          auto low = [](const auto& x) { return max(x - 1, 0); };
          auto high = [&](const auto& x) { return min(x + 1, n - 1); };
          return a(low(i), j, k) + a(high(i), j, k) + a(i, low(j), k) + a(i, high(j), k) + a(i, j, low(k)) + a(i, j, high(k)) -
                 6.f * a(i, j, k);
        },
        std::array{n, n, n}, context));
  };
  race(bench, "stencil7", "f32, limited", n * n, n, 8 * n * n * n, clamped, [&](float* out, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row++) {
      const int64_t i = row / n, j = row % n;
      auto at = [&](int64_t x, int64_t y) { return in + (within(x, n) * n + within(y, n)) * n; };
      const float *mid = at(i, j), *up = at(i - 1, j), *down = at(i + 1, j), *left = at(i, j - 1), *right = at(i, j + 1);
      auto sum = [&](int64_t k, int64_t before, int64_t after) {
        out[row * n + k] = up[k] + down[k] + left[k] + right[k] + mid[before] + mid[after] - 6.f * mid[k];
      };
      sum(0, 0, 1);
      for (int64_t k = 1; k < n - 1; k++) sum(k, k - 1, k + 1);
      sum(n - 1, n - 2, n - 1);
    }
  });
  const int64_t m = n - 2;
  auto inner = [&] {
    auto part = [&](int64_t i, int64_t j, int64_t k) {
      return a(slice(1 + i, n - 1 + i), slice(1 + j, n - 1 + j), slice(1 + k, n - 1 + k));
    };
    return Cube(part(-1, 0, 0) + part(1, 0, 0) + part(0, -1, 0) + part(0, 1, 0) + part(0, 0, -1) + part(0, 0, 1) - 6.f * part(0, 0, 0));
  };
  race(bench, "stencil7", "f32, slices", m * m, m, 8 * m * m * m, inner, [&](float* out, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row++) {
      const float* const mid = in + ((row / m + 1) * n + row % m + 1) * n + 1;
      for (int64_t k = 0; k < m; k++)
        out[row * m + k] = mid[k - n * n] + mid[k + n * n] + mid[k - n] + mid[k + n] + mid[k - 1] + mid[k + 1] - 6.f * mid[k];
    }
  });
}

void matrices(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const Array<float> host(n * n, element), first(n, element), second(n, [](int64_t i) { return element(-i); });
  const Matrix a(host.view(), {n, n}, context);
  const warpfold::Array<float, 1> u(first.view(), {n}, context), v(second.view(), {n}, context);
  const float *const in = host.data(), *const p = first.data(), *const q = second.data();
  const int64_t bytes = 8 * n * n;
  auto rank_one = [&](float* out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++)
      for (int64_t j = 0; j < n; j++) out[i * n + j] = in[i * n + j] - p[i] * q[j];
  };
  race(
      bench, "minus_outer", "f32, outer", n, n, bytes, [&] { return Matrix(a - outer(u, v)); }, rank_one);
  race(
      bench, "minus_outer", "f32, insert_axis", n, n, bytes, [&] { return Matrix(a - insert_axis(u, 1) * v); }, rank_one);
  auto below = [&] {
    return Matrix(warpfold::arrays::array_of([&](auto i, auto j) { return where(i > 3 && j > 3, a(i, j) - u[i] * v[j], a(i, j)); },
                                             std::array{n, n}, context));
  };
  race(bench, "where_two", "f32", n, n, bytes, below, [&](float* out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      const int64_t head = i > 3 ? 4 : n;
      std::copy_n(in + i * n, head, out + i * n);
      for (int64_t j = head; j < n; j++) out[i * n + j] = in[i * n + j] - p[i] * q[j];
    }
  });
  const int64_t m = n - 2;
  auto part = [&](int64_t i, int64_t j) { return a(slice(1 + i, n - 1 + i), slice(1 + j, n - 1 + j)); };
  auto inner = [&] { return Matrix(part(-1, 0) + part(1, 0) + part(0, -1) + part(0, 1) - 4.f * part(0, 0)); };
  race(bench, "stencil5", "f32, slices", m, m, bytes, inner, [&](float* out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      const float* const mid = in + (i + 1) * n + 1;
      for (int64_t j = 0; j < m; j++) out[i * m + j] = mid[j - n] + mid[j + n] + mid[j - 1] + mid[j + 1] - 4.f * mid[j];
    }
  });
}

// The number of words: of bytes that are no spaces, after a space or at the beginning.
void bytes(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const Array<uint8_t> host(n, [](int64_t i) { return random_bits(uint64_t(i)) % 6 == 0 ? uint8_t(32) : uint8_t('a'); });
  const warpfold::Seq<uint8_t> text(host.view(), context);
  const uint8_t* const in = host.data();
  auto count = [&](int64_t begin, int64_t end) {
    int64_t words = begin == 0 && in[0] != 32;
    for (int64_t at = std::max<int64_t>(begin, 1), next; at < end; at = next) {
      next = std::min<int64_t>(at + 255, end);
      uint8_t few = 0;  // so that the compiler adds bytes
      for (int64_t i = at; i < next; i++) few = uint8_t(few + (in[i] != 32 && in[i - 1] == 32));
      words += few;
    }
    return words;
  };
  const int64_t expected = count(0, n);
  auto enter = [&](const char* type, const auto& is_start) {
    int64_t found = 0;
    Race race(bench, {"word_starts", type, n, n});
    race.enter_warpfold([&] { found = warpfold::count(warpfold::tabulate(is_start, n, context)); }, [&] { return found == expected; });
    std::vector<int64_t> parts(64);
    race.enter(
        "loop on threads",
        [&] {
          tbb::parallel_for(int64_t(0), int64_t(64), [&](int64_t k) { parts[size_t(k)] = count(n * k / 64, n * (k + 1) / 64); });
          found = 0;
          for (int64_t part : parts) found += part;
        },
        [&] { return found == expected; });
    race.finish();
  };
  enter("u8, limited", [&](auto i) { return text[i] != 32 && (i == 0 || text[max(i - 1, 0)] == 32); });
  enter("u8, chosen", [&](auto i) { return text[i] != 32 && where(i == 0, true, text[max(i - 1, 0)] == 32); });
}

}  // namespace

void shapes(Bench& bench, int64_t n) {
  const auto root = [&](double power) { return std::max<int64_t>(8, int64_t(std::floor(std::pow(double(n), 1 / power) + 1e-6))); };
  cubes(bench, std::min<int64_t>(128, root(3)));
  if (root(3) > 128) cubes(bench, root(3));
  matrices(bench, std::min<int64_t>(1024, root(2)));
  bytes(bench, n);
}

}  // namespace bench::ordinary
