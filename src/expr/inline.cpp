// Copies functions into a function: inline_call, and loops, whose bodies are functions of their own.
#include <algorithm>

#include "expr/fn.h"
#include "expr/numbering.h"
#include "expr/rewrite.h"
#include "expr/terms.h"

namespace wf {

namespace {

struct Inlined : Copy {
  Inlined(Builder& to, const Fn& from, const Builder::Hook& outer, const Builder::BodyHook& body)
      : Copy(to, from), outer(outer), body(body) {}
  const Builder::Hook& outer;
  const Builder::BodyHook& body;

  Id argument(Id id) { return outer ? outer(from[id], 0) : Copy::argument(id); }
  Id length(Id id) { return outer ? outer(from[id], 0) : Copy::length(id); }
  Id at(Id id, Id index) { return outer ? outer(from[id], index) : Copy::at(id, index); }
  std::vector<Id> loop(Id id, std::span<const Id> x) {
    const Fn::LoopInfo& info = from.loops[from[id].slot];
    return to.loop(x.first(info.variables), x.subspan(info.variables), body ? body(info.body) : info.body);
  }
};

}  // namespace

std::vector<Id> Builder::inline_call(const Fn& f, std::span<const Id> args, const Hook& outer, const BodyHook& body) {
  if (args.size() != f.params.size())
    throw TypeError("the function takes " + std::to_string(f.params.size()) + " arguments; got " + std::to_string(args.size()));
  for (size_t k = 0; k < args.size(); k++)
    if (type(args[k]) != f.params[k].type)
      throw TypeError("argument " + std::to_string(k + 1) + " of the function has type " + std::string(name(type(args[k]))) +
                      "; expected " + std::string(name(f.params[k].type)));
  expect(f.terms.size(), f.operands.size());
  Inlined inlined(*this, f, outer, body);
  return copy_terms(inlined, args);
}

namespace {

// The replacement of a loop's free value: the body's own copy of a literal, argument or length, or its free parameter number `position`.
struct FreeValue {
  const Term* copied;  // null: it stays a parameter
  uint32_t position;
};

// The body with its parameters from `variables` on replaced by `free`. `count` of them stay parameters.
FnRef with_free_values(const Fn& body, uint32_t variables, std::span<const FreeValue> free, uint32_t count) {
  Builder builder;
  std::vector<Id> args;
  for (uint32_t k = 0; k < variables; k++) args.push_back(builder.param(body.params[k].type, body.params[k].name));
  std::vector<const Param*> kept(count);
  for (size_t k = 0; k < free.size(); k++)
    if (!free[k].copied && !kept[free[k].position]) kept[free[k].position] = &body.params[variables + k];
  std::vector<Id> params;
  for (const Param* p : kept) params.push_back(builder.param(p->type, p->name));
  for (size_t k = 0; k < free.size(); k++) {
    const auto [copied, position] = free[k];
    const Type type = body.params[variables + k].type;
    args.push_back(!copied                          ? params[position]
                   : copied->kind == Kind::Length   ? builder.length(copied->slot)
                   : copied->kind == Kind::Argument ? builder.argument(copied->slot, type)
                                                    : builder.literal(type, copied->bits));
  }
  return builder.finish(builder.inline_call(body, args));
}

// The parameters from `variables` on in the order in which the body first uses them; unused ones are left out.
std::vector<uint32_t> first_uses(const Fn& body, uint32_t variables) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(body.params.size());
  auto use = [&](Id id) {
    const Term& t = body[id];
    if (t.kind != Kind::Param || t.slot < variables || seen[t.slot]) return;
    seen[t.slot] = true;
    order.push_back(t.slot - variables);
  };
  for (const Term& t : body.terms)
    for (Id x : body.args(t)) use(x);
  for (Id x : body.results) use(x);
  return order;
}

void check_loop(const Fn& body, std::span<const Id> inits, std::span<const Id> free, const Builder& builder) {
  auto wrong = [](std::string text) { throw TypeError("loop: " + std::move(text)); };
  auto shown = [](Type t) { return std::string(name(t)); };
  if (inits.empty()) wrong("it has no variables; expected at least one");
  if (body.params.size() != inits.size() + free.size() || body.results.size() != inits.size() + 1)
    wrong("the body has " + std::to_string(body.params.size()) + " parameters and " + std::to_string(body.results.size()) +
          " results for " + std::to_string(inits.size()) + " variables and " + std::to_string(free.size()) + " free values");
  const std::vector<Type> results = body.result_types();
  if (results[0] != Type::Bool) wrong("the condition has type " + shown(results[0]) + "; expected bool");
  for (size_t k = 0; k < body.params.size(); k++) {
    const Param& p = body.params[k];
    const Type given = builder.type(k < inits.size() ? inits[k] : free[k - inits.size()]);
    if (p.type != given) wrong("the value of " + p.name + " has type " + shown(given) + "; expected " + shown(p.type));
    if (k < inits.size() && results[k + 1] != p.type)
      wrong("the next value of " + p.name + " has type " + shown(results[k + 1]) + "; expected " + shown(p.type) +
            ", the type of its first value");
  }
}

}  // namespace

std::vector<Id> Builder::loop(std::span<const Id> inits, std::span<const Id> free, FnRef body) {
  check_loop(*body, inits, free, *this);
  const uint32_t variables = uint32_t(inits.size());

  // Literals, arguments and lengths are copied into the body; equal values become one parameter.
  Numbering<Id> distinct;
  std::vector<FreeValue> values;
  for (Id id : free) {
    const Term& term = fn_.terms[id];
    const bool is_copied = is_literal(term) || term.kind == Kind::Argument || term.kind == Kind::Length;
    values.push_back(is_copied ? FreeValue{&term, 0} : FreeValue{nullptr, distinct.add(id).first});
  }
  std::vector<Id> outside = distinct.all();
  if (outside.size() < free.size()) body = with_free_values(*body, variables, values, uint32_t(outside.size()));

  // Parameters are sorted by their first use, and unused ones dropped.
  const std::vector<uint32_t> order = first_uses(*body, variables);
  if (order.size() < outside.size() || !std::ranges::is_sorted(order)) {
    const Term unused{.kind = Kind::Literal};
    std::vector<FreeValue> moved(outside.size(), {&unused, 0});
    std::vector<Id> kept;
    for (uint32_t k : order) {
      moved[k] = {nullptr, uint32_t(kept.size())};
      kept.push_back(outside[k]);
    }
    body = with_free_values(*body, variables, moved, uint32_t(kept.size()));
    outside = std::move(kept);
  }

  auto known = std::ranges::find_if(fn_.loops, [&](const Fn::LoopInfo& l) {
    return l.variables == variables && (l.body == body || same_structure(*l.body, *body, true));
  });
  const uint32_t slot = uint32_t(known - fn_.loops.begin());
  if (known == fn_.loops.end()) fn_.loops.push_back({body, variables});
  std::vector<Id> operands(inits.begin(), inits.end());
  operands.insert(operands.end(), outside.begin(), outside.end());
  const std::span<const Param> params = body->params;
  std::vector<Type> types;
  for (const Param& p : params.first(variables)) types.push_back(p.type);
  return picks(intern({.kind = Kind::Loop, .slot = slot}, operands), types);
}

}  // namespace wf
