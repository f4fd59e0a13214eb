// Runs a program's instructions on a block.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "cpu/loops/segment_numbers.h"
#include "cpu/native/native_program.h"
#include "cpu/program/columns.h"
#include "cpu/program/frame.h"
#include "cpu/routines/rows.h"

namespace wf::cpu {

void copy_within_bounds(std::byte* out, const InputView& input, size_t size, int64_t first, int64_t stride, int64_t count) {
  auto* data = static_cast<const std::byte*>(input.data);
  if (stride == 1) {
    int64_t from = std::clamp<int64_t>(first < 0 ? -uint64_t(first) : 0, 0, count);
    int64_t to = first >= input.length || first < -count ? from : std::clamp(input.length - first, from, count);
    std::memset(out, 0, size_t(from) * size);
    if (to > from) std::memcpy(out + from * size, data + (first + from) * int64_t(size), size_t(to - from) * size);
    std::memset(out + to * size, 0, size_t(count - to) * size);
  } else {
    for (int64_t k = 0; k < count; k++) {
      const auto index = int64_t(uint64_t(first) + uint64_t(stride) * uint64_t(k));
      if (uint64_t(index) < uint64_t(input.length)) std::memcpy(out + k * size, data + index * int64_t(size), size);
      else std::memset(out + k * size, 0, size);
    }
  }
}

namespace {

int64_t tiles_of(int64_t count) { return (count + tile - 1) / tile; }

bool compare(Op op, int64_t x, int64_t y) {
  switch (op) {
    case Op::lt_: return x < y;
    case Op::le_: return x <= y;
    case Op::gt_: return x > y;
    default: return x >= y;
  }
}

// Returns true if the elements are inside the input, and the last tile of them can be read to its end.
bool has_tiles(const InputView& input, int64_t first, int64_t count) {
  return first >= 0 && first <= input.length - count && first <= input.readable - tiles_of(count) * tile;
}

template <class T> void copy_strided(std::byte* out, const std::byte* in, int64_t stride, int64_t count) {
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  if (stride == 0) std::fill_n(to, count, *from);
  else
    for (int64_t k = 0; k < count; k++) to[k] = from[k * stride];
}

// out[k] = element first + k of an input of parts.
void copy_parts(std::byte* out, const InputView& input, int64_t size, int64_t first, int64_t count) {
  for (const PartView* part = &input.part_of(first); count > 0; part++) {
    const int64_t some = std::min(count, part->end - first);
    std::memcpy(out, static_cast<const std::byte*>(part->data) + (first - part->begin) * size, size_t(some * size));
    out += some * size, first += some, count -= some;
  }
}

// out[k] = element base + (begin + k) / extent of the input. Returns false, and does nothing, if the walk is another one, or reads outside.
bool repeats_elements(const Walk& walk, uint64_t base, int64_t begin, int64_t count, const InputView& input, int64_t size, std::byte* out) {
  constexpr int64_t most_equal = 8;
  if (walk.axes.size() != 2 || walk.axes[0].stride != 0 || walk.axes[1].stride != 1 || walk.has_argument()) return false;
  const int64_t extent = walk.axes[0].extent, first = begin + walk.shift, from = int64_t(base + uint64_t(walk.base)) + first / extent;
  if (extent > most_equal || first < 0 || from < 0 || !input.parts.empty() || from + count / extent + 1 >= input.length) return false;
  const std::byte* x = static_cast<const std::byte*>(input.data) + from * size;
  const int64_t head = std::min((extent - first % extent) % extent, count);
  auto fill = [&](int64_t n) {
    for (int64_t k = 0; k < n; k++) std::memcpy(out + k * size, x, size_t(size));
    out += n * size, x += size, count -= n;
  };
  if (head > 0) fill(head);
  if (extent == 2) {
    simd_tables().streams.join(size, x, x, count / 2, out);
    out += count / 2 * 2 * size, x += count / 2 * size, count %= 2;
  }
  visit_size(size_t(size), [&](auto known) {
    constexpr int64_t bytes = decltype(known)::value;
    for (; count >= most_equal; out += extent * bytes, x += bytes, count -= extent)
      for (int64_t k = 0; k < most_equal; k++) std::memcpy(out + k * bytes, x, bytes);
  });
  while (count > 0) fill(std::min(extent, count));
  return true;
}

// The same as copy_within_bounds, where all or none of the elements are usually inside.
void copy_run(std::byte* out, const InputView& input, size_t size, int64_t first, int64_t stride, int64_t count) {
  const __int128 last = __int128(stride) * (count - 1) + first;
  if (first < 0 || first >= input.length || last < 0 || last >= input.length)
    return copy_within_bounds(out, input, size, first, stride, count);
  const auto* from = static_cast<const std::byte*>(input.data) + first * int64_t(size);
  if (stride == 1) std::memcpy(out, from, size_t(count) * size);
  else if (size == 1) copy_strided<uint8_t>(out, from, stride, count);
  else if (size == 4) copy_strided<uint32_t>(out, from, stride, count);
  else copy_strided<uint64_t>(out, from, stride, count);
}

}  // namespace

void Frame::Impl::set_up(const Phase& phase) {
  for (const Instruction& instruction : phase.code) execute(instruction, 0, tile);
}

// phase: a form of phase `number`. After a fault the interpreter runs, since native loops know only the faults of their own function.
void Frame::Impl::run_phase(int number, const Phase& phase, int64_t begin, int64_t count) {
  if (!code.choices.empty()) decide(begin, count);
  for (uint32_t k : phase.streams) {
    const Stream& stream = code.streams[k];
    if (holds[stream.predicate]) place_stream(k, begin, count);
    else if (native) locations[stream.location].data = spares[k];  // native code reads it and drops what it has read
  }
  for (const Instruction& instruction : phase.code) {
    if (!holds[instruction.predicate]) continue;
    if (fault.at >= 0 && &instruction != phase.code.data() && instruction.kind == Instruction::Kind::Native) {
      // Native code would not stop at the fault. It may also have kept values of phase 0 in registers, so the interpreter begins there.
      for (int k = 0; k <= number; k++) run_phase(k, code.phases[k], begin, count);
      return;
    }
    execute(instruction, begin, count);
  }
  if (phase.code.empty()) return;  // no instruction has read the streams yet
  for (uint32_t k : phase.streams)
    if (code.streams[k].stride == 1 && holds[code.streams[k].predicate]) ask_for_next(k, count);
}

// Prefetches the beginning of the stream's next block while this block's values are written to their sinks. A longer prefetch is
// slower than the hardware prefetcher. Across rows, the next block is as far from this one as this one is from the last, and the
// hardware does not expect it.
void Frame::Impl::ask_for_next(uint32_t k, int64_t count) {
  constexpr int64_t few_bytes = 1024, line = 64;
  const Stream& stream = code.streams[k];
  auto* data = static_cast<const std::byte*>(locations[stream.location].data);
  const int64_t length = count * int64_t(size_of(stream.type));
  const std::byte* next = data + length;
  int64_t bytes = few_bytes;
  if (!earlier.empty()) {
    const std::byte* before = std::exchange(earlier[k], data);
    if (next_row < 0 ? !before : next_row == row || stream.base.location == no_location) return;
    if (next_row < 0) {
      next = data + (data - before);
    } else {
      const auto* bases = static_cast<const int64_t*>(locations[stream.base.location].data);
      next = data + int64_t(uint64_t(bases[next_row]) - uint64_t(bases[row])) * int64_t(size_of(stream.type));
    }
    bytes = length;
  }
  for (int64_t at = 0; at < bytes; at += line) __builtin_prefetch(next + at);
}

void Frame::Impl::decide(int64_t begin, int64_t count) {
  for (size_t k = 0; k < code.choices.size(); k++) outcomes[k] = outcome_of(code.choices[k], begin, count);
  for (size_t g = 1; g < holds.size(); g++) {
    const Predicate& predicate = code.predicates[g];
    holds[g] = holds[predicate.parent] && (outcomes[predicate.choice] & predicate.outcomes);
  }
}

// Both sides are linear in the index, so an outcome that is the same at both ends is the same between them, unless a side wraps.
Outcome Frame::Impl::outcome_of(const Choice& choice, int64_t begin, int64_t count) const {
  const int64_t left = value_of(choice.left.base), right = value_of(choice.right.base);
  int trues = 0;
  for (int64_t i : {begin, begin + count - 1}) {
    int64_t x, y;
    if (__builtin_add_overflow(left, choice.left.stride * i, &x)) return mixed;
    if (__builtin_add_overflow(right, choice.right.stride * i, &y)) return mixed;
    trues += compare(choice.op, x, y);
  }
  return trues == 2 ? all_true : trues == 0 ? all_false : mixed;
}

// where(c, a, b)
void Frame::Impl::select(const Instruction& instruction, void* out, int64_t count) {
  const Operand* in = gather_operands(instruction);
  const Outcome outcome = outcomes[instruction.detail];
  if (outcome == mixed) return instruction.loop(out, in, tiles_of(count));
  const Type type = code.locations[code.operands[instruction.outs]].type;
  loops().copy[log_size(type)](out, &in[outcome == all_true ? 1 : 2], tiles_of(count));
}

const Operand* Frame::Impl::gather_operands(const Instruction& instruction) {
  for (uint32_t k = 0; k < instruction.operand_count; k++) operands[k] = locations[code.operands[instruction.operands + k]];
  return operands.data();
}

void Frame::Impl::execute(const Instruction& instruction, int64_t begin, int64_t count) {
  void* out = instruction.out_count ? memory_of(code.operands[instruction.outs]) : nullptr;
  switch (instruction.kind) {
    case Instruction::Kind::Plain: return instruction.loop(out, gather_operands(instruction), tiles_of(count));
    case Instruction::Kind::Select: return select(instruction, out, count);
    case Instruction::Kind::Iota: return loops().progression(static_cast<int64_t*>(out), begin, 1, tiles_of(count) * tile);
    case Instruction::Kind::Count: return count_walk(code.walks[instruction.detail], static_cast<int64_t*>(out), begin, count);
    case Instruction::Kind::Length: std::fill_n(static_cast<int64_t*>(out), tile, inputs[instruction.detail].length); return;
    case Instruction::Kind::Argument: {
      const Type type = code.locations[code.operands[instruction.outs]].type;
      return fill_tile(out, type, arguments[instruction.detail]);
    }
    case Instruction::Kind::Gather: {
      const InputView& input = inputs[instruction.detail];
      Operand both[] = {locations[code.operands[instruction.operands]], {input.data, input.length}};
      return instruction.loop(out, both, tiles_of(count));
    }
    case Instruction::Kind::Check: return check(instruction, begin, count);
    case Instruction::Kind::Bounds: return check_bounds(instruction, begin, count);
    case Instruction::Kind::RunBounds: return check_runs(instruction, begin, count);
    case Instruction::Kind::Iterate: return iterate(instruction, begin, count);
    case Instruction::Kind::Fold: return fold(instruction, begin, count);
    case Instruction::Kind::Foreign: return call_foreign(instruction, count);
    case Instruction::Kind::Native: {
      const native::Memory memory{locations.data(), inputs.data(), arguments.data(), lanes, note_outside, this};
      const NativeFunction& f = native->functions[instruction.detail];
      return (goes_past_caches(f) ? f.past_caches : f.function)(&memory, begin, count);
    }
  }
}

int64_t Frame::Impl::value_of(const Base& base) const {
  if (base.location == no_location) return base.literal;
  return int64_t(uint64_t(base.literal) + uint64_t(static_cast<const int64_t*>(locations[base.location].data)[row]));
}

// A walk of two axes comes back to a digit after each period, moved by the outer stride.
void Frame::Impl::count_walk(const Walk& walk, int64_t* out, int64_t begin, int64_t count) const {
  constexpr int64_t short_run = 16;
  const int64_t extent = walk.axes[0].extent, periods = (short_run + extent - 1) / std::max<int64_t>(extent, 1), period = periods * extent;
  const bool repeats = walk.axes.size() == 2 && extent < short_run && !walk.has_argument() && walk.shift >= 0 && count > period;
  int64_t* r = out;
  for_runs(walk, arguments, begin, repeats ? period : count, [&](int64_t first, int64_t stride, int64_t n, const int64_t*) {
    loops().progression(r, first, stride, n);
    r += n;
  });
  const uint64_t step = uint64_t(periods) * uint64_t(walk.axes.back().stride);
  for (int64_t k = period; repeats && k < count; k++) out[k] = int64_t(uint64_t(out[k - period]) + step);
}

// The address of the elements of a run if they are contiguous in the input, and whole tiles can be read; else null.
const std::byte* Frame::Impl::in_place(const Stream& stream, int64_t begin, int64_t count) const {
  const InputView& input = inputs[stream.slot];
  if (stream.walk != Stream::no_walk || stream.stride != 1 || input.of_segments) return nullptr;
  const auto first = int64_t(uint64_t(value_of(stream.base)) + uint64_t(begin));
  if (!input.parts.empty()) {
    const PartView& part = input.part_of(first);
    const int64_t at = first - part.begin;
    const InputView alone{part.data, part.end - part.begin, part.readable};
    return has_tiles(alone, at, count) ? static_cast<const std::byte*>(part.data) + at * int64_t(size_of(stream.type)) : nullptr;
  }
  return has_tiles(input, first, count) ? static_cast<const std::byte*>(input.data) + first * int64_t(size_of(stream.type)) : nullptr;
}

bool Frame::Impl::runs_one(const Phase& phase) const {
  return std::ranges::count_if(phase.code, [&](const Instruction& instruction) { return holds[instruction.predicate]; }) <= 1;
}

bool Frame::Impl::needs_no_frame(const Phase& phase, int64_t begin, int64_t count) const {
  const auto first = std::ranges::find_if(phase.code, [&](const Instruction& instruction) { return holds[instruction.predicate]; });
  const bool computes = first != phase.code.end(), is_native = computes && first->kind == Instruction::Kind::Native;
  if (computes && !is_native && first->kind != Instruction::Kind::Plain && first->kind != Instruction::Kind::Select) return false;
  const std::vector<LocationId>& written = is_native ? native->functions[first->detail].stored : code.results;
  if (!std::ranges::all_of(written, [&](LocationId location) { return is_placed(location); })) return false;
  return std::ranges::all_of(phase.streams, [&](uint32_t k) {
    const Stream& stream = code.streams[k];
    if (!holds[stream.predicate]) return !is_native;  // native code reads all streams
    return in_place(stream, begin, count) || (!computes && spares[k] != spare_of(stream));
  });
}

// Reads in place if possible, otherwise copies.
void Frame::Impl::place_stream(uint32_t number, int64_t begin, int64_t count) {
  const Stream& stream = code.streams[number];
  if (inputs[stream.slot].of_segments) return place_segment_numbers(number, begin, count);
  if (stream.walk != Stream::no_walk) return place_walk(number, begin, count);
  Operand& location = locations[stream.location];
  if (const std::byte* elements = in_place(stream, begin, count)) {
    location.data = elements;
    return;
  }
  const InputView& input = inputs[stream.slot];
  const auto size = int64_t(size_of(stream.type)), stride = int64_t(stream.stride);
  const auto first = int64_t(uint64_t(value_of(stream.base)) + uint64_t(stride) * uint64_t(begin));
  std::byte* const spare = spares[number];
  if (!input.parts.empty()) {
    location.data = spare;
    return copy_parts(spare, input, size, first, count);
  }
  auto is_inside = [&](int64_t index) { return index >= 0 && index < input.length; };
  location.data = spare;
  int64_t copied = 0;
  if (stride != 1 && is_inside(first) && is_inside(first + stride * (count - 1))) {
    const Operand from{static_cast<const std::byte*>(input.data) + first * size, stride};
    loops().stride[log_size(stream.type)](spare, &from, count / tile);
    copied = count / tile * tile;
  }
  copy_within_bounds(spare + copied * size, input, size_t(size), first + stride * copied, stride, count - copied);
}

// A block often begins in the segment in which the last one has ended, or after it.
void Frame::Impl::place_segment_numbers(uint32_t number, int64_t begin, int64_t count) {
  const Stream& stream = code.streams[number];
  const InputView& input = inputs[stream.slot];
  const auto* offsets = static_cast<const int64_t*>(input.data);
  std::byte* const spare = spares[number];
  locations[stream.location].data = spare;
  segments.resize(code.streams.size());
  int64_t& k = segments[number];
  const bool is_known = k + 1 < input.length && offsets[k] <= begin && begin < offsets[k + 1];
  if (!is_known) k = segment_of(offsets, input.length, begin);
  if (stream.type == Type::I32) k = number_positions(offsets, input.length, k, begin, begin + count, reinterpret_cast<int32_t*>(spare));
  else k = number_positions(offsets, input.length, k, begin, begin + count, reinterpret_cast<int64_t*>(spare));
}

// A block that is one run of neighbours is read in place, any other is copied run by run.
void Frame::Impl::place_walk(uint32_t number, int64_t begin, int64_t count) {
  const Stream& stream = code.streams[number];
  const InputView& input = inputs[stream.slot];
  const auto size = int64_t(size_of(stream.type));
  std::byte* const spare = spares[number];
  Operand& location = locations[stream.location];
  location.data = spare;
  std::byte* out = spare;
  Panels* transposed = panels.empty() ? nullptr : panels[stream.walk].get();
  const auto base = uint64_t(value_of(stream.base));
  if (repeats_elements(code.walks[stream.walk], base, begin, count, input, size, spare)) return;
  for_runs(code.walks[stream.walk], arguments, begin, count, [&](int64_t from, int64_t stride, int64_t n, const int64_t* digits) {
    const auto first = int64_t(base + uint64_t(from));
    if (n == count && stride == 1 && has_tiles(input, first, count)) {
      location.data = static_cast<const std::byte*>(input.data) + first * size;
    } else if (transposed && transposed->covers(input, first, digits)) {
      const std::byte* elements = transposed->run(input, first, n, digits, out);
      if (n == count) location.data = elements;
      else if (elements != out) std::memcpy(out, elements, size_t(n * size));
    } else {
      copy_run(out, input, size_t(size), first, stride, n);
    }
    out += n * size;
  });
}

void Frame::Impl::record(int64_t at, int64_t index, int64_t length) {
  if (fault.at < 0 || at < fault.at) fault = {at, index, length};
}

int64_t Frame::Impl::before_fault(int64_t begin, int64_t first, int64_t count) const {
  if (fault.at < 0) return count;
  if (!indices) return std::clamp<int64_t>(fault.at - begin - first, 0, count);
  return std::lower_bound(indices + first, indices + first + count, fault.at) - (indices + first);
}

void Frame::Impl::check(const Instruction& instruction, int64_t begin, int64_t count) {
  const Operand* in = gather_operands(instruction);
  bool any;
  loops().outside(&any, in, tiles_of(count));
  if (!any) return;
  auto element = [&](int operand, int64_t k, size_t size) {
    return static_cast<const std::byte*>(in[operand].data) + k / tile * in[operand].step + (k % tile) * int64_t(size);
  };
  for (int64_t k = 0; k < count; k++) {
    int64_t index, length;
    std::memcpy(&index, element(0, k, 8), 8);
    std::memcpy(&length, element(1, k, 8), 8);
    bool counts = *element(2, k, 1) != std::byte(0) && (!active || active[k]);
    if (counts && uint64_t(index) >= uint64_t(length)) return record(indices ? indices[k] : begin + k, index, length);
  }
}

void Frame::Impl::note_outside(void* frame, int64_t begin, int64_t first, uint64_t bits, const int64_t* bad, const int64_t* lengths) {
  auto& f = *static_cast<Impl*>(frame);
  for (; bits != 0; bits &= bits - 1) {
    const int lane = std::countr_zero(bits);
    const int64_t k = first + lane;
    if (!f.active || f.active[k]) return f.record(f.indices ? f.indices[k] : begin + k, bad[lane], lengths[lane]);
  }
}

// The indices of the elements from `begin` on are first, first + stride, first + 2 stride, ...
void Frame::Impl::check_run(int64_t begin, int64_t first, int64_t stride, int64_t count, int64_t length) {
  if (uint64_t(first) >= uint64_t(length)) return record(begin, first, length);
  if (stride == 0) return;
  const int64_t inside = (stride > 0 ? length - 1 - first : first) / std::abs(stride) + 1;
  if (inside < count) record(begin + inside, first + inside * stride, length);
}

void Frame::Impl::check_bounds(const Instruction& instruction, int64_t begin, int64_t count) {
  const IndexRange& range = code.ranges[instruction.detail];
  const int64_t length = *static_cast<const int64_t*>(locations[code.operands[instruction.operands]].data);
  const auto first = int64_t(uint64_t(value_of(range.base)) + uint64_t(range.stride) * uint64_t(begin));
  check_run(begin, first, range.stride, count, length);
}

void Frame::Impl::check_runs(const Instruction& instruction, int64_t begin, int64_t count) {
  const int64_t length = *static_cast<const int64_t*>(locations[code.operands[instruction.operands]].data);
  for_runs(code.walks[instruction.detail], arguments, begin, count, [&](int64_t first, int64_t stride, int64_t n, const int64_t*) {
    check_run(begin, first, stride, n, length);
    begin += n;
  });
}

void Frame::Impl::call_foreign(const Instruction& instruction, int64_t count) {
  std::vector<const void*> in;
  std::vector<void*> out;
  for (uint32_t k = 0; k < instruction.operand_count; k++) in.push_back(locations[code.operands[instruction.operands + k]].data);
  for (uint32_t k = 0; k < instruction.out_count; k++) out.push_back(memory_of(code.operands[instruction.outs + k]));
  call(*code.foreigns[instruction.detail], count, in.data(), out.data(), active);
}

}  // namespace wf::cpu
