#include "cuda/text/split.h"

#include <algorithm>

#include "cuda/form.h"

namespace wf::cuda {
namespace {

// Returns finish without the counts of compactions, which are unused parameters.
FnRef without_counts(const Kernel& kernel) {
  if (!kernel.finish) return nullptr;
  Builder b;
  std::vector<Id> args;
  const size_t kept = kernel.finish->params.size() - kernel.compactions.size();
  for (size_t k = 0; k < kernel.finish->params.size(); k++)
    args.push_back(k < kept ? b.param(kernel.finish->params[k].type) : b.constant(int64_t(0)));
  return b.finish(b.inline_call(*kernel.finish, args));
}

}  // namespace

bool needs_split(const Kernel& kernel) {
  if (!kernel.has_scan()) return false;
  const std::vector<bool> depends = depends_on_prefix(*kernel.body);
  return std::ranges::any_of(kernel.compactions, [&](const Compact& c) { return depends[kernel.body->results[c.mask]]; });
}

Split split(const Kernel& kernel) {
  Split parts;
  parts.first = kernel;
  parts.first.compactions.clear();
  parts.first.finish = without_counts(kernel);
  parts.first.outputs.clear();
  for (Store& s : parts.first.stores) {
    parts.first_outputs.push_back(s.output);
    parts.first.outputs.push_back(kernel.outputs[s.output]);
    s.output = uint32_t(parts.first.outputs.size() - 1);
  }
  Builder b;
  const Id i = b.param(Type::I64, "i");
  std::vector<Id> results;
  // Adds the temporary column of a body result. Returns its number among the second body's results.
  auto column = [&](uint32_t value) {
    const Type type = (*kernel.body)[kernel.body->results[value]].type;
    const uint32_t slot = uint32_t(parts.second.inputs.size());
    parts.first.stores.push_back({value, uint32_t(parts.first.outputs.size())});
    parts.first.outputs.push_back(type);
    parts.second.inputs.push_back({type});
    results.push_back(b.at(slot, 0, type, i));
    return slot;
  };
  for (const Compact& c : kernel.compactions) {
    Compact moved{column(c.mask), {}, {}};
    for (size_t k = 0; k < c.values.size(); k++) {
      moved.values.push_back(column(c.values[k]));
      moved.outputs.push_back(uint32_t(parts.second.outputs.size()));
      parts.second.outputs.push_back(kernel.outputs[c.outputs[k]]);
      parts.second_outputs.push_back(c.outputs[k]);
    }
    parts.second.compactions.push_back(std::move(moved));
  }
  parts.second.body = b.finish(results);
  return parts;
}

}  // namespace wf::cuda
