// Values of sequences: reductions, which are folds, and what is composed of them.
#include <algorithm>
#include <limits>

#include "expr/written/lowering.h"

namespace wf {

namespace {

Columns joined_with(Columns a, std::span<const Id> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::vector<Type> joined_with(std::vector<Type> a, const std::vector<Type>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

// ---- folds -------------------------------------------------------------------------------------------------------------

Columns Lowering::fold(const Token& start, Id length, std::span<const Id> identity, const Positions& value, const FnRef& combine) {
  enter_body(start, false);
  const Columns values = value(builder().param(Type::I64, "j"));
  std::vector<Id> free;
  Columns converted;
  for (size_t k = 0; k < values.size(); k++) {
    const bool are_integers =
        k < identity.size() && is_in(builder().type(values[k]), Int) && is_in(builder_outside().type(identity[k]), Int);
    converted.push_back(are_integers ? builder().cast(builder_outside().type(identity[k]), values[k]) : values[k]);
  }
  const FnRef body = leave_body(converted, free);
  return typed(start, [&] { return builder().fold(length, identity, free, body, combine); });
}

// An element that a filter drops is replaced by the identity. The infinity that is the identity of min or max would hide that all elements
// which are kept are NaNs: NaN replaces the dropped ones, and the infinity is the value of no elements alone.
Columns Lowering::reduced(const Token& start, const Sequence& s, std::span<const Id> identity, const FnRef& combine) {
  if (!s.keeps) return fold(start, length_of(s), identity, s.element, combine);
  const bool fits = combine->results.size() == identity.size() && combine->params.size() == 2 * identity.size();  // else fold throws
  std::vector<Bits64> neutral;
  Columns dropped;
  for (size_t k = 0; k < identity.size(); k++) {
    const Term e = builder()[identity[k]];
    neutral.push_back(fits ? neutral_start(*combine, k, e.bits) : e.bits);
    dropped.push_back(is_literal(e) ? builder().literal(e.type, neutral[k]) : identity[k]);
  }
  const std::vector<Type> types = types_of(identity);
  const auto kept_or_neutral = [&](Id j) {
    Columns x = s.element(j);
    const Id kept = s.keeps(j);
    for (size_t k = 0; k < std::min(x.size(), types.size()); k++) x[k] = chosen(kept, x[k], builder().literal(types[k], neutral[k]));
    return x;
  };
  Columns results = fold(start, length_of(s), dropped, kept_or_neutral, combine);
  for (size_t k = 0; k < results.size(); k++)
    if (dropped[k] != identity[k]) results[k] = chosen(apply(Op::gt_, {count(start, s), number(0)}), results[k], identity[k]);
  return results;
}

FnRef Lowering::combine_of(const Token& start, const std::vector<Type>& types, const Combine& f) {
  enter_body(start, true);
  Columns sides;
  for (int side = 0; side < 2; side++)
    for (Type type : types) sides.push_back(builder().param(type));
  const Columns results = f(std::span(sides).first(types.size()), std::span(sides).subspan(types.size()));
  std::vector<Id> free;
  return leave_body(results, free);
}

Columns Lowering::reduced(const Token& start, const Sequence& s, std::span<const Id> identity, const Combine& f) {
  return reduced(start, s, identity, combine_of(start, types_of(identity), f));
}

Id Lowering::count(const Token& start, const Sequence& s) {
  if (!s.keeps) return max(length_of(s), number(0));
  const auto one = [&](Id j) { return Columns{chosen(s.keeps(j), number(1), number(0))}; };
  return fold(start, length_of(s), std::array{number(0)}, one, op_fn(Op::add_, Type::I64))[0];
}

// f(... f(f(b, s[0]), s[1]) ..., s[n - 1]) as a loop, whose state is a position and the state of f
Columns Lowering::iterate(const Given& given) {
  const Sequence& s = given.s();
  const std::vector<Type> types = types_of(given.values);
  require_parameters(given, joined_with(types, s.types));
  const Columns inits = joined_with({number(0)}, given.values);
  enter_body(given.start, false);
  const Id j = builder().param(Type::I64, "j");
  Columns state;
  for (size_t k = 0; k < types.size(); k++) state.push_back(builder().param(types[k], given.f->body->params[k].name));
  Columns next = call(*given.f, joined_with(state, s.element(j)));
  if (s.keeps && next.size() == state.size()) next = chosen(s.keeps(j), next, state);
  std::vector<Id> free;
  const FnRef body = leave_body(joined_with({apply(Op::lt_, {j, length_of(s)}), add(j, number(1))}, next), free);
  const Columns last = typed(given.start, [&] { return builder().loop(inits, free, body); });
  return {last.begin() + 1, last.end()};
}

// ---- positions. The positions in a filtered sequence are counted: a part is its number of elements and a position in it, or -1 ------------

Columns Lowering::find_index(const Given& given) {
  const Sequence& s = given.s();
  require_test(given, s.types);
  const auto where_found = [&](Id j, Id found, int64_t none) { return chosen(call(*given.f, s.element(j))[0], found, number(none)); };
  if (!s.keeps) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    const auto found = [&](Id j) { return Columns{where_found(j, j, most)}; };
    const Id first = fold(given.start, length_of(s), std::array{number(most)}, found, op_fn(Op::min_, Type::I64))[0];
    return {chosen(apply(Op::eq_, {first, number(most)}), number(-1), first)};
  }
  Sequence ones = s;
  ones.element = [&](Id j) { return Columns{number(1), where_found(j, number(0), -1)}; };
  const auto first = [this](std::span<const Id> x, std::span<const Id> y) {
    const Id moved = chosen(apply(Op::ge_, {y[1], number(0)}), add(x[0], y[1]), number(-1));
    return Columns{add(x[0], y[0]), chosen(apply(Op::ge_, {x[1], number(0)}), x[1], moved)};
  };
  return {reduced(given.start, ones, std::array{number(0), number(-1)}, first)[1]};
}

// f(x, y): y comes after x. The columns before an element's: the number of elements, if it is counted, and the position.
Columns Lowering::argmax(const Given& given) {
  const Sequence& s = given.s();
  require_test(given, joined_with(s.types, s.types));
  const size_t at = s.keeps ? 1 : 0;
  Columns none = s.keeps ? Columns{number(0), number(-1)} : Columns{number(-1)};
  for (Type type : s.types) none.push_back(builder().literal(type, 0));
  Sequence parts = s;
  parts.element = [&](Id j) { return joined_with(at ? Columns{number(1), number(0)} : Columns{j}, s.element(j)); };
  const auto later = [&](std::span<const Id> x, std::span<const Id> y) {
    const auto elements = [at](std::span<const Id> part) { return part.subspan(at + 1); };
    const Id i = x[at], j = y[at];
    const Id after = call(*given.f, joined_with({elements(x).begin(), elements(x).end()}, elements(y)))[0];
    const Id is_right = apply(Op::or_, {apply(Op::lt_, {i, number(0)}), apply(Op::and_, {apply(Op::ge_, {j, number(0)}), after})});
    const Id moved = at ? chosen(apply(Op::lt_, {j, number(0)}), number(-1), add(x[0], j)) : j;
    const Columns counts = at ? Columns{add(x[0], y[0])} : Columns{};
    return joined_with(joined_with(counts, std::array{chosen(is_right, moved, i)}), chosen(is_right, elements(y), elements(x)));
  };
  return {reduced(given.start, parts, none, later)[at]};
}

// ---- comparisons -------------------------------------------------------------------------------------------------------

Id Lowering::every(const Token& start, Id length, const Positions& condition) {
  return fold(start, length, std::array{builder().constant(true)}, condition, op_fn(Op::and_, Type::Bool))[0];
}

// f(x, y): x comes before y. A part of a filtered sequence is: if it has an element, if it is in order, its first and its last element.
Columns Lowering::is_sorted(const Given& given) {
  const Sequence& s = given.s();
  const size_t n = s.types.size();
  require_test(given, joined_with(s.types, s.types));
  const auto in_order = [&](std::span<const Id> x, std::span<const Id> y) {
    return apply(Op::not_, {call(*given.f, joined_with({y.begin(), y.end()}, x))[0]});
  };
  if (!s.keeps) {
    const auto neighbours = [&](Id j) { return Columns{in_order(s.element(j), s.element(add(j, number(1))))}; };
    return {every(given.start, apply(Op::sub_, {max(length_of(s), number(1)), number(1)}), neighbours)};
  }
  const auto truth = [this](bool x) { return builder().constant(x); };
  Columns none{truth(false), truth(true)};
  for (size_t k = 0; k < 2 * n; k++) none.push_back(builder().literal(s.types[k % n], 0));
  Sequence parts = s;
  parts.element = [&](Id j) { return joined_with(joined_with({truth(true), truth(true)}, s.element(j)), s.element(j)); };
  const auto meet = [&](std::span<const Id> x, std::span<const Id> y) {
    const Id both = apply(Op::and_, {x[0], y[0]}), meets = in_order(x.subspan(2 + n), y.subspan(2, n));
    const Id sorted = apply(Op::and_, {apply(Op::and_, {x[1], y[1]}), apply(Op::or_, {apply(Op::not_, {both}), meets})});
    const Columns first = chosen(x[0], x.subspan(2, n), y.subspan(2, n)), last = chosen(y[0], y.subspan(2 + n), x.subspan(2 + n));
    return joined_with(joined_with({apply(Op::or_, {x[0], y[0]}), sorted}, first), last);
  };
  return {reduced(given.start, parts, none, meet)[1]};
}

Columns Lowering::equal(const Given& given) {
  const Sequence& both = keep(given.start, zip_shortest(given));
  require_test(given, both.types);
  const Id same_length = apply(Op::eq_, {count(given.start, given.s()), count(given.start, *given.sequences[1])});
  const auto are_equal = [&](Id j) { return call(*given.f, both.element(j)); };
  return {builder().logical(Op::and_, same_length, every(given.start, both.length, are_equal))};
}

// -1, 0 or 1. f(x, y): x comes before y.
Columns Lowering::compare(const Given& given) {
  require_same_types(given);
  const Sequence& both = keep(given.start, zip_shortest(given));
  require_test(given, both.types);
  const auto sign = [this](Id is_less, Id is_greater) { return chosen(is_less, number(-1), chosen(is_greater, number(1), number(0))); };
  const auto signs = [&](Id j) {
    const Columns x = both.element(j);
    Columns swapped = x;
    std::rotate(swapped.begin(), swapped.begin() + ptrdiff_t(x.size() / 2), swapped.end());
    return Columns{sign(call(*given.f, x)[0], call(*given.f, swapped)[0])};
  };
  const auto first = [this](std::span<const Id> x, std::span<const Id> y) {
    return Columns{chosen(apply(Op::ne_, {x[0], number(0)}), x[0], y[0])};
  };
  const Id decides = fold(given.start, both.length, std::array{number(0)}, signs, combine_of(given.start, {Type::I64}, first))[0];
  const Id m = count(given.start, given.s()), n = count(given.start, *given.sequences[1]);
  return first(std::array{decides}, std::array{sign(apply(Op::lt_, {m, n}), apply(Op::gt_, {m, n}))});
}

}  // namespace wf
