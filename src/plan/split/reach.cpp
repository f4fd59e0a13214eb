// Which elements of its inputs a kernel reads for a range of its indices: the ranges of the terms that are indices of reads.
#include <algorithm>

#include "expr/range.h"
#include "plan/split/split.h"

namespace wf {
namespace {

class ReachFinder {
 public:
  ReachFinder(std::span<const Bits64> arguments, std::span<const int64_t> lengths)
      : arguments_(arguments), lengths_(lengths), reaches_(lengths.size()) {}
  std::vector<Interval> reaches() && { return std::move(reaches_); }

  // The first parameter has a value of this range, the others have any.
  void add(const Fn& fn, const Range& first) {
    std::vector<Range> params;
    for (const Param& p : fn.params) params.push_back(params.empty() ? first : all_of(p.type));
    add(fn, params);
  }

 private:
  void add(const Fn& fn, std::span<const Range> params) {
    std::vector<Range> known;
    for (Id id = 0; id < fn.terms.size(); id++) {
      const Term& term = fn[id];
      known.push_back(value_of(term).value_or(range_of(fn, id, known, params)));
      if (term.kind == Kind::At) read(term.slot, known[fn.args(term)[0]]);
      if (term.kind == Kind::Fold || term.kind == Kind::Loop) repeat(fn.loops[term.slot], fn.args(term), known);
    }
  }

  std::optional<Range> value_of(const Term& term) const {
    if (term.kind == Kind::Length) return Range{lengths_[term.slot], lengths_[term.slot]};
    if (term.kind != Kind::Argument || term.type != Type::I64) return std::nullopt;
    const auto value = from_bits<int64_t>(arguments_[term.slot]);
    return Range{value, value};
  }

  void repeat(const Fn::LoopInfo& info, std::span<const Id> operands, std::span<const Range> known) {
    std::vector<Range> params;
    for (const Param& p : info.body->params) params.push_back(all_of(p.type));
    if (info.is_fold()) params[0] = {0, std::max<Wide>(known[operands[0]].high - 1, 0)};
    for (size_t k = info.variables; k < params.size(); k++) params[k] = known[operands[k]];
    add(*info.body, params);
  }

  void read(uint32_t slot, const Range& index) {
    const Wide length = lengths_[slot];
    const Wide begin = index.known() ? std::clamp<Wide>(index.low, 0, length) : 0;
    const Wide end = index.known() ? std::clamp<Wide>(index.high + 1, 0, length) : length;
    if (begin >= end) return;
    Interval& reach = reaches_[slot];
    const bool is_first = reach.begin == reach.end;
    reach.begin = is_first ? int64_t(begin) : std::min(reach.begin, int64_t(begin));
    reach.end = std::max(reach.end, int64_t(end));
  }

  const std::span<const Bits64> arguments_;
  const std::span<const int64_t> lengths_;
  std::vector<Interval> reaches_;
};

}  // namespace

std::vector<Interval> reaches(const Kernel& kernel, std::span<const Bits64> arguments, std::span<const int64_t> lengths, int64_t begin,
                              int64_t end) {
  ReachFinder finder(arguments, lengths);
  finder.add(*kernel.body, {begin, end - 1});
  for (const RowElements& e : kernel.elements) finder.add(*e.value, {Wide(begin) * e.count, Wide(end) * e.count - 1});
  for (const Scan& s : kernel.scan) finder.add(*s.combine, all_of(s.combine->params[0].type));
  for (const Reduction& r : kernel.reductions) finder.add(*r.combine, all_of(r.combine->params[0].type));
  return std::move(finder).reaches();
}

}  // namespace wf
