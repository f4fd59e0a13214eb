// Forcing: plan, run each step on the nodes' engine, keep the results in their nodes.
#include "eval/eval.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "eval/context.h"
#include "eval/report.h"
#include "eval/stretches.h"
#include "plan/plan.h"

namespace wf {
namespace {

// WARPFOLD_DISABLE=law,alias,apart,rows,share turns passes off; WARPFOLD_VERIFY=1 checks every plan.
const PlanOptions& options() {
  static const PlanOptions chosen = [] {
    PlanOptions o;
    const char* disabled = std::getenv("WARPFOLD_DISABLE");
    std::string list = disabled ? disabled : "";
    o.law = list.find("law") == std::string::npos;
    o.alias = list.find("alias") == std::string::npos;
    o.apart = list.find("apart") == std::string::npos;
    o.rows = list.find("rows") == std::string::npos;
    o.share = list.find("share") == std::string::npos;
    o.verify = std::getenv("WARPFOLD_VERIFY") != nullptr;
    return o;
  }();
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
  Run(Plan& plan, Context& context) : plan_(plan), context_(context) {
    arguments_.reserve(plan.steps.size());
    for (const auto& step : plan.steps) arguments_.push_back(argument_values(plan, *step));
    // From now on the plan keeps only the buffers that it writes and reads: an intermediate result is freed after its last use.
    for (const auto& step : plan.steps)
      for (const Finished& f : step->finished) plan.vertices[f.vertex].placement = f.placement;
    for (Vertex& v : plan.vertices) {
      v.definition = nullptr;
      if (!v.is_stored()) v.node = NodeRef();
    }
  }

  void run() {
    for (size_t s = 0; s < plan_.steps.size(); s++) {
      step(plan_.steps[s], arguments_[s]);
      for (VertexId v : plan_.steps[s]->last_used) {
        plan_.vertices[v].manifest = nullptr;
        plan_.vertices[v].node = NodeRef();
      }
    }
  }

 private:
  // A vertex's result is its manifest, made before this run or by an earlier step.
  const Manifest& result(VertexId v) const { return *plan_.vertices[v].manifest; }

  void step(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments) {
    const Step& step = *planned;
    Launch launch{};
    launch.kernel = &step.kernel;
    launch.n = step.domain.filter == no_vertex ? step.domain.n : result(step.domain.filter).length;
    Few<InputBuffer> inputs;
    for (const ColumnRef& source : step.sources) {
      const Manifest& m = result(source.vertex);
      const Column& c = m.columns[source.column];
      inputs.push_back({c.buffer, m.length, c.offset});
    }
    Few<BufferRef> outputs;
    for (uint32_t k = 0; k < step.kernel.outputs.size(); k++)
      outputs.push_back(
          Buffer::make(context_.pool, static_cast<size_t>(checked_bytes(length_of(step, launch, k), step.kernel.outputs[k]))));
    launch.inputs = inputs;
    launch.outputs = outputs;
    launch.arguments = arguments;
    std::shared_ptr<RunRecord> record;
    if (step.runs()) {
      auto start = std::chrono::steady_clock::now();
      if (step.call) context_.engine->call(*step.call, launch);
      else context_.engine->run(launch);
      record = std::make_shared<RunRecord>();
      record->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      record->elapsed = std::move(launch.elapsed);
      record->rows = std::move(launch.rows);
      record->n = launch.n;
      record->arguments = arguments;
      shrink(step.kernel, launch, outputs);
      for (const BufferRef& output : outputs) record->written += static_cast<int64_t>(output->bytes());
      record->step = planned;
    }
    keep(step, launch, outputs, record);
  }

  static int64_t length_of(const Step& step, const Launch& launch, uint32_t output) {
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

  // Assembles the columns that the step made and publishes them.
  void keep(const Step& step, const Launch& launch, const Few<BufferRef>& outputs, std::shared_ptr<RunRecord> record) {
    Few<std::shared_ptr<Manifest>> made;
    for (const auto& [v, placement, reason] : step.finished) {
      const Vertex& vertex = plan_.vertices[v];
      auto m = std::make_shared<Manifest>();
      m->columns.resize(vertex.types.size());
      m->length = vertex.scalar ? 1 : step.kernel.elements.empty() ? launch.n : vertex.length;
      m->record = record;
      made.push_back(std::move(m));
    }
    for (const StoredColumn& stored : step.stored) {
      size_t k = 0;
      while (step.finished[k].vertex != stored.target.vertex) k++;
      Manifest& m = *made[k];
      Column& column = m.columns[stored.target.column];
      switch (stored.origin) {
        case StoredColumn::Scalar: column = scalar_column(launch.scalars[stored.index]); break;
        case StoredColumn::Output: column = {outputs[stored.index], 0}; break;
        case StoredColumn::Alias:
          column = result(stored.source.vertex).columns[stored.source.column];
          column.offset += stored.offset;
          break;
      }
      if (stored.compaction != ~0u) m.length = launch.counts[stored.compaction];
    }
    for (size_t k = 0; k < made.size(); k++) {
      Vertex& vertex = plan_.vertices[step.finished[k].vertex];
      vertex.manifest = std::move(made[k]);
      if (vertex.node) vertex.node->publish(vertex.manifest);
    }
  }

  Plan& plan_;
  Context& context_;
  Few<Few<Bits64>> arguments_;  // of each step
};

void run_graph(Plan graph, Context& context) {
  plan_steps(graph, options());
  Run(graph, context).run();
}

void plan_and_run(std::span<const NodeRef> nodes, Context& context) {
  Plan graph = make_graph(nodes, options());
  std::vector<std::vector<NodeRef>> parts = stretches(graph);
  if (parts.empty()) return run_graph(std::move(graph), context);
  graph = {};
  for (std::vector<NodeRef>& part : parts) {
    run_graph(make_graph(part, options()), context);
    part.clear();
  }
  run_graph(make_graph(nodes, options()), context);
}

std::string describe_run(const Node& node, const Manifest& m) {
  const std::string shape = node.rank() > 1 ? "  shape   " + text_of(node.shape().extents()) + "\n" : "";
  if (!m.record) return "computed: " + std::to_string(m.length) + " elements from outside, nothing runs\n" + shape;
  const auto& r = static_cast<const RunRecord&>(*m.record);
  const double seconds = r.elapsed ? r.elapsed() : r.seconds;
  double gbps = static_cast<double>(traffic(*r.step, r.n).read + r.written) / seconds * 1e-9;
  double copy = context_of(node).engine->copy_bandwidth() * 1e-9;
  char text[160];
  std::snprintf(text, sizeof text, "; i < %lld\n  ran     %.4g ms, %.4g GB/s, %.3g%% of the copy bandwidth of %s\n",
                static_cast<long long>(r.n), seconds * 1e3, gbps, 100 * gbps / copy, context_of(node).name.c_str());
  return "computed by a " + std::string(r.step->call ? "call: " : "kernel: ") + summary(*r.step) + text + shape +
         (r.rows.empty() ? "" : "  rows    " + r.rows + "\n") + describe(*r.step, r.arguments, "  ");
}

// The label of the box of a computed sequence in a graph.
std::string label_of_run(const Manifest& m) {
  if (!m.record) return std::to_string(m.length) + " elements from outside";
  const auto& r = static_cast<const RunRecord&>(*m.record);
  return "computed by " + summary(*r.step) + "\\ni < " + std::to_string(r.n);
}

}  // namespace

void force(std::span<const NodeRef> nodes) {
  Few<NodeRef> delayed;
  for (const NodeRef& node : nodes) {
    if (context_of(*node).closed.load()) throw ContextError("the context of this sequence is closed; it can only be released");
    if (!node->is_manifest()) delayed.push_back(node);
  }
  if (delayed.empty()) return;
  Context& context = context_of(*delayed[0]);
  for (const NodeRef& node : delayed)
    if (node->context().get() != &context) throw ContextError("the sequences belong to different contexts; force them separately");
  if (delayed.size() == 1)
    for (std::vector<NodeRef> ends = stretch_ends(delayed[0]); !ends.empty(); ends.pop_back()) plan_and_run({&ends.back(), 1}, context);
  plan_and_run(delayed, context);
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
  if (format == ExplainFormat::Dot) return describe_dot(make_plan(delayed, options()), labels);
  if (!delayed.empty()) text = describe(make_plan(delayed, options())) + text;
  return text;
}

}  // namespace wf
