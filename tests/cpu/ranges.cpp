// Kernels as several ranges of their domain, each run on its own, against one run of the whole domain.
#include <algorithm>

#include "check.h"
#include "engine.h"

namespace wf::cpu {
namespace {

// Borders of ranges of [0, n): of about equal lengths, of one element, and empty ones.
std::vector<std::vector<int64_t>> divisions(int64_t n) {
  const int64_t third = n / 3, half = n / 2;
  return {{0, third, 2 * third, n}, {0, 0, std::min<int64_t>(1, half), half, half, n, n}, {0, n / 64 * 64 / 2, n}};
}

// The results of a range: its scalars, and the elements that its compactions keep.
struct Part {
  Few<Bits64> scalars;
  std::vector<BufferRef> compacted;
  std::vector<int64_t> counts;
};

// Runs the ranges in order. Stores go to the job's outputs; compactions to outputs of their own. If the kernel scans, the last `columns` scalars are
// the scan's total.
std::vector<Part> run_ranges(Job& job, const std::vector<int64_t>& borders, size_t columns) {
  std::vector<Part> parts;
  std::vector<Bits64> start;
  for (size_t p = 0; p + 1 < borders.size(); p++) {
    const int64_t begin = borders[p], n = borders[p + 1] - begin;
    std::vector<BufferRef> outputs = job.outputs;
    for (const Compact& c : job.kernel.compactions)
      for (uint32_t output : c.outputs) outputs[output] = Buffer::make(Job::pool(), size_t(n) * size_of(job.kernel.outputs[output]));
    Launch launch{&job.kernel, n, job.inputs, outputs};
    launch.begin = begin;
    if (begin > 0) launch.scan_start = start;
    Job::engine().run(launch);
    start.assign(launch.scalars.end() - int64_t(columns), launch.scalars.end());
    parts.push_back({launch.scalars, outputs, launch.counts});
  }
  return parts;
}

template <class Body> void for_divisions(Body body) {
  for (int workers : {1, 3}) {
    Workers limit(workers);
    for (int64_t n : lengths)
      for (const std::vector<int64_t>& borders : divisions(n)) body(n, borders);
  }
}

template <class T> void check_stored(Job& job, int64_t n, const std::vector<int64_t>& borders, size_t columns = 0) {
  job.run(n);
  std::vector<std::vector<T>> expected;
  for (uint32_t k = 0; k < job.outputs.size(); k++) expected.push_back(job.values<T>(k, n));
  for (BufferRef& output : job.outputs) output = Buffer::make(Job::pool(), size_t(n) * sizeof(T));
  run_ranges(job, borders, columns);
  for (uint32_t k = 0; k < job.outputs.size(); k++) CHECK(job.values<T>(k, n) == expected[k]);
}

TEST(stores_at_indices) {
  for_divisions([](int64_t n, const std::vector<int64_t>& borders) {
    auto x = random_values<int32_t>(n, 1, -50, 50);
    Job job;
    job.input(x);
    for (int k = 0; k < 3; k++) job.output<int32_t>(n);
    const std::string last = std::to_string(n - 1) + ":i64";
    job.kernel.body =
        parse("(fn ((i i64)) (tuple (add (load $0 i) (cast i32 i)) (sub (load $0 (add i 1:i64)) (load $0 (sub i 3:i64))) (load $0 (sub " +
                  last + " i))))",
              {{Type::I32}});
    job.kernel.stores = {{0, 0}, {1, 1}, {2, 2}};
    check_stored<int32_t>(job, n, borders);
  });
}

TEST(prefixes_from_a_start) {
  for_divisions([](int64_t n, const std::vector<int64_t>& borders) {
    auto x = random_values<int64_t>(n, 2, -1000, 1000);
    for (Op op : {Op::add_, Op::max_}) {
      Job job;
      job.input(x);
      Builder b;
      Id i = b.param(Type::I64, "i"), before = b.param(Type::I64, "before"), after = b.param(Type::I64, "after");
      Id v = b.at(0, 0, Type::I64, i);
      job.kernel.body = b.finish({v, before, after, b.apply(Op::sub_, {after, i})});
      job.kernel.scan = {{op_fn(op, Type::I64), {*identity_bits(op, Type::I64)}, {0}}};
      for (uint32_t k = 0; k < 3; k++) job.kernel.stores.push_back({k + 1, job.output<int64_t>(n)});
      job.finish_with({Type::I64});
      check_stored<int64_t>(job, n, borders, 1);
    }
  });
}

// A pair of columns whose function does not commute, and has no form in registers.
TEST(prefixes_of_pairs) {
  for_divisions([](int64_t n, const std::vector<int64_t>& borders) {
    Job job;
    job.input(random_values<int32_t>(n, 3, 1, 3)), job.input(random_values<int32_t>(n, 4, -9, 9));
    job.kernel.body =
        parse("(fn ((i i64) (a i32) (b i32) (c i32) (d i32)) (tuple (load $0 i) (load $1 i) b c d))", {{Type::I32}, {Type::I32}});
    job.kernel.scan = {{parse("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (mul c a) (add (mul c b) d)))"), {1, 0}, {0, 1}}};
    for (uint32_t k = 0; k < 3; k++) job.kernel.stores.push_back({k + 2, job.output<int32_t>(n)});
    job.finish_with({Type::I32, Type::I32});
    check_stored<int32_t>(job, n, borders, 2);
  });
}

// The lowest and the last prefix, as of parentheses; the law of distribution lets chunks be scanned on their own.
TEST(reductions_of_prefixes) {
  for_divisions([](int64_t n, const std::vector<int64_t>& borders) {
    for (bool by_law : {false, true}) {
      Job job;
      job.input(random_values<int32_t>(n, 5, -1, 1));
      job.kernel.body = parse("(fn ((i i64) (before i32) (after i32)) (tuple (load $0 i) after))", {{Type::I32}});
      job.kernel.scan = {{op_fn(Op::add_, Type::I32), {0}, {0}, by_law}};
      const Bits64 most = *identity_bits(Op::min_, Type::I32);
      job.kernel.reductions = {{op_fn(Op::min_, Type::I32), {most}, {1}, no_mask, by_law}};
      job.finish_with({Type::I32, Type::I32});
      job.run(n);
      int32_t least = from_bits<int32_t>(most);
      const std::vector<Part> parts = run_ranges(job, borders, 1);
      for (const Part& part : parts) least = std::min(least, from_bits<int32_t>(part.scalars[0]));
      CHECK_EQ(least, job.scalar<int32_t>(0));
      CHECK_EQ(from_bits<int32_t>(parts.back().scalars[1]), job.scalar<int32_t>(1));
    }
  });
}

TEST(filters_and_reductions) {
  for_divisions([](int64_t n, const std::vector<int64_t>& borders) {
    Job job;
    job.input(random_values<int32_t>(n, 6, -50, 50));
    const uint32_t kept = job.output<int64_t>(n);
    job.kernel.body = parse("(fn ((i i64)) (tuple (gt (load $0 i) 20:i32) (add i (cast i64 (load $0 i)))))", {{Type::I32}});
    job.kernel.compactions = {{0, {1}, {kept}}};
    job.kernel.reductions = {{op_fn(Op::max_, Type::I64), {*identity_bits(Op::max_, Type::I64)}, {1}}};
    job.finish_with({Type::I64, Type::I64});
    job.run(n);
    const std::vector<int64_t> expected = job.values<int64_t>(kept, job.counts[0]);
    std::vector<int64_t> found;
    int64_t most = INT64_MIN;
    for (const Part& part : run_ranges(job, borders, 0)) {
      const auto* elements = reinterpret_cast<const int64_t*>(part.compacted[kept]->host());
      found.insert(found.end(), elements, elements + part.counts[0]);
      most = std::max(most, from_bits<int64_t>(part.scalars[0]));
    }
    CHECK(found == expected);
    CHECK_EQ(most, job.scalar<int64_t>(0));
  });
}

TEST(faults_name_indices_of_the_domain) {
  for (int64_t n : {1000, 100003}) {
    Job job;
    job.input(random_values<int32_t>(n, 7, 0, 9));
    job.output<int32_t>(n);
    job.kernel.body =
        parse("(fn ((i i64)) (at $0 (where (ge i " + std::to_string(2 * n / 3 + 5) + ":i64) (add i " + std::to_string(n) + ":i64) i)))",
              {{Type::I32}});
    job.kernel.stores = {{0, 0}};
    int64_t at = -1;
    try {
      run_ranges(job, {0, n / 3, n / 2, n}, 0);
    } catch (const IndexFault& fault) { at = fault.at; }
    CHECK_EQ(at, 2 * n / 3 + 5);
  }
}

}  // namespace
}  // namespace wf::cpu
