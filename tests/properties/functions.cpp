#include "properties/functions.h"

#include "expr/fn.h"
#include "oracle/meaning.h"
#include "samples.h"

namespace properties {

using wf::Op;

uint64_t Random::bits() {  // splitmix64
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<Type> random_types(Random& random, uint32_t at_most) {
  std::vector<Type> types(1 + random.below(at_most));
  for (Type& t : types) t = random_type(random);
  return types;
}

wf::Bits64 random_value(Random& random, Type t) {
  static const auto edges = [] {
    std::vector<std::vector<wf::Bits64>> all;
    for (int k = 0; k < wf::type_count; k++) all.push_back(samples::edge_values(static_cast<Type>(k)));
    return all;
  }();
  if (random.once_in(4)) return random.of(edges[static_cast<int>(t)]);
  return wf::convert(Type::I32, t, wf::to_bits(int32_t(random.below(41)) - 20));
}

FunctionMaker::FunctionMaker(uint64_t seed, int size, const std::vector<Type>& params, const std::vector<Captured>& captures,
                             int64_t indices, bool may_fail)
    : random_(seed),
      size_(size),
      depth_(1 + int(random_.below(3))),
      params_(params.size()),
      captures_(captures),
      indices_(indices),
      may_fail_(may_fail && !captures.empty()) {
  for (Type t : params) scope_.push_back({fresh('x'), t});
}

std::string FunctionMaker::fresh(char letter) { return letter + std::to_string(names_++); }

std::string FunctionMaker::header() const {
  std::string text = "(fn (";
  for (size_t k = 0; k < params_; k++) text += (k ? " (" : "(") + scope_[k].text + " " + std::string(wf::name(scope_[k].type)) + ")";
  return text + ") ";
}

static std::string tuple(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0];
  std::string text = "(tuple";
  for (const auto& part : parts) text += " " + part;
  return text + ")";
}

std::string FunctionMaker::make(const std::vector<Type>& results) {
  std::vector<std::string> bodies;
  for (Type t : results) bodies.push_back(may_fail_ && random_.once_in(3) ? element(t, depth_) : expression(t, depth_));
  return header() + tuple(bodies) + ")";
}

std::string FunctionMaker::make_elements(const Monoid& monoid) {
  std::string text = header() + "(let (";
  for (size_t k = 0; k < monoid.types.size(); k++) text += "(v" + std::to_string(k) + " " + expression(monoid.types[k], depth_) + ")";
  return text + ") " + tuple(monoid.elements) + "))";
}

std::string FunctionMaker::literal(Type t) { return wf::print_literal(t, random_value(random_, t)); }

static std::string cast(Type t, const std::string& x) { return "(cast " + std::string(wf::name(t)) + " " + x + ")"; }

std::string FunctionMaker::leaf(Type t) {
  if (scope_.empty() || random_.once_in(5)) return literal(t);
  const Name& name = random_.of(scope_);
  return name.type == t ? name.text : cast(t, name.text);
}

std::string FunctionMaker::expression(Type t, int depth) {
  if (depth <= 0 || --size_ < 0) return leaf(t);
  switch (random_.below(10)) {
    case 0: return leaf(t);
    case 1: return "(where " + truth(depth - 1) + " " + expression(t, depth - 1) + " " + expression(t, depth - 1) + ")";
    case 2: return mixed(t, depth);
    case 3: return shared(t, depth);
    case 4:
      switch (random_.below(5)) {
        case 0: return loop(t, depth);
        case 1: return fold(t, depth);
        default: return operation(t, depth);
      }
    case 5:
    case 6:
      if (!captures_.empty()) return element(t, depth);
      [[fallthrough]];
    default: return t == Type::Bool ? truth(depth) : operation(t, depth);
  }
}

// Operations with one exact result. copysign is excluded: it exposes the sign of a NaN, which is unspecified.
static bool keeps_bits(Op op) { return !oracle::is_rounded_freely(op) && op != Op::copysign_ && op != Op::where_; }

static std::vector<Op> exact_operations(Type t, wf::Result result) {
  std::vector<Op> found;
  for (int k = 0; k < wf::op_count; k++) {
    const Op op = static_cast<Op>(k);
    if (keeps_bits(op) && wf::info(op).result == result && wf::is_in(t, wf::info(op).on)) found.push_back(op);
  }
  return found;
}

std::string FunctionMaker::operation(Type t, int depth) {
  const Op op = random_.of(exact_operations(t, wf::Result::Same));
  std::string text = "(" + std::string(wf::name(op));
  for (int k = 0; k < wf::info(op).arity; k++) text += " " + expression(t, depth - 1);
  return text + ")";
}

std::string FunctionMaker::truth(int depth) {
  if (depth <= 0 || --size_ < 0) return leaf(Type::Bool);
  if (random_.once_in(3)) return operation(Type::Bool, depth);
  const Type t = random_type(random_);
  const Op op = random_.of(exact_operations(t, wf::Result::Truth));
  std::string text = "(" + std::string(wf::name(op));
  for (int k = 0; k < wf::info(op).arity; k++) text += " " + expression(t, depth - 1);
  return text + ")";
}

// Operands of two types; the lower one is promoted.
std::string FunctionMaker::mixed(Type t, int depth) {
  const Op op = random_.of(std::vector{Op::add_, Op::sub_, Op::mul_, Op::min_, Op::max_, Op::lt_, Op::ge_, Op::ne_});
  return cast(t, "(" + std::string(wf::name(op)) + " " + expression(random_type(random_), depth - 1) + " " +
                     expression(random_type(random_), depth - 1) + ")");
}

std::string FunctionMaker::shared(Type t, int depth) {
  const Type type = random_type(random_);
  const std::string name = fresh('s'), value = expression(type, depth - 1);
  scope_.push_back({name, type});
  const std::string body = expression(t, depth);
  scope_.pop_back();
  return "(let ((" + name + " " + value + ")) " + body + ")";
}

// At most seven iterations; the element decides their number.
std::string FunctionMaker::loop(Type t, int depth) {
  const std::string rounds = "(and " + expression(Type::I32, depth - 1) + " 7:i32)";
  const std::string start = expression(t, depth - 1);
  const std::string limit = fresh('n'), k = fresh('k'), value = fresh('a'), done = fresh('d'), result = fresh('r');
  scope_.push_back({k, Type::I32});
  scope_.push_back({value, t});
  const std::string next = expression(t, depth - 1);
  scope_.resize(scope_.size() - 2);
  return "(let ((" + limit + " " + rounds + ") ((" + done + " " + result + ") (loop ((" + k + " 0:i32) (" + value + " " + start +
         ")) (lt " + k + " " + limit + ") (tuple (add " + k + " 1:i32) " + next + ")))) " + result + ")";
}

// An element of a captured sequence: at an index that is already in range, or reduced to the range, or guarded; or 0 outside.
std::string FunctionMaker::element(Type t, int depth) {
  const uint32_t k = random_.below(uint32_t(captures_.size()));
  const Captured& captured = captures_[k];
  const uint32_t column = random_.below(uint32_t(captured.types.size()));
  const std::string slot = "$" + std::to_string(k), length = "(length " + slot + ")";
  const std::string name = captured.types.size() == 1 ? slot : slot + "." + std::to_string(column);
  auto at = [&](const std::string& index) { return cast(t, "(at " + name + " " + index + ")"); };
  if (may_fail_ && random_.once_in(2)) return anywhere(t, depth, captured, slot, at);
  if (indices_ >= 0 && captured.length >= indices_ && random_.once_in(2))
    return at(random_.once_in(2) ? scope_[0].text : "(sub (sub " + length + " 1:i64) " + scope_[0].text + ")");
  const std::string index = expression(Type::I64, random_.once_in(3) ? depth - 1 : 0);
  if (captured.length > 0) switch (random_.below(6)) {
      case 0: return at("(max 0:i64 (min " + index + " (sub " + length + " 1:i64)))");
      case 1: return at("(rem (and " + index + " 0x7fffffffffffffff:i64) " + length + ")");
      case 2: return at(random_.once_in(2) ? "0:i64" : "(sub " + length + " 1:i64)");
      default: break;
    }
  const std::string j = fresh('j'), shift = std::to_string(int(random_.below(3)) - 1) + ":i64";
  const std::string is_inside = "(and (ge " + j + " 0:i64) (lt " + j + " " + length + "))";
  const std::string is_outside = "(or (lt " + j + " 0:i64) (le " + length + " " + j + "))";
  const std::string truth = "(ne " + at(j) + " " + literal(t) + ")";
  auto with_index = [&](const std::string& body) { return "(let ((" + j + " (add " + index + " " + shift + "))) " + body + ")"; };
  switch (random_.below(5)) {
    case 0: return with_index(cast(t, "(load " + name + " " + j + ")"));
    case 1: return with_index(cast(t, "(and " + is_inside + " " + truth + ")"));
    case 2: return with_index(cast(t, "(or " + is_outside + " " + truth + ")"));
    default: return with_index("(where " + is_inside + " " + at(j) + " " + literal(t) + ")");
  }
}

// An element at an index that may lie outside, a little or far; it may not matter.
std::string FunctionMaker::anywhere(Type t, int depth, const Captured& captured, const std::string& slot,
                                    const std::function<std::string(const std::string&)>& at) {
  const std::string length = "(length " + slot + ")", some = expression(Type::I64, random_.once_in(3) ? depth - 1 : 0);
  std::string index;
  switch (random_.below(6)) {
    case 0: index = std::to_string(int64_t(random_.below(uint32_t(captured.length) + 4)) - 2) + ":i64"; break;
    case 1: index = "(rem (and " + some + " 0x7fffffffffffffff:i64) (add " + length + " 1:i64))"; break;
    case 2: index = "(min (max " + some + " 0:i64) " + length + ")"; break;
    case 3: index = "(max -1:i64 (min " + some + " (sub " + length + " 1:i64)))"; break;
    case 4: index = "(add (and " + some + " 3:i64) (sub " + length + " 3:i64))"; break;
    default: index = some;
  }
  switch (random_.below(8)) {
    case 0: return "(let ((" + fresh('u') + " " + at(index) + ")) " + expression(t, depth - 1) + ")";
    case 1: return "(where " + truth(depth - 1) + " " + at(index) + " " + expression(t, depth - 1) + ")";
    case 2: return cast(t, "(and " + truth(depth - 1) + " (ne " + at(index) + " " + literal(t) + "))");
    case 3: return cast(t, "(or " + truth(depth - 1) + " (eq " + at(index) + " " + literal(t) + "))");
    case 4: return cast(t, "(mul 0:i32 (cast i32 " + at(index) + "))");
    case 5: {
      const std::string name = fresh('v');
      return cast(t, "(let ((" + name + " (cast u64 " + at(index) + "))) (sub " + name + " " + name + "))");
    }
    default: return at(index);
  }
}

// ---- monoids -----------------------------------------------------------------------------------------------------------

namespace {

std::string typed(const char* number, Type t) { return std::string(number) + ":" + std::string(wf::name(t)); }

// Maps floats to small whole numbers without negative zero, so that sums are exact in any order.
std::string exactly_summable(const std::string& x, Type t) {
  if (!wf::is_in(t, wf::Float)) return x;
  return "(add (max " + typed("-8", t) + " (min " + typed("8", t) + " (round " + x + "))) " + typed("0", t) + ")";
}

Monoid one_operation(Op op, Type t) {
  const std::string type(wf::name(t));
  return {"(fn ((a " + type + ") (b " + type + ")) (" + std::string(wf::name(op)) + " a b))",
          wf::print_literal(t, *wf::identity_bits(op, t)),
          {t},
          {exactly_summable("v0", t)}};
}

Op random_associative(Random& random, Type t) {
  std::vector<Op> found;
  for (Op op : {Op::add_, Op::mul_, Op::min_, Op::max_, Op::and_, Op::or_, Op::xor_})
    if (wf::is_in(t, wf::info(op).on) && !(op == Op::mul_ && wf::is_in(t, wf::Float))) found.push_back(op);
  return random.of(found);
}

// Two operations on separate components.
Monoid pair_of(Random& random) {
  const Type s = random_type(random), t = random_type(random);
  const Op f = random_associative(random, s), g = random_associative(random, t);
  const std::string first(wf::name(s)), second(wf::name(t));
  return {"(fn ((a " + first + ") (b " + second + ") (c " + first + ") (d " + second + ")) (tuple (" + std::string(wf::name(f)) +
              " a c) (" + std::string(wf::name(g)) + " b d)))",
          "(tuple " + wf::print_literal(s, *wf::identity_bits(f, s)) + " " + wf::print_literal(t, *wf::identity_bits(g, t)) + ")",
          {s, t},
          {exactly_summable("v0", s), exactly_summable("v1", t)}};
}

// Composition of functions x -> p x + q.
const Monoid affine_maps = {"(fn ((p u32) (q u32) (r u32) (s u32)) (tuple (mul p r) (add (mul q r) s)))",
                            "(tuple 1:u32 0:u32)",
                            {Type::U32, Type::U32},
                            {"v0", "v1"}};
// The last present value.
const Monoid last_present = {"(fn ((h bool) (x i64) (k bool) (y i64)) (tuple (or h k) (where k y x)))",
                             "(tuple false 0:i64)",
                             {Type::Bool, Type::I64},
                             {"v0", "(where v0 v1 0:i64)"}};
// Brackets: the number of unmatched closing ones, then of unmatched opening ones.
const Monoid brackets = {"(fn ((c i32) (o i32) (d i32) (p i32)) (tuple (add c (max 0:i32 (sub d o))) (add p (max 0:i32 (sub o d)))))",
                         "(tuple 0:i32 0:i32)",
                         {Type::I32, Type::I32},
                         {"(and v0 3:i32)", "(and v1 3:i32)"}};
// The product of 2 x 2 matrices.
const Monoid matrices = {
    "(fn ((a u64) (b u64) (c u64) (d u64) (e u64) (f u64) (g u64) (h u64))"
    " (tuple (add (mul a e) (mul b g)) (add (mul a f) (mul b h)) (add (mul c e) (mul d g)) (add (mul c f) (mul d h))))",
    "(tuple 1:u64 0:u64 0:u64 1:u64)",
    {Type::U64, Type::U64, Type::U64, Type::U64},
    {"v0", "v1", "v2", "v3"}};
// The largest value and its first index; the identity is below every value.
const Monoid largest = {"(fn ((x i32) (i i64) (y i32) (j i64)) (let ((left (ge x y))) (tuple (where left x y) (where left i j))))",
                        "(tuple -2147483648:i32 0:i64)",
                        {Type::I32, Type::I64},
                        {"(max v0 -2147483647:i32)", "v1"}};
// The first of the elements with the greatest eighth, which the identity, 0, is below.
const Monoid first_of_eighths = {
    "(fn ((x u32) (y u32)) (where (lt (div x 8:u32) (div y 8:u32)) y x))", "0:u32", {Type::U32}, {"(max v0 8:u32)"}};

}  // namespace

Monoid random_monoid(Random& random) {
  switch (random.below(9)) {
    case 0: return pair_of(random);
    case 1: return random.of(std::vector{affine_maps, last_present, brackets, matrices, largest, first_of_eighths});
    case 2: return random.of(std::vector{affine_maps, last_present, brackets});
    default: {
      const Type t = random_type(random);
      return one_operation(random_associative(random, t), t);
    }
  }
}

// A column of a fold of at most eight values, from the left; the function is associative.
std::string FunctionMaker::fold(Type t, int depth) {
  const Monoid monoid = random_monoid(random_);
  const bool is_by_length = !captures_.empty() && random_.once_in(3);
  const std::string count = is_by_length         ? "(rem (length $" + std::to_string(random_.below(uint32_t(captures_.size()))) + ") 9:i64)"
                            : random_.once_in(3) ? std::to_string(random_.below(5)) + ":i64"
                                                 : "(and " + expression(Type::I32, depth - 1) + " 7:i32)";
  const std::string j = fresh('j');
  scope_.push_back({j, Type::I64});
  std::string value = "(let (";
  for (size_t k = 0; k < monoid.types.size(); k++) value += "(v" + std::to_string(k) + " " + expression(monoid.types[k], depth - 1) + ")";
  value += ") " + tuple(monoid.elements) + ")";
  scope_.pop_back();
  std::string names;
  for (size_t k = 0; k < monoid.types.size(); k++) names += (k ? " r" : "r") + std::to_string(k);
  const std::string function = monoid.function.substr(4, monoid.function.size() - 5);  // without `(fn ` and `)`
  const std::string result = "r" + std::to_string(random_.below(uint32_t(monoid.types.size())));
  return "(let (((" + names + ") (fold " + function + " " + monoid.identity + " ((" + j + " " + count + ")) " + value + "))) " +
         cast(t, result) + ")";
}

Distributing random_law(Random& random) {
  std::vector<Distributing> found;
  const Type t = random_type(random);
#define DISTRIBUTES(f, g)                                                                                                               \
  if (wf::is_in(t, wf::info(Op::f##_).on) && wf::is_in(t, wf::info(Op::g##_).on) && !(Op::f##_ == Op::mul_ && wf::is_in(t, wf::Float))) \
    found.push_back({one_operation(Op::f##_, t), one_operation(Op::g##_, t)});
#include "ops/laws.def"
  return random.of(found);
}

}  // namespace properties
