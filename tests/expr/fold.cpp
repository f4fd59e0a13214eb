// Whatever an operation is folded to has the value of the operation that was asked for.
#include <random>

#include "check.h"
#include "expr/fn.h"

using namespace wf;

namespace {

// A builder beside which every term's value for one choice of parameters is known.
class Shadowed {
 public:
  explicit Shadowed(uint64_t seed) : random_(seed) {
    for (int t = 0; t < type_count; t++) {
      builder.param(Type(t));
      values_.push_back(number(Type(t)));
    }
    favourite_ = Type(below(type_count));
  }

  Builder builder;
  int folded = 0;

  // One random operation of operands that often meet or are literals; false where its value is wrong.
  bool operation() {
    const Op op = Op(below(10) ? below(size_t(Op::fma_) + 1) : below(op_count));
    std::vector<Id> x;
    for (int k = 0; k < info(op).arity; k++) x.push_back(operand());
    if (below(4) == 0) x.back() = x.front();
    const size_t condition = op == Op::where_ ? 1 : 0;
    if (condition) x[0] = builder.cast(Type::Bool, x[0]);
    if (is_in(favourite_, Float) && !(info(op).on & Float)) return true;
    const Type type = operand_type(op, std::max(builder.type(x[condition]), builder.type(x.back())));
    Bits64 y[3] = {};
    for (size_t k = 0; k < x.size(); k++) y[k] = k < condition ? value(x[k]) : convert(builder.type(x[k]), type, value(x[k]));
    const size_t before = builder.so_far().terms.size();
    const Id id = builder.apply(op, x);
    folded += id < before;
    return same(result_type(op, type), value(id), evaluate(op, type, y[0], y[1], y[2]));
  }

  bool two_casts() {
    const Id x = any();
    const Type middle = Type(below(type_count)), to = Type(below(type_count));
    const Bits64 want = convert(middle, to, convert(builder.type(x), middle, value(x)));
    return same(to, value(builder.cast(to, builder.cast(middle, x))), want);
  }

 private:
  static bool same(Type type, Bits64 a, Bits64 b) {
    auto is_nan = [&](Bits64 x) { return is_in(type, Float) && evaluate(Op::isnan_, type, x); };
    return a == b || (is_nan(a) && is_nan(b));
  }
  size_t below(size_t n) { return random_() % n; }
  Id any() { return Id(below(builder.so_far().terms.size())); }
  Id operand() { return below(3) ? builder.cast(favourite_, any()) : builder.literal(favourite_, number(favourite_)); }
  Bits64 number(Type type) {
    static constexpr double numbers[] = {0, 1, -1, 2, 3, 255, 0.5, -0.0, 1e10, __builtin_nan(""), __builtin_inf()};
    return convert(Type::F64, type, to_bits(numbers[below(std::size(numbers))]));
  }

  Bits64 value(Id id) {
    const Fn& f = builder.so_far();
    for (Id next = Id(values_.size()); next < f.terms.size(); next++) {
      const Term& t = f[next];
      std::span<const Id> x = f.args(t);
      Bits64 y[3] = {};
      for (size_t k = 0; k < x.size(); k++) y[k] = values_[x[k]];
      values_.push_back(t.kind == Kind::Literal ? t.bits
                        : t.kind == Kind::Cast  ? convert(f[x[0]].type, t.type, y[0])
                                                : evaluate(t.op, f[x.back()].type, y[0], y[1], y[2]));
    }
    return values_[id];
  }

  std::mt19937_64 random_;
  std::vector<Bits64> values_;
  Type favourite_;
};

}  // namespace

TEST(folding_keeps_values) {
  int folded = 0;
  for (uint64_t seed = 0; seed < 4000; seed++) {
    Shadowed s(seed);
    for (int step = 0; step < 40; step++) {
      const bool right = s.operation() && s.two_casts();
      if (!right) {
        const Id last = Id(s.builder.so_far().terms.size() - 1);
        CHECK_EQ("wrong at or before " + print(*s.builder.finish({last})), "");
        return;
      }
    }
    folded += s.folded;
  }
  CHECK(folded > 10000);
}
