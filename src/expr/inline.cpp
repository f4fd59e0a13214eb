// Copies functions into a function.
#include "expr/fn.h"
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
  std::vector<Id> repeat(Id id, std::span<const Id> x) { return body ? to.repeat(info(id).with(body), x) : Copy::repeat(id, x); }
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

}  // namespace wf
