// Every loop of the tables, on every instruction set that this machine has, against the scalar meaning of its operation.
#include "cpu/loops/loops.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "edge_values.h"
#include "every_isa.h"
#include "expr/fn.h"
#include "ops/ops.h"

using namespace wf;

namespace {

constexpr int64_t tiles = 40, n = tiles * cpu::tile;

// The memory of n elements of one type.
struct Elements {
  Type type;
  std::vector<std::byte> bytes;
  explicit Elements(Type t) : type(t), bytes(n * size_of(t)) {}
  Bits64 operator[](int64_t k) const {
    Bits64 bits = 0;
    std::memcpy(&bits, bytes.data() + size_t(k) * size_of(type), size_of(type));
    return bits;
  }
  void set(int64_t k, Bits64 bits) { std::memcpy(bytes.data() + size_t(k) * size_of(type), &bits, size_of(type)); }
  cpu::Operand operand() const { return {bytes.data(), int64_t(size_of(type)) * cpu::tile}; }
};

// Edge values in all pairings (with `stride` edge values between changes), then random bits and moderate random numbers.
Elements some(Type type, int64_t stride, std::mt19937_64& random) {
  Elements e(type);
  std::vector<Bits64> edges = edge_values(type);
  for (int64_t k = 0; k < n; k++) {
    Bits64 bits = edges[size_t(k / stride) % edges.size()];
    if (k > n / 2) bits = type == Type::Bool ? random() & 1 : random();
    if (k > n / 4 * 3) bits = convert(Type::F64, type, to_bits(double(random() % 2000) / 7 - 100));
    e.set(k, bits);
  }
  return e;
}

// Returns true if the values have equal bits, or are both NaN, or (if `roughly`) can both be within 2 ULP.
bool agree(Type type, Bits64 got, Bits64 expected, bool roughly) {
  if (type != Type::F32 && type != Type::F64) return got == expected;
  double a = from_bits<double>(convert(type, Type::F64, got)), b = from_bits<double>(convert(type, Type::F64, expected));
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (!roughly) return got == expected;
  auto distance = type == Type::F32 ? int64_t(from_bits<int32_t>(got)) - from_bits<int32_t>(expected)
                                    : from_bits<int64_t>(got) - from_bits<int64_t>(expected);
  return std::abs(distance) <= 3;
}

void compare(const std::string& what, const Elements& got, const std::vector<Bits64>& expected, bool roughly = false) {
  for (int64_t k = 0; k < n; k++)
    if (!agree(got.type, got[k], expected[size_t(k)], roughly))
      return check::fail(__FILE__, __LINE__,
                         what + ", element " + std::to_string(k) + ": " + print_literal(got.type, got[k]) + ", not " +
                             print_literal(got.type, expected[size_t(k)]));
}

template <class F> void for_every_cell(F&& f) {
  for (int op = 0; op < op_count; op++)
    for (int type = 0; type < type_count; type++)
      if (is_in(Type(type), op_table[op].on)) f(Op(op), Type(type));
}

}  // namespace

TEST(every_operation_and_type) {
  std::mt19937_64 random(1);
  for_every_cell([&](Op op, Type type) {
    bool chooses = op == Op::where_;
    int64_t edges = int64_t(edge_values(type).size());
    Elements a = some(chooses ? Type::Bool : type, 1, random), b = some(type, edges, random), c = some(type, 3, random);
    std::vector<Bits64> expected, on_another;
    for (int64_t k = 0; k < n; k++) expected.push_back(evaluate(op, type, a[k], b[k], c[k]));
    for (auto& [isa_name, loops] : cpu::every_isa()) {
      std::string what = std::string(name(op)) + " " + std::string(name(type)) + " " + isa_name;
      cpu::Loop loop = loops->op[int(op)][int(type)];
      CHECK(loop != nullptr);
      Elements out(result_type(op, type));
      cpu::Operand operands[] = {a.operand(), b.operand(), c.operand()};
      loop(out.bytes.data(), operands, tiles);
      const bool is_special = info(op).cost == Cost::special;  // tests/cpu/special.cpp tests their values
      if (!is_special) compare(what, out, expected, !is_exact(op));
      // One element alone, and other instruction sets, give the same bits; elementary functions only on processors with fma.
      std::vector<Bits64> alone;
      for (int64_t k = 0; k < n; k++) alone.push_back(loops->single[int(op)][int(type)](a[k], b[k], c[k]));
      compare(what + " of one element", out, alone);
      if (is_exact(op) || isa_name != "baseline") {
        if (on_another.empty()) on_another = alone;
        compare(what + " against another instruction set", out, on_another);
      }
      // The output may overwrite an operand, as when registers are reused.
      Elements over = chooses ? c : a;
      if (size_of(over.type) != size_of(out.type)) continue;
      operands[chooses ? 2 : 0] = over.operand();
      loop(over.bytes.data(), operands, tiles);
      over.type = out.type;
      compare(what + " in place", over, alone);
    }
  });
}

// a = q b + d for large q and small d, which detects a quotient rounded the wrong way; also beyond the exact range of doubles.
TEST(division_next_to_multiples) {
  std::mt19937_64 random(6);
  for (Type type : {Type::U8, Type::I32, Type::U32, Type::I64, Type::U64})
    for (int round = 0; round < 40; round++) {
      Elements a(type), b(type);
      for (int64_t k = 0; k < n; k++) {
        int bits = size_of(type) == 8 ? (round % 2 ? 51 : 40 + round / 2) : int(8 * size_of(type)) - 1;
        uint64_t whole = random() >> (64 - bits), divisor = 1 + (random() >> (64 - 1 - random() % uint64_t(bits - 1)));
        b.set(k, divisor);
        a.set(k, whole / divisor * divisor + random() % 3 - 1);
        if (type == Type::I64 && k % 3 == 0) a.set(k, 0 - a[k]);
        if (type == Type::I64 && k % 5 == 0) b.set(k, 0 - b[k]);
      }
      for (Op op : {Op::div_, Op::rem_}) {
        std::vector<Bits64> expected;
        for (int64_t k = 0; k < n; k++) expected.push_back(evaluate(op, type, a[k], b[k]));
        for (auto& [isa_name, loops] : cpu::every_isa()) {
          Elements out(type);
          cpu::Operand operands[] = {a.operand(), b.operand()};
          loops->op[int(op)][int(type)](out.bytes.data(), operands, tiles);
          compare(std::string(name(op)) + " " + std::string(name(type)) + " " + isa_name, out, expected);
        }
      }
    }
}

// Tiles with one key, one stream and consecutive counters, which start anywhere in a block and may wrap; and tiles that differ from such in one
// element.
TEST(consecutive_counters) {
  std::mt19937_64 random(9);
  const Bits64 starts[] = {0, 1, 2, 3, uint64_t(1) << 33, ~Bits64(0) - 100, random()};
  for (Op op : {Op::philox32_, Op::philox64_})
    for (Type type : {Type::I64, Type::U64})
      for (Bits64 start : starts)
        for (int odd = 0; odd < 4; odd++) {
          Elements operand[] = {Elements(type), Elements(type), Elements(type)};
          const Bits64 key = random(), stream = random();
          for (int64_t k = 0; k < n; k++) operand[0].set(k, key), operand[1].set(k, start + Bits64(k)), operand[2].set(k, stream);
          if (odd < 3)
            for (int64_t k = 63; k < n / 2; k += 64) operand[odd].set(k, operand[odd][k] ^ (odd == 1 ? 1 : 1 << 20));
          std::vector<Bits64> expected;
          for (int64_t k = 0; k < n; k++) expected.push_back(evaluate(op, type, operand[0][k], operand[1][k], operand[2][k]));
          for (auto& [isa_name, loops] : cpu::every_isa()) {
            Elements out(type);
            cpu::Operand operands[] = {operand[0].operand(), operand[1].operand(), operand[2].operand()};
            if (odd == 3) operands[0].step = operands[2].step = 0;
            loops->op[int(op)][int(type)](out.bytes.data(), operands, tiles);
            compare(std::string(name(op)) + " " + isa_name + " from " + std::to_string(start), out, expected);
          }
        }
}

// Counters 2m, 2m, 2m + 2, 2m + 2, ... and 2m + 1, 2m + 1, ..., in place of the counters, too; tiles that reach into a further tile of words.
TEST(neighbouring_counters) {
  std::mt19937_64 random(10);
  const Bits64 starts[] = {0, 1, 6, 63, ~Bits64(0) - 101, random()};
  for (Op op : {Op::philox32_, Op::philox64_})
    for (Bits64 start : starts)
      for (int form = 0; form < 4; form++) {
        Elements operand[] = {Elements(Type::U64), Elements(Type::U64), Elements(Type::U64)};
        const Bits64 key = random(), stream = random();
        std::vector<Bits64> expected;
        for (int64_t k = 0; k < n; k++) {
          const Bits64 i = start + Bits64(k), ahead = Bits64(k % 64) * (k < n / 2 ? 2 : 3);
          const Bits64 counter = form == 0 ? i & ~Bits64(1) : form == 1 ? i | 1 : form == 2 ? start + ahead : start;
          operand[0].set(k, key), operand[1].set(k, counter), operand[2].set(k, stream);
          expected.push_back(evaluate(op, Type::U64, key, counter, stream));
        }
        for (auto& [isa_name, loops] : cpu::every_isa()) {
          Elements out = operand[1];
          cpu::Operand operands[] = {operand[0].operand(), out.operand(), operand[2].operand()};
          operands[0].step = operands[2].step = 0;
          loops->op[int(op)][int(Type::U64)](out.bytes.data(), operands, tiles);
          compare(std::string(name(op)) + " " + isa_name + " in place, form " + std::to_string(form), out, expected);
        }
      }
}

TEST(literals_are_one_tile_read_again) {
  std::mt19937_64 random(2);
  for_every_cell([&](Op op, Type type) {
    if (op_table[int(op)].arity != 2) return;
    Elements a = some(type, 1, random), b = some(type, 2, random);
    for (int64_t k = 0; k < cpu::tile; k++) b.set(k, b[7]);
    std::vector<Bits64> expected;
    for (int64_t k = 0; k < n; k++) expected.push_back(evaluate(op, type, a[k], b[7]));
    for (auto& [isa_name, loops] : cpu::every_isa()) {
      if (info(op).cost == Cost::special)
        for (int64_t k = 0; k < n; k++) expected[size_t(k)] = loops->single[int(op)][int(type)](a[k], b[7], 0);
      Elements out(result_type(op, type));
      cpu::Operand operands[] = {a.operand(), {b.bytes.data(), 0}};
      loops->op[int(op)][int(type)](out.bytes.data(), operands, tiles);
      compare(std::string(name(op)) + " " + std::string(name(type)) + " by a literal, " + isa_name, out, expected, !is_exact(op));
    }
  });
}

TEST(every_cast) {
  std::mt19937_64 random(3);
  for (int from = 0; from < type_count; from++)
    for (int to = 0; to < type_count; to++) {
      Elements a = some(Type(from), 1, random);
      std::vector<Bits64> expected;
      for (int64_t k = 0; k < n; k++) expected.push_back(convert(Type(from), Type(to), a[k]));
      for (auto& [isa_name, loops] : cpu::every_isa()) {
        Elements out{Type(to)};
        cpu::Operand operand = a.operand();
        loops->cast[from][to](out.bytes.data(), &operand, tiles);
        compare(std::string(name(Type(from))) + " to " + std::string(name(Type(to))) + " " + isa_name, out, expected);
      }
    }
}

// Random bits, sums that cancel up to a few units of the last place, sums next to ties, and exponents at the ends of the range of the form
// without the instruction. In every other round, some elements are zeros, infinities or NaN.
TEST(multiply_adds_of_doubles_round_once) {
  std::mt19937_64 random(8);
  auto bits = [&](uint64_t kept, uint64_t set) { return std::bit_cast<double>((random() & kept) | set); };
  // The product of two such numbers, of 26 and of 27 bits, is often halfway between two doubles.
  auto odd = [&](int bits) { return 1 + std::ldexp(double(random() % (1 << (bits - 1)) * 2 + 1), -bits); };
  for (int round = 0; round < 200; round++) {
    Elements a(Type::F64), b(Type::F64), c(Type::F64), out(Type::F64);
    std::vector<Bits64> expected;
    for (int64_t k = 0; k < n; k++) {
      double x = bits(0x800fffffffffffff, 0x3ff0000000000000), y = bits(0x801fffffffffffff, 0x3fe0000000000000), z = -x * y;
      switch (round / 2 % 5) {
        case 0: x = bits(~0ull, 0), y = bits(~0ull, 0), z = bits(~0ull, 0); break;
        case 1: z = std::bit_cast<double>(to_bits(z) + random() % 5 - 2); break;
        case 2: x = odd(26), y = odd(27), z = std::ldexp(random() % 2 ? 1.0 : -1.0, 60 - int(random() % 200)); break;
        case 3: x = std::ldexp(x, int(random() % 802) - 401), y = std::ldexp(y, int(random() % 802) - 401), z = bits(~0ull, 0); break;
        case 4: x = std::ldexp(x, int(random() % 802) - 401), z = std::ldexp(-x * y, int(random() % 5) - 2); break;
      }
      if (round % 2 && k % 7 == 0) (k % 3 ? z : x) = bits(0x8000000000000000, k % 2 ? 0 : 0x7ff0000000000000);
      a.set(k, to_bits(x)), b.set(k, to_bits(y)), c.set(k, to_bits(z));
      expected.push_back(to_bits(std::fma(x, y, z)));
    }
    for (auto& [isa_name, loops] : cpu::every_isa()) {
      cpu::Operand operands[] = {a.operand(), b.operand(), c.operand()};
      loops->op[int(Op::fma_)][int(Type::F64)](out.bytes.data(), operands, tiles);
      compare("fma f64 " + std::string(isa_name), out, expected);
    }
  }
}

TEST(copies_reversals_and_gathers) {
  std::mt19937_64 random(5);
  for (Type type : {Type::U8, Type::F32, Type::I64}) {
    Elements a = some(type, 1, random), index(Type::I64);
    int size = type == Type::U8 ? 0 : type == Type::F32 ? 2 : 3;
    std::vector<Bits64> gathered, copied;
    for (int64_t k = 0; k < n; k++) {
      index.set(k, Bits64(int64_t(random() % (2 * n)) - n / 2));
      copied.push_back(a[k]);
      gathered.push_back(index[k] < Bits64(n) ? a[int64_t(index[k])] : 0);
    }
    for (auto& [isa_name, loops] : cpu::every_isa()) {
      Elements out(type);
      cpu::Operand operand = a.operand();
      cpu::Operand both[] = {index.operand(), {a.bytes.data(), n}};
      loops->copy[size](out.bytes.data(), &operand, tiles);
      compare("copy " + isa_name, out, copied);
      loops->gather[size](out.bytes.data(), both, tiles);
      compare("gather " + isa_name, out, gathered);
      for (int64_t stride : {-1, 2, 3, 4, 5, -2, -7}) {
        const int64_t read = n / std::abs(stride) / cpu::tile, first = stride < 0 ? n - 1 : 0;
        std::vector<Bits64> strided(n);
        for (int64_t k = 0; k < read * cpu::tile; k++) strided[size_t(k)] = a[first + k * stride];
        Elements some_tiles(type);
        const cpu::Operand from{a.bytes.data() + first * int64_t(size_of(type)), stride};
        loops->stride[size](some_tiles.bytes.data(), &from, read);
        compare("stride " + std::to_string(stride) + " " + isa_name, some_tiles, strided);
      }
    }
  }
}

TEST(indices_outside_are_seen_where_guarded) {
  Elements index(Type::I64), length(Type::I64), guard(Type::Bool);
  for (int64_t k = 0; k < n; k++) index.set(k, Bits64(k)), length.set(k, Bits64(n)), guard.set(k, 1);
  auto outside = [&](const cpu::Loops& loops) {
    bool any;
    cpu::Operand operands[] = {index.operand(), length.operand(), guard.operand()};
    loops.outside(&any, operands, tiles);
    return any;
  };
  for (auto& [isa_name, loops] : cpu::every_isa()) {
    CHECK(!outside(*loops));
    for (int64_t bad : {int64_t(-1), n, std::numeric_limits<int64_t>::min()})
      for (int64_t at : {int64_t(0), int64_t(63), n - 1}) {
        index.set(at, Bits64(bad));
        CHECK(outside(*loops));
        guard.set(at, 0);
        CHECK(!outside(*loops));
        guard.set(at, 1), index.set(at, Bits64(at));
      }
  }
}
