// Functions of jit: their values next to those of the untraced function, the number of traces, errors, and memory.
#include <atomic>
#include <numeric>
#include <thread>

#include "../common.h"

using namespace warpfold;

namespace {

Context context() { return default_context(); }
int64_t live() { return context().memory().live; }

template <class S> void check_equal(const S& actual, const S& expected) { CHECK_EQ(actual.to_vector(), expected.to_vector()); }

// The message of the exception that f() throws, which must be an E.
template <class E, class F> std::string message_of(const F& f) {
  try {
    f();
  } catch (const E& e) { return e.what(); }
  return "no error";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(values_and_traces_by_length) {
  int calls = 0;
  auto f = [&](const Seq<int>& s) {
    calls++;
    return scan_incl(plus, 0, map([](auto x) { return 3 * x + 1; }, s));
  };
  auto traced = jit(f);
  for (int round = 0; round < 3; round++)
    for (int64_t n : lengths) {
      const Seq<int> s(numbers(n));
      check_equal(traced(s), f(s));
      const Seq<int> other = rev(s);  // delayed
      check_equal(traced(other), f(other));
    }
  calls = 0;
  for (int64_t n : lengths) traced(Seq<int>(numbers(n)));
  CHECK_EQ(calls, 0);
}

TEST(numbers_are_arguments_and_captured_numbers_are_constants) {
  int calls = 0;
  float captured = 2;
  auto traced = jit([&](const auto& s, auto rate, auto offset) {
    calls++;
    return map([=, k = captured](auto x) { return x * rate + cast<float>(offset) * k; }, s);
  });
  const Seq<float> s(numbers<float>(5000));
  for (int k = 0; k < 10; k++) {
    captured = static_cast<float>(2 + k);  // not seen: it was 2 when the function was traced
    const float rate = 0.25f * static_cast<float>(k);
    check_equal(traced(s, rate, k), map([=](auto x) { return x * rate + static_cast<float>(2 * k); }, s));
  }
  CHECK_EQ(calls, 1);
  check_equal(traced(s, Scalar<float>(3), reduce(plus, 0, Seq{1, 2})), map([](auto x) { return x * 3 + 6; }, s));
  CHECK_EQ(calls, 1);
}

TEST(numbers_of_other_types_are_other_traces) {
  int calls = 0;
  auto traced = jit([&](const Seq<int>& s, auto k) {
    calls++;
    return map([=](auto x) { return x * k; }, s);
  });
  const Seq<int> s(numbers(100));
  const Seq<int> by_int = traced(s, 3);
  const Seq<double> by_double = traced(s, 0.5);
  check_equal(by_int, map([](auto x) { return x * 3; }, s));
  check_equal(by_double, map([](auto x) { return x * 0.5; }, s));
  CHECK_EQ(calls, 2);
}

TEST(several_results_of_every_kind) {
  struct Both {
    Seq<int> kept;
    Scalar<int64_t> number;
  };
  auto f = [](const Seq<int>& s, const std::vector<Seq<int>>& more) {
    auto kept = filter([](auto x) { return x % 3 == 0; }, s);
    std::vector<Seq<int>> sums;
    for (const Seq<int>& each : more) sums.push_back(map([](auto a, auto b) { return a + 2 * b; }, s, each));
    return std::tuple{Both{kept, length(kept)}, sums, minmax(s), s};
  };
  auto traced = jit(f);
  for (int64_t n : lengths) {
    if (n == 0) continue;
    const Seq<int> s(numbers(n)), r = rev(s);
    for (size_t count : {0, 1, 3}) {
      const std::vector<Seq<int>> more(count, r);
      const auto [both, sums, range, same] = traced(s, more);
      const auto [both_, sums_, range_, same_] = f(s, more);
      CHECK_EQ(both.number.get(), both_.number.get());
      CHECK_EQ(both.kept.known_size(), both.number.get());
      check_equal(both.kept, both_.kept);
      CHECK_EQ(sums.size(), count);
      for (size_t k = 0; k < count; k++) check_equal(sums[k], sums_[k]);
      CHECK(range.get() == range_.get());
      CHECK(same.raw() == s.raw());
      CHECK(sums.empty() || sums[0].is_manifest());
    }
  }
}

TEST(vectors_of_other_lengths_are_other_traces) {
  auto difference = jit([](const std::vector<Seq<int>>& a, const std::vector<Seq<int>>& b) {
    return map([](auto x, auto y) { return x - y; }, a.back(), b.front());
  });
  const Seq<int> x{1, 2}, y{10, 20}, z{100, 200};
  for (int k = 0; k < 2; k++) {
    check_equal(difference(std::vector{x}, std::vector{y, z}), Seq{-9, -18});
    check_equal(difference(std::vector{x, y}, std::vector{z}), Seq{-90, -180});
  }
}

TEST(filtered_arguments) {
  int calls = 0;
  auto traced = jit([&](const Seq<int>& s) { return calls++, std::pair{reduce(plus, 0, s), length(s)}; });
  for (int modulus : {2, 3, 2, 3}) {
    const Seq<int> kept = filter([=](auto x) { return x % modulus == 0; }, Seq<int>(numbers(70001)));
    const auto [sum, number] = traced(kept);
    CHECK_EQ(sum.get(), reduce(plus, 0, kept).get());
    CHECK_EQ(number.get(), kept.size());
  }
  CHECK_EQ(calls, 2);
}

TEST(captured_sequences) {
  const Seq<int> weights(numbers(1000)), positions = iota<int>(1000);  // one is computed, one is not
  auto f = [&](const Seq<int>& s) { return map([&](auto x) { return weights[x] * 5 + positions[x]; }, s); };
  auto traced = jit(f);
  for (int shift : {0, 1, 500}) {
    const Seq<int> s = tabulate([=](auto i) { return cast<int>((i * 7 + shift) % 1000); }, 30001);
    check_equal(traced(s), f(s));
  }
  CHECK(!positions.is_manifest());
  auto constant = jit([&](const Seq<int>&) { return weights; });
  CHECK(constant(positions).raw() == weights.raw());
}

TEST(arrays_and_linear_algebra) {
  auto f = [](const Array<float, 2>& w, const Array<float, 2>& x, Scalar<float> rate) {
    auto y = matmul(w, x);
    auto centered = y - mean(y, 0);
    return std::pair{centered * rate, sum(centered * centered, 1)};
  };
  auto traced = jit(f);
  for (int64_t n : {1, 17, 64}) {
    const Seq<float> values(numbers<float>(n * n));
    const Array<float, 2> w = reshape(values, n, n), x = t(w);
    const auto [y, s] = traced(w, x, 0.5f);
    const auto [y_, s_] = f(w, x, 0.5f);
    CHECK_EQ(y.to_vector(), y_.to_vector());
    CHECK_EQ(s.to_vector(), s_.to_vector());
    CHECK_EQ(y.shape(), y_.shape());
  }
}

TEST(keys_are_arguments) {
  int calls = 0;
  auto traced = jit([&](const random::Key& key) { return calls++, random::uniform<float>(key, 4097); });
  for (uint64_t seed : {1, 2, 3}) check_equal(traced(random::Key(seed)), random::uniform<float>(random::Key(seed), 4097));
  check_equal(traced(random::Key(1).split(7)), random::uniform<float>(random::Key(1).split(7), 4097));
  CHECK_EQ(calls, 1);
}

TEST(views_of_an_argument_do_not_change_it) {
  const std::vector<int> values = numbers(70001);
  const Seq<int> s(values);
  auto traced = jit([](const Seq<int>& x) {
    auto base = map([](auto v) { return v + 1; }, x);
    auto scattered = scatter(base, Seq{0, 5, 70000}, Seq{-1, -2, -3});
    return std::tuple{take(x, 10), drop(x, 69999), base, scattered, scatter(x, Seq{1}, Seq{99})};
  });
  for (int k = 0; k < 3; k++) {
    const auto [first, last, base, scattered, changed] = traced(s);
    CHECK_EQ(first.to_vector(), std::vector(values.begin(), values.begin() + 10));
    CHECK_EQ(last.to_vector(), std::vector(values.end() - 2, values.end()));
    CHECK_EQ(base[0].get(), values[0] + 1);
    CHECK_EQ(base[70000].get(), values[70000] + 1);
    CHECK_EQ(scattered[0].get(), -1);
    CHECK_EQ(scattered[70000].get(), -3);
    CHECK_EQ(scattered[4].get(), values[4] + 1);
    CHECK_EQ(changed[1].get(), 99);
    CHECK_EQ(s.to_vector(), values);
  }
}

TEST(deep_programs_run_in_stages_and_free_what_they_have_used) {
  constexpr int64_t n = 20011;
  auto f = [](Seq<int> s) {
    for (int k = 0; k < 400; k++) {
      s = map([k](auto x) { return (x ^ (x << 3)) + k; }, s);
      if (k % 5 == 0) s = scan_incl(plus, 0, s);
    }
    return s;
  };
  auto traced = jit(f);
  for (int shift : {0, 1, 2}) {
    const Seq<int> s = map([=](auto x) { return x + shift; }, Seq<int>(numbers(n))).force();
    const Seq<int> expected = f(s).force();
    context().reset_peak();
    const int64_t before = live();
    const Seq<int> result = traced(s);
    CHECK(context().memory().peak - before < 16 * n * 4);
    check_equal(result, expected);
  }
}

TEST(a_function_that_forces_is_an_error) {
  auto traced = jit([](const Seq<int>& s) { return map([k = reduce(plus, 0, s).get()](auto x) { return x + k; }, s); });
  const Seq<int> s(numbers(100));
  const std::string message = message_of<ArgumentError>([&] { traced(s); });
  CHECK(contains(message, "parameter of a program"));
  CHECK_EQ(message_of<ArgumentError>([&] { traced(s); }), message);
  CHECK_EQ(reduce(plus, 0, s).get(), std::accumulate(s.begin(), s.end(), 0));
  // A sequence that is kept from a trace has no elements.
  Seq<int> leaked;
  auto leaks = jit([&](const Seq<int>& x) {
    leaked = x;
    return x;
  });
  leaks(s);
  CHECK(contains(message_of<ArgumentError>([&] { leaked.to_vector(); }), "parameter of a program"));
  CHECK(contains(
      message_of<ArgumentError>([&] { jit([&](const Seq<int>& x) { return map([](auto a, auto b) { return a + b; }, x, leaked); })(s); }),
      "expected all parameters"));
}

TEST(errors_of_a_run) {
  const Seq<int> table(numbers(100));
  auto traced = jit([&](const Seq<int>& at) { return map([&](auto i) { return table[i]; }, at); });
  const Seq<int> good = iota<int>(100), bad = map([](auto i) { return i + 40; }, good);
  check_equal(traced(good), table);
  CHECK(contains(message_of<RangeError>([&] { traced(bad); }), "index 100"));
  check_equal(traced(good), table);
  // The error names the wrong offset, whether the offsets are an argument or computed from one.
  auto sums = jit([&](const Segments<int>& s) { return reduce(plus, 0, s); });
  CHECK_EQ(sums(Segments<int>(table, {0, 50, 100})).size(), 2);
  CHECK(contains(message_of<RangeError>([&] { sums(Segments<int>(table, {0, 60, 50, 100})); }), "offset 2 of segments is 50"));
  auto scaled =
      jit([&](const Seq<int64_t>& offsets) { return reduce(plus, 0, Segments<int>(table, map([](auto x) { return x * 10; }, offsets))); });
  CHECK(contains(message_of<RangeError>([&] { scaled(Seq<int64_t>{0, 6, 5, 10}); }), "offset 2 of segments is 50"));
  const Context other("cpu");
  auto two = jit([](const Seq<int>& a, const Seq<int>& b) { return map([](auto x, auto y) { return x + y; }, a, b); });
  CHECK_EQ(message_of<ArgumentError>([&] { two(Seq<int>({1}, other), Seq{1}); }).empty(), false);
  CHECK_EQ(message_of<SizeError>([&] { two(Seq{1, 2}, Seq{1}); }).empty(), false);
  check_equal(two(Seq{1, 2}, Seq{1, 3}), Seq{2, 5});
  check_equal(two(Seq<int>({1, 2}, other), Seq<int>({1, 3}, other)), Seq{2, 5});
}

TEST(a_traced_function_within_another) {
  int calls = 0;
  auto inner = jit([&](const Seq<int>& s, Scalar<int> k) { return calls++, map([=](auto x) { return x * k; }, s); });
  auto outer = jit([&](const Seq<int>& s) { return reduce(plus, 0, inner(inner(s, 2), 3)); });
  const Seq<int> s(numbers(3000));
  CHECK_EQ(outer(s).get(), 6 * reduce(plus, 0, s).get());
  CHECK_EQ(outer(s).get(), 6 * reduce(plus, 0, s).get());
  CHECK_EQ(calls, 2);
  // Within a function of elements.
  auto total = jit([](const Seq<int>& part) { return reduce(plus, 0, part); });
  const auto sums = tabulate([&](auto i) { return total(subseq(s, i * 30, 30)); }, 100);
  check_equal(sums, tabulate([&](auto i) { return reduce(plus, 0, subseq(s, i * 30, 30)); }, 100));
}

TEST(many_threads_call_one_function) {
  std::atomic<int> calls = 0;
  auto traced = jit([&](const Seq<int>& s, Scalar<int> k) { return calls++, reduce(plus, 0, map([=](auto x) { return x * k; }, s)); });
  std::vector<Seq<int>> all;
  for (int64_t n : {10, 1000, 70001}) all.push_back(Seq<int>(numbers(n)));
  std::vector<int> sums;
  for (const auto& s : all) sums.push_back(reduce(plus, 0, s).get());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; t++)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 200; k++) {
        const size_t which = static_cast<size_t>(t + k) % all.size();
        wrong += traced(all[which], k).get() != sums[which] * k;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
  CHECK(calls <= 24);  // threads that meet a shape at once may trace it more than once
}

TEST(a_plan_and_its_memory) {
  const int64_t before = live();
  {
    const Seq<float> s(numbers<float>(100000));
    auto traced = jit([](const Seq<float>& x) { return reduce(plus, 0.f, map([](auto v) { return v * v; }, x)); });
    const std::string plan = traced.explain(s);
    CHECK(contains(plan, "1 kernel"));
    CHECK(contains(plan, "400 kB read"));
    CHECK_EQ(traced(s).get(), reduce(plus, 0.f, map([](auto v) { return v * v; }, s)).get());
    CHECK(contains(explain(traced(s)), "computed by a kernel"));
    for (int64_t n = 1; n < 200; n++)
      CHECK_EQ(traced(Seq<float>(std::vector(static_cast<size_t>(n), 2.f))).get(), 4 * static_cast<float>(n));
  }
  CHECK_EQ(live(), before);
}

TEST(a_descent_by_a_cell) {
  auto step = jit([](const Seq<float>& w, const Seq<float>& target, Scalar<float> rate) {
    return map([=](auto a, auto b) { return a - rate * (a - b); }, w, target);
  });
  const Seq<float> target(numbers<float>(1000));
  Cell weights(Seq<float>(std::vector<float>(1000)));
  for (int k = 0; k < 60; k++) weights.set(step(weights.get(), target, 0.5f));
  CHECK_EQ(weights.get().to_vector(), target.to_vector());
}
