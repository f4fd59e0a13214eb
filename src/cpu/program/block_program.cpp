#include "cpu/program/block_program.h"

#include <algorithm>

#include "cpu/native/native_program.h"
#include "cpu/program/folds/fold_state.h"
#include "cpu/program/folds/unrolled.h"
#include "cpu/program/frame.h"
#include "expr/folds/merge.h"
#include "expr/guards/guard.h"
#include "expr/hoist.h"
#include "plan/kernel.h"

namespace wf::cpu {

namespace {

// Folds that combine in the same lanes are computed together. A kernel computes what it scans before the prefixes exist, so folds that depend on a
// prefix are apart from the others.
std::vector<int> groups_of_folds(const Fn& f) {
  static_assert(no_lanes == 0);
  const std::vector<bool> is_late = depends_on_prefix(f);
  std::vector<int> group(f.terms.size());
  for (Id t = 0; t < f.terms.size(); t++)
    if (f[t].kind == Kind::Fold) group[t] = lanes_of({f.loops[f[t].slot].combine, f.loops[f[t].slot].identity}) * (is_late[t] ? -1 : 1);
  return group;
}

// f with folds over the same positions as one, and the invariants of folds and loops outside of them. If the function of a fold checks indices,
// f with loops instead of folds.
FnRef with_loops_prepared(const Fn& f) {
  const bool checks = std::ranges::any_of(f.loops, [](const Fn::LoopInfo& l) { return l.is_fold() && has_checks(*l.combine); });
  const FnRef shared = std::make_shared<const Fn>(f);
  return hoist_invariants(checks ? lower_folds(shared) : merge_folds(shared, groups_of_folds));
}

}  // namespace

BlockProgram::BlockProgram() : impl_(std::make_unique<Impl>()) {}
BlockProgram::~BlockProgram() { delete native(); }

void BlockProgram::publish(std::unique_ptr<const NativeProgram> native) const {
  const NativeProgram* none = nullptr;
  if (native_.compare_exchange_strong(none, native.get(), std::memory_order_acq_rel)) native.release();
}

std::shared_ptr<const BlockProgram> BlockProgram::compile(const Fn& f, const CompileOptions& options) {
  std::shared_ptr<BlockProgram> program(new BlockProgram);
  const FnRef prepared = f.loops.empty() ? nullptr : with_loops_prepared(f);
  compile_into(*program->impl_, prepared ? *prepared : f, options);
  if (program->impl_->folds.empty()) return program;
  if (const FnRef unrolled = unroll_short_folds(*prepared, program->impl_->folds, program->impl_->fold_terms)) {
    program->impl_ = std::make_unique<Impl>();
    compile_into(*program->impl_, *unrolled, options);
  }
  return program;
}

std::shared_ptr<const BlockProgram> BlockProgram::compile(const Fn& f, std::span<const uint32_t> early, bool indexed) {
  return compile(f, CompileOptions{.early = early, .indexed = indexed});
}

int64_t BlockProgram::block() const { return impl_->block; }
int64_t BlockProgram::run() const { return impl_->run; }

bool BlockProgram::folds_rows() const {
  const std::vector<Instruction>& code = impl_->phases[0].code;
  if (code.empty() || code.back().kind != Instruction::Kind::Fold || !impl_->choices.empty() || !impl_->phases[0].streams.empty())
    return false;
  const Instruction& fold = code.back();
  const Location::From count = impl_->locations[impl_->operands[fold.operands]].from;
  const auto computes = [](const Instruction& i) { return i.kind == Instruction::Kind::Plain || i.kind == Instruction::Kind::Iota; };
  return (count == Location::From::Literal || count == Location::From::Uniform) && MatrixRows::reads(*impl_->folds[fold.detail]) &&
         std::all_of(code.begin(), code.end() - 1, computes) &&
         std::ranges::equal(impl_->results, std::span(impl_->operands).subspan(fold.outs, fold.out_count));
}

Frame::Frame(std::shared_ptr<const BlockProgram> program) : impl_(std::make_unique<Impl>(std::move(program))) {}
Frame::Frame(Frame&&) noexcept = default;
Frame::~Frame() = default;

void Frame::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) { impl_->bind_inputs(inputs, arguments); }

void Frame::bind_param(uint32_t k, const void* data) {
  LocationId location = impl_->code.params[k];
  if (location != no_location) impl_->locations[location].data = data;
}

void Frame::bind_base(uint32_t k, const void* data) {
  LocationId location = impl_->code.bases[k];
  if (location != no_location) impl_->locations[location].data = data;
}

void Frame::enter_row() { impl_->set_up(impl_->code.row_setup); }

void Frame::select_row(int row, int next) { impl_->row = row, impl_->next_row = next; }

const void* Frame::number(LocationId location) const { return impl_->locations[location].data; }

FoldWays Frame::fold_ways() const {
  FoldWays ways;
  for (const auto& fold : impl_->fold_states) ways.add(fold->ways());
  return ways;
}
void Frame::may_use_threads(bool may) { impl_->may_use_threads = may; }

void Frame::run(int phase, int64_t begin, int64_t count) { impl_->run_phase(phase, impl_->phases()[phase], begin, count); }

bool Frame::fold_rows(int64_t begin, int64_t count, std::span<void* const> outs) { return impl_->fold_rows(begin, count, outs); }

bool Frame::folds() const { return impl_->native && impl_->native->folding; }

int64_t Frame::span(int64_t begin, int64_t count) {
  Impl& frame = *impl_;
  const Phase& phase = folds() ? *frame.native->folding : frame.phases()[0];
  if (std::ranges::count(phase.code, always, &Instruction::predicate) > 1) return 0;
  const bool has_parts = std::ranges::any_of(frame.inputs, [](const InputView& input) { return !input.parts.empty(); });
  for (; count > frame.code.block; count = count / 2 / tile * tile) {
    frame.decide(begin, count);
    if (std::ranges::find(frame.outcomes, mixed) != frame.outcomes.end()) continue;
    if (!frame.runs_one(phase)) return 0;
    if (frame.needs_no_frame(phase, begin, count)) return count;
    if (frame.outcomes.empty() && !has_parts) return 0;
  }
  return 0;
}

void Frame::run_folding(void* const* lanes, int64_t begin, int64_t count) {
  impl_->lanes = lanes;
  impl_->run_phase(0, *impl_->native->folding, begin, count);
}

const void* Frame::result(uint32_t k) const { return impl_->locations[impl_->code.results[k]].data; }

const void* Frame::in_place(uint32_t k, int64_t begin, int64_t count) const {
  const Location& location = impl_->code.locations[impl_->code.results[k]];
  return location.from == Location::From::Stream ? impl_->in_place(impl_->code.streams[location.index], begin, count) : nullptr;
}

void Frame::place_result(uint32_t k, void* memory) {
  const LocationId id = impl_->code.results[k];
  const Location& location = impl_->code.locations[id];
  if (location.from == Location::From::Register) {
    impl_->locations[id].data = memory ? memory : impl_->register_memory(id);
  } else if (location.from == Location::From::Stream) {
    const Stream& stream = impl_->code.streams[location.index];
    impl_->spares[location.index] = memory ? static_cast<std::byte*>(memory) : impl_->spare_of(stream);
  }
}

void Frame::store_past_caches(bool past) { impl_->past_caches = past; }

bool Frame::stores_past_caches(uint32_t k) const {
  const NativeProgram* native = impl_->past_caches ? impl_->native : nullptr;
  if (!native) return false;
  const LocationId location = impl_->code.results[k];
  const auto stores = [&](const NativeFunction& f) { return std::ranges::find(f.stored, location) != f.stored.end(); };
  const auto f = std::ranges::find_if(native->functions, stores);
  return f != native->functions.end() && f->past_caches;
}

const RangeFault& Frame::fault() const { return impl_->fault; }
void Frame::forget_fault() { impl_->fault = {}; }

Frame::Impl::Impl(std::shared_ptr<const BlockProgram> of)
    : program(std::move(of)),
      code(program->impl()),
      memory(std::make_unique_for_overwrite<Tile[]>(size_t(code.block) * code.bytes_per_element / sizeof(Tile) + 1)),
      uniforms(code.uniforms),
      locations(code.locations.size()),
      operands(code.most_operands),
      outcomes(code.choices.size()),
      holds(code.predicates.size(), true),
      spares(code.streams.size()),
      earlier(code.across_rows ? code.streams.size() : 0) {
  for (size_t k = 0; k < locations.size(); k++) {
    const Location& location = code.locations[k];
    auto step = int64_t(size_of(location.type)) * tile;
    switch (location.from) {
      case Location::From::Register: locations[k] = {register_memory(LocationId(k)), step}; break;
      case Location::From::Literal: locations[k] = {&code.literals[location.index], 0}; break;
      case Location::From::Uniform:
      case Location::From::RowUniform: locations[k] = {&uniforms[location.index], 0}; break;
      case Location::From::RepeatedParam: locations[k] = {nullptr, 0}; break;
      case Location::From::Param:
      case Location::From::Stream: locations[k] = {nullptr, step}; break;
    }
  }
  std::ranges::transform(code.streams, spares.begin(), [&](const Stream& stream) { return spare_of(stream); });
  for (const Phase& phase : code.phases)
    for (const Instruction& instruction : phase.code)
      if (instruction.kind == Instruction::Kind::Iterate)
        loop_states.push_back(std::make_unique<LoopState>(code.loops[instruction.detail], code, instruction));
  for (const auto& fold : code.folds) fold_states.push_back(std::make_unique<FoldState>(*fold));
  for (const Stream& stream : code.streams)
    if (stream.walk != Stream::no_walk && Panels::fit(code.walks[stream.walk], size_of(stream.type))) {
      panels.resize(code.walks.size());
      panels[stream.walk] = std::make_unique<Panels>(code.walks[stream.walk], size_of(stream.type));
    }
  native = program->native();
  if (!code.reads_inputs) set_up(code.setup);
}

void Frame::Impl::bind_inputs(std::span<const InputView> views, std::span<const Bits64> values) {
  inputs.assign(views.begin(), views.end());
  arguments.assign(values.begin(), values.end());
  fault = {};
  native = program->native();
  for (auto& panel : panels)
    if (panel) panel->forget();
  set_up(code.setup);
  for (auto& loop : loop_states) loop->body.bind_inputs(views, values);
  for (auto& fold : fold_states) fold->bind_inputs(views, values);
}

Frame::Impl::~Impl() = default;

bool Frame::Impl::is_placed(LocationId location) const {
  const Location::From from = code.locations[location].from;
  return from == Location::From::Stream || (from == Location::From::Register && locations[location].data != register_memory(location));
}

bool Frame::Impl::goes_past_caches(const NativeFunction& f) const {
  return past_caches && f.past_caches && std::ranges::all_of(f.stored, [&](LocationId location) { return is_placed(location); });
}

const Phase* Frame::Impl::phases() const { return native ? native->phases : code.phases; }

}  // namespace wf::cpu
