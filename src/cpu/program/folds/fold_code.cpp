#include "cpu/program/folds/fold_code.h"

#include <algorithm>

#include "cpu/program/compile.h"
#include "cpu/program/folds/rows_in_place.h"

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

FoldCode::FoldCode(const Fn::LoopInfo& info, std::span<const Free> free_values)
    : combine(info.combine, info.identity),
      lanes(lanes_of(combine)),
      free(free_values.begin(), free_values.end()),
      is_strided(reads_strided(*info.body)) {
  const Fn& value = *info.body;
  for (size_t k = 1; k < value.params.size(); k++) free_types.push_back(value.params[k].type);
  std::vector<uint32_t> all(value.results.size());
  for (uint32_t k = 0; k < all.size(); k++) all[k] = k;

  CompileOptions one_row{.early = all, .indexed = true, .repeated = std::vector<bool>(value.params.size(), true), .rows = true};
  one_row.repeated[0] = false;
  along = BlockProgram::compile(value, one_row);
  in_place = lanes != no_lanes && RowsInPlace::covers(*along);
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
  reads_inputs = along->impl().reads_inputs || (combine.program && combine.program->impl().reads_inputs);
}

}  // namespace wf::cpu
