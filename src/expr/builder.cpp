// Builder: equal terms are shared when they are made, through a hash table from a term's content to its number.
#include <algorithm>
#include <bit>
#include <utility>

#include "expr/fn.h"
#include "expr/terms.h"

namespace wf {

namespace {

// Returns true if the order of the operands does not matter. It matters if an operand of `and` or `or` may fail (see Builder::logical).
bool may_swap(const Term& term) {
  const bool is_ordered = (term.op == Op::and_ || term.op == Op::or_) && term.type == Type::Bool && (term.fails & fails_here);
  return is_commutative(term) && !is_ordered;
}

constexpr size_t first_table_size = 64;  // enough for a lambda of 48 terms

uint64_t hash_term(const Term& term, std::span<const Id> operands) {
  uint64_t h = mix(uint64_t(term.kind) | uint64_t(term.op) << 8 | uint64_t(term.type) << 16 | uint64_t(term.column) << 32,
                   term.bits ^ uint64_t(term.slot) << 20);
  // A sum, so that a + b and b + a have one hash.
  if (may_swap(term) && operands.size() == 2) return mix(h, uint64_t(operands[0]) + operands[1]);
  for (Id x : operands) h = mix(h, x);
  return h;
}

bool equal_terms(const Fn& f, const Term& known, const Term& term, std::span<const Id> operands) {
  if (known.kind != term.kind || known.op != term.op || known.type != term.type || known.slot != term.slot || known.column != term.column ||
      known.bits != term.bits || known.count != operands.size())
    return false;
  std::span<const Id> others = f.args(known);
  if (std::ranges::equal(others, operands)) return true;
  return may_swap(term) && others[0] == operands[1] && others[1] == operands[0];
}

}  // namespace

std::string takes(Op op) {
  if (op == Op::where_) return "a bool and two values";
  const OpInfo& o = info(op);
  const bool one = o.arity == 1;
  const std::string kind = o.on == Num     ? (one ? "number" : "numbers")
                           : o.on == Float ? (one ? "float or number" : "floats or numbers")
                           : o.on == Bits  ? (one ? "bool or integer" : "bools or integers")
                           : o.on == Int   ? (one ? "integer" : "integers")
                                           : (one ? "value" : "values");
  constexpr std::string_view counts[] = {"one ", "two ", "three "};
  return std::string(counts[o.arity - 1]) + kind;
}

std::vector<Type> Fn::result_types() const {
  std::vector<Type> types;
  types.reserve(results.size());
  for (Id id : results) types.push_back(terms[id].type);
  return types;
}

Builder::Builder() {
  fn_.terms.reserve(first_table_size / 2);
  fn_.operands.reserve(first_table_size / 2);
  table_.assign(first_table_size, no_id);
}

uint8_t Builder::failures(const Term& term, std::span<const Id> operands) const {
  uint8_t fails = 0;
  for (Id x : operands) fails |= fn_.terms[x].fails;
  if (term.kind == Kind::Check || (term.kind == Kind::At && may_read_fail_)) fails |= fails_here;
  if (term.kind == Kind::Param && may_param_fail_) fails |= fails_before;
  if (is_repeated(term))
    for (const Term& inside : fn_.loops[term.slot].body->terms) fails |= inside.fails & fails_here;
  return fails;
}

Id Builder::intern(Term term, std::span<const Id> operands) {
  term.fails = failures(term, operands);
  const size_t last = table_.size() - 1;
  size_t at = hash_term(term, operands) & last;
  for (; table_[at] != no_id; at = (at + 1) & last)
    if (equal_terms(fn_, fn_.terms[table_[at]], term, operands)) return table_[at];
  Id id = Id(fn_.terms.size());
  table_[at] = id;
  term.first = uint32_t(fn_.operands.size());
  term.count = uint32_t(operands.size());
  fn_.operands.insert(fn_.operands.end(), operands.begin(), operands.end());
  fn_.terms.push_back(term);
  if (4 * fn_.terms.size() > 3 * table_.size()) grow_table(4 * table_.size());
  return id;
}

void Builder::expect(size_t terms, size_t operands) {
  // Capacity at least doubles, so that many small calls cost no more than one large call.
  auto reserve = [](auto& v, size_t more) {
    if (v.capacity() < v.size() + more) v.reserve(std::max(2 * v.capacity(), v.size() + more));
  };
  reserve(fn_.terms, terms);
  reserve(fn_.operands, operands);
  const size_t slots = std::bit_ceil(2 * (fn_.terms.size() + terms));
  if (slots > table_.size()) grow_table(slots);
}

void Builder::grow_table(size_t slots) {
  table_.assign(slots, no_id);
  const size_t last = table_.size() - 1;
  for (Id id = 0; id < fn_.terms.size(); id++) {
    size_t at = hash_term(fn_.terms[id], fn_.args(id)) & last;
    while (table_[at] != no_id) at = (at + 1) & last;
    table_[at] = id;
  }
}

Id Builder::param(Type type, std::string name) {
  fn_.params.push_back({std::move(name), type});
  return intern({.kind = Kind::Param, .type = type, .slot = uint32_t(fn_.params.size() - 1)}, {});
}

Id Builder::literal(Type type, Bits64 bits) {
  // All NaNs become one, since the written form has only one.
  if (is_in(type, Float) && evaluate(Op::isnan_, type, bits)) bits = convert(Type::F32, type, to_bits(__builtin_nanf("")));
  return intern({.kind = Kind::Literal, .type = type, .bits = bits}, {});
}

Id Builder::apply(Op op, std::span<const Id> operands) {
  const OpInfo& o = info(op);
  auto given = [&] {
    std::string text = "(";
    for (Id x : operands) text += (text.size() > 1 ? ", " : "") + std::string(name(type(x)));
    return text + ")";
  };
  if (operands.size() != o.arity) throw TypeError(std::string(o.name) + " takes " + takes(op) + "; got " + given());
  const size_t condition = op == Op::where_ ? 1 : 0;  // where's first operand stays a bool
  if (condition && type(operands[0]) != Type::Bool) throw TypeError("where takes " + takes(op) + "; got " + given());
  Type widest = type(operands[condition]);
  for (Id x : operands.subspan(condition)) widest = std::max(widest, type(x));
  const Type common = operand_type(op, widest);
  if (!is_in(common, o.on) || (is_in(widest, Float) && !(o.on & Float)))
    throw TypeError(std::string(o.name) + " takes " + takes(op) + "; got " + given());
  Id typed[3];
  for (size_t k = 0; k < operands.size(); k++) typed[k] = k < condition ? operands[k] : cast(common, operands[k]);
  return apply_typed(op, {typed, operands.size()});
}

Id Builder::apply_typed(Op op, std::span<const Id> operands) {
  if (auto folded = plain(op, operands)) return *folded;
  return intern({.kind = Kind::Apply, .op = op, .type = result_type(op, type(operands.back()))}, operands);
}

Id Builder::argument(uint32_t slot, Type type) { return intern({.kind = Kind::Argument, .type = type, .slot = slot}, {}); }

Id Builder::length(uint32_t slot) { return intern({.kind = Kind::Length, .type = Type::I64, .slot = slot}, {}); }

Id Builder::check(Id index, Id length, Id guard) {
  if (type(index) != Type::I64 || type(length) != Type::I64 || type(guard) != Type::Bool)
    throw TypeError("check takes an index (i64), a length (i64) and a guard (bool); got (" + std::string(name(type(index))) + ", " +
                    std::string(name(type(length))) + ", " + std::string(name(type(guard))) + ")");
  const Term &i = fn_.terms[index], &n = fn_.terms[length], &g = fn_.terms[guard];
  if (g.kind == Kind::Literal && g.bits == 0) return index;
  if (i.kind == Kind::Literal && n.kind == Kind::Literal && i.bits < n.bits && int64_t(n.bits) > 0) return index;
  const Id operands[] = {index, length, guard};
  return intern({.kind = Kind::Check, .type = Type::I64}, operands);
}

Id Builder::at(uint32_t slot, uint32_t column, Type type, Id index) {
  if (this->type(index) != Type::I64) throw TypeError("an index has type " + std::string(name(this->type(index))) + "; expected i64");
  return intern({.kind = Kind::At, .type = type, .slot = slot, .column = column}, {&index, 1});
}

std::vector<bool> Builder::evaluated_with(Id value) const {
  std::vector<bool> evaluated(fn_.terms.size());
  std::vector<Id> open{value};
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (evaluated[id]) continue;
    evaluated[id] = true;
    const Term& t = fn_.terms[id];
    const size_t always = is_op(t, Op::where_) || is_choice(fn_, t) ? 1
                          : t.kind == Kind::Check                   ? 2
                          : is_repeated(t)                          ? fn_.loops[t.slot].variables
                                                                    : t.count;
    for (Id x : fn_.args(t).first(always)) open.push_back(x);
  }
  return evaluated;
}

bool Builder::fails_by_itself(const Term& t) const {
  switch (t.kind) {
    case Kind::Param: return may_param_fail_;
    case Kind::At: return may_read_fail_;
    case Kind::Check: return true;
    case Kind::Pick: return is_repeated(fn_[fn_.args(t)[0]]);
    case Kind::Apply: return is_choice(fn_, t) || (t.op == Op::where_ && ((fn_[fn_.args(t)[1]].fails | fn_[fn_.args(t)[2]].fails) != 0));
    default: return false;
  }
}

// The values of the others do not matter, so only the parts of them that fail by themselves become operands. O(terms).
Id Builder::require(Id value, std::span<const Id> others) {
  if (in_guard_ || std::ranges::none_of(others, [&](Id x) { return fn_.terms[x].fails != 0; })) return value;
  std::vector<bool> done = evaluated_with(value);
  std::vector<Id> operands{value}, open(others.rbegin(), others.rend());
  while (!open.empty()) {
    const Id x = open.back();
    open.pop_back();
    const Term& t = fn_.terms[x];
    if (!t.fails || done[x]) continue;
    done[x] = true;
    if (fails_by_itself(t)) {
      operands.push_back(x);
    } else {
      const std::span<const Id> parts = fn_.args(t);
      open.insert(open.end(), parts.rbegin(), parts.rend());
    }
  }
  return operands.size() == 1 ? value : intern({.kind = Kind::Require, .type = type(value)}, operands);
}

Id Builder::logical(Op op, Id a, Id b) {
  const Term &x = fn_.terms[a], &y = fn_.terms[b];
  const bool are_bools = x.type == Type::Bool && y.type == Type::Bool;
  if (are_bools && is_literal(x)) return is_true(x) == (op == Op::and_) ? b : a;
  if (!are_bools || !(y.fails & fails_here)) return apply(op, {a, b});
  if (a == b) return a;
  const Id operands[] = {a, b};
  return intern({.kind = Kind::Apply, .op = op, .type = Type::Bool}, operands);
}

Id Builder::apply_in_guard(Op op, std::span<const Id> operands) {
  return in_guard([&] { return apply_typed(op, operands); });
}

std::vector<Id> Builder::picks(Id tuple, std::span<const Type> types) {
  std::vector<Id> ids;
  ids.reserve(types.size());
  for (uint32_t k = 0; k < types.size(); k++) ids.push_back(intern({.kind = Kind::Pick, .type = types[k], .slot = k}, {&tuple, 1}));
  return ids;
}

std::vector<Id> Builder::foreign(std::shared_ptr<const Foreign> f, std::span<const Id> args) {
  auto shown = [](auto&& types, auto&& type_of) {
    std::string text = "(";
    for (auto&& x : types) text += (text.size() > 1 ? ", " : "") + std::string(name(type_of(x)));
    return text + ")";
  };
  bool fits = args.size() == f->params.size();
  for (size_t k = 0; fits && k < args.size(); k++) fits = type(args[k]) == f->params[k];
  if (!fits)
    throw TypeError("foreign function " + f->name + " takes " + shown(f->params, [](Type t) { return t; }) + "; got " +
                    shown(args, [&](Id x) { return type(x); }));
  uint32_t slot = uint32_t(std::ranges::find(fn_.foreigns, f) - fn_.foreigns.begin());
  if (slot == fn_.foreigns.size()) fn_.foreigns.push_back(f);
  Id tuple = intern({.kind = Kind::Foreign, .slot = slot}, args);
  return picks(tuple, f->results);
}

FnRef Builder::finish(std::span<const Id> results) {
  auto out = std::make_shared<Fn>();
  out->params = std::move(fn_.params);
  out->terms.reserve(fn_.terms.size());
  out->operands.reserve(fn_.operands.size());
  std::vector<Id> number(fn_.terms.size(), no_id);
  std::vector<uint32_t> loop_number(fn_.loops.size(), no_id), foreign_number(fn_.foreigns.size(), no_id);

  auto emit = [&](Id id) {
    Term term = fn_.terms[id];
    const uint32_t first = uint32_t(out->operands.size());
    for (Id x : fn_.args(term)) out->operands.push_back(number[x]);
    term.first = first;
    if (is_repeated(term)) {
      uint32_t& slot = loop_number[term.slot];
      if (slot == no_id) slot = uint32_t(out->loops.size()), out->loops.push_back(fn_.loops[term.slot]);
      term.slot = slot;
    } else if (term.kind == Kind::Foreign) {
      uint32_t& slot = foreign_number[term.slot];
      if (slot == no_id) slot = uint32_t(out->foreigns.size()), out->foreigns.push_back(fn_.foreigns[term.slot]);
      term.slot = slot;
    }
    number[id] = Id(out->terms.size());
    out->terms.push_back(term);
  };

  if (!out->params.empty())
    for (Id id = 0; id < fn_.terms.size(); id++)
      if (fn_.terms[id].kind == Kind::Param) emit(id);

  // Operands are emitted before their users, first operands first. `path` is the path from a result to the current term.
  struct Visit {
    Id id;
    uint32_t next;  // the operand to visit next
  };
  std::vector<Visit> path;
  path.reserve(first_table_size / 2);
  for (Id root : results) {
    if (number[root] == no_id) path.push_back({root, 0});
    while (!path.empty()) {
      Visit& top = path.back();
      std::span<const Id> args = fn_.args(top.id);
      while (top.next < args.size() && number[args[top.next]] != no_id) top.next++;
      if (top.next < args.size()) {
        path.push_back({args[top.next++], 0});
      } else {
        emit(top.id);
        path.pop_back();
      }
    }
    out->results.push_back(number[root]);
  }

  fn_ = Fn();
  table_.assign(first_table_size, no_id);
  may_read_fail_ = may_param_fail_ = requires_unused_ = true;
  return out;
}

}  // namespace wf
