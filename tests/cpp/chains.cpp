// Random chains of 2 to 6 functions of sequences next to the same functions of vectors. Results are forced early, late, together and alone.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "common.h"

using namespace warpfold;

namespace {

using Values = std::vector<int64_t>;
using Numbers = Seq<int64_t>;
constexpr int64_t prime = 1000003;  // results are kept below it, so that sums do not overflow

struct Both {
  Values right;
  Numbers found;
};

struct Step {
  const char* name;
  std::function<Both(const Both&, int64_t k)> apply;  // k: 1 to 40
};

// A step that only a function of vectors and one of sequences describe.
template <class Right, class Found> Step step(const char* name, Right right, Found found) {
  return {name, [=](const Both& s, int64_t k) { return Both{right(s.right, k), found(s.found, k)}; }};
}

template <class F> Values mapped(Values v, F f) {
  for (auto& x : v) x = f(x);
  return v;
}
template <class F> Values kept(const Values& v, F f) {
  Values some;
  std::ranges::copy_if(v, std::back_inserter(some), f);
  return some;
}
Values prefixes(const Values& v, bool inclusive) {
  Values sums;
  int64_t sum = 0;
  for (int64_t x : v) {
    if (!inclusive) sums.push_back(sum % prime);
    sum += x;
    if (inclusive) sums.push_back(sum % prime);
  }
  return sums;
}
// f of each part of k elements, one after another.
template <class F> Values by_parts(const Values& v, int64_t k, F f) {
  Values all;
  for (size_t i = 0; i < v.size(); i += size_t(k)) {
    const Values part = f(Values(v.begin() + int64_t(i), v.begin() + int64_t(std::min(v.size(), i + size_t(k)))));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}
Values in_order(Values v) {
  std::ranges::stable_sort(v);
  return v;
}
Numbers below_prime(const Numbers& s) {
  return map([](auto x) { return x % prime; }, s);
}

const std::vector<Step> steps = {
    step(
        "map", [](Values v, int64_t k) { return mapped(v, [=](int64_t x) { return (x * k + 5) % prime; }); },
        [](Numbers s, int64_t k) { return map([k](auto x) { return (x * k + 5) % prime; }, s); }),
    step(
        "filter", [](Values v, int64_t k) { return kept(v, [=](int64_t x) { return x % (k + 1) != 0; }); },
        [](Numbers s, int64_t k) { return filter([k](auto x) { return x % (k + 1) != 0; }, s); }),
    step(
        "scan", [](Values v, int64_t) { return prefixes(v, false); },
        [](Numbers s, int64_t) { return below_prime(scan(plus, int64_t{0}, s).prefixes); }),
    step(
        "scan of filter of map",
        [](Values v, int64_t k) {
          return prefixes(kept(mapped(v, [](int64_t x) { return x / 2; }), [=](int64_t x) { return x % (k + 1) == 0; }), true);
        },
        [](Numbers s, int64_t k) {
          const auto some = filter([k](auto x) { return x % (k + 1) == 0; }, map([](auto x) { return x / 2; }, s));
          return below_prime(scan_incl(plus, int64_t{0}, some));
        }),
    step(
        "sort", [](Values v, int64_t) { return in_order(v); }, [](Numbers s, int64_t) { return sort(s); }),
    step(
        "rotate",
        [](Values v, int64_t k) {
          if (!v.empty()) std::rotate(v.begin(), v.begin() + k % int64_t(v.size()), v.end());
          return v;
        },
        [](Numbers s, int64_t k) { return rotate(s, k); }),
    step(
        "minus the total",
        [](Values v, int64_t) {
          const int64_t total = std::accumulate(v.begin(), v.end(), int64_t{0});
          return mapped(v, [=](int64_t x) { return (x - total) % prime; });
        },
        [](Numbers s, int64_t) { return map([total = sum(s)](auto x) { return (x - total) % prime; }, s); }),
    step(
        "scan of segments", [](Values v, int64_t k) { return by_parts(v, k, [](const Values& part) { return prefixes(part, true); }); },
        [](Numbers s, int64_t k) { return below_prime(flatten(scan_incl(plus, int64_t{0}, chunks(s, k)))); }),
    step(
        "sums of filtered segments",
        [](Values v, int64_t k) {
          return by_parts(v, k, [](const Values& part) {
            const Values even = kept(part, [](int64_t x) { return x % 2 == 0; });
            return Values{std::accumulate(even.begin(), even.end(), int64_t{0}) % prime};
          });
        },
        [](Numbers s, int64_t k) {
          return below_prime(reduce(plus, int64_t{0}, filter([](auto x) { return x % 2 == 0; }, chunks(s, k))));
        }),
    step(
        "the largest of each segment",
        [](Values v, int64_t k) {
          return by_parts(v, k, [](const Values& part) { return Values{std::ranges::max_element(part) - part.begin()}; });
        },
        [](Numbers s, int64_t k) { return map_segments([](const auto& part) { return argmax(part); }, chunks(s, k)); }),
    step(
        "collect of sort",
        [](Values v, int64_t k) {
          std::map<int64_t, Values> groups;
          for (int64_t x : in_order(v)) groups[x % k].push_back(x);
          Values all;
          for (const auto& [key, group] : groups) all.insert(all.end(), group.begin(), group.end());
          return all;
        },
        [](Numbers s, int64_t k) { return flatten(group_by([k](auto x) { return x % k; }, sort(s)).values); }),
    step(
        "inject of update",
        [](Values v, int64_t k) {
          if (v.empty()) return v;
          v[0] = k;
          const Values from = v;
          for (size_t i = 0; i < std::min<size_t>(v.size(), 100); i++) v[i * size_t(k) % v.size()] = from[i] + 1;
          return v;
        },
        [](Numbers s, int64_t k) {
          const int64_t n = s.size();
          if (n == 0) return s;
          const auto updated = update(s, 0, k);
          return inject(updated,
                        map_idx([=](auto i, auto x) { return std::pair(i * k % n, x + 1); }, take(updated, std::min<int64_t>(n, 100))));
        }),
};

}  // namespace

TEST(random_chains) {
  std::mt19937 random(17);
  auto pick = [&](int64_t n) { return int64_t(random() % uint64_t(n)); };
  const std::vector<int64_t> sizes{0, 1, 63, 64, 1023, 1024, 1025, 4095, 4097, 65537};
  for (int program = 0; program < 300; program++) {
    std::vector<Both> stages;
    Values first = numbers<int64_t>(sizes[size_t(pick(int64_t(sizes.size())))]);
    stages.push_back({first, Numbers(first)});
    std::string chain = std::to_string(first.size());
    const int64_t n_steps = 2 + pick(5);
    for (int64_t j = 0; j < n_steps; j++) {
      const Step& next = steps[size_t(pick(int64_t(steps.size())))];
      stages.push_back(next.apply(stages.back(), 1 + pick(40)));
      chain += std::string(", ") + next.name;
      if (pick(4) == 0) stages.back().found.force(), chain += " (forced)";
    }
    const int64_t order = pick(3);
    if (order == 0) {
      std::vector<Numbers> all;
      for (const auto& stage : stages) all.push_back(stage.found);
      force(all);
    }
    if (order == 1) std::ranges::reverse(stages);
    bool agrees = true;
    for (const auto& stage : stages) {
      const int64_t total = std::accumulate(stage.right.begin(), stage.right.end(), int64_t{0});
      if (pick(2) == 0) agrees = agrees && sum(stage.found).get() == total && length(stage.found).get() == int64_t(stage.right.size());
      if (pick(2) == 0 || order == 2) agrees = agrees && stage.found.to_vector() == stage.right;
    }
    if (!agrees) std::printf("program %d: %s\n", program, chain.c_str());
    CHECK(agrees);
  }
}
