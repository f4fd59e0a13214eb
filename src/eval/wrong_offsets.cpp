#include "eval/wrong_offsets.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "lazy/composed/segments.h"
#include "plan/plan.h"

namespace wf {
namespace {

// A column of a node that contains the offsets of segments of n values; n < 0: the number is not known.
struct Offsets {
  NodeRef node;
  uint32_t column;
  int64_t n;
  bool lacks_end = false;  // the last offset, n
};

const Term* offset_read(const Fn& f, Id x) { return f[x].kind == Kind::At && f[x].type == Type::I64 ? &f[x] : nullptr; }

// x, if the term is x + 1.
std::optional<Id> term_below(const Fn& f, Id sum) {
  if (f[sum].kind != Kind::Apply || f[sum].op != Op::add_) return std::nullopt;
  const auto operands = f.args(sum);
  const Term& one = f[operands[1]];
  return one.kind == Kind::Literal && one.bits == 1 ? std::optional(operands[0]) : std::nullopt;
}

// The number of values, if the term is that number + 1; else -1.
int64_t values_below(const Fn& f, Id length, const Definition& definition) {
  if (f[length].kind == Kind::Literal) return from_bits<int64_t>(f[length].bits) - 1;
  const auto n = term_below(f, length);
  return n && f[*n].kind == Kind::Length ? definition.inputs[f[*n].slot]->length() : -1;
}

// Segments check an offset against the next one + 1, and against the number of values + 1. Returns the columns of which a node's function checks a
// number as the first of these.
std::vector<Offsets> offsets_of(const Node& node, const Definition& definition) {
  std::vector<Offsets> all;
  if (definition.kind == NodeKind::Call && definition.routine.kind == Routine::SegmentIds)
    return {{definition.inputs[0], 0, node.length(), definition.routine.lacks_end}};
  if (definition.kind != NodeKind::Pull) return all;
  for_each_body(*definition.fn, [&](const Fn& f, bool) {
    for (const Term& check : f.terms) {
      if (check.kind != Kind::Check) continue;
      const auto next = term_below(f, f.args(check)[1]);
      const Term* offset = next ? offset_read(f, *next) : nullptr;
      if (!offset) continue;
      Offsets found{definition.inputs[offset->slot], offset->column, -1};
      for (const Term& other : f.terms) {
        if (other.kind != Kind::Check) continue;
        const Term* index = offset_read(f, f.args(other)[0]);
        const Term& guard = f[f.args(other)[2]];
        if (!index || index->slot != offset->slot || index->column != offset->column) continue;
        if (guard.kind == Kind::Literal) found.n = std::max(found.n, values_below(f, f.args(other)[1], definition));
      }
      all.push_back(std::move(found));
    }
  });
  return all;
}

// The offsets that delayed nodes below the demanded ones check.
std::vector<Offsets> checked_offsets(std::span<const NodeRef> demanded) {
  std::vector<Offsets> all;
  std::vector<NodeRef> open(demanded.begin(), demanded.end());
  std::unordered_set<const Node*> known;
  std::set<std::tuple<const Node*, uint32_t, int64_t>> distinct;
  while (!open.empty()) {
    const NodeRef node = std::move(open.back());
    open.pop_back();
    const auto definition = node->state().definition;
    if (!definition || !known.insert(node.get()).second) continue;
    for (Offsets& offsets : offsets_of(*node, *definition))
      if (distinct.emplace(offsets.node.get(), offsets.column, offsets.n).second) all.push_back(std::move(offsets));
    open.insert(open.end(), definition->inputs.begin(), definition->inputs.end());
  }
  return all;
}

int64_t above(int64_t x) { return int64_t(uint64_t(x) + 1); }

// The fault as a comparison of offsets, if it is one.
std::optional<std::string> explanation(std::span<const int64_t> offsets, int64_t n, const IndexFault& fault) {
  const auto is = [&](int64_t index, int64_t length) { return fault.index == index && fault.length == length; };
  const auto offset = [&](size_t k) { return "offset " + std::to_string(k) + " of segments is " + std::to_string(offsets[k]); };
  const std::string values = std::to_string(n) + ", the number of values";
  for (size_t k = 0; k < offsets.size(); k++) {
    const int64_t x = offsets[k], before = offsets[k == 0 ? 0 : k - 1];
    const bool compared = is(before, above(x)) || (n >= 0 && is(x, above(n)));
    if (k == 0 && x != 0 && (compared || is(x, 1) || (offsets.size() > 1 && is(x, above(offsets[1]))))) return offset(k) + "; expected 0";
    if (x < 0 && compared) return offset(k) + "; expected 0 to " + (n < 0 ? "the number of values" : values);
    if (k > 0 && is(before, above(x)) && before >= 0)
      return offset(k) + ", below offset " + std::to_string(k - 1) + ", which is " + std::to_string(before) +
             "; expected offsets that do not descend";
    if (n >= 0 && x > n && compared) return offset(k) + "; expected at most " + values;
    if (n >= 0 && k + 1 == offsets.size() && x != n && is(n, above(x)))
      return "offset " + std::to_string(k) + " of segments, the last one, is " + std::to_string(x) + "; expected " + values;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> describe_wrong_offset(std::span<const NodeRef> demanded, const IndexFault& fault,
                                                 const std::function<std::shared_ptr<const Manifest>(const NodeRef&)>& compute) {
  try {
    std::vector<Offsets> all = checked_offsets(demanded);
    std::ranges::reverse(all);  // those first that others are computed from
    for (const Offsets& offsets : all) {
      std::shared_ptr<const Manifest> manifest;
      try {
        manifest = compute(offsets.node);
      } catch (const IndexFault& cause) {
        if (cause.length == checks_length || cause.length == checks_sum) return cause.what();
        continue;  // they depend on the fault
      } catch (const std::exception&) { continue; }
      const Column& column = manifest->columns[offsets.column];
      const auto* first = reinterpret_cast<const int64_t*>(column.buffer->host()) + column.offset;
      std::vector<int64_t> values(first, first + manifest->length);
      if (offsets.lacks_end) values.push_back(offsets.n);
      if (auto text = explanation(values, offsets.n, fault)) return text;
    }
  } catch (const std::exception&) {
    // Memory is exhausted: the fault is all that is known.
  }
  return std::nullopt;
}

}  // namespace wf
