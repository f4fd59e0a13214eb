// Forcing: plan, run each step on the nodes' engine, keep the results in their nodes.
#include "eval/eval.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "engine/index_error.h"
#include "engine/span.h"
#include "eval/context.h"
#include "eval/faulty_element.h"
#include "eval/in_place.h"
#include "eval/report.h"
#include "eval/run.h"
#include "eval/stretches.h"
#include "eval/wrong_offsets.h"
#include "plan/plan.h"

namespace wf {
namespace {

// Runs a planned graph, and publishes the results to its nodes. From now on the graph keeps only the buffers that its steps write and read: an
// intermediate result is freed after its last use.
void run_planned(Graph&& graph, Context& context, std::vector<bool> owned = {}) {
  const auto arguments = argument_values(graph);
  Few<VertexResult> results;
  results.resize(graph.vertices.size());
  release_bases(graph);
  for (const auto& step : graph.steps) {
    for (const VertexId v : step->computed)
      if (Node* node = graph.vertices[v].node.get()) node->mark_computed();
    for (const Finished& f : step->finished)
      if (f.placement != Placement::Inlined) results[f.vertex].node = std::move(graph.vertices[f.vertex].node);
  }
  for (VertexId v = 0; v < graph.vertices.size(); v++) {
    GraphVertex& vertex = graph.vertices[v];
    if (vertex.manifest && !vertex.manifest->has_elements)
      throw ArgumentError(
          "the elements depend on a parameter of a program that is being traced, which has none before the program runs; expected a traced "
          "function without forces, and without loops and lengths that depend on values");
    if (vertex.computed)
      results[v].parts = {results[v].node ? results[v].node : vertex.node, std::move(vertex.definition), vertex.computed};
    vertex.definition = nullptr;
    vertex.node = NodeRef();
    results[v].manifest = std::move(vertex.manifest);
  }
  Run(graph, arguments, context, results, std::move(owned)).run();
}

// run(graph, is_last) for each graph of the nodes. If that lacks memory for sequences that it keeps, again without keeping any.
template <class F> void run_graphs(std::span<const NodeRef> nodes, PlanOptions options, const F& run) {
  bool keeps = false;
  const auto plan_and_run = [&](Graph&& graph, bool is_last) {
    {
      const Span span("plan");
      plan_steps(graph, options);
    }
    for (const auto& step : graph.steps) keeps |= std::ranges::count(step->finished, Reason::Kept, &Finished::reason) > 0;
    run(std::move(graph), is_last);
  };
  try {
    return for_each_graph(nodes, options, plan_and_run);
  } catch (const MemoryError&) {
    if (!keeps) throw;
  }
  options.keep = false;
  for_each_graph(nodes, options, plan_and_run);
}

// Computes the nodes.
void run_nodes(std::span<const NodeRef> nodes, Context& context, const PlanOptions& options) {
  run_graphs(nodes, options, [&](Graph&& graph, bool) { run_planned(std::move(graph), context); });
}

// With the time that it takes in a network of this latency and bandwidth.
std::string describe_exchanged(const Exchanged& e) {
  constexpr double seconds_per_message = 5e-6, bytes_per_second = 5e10;
  if (e.messages == 0) return {};
  char text[160];
  std::snprintf(text, sizeof text, "  sends   at most %lld messages, %lld bytes per part: %.3g us at 5 us per message and 50 GB/s\n",
                static_cast<long long>(e.messages), static_cast<long long>(e.bytes),
                (double(e.messages) * seconds_per_message + double(e.bytes) / bytes_per_second) * 1e6);
  return text;
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
         describe_exchanged(r.exchanged) +
         (r.left_out ? "  left    " + std::to_string(r.left_out) + " elements out, which could not change the results\n" : "") +
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

// run(), which computes these nodes. If offsets of segments that it reads are wrong, its error names them. Other errors of indices name the element
// whose function has read outside.
template <class F> void naming_faults(std::span<const NodeRef> nodes, Context& context, const PlanOptions& options, const F& run) {
  try {
    run();
  } catch (const IndexFault& fault) {
    auto compute = [&](const NodeRef& offsets) {
      if (!offsets->is_manifest()) run_nodes({&offsets, 1}, context, options);
      return offsets->state().manifest;
    };
    if (const auto message = describe_wrong_offset(nodes, fault, compute)) throw RangeError(*message);
    const auto elements = [](const NodeRef& node) { return node->state().manifest; };
    throw RangeError(index_error(fault.index, fault.length, place_of(nodes, fault, elements)));
  }
}

}  // namespace

void force(std::span<const NodeRef> nodes) {
  const Few<NodeRef> delayed = delayed_of(nodes);
  if (delayed.empty()) return;
  Context& context = context_of(*delayed[0]);
  const PlanOptions options = plan_options(context);
  on_all_processes(context, [&] { naming_faults(delayed, context, options, [&] { run_nodes(delayed, context, options); }); });
}

void wait(std::span<const NodeRef> nodes) {
  force(nodes);
  for (const NodeRef& node : nodes)
    for (const Column& column : node->state().manifest->columns) column.buffer->wait();
}

void force_in_place(const NodeRef& value, const NodeRef& old) {
  if (delayed_of({&value, 1}).empty()) return;
  Context& context = context_of(*value);
  const PlanOptions options = plan_options(context);
  const auto run = [&] {
    run_graphs({&value, 1}, options, [&](Graph&& graph, bool is_last) {
      const OwnedNode owned[] = {{value.get(), 2}, {old.get(), 2}};  // the handle and the argument
      run_planned(std::move(graph), context, is_last ? reached_only_by(graph, owned) : std::vector<bool>());
    });
  };
  on_all_processes(context, [&] { naming_faults({&value, 1}, context, options, run); });
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
  const PlanOptions options = delayed.empty() ? PlanOptions() : plan_options(context_of(*delayed[0]));
  if (format == ExplainFormat::Dot) return describe_dot(make_plan(delayed, options), labels);
  if (!delayed.empty()) text = describe(make_plan(delayed, options)) + text;
  return text;
}

}  // namespace wf
