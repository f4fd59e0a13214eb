// Native code has the bits of the interpreter: every operation and type on edge values, conversions, random functions, loops.
#include <cstring>

#include "../edge_values.h"
#include "../random_function.h"
#include "cases.h"
#include "cpu/native/operations.h"

using namespace native_cases;

namespace {

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
        // A loop in a condition, and one whose result both the condition and the step read.
        "(fn ((i i64)) (loop ((j i)) (lt (loop ((t 0:i64)) (lt t (mul j j)) (add t 3:i64)) 99:i64) (add j 1:i64)))",
        "(fn ((i i64)) (loop ((s i) (j 0:i64)) (let (((t m) (loop ((t s) (k j)) (lt k 5:i64) (tuple (add t k) (add k 1:i64))))) (lt t "
        "40:i64))"
        " (let (((t m) (loop ((t s) (k j)) (lt k 5:i64) (tuple (add t k) (add k 1:i64))))) (tuple (add s t) (add j 1:i64)))))",
        "(fn ((i i64)) (loop ((j i)) (lt j (length $0)) (add j 9:i64)))",
        "(fn ((i i64)) (loop ((b (lt i 5:i64)) (x (at $2 i))) b (tuple (ne (and x 1:u8) 0:u8) (shr x 1:u8))))"})
    for (int64_t n : {1, 63, 64, 65, 500}) {
      const FnRef f = parse(text, capture_types);
      cases.push_back({f, some_inputs(500), 0, n, 1 << 20});
      CHECK(cpu::native::gains(*cases.back().program));
    }
  compare(cases);
}

// The outer loop contains a fold, so it is interpreted. With x = 0, which elements that have finished have, the inner loop would never end.
TEST(loops_in_loops_that_are_interpreted) {
  require_llvm();
  const FnRef f = parse(
      "(fn ((i i64)) (loop ((x (and i 7:i64)) (s 0:i64)) (gt x 0:i64) (tuple (sub x 1:i64) (add (add s "
      "(fold ((a i64) (b i64)) (add a b) 0:i64 ((j x)) (mul j x))) (loop ((t x)) (ne t 1:i64) "
      "(where (eq (and t 1:i64) 0:i64) (shr t 1:i64) (add (mul t 3:i64) 1:i64)))))))",
      capture_types);
  std::vector<Case> cases;
  for (int64_t n : {1, 64, 500}) cases.push_back({f, some_inputs(500), 0, n, 1 << 20});
  compare(cases);
}
