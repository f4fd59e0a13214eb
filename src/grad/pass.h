// The state of one gradient, and what its rules share.
#pragma once

#include <unordered_map>

#include "grad/gradient.h"
#include "lazy/compose.h"

namespace wf {

// A reduction of each row of `count` values by one function; count -1: of all values, of any domain, or with offsets of each segment.
struct RowReduction {
  NodeRef values;
  FnRef combine;
  Few<Bits64> identity;
  int64_t count = -1;
  NodeRef offsets = {};
  bool is_whole() const { return count < 0 && !offsets; }
};

// A cotangent per column, each of one column; null is 0.
using CotangentColumns = std::vector<NodeRef>;

class GradientPass {
 public:
  explicit GradientPass(const Measure& measure) : measure_(measure) {}

  // Finds the nodes between values and variables.
  void collect(std::span<const NodeRef> values, std::span<const NodeRef> variables);
  // Adds to the cotangent of a column of s; no effect if s does not depend on a variable.
  void give(const NodeRef& s, size_t column, const NodeRef& cotangent);
  // Passes the cotangents back to the variables.
  void run();
  // The sums of what was given, in order.
  CotangentColumns cotangents(const NodeRef& s);

  bool is_active(const NodeRef& s) const { return entries_.contains(s.get()) && entries_.at(s.get()).is_active; }
  const Measure& measure() const { return measure_; }
  int64_t length_of(const NodeRef& s) const { return s->length() >= 0 ? s->length() : measure_(s); }
  // A node whose definition is this reduction.
  void define(const NodeRef& s, RowReduction reduction) { reductions_.emplace(s.get(), std::move(reduction)); }

 private:
  struct Entry {
    bool is_active = false, is_known = false;  // known: it is in the order, or will be
    DefinitionRef definition;
    std::vector<std::vector<NodeRef>> given;  // by column
  };
  void visit(const NodeRef& root);
  std::vector<NodeRef> inputs_of(const NodeRef& s);
  void pass(const NodeRef& s);

  const Measure& measure_;
  std::vector<NodeRef> order_;  // inputs before their readers; destroyed after the entries, whose definitions are parts of these nodes
  std::unordered_map<const Node*, Entry> entries_;
  std::unordered_map<const Node*, RowReduction> reductions_;
};

// ---- rules: from the cotangents of y to those of its inputs -----------------------------------------------------------

void pull_back(GradientPass& pass, const NodeRef& y, const Definition& pull, const CotangentColumns& ybar);
void reduce_back(GradientPass& pass, const RowReduction& reduction, const CotangentColumns& ybar);
void scan_back(GradientPass& pass, const NodeRef& y, const Definition& scan, const CotangentColumns& ybar);
void linear_back(GradientPass& pass, const NodeRef& y, const Definition& call, const NodeRef& ybar);
void sort_back(GradientPass& pass, const NodeRef& y, const Definition& call, const CotangentColumns& ybar);
void iterate_back(GradientPass& pass, const NodeRef& y, const Definition& call, const CotangentColumns& ybar);
void scatter_back(GradientPass& pass, const Definition& call, const CotangentColumns& ybar);
void derivative_back(GradientPass& pass, const NodeRef& y, const Definition& history, const CotangentColumns& ybar);
void recompute_back(GradientPass& pass, const Definition& history, const CotangentColumns& ybar);
void filter_back(GradientPass& pass, const NodeRef& y, const Definition& filter, const CotangentColumns& ybar);
void call_back(GradientPass& pass, const NodeRef& y, const Definition& call, const CotangentColumns& ybar);

// The definition of y, a Pull, with its folds that depend on active inputs as nodes: see lift.cpp. Null if it has none.
DefinitionRef lifted(GradientPass& pass, const NodeRef& y, const Definition& pull);

// Returns true for a history that is not the definition that is computed; its first `viewed` inputs are what the value is a function of. See custom.cpp.
inline bool has_own_derivative(const Definition& d) {
  return d.kind == NodeKind::Call && (d.routine.kind == Routine::Derivative || d.routine.kind == Routine::Recompute);
}

// ---- parts of rules ----------------------------------------------------------------------------------------------------

// A Pull over `domain`: f(builder, i) are its columns. All inputs are captured.
template <class F> NodeRef computed(const NodeRef& like, const Domain& domain, Few<NodeRef> inputs, const F& f) {
  Builder b;
  const Id i = b.param(Type::I64, "i");
  const std::vector<Id> results = f(b, i);
  return pull(like->context(), domain, simplify(b.finish(results)), std::move(inputs), 0);
}
inline NodeRef column_of(const NodeRef& s, size_t column) {
  const int32_t which = int32_t(column);
  return columns(s, {&which, 1});
}
// The same elements over the domain of `like`, which has as many.
NodeRef over_domain_of(const NodeRef& like, const NodeRef& s);
// The same elements as a vector, over no filter's domain.
NodeRef vector_of(const NodeRef& s);
// The elements in the other order along an axis.
NodeRef reversed_along(const NodeRef& s, int axis);
// Returns true if the start of a fold is another value than the identity of the operation by which a column of floats is combined.
bool has_start(const Fn& combine, size_t column, Bits64 start);
// f of its operands in the other order.
FnRef swapped(const FnRef& f);
// f with integers among its arguments as literals: they decide which elements it reads.
FnRef with_integers(const FnRef& f, std::span<const Bits64> arguments);
NodeRef zeros_like(const NodeRef& s, Type type);
// The reduction of each row of s, which ranges over the values of `rows`; flat.
NodeRef reduce_rows(const RowReduction& rows, const NodeRef& s, const FnRef& combine, Few<Bits64> identity);

}  // namespace wf
