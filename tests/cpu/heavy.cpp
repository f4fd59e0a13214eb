// Few elements of a body with loops, or with reads of a large input, are several chunks, whose run wakes threads. Results do not depend on the number
// of threads.
#include "check.h"
#include "cpu/compiled_kernel.h"
#include "engine.h"

namespace wf::cpu {
namespace {

// Stores the results of a loop of 300 steps. Without a sum, it also keeps those below 250.
Job loops(int64_t n, bool sum) {
  Job job;
  job.kernel.body = parse(
      "(fn ((i i64)) (let (((k v) (loop ((k 0:i32) (v (cast f32 i))) (lt k 300:i32) (tuple (add k 1:i32) (add (mul v 0.999:f32) "
      "0.25:f32)))))"
      " (tuple v (lt v 250.0:f32))))");
  job.kernel.stores = {{0, job.output<float>(n)}};
  if (sum) {
    job.kernel.reductions = {{op_fn(Op::add_, Type::F32), {0}, {0}}};
    job.finish_with({Type::F32});
  } else {
    Compact compact;
    compact.mask = 1, compact.values = {0}, compact.outputs = {job.output<float>(n)};
    job.kernel.compactions = {compact};
    job.finish_with({Type::I64});
  }
  return job;
}

TEST(heavy_elements_are_several_chunks) {
  Workers limit(2);
  for (bool sum : {false, true})
    for (int64_t n : {1024, 2048, 16384}) {
      Job job = loops(n, sum);
      const CompiledKernel compiled(job.kernel, n);
      const Launch launch{&job.kernel, n, job.inputs, job.outputs, {}, {}};
      CHECK(compiled.chunk_length(launch) * 8 <= n);
    }
}

TEST(few_chunks_are_short_unless_an_element_may_take_long) {
  Job map;
  map.kernel.body = parse("(fn ((i i64)) (mul i i))");
  map.kernel.stores = {{0, map.output<int64_t>(1 << 20)}};
  const CompiledKernel compiled(map.kernel, 1 << 20);
  CHECK(compiled.is_short(2));
  CHECK(!compiled.is_short(1000));

  Job rows;
  rows.kernel.body = parse("(fn ((r i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j 1000000:i64)) (mul j r)))");
  rows.kernel.stores = {{0, rows.output<int64_t>(64)}};
  CHECK(!CompiledKernel(rows.kernel, 64).is_short(2));
  CHECK(!CompiledKernel(loops(1024, false).kernel, 1024).is_short(2));
}

// A read of a few random elements of a large input takes as long as hundreds of additions.
TEST(elements_that_are_read_far_away_are_several_chunks) {
  const int64_t n = 65536;
  auto chunk = [&](int64_t length, const char* body) {
    Job job;
    job.kernel.body = parse(body, {{Type::I32}, {Type::F32}});
    job.input(std::vector<int32_t>(size_t(n)));
    job.input(std::vector<float>(size_t(length)));
    job.kernel.stores = {{0, job.output<float>(n)}};
    const Launch launch{&job.kernel, n, job.inputs, job.outputs, {}, {}};
    return CompiledKernel(job.kernel, n).chunk_length(launch);
  };
  const char* gathers = "(fn ((i i64)) (load $1 (cast i64 (load $0 i))))";
  CHECK(chunk(1 << 20, gathers) * 4 <= n);
  CHECK(chunk(1 << 10, gathers) * 4 > n);
  CHECK(chunk(1 << 20, "(fn ((i i64)) (add (load $1 i) (cast f32 (load $0 i))))") * 4 > n);
}

TEST(heavy_elements_have_the_same_bits_with_any_number_of_workers) {
  for (bool sum : {false, true})
    for (int64_t n : {1, 15, 16, 17, 1023, 2047, 2048, 2049, 16384}) {
      std::vector<Bits64> first;
      for (int workers : {1, 2, 3, 2}) {
        Workers limit(workers);
        Job job = loops(n, sum);
        job.run(n);
        std::vector<Bits64> bits = job.scalars;
        for (float value : job.values<float>(0, n)) bits.push_back(to_bits(value));
        if (!sum)
          for (float value : job.values<float>(1, job.counts[0])) bits.push_back(to_bits(value));
        if (first.empty()) first = bits;
        CHECK(bits == first);
      }
    }
}

}  // namespace
}  // namespace wf::cpu
