// Loops and folds: their bodies are functions of their own.
#include "expr/stack.h"
#include "expr/written/parser.h"

namespace wf {

constexpr uint32_t deepest_loop = 64;  // nested loops

void Parser::enter_body(const Token& start, bool is_closed) {
  if (level() == deepest_loop)
    throw ParseError(lexer_.place(start) + "loops and folds are nested more than " + std::to_string(deepest_loop) + " deep");
  if (const auto problem = stack_problem(level() + 1)) throw ParseError(lexer_.place(start) + *problem);
  bodies_.emplace_back();
  bodies_.back().is_closed = is_closed;
}

FnRef Parser::leave_body(size_t first, std::vector<Id>& free) {
  FnRef body = builder().finish(values_from(first));
  values_.resize(first);
  free = std::move(bodies_.back().free);
  bodies_.pop_back();
  return body;
}

Parser::Parsing Parser::loop(Token start) {
  open("`(` and the variables of loop");
  const size_t outer = scope_.size(), first = values_.size();
  Numbering<std::string_view> names;
  while (lexer_.peek().kind != Token::Close) {
    open("`(name expression)` or `)` after the variables");
    add_name(names);
    co_await single("a variable's first value");
    close("`)` after the variable's first value");
  }
  close("`)`");
  const std::vector<Id> inits(values_.begin() + first, values_.end());
  values_.resize(first);

  enter_body(start, false);
  for (size_t k = 0; k < names.size(); k++) {
    const Type type = bodies_[level() - 1].builder.type(inits[k]);
    scope_.bind(names[k], builder().param(type, std::string(names[k])), level());
  }
  co_await single("a loop's condition");
  const Token next = lexer_.peek();
  const size_t count = co_await expression();
  if (count != names.size())
    throw TypeError(lexer_.place(next) + "a loop has " + std::to_string(count) + " next values; expected " + std::to_string(names.size()) +
                    ", one per variable");
  close("`)` at the loop's end");
  scope_.leave(outer);

  std::vector<Id> free;
  const FnRef body = leave_body(first, free);
  for (Id id : typed(start, [&] { return builder().loop(inits, free, body); })) push(id);
  co_return names.size();
}

Parser::Parsing Parser::fold(Token start) {
  // The function's parameters and body, without `fn`.
  open("`(` and the parameters of the fold's function");
  enter_body(start, true);
  const size_t outer = scope_.size(), first = values_.size();
  parameters();
  co_await expression();
  scope_.leave(outer);
  std::vector<Id> free;
  const FnRef function = leave_body(first, free);

  // The identity: literals, in any expression that folds to them.
  const bool is_in_identity = std::exchange(is_identity_, true);
  co_await expression();
  is_identity_ = is_in_identity;
  const std::vector<Id> columns(values_.begin() + first, values_.end());
  values_.resize(first);

  open("`((j count))` with the position's name and the count");
  open("`(j count)` with the position's name and the count");
  Numbering<std::string_view> names;
  add_name(names);
  const Id count = pop_integer(co_await single("a fold's count"), "a fold's count");
  close("`)` after the count");
  close("`)`, since a fold has one position");

  enter_body(start, false);
  scope_.bind(names[0], builder().param(Type::I64, std::string(names[0])), level());
  co_await expression();
  close("`)` at the fold's end");
  scope_.leave(outer);
  const FnRef value = leave_body(first, free);
  const auto results = typed(start, [&] { return builder().fold(count, columns, free, value, function); });
  for (Id id : results) push(id);
  co_return results.size();
}

}  // namespace wf
