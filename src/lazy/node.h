// A node: a sequence that has been computed (manifest) or not yet (delayed).
//
// The value of a node never changes. Its state changes once: a delayed node becomes manifest and drops its definition, unless it is tracked: made
// from a variable (src/grad). Then the definition is its history, which gradients follow. Nodes count their references themselves and are
// released without recursion, so that a chain of a million nodes can be released on a small stack.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "expr/fn.h"
#include "lazy/column_types.h"
#include "lazy/few.h"
#include "lazy/scan_axis.h"
#include "lazy/shape.h"
#include "ops/types.h"

namespace wf {

class Buffer;
class Node;

// Nodes of one context may be used together; Context of eval/context.h derives from it.
struct NodeContext {
  virtual ~NodeContext() = default;
  // Returns true if the engine scans the vectors along this axis each on its own, rather than all of them as one sequence.
  virtual bool scans_along(const ScanAxis& axis, int64_t elements, const Fn& combine) const = 0;
  virtual bool sorts_rows(std::span<const Type> types, int64_t n) const = 0;
  virtual bool scatters_in_order() const = 0;  // as its engine says (engine/engine.h)
};

// The record of the run that made a result; RunRecord of eval/report.h derives from it.
struct ResultRecord {
  virtual ~ResultRecord() = default;
};

// A counted reference to a node, or null.
class NodeRef {
 public:
  NodeRef() = default;
  explicit NodeRef(Node* node);  // adds a reference
  NodeRef(const NodeRef& other);
  NodeRef(NodeRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  NodeRef& operator=(NodeRef other) noexcept { return std::swap(node_, other.node_), *this; }
  ~NodeRef();
  Node* operator->() const { return node_; }
  Node& operator*() const { return *node_; }
  Node* get() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const NodeRef&) const = default;
  static NodeRef adopt(Node* node);                         // takes over a reference
  Node* detach() { return std::exchange(node_, nullptr); }  // the caller owns the reference

 private:
  Node* node_ = nullptr;
};

template <> inline constexpr uint32_t elements_within<NodeRef> = 2;  // an operation has two operands

enum class NodeKind : uint8_t {
  Source,     // manifest from the start
  Parameter,  // of a program (eval/program.h): has elements while the program runs. No fn, no inputs
  Pull,       // fn(i) -> columns, i: the row-major index; `at` reads inputs by slot
  Reduce,     // fn combines, inputs[0]; rank 0
  Scan,       // fn combines, inputs[0]; prefixes, exclusive or inclusive, along `axis`
  Total,      // the total of inputs[0], a Scan; rank 0. inputs[1] is the scanned sequence: its reduction is the same total
  Filter,     // inputs[0] where inputs[1] (one bool column over the same domain) holds
  Count,      // the length of inputs[0], a Filter; rank 0, i64
  Call,       // a routine of the engine on the columns of inputs, all in memory; fn as the routine says
};

// A routine that an engine runs as a whole, outside of kernels.
//   Sort   the elements of inputs[0] in order, of each row of identity[0] if there is one; equal elements keep their order
//   Merge  those of inputs[0] and inputs[1], both in order; of equal elements those of inputs[0] come first
// The first `keys` columns are compared one after another: numbers by value, -0 before 0, NaN after all numbers, false before true.
// Descending order is the reverse, except that equal elements keep their order. keys == 0: fn(a, b) is true if a comes before b.
//   Scatter  inputs[0], with element inputs[1][i] (an integer) combined with inputs[2][i] by fn, for all i. fn combines each column by an
//            operation on integers or bools whose order does not matter, or, for engines that scatter in order, on floats. Those also accept a
//            routine that `replaces` the element, without fn. Otherwise, without fn, 1 is added to the element, an i64. All inputs[1][i] are in
//            range, unless the routine `checks` them
//   Iterate  inputs[0], one element, and each further element fn(the one before it, an element of inputs[1]), one after another
//   SegmentIds  for each of n positions the number of its segment, an i32 or i64: the last k with inputs[0][k] <= position. inputs[0] are the
//            offsets of the segments and n, each of which is checked, or all of them but n
//   Join     all inputs, which have one type, as rows one after another: row r of the result is row r of inputs[0], then that of inputs[1], and
//            so on. The definition's identity is the number of rows, by which each length is divisible
//   Linear   linear algebra (linear/routine.h), whose extents and flags are the definition's identity
//   Derivative, Recompute  only in histories: see grad/custom.cpp
struct Routine {
  enum Kind : uint8_t { Sort, Merge, Scatter, Iterate, Linear, SegmentIds, Join, Derivative, Recompute };
  Kind kind = Sort;
  bool descending = false;
  uint16_t keys = 0;
  bool checks = false;
  bool replaces = false;
  bool lacks_end = false;  // inputs[0] of SegmentIds lacks n
};

// r[i_0, i_1, ...] = s[offset + i_0 * strides[0] + i_1 * strides[1] + ...], where s is read at its row-major index.
struct View {
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

struct Definition {
  NodeKind kind;
  FnRef fn;  // none for Filter and Count
  Few<NodeRef> inputs;
  Few<Bits64> identity;  // of a reduction or a scan; the parameters of a routine
  bool inclusive = false;
  // A Pull reads inputs[0 .. viewed) only at valid indices, if its own index is valid and the element that it reads is chosen. The other
  // inputs are captured by its function, which may read them at any index.
  uint32_t viewed = 0;
  Few<Bits64> arguments = {};  // of fn, by slot
  Routine routine = {};        // of a Call; Iterate, of a Pull: its outermost loops count the elements of inputs[0]; Join: it appends
  std::unique_ptr<const View> view = {};  // of a Pull that is a view of inputs[0], as its function says too
  ScanAxis axis = {};                     // of a Scan

  // The same of another function and other inputs.
  Definition with(FnRef f, Few<NodeRef> s) const {
    return {
        kind, std::move(f), std::move(s), identity, inclusive, viewed, arguments, routine, view ? std::make_unique<View>(*view) : nullptr,
        axis};
  }
};

// A definition and the number of references to it; it is destroyed with the last one. The memory is part of a node, so that a delayed node
// is one allocation, or the heap's.
class CountedDefinition {
 public:
  CountedDefinition() {}  // without a definition, in a node
  static const CountedDefinition* make(Definition&& definition) { return new CountedDefinition(std::move(definition), false); }
  ~CountedDefinition() {}
  CountedDefinition(const CountedDefinition&) = delete;

  // Starts with one reference. Only in a node, and once.
  void start(Definition&& definition) {
    std::construct_at(&definition_, std::move(definition));
    references_.store(1, std::memory_order_relaxed);
  }
  // Adds a reference; returns false if the definition is destroyed, or never was.
  bool retain() const {
    int32_t count = references_.load(std::memory_order_acquire);
    while (count > 0 && !references_.compare_exchange_weak(count, count + 1, std::memory_order_acquire)) {}
    return count > 0;
  }
  void retain_again() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  const Definition& operator*() const { return definition_; }
  // Returns true if the definition, which another thread may destroy meanwhile, is of this kind.
  bool is(NodeKind kind) const {
    if (!retain()) return false;
    const bool yes = definition_.kind == kind;
    release();
    return yes;
  }

 private:
  CountedDefinition(Definition&& definition, bool is_in_node) : is_in_node_(is_in_node) { start(std::move(definition)); }
  void destroy() const;
  mutable std::atomic<int32_t> references_{0};
  const bool is_in_node_ = true;
  union {
    Definition definition_;
  };
};

// A counted reference to a definition, or null. A node's definition is part of the node: who refers to it also refers to the node.
class DefinitionRef {
 public:
  DefinitionRef() = default;
  DefinitionRef(std::nullptr_t) {}
  explicit DefinitionRef(Definition&& definition) : counted_(CountedDefinition::make(std::move(definition))) {}
  static DefinitionRef adopt(const CountedDefinition* counted) {
    DefinitionRef reference;
    reference.counted_ = counted;
    return reference;
  }
  DefinitionRef(const DefinitionRef& other) : counted_(other.counted_) {
    if (counted_) counted_->retain_again();
  }
  DefinitionRef(DefinitionRef&& other) noexcept : counted_(std::exchange(other.counted_, nullptr)) {}
  DefinitionRef& operator=(DefinitionRef other) noexcept { return std::swap(counted_, other.counted_), *this; }
  ~DefinitionRef() {
    if (counted_) counted_->release();
  }
  const Definition* get() const { return counted_ ? &**counted_ : nullptr; }
  const Definition* operator->() const { return &**counted_; }
  const Definition& operator*() const { return **counted_; }
  explicit operator bool() const { return counted_ != nullptr; }

 private:
  const CountedDefinition* counted_ = nullptr;
};

struct Column {
  std::shared_ptr<Buffer> buffer;
  int64_t offset = 0;  // in elements
};

struct Manifest {
  Few<Column> columns;
  int64_t length;  // elements in each column
  std::shared_ptr<const ResultRecord> record;
  bool has_elements = true;  // false, and columns without buffers, while a program is planned: its runs have the elements
};

// The state of a node at one moment; exactly one of the two is set.
struct NodeState {
  DefinitionRef definition;
  std::shared_ptr<const Manifest> manifest;
};

template <> inline constexpr uint32_t elements_within<std::shared_ptr<Manifest>> = 4;  // lists of them are on the stack
template <> inline constexpr uint32_t elements_within<std::shared_ptr<const Manifest>> = 8;

class Node {
 public:
  // A node knows this many of its delayed reductions, the latest ones.
  static constexpr size_t most_reductions = 4;
  using Reductions = std::array<NodeRef, most_reductions>;  // those that there are come first

  const std::shared_ptr<NodeContext>& context() const { return context_; }
  const ColumnTypes& column_types() const { return types_; }
  const std::vector<Type>& types() const { return types_; }
  int rank() const { return shape_.rank(); }
  // The number of elements, or -1 while it depends on a filter that has not run.
  int64_t length() const {
    const Node* filter = domain();
    return filter ? filter->filtered_length_.load(std::memory_order_acquire) : shape_.length();
  }
  // The shape; the length of a vector is -1 while unknown.
  Shape shape() const { return domain() ? Shape::vector(length()) : shape_; }
  // The filter whose kept indices this node ranges over, or null if the length was known from the start. Two nodes range over the same
  // indices if they have the same domain, or if neither has one and their shapes are equal.
  const Node* domain() const { return domain_.get() ? domain_.get() : (is_filter() ? this : nullptr); }

  NodeState state() const {
    if (!is_manifest() && definition_.retain()) return {DefinitionRef::adopt(&definition_), nullptr};
    return {nullptr, manifest_};
  }
  bool is_manifest() const { return is_manifest_.load(std::memory_order_acquire); }
  // The result of a manifest node, valid as long as the node is; null of a delayed one.
  const std::shared_ptr<const Manifest>* result() const { return is_manifest() ? &manifest_ : nullptr; }
  // Returns true if kernels find the elements in memory: the node is manifest, or a parameter.
  bool is_in_memory() const { return is_manifest() || definition_.is(NodeKind::Parameter); }
  // A plan has computed elements without storing all. If another one has to, it stores them (src/plan/keep.cpp).
  bool was_computed() const { return was_computed_.load(std::memory_order_relaxed); }
  void mark_computed() { was_computed_.store(true, std::memory_order_relaxed); }
  // Gradients may be asked for with respect to variables, which are results of wf_variable and parameters, of what is made from them.
  enum class Tracking : uint8_t { None, Made, Variable };
  bool is_tracked() const { return tracking_ != Tracking::None; }
  bool is_variable() const { return tracking_ == Tracking::Variable; }
  // Only before other threads know the node.
  void track(Tracking tracking) { tracking_ = tracking; }
  // The definition that gradients follow, of a delayed or a tracked node; none of a constant.
  DefinitionRef history() const {
    if (own_history_) return own_history_;
    return definition_.retain() ? DefinitionRef::adopt(&definition_) : DefinitionRef();
  }
  // Gradients follow this definition instead of the one that is computed. Only before other threads know the node, which is tracked.
  void set_history(Definition&& definition) { own_history_ = DefinitionRef(std::move(definition)); }
  // Makes the node manifest and drops its definition unless that is its history. The first result wins.
  void publish(std::shared_ptr<const Manifest> result);

  // The delayed reductions of this node other than `known` that something still refers to.
  Reductions reductions_besides(const Node* known) const;

  // Returns false for almost every pointer that is not a live node: a released one, or another kind of object.
  bool is_alive() const { return mark_ == living; }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;
  int64_t references() const { return references_.load(std::memory_order_relaxed); }

  static NodeRef make(const std::shared_ptr<NodeContext>& context, Shape&& shape, ColumnTypes&& types, NodeRef&& domain,
                      Definition&& definition);
  static NodeRef make(const std::shared_ptr<NodeContext>& context, Shape&& shape, ColumnTypes&& types, NodeRef&& domain,
                      std::shared_ptr<const Manifest>&& result);

 private:
  static constexpr uint64_t living = 0x77662d6e6f646521;  // each kind of handle begins with a mark of its own

  // The value of filtered_length_ in nodes that are not filters.
  static constexpr int64_t no_filter = -2;
  bool is_filter() const { return filtered_length_.load(std::memory_order_relaxed) != no_filter; }

  // The node that a delayed Reduce reduces, null for any other. No other thread may use this node.
  Node* reduced() const;
  // Adds and removes a reduction of this node.
  void enter(Node* reduction);
  void forget(Node* reduction);
  bool retain_if_referenced();

  Node(const std::shared_ptr<NodeContext>& context, Shape&& shape, ColumnTypes&& types, NodeRef&& domain);
  ~Node() {
    mark_ = 0;
    if (has_definition()) definition_.release();
  }
  // Not of a node that was manifest from the start.
  bool has_definition() const { return !is_manifest() || (keeps_definition() && !is_leaf_); }
  void separate(Definition& definition);
  bool keeps_definition() const { return is_tracked() && !own_history_; }
  volatile uint64_t mark_ = living;  // volatile: is_alive() reads the destructor's store afterwards
  std::atomic<int64_t> references_{1};
  // A list without memory of its own: the latest delayed reduction of this node, whose link is the reduction before it. A reduction has
  // rank 0 and so no reductions. Reductions hold what they reduce, so a released node has none: its link is the next node to delete.
  Node* link_ = nullptr;  // guarded by the lock of the node at the head of the list
  std::shared_ptr<NodeContext> context_;
  Shape shape_;
  ColumnTypes types_;
  NodeRef domain_;
  // A filter's number of kept elements: -1 until a sequence over this domain has been computed.
  mutable std::atomic<int64_t> filtered_length_{no_filter};
  std::shared_ptr<const Manifest> manifest_;  // does not change once is_manifest_ is true
  std::atomic<bool> is_manifest_{false}, was_computed_{false};
  bool is_leaf_ = false;  // manifest from the start
  Tracking tracking_ = Tracking::None;
  DefinitionRef own_history_;
  CountedDefinition definition_;  // while the node is delayed, and as long as others refer to it
};

inline NodeRef NodeRef::adopt(Node* node) {
  NodeRef reference;
  reference.node_ = node;
  return reference;
}
inline NodeRef::NodeRef(Node* node) : node_(node) {
  if (node_) node_->retain();
}
inline NodeRef::NodeRef(const NodeRef& other) : NodeRef(other.node_) {}
inline NodeRef::~NodeRef() {
  if (node_) node_->release();
}

// An argument is invalid by itself (empty, null), or sequences belong to different contexts.
struct ArgumentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Lengths differ, are negative or overflow.
struct SizeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// An index or a range is not within a sequence.
struct IndexError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A function, the sequences that it captures, and the values of its arguments, slot by slot.
struct Closure {
  FnRef fn;
  Few<NodeRef> captures;
  Few<Bits64> arguments = {};
};

// A manifest node of any rank.
NodeRef source(std::shared_ptr<NodeContext> context, Shape shape, std::vector<Type> types, std::vector<Column> columns);

// A parameter of a program.
NodeRef parameter(std::shared_ptr<NodeContext> context, Shape shape, std::vector<Type> types);

// One value as rank 0. A float is an argument of the kernels that read it, unless folding looks at its value; an integer is a literal.
NodeRef constant(std::shared_ptr<NodeContext> context, Type type, Bits64 bits);

// ---- the primitives: each checks its arguments and appends nodes, and runs nothing -------------------------------------
// Error messages name the arguments as in warpfold.h; the caller prepends the name of the function.

// r[i] = f(i), i < n. f: i64 -> columns.
NodeRef tabulate(std::shared_ptr<NodeContext> context, const Closure& f, int64_t n);
// r[i] = f(all columns of s_0[i], s_1[i], ...). The sequences have one domain.
NodeRef map(const Closure& f, std::span<const NodeRef> sequences);
// All columns of all sequences; no copy.
NodeRef zip(std::span<const NodeRef> sequences);
// The columns which[0], which[1], ... of s; no copy.
NodeRef columns(const NodeRef& s, std::span<const int32_t> which);
// s[0] f s[1] f ... ; `identity` for an empty s. Rank 0. s: any rank but 0.
NodeRef reduce(const Closure& f, Few<Bits64> identity, const NodeRef& s);
struct ScanResult {
  NodeRef prefixes, total;
};
ScanResult scan(const Closure& f, Few<Bits64> identity, const NodeRef& s, bool inclusive);
// The elements of s for which f holds, in order.
NodeRef filter(const Closure& f, const NodeRef& s);
// The elements of s, or of s and t, in the order of Routine.
NodeRef sort(const NodeRef& s, int32_t keys, bool descending);
NodeRef sort(const Closure& less, const NodeRef& s);
NodeRef merge(const NodeRef& s, const NodeRef& t, int32_t keys, bool descending);
NodeRef merge(const Closure& less, const NodeRef& s, const NodeRef& t);
// base with element indices[i] replaced by values[i], or combined with it by f, for i = 0, 1, ... in order. An index outside is a range error
// of the force. f combines each column by add, mul, min, max, and, or or xor.
NodeRef scatter(const Closure* f, const NodeRef& base, const NodeRef& indices, const NodeRef& values);
// The number of elements of s that are k, for each k in [0, bins): i64. An element outside is a range error of the force.
NodeRef histogram(const NodeRef& s, int64_t bins);
// The length as a rank-0 i64; never forces.
NodeRef length(const NodeRef& s);
// The following primitives need a known length of s: the caller forces a filter first.
NodeRef nth(const NodeRef& s, int64_t i);
NodeRef subseq(const NodeRef& s, int64_t start, int64_t length);
NodeRef rev(const NodeRef& s);
NodeRef append(Few<NodeRef> sequences);

}  // namespace wf
