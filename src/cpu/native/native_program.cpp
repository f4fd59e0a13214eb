#include "cpu/native/native_program.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "cpu/native/body.h"
#include "cpu/native/halving.h"
#include "cpu/native/library.h"
#include "cpu/native/operations.h"
#include "cpu/native/search.h"
#include "cpu/program/folds/fold_code.h"
#include "engine/engine.h"

namespace wf::cpu::native {
namespace {

// A program to compile. Its native form has a function for each group of its phases, and two for halving.
struct Planned {
  std::shared_ptr<const BlockProgram> program;
  std::span<const Type> halved;  // the columns of a combining function; empty: any other
  std::vector<Group> groups[2] = {};
  bool folds = false, selects = false;
  const Epilogue* tree = nullptr;  // phase 0 has a further form, which ends in steps of a tree
  std::vector<Group> groups_of_tree = {};
  Traffic traffic = {};
};

class Plan {
 public:
  // Adds a program of the kernel.
  void add_outer(const std::shared_ptr<const BlockProgram>& program, const Epilogue* epilogue, Traffic traffic) {
    const size_t at = programs.size();
    add(program, {}, epilogue);
    if (programs.size() > at) programs[at].traffic = traffic;
  }
  // Adds the program, and those that its frames run.
  void add(const std::shared_ptr<const BlockProgram>& program, std::span<const Type> halved = {}, const Epilogue* epilogue = nullptr,
           bool masked = false) {
    if (!program || std::ranges::find(programs, program, &Planned::program) != programs.end()) return;
    if (!halved.empty() && !covers_halving(program->impl(), isa())) halved = {};
    const bool selects = epilogue && epilogue->selects && covers_search(program->impl(), isa());
    if (selects) programs.push_back({.program = program, .halved = {}, .folds = true, .selects = true});
    else if (epilogue && !epilogue->selects && !epilogue->tree)
      programs.push_back({program, {}, {groups_of(program->impl(), *epilogue, isa()), {}}, true});
    else
      programs.push_back({program, halved, {groups_of(program->impl(), 0, isa(), masked), groups_of(program->impl(), 1, isa(), masked)}});
    if (epilogue && epilogue->tree) add_tree(programs.back(), *epilogue);
    for (const LoopCode& loop : program->impl().loops) add(loop.body, {}, nullptr, true);
    for (const auto& fold : program->impl().folds) {
      for (const auto& inner : {fold->along, fold->lockstep, fold->across, fold->through}) add(inner);
      add(fold->combine.program, fold->combine.types);
    }
  }

  std::vector<Planned> programs;

 private:
  // Elements that are prefetched, or read along stretches, are computed before they are combined.
  void add_tree(Planned& planned, const Epilogue& epilogue) {
    if (!covers_halving(epilogue.tree->program->impl(), isa())) return;
    std::vector<Group> groups = groups_of(planned.program->impl(), epilogue, isa());
    const LinearCode linear = linear_code_of(planned.program->impl(), groups.back());
    if (linear.exists() || !reads_ahead(planned.program->impl(), groups.back().code, linear).empty()) return;
    planned.tree = &epilogue;
    planned.groups_of_tree = std::move(groups);
  }
};

// Returns true if the group has a second function, with stores past the caches.
bool stores_past_caches(const Planned& planned, int phase, const Group& group) {
  return planned.traffic.only_stores && may_store_past_caches(planned.program->impl(), phase, group);
}

std::string name_of(size_t function) { return "f" + std::to_string(function); }

// The phase with each group as one instruction, after its checks of whole blocks.
Phase with_calls(const BlockProgram::Impl& program, int phase, std::span<const Group> groups, uint32_t function) {
  Phase result{program.phases[phase].streams, {}};
  for (const Group& group : groups)
    for (uint32_t stream : group.direct) std::erase(result.streams, stream);
  const Instruction* next = program.phases[phase].code.data();
  const Instruction* const end = next + program.phases[phase].code.size();
  for (const Group& group : groups) {
    result.code.insert(result.code.end(), next, group.code.data());
    std::ranges::copy_if(group.code, std::back_inserter(result.code), is_of_block);
    const PredicateId predicate = group.code.empty() ? always : group.code[0].predicate;
    result.code.push_back({.kind = Instruction::Kind::Native, .detail = function++, .predicate = predicate});
    next = group.code.data() + group.code.size();
  }
  result.code.insert(result.code.end(), next, end);
  return result;
}

constexpr int64_t price_of_function = 3'000'000, price_of_operation = 100'000;  // nanoseconds; the latter on the lanes of one register

int64_t operations_of(const BlockProgram::Impl& program);

// The number of operations of an instruction that is computed for as many elements as a register has floats.
int64_t operations_of(const BlockProgram::Impl& program, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const int64_t lanes = bytes_of_vector(isa()) / 4, registers = size_of(operation.type) == 8 ? 2 : 1;
  switch (instruction.kind) {
    case Instruction::Kind::Plain:
      // The quotients of 64 bits are computed lane by lane where they are large.
      if (operation.form == Operation::Form::Apply && info(operation.op).cost == Cost::quotient && is_in(operation.type, Int))
        return registers == 2 ? 2 * lanes : 8;
      return registers;
    case Instruction::Kind::Gather: return lanes;
    case Instruction::Kind::Iterate: return operations_of(program.loops[instruction.detail].body->impl());
    default: return registers;
  }
}

int64_t operations_of(const BlockProgram::Impl& program) {
  int64_t sum = 0;
  for (const Phase& phase : program.phases)
    for (const Instruction& instruction : phase.code) sum += operations_of(program, instruction);
  return sum;
}

// Each run of instructions with one predicate is a function.
int64_t price_of(const BlockProgram::Impl& program, int64_t vectors = 1) {
  int64_t price = 0;
  for (const Phase& phase : program.phases) {
    std::optional<PredicateId> run;
    for (const Instruction& instruction : phase.code) {
      if (is_of_block(instruction)) continue;
      const bool is_covered = covers(program, instruction, isa());
      if (is_covered)
        price +=
            (run != instruction.predicate ? price_of_function : 0) + price_of_operation * vectors * operations_of(program, instruction);
      run = is_covered ? std::optional(instruction.predicate) : std::nullopt;
    }
  }
  for (const LoopCode& loop : program.loops) price += price_of(loop.body->impl());
  for (const auto& fold : program.folds)
    for (const auto& inner : {fold->along, fold->lockstep, fold->across, fold->through, fold->combine.program})
      if (inner) price += price_of(inner->impl());
  return price;
}

}  // namespace

int64_t price(std::span<const std::shared_ptr<const BlockProgram>> programs, std::span<const Ending> endings) {
  int64_t sum = 0;
  for (const auto& program : programs) sum += price_of(program->impl());
  // Each fold has as many lanes as a tile has elements.
  for (const Ending& ending : endings) sum += price_of(ending.program->impl(), tile * 4 / bytes_of_vector(isa()));
  return sum;
}

bool gains(const BlockProgram& program) {
  const BlockProgram::Impl& code = program.impl();
  if (!groups_of(code, 0, isa()).empty() || !groups_of(code, 1, isa()).empty()) return true;
  if (std::ranges::any_of(code.loops, [](const LoopCode& loop) { return gains(*loop.body); })) return true;
  return std::ranges::any_of(code.folds, [](const auto& fold) {
    return gains(*fold->along) || gains(*fold->lockstep) || (fold->combine.program && gains(*fold->combine.program));
  });
}

void compile(std::span<const std::shared_ptr<const BlockProgram>> programs, std::span<const Combine* const> combines,
             std::span<const Ending> endings, Traffic traffic) {
  if (!llvm()) throw CompileError(reason_without_llvm());
  Plan plan;
  for (const Ending& ending : endings) plan.add_outer(ending.program, &ending.epilogue, traffic);
  for (const Combine* combine : combines) plan.add(combine->program, combine->types);
  for (const auto& program : programs) plan.add_outer(program, nullptr, traffic);
  std::erase_if(plan.programs,
                [](const Planned& p) { return !p.selects && !p.tree && p.halved.empty() && p.groups[0].empty() && p.groups[1].empty(); });
  if (plan.programs.empty()) return;
  ModuleText module(isa(), llvm()->version < 15);
  size_t functions = 0;
  std::map<const BlockProgram*, std::vector<bool>> numbers;  // the columns of combining functions that are never NaNs
  for (const Planned& planned : plan.programs) {
    const BlockProgram::Impl& program = planned.program->impl();
    module.read_ahead(planned.traffic.reads_ahead);
    for (int phase : {0, 1})
      for (const Group& group : planned.groups[phase]) {
        module.add(name_of(functions++), program, group);
        if (stores_past_caches(planned, phase, group)) module.add(name_of(functions++), program, group, true);
      }
    if (planned.selects) add_search(module, name_of(functions++), program);
    if (planned.tree) {
      const std::span<const Group> groups = planned.groups_of_tree;
      for (const Group& group : groups.first(groups.size() - 1)) module.add(name_of(functions++), program, group);
      const Combine& combine = *planned.tree->tree;
      Halved halved{combine.program->impl(), combine.types};
      add_halving(module, name_of(functions++), program, groups.back(), planned.tree->values, halved);
      numbers[combine.program.get()] = halved.numbers;
    }
    if (planned.halved.empty()) continue;
    const Halved halved{program, planned.halved, numbers[planned.program.get()]};
    for (int steps : {halvings, 1}) add_halving(module, name_of(functions++), halved, steps);
  }
  const std::shared_ptr<const Code> code = compile_module(module.text(), isa());
  size_t next = 0;
  auto take = [&] { return reinterpret_cast<Function>(code->function(name_of(next++))); };
  for (const Planned& planned : plan.programs) {
    auto native = std::make_unique<NativeProgram>();
    native->code = code;
    for (int phase : {0, 1}) {
      Phase calls = with_calls(planned.program->impl(), phase, planned.groups[phase], uint32_t(native->functions.size()));
      for (const Group& group : planned.groups[phase]) {
        NativeFunction& f = native->functions.emplace_back(NativeFunction{take(), group.live});
        if (stores_past_caches(planned, phase, group)) f.past_caches = take();
      }
      native->phases[phase] = planned.folds ? planned.program->impl().phases[phase] : calls;
      if (planned.folds && phase == 0) native->folding = std::move(calls);
    }
    if (planned.selects) {
      native->functions = {{take()}};
      native->folding = Phase{planned.program->impl().phases[0].streams, {{.kind = Instruction::Kind::Native, .detail = 0}}};
    }
    if (planned.tree) {
      native->folding = with_calls(planned.program->impl(), 0, planned.groups_of_tree, uint32_t(native->functions.size()));
      for (const Group& group : planned.groups_of_tree) native->functions.push_back({take(), group.live});
    }
    if (!planned.halved.empty()) native->halving = take(), native->halving_once = take();
    planned.program->publish(std::move(native));
  }
}

}  // namespace wf::cpu::native
