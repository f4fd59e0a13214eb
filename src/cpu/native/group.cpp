#include "cpu/native/group.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "cpu/loops/fold.h"
#include "cpu/native/module.h"
#include "cpu/native/operations.h"
#include "cpu/native/stretches/stretch_body.h"
#include "ops/ops.h"

namespace wf::cpu::native {
namespace {

bool has(const std::vector<LocationId>& operands, uint32_t first, uint32_t count, LocationId location) {
  const auto begin = operands.begin() + first;
  return std::find(begin, begin + count, location) != begin + count;
}

// The first use of a location's value after instruction `next - 1` of the phase, if that value is used: by an instruction, or in the end.
enum class NextUse { none, read, at_end };
NextUse next_use(const BlockProgram::Impl& program, int phase, size_t next, LocationId location) {
  for (; phase < 2; phase++, next = 0)
    for (const std::vector<Instruction>& code = program.phases[phase].code; next < code.size(); next++) {
      const Instruction& instruction = code[next];
      if (has(program.operands, instruction.operands, instruction.operand_count, location)) return NextUse::read;
      if (instruction.predicate == always && has(program.operands, instruction.outs, instruction.out_count, location)) return NextUse::none;
    }
  return NextUse::at_end;
}

// Returns true if the location's value is read after instruction `next - 1` of the phase.
bool is_live(const BlockProgram::Impl& program, int phase, size_t next, LocationId location, const Epilogue* epilogue) {
  const NextUse use = next_use(program, phase, next, location);
  if (use != NextUse::at_end) return use == NextUse::read;
  for (size_t r = 0; r < program.results.size(); r++)
    if (program.results[r] == location && (!epilogue || epilogue->read[r])) return true;
  return false;
}

// The number of the instruction after the code.
size_t end_of(const BlockProgram::Impl& program, int phase, std::span<const Instruction> code) {
  return size_t(code.data() + code.size() - program.phases[phase].code.data());
}

Group group_of(const BlockProgram::Impl& program, int phase, std::span<const Instruction> code, const Epilogue* epilogue, Isa isa) {
  Group group{.code = code, .live = {}, .direct = direct_streams(program, code, bytes_of_vector(isa))};
  const size_t end = end_of(program, phase, code);
  for (const Instruction& instruction : group.code)
    for (uint32_t k = 0; k < instruction.out_count; k++) {
      const LocationId out = program.operands[instruction.outs + k];
      if (std::ranges::find(group.live, out) == group.live.end() && is_live(program, phase, end, out, epilogue)) group.live.push_back(out);
    }
  return group;
}

bool computes(std::span<const Instruction> code) { return !std::ranges::all_of(code, is_of_block); }

// Returns true if the instruction is so cheap that native code computes it in all blocks: indices and comparisons of indices.
bool is_cheap(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (instruction.kind == Instruction::Kind::Iota || instruction.kind == Instruction::Kind::Count) return true;
  return instruction.kind == Instruction::Kind::Plain && operation.form == Operation::Form::Apply && !is_in(operation.type, Float) &&
         info(operation.op).cost == Cost::simple;
}

// The longest runs of instructions that may be groups.
//
// A run's checks of whole blocks precede it, so a check of elements ends the run before them: of two faults at one element, the first is
// reported. A run that is needed in all blocks includes cheap instructions that are needed in some. So it can choose element by element, where
// the interpreter chooses once per block if it can (predicates.h).
class Runs {
 public:
  Runs(const BlockProgram::Impl& program, int phase, Isa isa, bool masked = false)
      : program_(program), isa_(isa), masked_(masked), undefined_(program.locations.size()) {
    for (const Stream& stream : program.streams) undefined_[stream.location] = stream.predicate != always;
    if (phase == 1)
      for (const Instruction& instruction : program.phases[0].code) note(instruction, instruction.predicate);
    const std::span<const Instruction> code = program.phases[phase].code;
    for (size_t first = 0, end; first < code.size(); first = std::max(end, first + 1)) {
      const std::vector<bool> before = undefined_;
      end = end_of_run(code, first, true);
      if (std::ranges::none_of(code.subspan(first, end - first), [](const auto& i) { return i.kind == Instruction::Kind::Select; })) {
        undefined_ = before;
        end = end_of_run(code, first, false);
      }
      if (end > first) all.push_back(code.subspan(first, end - first));
      else note(code[first], code[first].predicate);
    }
  }

  std::vector<std::span<const Instruction>> all;

 private:
  // includes_cheap: those that are not needed in all blocks, which only choices of elements repay.
  size_t end_of_run(std::span<const Instruction> code, size_t end, bool includes_cheap) {
    const PredicateId predicate = code[end].predicate;
    for (bool checks = false; end < code.size(); end++) {
      const Instruction& i = code[end];
      const bool is_needed =
          i.predicate == predicate || (includes_cheap && predicate == always && is_cheap(i) && are_defined(i, i.operand_count));
      if (!is_needed || (is_of_block(i) ? checks : !covers(program_, i, isa_))) break;
      if (masked_ && i.kind == Instruction::Kind::Iterate) break;
      if (i.kind == Instruction::Kind::Select && !(are_defined(i, 1) && (is_number(i, 1) || is_number(i, 2)))) break;
      checks |= i.kind == Instruction::Kind::Check || i.kind == Instruction::Kind::Iterate;
      note(i, predicate);
    }
    return end;
  }

  // Returns true if operand k is the same for all elements. A choice of two sequences is made for whole blocks, of which most need only one.
  bool is_number(const Instruction& instruction, uint32_t k) const {
    const Location::From from = program_.locations[program_.operands[instruction.operands + k]].from;
    return from == Location::From::Literal || from == Location::From::Uniform || from == Location::From::RowUniform;
  }

  // Returns true if the first operands have values in all blocks.
  bool are_defined(const Instruction& instruction, uint32_t count) const {
    const auto first = program_.operands.begin() + instruction.operands;
    return std::none_of(first, first + count, [&](LocationId location) { return undefined_[location]; });
  }
  void note(const Instruction& instruction, PredicateId predicate) {
    for (uint32_t k = 0; k < instruction.out_count; k++) undefined_[program_.operands[instruction.outs + k]] = predicate != always;
  }

  const BlockProgram::Impl& program_;
  Isa isa_;
  bool masked_;
  std::vector<bool> undefined_;  // by location: it has no value in some blocks
};

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
  Width(const BlockProgram::Impl& program, const Group& group, const LinearCode& linear) {
    const bool has_counts = std::ranges::any_of(group.folds, [&](const ResultFold& fold) { return counts(program, group, fold); });
    for (size_t k = 0; k < group.code.size(); k++) {
      const Instruction& instruction = group.code[k];
      const Operation& operation = instruction.operation;
      const bool is_element = instruction.kind == Instruction::Kind::Gather;
      if (linear.facts[k].is_linear && (!linear.facts[k].is_read || is_element || operation.type == Type::Bool)) {
        bytes_only &= !is_element || size_of(operation.type) == 1;
        continue;
      }
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

// The order in which a function walks over its elements: once, or, where the lanes of all folds do not fit into the registers, several times
// over each part of them, which the first-level cache contains. Each pass computes some vectors of each tile, so each lane gets its elements in
// the same order.
class Passes {
 public:
  Passes(const BlockProgram::Impl& program, const Group& group, int width, Isa isa) {
    const int registers = isa == Isa::avx512 ? 24 : 12;  // for lanes; the others have the values of the body
    int all = 0;
    for (const ResultFold& fold : group.folds) {
      if (counts(program, group, fold)) continue;
      const int vectors = vectors_of(fold.type, width), bytes = width * int(size_of(fold.type));
      all += vectors * std::max(1, bytes / bytes_of_vector(isa));
      vectors_ = vectors_ == 0 ? vectors : std::min(vectors_, vectors);
    }
    while (all / count > registers && count < vectors_) count *= 2;
  }
  // The vectors that are the lanes of a fold. A result of bytes has more lanes than a tile has elements; only the first ones are used, since
  // integers are folded in any order.
  static int vectors_of(Type type, int width) { return std::min(simd::fold_bytes / int(size_of(type)), int(tile)) / width; }
  // Returns true if the pass computes that vector of a tile, or has that vector of a fold's lanes.
  bool has(int pass, int vector) const { return count == 1 || vector % vectors_ / (vectors_ / count) == pass; }

  static constexpr int64_t part = 4096;  // elements; a multiple of a tile
  int count = 1;

 private:
  int vectors_ = 0;  // of the fold with the fewest
};

class GroupWriter : public StretchBody {
 public:
  GroupWriter(Lanes& lanes, const BlockProgram::Impl& program, const Group& group, Isa isa, bool past_caches)
      : StretchBody(lanes, program, group.code, linear_code_of(program, group)),
        group_(group),
        passes_(program, group, lanes.width(), isa),
        past_caches_(past_caches) {
    if (passes_.count == 1) ahead_ = reads_ahead(program, group.code, linear());
  }

  std::string write(const std::string& name, int pieces) {
    const bool has_parts = passes_.count > 1 || !ahead_.empty();
    std::string loops;
    for (int pass = 0; pass < passes_.count; pass++) {
      const bool is_last = pass + 1 == passes_.count;
      write_pass(loops, pass, pieces, has_parts ? "%from" : "0", has_parts ? "%until" : "%count",
                 !is_last    ? "start" + std::to_string(pass + 1)
                 : has_parts ? "next_part"
                             : "end");
    }
    const std::string ahead = ahead_.empty() ? "" : parts_ahead(ahead_);
    const std::string p = lanes().pointer();
    std::string text = "define void @" + name + "(" + p + " %memory, i64 %begin, i64 %count) #0 {\nentry:\n" + entry();
    text += std::string("  br label %") + (has_parts ? "part" : "start0") + "\n";
    if (!ahead_.empty()) text += ahead;
    else if (has_parts)
      text += "part:\n  %from = phi i64 [ 0, %entry ], [ %until, %next_part ]\n  %whole = add i64 %from, " + std::to_string(Passes::part) +
              "\n  %is_whole = icmp slt i64 %whole, %count\n  %until = select i1 %is_whole, i64 %whole, i64 %count\n  br label %start0\n"
              "next_part:\n  %more_parts = icmp slt i64 %until, %count\n  br i1 %more_parts, label %part, label %end\n";
    return text + loops + "end:\n  ret void\n}\n";
  }

 private:
  // Returns true if indices of gathers depend on the instruction, as on numbers of segments, which are equal for neighbours.
  bool computes_index(const Instruction& instruction) const {
    return std::ranges::any_of(ahead_, [&](const ReadAhead& r) { return r.instruction == &instruction && !r.prefetches; });
  }

  // Appends a loop over elements [from, until) that continues at the block `after`. Lanes of extremes that begin with NaNs are tested for them, by
  // a loop before that one, until a number has been folded. Then an infinity is neutral for the other lanes.
  void write_pass(std::string& text, int pass, int pieces, const Value& from, const Value& until, const std::string& after) {
    Lanes& l = lanes();
    const std::string number = std::to_string(pass), loop = "loop" + number, i = "%i" + number, next = "%next" + number;
    pass_ = pass;
    const bool has_nans = std::ranges::any_of(group_.folds, &ResultFold::from_nan);
    std::string first = from, before = "start" + number;
    if (has_nans) {
      write_careful_loop(text, pieces, from, until, after);
      first = "%first" + number, before = "ready" + number;
    }
    std::string start, body, done;
    l.write_to(&start);
    l.begin_block(before);
    if (has_nans)
      l.line(first + " = phi i64 [ " + from + ", %start" + number + " ], [ %careful_next" + number + ", %careful_done" + number + " ]");
    begin_folds();
    l.line("br label %" + loop);
    l.write_to(&body);
    l.begin_block(loop);
    begin_stretches();
    write_tile(pieces, i);
    l.line(next + " = add i64 " + i + ", " + std::to_string(pieces * l.width()));
    l.line("%more" + number + " = icmp slt i64 " + next + ", " + until);
    l.line("br i1 %more" + number + ", label %" + loop + ", label %done" + number);
    const std::string last = l.block();
    std::string phis =
        "  " + i + " = phi i64 [ " + first + ", %" + before + " ], [ " + next + ", %" + last + " ]\n" + stretch_phis(before, last);
    l.write_to(&done);
    l.begin_block("done" + number);
    for (size_t k = 0; k < group_.folds.size(); k++) end_fold(group_.folds[k], accumulators_[k]);
    l.line("br label %" + after);
    for (const Accumulators& a : accumulators_)
      for (size_t k = 0; k < a.first.size(); k++)
        if (!a.first[k].empty())
          phis +=
              "  " + a.name[k] + " = phi " + a.type + " [ " + a.first[k] + ", %" + before + " ], [ " + a.value[k] + ", %" + last + " ]\n";
    const std::string label = loop + ":\n";
    text += start + label + phis + body.substr(label.size()) + done;
  }

  // Appends the block start0 and a loop whose lanes are in memory. It continues at the block ready0 unless that was the last element.
  void write_careful_loop(std::string& text, int pieces, const Value& from, const Value& until, const std::string& after) {
    Lanes& l = lanes();
    const std::string number = std::to_string(pass_), loop = "careful" + number, i = "%careful_i" + number, next = "%careful_next" + number;
    is_careful_ = true;
    std::string body;
    l.write_to(&body);
    l.begin_block("start" + number);
    begin_folds();
    for (Accumulators& a : accumulators_) a.value = a.first;
    l.line("br i1 " + have_numbers() + ", label %ready" + number + ", label %" + loop);
    const std::string start = std::exchange(body, {});
    l.begin_block(loop);
    begin_stretches();
    begin_folds();
    for (Accumulators& a : accumulators_) a.value = a.first;
    write_tile(pieces, i);
    for (size_t k = 0; k < group_.folds.size(); k++) end_fold(group_.folds[k], accumulators_[k]);
    l.line(next + " = add i64 " + i + ", " + std::to_string(pieces * l.width()));
    const Value more = l.emit("icmp slt i64 " + next + ", " + until);
    l.line("br i1 " + l.emit("select i1 " + have_numbers() + ", i1 false, i1 " + more) + ", label %" + loop + ", label %careful_done" +
           number);
    const std::string last = l.block(), label = loop + ":\n";
    const std::string phi = "  " + i + " = phi i64 [ " + from + ", %start" + number + " ], [ " + next + ", %" + last + " ]\n" +
                            stretch_phis("start" + number, last);
    l.begin_block("careful_done" + number);
    l.line("br i1 " + more + ", label %ready" + number + ", label %" + after);
    text += start + label + phi + body.substr(label.size());
    is_careful_ = false;
  }

  void begin_folds() {
    accumulators_.clear();
    for (const ResultFold& fold : group_.folds) begin_fold(fold, counts(program(), group_, fold));
  }

  // The elements from number i on, of all vectors that the pass computes.
  void write_tile(int pieces, const Value& i) {
    Lanes& l = lanes();
    for (int piece = 0; piece < pieces; piece++) {
      if (!passes_.has(pass_, piece)) continue;
      place(l.emit("add i64 " + i + ", " + std::to_string(piece * l.width())));
      read_stretches();
      for (size_t k = 0; k < group_.code.size(); k++) {
        expect_equal_indices(computes_index(group_.code[k]));
        write_at(k);
      }
      for (LocationId location : group_.live) {
        const Type type = type_of_value(location);
        const Value value = read(location, type), address = element_address(location, type);
        if (past_caches_) l.store_past_caches(type, value, address);
        else l.store(type, value, address);
      }
      for (size_t k = 0; k < group_.folds.size(); k++) write_fold(group_.folds[k], accumulators_[k], piece);
    }
  }

  // An i1: each fold that begins with NaNs has a number in some lane.
  Value have_numbers() {
    Lanes& l = lanes();
    Value all;
    for (size_t k = 0; k < group_.folds.size(); k++) {
      const ResultFold& fold = group_.folds[k];
      if (!fold.from_nan) continue;
      Value numbers;
      for (const Value& lane : accumulators_[k].value) {
        if (lane.empty()) continue;
        const Value is_number = l.compare("ord", fold.type, lane, lane);
        numbers = numbers.empty() ? is_number : l.two("or", Type::Bool, numbers, is_number);
      }
      const Value any = l.any(numbers);
      all = all.empty() ? any : l.emit("and i1 " + all + ", " + any);
    }
    return all;
  }

  // The lanes of a fold as vectors, or the number of bools that were true as a scalar.
  struct Accumulators {
    bool counts;
    std::string type;
    Value data;                             // the address of the lanes
    std::vector<Value> first, name, value;  // before the loop, at the beginning of an iteration, now; empty if another pass has the vector
  };

  Value lane_address(const Accumulators& a, size_t k, Type type) {
    return lanes().address(a.data, std::to_string(k * size_t(lanes().width()) * size_of(type)));
  }

  void begin_fold(const ResultFold& fold, bool counts) {
    Lanes& l = lanes();
    Accumulators a{counts, counts ? "i64" : l.vector(fold.type), {}, {}, {}, {}};
    a.data = in_entry([&] {
      const Value all = member(offsetof(Memory, lanes));
      return l.load(l.pointer(), l.address(all, std::to_string(accumulators_.size() * sizeof(void*))), alignof(void*));
    });
    const int vectors = counts ? 1 : Passes::vectors_of(fold.type, l.width());
    for (int k = 0; k < vectors; k++) {
      const bool is_here = counts || passes_.has(pass_, k);
      a.first.push_back(!is_here ? "" : counts ? "0" : l.load(fold.type, lane_address(a, size_t(k), fold.type)));
      a.name.push_back(is_here ? l.fresh() : "");
      if (!is_here || !fold.from_nan || is_careful_) continue;
      const Value is_nan = l.compare("uno", fold.type, a.first[size_t(k)], a.first[size_t(k)]);
      a.first[size_t(k)] = l.select(is_nan, fold.type, l.constant(fold.type, *identity_bits(fold.op, fold.type)), a.first[size_t(k)]);
    }
    a.value = a.name;
    accumulators_.push_back(std::move(a));
  }

  // The lanes of a fold and a further vector. Min and max ignore NaNs, so lanes without NaNs need no test for them.
  Value write_fold_step(const ResultFold& fold, const Value& folded, const Value& x) {
    Lanes& l = lanes();
    const bool is_extreme = is_in(fold.type, Float) && (fold.op == Op::min_ || fold.op == Op::max_);
    const Value both[] = {folded, x};
    if (!is_extreme || is_careful_) return write_application(l, fold.op, fold.type, both);
    const Value precedes = fold.op == Op::min_ ? l.compare("olt", fold.type, x, folded) : l.compare("olt", fold.type, folded, x);
    return l.select(precedes, fold.type, x, folded);
  }

  void write_fold(const ResultFold& fold, Accumulators& a, int piece) {
    Lanes& l = lanes();
    const LocationId location = program().results[fold.result];
    const Value mask = fold.mask ? read(program().results[*fold.mask], Type::Bool) : Value();
    if (!a.counts) {
      Value& lane = a.value[size_t(piece) % a.value.size()];
      const Value folded = write_fold_step(fold, lane, read(location, fold.type));
      lane = fold.mask ? l.select(mask, fold.type, folded, lane) : folded;
      return;
    }
    const Value counted = fold.mask ? l.two("and", Type::Bool, mask, mask_of(location)) : mask_of(location);
    Value bits = l.bits(counted);
    if (l.width() < 64) bits = l.emit("zext " + l.word() + " " + bits + " to i64");
    l.declare("i64 @llvm.ctpop.i64(i64)");
    a.value[0] = l.emit("add i64 " + a.value[0] + ", " + l.emit("call i64 @llvm.ctpop.i64(i64 " + bits + ")"));
  }

  void end_fold(const ResultFold& fold, const Accumulators& a) {
    Lanes& l = lanes();
    if (!a.counts) {
      for (size_t k = 0; k < a.value.size(); k++)
        if (!a.value[k].empty()) l.store(fold.type, a.value[k], lane_address(a, k, fold.type));
      return;
    }
    const std::string type = lane_type(fold.type);
    const Value count = size_of(fold.type) == 8 ? a.value[0] : l.emit("trunc i64 " + a.value[0] + " to " + type);
    const int align = int(size_of(fold.type));
    const Value before = l.load(type, a.data, align);
    l.store(type, l.emit("add " + type + " " + before + ", " + count), a.data, align);
  }

  const Group& group_;
  const Passes passes_;
  const bool past_caches_;
  std::vector<ReadAhead> ahead_;
  int pass_ = 0;
  bool is_careful_ = false;                 // lanes may be NaNs
  std::vector<Accumulators> accumulators_;  // of each fold
};

}  // namespace

LinearCode linear_code_of(const BlockProgram::Impl& program, const Group& group) {
  std::vector<LocationId> read_later = group.live;
  for (const ResultFold& fold : group.folds) {
    read_later.push_back(program.results[fold.result]);
    if (fold.mask) read_later.push_back(program.results[*fold.mask]);
  }
  return LinearCode(program, group.code, read_later, group.direct);
}

bool is_of_block(const Instruction& instruction) {
  return instruction.kind == Instruction::Kind::Bounds || instruction.kind == Instruction::Kind::RunBounds;
}

std::vector<Group> groups_of(const BlockProgram::Impl& program, int phase, Isa isa, bool masked) {
  std::vector<Group> groups;
  for (const auto run : Runs(program, phase, isa, masked).all)
    if (computes(run)) groups.push_back(group_of(program, phase, run, nullptr, isa));
  return groups;
}

std::vector<Group> groups_of(const BlockProgram::Impl& program, const Epilogue& epilogue, Isa isa) {
  std::vector<Group> groups = groups_of(program, 0, isa);
  const std::span<const Instruction> code = program.phases[0].code;
  const auto runs = Runs(program, 0, isa).all;
  std::span<const Instruction> last = code.last(0);
  if (!runs.empty() && runs.back()[0].predicate == always && runs.back().end() == code.end()) last = runs.back();
  if (!groups.empty() && !last.empty() && groups.back().code.data() == last.data()) groups.pop_back();
  groups.push_back(group_of(program, 0, last, &epilogue, isa));
  groups.back().folds = epilogue.folds;
  return groups;
}

bool may_store_past_caches(const BlockProgram::Impl& program, int phase, const Group& group) {
  constexpr size_t most_operations = 32;
  const size_t end = end_of(program, phase, group.code);
  return !group.live.empty() && group.folds.empty() && group.code.size() <= most_operations &&
         std::ranges::all_of(group.live, [&](LocationId location) { return next_use(program, phase, end, location) == NextUse::at_end; });
}

void ModuleText::add(const std::string& function, const Lanes& lanes) {
  functions_ += function;
  declarations_.insert(lanes.declarations().begin(), lanes.declarations().end());
}

void ModuleText::add(const std::string& name, const BlockProgram::Impl& program, const Group& group, bool past_caches) {
  const Width width(program, group, linear_code_of(program, group));
  Lanes lanes = this->lanes(width.lanes(isa_));
  // Short groups compute several vectors in an iteration, and folds a tile, whose elements belong to different lanes.
  const int most = int(tile) / lanes.width();
  const int wanted = !group.folds.empty() ? most : width.iterates ? 1 : std::max(1, 8 / int(group.code.size()));
  GroupWriter writer(lanes, program, group, isa_, past_caches);
  add(writer.write(name, int(std::bit_floor(unsigned(std::min(most, wanted))))), lanes);
}

std::string ModuleText::text() const {
  std::string text = functions_;
  for (const std::string& declaration : declarations_) text += declaration;
  return text + "attributes #0 = { nounwind \"target-cpu\"=\"x86-64\" \"target-features\"=\"" + features_of(isa_) +
         "\" \"prefer-vector-width\"=\"512\" }\n!0 = !{i32 1}\n";
}

}  // namespace wf::cpu::native
