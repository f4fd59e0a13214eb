#include "lazy/inline.h"

#include <algorithm>
#include <array>

#include "expr/of_thread.h"
#include "expr/recent.h"

namespace wf {

std::vector<Id> read(Builder& builder, uint32_t slot, std::span<const Type> types, Id i) {
  std::vector<Id> elements;
  elements.reserve(types.size());
  for (uint32_t column = 0; column < types.size(); column++) elements.push_back(builder.at(slot, column, types[column], i));
  return elements;
}

static FnRef shift_slots(const FnRef& body, uint32_t by);

std::vector<Id> inline_closure(Builder& builder, const Fn& f, std::span<const Id> args, uint32_t by) {
  if (by == 0) return builder.inline_call(f, args);
  auto shift_term = [&builder, by](const Term& term, Id index) {
    if (term.kind == Kind::Argument) return builder.argument(term.slot, term.type);
    return term.kind == Kind::At ? builder.at(term.slot + by, term.column, term.type, index) : builder.length(term.slot + by);
  };
  return builder.inline_call(f, args, shift_term, [by](FnRef body) { return shift_slots(body, by); });
}

// A loop's body uses the slots of the function around it, so they are shifted, too.
static FnRef shift_slots(const FnRef& body, uint32_t by) {
  Builder builder;
  std::vector<Id> params;
  for (const Param& p : body->params) params.push_back(builder.param(p.type, p.name));
  return builder.finish(inline_closure(builder, *body, params, by));
}

FnRef pointwise(const FnRef& f, std::span<const NodeRef> inputs) {
  auto make = [&] {
    Builder builder;
    Id i = builder.param(Type::I64, "i");
    std::vector<Id> args;
    args.reserve(f->params.size());
    for (uint32_t slot = 0; slot < inputs.size(); slot++)
      for (Id element : read(builder, slot, inputs[slot]->types(), i)) args.push_back(element);
    return builder.finish(inline_closure(builder, *f, args, uint32_t(inputs.size())));
  };
  if (inputs.size() == f->params.size()) return f->at_index.get(make);
  // The key is f and the number of columns of each input; other keys are of no function.
  constexpr size_t few = 8;
  std::array<uint64_t, few> columns;
  std::vector<uint64_t> more(inputs.size() > few ? inputs.size() : 0);
  uint64_t* const key = more.empty() ? columns.data() : more.data();
  for (size_t k = 0; k < inputs.size(); k++) key[k] = inputs[k]->types().size();
  return remembered({key, inputs.size()}, f, std::ref(make));  // a reference, for which std::function needs no memory
}

namespace {

struct Key {
  std::vector<uint64_t> words;
  FnRef kept;
};
struct KeyView {
  std::span<const uint64_t> words;
  const FnRef& kept;
};
bool operator==(const Key& a, const KeyView& b) {
  if (a.kept != b.kept || a.words.size() != b.words.size()) return false;
  for (size_t k = 0; k < b.words.size(); k++)  // few words
    if (a.words[k] != b.words[k]) return false;
  return true;
}
bool operator==(const Key& a, const Key& b) { return a == KeyView{b.words, b.kept}; }

}  // namespace

FnRef remembered(std::span<const uint64_t> key, const FnRef& kept, const std::function<FnRef()>& make) {
  if (kept && !kept->foreigns.empty()) return make();  // a foreign function may own memory of the user: it is not kept alive here
  static constinit thread_local OfThread<Recent<Key, FnRef, NoMutex>> kept_here;
  auto& recent = kept_here.get(size_t{64});
  Hash hash;
  hash(reinterpret_cast<uintptr_t>(kept.get()));
  for (uint64_t word : key) hash(word);
  if (const FnRef* known = recent.look(hash.value, KeyView{key, kept})) return *known;
  FnRef made = make();
  recent.keep(hash.value, {{key.begin(), key.end()}, kept}, made);
  return made;
}

}  // namespace wf
