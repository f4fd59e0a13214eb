// A scalar function: n typed parameters -> m typed results, as a hash-consed DAG in topological order.
//
// Operands are numbered before their users; nothing here recurses over depth. A Fn is immutable and shared. A Builder makes it: it promotes
// operands, shares equal terms, and folds simple terms (2 + 3; x + 0 of integers). The numbering is canonical (see Builder::finish), so
// equal functions are equal arrays.
// Access to captured sequences is by slot: `(at $0 i)` is At(slot 0, column 0, Check(slot 0, i)).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/ops.h"
#include "ops/types.h"

namespace wf {

using Id = uint32_t;  // a term's number in its function

struct Fn;
using FnRef = std::shared_ptr<const Fn>;

enum class Kind : uint8_t {
  Param,     // slot: which parameter
  Literal,   // bits
  Argument,  // slot: a number that each run supplies, the same for all elements; see lift.h
  Apply,     // op, operands (already of one type)
  Cast,      // operand -> type
  Length,    // slot: the length of the captured sequence, an i64
  Check,     // operands (index, length, guard): the index; if guard holds, an index outside [0, length) makes the force fail
  At,        // slot, column, operand index: the element, or 0 if the index is outside (an error only by a Check)
  Loop,      // slot: which of Fn::loops; operands: initial values, then free values. Its values are read by Pick
  Fold,      // slot: which of Fn::loops; operands: the count, an i64, then free values. Its values are read by Pick
  Pick,      // operand: a Loop, Fold or Foreign; slot: which of its results
  Foreign,   // slot: which of Fn::foreigns; operands: arguments. Its values are read by Pick
  Require,   // operands (value, others): the value. The others are evaluated only because they may fail
};

// Reasons why the evaluation of a term may fail: bits of Term::fails.
constexpr uint8_t fails_here = 1;    // a Check, or an element of a captured sequence, which may be delayed and contain Checks
constexpr uint8_t fails_before = 2;  // a parameter, which may be such an element

struct Term {
  Kind kind;
  Op op{};
  Type type{};
  uint8_t fails = 0;  // the failures at or below the term that its Builder knew of; equality of terms ignores it
  uint32_t slot = 0;
  uint32_t column = 0;
  Bits64 bits = 0;
  uint32_t first = 0, count = 0;  // operands: Fn::operands[first .. first + count)
};

// An opaque function, or one with a derivative of its own. The former has at most one of two addresses, for the CPU, and a source text, for a GPU: at
// least one of the three.
struct Foreign {
  using BlockFunction = void(void* user, int64_t n, const void* const* in, void* const* out);
  std::string name;
  std::vector<Type> params, results;
  void* scalar = nullptr;          // C function of scalars with one result, called through libffi for each element
  BlockFunction* block = nullptr;  // called with n elements at a time, from several threads at once
  std::shared_ptr<void> user;
  std::string source = {};  // CUDA C++ that defines a function of this name: R name(params...), or, if there are several
                            // results, void name(params..., R0&, R1&...)
  // A function with a derivative of its own: the function, instead of addresses and text, which engines see; and its derivative, of (parameters,
  // results, a cotangent per result that is a float), with a cotangent per parameter that is a float.
  FnRef body = {}, derivative = {};
  bool has_address() const { return scalar || block; }
  bool operator==(const Foreign&) const = default;
};

struct Param {
  std::string name;
  Type type;
};

// A value that is made when it is first asked for. Threads that ask at once may make several, of which all get the first. A copy of the object
// makes its own.
template <class T> class MadeOnce {
 public:
  MadeOnce() = default;
  MadeOnce(const MadeOnce&) {}
  MadeOnce& operator=(const MadeOnce&) { return delete made_.exchange(nullptr), *this; }
  ~MadeOnce() { delete made_.load(std::memory_order_relaxed); }

  template <class Make> const T& get(const Make& make) {
    if (const T* made = made_.load(std::memory_order_acquire)) return *made;
    const T *const made = new T(make()), *first = nullptr;
    if (made_.compare_exchange_strong(first, made, std::memory_order_acq_rel)) return *made;
    delete made;
    return *first;
  }

 private:
  std::atomic<const T*> made_{nullptr};
};

struct Fn {
  std::vector<Param> params;
  std::vector<Term> terms;
  std::vector<Id> operands;
  std::vector<Id> results;
  // A loop's body. Its parameters are the loop's variables, then its free values. Its results are the condition (bool), then the next
  // value of each variable. The body runs while the condition holds; the values of the Loop are its variables at the end.
  //
  // A fold's body. Its parameters are the position j (i64), then its free values. Its results are the m columns of value(j). The values of
  // the Fold are identity f value(0) f ... f value(count - 1), combined from the left by `combine`.
  struct LoopInfo {
    FnRef body;
    uint32_t variables;  // 1 for a fold
    FnRef combine = {};  // of a fold: 2m -> m, the left columns then the right; depends on its parameters alone. Null: a loop
    std::vector<Bits64> identity = {};  // of a fold: m
    bool is_fold() const { return combine != nullptr; }
    // The same with each function inside replaced by change(function).
    template <class Change> LoopInfo with(const Change& change) const {
      return {change(body), variables, is_fold() ? change(combine) : nullptr, identity};
    }
  };
  std::vector<LoopInfo> loops;
  std::vector<std::shared_ptr<const Foreign>> foreigns;
  // The function of an index i with the elements at i of one sequence per parameter as arguments: see pointwise of lazy/inline.h. It is made
  // once, so that maps of one function are one function to the planner, too.
  mutable MadeOnce<FnRef> at_index;
  mutable MadeOnce<FnRef> computed;  // see without_derivatives

  std::span<const Id> args(const Term& t) const { return {operands.data() + t.first, t.count}; }
  std::span<const Id> args(Id id) const { return args(terms[id]); }
  const Term& operator[](Id id) const { return terms[id]; }
  std::vector<Type> result_types() const;
};

// The text of a function is wrong (WF_ERROR_COMPILE in the C API).
struct ParseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Types do not fit (WF_ERROR_TYPE).
struct TypeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A computation is not supported: a derivative that the library lacks, or a host function on a GPU (WF_ERROR_UNSUPPORTED).
struct UnsupportedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Builder {
 public:
  Builder();
  Id param(Type type, std::string name = {});
  Id literal(Type type, Bits64 bits);
  template <class T> Id constant(T x) { return literal(type_of<T>, to_bits(x)); }
  // Promotes the operands (casts are inserted); throws TypeError if the types do not fit the operation.
  Id apply(Op op, std::span<const Id> operands);
  Id apply(Op op, std::initializer_list<Id> operands) { return apply(op, std::span(operands.begin(), operands.size())); }
  // op on operands that have its operand type already. The term is folded, shared or new.
  Id apply_typed(Op op, std::span<const Id> operands);
  Id cast(Type type, Id x);
  Id argument(uint32_t slot, Type type);
  Id length(uint32_t slot);
  // index and length i64, guard bool.
  Id check(Id index, Id length, Id guard);
  Id at(uint32_t slot, uint32_t column, Type type, Id index);
  // The value. The others are evaluated as well, since they may fail: the term keeps the parts of them that may fail and that `value` does
  // not always evaluate.
  Id require(Id value, std::span<const Id> others);
  Id require(Id value, std::initializer_list<Id> others) { return require(value, std::span(others.begin(), others.size())); }
  // `and` and `or` of the written form: for bools, b is evaluated only if a does not decide the result. If b may fail, the operation is not
  // folded, and simplify makes it a `where`.
  Id logical(Op op, Id a, Id b);
  // op, as part of the guard of a Check. A guard ignores the Checks in its own operands, so no Require is made.
  Id apply_in_guard(Op op, std::span<const Id> operands);
  // The same for all that make() adds.
  template <class Make> auto in_guard(const Make& make) {
    const bool outside = std::exchange(in_guard_, true);
    auto made = make();
    in_guard_ = outside;
    return made;
  }
  // Until finish(), elements are in memory and cannot fail. The parameters cannot either, unless they are free values of a loop or fold.
  void reads_cannot_fail() { may_read_fail_ = false; }
  void params_cannot_fail() { may_param_fail_ = false; }
  // Until finish(), free values that a body does not use are not evaluated: in a written body, literals have chosen other operands.
  void unused_values_are_not_required() { requires_unused_ = false; }
  // inits: the variables' first values; free: the values of the body's further parameters, from outside of the loop. Free values are
  // ordered by the body's first use. Unused ones are dropped, and results require them if they may fail; literals, arguments and lengths are
  // copied into the body.
  std::vector<Id> loop(std::span<const Id> inits, std::span<const Id> free, FnRef body);
  // free: values from outside that the body's parameters from 1 on stand for, kept as a loop's are.
  // The identity's columns are literals.
  std::vector<Id> fold(Id count, std::span<const Id> identity, std::span<const Id> free, FnRef body, FnRef combine);
  // A loop or a fold with the operands of a Loop or Fold term.
  std::vector<Id> repeat(const Fn::LoopInfo& info, std::span<const Id> operands);
  std::vector<Id> foreign(std::shared_ptr<const Foreign> f, std::span<const Id> args);

  // Copies f's terms into this function with its parameters replaced by args; returns its results. If `outer` is given, it maps each Length,
  // At and Argument term (and the copied index of an At, else 0) to its replacement. If `body` is given, it maps each function inside a loop
  // or fold to a new one.
  using Hook = std::function<Id(const Term& term, Id index)>;
  using BodyHook = std::function<FnRef(FnRef body)>;
  std::vector<Id> inline_call(const Fn& f, std::span<const Id> args, const Hook& outer = {}, const BodyHook& body = {});

  Type type(Id id) const { return fn_.terms[id].type; }
  const Term& operator[](Id id) const { return fn_.terms[id]; }
  const Fn& so_far() const { return fn_; }
  // The function with these results. Terms that no result needs are dropped; parameters are not. The parameters are its first terms; the
  // others follow in postorder of a depth-first walk from the results. The builder is empty afterwards.
  FnRef finish(std::span<const Id> results);
  FnRef finish(std::initializer_list<Id> results) { return finish(std::span(results.begin(), results.size())); }

 private:
  friend struct Folder;
  // The term that op(operands) folds to, if any, as in 2 + 3 or x + 0 (fold.cpp).
  std::optional<Id> plain(Op op, std::span<const Id> operands);
  Id intern(Term term, std::span<const Id> operands);
  uint8_t failures(const Term& term, std::span<const Id> operands) const;
  bool fails_by_itself(const Term& term) const;
  // For each term: true if computing `value` always evaluates it.
  std::vector<bool> evaluated_with(Id value) const;
  void expect(size_t terms, size_t operands);  // reserves space for so many more
  void grow_table(size_t slots);
  // The Loop or Fold, with those free values that are neither copied into the body nor unused.
  std::vector<Id> repeat_with(std::span<const Id> inits, std::span<const Id> free, Fn::LoopInfo info, std::span<const Type> types);
  std::vector<Id> picks(Id tuple, std::span<const Type> types);

  Fn fn_;
  std::vector<Id> table_;  // open addressing by hash; no_id marks a free slot
  bool may_read_fail_ = true;
  bool may_param_fail_ = true;
  bool requires_unused_ = true;
  bool in_guard_ = false;  // see apply_in_guard
};

// ---- structure: the function without the names of its parameters -------------------------------------------------------

// Without literals, functions that differ only in the bits of literals are equal: a kernel takes those as arguments.
uint64_t structure_hash(const Fn& f, bool with_literals);
bool same_structure(const Fn& f, const Fn& g, bool with_literals);

// ---- the written form: docs/written-form.md ----------------------------------------------------------------------------

// The column types of each sequence that a function captures, by slot.
using CaptureTypes = std::vector<std::vector<Type>>;

// The function with this written form, simplified (see simplify). Errors name the line, the column and the expected text.
FnRef parse(std::string_view text, const CaptureTypes& captures = {});
// The same without simplification, for a text that was printed from a simplified function.
FnRef parse_unsimplified(std::string_view text, const CaptureTypes& captures = {});
// A function and the values of its Argument terms, by slot.
struct Lifted {
  FnRef fn;
  std::vector<Bits64> arguments;
};
// parse with a cache of some thousands of texts: bindings send the same lambdas again and again. A text that differs from an earlier
// one only in its numbers becomes the same function with these numbers as arguments (lift.h). Any thread.
Lifted parse_cached(std::string_view text, const CaptureTypes& captures = {});

// The function with its Argument terms replaced by literals of these values; f itself if it has none.
FnRef with_values(FnRef f, std::span<const Bits64> arguments);

// The bits of a literal such as `0:i32`, or of a tuple such as `(tuple 0:i32 -1.5:f32)`, each converted to its type of `types`. Throws
// TypeError if the count differs.
std::vector<Bits64> parse_literals(std::string_view text, std::span<const Type> types);
// The value of `true`, `-1.5:f32`, ...; nothing if the text is not a literal. If it almost is one, `problem` becomes the text that was
// expected instead.
struct LiteralValue {
  Type type;
  Bits64 bits;
};
std::optional<LiteralValue> parse_literal(std::string_view text, std::string& problem);

// The written form; parse(print(f)) is f for a simplified f, parse_unsimplified(print(f)) for any without foreign functions.
// Terms used more than once are bound by a `let`. A column is written `$0` if `captures` (or, without it, f) has no other
// column of that sequence, and `$0.1` otherwise.
std::string print(const Fn& f, const CaptureTypes& captures = {});
std::string print_literal(Type type, Bits64 bits);

// The rewrites of every written function, made once:
// - identities that keep every bit;
// - a*b + c -> fma for floats, if c is not a product;
// - `and` and `or` of bools whose second operand may fail -> `where`;
// - guards: Check terms under a `where` are guarded by its condition.
// Inlining never contracts again later, so a result does not depend on fusion.
FnRef simplify(FnRef f);

// f with its folds, and those of functions inside it, as loops; f itself if it has none. Elements must be memory. Folds of few positions are
// written without a loop: their reads are at indices that engines recognise.
FnRef lower_folds(FnRef f);
bool unrolls(const Fn& f, const Term& fold);
// f with the values of its folds as terms, position by position, and the folds inside of these as well. Null if f has a loop or a fold whose
// count is not a literal, or if that is more than `most_terms` terms.
FnRef unroll_folds(const FnRef& f, size_t most_terms);
bool has_folds(const Fn& f);

// Ready-made functions.
FnRef identity_fn(std::span<const Type> types);
FnRef op_fn(Op op, Type type);
// If f is op applied to its two parameters in order (or swapped, for a commutative one), that op.
std::optional<Op> as_op(const Fn& f);
// The commutative and associative operation by which a combine function (2m -> m) computes this column from the same columns alone.
std::optional<Op> column_op(const Fn& combine, size_t column);
// The operation of a column if `start` is not neutral for it and changes the result each time that it is combined, as 5 changes a sum. The
// fold then begins with the operation's own identity, and the operation combines `start` once, with the result.
std::optional<Op> op_apart(const Fn& combine, size_t column, Bits64 start);
// The value from which engines fold a column: NaN if `start` is the infinity that is the identity of its min or max of floats, else `start`.
// An infinity would hide that all elements are NaNs, so it is the value of no elements alone.
Bits64 neutral_start(const Fn& combine, size_t column, Bits64 start);

}  // namespace wf
