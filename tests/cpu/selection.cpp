// Reductions that select an element, against a fold from the left: interpreted and native, with one thread and with two.
#include <cmath>
#include <cstring>
#include <random>

#include "by_blocks.h"
#include "cpu/compiled_kernel.h"
#include "cpu/engine.h"
#include "cpu/native/library.h"
#include "cpu/reductions/selection.h"
#include "cpu/threads/chunks.h"

using namespace wf;
using namespace by_blocks;

namespace {

// The first largest, and the first least in the total order of floats; a NaN is the largest.
const std::string less = "(or (or (lt b d) (and (eq b d) (lt (copysign 1.0:f32 b) (copysign 1.0:f32 d)))) (and (isnan d) (not (isnan b))))";
const std::string pairs = "(fn ((a i64) (b f32) (c i64) (d f32)) ";
const std::string first_largest =
    pairs + "(let ((t (or (lt a 0:i64) (and (ge c 0:i64) " + less + ")))) (tuple (where t c a) (where t d b))))";
const std::string first_least = pairs + "(let ((t (and (ge a 0:i64) (or (lt c 0:i64) (le b d))))) (tuple (where t a c) (where t b d))))";
const std::string last = pairs + "(let ((t (ge c 0:i64))) (tuple (where t c a) (where t d b))))";

using Values = std::vector<float>;

Values values(const char* order, int64_t n) {
  Values x;
  std::mt19937 random(5);
  for (int64_t i = 0; i < n; i++) {
    const std::string_view name = order;
    if (name == "random") x.push_back(float(random() % 1000000));
    else if (name == "ascending") x.push_back(float(i));
    else if (name == "descending") x.push_back(float(-i));
    else if (name == "equal") x.push_back(3);
    else if (name == "late") x.push_back(i == n - 1 ? 9 : i == n / 2 ? 8 : 7);
    else if (name == "steps") x.push_back(i / 7000 % 2 == 0 ? float(i) : i % 50 == 0 ? float(i / 50) : 0.0f);
    else if (name == "zeros") x.push_back(i % 1000 == 999 ? 0.0f : -0.0f);
    else x.push_back(i % 5000 == 4999 ? NAN : float(random() % 100));
  }
  return x;
}

struct Found {
  int64_t index;
  float value;
  bool operator==(const Found& other) const { return index == other.index && std::memcmp(&value, &other.value, sizeof value) == 0; }
};

Kernel kernel_of(const std::string& combine, const std::string& body = "(fn ((i i64)) (tuple i (load $0 i)))") {
  Kernel kernel;
  kernel.inputs = {{Type::F32}};
  kernel.body = parse(body, {{Type::F32}});
  kernel.reductions.push_back({parse(combine), {to_bits(int64_t(-1)), 0}, {0, 1}});
  kernel.finish = identity_fn(std::vector{Type::I64, Type::F32});
  return kernel;
}

Found found(const cpu::CompiledKernel& compiled, const Kernel& kernel, const std::vector<InputBuffer>& inputs, int64_t n, int workers) {
  cpu::limit_workers(workers);
  Launch launch{&kernel, n, inputs, {}, {}, {}};
  cpu::run_compiled(compiled, launch);
  cpu::limit_workers(0);
  return {from_bits<int64_t>(launch.scalars[0]), from_bits<float>(launch.scalars[1])};
}

Found from_the_left(const Kernel& kernel, const Values& x) {
  const cpu::Combine combine(kernel.reductions[0].combine, kernel.reductions[0].identity);
  std::vector<Bits64> both = {to_bits(int64_t(-1)), 0, 0, 0};
  cpu::RangeFault none;
  for (size_t i = 0; i < x.size(); i++) {
    both[2] = to_bits(int64_t(i)), both[3] = to_bits(x[i]);
    combine.one(both, {}, std::span(both).first(2), none);
  }
  return {from_bits<int64_t>(both[0]), from_bits<float>(both[1])};
}

}  // namespace

TEST(the_element_that_a_fold_from_the_left_selects) {
  const auto pool = std::make_shared<Pool>();
  for (const std::string& combine : {first_largest, first_least, last}) {
    const Kernel kernel = kernel_of(combine);
    const cpu::CompiledKernel interpreted(kernel, 1000), compiled(kernel, 1000);
    if (!compiled.replacements.element) return check::fail(__FILE__, __LINE__, print(*kernel.reductions[0].combine));
    compiled.compile_native();
    if (cpu::native::llvm()) CHECK(compiled.replacements.element->native() && compiled.replacements.element->native()->folding);
    for (const char* order : {"random", "ascending", "descending", "equal", "late", "zeros", "steps", "holes"})
      for (int64_t n : {1, 63, 64, 65, 1151, 1153, 2047, 2049, 40000, 300007}) {
        const Values x = values(order, n);
        const std::vector<InputBuffer> inputs{{Buffer::make(pool, x.size() * sizeof(float)), n}};
        std::memcpy(inputs[0].buffer->host_for_writing(), x.data(), x.size() * sizeof(float));
        // With NaNs the first least is not associative: its bracketing must not depend on the evaluator or the threads.
        const bool is_associative = combine != first_least || std::string_view(order) != "holes";
        const Found expected = is_associative ? from_the_left(kernel, x) : found(interpreted, kernel, inputs, n, 1);
        for (const cpu::CompiledKernel* evaluator : {&interpreted, &compiled})
          for (int workers : {1, 2}) CHECK(found(*evaluator, kernel, inputs, n, workers) == expected);
      }
  }
}

// A chunk of hundreds of blocks, none of which replaces the first element: the number of blocks that are examined at once stays below theirs.
TEST(a_long_chunk_that_replaces_nothing) {
  const auto pool = std::make_shared<Pool>();
  const Kernel kernel = kernel_of(first_largest);
  const int64_t n = 4000037;
  const Values x = values("late", n);
  const std::vector<InputBuffer> inputs{{Buffer::make(pool, x.size() * sizeof(float)), n}};
  std::memcpy(inputs[0].buffer->host_for_writing(), x.data(), x.size() * sizeof(float));
  for (bool native : {false, true}) {
    const cpu::CompiledKernel compiled(kernel, n);
    if (native) compiled.compile_native();
    CHECK(found(compiled, kernel, inputs, n, 1) == (Found{n - 1, 9}));
  }
}

// Blocks of a kernel that only reads an input are longer than those of the condition.
TEST(an_element_of_the_input_itself) {
  const auto pool = std::make_shared<Pool>();
  auto check = [&]<class T>(const std::string& type, T first) {
    Kernel kernel;
    kernel.inputs = {{type_of<T>}};
    kernel.body = parse("(fn ((i i64)) (load $0 i))", {{type_of<T>}});
    // The left one of two with equal remainders is selected, so that the result tells which element it was.
    const std::string remainder = "(rem (cast i64 ", by = ") 97:i64)";
    const FnRef combine =
        parse("(fn ((a " + type + ") (b " + type + ")) (where (lt " + remainder + "a" + by + " " + remainder + "b" + by + ") b a))");
    kernel.reductions.push_back({combine, {to_bits(first)}, {0}});
    kernel.finish = identity_fn(std::vector{type_of<T>});
    for (bool native : {false, true})
      for (int64_t n : {64, 2049, 16385, 300007}) {
        const cpu::CompiledKernel compiled(kernel, n);
        CHECK(compiled.replacements.element != nullptr);
        if (native) compiled.compile_native();
        const std::vector<InputBuffer> inputs{{Buffer::make(pool, size_t(n) * sizeof(T)), n}};
        T* const x = reinterpret_cast<T*>(inputs[0].buffer->host_for_writing());
        T expected = first;
        for (int64_t i = 0; i < n; i++) {
          x[i] = T(i * 7919 % 251);
          if (int64_t(expected) % 97 < int64_t(x[i]) % 97) expected = x[i];
        }
        for (int workers : {1, 2}) {
          cpu::limit_workers(workers);
          Launch launch{&kernel, n, inputs, {}, {}, {}};
          cpu::run_compiled(compiled, launch);
          cpu::limit_workers(0);
          CHECK(from_bits<T>(launch.scalars[0]) == expected);
        }
      }
  };
  check("u8", uint8_t(0));
  check("f32", 0.0f);
  check("i64", int64_t(0));
}

TEST(kernels_that_are_combined_in_full) {
  const std::string swaps = pairs + "(let ((t (lt b d))) (tuple (where t c a) (where t b d))))";
  const std::string two = pairs + "(tuple (where (lt b d) c a) (where (lt a c) d b)))";
  const std::string sums = pairs + "(tuple (where (lt b d) c a) (add b d)))";
  for (const std::string& combine : {swaps, two, sums}) CHECK(!cpu::replacements_of(kernel_of(combine)).element);
  CHECK(cpu::replacements_of(kernel_of(first_largest)).possible != nullptr);
  Kernel masked = kernel_of(first_largest, "(fn ((i i64)) (tuple i (load $0 i) (lt i 9:i64)))");
  masked.reductions[0].mask = 2;
  CHECK(!cpu::replacements_of(masked).element);
  Kernel stored = kernel_of(first_largest);
  stored.outputs = {Type::F32};
  stored.stores = {{1, 0}};
  CHECK(!cpu::replacements_of(stored).element);
  CHECK(!cpu::replacements_of(kernel_of(first_largest, "(fn ((i i64)) (tuple i (at $0 (rem (mul i 7:i64) 50:i64))))")).element);
}
