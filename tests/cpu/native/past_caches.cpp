// Results larger than the caches are stored past them by native code, without a block in between. The values are the same.
#include "../engine.h"
#include "cases.h"
#include "cpu/native/tier.h"

namespace wf::cpu {
namespace {

using native_cases::require_llvm;

// Memory for whole tiles of a result, aligned to 64 bytes.
struct Placed {
  Placed(int64_t n, Type type) : bytes((n + tile - 1) / tile * tile * int64_t(size_of(type)) + 64) {}
  std::byte* at(int64_t i, Type type) { return aligned() + i * int64_t(size_of(type)); }

 private:
  std::byte* aligned() { return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64; }
  std::vector<std::byte> bytes;
};

// A program whose native form stores past the caches if it may.
std::shared_ptr<const BlockProgram> compiled(const FnRef& f) {
  std::vector<uint32_t> early(f->results.size());
  std::iota(early.begin(), early.end(), 0u);
  auto program = BlockProgram::compile(*f, early, true);
  native::compile({&program, 1}, {}, {}, {.only_stores = true});
  return program;
}

}  // namespace

TEST(placed_results_have_the_same_values) {
  require_llvm();
  // Vectors of bytes alone, of all sizes together, and of one result that is computed from another.
  const std::string bodies[] = {
      "(fn ((i i64)) (let ((x (at $0 i))) (tuple (add x 3:u8) (max x 77:u8))))",
      "(fn ((i i64)) (let ((x (cast f32 i)) (y (mul x 0.5:f32))) (tuple y (cast f64 y) (lt y 100.0:f32) (mul i 3:i64) (cast u8 i) (cast "
      "i32 y))))",
      "(fn ((i i64)) (tuple (add i 1:i64) (mul (add i 1:i64) 7:i64)))",
  };
  for (const std::string& body : bodies) {
    const FnRef f = parse(body, {{Type::U8}});
    const auto program = compiled(f);
    const int64_t n = 64 * 1024 + 192;
    std::vector<by_terms::Column> inputs;
    if (body.find("(at $0") != std::string::npos) inputs.push_back(by_terms::column(random_values<uint8_t>(n, 1, 0, 255)));
    Frame frame(program), plain(program);
    std::vector<Placed> results;
    const std::vector<Type> types = f->result_types();
    for (Type type : types) results.emplace_back(n, type);
    for (Frame* each : {&frame, &plain}) each->bind_inputs(by_blocks::views(inputs));
    frame.store_past_caches(true);
    for (int64_t at = 0, count; at < n; at += count) {
      count = std::min(n - at, program->block());
      for (uint32_t k = 0; k < types.size(); k++) {
        CHECK(frame.stores_past_caches(k));
        CHECK(!plain.stores_past_caches(k));
        frame.place_result(k, results[k].at(at, types[k]));
      }
      frame.run(0, at, count);
      plain.run(0, at, count);
      for (uint32_t k = 0; k < types.size(); k++) {
        CHECK(frame.result(k) == results[k].at(at, types[k]));
        CHECK(std::memcmp(results[k].at(at, types[k]), plain.result(k), size_t(count) * size_of(types[k])) == 0);
      }
    }
  }
}

// Results of long groups, and those that a later instruction reads, are stored into the caches.
TEST(other_results_stay_in_the_caches) {
  require_llvm();
  std::string sum = "(cast f32 i)";
  for (int k = 0; k < 40; k++) sum = "(add (mul " + sum + " 0.5:f32) " + std::to_string(k) + ".0:f32)";
  const auto program = compiled(parse("(fn ((i i64)) " + sum + ")"));
  Frame frame(program);
  frame.bind_inputs({});
  frame.store_past_caches(true);
  CHECK(!frame.stores_past_caches(0));

  const auto read =
      compiled(parse("(fn ((i i64)) (let ((y (and i 7:i64))) (tuple y (fold ((a i64) (b i64)) (add a b) 0:i64 ((j y)) (mul j i)))))"));
  Frame before_fold(read);
  before_fold.bind_inputs({});
  before_fold.store_past_caches(true);
  CHECK(!before_fold.stores_past_caches(0));
}

// Kernels whose outputs do not fit into the caches, the last tile of which may be cut: stores alone, and stores next to a sum, which native code folds.
TEST(outputs_larger_than_the_caches) {
  Workers limit(2);
  for (int64_t n : {(int64_t(1) << 22) + 5, (int64_t(1) << 22) + 64})
    for (bool sums : {false, true}) {
      const auto x = random_values<float>(n, 7, -1000, 1000);
      Job job;
      job.input(x);
      job.kernel.body =
          parse("(fn ((i i64)) (let ((x (at $0 i))) (tuple (add x 0.5:f32) (lt x 10.0:f32) (mul (cast f64 x) 2.0:f64) (cast u8 i))))",
                {{Type::F32}});
      job.kernel.stores = {{0, job.output<float>(n)}, {1, job.output<bool>(n)}, {2, job.output<double>(n)}, {3, job.output<uint8_t>(n)}};
      if (sums) {
        job.kernel.reductions = {{op_fn(Op::add_, Type::F64), {0}, {2}}};
        job.finish_with({Type::F64});
      }
      job.run(n);
      const auto a = job.values<float>(0, n);
      const auto* b = reinterpret_cast<const uint8_t*>(job.outputs[1]->host());
      const auto c = job.values<double>(2, n);
      const auto d = job.values<uint8_t>(3, n);
      double total = 0;
      int64_t wrong = 0;
      for (int64_t i = 0; i < n; i++) {
        const auto k = size_t(i);
        wrong += a[k] != x[k] + 0.5f || b[i] != (x[k] < 10) || c[k] != 2.0 * x[k] || d[k] != uint8_t(i);
        total += c[k];
      }
      CHECK_EQ(wrong, 0);
      if (sums) CHECK_EQ(job.scalar<double>(0), total);
    }
}

}  // namespace wf::cpu
