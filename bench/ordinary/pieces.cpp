// Sequences of many pieces: append, flatten, sums of them, and elements of them.

#include <cstring>
#include <functional>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

using warpfold::Seq;

namespace {

using Pieces = std::vector<Seq<int32_t>>;

// The elements in `count` pieces, which share their memory.
Pieces cut(const Array<int32_t>& input, int64_t count, const warpfold::Context& context) {
  const int64_t m = input.size();
  Pieces pieces;
  for (int64_t k = 0; k < count; k++)
    pieces.emplace_back(input.view().subspan(size_t(m * k / count), size_t(m * (k + 1) / count - m * k / count)), context);
  return pieces;
}

void copy_pieces(const Array<int32_t>& input, int64_t count, std::vector<int32_t>& out) {
  const int64_t m = input.size();
  in_parts(count, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; k++)
      std::memcpy(out.data() + m * k / count, input.data() + m * k / count, size_t(m * (k + 1) / count - m * k / count) * sizeof(int32_t));
  });
}

Seq<int32_t> grown(const Pieces& pieces) {
  Seq<int32_t> all = pieces[0];
  for (size_t k = 1; k < pieces.size(); k++) all = append(all, pieces[k]);
  return all;
}

Pieces scaled(const Pieces& pieces) {
  Pieces all;
  for (const Seq<int32_t>& piece : pieces) all.push_back(map([](auto x) { return 3 * x + 1; }, piece));
  return all;
}

}  // namespace

void pieces(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const Array<int32_t> input(std::max<int64_t>(1, n / 16), [](int64_t i) { return int32_t(random_bits(uint64_t(i))); });
  const int64_t m = input.size();
  std::vector<int32_t> out(static_cast<size_t>(m));
  for (const int64_t count : {int64_t(64), int64_t(4096), int64_t(100'000)}) {
    if (count > m) continue;
    const Pieces parts = cut(input, count, context);
    const std::string type = "i32, " + std::to_string(count) + " pieces";
    Seq<int32_t> result;
    const auto is_copy = [&](std::span<const int32_t> x) { return all_equal(x, input.view()); };
    const auto is_scaled = [&](std::span<const int32_t> x) {
      bool equal = int64_t(x.size()) == m;
      for (int64_t i = 0; equal && i < m; i++) equal = uint32_t(x[size_t(i)]) == 3 * uint32_t(input[i]) + 1;
      return equal;
    };
    const auto race = [&](const std::string& work, const auto& make, const auto& loop, const auto& is_right) {
      Race race(bench, {work, type, m, 8 * m});
      race.enter_warpfold([&] { result = complete(make()); }, [&] { return is_right(result.span()); });
      race.enter("loop on threads", loop, [&] { return is_right(out); });
      race.finish();
    };
    const auto copy = [&] { copy_pieces(input, count, out); };
    const auto scale = [&] {
      in_parts(m, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) out[size_t(i)] = int32_t(3 * uint32_t(input[i]) + 1);
      });
    };
    race(
        "append", [&] { return append(parts); }, copy, is_copy);
    race(
        "flatten segments", [&] { return flatten(warpfold::Segments(parts)); }, copy, is_copy);
    race(
        "append in a loop", [&] { return grown(parts); }, copy, is_copy);
    race(
        "append maps", [&] { return append(scaled(parts)); }, scale, is_scaled);

    int32_t total = 0;
    const auto add_up = [&] {
      total = tbb::parallel_reduce(
          tbb::blocked_range<int64_t>(0, m), uint32_t(0),
          [&](const auto& range, uint32_t sum) {
            for (int64_t i = range.begin(); i < range.end(); i++) sum += uint32_t(input[i]);
            return sum;
          },
          std::plus<uint32_t>());
    };
    add_up();
    const int32_t expected = total;
    Race sums(bench, {"sum of append", type, m, 4 * m});
    sums.enter_warpfold([&] { total = sum(append(parts)).get(); }, [&] { return total == expected; });
    sums.enter("loop on threads", add_up, [&] { return total == expected; });
    sums.finish();
  }

  // The number of elements does not change.
  const Array<int32_t> few(100'000, [](int64_t i) { return int32_t(i); });
  const int64_t counts[] = {1000, 10'000, 100'000};
  const auto fit_pieces = [&](const std::string& work, const auto& run) {
    fit(bench, work, counts, [&](int64_t count) { return [&run, parts = cut(few, count, context)] { run(parts); }; });
  };
  fit_pieces("append", [](const Pieces& parts) { complete(append(parts)); });
  fit_pieces("flatten segments", [](const Pieces& parts) { complete(flatten(warpfold::Segments(parts))); });
  fit_pieces("sum of append", [](const Pieces& parts) { sum(append(parts)).get(); });
  fit_pieces("append in a loop", [](const Pieces& parts) { complete(grown(parts)); });
  fit_pieces("append maps", [](const Pieces& parts) { complete(append(scaled(parts))); });
}

}  // namespace bench::ordinary
