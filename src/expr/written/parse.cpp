// Expressions, names and bindings.
#include <algorithm>

#include "expr/written/parser.h"

namespace wf {

FnRef Parser::function() {
  open("`(fn (` at the start of a function");
  keyword("fn");
  open("`(` and the parameters");
  parameters();
  run(expression());
  close("`)` at the function's end, since a function has one body");
  if (lexer_.peek().kind != Token::End) lexer_.expected(lexer_.peek(), "the end of the text after the function");
  return builder().finish(values_);
}

void Parser::parameters() {
  Numbering<std::string_view> names;
  while (lexer_.peek().kind != Token::Close) {
    open("`(name type)` or `)` after the parameters");
    add_name(names);
    const Type of = type();
    scope_.bind(names.back(), builder().param(of, std::string(names.back())), level());
    close("`)` after the parameter's type");
  }
  close("`)`");
}

void Parser::run(Parsing expression) {
  if (expression.await_ready()) return;
  begin(expression.handle, nullptr);
  while (innermost_) {
    const Parsing::Handle current = innermost_;
    current.resume();  // to its end, or until another one begins inside it
    if (!current.done()) continue;
    innermost_ = current.promise().outer;
    depth_--;
  }
  expression.await_resume();
}

Parser::ParsingSingle Parser::single(const char* what) {
  const Token start = lexer_.peek();
  return {expression(), this, start, what};
}

void Parser::not_single(const Token& start, const char* what, size_t count) const {
  throw TypeError(lexer_.place(start) + what + " has " + std::to_string(count) + " values; expected one value");
}

Id Parser::resolve(const Token& token, const Binding& binding) {
  if (binding.sequence) lexer_.expected(token, "a value: the name is bound to a sequence; use reduce, length or at of it");
  return Bodies::inward(token, binding.id, binding.level, binding.name);
}

Parser::Parsing Parser::expression(bool may_be_sequence) {
  const Token token = lexer_.next();
  if (token.kind == Token::Open) {
    if (depth_ == deepest_parentheses) too_deep(token);
    return form(token, may_be_sequence);
  }
  if (token.kind == Token::Atom) return {.count = atom(token)};
  lexer_.expected(token, "an expression");
}

void Parser::too_deep(const Token& token) const {
  throw ParseError(lexer_.place(token) + "parentheses are nested more than " + std::to_string(deepest_parentheses) +
                   " deep; name parts with `let` instead");
}

size_t Parser::atom(const Token& token) {
  if (Binding* binding = scope_.find(token.text)) {
    binding->is_used = true;
    return push(resolve(token, *binding));
  }
  std::string problem;
  if (auto literal = parse_literal(token.text, problem)) return push(constant(*literal));
  if (!problem.empty()) lexer_.expected(token, problem);
  if (token.text[0] == '$') lexer_.expected(token, "`(at " + std::string(token.text) + " index)` for an element");
  if (is_name(token.text)) lexer_.expected(token, "a name in scope: there is no such parameter or binding");
  lexer_.expected(token, "an expression, such as a number with its type: 1:i32 or 0.5:f32");
}

Id Parser::constant(const LiteralValue& x) {
  bool is_lifted = x.type != Type::Bool && !argument_of_.empty() && argument_of_[numbers_++] != not_lifted;
  if (is_lifted && is_identity_) (*fixed_)[numbers_ - 1] = true, is_lifted = false;
  return is_lifted ? builder().argument(argument_of_[numbers_ - 1], x.type) : builder().literal(x.type, x.bits);
}

Parser::Parsing Parser::form(const Token& start, bool may_be_sequence) {
  const Token head = lexer_.next();
  if (auto op = find_op(head.text)) return operation(start, *op);
  if (head.text == "let") return let();
  if (head.text == "tuple") return tuple();
  if (head.text == "cast") return cast();
  if (head.text == "at" && !sequence_follows()) return element(start, true);
  if (head.text == "load") return element(start, false);
  if (head.text == "length" && !sequence_follows()) return {.count = captured_length()};
  if (head.text == "check") return check(start);
  if (head.text == "require") return require();
  if (head.text == "loop") return loop(start);
  if (head.text == "fold") return fold(start);
  if (head.text == "draw") return draw(start);
  if (const Form* form = find_form(head.text); form && (form->values || may_be_sequence)) return form_of_sequences(start, *form);
  if (const Fn* f = named_ ? (*named_)(head.text) : nullptr) return call(start, *f);
  unknown(head);
}

void Parser::unknown(const Token& head) const {
  if (head.text == "foreign") throw ParseError(lexer_.place(head) + "a foreign function has no written form; pass its address");
  if (find_form(head.text)) lexer_.expected(head, "a value: reduce, length or at of this sequence");
  lexer_.expected(head, "an operation, or cast, at, load, length, check, require, let, loop, fold, draw or tuple");
}

// An operation on names and numbers alone needs no coroutine.
Parser::Parsing Parser::operation(const Token& start, Op op) {
  const size_t first = values_.size();
  while (lexer_.peek().kind == Token::Atom) single("an operand").await_resume();
  if (lexer_.peek().kind == Token::Close) return {.count = applied(start, op, first)};
  return nested_operation(start, op, first);
}

Parser::Parsing Parser::nested_operation(Token start, Op op, size_t first) {
  while (lexer_.peek().kind != Token::Close) co_await single("an operand");
  co_return applied(start, op, first);
}

size_t Parser::applied(const Token& start, Op op, size_t first) {
  close("`)`");
  const std::span<const Id> x = values_from(first);
  const bool is_logical = (op == Op::and_ || op == Op::or_) && x.size() == 2;
  const Id id = typed(start, [&] { return is_logical ? builder().logical(op, x[0], x[1]) : builder().apply(op, x); });
  values_.resize(first);
  return push(id);
}

Parser::Parsing Parser::call(Token start, const Fn& f) {
  const size_t first = values_.size();
  while (lexer_.peek().kind != Token::Close) co_await single("an argument");
  close("`)`");
  if (values_.size() - first != f.params.size())
    throw TypeError(lexer_.place(start) + std::to_string(values_.size() - first) + " arguments; expected " +
                    std::to_string(f.params.size()));
  co_return inlined(f, first);
}

size_t Parser::inlined(const Fn& f, size_t first) {
  for (size_t k = 0; k < f.params.size(); k++) values_[first + k] = builder().cast(f.params[k].type, values_[first + k]);
  const std::vector<Id> results = builder().inline_call(f, values_from(first));
  values_.resize(first);
  for (Id result : results) push(result);
  return results.size();
}

Parser::Parsing Parser::draw(Token start) {
  const Token distribution = lexer_.next();
  const Type to = type();
  const size_t first = values_.size();
  while (lexer_.peek().kind != Token::Close) co_await single("an argument");
  close("`)`");
  const size_t count = values_.size() - first;
  if (count < 2)
    throw TypeError(lexer_.place(start) + "a draw has " + std::to_string(count) + (count == 1 ? " argument" : " arguments") +
                    "; expected a key, a number and the parameters");
  for (size_t k = 0; k < 2; k++)
    if (is_in(builder().type(values_[first + k]), Float))
      throw TypeError(lexer_.place(start) + "a draw has a key or a number of type " +
                      std::string(name(builder().type(values_[first + k]))) + "; expected integers");
  const auto function = [&]() -> const Fn* {
    try {
      return &draw_function(distribution.text, count - 2, to);
    } catch (const TypeError& error) { throw TypeError(lexer_.place(start) + error.what()); } catch (const std::runtime_error& error) {
      throw ParseError(lexer_.place(start) + error.what());
    }
  };
  inlined(*function(), first);
  Id value = builder().cast(to, values_.back());
  values_.pop_back();
  // A product is rounded here: an fma with the caller's sum would change the number.
  if (is_op(builder()[value], Op::mul_)) value = builder().apply(Op::pos_, std::span(&value, 1));
  co_return push(value);
}

Parser::Parsing Parser::tuple() {
  size_t count = 0;
  while (lexer_.peek().kind != Token::Close) count += co_await expression();
  close("`)`");
  co_return count;
}

Parser::Parsing Parser::cast() {
  const Type to = type();
  co_await single("the operand of cast");
  const Id x = pop();
  close("`)` after the operand of cast");
  co_return push(builder().cast(to, x));
}

Id Parser::pop_integer(const Token& start, const char* what) {
  const Id id = pop();
  if (is_in(builder().type(id), Float))
    throw TypeError(lexer_.place(start) + what + " has type " + std::string(name(builder().type(id))) + "; expected an integer");
  return builder().cast(Type::I64, id);
}

Parser::Parsing Parser::element(Token start, bool is_checked) {
  const SlotColumns from = slot();
  Id i = pop_integer(co_await single("an index"), "an index");
  if (is_checked) {
    const bool is_guarded = lexer_.peek().kind != Token::Close;
    if (is_guarded) co_await single("a guard");
    const Id guard = is_guarded ? pop() : builder().constant(true);
    i = typed(start, [&] { return builder().check(i, builder().length(from.slot), guard); });
  }
  close("`)` after the index");
  for (uint32_t k = 0; k < from.count; k++) push(builder().at(from.slot, from.first + k, captures_[from.slot][from.first + k], i));
  co_return from.count;
}

size_t Parser::captured_length() {
  const SlotColumns from = slot();
  close("`)` after the sequence");
  return push(builder().length(from.slot));
}

Parser::Parsing Parser::check(Token start) {
  const Id i = pop_integer(co_await single("an index"), "an index");
  const Id n = pop_integer(co_await single("an index"), "an index");
  const bool is_guarded = lexer_.peek().kind != Token::Close;
  if (is_guarded) co_await single("a guard");
  const Id guard = is_guarded ? pop() : builder().constant(true);
  close("`)` after the guard");
  co_return push(typed(start, [&] { return builder().check(i, n, guard); }));
}

Parser::Parsing Parser::require() {
  const size_t first = values_.size();
  co_await single("the first operand of require");
  while (lexer_.peek().kind != Token::Close) co_await expression();
  close("`)`");
  const Id id = builder().require(values_[first], values_from(first + 1));
  values_.resize(first);
  co_return push(id);
}

Parser::Parsing Parser::let() {
  open("`(` and the bindings of let");
  const size_t outer = scope_.size();
  std::vector<size_t> ends{outer};  // the end of each binding's names in the scope
  while (lexer_.peek().kind != Token::Close) {
    const Token start = open("`(name expression)` or `)` after the bindings");
    Numbering<std::string_view> names;
    bound_names(names);
    const size_t first = values_.size();
    const size_t count = co_await expression(names.size() == 1);
    if (count == is_sequence) {
      close("`)` after the binding");
      scope_.bind({.name = names[0], .id = no_id, .level = level(), .is_used = true, .sequence = sequence_});
      ends.push_back(scope_.size());
      continue;
    }
    if (count != names.size())
      throw TypeError(lexer_.place(start) + "let binds " + std::to_string(names.size()) + " names to " + std::to_string(count) +
                      " values; expected ((a b ...) expression) with one name per value");
    close("`)` after the binding");
    for (size_t k = 0; k < count; k++) scope_.bind(names[k], values_[first + k], level());
    values_.resize(first);
    ends.push_back(scope_.size());
  }
  close("`)`");
  const size_t count = co_await expression();
  close("`)` at the let's end, since a let has one body");
  if (count > 0) require_unused(ends, values_[values_.size() - count]);
  scope_.leave(outer);
  co_return count;
}

void Parser::require_unused(const std::vector<size_t>& ends, Id& value) {
  std::vector<Id> unused;
  for (size_t k = 1; k < ends.size(); k++) {
    const std::span<const Binding> names = scope_.from(ends[k - 1]).first(ends[k] - ends[k - 1]);
    if (std::ranges::any_of(names, &Binding::is_used)) continue;
    for (const Binding& name : names) unused.push_back(name.id);
  }
  value = builder().require(value, unused);
}

void Parser::bound_names(Numbering<std::string_view>& names) {
  if (lexer_.peek().kind != Token::Open) return add_name(names);
  lexer_.next();
  while (lexer_.peek().kind != Token::Close) add_name(names);
  close("`)`");
}

FnRef parse_unsimplified(std::string_view text, const CaptureTypes& captures) { return Parser(text, captures).function(); }

FnRef parse_unsimplified(std::string_view text, const FunctionsByName& named) {
  const CaptureTypes none;
  Parser parser(text, none);
  parser.may_call(named);
  return parser.function();
}

FnRef parse(std::string_view text, const CaptureTypes& captures) { return simplify(parse_unsimplified(text, captures)); }

FnRef parse_with_arguments(std::string_view text, const CaptureTypes& captures, const std::vector<uint32_t>& argument_of,
                           std::vector<bool>& fixed) {
  return Parser(text, captures, argument_of, &fixed).function();
}

}  // namespace wf
