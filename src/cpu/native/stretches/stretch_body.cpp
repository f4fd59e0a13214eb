#include "cpu/native/stretches/stretch_body.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace wf::cpu::native {
namespace {

const std::string forever = std::to_string(int64_t(1) << 40);
std::string text_of(int64_t x) { return std::to_string(x); }
// An i1, which is not empty.
Value condition(const Value& held) { return held.empty() ? "false" : held; }

}  // namespace

StretchBody::StretchBody(Lanes& lanes, const BlockProgram::Impl& program, std::span<const Instruction> code, LinearCode linear)
    : ElementBody(lanes, program), code_(code), linear_(std::move(linear)), leaf_of_(code.size(), -1) {
  if (!linear_.exists()) return;
  for (uint32_t k : linear_.direct) {
    const Stream& s = program.streams[k];
    leaves_.push_back({s.location, s.type, program.walks[s.walk].axes[0].stride, true, s.slot});
  }
  for (size_t k = 0; k < code.size(); k++) {
    if (!linear_.facts[k].is_read) continue;
    const Instruction& i = code[k];
    const LocationId out = program.operands[i.outs];
    const bool is_element = i.kind == Instruction::Kind::Gather;
    leaf_of_[k] = int(leaves_.size());
    const bool is_bool = !is_element && i.kind != Instruction::Kind::Iota && i.kind != Instruction::Kind::Count &&
                         i.operation.form == Operation::Form::Apply && result_type(i.operation.op, i.operation.type) == Type::Bool;
    const Type type = is_element ? i.operation.type : is_bool ? Type::Bool : Type::I64;
    leaves_.push_back({out, type, linear_.facts[k].stride, is_element, is_element ? i.detail : 0});
  }
}

// ---- lines --------------------------------------------------------------------------------------------------------------------

void StretchBody::bound(const Value& count) { bounds_.push_back(count); }
// The least bound, in few steps that wait for each other. One element is always a stretch.
Value StretchBody::shortest() {
  bounds_.push_back(forever);
  for (size_t done = 0; done + 1 < bounds_.size(); done += 2) {
    const Value &a = bounds_[done], &b = bounds_[done + 1];
    const Value least = scalar("select i1 " + scalar("icmp ult i64 " + a + ", " + b) + ", i64 " + a + ", i64 " + b);
    bounds_.push_back(least);
  }
  return scalar("select i1 " + scalar("icmp eq i64 " + bounds_.back() + ", 0") + ", i64 1, i64 " + bounds_.back());
}
void StretchBody::bound_unless(const Value& held, const Value& count) {
  bound(held.empty() ? count : scalar("select i1 " + held + ", i64 " + forever + ", i64 " + count));
}
// The value does not wrap.
void StretchBody::bound_room(const Form& x) {
  if (x.bits < 63) return;
  if (x.stride == 1) bound(scalar("sub i64 " + text_of(INT64_MAX) + ", " + x.base));
  if (x.stride == -1) bound(scalar("sub i64 " + x.base + ", " + text_of(INT64_MIN)));
}

StretchBody::Form StretchBody::operand(const Instruction& instruction, uint32_t k) {
  const LocationId id = program().operands[instruction.operands + k];
  if (has_form_[id]) return forms_[id];
  Form number{number_at(id)};
  if (const Location& l = program().locations[id]; l.from == Location::From::Literal && l.type == Type::I64)
    number.bits = 64 - std::countl_zero(uint64_t(std::abs(std::stoll(number.base) / 2))) + 1;
  return number;
}

StretchBody::Form StretchBody::count_from(const Walk& walk, const Value& at) {
  const auto [extent, stride] = walk.axes[0];
  const Value element = scalar("add i64 " + scalar("add i64 %begin, " + at) + ", " + text_of(walk.shift));
  auto plus_times = [&](const Value& a, const Value& b, int64_t factor) {
    return factor == 0 ? a : scalar("add i64 " + a + ", " + scalar("mul i64 " + b + ", " + text_of(factor)));
  };
  if (walk.axes.size() == 1) return {plus_times(text_of(walk.base), element, stride), stride, {}};
  const Value run = scalar("udiv i64 " + element + ", " + text_of(extent));
  const Value digit = plus_times(element, run, -extent);
  bound(scalar("sub i64 " + text_of(extent) + ", " + digit));
  return {plus_times(outer_digits(walk, run), digit, stride), stride};
}

// a and b, one of which at most is held, moved by the stride.
StretchBody::Form StretchBody::moved_by(const Value& base, const Form& a, const Form& b, int64_t stride) {
  const int bits = std::max(a.bits, b.bits) + 1;
  if (a.stride == 0 || b.stride == 0) return {base, stride, a.stride == 0 ? b.held : a.held, bits};
  for (const Form* x : {&a, &b})
    if (!x->held.empty()) bound(scalar("select i1 " + x->held + ", i64 1, i64 " + forever));
  return {base, stride, {}, bits};
}

StretchBody::Form StretchBody::apply(Op op, Type type, std::span<const Form> x, int64_t stride) {
  const Form &a = x[0], &b = x.size() > 1 ? x[1] : a;
  if (type == Type::Bool) {
    if (op == Op::not_) return {scalar("xor i1 " + a.base + ", true")};
    if (op == Op::where_) return {scalar("select i1 " + a.base + ", i1 " + b.base + ", i1 " + x[2].base)};
    return {scalar(std::string(op == Op::and_ ? "and" : op == Op::or_ ? "or" : "xor") + " i1 " + a.base + ", " + b.base)};
  }
  auto both = [&](const char* name) { return scalar(std::string(name) + " i64 " + a.base + ", " + b.base); };
  switch (op) {
    case Op::add_: return moved_by(both("add"), a, b, stride);
    case Op::sub_: return moved_by(both("sub"), a, b, stride);
    case Op::mul_: {
      Form product = moved_by(both("mul"), a, b, stride);
      product.bits = a.bits + b.bits;
      return product;
    }
    case Op::neg_: return moved_by(scalar("sub i64 0, " + a.base), a, {"0", 0, {}, 0}, stride);
    case Op::div_: return {both("sdiv")};
    case Op::rem_: return {both("srem")};
    case Op::min_:
    case Op::max_: return extreme(op == Op::min_, a, b);
    case Op::where_: return chosen(a.base, b, x[2]);
    case Op::gt_: return compare(Op::lt_, b, a);
    case Op::ge_: return compare(Op::le_, b, a);
    default: return compare(op, a, b);
  }
}

// A bool that is the same for all elements of the stretch, which ends where it changes.
StretchBody::Form StretchBody::compare(Op op, Form a, Form b) {
  bound_room(a), bound_room(b);
  const bool is_equality = op == Op::eq_ || op == Op::ne_;
  const char* name = is_equality ? "eq" : op == Op::lt_ ? "slt" : "sle";
  const Value now = scalar("icmp " + std::string(name) + " i64 " + a.base + ", " + b.base);
  const Form result{op == Op::ne_ ? scalar("xor i1 " + now + ", true") : now};
  moved_by({}, a, b, 0);
  const int64_t change = a.stride - b.stride;
  if (change == 0) return result;
  const Value& held = a.stride != 0 ? a.held : b.held;
  const Value& lower = change > 0 ? a.base : b.base;
  const Value& upper = change > 0 ? b.base : a.base;
  const Value distance = scalar("sub i64 " + upper + ", " + lower);
  if (is_equality) {
    const Value approaches = scalar("icmp slt i64 " + lower + ", " + upper), one = scalar("select i1 " + now + ", i64 1, i64 " + forever);
    bound_unless(held, scalar("select i1 " + approaches + ", i64 " + distance + ", i64 " + one));
  } else {
    // With a rising, a < b until a = b and a <= b until a = b + 1. With b rising, not a < b until b = a + 1, and not a <= b until a = b.
    const Value until = (op == Op::lt_) == (change > 0) ? distance : scalar("add i64 " + distance + ", 1");
    const auto [near, far] = change > 0 ? std::pair(until, Value(forever)) : std::pair(Value(forever), until);
    bound_unless(held, scalar("select i1 " + now + ", i64 " + near + ", i64 " + far));
  }
  return result;
}

// min(a, b) or max(a, b). If only one of them moves, the result is held while it is the other.
StretchBody::Form StretchBody::extreme(bool is_min, const Form& a, const Form& b) {
  bound_room(a), bound_room(b);
  const bool swapped = a.stride == 0;
  const Form &p = swapped ? b : a, &q = swapped ? a : b;
  const Value now = scalar(std::string("icmp ") + (is_min ? "sle" : "sge") + " i64 " + p.base + ", " + q.base);
  const Value base = scalar("select i1 " + now + ", i64 " + p.base + ", i64 " + q.base);
  if (p.stride == q.stride) return moved_by(base, p, q, p.stride);
  const Value distance = scalar("sub i64 " + (is_min ? q.base : p.base) + ", " + (is_min ? p.base : q.base));
  if (is_min == (p.stride > 0)) {
    bound_unless(p.held, scalar("select i1 " + now + ", i64 " + scalar("add i64 " + distance + ", 1") + ", i64 " + forever));
  } else {
    const Value back = scalar("sub i64 0, " + distance);
    bound_unless(p.held, scalar("select i1 " + now + ", i64 " + forever + ", i64 " + back));
  }
  return {base, p.stride, scalar("or i1 " + condition(p.held) + ", " + scalar("xor i1 " + now + ", true")), std::max(a.bits, b.bits)};
}

StretchBody::Form StretchBody::chosen(const Value& first, const Form& a, const Form& b) {
  const Value base = scalar("select i1 " + first + ", i64 " + a.base + ", i64 " + b.base);
  const int64_t stride = a.stride != 0 ? a.stride : b.stride;
  const int bits = std::max(a.bits, b.bits);
  if (stride == 0 || (a.stride == b.stride && a.held.empty() && b.held.empty())) return {base, stride, {}, bits};
  auto held = [](const Form& x) { return x.stride == 0 ? "true" : condition(x.held); };
  return {base, stride, scalar("select i1 " + first + ", i1 " + held(a) + ", i1 " + held(b)), bits};
}

// An i1: the stretch's indices are within [0, length). It ends where that changes.
Value StretchBody::is_inside(const Form& index, const Value& length) {
  const Value inside = scalar("icmp ult i64 " + index.base + ", " + length);
  if (index.stride == 0) return inside;
  const Value below = scalar("icmp slt i64 " + index.base + ", 0");
  const Value left = scalar("sub i64 " + scalar("select i1 " + below + ", i64 0, i64 " + length) + ", " + index.base);
  bound_unless(index.held, left);  // beyond the length, a large unsigned number
  bound_room(index);
  return inside;
}

// ---- stretches ----------------------------------------------------------------------------------------------------------------

// Computes the forms of the stretch that begins at this element of the block.
void StretchBody::begin_stretch(const Value& at) {
  bounds_.clear();
  faults_.clear();
  forms_.assign(program().locations.size(), {});
  has_form_.assign(program().locations.size(), false);
  size_t next = 0;
  auto read = [&](Leaf& leaf, const Form& index) {
    leaf.form = index;
    leaf.inside = is_inside(index, input(leaf.input).length);
  };
  for (uint32_t k : linear_.direct) {
    const Stream& s = program().streams[k];
    Form index = count_from(program().walks[s.walk], at);
    if (s.base.literal != 0) index.base = scalar("add i64 " + index.base + ", " + text_of(s.base.literal));
    if (s.base.location != no_location) index.base = scalar("add i64 " + index.base + ", " + number_at(s.base.location));
    read(leaves_[next++], index);
  }
  for (size_t k = 0; k < code_.size(); k++) {
    if (!linear_.facts[k].is_linear) continue;
    const Instruction& i = code_[k];
    const int64_t stride = linear_.facts[k].stride;
    Form form;
    std::vector<Form> x;
    for (uint32_t n = 0; n < i.operand_count; n++) x.push_back(operand(i, n));
    switch (i.kind) {
      // Domains have fewer than 2^60 elements, and digits are not larger than they.
      case Instruction::Kind::Iota: form = {scalar("add i64 %begin, " + at), 1, {}, 60}; break;
      case Instruction::Kind::Count:
        form = count_from(program().walks[i.detail], at);
        form.bits = 60;
        break;
      case Instruction::Kind::Gather:
        if (leaf_of_[k] >= 0) read(leaves_[size_t(leaf_of_[k])], x[0]);
        continue;
      case Instruction::Kind::Check: {
        const Value outside = scalar("xor i1 " + is_inside(x[0], x[1].base) + ", true");
        faults_.push_back({x[0], x[1].base, scalar("and i1 " + outside + ", " + x[2].base)});
        continue;
      }
      default: form = apply(i.operation.op, i.operation.type, x, stride);
    }
    const LocationId out = program().operands[i.outs];
    forms_[out] = form, has_form_[out] = true;
    if (leaf_of_[k] >= 0) leaves_[size_t(leaf_of_[k])].form = form;
  }
}

// The stride in this stretch.
Value StretchBody::stride_of(const Form& x) {
  return x.held.empty() ? text_of(x.stride) : scalar("select i1 " + x.held + ", i64 0, i64 " + text_of(x.stride));
}

// first + stride * k for lane k.
Value StretchBody::number_vector(const Value& first, const Form& form) {
  Lanes& l = lanes();
  const Value strides = form.held.empty() ? l.number(form.stride) : l.splat("i64", stride_of(form));
  return l.two("add", Type::I64, l.splat("i64", first), l.two("mul", Type::I64, l.numbers(), strides));
}

// Sets of lanes are integers of one bit per lane until a vector needs them.
Value StretchBody::vector_of_bits(const Value& some) {
  return scalar("bitcast " + lanes().word() + " " + some + " to " + lanes().vector(Type::Bool));
}
Value StretchBody::lanes_if(const Value& some, const Value& condition, bool holds) {
  const std::string word = lanes().word() + " ", none = word + "0", all = word + some;
  return scalar("select i1 " + condition + ", " + (holds ? all + ", " + none : none + ", " + all));
}

// The lanes are those of the stretch, and `first` is the first of them.
void StretchBody::note_faults(const Value& some, const Value& first) {
  Lanes& l = lanes();
  for (const Fault& fault : faults_) {
    const std::string number = l.fresh().substr(1);
    l.line("br i1 " + fault.is_outside + ", label %outside_" + number + ", label %checked_" + number);
    l.begin_block("outside_" + number);
    const Value at_first = scalar("sub i64 " + fault.index.base + ", " + scalar("mul i64 " + stride_of(fault.index) + ", " + first));
    check(number_vector(at_first, fault.index), l.splat("i64", fault.length),
          l.two("and", Type::Bool, vector_of_bits(some), position().inside));
    l.line("br label %checked_" + number);
    l.begin_block("checked_" + number);
  }
}

// The vector with the lanes of one more stretch.
Value StretchBody::merged(const Leaf& leaf, const Value& some, const Value& first, const Value& before) {
  Lanes& l = lanes();
  const Type type = leaf.memory_type();
  const Form& form = leaf.form;
  if (!leaf.is_element && leaf.type == Type::Bool) return l.select(vector_of_bits(some), Type::Bool, l.splat("i1", form.base), before);
  if (!leaf.is_element) {
    const Value at_first = scalar("sub i64 " + form.base + ", " + scalar("mul i64 " + stride_of(form) + ", " + first));
    return l.select(vector_of_bits(some), Type::I64, number_vector(at_first, form), before);
  }
  const Input& in = input(leaf.input);
  auto address = [&](const Value& index) {
    return l.address(in.data, scalar("mul i64 " + index + ", " + text_of(int64_t(size_of(type)))));
  };
  const Value within = lanes_if(some, leaf.inside, true);
  Value result = before;
  if (form.stride != 0) {
    const Value moving = form.held.empty() ? within : lanes_if(within, form.held, false);
    result = l.masked_load(type, address(scalar("sub i64 " + form.base + ", " + first)), vector_of_bits(moving), before);
    if (form.held.empty()) return result;
  }
  const Value one = splat_at(address(scalar("select i1 " + leaf.inside + ", i64 " + form.base + ", i64 0")), type);
  return l.select(vector_of_bits(form.stride == 0 ? within : lanes_if(within, form.held, true)), type, one, result);
}

// The vector within one stretch.
Value StretchBody::along(const Leaf& leaf, const Value& carried) {
  Lanes& l = lanes();
  const Type type = leaf.memory_type();
  if (!leaf.is_element && leaf.type == Type::Bool) return l.splat("i1", carried);
  const Value here =
      leaf.stride == 0 ? carried : scalar("add i64 " + carried + ", " + scalar("mul i64 " + first_element() + ", " + text_of(leaf.stride)));
  if (!leaf.is_element) return number_vector(here, {{}, leaf.stride});
  const Value address = l.address(input(leaf.input).data, scalar("mul i64 " + here + ", " + text_of(int64_t(size_of(type)))));
  return leaf.stride == 0 ? splat_at(address, type) : load_from_stream(address, type);
}

void StretchBody::begin_stretches() {
  carried_.clear();
  if (!linear_.exists()) return;
  auto carry = [&](const std::string& type) {
    const Value name = lanes().fresh();
    carried_.push_back({type, name, name});
  };
  carry("i64");
  for (const Leaf& leaf : leaves_) carry(leaf.carried_type());
}

std::string StretchBody::stretch_phis(const std::string& before, const std::string& last) const {
  std::string phis;
  for (const Carried& c : carried_)
    phis += "  " + c.name + " = phi " + c.type + " [ 0, %" + before + " ], [ " + c.value + ", %" + last + " ]\n";
  return phis;
}

void StretchBody::read_stretches() {
  if (!linear_.exists()) return;
  Lanes& l = lanes();
  const auto vector = [&](const Leaf& leaf) { return l.vector(leaf.memory_type()); };
  const std::string width = text_of(l.width()), word = l.word();
  const Value end = scalar("add i64 " + first_element() + ", " + width), fits = scalar("icmp sle i64 " + end + ", " + carried_[0].value);
  const std::string number = fits.substr(1), along_one = "along_" + number, head = "stretch_" + number, tail = "merged_" + number,
                    join = "read_" + number, before = l.block();
  l.line("br i1 " + fits + ", label %" + along_one + ", label %" + head);
  l.begin_block(along_one);
  std::vector<Value> whole;
  for (size_t k = 0; k < leaves_.size(); k++) whole.push_back(along(leaves_[k], carried_[k + 1].value));
  const std::string after_along = l.block();
  l.line("br label %" + join);

  // The loop's choices precede its instructions, and are known after them.
  std::string text;
  std::string* const outside = l.write_to(&text);
  l.begin_block(head);
  const Value at = l.fresh();
  std::vector<Value> current, next;
  for (size_t k = 0; k < leaves_.size(); k++) current.push_back(l.fresh());
  begin_stretch(at);
  const Value count = shortest();
  const Value stop = scalar("add i64 " + at + ", " + count), goes_on = scalar("icmp slt i64 " + stop + ", " + end);
  const Value first = scalar("sub i64 " + at + ", " + first_element());
  const Value missing = scalar("sub i64 " + end + ", " + scalar("select i1 " + goes_on + ", i64 " + stop + ", i64 " + end));
  auto narrowed = [&](const Value& x) { return l.width() == 64 ? x : scalar("trunc i64 " + x + " to " + word); };
  const Value upper = scalar("shl " + word + " -1, " + narrowed(first));
  const Value lower = scalar("lshr " + word + " -1, " + narrowed(missing));
  const Value some = scalar("and " + word + " " + upper + ", " + lower);
  note_faults(some, first);
  for (size_t k = 0; k < leaves_.size(); k++) next.push_back(merged(leaves_[k], some, first, current[k]));
  Value is_whole = "true";
  std::vector<Value> carried;
  for (const Leaf& leaf : leaves_) {
    if (!leaf.form.held.empty()) is_whole = scalar("and i1 " + is_whole + ", " + scalar("xor i1 " + leaf.form.held + ", true"));
    if (leaf.is_element) is_whole = scalar("and i1 " + is_whole + ", " + leaf.inside);
    const bool moves = leaf.carried_type() == "i64" && leaf.form.stride != 0;
    carried.push_back(moves ? scalar("sub i64 " + leaf.form.base + ", " + scalar("mul i64 " + at + ", " + text_of(leaf.form.stride)))
                            : leaf.form.base);
  }
  carried.insert(carried.begin(), scalar("select i1 " + is_whole + ", i64 " + stop + ", i64 0"));
  const std::string last = l.block();
  l.line("br i1 " + goes_on + ", label %" + head + ", label %" + tail);
  l.begin_block(tail);
  l.line("br label %" + join);
  l.write_to(outside);
  const std::string label = head + ":\n";
  std::string phis = "  " + at + " = phi i64 [ " + first_element() + ", %" + before + " ], [ " + stop + ", %" + last + " ]\n";
  for (size_t k = 0; k < leaves_.size(); k++)
    phis +=
        "  " + current[k] + " = phi " + vector(leaves_[k]) + " [ zeroinitializer, %" + before + " ], [ " + next[k] + ", %" + last + " ]\n";
  outside->append(label).append(phis).append(text, label.size());

  l.begin_block(join);
  auto either = [&](const std::string& type, const Value& a, const Value& b) {
    return scalar("phi " + type + " [ " + a + ", %" + after_along + " ], [ " + b + ", %" + tail + " ]");
  };
  vectors_.clear();
  for (size_t k = 0; k < leaves_.size(); k++) vectors_.push_back(either(vector(leaves_[k]), whole[k], next[k]));
  for (size_t k = 0; k < carried_.size(); k++) carried_[k].value = either(carried_[k].type, carried_[k].value, carried[k]);
  for (size_t k = 0; k < leaves_.size(); k++)
    if (leaves_[k].is_element && leaves_[k].type == Type::Bool)
      vectors_[k] = l.compare("ne", Type::U8, vectors_[k], l.constant(Type::U8, 0));
  for (size_t k = 0; k < linear_.direct.size(); k++) set(leaves_[k].location, leaves_[k].type, vectors_[k]);
}

void StretchBody::write_at(size_t k) {
  if (!linear_.facts[k].is_linear) return write(code_[k], position());
  if (leaf_of_[k] < 0) return;
  const Leaf& leaf = leaves_[size_t(leaf_of_[k])];
  set(leaf.location, leaf.type, vectors_[size_t(leaf_of_[k])]);
}

// Elements that are prefetched are not read in vectors of stretches.
Value StretchBody::fetch(LocationId location, Type type) {
  for (uint32_t k : linear_.direct) {
    const Stream& s = program().streams[k];
    if (s.location != location) continue;
    Value index = count(program().walks[s.walk]);
    if (s.base.literal != 0) index = lanes().two("add", Type::I64, index, lanes().number(s.base.literal));
    if (s.base.location != no_location) index = lanes().two("add", Type::I64, index, read(s.base.location, Type::I64));
    return gather(s.slot, type, index);
  }
  return ElementBody::fetch(location, type);
}

}  // namespace wf::cpu::native
