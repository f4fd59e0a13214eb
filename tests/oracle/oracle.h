// What a graph of nodes means, computed slowly and plainly: every node whole, every element by itself, first to last.
// It reads nodes and functions and shares no code with plan and the engines.
//
// A result that a node keeps is taken as it is, so ask before anything forces the node, and `remember` what was
// answered if it is to be asked again after.
#pragma once

#include <memory>
#include <unordered_map>

#include "lazy/node.h"
#include "oracle/interpreter.h"

namespace oracle {

using ValueRef = std::shared_ptr<const Value>;

// ---- the primitives on values; f is called for the elements in order -----------------------------------------------------

using Captures = std::vector<const Value*>;

Value tabulate(const wf::Fn& f, const Captures& captures, int64_t n);
Value map(const wf::Fn& f, const Captures& captures, std::vector<const Value*> sequences);
struct Scanned {
  Value prefixes, total;
};
Scanned scan(const wf::Fn& f, const Captures& captures, const std::vector<Bits64>& identity, const Value& s, bool inclusive);
// The elements where mask's one column holds.
Value select(const Value& s, const Value& mask);
Value count(const Value& s);
Value zip(std::vector<const Value*> sequences);
Value columns(const Value& s, const std::vector<int32_t>& which);
Value subseq(const Value& s, int64_t start, int64_t n);
Value rev(const Value& s);
Value append(std::vector<const Value*> sequences);

// ---- graphs --------------------------------------------------------------------------------------------------------------

class Oracle {
 public:
  // The value of a node. No recursion over the graph's depth.
  ValueRef value(const wf::NodeRef& node);
  // From now on, `node` is known to have this value. The node must be forgotten before it is released.
  void remember(const wf::NodeRef& node, ValueRef value) { known_[node.get()] = std::move(value); }
  void forget(const wf::NodeRef& node) { known_.erase(node.get()); }

 private:
  std::unordered_map<const wf::Node*, ValueRef> known_;
};

// The bytes that a manifest node keeps, as a Value.
Value read(const wf::Node& node);

// Where two values first differ, in words; empty if they are the same (as `same` in meaning.h says).
std::string difference(const Value& expected, const Value& actual);

}  // namespace oracle
