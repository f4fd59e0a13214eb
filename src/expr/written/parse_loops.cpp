// Loops and folds: their bodies are functions of their own.
#include "expr/written/parser.h"

namespace wf {

FnRef Parser::leave(size_t first, std::vector<Id>& free) {
  FnRef body = leave_body(values_from(first), free);
  values_.resize(first);
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
    const Type type = builder_outside().type(inits[k]);
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
  const FnRef body = leave(first, free);
  for (Id id : typed(start, [&] { return builder().loop(inits, free, body); })) push(id);
  co_return names.size();
}

Parser::Parsing Parser::lambda(Token start, bool is_closed) {
  open("`(` and the parameters of the function");
  enter_body(start, is_closed);
  const size_t outer = scope_.size(), first = values_.size();
  parameters();
  co_await expression();
  scope_.leave(outer);
  Lambda made{.level = level() - 1, .body = nullptr};
  made.body = leave(first, made.free);
  lambda_ = &lambdas_.emplace_back(std::move(made));
  co_return 0;
}

Parser::Parsing Parser::literals() {
  const bool is_outside = std::exchange(is_identity_, true);
  const size_t count = co_await expression();
  is_identity_ = is_outside;
  co_return count;
}

Parser::Parsing Parser::fold(Token start) {
  const size_t outer = scope_.size(), first = values_.size();
  co_await lambda(start, true);
  const FnRef function = lambda_->body;
  co_await literals();
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
  std::vector<Id> free;
  const FnRef value = leave(first, free);
  const auto results = typed(start, [&] { return builder().fold(count, columns, free, value, function); });
  for (Id id : results) push(id);
  co_return results.size();
}

}  // namespace wf
