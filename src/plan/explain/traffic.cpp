// The bytes that a step must move, for explain: each element that it reads once, and each one that it writes.
//
// An index term has at most as many different values as its operands have combinations, as the variables that it depends on (the index of the
// kernel, the positions of folds) have values together, and as there are integers in its range. The row of a broadcast, i rem n, so counts n
// elements; the neighbours of a window, which overlap, count the matrix once.
#include <algorithm>
#include <limits>
#include <map>

#include "expr/range.h"
#include "lazy/linear/routine.h"
#include "plan/plan.h"

namespace wf {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// An input's elements that a step reads: at most `count` of those numbered low to high.
struct ElementsRead {
  double count = 0, low = unlimited, high = -1;
  double number() const { return std::min(count, std::max(0.0, high - low + 1)); }
};

class ReadCounter {
 public:
  explicit ReadCounter(const Step& step) : lengths_(step.lengths), reads_(step.kernel.inputs.size()) {}
  const std::vector<ElementsRead>& reads() const { return reads_; }

  // A function that is called for each index in [0, n), its parameter 0.
  void add(const Fn& fn, int64_t n) {
    variables_.clear();
    std::vector<Values> params{variable(double(n))};
    std::vector<Range> bounds{{0, n - 1}};
    while (params.size() < fn.params.size()) {
      bounds.push_back(all_of(fn.params[params.size()].type));
      params.push_back(variable(unlimited));
    }
    add(fn, params, bounds);
  }

 private:
  struct Values {
    double count = 1;        // of different ones, at most
    uint64_t variables = 0;  // on which they depend: a bit for each
  };

  Values variable(double count) {
    constexpr size_t most = 64;
    if (variables_.size() < most) variables_.push_back(count);
    else variables_.back() = unlimited;
    return {count, uint64_t(1) << (variables_.size() - 1)};
  }

  Values joined(std::span<const Id> operands, std::span<const Values> values) const {
    Values all;
    for (Id id : operands) {
      all.count *= values[id].count;
      all.variables |= values[id].variables;
    }
    double together = 1;
    for (size_t k = 0; k < variables_.size(); k++)
      if (all.variables >> k & 1) together *= variables_[k];
    return {std::min(all.count, together), all.variables};
  }

  void add(const Fn& fn, std::span<const Values> params, std::span<const Range> param_bounds) {
    std::vector<Values> values;
    std::vector<Range> bounds;
    for (Id id = 0; id < fn.terms.size(); id++) {
      const Term& term = fn[id];
      const std::span<const Id> operands = fn.args(term);
      bounds.push_back(range_of(fn, id, bounds, param_bounds));
      values.push_back(term.kind == Kind::Param ? params[term.slot] : joined(operands, values));
      if (const Range& r = bounds[id]; r.known()) values[id].count = std::min(values[id].count, double(r.high - r.low + 1));
      if (term.kind == Kind::At) read(term.slot, values[operands[0]], bounds[operands[0]]);
      if (term.kind == Kind::Fold || term.kind == Kind::Loop) repeat(fn.loops[term.slot], operands, values, bounds);
    }
  }

  void repeat(const Fn::LoopInfo& info, std::span<const Id> operands, std::span<const Values> values, std::span<const Range> bounds) {
    std::vector<Values> params;
    std::vector<Range> param_bounds;
    for (uint32_t k = 0; k < info.body->params.size(); k++) {
      if (k >= info.variables) {
        params.push_back(values[operands[k]]);
        param_bounds.push_back(bounds[operands[k]]);
      } else if (info.is_fold()) {
        const Wide count = bounds[operands[0]].high;
        if (count <= 0) return;
        params.push_back(variable(double(count)));
        param_bounds.push_back({0, count - 1});
      } else {
        params.push_back(variable(unlimited));
        param_bounds.push_back(all_of(info.body->params[k].type));
      }
    }
    add(*info.body, params, param_bounds);
  }

  // An element at a literal index costs nothing.
  void read(uint32_t slot, const Values& index, const Range& bounds) {
    if (index.variables == 0) return;
    const double last = lengths_[slot] < 0 ? unlimited : double(lengths_[slot] - 1);
    const double low = std::max(0.0, double(bounds.low)), high = std::min(last, double(bounds.high));
    if (low > high) return;
    ElementsRead& all = reads_[slot];
    all.count += std::min(index.count, high - low + 1);
    all.low = std::min(all.low, low);
    all.high = std::max(all.high, high);
  }

  const std::vector<int64_t>& lengths_;
  std::vector<ElementsRead> reads_;
  std::vector<double> variables_;  // the number of values of each
};

// The elements of a matrix that an operand of the routine is, of which a triangle may be all that is read.
int64_t size_of_operand(const LinearRoutine& r, size_t operand) {
  const bool is_first = operand == 0;
  switch (r.op) {
    case LinearRoutine::Product: return is_first ? r.m * r.k : r.k * r.n;
    case LinearRoutine::TriangularProduct:
    case LinearRoutine::TriangularSolve: return is_first ? r.m * (r.m + 1) / 2 - r.unit * r.m : r.m * r.n;
    case LinearRoutine::Cholesky:
    case LinearRoutine::SymmetricEigen: return r.n * (r.n + 1) / 2;
    case LinearRoutine::Eliminate: return r.n * r.n;
    case LinearRoutine::Fourier:
    case LinearRoutine::InverseFourier: return 2 * r.n;
    case LinearRoutine::SolveEliminated: return is_first ? r.n * r.n + r.n : r.n * r.m;
    case LinearRoutine::Orthogonal:
    case LinearRoutine::SingularValues: break;
  }
  return r.m * r.n;
}

// Returns true if the step appends parts, of which it reads as many elements as it writes. The plan does not list those in memory.
bool appends(const Step& step) { return step.call && step.call->routine.kind == Routine::Join; }

std::vector<ElementsRead> reads_of_call(const Step& step, int64_t n) {
  std::vector<ElementsRead> reads;
  for (size_t k = 0; k < step.lengths.size(); k++) {
    const auto length = double(step.lengths[k] < 0 ? n : step.lengths[k]);
    double count = length;
    if (step.call->routine.kind == Routine::Linear) {
      const LinearRoutine r = linear_routine(step.call->parameters);
      const bool is_repeated = (k == 0 ? r.a : r.b).batch == 0;
      count = double(size_of_operand(r, k)) * double(is_repeated ? std::min<int64_t>(r.batch, 1) : r.batch);
    }
    reads.push_back({std::min(count, length), 0, length - 1});
  }
  return reads;
}

std::vector<ElementsRead> reads_of(const Step& step, std::span<const Bits64> arguments, int64_t n) {
  if (n <= 0) return std::vector<ElementsRead>(step.kernel.inputs.size());
  if (step.call) return reads_of_call(step, n);
  const Kernel kernel = with_values(step.kernel, arguments);
  ReadCounter counter(step);
  counter.add(*kernel.body, n);
  for (const RowElements& e : kernel.elements) counter.add(*e.value, n * e.count);
  std::vector<ElementsRead> reads = counter.reads();
  for (size_t k = 0; k < reads.size(); k++)
    if (kernel.inputs[k].of_segments && step.lengths[k] >= 0) reads[k] = {double(step.lengths[k]), 0, double(step.lengths[k] - 1)};
  return reads;
}

// The elements that a sort of n writes.
int64_t elements_wanted(const RoutineCall& sort, int64_t n) {
  const int64_t rows = sort.parameters.empty() ? 1 : n / from_bits<int64_t>(sort.parameters[0]);
  int64_t of_row = 0;
  for (const Positions& positions : sort.wanted) of_row += positions.count;
  return rows * of_row;
}

int64_t bytes_written(const Step& step, int64_t n) {
  if (step.call && !step.call->wanted.empty()) n = elements_wanted(*step.call, n);
  int64_t bytes = 0;
  for (const Scatter& s : step.kernel.scatters)
    bytes += step.lengths[s.base] * static_cast<int64_t>(size_of(step.kernel.outputs[s.output]));
  if (!step.kernel.scatters.empty()) return bytes;  // such a kernel stores nothing else
  for (uint32_t k = 0; k < step.kernel.outputs.size(); k++)
    bytes += n * (step.call ? 1 : elements_per_index(step.kernel, k)) * static_cast<int64_t>(size_of(step.kernel.outputs[k]));
  return bytes;
}

// The memory of a column, and the byte of it at which the column begins.
struct Place {
  const Buffer* buffer;
  uint64_t column;  // of the plan, if it has no buffer yet
  int64_t offset;
};
Place place_of(const Plan& plan, ColumnRef column, int64_t size) {
  int64_t offset = 0;
  for (ColumnAlias alias = plan.alias(column); alias.exists(); alias = plan.alias(column)) {
    column = alias.source;
    offset += alias.offset;
  }
  const Manifest* manifest = plan.vertices[column.vertex].manifest.get();
  if (!manifest || !manifest->has_elements) return {nullptr, uint64_t(column.vertex) << 32 | column.column, offset * size};
  const Column& memory = manifest->columns[column.column];
  return {memory.buffer.get(), 0, (memory.offset + offset) * size};
}

}  // namespace

Traffic traffic(const Step& step, std::span<const Bits64> arguments, int64_t n) {
  Traffic t{0, bytes_written(step, n)};
  if (appends(step)) return {t.written, t.written};
  const std::vector<ElementsRead> reads = reads_of(step, arguments, n);
  for (size_t k = 0; k < reads.size(); k++)
    t.read += static_cast<int64_t>(reads[k].number()) * static_cast<int64_t>(size_of(step.kernel.inputs[k].source_type()));
  return t;
}

Traffic traffic(const Plan& plan, const Step& step) {
  const int64_t n = step.domain.n;
  std::map<std::pair<const Buffer*, uint64_t>, ElementsRead> bytes_of;  // by memory
  const auto add = [&](const Place& place, const ElementsRead& read, int64_t size) {
    if (read.number() == 0) return;
    ElementsRead& bytes = bytes_of[{place.buffer, place.column}];
    bytes.count += read.number() * double(size);
    bytes.low = std::min(bytes.low, double(place.offset) + read.low * double(size));
    bytes.high = std::max(bytes.high, double(place.offset) + (read.high + 1) * double(size) - 1);
  };
  const std::vector<ElementsRead> reads = reads_of(step, argument_values(plan, step), n);
  for (size_t k = 0; k < reads.size(); k++) {
    const int64_t size = static_cast<int64_t>(size_of(step.kernel.inputs[k].source_type()));
    add(place_of(plan, step.sources[k], size), reads[k], size);
  }
  if (appends(step))
    for (const NodeRef& input : plan.vertices[step.finished[0].vertex].definition->inputs)
      if (const auto* part = input->result())
        for (size_t c = 0; c < (*part)->columns.size(); c++) {
          const auto size = static_cast<int64_t>(size_of(step.call->types[c]));
          const Column& memory = (*part)->columns[c];
          add({memory.buffer.get(), 0, memory.offset * size}, {double((*part)->length), 0, double((*part)->length - 1)}, size);
        }
  Traffic t{0, bytes_written(step, n)};
  for (const auto& [memory, bytes] : bytes_of) t.read += static_cast<int64_t>(bytes.number());
  return t;
}

}  // namespace wf
