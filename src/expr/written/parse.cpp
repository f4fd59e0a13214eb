// Parses the written form by recursive descent. Grammar: docs/written-form.md.
//
// An expression pushes its values on a stack and returns their number. Each loop body is a function with its own Builder; a name from outside
// that is used in it becomes a further parameter of the body.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "expr/lift.h"
#include "expr/terms.h"
#include "expr/written/reader.h"
#include "expr/written/scope.h"

namespace wf {

namespace {

constexpr int deepest = 1000;  // nested parentheses, of at most 800 bytes of stack each

constexpr uint32_t deepest_loop = 64;  // nested loops

class Parser : Reader {
 public:
  // fixed: marks the numbers that must stay literals; may be null if argument_of is empty.
  Parser(std::string_view text, const CaptureTypes& captures, std::span<const uint32_t> argument_of = {},
         std::vector<bool>* fixed = nullptr)
      : Reader(text, captures), argument_of_(argument_of), fixed_(fixed) {
    bodies_.emplace_back();
    values_.reserve(16);
  }

  FnRef function() {
    open("`(fn (` at the start of a function");
    keyword("fn");
    open("`(` and the parameters");
    parameters();
    expression();
    close("`)` at the function's end, since a function has one body");
    if (lexer_.peek().kind != Token::End) lexer_.expected(lexer_.peek(), "the end of the text after the function");
    return builder().finish(values_);
  }

 private:
  // { "(" name type ")" } ")", bound in the innermost body.
  void parameters() {
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

  // ---- values ----
  Builder& builder() { return bodies_.back().builder; }
  uint32_t level() const { return uint32_t(bodies_.size() - 1); }
  std::span<const Id> values_from(size_t first) const { return std::span(values_).subspan(first); }
  size_t push(Id id) { return values_.push_back(id), 1; }

  // Parses an expression of exactly one value, which stays on the stack.
  void single(const char* what) {
    const Token start = lexer_.peek();
    if (const size_t count = expression(); count != 1) not_single(start, what, count);
  }
  [[noreturn, gnu::noinline]] void not_single(const Token& start, const char* what, size_t count) const {
    throw TypeError(lexer_.place(start) + what + " has " + std::to_string(count) + " values; expected one value");
  }
  Id pop_single(const char* what) {
    single(what);
    const Id id = values_.back();
    values_.pop_back();
    return id;
  }

  // The value of a name, in the innermost body.
  Id resolve(const Token& token, const Binding& binding) {
    Id id = binding.id;
    for (uint32_t inner = binding.level + 1; inner <= level(); inner++) {
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
          known->second = body.builder.param(term.type, std::string(binding.name));
        }
        id = known->second;
      }
    }
    return id;
  }

  // ---- expressions ----
  size_t expression() {
    const Token token = lexer_.next();
    if (token.kind == Token::Open) {
      if (++depth_ > deepest) too_deep(token);
      const size_t count = form(token);
      depth_--;
      return count;
    }
    if (token.kind == Token::Atom) return atom(token);
    lexer_.expected(token, "an expression");
  }

  [[noreturn, gnu::noinline]] void too_deep(const Token& token) const {
    throw ParseError(lexer_.place(token) + "parentheses are nested more than " + std::to_string(deepest) +
                     " deep; name parts with `let` instead");
  }

  [[gnu::noinline]] size_t atom(const Token& token) {
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

  // A literal, or the argument that it is lifted to.
  Id constant(const LiteralValue& x) {
    bool is_lifted = x.type != Type::Bool && !argument_of_.empty() && argument_of_[numbers_++] != not_lifted;
    if (is_lifted && is_identity_) (*fixed_)[numbers_ - 1] = true, is_lifted = false;
    return is_lifted ? builder().argument(argument_of_[numbers_ - 1], x.type) : builder().literal(x.type, x.bits);
  }

  size_t form(const Token& start) {
    const Token head = lexer_.next();
    if (auto op = find_op(head.text)) return operation(start, *op);
    if (head.text == "let") return let();
    if (head.text == "tuple") return tuple();
    if (head.text == "cast") return cast();
    if (head.text == "at") return at(start, true);
    if (head.text == "load") return at(start, false);
    if (head.text == "length") return length();
    if (head.text == "check") return check(start);
    if (head.text == "require") return require();
    if (head.text == "loop") return loop(start);
    if (head.text == "fold") return fold(start);
    unknown(head);
  }
  [[noreturn, gnu::noinline]] void unknown(const Token& head) const {
    if (head.text == "foreign") throw ParseError(lexer_.place(head) + "a foreign function has no written form; pass its address");
    lexer_.expected(head, "an operation, or cast, at, load, length, check, require, let, loop, fold or tuple");
  }

  size_t operation(const Token& start, Op op) {
    const size_t first = values_.size();
    while (lexer_.peek().kind != Token::Close) single("an operand");
    close("`)`");
    const std::span<const Id> x = values_from(first);
    const bool is_logical = (op == Op::and_ || op == Op::or_) && x.size() == 2;
    const Id id = typed(start, [&] { return is_logical ? builder().logical(op, x[0], x[1]) : builder().apply(op, x); });
    values_.resize(first);
    return push(id);
  }

  size_t tuple() {
    size_t count = 0;
    while (lexer_.peek().kind != Token::Close) count += expression();
    close("`)`");
    return count;
  }

  size_t cast() {
    const Type to = type();
    const Id x = pop_single("the operand of cast");
    close("`)` after the operand of cast");
    return push(builder().cast(to, x));
  }

  // An i64, or what casts to it.
  Id integer(const char* what) {
    const Token start = lexer_.peek();
    const Id id = pop_single(what);
    if (is_in(builder().type(id), Float))
      throw TypeError(lexer_.place(start) + what + " has type " + std::string(name(builder().type(id))) + "; expected an integer");
    return builder().cast(Type::I64, id);
  }
  Id index() { return integer("an index"); }
  Id optional_guard() {
    if (lexer_.peek().kind == Token::Close) return builder().constant(true);
    return pop_single("a guard");
  }

  size_t at(const Token& start, bool is_checked) {
    const SlotColumns from = slot();
    Id i = index();
    if (is_checked) {
      const Id guard = optional_guard();
      i = typed(start, [&] { return builder().check(i, builder().length(from.slot), guard); });
    }
    close("`)` after the index");
    for (uint32_t k = 0; k < from.count; k++) push(builder().at(from.slot, from.first + k, captures_[from.slot][from.first + k], i));
    return from.count;
  }

  size_t length() {
    const SlotColumns from = slot();
    close("`)` after the sequence");
    return push(builder().length(from.slot));
  }

  size_t check(const Token& start) {
    const Id i = index();
    const Id n = index();
    const Id guard = optional_guard();
    close("`)` after the guard");
    return push(typed(start, [&] { return builder().check(i, n, guard); }));
  }

  [[gnu::noinline]] size_t require() {
    const size_t first = values_.size();
    single("the first operand of require");
    while (lexer_.peek().kind != Token::Close) expression();
    close("`)`");
    const Id id = builder().require(values_[first], values_from(first + 1));
    values_.resize(first);
    return push(id);
  }

  [[gnu::noinline]] size_t let() {
    open("`(` and the bindings of let");
    const size_t outer = scope_.size();
    std::vector<size_t> ends{outer};  // the end of each binding's names in the scope
    while (lexer_.peek().kind != Token::Close) {
      binding();
      ends.push_back(scope_.size());
    }
    close("`)`");
    const size_t count = expression();
    close("`)` at the let's end, since a let has one body");
    if (count > 0) require_unused(ends, values_[values_.size() - count]);
    scope_.leave(outer);
    return count;
  }

  // Unused bindings are evaluated, too: the value requires them.
  void require_unused(const std::vector<size_t>& ends, Id& value) {
    std::vector<Id> unused;
    for (size_t k = 1; k < ends.size(); k++) {
      const std::span<const Binding> names = scope_.from(ends[k - 1]).first(ends[k] - ends[k - 1]);
      if (std::ranges::any_of(names, &Binding::is_used)) continue;
      for (const Binding& name : names) unused.push_back(name.id);
    }
    value = builder().require(value, unused);
  }

  // (name expression) or ((name ...) expression)
  void binding() {
    const Token start = open("`(name expression)` or `)` after the bindings");
    Numbering<std::string_view> names;
    if (lexer_.peek().kind == Token::Open) {
      lexer_.next();
      while (lexer_.peek().kind != Token::Close) add_name(names);
      close("`)`");
    } else {
      add_name(names);
    }
    const size_t first = values_.size();
    const size_t count = expression();
    if (count != names.size())
      throw TypeError(lexer_.place(start) + "let binds " + std::to_string(names.size()) + " names to " + std::to_string(count) +
                      " values; expected ((a b ...) expression) with one name per value");
    close("`)` after the binding");
    for (size_t k = 0; k < count; k++) scope_.bind(names[k], values_[first + k], level());
    values_.resize(first);
  }

  void enter_body(const Token& start, bool is_closed) {
    if (level() == deepest_loop)
      throw ParseError(lexer_.place(start) + "loops and folds are nested more than " + std::to_string(deepest_loop) + " deep");
    bodies_.emplace_back();
    bodies_.back().is_closed = is_closed;
  }
  // The innermost body with the values from `first` on as results, and the values outside that it uses.
  FnRef leave_body(size_t first, std::vector<Id>& free) {
    FnRef body = builder().finish(values_from(first));
    values_.resize(first);
    free = std::move(bodies_.back().free);
    bodies_.pop_back();
    return body;
  }

  [[gnu::noinline]] size_t loop(const Token& start) {
    open("`(` and the variables of loop");
    const size_t outer = scope_.size(), first = values_.size();
    Numbering<std::string_view> names;
    while (lexer_.peek().kind != Token::Close) {
      open("`(name expression)` or `)` after the variables");
      add_name(names);
      single("a variable's first value");
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
    single("a loop's condition");
    const Token next = lexer_.peek();
    const size_t count = expression();
    if (count != names.size())
      throw TypeError(lexer_.place(next) + "a loop has " + std::to_string(count) + " next values; expected " +
                      std::to_string(names.size()) + ", one per variable");
    close("`)` at the loop's end");
    scope_.leave(outer);

    std::vector<Id> free;
    const FnRef body = leave_body(first, free);
    for (Id id : typed(start, [&] { return builder().loop(inits, free, body); })) push(id);
    return names.size();
  }

  // The function's parameters and body, without `fn`.
  FnRef combine(const Token& start) {
    open("`(` and the parameters of the fold's function");
    enter_body(start, true);
    const size_t outer = scope_.size(), first = values_.size();
    parameters();
    expression();
    scope_.leave(outer);
    std::vector<Id> free;
    return leave_body(first, free);
  }

  // Literals, in any expression that folds to them.
  std::vector<Id> identity() {
    const size_t first = values_.size();
    const bool outside = std::exchange(is_identity_, true);
    expression();
    is_identity_ = outside;
    const std::vector<Id> columns(values_.begin() + first, values_.end());
    values_.resize(first);
    return columns;
  }

  [[gnu::noinline]] size_t fold(const Token& start) {
    const FnRef function = combine(start);
    const std::vector<Id> columns = identity();
    open("`((j count))` with the position's name and the count");
    open("`(j count)` with the position's name and the count");
    Numbering<std::string_view> names;
    add_name(names);
    const Id count = integer("a fold's count");
    close("`)` after the count");
    close("`)`, since a fold has one position");

    enter_body(start, false);
    const size_t outer = scope_.size(), first = values_.size();
    scope_.bind(names[0], builder().param(Type::I64, std::string(names[0])), level());
    expression();
    close("`)` at the fold's end");
    scope_.leave(outer);
    std::vector<Id> free;
    const FnRef value = leave_body(first, free);
    const auto results = typed(start, [&] { return builder().fold(count, columns, free, value, function); });
    for (Id id : results) push(id);
    return results.size();
  }

  struct Body {
    Builder builder;
    std::vector<Id> free;  // values from outside: terms of the enclosing builder
    std::unordered_map<Id, Id> free_param;
    bool is_closed = false;  // uses no values outside
  };

  std::span<const uint32_t> argument_of_;  // for each number in the text; empty: all are literals
  std::vector<bool>* fixed_;
  size_t numbers_ = 0;        // parsed so far
  bool is_identity_ = false;  // the expression is the identity of a fold: its numbers are literals
  std::vector<Body> bodies_;  // the function's, then one per enclosing loop or fold
  Scope scope_;
  std::vector<Id> values_;
  int depth_ = 0;
};

}  // namespace

FnRef parse_unsimplified(std::string_view text, const CaptureTypes& captures) { return Parser(text, captures).function(); }

FnRef parse(std::string_view text, const CaptureTypes& captures) { return simplify(parse_unsimplified(text, captures)); }

FnRef parse_with_arguments(std::string_view text, const CaptureTypes& captures, const std::vector<uint32_t>& argument_of,
                           std::vector<bool>& fixed) {
  return Parser(text, captures, argument_of, &fixed).function();
}

}  // namespace wf
