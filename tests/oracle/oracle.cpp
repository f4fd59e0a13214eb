#include "oracle/oracle.h"

#include <cstring>
#include <sstream>

#include "memory/buffer.h"
#include "oracle/meaning.h"

namespace oracle {

using wf::Definition;
using wf::Node;
using wf::NodeKind;

namespace {

// Each vector along the axis on its own.
Value scan_along(const Definition& d, const Value& s) {
  const auto [length, inner] = d.axis;
  Value prefixes(s.types, s.length);
  for (int64_t first = 0; first < s.length; first += length * inner)
    for (int64_t c = first; c < first + inner; c++) {
      Value vector(s.types, length);
      for (int64_t l = 0; l < length; l++) vector.set_row(l, s.row(c + l * inner));
      const Value scanned = scan(*d.fn, {}, d.identity, vector, d.inclusive).prefixes;
      for (int64_t l = 0; l < length; l++) prefixes.set_row(c + l * inner, scanned.row(l));
    }
  return prefixes;
}

// The definition of a node from the values of its inputs.
Value define(const Node& node, const Definition& d, const Captures& in) {
  switch (d.kind) {
    case NodeKind::Source:
    case NodeKind::Parameter: break;
    case NodeKind::Pull: {
      // The length of a node over a filter is known when that filter is; the filter is among the node's inputs.
      int64_t n = node.length();
      for (size_t k = 0; k < d.inputs.size() && n < 0; k++) {
        if (d.inputs[k].get() != node.domain() && d.inputs[k]->domain() != node.domain()) continue;
        if (in[k]->length_fault) return no_length(node.types(), *in[k]->length_fault);
        n = in[k]->length;
      }
      return tabulate(*wf::with_values(d.fn, d.arguments), in, n);
    }
    case NodeKind::Reduce: return scan(*d.fn, {}, d.identity, *in[0], true).total;
    case NodeKind::Scan: return d.axis.exists() ? scan_along(d, *in[0]) : scan(*d.fn, {}, d.identity, *in[0], d.inclusive).prefixes;
    case NodeKind::Total: return scan(*d.fn, {}, d.identity, *in[1], true).total;
    case NodeKind::Filter: return select(*in[0], *in[1]);
    case NodeKind::Count: return count(*in[0]);
    case NodeKind::Call:
      if (d.routine.kind == wf::Routine::Scatter) return scatter(d.fn, *in[0], *in[1], in.size() > 2 ? in[2] : nullptr);
      if (d.routine.kind == wf::Routine::Iterate) return iterate(d.fn, *in[0], *in[1]);
      if (d.routine.kind == wf::Routine::SegmentIds)
        return segment_ids(node.types(), offsets_of(*in[0], d.routine.lacks_end, node.length()), node.length());
      if (d.routine.kind == wf::Routine::Join) return join(in, wf::from_bits<int64_t>(d.identity[0]));
      if (d.routine.kind == wf::Routine::Linear) return linear(wf::linear_routine(d.identity), in, node.length());
      if (d.routine.kind == wf::Routine::Sort && !d.identity.empty())
        return sort_rows(d.routine, wf::from_bits<int64_t>(d.identity[0]), *in[0]);
      return sort(d.routine, d.fn, in.size() == 1 ? *in[0] : append(in));
  }
  throw std::logic_error("a node without a meaning");
}

}  // namespace

ValueRef Oracle::value(const wf::NodeRef& root) {
  std::unordered_map<const Node*, ValueRef> found;
  auto look_up = [&](const Node* node) -> ValueRef {
    if (auto it = known_.find(node); it != known_.end()) return it->second;
    if (auto it = found.find(node); it != found.end()) return it->second;
    return nullptr;
  };
  std::vector<wf::NodeRef> stack{root};
  while (!stack.empty()) {
    const wf::NodeRef node = stack.back();
    if (look_up(node.get())) {
      stack.pop_back();
      continue;
    }
    const wf::NodeState state = node->state();
    if (state.manifest) {
      found[node.get()] = std::make_shared<Value>(read(*node));
      continue;
    }
    const Definition& d = *state.definition;
    const size_t pending = stack.size();
    for (const wf::NodeRef& input : d.inputs)
      if (!look_up(input.get())) stack.push_back(input);
    if (stack.size() > pending) continue;
    std::vector<ValueRef> held;
    Captures in;
    for (const wf::NodeRef& input : d.inputs) held.push_back(look_up(input.get())), in.push_back(held.back().get());
    found[node.get()] = std::make_shared<Value>(define(*node, d, in));
  }
  return look_up(root.get());
}

std::vector<Bits64> bits_of(Type type, const std::byte* bytes, int64_t first, int64_t n) {
  std::vector<Bits64> bits(n);
  wf::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < n; i++) {
      T x;
      std::memcpy(&x, bytes + (first + i) * int64_t(sizeof(T)), sizeof(T));
      bits[i] = wf::to_bits(x);
    }
  });
  return bits;
}

Value read(const Node& node) {
  const auto manifest = node.state().manifest;
  if (!manifest) throw std::logic_error("read of a node that has not been computed");
  Value result(node.types(), manifest->length);
  for (size_t k = 0; k < result.columns.size(); k++) {
    const auto& column = manifest->columns[k];
    result.columns[k] = bits_of(result.types[k], column.buffer->host(), column.offset, result.length);
  }
  return result;
}

std::string difference(const Value& expected, const Value& actual) {
  std::ostringstream text;
  if (expected.length_fault.has_value() != actual.length_fault.has_value())
    text << (expected.length_fault ? "the length is no error" : "the length is an error");
  else if (expected.length != actual.length) text << "length " << actual.length << " where " << expected.length << " is right";
  for (size_t k = 0; text.str().empty() && k < expected.columns.size(); k++)
    for (int64_t i = 0; i < expected.length; i++) {
      const bool faulty = expected.faults[k].contains(i);
      if (faulty != actual.faults[k].contains(i)) {
        text << "column " << k << " [" << i << "] of " << expected.length << (faulty ? " is no error" : " is an error");
        break;
      }
      if (!faulty && !same(expected.types[k], expected.columns[k][i], actual.columns[k][i])) {
        text << "column " << k << " [" << i << "] of " << expected.length << " is "
             << wf::print_literal(expected.types[k], actual.columns[k][i]) << " where "
             << wf::print_literal(expected.types[k], expected.columns[k][i]) << " is right";
        break;
      }
    }
  return text.str();
}

}  // namespace oracle
