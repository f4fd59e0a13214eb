#include "cpu/native/native_program.h"

#include <algorithm>
#include <string>

#include "cpu/native/library.h"
#include "cpu/program/folds/fold_code.h"
#include "engine/engine.h"

namespace wf::cpu::native {
namespace {

// The programs, and those that their frames run.
void collect(const std::shared_ptr<const BlockProgram>& program, std::vector<std::shared_ptr<const BlockProgram>>& all) {
  if (!program || std::ranges::find(all, program) != all.end()) return;
  all.push_back(program);
  for (const LoopCode& loop : program->impl().loops) collect(loop.body, all);
  for (const auto& fold : program->impl().folds)
    for (const auto& inner : {fold->along, fold->lockstep, fold->across, fold->combine.program}) collect(inner, all);
}

struct Planned {
  const BlockProgram* program;
  std::vector<Group> groups[2];  // by phase
};

std::string name_of(size_t function) { return "group_" + std::to_string(function); }

// The phase with each group as one instruction.
Phase with_calls(const BlockProgram::Impl& program, int phase, std::span<const Group> groups, uint32_t function) {
  Phase result{program.phases[phase].streams, {}};
  const Instruction* next = program.phases[phase].code.data();
  const Instruction* const end = next + program.phases[phase].code.size();
  for (const Group& group : groups) {
    result.code.insert(result.code.end(), next, group.code.data());
    result.code.push_back({.kind = Instruction::Kind::Native, .detail = function++, .predicate = group.code[0].predicate});
    next = group.code.data() + group.code.size();
  }
  result.code.insert(result.code.end(), next, end);
  return result;
}

}  // namespace

bool gains(const BlockProgram& program) {
  const BlockProgram::Impl& code = program.impl();
  if (!groups_of(code, 0, isa()).empty() || !groups_of(code, 1, isa()).empty()) return true;
  if (std::ranges::any_of(code.loops, [](const LoopCode& loop) { return gains(*loop.body); })) return true;
  return std::ranges::any_of(code.folds, [](const auto& fold) {
    return gains(*fold->along) || gains(*fold->lockstep) || (fold->combine.program && gains(*fold->combine.program));
  });
}

void compile(std::span<const std::shared_ptr<const BlockProgram>> programs) {
  if (!llvm()) throw CompileError(reason_without_llvm());
  std::vector<std::shared_ptr<const BlockProgram>> all;
  for (const auto& program : programs) collect(program, all);
  ModuleText module(isa(), llvm()->version < 15);
  std::vector<Planned> planned;
  size_t functions = 0;
  for (const auto& program : all) {
    Planned plan{program.get(), {groups_of(program->impl(), 0, isa()), groups_of(program->impl(), 1, isa())}};
    for (const auto& groups : plan.groups)
      for (const Group& group : groups) module.add(name_of(functions++), program->impl(), group);
    if (!plan.groups[0].empty() || !plan.groups[1].empty()) planned.push_back(std::move(plan));
  }
  if (functions == 0) return;
  const std::shared_ptr<const Code> code = compile_module(module.text(), isa());
  size_t next = 0;
  for (const Planned& plan : planned) {
    auto native = std::make_unique<NativeProgram>();
    native->code = code;
    for (int phase : {0, 1}) {
      native->phases[phase] = with_calls(plan.program->impl(), phase, plan.groups[phase], uint32_t(native->functions.size()));
      for (size_t k = 0; k < plan.groups[phase].size(); k++)
        native->functions.push_back(reinterpret_cast<Function>(code->function(name_of(next++))));
    }
    plan.program->publish(std::move(native));
  }
}

}  // namespace wf::cpu::native
