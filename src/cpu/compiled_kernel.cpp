#include "cpu/compiled_kernel.h"

#include <algorithm>
#include <numeric>

#include "cpu/worker.h"
#include "expr/terms.h"

namespace wf::cpu {
namespace {

constexpr int64_t serial_length = 32768;        // fewer elements of a cheap kernel do not repay waking a thread
constexpr int64_t chunk_bytes = 1 << 20;        // a chunk that is read once
constexpr int64_t chunk_bytes_in_l2 = 1 << 18;  // a chunk that is read twice, or buffered
constexpr int64_t most_chunks = 1 << 16;        // no machine needs more, and each has a record
constexpr int64_t prefix_bytes = 4096;          // a block's prefixes share L1 with the body's registers
constexpr size_t most_idle = 2;

int64_t cost(Op op) {
  switch (info(op).cost) {
    case Cost::simple:
    case Cost::quotient: return 1;
    case Cost::root:
    case Cost::light:
    case Cost::heavy: return 16;
  }
  return 1;
}

// The approximate cost per element in additions. Operations on numbers alone run once per run and cost nothing here. So a
// literal and an argument give chunks of the same length and sums with the same bracketing.
int64_t cost(const Fn& fn) {
  int64_t sum = 1;
  std::vector<bool> is_number(fn.terms.size());
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& term = fn[id];
    const bool computes = term.kind == Kind::Apply || term.kind == Kind::Cast;
    is_number[id] = term.kind == Kind::Literal || term.kind == Kind::Argument ||
                    (computes && std::ranges::all_of(fn.args(term), [&](Id x) { return is_number[x]; }));
    if (is_number[id]) continue;
    if (is_repeated(term) || term.kind == Kind::Foreign) sum += 1000;
    else if (term.kind == Kind::Apply) sum += cost(term.op);
    else sum += term.kind == Kind::At;
  }
  return sum;
}

// used[k]: some result reads parameter k.
std::vector<bool> used_params(const Fn& fn) {
  std::vector<bool> needed(fn.terms.size()), used(fn.params.size());
  for (Id id : fn.results) needed[id] = true;
  for (Id id = Id(fn.terms.size()); id-- > 0;) {
    if (!needed[id]) continue;
    for (Id arg : fn.args(id)) needed[arg] = true;
    if (fn[id].kind == Kind::Param) used[fn[id].slot] = true;
  }
  return used;
}

int64_t bytes_per_element(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Input& input : kernel.inputs) bytes += int64_t(size_of(input.type));
  for (const Compact& compact : kernel.compactions)
    for (uint32_t output : compact.outputs) bytes += int64_t(size_of(kernel.outputs[output]));
  return std::max<int64_t>(bytes, 1);
}

}  // namespace

CompiledKernel::CompiledKernel(const Kernel& original) : kernel(original), result_types(original.body->result_types()) {
  const Fn& body = *kernel.body;
  std::vector<uint32_t> early(body.results.size());
  std::iota(early.begin(), early.end(), 0u);
  if (kernel.has_scan()) {
    const Scan& s = kernel.scan[0];
    scan = std::make_unique<Combine>(s.combine, s.identity);
    early = s.values;
    const std::vector<bool> used = used_params(body);
    const size_t m = s.values.size();
    for (size_t k = 0; k < m; k++) {
      exclusive_used.push_back(used[1 + k]);
      inclusive_used.push_back(used[1 + m + k]);
    }
  }
  std::vector<bool> is_early(body.results.size()), is_law(body.results.size());
  for (uint32_t r : early) is_early[r] = true;
  for (const Reduction& r : kernel.reductions) {
    reductions.push_back(std::make_unique<Combine>(r.combine, r.identity));
    law_inclusive.push_back(r.by_law && body[body.results[r.values[0]]].slot > kernel.scan[0].values.size());
    if (r.by_law) is_law[r.values[0]] = true;
  }
  for (size_t k = 0; k < is_early.size(); k++) {
    has_phase_1 = has_phase_1 || !is_early[k];
    phase_1_by_law = phase_1_by_law || !(is_early[k] || is_law[k]);
  }
  program = BlockProgram::compile(body, early, true);
  block = program->block();
  if (scan && !kernel.scan[0].by_law)
    for (Type type : scan->types) block = std::min(block, prefix_bytes / int64_t(size_of(type)));
  if (kernel.finish) finish.emplace(kernel.finish);

  const bool chained = (kernel.has_scan() && !kernel.scan[0].by_law) || !kernel.compactions.empty();
  smallest_chunk_ = std::max<int64_t>(serial_length * 16 / (15 + cost(body)), 512);
  largest_chunk_ = std::max(smallest_chunk_, (chained ? chunk_bytes_in_l2 : chunk_bytes) / bytes_per_element(kernel));
}

CompiledKernel::~CompiledKernel() = default;

int64_t CompiledKernel::chunk_length(int64_t n) const {
  int64_t length = std::clamp(n / 16, smallest_chunk_, largest_chunk_);
  length = std::max(length, n / most_chunks);
  return (length + block - 1) / block * block;
}

std::unique_ptr<Worker> CompiledKernel::take_worker() const {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Worker> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  return std::make_unique<Worker>(*this);
}

void CompiledKernel::give_back(std::unique_ptr<Worker> worker) const {
  std::lock_guard lock(mutex_);
  if (idle_.size() < most_idle) idle_.push_back(std::move(worker));
}

}  // namespace wf::cpu
