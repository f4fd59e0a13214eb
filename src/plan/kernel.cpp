#include "plan/kernel.h"

#include <algorithm>

#include "expr/recent.h"

namespace wf {
namespace {

template <class T, class Same> bool all_same(const std::vector<T>& a, const std::vector<T>& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

Kernel with_values(const Kernel& kernel, std::span<const Bits64> arguments) {
  Kernel bound = kernel;
  bound.body = with_values(kernel.body, arguments);
  bound.finish = with_values(kernel.finish, arguments);
  for (RowElements& e : bound.elements) e.value = with_values(e.value, arguments);
  bound.arguments = 0;
  bound.id = 0;
  return bound;
}

bool has_folds(const Kernel& kernel) {
  bool found = false;
  for_each_function(kernel, [&](const FnRef& fn) { found = found || has_folds(*fn); });
  return found;
}

Kernel lower_folds(const Kernel& kernel) {
  Kernel lowered = kernel;
  lowered.body = lower_folds(kernel.body);
  lowered.finish = lower_folds(kernel.finish);
  for (Scan& s : lowered.scan) s.combine = lower_folds(s.combine);
  for (Reduction& r : lowered.reductions) r.combine = lower_folds(r.combine);
  return lowered;
}

uint64_t structure_hash(const Kernel& kernel, bool with_literals) {
  Hash hash;
  for_each_function(kernel, [&](const FnRef& fn) { hash(structure_hash(*fn, with_literals)); });
  for (const Input& input : kernel.inputs) hash(input.of_segments), hash(input.lacks_end), hash(input.of_parts);
  hash(kernel.outputs);
  for (const Scan& s : kernel.scan) hash(s.values), hash(with_literals ? mix(s.axis.length, s.axis.inner) : 0);
  for (const Store& s : kernel.stores) hash(s.value), hash(s.output);
  for (const Compact& c : kernel.compactions) hash(c.mask), hash(c.values), hash(c.outputs);
  for (const Reduction& r : kernel.reductions) hash(r.values), hash(r.mask), hash(r.by_law);
  for (const Scatter& s : kernel.scatters) hash(uint64_t(s.op)), hash(s.index), hash(s.value), hash(s.base), hash(s.output);
  for (const RowElements& e : kernel.elements) hash(e.row), hash(with_literals ? e.count : 0);
  return hash.value;
}

bool same_structure(const Kernel& a, const Kernel& b, bool with_literals) {
  auto same = [&](const FnRef& f, const FnRef& g) { return f == g || (f && g && same_structure(*f, *g, with_literals)); };
  auto same_identity = [&](const std::vector<Bits64>& x, const std::vector<Bits64>& y) { return !with_literals || x == y; };
  auto same_store = [](const Store& x, const Store& y) { return x.value == y.value && x.output == y.output; };
  return a.arguments == b.arguments && same(a.body, b.body) && same(a.finish, b.finish) && a.outputs == b.outputs &&
         all_same(a.inputs, b.inputs,
                  [](const Input& x, const Input& y) {
                    return x.type == y.type && x.of_segments == y.of_segments && x.lacks_end == y.lacks_end && x.of_parts == y.of_parts;
                  }) &&
         all_same(a.scan, b.scan,
                  [&](const Scan& x, const Scan& y) {
                    return same(x.combine, y.combine) && same_identity(x.identity, y.identity) && x.values == y.values &&
                           x.by_law == y.by_law && (!with_literals || x.axis == y.axis);
                  }) &&
         all_same(a.stores, b.stores, same_store) &&
         all_same(a.compactions, b.compactions,
                  [](const Compact& x, const Compact& y) { return x.mask == y.mask && x.values == y.values && x.outputs == y.outputs; }) &&
         all_same(a.reductions, b.reductions,
                  [&](const Reduction& x, const Reduction& y) {
                    return same(x.combine, y.combine) && same_identity(x.identity, y.identity) && x.values == y.values &&
                           x.mask == y.mask && x.by_law == y.by_law && x.law_column == y.law_column;
                  }) &&
         all_same(a.scatters, b.scatters,
                  [](const Scatter& x, const Scatter& y) {
                    return x.op == y.op && x.index == y.index && x.value == y.value && x.base == y.base && x.output == y.output;
                  }) &&
         all_same(a.elements, b.elements, [&](const RowElements& x, const RowElements& y) {
           return same(x.value, y.value) && (!with_literals || x.count == y.count) && x.row == y.row &&
                  all_same(x.stores, y.stores, same_store);
         });
}

int64_t elements_per_index(const Kernel& kernel, uint32_t output) {
  for (const RowElements& e : kernel.elements)
    if (std::ranges::find(e.stores, output, &Store::output) != e.stores.end()) return e.count;
  return 1;
}

namespace {

// The value of an element as a function of its number alone: it reads the row's values from the inputs from `first` on.
FnRef reading_rows(const RowElements& elements, uint32_t first) {
  const Fn& value = *elements.value;
  Builder b;
  b.reads_cannot_fail();
  std::vector<Id> args{b.param(Type::I64, "i")};
  const Id row = b.apply(Op::div_, {args[0], b.constant(elements.count)});
  for (uint32_t k = 0; k < elements.row.size(); k++) args.push_back(b.at(first + k, 0, value.params[1 + k].type, row));
  return b.finish(b.inline_call(value, args));
}

}  // namespace

namespace {

// Moves a result of the first kernel's body to memory. Returns the slot of the second kernel's input.
uint32_t pass_on(InTwo& two, uint32_t value) {
  const Type type = (*two.first.body)[two.first.body->results[value]].type;
  two.first.stores.push_back({value, uint32_t(two.first.outputs.size())});
  two.first.outputs.push_back(type);
  two.second.inputs.push_back({type});
  return uint32_t(two.second.inputs.size() - 1);
}

void move_elements(InTwo& two, const RowElements& elements) {
  two.count = elements.count;
  two.second.stores = elements.stores;
  two.second.body = reading_rows(elements, uint32_t(two.second.inputs.size()));
  for (uint32_t value : elements.row) pass_on(two, value);
}

void move_reductions(InTwo& two, const Kernel& kernel) {
  two.second.reductions = kernel.reductions;
  two.second.finish = kernel.finish;
  Builder b;
  b.reads_cannot_fail();
  const Id i = b.param(Type::I64, "i");
  std::vector<Id> results;
  auto move = [&](uint32_t& value) {
    const Type type = (*kernel.body)[kernel.body->results[value]].type;
    results.push_back(b.at(pass_on(two, value), 0, type, i));
    value = uint32_t(results.size() - 1);
  };
  for (Reduction& r : two.second.reductions) {
    std::ranges::for_each(r.values, move);
    if (r.mask != no_mask) move(r.mask);
  }
  two.second.body = b.finish(results);
}

}  // namespace

InTwo in_two(const Kernel& kernel) {
  InTwo two{kernel, {}, 1};
  two.first.id = 0;
  two.first.elements.clear();
  two.first.reductions.clear();
  two.first.finish = nullptr;
  two.second.inputs = kernel.inputs;
  two.second.arguments = kernel.arguments;
  two.second.outputs = kernel.outputs;
  if (kernel.elements.empty()) move_reductions(two, kernel);
  else move_elements(two, kernel.elements[0]);
  return two;
}

bool has_foreign(const Fn& fn) {
  return !fn.foreigns.empty() || std::ranges::any_of(fn.loops, [](const Fn::LoopInfo& loop) { return has_foreign(*loop.body); });
}

bool has_foreign(const Kernel& kernel) {
  bool found = false;
  for_each_function(kernel, [&](const FnRef& fn) { found = found || has_foreign(*fn); });
  return found;
}

std::vector<bool> depends_on_prefix(const Fn& body) {
  std::vector<bool> depends(body.terms.size());
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    depends[id] = t.kind == Kind::Param && t.slot > 0;
    for (Id arg : body.args(t)) depends[id] = depends[id] || depends[arg];
  }
  return depends;
}

}  // namespace wf
