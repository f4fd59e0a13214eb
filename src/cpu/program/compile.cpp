// Compiles a function's terms to instructions: one for each needed term (facts.h), with its registers allocated on the way.
// A register is free again after its value's last use, so an instruction often overwrites its own operand.
// Cost: O(terms).
#include "cpu/program/compile.h"

#include <algorithm>
#include <array>

#include "cpu/program/assembler.h"
#include "cpu/program/facts.h"
#include "cpu/program/folds/fold_code.h"

namespace wf::cpu {
namespace {

constexpr int64_t l1_budget = 14 << 10;  // bytes of registers: half of L1, since the inputs pass through it too
constexpr int64_t smallest_block = 256, largest_block = 2048;
constexpr int64_t block_bytes_in_place = 16 << 10;  // of an input that no instruction reads: several sinks read it from L1

class Compiler {
 public:
  Compiler(const Fn& f, const CompileOptions& options, BlockProgram::Impl& program)
      : f_(f), options_(options), program_(program), write_(program), found_(find_facts(f, options)), facts_(found_.of_terms) {
    program_.predicates = found_.predicates.all();
    program_.choices.resize(found_.choices);
  }

  void run() {
    program_.params.assign(f_.params.size(), no_location);
    program_.bases.assign(f_.params.size(), no_location);
    program_.across_rows = !options_.strides.empty();
    program_.results.assign(f_.results.size(), no_location);
    emit_phase(program_.phases[0], true);
    for (uint32_t r : options_.early) program_.results[r] = write_.full(settle(f_.results[r]));
    emit_phase(program_.phases[1], false);
    for (size_t r = 0; r < f_.results.size(); r++)
      if (program_.results[r] == no_location) program_.results[r] = write_.full(settle(f_.results[r]));
    choose_block();
  }

 private:
  // ---- terms ------------------------------------------------------------------------------------------------------------------

  void emit_phase(Phase& phase, bool early) {
    write_.enter(phase);
    for (Id t = 0; t < f_.terms.size(); t++) {
      if (!facts_[t].needed() || facts_[t].early != early) continue;
      write_.predicate_by(facts_[t].predicate);
      emit(t);
    }
    write_.predicate_by(always);
  }

  void emit(Id t) {
    const Term& term = f_[t];
    Fact& fact = facts_[t];
    if (fact.base_needed) fact.base = base_of(term);
    if (fact.checked && term.kind == Kind::Check) emit_check(term);
    if (!fact.value_needed) return;
    switch (term.kind) {
      case Kind::Literal: fact.location = write_.literal(term.type, term.bits); break;
      case Kind::Param: fact.location = param(term); break;
      case Kind::Argument: fact.location = set_up_once(term.type, {.kind = Instruction::Kind::Argument, .detail = term.slot}); break;
      case Kind::Length: fact.location = set_up_once(Type::I64, {.kind = Instruction::Kind::Length, .detail = term.slot}); break;
      case Kind::Apply:
        if (!counts(t) && !selects(t)) emit_plain(t, application(term));
        break;
      case Kind::Cast: emit_plain(t, {.form = Operation::Form::Cast, .type = f_[f_.args(term)[0]].type, .to = term.type}); break;
      case Kind::At: emit_at(t); break;
      case Kind::Loop: emit_loop(t); break;
      case Kind::Foreign: emit_foreign(t); break;
      case Kind::Pick: fact.location = program_.operands[facts_[f_.args(term)[0]].location + term.slot]; break;
      case Kind::Fold: emit_fold(t); break;
      case Kind::Check:
      case Kind::Require: break;
    }
  }

  Operation application(const Term& term) const {
    return {.form = Operation::Form::Apply, .type = f_[f_.args(term).back()].type, .op = term.op};
  }

  void emit_plain(Id t, const Operation& operation) {
    Instruction instruction = begin(plain(operation), f_.args(t));
    finish_value(t, instruction, f_.args(t));
  }

  uint32_t add_walk(Id t) {
    program_.walks.push_back(*walk_of(f_, t, true));
    program_.reads_inputs |= program_.walks.back().has_argument();
    return uint32_t(program_.walks.size() - 1);
  }

  // Returns true if t is counted along the block, and emits it.
  bool counts(Id t) {
    if (!facts_[t].walks) return false;
    finish_value(t, {.kind = Instruction::Kind::Count, .detail = add_walk(t)}, {});
    return true;
  }

  // Returns true if t is a `where` that a choice decides, and emits it: a `where` in mixed blocks, in others a copy of the computed
  // branch (predicates.h).
  bool selects(Id t) {
    const uint32_t choice = facts_[t].choice;
    if (f_[t].op != Op::where_ || choice == no_choice) return false;
    const Term& condition = f_[f_.args(t)[0]];
    auto side = [&](Id x) { return IndexRange{facts_[x].stride, base(x)}; };
    program_.choices[choice] = {condition.op, side(f_.args(condition)[0]), side(f_.args(condition)[1])};
    Instruction select = plain(application(f_[t]));
    select.kind = Instruction::Kind::Select;
    select.detail = choice;
    finish_value(t, begin(select, f_.args(t)), f_.args(t));
    return true;
  }

  void emit_check(const Term& term) {
    std::span<const Id> args = f_.args(term);
    if (decided_by_runs(f_, facts_, term, options_)) {
      write_.finish(begin({.kind = Instruction::Kind::RunBounds, .detail = add_walk(args[0])}, args.subspan(1, 1)), {});
    } else if (decided_by_bounds(f_, facts_, term, options_)) {
      program_.ranges.push_back({facts_[args[0]].stride, base(args[0])});
      auto detail = uint32_t(program_.ranges.size() - 1);
      write_.finish(begin({.kind = Instruction::Kind::Bounds, .detail = detail}, args.subspan(1, 1)), {});
    } else {
      write_.finish(begin({.kind = Instruction::Kind::Check}, args), {});
      for (Id x : args) release(x);
    }
  }

  void emit_at(Id t) {
    const Term& term = f_[t];
    Id index = f_.args(term)[0];
    Fact& fact = facts_[t];
    program_.reads_inputs = true;
    if (fact.walks) {
      fact.location = write_.add_location(Location::From::Stream, term.type, uint32_t(program_.streams.size()));
      write_.phase().streams.push_back(uint32_t(program_.streams.size()));
      const CountedIndex counted = *counted_index(f_, facts_, index);
      program_.streams.push_back({term.slot, term.type, 0, counted.base ? base(*counted.base) : Base{}, fact.location,
                                  write_.reserve(term.type), fact.predicate, add_walk(counted.walk)});
      return;
    }
    if (!fact.uniform && facts_[index].streams()) {
      fact.location = write_.add_location(Location::From::Stream, term.type, uint32_t(program_.streams.size()));
      write_.phase().streams.push_back(uint32_t(program_.streams.size()));
      program_.streams.push_back(
          {term.slot, term.type, facts_[index].stride, base(index), fact.location, write_.reserve(term.type), fact.predicate});
      return;
    }
    Instruction gather = begin({.kind = Instruction::Kind::Gather,
                                .operation = {Operation::Form::Copy, term.type},
                                .loop = loops().gather[log_size(term.type)],
                                .detail = term.slot},
                               {&index, 1});
    finish_value(t, gather, {&index, 1});
  }

  void emit_loop(Id t) {
    const Term& term = f_[t];
    const Fn::LoopInfo& info = f_.loops[term.slot];
    std::span<const Id> args = f_.args(term);
    Instruction iterate = begin({.kind = Instruction::Kind::Iterate, .detail = uint32_t(program_.loops.size())}, args);
    constexpr uint32_t condition[] = {0};
    CompileOptions options{.early = condition};
    LoopCode code;
    for (uint32_t k = 0; k < args.size(); k++) {
      options.repeated.push_back(k >= info.variables && write_.is_one_tile(program_.operands[iterate.operands + k]));
      if (k < info.variables) code.variables.push_back(f_[args[k]].type);
    }
    code.body = BlockProgram::compile(*info.body, options);
    program_.reads_inputs |= code.body->impl().reads_inputs;
    emit_several(t, iterate, code.variables);
    program_.loops.push_back(std::move(code));
  }

  // The stride of an index along an axis of an array, if blocks may be runs along it. run: the length of those chosen so far, or 0.
  int32_t stride_in_runs(Id t, int64_t& run) const {
    constexpr int64_t shortest = 32;  // of which fewer are not folded across
    const auto walk = options_.in_runs && f_[t].type == Type::I64 ? walk_of(f_, t) : std::nullopt;
    if (!walk || walk->shift != 0 || walk->axes.size() < 2) return 0;
    const auto [extent, stride] = walk->axes[0];
    if (extent < shortest || (run != 0 && extent % run != 0) || std::abs(stride) > Fact::largest_stride) return 0;
    if (run == 0) run = extent;
    return int32_t(stride);
  }

  void emit_fold(Id t) {
    const Fn::LoopInfo& info = f_.loops[f_[t].slot];
    std::span<const Id> args = f_.args(t);
    Instruction fold = begin({.kind = Instruction::Kind::Fold, .detail = uint32_t(program_.folds.size())}, args);
    std::vector<FoldCode::Free> free, in_runs;
    int64_t run = program_.run;
    for (uint32_t k = 1; k < args.size(); k++) {
      free.push_back({write_.is_one_tile(program_.operands[fold.operands + k]), facts_[args[k]].streams() ? facts_[args[k]].stride : 0});
      in_runs.push_back(free.back());
      if (!free.back().is_number && free.back().stride == 0) in_runs.back().stride = stride_in_runs(args[k], run);
    }
    auto code = FoldCode::of(info, in_runs);
    if (in_runs != free && code->prefers_across) program_.run = run;
    else if (in_runs != free) code = FoldCode::of(info, free);
    program_.reads_inputs |= code->reads_inputs;
    emit_several(t, fold, code->combine.types);
    program_.folds.push_back(std::move(code));
    program_.fold_terms.push_back(t);
  }

  void emit_foreign(Id t) {
    const auto& function = f_.foreigns[f_[t].slot];
    Instruction call = begin({.kind = Instruction::Kind::Foreign, .detail = uint32_t(program_.foreigns.size())}, f_.args(t));
    for (uint32_t k = 0; k < call.operand_count; k++) {
      LocationId whole = write_.full(program_.operands[call.operands + k]);
      program_.operands[call.operands + k] = whole;
    }
    program_.foreigns.push_back(prepare(function));
    emit_several(t, call, function->results);
  }

  // The outputs' registers are allocated before the operands' are freed: these instructions read and write in no fixed order.
  void emit_several(Id t, Instruction instruction, const std::vector<Type>& types) {
    std::vector<LocationId> outs;
    for (Type type : types) outs.push_back(write_.new_register(type));
    for (Id x : f_.args(t)) release(x);
    facts_[t].location = write_.finish(instruction, outs);
  }

  // ---- index bases ------------------------------------------------------------------------------------------------------------

  Base base(Id t) {
    if (facts_[t].uniform) t = origin(f_, t);
    if (!facts_[t].uniform) return facts_[t].base;
    if (f_[t].kind == Kind::Literal) return {int64_t(f_[t].bits), no_location};
    return {0, settle(t)};
  }

  Base base_of(const Term& term) {
    if (term.kind == Kind::Param) return {0, options_.strides.empty() ? no_location : base_of_param(term.slot)};
    Base a = base(f_.args(term)[0]);
    if (term.kind == Kind::Check) return a;
    Base b = base(f_.args(term)[1]);
    if (term.op == Op::mul_) return product(literal_factor(f_, term) == 0 ? b : a, literal_factor(f_, term) == 0 ? a.literal : b.literal);
    bool adds = term.op == Op::add_;
    auto literal_part = int64_t(adds ? uint64_t(a.literal) + uint64_t(b.literal) : uint64_t(a.literal) - uint64_t(b.literal));
    if (b.location == no_location) return {literal_part, a.location};
    if (adds && a.location == no_location) return {literal_part, b.location};
    if (a.location == no_location) a.location = write_.literal(Type::I64, 0);
    const LocationId both[] = {a.location, b.location};
    Instruction combine = write_.begin(plain({.form = Operation::Form::Apply, .type = Type::I64, .op = term.op}), both);
    LocationId out = write_.new_uniform(Type::I64);
    write_.set_up(combine, out);
    return {literal_part, out};
  }

  Base product(Base base, int64_t factor) {
    if (base.location != no_location) {
      const LocationId both[] = {base.location, write_.literal(Type::I64, to_bits(factor))};
      base.location = write_.new_uniform(Type::I64);
      write_.set_up(write_.begin(plain({.form = Operation::Form::Apply, .type = Type::I64, .op = Op::mul_}), both), base.location);
    }
    base.literal = int64_t(uint64_t(base.literal) * uint64_t(factor));
    return base;
  }

  // ---- operands ---------------------------------------------------------------------------------------------------------------

  Instruction begin(Instruction instruction, std::span<const Id> args) {
    std::array<LocationId, 4> few;
    std::vector<LocationId> many(args.size() > few.size() ? args.size() : 0);
    LocationId* settled = many.empty() ? few.data() : many.data();
    for (size_t k = 0; k < args.size(); k++) settled[k] = settle(args[k]);
    return write_.begin(instruction, {settled, args.size()});
  }

  // The instruction's only result is t: in a register, perhaps of an operand that is read for the last time, or in a uniform.
  void finish_value(Id t, Instruction instruction, std::span<const Id> operands) {
    for (Id x : operands) release(x);
    LocationId& location = facts_[t].location;
    if (facts_[t].uniform) return write_.set_up(instruction, location = write_.new_uniform(f_[t].type));
    location = write_.new_register(f_[t].type);
    write_.finish(instruction, {&location, 1});
  }

  LocationId settle(Id t) { return facts_[origin(f_, t)].location; }

  void release(Id t) {
    t = origin(f_, t);
    LocationId location = facts_[t].location;
    if (--facts_[t].uses == 0 && program_.locations[location].from == Location::From::Register) write_.free_register(location);
  }

  LocationId param(const Term& term) {
    if (options_.indexed && term.slot == 0) {
      LocationId out = write_.new_register(Type::I64);
      write_.finish({.kind = Instruction::Kind::Iota}, {{out}});
      return out;
    }
    bool repeated = term.slot < options_.repeated.size() && options_.repeated[term.slot];
    LocationId location = write_.add_location(repeated ? Location::From::RepeatedParam : Location::From::Param, term.type, term.slot);
    return program_.params[term.slot] = location;
  }

  LocationId base_of_param(uint32_t k) {
    LocationId& location = program_.bases[k];
    if (location == no_location) location = write_.add_location(Location::From::RepeatedParam, Type::I64, k);
    return location;
  }

  // A value that is the same for all elements of a run.
  LocationId set_up_once(Type type, Instruction instruction) {
    program_.reads_inputs = true;
    LocationId out = write_.new_uniform(type);
    write_.set_up(instruction, out);
    return out;
  }

  // Returns true if the results are inputs, read in place: a block costs its sinks' calls and nothing else.
  bool only_reads_in_place() const {
    const auto is_in_place = [](const Stream& stream) { return stream.stride == 1 && stream.walk == Stream::no_walk; };
    return program_.phases[0].code.empty() && program_.phases[1].code.empty() && program_.streams.size() == 1 &&
           is_in_place(program_.streams[0]);
  }

  // Streams of branches alternate, so they do not count.
  void choose_block() {
    if (only_reads_in_place()) {
      program_.block =
          program_.across_rows ? widest_block : std::max(block_bytes_in_place / int64_t(size_of(program_.streams[0].type)), largest_block);
      return;
    }
    int64_t at_once = program_.bytes_per_element;
    for (const Stream& stream : program_.streams)
      if (stream.predicate != always) at_once -= int64_t(size_of(stream.type));
    int64_t fits = l1_budget / std::max<int64_t>(at_once, 1) / tile * tile;
    // A loop has its own registers, and its elements finish one by one: the larger the block, the longer its parts stay full.
    // So has a fold.
    const bool repeats = !program_.loops.empty() || !program_.folds.empty();
    program_.block = repeats || options_.neighbours ? largest_block : std::clamp(fits, smallest_block, largest_block);
    const auto reads_across = [](const auto& fold) { return fold->prefers_across && fold->across->block() == widest_block; };
    if (!program_.folds.empty() && std::ranges::all_of(program_.folds, reads_across)) program_.block = widest_block;
  }

  const Fn& f_;
  const CompileOptions& options_;
  BlockProgram::Impl& program_;
  Assembler write_;
  Facts found_;
  std::vector<Fact>& facts_;
};

}  // namespace

void compile_into(BlockProgram::Impl& program, const Fn& f, const CompileOptions& options) { Compiler(f, options, program).run(); }

}  // namespace wf::cpu
