#include "expr/written/bodies.h"

#include "expr/stack.h"

namespace wf {

constexpr uint32_t deepest_loop = 64;  // nested loops

void Bodies::enter_body(const Token& start, bool is_closed) {
  if (level() == deepest_loop)
    throw ParseError(lexer_.place(start) + "loops and folds are nested more than " + std::to_string(deepest_loop) + " deep");
  if (const auto problem = stack_problem(level() + 1)) throw ParseError(lexer_.place(start) + *problem);
  bodies_.emplace_back();
  bodies_.back().is_closed = is_closed;
}

FnRef Bodies::leave_body(std::span<const Id> results, std::vector<Id>& free) {
  FnRef body = builder().finish(results);
  free = std::move(bodies_.back().free);
  bodies_.pop_back();
  return body;
}

Id Bodies::inward(const Token& token, Id id, uint32_t level, std::string_view name) {
  for (uint32_t inner = level + 1; inner <= this->level(); inner++) {
    const Builder& outside = bodies_[inner - 1].builder;
    Body& body = bodies_[inner];
    const Term& term = outside[id];
    if (is_literal(term)) {
      id = body.builder.literal(term.type, term.bits);
    } else if (term.kind == Kind::Length) {
      id = body.builder.length(term.slot);
    } else if (term.kind == Kind::Argument) {
      id = body.builder.argument(term.slot, term.type);
    } else {
      if (body.is_closed)
        lexer_.expected(token, "a parameter of the fold's function, which depends on nothing else; use the name in the fold's value");
      auto [known, is_new] = body.free_param.try_emplace(id, no_id);
      if (is_new) {
        body.free.push_back(id);
        known->second = body.builder.param(term.type, std::string(name));
      }
      id = known->second;
    }
  }
  return id;
}

}  // namespace wf
