#include "cpu/native/stretches/linear_code.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ops/ops.h"

namespace wf::cpu::native {
namespace {

// A value that is linear along stretches, for all that is known before the code runs.
struct Line {
  int64_t stride = 0;
  std::optional<int64_t> literal = {};
};

bool is_comparison(Op op) { return op == Op::eq_ || op == Op::ne_ || op == Op::lt_ || op == Op::le_ || op == Op::gt_ || op == Op::ge_; }

// Two lines cross at most once, at an element that no division is needed to find.
bool are_comparable(const Line& a, const Line& b) {
  return std::abs(a.stride) <= 1 && std::abs(b.stride) <= 1 && (a.stride == b.stride || a.stride == 0 || b.stride == 0);
}
int64_t steeper(const Line& a, const Line& b) { return a.stride != 0 ? a.stride : b.stride; }

std::optional<Line> product(const Line& a, const Line& b) {
  if (a.stride == 0 && b.stride == 0) return Line{};
  const Line &line = a.stride == 0 ? b : a, &factor = a.stride == 0 ? a : b;
  int64_t stride;
  if (!factor.literal || __builtin_mul_overflow(line.stride, *factor.literal, &stride)) return std::nullopt;
  return Line{stride};
}

std::optional<Line> sum(const Line& a, const Line& b, int64_t factor) {
  int64_t stride;
  if (__builtin_mul_overflow(b.stride, factor, &stride) || __builtin_add_overflow(a.stride, stride, &stride)) return std::nullopt;
  return Line{stride};
}

std::optional<Line> apply(Op op, Type type, std::span<const std::optional<Line>> x) {
  if (!std::ranges::all_of(x, [](const auto& line) { return line.has_value(); })) return std::nullopt;
  if (type == Type::Bool)
    return op == Op::and_ || op == Op::or_ || op == Op::xor_ || op == Op::not_ || op == Op::where_ ? std::optional(Line{}) : std::nullopt;
  if (type != Type::I64) return std::nullopt;
  if (is_comparison(op)) return are_comparable(*x[0], *x[1]) ? std::optional(Line{}) : std::nullopt;
  switch (op) {
    case Op::add_: return sum(*x[0], *x[1], 1);
    case Op::sub_: return sum(*x[0], *x[1], -1);
    case Op::neg_: return sum({}, *x[0], -1);
    case Op::mul_: return product(*x[0], *x[1]);
    case Op::div_:
    case Op::rem_: return x[0]->stride == 0 && x[1]->literal.value_or(0) > 0 ? std::optional(Line{}) : std::nullopt;
    case Op::min_:
    case Op::max_: return are_comparable(*x[0], *x[1]) ? std::optional(Line{steeper(*x[0], *x[1])}) : std::nullopt;
    case Op::where_: return are_comparable(*x[1], *x[2]) ? std::optional(Line{steeper(*x[1], *x[2])}) : std::nullopt;
    default: return std::nullopt;
  }
}

class LineFinder {
 public:
  LineFinder(const BlockProgram::Impl& program, std::span<const Instruction> code) : program_(program), lines_(program.locations.size()) {
    for (const Instruction& i : code) iterates_ |= i.kind == Instruction::Kind::Iterate;
    written_.resize(program.locations.size());
  }

  std::optional<Line> line_of(const Instruction& i) {
    const auto line = compute(i);
    if (i.kind == Instruction::Kind::Check && !line) checks_elements_ = true;
    for (uint32_t k = 0; k < i.out_count; k++) {
      const LocationId out = program_.operands[i.outs + k];
      written_[out] = true;
      // Elements that are read are no indices.
      lines_[out] = i.kind == Instruction::Kind::Gather ? std::nullopt : line;
    }
    return line;
  }

 private:
  std::optional<Line> compute(const Instruction& i) const {
    std::vector<std::optional<Line>> x;
    for (uint32_t k = 0; k < i.operand_count; k++) x.push_back(operand(i, k));
    switch (i.kind) {
      case Instruction::Kind::Iota: return Line{1};
      case Instruction::Kind::Count: return Line{program_.walks[i.detail].axes[0].stride};
      case Instruction::Kind::Plain:
      case Instruction::Kind::Select:
        return i.operation.form == Operation::Form::Apply ? apply(i.operation.op, i.operation.type, x) : std::nullopt;
      case Instruction::Kind::Gather:
        return x[0] && (x[0]->stride == 0 || x[0]->stride == 1) ? std::optional(Line{x[0]->stride}) : std::nullopt;
      // The first fault of an element is reported, so checks keep their order.
      case Instruction::Kind::Check:
        if (iterates_ || checks_elements_ || !x[0] || !x[1] || !x[2]) return std::nullopt;
        return (x[0]->stride == 0 || x[0]->stride == 1) && x[1]->stride == 0 ? std::optional(Line{}) : std::nullopt;
      default: return std::nullopt;
    }
  }

  std::optional<Line> operand(const Instruction& i, uint32_t k) const {
    const LocationId id = program_.operands[i.operands + k];
    const Location& location = program_.locations[id];
    if (written_[id]) return lines_[id];
    if (location.type != Type::I64 && location.type != Type::Bool) return std::nullopt;
    switch (location.from) {
      case Location::From::Literal: {
        int64_t value = 0;
        std::memcpy(&value, program_.literals[location.index].bytes, size_of(location.type));
        return Line{0, value};
      }
      case Location::From::Uniform:
      case Location::From::RowUniform:
      case Location::From::RepeatedParam: return Line{};
      default: return std::nullopt;
    }
  }

  const BlockProgram::Impl& program_;
  std::vector<std::optional<Line>> lines_;  // by location, if the code has written it
  std::vector<bool> written_;
  bool iterates_ = false, checks_elements_ = false;
};

bool reads(const BlockProgram::Impl& program, const Instruction& i, LocationId location) {
  const auto first = program.operands.begin() + i.operands;
  return std::find(first, first + i.operand_count, location) != first + i.operand_count;
}

}  // namespace

LinearCode::LinearCode(const BlockProgram::Impl& program, std::span<const Instruction> code, std::span<const LocationId> read_later,
                       std::span<const uint32_t> direct_ones)
    : facts(code.size()), direct(direct_ones.begin(), direct_ones.end()), exists_(!direct_ones.empty()) {
  LineFinder finder(program, code);
  constexpr size_t none = SIZE_MAX;
  std::vector<size_t> writer(program.locations.size(), none);
  const auto read = [&](LocationId location) {
    if (writer[location] != none) facts[writer[location]].is_read = true;
  };
  for (size_t k = 0; k < code.size(); k++) {
    const Instruction& i = code[k];
    const auto line = finder.line_of(i);
    if (line) facts[k] = {.is_linear = true, .stride = line->stride};
    else
      for (uint32_t x = 0; x < i.operand_count; x++) read(program.operands[i.operands + x]);
    exists_ |= line && i.kind == Instruction::Kind::Gather;
    for (uint32_t x = 0; x < i.out_count; x++) writer[program.operands[i.outs + x]] = line ? k : none;
  }
  for (LocationId location : read_later) read(location);
  if (!exists_) facts.assign(code.size(), {});
}

std::vector<uint32_t> direct_streams(const BlockProgram::Impl& program, std::span<const Instruction> code, int bytes_of_vector) {
  std::vector<uint32_t> direct;
  for (uint32_t k = 0; k < program.streams.size(); k++) {
    const Stream& stream = program.streams[k];
    if (stream.walk == Stream::no_walk || std::ranges::find(program.results, stream.location) != program.results.end()) continue;
    const Walk& walk = program.walks[stream.walk];
    const Walk::Axis& inner = walk.axes[0];
    if (walk.has_argument() || (inner.stride != 0 && inner.stride != 1) || inner.extent < bytes_of_vector) continue;
    if (stream.base.location != no_location && program.locations[stream.base.location].from != Location::From::Uniform) continue;
    const bool has_other_readers = std::ranges::any_of(program.phases, [&](const Phase& phase) {
      return std::ranges::any_of(phase.code, [&](const Instruction& i) {
        const bool is_here = &i >= code.data() && &i < code.data() + code.size();
        return !is_here && reads(program, i, stream.location);
      });
    });
    if (!has_other_readers) direct.push_back(k);
  }
  return direct;
}

}  // namespace wf::cpu::native
