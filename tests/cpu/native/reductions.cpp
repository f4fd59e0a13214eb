// Native code has the bits of the interpreter: tree reductions, and reductions that are folded with their body.
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "cases.h"
#include "cpu/compiled_kernel.h"
#include "cpu/engine.h"
#include "cpu/native/halving.h"
#include "cpu/reductions/reduce.h"
#include "cpu/threads/chunks.h"

using namespace native_cases;

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
      // The bracketing does not depend on the parts.
      for (int64_t part : {64, 128, 1024, 4992}) {
        reducer->clear();
        for (int64_t done = 0; done < 40000; done += part) {
          std::vector<const void*> at;
          for (const by_terms::Column& column : columns) at.push_back(column.bytes.data() + done % 4992 * int64_t(size_of(column.type)));
          reducer->add(at, std::min({part, 4992 - done % 4992, 40000 - done}));
          if (done % 4992 + part > 4992) done += 4992 - done % 4992 - part;
        }
        all.emplace_back(columns.size());
        CHECK(reducer->total(all.back()));
      }
      for (size_t k = 1; k < 4; k++) CHECK_EQ(all[all.size() - 1], all[all.size() - 1 - k]);
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

// Compares the scalars of the interpreted kernel with those of its native form, with one thread and with two. All NaNs are the same.
void compare_scalars(const Kernel& kernel, const std::vector<by_terms::Column>& inputs, int64_t n) {
  const auto pool = std::make_shared<Pool>();
  std::vector<InputBuffer> buffers;
  for (const by_terms::Column& column : inputs) {
    buffers.push_back({Buffer::make(pool, column.bytes.size()), n});
    std::memcpy(buffers.back().buffer->host_for_writing(), column.bytes.data(), column.bytes.size());
  }
  const cpu::CompiledKernel compiled(kernel, n);
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
  const std::vector<Type> types = kernel.finish->result_types();
  for (int workers : {1, 2}) {
    const std::vector<Bits64> found = scalars(workers);
    for (size_t k = 0; k < types.size(); k++)
      if (!same(types[k], found[k], expected[k])) CHECK_EQ(found, expected);
  }
}

}  // namespace

// Reductions in a tree, whose first steps are computed with the body: NaNs, infinities and both zeros under functions that hide them and others that
// do not, columns of several widths, a body with choices, one that the interpreter begins, one that computes nothing, a gather.
TEST(trees_with_their_body) {
  require_llvm();
  const std::pair<const char*, const char*> functions[] = {
      {"(tuple (max (at $1 i) 0.0:f32) (max (at $1 i) 0.0:f32) (max (at $1 i) 0.0:f32) (at $1 i))",
       "(fn ((a f32) (b f32) (c f32) (d f32) (e f32) (f f32) (g f32) (h f32)) (tuple (max (max a e) (add c f)) (max b (add d f)) "
       "(max g (add c h)) (add d h)))"},
      {"(tuple (at $1 i) (min 0.0:f32 (at $1 i)))",
       "(fn ((a f32) (b f32) (c f32) (d f32)) (tuple (max a (sub c b)) (add (min (neg b) d) (min c a))))"},
      {"(tuple (at $1 i) (cast f32 (at $0 i)) (abs (cast f32 (at $2 i))))",
       "(fn ((a f32) (b f32) (c f32) (d f32) (e f32) (f f32)) (tuple (max a (min e d)) (max e (floor (min b d))) (where (lt c f) c (max f "
       "a))))"},
      {"(tuple (at $3 i) i (lt (at $0 i) 500:i32) (at $2 i))",
       "(fn ((a f64) (b i64) (c bool) (d u8) (e f64) (f i64) (g bool) (h u8)) (tuple (add (mul a 0.75:f64) e) (sub b f) (and (not c) g) "
       "(add (shl d 1:u8) h)))"},
      {"(tuple (where (lt i 5000:i64) (at $1 i) (neg (at $1 (sub i 5000:i64)))) (at $1 i))",
       "(fn ((a f32) (b f32) (c f32) (d f32)) (tuple (add (mul a d) c) (max b (sub d c))))"},
      {"(tuple (mul 2.0:f32 (sin (at $1 i))) (exp (at $1 i)))",
       "(fn ((a f32) (b f32) (c f32) (d f32)) (tuple (add a (mul b c)) (mul b d)))"},
      {"(at $3 i)", "(fn ((a f64) (b f64)) (add (mul a 0.75:f64) (sqrt (abs b))))"},
      {"(tuple (at $1 (rem (mul i 7919:i64) (length $1))) (at $3 i))",
       "(fn ((a f32) (b f64) (c f32) (d f64)) (tuple (sub c a) (max (mul b 0.5:f64) d)))"}};
  for (int64_t n : {1, 65, 512, 2047, 16449, 150007}) {
    std::vector<by_terms::Column> inputs = some_inputs(n);
    constexpr uint32_t special[] = {0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 0x80000000, 0};
    for (int64_t i = 0; i < n; i += 1 + i % 29)
      std::memcpy(inputs[1].bytes.data() + size_t(i) * sizeof(float), &special[size_t(i) % std::size(special)], sizeof(float));
    for (const auto& [values, combine] : functions) {
      Kernel kernel;
      kernel.body = parse("(fn ((i i64)) " + std::string(values) + ")", capture_types);
      const std::vector<Type> types = kernel.body->result_types();
      Reduction reduction{parse(combine), std::vector<Bits64>(types.size()), {}, no_mask};
      for (uint32_t k = 0; k < types.size(); k++) reduction.values.push_back(k);
      kernel.reductions.push_back(std::move(reduction));
      for (const by_terms::Column& column : inputs) kernel.inputs.push_back({column.type});
      kernel.finish = identity_fn(types);
      compare_scalars(kernel, inputs, n);
    }
  }
}

// Reductions of a body, folded with it: sums and extremes of floats, counts, lanes of every width; bodies that compute nothing, or read
// memory in the last instruction.
TEST(reductions_with_their_body) {
  require_llvm();
  for (int64_t n : {1, 63, 64, 65, 2047, 2049, 4096, 4160, 100003}) {
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
  for (int64_t n : {1, 63, 64, 65, 2047, 2049, 4096, 4160, 100003}) {
    const std::vector<by_terms::Column> inputs = some_inputs(n);
    for (const char* mask : {"(lt (at $0 i) 900:i32)", "(ge i 0:i64)", "(lt i 0:i64)", "(eq i (sub (length $0) 1:i64))", "(eq i 0:i64)"})
      for (const char* values :
           {"(at $1 i) (mul (at $1 i) 0.75:f32)", "(cast i64 (lt (at $2 i) 9:u8)) (at $2 i)", "(neg (at $3 i)) (xor i 5:i64)"}) {
        const std::string body = "(fn ((i i64)) (tuple " + std::string(values) + " " + mask + "))";
        compare_scalars(kernel_of_folds(body.c_str(), inputs, 2), inputs, n);
      }
  }
}
