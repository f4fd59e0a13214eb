// The keep pass stores the vertices that an earlier plan computed, if they may be asked for once more.
//
// A delayed sequence is inlined wherever it is read, by each plan anew. The first plan that computes all its elements leaves a mark on its node
// (Step::computed), so that the second one stores them: a loop that extends a sequence and reduces it in every step takes linear time. Of a chain of such
// sequences, the last one is stored; those that only it needs are not. Elements that cost less than to load them are not kept, and neither are views, whose
// bases are.
#include <algorithm>
#include <map>

#include "plan/plan.h"

namespace wf {
namespace {

// Returns true if the function only chooses elements of its inputs, or if the vertex has none.
bool moves_elements(const Vertex& v) {
  if (v.kind != NodeKind::Pull) return false;
  const Fn& fn = *v.definition->fn;
  return std::ranges::all_of(fn.results, [&](Id id) { return fn[id].kind == Kind::At; });
}

class Keep {
 public:
  explicit Keep(Plan& plan) : plan_(plan), cost_(plan.vertices.size()), needs_(plan.vertices.size()) {}

  void run() {
    const VertexId count = static_cast<VertexId>(plan_.vertices.size());
    for (VertexId v = 0; v < count; v++)
      if (!plan_.vertices[v].manifest) add_cost(v);
    for (VertexId v = count; v-- > 0;)
      if (!plan_.vertices[v].manifest) visit(v);
  }

 private:
  struct Needs {
    bool whole = false;  // all elements
    bool fresh = false;  // for a vertex that no earlier plan computed
  };

  // The cost of an element with all that is delayed below it. Few elements that many read are computed once.
  void add_cost(VertexId id) {
    const Vertex& v = plan_.vertices[id];
    std::map<VertexId, double> times;
    for (VertexId input : v.inputs) times[input] = 1;
    for (const Read& read : v.reads)
      if (read.kind == ReadKind::InFold) times[read.vertex] = std::max(times[read.vertex], double(read.times));
    cost_[id] = v.cost;
    for (const auto& [input, repeated] : times) {
      const double elements = double(plan_.vertices[input].length), readers = double(v.length) * repeated;
      cost_[id] += cost_[input] * (elements >= 0 && elements < readers ? elements / double(v.length) : repeated);
    }
  }

  // Readers have higher numbers, so that those of v are known.
  void visit(VertexId id) {
    Vertex& v = plan_.vertices[id];
    Needs& needs = needs_[id];
    if (v.demanded) needs = {true, !v.again};
    const bool is_costly = v.kind != NodeKind::Pull || cost_[id] > demanded_cost;
    v.whole = needs.whole && is_costly && v.kind != NodeKind::Call && !moves_elements(v);
    if (v.again && v.whole && needs.fresh) {
      v.demanded = true;
      v.store(Reason::Kept);
      needs.fresh = false;
    }
    if (v.kind == NodeKind::Call) needs.fresh = false;  // its inputs are stored in any case
    if (v.domain != no_vertex) pass_on(needs, v.domain);
    if (v.kind != NodeKind::Pull)
      for (VertexId input : v.inputs) pass_on(needs, input);
    for (const Read& read : v.reads) pass_on({needs.whole && reads_all(v, read), needs.fresh}, read.vertex);
  }

  // Returns true if the read computes at least half of the elements.
  bool reads_all(const Vertex& v, const Read& read) const {
    if (read.kind == ReadKind::Same || read.kind == ReadKind::InLoop) return true;
    const double elements = read.kind == ReadKind::Fixed ? 1 : double(v.length) * double(read.times);
    return 2 * elements >= double(plan_.vertices[read.vertex].length);
  }

  void pass_on(const Needs& needs, VertexId input) {
    needs_[input].whole |= needs.whole;
    needs_[input].fresh |= needs.fresh;
  }

  Plan& plan_;
  std::vector<double> cost_;
  std::vector<Needs> needs_;
};

}  // namespace

// A run of a program leaves no marks.
void pass_keep(Plan& plan, const PlanOptions& options) {
  if (!options.given) Keep(plan).run();
}

void find_computed(Plan& plan) {
  if (plan.steps.empty()) return;
  std::vector<VertexId>& computed = (*std::prev(plan.steps.end()))->computed;
  for (VertexId v = 0; v < plan.vertices.size(); v++)
    if (plan.vertices[v].whole && !plan.vertices[v].is_stored()) computed.push_back(v);
  computed.shrink_to_fit();
}

}  // namespace wf
