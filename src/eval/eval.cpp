// Forcing: plan, run each step on the nodes' engine, keep the results in their nodes.
#include "eval/eval.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "eval/context.h"
#include "eval/in_place.h"
#include "eval/report.h"
#include "eval/stretches.h"
#include "eval/wrong_offsets.h"
#include "plan/plan.h"

namespace wf {
namespace {

// WARPFOLD_DISABLE=law,alias,apart,rows,scatters,segments,share turns passes off; WARPFOLD_VERIFY=1 checks every plan.
PlanOptions options_of(const Context& context) {
  static const PlanOptions by_environment = [] {
    PlanOptions o;
    const char* disabled = std::getenv("WARPFOLD_DISABLE");
    std::string list = disabled ? disabled : "";
    o.law = list.find("law") == std::string::npos;
    o.alias = list.find("alias") == std::string::npos;
    o.apart = list.find("apart") == std::string::npos;
    o.rows = list.find("rows") == std::string::npos;
    o.share = list.find("share") == std::string::npos;
    o.segments = list.find("segments") == std::string::npos;
    o.scatters = list.find("scatters") == std::string::npos;
    o.verify = std::getenv("WARPFOLD_VERIFY") != nullptr;
    return o;
  }();
  PlanOptions chosen = by_environment;
  chosen.shares_neighbours = context.engine->shares_neighbours();
  chosen.scatters = by_environment.scatters && context.engine->scatters_in_kernels();
  chosen.one_values = by_environment.scatters && !context.engine->scatters_in_kernels();
  chosen.segments = by_environment.segments && context.engine->numbers_segments();
  return chosen;
}

int64_t checked_bytes(int64_t n, Type type) {
  int64_t bytes;
  if (__builtin_mul_overflow(n, static_cast<int64_t>(size_of(type)), &bytes))
    throw SizeError(std::to_string(n) + " elements of " + std::string(name(type)) + " overflow a size in bytes");
  return bytes;
}

class Run {
 public:
  // owned: the vertices whose buffers the last step may take over (in_place.h); empty if there are none.
  Run(Graph& graph, Context& context, std::vector<bool> owned) : graph_(graph), context_(context), owned_(std::move(owned)) {
    arguments_.reserve(graph.steps.size());
    for (const auto& step : graph.steps) arguments_.push_back(argument_values(graph, *step));
    // From now on the graph keeps only the buffers that its steps write and read: an intermediate result is freed after its last use.
    for (const auto& step : graph.steps)
      for (const Finished& f : step->finished) graph.vertices[f.vertex].computed |= f.placement != Placement::Inlined;
    for (GraphVertex& v : graph.vertices) {
      v.definition = nullptr;
      if (!v.computed) v.node = NodeRef();
    }
    release_bases(graph);
  }

  void run() {
    try {
      for (size_t s = 0; s < graph_.steps.size(); s++) {
        if (!deferred_.empty() && must_be_settled_before(*graph_.steps[s])) settle();
        step(graph_.steps[s], arguments_[s]);
        if (deferred_.empty()) settle();
        for (VertexId v : graph_.steps[s]->last_used) {
          graph_.vertices[v].manifest = nullptr;
          graph_.vertices[v].node = NodeRef();
        }
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

 private:
  // A vertex's result is its manifest, made before this run or by an earlier step.
  const Manifest& result(VertexId v) const { return *graph_.vertices[v].manifest; }

  void step(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments) {
    const Step& step = *planned;
    Launch launch;
    launch.kernel = &step.kernel;
    launch.n = step.domain.filter == no_vertex ? step.domain.n : result(step.domain.filter).length;
    Few<InputBuffer> inputs;
    for (const ColumnRef& source : step.sources) {
      const Manifest& m = result(source.vertex);
      const Column& c = m.columns[source.column];
      inputs.push_back({c.buffer, m.length, c.offset});
    }
    launch.inputs = inputs;
    const bool is_last = planned.get() == std::prev(graph_.steps.end())->get();
    const std::vector<bool> in_place =
        is_last && !owned_.empty() && context_.engine->runs_in_place() ? inputs_read_in_place(step, inputs) : std::vector<bool>();
    Few<BufferRef> outputs;
    for (uint32_t k = 0; k < step.kernel.outputs.size(); k++) {
      const auto bytes = static_cast<size_t>(checked_bytes(length_of(step, launch, k), step.kernel.outputs[k]));
      BufferRef output = in_place.empty() ? base_taken_over(step, launch, k, bytes) : taken_over(step, launch, in_place, k, bytes);
      launch.in_place |= output != nullptr;
      outputs.push_back(output ? std::move(output) : Buffer::make(context_.pool, bytes));
    }
    launch.outputs = outputs;
    launch.arguments = arguments;
    launch.deferred = &deferred_;
    // A run in place must not fail after it: all memory for its results is allocated before.
    std::shared_ptr<RunRecord> record = step.runs() ? std::make_shared<RunRecord>() : nullptr;
    const Few<std::shared_ptr<Manifest>> made = results(step, launch, outputs, record);
    if (step.runs()) {
      auto start = std::chrono::steady_clock::now();
      if (step.call) context_.engine->call(*step.call, launch);
      else context_.engine->run(launch);
      record->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      record->elapsed = std::move(launch.elapsed);
      record->rows = std::move(launch.rows);
      record->code = launch.code;
      record->n = launch.n;
      record->arguments = arguments;
      shrink(step.kernel, launch, outputs);
      for (const BufferRef& output : outputs) record->written += static_cast<int64_t>(output->bytes());
      record->step = planned;
    }
    keep(step, launch, made);
  }

  // The buffer of an input that becomes the buffer of output k; null if there is none. It is exactly the one column of a vertex that
  // this run owns, with the elements of the output's type, in memory of the pool.
  BufferRef taken_over(const Step& step, const Launch& launch, const std::vector<bool>& in_place, uint32_t k, size_t bytes) const {
    for (size_t j = 0; j < launch.inputs.size(); j++) {
      const VertexId v = step.sources[j].vertex;
      const InputBuffer& input = launch.inputs[j];
      if (!in_place[j] || !owned_[v] || step.kernel.inputs[j].type != step.kernel.outputs[k]) continue;
      if (input.offset != 0 || input.length != launch.n || input.buffer->bytes() != bytes || !input.buffer->is_pooled()) continue;
      if (is_aliased(step, *input.buffer)) continue;
      const std::shared_ptr<const Manifest>& manifest = graph_.vertices[v].manifest;
      const int64_t references = std::ranges::count(launch.inputs, input.buffer, &InputBuffer::buffer) +
                                 std::ranges::count(manifest->columns, input.buffer, &Column::buffer);
      const bool by_others = manifest.use_count() > 2 || input.buffer.use_count() > references;  // 2: its node's and the plan's
      std::atomic_thread_fence(std::memory_order_acquire);  // after the last use of those who had a reference
      if (!by_others) return input.buffer;
    }
    return nullptr;
  }

  // The buffer of a scatter's base, which becomes that of output k; null if anything else may read it (release_bases).
  BufferRef base_taken_over(const Step& step, const Launch& launch, uint32_t k, size_t bytes) const {
    const std::optional<uint32_t> input_number = base_of_output(step, k);
    if (!input_number) return nullptr;
    const VertexId v = step.sources[*input_number].vertex;
    const GraphVertex& base = graph_.vertices[v];
    if (base.node || std::ranges::find(step.last_used, v) == step.last_used.end()) return nullptr;
    const InputBuffer& input = launch.inputs[*input_number];
    if (input.offset != 0 || input.buffer->bytes() != bytes || !input.buffer->is_pooled()) return nullptr;
    const bool by_others = base.manifest.use_count() > 1 || input.buffer.use_count() > 2;  // 2: the base's and the launch's
    return by_others ? nullptr : input.buffer;
  }

  // Returns true if a result of the step is a view of the buffer.
  bool is_aliased(const Step& step, const Buffer& buffer) const {
    return std::ranges::any_of(step.stored, [&](const StoredColumn& stored) {
      return stored.origin == StoredColumn::Alias && result(stored.source.vertex).columns[stored.source.column].buffer.get() == &buffer;
    });
  }

  static int64_t length_of(const Step& step, const Launch& launch, uint32_t output) {
    for (const Scatter& s : step.kernel.scatters)
      if (s.output == output) return launch.inputs[s.base].length;
    return launch.n * (step.call ? 1 : elements_per_index(step.kernel, output));
  }

  static void shrink(const Kernel& kernel, const Launch& launch, const Few<BufferRef>& outputs) {
    for (size_t k = 0; k < kernel.compactions.size(); k++)
      for (uint32_t output : kernel.compactions[k].outputs)
        outputs[output]->shrink(static_cast<size_t>(launch.counts[k]) * size_of(kernel.outputs[output]));
  }

  Column scalar_column(Bits64 bits) {
    BufferRef buffer = Buffer::make(context_.pool, sizeof bits);
    std::memcpy(buffer->host_for_writing(), &bits, sizeof bits);
    return {std::move(buffer), 0};
  }

  // The results of a step before it runs: all but its scalars and counts.
  Few<std::shared_ptr<Manifest>> results(const Step& step, const Launch& launch, const Few<BufferRef>& outputs,
                                         const std::shared_ptr<RunRecord>& record) const {
    Few<std::shared_ptr<Manifest>> made;
    for (const auto& [v, placement, reason] : step.finished) {
      const GraphVertex& vertex = graph_.vertices[v];
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

  static size_t number_of(const Step& step, const StoredColumn& stored) {
    size_t k = 0;
    while (step.finished[k].vertex != stored.target.vertex) k++;
    return k;
  }
  static Column& column_of(const Step& step, const Few<std::shared_ptr<Manifest>>& made, const StoredColumn& stored) {
    return made[number_of(step, stored)]->columns[stored.target.column];
  }

  // Completes the results of a step that has run and publishes them.
  void keep(const Step& step, const Launch& launch, const Few<std::shared_ptr<Manifest>>& made) {
    for (const StoredColumn& stored : step.stored) {
      if (stored.origin == StoredColumn::Scalar) column_of(step, made, stored) = scalar_column(launch.scalars[stored.index]);
      if (stored.compaction != ~0u) made[number_of(step, stored)]->length = launch.counts[stored.compaction];
    }
    for (size_t k = 0; k < made.size(); k++) {
      GraphVertex& vertex = graph_.vertices[step.finished[k].vertex];
      vertex.manifest = made[k];
      if (!vertex.node) continue;
      if (deferred_.empty()) vertex.node->publish(vertex.manifest);
      else unpublished_.emplace_back(vertex.node, vertex.manifest);
    }
  }

  // Returns true if the step may not end if an earlier check has failed, or trusts indices.
  static bool must_be_settled_before(const Step& step) {
    if (step.call) return step.call->routine.kind != Routine::Scatter && step.call->routine.kind != Routine::SegmentIds;
    bool has_loops = false;
    for_each_function(step.kernel, [&](const FnRef& fn) { has_loops |= !fn->loops.empty() || !fn->foreigns.empty(); });
    return has_loops;
  }

  // Waits for deferred checks, and publishes the results that depend on them, or drops these if a check has failed.
  void settle() {
    if (unpublished_.empty() && deferred_.empty()) return;
    const auto results = std::exchange(unpublished_, {});
    if (!deferred_.empty()) context_.engine->settle(deferred_);
    for (const auto& [node, manifest] : results) node->publish(manifest);
  }

  Graph& graph_;
  Context& context_;
  std::vector<bool> owned_;                                                       // by vertex
  Few<Few<Bits64>> arguments_;                                                    // of each step
  std::vector<uint32_t> deferred_;                                                // checks of steps that have run (Launch::deferred)
  std::vector<std::pair<NodeRef, std::shared_ptr<const Manifest>>> unpublished_;  // results of steps whose checks are not known
};

void run_graph(Graph&& graph, Context& context, const PlanOptions& options) {
  plan_steps(graph, options);
  Run(graph, context, {}).run();
}

// The graph of the nodes, whose earlier stretches have been computed, except for those of a chain.
Graph last_stretch(std::span<const NodeRef> nodes, Context& context, const PlanOptions& options) {
  Graph graph = make_graph(nodes, options);
  std::vector<std::vector<NodeRef>> parts = stretches(graph);
  if (parts.empty()) return graph;
  graph = {};
  for (std::vector<NodeRef>& part : parts) {
    run_graph(make_graph(part, options), context, options);
    part.clear();
  }
  graph = make_graph(nodes, options);
  return graph;
}

std::string describe_run(const Node& node, const Manifest& m) {
  const std::string shape = node.rank() > 1 ? "  shape   " + text_of(node.shape().extents()) + "\n" : "";
  if (!m.record) return "computed: " + std::to_string(m.length) + " elements from outside, nothing runs\n" + shape;
  const auto& r = static_cast<const RunRecord&>(*m.record);
  const double seconds = r.elapsed ? r.elapsed() : r.seconds;
  double gbps = static_cast<double>(traffic(*r.step, r.arguments, r.n).read + r.written) / seconds * 1e-9;
  double copy = context_of(node).engine->copy_bandwidth() * 1e-9;
  char text[160];
  std::snprintf(text, sizeof text, "; i < %lld\n  ran     %.4g ms, %.4g GB/s, %.3g%% of the copy bandwidth of %s\n",
                static_cast<long long>(r.n), seconds * 1e3, gbps, 100 * gbps / copy, context_of(node).name.c_str());
  return "computed by a " + std::string(r.step->call ? "call: " : "kernel: ") + summary(*r.step) + text + shape +
         (*r.code ? "  code    " + std::string(r.code) + "\n" : "") + (r.rows.empty() ? "" : "  rows    " + r.rows + "\n") +
         describe(*r.step, r.arguments, "  ");
}

// The label of the box of a computed sequence in a graph.
std::string label_of_run(const Manifest& m) {
  if (!m.record) return std::to_string(m.length) + " elements from outside";
  const auto& r = static_cast<const RunRecord&>(*m.record);
  return "computed by " + summary(*r.step) + "\\ni < " + std::to_string(r.n);
}

// The nodes that are not manifest, all of one open context.
Few<NodeRef> delayed_of(std::span<const NodeRef> nodes) {
  Few<NodeRef> delayed;
  for (const NodeRef& node : nodes) {
    if (context_of(*node).closed.load()) throw ContextError("the context of this sequence is closed; it can only be released");
    if (!node->is_manifest()) delayed.push_back(node);
  }
  for (const NodeRef& node : delayed)
    if (node->context() != delayed[0]->context()) throw ContextError("the sequences belong to different contexts; force them separately");
  return delayed;
}

// The graph of the nodes, whose earlier stretches have been computed.
Graph last_graph(std::span<const NodeRef> nodes, Context& context, const PlanOptions& options) {
  Graph graph;
  if (make_small_graph(graph, nodes, options) && is_one_stretch(graph)) return graph;
  graph = {};
  if (nodes.size() == 1)
    for (std::vector<NodeRef> ends = stretch_ends(nodes[0]); !ends.empty(); ends.pop_back())
      run_graph(last_stretch({&ends.back(), 1}, context, options), context, options);
  graph = last_stretch(nodes, context, options);
  return graph;
}

// run(), which computes these nodes. If offsets of segments that it reads are wrong, its error names them.
template <class F> void naming_wrong_offsets(std::span<const NodeRef> nodes, Context& context, const PlanOptions& options, const F& run) {
  try {
    run();
  } catch (const IndexFault& fault) {
    auto compute = [&](const NodeRef& offsets) {
      if (!offsets->is_manifest()) run_graph(last_graph({&offsets, 1}, context, options), context, options);
    };
    if (const auto message = describe_wrong_offset(nodes, fault, compute)) throw RangeError(*message);
    throw;
  }
}

}  // namespace

void force(std::span<const NodeRef> nodes) {
  const Few<NodeRef> delayed = delayed_of(nodes);
  if (delayed.empty()) return;
  Context& context = context_of(*delayed[0]);
  const PlanOptions options = options_of(context);
  naming_wrong_offsets(delayed, context, options, [&] { run_graph(last_graph(delayed, context, options), context, options); });
}

void wait(std::span<const NodeRef> nodes) {
  force(nodes);
  for (const NodeRef& node : nodes)
    for (const Column& column : node->state().manifest->columns) column.buffer->wait();
}

void force_in_place(const NodeRef& value, const NodeRef& old) {
  if (delayed_of({&value, 1}).empty()) return;
  Context& context = context_of(*value);
  const PlanOptions options = options_of(context);
  naming_wrong_offsets({&value, 1}, context, options, [&] {
    Graph graph = last_graph({&value, 1}, context, options);
    plan_steps(graph, options);
    const OwnedNode owned[] = {{value.get(), 2}, {old.get(), 2}};  // the handle and the argument
    std::vector<bool> reached = reached_only_by(graph, owned);
    Run(graph, context, std::move(reached)).run();
  });
}

int64_t forced_length(const NodeRef& s) {
  if (s->length() < 0) force(std::span(&s, 1));
  return s->length();
}

std::string explain(std::span<const NodeRef> nodes, ExplainFormat format) {
  std::vector<NodeRef> delayed;
  std::vector<std::string> labels;
  std::string text;
  for (const NodeRef& node : nodes) {
    NodeState state = node->state();
    if (!state.manifest) delayed.push_back(node);
    else if (format == ExplainFormat::Dot) labels.push_back(label_of_run(*state.manifest));
    else text += describe_run(*node, *state.manifest);
  }
  const PlanOptions options = delayed.empty() ? PlanOptions() : options_of(context_of(*delayed[0]));
  if (format == ExplainFormat::Dot) return describe_dot(make_plan(delayed, options), labels);
  if (!delayed.empty()) text = describe(make_plan(delayed, options)) + text;
  return text;
}

}  // namespace wf
