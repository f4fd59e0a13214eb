// The run of a planned graph: each step on the graph's engine, in order.
#pragma once

#include "engine/engine.h"
#include "eval/context.h"
#include "eval/report.h"
#include "plan/plan.h"

namespace wf {

// The planner's options for the context's engine. WARPFOLD_DISABLE turns passes off; WARPFOLD_VERIFY=1 checks every plan.
PlanOptions plan_options(const Context& context);

// The parts of a Join: the inputs of its definition, which is part of its node and therefore released first. The manifests of those that are not in memory
// are results of the run.
struct AppendedParts {
  AppendedParts() = default;
  AppendedParts(NodeRef n, DefinitionRef d, std::shared_ptr<const Computed> c)
      : node(std::move(n)), definition(std::move(d)), computed(std::move(c)) {}
  AppendedParts(AppendedParts&&) = default;
  AppendedParts& operator=(AppendedParts&& other) noexcept {
    definition = std::move(other.definition);
    node = std::move(other.node);
    computed = std::move(other.computed);
    return *this;
  }
  explicit operator bool() const { return bool(definition); }
  NodeRef node;
  DefinitionRef definition;
  std::shared_ptr<const Computed> computed;
};

// A vertex's node and manifest during a run.
struct VertexResult {
  NodeRef node;                              // to which the result is published; null if nothing else can use it, or if there is none
  std::shared_ptr<const Manifest> manifest;  // made before the run, or by a step
  AppendedParts parts = {};                  // of an append that no step has computed
};
template <> inline constexpr uint32_t elements_within<VertexResult> = 16;  // on the stack

// The argument values of each step of a graph.
Few<Few<Bits64>> argument_values(const Graph& graph);

// Scalars side by side in a buffer, 8 bytes each.
BufferRef stored_scalars(const Context& context, std::span<const Bits64> bits);

class Run {
 public:
  // results: one per vertex, which the run changes; a vertex that no step computes has a manifest or is not used. owned: the vertices whose
  // buffers the last step may take over (in_place.h); empty if there are none. The graph's nodes, definitions and manifests are not used.
  Run(const Graph& graph, const Few<Few<Bits64>>& arguments, Context& context, Few<VertexResult>& results, std::vector<bool> owned = {})
      : graph_(graph), arguments_(arguments), context_(context), results_(results), owned_(std::move(owned)) {}

  // Once. Afterwards, demanded vertices have manifests. Throws RangeError, MemoryError, UnsupportedError.
  void run();

 private:
  int64_t domain_of(const Step& step) const;
  Few<InputBuffer> inputs_of(const Step& step) const;
  // visit(manifest) for each part of an append.
  template <class F> void for_each_part(VertexId v, const F& visit) const;
  InputBuffer parts_of(const ColumnRef& source) const;  // of an appended sequence that is not stored
  Few<InputBuffer> joined_by(const Step& step) const;   // the columns of each part
  void step(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments);
  // work(), which computes the step: a failure of one process is one of all.
  template <class F> void in_all_processes(const Step& step, const Few<Bits64>& arguments, const F& work);
  void step_within(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments, const std::vector<int64_t>& kept);
  void step_in_parts(const std::shared_ptr<Step>& planned, const Few<Bits64>& arguments, Launch& launch);
  BufferRef taken_over(const Step& step, const Launch& launch, const std::vector<bool>& in_place, uint32_t k, size_t bytes) const;
  BufferRef base_taken_over(const Step& step, const Launch& launch, uint32_t k, size_t bytes) const;
  bool is_aliased(const Step& step, const Buffer& buffer) const;
  Few<std::shared_ptr<Manifest>> made_by(const Step& step, const Launch& launch, const Few<BufferRef>& outputs,
                                         const std::shared_ptr<RunRecord>& record) const;
  BufferRef scalars_of(const Launch& launch) const;
  void keep(const Step& step, const Launch& launch, const BufferRef& scalars, Few<std::shared_ptr<Manifest>>&& made);
  void settle();
  // A vertex's result is its manifest, made before this run or by an earlier step.
  const Manifest& result(VertexId v) const { return *results_[v].manifest; }

  const Graph& graph_;
  const Few<Few<Bits64>>& arguments_;  // of each step
  Context& context_;
  Few<VertexResult>& results_;                                                    // by vertex
  std::vector<bool> owned_;                                                       // by vertex
  std::vector<uint32_t> deferred_;                                                // checks of steps that have run (Launch::deferred)
  std::vector<std::pair<NodeRef, std::shared_ptr<const Manifest>>> unpublished_;  // results of steps whose checks are not known
};

}  // namespace wf
