#include "cpu/native/halving.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "cpu/native/body.h"
#include "cpu/native/operations.h"

namespace wf::cpu::native {
namespace {

using Tuple = std::vector<Value>;

class HalvingWriter {
 public:
  HalvingWriter(Lanes& lanes, const BlockProgram::Impl& combine, std::span<const Type> types)
      : lanes_(lanes), combine_(combine), body_(lanes, combine), types_(types) {}

  std::string write(const std::string& name) {
    std::string entry, loop;
    const std::string label = "loop:\n";
    lanes_.write_to(&entry);
    const Value locations = lanes_.load(lanes_.pointer(), "%memory", alignof(void*));
    static_assert(offsetof(Memory, locations) == 0);
    std::vector<Value> data;
    for (size_t k = 0; k < 2 * types_.size(); k++) {
      const size_t offset = k * sizeof(Operand) + offsetof(Operand, data);
      data.push_back(lanes_.load(lanes_.pointer(), lanes_.address(locations, std::to_string(offset)), alignof(void*)));
    }
    lanes_.write_to(&loop);
    lanes_.begin_block("loop");
    const Tuple result = reduced(std::span(data).first(types_.size()));
    const Value at = lanes_.emit("lshr i64 %i, " + std::to_string(halvings));
    for (size_t k = 0; k < types_.size(); k++) lanes_.store(types_[k], result[k], element(data[types_.size() + k], at, types_[k]));
    return "define void @" + name + "(" + lanes_.pointer() + " %memory, i64 %begin, i64 %count) #0 {\nentry:\n" + entry +
           "  br label %loop\n" + label + "  %i = phi i64 [ 0, %entry ], [ %next, %" + lanes_.block() + " ]\n" + loop.substr(label.size()) +
           "  %next = add i64 %i, " + std::to_string(lanes_.width() << halvings) +
           "\n  %more = icmp slt i64 %next, %count\n  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}\n";
  }

 private:
  // The vectors are combined in the order of a binary counter, so that at most one result of each level waits for its neighbour.
  Tuple reduced(std::span<const Value> columns) {
    std::array<Tuple, halvings> waiting;
    Tuple next;
    for (int vector = 0; vector < 1 << halvings; vector++) {
      const Value first = lanes_.emit("add i64 %i, " + std::to_string(vector * lanes_.width()));
      next.clear();
      for (size_t k = 0; k < types_.size(); k++) next.push_back(lanes_.load(types_[k], element(columns[k], first, types_[k])));
      for (Tuple& left : waiting) {
        if (left.empty()) {
          left = std::exchange(next, {});
          break;
        }
        next = combined(std::exchange(left, {}), next);
      }
    }
    return next;
  }

  // r[i] = f(x[2 i], x[2 i + 1]), where x is `left` followed by `right`.
  Tuple combined(const Tuple& left, const Tuple& right) {
    const size_t m = types_.size();
    body_.forget();
    for (size_t k = 0; k < m; k++) {
      set_param(k, types_[k], every_other(types_[k], left[k], right[k], 0));
      set_param(m + k, types_[k], every_other(types_[k], left[k], right[k], 1));
    }
    for (const Instruction& instruction : combine_.phases[0].code) body_.write(instruction, {});
    Tuple results;
    for (size_t k = 0; k < m; k++) results.push_back(body_.read(combine_.results[k], types_[k]));
    return results;
  }

  void set_param(size_t k, Type type, const Value& value) {
    if (combine_.params[k] != no_location) body_.set(combine_.params[k], type, value);
  }

  Value every_other(Type type, const Value& left, const Value& right, int first) {
    std::string numbers = "<i32 " + std::to_string(first);
    for (int k = 1; k < lanes_.width(); k++) numbers += ", i32 " + std::to_string(2 * k + first);
    const std::string v = lanes_.vector(type);
    return lanes_.emit("shufflevector " + v + " " + left + ", " + v + " " + right + ", " + lanes_.vector("i32") + " " + numbers + ">");
  }

  Value element(const Value& data, const Value& index, Type type) {
    return lanes_.address(data, lanes_.emit("mul i64 " + index + ", " + std::to_string(size_of(type))));
  }

  Lanes& lanes_;
  const BlockProgram::Impl& combine_;
  PureBody body_;
  std::span<const Type> types_;
};

int lanes_for(Isa isa) { return bytes_of_vector(isa) / 4; }

}  // namespace

int64_t halving_unit(Isa isa) { return int64_t(lanes_for(isa)) << halvings; }

bool covers_halving(const BlockProgram::Impl& combine, Isa isa) {
  return combine.setup.code.empty() && combine.phases[1].code.empty() && combine.phases[0].streams.empty() &&
         std::ranges::all_of(combine.phases[0].code, [&](const Instruction& instruction) {
           return instruction.kind == Instruction::Kind::Plain && instruction.predicate == always && covers(combine, instruction, isa);
         });
}

void add_halving(ModuleText& module, const std::string& name, const BlockProgram::Impl& combine, std::span<const Type> types) {
  Lanes lanes = module.lanes(lanes_for(module.isa()));
  module.add(HalvingWriter(lanes, combine, types).write(name), lanes);
}

}  // namespace wf::cpu::native
