// A trace: the record of a lambda's operations on the expressions that are its arguments.
//
// An Expr is a term's number; each operation appends one term to the trace in progress on this thread. Operands precede
// their users, so numbers are a topological order. Traces nest (a lazy scalar made inside a lambda has its own) and
// share one arena as a stack, so that tracing allocates nothing once the arena has grown. A typical lambda costs less than
// a microsecond. writer.hpp converts a finished trace to the written form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/error.hpp"
#include "warpfold/types.hpp"

namespace warpfold::tracing {

using Id = uint32_t;
inline constexpr Id no_id = ~Id{0};

enum class Kind : uint8_t {
  Parameter,
  Literal,   // bits
  Apply,     // name, operands
  Cast,      // operand -> type
  At,        // element of capture `slot`, column `column` (-1: the only one), index operand
  Length,    // of capture `slot`
  Fold,      // links[first_link ..]: the count, n_values values; slot: its scope; bits: number of its text
  Loop,      // links[first_link ..]: n_values initial values, the condition, n_values next values; slot: its scope
  Variable,  // of a loop, inside of it, or the position of a fold; column: its number
  Value,     // of a loop or fold, outside of it; operand: the Loop or Fold; column: its number
};

struct Term {
  Kind kind;
  int32_t type = -1;
  const char* name = nullptr;
  uint32_t arity = 0;
  Id operands[4] = {};
  int32_t slot = 0, column = -1;
  uint64_t bits = 0;
  uint32_t first_link = 0, n_values = 0;
  uint32_t scope = 0;                         // the innermost loop or fold whose variables the term depends on; 0: none
  uint32_t label = 0;                         // the number in its name
  uint32_t n_uses = 0, height = 0, mark = 0;  // used by the writer
  bool is_bound = false;                      // by a `let`
};

// A loop or fold; it is open while its functions are called.
struct Scope {
  Id first;  // its first variable
  bool is_open;
};

struct Arena {
  std::vector<Term> terms;
  Id next_id = 0;  // of the next trace's first term. Each trace has numbers of its own, so that an expression of another one is recognized
  std::vector<Id> links;
  std::vector<Scope> scopes;
  std::vector<wf_seq*> captures;
  std::vector<std::string> fold_texts;  // the function and the identity of each fold
  std::vector<uint64_t> record;         // memory for that of a finished trace
  uint64_t n_traces = 0;                // made so far
};

inline constexpr const char* used_outside =
    "an Expr, or a sequence or reduction that depends on one, is used outside of the function that it was made for; "
    "expected uses inside of that function only";

// A function that is traced inside another one uses an expression of that one, so it is no function of its own.
struct OuterExpr : ArgumentError {
  OuterExpr() : ArgumentError(used_outside) {}
};

class Trace;
inline constinit thread_local Trace* trace_in_progress = nullptr;

class Trace {
 public:
  Trace()
      : arena_(arena()),
        outer_(std::exchange(trace_in_progress, this)),
        stack_(outer_ ? outer_->stack_ : reinterpret_cast<uintptr_t>(this)) {
    if (arena_.next_id > most_ids) arena_.next_id = outer_ ? outer_->first_term_ + max_terms : 0;
    first_term_ = arena_.next_id;
    arena_.next_id += max_terms;  // for this trace; those nested in it have larger numbers
    first_position_ = arena_.terms.size();
    first_link_ = arena_.links.size();
    first_scope_ = arena_.scopes.size();
    first_capture_ = arena_.captures.size();
    first_fold_text_ = arena_.fold_texts.size();
    number_ = ++arena_.n_traces;
    arena_.scopes.push_back({first_term_, true});
  }
  ~Trace() {
    while (arena_.captures.size() > first_capture_) wf_release(arena_.captures.back()), arena_.captures.pop_back();
    if (arena_.next_id == first_term_ + max_terms) arena_.next_id = end();
    arena_.terms.resize(first_position_, Term{});
    arena_.links.resize(first_link_);
    arena_.scopes.resize(first_scope_);
    arena_.fold_texts.resize(first_fold_text_);
    trace_in_progress = outer_;
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // The trace in progress, to which a new expression belongs.
  static Trace& current() {
    if (!trace_in_progress) [[unlikely]]
      reject(false, used_outside);
    return *trace_in_progress;
  }

  Id parameter(int32_t type) {
    append(Kind::Parameter, type).label = n_parameters_++;
    return end() - 1;
  }
  Id literal(int32_t type, uint64_t bits) {
    append(Kind::Literal, type).bits = bits;
    return end() - 1;
  }
  Id apply(const char* name, int32_t type, const Id* operands, uint32_t arity) {
    uint32_t scope = 0;
    for (uint32_t k = 0; k < arity; k++) scope = std::max(scope, scope_of(operands[k]));
    Term& t = append(Kind::Apply, type);
    t.name = name;
    t.arity = arity;
    t.scope = scope;
    for (uint32_t k = 0; k < arity; k++) t.operands[k] = operands[k];
    return end() - 1;
  }
  Id cast(int32_t type, Id x) {
    scope_of(x);
    if (term(x).type == type) return x;
    Term t{Kind::Cast, type};
    set_operands(t, &x, 1);
    return append(t);
  }
  // The term belongs to the loop that reads it: its index is checked only if the loop evaluates it.
  Id at(int32_t slot, int32_t column, int32_t type, Id index) {
    Term t{Kind::At, type};
    t.slot = slot, t.column = column;
    set_operands(t, &index, 1);
    t.scope = innermost_scope_;
    return append(t);
  }
  // The index, which must be in [0, length).
  Id check_index(Id index, Id length) {
    const Id operands[] = {index, length};
    Term t{Kind::Apply, WF_I64};
    t.name = "check";
    set_operands(t, operands, 2);
    t.scope = innermost_scope_;
    return append(t);
  }
  Id length(int32_t slot) {
    Term t{Kind::Length, WF_I64};
    t.slot = slot;
    return append(t);
  }
  // The number of a captured sequence, which the trace keeps alive.
  int32_t capture(wf_seq* s) {
    for (size_t k = first_capture_; k < arena_.captures.size(); k++)
      if (arena_.captures[k] == s) return static_cast<int32_t>(k - first_capture_);
    wf_retain(s);
    arena_.captures.push_back(s);
    return static_cast<int32_t>(arena_.captures.size() - 1 - first_capture_);
  }

  // A loop is recorded in three steps: open_loop; the condition and the next values, computed from its variables; close_loop.
  struct LoopRecord {
    uint32_t scope, outer_scope;
    Id first_variable;
  };
  LoopRecord open_loop(const Id* initial, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) scope_of(initial[k]);
    const LoopRecord record = open_scope();
    for (uint32_t k = 0; k < n; k++) variable(record, term(initial[k]).type);
    return record;
  }
  // The term of the loop; value k of the loop is the term loop + 1 + k.
  Id close_loop(const LoopRecord& record, const Id* initial, Id condition, const Id* next, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) scope_of(next[k]);
    Term t{Kind::Loop};
    t.first_link = static_cast<uint32_t>(arena_.links.size());
    t.label = term(record.first_variable).label;
    arena_.links.insert(arena_.links.end(), initial, initial + n);
    arena_.links.push_back(condition);
    arena_.links.insert(arena_.links.end(), next, next + n);
    return close_scope(record, t, initial, n);
  }

  // A fold is recorded as: open_fold; the columns of the value at its position; close_fold.
  LoopRecord open_fold() {
    const LoopRecord record = open_scope();
    variable(record, WF_I64);
    return record;
  }
  // `text`: the function that combines, without `fn`, and the identity. The fold's values follow it.
  Id close_fold(const LoopRecord& record, Id count, const Id* values, uint32_t n, std::string text) {
    scope_of(count);
    for (uint32_t k = 0; k < n; k++) scope_of(values[k]);
    Term t{Kind::Fold};
    t.first_link = static_cast<uint32_t>(arena_.links.size());
    t.label = n_variables_;
    n_variables_ += n;
    t.bits = arena_.fold_texts.size();
    arena_.fold_texts.push_back(std::move(text));
    arena_.links.push_back(count);
    arena_.links.insert(arena_.links.end(), values, values + n);
    return close_scope(record, t, values, n);
  }
  // Throws unless x is a term of this trace that may be used here. Returns the innermost loop that it depends on.
  uint32_t scope_of(Id x) const {
    if (x < first_term_ || x >= end()) [[unlikely]]
      reject(is_of_outer(x), used_outside);
    uint32_t scope = arena_.terms[position(x)].scope;
    if (!arena_.scopes[first_scope_ + scope].is_open) [[unlikely]]
      reject(false, "an Expr made inside a loop is used outside of it; use the values that loop(...) returns");
    return scope;
  }
  // Each trace of a thread has a number of its own.
  uint64_t number() const { return number_; }
  // Throws unless a sequence or reduction made by the trace with this number may be used in this one.
  void require_made_here(uint64_t number) const {
    if (number == number_) return;
    bool is_outer = false;
    for (const Trace* t = outer_; t; t = t->outer_) is_outer = is_outer || t->number_ == number;
    reject(
        is_outer,
        "a sequence or reduction that depends on the arguments of a traced function is used outside of that function; expected uses inside "
        "of it only");
  }

  Term& term(Id id) { return arena_.terms[position(id)]; }
  const Id* links(const Term& t) const { return arena_.links.data() + t.first_link; }
  Id first() const { return first_term_; }
  Id end() const { return first_term_ + static_cast<Id>(arena_.terms.size() - first_position_); }
  Id scope_begin(uint32_t scope) const { return arena_.scopes[first_scope_ + scope].first; }
  wf_seq* const* captures() const { return arena_.captures.data() + first_capture_; }
  int32_t n_captures() const { return static_cast<int32_t>(arena_.captures.size() - first_capture_); }
  const std::string& fold_text(const Term& t) const { return arena_.fold_texts[t.bits]; }

  // The trace as numbers, until the next trace is recorded. Traces with equal numbers have the same written form.
  std::span<const uint64_t> record(const Id* results, uint32_t n_results) const {
    std::vector<uint64_t>& out = arena_.record;
    const size_t n_terms = arena_.terms.size() - first_position_, n_links = arena_.links.size() - first_link_;
    size_t most = n_terms * (4 + std::size(Term{}.operands)) + n_links + n_results;
    for (size_t k = first_fold_text_; k < arena_.fold_texts.size(); k++) most += arena_.fold_texts[k].size() + 1;
    if (out.size() < most) out.resize(most);
    uint64_t* next = out.data();
    auto pair = [](uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; };
    for (size_t k = first_position_; k < arena_.terms.size(); k++) {
      const Term& t = arena_.terms[k];
      *next++ = pair(static_cast<uint32_t>(t.kind) << 16 | t.arity, static_cast<uint32_t>(t.type));
      *next++ = t.name ? reinterpret_cast<uintptr_t>(t.name) : t.bits;
      *next++ = pair(static_cast<uint32_t>(t.slot), static_cast<uint32_t>(t.column));
      *next++ = pair(t.scope, t.n_values);
      for (uint32_t i = 0; i < t.arity; i++) *next++ = t.operands[i] - first_term_;
    }
    for (size_t k = first_link_; k < arena_.links.size(); k++) *next++ = arena_.links[k] - first_term_;
    for (uint32_t k = 0; k < n_results; k++) *next++ = results[k] - first_term_;
    for (size_t k = first_fold_text_; k < arena_.fold_texts.size(); k++) {
      const std::string& text = arena_.fold_texts[k];
      next = std::copy(text.begin(), text.end(), next);
      *next++ = text.size();
    }
    return {out.data(), next};
  }

 private:
  size_t position(Id id) const { return first_position_ + (id - first_term_); }
  // Returns true if x is a term of a trace that this one is nested in.
  bool is_of_outer(Id x) const {
    for (const Trace* t = outer_; t; t = t->outer_)
      if (x - t->first_term_ < max_terms) return true;
    return false;
  }
  static Arena& arena() {
    thread_local Arena the_arena;
    return the_arena;
  }
  Id append(const Term& t) {
    require_end();
    return arena_.terms.push_back(t), end() - 1;
  }
  // A new last term, valid until the next one.
  Term& append(Kind kind, int32_t type) {
    require_end();
    return arena_.terms.emplace_back(Term{kind, type});
  }

  // Throws before a traced function that does not end exhausts the stack or the memory.
  static constexpr uintptr_t max_stack = 1 << 20;
  static constexpr size_t max_terms = 1 << 20;
  static constexpr Id most_ids = Id{1} << 31;
  void require_end() const {
    auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (stack_ - frame > max_stack && stack_ > frame) [[unlikely]]
      reject_depth();
    if (arena_.terms.size() - first_position_ >= max_terms) [[unlikely]]
      reject_length();
  }
  [[noreturn]] static void reject_depth() {
    throw ArgumentError(
        "the traced function calls itself too deeply, or without an end; expected a recursion that a C++ number ends, or "
        "loop(initial, condition, next) for a number of iterations that depends on the elements");
  }
  [[noreturn]] static void reject_length() {
    throw ArgumentError("the traced function has more than " + std::to_string(max_terms) +
                        " operations, or does not end; expected loop(initial, condition, next) for many iterations");
  }

  void set_operands(Term& t, const Id* operands, uint32_t arity) {
    t.arity = arity;
    for (uint32_t k = 0; k < arity; k++) {
      uint32_t scope = scope_of(operands[k]);
      t.operands[k] = operands[k];
      if (scope > t.scope) t.scope = scope;  // a loop opened later is inside
    }
  }
  [[noreturn]] static void reject(bool is_outer, const char* text) {
    if (is_outer) throw OuterExpr();
    throw ArgumentError(text);
  }

  LoopRecord open_scope() {
    LoopRecord record{static_cast<uint32_t>(arena_.scopes.size() - first_scope_), innermost_scope_, end()};
    arena_.scopes.push_back({record.first_variable, true});
    innermost_scope_ = record.scope;
    return record;
  }
  void variable(const LoopRecord& record, int32_t type) {
    Term t{Kind::Variable, type};
    t.label = n_variables_++;
    t.scope = record.scope;
    append(t);
  }
  // Appends the Loop or Fold t and its n values, which have the types of the terms `like`.
  Id close_scope(const LoopRecord& record, Term t, const Id* like, uint32_t n) {
    t.n_values = n;
    t.slot = static_cast<int32_t>(record.scope);
    t.scope = record.outer_scope;
    arena_.scopes[first_scope_ + record.scope].is_open = false;
    innermost_scope_ = record.outer_scope;
    Id loop = append(t);
    for (uint32_t k = 0; k < n; k++) {
      Term value{Kind::Value, term(like[k]).type};
      value.label = t.label + k;
      value.scope = record.outer_scope;
      set_operands(value, &loop, 1);
      append(value);
    }
    return loop;
  }

  Arena& arena_;
  Trace* outer_;
  uintptr_t stack_;  // the stack's address at the start of the outermost trace in progress
  Id first_term_;
  size_t first_position_, first_link_, first_scope_, first_capture_, first_fold_text_;
  uint64_t number_;
  uint32_t innermost_scope_ = 0, n_parameters_ = 0, n_variables_ = 0;
};

}  // namespace warpfold::tracing
