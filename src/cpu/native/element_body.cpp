#include "cpu/native/element_body.h"

#include <cstddef>

#include "cpu/native/group.h"

namespace wf::cpu::native {

Value ElementBody::fetch(LocationId location, Type type) {
  switch (program().locations[location].from) {
    case Location::From::Literal: return literal(location, type);
    case Location::From::Register:
    case Location::From::Param:
    case Location::From::Stream: return lanes().load(type, element_address(location, type));
    default: return splat_of(location, type);
  }
}

Value ElementBody::same_for_all(const Instruction& instruction, Type type) {
  const bool is_length = instruction.kind == Instruction::Kind::Length;
  return in_entry([&] {
    Lanes& l = lanes();
    const size_t offset =
        is_length ? instruction.detail * sizeof(InputView) + offsetof(InputView, length) : instruction.detail * sizeof(Bits64);
    const Value array = member(is_length ? offsetof(Memory, inputs) : offsetof(Memory, arguments));
    return splat_at(l.address(array, std::to_string(offset)), type);
  });
}

// A pointer in Memory.
Value ElementBody::member(size_t offset) {
  return lanes().load(lanes().pointer(), lanes().address("%memory", std::to_string(offset)), alignof(void*));
}

// Consecutive indices inside are one load of a vector. Otherwise indices outside become 0, so that each lane can be loaded. An empty input may
// have no memory: Memory is read instead.
Value ElementBody::gather(uint32_t input, Type type, const Value& indices) {
  Lanes& l = lanes();
  Value data, length;
  in_entry([&] {
    const Value view = l.address(member(offsetof(Memory, inputs)), std::to_string(input * sizeof(InputView)));
    const Value count = l.load("i64", l.address(view, std::to_string(offsetof(InputView, length))), alignof(int64_t));
    const std::string pointer = l.pointer();
    const Value first = l.load(pointer, l.address(view, std::to_string(offsetof(InputView, data))), alignof(void*));
    data = l.emit("select i1 " + l.emit("icmp eq i64 " + count + ", 0") + ", " + pointer + " %memory, " + pointer + " " + first);
    return length = l.splat("i64", count);
  });
  auto element_at = [&](const Value& index) { return l.address(data, l.emit("mul i64 " + index + ", " + std::to_string(size_of(type)))); };
  const Value start = l.emit("extractelement " + l.vector("i64") + " " + indices + ", i32 0");
  const Value expected = l.two("add", Type::I64, l.splat("i64", start), l.numbers());
  const Value inside = l.compare("ult", Type::U64, indices, length);
  const Value in_run = l.two("and", Type::Bool, inside, l.compare("eq", Type::I64, indices, expected));
  const Value is_run = l.emit("icmp eq " + l.word() + " " + l.bits(in_run) + ", -1");
  const std::string number = is_run.substr(1), run = "run_" + number, each = "each_" + number, join = "gathered_" + number;
  l.line("br i1 " + is_run + ", label %" + run + ", label %" + each);
  l.begin_block(run);
  const Value together = l.load(type, element_at(start));
  l.line("br label %" + join);

  l.begin_block(each);
  const Value safe = l.select(inside, Type::I64, indices, l.constant(Type::I64, 0));
  const std::string lane = type == Type::Bool ? "i8" : lane_type(type);
  Value elements = "undef";
  for (int k = 0; k < l.width(); k++) {
    const std::string at = ", i32 " + std::to_string(k);
    const Value index = l.emit("extractelement " + l.vector("i64") + " " + safe + at);
    const Value element = l.load(lane, element_at(index), int(size_of(type)));
    elements = l.emit("insertelement " + l.vector(lane) + " " + elements + ", " + lane + " " + element + at);
  }
  if (type == Type::Bool) elements = l.two("and", Type::Bool, inside, l.compare("ne", Type::U8, elements, l.constant(Type::U8, 0)));
  else elements = l.select(inside, type, elements, l.constant(type, 0));
  l.line("br label %" + join);
  l.begin_block(join);
  return l.emit("phi " + l.vector(type) + " [ " + together + ", %" + run + " ], [ " + elements + ", %" + each + " ]");
}

// The first lanes continue the run of the first element; the others, if any, begin the next run, at which the outer digits are one step further.
Value ElementBody::count(const Walk& walk) {
  Lanes& l = lanes();
  const auto number = [](int64_t x) { return std::to_string(x); };
  auto sum = [&](const Value& a, const Value& b) { return l.emit("add i64 " + a + ", " + b); };
  auto times = [&](const Value& a, int64_t b) { return l.emit("mul i64 " + a + ", " + number(b)); };
  const auto [extent, stride] = walk.axes[0];
  auto in_lanes = [&](const Value& first) {
    const Value steps = l.two("mul", Type::I64, l.numbers(), l.number(stride));
    return l.two("add", Type::I64, l.splat("i64", first), steps);
  };
  const Value element = sum(sum("%begin", element_), number(walk.shift));
  if (walk.axes.size() == 1) return in_lanes(sum(times(element, stride), number(walk.base)));
  // The sum of the digits from the second one on, whose number is `rest`.
  auto outer = [&](Value rest) {
    Value at = number(walk.base);
    for (size_t k = 1; k < walk.axes.size(); k++) {
      Value digit = rest;
      if (k + 1 < walk.axes.size()) {
        rest = l.emit("sdiv i64 " + digit + ", " + number(walk.axes[k].extent));
        digit = l.emit("sub i64 " + digit + ", " + times(rest, walk.axes[k].extent));
      }
      at = sum(at, times(digit, walk.axes[k].stride));
    }
    return at;
  };
  const Value run = l.emit("sdiv i64 " + element + ", " + number(extent));
  const Value digit = l.emit("sub i64 " + element + ", " + times(run, extent));
  const Value left = l.emit("sub i64 " + number(extent) + ", " + digit);
  const Value here = sum(outer(run), times(digit, stride));
  const Value next = l.emit("sub i64 " + outer(sum(run, "1")) + ", " + times(left, stride));
  const Value is_here = l.compare("slt", Type::I64, l.numbers(), l.splat("i64", left));
  return l.select(is_here, Type::I64, in_lanes(here), in_lanes(next));
}

void ElementBody::check(const Value& indices, const Value& lengths, const Value& wanted) {
  Lanes& l = lanes();
  const std::string pointer = l.pointer();
  const Value outside = l.two("and", Type::Bool, wanted, l.compare("uge", Type::U64, indices, lengths));
  const Value any = l.any(outside);
  const std::string number = any.substr(1), note = "note_" + number, go = "go_" + number;
  l.line("br i1 " + any + ", label %" + note + ", label %" + go);
  l.begin_block(note);
  if (noted_.empty()) noted_ = in_entry([&] { return l.reserve(2 * l.width() * int(sizeof(int64_t))); });
  const Value after = l.address(noted_, std::to_string(l.width() * int(sizeof(int64_t))));
  l.store(Type::I64, indices, noted_);
  l.store(Type::I64, lengths, after);
  const Value bits = l.bits(outside), wide = l.width() < 64 ? l.emit("zext " + l.word() + " " + bits + " to i64") : bits;
  const std::string types = pointer + ", i64, i64, i64, " + pointer + ", " + pointer;
  const std::string values = pointer + " " + member(offsetof(Memory, frame)) + ", i64 %begin, i64 " + element_ + ", i64 " + wide + ", " +
                             pointer + " " + noted_ + ", " + pointer + " " + after;
  l.call(member(offsetof(Memory, note_outside)), types, values);
  l.line("br label %" + go);
  l.begin_block(go);
}

void ElementBody::place(const Value& first) {
  forget();
  Lanes& l = lanes();
  element_ = first;
  const Value offsets = l.two("add", Type::I64, l.splat("i64", element_), l.numbers());
  const Value begin = in_entry([&] { return l.splat("i64", "%begin"); }), count = in_entry([&] { return l.splat("i64", "%count"); });
  position_ = {l.two("add", Type::I64, offsets, begin), l.compare("slt", Type::I64, offsets, count)};
}

Value ElementBody::splat_at(const Value& address, Type type) {
  Lanes& l = lanes();
  if (type != Type::Bool) return l.splat(lane_type(type), l.load(lane_type(type), address, int(size_of(type))));
  return l.compare("ne", Type::U8, l.splat("i8", l.load("i8", address, 1)), l.constant(Type::U8, 0));
}

// The address of a location's current memory.
Value ElementBody::data_of(LocationId location) {
  Value& known = in_entry_[location].data;
  if (known.empty())
    known = in_entry([&] {
      Lanes& l = lanes();
      const size_t offset = location * sizeof(Operand) + offsetof(Operand, data);
      return l.load(l.pointer(), l.address(member(offsetof(Memory, locations)), std::to_string(offset)), alignof(void*));
    });
  return known;
}

Value ElementBody::splat_of(LocationId location, Type type) {
  const Value data = data_of(location);
  Value& known = in_entry_[location].splat;
  if (known.empty()) known = in_entry([&] { return splat_at(data, type); });
  return known;
}

Value ElementBody::element_address(LocationId location, Type type) {
  const Value data = data_of(location);
  const Value bytes = lanes().emit("mul i64 " + element_ + ", " + std::to_string(size_of(type)));
  return lanes().address(data, bytes);
}

}  // namespace wf::cpu::native
