// A node: a sequence that has not been computed yet (delayed), or has (manifest).
//
// Nodes are immutable in meaning; the one thing that changes is that a delayed node becomes manifest, once, after which it
// lets go of what it was made from. They are counted by hand, and released without recursion, so that a chain of a
// million nodes can be dropped on a small stack.
#pragma once

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
#include "lazy/shape.h"
#include "ops/types.h"

namespace wf {

class Buffer;
class Node;

// Nodes of one context may be used together; Context of eval/context.h derives from it.
struct NodeContext {
  virtual ~NodeContext() = default;
};

// The record of the run that made a result; RunRecord of eval/report.h derives from it.
struct ResultRecord {
  virtual ~ResultRecord() = default;
};

// A counted reference.
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
  Node* detach() { return std::exchange(node_, nullptr); }  // the caller owns the reference

 private:
  Node* node_ = nullptr;
};

enum class NodeKind : uint8_t {
  Source,  // manifest from the start
  Pull,    // fn(i) -> columns; `at` reads inputs by slot
  Reduce,  // fn combines, inputs[0]; rank 0
  Scan,    // fn combines, inputs[0]; prefixes, exclusive or inclusive
  Total,   // the total of inputs[0], a Scan; rank 0. inputs[1] is what was scanned: its reduction is the same total
  Filter,  // inputs[0] where inputs[1] (one bool column over the same domain) holds
  Count,   // the length of inputs[0], a Filter; rank 0, i64
};

struct Definition {
  NodeKind kind;
  FnRef fn;  // none for Filter and Count
  Few<NodeRef> inputs;
  std::vector<Bits64> identity;
  bool inclusive = false;
  // A Pull itself reads inputs[0 .. viewed), and stays inside of them wherever its own index is inside and the element is
  // chosen. The others are captured by its function, which may read them at any index.
  uint32_t viewed = 0;
  std::vector<Bits64> arguments = {};  // of fn, by slot
};

struct Column {
  std::shared_ptr<Buffer> buffer;
  int64_t offset = 0;  // in elements
};

struct Manifest {
  std::vector<Column> columns;
  int64_t length;  // elements in each column
  std::shared_ptr<const ResultRecord> record;
};

// The state of a node at one moment; exactly one of the two is set.
struct NodeState {
  std::shared_ptr<const Definition> definition;
  std::shared_ptr<const Manifest> manifest;
};

class Node {
 public:
  const std::shared_ptr<NodeContext>& context() const { return context_; }
  const ColumnTypes& column_types() const { return types_; }
  const std::vector<Type>& types() const { return types_; }
  int rank() const { return shape_.rank; }
  // Elements, or -1 while only running a filter would tell.
  int64_t length() const;
  // The shape; its length is -1 while unknown.
  Shape shape() const;
  // The filter over whose result this node ranges, null where the length was known from the start. Two nodes range over
  // the same indices if both have one domain, or none and equal shapes.
  const Node* domain() const { return domain_.get() ? domain_.get() : (is_filter() ? this : nullptr); }

  NodeState state() const;
  bool is_manifest() const { return state().manifest != nullptr; }
  // Keeps the result and lets go of the definition. The first result wins.
  void publish(std::shared_ptr<const Manifest> result);

  // Returns false for almost every pointer that is not a live node: a released one, or another kind of object.
  bool is_alive() const { return mark_ == living; }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;
  int64_t references() const { return references_.load(std::memory_order_relaxed); }

  static NodeRef make(std::shared_ptr<NodeContext> context, Shape shape, ColumnTypes types, NodeRef domain, NodeState state);

 private:
  static constexpr uint64_t living = 0x77662d6e6f646521;  // the first word of each kind of handle tells it from others

  // filtered_length_ of nodes that are no filters.
  static constexpr int64_t no_filter = -2;
  bool is_filter() const { return filtered_length_.load(std::memory_order_relaxed) != no_filter; }

  Node() = default;
  ~Node() { mark_ = 0; }
  volatile uint64_t mark_ = living;  // volatile: the destructor's store is meant to be seen afterwards
  std::atomic<int64_t> references_{1};
  Node* next_released_ = nullptr;
  std::shared_ptr<NodeContext> context_;
  Shape shape_;
  ColumnTypes types_;
  NodeRef domain_;
  // A filter's number of kept elements, known once any sequence over its result has been computed; -1 before.
  mutable std::atomic<int64_t> filtered_length_{no_filter};
  NodeState state_;  // guarded by a lock that nodes share
};

inline NodeRef::NodeRef(Node* node) : node_(node) {
  if (node_) node_->retain();
}
inline NodeRef::NodeRef(const NodeRef& other) : NodeRef(other.node_) {}
inline NodeRef::~NodeRef() {
  if (node_) node_->release();
}

// An argument that is of no use in itself: nothing where something is needed, sequences of different contexts.
struct ArgumentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Lengths or ranges that do not fit; an index outside.
struct SizeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct IndexError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A function, the sequences that it captures, and the values of its arguments, slot by slot.
struct Closure {
  FnRef fn;
  std::vector<NodeRef> captures;
  std::vector<Bits64> arguments = {};
};

// A manifest node: rank 0 with one element a column, or rank 1.
NodeRef source(std::shared_ptr<NodeContext> context, Shape shape, std::vector<Type> types, std::vector<Column> columns);

// One value as rank 0. A float is an argument of the kernels that read it, unless folding looks at its value; an integer is a literal.
NodeRef constant(std::shared_ptr<NodeContext> context, Type type, Bits64 bits);

// ---- what a user asks for; each checks its arguments and appends nodes, and runs nothing -------------------------------
// Arguments are called in errors as in warpfold.h; the caller says which function was called.

// r[i] = f(i), i < n. f: i64 -> columns.
NodeRef tabulate(std::shared_ptr<NodeContext> context, const Closure& f, int64_t n);
// r[i] = f(all columns of s_0[i], s_1[i], ...). The sequences have one domain.
NodeRef map(const Closure& f, std::span<const NodeRef> sequences);
// Columns side by side; free.
NodeRef zip(std::span<const NodeRef> sequences);
// The columns of those numbers; free.
NodeRef columns(const NodeRef& s, std::span<const int32_t> which);
// s[0] f s[1] f ... ; `identity` for an empty s. Rank 0.
NodeRef reduce(const Closure& f, std::vector<Bits64> identity, const NodeRef& s);
struct ScanResult {
  NodeRef prefixes, total;
};
ScanResult scan(const Closure& f, std::vector<Bits64> identity, const NodeRef& s, bool inclusive);
// The elements of s for which f holds, in order.
NodeRef filter(const Closure& f, const NodeRef& s);
// The length as a rank-0 i64; never forces.
NodeRef length(const NodeRef& s);
// The following need the length of s, which must be known (the caller forces a filter first).
NodeRef nth(const NodeRef& s, int64_t i);
NodeRef subseq(const NodeRef& s, int64_t start, int64_t length);
NodeRef rev(const NodeRef& s);
NodeRef append(std::span<const NodeRef> sequences);

}  // namespace wf
