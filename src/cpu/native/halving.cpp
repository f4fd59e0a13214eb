#include "cpu/native/halving.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "cpu/native/element_body.h"
#include "cpu/native/operations.h"

namespace wf::cpu::native {
namespace {

using Tuple = std::vector<Value>;

int lanes_for(Isa isa) { return bytes_of_vector(isa) / 4; }

// ---- the order of lanes
//
// A step combines elements 2 i and 2 i + 1 of two vectors into element i of one. Shuffles across the whole vector cost two instructions, those
// within segments of 128 bits, or of whole segments, one. So the lanes may have any order between steps, the same in all vectors of a step.

constexpr int segment_lanes = 4;
using Order = std::vector<int>;  // the number of an element, or of a lane, for each lane

struct Pairing {
  Order left, right;  // the operands' lanes: those of the first vector, then those of the second
  Order order;        // the result's lanes are these elements
};

Pairing step_from(const Order& order) {
  const int lanes = int(order.size()), length = std::min(segment_lanes, lanes);
  Order at(order.size());  // the lane of each element
  for (int lane = 0; lane < lanes; lane++) at[size_t(order[size_t(lane)])] = lane;
  Pairing step;
  auto add = [&](int vector, int pair) {
    step.left.push_back(vector * lanes + at[size_t(2 * pair)]);
    step.right.push_back(vector * lanes + at[size_t(2 * pair + 1)]);
    step.order.push_back(vector * lanes / 2 + pair);
  };
  // The pairs whose first elements are in lanes [first, end), in the order of these lanes.
  auto add_pairs = [&](int vector, int first, int end) {
    for (int lane = first; lane < end; lane++)
      if (order[size_t(lane)] % 2 == 0) add(vector, order[size_t(lane)] / 2);
  };
  bool within = true;  // pairs are within segments
  for (int pair = 0; pair < lanes / 2; pair++) within &= at[size_t(2 * pair)] / length == at[size_t(2 * pair + 1)] / length;
  for (int segment = 0; within && segment < lanes; segment += length)
    for (int vector : {0, 1}) add_pairs(vector, segment, segment + length);
  for (int vector = 0; !within && vector < 2; vector++) add_pairs(vector, 0, lanes);
  return step;
}

// Combines vectors of neighbours in a tree.
class Tree {
 public:
  Tree(Lanes& lanes, const Halved& halved) : lanes_(lanes), halved_(halved), body_(lanes, halved.combine) {
    for (int lane = 0; lane < lanes.width(); lane++) in_order_.push_back(lane);
    for (Pairing step = step_from(in_order_); int(steps_.size()) < halvings; step = step_from(step.order)) steps_.push_back(step);
  }

  // leaf(v): the columns of the elements of vector v. Vectors are combined in the order of a binary counter, so that at most one result of each
  // step waits for its neighbour.
  template <class Leaf> Tuple combined(int steps, const Leaf& leaf) {
    std::array<Tuple, halvings> waiting;
    Tuple next;
    for (int vector = 0; vector < 1 << steps; vector++) {
      next = leaf(vector);
      for (int step = 0; step < steps; step++) {
        Tuple& left = waiting[size_t(step)];
        if (left.empty()) {
          left = std::exchange(next, {});
          break;
        }
        next = combined(std::exchange(left, {}), next, steps_[size_t(step)]);
      }
    }
    const Order& order = steps_[size_t(steps) - 1].order;
    if (order == in_order_) return next;
    Order lanes(order.size());
    for (size_t lane = 0; lane < order.size(); lane++) lanes[size_t(order[lane])] = int(lane);
    for (size_t k = 0; k < next.size(); k++) next[k] = shuffled(k, next[k], next[k], lanes);
    return next;
  }

 private:
  Tuple combined(const Tuple& left, const Tuple& right, const Pairing& step) {
    const size_t m = halved_.types.size();
    body_.forget();
    for (size_t k = 0; k < m; k++) {
      set_param(k, k, shuffled(k, left[k], right[k], step.left));
      set_param(m + k, k, shuffled(k, left[k], right[k], step.right));
    }
    for (const Instruction& instruction : halved_.combine.phases[0].code) body_.write(instruction, {});
    Tuple results;
    for (size_t k = 0; k < m; k++) results.push_back(body_.read(halved_.combine.results[k], halved_.types[k]));
    return results;
  }

  void set_param(size_t param, size_t column, const Value& value) {
    if (!halved_.numbers.empty() && halved_.numbers[column]) lanes_.note_number(value);
    if (const LocationId location = halved_.combine.params[param]; location != no_location)
      body_.set(location, halved_.types[column], value);
  }

  // LLVM would make a sum of two such shuffles a horizontal addition, which takes four micro-operations, although other results need the shuffles.
  Value shuffled(size_t column, const Value& left, const Value& right, const Order& from) {
    std::string numbers;
    for (int lane : from) numbers += (numbers.empty() ? "<i32 " : ", i32 ") + std::to_string(lane);
    const std::string v = lanes_.vector(halved_.types[column]);
    const Value result =
        lanes_.emit("shufflevector " + v + " " + left + ", " + v + " " + right + ", " + lanes_.vector("i32") + " " + numbers + ">");
    return lanes_.emit("freeze " + v + " " + result);
  }

  Lanes& lanes_;
  const Halved& halved_;
  PureBody body_;
  Order in_order_;
  std::vector<Pairing> steps_;
};

Value element(Lanes& lanes, const Value& data, const Value& index, Type type) {
  return lanes.address(data, lanes.emit("mul i64 " + index + ", " + std::to_string(size_of(type))));
}

// The text of a function whose loop, from the block `loop` on, combines 2^steps vectors from element %i on.
std::string function_of(const Lanes& lanes, const std::string& name, const std::string& entry, const std::string& loop, int steps) {
  const std::string label = "loop:\n";
  return "define void @" + name + "(" + lanes.pointer() + " %memory, i64 %begin, i64 %count) #0 {\nentry:\n" + entry +
         "  br label %loop\n" + label + "  %i = phi i64 [ 0, %entry ], [ %next, %" + lanes.block() + " ]\n" + loop.substr(label.size()) +
         "  %next = add i64 %i, " + std::to_string(lanes.width() << steps) +
         "\n  %more = icmp slt i64 %next, %count\n  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}\n";
}

std::string halving_of_columns(Lanes& lanes, const std::string& name, const Halved& halved, int steps) {
  std::string entry, loop;
  lanes.write_to(&entry);
  const Value locations = lanes.load(lanes.pointer(), "%memory", alignof(void*));
  static_assert(offsetof(Memory, locations) == 0);
  const size_t m = halved.types.size();
  std::vector<Value> data;
  for (size_t k = 0; k < 2 * m; k++) {
    const size_t offset = k * sizeof(Operand) + offsetof(Operand, data);
    data.push_back(lanes.load(lanes.pointer(), lanes.address(locations, std::to_string(offset)), alignof(void*)));
  }
  lanes.write_to(&loop);
  lanes.begin_block("loop");
  const Tuple result = Tree(lanes, halved).combined(steps, [&](int vector) {
    const Value first = lanes.emit("add i64 %i, " + std::to_string(vector * lanes.width()));
    Tuple columns;
    for (size_t k = 0; k < m; k++) columns.push_back(lanes.load(halved.types[k], element(lanes, data[k], first, halved.types[k])));
    return columns;
  });
  const Value at = lanes.emit("lshr i64 %i, " + std::to_string(steps));
  for (size_t k = 0; k < m; k++) lanes.store(halved.types[k], result[k], element(lanes, data[m + k], at, halved.types[k]));
  return function_of(lanes, name, entry, loop, steps);
}

// The columns among `numbers` of which the function makes no NaN from others of them.
std::vector<bool> numbers_kept(Lanes& lanes, const Halved& halved, std::vector<bool> numbers) {
  const size_t m = numbers.size();
  std::string text;
  std::string* const before = lanes.write_to(&text);
  for (bool changed = true; changed;) {
    changed = false;
    PureBody body(lanes, halved.combine);
    for (size_t k = 0; k < 2 * m; k++) {
      const Value value = lanes.fresh();
      if (numbers[k % m]) lanes.note_number(value);
      if (halved.combine.params[k] != no_location) body.set(halved.combine.params[k], halved.types[k % m], value);
    }
    for (const Instruction& instruction : halved.combine.phases[0].code) body.write(instruction, {});
    for (size_t k = 0; k < m; k++)
      if (numbers[k] && !lanes.is_number(body.read(halved.combine.results[k], halved.types[k]))) numbers[k] = false, changed = true;
  }
  lanes.write_to(before);
  return numbers;
}

class BodyHalving : public ElementBody {
 public:
  using ElementBody::ElementBody;

  std::string write(const std::string& name, const Group& group, std::span<const uint32_t> values, Halved& halved) {
    Lanes& l = lanes();
    const size_t m = halved.types.size();
    std::string loop;
    l.write_to(&loop);
    l.begin_block("loop");
    Tree tree(l, halved);
    const Tuple result = tree.combined(halvings, [&](int vector) {
      place(l.emit("add i64 %i, " + std::to_string(vector * l.width())));
      for (const Instruction& instruction : group.code) Body::write(instruction, position());
      Tuple columns;
      for (size_t k = 0; k < m; k++) columns.push_back(read(program().results[values[k]], halved.types[k]));
      if (halved.numbers.empty()) halved.numbers = numbers_kept(l, halved, numbers_in(columns));
      return columns;
    });
    const Value at = l.emit("lshr i64 %i, " + std::to_string(halvings));
    for (size_t k = 0; k < m; k++) {
      const Value data = in_entry([&] {
        const Value all = member(offsetof(Memory, lanes));
        return l.load(l.pointer(), l.address(all, std::to_string(k * sizeof(void*))), alignof(void*));
      });
      l.store(halved.types[k], result[k], element(l, data, at, halved.types[k]));
    }
    return function_of(l, name, entry(), loop, halvings);
  }

 private:
  std::vector<bool> numbers_in(const Tuple& columns) {
    std::vector<bool> numbers;
    for (const Value& column : columns) numbers.push_back(lanes().is_number(column));
    return numbers;
  }
};

}  // namespace

int64_t halving_unit(Isa isa, int steps) { return int64_t(lanes_for(isa)) << steps; }

bool covers_halving(const BlockProgram::Impl& combine, Isa isa) {
  return combine.setup.code.empty() && combine.phases[1].code.empty() && combine.phases[0].streams.empty() &&
         std::ranges::all_of(combine.phases[0].code, [&](const Instruction& instruction) {
           return instruction.kind == Instruction::Kind::Plain && instruction.predicate == always && covers(combine, instruction, isa);
         });
}

void add_halving(ModuleText& module, const std::string& name, const Halved& halved, int steps) {
  Lanes lanes = module.lanes(lanes_for(module.isa()));
  module.add(halving_of_columns(lanes, name, halved, steps), lanes);
}

void add_halving(ModuleText& module, const std::string& name, const BlockProgram::Impl& program, const Group& group,
                 std::span<const uint32_t> values, Halved& halved) {
  Lanes lanes = module.lanes(lanes_for(module.isa()));
  module.add(BodyHalving(lanes, program).write(name, group, values, halved), lanes);
}

}  // namespace wf::cpu::native
