// Derivatives of functions of scalars, as terms of a function that is being built.
//
// Reverse mode: each term that a float result depends on gets a cotangent, the derivative of the sum of (result k times seed k) by the term.
// A cotangent travels with its guard, which holds if one of the `where`s around the term's uses has chosen it. A product of a cotangent and a
// partial derivative is selected by the guard afterwards, so that infinities and NaNs of a branch that was not chosen never reach a result.
//
// Forward mode: each term gets a tangent, its derivative in a direction.
//
// Partial derivatives are lines of ops/derivatives.def. A loop has a reverse mode of limited width only: one further loop with tangents for each value
// that it depends on (mixed mode: Revels and others, 2018).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "expr/rewrite.h"

namespace wf {

// A derivative that is asked for does not exist; the message names the operation and the reason.
struct NoDerivative : UnsupportedError {
  using UnsupportedError::UnsupportedError;
};

// The derivative of an opaque function. Throws NoDerivative if it has none.
const Fn& derivative_of(const Foreign& f);

// The partial derivative of op by operand `operand`, of which x are the operands and r is the value; nothing if it is 0 everywhere. All have one
// float type. Throws NoDerivative.
std::optional<Id> partial(Builder& b, Op op, size_t operand, std::span<const Id> x, Id r);

// A copy of f's terms, which cotangents are computed of. is_source: the Param and At terms that cotangents are wanted of.
using IsSource = std::function<bool(const Term&)>;

class Cotangents {
 public:
  struct Cotangent {
    Id value = no_id;  // no_id: 0. Otherwise 0 unless the guard holds
    Id guard = no_id;  // no_id: always true
  };
  Cotangents(const Copy& copied, const IsSource& is_source);
  // Adds a seed to result k of the function.
  void seed(size_t k, Id value) { add(from_.results[k], {value, no_id}); }
  // Computes the cotangents of all terms from the seeds. Throws NoDerivative. f has no folds.
  void run();
  const Cotangent& of(Id term) const { return all_[term]; }
  bool is_active(Id term) const { return active_[term]; }

 private:
  void add(Id term, Cotangent c);
  void pass(Id term, const Cotangent& c);
  void pass_apply(Id term, const Cotangent& c);
  void pass_loop(Id tuple);
  void pass_foreign(Id tuple);

  Builder& b_;
  const Copy& copied_;
  const Fn& from_;
  const IsSource is_source_;
  std::vector<bool> active_;
  std::vector<Cotangent> all_;
  std::vector<std::vector<Cotangent>> picked_;  // by term: of the values of a loop
};

// For each term of f: true if it is a float, or a loop, fold or opaque function with floats, and depends on a source.
std::vector<bool> active_terms(const Fn& f, const IsSource& is_source);

// The terms Param and At that tangents come from, and these tangents. An At's operand has been copied to `index`.
struct TangentSource {
  IsSource is_source;  // none: there are no such terms
  std::function<Id(Builder& b, const Term& term, Id index)> tangent;
};

// Copies f's terms with their tangents.
class Tangents : public Copy {
 public:
  Tangents(Builder& to, const Fn& from, const TangentSource& source);
  // Copies all terms; params: copies of f's parameters. Throws NoDerivative.
  void run(std::span<const Id> params);
  // The tangent of a term that has been copied.
  Id tangent_or_zero(Id term) { return tangents_[term] != no_id ? tangents_[term] : to.literal(from[term].type, 0); }

 private:
  Id tangent_of(Id id);
  Id of_apply(Id id);
  std::vector<Id> of_foreign(Id id);
  void copy_with_tangents(Id id);

  const TangentSource& source_;
  std::vector<bool> active_;
  std::vector<Id> tangents_;                     // no_id: 0
  std::vector<std::vector<Id>> tuple_tangents_;  // by the number of the tuple
};

// A loop or fold of operands x, and the tangents of its values in the direction in which x changes by `directions`; no_id: not.
struct RepeatedTangents {
  std::vector<Id> values, tangents;
};
RepeatedTangents repeat_with_tangents(Builder& b, const Fn::LoopInfo& info, std::span<const Id> x, std::span<const Id> directions,
                                      const TangentSource& source);

// The function (left columns, right columns, cotangents of the float columns) -> cotangents of the float columns of left, then of right.
FnRef vjp_of_combine(const FnRef& combine);
// The function of f's parameters whose results are the derivatives of f's result k by each of them that is a float. Those that are always 0 are
// literals.
FnRef derivatives_of_result(const FnRef& f, size_t k);

// f with the derivative `derivative`, of (f's parameters, f's results, a cotangent per result that is a float), one per parameter that is a float.
// Both capture nothing. Throws TypeError.
FnRef with_derivative(const FnRef& f, const FnRef& derivative);
// Returns true if a function with a derivative of its own is called in f.
bool has_derivatives(const Fn& f);
// f with these as what they compute.
FnRef without_derivatives(const FnRef& f);

enum class Mode : uint8_t { Reverse, Forward };
// Reverse: (parameters, a cotangent per float result) -> a cotangent per float parameter. Forward: (parameters, a tangent per float parameter)
// -> a tangent per float result. Captured sequences are constants. Folds of up to 4096 terms are written position by position. Simplified.
// Throws NoDerivative, and TypeError if there is no float among the parameters or results.
FnRef gradient_of(const FnRef& f, Mode mode);

}  // namespace wf
