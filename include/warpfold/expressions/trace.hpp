// A trace: the record of a lambda's operations on the expressions that are its arguments.
//
// An Expr is a term's number; each operation appends one term to the trace in progress on this thread. Operands precede
// their users, so numbers are a topological order. Traces nest (a lazy scalar made inside a lambda has its own) and
// share one arena as a stack, so that tracing allocates nothing once the arena has grown. A typical lambda costs less than
// a microsecond. writer.hpp converts a finished trace to the written form.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/error.hpp"
#include "warpfold/of_thread.hpp"
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
  Captured,  // the sequence of capture `slot`
  Form,      // of sequences (docs/written-form.md), see FormParts; slot: its scope. A form without values is a sequence
  Loop,      // links[first_link ..]: n_values initial values, the condition, n_values next values; slot: its scope
  Variable,  // of a loop, inside of it, or a parameter of a form's function; column: its number
  Value,     // of a loop or form, outside of it; operand: the Loop or Form; column: its number
};

// Numbers of terms, links and texts in a term begin with 0 in each trace, and no bytes are left undefined. So the terms of traces with the same
// written form have the same bytes.
struct Term {
  Kind kind;
  uint8_t arity = 0;
  uint16_t unused = 0;
  int32_t type = -1;
  const char* name = nullptr;
  uint64_t bits = 0;
  Id operands[4] = {};
  int32_t slot = 0, column = -1;
  uint32_t first_link = 0, n_values = 0;
  uint32_t scope = 0;  // the innermost loop or form whose variables the term depends on; 0: none
  uint32_t label = 0;  // the number in its name
};
static_assert(sizeof(Term) == 48 + 2 * sizeof(uint64_t));

// The terms of the traces in progress, one after another.
class Terms {
 public:
  size_t size() const { return size_; }
  const Term* data() const { return terms_.get(); }
  Term& operator[](size_t k) { return terms_[k]; }
  const Term& operator[](size_t k) const { return terms_[k]; }
  Term& append(Kind kind, int32_t type) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    Term& t = terms_[size_++];
    t = Term{.kind = kind, .type = type};
    return t;
  }
  void shrink(size_t size) { size_ = size; }

 private:
  [[gnu::noinline]] void grow() {  // rare: each operation would save more registers for it
    const size_t capacity = std::max<size_t>(2 * capacity_, 256);
    auto more = std::make_unique<Term[]>(capacity);
    std::copy_n(terms_.get(), size_, more.get());
    terms_ = std::move(more);
    capacity_ = capacity;
  }
  std::unique_ptr<Term[]> terms_;
  size_t size_ = 0, capacity_ = 0;
};

// A loop or form; it is open while its functions are called.
struct Scope {
  Id first;  // its first variable
  bool is_open;
};

struct Arena {
  Terms terms;
  Id next_id = 0;  // of the next trace's first term. Each trace has numbers of its own, so that an expression of another one is recognized
  std::vector<Id> links;
  std::vector<Scope> scopes;
  std::vector<wf_seq*> captures;
  std::vector<std::string> form_texts;
  uint64_t n_traces = 0;  // made so far
};

inline constexpr const char* used_outside =
    "an Expr, or a sequence or reduction that depends on one, is used outside of the function that it was made for; "
    "expected uses inside of that function only";

// A function that is traced inside another one uses an expression of that one, so it is no function of its own.
struct OuterExpr : ArgumentError {
  OuterExpr() : ArgumentError(used_outside) {}
};

// A finished trace.
struct Record {
  std::vector<Term> terms;
  std::vector<Id> links, results;
  std::vector<std::string> form_texts;
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
    first_form_text_ = arena_.form_texts.size();
    number_ = ++arena_.n_traces;
  }
  ~Trace() {
    while (arena_.captures.size() > first_capture_) wf_release(arena_.captures.back()), arena_.captures.pop_back();
    if (arena_.next_id == first_term_ + max_terms) arena_.next_id = end();
    arena_.terms.shrink(first_position_);
    if (arena_.scopes.size() > first_scope_)  // it has loops or forms
      arena_.links.resize(first_link_), arena_.scopes.resize(first_scope_), arena_.form_texts.resize(first_form_text_);
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
    t.scope = scope;
    name_operands(t, operands, arity);
    return end() - 1;
  }
  Id cast(int32_t type, Id x) {
    const uint32_t scope = scope_of(x);
    if (term(x).type == type) return x;
    Term& t = append(Kind::Cast, type);
    t.scope = scope;
    name_operands(t, &x, 1);
    return end() - 1;
  }
  // The term belongs to the loop that reads it: its index is checked only if the loop evaluates it.
  Id at(int32_t slot, int32_t column, int32_t type, Id index) {
    scope_of(index);
    Term& t = append(Kind::At, type);
    t.slot = slot, t.column = column;
    t.scope = innermost_scope_;
    name_operands(t, &index, 1);
    return end() - 1;
  }
  // The index, which must be in [0, length).
  Id check_index(Id index, Id length) {
    const Id checked = apply("check", WF_I64, std::array{index, length}.data(), 2);
    term(checked).scope = innermost_scope_;
    return checked;
  }
  Id length(int32_t slot) {
    append(Kind::Length, WF_I64).slot = slot;
    return end() - 1;
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
    uint32_t n_variables = 0;
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
    t.first_link = next_link();
    t.label = term(record.first_variable).label;
    add_links(initial, n);
    add_links(&condition, 1);
    add_links(next, n);
    return close_scope(record, t, n, [&](uint32_t k) { return term(initial[k]).type; });
  }

  // A form is recorded as: open_form; the results of its function of the variables, if it has one; close_form.
  LoopRecord open_form(std::span<const int32_t> parameters) {
    LoopRecord record = open_scope();
    for (int32_t type : parameters) variable(record, type), record.n_variables++;
    return record;
  }
  struct FormParts {
    const char* name;
    std::span<const Id> results, operands;
    std::span<const int32_t> values = {};  // their types
    std::string text = {};                 // after the name: a function that depends on nothing else, literals
  };
  // The term of the form; value k is the term form + 1 + k. Its links are results, then operands; its operands are the numbers of parameters,
  // results and operands; its bits are 1 + the number of its text, or 0.
  Id close_form(const LoopRecord& record, FormParts parts) {
    for (Id x : parts.results) scope_of(x);
    for (Id x : parts.operands) scope_of(x);
    Term t{Kind::Form};
    t.name = parts.name;
    t.first_link = next_link();
    t.operands[0] = record.n_variables;
    t.operands[1] = static_cast<Id>(parts.results.size());
    t.operands[2] = static_cast<Id>(parts.operands.size());
    t.label = n_variables_;
    n_variables_ += static_cast<uint32_t>(parts.values.size());
    if (!parts.text.empty()) {
      arena_.form_texts.push_back(std::move(parts.text));
      t.bits = arena_.form_texts.size() - first_form_text_;
    }
    add_links(parts.results.data(), static_cast<uint32_t>(parts.results.size()));
    add_links(parts.operands.data(), static_cast<uint32_t>(parts.operands.size()));
    return close_scope(record, t, static_cast<uint32_t>(parts.values.size()), [&](uint32_t k) { return parts.values[k]; });
  }
  Id captured(int32_t slot) {
    append(Kind::Captured, -1).slot = slot;
    return end() - 1;
  }
  // Throws unless x is a term of this trace that may be used here. Returns the innermost loop that it depends on.
  uint32_t scope_of(Id x) const {
    if (number_of(x) >= n_terms()) [[unlikely]]
      reject(is_of_outer(x), x == no_id ? "an Expr is used before it has a value; expected an assignment first" : used_outside);
    const uint32_t scope = terms()[number_of(x)].scope;
    if (scope != 0 && !inner_scope(scope).is_open) [[unlikely]]
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
  Id end() const { return first_term_ + n_terms(); }
  wf_seq* const* captures() const { return arena_.captures.data() + first_capture_; }
  int32_t n_captures() const { return static_cast<int32_t>(arena_.captures.size() - first_capture_); }

  // The parts of the trace, by numbers that begin with 0.
  uint32_t n_terms() const { return static_cast<uint32_t>(arena_.terms.size() - first_position_); }
  const Term* terms() const { return arena_.terms.data() + first_position_; }
  Id number_of(Id id) const { return id - first_term_; }
  const Id* links(const Term& t) const { return arena_.links.data() + first_link_ + t.first_link; }
  Id scope_begin(uint32_t scope) const { return scope == 0 ? 0 : number_of(inner_scope(scope).first); }
  const std::string& form_text(const Term& t) const { return arena_.form_texts[first_form_text_ + t.bits - 1]; }

  // Returns true if a trace with these results has the written form of the recorded one.
  bool equals(const Record& record, const Id* results, uint32_t n_results) const {
    if (record.terms.size() != n_terms() || std::memcmp(record.terms.data(), terms(), n_terms() * sizeof(Term)) != 0) return false;
    if (record.results.size() != n_results) return false;
    for (uint32_t k = 0; k < n_results; k++)
      if (record.results[k] != number_of(results[k])) return false;
    // Equal terms have equally many links and texts.
    return std::equal(record.links.begin(), record.links.end(), arena_.links.begin() + static_cast<ptrdiff_t>(first_link_)) &&
           std::equal(record.form_texts.begin(), record.form_texts.end(),
                      arena_.form_texts.begin() + static_cast<ptrdiff_t>(first_form_text_));
  }
  Record record(const Id* results, uint32_t n_results) const {
    Record all{{terms(), terms() + n_terms()},
               {arena_.links.begin() + static_cast<ptrdiff_t>(first_link_), arena_.links.end()},
               {results, results + n_results},
               {arena_.form_texts.begin() + static_cast<ptrdiff_t>(first_form_text_), arena_.form_texts.end()}};
    for (Id& result : all.results) result = number_of(result);
    return all;
  }

 private:
  size_t position(Id id) const { return first_position_ + number_of(id); }
  // Scope 0, which is always open, is the traced function itself.
  Scope& inner_scope(uint32_t scope) const { return arena_.scopes[first_scope_ + scope - 1]; }
  // Returns true if x is a term of a trace that this one is nested in.
  bool is_of_outer(Id x) const {
    for (const Trace* t = outer_; t; t = t->outer_)
      if (x - t->first_term_ < max_terms) return true;
    return false;
  }
  static Arena& arena() {
    static constinit thread_local detail::OfThread<Arena> of_thread;
    return *of_thread;
  }
  // A new last term, valid until the next one.
  Term& append(Kind kind, int32_t type) {
    require_end();
    return arena_.terms.append(kind, type);
  }
  Id append(const Term& t) {
    append(t.kind, t.type) = t;
    return end() - 1;
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

  void name_operands(Term& t, const Id* operands, uint32_t arity) const {
    t.arity = static_cast<uint8_t>(arity);
    for (uint32_t k = 0; k < arity; k++) t.operands[k] = number_of(operands[k]);
  }
  uint32_t next_link() const { return static_cast<uint32_t>(arena_.links.size() - first_link_); }
  void add_links(const Id* ids, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) arena_.links.push_back(number_of(ids[k]));
  }
  [[noreturn]] static void reject(bool is_outer, const char* text) {
    if (is_outer) throw OuterExpr();
    throw ArgumentError(text);
  }

  LoopRecord open_scope() {
    LoopRecord record{static_cast<uint32_t>(arena_.scopes.size() - first_scope_ + 1), innermost_scope_, end()};
    arena_.scopes.push_back({record.first_variable, true});
    innermost_scope_ = record.scope;
    return record;
  }
  void variable(const LoopRecord& record, int32_t type) {
    Term& t = append(Kind::Variable, type);
    t.label = n_variables_++;
    t.scope = record.scope;
  }
  // Appends the Loop or Form t and its n values.
  template <class TypeOf> Id close_scope(const LoopRecord& record, Term t, uint32_t n, const TypeOf& type_of) {
    t.n_values = n;
    t.slot = static_cast<int32_t>(record.scope);
    t.scope = record.outer_scope;
    inner_scope(record.scope).is_open = false;
    innermost_scope_ = record.outer_scope;
    Id loop = append(t);
    for (uint32_t k = 0; k < n; k++) {
      Term& value = append(Kind::Value, type_of(k));
      value.label = t.label + k;
      value.scope = record.outer_scope;
      name_operands(value, &loop, 1);
    }
    return loop;
  }

  Arena& arena_;
  Trace* outer_;
  uintptr_t stack_;  // the stack's address at the start of the outermost trace in progress
  Id first_term_;
  size_t first_position_, first_link_, first_scope_, first_capture_, first_form_text_;
  uint64_t number_;
  uint32_t innermost_scope_ = 0, n_parameters_ = 0, n_variables_ = 0;
};

}  // namespace warpfold::tracing
