// The rule for filters: xbar[i] = ybar[the number of elements that are kept before i] if element i is kept, and else 0.
//
// A cotangent that is computed from the filter's own elements, and from what is the same for all, is computed from the elements before the filter
// instead: then nothing is counted, no filter runs, and the gradient fuses with the mask.
#include <algorithm>

#include "grad/pass.h"

namespace wf {
namespace {

constexpr int deepest_chain = 64;

// The function of a sequence over the filter's domain, applied to all elements of s, which is filtered. Null if it depends on more.
NodeRef before_filter(const NodeRef& of, const NodeRef& filter, const NodeRef& s, int depth) {
  if (of == filter) return s;
  const DefinitionRef definition = of->history();
  // A variable stays: a derivative by it may be asked for, as in forward mode.
  if (depth == deepest_chain || of->domain() != filter.get() || of->is_variable() || !definition || definition->kind != NodeKind::Pull)
    return {};
  const Fn& fn = *definition->fn;
  Few<NodeRef> inputs;
  for (const NodeRef& input : definition->inputs) {
    const NodeRef replaced = input->domain() == filter.get() ? before_filter(input, filter, s, depth + 1) : input;
    if (!replaced) return {};
    inputs.push_back(replaced);
  }
  const auto is_index = [&](Id x) { return fn[x].kind == Kind::Param; };
  const auto is_allowed = [&](const Term& t) {
    const bool reads_own = t.kind == Kind::At && is_index(fn.args(t)[0]);
    if (t.kind == Kind::At && definition->inputs[t.slot]->domain() == filter.get()) return reads_own;
    return t.kind != Kind::Length && std::ranges::none_of(fn.args(t), is_index);
  };
  if (!std::ranges::all_of(fn.terms, is_allowed) || std::ranges::any_of(fn.results, is_index) || !fn.loops.empty()) return {};
  return pull(s->context(), domain_of(s), definition->fn, std::move(inputs), definition->viewed, definition->arguments);
}

}  // namespace

void filter_back(GradientPass& pass, const NodeRef& y, const Definition& filter, const CotangentColumns& ybar) {
  const NodeRef &s = filter.inputs[0], &mask = filter.inputs[1];
  NodeRef rank;
  for (size_t c = 0; c < ybar.size(); c++) {
    if (!ybar[c]) continue;
    const Type type = ybar[c]->types()[0];
    const NodeRef direct = before_filter(ybar[c], y, s, 0);
    if (!direct && !rank) {
      pass.length_of(y);
      const NodeRef kept = mapped(mask, [](Builder& b, Id x) { return b.cast(Type::I64, x); });
      rank = scan(closed(op_fn(Op::add_, Type::I64)), {0}, kept, false).prefixes;
    }
    pass.give(s, c,
              computed(s, domain_of(s), direct ? Few<NodeRef>{mask, direct} : Few<NodeRef>{mask, ybar[c], rank}, [&](Builder& b, Id i) {
                const Id value = b.at(1, 0, type, direct ? i : b.at(2, 0, Type::I64, i));
                return std::vector<Id>{b.apply(Op::where_, {b.at(0, 0, Type::Bool, i), value, b.literal(type, 0)})};
              }));
  }
}

}  // namespace wf
