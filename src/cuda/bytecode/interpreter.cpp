#include "cuda/bytecode/interpreter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cuda/architectures.h"
#include "engine/engine.h"

namespace wf::cuda {

// Defined in files that precompile.cpp writes.
#define ARCHITECTURE(number) extern const InterpreterCode interpreter_sm_##number;
WF_ARCHITECTURES
#undef ARCHITECTURE
#define ARCHITECTURE(number) &interpreter_sm_##number,
static const InterpreterCode* const codes[] = {WF_ARCHITECTURES nullptr};

// Code for an architecture runs on later architectures with the same major number.
InterpreterCode interpreter_code(const std::string& architecture) {
  int number = 0;
  std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
  InterpreterCode best;
  for (const InterpreterCode* c : codes)
    if (c && !c->strided[0].empty() && c->architecture / 10 == number / 10 && c->architecture <= number) best = *c;
  return best;
}

bool has_interpreter() {
  return std::ranges::any_of(codes, [](const InterpreterCode* c) { return c && !c->strided[0].empty(); });
}

// Replaces the numbers of words and registers by offsets in shared memory.
void Interpreted::place_operands(int threads) {
  using interpreter::Operand;
  auto place = [&](Operand& k) { k = k & interpreter::is_word ? k : Operand(interpreter::most_words + k * threads); };
  for (interpreter::Instruction& in : bytecode_.instructions)
    for (Operand* k : {&in.out, &in.x, &in.y, &in.z}) place(*k);
  interpreter::Arguments& a = bytecode_.arguments;
  for (Operand* k : {&a.sums_left, &a.sums_right, &a.locals_left, &a.locals_right, &a.before, &a.after, &a.scanned}) place(*k);
  for (interpreter::Segment* segment : {&a.early, &a.late, &a.join, &a.combine, &a.finish})
    for (Operand& k : segment->results) place(k);
}

Interpreted::Interpreted(Device& device, Bytecode bytecode, const Tier& tier)
    : device_(device), bytecode_(std::move(bytecode)), tier_(tier) {
  place_operands(tier.threads);
  interpreter::Arguments& a = bytecode_.arguments;
  a.order = tier.order;
  a.pack = unsigned(tier.pack);
  a.rows = unsigned(tier.rows);
  a.rolled = tier.rolled;
  const size_t bytes = bytecode_.instructions.size() * sizeof(interpreter::Instruction);
  a.registers = bytecode_.registers;
  shared_bytes_ = uint32_t(8 * (interpreter::most_words + a.registers * size_t(tier.threads)));
  if (shared_bytes_ + bytes <= device_.shared_memory()) {
    a.instructions = uint32_t(bytecode_.instructions.size());
    shared_bytes_ += uint32_t(bytes);
  }
  block_ = device_.allocate(bytes, DeviceMemory::For::Results);
  if (!block_.address) throw MemoryError("no device memory is left for a kernel's instructions");
  device_.copy_in(block_, bytecode_.instructions.data(), bytes);
  check(driver().cuStreamSynchronize(device_.queue().stream), "copying a kernel's instructions");  // all queues may read them
  bytecode_.instructions = {};
}

Interpreted::~Interpreted() {
  block_.users |= users_;
  device_.release(block_);
}

interpreter::Arguments Interpreted::arguments(const Queue& queue) const {
  users_ |= uint64_t(1) << queue.number;
  interpreter::Arguments a = bytecode_.arguments;
  a.code = reinterpret_cast<uint64_t>(block_.address);
  return a;
}

}  // namespace wf::cuda
