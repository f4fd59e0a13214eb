#include "cpu/program/program.h"

#include "cpu/program/frame.h"

namespace wf::cpu {

Program::Program() : impl_(std::make_unique<Impl>()) {}
Program::~Program() = default;

std::shared_ptr<const Program> Program::compile(const Fn& f, const CompileOptions& options) {
  std::shared_ptr<Program> program(new Program);
  compile_into(*program->impl_, f, options);
  return program;
}

std::shared_ptr<const Program> Program::compile(const Fn& f, std::span<const uint32_t> early, bool indexed) {
  return compile(f, CompileOptions{.early = early, .indexed = indexed});
}

int64_t Program::block() const { return impl_->block; }

Frame::Frame(std::shared_ptr<const Program> program) : impl_(std::make_unique<Impl>(std::move(program))) {}
Frame::Frame(Frame&&) noexcept = default;
Frame::~Frame() = default;

void Frame::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) { impl_->bind_inputs(inputs, arguments); }

void Frame::bind_param(uint32_t k, const void* data) {
  PlaceId place = impl_->code.params[k];
  if (place != no_place) impl_->places[place].data = data;
}

void Frame::run(int phase, int64_t begin, int64_t count) { impl_->run_phase(impl_->code.phases[phase], begin, count); }

const void* Frame::result(uint32_t k) const { return impl_->places[impl_->code.results[k]].data; }
const RangeFault& Frame::fault() const { return impl_->fault; }

Frame::Impl::Impl(std::shared_ptr<const Program> of)
    : program(std::move(of)),
      code(program->impl()),
      memory(std::make_unique_for_overwrite<Tile[]>(size_t(code.block) * code.bytes_per_element / sizeof(Tile) + 1)),
      uniforms(code.uniforms),
      places(code.places.size()),
      operands(code.most_operands),
      outcomes(code.choices.size()),
      holds(code.guards.size(), true) {
  auto* registers = reinterpret_cast<std::byte*>(memory.get());
  for (size_t k = 0; k < places.size(); k++) {
    const Place& place = code.places[k];
    auto step = int64_t(size_of(place.type)) * tile;
    switch (place.from) {
      case Place::From::Register: places[k] = {registers + place.index * code.block, step}; break;
      case Place::From::Literal: places[k] = {&code.literals[place.index], 0}; break;
      case Place::From::Uniform: places[k] = {&uniforms[place.index], 0}; break;
      case Place::From::RepeatedParam: places[k] = {nullptr, 0}; break;
      case Place::From::Param:
      case Place::From::Stream: places[k] = {nullptr, step}; break;
    }
  }
  for (const Phase& phase : code.phases)
    for (const Instruction& instruction : phase.code)
      if (instruction.kind == Instruction::Kind::Iterate)
        loop_states.push_back(std::make_unique<LoopState>(code.loops[instruction.detail], code, instruction));
  if (!code.reads_inputs) run_phase(code.setup, 0, tile);
}

void Frame::Impl::bind_inputs(std::span<const InputView> views, std::span<const Bits64> values) {
  inputs.assign(views.begin(), views.end());
  arguments.assign(values.begin(), values.end());
  fault = {};
  run_phase(code.setup, 0, tile);
  for (auto& loop : loop_states) loop->body.bind_inputs(views, values);
}

}  // namespace wf::cpu
