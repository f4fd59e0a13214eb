#include "cpu/native/element_body.h"

#include <cstddef>
#include <cstring>

#include "cpu/loops/lines.h"
#include "cpu/native/group.h"

namespace wf::cpu::native {

namespace {
constexpr int least_of_vector = 32;  // bytes, whose prefetch repays the instruction
}  // namespace

Value ElementBody::fetch(LocationId location, Type type) {
  switch (program().locations[location].from) {
    case Location::From::Literal: return literal(location, type);
    case Location::From::Register:
    case Location::From::Param: return lanes().load(type, element_address(location, type));
    case Location::From::Stream: return load_from_stream(element_address(location, type), type);
    default: return splat_of(location, type);
  }
}

// Loads a vector, and may prefetch a later one.
Value ElementBody::load_from_stream(const Value& address, Type type) {
  Lanes& l = lanes();
  const int bytes = l.width() * int(size_of(type));
  if (l.reads_ahead() && bytes >= least_of_vector)
    for (int at = 0; at < bytes; at += bytes_of_line) l.prefetch(l.address(address, std::to_string(bytes_ahead + at)));
  return l.load(type, address);
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

// An empty input may have no memory: Memory is read instead.
const ElementBody::Input& ElementBody::input(uint32_t number) {
  const auto [at, is_new] = inputs_.try_emplace(number);
  if (is_new)
    in_entry([&] {
      Lanes& l = lanes();
      const Value view = l.address(member(offsetof(Memory, inputs)), std::to_string(number * sizeof(InputView)));
      const Value count = l.load("i64", l.address(view, std::to_string(offsetof(InputView, length))), alignof(int64_t));
      const std::string pointer = l.pointer();
      const Value first = l.load(pointer, l.address(view, std::to_string(offsetof(InputView, data))), alignof(void*));
      at->second = {l.emit("select i1 " + l.emit("icmp eq i64 " + count + ", 0") + ", " + pointer + " %memory, " + pointer + " " + first),
                    count};
      return Value();
    });
  return at->second;
}

// Consecutive indices inside are one load of a vector, and equal ones, as the numbers of segments, one of an element. Otherwise indices outside
// become 0, so that each lane can be loaded.
Value ElementBody::gather(uint32_t number_of_input, Type type, const Value& indices) {
  Lanes& l = lanes();
  const Input& in = input(number_of_input);
  const Value length = in_entry([&] { return l.splat("i64", in.length); });
  auto element_at = [&](const Value& index) {
    return l.address(in.data, l.emit("mul i64 " + index + ", " + std::to_string(size_of(type))));
  };
  const Value start = l.emit("extractelement " + l.vector("i64") + " " + indices + ", i32 0");
  const Value expected = l.two("add", Type::I64, l.splat("i64", start), l.numbers());
  const Value inside = l.compare("ult", Type::U64, indices, length);
  const Value in_run = l.two("and", Type::Bool, inside, l.compare("eq", Type::I64, indices, expected));
  const Value is_run = l.emit("icmp eq " + l.word() + " " + l.bits(in_run) + ", -1");
  const std::string number = is_run.substr(1), run = "run_" + number, apart = "apart_" + number, near = "near_" + number,
                    same = "same_" + number, each = "each_" + number, join = "gathered_" + number;
  l.line("br i1 " + is_run + ", label %" + run + ", label %" + (expects_equal_ ? apart : each));
  l.begin_block(run);
  const Value together = load_from_stream(element_at(start), type);
  l.line("br label %" + join);

  Value copies;
  if (expects_equal_) {
    l.begin_block(apart);
    const Value last = l.emit("extractelement " + l.vector("i64") + " " + indices + ", i32 " + std::to_string(l.width() - 1));
    l.line("br i1 " + l.emit("icmp eq i64 " + start + ", " + last) + ", label %" + near + ", label %" + each);
    l.begin_block(near);
    const Value equal = l.two("and", Type::Bool, inside, l.compare("eq", Type::I64, indices, l.splat("i64", start)));
    l.line("br i1 " + l.emit("icmp eq " + l.word() + " " + l.bits(equal) + ", -1") + ", label %" + same + ", label %" + each);
    l.begin_block(same);
    copies = splat_at(element_at(start), type);
    l.line("br label %" + join);
  }

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
  const std::string equal = expects_equal_ ? ", [ " + copies + ", %" + same + " ]" : "";
  return l.emit("phi " + l.vector(type) + " [ " + together + ", %" + run + " ], [ " + elements + ", %" + each + " ]" + equal);
}

// ---- prefetches
//
// Lanes that are far from each other are loaded at the same time, as many as a processor has requests to memory. Lanes that are neighbours are
// one load, so the loads that it sees at once are few. So the elements of a part are prefetched before the part in front of it is computed, the
// first ones before an empty part. This repays computing the indices twice if the input is larger than the caches, and if some runs of
// neighbours do not continue the one before them, which the hardware would expect.

Value ElementBody::member_of_input(uint32_t input, size_t offset, std::string_view type) {
  return in_entry([&] {
    Lanes& l = lanes();
    const Value inputs = member(offsetof(Memory, inputs));
    return l.load(type, l.address(inputs, std::to_string(input * sizeof(InputView) + offset)), 8);
  });
}

// Returns true if the caches do not contain the input.
Value ElementBody::is_distant(uint32_t input, Type type) {
  constexpr size_t bytes_of_caches = 1 << 20;
  const Value length = member_of_input(input, offsetof(InputView, length), "i64");
  return in_entry([&] { return lanes().emit("icmp ugt i64 " + length + ", " + std::to_string(bytes_of_caches / size_of(type))); });
}

// Prefetches `step` elements from the first index on if the lanes' elements are neighbours. An address outside of the input may be invalid: a
// prefetch ignores it.
ElementBody::Prefetched ElementBody::prefetch_run(uint32_t input, Type type, const Value& indices, int step) {
  Lanes& l = lanes();
  const Value data = member_of_input(input, offsetof(InputView, data), l.pointer());
  auto lane = [&](int k) { return l.emit("extractelement " + l.vector("i64") + " " + indices + ", i32 " + std::to_string(k)); };
  auto sum = [&](const Value& a, int b) { return l.emit("add i64 " + a + ", " + std::to_string(b)); };
  const Value first = lane(0), last = lane(l.width() - 1), expected = l.fresh();
  const Value is_run = l.emit("icmp eq i64 " + last + ", " + sum(first, l.width() - 1));
  const Value next = sum(first, step);
  const std::string number = is_run.substr(1), run = "run_" + number, join = "after_" + number;
  l.line("br i1 " + is_run + ", label %" + run + ", label %" + join);
  l.begin_block(run);
  for (const Value& index : {first, sum(first, step - 1)})
    l.prefetch(l.address(data, l.emit("mul i64 " + index + ", " + std::to_string(size_of(type)))));
  l.line("br label %" + join);
  l.begin_block(join);
  return {expected, next, l.emit("and i1 " + is_run + ", " + l.emit("icmp ne i64 " + first + ", " + expected))};
}

std::string ElementBody::parts_ahead(std::span<const ReadAhead> ahead) {
  constexpr int first_part = 64, part = 256, most_until_next_look = 4096;
  Lanes& l = lanes();
  auto number = [](int64_t x) { return std::to_string(x); };
  // If a line is longer than a vector, only every second vector's indices are computed.
  int step = 2 * l.width();
  for (const auto& [instruction, prefetches] : ahead)
    if (prefetches && step * int(size_of(instruction->operation.type)) > bytes_of_line) step = l.width();
  std::string body;
  std::vector<Prefetched> runs;
  Value distant = "false", jumps = "%jumps";
  l.write_to(&body);
  l.begin_block("look_ahead");
  place("%i_ahead");
  for (const auto& [instruction, prefetches] : ahead) {
    if (!prefetches) {
      expect_equal_indices(true);
      write(*instruction, position());
      continue;
    }
    const uint32_t input = instruction->detail;
    const Type type = instruction->operation.type;
    runs.push_back(prefetch_run(input, type, read(program().operands[instruction->operands], Type::I64), step));
    jumps = l.emit("add i64 " + jumps + ", " + l.emit("zext i1 " + runs.back().jumps + " to i64"));
    const Value this_one = is_distant(input, type);
    distant = in_entry([&] { return l.emit("or i1 " + distant + ", " + this_one); });
  }
  const std::string last = l.block();
  l.line("%next_ahead = add i64 %i_ahead, " + number(step));
  l.line("%looks_on = icmp slt i64 %next_ahead, %looked_until");
  l.line("br i1 %looks_on, label %look_ahead, label %looked");
  in_entry([&] {
    const Value is_long = l.emit("icmp sgt i64 %count, " + number(part));
    l.line("%first_until = select i1 " + l.emit("and i1 " + is_long + ", " + distant) + ", i64 0, i64 %count");
    return Value();
  });
  std::string phis;
  auto phi = [&](const Value& name, const Value& first, const Value& next) {
    phis += "  " + name + " = phi i64 [ " + first + ", %part ], [ " + next + ", %" + last + " ]\n";
  };
  phi("%i_ahead", "%until", "%next_ahead");
  phi("%jumps", "0", jumps);
  for (const Prefetched& run : runs) phi(run.expected, "0", run.next);
  const std::string label = "look_ahead:\n";
  auto until = [&](const Value& name, const Value& elements) {
    return "  " + name + "_whole = add i64 %until, " + elements + "\n  " + name + "_is_whole = icmp slt i64 " + name +
           "_whole, %count\n  " + name + " = select i1 " + name + "_is_whole, i64 " + name + "_whole, i64 %count\n";
  };
  std::string text =
      "part:\n  %from = phi i64 [ 0, %entry ], [ %until, %next_part ]\n"
      "  %until = phi i64 [ %first_until, %entry ], [ %ahead, %next_part ]\n";
  text += "  %length = phi i64 [ " + number(first_part) + ", %entry ], [ " + number(part) + ", %next_part ]\n";
  text += until("%looked_until", "%length");
  text += "  %looks = icmp slt i64 %until, %count\n  br i1 %looks, label %look_ahead, label %begin_part\n";
  text += label + phis + body.substr(label.size()) + "looked:\n" + until("%next_look", number(most_until_next_look));
  // The first run of each gather in a part does not continue one.
  text += "  %goes_on = icmp ugt i64 " + jumps + ", " + number(int64_t(runs.size())) + "\n";
  text +=
      "  %reached = select i1 %goes_on, i64 %looked_until, i64 %next_look\n  br label %begin_part\n"
      "begin_part:\n  %ahead = phi i64 [ %count, %part ], [ %reached, %looked ]\n"
      "  %has_part = icmp slt i64 %from, %until\n  br i1 %has_part, label %start0, label %next_part\n"
      "next_part:\n  br i1 %looks, label %part, label %end\n";
  return text;
}

Value ElementBody::outer_digits(const Walk& walk, Value run) {
  Lanes& l = lanes();
  const auto times = [&](const Value& a, int64_t b) { return l.emit("mul i64 " + a + ", " + std::to_string(b)); };
  Value at = std::to_string(walk.base);
  for (size_t k = 1; k < walk.axes.size(); k++) {
    const auto [extent, stride] = walk.axes[k];
    const bool is_last = k + 1 == walk.axes.size();
    const Value rest = is_last ? Value() : l.emit("udiv i64 " + run + ", " + std::to_string(extent));
    const Value digit = is_last ? run : l.emit("sub i64 " + run + ", " + times(rest, extent));
    at = l.emit("add i64 " + at + ", " + times(digit, stride));
    run = rest;
  }
  return at;
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
  const Value run = l.emit("sdiv i64 " + element + ", " + number(extent));
  const Value digit = l.emit("sub i64 " + element + ", " + times(run, extent));
  const Value left = l.emit("sub i64 " + number(extent) + ", " + digit);
  const Value here = sum(outer_digits(walk, run), times(digit, stride));
  const Value next = l.emit("sub i64 " + outer_digits(walk, sum(run, "1")) + ", " + times(left, stride));
  const Value is_here = l.compare("slt", Type::I64, l.numbers(), l.splat("i64", left));
  return l.select(is_here, Type::I64, in_lanes(here), in_lanes(next));
}

Value ElementBody::check(const Value& indices, const Value& lengths, const Value& wanted) {
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
  return outside;
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

Value ElementBody::number_at(LocationId location) {
  const Location& of = program().locations[location];
  const bool is_bool = of.type == Type::Bool;
  if (of.from == Location::From::Literal) {
    Bits64 bits = 0;
    std::memcpy(&bits, program().literals[of.index].bytes, size_of(of.type));
    return is_bool ? (bits & 1 ? "true" : "false") : std::to_string(from_bits<int64_t>(bits));
  }
  const Value data = data_of(location);
  return in_entry([&] {
    Lanes& l = lanes();
    return is_bool ? l.emit("icmp ne i8 " + l.load("i8", data, 1) + ", 0") : l.load("i64", data, alignof(int64_t));
  });
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
