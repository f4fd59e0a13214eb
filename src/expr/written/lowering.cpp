// The sequences: each form makes a length and a function from a position to an element.
#include "expr/written/lowering.h"

#include <algorithm>
#include <limits>

#include "expr/stack.h"

namespace wf {

constexpr uint32_t deepest_sequence = 1000;  // sequences made of each other: their functions call each other

const Lowering::Form* Lowering::find_form(std::string_view name) {
  using L = Lowering;
  using G = Given;
  static constexpr Form forms[] = {
      {"range", "vv", [](L& l, const G& g) { return l.range(g); }},
      {"tabulate", "fi", [](L& l, const G& g) { return l.tabulate(g); }},
      {"map", "fs", [](L& l, const G& g) { return l.map(g); }},
      {"filter", "fs", [](L& l, const G& g) { return l.filter(g); }},
      {"zip", "P", [](L& l, const G& g) { return l.joined(g, l.common_length(g)); }},
      {"zip_equal", "P", [](L& l, const G& g) { return l.joined(g, l.length_of(g.s())); }},
      {"zip_shortest", "P", [](L& l, const G& g) { return l.zip_shortest(g); }},
      {"enumerate", "p", [](L& l, const G& g) { return l.enumerate(g); }},
      {"subseq", "pii", [](L& l, const G& g) { return l.part(g.s(), g.values[0], g.values[1]); }},
      {"slice", "pii", [](L& l, const G& g) { return l.part(g.s(), g.values[0], l.sub(g.values[1], g.values[0])); }},
      {"take", "pi", [](L& l, const G& g) { return l.part(g.s(), l.number(0), g.values[0]); }},
      // One element of a negative count suffices for the error, and the length does not wrap around.
      {"drop", "pi",
       [](L& l, const G& g) { return l.part(g.s(), g.values[0], l.sub(l.length_of(g.s()), l.max(g.values[0], l.number(-1)))); }},
      {"rev", "s", [](L& l, const G& g) { return l.rev(g); }},
      {"append", "S", [](L& l, const G& g) { return l.append(g); }},
      {"rotate", "pi", [](L& l, const G& g) { return l.rotate(g); }},
      {"interleave", "pp", [](L& l, const G& g) { return l.interleave(g); }},
      {"update", "piv", [](L& l, const G& g) { return l.update(g); }},
      {"reduce", "cls", nullptr, [](L& l, const G& g) { return l.reduced(g.start, g.s(), g.values, g.f->body); }},
      {"iterate", "vfs", nullptr, [](L& l, const G& g) { return l.iterate(g); }},
      {"length", "s", nullptr, [](L& l, const G& g) { return Columns{l.count(g.start, g.s())}; }},
      {"at", "pi", nullptr, [](L& l, const G& g) { return l.element_at(g.s(), g.values[0]); }},
      {"find_index", "fs", nullptr, [](L& l, const G& g) { return l.find_index(g); }},
      {"argmax", "cs", nullptr, [](L& l, const G& g) { return l.argmax(g); }},
      {"is_sorted", "fs", nullptr, [](L& l, const G& g) { return l.is_sorted(g); }},
      {"equal", "fpp", nullptr, [](L& l, const G& g) { return l.equal(g); }},
      {"compare", "fpp", nullptr, [](L& l, const G& g) { return l.compare(g); }},
  };
  const Form* form = std::ranges::find(forms, name, &Form::name);
  return form == std::end(forms) ? nullptr : form;
}

const Sequence& Lowering::keep(const Token& start, Sequence s) {
  constexpr size_t step = 16, base = 20 << 10, per_sequence = 1 << 10;  // the stack's end is looked up at each 16th depth
  if (s.depth > deepest_sequence || (s.depth % step == 0 && stack_left() < base + s.depth * per_sequence))
    throw ParseError(lexer_.place(start) + "sequences are made of each other " + std::to_string(s.depth) + " deep; expected at most " +
                     std::to_string(deepest_sequence) + ", or as many as the stack of the thread allows (1 KiB each)");
  return sequences_.emplace_back(std::move(s));
}

// ---- parts of the forms ------------------------------------------------------------------------------------------------

std::vector<Type> Lowering::types_of(std::span<const Id> ids) {
  std::vector<Type> types;
  for (Id id : ids) types.push_back(builder().type(id));
  return types;
}

Columns Lowering::chosen(Id condition, std::span<const Id> a, std::span<const Id> b) {
  Columns result;
  for (size_t k = 0; k < a.size(); k++) result.push_back(chosen(condition, a[k], b[k]));
  return result;
}

Columns Lowering::call(const Lambda& f, std::span<const Id> arguments) {
  Columns all;
  for (size_t k = 0; k < arguments.size(); k++) all.push_back(builder().cast(f.body->params[k].type, arguments[k]));
  for (Id id : f.free) all.push_back(inward(id, f.level));
  return builder().inline_call(*f.body, all);
}

namespace {

std::string types_text(const std::vector<Type>& types) {
  std::string text = "(";
  for (Type type : types) text += (text.size() > 1 ? " " : "") + std::string(name(type));
  return text + ")";
}

}  // namespace

// Integers are converted to each other, since positions and lengths are i64 where a caller may count with other integers.
void Lowering::require_parameters(const Given& given, std::vector<Type> types) {
  std::vector<Type> parameters;
  for (size_t k = 0; k < given.f->parameters(); k++) parameters.push_back(given.f->body->params[k].type);
  if (!std::ranges::equal(types, parameters, [](Type a, Type b) { return a == b || (is_in(a, Int) && is_in(b, Int)); }))
    throw TypeError(lexer_.place(given.start) + "the function has the parameters " + types_text(parameters) + ", but its arguments are " +
                    types_text(types) + "; expected a parameter of the same type for each");
}

void Lowering::require_test(const Given& given, std::vector<Type> types) {
  require_parameters(given, std::move(types));
  if (const std::vector<Type> results = given.f->body->result_types(); results != std::vector<Type>{Type::Bool})
    throw TypeError(lexer_.place(given.start) + "the function has the results " + types_text(results) + "; expected (bool)");
}

void Lowering::require_same_types(const Given& given) {
  for (const Sequence* s : given.sequences)
    if (s->types != given.sequences[0]->types)
      throw TypeError(lexer_.place(given.start) + "the sequences have elements of types " + types_text(given.sequences[0]->types) +
                      " and " + types_text(s->types) + "; expected equal types");
}

void Lowering::require_positions(const Given& given, const Sequence& s) {
  if (s.keeps)
    throw TypeError(lexer_.place(given.start) +
                    "the positions of the elements that a filter keeps are not known; expected map, filter, reduce or length of it");
}

Sequence Lowering::derived(const Sequence& from, Id length, std::vector<Type> types, Positions element) {
  return {level(), length, std::move(types), std::move(element), {}, false, from.depth + 1};
}

Columns Lowering::element_at(const Sequence& s, Id j) { return s.element(s.checks_index ? j : checked(j, length_of(s))); }

bool Lowering::is_near_zero(Id id) {
  constexpr int64_t far = int64_t{1} << 62;
  const Builder& here = builder();
  const Term& t = here[id];
  if (is_literal(t)) return -far < int64_t(t.bits) && int64_t(t.bits) < far;
  return t.kind == Kind::Length || size_of(t.type) < sizeof(int64_t) ||
         (t.kind == Kind::Cast && size_of(here.type(here.so_far().args(t)[0])) < sizeof(int64_t));
}

// ---- sequences from nothing --------------------------------------------------------------------------------------------

Sequence Lowering::captured(const SlotColumns& from) {
  const auto column = captures_[from.slot].begin() + from.first;
  const auto element = [this, from](Id j) {
    const Id index = checked(j, builder().length(from.slot));
    Columns columns;
    for (uint32_t k = from.first; k < from.first + from.count; k++)
      columns.push_back(builder().at(from.slot, k, captures_[from.slot][k], index));
    return columns;
  };
  return {.level = level(),
          .length = builder().length(from.slot),
          .types = {column, column + from.count},
          .element = element,
          .checks_index = true};
}

// Bounds of 64 bits may be so far apart that their difference wraps around: then the length is the largest one.
Sequence Lowering::range(const Given& given) {
  const std::vector<Type> types = types_of(given.values);
  if (types.size() != 2 || !is_in(types[0], Bits) || !is_in(types[1], Bits))
    throw TypeError(lexer_.place(given.start) + "a range has the bounds " + types_text(types) + "; expected two integers");
  const Id a = given.values[0], b = given.values[1];
  const Type type = std::max({types[0], types[1], Type::U8});
  const Id first = builder().cast(Type::I64, a), length = sub(builder().cast(Type::I64, b), first);
  const bool is_from_zero = is_literal(builder()[a]) && builder()[a].bits == 0;
  const bool may_wrap = size_of(type) == sizeof(int64_t) && !is_from_zero && !(is_near_zero(a) && is_near_zero(b));
  const auto element = [this, first, type, made = level()](Id j) { return Columns{builder().cast(type, add(inward(first, made), j))}; };
  const auto unwrapped = [&] {
    return chosen(apply(Op::gt_, {b, a}), chosen(apply(Op::lt_, {length, number(0)}), number(INT64_MAX), length), number(0));
  };
  return {.level = level(), .length = may_wrap ? unwrapped() : length, .types = {type}, .element = element};
}

Sequence Lowering::tabulate(const Given& given) {
  require_parameters(given, {Type::I64});
  return {.level = level(),
          .length = builder().cast(Type::I64, given.values[0]),
          .types = given.f->body->result_types(),
          .element = [this, f = given.f](Id j) { return call(*f, std::array{j}); }};
}

// ---- elements of others ------------------------------------------------------------------------------------------------

Sequence Lowering::map(const Given& given) {
  const Sequence& s = given.s();
  require_parameters(given, s.types);
  Sequence result = s;
  result.types = given.f->body->result_types();
  result.element = [this, f = given.f, &s](Id j) { return call(*f, s.element(j)); };
  result.checks_index = false;
  result.depth++;
  return result;
}

Sequence Lowering::filter(const Given& given) {
  const Sequence& s = given.s();
  require_test(given, s.types);
  Sequence result = s;
  result.keeps = [this, f = given.f, &s](Id j) {
    if (!s.keeps) return call(*f, s.element(j))[0];
    const Id before = s.keeps(j);
    return builder().logical(Op::and_, before, call(*f, s.element(j))[0]);
  };
  result.depth++;
  return result;
}

// The first length of sequences that are read together. If the other one is larger, its last element has no partner, and its index is out of
// range; if it is smaller, `joined` checks each element.
Id Lowering::common_length(const Given& given) {
  Id length = length_of(given.s());
  for (const Sequence* s : given.sequences) {
    const Id other = length_of(*s);
    if (length == other) continue;
    const Id is_longer = apply(Op::and_, {apply(Op::gt_, {other, length}), apply(Op::gt_, {other, number(0)})});
    length = chosen(is_longer, checked(sub(other, number(1)), length), length);
  }
  return length;
}

// The columns of all; elements that another sequence than the first lacks are out of range.
Sequence Lowering::joined(const Given& given, Id length) {
  std::vector<Type> types;
  uint32_t depth = 0;
  for (const Sequence* s : given.sequences) {
    types.insert(types.end(), s->types.begin(), s->types.end());
    depth = std::max(depth, s->depth);
  }
  const auto element = [this, all = given.sequences](Id j) {
    Columns columns = all[0]->element(j);
    for (const Sequence* s : std::span(all).subspan(1)) {
      const Columns more = length_of(*s) == length_of(*all[0]) ? s->element(j) : element_at(*s, j);
      columns.insert(columns.end(), more.begin(), more.end());
    }
    return columns;
  };
  return {.level = level(), .length = length, .types = std::move(types), .element = element, .depth = depth + 1};
}

Sequence Lowering::zip_shortest(const Given& given) {
  Id length = length_of(given.s());
  for (const Sequence* s : given.sequences) length = apply(Op::min_, {length, length_of(*s)});
  Given cut = given;
  for (const Sequence*& s : cut.sequences) s = &keep(given.start, part(*s, number(0), length));
  return joined(cut, length);
}

Sequence Lowering::enumerate(const Given& given) {
  const Sequence& s = given.s();
  std::vector<Type> types = s.types;
  types.insert(types.begin(), Type::I64);
  return derived(s, length_of(s), std::move(types), [&s](Id j) {
    Columns columns = s.element(j);
    columns.insert(columns.begin(), j);
    return columns;
  });
}

// ---- parts -------------------------------------------------------------------------------------------------------------

// s[first], ..., s[first + length - 1]
Sequence Lowering::part(const Sequence& s, Id first, Id length) {
  return derived(s, length, s.types, [this, &s, first, made = level()](Id j) { return element_at(s, add(inward(first, made), j)); });
}

Sequence Lowering::rev(const Given& given) {
  const Sequence& s = given.s();
  const Id last = sub(length_of(s), number(1));
  const auto back = [this, last, made = level()](Id j) { return sub(inward(last, made), j); };
  Sequence result = derived(s, length_of(s), s.types, [&s, back](Id j) { return s.element(back(j)); });
  if (s.keeps) result.keeps = [&s, back](Id j) { return s.keeps(back(j)); };
  return result;
}

// s[0], ..., s[m - 1], t[0], ..., t[n - 1]; filtered ones keep their conditions. A sum of lengths does not wrap around.
Sequence Lowering::appended(const Sequence& s, const Sequence& t) {
  const Id m = max(length_of(s), number(0)), n = max(length_of(t), number(0));
  const auto is_left = [this, m, made = level()](Id j) { return apply(Op::lt_, {j, inward(m, made)}); };
  const auto right = [this, m, made = level()](Id j) { return sub(j, inward(m, made)); };
  const Id rest = sub(number(std::numeric_limits<int64_t>::max()), m);
  Sequence result = derived(s.depth > t.depth ? s : t, apply(Op::add_, {m, apply(Op::min_, {n, rest})}), s.types,
                            [this, &s, &t, is_left, right](Id j) { return chosen(is_left(j), s.element(j), t.element(right(j))); });
  const auto kept = [this](const Sequence& part, Id j) { return part.keeps ? part.keeps(j) : builder().constant(true); };
  if (s.keeps || t.keeps)
    result.keeps = [this, &s, &t, is_left, right, kept](Id j) { return chosen(is_left(j), kept(s, j), kept(t, right(j))); };
  return result;
}

Sequence Lowering::append(const Given& given) {
  require_same_types(given);
  const Sequence* all = given.sequences[0];
  for (const Sequence* s : std::span(given.sequences).subspan(1)) all = &keep(given.start, appended(*all, *s));
  return *all;
}

// s[k], ..., s[n - 1], s[0], ..., s[k - 1]
Sequence Lowering::rotate(const Given& given) {
  const Sequence& s = given.s();
  const Id n = length_of(s), k = apply(Op::rem_, {given.values[0], n});
  const Id from = chosen(apply(Op::lt_, {k, number(0)}), add(k, n), k), left = sub(n, from);
  return derived(s, n, s.types, [this, &s, from, left, made = level()](Id j) {
    const Id before = inward(left, made);
    return s.element(chosen(apply(Op::lt_, {j, before}), add(j, inward(from, made)), sub(j, before)));
  });
}

// s[0], t[0], s[1], t[1], ...
Sequence Lowering::interleave(const Given& given) {
  require_same_types(given);
  const Sequence& both = keep(given.start, joined(given, common_length(given)));
  const size_t columns = both.types.size() / 2;
  return derived(both, apply(Op::mul_, {both.length, number(2)}), given.sequences[0]->types, [this, &both, columns](Id j) {
    const Columns x = both.element(apply(Op::div_, {j, number(2)}));
    const Id is_even = apply(Op::eq_, {apply(Op::rem_, {j, number(2)}), number(0)});
    return chosen(is_even, std::span(x).first(columns), std::span(x).subspan(columns));
  });
}

// s with s[i] replaced
Sequence Lowering::update(const Given& given) {
  const Sequence& s = given.s();
  Columns value(given.values.begin() + 1, given.values.end());
  if (types_of(value) != s.types)
    throw TypeError(lexer_.place(given.start) + "the new element has the types " + types_text(types_of(value)) + "; expected " +
                    types_text(s.types) + ", those of the elements");
  const Id replaced = checked(given.values[0], length_of(s));
  return derived(s, length_of(s), s.types, [this, &s, value, replaced, made = level()](Id j) {
    Columns x;
    for (Id id : value) x.push_back(inward(id, made));
    return chosen(apply(Op::eq_, {j, inward(replaced, made)}), x, s.element(j));
  });
}

}  // namespace wf
