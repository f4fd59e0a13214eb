#include "cpu/program/folds/unrolled.h"

#include <algorithm>

#include "cpu/program/folds/matrix_rows.h"
#include "expr/guards/guard.h"
#include "expr/rewrite.h"

namespace wf::cpu {
namespace {

constexpr int64_t longest_unrolled = 32;  // positions
constexpr int64_t most_unrolled = 512;    // terms of all positions: compiling more takes longer than it saves

bool is_short(const Fn& f, const Term& fold) {
  const Fn::LoopInfo& inside = f.loops[fold.slot];
  const Term& count = f[f.args(fold)[0]];
  if (count.kind != Kind::Literal || !inside.body->loops.empty() || !inside.body->foreigns.empty() || has_checks(*inside.body))
    return false;
  const auto positions = from_bits<int64_t>(count.bits);
  return positions > 0 && positions <= longest_unrolled &&
         positions * int64_t(inside.body->terms.size() + inside.combine->terms.size()) <= most_unrolled;
}

struct Unroll : Copy {
  Unroll(Builder& to, const Fn& from, const std::vector<const FoldCode*>& codes) : Copy(to, from), codes(codes) {}

  const std::vector<const FoldCode*>& codes;  // of the folds to unroll, by their terms
  const Fn::LoopInfo* fold = nullptr;
  std::span<const Id> free;

  std::vector<Id> value(int64_t j) {
    std::vector<Id> params{to.constant(j)};
    params.insert(params.end(), free.begin(), free.end());
    return to.inline_call(*fold->body, params);
  }
  std::vector<Id> combined(std::vector<Id> left, const std::vector<Id>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return to.inline_call(*fold->combine, left);
  }
  // The positions first, first + stride, ... below count, as lanes are joined (lockstep.h).
  std::vector<Id> joined(int64_t first, int64_t stride, int64_t count, int64_t lanes) {
    if (stride < lanes) {
      const std::vector<Id> left = joined(first, 2 * stride, count, lanes);
      return first + stride < count ? combined(left, joined(first + stride, 2 * stride, count, lanes)) : left;
    }
    std::vector<Id> total = value(first);
    for (int64_t j = first + stride; j < count; j += stride) total = combined(total, value(j));
    return total;
  }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    if (!codes[id]) return Copy::repeat(id, x);
    fold = &info(id), free = x.subspan(1);
    const auto count = from_bits<int64_t>(to[x[0]].bits);
    const std::vector<Type> types = fold->combine->result_types();
    std::vector<Id> total;
    for (size_t k = 0; k < types.size(); k++) total.push_back(to.literal(types[k], fold->identity[k]));
    if (codes[id]->lanes != no_lanes) total = combined(total, joined(0, 1, count, codes[id]->lanes));
    for (int64_t j = 0; codes[id]->lanes == no_lanes && j < count; j++) total = combined(total, value(j));
    // A fold evaluates its free values, which may fail, whichever of its results are read.
    for (Id& result : total) result = to.require(result, free);
    return total;
  }
};

}  // namespace

FnRef unroll_short_folds(const Fn& f, std::span<const std::shared_ptr<const FoldCode>> codes, std::span<const Id> terms) {
  std::vector<const FoldCode*> chosen(f.terms.size());
  for (size_t k = 0; k < terms.size(); k++)
    if (is_short(f, f[terms[k]]) && !codes[k]->prefers_across && !MatrixRows::covers(*codes[k])) chosen[terms[k]] = codes[k].get();
  if (std::ranges::none_of(chosen, [](const FoldCode* code) { return code; })) return nullptr;
  Builder builder;
  builder.reads_cannot_fail();
  Unroll pass(builder, f, chosen);
  return builder.finish(copy_terms(pass, copy_params(builder, f)));
}

}  // namespace wf::cpu
