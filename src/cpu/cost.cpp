#include "cpu/cost.h"

#include <algorithm>
#include <vector>

#include "expr/guards/guard.h"
#include "expr/terms.h"

namespace wf::cpu {
namespace {

constexpr int64_t cost_of_loop = 1000;
constexpr int64_t most = int64_t(1) << 40;  // of costs and counts, so that sums and products of them are safe

int64_t cost(Op op) {
  switch (info(op).cost) {
    case Cost::simple:
    case Cost::quotient: return 1;
    case Cost::root:
    case Cost::light:
    case Cost::heavy: return 16;
    case Cost::special: return 64;
  }
  return 1;
}

int64_t longest_input(const Lengths& lengths) {
  int64_t longest = 0;
  for (int64_t length : lengths.inputs) longest = std::max(longest, length);
  return longest;
}

// The value of a count, approximately: of an element that it reads, the longest input's elements per element of the domain; of a parameter,
// the length of the domain.
int64_t estimate(const Fn& fn, Id count, const Lengths& lengths) {
  std::vector<int64_t> size(count + 1);
  for (Id t = 0; t <= count; t++) {
    const Term& term = fn[t];
    std::span<const Id> args = fn.args(term);
    switch (term.kind) {
      case Kind::Literal: size[t] = from_bits<int64_t>(convert(term.type, Type::I64, term.bits)); break;
      case Kind::Length: size[t] = lengths.inputs[term.slot]; break;
      case Kind::Param: size[t] = lengths.n; break;
      case Kind::At: size[t] = longest_input(lengths) / std::max<int64_t>(lengths.n, 1) + 1; break;
      default:
        for (Id x : args) size[t] = std::max(size[t], size[x]);
        if (is_op(term, Op::rem_) || is_op(term, Op::min_) || is_op(term, Op::and_)) size[t] = std::min(size[args[0]], size[args[1]]);
    }
    size[t] = std::clamp<int64_t>(size[t], 0, most);
  }
  return size[count];
}

}  // namespace

int64_t cost(const Fn& fn, const Lengths& lengths) {
  int64_t sum = 1;
  std::vector<bool> is_number(fn.terms.size());
  const std::vector<bool> is_used = has_checks(fn) ? used_outside_guards(fn) : std::vector<bool>();
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& term = fn[id];
    const bool computes = term.kind == Kind::Apply || term.kind == Kind::Cast;
    is_number[id] = term.kind == Kind::Literal || term.kind == Kind::Argument || term.kind == Kind::Length ||
                    (computes && std::ranges::all_of(fn.args(term), [&](Id x) { return is_number[x]; }));
    if (is_number[id] || (!is_used.empty() && !is_used[id])) continue;
    if (term.kind == Kind::Fold) {
      const Fn::LoopInfo& fold = fn.loops[term.slot];
      const int64_t step = cost(*fold.body, lengths) + cost(*fold.combine, lengths);
      sum += std::min(step * std::min(estimate(fn, fn.args(term)[0], lengths), most / step), most);
    } else if (term.kind == Kind::Loop || term.kind == Kind::Foreign) {
      sum += cost_of_loop;
    } else if (term.kind == Kind::Apply) {
      sum += cost(term.op) * width(fn[fn.args(term).back()].type);
    } else if (term.kind == Kind::Cast) {
      const int64_t widest = std::max(width(term.type), width(fn[fn.args(term)[0]].type));
      sum += widest > 1 ? widest : 0;
    } else {
      sum += term.kind == Kind::At;
    }
    sum = std::min(sum, most);
  }
  return sum;
}

int64_t longest_fold(const Fn& fn, const Lengths& lengths) {
  int64_t longest = 0;
  for (const Term& term : fn.terms)
    if (term.kind == Kind::Fold) longest = std::max(longest, estimate(fn, fn.args(term)[0], lengths));
  return longest;
}

}  // namespace wf::cpu
