#include "oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <sstream>

#include "memory/buffer.h"
#include "oracle/meaning.h"

namespace oracle {

using wf::Definition;
using wf::Node;
using wf::NodeKind;

namespace {

// A sequence may fail if one that it is made from may fail.
void inherit(Value& result, const std::vector<const Value*>& from) {
  for (const Value* s : from) result.may_fail |= s->may_fail;
}

const Value* without_length(const std::vector<const Value*>& sequences) {
  for (const Value* s : sequences)
    if (s->length_fault) return s;
  return nullptr;
}

// A sequence of unknown length.
Value no_length(std::vector<Type> types, const Fault& fault) {
  Value result(std::move(types), 0);
  result.length_fault = fault;
  result.may_fail = true;
  return result;
}

Row all_faulty(size_t columns, const Fault& fault) {
  return {std::vector<Bits64>(columns), std::vector<std::optional<Fault>>(columns, fault)};
}

// r[i] = row(i), made from these sequences.
template <class MakeRow> Value by_rows(std::vector<Type> types, int64_t n, const std::vector<const Value*>& from, MakeRow row) {
  Value result(std::move(types), n);
  inherit(result, from);
  for (int64_t i = 0; i < n; i++) result.set_row(i, row(i));
  return result;
}
// The same over the indices of `over`, which have one length.
template <class MakeRow>
Value by_rows_over(std::vector<Type> types, const std::vector<const Value*>& over, const std::vector<const Value*>& from, MakeRow row) {
  if (const Value* s = without_length(over)) return no_length(std::move(types), *s->length_fault);
  return by_rows(std::move(types), over[0]->length, from, row);
}

std::vector<Type> all_types(const std::vector<const Value*>& sequences) {
  std::vector<Type> types;
  for (const Value* s : sequences) types.insert(types.end(), s->types.begin(), s->types.end());
  return types;
}

Row joined_row(const std::vector<const Value*>& sequences, int64_t i) {
  Row joined;
  for (const Value* s : sequences) joined.append(s->row(i));
  return joined;
}

}  // namespace

Value tabulate(const wf::Fn& f, const Captures& captures, int64_t n) {
  Interpreter call(f, captures);
  return by_rows(f.result_types(), n, captures, [&](int64_t i) { return call(Row{{wf::to_bits(i)}}); });
}

Value map(const wf::Fn& f, const Captures& captures, std::vector<const Value*> sequences) {
  Interpreter call(f, captures);
  std::vector<const Value*> all = sequences;
  all.insert(all.end(), captures.begin(), captures.end());
  return by_rows_over(f.result_types(), sequences, all, [&](int64_t i) { return call(joined_row(sequences, i)); });
}

Scanned scan(const wf::Fn& f, const Captures& captures, const std::vector<Bits64>& identity, const Value& s, bool inclusive) {
  Interpreter call(f, captures);
  Scanned result{Value(s.types, s.length), Value(s.types, 1)};
  inherit(result.prefixes, {&s});
  inherit(result.total, {&s});
  if (s.length_fault) {
    result.total.set_row(0, all_faulty(s.types.size(), *s.length_fault));
    return {no_length(s.types, *s.length_fault), std::move(result.total)};
  }
  Row sum{identity};
  for (int64_t i = 0; i < s.length; i++) {
    if (!inclusive) result.prefixes.set_row(i, sum);
    const Row right = s.row(i);
    if (i > 0) {
      sum.append(right);
      sum = call(sum);
    } else {
      sum = right;
    }
    if (inclusive) result.prefixes.set_row(i, sum);
  }
  result.total.set_row(0, sum);
  return result;
}

Value select(const Value& s, const Value& mask) {
  if (const Value* unknown = without_length({&s, &mask})) return no_length(s.types, *unknown->length_fault);
  if (!mask.faults[0].empty()) return no_length(s.types, mask.faults[0].begin()->second);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < s.length; i++)
    if (mask.columns[0][i]) kept.push_back(i);
  return by_rows(s.types, kept.size(), {&s, &mask}, [&](int64_t k) { return s.row(kept[k]); });
}

Value count(const Value& s) {
  return by_rows({Type::I64}, 1, {&s}, [&](int64_t) {
    Row row{{wf::to_bits(s.length)}};
    if (s.length_fault) row.faults = {s.length_fault};
    return row;
  });
}

Value zip(std::vector<const Value*> sequences) {
  return by_rows_over(all_types(sequences), sequences, sequences, [&](int64_t i) { return joined_row(sequences, i); });
}

Value columns(const Value& s, const std::vector<int32_t>& which) {
  std::vector<Type> types;
  for (int32_t k : which) types.push_back(s.types[k]);
  return by_rows_over(types, {&s}, {&s}, [&](int64_t i) {
    const Row all = s.row(i);
    Row row;
    for (int32_t k : which) row.append({{all.values[k]}, {all.fault(k)}});
    return row;
  });
}

Value subseq(const Value& s, int64_t start, int64_t n) {
  return by_rows(s.types, n, {&s}, [&](int64_t i) { return s.row(start + i); });
}

Value rev(const Value& s) {
  return by_rows(s.types, s.length, {&s}, [&](int64_t i) { return s.row(s.length - 1 - i); });
}

Value append(std::vector<const Value*> sequences) {
  std::vector<std::pair<const Value*, int64_t>> places;
  for (const Value* s : sequences)
    for (int64_t i = 0; i < s->length; i++) places.push_back({s, i});
  return by_rows(sequences[0]->types, places.size(), sequences, [&](int64_t i) { return places[i].first->row(places[i].second); });
}

namespace {

// The first key column in which they differ decides; numbers by value, -0 before 0, NaN last.
bool comes_first(const wf::Routine& routine, const std::vector<Type>& types, const std::vector<Bits64>& a, const std::vector<Bits64>& b) {
  for (size_t k = 0; k < routine.keys; k++) {
    const int order = wf::visit(types[k], [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T x = wf::from_bits<T>(a[k]), y = wf::from_bits<T>(b[k]);
      if constexpr (std::is_floating_point_v<T>) {
        if (x != x || y != y) return int(x != x) - int(y != y);
        if (x == y) return int(std::signbit(y)) - int(std::signbit(x));
      }
      return int(x > y) - int(x < y);
    });
    if (order != 0) return routine.descending ? order > 0 : order < 0;
  }
  return false;
}

}  // namespace

// An element that has a fault leaves the place of every other element unknown.
Value sort(const wf::Routine& routine, const wf::FnRef& less, const Value& s) {
  if (s.length_fault) return no_length(s.types, *s.length_fault);
  for (const auto& column : s.faults)
    if (!column.empty())
      return by_rows(s.types, s.length, {&s}, [&](int64_t) { return all_faulty(s.types.size(), column.begin()->second); });
  std::vector<int64_t> order(s.length);
  std::iota(order.begin(), order.end(), int64_t(0));
  std::optional<Interpreter> call;
  if (less) call.emplace(*less);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    Row a = s.row(i);
    const Row b = s.row(j);
    if (!call) return comes_first(routine, s.types, a.values, b.values);
    a.append(b);
    return (*call)(a).values[0] != 0;
  });
  return by_rows(s.types, s.length, {&s}, [&](int64_t k) { return s.row(order[k]); });
}

// A routine fails as a whole if one of its inputs does.
static std::optional<Fault> fault_of_any(std::initializer_list<const Value*> inputs) {
  for (const Value* v : inputs) {
    if (!v) continue;
    if (v->length_fault) return v->length_fault;
    for (const auto& column : v->faults)
      if (!column.empty()) return column.begin()->second;
  }
  return {};
}

Value iterate(const wf::FnRef& f, const Value& initial, const Value& s) {
  if (s.length_fault) return no_length(initial.types, *s.length_fault);
  const std::optional<Fault> fault = fault_of_any({&initial, &s});
  Row state = initial.row(0);
  return by_rows(initial.types, s.length + 1, {&initial, &s}, [&](int64_t k) {
    if (fault) return all_faulty(initial.types.size(), *fault);
    if (k == 0) return state;
    state.append(s.row(k - 1));
    return state = Interpreter(*f)(state);
  });
}

Value scatter(const wf::FnRef& f, const Value& base, const Value& indices, const Value* values) {
  if (base.length_fault) return no_length(base.types, *base.length_fault);
  if (const auto fault = fault_of_any({&base, &indices, values}))
    return by_rows(base.types, base.length, {&base}, [&](int64_t) { return all_faulty(base.types.size(), *fault); });
  Value result = base;
  result.may_fail |= indices.may_fail || (values && values->may_fail);
  for (int64_t i = 0; i < indices.length; i++) {
    const int64_t k = int64_t(wf::convert(indices.types[0], Type::I64, indices.columns[0][i]));
    if (!f) {
      result.columns[0][k]++;
      continue;
    }
    Row row = result.row(k);
    row.append(values->row(i));
    const Row combined = Interpreter(*f)(row);
    for (size_t c = 0; c < base.types.size(); c++) result.columns[c][k] = combined.values[c];
  }
  return result;
}

// ---- graphs --------------------------------------------------------------------------------------------------------------

namespace {

// The definition of a node from the values of its inputs.
Value define(const Node& node, const Definition& d, const Captures& in) {
  switch (d.kind) {
    case NodeKind::Source: break;
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
    case NodeKind::Scan: return scan(*d.fn, {}, d.identity, *in[0], d.inclusive).prefixes;
    case NodeKind::Total: return scan(*d.fn, {}, d.identity, *in[1], true).total;
    case NodeKind::Filter: return select(*in[0], *in[1]);
    case NodeKind::Count: return count(*in[0]);
    case NodeKind::Call:
      if (d.routine.kind == wf::Routine::Scatter) return scatter(d.fn, *in[0], *in[1], in.size() > 2 ? in[2] : nullptr);
      if (d.routine.kind == wf::Routine::Iterate) return iterate(d.fn, *in[0], *in[1]);
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

Value read(const Node& node) {
  const auto manifest = node.state().manifest;
  if (!manifest) throw std::logic_error("read of a node that has not been computed");
  Value result(node.types(), manifest->length);
  for (size_t k = 0; k < result.columns.size(); k++) {
    const size_t size = wf::size_of(result.types[k]);
    const auto& column = manifest->columns[k];
    for (int64_t i = 0; i < result.length; i++)
      std::memcpy(&result.columns[k][i], column.buffer->host() + (column.offset + i) * size, size);
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
