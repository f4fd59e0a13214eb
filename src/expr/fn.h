// A scalar function: n typed parameters -> m typed results, as a hash-consed DAG in topological order.
//
// Terms are numbered so that operands come before their users; nothing here recurses over depth. A Fn is immutable and
// shared. Builder makes one: it promotes operands, shares equal terms, and folds what is plain (2 + 3, x + 0 for integers).
// The numbering is canonical (see Builder::finish), so that equal functions are equal arrays.
// Access to captured sequences is by slot: `(at $0 i)` is At(slot 0, column 0, Check(slot 0, i)).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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
  Argument,  // slot: a number that each run brings along, the same for all elements; see lift
  Apply,     // op, operands (already of one type)
  Cast,      // operand -> type
  Length,    // slot: the length of the captured sequence, an i64
  Check,     // operands (index, length, guard): the index; where guard holds, index must be in [0, length) or the force fails
  At,        // slot, column, operand index: the element; 0 where the index is outside (Check makes that an error)
  Loop,      // slot: which of Fn::loops; operands: initial values, then free values. Its values are read by Pick
  Pick,      // operand: a Loop or Foreign; slot: which of its results
  Foreign,   // slot: which of Fn::foreigns; operands: arguments. Its values are read by Pick
  Require,   // operands (value, others): the value. The others are evaluated, too, only because they may fail
};

// Why evaluating a term may fail; bits of Term::fails.
constexpr uint8_t fails_here = 1;    // a Check, or an element of a captured sequence, which may have been delayed with Checks of its own
constexpr uint8_t fails_before = 2;  // a parameter, which may stand for such an element

struct Term {
  Kind kind;
  Op op{};
  Type type{};
  uint8_t fails = 0;  // what is at or below the term, as its Builder knew it; no part of the term's identity
  uint32_t slot = 0;
  uint32_t column = 0;
  Bits64 bits = 0;
  uint32_t first = 0, count = 0;  // operands: Fn::operands[first .. first + count)
};

// A function that cannot be looked into: by at most one of two addresses for the CPU, and by a text for a GPU. At least one of the
// three is there.
struct Foreign {
  using BlockFunction = void(void* user, int64_t n, const void* const* in, void* const* out);
  std::string name;
  std::vector<Type> params, results;
  void* scalar = nullptr;          // C function of scalars with one result, called through libffi for each element
  BlockFunction* block = nullptr;  // called with n elements at a time, from several threads at once
  std::shared_ptr<void> user;
  std::string source = {};  // CUDA C++ that defines a function of that name: R name(params...), or, where the results are
                            // several, void name(params..., R0&, R1&...)
  bool has_address() const { return scalar || block; }
  bool operator==(const Foreign&) const = default;
};

struct Param {
  std::string name;
  Type type;
};

struct Fn {
  std::vector<Param> params;
  std::vector<Term> terms;
  std::vector<Id> operands;
  std::vector<Id> results;
  // A loop's body: parameters are the loop's variables then its free values; results are the condition (bool), then
  // the next value of each variable. The body runs while the condition holds; the Loop's values are the variables.
  struct LoopInfo {
    FnRef body;
    uint32_t variables;
  };
  std::vector<LoopInfo> loops;
  std::vector<std::shared_ptr<const Foreign>> foreigns;

  std::span<const Id> args(const Term& t) const { return {operands.data() + t.first, t.count}; }
  std::span<const Id> args(Id id) const { return args(terms[id]); }
  const Term& operator[](Id id) const { return terms[id]; }
  std::vector<Type> result_types() const;
};

// A function's text or use is wrong; capi maps it to WF_ERROR_COMPILE, WF_ERROR_TYPE...
struct ParseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct TypeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Builder {
 public:
  Builder();
  Id param(Type type, std::string name = {});
  Id literal(Type type, Bits64 bits);
  template <class T> Id constant(T x) { return literal(type_of<T>, to_bits(x)); }
  // Promotes the operands (casts are inserted); throws TypeError where the types do not fit the operation.
  Id apply(Op op, std::span<const Id> operands);
  Id apply(Op op, std::initializer_list<Id> operands) { return apply(op, std::span(operands.begin(), operands.size())); }
  // op on operands that have its operand type already: folded, or shared, or new.
  Id apply_typed(Op op, std::span<const Id> operands);
  Id cast(Type type, Id x);
  Id argument(uint32_t slot, Type type);
  Id length(uint32_t slot);
  // index and length i64, guard bool.
  Id check(Id index, Id length, Id guard);
  Id at(uint32_t slot, uint32_t column, Type type, Id index);
  // The value, where all others are evaluated, too: those parts of them that may fail and that the value does not evaluate anyway.
  Id require(Id value, std::span<const Id> others);
  Id require(Id value, std::initializer_list<Id> others) { return require(value, std::span(others.begin(), others.size())); }
  // `and` and `or` as languages write them: for bools, b is evaluated only where a does not decide. If b may fail, the operation is not
  // folded, and simplify makes it a `where`.
  Id logical(Op op, Id a, Id b);
  // op for the guard of a Check: a condition's own Checks do not count there, so nothing is required.
  Id apply_in_guard(Op op, std::span<const Id> operands);
  // Elements and parameters are memory from here on: only Checks fail. Holds until finish().
  void reads_cannot_fail() { may_read_fail_ = false; }
  // inits: the variables' first values; free: values from outside that the body's further parameters stand for. Free
  // values are kept in the order in which the body first uses them; literals, arguments, lengths and what the body does not use
  // are not kept.
  std::vector<Id> loop(std::span<const Id> inits, std::span<const Id> free, FnRef body);
  std::vector<Id> foreign(std::shared_ptr<const Foreign> f, std::span<const Id> args);

  // Copies f's terms into this function with its parameters replaced by args; returns its results. Length, At and Argument terms
  // are handed to `outer` where given (term, operand index or 0) -> replacement; loops' bodies are copied as they are,
  // after `body` where given (it maps a loop's body to a new one).
  using Hook = std::function<Id(const Term& term, Id index)>;
  using BodyHook = std::function<FnRef(FnRef body)>;
  std::vector<Id> inline_call(const Fn& f, std::span<const Id> args, const Hook& outer = {}, const BodyHook& body = {});

  Type type(Id id) const { return fn_.terms[id].type; }
  const Term& operator[](Id id) const { return fn_.terms[id]; }
  const Fn& so_far() const { return fn_; }
  // The function with these results; terms that no result needs are dropped, but no parameter is. The parameters become
  // its first terms, the others follow in the order in which a depth-first walk from the results leaves them. The
  // builder is empty after.
  FnRef finish(std::span<const Id> results);
  FnRef finish(std::initializer_list<Id> results) { return finish(std::span(results.begin(), results.size())); }

 private:
  friend struct Folder;
  // The term that has this one's value, if it is plain: 2 + 3, x + 0 (fold.cpp).
  std::optional<Id> fold(Op op, std::span<const Id> operands);
  Id intern(Term term, std::span<const Id> operands);
  uint8_t failures(const Term& term, std::span<const Id> operands) const;
  bool fails_by_itself(const Term& term) const;
  // The terms that computing `value` always evaluates.
  std::vector<bool> evaluated_with(Id value) const;
  void expect(size_t terms, size_t operands);  // that many more will come
  void grow_table(size_t slots);
  std::vector<Id> picks(Id tuple, std::span<const Type> types);

  Fn fn_;
  std::vector<Id> table_;  // open addressing by hash, no_id where free
  bool may_read_fail_ = true;
  bool in_guard_ = false;  // see apply_in_guard
};

// ---- structure: the function without the names of its parameters -------------------------------------------------------

// Without literals, functions that differ only in the bits of literals count as one: a kernel takes those as arguments.
uint64_t structure_hash(const Fn& f, bool with_literals);
bool same_structure(const Fn& f, const Fn& g, bool with_literals);

// ---- the written form: docs/written-form.md ----------------------------------------------------------------------------

// The column types of each sequence that a function captures, by slot.
using CaptureTypes = std::vector<std::vector<Type>>;

// The function that `text` writes down; simplified (see simplify). Errors say line, column and what was expected.
FnRef parse(std::string_view text, const CaptureTypes& captures = {});
// The same as it stands, for what has been simplified before.
FnRef parse_unsimplified(std::string_view text, const CaptureTypes& captures = {});
// A function and the values of its Argument terms, by slot.
struct Lifted {
  FnRef fn;
  std::vector<Bits64> arguments;
};
// parse, remembering some thousands of texts: bindings send the same lambdas again and again. A text that differs from an earlier
// one only in its numbers becomes the same function with those numbers as arguments (lift.h). Any thread.
Lifted parse_cached(std::string_view text, const CaptureTypes& captures = {});

// The function with its Argument terms replaced by literals of these values; f itself if it has none.
FnRef with_values(FnRef f, std::span<const Bits64> arguments);

// One value or tuple of literals such as `0:i32` or `(tuple 0:i32 -1.5:f32)`, as bits, converted to `types`
// where exact kinds differ; throws where the count differs.
std::vector<Bits64> parse_literals(std::string_view text, std::span<const Type> types);
// The bits of `true`, `-1.5:f32`, ...; nothing where it is no literal. `problem` says why where it looks like one.
struct LiteralValue {
  Type type;
  Bits64 bits;
};
std::optional<LiteralValue> parse_literal(std::string_view text, std::string& problem);

// The written form; parse(print(f)) is f for a simplified f, parse_unsimplified(print(f)) for any without foreign functions.
// Terms used more than once stand in a `let`. A column is written `$0` where `captures` (or, without it, f) has no other
// column of that sequence, and `$0.1` where it has.
std::string print(const Fn& f, const CaptureTypes& captures = {});
std::string print_literal(Type type, Bits64 bits);

// Done once to every written function:
// - identities that keep every bit;
// - a*b + c -> fma for floats, if c is not a product;
// - `and` and `or` of bools whose second operand may fail -> `where`;
// - guards: Check terms under a `where` are guarded by its condition.
// Inlining later never contracts again, so that a result does not depend on what was fused with what.
FnRef simplify(FnRef f);

// Ready-made functions.
FnRef identity_fn(std::span<const Type> types);
FnRef op_fn(Op op, Type type);
// If f is op applied to its two parameters in order (or swapped, for a commutative one), that op.
std::optional<Op> as_op(const Fn& f);

}  // namespace wf
