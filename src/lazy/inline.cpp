#include "lazy/inline.h"

namespace wf {

std::vector<Id> read(Builder& builder, uint32_t slot, std::span<const Type> types, Id i) {
  std::vector<Id> elements;
  elements.reserve(types.size());
  for (uint32_t column = 0; column < types.size(); column++)
    elements.push_back(builder.at(slot, column, types[column], i));
  return elements;
}

static FnRef shift_slots(const FnRef& body, uint32_t by);

std::vector<Id> inline_closure(Builder& builder, const Fn& f, std::span<const Id> args, uint32_t by) {
  if (by == 0) return builder.inline_call(f, args);
  auto shift_term = [&builder, by](const Term& term, Id index) {
    return term.kind == Kind::At ? builder.at(term.slot + by, term.column, term.type, index)
                                 : builder.length(term.slot + by);
  };
  return builder.inline_call(f, args, shift_term, [by](FnRef body) { return shift_slots(body, by); });
}

// A loop's body reads captured sequences by the slots of the function around it.
static FnRef shift_slots(const FnRef& body, uint32_t by) {
  Builder builder;
  std::vector<Id> params;
  for (const Param& p : body->params) params.push_back(builder.param(p.type, p.name));
  return builder.finish(inline_closure(builder, *body, params, by));
}

FnRef pointwise(const Fn& f, std::span<const NodeRef> inputs) {
  Builder builder;
  Id i = builder.param(Type::I64, "i");
  std::vector<Id> args;
  args.reserve(f.params.size());
  for (uint32_t slot = 0; slot < inputs.size(); slot++)
    for (Id element : read(builder, slot, inputs[slot]->types(), i)) args.push_back(element);
  return builder.finish(inline_closure(builder, f, args, uint32_t(inputs.size())));
}

}  // namespace wf
