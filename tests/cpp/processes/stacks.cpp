// Threads with stacks of 64 and 128 KiB build, print, plan and run deep functions and graphs, or get an error.
#include <pthread.h>

#include <sstream>

#include "../common.h"

using namespace warpfold;

namespace {

template <class Work> void on_small_stacks(Work work) {
  for (size_t kib : {64, 128}) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK_EQ(pthread_attr_setstacksize(&attributes, kib << 10), 0);
    pthread_t thread;
    const auto run = [](void* user) -> void* {
      try {
        (*static_cast<Work*>(user))();
      } catch (const std::exception& error) { check::fail(__FILE__, __LINE__, error.what()); }
      return nullptr;
    };
    CHECK_EQ(pthread_create(&thread, &attributes, run, &work), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
  }
}

std::string repeated(int times, const std::string& text) {
  std::string all;
  for (int k = 0; k < times; k++) all += text;
  return all;
}

// Parses the text, prints it, parses what was printed, and computes the function of 0 to n - 1.
std::vector<int64_t> computed(const std::string& text, int64_t n) {
  wf_fn* f = nullptr;
  detail::check(wf_fn_create(text.c_str(), nullptr, 0, &f));
  std::string printed(1 << 20, ' ');
  const int32_t error = wf_fn_text(f, printed.data(), static_cast<int64_t>(printed.size()), nullptr);
  wf_fn_release(f);
  detail::check(error);
  detail::check(wf_fn_create(printed.c_str(), nullptr, 0, &f));
  wf_seq* r = nullptr;
  const int32_t mapped = wf_tabulate(default_context().raw(), f, n, &r);
  wf_fn_release(f);
  detail::check(mapped);
  const auto s = Seq<int64_t>::own(r);
  CHECK(!explain(s).empty());
  return s.to_vector();
}

}  // namespace

TEST(nested_text) {
  on_small_stacks([] {
    for (int deep : {150, 600, 999}) {
      const auto sums = computed("(fn ((i i64)) " + repeated(deep / 2, "(add 1:i64 (mul i ") + "i" + repeated(deep / 2, "))") + ")", 2);
      CHECK_EQ(sums, (std::vector<int64_t>{1, deep / 2 + 1}));
      const auto lets = computed("(fn ((i i64)) " + repeated(deep, "(let ((i (add i 1:i64))) ") + "i" + repeated(deep, ")") + ")", 3);
      CHECK_EQ(lets, (std::vector<int64_t>{deep, deep + 1, deep + 2}));
    }
    CHECK_THROWS(CompileError, computed("(fn ((i i64)) " + repeated(100000, "(neg ") + "i" + repeated(100000, ")") + ")", 1));
  });
}

TEST(nested_loops) {
  on_small_stacks([] {
    const auto loops = [](int deep) {
      return "(fn ((i i64)) " + repeated(deep, "(loop ((k i)) (lt k 1:i64) (add k ") + "1:i64" + repeated(deep, "))") + ")";
    };
    const auto folds = [](int deep) {
      return "(fn ((i i64)) " + repeated(deep, "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j 2:i64)) ") + "i" + repeated(deep, ")") + ")";
    };
    CHECK_EQ(computed(loops(6), 2), (std::vector<int64_t>{1, 1}));
    CHECK_EQ(computed(folds(6), 2), (std::vector<int64_t>{0, 64}));
    for (int deep : {10, 20, 30, 60}) {  // works, or is an error that names the stack
      try {
        CHECK_EQ(computed(loops(deep), 2), (std::vector<int64_t>{1, 1}));
      } catch (const Error& error) { CHECK(std::string(error.what()).find("of stack left") != std::string::npos); }
    }
    CHECK_THROWS(CompileError, computed(folds(60), 2));
  });
}

TEST(chains) {
  on_small_stacks([] {
    auto maps = iota(1000), reversed = maps, filtered = maps, scanned = maps;
    for (int k = 0; k < 600; k++) {
      maps = map([](auto x) { return x * x + 1; }, maps);
      reversed = rev(map([](auto x) { return x + 1; }, reversed));
      filtered = filter([&](auto x) { return x != k; }, filtered);
      if (k % 6 == 0) scanned = scan_incl(plus, int64_t{0}, scanned);
    }
    CHECK(!explain(maps, reversed, filtered, scanned).empty());
    force(maps, reversed, filtered, scanned);
    CHECK_EQ(reversed[0].get(), 600);
    CHECK_EQ(filtered.size(), 400);
    CHECK_EQ(scanned[1].get(), 1);
  });
}

TEST(traces) {
  on_small_stacks([] {
    const auto deep = map(
        [](auto x) {
          auto y = x;
          for (int k = 0; k < 2000; k++) y = y * x + 1;
          return y;
        },
        iota(3));
    CHECK_EQ(deep[1].get(), 2001);
    std::ostringstream text;
    text << deep << explain(deep);
    CHECK(!text.str().empty());
  });
}

TEST(routines) {
  on_small_stacks([] {
    const int64_t n = 300;
    const auto a = tabulate([](auto i) { return cast<double>((i * 7919) % 1009) / 1009.0; }, n * n);
    const Array<double, 2> square = Array<double, 2>(a, {n, n}) + double(n) * eye<double>(n),
                           positive = matmul(square, t(square)) + double(n) * eye<double>(n);
    for (const auto& x : {solve(square, square), solve_positive(positive, positive)}) CHECK(std::abs(x(1, 1).get() - 1) < 1e-8);
    const auto values = eigen(positive).values;
    CHECK(values(0).get() > 0 && qr(square).r(0, 0).get() != 0 && singular_values(square).values(0).get() > 0);
    const auto s = map([](auto i) { return (i * 7919) % 100003; }, iota(300000));
    CHECK_EQ(sort(s)[0].get(), 0);
    CHECK_EQ(sort([](auto x, auto y) { return x * x < y * y; }, s)[0].get(), 0);
    CHECK_EQ(sum(histogram(map([](auto x) { return x % 300; }, s), 300)).get(), 300000);
    CHECK_EQ(iterate([](auto x, auto y) { return max(x, y); }, int64_t{0}, s).get(), 100002);
    CHECK_EQ(reduce(plus, int64_t{0}, chunks(s, 7)).size(), (300000 + 6) / 7);
    CHECK_EQ(unique(sort(s)).size(), 100003);
  });
}
