#include "cpu/native/merging.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "cpu/native/body.h"
#include "cpu/native/library.h"
#include "cpu/native/native_program.h"
#include "engine/engine.h"

namespace wf::cpu::native {
namespace {

// The function's operands: the merges' lanes, then the columns of a, of b and of the output. A value of a column is a vector of one lane.
class MergeWriter {
 public:
  MergeWriter(Lanes& lanes, const BlockProgram::Impl& less, std::span<const Type> types, int merges)
      : lanes_(lanes), less_(less), body_(lanes, less), types_(types), merges_(merges) {}

  std::string write(const std::string& name) {
    std::string entry, head, steps, done;
    lanes_.write_to(&entry);
    const Value locations = lanes_.load(lanes_.pointer(), "%memory", alignof(void*));
    static_assert(offsetof(Memory, locations) == 0);
    for (size_t k = 0; k < 1 + 3 * types_.size(); k++) {
      const size_t offset = k * sizeof(Operand) + offsetof(Operand, data);
      data_.push_back(lanes_.load(lanes_.pointer(), lanes_.address(locations, std::to_string(offset)), alignof(void*)));
    }
    for (int m = 0; m < merges_; m++) {
      Merge merge;
      for (size_t k = 0; k < merge.first.size(); k++) merge.first[k] = lanes_.load("i64", member(m, members[k]), alignof(int64_t));
      merge.a = lanes_.fresh(), merge.b = lanes_.fresh(), merge.out = lanes_.fresh();
      all_.push_back(merge);
    }
    lanes_.write_to(&steps);
    for (Merge& merge : all_) step(merge);
    lanes_.write_to(&done);
    for (int m = 0; m < merges_; m++) {
      head += phi(all_[m].a, all_[m].first[0], all_[m].next_a) + phi(all_[m].b, all_[m].first[1], all_[m].next_b) +
              phi(all_[m].out, all_[m].first[4], all_[m].next_out);
      lanes_.store("i64", all_[m].next_a, member(m, offsetof(MergeLane, a)), alignof(int64_t));
      lanes_.store("i64", all_[m].next_b, member(m, offsetof(MergeLane, b)), alignof(int64_t));
      lanes_.store("i64", all_[m].next_out, member(m, offsetof(MergeLane, out)), alignof(int64_t));
    }
    return "define void @" + name + "(" + lanes_.pointer() + " %memory, i64 %begin, i64 %count) #0 {\nentry:\n" + entry +
           "  br label %loop\nloop:\n  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n" + head + steps +
           "  %next = add i64 %i, 1\n  %more = icmp slt i64 %next, %count\n  br i1 %more, label %loop, label %done\ndone:\n" + done +
           "  ret void\n}\n";
  }

 private:
  static constexpr size_t members[] = {offsetof(MergeLane, a), offsetof(MergeLane, b), offsetof(MergeLane, a_end),
                                       offsetof(MergeLane, b_end), offsetof(MergeLane, out)};
  struct Merge {
    std::array<Value, std::size(members)> first;  // the members' values
    Value a, b, out;                              // in a step
    Value next_a, next_b, next_out;
  };

  Value member(int merge, size_t offset) { return lanes_.address(data_[0], std::to_string(size_t(merge) * sizeof(MergeLane) + offset)); }
  static std::string phi(const Value& name, const Value& first, const Value& next) {
    return "  " + name + " = phi i64 [ " + first + ", %entry ], [ " + next + ", %loop ]\n";
  }

  // An exhausted run's last element is read again and does not count.
  void step(Merge& merge) {
    const Value &a_end = merge.first[2], &b_end = merge.first[3];
    const Value a_left = lanes_.emit("icmp slt i64 " + merge.a + ", " + a_end),
                b_left = lanes_.emit("icmp slt i64 " + merge.b + ", " + b_end);
    const std::vector<Value> x = elements(1, safe(a_left, merge.a, a_end)), y = elements(1 + types_.size(), safe(b_left, merge.b, b_end));
    const Value y_first = lanes_.emit("extractelement <1 x i1> " + less(y, x) + ", i32 0");
    const Value forced = lanes_.emit("select i1 " + a_left + ", i1 " + y_first + ", i1 true");
    const Value from_b = lanes_.emit("select i1 " + b_left + ", i1 " + forced + ", i1 false");
    for (size_t k = 0; k < types_.size(); k++) {
      const std::string type = lanes_.vector(types_[k]);
      const Value chosen = lanes_.emit("select i1 " + from_b + ", " + type + " " + y[k] + ", " + type + " " + x[k]);
      lanes_.store(types_[k], chosen, element(1 + 2 * types_.size() + k, merge.out, types_[k]));
    }
    const Value one = lanes_.emit("zext i1 " + from_b + " to i64"), none = lanes_.emit("xor i64 " + one + ", 1");
    merge.next_a = lanes_.emit("add i64 " + merge.a + ", " + none);
    merge.next_b = lanes_.emit("add i64 " + merge.b + ", " + one);
    merge.next_out = lanes_.emit("add i64 " + merge.out + ", 1");
  }

  Value safe(const Value& is_left, const Value& at, const Value& end) {
    return lanes_.emit("select i1 " + is_left + ", i64 " + at + ", i64 " + lanes_.emit("sub i64 " + end + ", 1"));
  }

  // The element's columns, the first of which is operand `first`.
  std::vector<Value> elements(size_t first, const Value& index) {
    std::vector<Value> all;
    for (size_t k = 0; k < types_.size(); k++) all.push_back(lanes_.load(types_[k], element(first + k, index, types_[k])));
    return all;
  }
  Value element(size_t operand, const Value& index, Type type) {
    return lanes_.address(data_[operand], lanes_.emit("mul i64 " + index + ", " + std::to_string(size_of(type))));
  }

  Value less(const std::vector<Value>& x, const std::vector<Value>& y) {
    const size_t m = types_.size();
    body_.forget();
    for (size_t k = 0; k < m; k++) {
      if (less_.params[k] != no_location) body_.set(less_.params[k], types_[k], x[k]);
      if (less_.params[m + k] != no_location) body_.set(less_.params[m + k], types_[k], y[k]);
    }
    for (const Instruction& instruction : less_.phases[0].code) body_.write(instruction, {});
    return body_.read(less_.results[0], Type::Bool);
  }

  Lanes& lanes_;
  const BlockProgram::Impl& less_;
  PureBody body_;
  std::span<const Type> types_;
  const int merges_;
  std::vector<Value> data_;
  std::vector<Merge> all_;
};

}  // namespace

bool covers_merging(const BlockProgram::Impl& less, Isa isa) {
  return less.setup.code.empty() && less.phases[1].code.empty() && less.phases[0].streams.empty() &&
         std::ranges::all_of(less.phases[0].code, [&](const Instruction& instruction) {
           return instruction.kind == Instruction::Kind::Plain && instruction.predicate == always && covers(less, instruction, isa);
         });
}

void compile_merging(const BlockProgram& less, std::span<const Type> types) {
  if (!llvm()) throw CompileError(reason_without_llvm());
  ModuleText module(isa(), llvm()->version < 15);
  for (int merges : {1, merges_at_once}) {
    Lanes lanes = module.lanes(1);
    module.add(MergeWriter(lanes, less.impl(), types, merges).write("merge_" + std::to_string(merges)), lanes);
  }
  auto native = std::make_unique<NativeProgram>();
  native->code = compile_module(module.text(), isa());
  for (int merges : {1, merges_at_once})
    native->functions.push_back({reinterpret_cast<Function>(native->code->function("merge_" + std::to_string(merges)))});
  std::ranges::copy(less.impl().phases, native->phases);
  less.publish(std::move(native));
}

Merger::Merger(const BlockProgram& less, std::span<const std::byte* const> a, std::span<const std::byte* const> b,
               std::span<std::byte* const> to)
    : one_(less.native()->functions[0].function), several_(less.native()->functions[1].function), operands_{{nullptr, 0}} {
  for (const std::byte* column : a) operands_.push_back({column, 0});
  for (const std::byte* column : b) operands_.push_back({column, 0});
  for (std::byte* column : to) operands_.push_back({column, 0});
}

void Merger::run(std::span<MergeLane> merges, int64_t steps) {
  operands_[0].data = merges.data();
  const Memory memory{operands_.data(), nullptr, nullptr, nullptr, nullptr, nullptr};
  (merges.size() == 1 ? one_ : several_)(&memory, 0, steps);
}

}  // namespace wf::cpu::native
