// The engine on handwritten kernels, against plain loops.
#include "engine.h"

#include <algorithm>
#include <numeric>

#include "check.h"

namespace wf::cpu {
namespace {

template <class Body> void for_workers_and_lengths(Body body) {
  for (int workers : {1, 2, 3}) {
    Workers limit(workers);
    for (int64_t n : lengths) body(n);
  }
}

TEST(map_stores) {
  for_workers_and_lengths([](int64_t n) {
    auto x = random_values<int32_t>(n, 1, -50, 50);
    Job job;
    job.input(x);
    uint32_t doubled = job.output<int32_t>(n), half = job.output<double>(n);
    Body f;
    Id v = f.at<int32_t>(0);
    job.kernel.body = f.b.finish({f.b.apply(Op::add_, {v, v}), f.b.apply(Op::mul_, {v, f.b.constant(0.5)})});
    job.kernel.stores = {{0, doubled}, {1, half}};
    job.run(n);
    auto twice = job.values<int32_t>(doubled, n);
    auto halves = job.values<double>(half, n);
    for (int64_t i = 0; i < n; i++) CHECK(twice[i] == 2 * x[i] && halves[i] == 0.5 * x[i]);
  });
}

// Runs in which each comparison of the index has one outcome may be longer than a block, in native code.
TEST(choices_by_the_index) {
  for_workers_and_lengths([](int64_t n) {
    constexpr int64_t row = 300;
    auto x = random_values<int32_t>(n, 6, -50, 50);
    Job job;
    job.input(x);
    uint32_t stencil = job.output<int32_t>(n), joined = job.output<int32_t>(n);
    const std::string above = "(where (ge i 300:i64) (at $0 (sub i 300:i64)) 7:i32)";
    const std::string below = "(where (lt i " + std::to_string(n - row) + ":i64) (at $0 (add i 300:i64)) 9:i32)";
    const std::string both = "(where (lt i 5000:i64) (mul (at $0 i) 3:i32) (sub (at $0 (sub i 5000:i64)) 1:i32))";
    job.kernel.body = parse("(fn ((i i64)) (tuple (sub " + above + " (mul " + below + " 2:i32)) " + both + "))", {{Type::I32}});
    job.kernel.stores = {{0, stencil}, {1, joined}};
    job.run(n);
    auto differences = job.values<int32_t>(stencil, n), parts = job.values<int32_t>(joined, n);
    for (int64_t i = 0; i < n; i++) {
      CHECK_EQ(differences[i], (i >= row ? x[i - row] : 7) - 2 * (i < n - row ? x[i + row] : 9));
      CHECK_EQ(parts[i], i < 5000 ? 3 * x[i] : x[i - 5000] - 1);
    }
  });
}

// Stores of elements in another order, alone (in runs longer than a block) and together with each other and with a result that is computed.
template <class T> void copies(int64_t n) {
  const int64_t most = std::max<int64_t>(2 * n, 1);
  auto x = random_values<T>(most, 7, 0, 100);
  const std::string number = std::to_string(n), half = std::to_string(n / 3);
  const std::vector<std::string> texts = {
      "(load $0 (sub " + number + ":i64 (add i 1:i64)))", "(load $0 (mul i 2:i64))",
      "(where (lt i " + half + ":i64) (load $0 i) (load $0 (sub " + std::to_string(2 * n - 1) + ":i64 i)))",
      "(where (ge i " + half + ":i64) (load $0 (sub i " + half + ":i64)) (load $0 (add i 1:i64)))"};
  auto expected = [&](size_t text, int64_t i) {
    const int64_t other = i < n / 3 ? i : 2 * n - 1 - i, joined = i >= n / 3 ? i - n / 3 : i + 1;
    return x[size_t(text == 0 ? n - 1 - i : text == 1 ? 2 * i : text == 2 ? other : joined)];
  };
  auto run = [&](const std::vector<size_t>& chosen, bool with_sum) {
    Job job;
    job.input(x);
    std::string all;
    for (size_t text : chosen) all += texts[text] + " ";
    if (with_sum) all += "(eq " + texts[chosen[0]] + " (load $0 i))";
    job.kernel.body = parse("(fn ((i i64)) (tuple " + all + "))", {{type_of<T>}});
    for (uint32_t k = 0; k < chosen.size(); k++) job.kernel.stores.push_back({k, job.output<T>(n)});
    job.kernel.stores.push_back({0, job.output<T>(n)});  // the same result once more
    if (with_sum) job.kernel.stores.push_back({uint32_t(chosen.size()), job.output<bool>(n)});
    job.run(n);
    for (size_t k = 0; k <= chosen.size(); k++) {
      const size_t text = k < chosen.size() ? chosen[k] : chosen[0];
      auto values = job.values<T>(uint32_t(k), n);
      bool right = true;
      for (int64_t i = 0; i < n; i++) right = right && values[size_t(i)] == expected(text, i);
      CHECK(right);
    }
    if (!with_sum) return;
    auto equal = job.values<bool>(uint32_t(chosen.size() + 1), n);
    bool right = true;
    for (int64_t i = 0; i < n; i++) right = right && equal[size_t(i)] == (expected(chosen[0], i) == x[size_t(i)]);
    CHECK(right);
  };
  for (size_t text = 0; text < texts.size(); text++) run({text}, false), run({text}, true);
  run({0, 1, 2, 3}, false);
}
TEST(copies_are_written_to_the_outputs) {
  for_workers_and_lengths([](int64_t n) {
    if (n > 200'000) return;
    copies<int32_t>(n), copies<uint8_t>(n), copies<double>(n);
  });
  copies<float>(1'000'007);
}

TEST(several_reductions_share_a_kernel) {
  for_workers_and_lengths([](int64_t n) {
    auto x = random_values<int32_t>(n, 2, -1000, 1000);
    Job job;
    job.input(x);
    Body f;
    Id v = f.at<int32_t>(0), positive = f.b.apply(Op::gt_, {v, f.b.constant(int32_t(0))});
    job.kernel.body = f.b.finish({v, positive});
    FnRef add = op_fn(Op::add_, Type::I32), max = op_fn(Op::max_, Type::I32), min = op_fn(Op::min_, Type::I32);
    job.kernel.reductions = {
        {add, {0}, {0}}, {max, {to_bits(int32_t(-7))}, {0}}, {add, {0}, {0}, 1}, {min, {to_bits(int32_t(99))}, {0}, 1}};
    job.finish_with({Type::I32, Type::I32, Type::I32, Type::I32});
    job.run(n);
    int32_t sum = 0, most = -7, positive_sum = 0, least = 99;  // from the identities given
    for (int32_t value : x) {
      sum += value;
      most = std::max(most, value);
      if (value > 0) positive_sum += value, least = std::min(least, value);
    }
    CHECK_EQ(job.scalar<int32_t>(0), sum);
    CHECK_EQ(job.scalar<int32_t>(1), most);
    CHECK_EQ(job.scalar<int32_t>(2), positive_sum);
    CHECK_EQ(job.scalar<int32_t>(3), least);
  });
}

// The composition of x -> a x + b and x -> c x + d: c (a x + b) + d. Associative, not commutative.
FnRef affine() { return parse("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (mul c a) (add (mul c b) d)))"); }

TEST(reduction_by_a_function_that_does_not_commute) {
  for_workers_and_lengths([](int64_t n) {
    auto a = random_values<int32_t>(n, 3, -3, 3), b = random_values<int32_t>(n, 4, -9, 9);
    for (int32_t& value : a) value |= 1;
    Job job;
    job.input(a);
    job.input(b);
    Body f;
    Id x = f.at<int32_t>(0), y = f.at<int32_t>(1);
    job.kernel.body = f.b.finish({x, y, f.b.apply(Op::lt_, {y, f.b.constant(int32_t(5))})});
    job.kernel.reductions = {{affine(), {1, 0}, {0, 1}}, {affine(), {1, 0}, {0, 1}, 2}};
    job.finish_with({Type::I32, Type::I32, Type::I32, Type::I32});
    job.run(n);
    uint32_t p = 1, q = 0, masked_p = 1, masked_q = 0;
    for (int64_t i = 0; i < n; i++) {
      p = uint32_t(a[i]) * p, q = uint32_t(a[i]) * q + uint32_t(b[i]);
      if (b[i] < 5) masked_p = uint32_t(a[i]) * masked_p, masked_q = uint32_t(a[i]) * masked_q + uint32_t(b[i]);
    }
    CHECK_EQ(job.scalar<uint32_t>(0), p);
    CHECK_EQ(job.scalar<uint32_t>(1), q);
    CHECK_EQ(job.scalar<uint32_t>(2), masked_p);
    CHECK_EQ(job.scalar<uint32_t>(3), masked_q);
  });
}

// Stores exclusive and inclusive prefixes and a map of both, reduces the map, and keeps the total.
TEST(scan_with_all_kinds_of_use) {
  for_workers_and_lengths([](int64_t n) {
    auto x = random_values<int32_t>(n, 5, -50, 50);
    Job job;
    job.input(x);
    uint32_t before = job.output<int32_t>(n), with = job.output<int32_t>(n), mapped = job.output<int32_t>(n);
    Body f;
    Id exclusive = f.b.param(Type::I32), inclusive = f.b.param(Type::I32), v = f.at<int32_t>(0);
    Id sum = f.b.apply(Op::add_, {f.b.apply(Op::mul_, {exclusive, inclusive}), v});
    job.kernel.body = f.b.finish({v, exclusive, inclusive, sum});
    job.kernel.scan = {{op_fn(Op::add_, Type::I32), {0}, {0}}};
    job.kernel.stores = {{1, before}, {2, with}, {3, mapped}};
    job.kernel.reductions = {{op_fn(Op::max_, Type::I32), {to_bits(INT32_MIN)}, {3}}};
    job.finish_with({Type::I32, Type::I32});
    job.run(n);
    auto e = job.values<int32_t>(before, n), p = job.values<int32_t>(with, n), s = job.values<int32_t>(mapped, n);
    uint32_t running = 0;
    int32_t most = INT32_MIN;
    bool right = true;
    for (int64_t i = 0; i < n; i++) {
      uint32_t next = running + uint32_t(x[i]);
      uint32_t value = running * next + uint32_t(x[i]);
      right = right && e[i] == int32_t(running) && p[i] == int32_t(next) && s[i] == int32_t(value);
      most = std::max(most, int32_t(value));
      running = next;
    }
    CHECK(right);
    CHECK_EQ(job.scalar<int32_t>(0), most);
    CHECK_EQ(job.scalar<uint32_t>(1), running);
  });
}

// The prefixes are two outputs as they are, and a third one is computed from them.
template <class T> void stored_prefixes(int64_t n) {
  auto x = random_values<T>(n, 8, -3, 3);
  for (bool is_inclusive : {false, true}) {
    Job job;
    job.input(x);
    const uint32_t first = job.output<T>(n), second = job.output<T>(n), other = job.output<T>(n);
    Body f;
    Id before = f.b.param(type_of<T>), with = f.b.param(type_of<T>), v = f.at<T>(0);
    Id prefix = is_inclusive ? with : before;
    job.kernel.body = f.b.finish({v, prefix, f.b.apply(Op::add_, {prefix, v})});
    job.kernel.scan = {{op_fn(Op::add_, type_of<T>), {to_bits(T(0))}, {0}}};
    job.kernel.stores = {{1, first}, {1, second}, {2, other}};
    job.run(n);
    const auto a = job.values<T>(first, n), b = job.values<T>(second, n), c = job.values<T>(other, n);
    T running = 0;
    bool right = true;
    for (size_t i = 0; i < size_t(n); i++) {
      const T expected = is_inclusive ? T(running + x[i]) : running;
      right = right && a[i] == expected && b[i] == expected && c[i] == T(expected + x[i]);
      running = T(running + x[i]);
    }
    CHECK(right);
  }
}
TEST(prefixes_are_written_to_the_outputs) {
  for_workers_and_lengths([](int64_t n) { stored_prefixes<int32_t>(n), stored_prefixes<int64_t>(n), stored_prefixes<double>(n); });
}

TEST(scan_by_a_tuple_function) {
  for_workers_and_lengths([](int64_t n) {
    auto a = random_values<int32_t>(n, 6, -3, 3), b = random_values<int32_t>(n, 7, -9, 9);
    for (int32_t& value : a) value |= 1;
    Job job;
    job.input(a);
    job.input(b);
    uint32_t before = job.output<int32_t>(n), with = job.output<int32_t>(n);
    Body f;
    f.b.param(Type::I32);
    Id before_q = f.b.param(Type::I32), with_p = f.b.param(Type::I32);
    f.b.param(Type::I32);
    job.kernel.body = f.b.finish({f.at<int32_t>(0), f.at<int32_t>(1), before_q, with_p});
    job.kernel.scan = {{affine(), {1, 0}, {0, 1}}};
    job.kernel.stores = {{2, before}, {3, with}};
    job.finish_with({Type::I32, Type::I32});
    job.run(n);
    auto q_before = job.values<uint32_t>(before, n), p_with = job.values<uint32_t>(with, n);
    uint32_t p = 1, q = 0;
    bool right = true;
    for (int64_t i = 0; i < n; i++) {
      right = right && q_before[i] == q;
      p = uint32_t(a[i]) * p, q = uint32_t(a[i]) * q + uint32_t(b[i]);
      right = right && p_with[i] == p;
    }
    CHECK(right);
    CHECK(job.scalar<uint32_t>(0) == p && job.scalar<uint32_t>(1) == q);
  });
}

// A scan of sums whose prefixes are read by reductions by law, and a store that reads no prefix.
struct LawJob : Job {
  std::vector<int32_t> x;
  LawJob(std::vector<int32_t> values, bool inclusive) : x(std::move(values)) {
    input(x);
    const int64_t n = int64_t(x.size());
    uint32_t copy = output<int32_t>(n);
    Body f;
    Id exclusive = f.b.param(Type::I32), with = f.b.param(Type::I32), v = f.at<int32_t>(0);
    kernel.body = f.b.finish({v, inclusive ? with : exclusive, f.b.apply(Op::add_, {v, f.b.constant(int32_t(1))})});
    kernel.scan = {{op_fn(Op::add_, Type::I32), {0}, {0}, true}};
    kernel.stores = {{2, copy}};
    kernel.reductions = {{op_fn(Op::min_, Type::I32), {to_bits(INT32_MAX)}, {1}, no_mask, true, 0},
                         {op_fn(Op::add_, Type::I32), {0}, {2}},
                         {op_fn(Op::max_, Type::I32), {to_bits(INT32_MIN)}, {1}, no_mask, true, 0}};
    finish_with({Type::I32, Type::I32, Type::I32, Type::I32});
  }
  void run_and_check(bool inclusive) {
    run(int64_t(x.size()));
    uint32_t running = 0, sum = 0;
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int32_t value : x) {
      uint32_t next = running + uint32_t(value);
      int32_t prefix = int32_t(inclusive ? next : running);
      least = std::min(least, prefix), most = std::max(most, prefix);
      running = next, sum += uint32_t(value) + 1;
    }
    CHECK_EQ(scalar<int32_t>(0), least);
    CHECK_EQ(scalar<uint32_t>(1), sum);
    CHECK_EQ(scalar<int32_t>(2), most);
    CHECK_EQ(scalar<uint32_t>(3), running);
    auto copy = values<int32_t>(0, int64_t(x.size()));
    CHECK(std::ranges::equal(copy, x, [](int32_t got, int32_t from) { return got == from + 1; }));
  }
};

TEST(reductions_of_prefixes_by_law) {
  for (bool inclusive : {false, true})
    for_workers_and_lengths([&](int64_t n) {
      LawJob(random_values<int32_t>(n, 8, -1, 1), inclusive).run_and_check(inclusive);
      LawJob(random_values<int32_t>(n, 9, -100000, 100001), inclusive).run_and_check(inclusive);
    });
}

TEST(sums_that_wrap_are_computed_by_chained_carries) {
  for (bool inclusive : {false, true})
    for_workers_and_lengths([&](int64_t n) {
      LawJob(random_values<int32_t>(n, 10, 1 << 29, 1 << 30), inclusive).run_and_check(inclusive);
      LawJob(std::vector<int32_t>(size_t(n), -(1 << 16)), inclusive).run_and_check(inclusive);
    });
}

TEST(a_law_that_has_no_form_in_registers) {
  for_workers_and_lengths([](int64_t n) {  // the sum of prefix products
    auto x = random_values<uint32_t>(n, 11, 1, 5);
    Job job;
    job.input(x);
    Body f;
    f.b.param(Type::U32);
    Id inclusive = f.b.param(Type::U32);
    job.kernel.body = f.b.finish({f.at<uint32_t>(0), inclusive});
    job.kernel.scan = {{op_fn(Op::mul_, Type::U32), {1}, {0}, true}};
    job.kernel.reductions = {{op_fn(Op::add_, Type::U32), {0}, {1}, no_mask, true, 0}};
    job.finish_with({Type::U32, Type::U32});
    job.run(n);
    uint32_t product = 1, sum = 0;
    for (uint32_t value : x) product *= value, sum += product;
    CHECK_EQ(job.scalar<uint32_t>(0), sum);
    CHECK_EQ(job.scalar<uint32_t>(1), product);
  });
}

TEST(filter_of_several_columns_beside_other_sinks) {
  for_workers_and_lengths([](int64_t n) {
    auto x = random_values<int32_t>(n, 12, -50, 50);
    auto y = random_values<double>(n, 13, 0, 9);
    Job job;
    job.input(x);
    job.input(y);
    uint32_t kept_x = job.output<int32_t>(n), kept_y = job.output<double>(n), all = job.output<double>(n);
    uint32_t flags = job.output<bool>(n);
    Body f;
    Id v = f.at<int32_t>(0), w = f.at<double>(1);
    Id positive = f.b.apply(Op::gt_, {v, f.b.constant(int32_t(0))}), rare = f.b.apply(Op::eq_, {v, f.b.constant(int32_t(7))});
    job.kernel.body = f.b.finish({v, w, positive, rare});
    job.kernel.stores = {{1, all}};
    job.kernel.compactions = {{2, {0, 1}, {kept_x, kept_y}}, {3, {2}, {flags}}};
    job.kernel.reductions = {{op_fn(Op::add_, Type::I32), {0}, {0}}};
    job.finish_with({Type::I32, Type::I64, Type::I64});
    job.run(n);
    std::vector<int32_t> x_expected;
    std::vector<double> y_expected;
    int64_t sevens = 0;
    for (int64_t i = 0; i < n; i++) {
      if (x[i] > 0) x_expected.push_back(x[i]), y_expected.push_back(y[i]);
      sevens += x[i] == 7;
    }
    CHECK_EQ(job.counts[0], int64_t(x_expected.size()));
    CHECK_EQ(job.counts[1], sevens);
    CHECK(job.values<int32_t>(kept_x, job.counts[0]) == x_expected);
    CHECK(job.values<double>(kept_y, job.counts[0]) == y_expected);
    CHECK_EQ(job.values<double>(all, n), y);
    CHECK(job.values<bool>(flags, sevens) == std::vector<bool>(size_t(sevens), true));
    CHECK_EQ(job.scalar<int32_t>(0), std::accumulate(x.begin(), x.end(), 0));
    CHECK_EQ(job.scalar<int64_t>(1), job.counts[0]);
    CHECK_EQ(job.scalar<int64_t>(2), sevens);
  });
}

}  // namespace
}  // namespace wf::cpu
