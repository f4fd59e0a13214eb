// Kernels are interpreted at first and compiled in the background, those over few elements after many runs, with the same results.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "check.h"
#include "cuda/bytecode/interpreter.h"
#include "cuda/device/device.h"
#include "eval/report.h"
#include "oracle/graph.h"

namespace {

namespace fs = std::filesystem;

// A folder to which compiled kernels' texts are written.
class Dump {
 public:
  Dump() {
    if (!graph::context()->name.starts_with("cuda")) SKIP("WARPFOLD_TEST_CONTEXT is not a GPU");
    const std::string architecture = wf::cuda::Device::open(wf::cuda::cuda_driver(), 0)->architecture();
    if (wf::cuda::interpreter_code(architecture, false, false).empty()) SKIP("the library has no interpreter: it was built without NVRTC");
    if (const char* setting = std::getenv("WARPFOLD_INTERPRET"); setting && std::string_view(setting) == "0")
      SKIP("WARPFOLD_INTERPRET is 0");
    char name[] = "/tmp/warpfold-dump-XXXXXX";
    folder_ = mkdtemp(name);
    setenv("WARPFOLD_DUMP", folder_.c_str(), 1);
  }
  ~Dump() {
    unsetenv("WARPFOLD_DUMP");
    fs::remove_all(folder_);
  }
  Dump(const Dump&) = delete;
  size_t compiled() const { return size_t(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }

 private:
  fs::path folder_;
};

bool all_compiled = true;  // the kernels that computed the elements read by elements()

template <class T> std::vector<T> elements(const wf::NodeRef& s, uint32_t column = 0) {
  std::vector<T> all = graph::elements<T>(s, column);
  all_compiled &= static_cast<const wf::RunRecord&>(*s->state().manifest->record).code == std::string_view("compiled");
  return all;
}

// Runs until all kernels are compiled. Returns the number of runs.
template <class Run> int until_compiled(const Run& run) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(20);
  int runs = 0;
  do {
    all_compiled = true;
    run();
    runs++;
  } while (!all_compiled && Clock::now() < end);
  CHECK(all_compiled);
  return runs;
}

// Prefix sums and a sum whose rounding depends on the order of the additions.
std::vector<float> sums(const wf::NodeRef& x) {
  const wf::NodeRef y = graph::map("(fn ((x f32)) (mul (exp x) (sin x)))", {x});
  const auto [prefixes, total] = graph::scan("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", y, true);
  std::vector<float> all = elements<float>(prefixes);
  all.push_back(elements<float>(graph::reduce("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", y))[0]);
  return all;
}

bool same_bits(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

}  // namespace

TEST(compiled_after_many_runs_to_the_same_bits) {
  const Dump dump;
  std::vector<float> numbers;
  for (int k = 0; k < 3001; k++) numbers.push_back(0.001f * float(k % 977) - 0.3f);
  const wf::NodeRef x = graph::source(numbers);
  const std::vector<float> first = sums(x);
  CHECK_EQ(dump.compiled(), size_t(0));
  CHECK(until_compiled([&] { CHECK(same_bits(sums(x), first)); }) > 5);
  CHECK_EQ(dump.compiled(), size_t(2));
}

// Many elements: maps, and sums of integers, which do not depend on the association. They are compiled from the second call on.
TEST(many_elements) {
  const Dump dump;
  for (int64_t n : {4097, 100000, 3000001}) {
    const wf::NodeRef x = graph::tabulate("(fn ((i i64)) (cast i32 (rem (mul i 7919:i64) 1000:i64)))", n);
    std::vector<int32_t> expected;
    for (int64_t i = 0; i < n; i++) expected.push_back(int32_t(i * 7919 % 1000));
    CHECK(elements<int32_t>(x) == expected);
    int64_t sum = 0, even = 0;
    for (int32_t e : expected) sum += int64_t(e) * e, even += e % 2 == 0;
    until_compiled([&] {
      const wf::NodeRef squares =
          graph::map("(fn ((x i32)) (tuple (mul (cast i64 x) (cast i64 x)) (cast i64 (eq (rem x 2:i32) 0:i32))))", {x});
      const wf::NodeRef sums =
          graph::reduce("(fn ((a i64) (b i64) (c i64) (d i64)) (tuple (add a c) (add b d)))", "(tuple 0:i64 0:i64)", squares);
      CHECK_EQ(elements<int64_t>(sums, 0)[0], sum);
      CHECK_EQ(elements<int64_t>(sums, 1)[0], even);
    });
  }
}

// Sums of floats keep their bits too: of a cheap function, a function of CUDA's library, a wide type, and a function too long to unroll.
// Every length has its own structure, which is new at its first run.
TEST(float_sums_of_many_elements) {
  auto nested = [](const std::string& x, int times) {
    std::string text = x;
    for (int k = 0; k < times; k++) text = "(sub (mul " + text + " 0.75:f32) 0.3:f32)";
    return text;
  };
  const Dump dump;
  int steps = 0;
  for (int64_t n : {4097, 8192, 24593, 100003, 524288, 1000003, 6000007}) {
    const std::string x = nested("x", ++steps);
    std::vector<float> numbers;
    for (int64_t i = 0; i < n; i++) numbers.push_back(0.001f * float(i % 9973) - 4.7f);
    const wf::NodeRef input = graph::source(numbers);
    for (const std::string& f : {x, "(sin " + x + ")", nested(x, 80)}) {
      const size_t before = dump.compiled();
      std::vector<float> found;
      until_compiled([&] {
        const wf::NodeRef mapped = graph::map("(fn ((x f32)) " + f + ")", {input});
        found.push_back(elements<float>(graph::reduce("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", mapped))[0]);
        CHECK(found.size() > 1 || dump.compiled() == before);
        CHECK(same_bits({found[0]}, {found.back()}));
      });
      CHECK_EQ(dump.compiled(), before + 1);
    }
    std::vector<double> found;
    until_compiled([&] {
      const wf::NodeRef wide = graph::map("(fn ((x f32)) (mul (cast f64 " + x + ") 1.1:f64))", {input});
      found.push_back(elements<double>(graph::reduce("(fn ((a f64) (b f64)) (add a b))", "0.0:f64", wide))[0]);
      CHECK_EQ(wf::to_bits(found[0]), wf::to_bits(found.back()));
    });
  }
}

// Scans, filters and reductions in order are interpreted at first, and compiled from the second call on, to the same bits. The tiles of a scan fix
// the order in which floats are combined. Every length has its own structure, which is new at its first run.
TEST(scans_filters_and_folds_in_order_of_many_elements) {
  struct Results {
    std::vector<int32_t> integers;
    std::vector<float> floats;
    bool operator==(const Results& r) const { return integers == r.integers && same_bits(floats, r.floats); }
  };
  const Dump dump;
  const std::string add_i32 = "(fn ((a i32) (b i32)) (add a b))", add_f32 = "(fn ((a f32) (b f32)) (add a b))";
  // The maximum sum of consecutive elements, the maximum prefix, the maximum suffix, and the total.
  const std::string best =
      "(fn ((a f32) (b f32) (c f32) (d f32) (p f32) (q f32) (r f32) (s f32)) (tuple (max (max a p) (add c q)) "
      "(max b (add d q)) (max r (add c s)) (add d s)))";
  const std::string last = "(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (where (eq c 0:i32) a c) (add b d)))";
  int32_t steps = 0;
  for (int64_t n : {4097, 9216, 50000, 1000003, 1600001}) {
    steps++;
    std::vector<int32_t> numbers;
    std::vector<float> floats;
    for (int64_t i = 0; i < n; i++) numbers.push_back(int32_t(i * 7919 % 1000)), floats.push_back(0.001f * float(i * 7919 % 9973) - 4.7f);
    // The number of steps differs between lengths: different literals alone would give the same structure.
    std::string f = "x", g = "x";
    for (int32_t k = 0; k < steps; k++) f = "(xor " + f + " 5:i32)", g = "(mul " + g + " 0.9:f32)";
    const wf::NodeRef x = graph::map("(fn ((x i32)) " + f + ")", {graph::source(numbers)});
    const wf::NodeRef y = graph::map("(fn ((x f32)) " + g + ")", {graph::source(floats)});
    using Program = std::function<Results()>;
    const std::vector<std::pair<const char*, Program>> programs = {
        {"scan of integers",
         [&] {
           const auto [prefixes, total] = graph::scan(add_i32, "0:i32", x, false);
           std::vector<int32_t> all = elements<int32_t>(prefixes);
           all.push_back(elements<int32_t>(total)[0]);
           return Results{all, {}};
         }},
        {"scan of floats",
         [&] {
           return Results{{}, elements<float>(graph::scan(add_f32, "0.0:f32", y, true).prefixes)};
         }},
        {"sum of squares of prefixes",
         [&] {
           const wf::NodeRef squares = graph::map("(fn ((p f32)) (mul p p))", {graph::scan(add_f32, "0.0:f32", y, true).prefixes});
           return Results{{}, elements<float>(graph::reduce(add_f32, "0.0:f32", squares))};
         }},
        {"filter",
         [&] {
           return Results{{}, elements<float>(graph::filter("(fn ((v f32)) (gt v 0.1:f32))", y))};
         }},
        {"filter of prefixes",
         [&] {
           return Results{
               elements<int32_t>(graph::filter("(fn ((v i32)) (eq (rem v 3:i32) 0:i32))", graph::scan(add_i32, "0:i32", x, true).prefixes)),
               {}};
         }},
        {"filter and sum",
         [&] {
           const wf::NodeRef kept = graph::filter("(fn ((v f32)) (lt v 0.2:f32))", y);
           const wf::NodeRef sum = graph::reduce(add_f32, "0.0:f32", kept);
           wf::force(std::vector<wf::NodeRef>{kept, sum});
           std::vector<float> all = elements<float>(kept);
           all.push_back(elements<float>(sum)[0]);
           return Results{{}, all};
         }},
        {"scan of pairs",
         [&] {
           const auto [prefixes, total] =
               graph::scan(last, "(tuple 0:i32 0:i32)", graph::map("(fn ((v i32)) (tuple (rem v 7:i32) v))", {x}), true);
           std::vector<int32_t> all = elements<int32_t>(prefixes, 0);
           for (int32_t e : elements<int32_t>(prefixes, 1)) all.push_back(e);
           return Results{all, {}};
         }},
        {"reduction in order",
         [&] {
           const wf::NodeRef r = graph::reduce(last, "(tuple 0:i32 0:i32)", graph::map("(fn ((v i32)) (tuple (rem v 7:i32) v))", {x}));
           return Results{{elements<int32_t>(r, 0)[0], elements<int32_t>(r, 1)[0]}, {}};
         }},
        {"maximum contiguous sum of floats",
         [&] {
           const wf::NodeRef r =
               graph::reduce(best, "(tuple -1e30:f32 -1e30:f32 -1e30:f32 0.0:f32)", graph::map("(fn ((v f32)) (tuple v v v v))", {y}));
           std::vector<float> all;
           for (uint32_t k = 0; k < 4; k++) all.push_back(elements<float>(r, k)[0]);
           return Results{{}, all};
         }},
        {"greatest so far",
         [&] {
           return Results{{}, elements<float>(graph::scan("(fn ((a f32) (b f32)) (max a b))", "-1e30:f32", y, true).prefixes)};
         }},
        {"least prefix",
         [&] {
           const auto [prefixes, total] = graph::scan(add_i32, "0:i32", x, true);
           const wf::NodeRef least = graph::reduce("(fn ((a i32) (b i32)) (min a b))", "2147483647:i32", prefixes);
           wf::force(std::vector<wf::NodeRef>{least, total});
           return Results{{elements<int32_t>(least)[0], elements<int32_t>(total)[0]}, {}};
         }},
    };
    for (const auto& [name, program] : programs) {
      const size_t before = dump.compiled();
      const Results first = program();
      CHECK_EQ(dump.compiled(), before);
      until_compiled([&] { CHECK_EQ(program() == first ? "" : name + (" of " + std::to_string(n)), ""); });
      CHECK_EQ(all_compiled ? "" : name, "");
    }
  }
}

// More registers than fit a block of the usual size, more instructions than fit in shared memory, more literals than fit in the argument.
TEST(long_functions) {
  const Dump dump;
  for (int steps : {60, 400, 12000}) {
    // Values that are all live until the end, and then a chain.
    std::string text = "(fn ((x f64)) (let (";
    auto name = [](const char* letter, int k) { return letter + std::to_string(k); };
    auto set = [&](const std::string& to, const std::string& value) { text += "(" + to + " " + value + ")"; };
    for (int k = 0; k < steps; k++) set(name("v", k), "(mul x (add x " + std::to_string(k) + ".5:f64))");
    set("s0", "v0");
    for (int k = 1; k < steps; k++)
      set(name("s", k), k < 300 ? "(add " + name("s", k - 1) + " (mul " + name("v", k) + " " + name("v", steps - k) + "))"
                                : "(sub " + name("s", k - 1) + " " + name("v", k) + ")");
    const wf::NodeRef r = graph::map(text + ") " + name("s", steps - 1) + "))", {graph::source(std::vector<double>{0.5, -1, 2})});
    oracle::Oracle oracle;
    CHECK_EQ(oracle::difference(*oracle.value(r), graph::forced(r)), "");
  }
  CHECK_EQ(dump.compiled(), size_t(0));
}

// NVRTC would need a minute to compile this function.
TEST(long_functions_of_many_elements) {
  const Dump dump;
  constexpr int steps = 6000;
  std::string text = "(fn ((x i32)) (let ((s0 x)";
  for (int k = 0; k < steps; k++)
    text += "(s" + std::to_string(k + 1) + " (sub " + std::to_string(k % 100 + 1) + ":i32 (mul s" + std::to_string(k) + " 3:i32)))";
  text += ") s" + std::to_string(steps) + "))";
  std::vector<int32_t> numbers;
  for (int i = 0; i < 50000; i++) numbers.push_back(i);
  const wf::NodeRef x = graph::source(numbers);
  for (int32_t& e : numbers)
    for (int k = 0; k < steps; k++) e = int32_t(uint32_t(k % 100 + 1) - 3u * uint32_t(e));
  for (int run = 0; run < 3; run++) CHECK(elements<int32_t>(graph::map(text, {x})) == numbers);
  CHECK_EQ(dump.compiled(), size_t(0));
}
