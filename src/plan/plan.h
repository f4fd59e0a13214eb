// A plan: the kernels that compute the demanded nodes, in an order in which they can run.
//
// passes.def lists the passes, which fill it in turn.
//
// A program that demands a graph of a known form again (the same functions, lengths and structure over other data) gets the steps that
// were planned the first time: see cache.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "lazy/node.h"
#include "plan/kernel.h"
#include "plan/routine.h"

namespace wf {

class Pool;
struct Split;  // split/split.h

using VertexId = uint32_t;
constexpr VertexId no_vertex = ~0u;

// How a Pull reads one of its inputs.
enum class ReadKind : uint8_t {
  Same,     // at the reader's own index, over the same domain
  Fixed,    // at a literal index
  Shifted,  // at i + c or c - i, or at i over another domain
  Any,      // anywhere
  InFold,   // anywhere, again and again, from the value of a fold
  InLoop,   // anywhere, from the body of a loop
};

struct Read {
  VertexId vertex;
  ReadKind kind;
  uint16_t times = 1;  // per element of the reader: an estimate for InFold, and at most 65535
};

// The place of a vertex's elements: computed by each kernel that reads them, in memory of their own, or in another vertex's memory.
enum class Placement : uint8_t { Inlined, Stored, Aliased };

// The reason for a vertex's memory, as explain prints it.
enum class Reason : uint8_t {
  None,      // inlined
  Demanded,  // asked for
  Reread,    // several kernels or indices read it, and recomputing costs more than storing
  Gathered,  // read at indices other than the reader's own
  Looped,    // read by the body of a loop
  Large,     // a kernel with it would grow too large
  Later,     // a scan, reduction or filter that a later kernel reads
  Sibling,   // a reduction of a sequence that the kernel reduces anyway
  Called,    // input or result of a routine
  Kept,      // an earlier plan computed it, too
  Apart,     // a loop or fold whose kernel must not be a scan or filter, or the filter before costly work
};
std::string_view name(Reason reason);

// The indices that a kernel ranges over: [0, n), or [0, length of a filter stored by an earlier kernel).
struct LoopDomain {
  VertexId filter = no_vertex;
  int64_t n = 0;
  bool operator==(const LoopDomain&) const = default;
};
constexpr LoopDomain no_loop{no_vertex, -1};

struct ColumnRef {
  VertexId vertex;
  uint32_t column;
};

// A column that is part of a stored column, from `offset` on. If there is no vertex, the column has its own memory.
struct ColumnAlias {
  ColumnRef source{no_vertex, 0};
  int64_t offset = 0;
  bool exists() const { return source.vertex != no_vertex; }
};

// The inputs of a Join that are not in memory, by their numbers in its definition: they are the inputs of its vertex. There may be many others.
using Computed = std::vector<uint32_t>;

// A node of a graph, and its state when the graph was made.
struct GraphVertex {
  GraphVertex() {}  // not defaulted: its members need not be cleared first
  GraphVertex(NodeRef&& node_, NodeState&& state, Few<VertexId>&& inputs_)
      : node(std::move(node_)),
        definition(std::move(state.definition)),
        manifest(std::move(state.manifest)),
        inputs(std::move(inputs_)),
        types(node->column_types()),
        scalar(node->rank() == 0) {}
  GraphVertex(const GraphVertex&) = default;
  GraphVertex(GraphVertex&&) = default;
  NodeRef node;              // null for a count that the planner added
  DefinitionRef definition;  // null if manifest, or added by the planner. It is part of the node, so it is released first: no assignment
  std::shared_ptr<const Manifest> manifest;
  Few<VertexId> inputs;                        // as in the definition; of a Join, those that are not in memory
  std::shared_ptr<const Computed> computed;    // of a Join
  Few<std::pair<uint32_t, VertexId>> lengths;  // by slot: see Vertex::count_of
  ColumnTypes types;
  int64_t length = 0;           // -1: decided by `domain`
  VertexId domain = no_vertex;  // the delayed Filter over whose result this ranges; a Filter's own is itself
  NodeKind kind = NodeKind::Source;
  bool scalar = false;    // rank 0
  bool demanded = false;  // the caller wants the result
  bool optional = false;  // not demanded: a reduction that is computed if a kernel reduces its input anyway (graph.cpp)
  bool again = false;     // an earlier plan computed it, or of a Call a part; if it is not demanded, a later one may, too (graph.cpp)
  bool held = false;      // a sort or merge that others may ask for, too, so that it moves all columns (graph.cpp)
};

// A vertex with what the passes decide.
struct Vertex : GraphVertex {
  explicit Vertex(const GraphVertex& v) : GraphVertex(v) {
    if (demanded) store(Reason::Demanded);
  }

  Few<Read> reads;       // of a Pull
  bool repeats = false;  // the function's own loops or folds cost more than to store and load an element
  bool whole = false;    // all elements are computed, and to compute them again costs more than to load them
  Placement placement = Placement::Inlined;
  Reason reason = Reason::None;
  bool cut = false;           // never inlined at another index: stored first, then loaded
  bool shared = false;        // inlined at the neighbours of each element of a matrix (PlanOptions::shares_neighbours)
  bool barrier = false;       // cut because kernels would grow too large: its readers belong to later kernels
  int level = 0;              // of the kernel that computes it
  int random_level = 0;       // the first level that can read it at any index
  LoopDomain home = no_loop;  // of a scalar Pull: the loop after which it is computed, or no_loop
  uint32_t size = 0;          // terms, with all that is inlined
  int scan_level = -1;        // the highest level whose scan's prefixes it contains
  ScanAxis scan_axis = {};    // of that scan
  double cost = 0;            // of computing one element, with all that is inlined; a cheap operation is 1

  // The Count that answers (length $slot), or no_vertex.
  VertexId count_of(uint32_t slot) const {
    auto found = std::ranges::lower_bound(lengths, slot, {}, &std::pair<uint32_t, VertexId>::first);
    return found != lengths.end() && found->first == slot ? found->second : no_vertex;
  }

  bool is_stored() const { return placement != Placement::Inlined; }
  // Assigns memory to the vertex; keeps the first reason.
  void store(Reason why) {
    placement = Placement::Stored;
    if (reason == Reason::None) reason = why;
  }
};

// An argument of a vertex's function.
struct ArgumentRef {
  VertexId vertex;
  uint32_t slot;
};

// The source of a stored vertex's column after its step has run.
struct StoredColumn {
  ColumnRef target;
  enum Origin : uint8_t { Output, Scalar, Alias } origin;
  uint32_t index = 0;  // Output: which output; Scalar: which of finish's results
  ColumnRef source{};  // Alias: another column, from `offset` on; nothing is copied
  int64_t offset = 0;
  uint32_t compaction = ~0u;  // Output of a compaction: which (its count is the length)
};

// A vertex whose columns a step completes.
struct Finished {
  VertexId vertex;
  Placement placement;
  Reason reason;
  bool is_partial = false;  // columns or elements that no step reads are missing, so that the result is not published
};

// A kernel, or a call of a routine.
struct Step {
  Kernel kernel;  // of a call: nothing but the types of its inputs and outputs
  std::optional<RoutineCall> call;
  int level = 0;
  LoopDomain domain;
  std::vector<ColumnRef> sources;      // one per kernel input; of one of parts, the appended sequence, whose inputs are the parts
  std::vector<int64_t> lengths;        // of the sources; -1: decided by a filter
  std::vector<ArgumentRef> arguments;  // one per argument of the kernel
  std::vector<StoredColumn> stored;
  std::vector<Finished> finished;
  std::vector<VertexId> last_used;     // vertices that no later step reads
  std::vector<VertexId> computed;      // of the last step: vertices without memory of which the plan computes all elements
  uint32_t inlined = 0;                // delayed sequences that became part of the body
  uint32_t masks = 0;                  // filters that became a mask
  std::shared_ptr<const Split> split;  // null: the step runs as a whole
  std::string_view whole_for;          // the reason, if the context has parts
  uint64_t fingerprint = 0;            // if it has parts: equal for the same steps in all processes, and for no others
  bool runs() const {
    return call || !kernel.stores.empty() || !kernel.compactions.empty() || kernel.finish || !kernel.elements.empty() ||
           !kernel.scatters.empty();
  }
};

// The columns of a stored Pull of which at least one is an alias.
struct ViewedColumns {
  VertexId vertex;
  std::vector<ColumnAlias> columns;
};

// The demanded nodes and all that they depend on, and the steps that compute them.
class Graph {
 public:
  Graph();
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;
  ~Graph();
  std::vector<GraphVertex> vertices;  // inputs first
  Few<std::shared_ptr<Step>> steps;   // in an order in which they can run; shared, and not changed once planned
};

// A graph while the passes plan its steps.
struct Plan {
  Plan() = default;
  explicit Plan(const Graph& graph) : vertices(graph.vertices.begin(), graph.vertices.end()), steps(graph.steps) {}
  std::vector<Vertex> vertices;      // inputs first
  std::vector<ViewedColumns> views;  // by vertex; few vertices have any
  std::vector<std::pair<VertexId, uint64_t>>
      unread;  // by vertex, the same: bits of columns, of the first 64, that nothing reads: they are not stored
  Few<std::shared_ptr<Step>> steps;

  uint64_t unread_of(VertexId v) const {
    auto found = std::ranges::lower_bound(unread, v, {}, &std::pair<VertexId, uint64_t>::first);
    return found != unread.end() && found->first == v ? found->second : 0;
  }
  bool is_read(ColumnRef column) const { return column.column >= 64 || !(unread_of(column.vertex) >> column.column & 1); }
  // The column's memory, if it is another vertex's.
  ColumnAlias alias(ColumnRef column) const {
    auto found = std::ranges::lower_bound(views, column.vertex, {}, &ViewedColumns::vertex);
    return found != views.end() && found->vertex == column.vertex ? found->columns[column.column] : ColumnAlias{};
  }
};

// Optional passes, which tests and WARPFOLD_DISABLE turn off by name, and limits.
struct PlanOptions {
#define OPTIONAL(name, fact) bool name = true;
#define ACCEPTED(name, fact, condition) bool name = false;
#include "plan/passes.def"
  bool columns = false;     // folds of columns that depend on each other are one kernel (Engine::keeps_columns)
  bool identities = false;  // kernels have identities that hide NaNs: the engine accepts it (Engine::knows_identities)
  // A sequence that is read at neighbours in a matrix is not stored if this is true of the kernel that computes it; null: it is stored.
  SharesNeighbours shares_neighbours = nullptr;
  int64_t shortest_row = 2;    // of the pass `rows`: Engine::shortest_row
  const Pool* pool = nullptr;  // has memory for sequences that the pass `keep` stores
  // Nodes of a program that count as manifest, as its parameters do. Reductions that are not demanded are no part of the graph.
  const std::unordered_set<const Node*>* given = nullptr;
  bool siblings = true;  // reductions that are not demanded, of sequences that are reduced anyway, are computed (with the pass `share`)
  // Not null: the steps serve all graphs of this form, whatever the lengths of their sequences. If that cannot be, it becomes true.
  bool* needs_lengths = nullptr;
  bool verify = false;
};

Plan make_plan(std::span<const NodeRef> demanded, const PlanOptions& options);
// The same in two parts: the vertices, then the steps.
Graph make_graph(std::span<const NodeRef> demanded, const PlanOptions& options);
// The first part. Returns false, with an incomplete graph, if there are more vertices than largest_kept_graph.
bool make_small_graph(Graph& graph, std::span<const NodeRef> demanded, const PlanOptions& options);
void plan_steps(Graph& graph, const PlanOptions& options);

// Bytes that a step over n indices must move: each element that it reads once, however often it is read, and each one that it writes.
struct Traffic {
  int64_t read = 0, written = 0;
};
Traffic traffic(const Step& step, std::span<const Bits64> arguments, int64_t n);
// The same for a step of a plan, in which inputs may share memory.
Traffic traffic(const Plan& plan, const Step& step);

// The values of the step's arguments in this graph or plan.
template <class GraphOrPlan> Few<Bits64> argument_values(const GraphOrPlan& plan, const Step& step) {
  Few<Bits64> values;
  values.reserve(step.arguments.size());
  for (const ArgumentRef& argument : step.arguments) values.push_back(plan.vertices[argument.vertex].definition->arguments[argument.slot]);
  return values;
}

// A step in one line: "map, scan(add), reduce(min) by law", "sort(1 key of 2 columns)".
std::string summary(const Step& step);
// The step's parts, each function in its written form with these values of its arguments; lines begin with `indent`.
std::string describe(const Step& step, std::span<const Bits64> arguments, const std::string& indent);
// The whole plan, as text or DOT.
std::string describe(const Plan& plan);
// `computed`: labels of sequences that need no plan.
std::string describe_dot(const Plan& plan, std::span<const std::string> computed);

// Returns true if f is one associative and commutative operation.
bool folds_in_any_order(const Fn& f);

// Returns true if the kernel scans integers by add and no prefix of n of them can wrap.
bool prefixes_fit(const Kernel& kernel, int64_t n);

constexpr size_t largest_kept_graph = 96;  // vertices; plans of larger graphs are not kept

constexpr double store_cost = 24;    // to write an element and read it again, in cheap operations
constexpr double demanded_cost = 4;  // an element that is stored, too, is recomputed only below this cost

// The size of an argument: a plan may rely on it, since indices of that size do not wrap.
constexpr uint64_t any_size = 0, positive_size = 1, negative_size = 2;  // from 2 to most_of_size, and from -most_of_size to -2
constexpr int64_t most_of_size = int64_t(1) << 40;
inline uint64_t size_class(Bits64 bits) {
  const auto value = from_bits<int64_t>(bits);
  if (value < -most_of_size || value > most_of_size || (value > -2 && value < 2)) return any_size;
  return value > 0 ? positive_size : negative_size;
}

// ---- the passes -----------------------------------------------------------------------------------------------------

// The form of a graph in numbers, some of which are addresses of these functions.
struct PlanKey {
  std::vector<uint64_t> words;
  std::vector<FnRef> functions;
  std::vector<uint64_t> form;   // the words with the numbers of distinct lengths for lengths; empty: the steps depend on the lengths
  std::vector<size_t> lengths;  // the positions of the lengths in `words`
  bool is_recurring = false;    // the form was planned before, with other lengths
};
// find_planned returns true if the steps of a graph of this form are known; keep_planned stores the new ones under the key, for all lengths or for
// those of the graph.
bool find_planned(Graph& graph, const PlanOptions& options, PlanKey& key);
void keep_planned(Graph& graph, PlanKey& key, bool for_all_lengths);

// Returns false, and leaves the graph incomplete, if there are more vertices than `most`.
bool pass_graph(Graph& graph, std::span<const NodeRef> demanded, const PlanOptions& options, size_t most = SIZE_MAX);
#define PASS(name, fact) void pass_##name(Plan& plan, const PlanOptions& options);
#define OPTIONAL(name, fact) PASS(name, fact)
#define OPTION(name, fact)
#include "plan/passes.def"
// Writes down with each step the lengths of its sources.
void find_lengths(Plan& plan);
// Writes down with each step the vertices whose values may be freed after it.
void find_last_uses(Plan& plan);
// Writes down with the last step the vertices that a further plan would compute again.
void find_computed(Plan& plan);
void pass_verify(const Plan& plan);

// visit(fn, false), then visit(body, true) for the bodies of its loops, and of theirs.
template <class Visit> void for_each_body(const Fn& fn, const Visit& visit, bool in_loop = false) {
  visit(fn, in_loop);
  for (const auto& loop : fn.loops) for_each_body(*loop.body, visit, true);
}

}  // namespace wf
