#include "eval/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "engine/span.h"
#include "engine/variables.h"
#include "eval/in_parts.h"
#include "eval/in_place.h"
#include "expr/recent.h"

namespace wf {
namespace {

int64_t checked_bytes(int64_t n, Type type) {
  int64_t bytes;
  if (__builtin_mul_overflow(n, static_cast<int64_t>(size_of(type)), &bytes))
    throw SizeError(std::to_string(n) + " elements of " + std::string(name(type)) + " overflow a size in bytes");
  return bytes;
}

int64_t length_of(const Step& step, const Launch& launch, const std::vector<int64_t>& kept, uint32_t output) {
  constexpr int64_t overwritten = 64;  // a compaction may overwrite this many bytes after the last element
  for (const Scatter& s : step.kernel.scatters)
    if (s.output == output) return launch.inputs[s.base].length;
  for (size_t k = 0; k < kept.size(); k++)
    if (std::ranges::count(step.kernel.compactions[k].outputs, output) > 0) return std::min(launch.n, kept[k] + overwritten);
  return launch.n * (step.call ? 1 : elements_per_index(step.kernel, output));
}

void write_down(RunRecord& record, const std::shared_ptr<Step>& step, const Few<Bits64>& arguments, Launch& launch,
                const Few<BufferRef>& outputs) {
  record.elapsed = std::move(launch.elapsed);
  record.rows = std::move(launch.rows);
  record.left_out = launch.left_out;
  record.code = launch.code;
  record.n = launch.n;
  record.arguments = arguments;
  for (const BufferRef& output : outputs) record.written += static_cast<int64_t>(output->bytes());
  record.step = step;
}

void shrink(const Kernel& kernel, const Launch& launch, const Few<BufferRef>& outputs) {
  for (size_t k = 0; k < kernel.compactions.size(); k++)
    for (uint32_t output : kernel.compactions[k].outputs)
      outputs[output]->shrink(static_cast<size_t>(launch.counts[k]) * size_of(kernel.outputs[output]));
}

// The kernel that only counts what the compactions of this one keep.
Kernel counting(const Kernel& kernel) {
  Kernel counts;
  counts.inputs = kernel.inputs;
  counts.arguments = kernel.arguments;
  counts.scan = kernel.scan;
  Builder b;
  std::vector<Id> params, results;
  for (const Param& p : kernel.body->params) params.push_back(b.param(p.type, p.name));
  const std::vector<Id> values = b.inline_call(*kernel.body, params);
  const auto used = [&](uint32_t value) {
    results.push_back(values[value]);
    return uint32_t(results.size() - 1);
  };
  for (Scan& scan : counts.scan) std::ranges::transform(scan.values, scan.values.begin(), used);
  for (const Compact& compact : kernel.compactions) counts.compactions.push_back({used(compact.mask), {}, {}});
  counts.body = b.finish(results);
  return counts;
}

// The number, among those that the step completes, of the vertex of a stored column.
size_t number_of(const Step& step, const StoredColumn& stored) {
  size_t k = 0;
  while (step.finished[k].vertex != stored.target.vertex) k++;
  return k;
}
Column& column_of(const Step& step, const Few<std::shared_ptr<Manifest>>& made, const StoredColumn& stored) {
  return made[number_of(step, stored)]->columns[stored.target.column];
}

// Columns in parts are collected in an order, not when threads ask for them.
void collect_inputs(const Few<InputBuffer>& inputs) {
  for (const InputBuffer& input : inputs) {
    if (input.buffer) input.buffer->host();
    if (input.parts)
      for (const InputPart& part : *input.parts) part.buffer->host();
  }
}

// Returns true if the step may not end if an earlier check has failed, or trusts indices.
bool must_be_settled_before(const Step& step) {
  if (step.call) {
    const Routine::Kind kind = step.call->routine.kind;
    return kind != Routine::Scatter && kind != Routine::SegmentIds && kind != Routine::Join;
  }
  bool has_loops = false;
  for_each_function(step.kernel, [&](const FnRef& fn) { has_loops |= !fn->loops.empty() || !fn->foreigns.empty(); });
  return has_loops;
}

}  // namespace

PlanOptions plan_options(const Context& context) {
  static const PlanOptions by_environment = [] {
    PlanOptions o;
#define OPTIONAL(name, fact) o.name = !environment_has(Variable::WARPFOLD_DISABLE, #name);
#include "plan/passes.def"
    o.verify = environment_has(Variable::WARPFOLD_VERIFY, "1");
    return o;
  }();
  const Engine& engine = *context.engine;
  PlanOptions chosen = by_environment;
#define ACCEPTED(name, fact, condition) chosen.name &= condition;
#include "plan/passes.def"
  chosen.shares_neighbours = engine.shares_neighbours();
  chosen.columns = engine.keeps_columns();
  chosen.identities = engine.knows_identities();
  chosen.shortest_row = engine.shortest_row();
  chosen.pool = context.pool.get();
  // Processes make the same plans, whatever memory they have and whenever their collectors release nodes.
  chosen.siblings = !context.has_processes();
  chosen.keep &= chosen.siblings;
  return chosen;
}

Few<Few<Bits64>> argument_values(const Graph& graph) {
  Few<Few<Bits64>> values;
  values.reserve(graph.steps.size());
  for (const auto& step : graph.steps) values.push_back(argument_values(graph, *step));
  return values;
}

BufferRef stored_scalars(const Context& context, std::span<const Bits64> bits) {
  BufferRef buffer = Buffer::make(context.pool, bits.size_bytes());
  std::memcpy(buffer->host_for_writing(), bits.data(), bits.size_bytes());
  return buffer;
}

void Run::run() {
  try {
    for (size_t s = 0; s < graph_.steps.size(); s++) {
      stop_if_canceled();
      if (!deferred_.empty() && must_be_settled_before(*graph_.steps[s])) settle();
      step(graph_.steps[s], arguments_[s]);
      if (deferred_.empty()) settle();
      for (VertexId v : graph_.steps[s]->last_used)
        if (!graph_.vertices[v].demanded) results_[v] = {};
    }
    settle();
  } catch (...) {
    // An index that an earlier step found out of range is the error; later steps read what it left. If the step that failed has looked at
    // the checks, one of them may be its error.
    if (deferred_.empty()) unpublished_.clear();
    settle();
    throw;
  }
}

int64_t Run::domain_of(const Step& step) const {
  return step.domain.filter == no_vertex ? step.domain.n : result(step.domain.filter).length;
}

Few<InputBuffer> Run::inputs_of(const Step& step) const {
  Few<InputBuffer> inputs;
  if (step.call && step.call->routine.kind == Routine::Join) {
    if (!context_.engine->reads_parts()) return joined_by(step);
    for (uint32_t c = 0; c < step.call->types.size(); c++) inputs.push_back(parts_of({step.finished[0].vertex, c}));
    return inputs;
  }
  for (size_t k = 0; k < step.sources.size(); k++) {
    const ColumnRef& source = step.sources[k];
    if (step.kernel.inputs[k].of_parts) {
      inputs.push_back(parts_of(source));
      continue;
    }
    const Manifest& m = result(source.vertex);
    const Column& c = m.columns[source.column];
    inputs.push_back({c.buffer, m.length, c.offset});
  }
  return inputs;
}

template <class F> void Run::for_each_part(VertexId v, const F& visit) const {
  const AppendedParts& parts = results_[v].parts;
  auto computed = parts.computed->begin();
  const VertexId* vertex = graph_.vertices[v].inputs.begin();
  for (uint32_t k = 0; k < parts.definition->inputs.size(); k++) {
    const bool is_computed = computed != parts.computed->end() && *computed == k;
    visit(is_computed ? result(*vertex++) : **parts.definition->inputs[k]->result());
    computed += is_computed;
  }
}

InputBuffer Run::parts_of(const ColumnRef& source) const {
  auto parts = std::make_shared<std::vector<InputPart>>();
  parts->reserve(results_[source.vertex].parts.definition->inputs.size());
  int64_t end = 0;
  for_each_part(source.vertex, [&](const Manifest& m) {
    const Column& c = m.columns[source.column];
    parts->push_back({c.buffer.get(), c.offset, end += m.length});
  });
  return {nullptr, end, 0, std::move(parts)};
}

Few<InputBuffer> Run::joined_by(const Step& step) const {
  const VertexId v = step.finished[0].vertex;
  Few<InputBuffer> inputs;
  inputs.reserve(results_[v].parts.definition->inputs.size() * step.call->types.size());
  for_each_part(v, [&](const Manifest& m) {
    for (const Column& c : m.columns) inputs.push_back({c.buffer, m.length, c.offset});
  });
  return inputs;
}

template <class F> void Run::in_all_processes(const Step& step, const Few<Bits64>& arguments, const F& work) {
  if (!context_.has_processes()) return work();
  const int64_t n = domain_of(step);
  uint64_t hash = mix(step.fingerprint, uint64_t(n));
  for (Bits64 bits : arguments) hash = mix(hash, bits);
  const auto text = [&] {
    std::string words;
    for (char c : summary(step) + "; i < " + std::to_string(n) + "\n" + describe(step, arguments, " ")) {
      if (c == '\n') words += ';';
      else if (c != ' ' || words.back() != ' ') words += c;
    }
    words.resize(words.find_last_not_of(';') + 1);
    return words;
  };
  context_.communicator->together({hash, text}, work);
}

// A filter that might keep more than there is memory for runs twice: the first run only counts.
void Run::step(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments) {
  constexpr int64_t fewest_counted = 1 << 20;
  try {
    return in_all_processes(*planned, arguments, [&] { step_within(planned, arguments, {}); });
  } catch (const MemoryError&) {
    if (planned->kernel.compactions.empty() || domain_of(*planned) < fewest_counted) throw;
  }
  in_all_processes(*planned, arguments, [&] {
    const Kernel kernel = counting(planned->kernel);
    const Few<InputBuffer> inputs = inputs_of(*planned);
    if (context_.communicator) collect_inputs(inputs);
    Launch counts;
    counts.n = domain_of(*planned);
    counts.kernel = &kernel;
    counts.inputs = inputs;
    counts.arguments = arguments;
    context_.engine->run(counts);
    step_within(planned, arguments, counts.counts);
  });
}

// kept: the number of elements that each compaction keeps, or nothing if it is not known.
void Run::step_within(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments, const std::vector<int64_t>& kept) {
  const Step& step = *planned;
  Launch launch;
  launch.kernel = &step.kernel;
  launch.n = domain_of(step);
  const Few<InputBuffer> inputs = inputs_of(step);
  launch.inputs = inputs;
  launch.arguments = arguments;
  if (step.split && launch.n > 0 && kept.empty()) return step_in_parts(planned, arguments, launch);
  if (context_.communicator) collect_inputs(inputs);
  const bool is_last = planned.get() == std::prev(graph_.steps.end())->get() && !context_.has_processes();
  const std::vector<bool> in_place =
      is_last && !owned_.empty() && context_.engine->runs_in_place() ? inputs_read_in_place(step, inputs) : std::vector<bool>();
  Few<BufferRef> outputs;
  for (uint32_t k = 0; k < step.kernel.outputs.size(); k++) {
    const auto bytes = static_cast<size_t>(checked_bytes(length_of(step, launch, kept, k), step.kernel.outputs[k]));
    BufferRef output = in_place.empty() ? nullptr : taken_over(step, launch, in_place, k, bytes);
    if (!output) output = base_taken_over(step, launch, k, bytes);
    launch.in_place |= output != nullptr;
    outputs.push_back(output ? std::move(output) : Buffer::make(context_.pool, bytes));
  }
  launch.outputs = outputs;
  launch.deferred = &deferred_;
  // A run in place must not fail after it: all memory for its results is allocated before.
  std::shared_ptr<RunRecord> record = step.runs() ? std::make_shared<RunRecord>() : nullptr;
  Few<std::shared_ptr<Manifest>> made = made_by(step, launch, outputs, record);
  if (step.runs()) {
    const Span span("launch", [&] { return summary(step) + ", n = " + std::to_string(launch.n); });
    auto start = std::chrono::steady_clock::now();
    // A run that overwrites the elements of a cell is completed.
    const ComputingFor computing(launch.in_place && !owned_.empty() ? nullptr : Computation::current());
    if (step.call) context_.engine->call(*step.call, launch);
    else context_.engine->run(launch);
    record->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    shrink(step.kernel, launch, outputs);
    write_down(*record, planned, arguments, launch, outputs);
  }
  keep(step, launch, step.runs() ? scalars_of(launch) : nullptr, std::move(made));
}

void Run::step_in_parts(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments, Launch& launch) {
  const Span span("launch", [&] { return summary(*planned) + " in parts, n = " + std::to_string(launch.n); });
  const auto start = std::chrono::steady_clock::now();
  for (Type type : planned->kernel.outputs) checked_bytes(launch.n, type);
  const auto record = std::make_shared<RunRecord>();
  const Exchanged before = context_.communicator->exchanged();
  const Few<BufferRef> outputs = run_in_parts(*planned, launch, context_);
  Few<std::shared_ptr<Manifest>> made = made_by(*planned, launch, outputs, record);
  const BufferRef scalars = scalars_of(launch);
  const Exchanged after = context_.communicator->exchanged();
  record->exchanged = {after.messages - before.messages, after.bytes - before.bytes};
  record->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_down(*record, planned, arguments, launch, outputs);
  keep(*planned, launch, scalars, std::move(made));
}

// The buffer of an input that becomes the buffer of output k; null if there is none. It is exactly the one column of a vertex that
// this run owns, with the elements of the output's type, in memory of the pool.
BufferRef Run::taken_over(const Step& step, const Launch& launch, const std::vector<bool>& in_place, uint32_t k, size_t bytes) const {
  for (size_t j = 0; j < launch.inputs.size(); j++) {
    if (!in_place[j]) continue;
    const VertexId v = step.sources[j].vertex;
    const InputBuffer& input = launch.inputs[j];
    if (!owned_[v] || step.kernel.inputs[j].type != step.kernel.outputs[k]) continue;
    if (input.offset != 0 || input.length != launch.n || input.buffer->bytes() != bytes || !input.buffer->is_pooled()) continue;
    if (is_aliased(step, *input.buffer)) continue;
    const std::shared_ptr<const Manifest>& manifest = results_[v].manifest;
    const int64_t references = std::ranges::count(launch.inputs, input.buffer, &InputBuffer::buffer) +
                               std::ranges::count(manifest->columns, input.buffer, &Column::buffer);
    const bool by_others = manifest.use_count() > 2 || input.buffer.use_count() > references;  // 2: its node's and the plan's
    std::atomic_thread_fence(std::memory_order_acquire);  // after the last use of those who had a reference
    if (!by_others) return input.buffer;
  }
  return nullptr;
}

// The buffer of a scatter's base, which becomes that of output k; null if anything else may read it (release_bases).
BufferRef Run::base_taken_over(const Step& step, const Launch& launch, uint32_t k, size_t bytes) const {
  const std::optional<uint32_t> input_number = base_of_output(step, k);
  if (!input_number) return nullptr;
  const VertexId v = step.sources[*input_number].vertex;
  const VertexResult& base = results_[v];
  if (base.node || graph_.vertices[v].demanded || std::ranges::find(step.last_used, v) == step.last_used.end()) return nullptr;
  const InputBuffer& input = launch.inputs[*input_number];
  if (input.offset != 0 || input.buffer->bytes() != bytes || !input.buffer->is_pooled()) return nullptr;
  const bool by_others = base.manifest.use_count() > 1 || input.buffer.use_count() > 2;  // 2: the base's and the launch's
  return by_others ? nullptr : input.buffer;
}

// Returns true if a result of the step is a view of the buffer.
bool Run::is_aliased(const Step& step, const Buffer& buffer) const {
  return std::ranges::any_of(step.stored, [&](const StoredColumn& stored) {
    return stored.origin == StoredColumn::Alias && result(stored.source.vertex).columns[stored.source.column].buffer.get() == &buffer;
  });
}

// The results of a step before it runs: all but its scalars and counts.
Few<std::shared_ptr<Manifest>> Run::made_by(const Step& step, const Launch& launch, const Few<BufferRef>& outputs,
                                            const std::shared_ptr<RunRecord>& record) const {
  Few<std::shared_ptr<Manifest>> made;
  for (const Finished& finished : step.finished) {
    const GraphVertex& vertex = graph_.vertices[finished.vertex];
    auto m = std::make_shared<Manifest>();
    m->columns.resize(vertex.types.size());
    const bool is_domain = step.kernel.elements.empty() && step.kernel.scatters.empty();
    m->length = vertex.scalar ? 1 : is_domain ? launch.n : vertex.length;
    m->record = record;
    made.push_back(std::move(m));
  }
  for (const StoredColumn& stored : step.stored) {
    Column& column = column_of(step, made, stored);
    if (stored.origin == StoredColumn::Output) column = {outputs[stored.index], 0};
    if (stored.origin != StoredColumn::Alias) continue;
    column = result(stored.source.vertex).columns[stored.source.column];
    column.offset += stored.offset;
  }
  return made;
}

// The scalars of a step that has run, in all processes. Nothing can fail afterwards.
BufferRef Run::scalars_of(const Launch& launch) const {
  BufferRef scalars = launch.scalars.empty() ? nullptr : stored_scalars(context_, launch.scalars);
  if (context_.communicator) context_.communicator->agree();
  return scalars;
}

// Completes the results of a step that has run and publishes them.
void Run::keep(const Step& step, const Launch& launch, const BufferRef& scalars, Few<std::shared_ptr<Manifest>>&& made) {
  for (const StoredColumn& stored : step.stored) {
    if (stored.origin == StoredColumn::Scalar) {
      const Type type = graph_.vertices[stored.target.vertex].types[stored.target.column];
      column_of(step, made, stored) = {scalars, int64_t(stored.index) * int64_t(sizeof(Bits64) / size_of(type))};
    }
    if (stored.compaction != ~0u) made[number_of(step, stored)]->length = launch.counts[stored.compaction];
  }
  for (size_t k = 0; k < made.size(); k++) {
    VertexResult& vertex = results_[step.finished[k].vertex];
    vertex.manifest = std::move(made[k]);
    vertex.parts = {};
    if (!vertex.node) continue;
    if (step.finished[k].is_partial) vertex.node->mark_computed();
    else if (deferred_.empty()) vertex.node->publish(vertex.manifest);
    else unpublished_.emplace_back(vertex.node, vertex.manifest);
  }
}

// Waits for deferred checks, and publishes the results that depend on them, or drops these if a check has failed.
void Run::settle() {
  if (unpublished_.empty() && deferred_.empty()) return;
  const auto results = std::exchange(unpublished_, {});
  if (!deferred_.empty()) {
    const Span span("wait");
    context_.engine->settle(deferred_);
  }
  for (const auto& [node, manifest] : results) node->publish(manifest);
}

}  // namespace wf
