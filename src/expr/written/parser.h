// The recursive-descent parser of the written form. Grammar: docs/written-form.md.
//
// An expression pushes its values on a stack and returns their number. Each loop body is a function with its own Builder; a name from outside
// that is used in it becomes a further parameter of the body.
#pragma once

#include <unordered_map>
#include <utility>

#include "expr/library.h"
#include "expr/lift.h"
#include "expr/terms.h"
#include "expr/written/reader.h"
#include "expr/written/scope.h"

namespace wf {

class Parser : Reader {
 public:
  // fixed: marks the numbers that must stay literals; may be null if argument_of is empty.
  Parser(std::string_view text, const CaptureTypes& captures, std::span<const uint32_t> argument_of = {},
         std::vector<bool>* fixed = nullptr)
      : Reader(text, captures), argument_of_(argument_of), fixed_(fixed) {
    bodies_.emplace_back();
    values_.reserve(16);
  }

  // Functions that the text may call.
  void may_call(const FunctionsByName& named) { named_ = &named; }

  FnRef function();

 private:
  // parse.cpp: expressions and names
  // { "(" name type ")" } ")", bound in the innermost body.
  void parameters();
  // Parses an expression of exactly one value, which stays on the stack.
  void single(const char* what);
  [[noreturn, gnu::noinline]] void not_single(const Token& start, const char* what, size_t count) const;
  Id pop_single(const char* what);
  // The value of a name, in the innermost body.
  Id resolve(const Token& token, const Binding& binding);
  size_t expression();
  [[noreturn, gnu::noinline]] void too_deep(const Token& token) const;
  [[gnu::noinline]] size_t atom(const Token& token);
  // A literal, or the argument that it is lifted to.
  Id constant(const LiteralValue& x);
  size_t form(const Token& start);
  [[noreturn, gnu::noinline]] void unknown(const Token& head) const;
  size_t operation(const Token& start, Op op);
  size_t call(const Token& start, const Fn& f);
  // The values of a call whose arguments are the values from `first` on.
  size_t inlined(const Fn& f, size_t first);
  size_t draw(const Token& start);
  size_t tuple();
  size_t cast();
  // An i64, or what casts to it.
  Id integer(const char* what);
  Id index() { return integer("an index"); }
  Id optional_guard();
  size_t at(const Token& start, bool is_checked);
  size_t length();
  size_t check(const Token& start);
  [[gnu::noinline]] size_t require();
  [[gnu::noinline]] size_t let();
  // Unused bindings are evaluated, too: the value requires them.
  void require_unused(const std::vector<size_t>& ends, Id& value);
  // (name expression) or ((name ...) expression)
  void binding();

  // parse_loops.cpp: loops and folds
  void enter_body(const Token& start, bool is_closed);
  // The innermost body with the values from `first` on as results, and the values outside that it uses.
  FnRef leave_body(size_t first, std::vector<Id>& free);
  [[gnu::noinline]] size_t loop(const Token& start);
  // The function's parameters and body, without `fn`.
  FnRef combine(const Token& start);
  // Literals, in any expression that folds to them.
  std::vector<Id> identity();
  [[gnu::noinline]] size_t fold(const Token& start);

  Builder& builder() { return bodies_.back().builder; }
  uint32_t level() const { return uint32_t(bodies_.size() - 1); }
  std::span<const Id> values_from(size_t first) const { return std::span(values_).subspan(first); }
  size_t push(Id id) { return values_.push_back(id), 1; }

  struct Body {
    Body() { builder.unused_values_are_not_required(); }
    Builder builder;
    std::vector<Id> free;  // values from outside: terms of the enclosing builder
    std::unordered_map<Id, Id> free_param;
    bool is_closed = false;  // uses no values outside
  };

  std::span<const uint32_t> argument_of_;  // for each number in the text; empty: all are literals
  std::vector<bool>* fixed_;
  const FunctionsByName* named_ = nullptr;
  size_t numbers_ = 0;        // parsed so far
  bool is_identity_ = false;  // the expression is the identity of a fold: its numbers are literals
  std::vector<Body> bodies_;  // the function's, then one per enclosing loop or fold
  Scope scope_;
  std::vector<Id> values_;
  int depth_ = 0;
};

}  // namespace wf
