#include "cpu/native/group.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cpu/native/body.h"
#include "cpu/native/module.h"

namespace wf::cpu::native {
namespace {

constexpr size_t fewest_instructions = 2;  // one alone is as fast interpreted

int bytes_of_vector(Isa isa) { return isa == Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

bool has(const std::vector<LocationId>& operands, uint32_t first, uint32_t count, LocationId location) {
  const auto begin = operands.begin() + first;
  return std::find(begin, begin + count, location) != begin + count;
}

// Returns true if the location's value is read after instruction `next - 1` of the phase.
bool is_live(const BlockProgram::Impl& program, int phase, size_t next, LocationId location) {
  for (; phase < 2; phase++, next = 0)
    for (const std::vector<Instruction>& code = program.phases[phase].code; next < code.size(); next++) {
      const Instruction& instruction = code[next];
      if (has(program.operands, instruction.operands, instruction.operand_count, location)) return true;
      if (instruction.predicate == always && has(program.operands, instruction.outs, instruction.out_count, location)) return false;
    }
  return std::ranges::find(program.results, location) != program.results.end();
}

Group group_at(const BlockProgram::Impl& program, int phase, size_t first, size_t end) {
  Group group{std::span(program.phases[phase].code).subspan(first, end - first), {}};
  for (const Instruction& instruction : group.code)
    for (uint32_t k = 0; k < instruction.out_count; k++) {
      const LocationId out = program.operands[instruction.outs + k];
      if (std::ranges::find(group.live, out) == group.live.end() && is_live(program, phase, end, out)) group.live.push_back(out);
    }
  return group;
}

bool repays(std::span<const Instruction> code) {
  return code.size() >= fewest_instructions ||
         std::ranges::any_of(code, [](const Instruction& i) { return i.kind == Instruction::Kind::Iterate; });
}

// The types of the values of a group decide the number of lanes.
struct Width {
  explicit Width(std::span<const Instruction> code) {
    for (const Instruction& instruction : code) {
      iterates |= instruction.kind == Instruction::Kind::Iterate;
      const bool of_bytes = instruction.kind == Instruction::Kind::Plain && size_of(instruction.operation.type) == 1 &&
                            (instruction.operation.form != Operation::Form::Cast || size_of(instruction.operation.to) == 1);
      bytes_only &= of_bytes;
    }
  }
  // Vectors of bytes fill a register. Other vectors have as many lanes as a register of floats, and twice as many in loops, whose steps wait
  // for each other.
  int lanes(Isa isa) const { return bytes_of_vector(isa) / (bytes_only ? 1 : iterates ? 2 : 4); }

  bool iterates = false, bytes_only = true;
};

class GroupWriter : public Body {
 public:
  GroupWriter(Lanes& lanes, const BlockProgram::Impl& program) : Body(lanes, program), in_entry_(program.locations.size()) {}

  std::string write(const std::string& name, const Group& group, int pieces) {
    Lanes& l = lanes();
    l.write_to(&loop_);
    l.begin_block("loop");
    const Value i = "%i", next = "%next";
    const std::string step = std::to_string(pieces * l.width());
    for (int piece = 0; piece < pieces; piece++) {
      forget();
      element_ = l.emit("add i64 %i, " + std::to_string(piece * l.width()));
      const Position position = place();
      for (const Instruction& instruction : group.code) Body::write(instruction, position);
      for (LocationId location : group.live) {
        const Type type = type_of_value(location);
        l.store(type, read(location, type), element_address(location, type));
      }
    }
    l.line("%next = add i64 %i, " + step);
    l.line("%more = icmp slt i64 %next, %count");
    l.line("br i1 %more, label %loop, label %done");
    const std::string last = l.block();
    const std::string p = l.pointer();
    std::string text =
        "define void @" + name + "(" + p + " %memory, i64 %begin, i64 %count) #0 {\nentry:\n" + entry_ + "  br label %loop\n";
    const std::string label = "loop:\n";
    text += label + "  %i = phi i64 [ 0, %entry ], [ %next, %" + last + " ]\n" + loop_.substr(label.size());
    return text + "done:\n  ret void\n}\n";
  }

 protected:
  Value fetch(LocationId location, Type type) override {
    switch (program().locations[location].from) {
      case Location::From::Literal: return literal(location, type);
      case Location::From::Register:
      case Location::From::Param:
      case Location::From::Stream: return lanes().load(type, element_address(location, type));
      default: return splat_of(location, type);
    }
  }

  Value same_for_all(const Instruction& instruction, Type type) override {
    const bool is_length = instruction.kind == Instruction::Kind::Length;
    return in_entry([&] {
      Lanes& l = lanes();
      const size_t offset =
          is_length ? instruction.detail * sizeof(InputView) + offsetof(InputView, length) : instruction.detail * sizeof(Bits64);
      const Value array = member(is_length ? offsetof(Memory, inputs) : offsetof(Memory, arguments));
      return splat_at(l.address(array, std::to_string(offset)), type);
    });
  }

 private:
  template <class F> Value in_entry(const F& write) {
    std::string* outside = lanes().write_to(&entry_);
    const Value result = write();
    lanes().write_to(outside);
    return result;
  }

  // A pointer in Memory.
  Value member(size_t offset) {
    return lanes().load(lanes().pointer(), lanes().address("%memory", std::to_string(offset)), alignof(void*));
  }

  Value splat_at(const Value& address, Type type) {
    Lanes& l = lanes();
    if (type != Type::Bool) return l.splat(lane_type(type), l.load(lane_type(type), address, int(size_of(type))));
    return l.compare("ne", Type::U8, l.splat("i8", l.load("i8", address, 1)), l.constant(Type::U8, 0));
  }

  // The address of a location's current memory.
  Value data_of(LocationId location) {
    Value& known = in_entry_[location].data;
    if (known.empty())
      known = in_entry([&] {
        Lanes& l = lanes();
        const size_t offset = location * sizeof(Operand) + offsetof(Operand, data);
        return l.load(l.pointer(), l.address(member(offsetof(Memory, locations)), std::to_string(offset)), alignof(void*));
      });
    return known;
  }

  Value splat_of(LocationId location, Type type) {
    const Value data = data_of(location);
    Value& known = in_entry_[location].splat;
    if (known.empty()) known = in_entry([&] { return splat_at(data, type); });
    return known;
  }

  Value element_address(LocationId location, Type type) {
    const Value data = data_of(location);
    const Value bytes = lanes().emit("mul i64 " + element_ + ", " + std::to_string(size_of(type)));
    return lanes().address(data, bytes);
  }

  Position place() {
    Lanes& l = lanes();
    std::string numbers = "<i64 0";
    for (int k = 1; k < l.width(); k++) numbers += ", i64 " + std::to_string(k);
    const Value offsets = l.two("add", Type::I64, l.splat("i64", element_), numbers + ">");
    const Value begin = in_entry([&] { return l.splat("i64", "%begin"); }), count = in_entry([&] { return l.splat("i64", "%count"); });
    return {l.two("add", Type::I64, offsets, begin), l.compare("slt", Type::I64, offsets, count)};
  }

  struct InEntry {
    Value data, splat;
  };
  std::vector<InEntry> in_entry_;  // by location
  std::string entry_, loop_;
  Value element_;  // the number of the current vector's first element in the block
};

}  // namespace

std::vector<Group> groups_of(const BlockProgram::Impl& program, int phase, Isa isa) {
  std::vector<Group> groups;
  const std::vector<Instruction>& code = program.phases[phase].code;
  for (size_t first = 0, end; first < code.size(); first = std::max(end, first + 1)) {
    end = first;
    while (end < code.size() && code[end].predicate == code[first].predicate && covers(program, code[end], isa)) end++;
    if (repays(std::span(code).subspan(first, end - first))) groups.push_back(group_at(program, phase, first, end));
  }
  return groups;
}

void ModuleText::add(const std::string& name, const BlockProgram::Impl& program, const Group& group) {
  const Width width(group.code);
  Lanes lanes(width.lanes(isa_), typed_pointers_);
  // Short groups compute several vectors in an iteration.
  const int most = int(tile) / lanes.width(), wanted = width.iterates ? 1 : std::max(1, 8 / int(group.code.size()));
  functions_ += GroupWriter(lanes, program).write(name, group, std::bit_floor(unsigned(std::min(most, wanted))));
  declarations_.insert(lanes.declarations().begin(), lanes.declarations().end());
}

std::string ModuleText::text() const {
  std::string text = functions_;
  for (const std::string& declaration : declarations_) text += declaration;
  return text + "attributes #0 = { nounwind \"target-cpu\"=\"x86-64\" \"target-features\"=\"" + features_of(isa_) +
         "\" \"prefer-vector-width\"=\"512\" }\n";
}

}  // namespace wf::cpu::native
