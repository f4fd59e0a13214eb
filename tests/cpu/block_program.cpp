#include "cpu/program/block_program.h"

#include <atomic>
#include <cmath>
#include <cstring>

#include "by_blocks.h"
#include "cpu/program/instruction.h"

using namespace wf;
using namespace by_blocks;

namespace {

void agrees(const char* text, int64_t length, int64_t start, int64_t n, std::vector<uint32_t> early = {}) {
  by_blocks::agrees(parse(text, capture_types), some_inputs(length), start, n, early);
}

}  // namespace

TEST(arithmetic_of_the_index) {
  agrees("(fn ((i i64)) (add (mul i i) 3:i64))", 0, 0, 5000);
  agrees("(fn ((i i64)) (tuple i (cast f32 i) (lt i 10:i64) 7:i32 (mul (cast i32 i) 3:i32)))", 0, 100, 3000);
}

TEST(inputs_in_place_and_at_their_ends) {
  for (int64_t n : {1, 63, 64, 65, 127, 128, 1000, 5000})
    agrees("(fn ((i i64)) (tuple (at $0 i) (mul (at $1 i) 2.0:f32) (at $2 i) (at $3 i)))", n, 0, n);
}

TEST(shifted_reversed_constant_and_gathered_indices) {
  for (const char* index : {"(add i 5:i64)", "(sub i 5:i64)", "(add 5:i64 i)", "(sub 4000:i64 i)", "(sub 2999:i64 i)", "17:i64",
                            "(sub (length $0) (add i 1:i64))", "(sub (sub (length $0) 1:i64) i)", "(rem (mul i 77:i64) 3000:i64)",
                            "(add (sub i 7:i64) (length $1))", "(sub (add i (length $1)) (length $0))", "(sub 3:i64 (sub 5:i64 i))"}) {
    std::string text = "(fn ((i i64)) (tuple (at $0 I) (at $1 I) (at $2 I) (at $3 I)))";
    for (size_t at; (at = text.find('I')) != std::string::npos;) text.replace(at, 1, index);
    agrees(text.c_str(), 3000, 0, 3000);
    agrees(text.c_str(), 3000, 130, 2000);
    agrees(text.c_str(), 100, 0, 300);
  }
}

TEST(indices_of_equal_distances) {
  for (const char* index : {"(mul i 2:i64)", "(add (mul 3:i64 i) 1:i64)", "(sub 2999:i64 (mul 2:i64 i))", "(mul (sub 999:i64 i) 4:i64)",
                            "(add (mul i 64:i64) (length $1))", "(sub (mul i 7:i64) (mul i 2:i64))", "(mul (add i 3:i64) 5:i64)",
                            "(mul (sub i (sub (length $0) 1:i64)) -1:i64)", "(mul i 4096:i64)", "(sub 9000:i64 (mul i 4096:i64))",
                            "(mul i 4097:i64)", "(mul (add i 9223372036854775807:i64) 2:i64)", "(mul (mul i 3:i64) -2:i64)", "(add i i)",
                            "(mul (mul i 70000:i64) 70000:i64)", "(mul (sub i 100:i64) 3:i64)"}) {
    std::string text = "(fn ((i i64)) (tuple (load $0 I) (load $1 I) (load $2 I) (load $3 I) (where (lt I 500:i64) 1:i32 2:i32)))";
    std::string checked = "(fn ((i i64)) (tuple (at $0 I) (at $1 I) (at $2 I) (at $3 I)))";
    for (std::string* each : {&text, &checked})
      for (size_t at; (at = each->find('I')) != std::string::npos;) each->replace(at, 1, index);
    for (int64_t length : {3000, 100, 20000}) {
      agrees(text.c_str(), length, 0, 3000);
      agrees(text.c_str(), length, 130, 2000);
      agrees(checked.c_str(), length, 0, 3000);
      agrees(checked.c_str(), length, 101, 301);
    }
  }
}

TEST(the_first_fault_is_the_smallest_index) {
  agrees("(fn ((i i64)) (at $0 (mul i i)))", 1000, 0, 100);
  agrees("(fn ((i i64)) (where (gt i 50:i64) (at $0 (mul i i)) 1:i32))", 1000, 0, 100);
  agrees("(fn ((i i64)) (where (lt i 30:i64) (at $0 (mul i i)) 1:i32))", 1000, 0, 100);
  agrees("(fn ((i i64)) (at $0 2000:i64))", 1000, 5, 100);
  agrees("(fn ((i i64)) (at $0 (add i 990:i64)))", 1000, 0, 100);
  agrees("(fn ((i i64)) (at $0 (sub 50:i64 i)))", 1000, 0, 100);
  Run run = run_blocks(parse("(fn ((i i64)) (at $0 (add i 990:i64)))", capture_types), some_inputs(1000), 0, 100, 64);
  CHECK_EQ(run.fault.at, 10);
  CHECK_EQ(run.fault.index, 1000);
  CHECK_EQ(run.fault.length, 1000);
  run = run_blocks(parse("(fn ((i i64)) (at $0 (sub 990:i64 (mul i 3:i64))))", capture_types), some_inputs(1000), 0, 1000, 64);
  CHECK_EQ(run.fault.at, 331);
  CHECK_EQ(run.fault.index, -3);
}

TEST(phases_share_values) {
  const char* text =
      "(fn ((i i64)) (let ((x (at $1 i)) (y (mul x x)) (z (add y 1.5:f32)))"
      " (tuple y (sub z x) (mul z y) x 3.0:f32)))";
  for (std::vector<uint32_t> early : {std::vector<uint32_t>{}, {0}, {1}, {0, 2}, {3, 4}, {0, 1, 2, 3, 4}})
    agrees(text, 3000, 0, 3000, early);
}

TEST(chains_keep_every_bit) {
  std::string x = "(at $1 i)";
  for (int step = 0; step < 20; step++) {
    const char* forms[] = {"(add (mul X 1.0001:f32) 0.5:f32)", "(mul X -1.5:f32)", "(sub X 0.1:f32)", "(add 3.0:f32 X)",
                           "(fma 2.0:f32 X 0.25:f32)",         "(sub 1.0:f32 X)"};
    std::string form = forms[step % 6];
    x = form.replace(form.find('X'), 1, x);
    agrees(("(fn ((i i64)) " + x + ")").c_str(), 200, 0, 200);
  }
  agrees(
      "(fn ((i i64)) (let ((x (at $1 i)) (a (mul (add x 1.0:f32) 2.0:f32)) (b (mul (add a 1.0:f32) 2.0:f32)))"
      " (tuple (add b 1.0:f32) (mul b 0.5:f32) a)))",
      200, 0, 200, {1});
}

TEST(pairs_of_integer_operations) {
  for (const char* type : {"u8", "i32", "u32", "i64", "u64"}) {
    std::string text =
        "(fn ((i i64)) (let ((x (cast T i)) (p (mul x 7:T)) (m (and 6:T x)) (shared (mul x 5:T)))"
        " (tuple (add p 3:T) (eq m 4:T) (ne (and x 3:T) 1:T) (eq 2:T (and x 2:T)) (add 9:T (mul 11:T x))"
        " (add shared 1:T) (sub shared 1:T) (mul x x) (and x (mul x 3:T)))))";
    for (size_t at = 0; (at = text.find('T', at)) != std::string::npos; at++)
      if (text[at - 1] == ':' || text[at - 1] == ' ') text.replace(at, 1, type);
    for (std::vector<uint32_t> early : {std::vector<uint32_t>{}, {1}, {0, 5}}) agrees(text.c_str(), 0, 1000, 3000, early);
  }
}

// Blocks before, across and after the bounds; terms read by both branches; branches inside branches; indices that wrap.
TEST(branches_by_the_index) {
  for (const char* condition : {"(lt i 1000:i64)", "(le i 1000:i64)", "(gt i 1000:i64)", "(ge 1000:i64 i)", "(lt (sub 1000:i64 i) 0:i64)",
                                "(lt (add i 9223372036854775000:i64) 9223372036854775807:i64)", "(lt i (length $0))",
                                "(ge (sub (length $0) i) (sub i 100:i64))", "(lt i (add i 1:i64))"}) {
    for (const char* form :
         {"(where C (at $1 i) (at $1 (sub i 900:i64)))",
          "(tuple (where C (at $0 i) (at $0 (sub 3000:i64 i))) (where C (at $1 i) 1.0:f32) (at $1 i))",
          "(where C (where (lt i 500:i64) (mul (at $0 i) 2:i32) (add (at $0 i) 1:i32)) (where (lt i 2000:i64) 7:i32 (at $0 (sub i "
          "1500:i64))))",
          "(let ((x (at $1 i)) (y (mul (add x 1.0:f32) 2.0:f32))) (tuple (where C (add y 1.0:f32) x) (where (not C) y 2.0:f32)))",
          "(tuple C (where C (add (mul (at $0 i) 3:i32) 1:i32) (at $0 (mul i 2:i64))))",
          "(where C (loop ((k 0:i64)) (lt k (rem i 5:i64)) (add k 2:i64)) i)",
          "(where C (where C 1:i32 2:i32) (where C 3:i32 (at $0 i)))"}) {
      std::string text = "(fn ((i i64)) " + std::string(form) + ")";
      for (size_t at; (at = text.find('C')) != std::string::npos;) text.replace(at, 1, condition);
      for (std::vector<uint32_t> early : {std::vector<uint32_t>{}, {0}}) agrees(text.c_str(), 1500, 0, 3000, early);
      agrees(text.c_str(), 1500, 960, 100);
    }
  }
}

// A block computes only the terms that it needs: a foreign function in the branch not taken is not called.
TEST(branches_not_taken_cost_nothing) {
  static std::atomic<int64_t> calls;
  Foreign::BlockFunction* block = [](void*, int64_t n, const void* const* in, void* const* out) {
    calls += n;
    std::memcpy(out[0], in[0], size_t(n) * 8);
  };
  Builder b;
  Id i = b.param(Type::I64);
  Id called = b.foreign(std::make_shared<Foreign>(Foreign{"block", {Type::I64}, {Type::I64}, nullptr, block, nullptr}), {&i, 1})[0];
  Id where = b.apply(Op::where_, {b.apply(Op::lt_, {i, b.constant(int64_t(100))}), i, called});
  FnRef f = b.finish({&where, 1});
  for (auto [start, expected] : {std::pair{0, 0}, {64, 64}, {128, 64}}) {
    calls = 0;
    run_blocks(f, {}, start, 64, 64);
    CHECK_EQ(calls.load(), expected);
  }
}

TEST(loops) {
  agrees(
      "(fn ((i i64)) (loop ((n i) (steps 0:i32)) (gt n 1:i64)"
      " (tuple (where (eq (and n 1:i64) 0:i64) (div n 2:i64) (add (mul n 3:i64) 1:i64)) (add steps 1:i32))))",
      0, 0, 1000);
  agrees("(fn ((i i64)) (loop ((a 0:i64) (b 1:i64) (k 0:i64)) (lt k i) (tuple b (add a b) (add k 1:i64))))", 0, 0, 90);
  agrees(
      "(fn ((i i64)) (let ((c (at $1 i)) ((z k) (loop ((z 0.0:f32) (k 0:i32)) (and (lt z 4.0:f32) (lt k 50:i32))"
      " (tuple (fma z z (mul c 0.01:f32)) (add k 1:i32))))) (tuple z k)))",
      700, 0, 700);
}

TEST(loops_inside_loops_and_reads_inside_loops) {
  agrees(
      "(fn ((i i64)) (loop ((s 0:i64) (j 0:i64)) (lt j (rem i 7:i64))"
      " (tuple (add s (loop ((t 0:i64)) (lt t j) (add t 2:i64))) (add j 1:i64))))",
      0, 0, 500);
  // Linear search in the input, as far as the element's own index; stops before the end for all.
  agrees("(fn ((i i64)) (loop ((j 0:i64)) (lt (at $0 j) (cast i32 i)) (add j 1:i64)))", 900, 0, 600);
  agrees("(fn ((i i64)) (loop ((j 0:i64)) (lt j i) (tuple (add j (cast i64 (ge (at $0 j) 0:i32))))))", 300, 0, 400);
}

TEST(parameters_bound_to_memory) {
  FnRef f = parse("(fn ((a i32) (b f32) (c i32)) (tuple (add a c) (mul b 2.0:f32) a))");
  auto program = cpu::BlockProgram::compile(*f, {}, false);
  cpu::Frame frame(program);
  alignas(64) int32_t a[64], c[64];
  alignas(64) float b[64];
  for (int k = 0; k < 64; k++) a[k] = k, b[k] = float(k), c[k] = 1000 * k;
  frame.bind_param(0, a);
  frame.bind_param(1, b);
  frame.bind_param(2, c);
  frame.run(1, 0, 64);
  for (int k = 0; k < 64; k++) {
    CHECK_EQ(static_cast<const int32_t*>(frame.result(0))[k], 1001 * k);
    CHECK_EQ(static_cast<const float*>(frame.result(1))[k], 2.0f * float(k));
  }
  CHECK(frame.result(2) == a);
}

TEST(foreign_functions) {
  auto run = [](Foreign foreign, Builder& b, std::vector<Id> args) {
    std::vector<Id> values = b.foreign(std::make_shared<Foreign>(std::move(foreign)), args);
    return run_blocks(b.finish(values), {}, 0, 300, 64);
  };
  Builder b;
  Id i = b.param(Type::I64);
  Run sines = run({"sin", {Type::F64}, {Type::F64}, reinterpret_cast<void*>(static_cast<double (*)(double)>(std::sin)), nullptr, nullptr},
                  b, {b.cast(Type::F64, i)});
  auto mixed = [](unsigned char flag, int32_t x, float y, int64_t z) -> int32_t { return flag ? x + int32_t(y) : int32_t(z); };
  Builder c;
  i = c.param(Type::I64);
  Run choices =
      run({"mixed", {Type::Bool, Type::I32, Type::F32, Type::I64}, {Type::I32}, reinterpret_cast<void*>(+mixed), nullptr, nullptr}, c,
          {c.apply(Op::lt_, {i, c.constant(int64_t(100))}), c.cast(Type::I32, i), c.constant(0.5f), c.apply(Op::neg_, {i})});
  Foreign::BlockFunction* block = [](void*, int64_t n, const void* const* in, void* const* out) {
    for (int64_t k = 0; k < n; k++) {
      static_cast<int64_t*>(out[0])[k] = static_cast<const int64_t*>(in[0])[k] + static_cast<const int64_t*>(in[1])[k];
      static_cast<uint8_t*>(out[1])[k] = uint8_t(static_cast<const int64_t*>(in[0])[k]);
    }
  };
  Builder d;
  i = d.param(Type::I64);
  Run sums = run({"block", {Type::I64, Type::I64}, {Type::I64, Type::U8}, nullptr, block, nullptr}, d, {i, d.constant(int64_t(5))});
  for (int64_t k = 0; k < 300; k++) {
    CHECK_EQ(from_bits<double>(sines.results[0][k]), std::sin(double(k)));
    CHECK_EQ(from_bits<int32_t>(choices.results[0][k]), k < 100 ? int32_t(k) : int32_t(-k));
    CHECK_EQ(from_bits<int64_t>(sums.results[0][k]), k + 5);
    CHECK_EQ(from_bits<uint8_t>(sums.results[1][k]), uint8_t(k));
  }
}

// Sums of quotients and remainders by literals are counted (walk.h); those that are not aligned, or of another type, are computed.
TEST(indices_by_digits) {
  for (const char* index : {"(rem i 77:i64)",
                            "(div i 77:i64)",
                            "(add (rem i 50:i64) (mul (div i 50:i64) 60:i64))",
                            "(add (mul (rem i 50:i64) 60:i64) (div i 50:i64))",
                            "(add (mul (div i 60:i64) 60:i64) (add (mul (rem (div i 12:i64) 5:i64) -7:i64) (rem i 4:i64)))",
                            "(sub (rem i 3:i64) (div i 3:i64))",
                            "(add (rem (add i 5:i64) 7:i64) (mul (div (add i 5:i64) 7:i64) 3:i64))",
                            "(add i (rem i 7:i64))",
                            "(add (rem (add i 5:i64) 7:i64) i)",
                            "(add i (rem (add i 5:i64) 7:i64))",
                            "(add (rem i 6:i64) (div i 4:i64))",
                            "(add (rem (add i 1:i64) 6:i64) (div (add i 2:i64) 6:i64))",
                            "(rem (add i -3:i64) 7:i64)",
                            "(add (rem i 2:i64) 9223372036854775806:i64)",
                            "(rem i 0:i64)",
                            "(div i -3:i64)",
                            "(add (rem i 100000:i64) -10:i64)",
                            "(rem (div (rem i 1000:i64) 3:i64) 4:i64)",
                            "(rem (mul i 3:i64) 7:i64)",
                            "(mul (rem i 3:i64) 4611686018427387904:i64)",
                            "(add (div i 1:i64) (rem i 1:i64))"}) {
    std::string text = "(fn ((i i64)) (tuple I (load $0 I) (load $1 I) (load $2 I) (load $3 I) (where (lt I 20:i64) (load $0 I) 2:i32)))";
    std::string checked = "(fn ((i i64)) (tuple (at $0 I) (at $1 I) (at $2 I) (at $3 I)))";
    for (std::string* each : {&text, &checked})
      for (size_t at; (at = each->find('I')) != std::string::npos;) each->replace(at, 1, index);
    for (int64_t length : {3000, 100, 20000}) {
      agrees(text.c_str(), length, 0, 3000);
      agrees(text.c_str(), length, 131, 2000);
      agrees(text.c_str(), length, 20, 23, {0, 1});
      agrees(checked.c_str(), length, 101, 301);
    }
  }
}

// A copy is cut into blocks only if the frame stores it. A choice that has one outcome leaves one copy.
TEST(copies_that_need_no_blocks) {
  using namespace wf::cpu;
  constexpr int64_t n = 100'000;
  std::vector<int32_t> x(n);
  for (int64_t i = 0; i < n; i++) x[size_t(i)] = int32_t(i);
  const std::vector<InputView> inputs = {{x.data(), n, n}};
  const std::unique_ptr<Tile[]> memory = std::make_unique_for_overwrite<Tile[]>(n / 16);
  auto* out = reinterpret_cast<const int32_t*>(memory.get());
  auto frame_of = [&](const char* text) {
    Frame frame(BlockProgram::compile(*parse(text, {{Type::I32}}), std::vector<uint32_t>{0}, true));
    frame.bind_inputs(inputs);
    return frame;
  };
  Frame reversed = frame_of("(fn ((i i64)) (load $0 (sub 99999:i64 i)))");
  CHECK_EQ(reversed.span(0, n), 0);
  reversed.place_result(0, memory.get());
  CHECK_EQ(reversed.span(0, n), n);
  reversed.run(0, 0, n);
  CHECK(reversed.result(0) == memory.get());
  for (int64_t i = 0; i < n; i++) CHECK_EQ(out[i], int32_t(n - 1 - i));

  Frame joined = frame_of("(fn ((i i64)) (where (lt i 64000:i64) (load $0 i) (load $0 (sub i 64000:i64))))");
  CHECK_EQ(joined.span(0, 64000), 0);
  joined.place_result(0, memory.get());
  CHECK_EQ(joined.span(0, 64000), 64000);
  CHECK_EQ(joined.span(0, n), n / 2 / tile * tile);
  CHECK_EQ(joined.span(64000, 30016), 30016);
  joined.run(0, 64000, 30016);
  for (int64_t i = 0; i < 30016; i++) CHECK_EQ(out[i], int32_t(i));
}
