// Gradients in programs of ordinary shape: by run and by function, in jit and outside, forced early and late, at corners, in threads; and errors.
#include <thread>

#include "checks.h"

using namespace gradcheck;

namespace {

// The example of the header.
const auto loss = [](const Array<float, 2>& x, const Seq<float>& y, const Seq<float>& w) {
  return sum(map([](auto p, auto t) { return softplus(p) - t * p; }, matmul(x, w), y));
};

struct Regression {
  Array<float, 2> x;
  Seq<float> y, w;
  std::vector<float> expected;  // the gradient by w, from its formula
  double value = 0;
};
Regression regression(int64_t rows, int64_t columns) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> in(-1, 1);
  std::vector<float> x(static_cast<size_t>(rows * columns)), y(static_cast<size_t>(rows)), w(static_cast<size_t>(columns));
  for (float& v : x) v = in(random);
  for (float& v : y) v = in(random) > 0 ? 1.f : 0.f;
  for (float& v : w) v = in(random);
  Regression r{reshape(Seq<float>(x), rows, columns), Seq<float>(y), Seq<float>(w), std::vector<float>(w.size()), 0};
  Vector gradient(w.size());
  for (size_t i = 0; i < y.size(); i++) {
    double p = 0;
    for (size_t j = 0; j < w.size(); j++) p += double(x[i * w.size() + j]) * w[j];
    r.value += std::log1p(std::exp(p)) - y[i] * p;
    for (size_t j = 0; j < w.size(); j++) gradient[j] += (1 / (1 + std::exp(-p)) - y[i]) * x[i * w.size() + j];
  }
  r.expected.assign(gradient.begin(), gradient.end());
  return r;
}
void expect_gradient(const std::vector<float>& found, const Regression& r) {
  CHECK_EQ(found.size(), r.expected.size());
  for (size_t k = 0; k < std::min(found.size(), r.expected.size()); k++)
    expect_close(found[k], r.expected[k], 1e-4, "the gradient of a regression");
}

wf_seq* gradient_by(wf_seq* value, wf_seq* variable) {
  wf_seq* out = nullptr;
  detail::check(wf_gradient(&value, nullptr, 1, &variable, 1, &out));
  return out;
}

template <class F> Vector gradient_at(const F& f, const Vector& x) { return elements_of(grad(f)(Seq<double>(x))); }

}  // namespace

TEST(logistic_regression) {
  const Regression r = regression(300, 7);
  const auto [value, gradient] = value_and_grad<2>(loss)(r.x, r.y, r.w);
  expect_close(value.get(), r.value, 1e-4, "the value");
  expect_gradient(gradient.to_vector(), r);
  const auto step = jit([](auto x, auto y, auto w) {
    auto [v, g] = value_and_grad<2>(loss)(x, y, w);
    return std::pair(v, map([](auto a, auto b) { return a - 0.1f * b; }, w, g));
  });
  for (int k = 0; k < 3; k++) {
    const auto [v, next] = step(r.x, r.y, r.w);
    expect_close(v.get(), r.value, 1e-4, "the value in jit");
    std::vector<float> found = next.to_vector();
    for (size_t j = 0; j < found.size(); j++) found[j] = (r.w.to_vector()[j] - found[j]) / 0.1f;
    expect_gradient(found, r);
  }
  const auto [by_x, by_w] = grad<0, 2>(loss)(r.x, r.y, r.w);
  expect_gradient(by_w.to_vector(), r);
  CHECK_EQ(by_x.extent(0), 300);
  expect_gradient(grad<2>(jit(loss))(r.x, r.y, r.w).to_vector(), r);
}

TEST(define_by_run) {
  const Regression r = regression(50, 4);
  const auto w = variable(r.w);
  const auto scores = matmul(r.x, w);
  scores.to_vector();  // computed in between: the history remains
  const auto value = sum(map([](auto p, auto t) { return softplus(p) - t * p; }, scores, r.y));
  value.get();
  expect_gradient(gradients(value, w).to_vector(), r);
  const auto [both, other] = gradients(value, w, variable(r.y));
  expect_gradient(both.to_vector(), r);
  CHECK_EQ(other.to_vector(), std::vector<float>(50));  // value does not depend on this variable
}

TEST(views_of_computed_variables) {
  const auto x = variable(Seq<double>(Vector{1, 2, 3, 4}));
  const auto squares = map([](auto a) { return a * a; }, x);
  squares.to_vector();
  const auto value = sum(take(squares, 2)) + drop(squares, 3)[0] + rev(squares)[0] + append(squares, squares)[5];
  CHECK_EQ(gradients(value, x).to_vector(), (Vector{2, 8, 0, 16}));
}

TEST(filters_that_were_computed) {
  const auto x = variable(Seq<double>(Vector{1, -2, 3, -4, 5}));
  const auto positive = filter([](auto a) { return a > 0.0; }, x);
  CHECK_EQ(positive.size(), 3);
  const auto joined = append(positive, positive);
  CHECK_EQ(gradients(sum(map([](auto a) { return a * a; }, joined)), x).to_vector(), (Vector{4, 0, 12, 0, 20}));
}

TEST(one_kernel) {
  const Seq<float> x(std::vector<float>(1000, 0.5f));
  const auto [value, gradient] = value_and_grad([](const auto& s) { return sum(map([](auto a) { return sin(a) * sin(a); }, s)); })(x);
  const std::string plan = explain(value, gradient);
  if (!contains(plan, "1 kernel\n")) check::fail(__FILE__, __LINE__, plan);
}

// Reads that the pass guards, since it does not know the index that a kernel reads at.
TEST(guards_that_always_hold_are_left_out) {
  const Regression r = regression(300, 7);
  const auto squares = [](const Array<float, 2>& x, const Seq<float>& w) { return sum(map([](auto p) { return p * p; }, matmul(x, w))); };
  const auto [value, gradient] = value_and_grad<1>(squares)(r.x, r.w);
  const auto blur = [](const Array<float, 2>& x, const Array<float, 2>& k) {
    return sum(map([](auto p) { return p * p; }, convolve(x, k)));
  };
  const auto [blurred, by_kernel] = value_and_grad<1>(blur)(r.x, r.x(slice(0, 3), slice(0, 3)));
  for (const std::string& plan : {explain(value, gradient), explain(blurred, by_kernel)})
    if (contains(plan, "where") || contains(plan, "(lt ")) check::fail(__FILE__, __LINE__, plan);
}

// Statistics of rows are stored; broadcasts of them are not.
TEST(a_layer_norm_is_five_kernels) {
  const auto norm = [](const Array<float, 2>& x, const Seq<float>& w) {
    return sum((x - mean(x, 1, keep)) / sqrt(variance(x, 1, keep) + 1e-5f) * w);
  };
  const auto [value, gradient] =
      value_and_grad(norm)(reshape(Seq<float>(std::vector<float>(300 * 256, 0.5f)), 300, 256), Seq<float>(std::vector<float>(256, 2.0f)));
  const std::string plan = explain(value, gradient);
  if (!contains(plan, "5 kernels\n")) check::fail(__FILE__, __LINE__, plan);
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) count++;
  return count;
}

// The positions of sorted elements, which the gradient follows, are sorted with the elements, and only if they are needed.
TEST(one_sort) {
  const Vector at = random_vector(1300, 5);
  Vector x = at;
  for (size_t k = 0; k < x.size(); k++) x[k] = k % 3 == 0 ? x[k] : std::round(4 * x[k]) / 4;  // ties
  const auto product = [](auto a, auto b) { return a * b; };
  const auto by_keys = [=](const Seq<double>& s) { return sum(map(product, sort(s), Seq<double>(at))); };
  const auto by_function = [=](const Seq<double>& s) {
    return sum(map(product, sort([](auto a, auto b) { return abs(a) < abs(b); }, s), Seq<double>(at)));
  };
  const auto merged = [=](const Seq<double>& s) {
    return sum(map([](auto a, auto i) { return a * cast<double>(i); }, merge(sort(s), sort(map([](auto a) { return a * a; }, s))),
                   iota<int64_t>(2 * s.size())));
  };
  const auto expect_sorts = [](const auto& f, const Vector& x, const std::string& routine, int sorts) {
    const auto v = variable(Seq<double>(x));
    const auto value = f(v);
    const std::string alone = explain(value);
    const auto gradient = gradients(value, v);
    const std::string both = explain(value, gradient);
    if (count_of(alone, routine) != sorts || contains(alone, "of 2 columns")) check::fail(__FILE__, __LINE__, alone);
    if (count_of(both, routine) != sorts) check::fail(__FILE__, __LINE__, both);
    const Vector together = [&] {
      const auto w = variable(Seq<double>(x));
      const auto y = f(w);
      const auto g = gradients(y, w);
      wait(y, g);
      return g.to_vector();
    }();
    value.get();  // early: the sort has moved the positions, too, which the gradient may ask for
    if (count_of(explain(gradient), routine) != 0) check::fail(__FILE__, __LINE__, explain(gradient));
    CHECK_EQ(gradient.to_vector(), together);
    CHECK_EQ(grad(f)(Seq<double>(x)).to_vector(), together);
    CHECK_EQ(jit(grad(f))(Seq<double>(x)).to_vector(), together);
  };
  expect_sorts(by_keys, x, ": sort(", 1);
  expect_sorts(by_function, x, ": sort(", 1);
  expect_sorts(merged, x, ": merge(", 1);
  for (const int64_t n : {0, 1, 2, 1300}) {
    const Vector part(at.begin(), at.begin() + n);
    const auto f = [&](const Seq<double>& s) { return sum(map(product, sort(s), Seq<double>(part))); };
    against_differences("sort", f, part);
    against_forward_mode(
        "sort", [](const Seq<double>& s) { return sort(s); }, part);
  }
  // A sequence from a filter, whose length is not known when it is sorted, has its own second sort.
  const auto filtered = [](const Seq<double>& s) {
    return sum(map([](auto a, auto i) { return a * cast<double>(i); }, sort(filter([](auto a) { return a > 0.1; }, s)), iota<int64_t>(3)));
  };
  CHECK_EQ(grad(filtered)(Seq<double>(Vector{3, -1, 1, 2, 0})).to_vector(), (Vector{2, 0, 0, 1, 0}));
}

// The cotangent of an element of each row, at a place that depends on data, is found by comparing places: nothing is scattered.
TEST(labels_of_rows) {
  const auto entropy = [](const Array<double, 2>& x, const Seq<int32_t>& labels) {
    return sum(logsumexp(x, 1)) - sum(tabulate([=](auto r) { return x(r, labels[r]); }, labels.size()));
  };
  for (const int64_t rows : {1, 3, 70})
    for (const int64_t columns : {1, 5, 40}) {
      std::vector<int32_t> labels(static_cast<size_t>(rows));
      for (size_t r = 0; r < labels.size(); r++) labels[r] = int32_t(r * r % size_t(columns));
      const Seq<int32_t> at(labels);
      const auto f = [&](const Seq<double>& s) { return entropy(reshape(s, rows, columns), at); };
      const Vector x = random_vector(rows * columns, 7);
      against_differences("cross entropy", f, x);
      second_order("cross entropy", f, x);
      const auto picked = [&](const Seq<double>& s) {
        return tabulate([m = reshape(s, rows, columns), at](auto r) { return m(r, at[r]); }, rows);
      };
      against_forward_mode("labels", picked, x);
      const auto [value, gradient] = value_and_grad<0>(entropy)(reshape(Seq<double>(x), rows, columns), at);
      const std::string plan = explain(value, gradient);
      if (contains(plan, "scatter")) check::fail(__FILE__, __LINE__, plan);
    }
  // A place that is not chosen may be outside; one that is chosen is an error.
  const auto guarded = [](const Array<double, 2>& x, const Seq<int32_t>& labels) {
    return sum(tabulate([=](auto r) { return where(labels[r] < 0, 0.5, x(r, labels[r])); }, labels.size()));
  };
  const auto x = reshape(Seq<double>(Vector{1, 2, 3, 4, 5, 6}), 3, 2);
  CHECK_EQ(grad(guarded)(x, Seq<int32_t>(std::vector<int32_t>{1, -1, 0})).to_vector(), (Vector{0, 1, 0, 0, 1, 0}));
  CHECK(contains(error_of([&] {
                   grad(entropy)(x, Seq<int32_t>(std::vector<int32_t>{1, 2, 0})).to_vector();
                   value_and_grad<0>(entropy)(x, Seq<int32_t>(std::vector<int32_t>{1, 2, 0})).first.get();
                 }),
                 "2"));
}

// Of the entries of Jacobians and cotangents that a scan from the end combines, only those that are read are stored.
TEST(columns_that_nothing_reads_are_not_stored) {
  const auto affine = [](auto l, auto r) { return std::pair(get<0>(l) * get<0>(r), get<0>(r) * get<1>(l) + get<1>(r)); };
  const auto last = [=](const Seq<double>& a, const Seq<double>& b) {
    return sum(map([](auto s) { return get<1>(s) * get<1>(s); }, scan_incl(affine, std::pair(1.0, 0.0), zip(a, b))));
  };
  const Vector a = random_vector(2100, 3, 0.2, 0.9), b = random_vector(2100, 4);
  const auto [value, gradient] = value_and_grad<0, 1>(last)(Seq<double>(a), Seq<double>(b));
  const auto& [by_a, by_b] = gradient;
  const std::string plan = explain(value, by_a, by_b);
  if (contains(plan, "store(2), finish") || contains(plan, "scan(fn), store(2)")) check::fail(__FILE__, __LINE__, plan);
  Vector h(a.size()), to_a(a.size()), to_b(a.size());
  for (size_t i = 0; i < a.size(); i++) h[i] = (i ? a[i] * h[i - 1] : 0) + b[i];
  double q = 0;
  for (size_t i = a.size(); i-- > 0;) {
    q = 2 * h[i] + (i + 1 < a.size() ? a[i + 1] * q : 0);
    to_b[i] = q, to_a[i] = i ? q * h[i - 1] : 0;
  }
  const Vector got_a = by_a.to_vector(), got_b = by_b.to_vector();
  for (size_t i = 0; i < a.size(); i++) {
    expect_close(got_a[i], to_a[i], 1e-12, "by a");
    expect_close(got_b[i], to_b[i], 1e-12, "by b");
  }
  // What a plan left out is computed by the next one that reads it.
  const auto pairs = scan_incl(affine, std::pair(1.0, 0.0), zip(Seq<double>(a), Seq<double>(b)));
  const auto reversed = rev(pairs);
  const auto second = map([](auto s) { return get<1>(s); }, reversed), first = map([](auto s) { return get<0>(s); }, reversed);
  CHECK_EQ(second[0].get(), second.to_vector()[0]);
  CHECK_EQ(second.to_vector().back(), b[0]);
  CHECK_EQ(first.to_vector().back(), a[0]);
  CHECK_EQ(get<0>(pairs.to_vector().front()), a[0]);
}

// A kernel ends at values that kernels of earlier scans store, not at each map.
TEST(a_long_chain_has_few_kernels) {
  const auto chain = [](const Seq<float>& x) {
    Seq<float> s = x;
    for (int k = 0; k < 200; k++) {
      s = map([=](auto a) { return sin(a) * 0.5f + float(k); }, s);
      if (k % 10 == 9) s = scan_incl(plus, 0.f, s);
    }
    return sum(s);
  };
  const auto [value, gradient] = value_and_grad(chain)(Seq<float>(std::vector<float>(100, 0.5f)));
  const std::string plan = explain(value, gradient);
  const int kernels = std::atoi(plan.c_str());
  if (kernels > 100) check::fail(__FILE__, __LINE__, std::to_string(kernels) + " kernels");
}

TEST(structures) {
  using Layer = std::pair<Array<double, 2>, Seq<double>>;
  const Layer layer{reshape(Seq<double>(Vector{1, 2, 3, 4}), 2, 2), Seq<double>(Vector{5, 6})};
  const auto [value, g] = value_and_grad([](const Layer& l) { return sum(matmul(l.first, l.second) * l.second); })(layer);
  expect_close(value.get(), 25 + 2 * 30 + 3 * 30 + 4 * 36, 1e-12, "the value");
  CHECK_EQ(elements_of(g.first), (Vector{25, 30, 30, 36}));
  CHECK_EQ(elements_of(g.second), (Vector{2 * 5 + 5 * 6, 5 * 5 + 8 * 6}));
  const auto by_number = grad([](const Scalar<double>& a) { return a * a * a; })(2.0);
  expect_close(by_number.get(), 12, 1e-12, "the gradient by a number");
}

TEST(stops) {
  const Vector x{1, 2, 3};
  CHECK_EQ(gradient_at([](const auto& s) { return sum(map([](auto a, auto b) { return a * b; }, s, stop_gradient(s))); }, x), x);
  CHECK_EQ(gradient_at([](const auto& s) { return sum(map([](auto a) { return a * a; }, s)) + sum(map([](auto) { return 1.0; }, s)); }, x),
           (Vector{2, 4, 6}));
}

TEST(branches_do_not_leak) {
  const double inf = INFINITY, nan = NAN;
  const Vector corners{0, -1, 4, inf, -inf, nan, -0.0};
  const auto found =
      gradient_at([](const auto& s) { return sum(map([](auto a) { return where(a > 0.0 && a < 1e9, sqrt(a), 0.0); }, s)); }, corners);
  CHECK_EQ(found, (Vector{0, 0, 0.25, 0, 0, 0, 0}));
  std::mt19937_64 random(5);
  Vector values(100000);
  for (double& v : values) v = corners[random() % corners.size()] * (random() % 2 ? 1 : 1e-3);
  for (const Vector& g :
       {gradient_at(
            [](const auto& s) { return sum(map([](auto a) { return where(a > 0.0 && a < 1e9, log(a) * rsqrt(a) + 1.0 / a, 0.0); }, s)); },
            values),
        gradient_at([](const auto& s) { return sum(map([](auto a) { return where(abs(a) < 1e9, pow(abs(a), 2.0), 0.0); }, s)); }, values),
        gradient_at(
            [](const auto& s) {
              const int64_t n = s.size();
              return sum(
                  tabulate([=](auto i) { return where(s[i] > 0.0 && s[i] < 1e9 && i > int64_t(0), sqrt(s[i]) + log(s[i]), 0.0); }, n));
            },
            values)}) {
    int64_t bad = 0;
    for (double v : g) bad += !std::isfinite(v);
    CHECK_EQ(bad, 0);
  }
}

TEST(corners) {
  const auto largest = [](const auto& s) { return reduce(max, -INFINITY, s); };
  CHECK_EQ(gradient_at(largest, {3, 5, 5, 1}), (Vector{0, 1, 0, 0}));  // the first
  CHECK_EQ(gradient_at(largest, {NAN, 5, NAN, 5}), (Vector{0, 1, 0, 0}));
  CHECK_EQ(gradient_at(largest, {NAN, NAN}), (Vector{0, 0}));
  CHECK_EQ(gradient_at(largest, {-INFINITY, -INFINITY}), (Vector{1, 0}));
  const auto product = [](const auto& s) { return reduce(times, 1.0, s); };
  CHECK_EQ(gradient_at(product, {2, 3, 4}), (Vector{12, 8, 6}));
  CHECK_EQ(gradient_at(product, {2, 0, 4}), (Vector{0, 8, 0}));
  CHECK_EQ(gradient_at(product, {0, 3, 0}), (Vector{0, 0, 0}));
  for (const auto& g : {gradient_at(largest, {}), gradient_at(product, {})}) CHECK_EQ(g.size(), size_t(0));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(scan_incl(plus, 0.0, s)); }, {}).size(), size_t(0));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(scan_incl(plus, 0.0, s)); }, {7}), (Vector{1}));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(filter([](auto a) { return a > 10.0; }, s)); }, {1, 2}), (Vector{0, 0}));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(map([](auto a) { return abs(a) + rectify(a); }, s)); }, {-2, 0, 3}),
           (Vector{-1, 0, 2}));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(map([](auto a) { return min(a, 1.0) + max(a, 1.0); }, s)); }, {1}), (Vector{2}));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(map([](auto a, auto b) { return hypot(a, b); }, s, s)); }, {0}), (Vector{0}));
}

// A start that is not the identity counts once, before the first element.
TEST(starts) {
  const auto least = [](double start) { return [=](const auto& s) { return reduce(min, start, s); }; };
  CHECK_EQ(gradient_at(least(2), {3, 5, 4}), (Vector{0, 0, 0}));
  CHECK_EQ(gradient_at(least(2), {3, 1, 1}), (Vector{0, 1, 0}));
  CHECK_EQ(gradient_at(least(1), {3, 1, 1}), (Vector{0, 0, 0}));  // the start is the first of equal ones
  CHECK_EQ(gradient_at(least(7), {3}), (Vector{1}));
  CHECK_EQ(gradient_at(least(7), {}).size(), size_t(0));
  CHECK_EQ(gradient_at([](const auto& s) { return reduce(max, 4.0, s); }, {3, 5, 4}), (Vector{0, 1, 0}));
  CHECK_EQ(gradient_at([](const auto& s) { return reduce(times, 10.0, s); }, {2, 3, 4}), (Vector{120, 80, 60}));
  CHECK_EQ(gradient_at([](const auto& s) { return reduce(times, 10.0, s); }, {2, 0, 4}), (Vector{0, 80, 0}));
  CHECK_EQ(gradient_at([](const auto& s) { return reduce(plus, 10.0, s); }, {2, 3}), (Vector{1, 1}));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(scan_incl(max, 4.0, s)); }, {3, 5, 4, 6}), (Vector{0, 2, 0, 1}));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(scan(max, 4.0, s).prefixes); }, {3, 5, 4, 6}), (Vector{0, 2, 0, 0}));
  CHECK_EQ(gradient_at([](const auto& s) { return sum(scan_incl(times, 10.0, s)); }, {2, 3}), (Vector{40, 20}));
  for (int64_t n : {1, 2, 33, 1025, 100001}) {
    const Vector x = random_vector(n, 5, 0.5, 1.5);
    against_differences(
        "a scan by min from a start", [](const auto& s) { return sum(map([](auto a) { return a * a; }, scan_incl(min, 0.7, s))); }, x);
    against_differences(
        "a reduction by max from a start", [](const auto& s) { return reduce(max, 1.2, s) * sum(s); }, x);
  }
  const auto both = [](const auto& s) {
    return map([](auto p) { return get<0>(p) + get<1>(p); },
               reduce([](auto a, auto b) { return std::pair(min(get<0>(a), get<0>(b)), get<1>(a) + get<1>(b) + get<1>(a) * get<1>(b)); },
                      std::pair(2.0, 0.0), zip(s, s)));
  };
  CHECK(contains(error_of([&] { gradient_at(both, {3, 1}); }), "from a start that is not the identity of column 0 has no derivative"));
}

TEST(rows_of_infinities) {
  const auto soft = [](const auto& s) {
    return sum(map([](auto a, auto i) { return a * cast<double>(i + 1); }, softmax(s), iota(s.size())));
  };
  CHECK_EQ(softmax(Seq<double>(Vector{-INFINITY, -INFINITY})).to_vector(), (Vector{0, 0}));
  CHECK_EQ(gradient_at(soft, {-INFINITY, -INFINITY}), (Vector{0, 0}));
  CHECK_EQ(softmax(Seq<double>(Vector{-INFINITY, 3})).to_vector(), (Vector{0, 1}));
  CHECK_EQ(gradient_at(soft, {-INFINITY, 3}), (Vector{0, 0}));
  CHECK_EQ(gradient_at([](const auto& s) { return norm(s); }, {0, 0}), (Vector{0, 0}));
  expect_close(gradient_at([](const auto& s) { return norm(s); }, {3, -4})[0], 0.6, 1e-15, "norm");
  for (int64_t n : {1, 2, 33, 1025, 100001}) {
    const Vector x = random_vector(n, 6, -3, 3);
    against_differences("softmax", soft, x);
    against_differences(
        "logsumexp", [](const auto& s) { return logsumexp(s); }, x);
    if (n < 2000)
      second_order(
          "logsumexp", [](const auto& s) { return logsumexp(s); }, x);
  }
}

TEST(equal_eigenvalues) {
  const auto g = grad([](const Array<double, 2>& a) {
    const auto [values, vectors] = eigen(a);
    return sum(values * values) + 0.0 * sum(vectors);
  })(reshape(Seq<double>(Vector{1, 0, 0, 0, 1, 0, 0, 0, 2}), 3, 3));
  CHECK_EQ(elements_of(g), (Vector{2, 0, 0, 0, 2, 0, 0, 0, 4}));
}

TEST(same_bits_every_time) {
  const auto f = [](const auto& s) {
    const int64_t n = s.size();
    const auto gathered = tabulate([=](auto i) { return s[i * i % n] * s[i]; }, n);
    return sum(map([](auto a) { return a * a; }, scan_incl(plus, 0.0, gathered))) + reduce(max, -INFINITY, gathered);
  };
  const Vector x = random_vector(100003, 9);
  const Vector first = gradient_at(f, x);
  for (int k = 0; k < 3; k++) CHECK(gradient_at(f, x) == first);
  std::vector<std::thread> threads;
  std::vector<Vector> found(4);
  for (Vector& each : found) threads.emplace_back([&] { each = gradient_at(f, x); });
  for (std::thread& t : threads) t.join();
  for (const Vector& each : found) CHECK(each == first);
}

TEST(long_histories) {
  auto x = variable(Seq<double>(Vector{1, 2}));
  auto y = x;
  for (int k = 0; k < 3000; k++) {
    y = map([](auto a) { return a * 1.0001; }, y);
    if (k % 500 == 0) y.to_vector();
  }
  expect_close(gradients(sum(y), x).to_vector()[1], std::pow(1.0001, 3000), 1e-9, "a long history");
}

TEST(loops) {
  // Newton's iteration for the square root: the number of steps depends on the value.
  const auto root = [](auto a) {
    auto [y, k] = loop(
        std::tuple(a, 0), [=](auto z, auto n) { return n < 60 && abs(z * z - a) > 1e-13 * a; },
        [=](auto z, auto n) { return std::tuple(0.5 * (z + a / z), n + 1); });
    return y;
  };
  const auto f = [=](const auto& s) { return sum(map(root, s)); };
  const Vector x = random_vector(100, 3, 0.5, 9), g = gradient_at(f, x);
  for (size_t k = 0; k < x.size(); k++) expect_close(g[k], 0.5 / std::sqrt(x[k]), 1e-7, "Newton's iteration");
  against_forward_mode("Newton's iteration", f, x);
}

TEST(errors) {
  const Seq<double> x(Vector{1, 2, 3});
  const auto v = variable(x);
  CHECK(contains(error_of([&] { gradients(sum(x), x); }), "the argument is not a variable"));
  const auto computed = sum(map([](auto a) { return a * a; }, x));
  computed.get();
  CHECK(contains(error_of([&] { gradients(computed, v); }), "the value has no history"));
  CHECK_EQ(gradients(sum(map([](auto a) { return a * a; }, x)), v).to_vector(), Vector(3));  // delayed, and made from other sequences
  CHECK(contains(error_of([&] { gradients(map([](auto a) { return a * a; }, v), v); }), "expected one element, or seeds"));
  const auto whole = variable(Seq<int64_t>(std::vector<int64_t>{1, 2}));
  CHECK(contains(error_of([&] { gradients(sum(v), whole); }), "expected floats"));
  CHECK(contains(error_of([&] { gradients(sum(map([](auto a) { return polygamma(a, 2.0); }, v)), v); }),
                 "polygamma has no derivative by operand 0: its order is a whole number"));
  const auto program = jit([](const Seq<double>& s) { return sum(s); });
  CHECK(contains(error_of([&] { program(v); }), "is a variable"));
  CHECK(contains(error_of([&] { gradient_by(nullptr, v.raw()); }), "values"));
}

TEST(arguments_of_the_c_api) {
  const auto v = variable(Seq<double>(Vector{1, 2}));
  const auto value = sum(v);
  wf_seq *raw = value.raw(), *by = v.raw(), *out = raw;
  const auto fails = [&](int32_t code, const std::string& part, int32_t result) {
    char text[512];
    wf_error_message(text, sizeof text, nullptr);
    if (result != code || !contains(text, part)) check::fail(__FILE__, __LINE__, std::to_string(result) + ": " + text);
  };
  fails(WF_ERROR_ARGUMENT, "out is NULL", wf_variable(by, nullptr));
  fails(WF_ERROR_ARGUMENT, "s is NULL", wf_variable(nullptr, &out));
  CHECK(out == nullptr);
  fails(WF_ERROR_ARGUMENT, "s is NULL", wf_constant(nullptr, &out));
  fails(WF_ERROR_ARGUMENT, "out is NULL", wf_gradient(&raw, nullptr, 1, &by, 1, nullptr));
  fails(WF_ERROR_ARGUMENT, "variables", wf_gradient(&raw, nullptr, 1, &by, 0, &out));
  fails(WF_ERROR_TYPE, "the seed has", wf_gradient(&raw, std::array{Scalar<float>(1.f).raw()}.data(), 1, &by, 1, &out));
  fails(WF_ERROR_SIZE, "the seed has", wf_gradient(&raw, &by, 1, &by, 1, &out));
  fails(WF_ERROR_SIZE, "the tangent has", wf_tangent(&raw, 1, &by, &raw, 1, &out));
  wf_fn *f = nullptr, *g = nullptr;
  detail::check(wf_fn_create("(fn ((x i32)) (add x 1:i32))", nullptr, 0, &f));
  fails(WF_ERROR_TYPE, "no floats", wf_fn_gradient(f, 0, &g));
  fails(WF_ERROR_ARGUMENT, "forward", wf_fn_gradient(f, 2, &g));
  fails(WF_ERROR_ARGUMENT, "f is NULL", wf_fn_gradient(nullptr, 0, &g));
  wf_fn_release(f);
  const int32_t type = WF_F64;
  detail::check(wf_fn_foreign("half", reinterpret_cast<void*>(+[](double x) { return x / 2; }), &type, 1, WF_F64, &f));
  fails(WF_ERROR_UNSUPPORTED, "opaque function \"half\"", wf_fn_gradient(f, 0, &g));
  wf_seq* halves = nullptr;
  detail::check(wf_map(f, &by, 1, &halves));
  fails(WF_ERROR_UNSUPPORTED, "opaque function \"half\"", wf_gradient(&halves, &by, 1, &by, 1, &out));
  wf_release(halves);
  wf_fn_release(f);
}

// The gradient of an expectation, of which the mean is known: draws follow their distribution as its parameter changes.
TEST(draws_of_gamma_are_reparameterized) {
  const double n = 200000;
  const auto draws = [&](const std::string& name, const Scalar<double>& a, const Scalar<double>& b) {
    wf_seq *key = nullptr, *parameters[] = {a.raw(), b.raw()}, *out = nullptr;
    detail::check(wf_random_key(default_context().raw(), 5, &key));
    const int32_t code = wf_random(name.c_str(), key, parameters, name == "gamma" || name == "beta" ? 2 : 1, int64_t(n), WF_F64, &out);
    wf_release(key);
    detail::check(code);
    return Seq<double>::own(out);
  };
  const auto by_first = [&](const std::string& name, double a, double b, const auto& f) {
    return grad([&](const Scalar<double>& x, const Scalar<double>& y) { return sum(map(f, draws(name, x, y))); })(a, b).get() / n;
  };
  const auto itself = [](auto x) { return x; };
  const auto square = [](auto x) { return x * x; };
  for (double a : {0.3, 0.9, 1.0, 2.5, 40.0}) {
    expect_close(by_first("gamma", a, 1.5, itself), 1.5, 0.02, "the mean of gamma");                   // a s
    expect_close(by_first("gamma", a, 1.5, square), 2.25 * (2 * a + 1), 0.03, "the square of gamma");  // (a^2 + a) s^2
    expect_close(by_first("chi_squared", a, 0, itself), 1, 0.02, "the mean of chi-squared");           // a
    expect_close(by_first("beta", a, 2.0, itself), 2 / (a + 2) / (a + 2), 0.01, "the mean of beta");   // a / (a + b)
  }
  expect_close(by_first("student_t", 12, 0, square), 1 / 10.0 - 12 / 100.0, 0.02, "the square of Student's t");  // n / (n - 2)
}

TEST(random_draws) {
  const Scalar<double> mean(1.5), deviation(0.7);
  const auto draws = [&](const Scalar<double>& a, const Scalar<double>& b) {
    wf_seq *key = nullptr, *parameters[] = {a.raw(), b.raw()}, *out = nullptr;
    detail::check(wf_random_key(default_context().raw(), 5, &key));
    const int32_t code = wf_random("gaussian", key, parameters, 2, 100000, WF_F64, &out);
    wf_release(key);
    detail::check(code);
    return sum(Seq<double>::own(out));
  };
  const auto [by_mean, by_deviation] = grad<0, 1>(draws)(mean, deviation);
  const double h = 1e-5, above = draws(mean, Scalar<double>(0.7 + h)).get(), below = draws(mean, Scalar<double>(0.7 - h)).get();
  expect_close(by_mean.get(), 100000, 1e-9, "draws by their mean");
  expect_close(by_deviation.get(), (above - below) / (2 * h), 1e-5, "draws by their deviation");
}
