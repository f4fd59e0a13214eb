// Gradients of sequences, primitive by primitive: against differences, against the forward mode, of second order.
#include "checks.h"

using namespace gradcheck;

namespace {

const int64_t sizes[] = {1, 2, 33, 1025};

// All checks of f: Seq<double> -> Scalar<double>, at sizes that cross blocks.
template <class F> void all_checks(const std::string& name, const F& f, double low = 0.5, double high = 1.5, bool has_second = true) {
  for (int64_t n : sizes) {
    const Vector x = random_vector(n, 3, low, high);
    against_differences(name, f, x);
    against_forward_mode(name, f, x);
    if (has_second) second_order(name, f, x);
  }
  against_forward_mode(name, f, random_vector(100003, 5, low, high));
}

// f: Seq<double> -> Seq<double>: the sum of the squares' sines, so that every element has its own cotangent.
template <class F> auto summed(const F& f) {
  return [f](const auto& x) { return sum(map([](auto y) { return sin(y) * y; }, f(x))); };
}
template <class F> void sequence_checks(const std::string& name, const F& f, double low = 0.5, double high = 1.5) {
  all_checks(name, summed(f), low, high);
}

}  // namespace

TEST(maps) {
  sequence_checks("map", [](const auto& x) { return map([](auto a) { return exp(sin(a)) / a; }, x); });
  sequence_checks("map of two", [](const auto& x) {
    return map([](auto a, auto b) { return a * b + sqrt(a); }, x, map([](auto a) { return log(a); }, x));
  });
  sequence_checks("zip", [](const auto& x) {
    const auto pairs = zip(x, map([](auto a) { return a * a; }, x));
    return map([](auto p) { return get<0>(p) * get<1>(p); }, pairs);
  });
  sequence_checks("rev", [](const auto& x) { return map([](auto a, auto b) { return a * a * b; }, x, rev(x)); });
}

TEST(reads) {
  sequence_checks("fixed", [](const auto& x) { return map([=](auto a) { return a * x[0] * x[0]; }, x); });
  sequence_checks("shifted", [](const auto& x) {
    const int64_t n = x.size();
    return tabulate([=](auto i) { return x[i] * where(i + int64_t(1) < n, x[min(i + int64_t(1), int64_t(n - 1))], 2.0); }, n);
  });
  sequence_checks("guarded shift", [](const auto& x) {
    const int64_t n = x.size();
    return tabulate([=](auto i) { return where(i > int64_t(0), x[i - int64_t(1)] * x[i], 0.5 * x[i]); }, n);
  });
  sequence_checks("gather", [](const auto& x) {
    const int64_t n = x.size();
    return tabulate([=](auto i) { return x[i * i % n] * x[i]; }, n);
  });
  sequence_checks("repeated", [](const auto& x) {
    const int64_t n = x.size();
    return tabulate([=](auto i) { return x[i / int64_t(3)] * x[i % n]; }, 3 * n);
  });
  sequence_checks("every third", [](const auto& x) {
    const int64_t n = (x.size() + 2) / 3;
    return tabulate([=](auto i) { return x[i * int64_t(3)] * x[i * int64_t(3)]; }, n);
  });
  sequence_checks("parts", [](const auto& x) {
    const int64_t n = x.size(), m = (n + 1) / 2;
    return map([](auto a, auto b) { return a * b; }, take(x, m), drop(x, n - m));
  });
  sequence_checks("append", [](const auto& x) { return append(x, map([](auto a) { return a * a; }, x)); });
  sequence_checks("many parts", [](const auto& x) {
    return append(std::vector{x, x, x, x, x, map([](auto a) { return a * a; }, x), x, x, x, x, x});
  });
}

TEST(reductions) {
  all_checks("sum", [](const auto& x) { return sum(map([](auto a) { return sin(a) * sin(a); }, x)); });
  all_checks("product", [](const auto& x) { return reduce(times, 1.0, map([](auto a) { return 1.0 + (a - 1.0) * 0.01; }, x)); });
  all_checks("max", [](const auto& x) { return reduce(max, -INFINITY, map([](auto a) { return a * a; }, x)); });
  all_checks("min", [](const auto& x) { return reduce(min, INFINITY, map([](auto a) { return a * a; }, x)); });
  all_checks("log of a sum of exps", [](const auto& x) {
    const auto m = reduce(max, -INFINITY, x);
    return log(sum(map([=](auto a) { return exp(a - m); }, x))) + m;
  });
  all_checks("any function", [](const auto& x) {
    const auto affine = [](auto l, auto r) { return std::pair(get<0>(l) * get<0>(r), get<0>(r) * get<1>(l) + get<1>(r)); };
    const auto all = reduce(affine, std::pair(1.0, 0.0), map([](auto a) { return std::pair(0.3 * a, a * a); }, x));
    return all.template get<0>() + all.template get<1>();
  });
}

TEST(scans) {
  sequence_checks("inclusive sums", [](const auto& x) { return map([](auto a) { return a * 0.01; }, scan_incl(plus, 0.0, x)); });
  sequence_checks("exclusive sums", [](const auto& x) { return map([](auto a) { return a * 0.01; }, scan(plus, 0.0, x).prefixes); });
  sequence_checks("products", [](const auto& x) { return scan_incl(times, 1.0, map([](auto a) { return 1.0 + (a - 1.0) * 0.01; }, x)); });
  sequence_checks("exclusive products",
                  [](const auto& x) { return scan(times, 1.0, map([](auto a) { return 1.0 + (a - 1.0) * 0.01; }, x)).prefixes; });
  sequence_checks("maxima", [](const auto& x) { return scan_incl(max, -INFINITY, x); });
  sequence_checks("a recurrence", [](const auto& x) {
    const auto affine = [](auto l, auto r) { return std::pair(get<0>(l) * get<0>(r), get<0>(r) * get<1>(l) + get<1>(r)); };
    const auto states = scan_incl(affine, std::pair(1.0, 0.0), map([](auto a) { return std::pair(0.5 * a, a * a); }, x));
    return map([](auto s) { return get<1>(s) + get<0>(s); }, states);
  });
  sequence_checks("an exclusive recurrence", [](const auto& x) {
    const auto affine = [](auto l, auto r) { return std::pair(get<0>(l) * get<0>(r), get<0>(r) * get<1>(l) + get<1>(r)); };
    const auto states = scan(affine, std::pair(1.0, 0.0), map([](auto a) { return std::pair(0.5 * a, a * a); }, x)).prefixes;
    return map([](auto s) { return get<1>(s) + get<0>(s); }, states);
  });
  all_checks("a total", [](const auto& x) {
    const auto [prefixes, total] = scan(plus, 0.0, map([](auto a) { return a * a; }, x));
    return total * sum(map([](auto p) { return p * 1e-4; }, prefixes));
  });
}

// Engines that keep the scanned values in registers have no such form of these functions.
TEST(totals_alone) {
  const auto check = [](const std::string& name, const auto& combine, double start, double low, double high) {
    for (int64_t n : {0, 1, 2, 33, 1025, 100001}) {
      const Vector x = random_vector(n, 23, low, high);
      double expected = start;
      for (double each : x) expected = combine(expected, each);
      const Seq<double> s(x);
      expect_close(scan([&](auto a, auto b) { return combine(a, b); }, start, s).total.get(), expected, 1e-9, name);
    }
    const auto total = [&](const auto& s) { return scan([&](auto a, auto b) { return combine(a, b); }, start, s).total; };
    all_checks(name, total, low, high);
  };
  check(
      "hypot", [](auto a, auto b) { return hypot(a, b); }, 0.0, 0.5, 1.5);
  check(
      "the logarithm of a sum", [](auto a, auto b) { return log(exp(a) + exp(b)); }, -700.0, 0.5, 1.5);
  check(
      "a product with a correction", [](auto a, auto b) { return a + b + a * b; }, 0.0, -1e-4, 1e-4);
}

TEST(filters) {
  const auto kept = [](auto a) { return a > 0.9; };
  all_checks("sum of a filter", [=](const auto& x) { return sum(map([](auto a) { return a * a * a; }, filter(kept, x))); });
  all_checks("scan of a filter",
             [=](const auto& x) { return sum(map([](auto a) { return a * a * 1e-4; }, scan_incl(plus, 0.0, filter(kept, x)))); });
  all_checks("max of a filter", [=](const auto& x) { return reduce(max, 0.0, map([](auto a) { return a * a; }, filter(kept, x))); });
}

// Forward mode is the transpose of reverse mode by seeds that range over the filter; whether its length is known makes no difference.
TEST(tangents_of_filters) {
  for (int64_t n : {1, 2, 33, 1025, 100001})
    for (const int counted : {0, 1, 2}) {
      const Vector x = random_vector(n, 3), v = random_vector(n, 5);
      const auto f = [counted](const Seq<double>& s) {
        const auto kept = filter([](auto a) { return a > 0.1; }, s);
        const auto y = map([](auto a) { return a * a * a; }, kept);
        if (counted == 1) length(y).get();
        if (counted == 2) Seq<double>(kept).force();
        return y;
      };
      Vector right;
      for (size_t k = 0; k < x.size(); k++)
        if (x[k] > 0.1) right.push_back(3 * x[k] * x[k] * v[k]);
      const auto [y, tangent] = jvp(f, Seq<double>(x), Seq<double>(v));
      const Vector got = tangent.to_vector();
      CHECK_EQ(got.size(), right.size());
      for (size_t k = 0; k < right.size(); k++) expect_close(got[k], right[k], 1e-14, "a tangent of a filter");
    }
}

TEST(folds) {
  sequence_checks("a fold per element", [](const auto& x) {
    const int64_t n = std::min<int64_t>(x.size(), 40);
    return tabulate([=](auto i) { return sum(tabulate([=](auto j) { return sin(x[i] * x[j]); }, n)); }, n);
  });
  sequence_checks("a fold and its element", [](const auto& x) {
    const int64_t n = std::min<int64_t>(x.size(), 40);
    return tabulate([=](auto i) { return x[i] * log(reduce(max, 0.0, tabulate([=](auto j) { return x[i] + x[j] * x[j]; }, n))); }, n);
  });
  sequence_checks("a product per element", [](const auto& x) {
    const int64_t n = std::min<int64_t>(x.size(), 20);
    return tabulate([=](auto i) { return reduce(times, 1.0, tabulate([=](auto j) { return cos(0.1 * x[i] * x[j]); }, n)); }, n);
  });
  sequence_checks("a fold in a fold", [](const auto& x) {
    const int64_t n = std::min<int64_t>(x.size(), 9);
    return tabulate(
        [=](auto i) {
          return sum(tabulate([=](auto j) { return x[j] * sum(tabulate([=](auto k) { return sin(x[i] * x[j] + x[k]); }, n)); }, n));
        },
        n);
  });
}

TEST(moves) {
  sequence_checks("sort", [](const auto& x) { return map([](auto a) { return a; }, sort(x)); });
  sequence_checks("sort, descending, of pairs", [](const auto& x) {
    const auto sorted = sort_by([](auto p) { return get<0>(p); }, zip(x, map([](auto a) { return a * a; }, rev(x))));
    return map([](auto p) { return get<0>(p) * get<1>(p); }, sorted);
  });
  sequence_checks(
      "merge", [](const auto& x) { return map([](auto a) { return a * a; }, merge(sort(x), sort(map([](auto a) { return a * a; }, x)))); });
  for (int kind = 0; kind < 5; kind++)
    sequence_checks("scatter " + std::to_string(kind), [=](const auto& x) {
      const int64_t n = x.size();
      const auto indices = tabulate([=](auto i) { return i * i % n; }, n);
      const auto base = map([](auto a) { return a * a * 0.9; }, x), values = map([](auto a) { return 0.1 + 0.9 * a; }, rev(x));
      if (kind == 0) return scatter(base, indices, values);
      if (kind == 1) return scatter(plus, base, indices, values);
      if (kind == 2) return scatter(min, base, indices, values);
      if (kind == 3) return scatter(max, base, indices, values);
      return scatter(times, base, indices, values);
    });
}

TEST(segments) {
  const auto of_segments = [](const auto& f) {
    return [=](const auto& x) {
      const int64_t n = x.size();
      return f(x, Seq<int64_t>(std::vector<int64_t>{0, n / 3, n / 3, n / 2, n}));
    };
  };
  const auto squares = [](const auto& x) { return map([](auto a) { return 0.1 * a * a; }, x); };
  const auto near_one = [](const auto& x) { return map([](auto a) { return 1.0 + 1e-4 * (a - 1.0); }, x); };
  sequence_checks("sums of segments",
                  of_segments([=](const auto& x, const auto& o) { return reduce(plus, 0.0, Segments<double>(squares(x), o)); }));
  sequence_checks("largest of segments",
                  of_segments([](const auto& x, const auto& o) { return reduce(max, 0.0, Segments<double>(x, o)); }));
  sequence_checks("products of segments",
                  of_segments([=](const auto& x, const auto& o) { return reduce(times, 1.0, Segments<double>(near_one(x), o)); }));
  sequence_checks("segments by any function", of_segments([](const auto& x, const auto& o) {
                    const auto add = [](auto a, auto b) { return logaddexp(a, b); };
                    return map([](auto a) { return max(a, -2.0); }, reduce(add, -INFINITY, Segments<double>(x, o)));
                  }));
  sequence_checks("segments by a function that does not commute", of_segments([](const auto& x, const auto& o) {
                    const auto affine = [](auto l, auto r) { return std::pair(get<0>(l) * get<0>(r), get<0>(r) * get<1>(l) + get<1>(r)); };
                    const auto pairs = map([](auto a) { return std::pair(0.5 * a, a * a); }, x);
                    const auto all = reduce(affine, std::pair(1.0, 0.0), Segments<std::pair<double, double>>(pairs, o));
                    return map([](auto s) { return get<0>(s) + get<1>(s); }, all);
                  }));
  sequence_checks("scans of segments", of_segments([=](const auto& x, const auto& o) {
                    return scan_incl(plus, 0.0, Segments<double>(squares(x), o)).values();
                  }));
}

TEST(iterations) {
  all_checks("the end of an iteration",
             [](const auto& x) { return iterate([](auto s, auto a) { return 0.5 * sin(s) + a * s * 0.1 + a; }, 0.3, x); });
  sequence_checks("states of an iteration", [](const auto& x) {
    return iterate_prefixes([](auto s, auto a) { return 0.5 * sin(s) + a * s * 0.1 + a; }, 0.3, x).prefixes;
  });
}
