#include "cpu/native/operations.h"

#include <cmath>
#include <limits>
#include <string>

#include "ops/meaning.h"

namespace wf::cpu::native {
namespace {

bool is_signed(Type type) { return type == Type::I32 || type == Type::I64; }

class Writer {
 public:
  Writer(Lanes& lanes, Type type) : lanes_(lanes), type_(type), floats_(is_in(type, Float)) {}

  Value apply(Op op, std::span<const Value> x) {
    const Value &a = x[0], &b = x.size() > 1 ? x[1] : a;
    switch (op) {
      case Op::add_: return two(floats_ ? "fadd" : "add", a, b);
      case Op::sub_: return two(floats_ ? "fsub" : "sub", a, b);
      case Op::mul_: return two(floats_ ? "fmul" : "mul", a, b);
      case Op::div_: return floats_ ? two("fdiv", a, b) : divide("div", a, b);
      case Op::rem_: return divide("rem", a, b);
      case Op::min_: return chosen(b, a, a, b);
      case Op::max_: return chosen(a, b, a, b);
      case Op::neg_: return floats_ ? lanes_.emit("fneg " + lanes_.vector(type_) + " " + a) : minus(a);
      case Op::abs_:
        if (floats_) return lanes_.intrinsic("fabs", type_, {a});
        return is_signed(type_) ? select(less(a, number(0)), minus(a), a) : a;
      case Op::sign_: return sign(a);
      case Op::eq_: return compare(floats_ ? "oeq" : "eq", a, b);
      case Op::ne_: return compare(floats_ ? "une" : "ne", a, b);
      case Op::lt_: return less(a, b);
      case Op::gt_: return less(b, a);
      case Op::le_: return at_most(a, b);
      case Op::ge_: return at_most(b, a);
      case Op::and_: return two("and", a, b);
      case Op::or_: return two("or", a, b);
      case Op::xor_: return two("xor", a, b);
      case Op::not_: return two("xor", a, lanes_.constant(type_, type_ == Type::Bool ? 1 : ~Bits64(0)));
      case Op::shl_: return two("shl", a, shift_count(b));
      case Op::shr_: return two(is_signed(type_) ? "ashr" : "lshr", a, shift_count(b));
      case Op::popcount_: return lanes_.intrinsic("ctpop", type_, {a});
      case Op::clz_: return lanes_.intrinsic("ctlz", type_, {a}, "i1 false");
      case Op::where_: return lanes_.select(a, type_, b, x[2]);
      case Op::fma_: return lanes_.intrinsic("fma", type_, {a, b, x[2]});
      case Op::sqrt_: return lanes_.intrinsic("sqrt", type_, {a});
      case Op::rsqrt_: return two("fdiv", number(1), lanes_.intrinsic("sqrt", type_, {a}));
      case Op::floor_: return lanes_.intrinsic("floor", type_, {a});
      case Op::ceil_: return lanes_.intrinsic("ceil", type_, {a});
      case Op::trunc_: return lanes_.intrinsic("trunc", type_, {a});
      case Op::round_: return round(a);
      case Op::copysign_: return lanes_.intrinsic("copysign", type_, {a, b});
      case Op::isnan_: return compare("uno", a, a);
      case Op::isinf_: return compare("oeq", lanes_.intrinsic("fabs", type_, {a}), infinity());
      case Op::isfinite_: return compare("olt", lanes_.intrinsic("fabs", type_, {a}), infinity());
      case Op::pos_: return a;
      case Op::rectify_:
        if (floats_) return select(less(a, number(0)), number(0), a);
        return is_signed(type_) ? select(less(number(0), a), a, number(0)) : a;
      default: return {};  // not covered
    }
  }

  // Saturates; a NaN becomes 0. `from` is a type of floats, the writer's type an integer.
  Value from_float(Type from, const Value& x) {
    const int bits = int(8 * size_of(type_));
    const double high = is_signed(type_) ? std::ldexp(1.0, bits - 1) : std::ldexp(1.0, bits), low = is_signed(type_) ? -high : 0;
    const Value limit = lanes_.constant(from, convert(Type::F64, from, to_bits(high)));
    const Value lowest = lanes_.constant(from, convert(Type::F64, from, to_bits(low)));
    const Value below = lanes_.compare("olt", from, x, limit), above = lanes_.compare("ogt", from, x, lowest);
    const Value inside = lanes_.select(lanes_.two("and", Type::Bool, below, above), from, x, lanes_.constant(from, 0));
    Value result;
    if (type_ == Type::U8) result = lanes_.change("trunc", "i32", lanes_.change("fptosi", lane_type(from), inside, "i32"), "i8");
    else result = lanes_.change(is_signed(type_) ? "fptosi" : "fptoui", lane_type(from), inside, lane_type(type_));
    const Bits64 most = is_signed(type_) ? (Bits64(1) << (bits - 1)) - 1 : ~Bits64(0);
    result = select(lanes_.compare("oge", from, x, limit), lanes_.constant(type_, most), result);
    return is_signed(type_) ? select(lanes_.compare("ole", from, x, lowest), lanes_.constant(type_, most + 1), result) : result;
  }

 private:
  Value two(std::string_view instruction, const Value& a, const Value& b) { return lanes_.two(instruction, type_, a, b); }
  Value compare(const char* predicate, const Value& a, const Value& b) { return lanes_.compare(predicate, type_, a, b); }
  Value select(const Value& mask, const Value& a, const Value& b) { return lanes_.select(mask, type_, a, b); }
  Value less(const Value& a, const Value& b) { return compare(floats_ ? "olt" : is_signed(type_) ? "slt" : "ult", a, b); }
  Value at_most(const Value& a, const Value& b) { return compare(floats_ ? "ole" : is_signed(type_) ? "sle" : "ule", a, b); }
  Value integer(int64_t x) const { return lanes_.constant(type_, to_bits(x)); }  // of 64 bits
  Value number(int x) const { return lanes_.constant(type_, convert(Type::I64, type_, to_bits(int64_t(x)))); }
  Value infinity() const { return lanes_.constant(type_, convert(Type::F64, type_, to_bits(std::numeric_limits<double>::infinity()))); }

  // smaller < greater, or a is a NaN: b, else a. A choice by one comparison is one instruction if it is false for a NaN, two if it is true.
  Value chosen(const Value& smaller, const Value& greater, const Value& a, const Value& b) {
    if (floats_ && !lanes_.is_number(a) && lanes_.is_number(b)) return select(compare("ult", smaller, greater), b, a);
    const Value known = select(less(smaller, greater), b, a);
    return floats_ && !lanes_.is_number(a) ? select(compare("uno", a, a), b, known) : known;
  }

  Value sign(const Value& a) {
    const Value positive = less(number(0), a);
    if (floats_) return select(positive, number(1), select(less(a, number(0)), number(-1), a));
    if (!is_signed(type_)) return select(positive, number(1), number(0));
    return select(positive, number(1), select(less(a, number(0)), number(-1), number(0)));
  }

  Value either(const Value& a, const Value& b) { return lanes_.two("or", Type::Bool, a, b); }
  Value minus(const Value& a) { return two("sub", number(0), a); }

  // The quotient ("div") or the remainder ("rem") of integers: 0 for b = 0; the smallest integer by -1 wraps.
  Value divide(const std::string& result, const Value& a, const Value& b) {
    const bool is_constant = b[0] == '<', wraps = is_signed(type_) && b == number(-1);
    if (is_constant && b != number(0) && !wraps) return two((is_signed(type_) ? "s" : "u") + result, a, b);
    const Value zero = compare("eq", b, number(0));
    const Value q = size_of(type_) == 8 ? wide_quotient(a, b, zero) : narrow_quotient(a, b, zero);
    return select(zero, number(0), result == "div" ? q : two("sub", a, two("mul", q, b)));
  }

  // Division in a type of floats whose rounded quotient never reaches an integer above the true one: cpu/loops/division.h.
  Value narrow_quotient(const Value& a, const Value& b, const Value& zero) {
    const Type through = size_of(type_) == 1 ? Type::F32 : Type::F64;
    const Value minus_one = is_signed(type_) ? compare("eq", b, number(-1)) : Value();
    const Value divisor = select(is_signed(type_) ? either(zero, minus_one) : zero, number(1), b);
    const std::string kind = is_signed(type_) ? "si" : "ui", wide = lane_type(through);
    const Value x = lanes_.change(kind + "tofp", lane_type(type_), a, wide),
                y = lanes_.change(kind + "tofp", lane_type(type_), divisor, wide);
    const Value q = lanes_.change("fpto" + kind, wide, lanes_.two("fdiv", through, x, y), lane_type(type_));
    return is_signed(type_) ? select(minus_one, minus(a), q) : q;
  }

  // Division of doubles where all numbers of the vector fit the significand next to the leading bits of `rounder`; otherwise lane by lane.
  Value wide_quotient(const Value& a, const Value& b, const Value& zero) {
    constexpr double rounder = meaning::Format<double>::rounder;
    constexpr int64_t limit = int64_t(1) << 51;
    const int64_t below_zero = is_signed(type_) ? limit : 0;
    const Value shift = integer(below_zero);
    const Value fits = lanes_.compare("ult", Type::U64, two("or", two("add", a, shift), two("add", b, shift)), integer(limit + below_zero));
    const Value all = lanes_.emit("icmp eq " + lanes_.word() + " " + lanes_.bits(fits) + ", -1");
    const std::string number_of = all.substr(1), fast = "fast_" + number_of, slow = "slow_" + number_of, join = "join_" + number_of;
    lanes_.line("br i1 " + all + ", label %" + fast + ", label %" + slow);
    lanes_.begin_block(fast);
    const Value by = lanes_.number(rounder), bits = integer(int64_t(to_bits(rounder)));
    auto to_double = [&](const Value& x) {
      return lanes_.two("fsub", Type::F64, lanes_.change("bitcast", "i64", two("add", x, bits), "double"), by);
    };
    const Value whole = lanes_.intrinsic("trunc", Type::F64, {lanes_.two("fdiv", Type::F64, to_double(a), to_double(b))});
    const Value shifted = lanes_.change("bitcast", "double", lanes_.two("fadd", Type::F64, whole, by), "i64");
    const Value quick = two("sub", shifted, bits);
    lanes_.line("br label %" + join);
    lanes_.begin_block(slow);
    const Value minus_one = is_signed(type_) ? compare("eq", b, number(-1)) : Value();
    const Value divisor = select(is_signed(type_) ? either(zero, minus_one) : zero, number(1), b);
    Value exact = two(is_signed(type_) ? "sdiv" : "udiv", a, divisor);
    if (is_signed(type_)) exact = select(minus_one, minus(a), exact);
    lanes_.line("br label %" + join);
    lanes_.begin_block(join);
    return lanes_.emit("phi " + lanes_.vector(type_) + " [ " + quick + ", %" + fast + " ], [ " + exact + ", %" + slow + " ]");
  }

  Value shift_count(const Value& b) { return two("and", b, number(int(8 * size_of(type_)) - 1)); }

  // Halves away from zero. a - trunc(a) is exact.
  Value round(const Value& a) {
    const Value whole = lanes_.intrinsic("trunc", type_, {a});
    const Value part = lanes_.intrinsic("fabs", type_, {two("fsub", a, whole)});
    const Value up = compare("oge", part, lanes_.constant(type_, convert(Type::F64, type_, to_bits(0.5))));
    const Value away = two("fadd", whole, lanes_.intrinsic("copysign", type_, {number(1), a}));
    return select(up, away, whole);
  }

  Lanes& lanes_;
  Type type_;
  bool floats_;
};

// Vector instructions round floats, as a division of 64-bit integers does, from SSE 4.1 on, and multiply and add at once from AVX 2 on.
bool covers_application(Op op, Type type, Isa isa) {
  switch (op) {
    case Op::div_: return is_in(type, Float) || size_of(type) < 8 || isa != Isa::baseline;
    case Op::rem_: return is_in(type, Int) && (size_of(type) < 8 || isa != Isa::baseline);
    case Op::copysign_: return true;
    case Op::fma_: return isa != Isa::baseline;
    default: break;
  }
  switch (info(op).cost) {
    case Cost::simple:
    case Cost::root: return true;
    case Cost::light: return isa != Isa::baseline;
    default: return false;
  }
}

// Returns true if the result for floats is never a NaN, since that is known of operands.
bool is_number(const Lanes& lanes, Op op, std::span<const Value> x) {
  switch (op) {
    case Op::min_:
    case Op::max_: return lanes.is_number(x[0]) || lanes.is_number(x[1]);
    case Op::where_: return lanes.is_number(x[1]) && lanes.is_number(x[2]);
    case Op::neg_:
    case Op::abs_:
    case Op::pos_:
    case Op::sign_:
    case Op::rectify_:
    case Op::floor_:
    case Op::ceil_:
    case Op::trunc_:
    case Op::round_:
    case Op::copysign_: return lanes.is_number(x[0]);
    default: return false;
  }
}

}  // namespace

int bytes_of_vector(Isa isa) { return isa == Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

bool covers(const Operation& operation, Isa isa) {
  return operation.form != Operation::Form::Apply || covers_application(operation.op, operation.type, isa);
}

Value write_application(Lanes& lanes, Op op, Type type, std::span<const Value> operands) {
  const Value result = Writer(lanes, type).apply(op, operands);
  if (is_in(type, Float) && is_number(lanes, op, operands)) lanes.note_number(result);
  return result;
}

Value write_conversion(Lanes& lanes, Type from, Type to, const Value& x) {
  const char *source = lane_type(from), *target = lane_type(to);
  if (from == to) return x;
  if (to == Type::Bool) return lanes.compare(is_in(from, Float) ? "une" : "ne", from, x, lanes.constant(from, 0));
  if (is_in(from, Float) && !is_in(to, Float)) return Writer(lanes, to).from_float(from, x);
  if (is_in(to, Float)) {
    const bool is_number = !is_in(from, Float) || lanes.is_number(x);
    const Value result = is_in(from, Float) ? lanes.change(from == Type::F32 ? "fpext" : "fptrunc", source, x, target)
                                            : lanes.change(is_signed(from) ? "sitofp" : "uitofp", source, x, target);
    if (is_number) lanes.note_number(result);
    return result;
  }
  const bool narrows = from != Type::Bool && size_of(to) < size_of(from), widens = from == Type::Bool || size_of(to) > size_of(from);
  if (!narrows && !widens) return x;
  return lanes.change(narrows ? "trunc" : is_signed(from) ? "sext" : "zext", source, x, target);
}

Value write_operation(Lanes& lanes, const Operation& operation, std::span<const Value> operands) {
  const Type type = operation.type;
  switch (operation.form) {
    case Operation::Form::Apply: return write_application(lanes, operation.op, type, operands);
    case Operation::Form::Cast: return write_conversion(lanes, type, operation.to, operands[0]);
    case Operation::Form::Copy: return operands[0];
  }
  return {};
}

}  // namespace wf::cpu::native
