// Updates of elements at indices: few of many, floats that are added, elements that are replaced, and counts.

#include <algorithm>
#include <cstring>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

namespace {

using warpfold::Context;
using warpfold::Seq;

int64_t random_index(int64_t i, int64_t m) { return int64_t(random_bits(uint64_t(i)) % uint64_t(m)); }

// A copy of the base on all threads, then a loop over the updates.
template <class T, class I, class Update>
void race_with_loop(Bench& bench, const std::string& work, const std::string& type, std::span<const T> base, std::span<const I> indices,
                    const std::function<Seq<T>()>& ours, const Update& update) {
  const auto m = int64_t(base.size());
  std::vector<T> out(base.size());
  const auto loop = [&] {
    in_parts(m, [&](int64_t begin, int64_t end) { std::copy(base.begin() + begin, base.begin() + end, out.begin() + begin); });
    for (size_t i = 0; i < indices.size(); i++) update(out[size_t(indices[i])], i);
  };
  loop();
  const std::vector<T> right = out;
  Seq<T> result;
  Race race(bench, {work, type, int64_t(indices.size()), m * int64_t(sizeof(T))});
  race.enter_warpfold([&] { result = complete(ours()); }, [&] { return std::ranges::equal(result.span(), right); });
  race.enter("copy on threads and a loop", loop, [&] { return out == right; });
  race.finish();
}

void few_of_many(Bench& bench, const Context& context, int64_t n) {
  const Array<uint8_t> base(n, [](int64_t i) { return uint8_t(i); });
  const Seq<uint8_t> s(base.view(), context);
  for (const int64_t count : {int64_t(1), int64_t(1000)}) {
    const Array<int64_t> indices(count, [&](int64_t i) { return random_index(i, n); });
    const Array<uint8_t> values(count, [](int64_t i) { return uint8_t(3 * i); });
    const Seq<int64_t> at(indices.view(), context);
    const Seq<uint8_t> x(values.view(), context);
    race_with_loop<uint8_t, int64_t>(
        bench, "replace", "u8, into " + std::to_string(n), base.view(), indices.view(), [&] { return scatter(s, at, x); },
        [&](uint8_t& element, size_t i) { element = values[int64_t(i)]; });
  }
  const int64_t sizes[] = {std::max<int64_t>(1, n / 64), std::max<int64_t>(1, n / 16), std::max<int64_t>(1, n / 4)};
  fit(bench, "replace 1000 of a base", sizes, [&](int64_t size) {
    const Seq<uint8_t> part = complete(warpfold::map([](auto x) { return x; }, take(s, size)));
    const Array<int64_t> indices(1000, [&](int64_t i) { return random_index(i, size); });
    const Seq<int64_t> at(indices.view(), context);
    const Seq<uint8_t> x = complete(warpfold::fill(uint8_t(1), 1000, context));
    return [=] { complete(scatter(part, at, x)); };
  });
}

void many(Bench& bench, const Context& context, int64_t n) {
  const Array<float> values(n, [](int64_t i) { return float(i % 1024); });  // the sums are exact
  const Seq<float> x(values.view(), context);
  for (const int64_t m : {n, std::max<int64_t>(1, n >> 10)}) {
    const Array<float> base(m, [](int64_t) { return 0.f; });
    const Array<int32_t> indices(n, [&](int64_t i) { return int32_t(random_index(i, m)); });
    const Seq<float> s(base.view(), context);
    const Seq<int32_t> at(indices.view(), context);
    const std::string into = "f32, into " + std::to_string(m);
    race_with_loop<float, int32_t>(
        bench, "add", into, base.view(), indices.view(), [&] { return scatter(warpfold::plus, s, at, x); },
        [&](float& element, size_t i) { element += values[int64_t(i)]; });
    race_with_loop<float, int32_t>(
        bench, "replace", into, base.view(), indices.view(), [&] { return scatter(s, at, x); },
        [&](float& element, size_t i) { element = values[int64_t(i)]; });
    if (m < n) continue;
    const Array<int64_t> zeros(m, [](int64_t) { return int64_t(0); });
    race_with_loop<int64_t, int32_t>(
        bench, "count", "i32, into " + std::to_string(m), zeros.view(), indices.view(), [&] { return histogram(at, m); },
        [&](int64_t& element, size_t) { element++; });
    const int64_t sizes[] = {std::max<int64_t>(1, n / 16), std::max<int64_t>(1, n / 4), n};
    fit(bench, "add updates", sizes, [&](int64_t size) {
      const Seq<int32_t> first = take(at, size);
      const Seq<float> some = take(x, size), into_them = complete(warpfold::fill(0.f, size, context));
      const Seq<int32_t> within = complete(warpfold::map([size](auto i) { return warpfold::cast<int32_t>(i % size); }, first));
      return [=] { complete(scatter(warpfold::plus, into_them, within, some)); };
    });
  }
}

}  // namespace

void updates(Bench& bench, int64_t n) {
  const Context context(bench.options().context);
  few_of_many(bench, context, 4 * n);
  many(bench, context, std::max<int64_t>(1, n / 16));
}

}  // namespace bench::ordinary
