#include "eval/faulty_element.h"

#include <cstring>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

namespace wf {
namespace {

using Value = std::optional<Bits64>;  // of a term or a column; nothing: it is not known
using Values = std::vector<Value>;
using ElementsOf = std::function<std::shared_ptr<const Manifest>(const NodeRef&)>;

// An element of a sequence.
struct Place {
  const Node* node;
  int64_t index;
  bool operator==(const Place&) const = default;
};

std::string name_of(const Place& place) {
  if (place.node->rank() == 0) return "";
  const std::string element = " at element " + std::to_string(place.index);
  return place.node->domain() && place.node->length() < 0 ? element + " before the filter" : element;
}

class Search {
 public:
  Search(const IndexFault& fault, const ElementsOf& elements) : fault_(fault), elements_(elements) {}

  // The element at the index of each delayed sequence below the demanded ones, and what it reads.
  std::string run(std::span<const NodeRef> demanded) {
    try {
      std::vector<NodeRef> open(demanded.begin(), demanded.end());
      std::unordered_set<const Node*> known;
      for (size_t k = 0; k < open.size(); k++) {
        const NodeRef node = open[k];
        const DefinitionRef definition = node->state().definition;
        if (!definition || !known.insert(node.get()).second) continue;
        if (definition->kind == NodeKind::Call) check_routine(*definition);
        if (definition->kind == NodeKind::Pull) element(node, fault_.at, most_deep);
        for (const NodeRef& input : definition->inputs) open.push_back(input);
      }
    } catch (const Place& found) { return name_of(found); } catch (const GivesUp&) {
    }
    if (possible_ && !is_ambiguous_) return name_of(*possible_);
    return " at index " + std::to_string(fault_.at) + " of a kernel";
  }

 private:
  struct GivesUp {};
  static constexpr int64_t most_terms = int64_t(1) << 26;
  static constexpr int most_deep = 24;           // functions inside of each other
  static constexpr size_t most_known = 1 << 16;  // elements that are kept

  // The columns of a delayed sequence's element, or nothing of them. `deep`: the levels of functions that may follow.
  Values element(const NodeRef& node, int64_t index, int deep) {
    const DefinitionRef definition = node->state().definition;
    if (!definition || deep == 0 || index < 0 || (node->length() >= 0 && index >= node->length())) return Values(node->types().size());
    const std::pair key(node.get(), index);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Values columns(node->types().size());
    if (definition->kind == NodeKind::Pull) {
      const bool steps = definition->routine.kind == Routine::Iterate;
      columns = call(*definition->fn, {to_bits(index)}, *definition, {node.get(), index}, steps, deep - 1);
    } else if (definition->kind == NodeKind::Filter) {  // in the kernel of the filter, whose elements have the indices before it
      element(definition->inputs[1], index, deep - 1);
      columns = element(definition->inputs[0], index, deep - 1);
    }
    if (known_.size() < most_known) known_.emplace(key, columns);
    return columns;
  }

  Value read(const NodeRef& input, int64_t index, uint32_t column, int deep) {
    if (index < 0 || (input->length() >= 0 && index >= input->length())) return 0;
    const auto manifest = elements_(input);
    if (!manifest) return element(input, index, deep)[column];
    const Column& stored = manifest->columns[column];
    const size_t size = size_of(input->types()[column]);
    Bits64 bits = 0;
    std::memcpy(&bits, stored.buffer->host() + size_t(stored.offset + index) * size, size);
    return bits;
  }

  // steps: the outermost loops count the elements of inputs[0].
  Values call(const Fn& fn, const Values& params, const Definition& definition, Place place, bool steps, int deep) {
    if ((terms_ += int64_t(fn.terms.size())) > most_terms) throw GivesUp();
    Values values(fn.terms.size());
    std::map<Id, Values> tuples;
    for (Id id = 0; id < fn.terms.size(); id++) {
      const Term& term = fn[id];
      const std::span<const Id> args = fn.args(term);
      switch (term.kind) {
        case Kind::Param: values[id] = params[term.slot]; break;
        case Kind::Literal: values[id] = term.bits; break;
        case Kind::Argument: values[id] = definition.arguments[term.slot]; break;
        case Kind::Apply: values[id] = apply(fn, term, values); break;
        case Kind::Cast:
          if (values[args[0]]) values[id] = convert(fn[args[0]].type, term.type, *values[args[0]]);
          break;
        case Kind::Length:
          if (const int64_t n = definition.inputs[term.slot]->length(); n >= 0) values[id] = to_bits(n);
          break;
        case Kind::Check: check(values[args[0]], values[args[1]], values[args[2]], place); [[fallthrough]];
        case Kind::Require: values[id] = values[args[0]]; break;
        case Kind::At:
          if (values[args[0]]) values[id] = read(definition.inputs[term.slot], from_bits<int64_t>(*values[args[0]]), term.column, deep);
          break;
        case Kind::Loop: tuples[id] = loop(fn, term, values, definition, place, steps, deep); break;
        case Kind::Fold: tuples[id] = fold(fn, term, values, definition, place, deep); break;
        case Kind::Foreign: tuples[id].resize(fn.foreigns[term.slot]->results.size()); break;
        case Kind::Pick: values[id] = tuples[args[0]][term.slot]; break;
      }
    }
    Values results;
    for (Id id : fn.results) results.push_back(values[id]);
    return results;
  }

  static Value apply(const Fn& fn, const Term& term, const Values& values) {
    const std::span<const Id> args = fn.args(term);
    Bits64 operands[3] = {};
    if (term.op == Op::where_) return values[args[0]] ? values[args[*values[args[0]] & 1 ? 1 : 2]] : std::nullopt;
    for (size_t k = 0; k < args.size(); k++) {
      if (!values[args[k]]) return std::nullopt;
      operands[k] = *values[args[k]];
    }
    return evaluate(term.op, fn[args.back()].type, operands[0], operands[1], operands[2]);
  }

  Values loop(const Fn& fn, const Term& term, const Values& values, const Definition& definition, Place place, bool steps, int deep) {
    const Fn::LoopInfo& info = fn.loops[term.slot];
    Values params;
    for (Id id : fn.args(term)) params.push_back(values[id]);
    while (deep > 0) {
      if (steps && params[0]) place = {definition.inputs[0].get(), from_bits<int64_t>(*params[0])};
      const Values next = call(*info.body, params, definition, place, false, deep - 1);
      if (next[0] && !(*next[0] & 1)) return {params.begin(), params.begin() + info.variables};
      if (!next[0]) break;
      std::copy(next.begin() + 1, next.end(), params.begin());
    }
    return Values(info.variables);
  }

  Values fold(const Fn& fn, const Term& term, const Values& values, const Definition& definition, Place place, int deep) {
    const Fn::LoopInfo& info = fn.loops[term.slot];
    Values params, total(info.identity.begin(), info.identity.end());
    for (Id id : fn.args(term)) params.push_back(values[id]);
    if (!params[0] || deep == 0) return Values(total.size());
    const auto count = from_bits<int64_t>(*params[0]);
    for (int64_t j = 0; j < count; j++) {
      params[0] = to_bits(j);
      const Values value = call(*info.body, params, definition, place, false, deep - 1);
      total.insert(total.end(), value.begin(), value.end());
      total = call(*info.combine, total, definition, place, false, deep - 1);
    }
    return total;
  }

  // Throws the place if this check fails as the fault says, and notes it if it may.
  void check(Value index, Value length, Value guard, Place place) {
    if ((index && from_bits<int64_t>(*index) != fault_.index) || (length && from_bits<int64_t>(*length) != fault_.length) ||
        (guard && !(*guard & 1)))
      return;
    if (index && length && guard) throw place;
    is_ambiguous_ |= possible_ && *possible_ != place;
    possible_ = place;
  }

  // A scatter's check of an index.
  void check_routine(const Definition& definition) {
    const NodeRef& indices = definition.inputs.size() > 1 ? definition.inputs[1] : definition.inputs[0];
    if (definition.routine.kind != Routine::Scatter || fault_.at >= indices->length()) return;
    Value index = read(indices, fault_.at, 0, most_deep);
    if (index) index = convert(indices->types()[0], Type::I64, *index);
    check(index, to_bits(definition.inputs[0]->length()), 1, {indices.get(), fault_.at});
  }

  const IndexFault& fault_;
  const ElementsOf& elements_;
  std::map<std::pair<const Node*, int64_t>, Values> known_;
  std::optional<Place> possible_;  // of a check whose index or guard is not known
  bool is_ambiguous_ = false;      // there are several
  int64_t terms_ = 0;
};

}  // namespace

std::string place_of(std::span<const NodeRef> demanded, const IndexFault& fault, const ElementsOf& elements) {
  return Search(fault, elements).run(demanded);
}

}  // namespace wf
