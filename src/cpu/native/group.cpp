#include "cpu/native/group.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cpu/loops/fold.h"
#include "cpu/native/body.h"
#include "cpu/native/module.h"
#include "cpu/native/operations.h"

namespace wf::cpu::native {
namespace {

bool has(const std::vector<LocationId>& operands, uint32_t first, uint32_t count, LocationId location) {
  const auto begin = operands.begin() + first;
  return std::find(begin, begin + count, location) != begin + count;
}

// Returns true if the location's value is read after instruction `next - 1` of the phase.
bool is_live(const BlockProgram::Impl& program, int phase, size_t next, LocationId location, const Epilogue* epilogue) {
  for (; phase < 2; phase++, next = 0)
    for (const std::vector<Instruction>& code = program.phases[phase].code; next < code.size(); next++) {
      const Instruction& instruction = code[next];
      if (has(program.operands, instruction.operands, instruction.operand_count, location)) return true;
      if (instruction.predicate == always && has(program.operands, instruction.outs, instruction.out_count, location)) return false;
    }
  for (size_t r = 0; r < program.results.size(); r++)
    if (program.results[r] == location && (!epilogue || epilogue->read[r])) return true;
  return false;
}

Group group_of(const BlockProgram::Impl& program, int phase, std::span<const Instruction> code, const Epilogue* epilogue) {
  Group group{code, {}};
  const auto end = size_t(code.data() + code.size() - program.phases[phase].code.data());
  for (const Instruction& instruction : group.code)
    for (uint32_t k = 0; k < instruction.out_count; k++) {
      const LocationId out = program.operands[instruction.outs + k];
      if (std::ranges::find(group.live, out) == group.live.end() && is_live(program, phase, end, out, epilogue)) group.live.push_back(out);
    }
  return group;
}

bool computes(std::span<const Instruction> code) { return !std::ranges::all_of(code, is_of_block); }

// The longest runs of instructions that may be groups. A run's checks of whole blocks precede it, so a check of elements ends the run before
// them: of two faults at one element, the first is reported.
std::vector<std::span<const Instruction>> runs_of(const BlockProgram::Impl& program, int phase, Isa isa) {
  std::vector<std::span<const Instruction>> runs;
  const std::span<const Instruction> code = program.phases[phase].code;
  for (size_t first = 0, end; first < code.size(); first = std::max(end, first + 1)) {
    bool checks = false;
    for (end = first; end < code.size() && code[end].predicate == code[first].predicate; end++) {
      if (is_of_block(code[end]) ? checks : !covers(program, code[end], isa)) break;
      checks |= code[end].kind == Instruction::Kind::Check;
    }
    if (end > first) runs.push_back(code.subspan(first, end - first));
  }
  return runs;
}

// Returns true if the fold adds bools, which a conversion in the group has made integers.
bool counts(const BlockProgram::Impl& program, const Group& group, const ResultFold& fold) {
  const LocationId location = program.results[fold.result];
  return fold.op == Op::add_ && std::ranges::any_of(group.code, [&](const Instruction& i) {
           return i.out_count == 1 && program.operands[i.outs] == location && i.operation.form == Operation::Form::Cast &&
                  i.operation.type == Type::Bool && is_in(i.operation.to, Int);
         });
}

// The types of the values of a group decide the number of lanes.
struct Width {
  Width(const BlockProgram::Impl& program, const Group& group) {
    const bool has_counts = std::ranges::any_of(group.folds, [&](const ResultFold& fold) { return counts(program, group, fold); });
    for (const Instruction& instruction : group.code) {
      const Operation& operation = instruction.operation;
      iterates |= instruction.kind == Instruction::Kind::Iterate;
      const bool counted = has_counts && operation.type == Type::Bool;
      const bool of_bytes = instruction.kind == Instruction::Kind::Plain && size_of(operation.type) == 1 &&
                            (operation.form != Operation::Form::Cast || size_of(operation.to) == 1 || counted);
      bytes_only &= of_bytes;
    }
    for (const ResultFold& fold : group.folds) bytes_only &= size_of(fold.type) == 1 || counts(program, group, fold);
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
    for (const ResultFold& fold : group.folds) begin_fold(fold, counts(program(), group, fold));
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
      for (size_t k = 0; k < group.folds.size(); k++) write_fold(group.folds[k], accumulators_[k], piece);
    }
    l.line("%next = add i64 %i, " + step);
    l.line("%more = icmp slt i64 %next, %count");
    l.line("br i1 %more, label %loop, label %done");
    const std::string last = l.block();
    std::string phis, done;
    l.write_to(&done);
    for (size_t k = 0; k < group.folds.size(); k++) end_fold(group.folds[k], accumulators_[k]);
    for (const Accumulators& a : accumulators_)
      for (size_t k = 0; k < a.first.size(); k++)
        phis += "  " + a.name[k] + " = phi " + a.type + " [ " + a.first[k] + ", %entry ], [ " + a.value[k] + ", %" + last + " ]\n";
    const std::string p = l.pointer();
    std::string text =
        "define void @" + name + "(" + p + " %memory, i64 %begin, i64 %count) #0 {\nentry:\n" + entry_ + "  br label %loop\n";
    const std::string label = "loop:\n";
    text += label + "  %i = phi i64 [ 0, %entry ], [ %next, %" + last + " ]\n" + phis + loop_.substr(label.size());
    return text + "done:\n" + done + "  ret void\n}\n";
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

  // Indices outside become 0, so that each lane can be loaded. An empty input may have no memory: Memory is read instead.
  Value gather(uint32_t input, Type type, const Value& indices) override {
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
    const Value inside = l.compare("ult", Type::U64, indices, length);
    const Value safe = l.select(inside, Type::I64, indices, l.constant(Type::I64, 0));
    const std::string lane = type == Type::Bool ? "i8" : lane_type(type);
    Value elements = "undef";
    for (int k = 0; k < l.width(); k++) {
      const std::string number = ", i32 " + std::to_string(k);
      const Value index = l.emit("extractelement " + l.vector("i64") + " " + safe + number);
      const Value at = l.address(data, l.emit("mul i64 " + index + ", " + std::to_string(size_of(type))));
      const Value element = l.load(lane, at, int(size_of(type)));
      elements = l.emit("insertelement " + l.vector(lane) + " " + elements + ", " + lane + " " + element + number);
    }
    if (type != Type::Bool) return l.select(inside, type, elements, l.constant(type, 0));
    return l.two("and", Type::Bool, inside, l.compare("ne", Type::U8, elements, l.constant(Type::U8, 0)));
  }

  void check(const Value& indices, const Value& lengths, const Value& wanted) override {
    Lanes& l = lanes();
    const std::string word = "i" + std::to_string(l.width()), pointer = l.pointer();
    const Value outside = l.two("and", Type::Bool, wanted, l.compare("uge", Type::U64, indices, lengths));
    const Value bits = l.emit("bitcast " + l.vector(Type::Bool) + " " + outside + " to " + word);
    const Value any = l.emit("icmp ne " + word + " " + bits + ", 0");
    const std::string number = any.substr(1), note = "note_" + number, go = "go_" + number;
    l.line("br i1 " + any + ", label %" + note + ", label %" + go);
    l.begin_block(note);
    if (noted_.empty()) noted_ = in_entry([&] { return l.reserve(2 * l.width() * int(sizeof(int64_t))); });
    const Value after = l.address(noted_, std::to_string(l.width() * int(sizeof(int64_t))));
    l.store(Type::I64, indices, noted_);
    l.store(Type::I64, lengths, after);
    const Value wide = l.width() < 64 ? l.emit("zext " + word + " " + bits + " to i64") : bits;
    const std::string types = pointer + ", i64, i64, i64, " + pointer + ", " + pointer;
    const std::string values = pointer + " " + member(offsetof(Memory, frame)) + ", i64 %begin, i64 " + element_ + ", i64 " + wide + ", " +
                               pointer + " " + noted_ + ", " + pointer + " " + after;
    l.call(member(offsetof(Memory, note_outside)), types, values);
    l.line("br label %" + go);
    l.begin_block(go);
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

  // The lanes of a fold as vectors, or the number of bools that were true as a scalar.
  struct Accumulators {
    bool counts;
    std::string type;
    Value data;                             // the address of the lanes
    std::vector<Value> first, name, value;  // before the loop, at the beginning of an iteration, now
  };

  Value lane_address(const Accumulators& a, size_t k, Type type) {
    return lanes().address(a.data, std::to_string(k * size_t(lanes().width()) * size_of(type)));
  }

  void begin_fold(const ResultFold& fold, bool counts) {
    Lanes& l = lanes();
    Accumulators a{counts, counts ? "i64" : l.vector(fold.type), {}, {}, {}, {}};
    std::string* outside = l.write_to(&entry_);
    const Value all = member(offsetof(Memory, lanes));
    a.data = l.load(l.pointer(), l.address(all, std::to_string(accumulators_.size() * sizeof(void*))), alignof(void*));
    // A result of bytes has more lanes than a tile has elements; only the first ones are used, since integers are folded in any order.
    const int lane_count = std::min(simd::fold_bytes / int(size_of(fold.type)), int(tile));
    const int vectors = counts ? 1 : lane_count / l.width();
    for (int k = 0; k < vectors; k++) {
      a.first.push_back(counts ? "0" : l.load(fold.type, lane_address(a, size_t(k), fold.type)));
      a.name.push_back(l.fresh());
    }
    a.value = a.name;
    l.write_to(outside);
    accumulators_.push_back(std::move(a));
  }

  void write_fold(const ResultFold& fold, Accumulators& a, int piece) {
    Lanes& l = lanes();
    const LocationId location = program().results[fold.result];
    if (!a.counts) {
      Value& lane = a.value[size_t(piece) % a.value.size()];
      lane = write_fold_step(l, fold.op, fold.type, lane, read(location, fold.type));
      return;
    }
    const std::string word = "i" + std::to_string(l.width());
    Value bits = l.emit("bitcast " + l.vector(Type::Bool) + " " + mask_of(location) + " to " + word);
    if (l.width() < 64) bits = l.emit("zext " + word + " " + bits + " to i64");
    l.declare("i64 @llvm.ctpop.i64(i64)");
    a.value[0] = l.emit("add i64 " + a.value[0] + ", " + l.emit("call i64 @llvm.ctpop.i64(i64 " + bits + ")"));
  }

  void end_fold(const ResultFold& fold, const Accumulators& a) {
    Lanes& l = lanes();
    if (!a.counts) {
      for (size_t k = 0; k < a.value.size(); k++) l.store(fold.type, a.value[k], lane_address(a, k, fold.type));
      return;
    }
    const std::string type = lane_type(fold.type);
    const Value count = size_of(fold.type) == 8 ? a.value[0] : l.emit("trunc i64 " + a.value[0] + " to " + type);
    const int align = int(size_of(fold.type));
    const Value before = l.load(type, a.data, align);
    l.store(type, l.emit("add " + type + " " + before + ", " + count), a.data, align);
  }

  struct InEntry {
    Value data, splat;
  };
  std::vector<InEntry> in_entry_;           // by location
  std::vector<Accumulators> accumulators_;  // of each fold
  std::string entry_, loop_;
  Value noted_;    // memory for the operands of a failed check; empty: none is reserved
  Value element_;  // the number of the current vector's first element in the block
};

}  // namespace

int bytes_of_vector(Isa isa) { return isa == Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

bool is_of_block(const Instruction& instruction) { return instruction.kind == Instruction::Kind::Bounds; }

std::vector<Group> groups_of(const BlockProgram::Impl& program, int phase, Isa isa) {
  std::vector<Group> groups;
  for (const auto run : runs_of(program, phase, isa))
    if (computes(run)) groups.push_back(group_of(program, phase, run, nullptr));
  return groups;
}

std::vector<Group> groups_of(const BlockProgram::Impl& program, const Epilogue& epilogue, Isa isa) {
  std::vector<Group> groups = groups_of(program, 0, isa);
  const std::span<const Instruction> code = program.phases[0].code;
  const auto runs = runs_of(program, 0, isa);
  std::span<const Instruction> last = code.last(0);
  if (!runs.empty() && runs.back()[0].predicate == always && runs.back().end() == code.end()) last = runs.back();
  if (!groups.empty() && !last.empty() && groups.back().code.data() == last.data()) groups.pop_back();
  groups.push_back(group_of(program, 0, last, &epilogue));
  groups.back().folds = epilogue.folds;
  return groups;
}

void ModuleText::add(const std::string& function, const Lanes& lanes) {
  functions_ += function;
  declarations_.insert(lanes.declarations().begin(), lanes.declarations().end());
}

void ModuleText::add(const std::string& name, const BlockProgram::Impl& program, const Group& group) {
  const Width width(program, group);
  Lanes lanes = this->lanes(width.lanes(isa_));
  // Short groups compute several vectors in an iteration, and folds a tile, whose elements belong to different lanes.
  const int most = int(tile) / lanes.width();
  const int wanted = !group.folds.empty() ? most : width.iterates ? 1 : std::max(1, 8 / int(group.code.size()));
  const std::string function = GroupWriter(lanes, program).write(name, group, int(std::bit_floor(unsigned(std::min(most, wanted)))));
  add(function, lanes);
}

std::string ModuleText::text() const {
  std::string text = functions_;
  for (const std::string& declaration : declarations_) text += declaration;
  return text + "attributes #0 = { nounwind \"target-cpu\"=\"x86-64\" \"target-features\"=\"" + features_of(isa_) +
         "\" \"prefer-vector-width\"=\"512\" }\n";
}

}  // namespace wf::cpu::native
