// Few of many: the largest elements, the median, the first hit of a search; and rows, each in order.

#include <algorithm>
#include <atomic>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

namespace {

using warpfold::Array;
using warpfold::Seq;

constexpr int64_t few = 10;

void parts_of_sorts(Bench& bench, const bench::Array<float>& input, const Seq<float>& s) {
  const int64_t n = input.size();
  std::vector<float> sorted(input.view().begin(), input.view().end()), out, copy;
  std::ranges::sort(sorted, std::greater<>());
  const std::vector<float> largest(sorted.begin(), sorted.begin() + std::min(few, n));
  {
    Seq<float> result;
    Race race(bench, {"top_k", "f32, 10", n, 4 * n});
    race.enter_warpfold([&] { result = complete(top_k(s, few)); }, [&] { return result.to_vector() == largest; });
    race.enter(
        "std::partial_sort_copy",
        [&] {
          out.resize(largest.size());
          std::ranges::partial_sort_copy(input.view(), out, std::greater<>());
        },
        [&] { return out == largest; });
    race.finish();
  }
  const float median = sorted[size_t(n - 1 - n / 2)];
  float found = 0;
  Race race(bench, {"median", "f32", n, 4 * n});
  race.enter_warpfold([&] { found = sort(s)[n / 2].get(); }, [&] { return found == median; });
  race.enter(
      "std::nth_element",
      [&] {
        copy.assign(input.view().begin(), input.view().end());
        std::ranges::nth_element(copy, copy.begin() + n / 2);
        found = copy[size_t(n / 2)];
      },
      [&] { return found == median; });
  race.finish();
}

void searches(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  for (const int64_t hit : {n / 8, n}) {
    const bench::Array<int32_t> input(n, [&](int64_t i) { return int32_t(i >= hit); });
    const Seq<int32_t> s(input.view(), context);
    int64_t index = 0;
    const auto is_right = [&] { return index == (hit < n ? hit : -1); };
    Race race(bench, {"find_index", hit < n ? "i32, hit at n / 8" : "i32, no hit", n, 4 * std::min(hit + 1, n)});
    race.enter_warpfold([&] { index = find_index([](auto x) { return x == 1; }, s).get(); }, is_right);
    race.enter(
        "std::find",
        [&] {
          const auto at = std::ranges::find(input.view(), 1);
          index = at == input.view().end() ? -1 : at - input.view().begin();
        },
        is_right);
    race.enter(
        "std::find in parts on threads",
        [&] {
          std::atomic<int64_t> first{n};
          in_parts(n, [&](int64_t begin, int64_t end) {
            if (begin >= first.load(std::memory_order_relaxed)) return;
            const auto at = std::find(input.data() + begin, input.data() + end, 1) - input.data();
            int64_t known = first.load();
            while (at < end && at < known && !first.compare_exchange_weak(known, at)) {}
          });
          index = first.load() < n ? first.load() : -1;
        },
        is_right);
    race.finish();
  }
}

void rows(Bench& bench, const bench::Array<float>& input, const Seq<float>& s, int64_t length) {
  const int64_t n = input.size() / length * length, count = n / length;
  if (count < 2) return;
  const Array<float, 2> matrix(take(s, n), {count, length});
  std::vector<float> sorted(input.view().begin(), input.view().begin() + n), out(static_cast<size_t>(n));
  for (int64_t row = 0; row < count; row++) std::sort(sorted.begin() + row * length, sorted.begin() + (row + 1) * length, std::greater<>());
  const std::string type = "f32, rows of " + std::to_string(length);
  {
    Seq<float> result;
    Race race(bench, {"sort along an axis", type, n, 8 * n});
    race.enter_warpfold([&] { result = complete(sort(matrix, 1, warpfold::descending).flat()); },
                        [&] { return std::ranges::equal(result.span(), sorted); });
    race.enter(
        "std::sort of each row on threads",
        [&] {
          in_parts(count, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; row++) {
              float* const first = out.data() + row * length;
              std::copy_n(input.data() + row * length, length, first);
              std::sort(first, first + length, std::greater<>());
            }
          });
        },
        [&] { return out == sorted; });
    race.finish();
  }
  std::vector<float> largest(size_t(count * few)), tops(largest.size());
  for (int64_t row = 0; row < count; row++) std::copy_n(sorted.begin() + row * length, few, largest.begin() + row * few);
  Seq<float> result;
  Race race(bench, {"top 10 of rows", type, n, 4 * n});
  race.enter_warpfold([&] { result = complete(sort(matrix, 1, warpfold::descending)(warpfold::every, warpfold::slice(0, few)).flat()); },
                      [&] { return result.to_vector() == largest; });
  race.enter(
      "std::partial_sort_copy of each row on threads",
      [&] {
        in_parts(count, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; row++)
            std::partial_sort_copy(input.data() + row * length, input.data() + (row + 1) * length, tops.data() + row * few,
                                   tops.data() + (row + 1) * few, std::greater<>());
        });
      },
      [&] { return tops == largest; });
  race.finish();
}

}  // namespace

void selection(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const bench::Array<float> input(std::max<int64_t>(1, n / 4), [](int64_t i) { return float(random_bits(uint64_t(i)) >> 40); });
  const Seq<float> s(input.view(), context);
  parts_of_sorts(bench, input, s);
  searches(bench, std::max<int64_t>(1, n));
  for (const int64_t length : {int64_t(64), int64_t(1024), int64_t(8192)}) rows(bench, input, s, length);
}

}  // namespace bench::ordinary
