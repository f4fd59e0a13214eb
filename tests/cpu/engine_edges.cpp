// Edge cases of the engine: faults, failures, views, edge values of floats, and the same bits in every run.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

#include "check.h"
#include "engine.h"

// The k-th allocation from now fails; 0 and below: none fails.
static std::atomic<int64_t> fail_at{0};
static void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fail_at.load() > 0 && fail_at.fetch_sub(1) == 1) throw std::bad_alloc();
  void* memory = alignment > 16 ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes) { return allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, std::size_t(alignment)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace wf::cpu {
namespace {

std::vector<float> rough(int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> x(size_t(n), 0.0f);
  for (float& value : x) value = float(random()) * 0x1p-32f - 0.4f;
  return x;
}

// A float sum, a float scan that is stored, and its total.
std::vector<Bits64> float_results(const std::vector<float>& x, bool tuple) {
  const int64_t n = int64_t(x.size());
  Job job;
  job.input(x);
  uint32_t out = job.output<float>(n);
  Body f;
  if (tuple) f.b.param(Type::F32);
  f.b.param(Type::F32);
  Id inclusive = f.b.param(Type::F32);
  if (tuple) f.b.param(Type::F32);
  job.kernel.body = f.b.finish({f.at<float>(0), inclusive});
  FnRef add = op_fn(Op::add_, Type::F32);
  if (tuple)
    job.kernel.scan = {{parse("(fn ((a f32) (b f32) (c f32) (d f32)) (tuple (mul a c) (add (mul b c) d)))"), {to_bits(1.0f), 0}, {0, 0}}};
  else job.kernel.scan = {{add, {0}, {0}}};
  job.kernel.stores = {{1, out}};
  job.kernel.reductions = {{add, {0}, {0}}, {add, {0}, {1}}};
  if (tuple) job.finish_with({Type::F32, Type::F32, Type::F32, Type::F32});
  else job.finish_with({Type::F32, Type::F32, Type::F32});
  job.run(n);
  std::vector<Bits64> bits = job.scalars;
  for (float value : job.values<float>(out, n)) bits.push_back(to_bits(value));
  return bits;
}

TEST(float_results_have_the_same_bits_with_any_number_of_workers) {
  for (bool tuple : {false, true})
    for (int64_t n : {1000, 65536, 300001}) {
      const std::vector<float> x = rough(n, unsigned(n));
      std::vector<Bits64> first;
      for (int again = 0; again < 20; again++) {
        Workers limit(1 + again % 3);
        std::vector<Bits64> bits = float_results(x, tuple);
        if (again == 0) first = bits;
        CHECK(bits == first);
      }
    }
}

TEST(float_prefixes_beyond_the_finite_leave_the_law) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (float odd : {inf, -inf, nan, 3e38f})
    for (int64_t place : {0, 5, 70000, 199999}) {
      std::vector<float> x(200000, 0.5f);
      x[size_t(place)] = odd;
      if (odd == 3e38f) x[100] = odd;
      Job job;
      job.input(x);
      Body f;
      f.b.param(Type::F32);
      Id inclusive = f.b.param(Type::F32);
      job.kernel.body = f.b.finish({f.at<float>(0), inclusive});
      job.kernel.scan = {{op_fn(Op::add_, Type::F32), {0}, {0}, true}};
      for (Op g : {Op::min_, Op::max_})
        job.kernel.reductions.push_back({op_fn(g, Type::F32), {*identity_bits(g, Type::F32)}, {1}, no_mask, true, 0});
      job.finish_with({Type::F32, Type::F32, Type::F32});
      job.run(int64_t(x.size()));
      float sum = 0, least = nan, most = nan;
      for (float value : x) sum += value, least = std::fmin(least, sum), most = std::fmax(most, sum);
      auto near = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) < 1e-4f * std::fabs(b); };
      CHECK(near(job.scalar<float>(0), least) && near(job.scalar<float>(1), most) && near(job.scalar<float>(2), sum));
    }
}

TEST(minimum_of_nothing_but_nan_is_the_identity) {
  Job job;
  job.input(std::vector<float>(100, std::numeric_limits<float>::quiet_NaN()));
  Body f;
  job.kernel.body = f.b.finish({f.at<float>(0)});
  job.kernel.reductions = {{op_fn(Op::min_, Type::F32), {to_bits(7.0f)}, {0}}};
  job.finish_with({Type::F32});
  job.run(100);
  CHECK_EQ(job.scalar<float>(0), 7.0f);
}

TEST(the_first_index_out_of_range_is_named) {
  for (int workers : {1, 2})
    for (int64_t n : {10, 100000, 500000}) {
      Workers limit(workers);
      Job job;
      job.input(std::vector<int32_t>(size_t(n), 1));
      Body f;
      Id index = f.b.apply(Op::add_, {f.i, f.b.constant(int64_t(3))});
      Id checked = f.b.check(index, f.b.length(0), f.b.constant(true));
      job.kernel.body = f.b.finish({f.b.at(0, 0, Type::I32, checked)});
      job.kernel.reductions = {{op_fn(Op::add_, Type::I32), {0}, {0}}};
      job.finish_with({Type::I32});
      std::string message;
      try {
        job.run(n);
      } catch (const RangeError& error) { message = error.what(); }
      CHECK_EQ(message, "index " + std::to_string(n) + " at element " + std::to_string(n - 3) +
                            " is out of range for a sequence of length " + std::to_string(n) + "; valid indices are 0 to " +
                            std::to_string(n - 1));
      job.run(n - 3);  // in range: the earlier fault has no effect
      CHECK_EQ(job.scalar<int32_t>(0), n - 3);
    }
}

TEST(finish_reads_inputs_and_runs_loops) {
  Job job;
  job.input(std::vector<int32_t>{40, 2});
  job.input(std::vector<int64_t>{3});
  Body f;
  job.kernel.body = f.b.finish({f.at<int32_t>(0)});
  job.kernel.reductions = {{op_fn(Op::add_, Type::I32), {0}, {0}}};
  job.kernel.finish =
      parse("(fn ((s i32)) (tuple (add s (cast i32 (at $1 0:i64))) (length $0) (at $0 1:i64)))", {{Type::I32}, {Type::I64}});
  job.run(2);
  CHECK_EQ(job.scalar<int32_t>(0), 45);
  CHECK_EQ(job.scalar<int64_t>(1), 2);
  CHECK_EQ(job.scalar<int32_t>(2), 2);
  job.kernel.finish = parse("(fn ((s i32)) (let (((k v) (loop ((k 0:i32) (v s)) (lt k 5:i32) (tuple (add k 1:i32) (mul v 2:i32))))) v))");
  job.run(2);
  CHECK_EQ(job.scalar<int32_t>(0), 42 * 32);
  job.kernel.finish = parse("(fn ((s i32)) (at $0 (cast i64 s)))", {{Type::I32}});
  CHECK_THROWS(RangeError, job.run(2));
}

TEST(inputs_may_be_views_of_memory_without_padding) {
  std::vector<int32_t> memory(70001);
  for (size_t i = 0; i < memory.size(); i++) memory[i] = int32_t(i);
  for (int64_t offset : {0, 1, 7}) {
    const int64_t n = 70000 - offset;
    Job job;
    job.kernel.inputs = {{Type::I32}};
    job.inputs = {{Buffer::adopt(memory.data(), memory.size() * 4, [] {}), n, offset}};
    uint32_t out = job.output<int32_t>(n);
    Body f;
    Id v = f.at<int32_t>(0);
    job.kernel.body = f.b.finish({v, f.b.apply(Op::eq_, {f.b.apply(Op::rem_, {v, f.b.constant(int32_t(3))}), f.b.constant(int32_t(0))})});
    job.kernel.compactions = {{1, {0}, {out}}};
    job.run(n);
    std::vector<int32_t> expected;
    for (int64_t i = 0; i < n; i++)
      if (memory[size_t(offset + i)] % 3 == 0) expected.push_back(memory[size_t(offset + i)]);
    CHECK(job.values<int32_t>(out, job.counts[0]) == expected);
  }
}

// Kernels of no instruction, of one, and of several. Inputs are followed by elements that would change every result.
TEST(elements_after_the_end_do_not_count) {
  for (int64_t n : {1, 2, 63, 64, 65, 1000, 2047, 2048, 2049, 4097, 70001})
    for (int64_t offset : {0, 3}) {
      if (offset >= n) continue;
      Job job;
      std::vector<float> x(size_t(n), 0.0f);
      std::vector<int64_t> index(size_t(n), 0);
      for (size_t i = 0; i < x.size(); i++) x[i] = float(i % 50), index[i] = n - 1 - int64_t(i);
      job.input(x);
      job.input(index);
      auto* floats = reinterpret_cast<float*>(job.inputs[0].buffer->host_for_writing());
      auto* integers = reinterpret_cast<int64_t*>(job.inputs[1].buffer->host_for_writing());
      std::fill(floats + n, floats + job.inputs[0].buffer->capacity() / 4, std::numeric_limits<float>::quiet_NaN());
      std::fill(integers + n, integers + job.inputs[1].buffer->capacity() / 8, int64_t(1) << 40);
      const int64_t count = n - offset;
      for (InputBuffer& input : job.inputs) input.length = count, input.offset = offset;
      auto run = [&](auto make) {
        Body f;
        job.kernel.outputs.clear(), job.outputs.clear(), job.kernel.stores.clear(), job.kernel.reductions.clear();
        job.kernel.body = make(f);
        job.run(count);
      };
      auto stored = [&](uint32_t value) { job.kernel.stores.push_back({value, job.output<float>(count)}); };
      auto summed = [&](uint32_t value) { job.kernel.reductions.push_back({op_fn(Op::max_, Type::F32), {0}, {value}}); };
      const float largest = *std::max_element(x.begin() + offset, x.end());

      run([&](Body& f) { return stored(0), f.b.finish({f.at<float>(0)}); });
      CHECK(job.values<float>(0, count) == std::vector<float>(x.begin() + offset, x.end()));
      run([&](Body& f) { return stored(0), f.b.finish({f.b.apply(Op::neg_, {f.at<float>(0)})}); });
      const std::vector<float> negated = job.values<float>(0, count);
      for (int64_t i = 0; i < count; i++) CHECK_EQ(negated[size_t(i)], -x[size_t(offset + i)]);
      job.finish_with({Type::F32});
      run([&](Body& f) { return summed(0), f.b.finish({f.at<float>(0)}); });
      CHECK_EQ(job.scalar<float>(0), largest);
      run([&](Body& f) {
        stored(0), summed(1);
        const Id checked = f.b.check(f.at<int64_t>(1), f.b.length(0), f.b.constant(true));
        return f.b.finish({f.b.at(0, 0, Type::F32, checked), f.b.apply(Op::add_, {f.at<float>(0), f.b.constant(1.0f)})});
      });
      const std::vector<float> gathered = job.values<float>(0, count);
      for (int64_t i = 0; i < count; i++) CHECK_EQ(gathered[size_t(i)], x[size_t(n - 1 - i)]);
      CHECK_EQ(job.scalar<float>(0), largest + 1);
    }
}

TEST(outputs_larger_than_the_caches) {
  const int64_t n = 9000001;
  auto x = random_values<int32_t>(n, 14, -9, 9);
  for (int workers : {1, 2}) {
    Workers limit(workers);
    Job job;
    job.input(x);
    uint32_t all = job.output<int32_t>(n), kept = job.output<int32_t>(n);
    Body f;
    f.b.param(Type::I32);
    Id inclusive = f.b.param(Type::I32), v = f.at<int32_t>(0);
    job.kernel.body = f.b.finish({v, inclusive, f.b.apply(Op::gt_, {inclusive, f.b.constant(int32_t(0))})});
    job.kernel.scan = {{op_fn(Op::add_, Type::I32), {0}, {0}}};
    job.kernel.stores = {{1, all}};
    job.kernel.compactions = {{2, {0}, {kept}}};
    job.run(n);
    int32_t sum = 0;
    int64_t k = 0;
    bool right = true;
    auto sums = job.values<int32_t>(all, n), positive = job.values<int32_t>(kept, job.counts[0]);
    for (int64_t i = 0; i < n; i++) {
      sum += x[size_t(i)];
      right = right && sums[size_t(i)] == sum;
      if (sum > 0) right = right && k < job.counts[0] && positive[size_t(k)] == x[size_t(i)], k++;
    }
    CHECK(right && k == job.counts[0]);
  }
}

// A foreign block function that fails: the effect of a failing worker on the others.
TEST(a_failing_function_ends_the_run_and_leaves_the_engine_usable) {
  auto failing = std::make_shared<Foreign>();
  failing->name = "failing";
  failing->params = failing->results = {Type::I32};
  failing->block = [](void*, int64_t n, const void* const* in, void* const* out) {
    const int32_t* x = static_cast<const int32_t*>(in[0]);
    if (x[0] >= 200000) throw std::runtime_error("too large");
    std::copy(x, x + n, static_cast<int32_t*>(out[0]));
  };
  std::vector<int32_t> x(400000);
  for (size_t i = 0; i < x.size(); i++) x[i] = int32_t(i);
  for (int workers : {1, 2, 4}) {
    Workers limit(workers);
    Job job;
    job.input(x);
    uint32_t out = job.output<int32_t>(400000);
    Body f;
    f.b.param(Type::I32);
    Id inclusive = f.b.param(Type::I32), v = f.at<int32_t>(0);
    job.kernel.body = f.b.finish({f.b.foreign(failing, std::vector{v})[0], inclusive});
    job.kernel.scan = {{op_fn(Op::max_, Type::I32), {0}, {0}}};
    job.kernel.stores = {{1, out}};
    CHECK_THROWS(std::runtime_error, job.run(400000));
    job.run(100000);
    CHECK_EQ(job.values<int32_t>(out, 100000)[99999], 99999);
  }
}

TEST(any_allocation_may_fail) {
  auto x = random_values<int32_t>(200000, 15, -9, 9);
  for (int workers : {1, 2}) {
    Workers limit(workers);
    bool done = false;
    for (int64_t k = 1; !done; k++) {
      Job job;
      job.input(x);
      uint32_t out = job.output<int32_t>(200000);
      Body f;
      Id v = f.at<int32_t>(0);
      f.b.param(Type::I32);
      Id inclusive = f.b.param(Type::I32);
      job.kernel.body = f.b.finish({v, inclusive, f.b.apply(Op::gt_, {inclusive, f.b.constant(int32_t(k))})});
      job.kernel.scan = {{op_fn(Op::add_, Type::I32), {0}, {0}}};
      job.kernel.compactions = {{2, {0}, {out}}};
      job.kernel.reductions = {{parse("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (mul c a) (add (mul c b) d)))"), {1, 0}, {0, 1}}};
      job.finish_with({Type::I32, Type::I32, Type::I32, Type::I64});
      fail_at = k;
      try {
        job.run(200000);
        done = fail_at > 0;  // fewer than k allocations
      } catch (const MemoryError&) {
      } catch (const std::bad_alloc&) {  // thrown by the copies that Job makes
      }
      fail_at = 0;
      job.run(200000);
      CHECK_EQ(job.scalar<int64_t>(3), job.counts[0]);
    }
  }
}

}  // namespace
}  // namespace wf::cpu
