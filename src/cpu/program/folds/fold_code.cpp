#include "cpu/program/folds/fold_code.h"

#include <algorithm>

#include "cpu/program/compile.h"
#include "cpu/program/folds/matrix_rows.h"
#include "cpu/program/folds/rows_in_place.h"
#include "cpu/program/folds/rows_together.h"
#include "expr/terms.h"

namespace wf::cpu {
namespace {

// Returns true if `value` reads an element at an index computed from j, other than j + base and base - j, without reading another
// element for it.
bool reads_strided(const Fn& value) {
  enum class In : uint8_t { Nothing, Unit, Other, Element };
  std::vector<In> in(value.terms.size(), In::Nothing);
  for (Id t = 0; t < value.terms.size(); t++) {
    const Term& term = value[t];
    std::span<const Id> args = value.args(term);
    for (Id x : args) in[t] = std::max(in[t], in[x]);
    if (term.kind == Kind::Param && term.slot == 0) in[t] = In::Unit;
    if (term.kind == Kind::Check) in[t] = in[args[0]];
    const bool shifts = term.kind == Kind::Apply && (term.op == Op::add_ || term.op == Op::sub_) && in[args[0]] != in[args[1]];
    if (in[t] == In::Unit && term.kind != Kind::Param && term.kind != Kind::Check && !shifts) in[t] = In::Other;
    if (term.kind != Kind::At) continue;
    if (in[args[0]] == In::Other) return true;
    in[t] = in[args[0]] == In::Nothing ? In::Nothing : In::Element;
  }
  return false;
}

// The folds compiled so far inside of the outermost fold that this thread compiles.
class CompiledInside {
 public:
  CompiledInside() : is_outermost_(!current_) {
    if (is_outermost_) current_ = this;
  }
  ~CompiledInside() {
    if (is_outermost_) current_ = nullptr;
  }
  CompiledInside(const CompiledInside&) = delete;

  static std::shared_ptr<const FoldCode> shared(const Fn::LoopInfo& info, std::span<const FoldCode::Free> free) {
    if (!current_) return std::make_shared<const FoldCode>(info, free);
    const uint64_t hash = mix(structure_hash(*info.body, true), structure_hash(*info.combine, true));
    for (const Fold& known : current_->folds_)
      if (known.hash == hash && is_same(known.info, info) && std::ranges::equal(known.code->free, free)) return known.code;
    CompiledInside& all = *current_;
    auto code = std::make_shared<const FoldCode>(info, free);
    all.folds_.push_back({hash, info, code});
    return code;
  }

 private:
  struct Fold {
    uint64_t hash;
    Fn::LoopInfo info;
    std::shared_ptr<const FoldCode> code;
  };
  static bool is_same(const Fn::LoopInfo& a, const Fn::LoopInfo& b) {
    return a.identity == b.identity && same_structure(*a.body, *b.body, true) && same_structure(*a.combine, *b.combine, true);
  }
  static inline thread_local CompiledInside* current_ = nullptr;
  bool is_outermost_;
  std::vector<Fold> folds_;
};

// The cost of reading elements: none for those read in place.
size_t cost_of_reads(const BlockProgram& program) {
  const auto gathers =
      std::ranges::count_if(program.impl().phases[0].code, [](const Instruction& i) { return i.kind == Instruction::Kind::Gather; });
  const auto strided = std::ranges::count_if(program.impl().streams, [](const Stream& s) { return s.stride != 1 && s.stride != -1; });
  return size_t(2 * gathers + strided);
}

}  // namespace

// Operations of integers give the same in every order, so they impose no number of lanes.
int lanes_of(const Combine& combine) {
  if (!combine.in_registers()) return no_lanes;
  int lanes = 1;
  for (Type type : combine.types) {
    if (!is_in(type, Float)) continue;
    const int wanted = simd::fold_bytes / int(size_of(type));
    if (lanes != 1 && lanes != wanted) return no_lanes;
    lanes = wanted;
  }
  return lanes;
}

int64_t FoldCode::segment_of(int64_t count) const { return lanes == no_lanes ? simd::longest_segment : simd::segment_of(count); }

std::shared_ptr<const FoldCode> FoldCode::of(const Fn::LoopInfo& info, std::span<const Free> free) {
  return CompiledInside::shared(info, free);
}

FoldCode::FoldCode(const Fn::LoopInfo& info, std::span<const Free> free_values)
    : combine(info.combine, info.identity),
      lanes(lanes_of(combine)),
      free(free_values.begin(), free_values.end()),
      is_strided(reads_strided(*info.body)) {
  const CompiledInside scope;
  const Fn& value = *info.body;
  for (size_t k = 1; k < value.params.size(); k++) free_types.push_back(value.params[k].type);
  std::vector<uint32_t> all(value.results.size());
  for (uint32_t k = 0; k < all.size(); k++) all[k] = k;

  CompileOptions one_row{.early = all, .indexed = true, .repeated = std::vector<bool>(value.params.size(), true), .rows = true};
  one_row.repeated[0] = false;
  along = BlockProgram::compile(value, one_row);
  in_place = lanes != no_lanes && RowsInPlace::covers(*along);
  together = lanes != no_lanes && !in_place && RowsTogether::covers(*along, free);
  for (uint32_t k = 1; k < value.params.size(); k++) {
    const LocationId location = along->impl().params[k];
    only_bases.push_back(free_types[k - 1] == Type::I64 &&
                         std::ranges::find(along->impl().operands, location) == along->impl().operands.end() &&
                         std::ranges::find(along->impl().results, location) == along->impl().results.end());
  }

  CompileOptions many_rows{.early = all, .rows = true};
  many_rows.repeated.push_back(true);
  for (const Free& x : free) many_rows.repeated.push_back(x.is_number);
  lockstep = BlockProgram::compile(value, many_rows);

  if (std::ranges::any_of(free, [](const Free& x) { return x.stride != 0; })) {
    many_rows.strides.push_back(0);
    for (const Free& x : free) many_rows.strides.push_back(x.stride);
    across = BlockProgram::compile(value, many_rows);
    prefers_across = cost_of_reads(*across) < std::min(cost_of_reads(*along), cost_of_reads(*lockstep));
    if (cost_of_reads(*across) >= cost_of_reads(*lockstep)) across = nullptr;
  }
  if (RowValues::may_cover(*this)) {
    bool is_along = true;
    for (size_t k = 0; k < free.size(); k++) {
      one_row.repeated[1 + k] = free[k].is_number || free_types[k] == Type::I64;
      is_along &= one_row.repeated[1 + k];
    }
    through = is_along ? along : BlockProgram::compile(value, one_row);
    if (!RowValues::covers(*this)) through = nullptr;
  }
  reads_inputs = along->impl().reads_inputs || (combine.program && combine.program->impl().reads_inputs);
}

}  // namespace wf::cpu
