// Data-dependent loops: the elements of a part of the block iterate together, as many as fit the body's registers in L1.
//
// Finished elements keep their values while the others continue. When half of them are finished, their values are written out
// and the rest is compacted, so that all steps cost at most twice the work of the running elements.
#include <algorithm>
#include <cstring>

#include "cpu/program/frame.h"
#include "engine/cancellation.h"

namespace wf::cpu {
namespace {

template <class T> void keep_in_place(T* values, const unsigned char* keep, int64_t count) {
  for (int64_t k = 0, kept = 0; k < count; k++) {
    values[kept] = values[k];
    kept += keep[k];
  }
}

// Moves the elements whose `keep` is 1 to the front.
void keep_active(void* values, Type type, const unsigned char* keep, int64_t count) {
  switch (size_of(type)) {
    case 1: return keep_in_place(static_cast<uint8_t*>(values), keep, count);
    case 4: return keep_in_place(static_cast<uint32_t*>(values), keep, count);
    default: return keep_in_place(static_cast<uint64_t*>(values), keep, count);
  }
}

// out[position[k]] = values[k] for all k, or only for those whose `skip` is 0.
template <class T> void scatter_as(void* out, const void* values, const int32_t* position, const unsigned char* skip, int64_t count) {
  for (int64_t k = 0; k < count; k++)
    if (!skip || !skip[k]) static_cast<T*>(out)[position[k]] = static_cast<const T*>(values)[k];
}
void scatter(void* out, const void* values, Type type, const int32_t* position, const unsigned char* skip, int64_t count) {
  switch (size_of(type)) {
    case 1: return scatter_as<uint8_t>(out, values, position, skip, count);
    case 4: return scatter_as<uint32_t>(out, values, position, skip, count);
    default: return scatter_as<uint64_t>(out, values, position, skip, count);
  }
}

}  // namespace

LoopState::LoopState(const LoopCode& loop, const BlockProgram::Impl& outer, const Instruction& instruction)
    : body(loop.body), part(loop.body->block()) {
  size_t tiles = size_t(part / tile);
  for (uint32_t k = 0; k < instruction.operand_count; k++) types.push_back(outer.locations[outer.operands[instruction.operands + k]].type);
  for (auto& side : values) side.resize(types.size() * tiles);
  active.resize(size_t(part));
  positions.resize(size_t(part));
  indices.resize(size_t(part));
}

void Frame::Impl::iterate(const Instruction& instruction, int64_t begin, int64_t count) {
  LoopState& state = *loop_states[instruction.detail];
  for (int64_t first = 0; first < count; first += state.part)
    iterate_part(instruction, state, first, begin, std::min(state.part, count - first));
}

void Frame::Impl::iterate_part(const Instruction& instruction, LoopState& state, int64_t first, int64_t begin, int64_t count) {
  const LoopCode& loop = code.loops[instruction.detail];
  const Loops& table = loops();
  auto variables = uint32_t(loop.variables.size());
  unsigned char* mask = state.active.data();
  auto out = [&](uint32_t k) {
    auto* whole = static_cast<std::byte*>(memory_of(code.operands[instruction.outs + k]));
    return whole + first * int64_t(size_of(state.types[k]));
  };
  state.enter(*this, instruction, first, begin, count);
  constexpr int64_t steps_between_looks = 64;
  int side = 0;
  for (int64_t step = 0;; step++, side = !side) {
    if (step % steps_between_looks == 0) stop_if_canceled();
    int64_t tiles = (count + tile - 1) / tile;
    for (uint32_t k = 0; k < variables; k++) state.body.bind_param(k, state.value(k, side));
    state.body.run(0, begin, count);
    Operand both[] = {{mask, tile}, {state.body.result(0), tile}};
    table.op[int(Op::and_)][int(Type::Bool)](mask, both, tiles);
    std::fill(mask + state.body.impl_->before_fault(begin, 0, count), mask + count, 0);
    int64_t running = std::count(mask, mask + count, 1);
    if (running == 0) {
      for (uint32_t k = 0; k < variables; k++)
        scatter(out(k), state.value(k, side), state.types[k], state.positions.data(), nullptr, count);
      break;
    }
    state.body.run(1, begin, count);
    for (uint32_t k = 0; k < variables; k++) {
      int64_t step = int64_t(size_of(state.types[k])) * tile;
      Operand choice[] = {{mask, tile}, {state.body.result(1 + k), step}, {state.value(k, side), step}};
      table.op[int(Op::where_)][int(state.types[k])](state.value(k, !side), choice, tiles);
    }
    if (count > tile && running <= count / 2) {
      for (uint32_t k = 0; k < variables; k++) scatter(out(k), state.value(k, !side), state.types[k], state.positions.data(), mask, count);
      state.keep_running(loop, !side, count);
      count = running;
    }
  }
  const RangeFault& inner = state.body.fault();
  if (inner.at >= 0) record(inner.at, inner.index, inner.length);
}

// Initialises the part's variables and free values.
void LoopState::enter(const Frame::Impl& outer, const Instruction& instruction, int64_t first, int64_t begin, int64_t count) {
  const LoopCode& loop = outer.code.loops[instruction.detail];
  const int64_t tiles = (count + tile - 1) / tile, evaluated = outer.before_fault(begin, first, count);
  for (int64_t k = 0; k < tiles * tile; k++) {
    active[k] = k < evaluated && (!outer.active || outer.active[first + k]);
    positions[k] = int32_t(k);
    indices[k] = outer.indices && k < count ? outer.indices[first + k] : begin + first + k;
  }
  body.impl_->active = active.data();
  body.impl_->indices = indices.data();
  for (uint32_t k = 0; k < types.size(); k++) {
    Operand from = outer.locations[outer.code.operands[instruction.operands + k]];
    from.data = static_cast<const std::byte*>(from.data) + first / tile * from.step;
    bool varies = k < loop.variables.size();
    if (varies || from.step != 0) loops().copy[log_size(types[k])](value(k, 0), &from, tiles);
    if (!varies) body.bind_param(k, from.step != 0 ? value(k, 0) : from.data);
  }
}

void LoopState::keep_running(const LoopCode& loop, int side, int64_t count) {
  for (uint32_t k = 0; k < types.size(); k++) {
    bool varies = k < loop.variables.size();
    keep_active(value(k, varies ? side : 0), types[k], active.data(), count);
  }
  keep_in_place(positions.data(), active.data(), count);
  keep_in_place(indices.data(), active.data(), count);
  int64_t running = std::count(active.begin(), active.begin() + count, 1);
  std::fill(active.begin(), active.begin() + running, 1);
  std::fill(active.begin() + running, active.end(), 0);
}

}  // namespace wf::cpu
