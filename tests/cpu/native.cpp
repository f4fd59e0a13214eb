// Native code has the bits of the interpreter: every operation and type on edge values, conversions, random functions, loops.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "by_blocks.h"
#include "cpu/chunks.h"
#include "cpu/compiled_kernel.h"
#include "cpu/engine.h"
#include "cpu/native/halving.h"
#include "cpu/native/library.h"
#include "cpu/native/native_program.h"
#include "cpu/native/operations.h"
#include "cpu/native/tier.h"
#include "cpu/reductions/reduce.h"
#include "edge_values.h"
#include "random_function.h"

using namespace wf;
using namespace by_blocks;

namespace {

using Program = std::shared_ptr<const cpu::BlockProgram>;

void require_llvm() {
  if (!cpu::native::llvm()) throw check::Skip{cpu::native::reason_without_llvm()};
}

// A program and its function's results as the interpreter computes them. `native` compares them with those of the native form.
struct Case {
  FnRef f;
  std::vector<by_terms::Column> inputs;
  int64_t start, n, block;
  Program program;
  Run expected;

  Case(FnRef function, std::vector<by_terms::Column> columns, int64_t first, int64_t count, int64_t most, std::vector<uint32_t> early = {})
      : f(std::move(function)), inputs(std::move(columns)), start(first), n(count), block(most) {
    program = cpu::BlockProgram::compile(*f, early, true);
    expected = run_program(*f, program, inputs, start, n, block);
  }

  void native() const {
    const Run got = run_program(*f, program, inputs, start, n, block);
    CHECK_EQ(got.fault.at, expected.fault.at);
    CHECK_EQ(got.fault.index, expected.fault.index);
    for (size_t k = 0; k < got.results.size(); k++)
      for (int64_t i = 0; i < n; i++)
        if (!same(got.results[k].type, got.results[k][i], expected.results[k][i]))
          return check::fail(__FILE__, __LINE__,
                             "element " + std::to_string(start + i) + " of result " + std::to_string(k) + ": " +
                                 print_literal(got.results[k].type, got.results[k][i]) + ", not " +
                                 print_literal(got.results[k].type, expected.results[k][i]) + " in " + print(*f));
  }
};

void compare(const std::vector<Case>& cases) {
  std::vector<Program> programs;
  for (const Case& c : cases) programs.push_back(c.program);
  cpu::native::compile(programs);
  for (const Case& c : cases) c.native();
}

// All pairs of edge values, then random bits.
by_terms::Column operand(Type type, int64_t n, int64_t stride, uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Bits64> edges = edge_values(type);
  by_terms::Column column{type, std::vector<std::byte>(size_t(n) * size_of(type))};
  for (int64_t i = 0; i < n; i++) {
    Bits64 bits = i < n / 2 ? edges[size_t(i / stride) % edges.size()] : type == Type::Bool ? random() & 1 : random();
    if (i > n / 4 * 3) bits = convert(Type::F64, type, to_bits(double(random() % 2000) / 7 - 100));
    std::memcpy(column.bytes.data() + size_t(i) * size_of(type), &bits, size_of(type));
  }
  return column;
}

Case one_operation(Op op, Type type) {
  const auto edges = int64_t(edge_values(type).size());
  const int64_t n = 4 * edges * edges + 77;
  const Type first = op == Op::where_ ? Type::Bool : type;
  std::vector<by_terms::Column> inputs{operand(first, n, 1, 1), operand(type, n, edges, 2), operand(type, n, 3, 3)};
  Builder b;
  const Id i = b.param(Type::I64);
  std::vector<Id> operands;
  for (uint32_t k = 0; k < uint32_t(info(op).arity); k++) operands.push_back(b.at(k, 0, k == 0 ? first : type, i));
  return {b.finish({b.apply(op, operands)}), std::move(inputs), 0, n, int64_t(1) << 20};
}

Case one_conversion(Type from, Type to) {
  const int64_t n = 4001;
  Builder b;
  const Id i = b.param(Type::I64);
  return {b.finish({b.cast(to, b.at(0, 0, from, i))}), {operand(from, n, 1, 4)}, 0, n, int64_t(1) << 20};
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

// The exit status of a process that compiles functions with this many bytes of further memory, or its signal. 0: they were exhausted within
// LLVM. 1: they were not, or only in warpfold's own functions.
int status_with_memory(size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%ld", &pages) != 1) _exit(2);
      std::fclose(file);
    }
    const rlim_t limit = rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit both{limit, limit};
    if (setrlimit(RLIMIT_AS, &both) != 0) _exit(3);
    std::vector<Program> kept;
    for (int seed = 0; seed < 400; seed++) try {
        RandomFunction g{std::mt19937_64(uint64_t(seed)), {}, {}};
        kept.push_back(cpu::BlockProgram::compile(*g.function(), {}, true));
        cpu::native::compile({&kept.back(), 1});
      } catch (const std::exception&) {
        // The program stays interpreted.
      }
    _exit(cpu::native::is_closed() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

// The first test: memory that others have freed would be used before the limit counts.
TEST(exhausted_memory_is_an_exception) {
  require_llvm();
  int in_llvm = 0;
  for (size_t kib : {500, 1000, 2000, 3000, 4000, 5000, 6000, 8000}) {
    const int status = status_with_memory(kib << 10);
    CHECK(status == 0 || status == 1);
    in_llvm += status == 0;
  }
  CHECK(in_llvm > 0);
}
#endif

TEST(every_operation_and_type) {
  require_llvm();
  for (int op = 0; op < op_count; op++) {
    std::vector<Case> cases;
    for (int type = 0; type < type_count; type++)
      if (is_in(Type(type), op_table[op].on) && cpu::native::covers({cpu::Operation::Form::Apply, Type(type), Op(op)}, cpu::isa()))
        cases.push_back(one_operation(Op(op), Type(type)));
    for (const Case& c : cases) CHECK(cpu::native::gains(*c.program));
    compare(cases);
  }
}

// The divisor is a literal in the code, or the same for all elements but known only at run time.
TEST(divisions_by_one_number) {
  require_llvm();
  std::vector<Case> cases;
  for (Type type : {Type::U8, Type::I32, Type::U32, Type::I64, Type::U64})
    for (Op op : {Op::div_, Op::rem_})
      for (int64_t divisor : {int64_t(0), int64_t(1), int64_t(2), int64_t(3), int64_t(7), int64_t(10), int64_t(64), int64_t(127),
                              int64_t(-1), int64_t(-7), int64_t(1000003), int64_t(INT32_MIN), INT64_MIN, INT64_MAX})
        for (bool literal : {false, true}) {
          const Bits64 bits = convert(Type::I64, type, to_bits(divisor));
          by_terms::Column column{type, std::vector<std::byte>(8)};
          std::memcpy(column.bytes.data(), &bits, 8);
          column.bytes.resize(size_of(type));
          Builder b;
          const Id i = b.param(Type::I64);
          const Id by = literal ? b.literal(type, bits) : b.at(1, 0, type, b.literal(Type::I64, 0));
          const FnRef f = b.finish({b.apply(op, {b.at(0, 0, type, i), by})});
          cases.push_back({f, {operand(type, 1000, 1, 5), column}, 0, 1000, int64_t(1) << 20});
        }
  compare(cases);
}

TEST(every_conversion) {
  require_llvm();
  std::vector<Case> cases;
  for (int from = 0; from < type_count; from++)
    for (int to = 0; to < type_count; to++)
      if (from != to) cases.push_back(one_conversion(Type(from), Type(to)));
  compare(cases);
}

TEST(random_functions) {
  require_llvm();
  for (int batch = 0; batch < 10; batch++) {
    std::vector<Case> cases;
    for (int seed = batch * 40; seed < batch * 40 + 40; seed++) {
      RandomFunction g{std::mt19937_64(uint64_t(seed)), {}, {}};
      FnRef f = g.function();
      std::vector<uint32_t> early;
      for (uint32_t r = 0; r < f->results.size(); r++)
        if (g.below(3) == 0) early.push_back(r);
      cases.push_back({f, some_inputs(g.below(2) ? 500 : 130), g.below(2) ? 0 : 64, 1 + g.below(400), g.below(2) ? 64 : 1 << 20, early});
    }
    compare(cases);
  }
}

// Lanes of a vector finish at different steps; lanes after the last element must not keep a loop running.
TEST(loops) {
  require_llvm();
  std::vector<Case> cases;
  for (const char* text :
       {"(fn ((i i64)) (loop ((n i) (steps 0:i32)) (gt n 1:i64) (tuple (shr n 1:i64) (add steps 1:i32))))",
        "(fn ((i i64)) (let ((c (at $1 i)) ((z k) (loop ((z 0.0:f32) (k 0:i32)) (and (lt z 4.0:f32) (lt k 50:i32))"
        " (tuple (add (mul z z) c) (add k 1:i32))))) (tuple z k)))",
        "(fn ((i i64)) (let (((a b) (loop ((a (at $3 i)) (b (at $1 i))) (lt a 30.0:f64) (tuple (add a 3.0:f64) (mul b 0.5:f32)))))"
        " (tuple (add a 1.0:f64) (neg b) (lt a 31.0:f64))))",
        "(fn ((i i64)) (loop ((s 0:i64) (j 0:i64)) (lt j (and i 7:i64))"
        " (tuple (add s (loop ((t 0:i64)) (lt t j) (add t 2:i64))) (add j 1:i64))))",
        "(fn ((i i64)) (loop ((j i)) (lt j (length $0)) (add j 9:i64)))",
        "(fn ((i i64)) (loop ((b (lt i 5:i64)) (x (at $2 i))) b (tuple (ne (and x 1:u8) 0:u8) (shr x 1:u8))))"})
    for (int64_t n : {1, 63, 64, 65, 500}) {
      const FnRef f = parse(text, capture_types);
      cases.push_back({f, some_inputs(500), 0, n, 1 << 20});
      CHECK(cpu::native::gains(*cases.back().program));
    }
  compare(cases);
}

// Elements at computed indices: of every width, consecutive or not, outside unchecked, and faults in any lane, behind a guard, after the last element, in two
// checks of one element, after a check of the whole block.
TEST(gathers) {
  require_llvm();
  std::vector<Case> cases;
  auto add = [&](const std::string& body, int64_t length) {
    for (int64_t n : {1, 63, 64, 65, 500}) {
      const FnRef f = parse("(fn ((i i64)) " + body + ")", capture_types);
      cases.push_back({f, some_inputs(length), 3, n, 1 << 20});
      CHECK(cpu::native::gains(*cases.back().program));
    }
  };
  const std::string scattered = "(rem (mul i 7919:i64) 300:i64)";
  for (const char* input : {"$0", "$1", "$2", "$3"}) {
    add("(let ((j (sub (xor i 5:i64) 1:i64))) (tuple (at " + std::string(input) + " j) (mul j j)))", 600);
    add("(let ((j (cast i64 (cast i32 (mul i i))))) (where (lt j 400:i64) (neg (at " + std::string(input) + " j)) (at " + input +
            " 0:i64)))",
        400);
  }
  for (const char* first : {"0", "1", "15", "16", "31", "63", "64", "66", "67", "68", "502", "503", "2000"}) {
    const std::string bad = "(where (ge i " + std::string(first) + ":i64) (sub (xor i 1:i64) 100000:i64) (and i 255:i64))";
    add("(add (at $1 " + bad + ") 1.0:f32)", 300);
    add("(tuple (at $2 (add (xor i 3:i64) 90:i64)) (at $1 " + bad + "))", 300);
    add("(tuple (at $0 i) (at $0 (xor i 2:i64)) (at $1 " + bad + ") (at $3 (add i 1:i64)))", 300);
    add("(where (lt i 70:i64) (add (at $1 " + bad + ") 2.0:f32) (cast f32 i))", 300);
  }
  // Runs of consecutive indices: within the input, up to its end, across an end, and across the largest integer.
  for (const char* input : {"$0", "$1", "$2", "$3"})
    for (const char* first : {"0", "-9", "-449", "9", "9223372036854775700"}) {
      const std::string j = "(add (rem (add i 7:i64) 450:i64) " + std::string(first) + ":i64)",
                        at = "(at " + std::string(input) + " " + j + ")";
      add("(tuple " + at + " (add " + j + " 1:i64))", 450);
      add("(where (lt (sub " + j + " 1:i64) 449:i64) (neg " + at + ") (at " + input + " 0:i64))", 450);
    }
  add("(add (at $1 (and i 511:i64)) 1.0:f32)", 300);
  add("(add (at $0 (xor i 1:i64)) 1:i32)", 0);
  add("(loop ((j " + scattered + ") (k 0:i32)) (and (gt j 0:i64) (lt k 9:i32)) (tuple (shr j 1:i64) (add k (cast i32 (at $2 j)))))", 300);
  compare(cases);
}

// Neighbours of a cell, and 0 outside; indices of several digits; joined sequences. Blocks in which a comparison of the index has one outcome,
// the other, and both.
TEST(walks_and_choices) {
  require_llvm();
  const std::string column = "(rem i 100:i64)", row = "(rem (div i 100:i64) 7:i64)";
  const std::string up = "(where (ge i 100:i64) (at $1 (sub i 100:i64)) 0.0:f32)";
  const std::string down = "(where (lt i 900:i64) (at $1 (add i 100:i64)) -1.0:f32)";
  const std::string left = "(where (gt " + column + " 0:i64) (at $1 (sub i 1:i64)) 2.0:f32)";
  const std::string right = "(where (lt " + column + " 99:i64) (at $1 (add i 1:i64)) 3.0:f32)";
  const std::string stencil = "(add (add " + up + " " + down + ") (mul (add " + left + " " + right + ") (at $1 i)))";
  const std::vector<std::string> bodies = {
      "(add (where (ge i 100:i64) (mul i 3:i64) 5:i64) (where (lt " + column + " 99:i64) (sub i 7:i64) " + column + "))",
      stencil,
      "(tuple " + stencil + " (where (ge i 300:i64) (mul (at $0 (sub i 300:i64)) 3:i32) (neg (at $0 i))))",
      "(tuple " + column + " (mul i i) " + row + ")",
      "(sub (mul " + column + " -3:i64) (mul " + row + " 1000:i64))",
      "(add (add (mul (rem (add i 17:i64) 64:i64) 5:i64) (mul (rem (div (add i 17:i64) 64:i64) 3:i64) -9:i64)) (div (add i 17:i64) "
      "192:i64))",
      "(add (rem i 3:i64) (mul (div i 3:i64) 5:i64))",
      "(at $3 (add (mul (rem i 100:i64) 10:i64) (div i 100:i64)))",
      "(where (lt i 450:i64) (exp (cast f64 (length $0))) (cast f64 (length $1)))",
      "(where (lt i 450:i64) (at $2 i) (at $2 (sub i 450:i64)))",
      "(where (lt i 450:i64) (sqrt (at $3 i)) (exp (at $3 (sub i 450:i64))))",
      "(where (lt i 65:i64) (at $3 i) (where (lt i 640:i64) (mul (at $3 (sub i 65:i64)) 2.0:f64) (add (at $3 (sub i 640:i64)) 1.0:f64)))"};
  std::vector<Case> cases;
  for (const std::string& body : bodies)
    for (int64_t start : {0, 37, 99})
      for (int64_t n : {1, 2, 63, 64, 65, 500, 901})
        for (int64_t block : {64, 192, 1 << 20})
          cases.push_back({parse("(fn ((i i64)) " + body + ")", capture_types), some_inputs(1000), start, n, block});
  compare(cases);
  // The first body is one native function: choices of whole blocks do not divide it.
  CHECK_EQ(cases[0].program->native()->phases[1].code.size(), size_t(1));
}

// The bracketing of floats is seen in their bits.
TEST(tree_reductions) {
  require_llvm();
  const std::pair<const char*, std::vector<Bits64>> functions[] = {
      {"(fn ((a f32) (b f32) (c f32) (d f32)) (tuple (add (mul a d) c) (max (add b d) c)))", {0, 0}},
      {"(fn ((a f64) (b i64) (c f64) (d i64)) (tuple (max a c) (where (lt a c) d b)))", {0, 0}},
      {"(fn ((a bool) (b u8) (c bool) (d u8)) (tuple (and (not a) c) (add (shl b 1:u8) d)))", {0, 0}},
      {"(fn ((a f64) (b f64)) (add (mul a 0.75:f64) (sqrt (abs b))))", {0}},
      {"(fn ((a i64) (b i64)) (sub (mul b b) (div (mul a 1000003:i64) (add (and b 7:i64) 1:i64))))", {0}}};
  std::mt19937_64 random(7);
  for (const auto& [text, identity] : functions) {
    const cpu::Combine combine(parse(text), identity);
    constexpr int64_t most = 5000;
    std::vector<by_terms::Column> columns;
    for (Type type : combine.types) {
      columns.push_back({type, std::vector<std::byte>(size_t(most) * size_of(type))});
      for (int64_t i = 0; i < most; i++) {
        const Bits64 bits = convert(Type::F64, type, to_bits(double(random() % 2000) / 700));
        std::memcpy(columns.back().bytes.data() + size_t(i) * size_of(type), &bits, size_of(type));
      }
    }
    // Each reducer appends parts of these lengths: around multiples of a tile, of a step of halving and of a block.
    auto totals = [&] {
      std::vector<std::vector<Bits64>> all;
      const std::unique_ptr<cpu::Reducer> reducer = make_reducer(combine);
      reducer->bind_inputs({}, {});
      for (int64_t last : {1, 31, 32, 33, 63, 64, 127, 128, 129, 256, 257, 1024, 2048, 2049, 4999})
        for (int parts : {0, 1, 7}) {
          std::vector<const void*> at;
          for (const by_terms::Column& column : columns) at.push_back(column.bytes.data());
          reducer->clear();
          for (int part = 0; part < parts; part++) reducer->add(at, 1984 + 64 * part);
          reducer->add(at, last);
          all.emplace_back(columns.size());
          CHECK(reducer->total(all.back()));
        }
      return all;
    };
    const auto expected = totals();
    const cpu::Combine* const pointer = &combine;
    cpu::native::compile({}, {&pointer, 1});
    const bool halves = cpu::native::covers_halving(combine.program->impl(), cpu::isa());
    CHECK_EQ(halves, combine.program->native() && combine.program->native()->halving);
    CHECK(halves || cpu::isa() == cpu::Isa::baseline);
    CHECK_EQ(totals(), expected);
  }
}

namespace {

// Every fold of each result of the body, and as many of the elements for which the mask is true. The given identities of extremes of floats are
// NaNs, which the operations' own are not.
Kernel kernel_of_folds(const char* text, const std::vector<by_terms::Column>& inputs, std::optional<uint32_t> mask) {
  Kernel kernel;
  kernel.body = parse(text, capture_types);
  std::vector<Type> types;
  for (uint32_t r = 0; r < kernel.body->results.size(); r++)
    for (Op op : {Op::add_, Op::min_, Op::max_, Op::xor_}) {
      const Type type = kernel.body->result_types()[r];
      if (!is_in(type, info(op).on)) continue;
      const bool is_extreme = is_in(type, Float) && op != Op::add_;
      const Bits64 identity = is_extreme ? convert(Type::F64, type, to_bits(double(NAN))) : *identity_bits(op, type);
      kernel.reductions.push_back({op_fn(op, type), {identity}, {r}, mask.value_or(no_mask)});
      types.push_back(type);
    }
  for (const by_terms::Column& column : inputs) kernel.inputs.push_back({column.type});
  kernel.finish = identity_fn(types);
  return kernel;
}

// Compares the scalars of the interpreted kernel with those of its native form, with one thread and with two.
void compare_scalars(const Kernel& kernel, const std::vector<by_terms::Column>& inputs, int64_t n) {
  const auto pool = std::make_shared<Pool>();
  std::vector<InputBuffer> buffers;
  for (const by_terms::Column& column : inputs) {
    buffers.push_back({Buffer::make(pool, column.bytes.size()), n});
    std::memcpy(buffers.back().buffer->host_for_writing(), column.bytes.data(), column.bytes.size());
  }
  const cpu::CompiledKernel compiled(kernel);
  auto scalars = [&](int workers) {
    cpu::limit_workers(workers);
    Launch launch{&kernel, n, buffers, {}, {}, {}};
    cpu::run_compiled(compiled, launch);
    cpu::limit_workers(0);
    return std::vector<Bits64>(launch.scalars.begin(), launch.scalars.end());
  };
  const std::vector<Bits64> expected = scalars(1);
  CHECK(!compiled.is_native());
  compiled.compile_native();
  CHECK(compiled.is_native());
  CHECK(compiled.program->native() && compiled.program->native()->folding);
  for (int workers : {1, 2}) CHECK_EQ(scalars(workers), expected);
}

}  // namespace

// Reductions of a body, folded with it: sums and extremes of floats, counts, lanes of every width; bodies that compute nothing, or read
// memory in the last instruction.
TEST(reductions_with_their_body) {
  require_llvm();
  for (int64_t n : {1, 63, 64, 65, 2047, 2049, 100003}) {
    const std::vector<by_terms::Column> inputs = some_inputs(n);
    for (const char* body : {"(fn ((i i64)) (tuple (at $1 i) (mul (at $1 i) (at $1 i))))",
                             "(fn ((i i64)) (tuple (cast i64 (lt (at $2 i) 9:u8)) (cast i64 (eq (at $2 i) 31:u8)) (at $2 i)))",
                             "(fn ((i i64)) (tuple (lt (at $0 i) 900:i32) (sub (cast f64 i) (at $3 i)) (cast u8 i)))",
                             "(fn ((i i64)) (tuple (at $0 (sub (sub (length $0) 1:i64) i)) (at $0 (rem (mul i 7:i64) 50:i64))))"})
      compare_scalars(kernel_of_folds(body, inputs, std::nullopt), inputs, n);
  }
}

// The same of the elements of a mask, the last result: some, all, none, only the last, only the first.
TEST(reductions_of_some_elements) {
  require_llvm();
  for (int64_t n : {1, 63, 64, 65, 2047, 2049, 100003}) {
    const std::vector<by_terms::Column> inputs = some_inputs(n);
    for (const char* mask : {"(lt (at $0 i) 900:i32)", "(ge i 0:i64)", "(lt i 0:i64)", "(eq i (sub (length $0) 1:i64))", "(eq i 0:i64)"})
      for (const char* values :
           {"(at $1 i) (mul (at $1 i) 0.75:f32)", "(cast i64 (lt (at $2 i) 9:u8)) (at $2 i)", "(neg (at $3 i)) (xor i 5:i64)"}) {
        const std::string body = "(fn ((i i64)) (tuple " + std::string(values) + " " + mask + "))";
        compare_scalars(kernel_of_folds(body.c_str(), inputs, 2), inputs, n);
      }
  }
}

// The compiler has a stack of its own, from the first job of a process on: LLVM needs more than this caller has.
TEST(callers_with_small_stacks) {
  require_llvm();
  Kernel kernel;
  kernel.body = parse("(fn ((i i64)) (mul (cast f64 i) (sqrt (cast f64 i))))", capture_types);
  kernel.outputs.push_back(Type::F64);
  kernel.stores.push_back({0, 0});
  const cpu::CompiledKernel compiled(kernel);
  auto submit = [](void* to_compile) -> void* {
    cpu::native::in_background([to_compile] { static_cast<const cpu::CompiledKernel*>(to_compile)->compile_native(); });
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 32 << 10);
  pthread_t caller;
  CHECK_EQ(pthread_create(&caller, &attributes, submit, const_cast<cpu::CompiledKernel*>(&compiled)), 0);
  pthread_join(caller, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(compiled.program->native());
}
