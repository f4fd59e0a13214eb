// The parts pass lets a kernel read the parts of a sequence that many others are appended to:
//
//   call     s = join(p, q, r, ...)
//   kernel   y[i] = f(i, s[i])        for all i of s
//
// The kernel's input is a list of parts (Input::of_parts), and an engine finds those of neighbouring indices in it. So s is neither written nor
// read, and there is no call. Another kernel may not read s, which is then stored.
#include <algorithm>

#include "plan/joins/readers.h"

namespace wf {
namespace {

// The steps that need a vertex.
struct StepReaders {
  size_t count = 0;
  Step* last = nullptr;
};

// Returns true if the vertex is sequences one after another that a call of a routine appends.
bool is_joined(const Vertex& v) {
  return v.kind == NodeKind::Call && !v.manifest && v.definition->routine.kind == Routine::Join &&
         from_bits<int64_t>(v.definition->identity[0]) == 1;
}

bool can_read_parts(const Step& step, VertexId v, int64_t n) {
  const Kernel& k = step.kernel;
  if (step.call || !k.elements.empty() || has_folds(k) || (k.has_scan() && k.scan[0].axis.exists())) return false;
  return step.domain == LoopDomain{no_vertex, n} && reads_at_own_index(step, v);
}

}  // namespace

void pass_parts(Plan& plan, const PlanOptions&) {
  if (std::ranges::none_of(plan.vertices, is_joined)) return;
  std::vector<StepReaders> readers(plan.vertices.size());
  for (const std::shared_ptr<Step>& step : plan.steps) {
    const auto add = [&](VertexId v) {
      if (v == no_vertex || readers[v].last == step.get()) return;
      readers[v].count++, readers[v].last = step.get();
    };
    for (const ColumnRef& source : step->sources) add(source.vertex);
    for (const StoredColumn& c : step->stored)
      if (c.origin == StoredColumn::Alias) add(c.source.vertex);
    add(step->domain.filter);
  }
  Few<std::shared_ptr<Step>> left;
  for (const std::shared_ptr<Step>& step : plan.steps) {
    const VertexId v = step->finished[0].vertex;
    Vertex& joined = plan.vertices[v];
    const auto [count, reader] = readers[v];
    if (!step->call || !is_joined(joined) || joined.demanded || count != 1 || !can_read_parts(*reader, v, step->domain.n)) {
      left.push_back(step);
      continue;
    }
    for (uint32_t slot = 0; slot < reader->sources.size(); slot++)
      if (reader->sources[slot].vertex == v) reader->kernel.inputs[slot].of_parts = true;
    joined.placement = Placement::Inlined;
    joined.reason = Reason::None;
  }
  plan.steps = std::move(left);
}

}  // namespace wf
