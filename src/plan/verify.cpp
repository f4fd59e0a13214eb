// The verify pass checks the properties of a plan that engines rely on.
#include <algorithm>
#include <stdexcept>

#include "expr/guards/guard.h"
#include "plan/split/split.h"

namespace wf {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(std::string("plan: ") + what);
}

void verify(const Kernel& k, const RowElements& e) {
  require(k.elements.size() == 1 && e.count > 0, "a kernel's rows have one number of elements");
  require(!k.has_scan() && k.compactions.empty() && k.reductions.empty() && !k.finish, "a kernel with elements only stores");
  require(e.value->params.size() == 1 + e.row.size(), "an element's value takes its number and the row's values");
  require(e.value->loops.empty() && !has_checks(*e.value), "an element's value has no loops and checks no index");
  for (size_t c = 0; c < e.row.size(); c++)
    require((*k.body)[k.body->results.at(e.row[c])].type == e.value->params[1 + c].type, "the row's values have their parameters' types");
  for (const Term& t : e.value->terms)
    if (t.kind == Kind::At) require(t.slot < k.inputs.size() && k.inputs[t.slot].type == t.type, "loads name inputs of their type");
  for (const Store& s : e.stores)
    require(s.output < k.outputs.size() && k.outputs[s.output] == (*e.value)[e.value->results.at(s.value)].type,
            "stores have their output's type");
}

void verify(const Kernel& k) {
  require(k.body != nullptr, "a kernel has a body");
  size_t results = k.body->results.size();
  size_t columns = k.has_scan() ? k.scan[0].values.size() : 0;
  require(k.body->params.size() == 1 + 2 * columns, "the body takes the index and both prefixes of each scan column");
  auto type_of_result = [&](uint32_t value) {
    require(value < results, "sinks name results of the body");
    return (*k.body)[k.body->results[value]].type;
  };
  for (const Term& t : k.body->terms)
    if (t.kind == Kind::At) require(t.slot < k.inputs.size() && k.inputs[t.slot].type == t.type, "loads name inputs of their type");
  if (k.has_scan()) {
    const Scan& s = k.scan[0];
    require(s.combine->params.size() == 2 * columns && s.combine->results.size() == columns, "a scan combines its columns");
    require(!s.axis.exists() || (k.compactions.empty() && k.reductions.empty() && !k.finish),
            "a kernel that scans along an axis only stores");
    const std::vector<bool> depends = depends_on_prefix(*k.body);
    for (uint32_t value : s.values) {
      type_of_result(value);
      require(!depends[k.body->results[value]], "what is scanned depends on no prefix");
    }
  }
  for (const RowElements& e : k.elements) verify(k, e);
  require(!has_segments(k) || only_stores(k) || !k.scatters.empty(), "a kernel that numbers segments only stores or scatters");
  for (const Store& s : k.stores)
    require(s.output < k.outputs.size() && k.outputs[s.output] == type_of_result(s.value), "stores have their output's type");
  for (const Compact& c : k.compactions) {
    require(type_of_result(c.mask) == Type::Bool, "masks are bools");
    for (size_t n = 0; n < c.values.size(); n++)
      require(k.outputs[c.outputs[n]] == type_of_result(c.values[n]), "compactions have their output's type");
  }
  for (const Scatter& s : k.scatters) {
    require(s.base < k.inputs.size() && s.output < k.outputs.size() && k.inputs[s.base].type == k.outputs[s.output],
            "a scatter's output has its base's type");
    require(type_of_result(s.value) == k.outputs[s.output] && !is_in(k.outputs[s.output], Float), "scatters combine integers or bools");
    require(is_in(type_of_result(s.index), Int), "a scatter's index is an integer");
    require(std::ranges::none_of(k.body->terms, [&](const Term& t) { return t.kind == Kind::At && t.slot == s.base; }),
            "no function reads a scatter's base");
    require(k.stores.empty() && !k.has_scan() && k.compactions.empty() && k.reductions.empty() && !k.finish && k.elements.empty(),
            "a kernel with scatters has no other sinks");
  }
  for (const Reduction& r : k.reductions) {
    require(r.combine->params.size() == 2 * r.values.size() && r.identity.size() == r.values.size(), "a reduction combines its columns");
    for (uint32_t value : r.values) type_of_result(value);
    if (r.mask != no_mask) require(type_of_result(r.mask) == Type::Bool, "masks are bools");
  }
}

void verify(const Split& split) {
  verify(split.local);
  for (const auto& kernel : {split.totals, split.carries, split.combination})
    if (kernel) verify(*kernel);
}

}  // namespace

void pass_verify(const Plan& plan) {
  for (const auto& planned : plan.steps) {
    const Step& step = *planned;
    if (!step.call) verify(step.kernel);
    if (step.split) verify(*step.split);
    const auto require_stored = [&](VertexId id) {
      const Vertex& v = plan.vertices[id];
      require(v.manifest || (v.is_stored() && v.level < step.level), "a kernel reads what was stored before");
    };
    for (size_t k = 0; k < step.sources.size(); k++) {
      if (!step.kernel.inputs[k].of_parts) require_stored(step.sources[k].vertex);
      else std::ranges::for_each(plan.vertices[step.sources[k].vertex].inputs, require_stored);
    }
  }
}

}  // namespace wf
