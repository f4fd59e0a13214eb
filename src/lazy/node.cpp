#include "lazy/node.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "expr/derivative/derivative.h"
#include "expr/mutex.h"

namespace wf {

const std::vector<Type>& ColumnTypes::none() {
  static const std::vector<Type>& list = *new std::vector<Type>;  // never destroyed: nodes may outlive static objects
  return list;
}

const std::vector<Type>& ColumnTypes::one(Type type) {
  static const std::array<std::vector<Type>, type_count>& lists = *[] {
    auto* all = new std::array<std::vector<Type>, type_count>;  // never destroyed, as above
    for (int t = 0; t < type_count; t++) (*all)[size_t(t)] = {static_cast<Type>(t)};
    return all;
  }();
  return lists[static_cast<size_t>(type)];
}

namespace {

// The lock of a node's state, shared by nodes: one per node would enlarge it.
Mutex& lock_of(const Node* node) {
  struct alignas(64) Line {
    Mutex mutex;
  };
  static std::array<Line, 64>& lines = *new std::array<Line, 64>;  // never destroyed, as above
  return lines[(reinterpret_cast<uintptr_t>(node) >> 7) * 0x9e3779b97f4a7c15 >> 58].mutex;
}

// The node that a Reduce reduces, null for other definitions.
Node* reduced_by(const Definition& definition) { return definition.kind == NodeKind::Reduce ? definition.inputs[0].get() : nullptr; }

}  // namespace

void CountedDefinition::destroy() const {
  std::destroy_at(&definition_);
  if (!is_in_node_) delete this;
}

Node* Node::reduced() const { return is_manifest() ? nullptr : reduced_by(*definition_); }

Node::Node(const std::shared_ptr<NodeContext>& context, Shape&& shape, ColumnTypes&& types, NodeRef&& domain)
    : context_(context), shape_(std::move(shape)), types_(std::move(types)), domain_(std::move(domain)) {}

NodeRef Node::make(const std::shared_ptr<NodeContext>& context, Shape&& shape, ColumnTypes&& types, NodeRef&& domain,
                   Definition&& definition) {
  Node* node = new Node(context, std::move(shape), std::move(types), std::move(domain));
  if (definition.kind == NodeKind::Filter) node->filtered_length_.store(-1, std::memory_order_relaxed);
  Node* const reduced = reduced_by(definition);
  const auto is_tracked = [](const NodeRef& s) { return s->is_tracked(); };
  if (definition.kind == NodeKind::Parameter) node->track(Tracking::Variable);
  else if (std::ranges::any_of(definition.inputs, is_tracked)) node->track(Tracking::Made);
  if (definition.fn && has_derivatives(*definition.fn)) node->separate(definition);
  node->definition_.start(std::move(definition));
  if (reduced) reduced->enter(node);
  return NodeRef::adopt(node);
}

NodeRef Node::make(const std::shared_ptr<NodeContext>& context, Shape&& shape, ColumnTypes&& types, NodeRef&& domain,
                   std::shared_ptr<const Manifest>&& result) {
  Node* node = new Node(context, std::move(shape), std::move(types), std::move(domain));
  node->manifest_ = std::move(result);
  node->is_manifest_.store(true, std::memory_order_relaxed);
  node->is_leaf_ = true;
  return NodeRef::adopt(node);
}

// Functions with derivatives of their own are part of the history alone.
void Node::separate(Definition& definition) {
  const FnRef computed = without_derivatives(definition.fn);
  if (is_tracked()) set_history(definition.with(definition.fn, definition.inputs));
  definition.fn = computed;
}

void Node::publish(std::shared_ptr<const Manifest> result) {
  {
    std::lock_guard lock(lock_of(this));
    if (is_manifest()) return;
    if (const Node* filter = domain()) filter->filtered_length_.store(result->length, std::memory_order_release);
    manifest_ = std::move(result);
    is_manifest_.store(true, std::memory_order_release);
  }
  if (Node* of = reduced_by(*definition_)) of->forget(this);
  if (!keeps_definition()) definition_.release();  // after the lock: this may take long
}

void Node::enter(Node* reduction) {
  std::lock_guard lock(lock_of(this));
  reduction->link_ = std::exchange(link_, reduction);
  Node* last = reduction;
  for (size_t k = 1; k < most_reductions && last->link_; k++) last = last->link_;
  last->link_ = nullptr;
}

void Node::forget(Node* reduction) {
  std::lock_guard lock(lock_of(this));
  for (Node** at = &link_; *at; at = &(*at)->link_)
    if (*at == reduction) {
      *at = std::exchange(reduction->link_, nullptr);
      return;
    }
}

bool Node::retain_if_referenced() {
  int64_t count = references_.load(std::memory_order_relaxed);
  while (count > 0 && !references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {}
  return count > 0;
}

Node::Reductions Node::reductions_besides(const Node* known) const {
  Reductions found;
  size_t count = 0;
  std::lock_guard lock(lock_of(this));
  for (Node* reduction = link_; reduction; reduction = reduction->link_)
    if (reduction != known && reduction->retain_if_referenced()) found[count++] = NodeRef::adopt(reduction);
  return found;
}

// Releasing a node releases its inputs. Nested releases only append to a list of this thread, which the outermost call
// empties. So the depth of the stack does not depend on the depth of the graph.
namespace {
struct Released {
  Node* first = nullptr;
  bool draining = false;
};
thread_local Released released;
}  // namespace

void Node::release() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (Node* of = reduced()) of->forget(this);
  Released& mine = released;  // one access to the thread's memory
  link_ = std::exchange(mine.first, this);
  if (mine.draining) return;
  mine.draining = true;
  while (Node* node = mine.first) {
    mine.first = node->link_;
    delete node;
  }
  mine.draining = false;
}

}  // namespace wf
