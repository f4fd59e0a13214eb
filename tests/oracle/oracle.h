// The meaning of a graph of nodes, computed in the simplest way: node by node, and element by element in order. It reads
// nodes and functions and shares no code with plan and the engines.
//
// The result of a manifest node is used as it is. So call `value` before the node is forced, and `remember` if the value is
// needed again afterwards.
#pragma once

#include <memory>
#include <unordered_map>

#include "lazy/linear/routine.h"
#include "lazy/node.h"
#include "oracle/interpreter.h"

namespace oracle {

using ValueRef = std::shared_ptr<const Value>;

// ---- the primitives on values; f is called for the elements in order -----------------------------------------------------

using Captures = std::vector<const Value*>;

// A sequence of unknown length, for this fault.
Value no_length(std::vector<Type> types, const Fault& fault);
Value tabulate(const wf::Fn& f, const Captures& captures, int64_t n);
Value map(const wf::Fn& f, const Captures& captures, std::vector<const Value*> sequences);
struct Scanned {
  Value prefixes, total;
};
Scanned scan(const wf::Fn& f, const Captures& captures, const std::vector<Bits64>& identity, const Value& s, bool inclusive);
// The elements whose mask (one bool column) is true.
Value select(const Value& s, const Value& mask);
Value count(const Value& s);
Value zip(std::vector<const Value*> sequences);
Value columns(const Value& s, const std::vector<int32_t>& which);
Value subseq(const Value& s, int64_t start, int64_t n);
Value rev(const Value& s);
Value append(std::vector<const Value*> sequences);
// Row r of the result is row r of each of the sequences, one after another.
Value join(std::vector<const Value*> sequences, int64_t rows);
// initial[0], and each further state f(the state before it, the columns of an element of s).
Value iterate(const wf::FnRef& f, const Value& initial, const Value& s);
// base with values[i] combined by f into element indices[i]; without f, 1 is added there.
Value scatter(const wf::FnRef& f, const Value& base, const Value& indices, const Value* values);
// The first index outside [0, length) and its place.
struct Outside {
  int64_t at;
  Fault fault;
};
std::optional<Outside> first_outside(const Value& indices, int64_t length);
// All offsets of segments of n positions, of which the last one may be lacking.
Value offsets_of(Value offsets, bool lacks_end, int64_t n);
// The ids of n positions, and the first offset that does not cut them into segments.
Value segment_ids(const std::vector<wf::Type>& types, const Value& offsets, int64_t n);
std::optional<Outside> first_wrong_offset(const Value& offsets, int64_t n);
// s in the order of the routine; merge(a, b) is the same for append(a, b).
Value sort(const wf::Routine& routine, const wf::FnRef& less, const Value& s);
Value sort_rows(const wf::Routine& routine, int64_t length, const Value& s);
// The result of the routine Linear, `length` elements. Throws RangeError for a matrix without one.
Value linear(const wf::LinearRoutine& routine, const std::vector<const Value*>& inputs, int64_t length);

// ---- graphs --------------------------------------------------------------------------------------------------------------

class Oracle {
 public:
  // The value of a node. No recursion over the graph's depth.
  ValueRef value(const wf::NodeRef& node);
  // Sets the value of `node`. The node must be forgotten before it is released.
  void remember(const wf::NodeRef& node, ValueRef value) { known_[node.get()] = std::move(value); }
  void forget(const wf::NodeRef& node) { known_.erase(node.get()); }

 private:
  std::unordered_map<const wf::Node*, ValueRef> known_;
};

// Elements first, first + 1, ... of a column in memory.
std::vector<Bits64> bits_of(Type type, const std::byte* bytes, int64_t first, int64_t n);

// The bytes that a manifest node keeps, as a Value.
Value read(const wf::Node& node);

// Describes the first difference between two values; empty if they are the same (as defined by `same` in meaning.h). Elements that have a
// fault in both are the same.
std::string difference(const Value& expected, const Value& actual);

}  // namespace oracle
