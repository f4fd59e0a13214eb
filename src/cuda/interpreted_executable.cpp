// A kernel whose instructions the library's interpreter runs: a kernel with a new structure starts in microseconds. It becomes due for
// compilation when interpreting it has cost as much as compiling it.
#include <algorithm>
#include <atomic>
#include <utility>

#include "cuda/executable.h"
#include "engine/engine.h"

namespace wf::cuda {
namespace {

// Replaces the numbers of words and registers by offsets in shared memory.
void place_operands(Bytecode& bytecode, int threads) {
  using interpreter::Operand;
  auto place = [&](Operand& k) { k = k & interpreter::is_word ? k : Operand(interpreter::most_words + k * threads); };
  for (interpreter::Instruction& in : bytecode.instructions)
    for (Operand* k : {&in.out, &in.x, &in.y, &in.z}) place(*k);
  interpreter::Arguments& a = bytecode.arguments;
  for (Operand* k : {&a.sums_left, &a.sums_right, &a.locals_left, &a.locals_right, &a.before, &a.after, &a.scanned}) place(*k);
  for (interpreter::Segment* segment : {&a.early, &a.late, &a.join, &a.combine, &a.finish})
    for (Operand& k : segment->results) place(k);
}

// Sets the arguments that are the same for all launches, and returns the bytes of shared memory. If there is room, the instructions are
// copied to shared memory, too.
uint32_t place_in_shared_memory(Bytecode& bytecode, const Tier& tier, size_t shared_memory) {
  place_operands(bytecode, tier.threads);
  interpreter::Arguments& a = bytecode.arguments;
  a.order = tier.order;
  a.pack = unsigned(tier.pack);
  a.rows = unsigned(tier.rows);
  a.rolled = tier.rolled;
  a.registers = bytecode.registers;
  const size_t registers = 8 * (interpreter::most_words + a.registers * size_t(tier.threads)),
               instructions = bytecode.instructions.size() * sizeof(interpreter::Instruction);
  if (registers + instructions > shared_memory) return uint32_t(registers);
  a.instructions = uint32_t(bytecode.instructions.size());
  return uint32_t(registers + instructions);
}

// Instructions in device memory, which all queues may read.
class Code {
 public:
  Code(Device& device, const std::vector<interpreter::Instruction>& instructions) : device_(device) {
    const size_t bytes = instructions.size() * sizeof(interpreter::Instruction);
    block_ = device_.allocate(bytes, DeviceMemory::For::Results);
    if (!block_.address) throw MemoryError("no device memory is left for a kernel's instructions");
    device_.copy_in(block_, instructions.data(), bytes);
    check(device_.driver().cuStreamSynchronize(device_.queue().stream), "copying a kernel's instructions");
  }
  ~Code() {
    block_.users |= users_;
    device_.release(block_);
  }
  Code(const Code&) = delete;

  uint64_t address_for(const Queue& queue) {
    users_ |= queue.bit();
    return reinterpret_cast<uint64_t>(block_.address);
  }

 private:
  Device& device_;
  DeviceMemory::Block block_;
  std::atomic<uint64_t> users_{0};  // one bit per queue
};

class Interpreted final : public Executable {
 public:
  Interpreted(Device& device, CUfunction interpreter, const Form& form, const Bytecode& bytecode, const Tier& tier, uint32_t shared_bytes)
      : Executable(device, interpreter, form, bytecode.signature, tier.threads, shared_bytes),
        code_(device, bytecode.instructions),
        arguments_(bytecode.arguments),
        work_(bytecode.work),
        tier_(tier),
        price_(tier.price) {}

  const char* code() const override { return "interpreted"; }
  bool chained() const override { return tier_.order == interpreter::by_tiles; }
  int64_t tile() const override { return chained() ? tier_.tile() : form_.tile(); }

  // Words that do not fit in the argument are copied to scratch memory.
  void start(const Queue& queue, const Start& start) override {
    interpreter::Arguments a = arguments_;
    a.n = start.n;
    a.code = code_.address_for(queue);
    a.results = start.at.results;
    a.fault = start.at.fault;
    auto set = [&]<class T>(T*& pointer, CUdeviceptr address) { pointer = reinterpret_cast<T*>(address); };
    set(a.counters, start.at.counters);
    set(a.partials, start.at.partials);
    set(a.tile_words, start.at.tile_words);
    set(a.tile_values, start.at.tile_values);
    set(a.group_words, start.at.group_words);
    set(a.group_values, start.at.group_values);
    set(a.total, start.at.total);
    const std::span<const uint64_t> first = start.words.first(std::min<size_t>(start.words.size(), interpreter::most_words)),
                                    more = start.words.subspan(first.size());
    std::ranges::copy(first, a.words);
    if (!more.empty()) {
      a.more_words = start.at.words;
      copy_words(queue, a.more_words, more);
    }
    launch(queue, start.blocks, &a);
  }

  void ran(int64_t n, bool) override { spent_ += std::max<int64_t>(1, time_to_interpret(work_, n, 1)); }
  bool rests_from_law() override { return false; }  // prefixes are computed as the user wrote them

  // The compiled kernel folds in the same order. If one block runs it, the number of its threads decides the order.
  std::optional<Form> take_due_form() override {
    if (const int64_t spent = spent_; spent == 0 || spent < price_) return std::nullopt;
    price_ = Tier::never;
    Form form = form_;
    if (form.skeleton == Skeleton::Small) form.threads = tier_.threads;
    return form;
  }

 protected:
  int64_t independent_blocks(int64_t n, int64_t tiles) const override {
    if (tier_.keeps_order) return reducing_blocks(tiles);
    return std::clamp<int64_t>((n + threads_ - 1) / threads_, 1, resident_blocks());
  }

 private:
  Code code_;
  const interpreter::Arguments arguments_;  // without addresses, n and words
  const double work_;                       // instructions per element
  const Tier tier_;
  std::atomic<int64_t> spent_{0}, price_;  // nanoseconds
};

}  // namespace

std::shared_ptr<Executable> interpret_kernel(Device& device, CUfunction interpreter, const Form& form, Bytecode bytecode,
                                             const Tier& tier) {
  const uint32_t shared_bytes = place_in_shared_memory(bytecode, tier, device.shared_memory());
  return std::make_shared<Interpreted>(device, interpreter, form, bytecode, tier, shared_bytes);
}

}  // namespace wf::cuda
