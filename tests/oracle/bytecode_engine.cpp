#include "oracle/bytecode_engine.h"

#include <cstring>
#include <string>

#include "cuda/bytecode/bytecode.h"
#include "cuda/text/split.h"
#include "engine/index_error.h"
#include "oracle/engine.h"

namespace bytecode_engine {
namespace {

using namespace wf::interpreter;
using wf::Bits64;

int number_interpreted = 0;

// skeletons/interpreter.cuh and small.cuh on the host.
class Machine {
 public:
  Machine(const wf::cuda::Bytecode& code, int64_t n, std::vector<Bits64> words)
      : code_(code), a_(code.arguments), n_(n), words_(std::move(words)), registers_(code.registers) {}

  std::vector<Bits64> results;

  void run() {
    constexpr int64_t threads = 5;
    const int64_t each = (n_ + threads - 1) / threads;
    std::vector<Columns> before{identity(a_.locals_identity, a_.locals)}, sums;
    if (a_.locals > 0)
      for (int64_t t = 0; t < threads; t++) {
        Columns own = before[0];
        for (int64_t i = t * each; i < std::min(n_, (t + 1) * each); i++) own = combine(own, early(i));
        before.push_back(combine(before.back(), own));
      }
    for (int64_t t = 0; t < threads; t++) {
      Columns prefix = a_.locals > 0 ? before[t] : before[0];
      sums.push_back(identity(a_.sums_identity, a_.sums));
      for (int64_t i = t * each; i < std::min(n_, (t + 1) * each); i++) {
        const Columns after = a_.locals > 0 ? combine(prefix, early(i)) : prefix;
        late(i, prefix, after, sums.back());
        prefix = after;
      }
    }
    if (!a_.has_finish) return;
    Columns total = sums[0];
    for (int64_t t = 1; t < threads; t++) total = join(total, sums[t]);
    if (n_ == 0) total = identity(a_.sums_identity, a_.sums);
    registers_[0] = Bits64(at_ = 0);
    put(a_.sums_left, total);
    put(a_.scanned, n_ == 0 ? before.front() : before.back());
    execute(a_.finish.begin);
  }

 private:
  using Columns = std::vector<Bits64>;

  Columns identity(uint32_t first, uint32_t count) const { return {words_.begin() + first, words_.begin() + first + count}; }
  void put(uint32_t first, const Columns& x) { std::copy(x.begin(), x.end(), registers_.begin() + first); }
  Columns take(const Segment& segment, uint32_t count) const {
    Columns x;
    for (uint32_t k = 0; k < count; k++) x.push_back(registers_[segment.results[k]]);
    return x;
  }
  Columns join(const Columns& x, const Columns& y) {
    put(a_.sums_left, x);
    put(a_.sums_right, y);
    execute(a_.join.begin);
    return take(a_.join, a_.sums);
  }
  Columns combine(const Columns& x, const Columns& y) {
    put(a_.locals_left, x);
    put(a_.locals_right, y);
    execute(a_.combine.begin);
    return take(a_.combine, a_.locals);
  }
  Columns early(int64_t i) {
    registers_[0] = Bits64(at_ = i);
    execute(a_.early.begin);
    return take(a_.early, a_.locals);
  }
  void late(int64_t i, const Columns& before, const Columns& after, Columns& sums) {
    registers_[0] = Bits64(at_ = i);
    put(a_.before, before);
    put(a_.after, after);
    execute(a_.late.begin);
    if (a_.sums > 0) sums = join(sums, take(a_.late, a_.sums));
  }

  Bits64 operand(Operand k) const { return k & is_word ? words_[k & (is_word - 1)] : registers_[k]; }

  void execute(uint32_t at) {
    while (true) {
      const Instruction in = code_.instructions.at(at++);
      const Bits64 x = operand(in.x), y = operand(in.y), z = operand(in.z);
      Bits64 out = 0;
      switch (in.code) {
        case code_end: return;
        case code_jump: at = in.extra; continue;
        case code_jump_unless: at = x ? at : in.extra; continue;
        case code_check: check(int64_t(x), int64_t(y), z != 0); continue;
        case code_result:
          results.resize(std::max<size_t>(results.size(), in.extra + 1));
          results[in.extra] = x;
          continue;
        case code_store_1:
        case code_store_4:
        case code_store_8:
          if (z) std::memcpy(column(in) + x * bytes(in.code - code_store_1), &y, bytes(in.code - code_store_1));
          continue;
        case code_select: out = x ? y : z; break;
        case code_move: out = x; break;
        case code_word: out = words_[most_words + in.extra]; break;
        case code_load_1:
        case code_load_4:
        case code_load_8: out = element(in.extra, bytes(in.code - code_load_1), x); break;
        case code_load_more_1:
        case code_load_more_4:
        case code_load_more_8: out = element(most_words + in.extra, bytes(in.code - code_load_more_1), x); break;
        default: {
          const wf::Type type = wf::Type(in.code % types);
          const uint32_t op = in.code / types;
          // Operands beyond an operation's arity may have any value.
          const int arity = op >= number_to_Bool ? 1 : wf::info(wf::Op(op)).arity;
          if (op >= number_to_Bool) out = wf::convert(type, wf::Type(op - number_to_Bool), x);
          else out = wf::evaluate(wf::Op(op), type, x, arity > 1 ? y : 0, arity > 2 ? z : 0);
        }
      }
      registers_[in.out] = out;
    }
  }
  static size_t bytes(uint32_t kind) { return kind == 0 ? 1 : kind == 1 ? 4 : 8; }
  char* column(const Instruction& in) const { return reinterpret_cast<char*>(words_[in.extra]); }
  // Returns an element of the column whose address and length are words_[word] and the next.
  Bits64 element(uint32_t word, size_t size, Bits64 index) const {
    Bits64 bits = 0;
    if (index < words_[word + 1]) std::memcpy(&bits, reinterpret_cast<const char*>(words_[word]) + index * size, size);
    return bits;
  }
  void check(int64_t index, int64_t length, bool guard) const {
    if (guard && uint64_t(index) >= uint64_t(length)) wf::throw_index_error(index, at_, length);
  }

  const wf::cuda::Bytecode& code_;
  const Arguments& a_;
  const int64_t n_;
  const std::vector<Bits64> words_;
  std::vector<Bits64> registers_;
  int64_t at_ = 0;  // the element that is computed; 0 for the finish
};

class Interpreting : public wf::Engine {
 public:
  std::string name() const override { return "bytecode"; }
  double copy_bandwidth() override { return 1; }
  bool scans_along(const wf::ScanAxis& axis, int64_t elements, const wf::Fn& f) const override {
    return slow_->scans_along(axis, elements, f);
  }

  void call(const wf::RoutineCall& call, wf::Launch& launch) override { slow_->call(call, launch); }

  void run(wf::Launch& launch) override {
    if (!launch.kernel->elements.empty()) return run_in_two(launch);
    const wf::Kernel kernel = wf::lower_folds(wf::with_values(*launch.kernel, launch.arguments));
    const wf::cuda::Literals literals = wf::cuda::literals_of(kernel);
    const auto code = wf::cuda::needs_split(kernel) ? std::nullopt : wf::cuda::assemble(kernel, literals, false);
    if (!code) return slow_->run(launch);
    number_interpreted++;
    Machine machine(*code, launch.n, words(*code, launch, literals));
    machine.run();
    const auto counts = machine.results.begin() + (kernel.finish ? code->signature.scalars : 0);
    launch.scalars = std::vector<wf::Bits64>(machine.results.begin(), counts);
    launch.counts.assign(counts, machine.results.end());
  }

 private:
  static std::vector<Bits64> words(const wf::cuda::Bytecode& code, const wf::Launch& launch, const wf::cuda::Literals& literals) {
    std::vector<Bits64> all;
    for (const wf::cuda::Argument& word : code.signature.arguments) {
      switch (word.kind) {
        using enum wf::cuda::Argument::Kind;
        case Input: {
          const wf::InputBuffer& input = launch.inputs[word.value];
          all.push_back(Bits64(input.buffer->host() + size_t(input.offset) * wf::size_of(launch.kernel->inputs[word.value].type)));
          break;
        }
        case InputLength: all.push_back(Bits64(launch.inputs[word.value].length)); break;
        case Output: all.push_back(Bits64(launch.outputs[word.value]->host_for_writing())); break;
        case Literal: all.push_back(literals.values[word.value]); break;
        case Constant: all.push_back(word.value); break;
        default: throw std::logic_error("unexpected kind of bytecode word");
      }
    }
    return all;
  }

  void run_in_two(wf::Launch& launch) {
    const wf::InTwo two = wf::in_two(*launch.kernel);
    std::vector<wf::BufferRef> outputs(launch.outputs.begin(), launch.outputs.end());
    std::vector<wf::InputBuffer> inputs(launch.inputs.begin(), launch.inputs.end());
    for (size_t k = outputs.size(); k < two.first.outputs.size(); k++) {
      outputs.push_back(wf::Buffer::make(pool_, size_t(launch.n) * wf::size_of(two.first.outputs[k])));
      inputs.push_back({outputs.back(), launch.n});
    }
    wf::Launch rows{.kernel = &two.first, .n = launch.n, .inputs = launch.inputs, .outputs = outputs};
    wf::Launch elements{.kernel = &two.second, .n = launch.n * two.count, .inputs = inputs, .outputs = launch.outputs};
    rows.arguments = elements.arguments = launch.arguments;
    run(rows);
    run(elements);
  }

  const std::shared_ptr<wf::Pool> pool_ = std::make_shared<wf::Pool>(-1);
  std::unique_ptr<wf::Engine> slow_ = oracle::make_engine();
};

}  // namespace

std::unique_ptr<wf::Engine> make_engine() { return std::make_unique<Interpreting>(); }
int interpreted() { return number_interpreted; }

}  // namespace bytecode_engine
