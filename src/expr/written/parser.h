// The recursive-descent parser of the written form. Grammar: docs/written-form.md.
//
// An expression pushes its values on a stack and returns their number. A sequence is no value: only forms that take sequences read one.
//
// An expression in parentheses is parsed by a coroutine, which waits for those inside it. So nested parentheses need heap, not stack.
#pragma once

#include <coroutine>
#include <utility>

#include "expr/library.h"
#include "expr/lift.h"
#include "expr/written/lowering.h"
#include "expr/written/scope.h"

namespace wf {

constexpr size_t deepest_parentheses = 1000;  // nested parentheses

class Parser : Lowering {
 public:
  Parser(const Parser&) = delete;
  // fixed: marks the numbers that must stay literals; may be null if argument_of is empty.
  Parser(std::string_view text, const CaptureTypes& captures, std::span<const uint32_t> argument_of = {},
         std::vector<bool>* fixed = nullptr)
      : Lowering(text, captures), argument_of_(argument_of), fixed_(fixed) {
    values_.reserve(16);
  }

  // Functions that the text may call.
  void may_call(const FunctionsByName& named) { named_ = &named; }

  FnRef function();
  ~Parser() {
    while (innermost_) std::exchange(innermost_, innermost_.promise().outer).destroy();
  }

 private:
  // The number of values of an expression that is parsed, or that the coroutine parses. `co_await` waits for it.
  struct Parsing {
    struct promise_type {
      template <class... A> explicit promise_type(Parser& parser, const A&...) : parser(parser) {}
      Parsing get_return_object() { return {.handle = std::coroutine_handle<promise_type>::from_promise(*this)}; }
      std::suspend_always initial_suspend() noexcept { return {}; }
      std::suspend_always final_suspend() noexcept { return {}; }
      void return_value(size_t n) { count = n; }
      void unhandled_exception() { throw; }
      Parser& parser;
      std::coroutine_handle<promise_type> outer = nullptr;  // waits for this one
      size_t count = 0;
    };
    using Handle = std::coroutine_handle<promise_type>;

    bool await_ready() const { return !handle; }
    void await_suspend(Handle outer) const { outer.promise().parser.begin(handle, outer); }
    size_t await_resume() const {
      if (!handle) return count;
      const size_t n = handle.promise().count;
      handle.destroy();
      return n;
    }
    Handle handle = nullptr;
    size_t count = 0;
  };
  // The same for an expression of exactly one value, which stays on the stack. The result is its first token.
  struct ParsingSingle : Parsing {
    Token await_resume() const {
      if (const size_t n = Parsing::await_resume(); n != 1) parser->not_single(start, what, n);
      return start;
    }
    const Parser* parser;
    Token start;
    const char* what;
  };
  // The same for a sequence.
  struct ParsingSequence : Parsing {
    const Sequence& await_resume() const {
      if (handle) Parsing::await_resume();
      return *parser->sequence_;
    }
    const Parser* parser;
  };
  void begin(Parsing::Handle inner, Parsing::Handle outer) {
    inner.promise().outer = outer;
    innermost_ = inner;
    depth_++;
  }
  // Parses an expression with all that is inside it.
  void run(Parsing expression);

  // parse.cpp: expressions and names
  // { "(" name type ")" } ")", bound in the innermost body.
  void parameters();
  ParsingSingle single(const char* what);
  [[noreturn, gnu::noinline]] void not_single(const Token& start, const char* what, size_t count) const;
  Id pop() {
    const Id id = values_.back();
    values_.pop_back();
    return id;
  }
  // The value of a name, in the innermost body.
  Id resolve(const Token& token, const Binding& binding);
  static constexpr size_t is_sequence = ~size_t(0);  // instead of the number of values: the expression is sequence_
  Parsing expression(bool may_be_sequence = false);
  [[noreturn, gnu::noinline]] void too_deep(const Token& token) const;
  [[gnu::noinline]] size_t atom(const Token& token);
  // A literal, or the argument that it is lifted to.
  Id constant(const LiteralValue& x);
  Parsing form(const Token& start, bool may_be_sequence);
  [[noreturn, gnu::noinline]] void unknown(const Token& head) const;
  Parsing operation(const Token& start, Op op);
  Parsing nested_operation(Token start, Op op, size_t first);
  // The operation on the values from `first` on.
  size_t applied(const Token& start, Op op, size_t first);
  Parsing call(Token start, const Fn& f);
  // The values of a call whose arguments are the values from `first` on.
  size_t inlined(const Fn& f, size_t first);
  Parsing draw(Token start);
  Parsing tuple();
  Parsing cast();
  // The last value as an i64; `start` is its first token.
  Id pop_integer(const Token& start, const char* what);
  Parsing element(Token start, bool is_checked);
  size_t captured_length();
  Parsing check(Token start);
  Parsing require();
  Parsing let();
  // Unused bindings are evaluated, too: the value requires them.
  void require_unused(const std::vector<size_t>& ends, Id& value);
  // NAME or (NAME ...) of a binding.
  void bound_names(Numbering<std::string_view>& names);

  // parse_loops.cpp: loops and folds
  // The innermost body with the values from `first` on as results, and the values outside that it uses.
  FnRef leave(size_t first, std::vector<Id>& free);
  Parsing loop(Token start);
  Parsing fold(Token start);
  // A function without the word `fn`, which becomes lambda_.
  Parsing lambda(Token start, bool is_closed);
  // Literals, in any expression that folds to them.
  Parsing literals();

  // parse_forms.cpp: forms of sequences
  // Returns true if the next expression is a sequence, not counting a captured one.
  bool sequence_follows();
  ParsingSequence sequence();
  // The form's sequence becomes sequence_; its values are pushed.
  Parsing form_of_sequences(Token start, const Form& form);

  std::span<const Id> values_from(size_t first) const { return std::span(values_).subspan(first); }
  size_t push(Id id) { return values_.push_back(id), 1; }

  std::span<const uint32_t> argument_of_;  // for each number in the text; empty: all are literals
  std::vector<bool>* fixed_;
  const FunctionsByName* named_ = nullptr;
  size_t numbers_ = 0;        // parsed so far
  bool is_identity_ = false;  // the expression is the identity of a fold: its numbers are literals
  Scope scope_;
  std::deque<Lambda> lambdas_;
  const Lambda* lambda_ = nullptr;      // the last one that was parsed
  const Sequence* sequence_ = nullptr;  // the last one that was parsed
  std::vector<Id> values_;
  Parsing::Handle innermost_ = nullptr;  // of the coroutines that have begun
  size_t depth_ = 0;                     // the number of these
};

}  // namespace wf
