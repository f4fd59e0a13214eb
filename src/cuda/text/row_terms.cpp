#include "cuda/text/row_terms.h"

#include <algorithm>

#include "expr/terms.h"

namespace wf::cuda {
namespace {

// row * rows + position * positions + constant. The sums wrap, as indices do.
struct Linear {
  bool known = false;
  uint64_t rows = 0, positions = 0, constant = 0;
  bool operator==(const Linear&) const = default;
};

Linear sum(const Linear& a, const Linear& b, uint64_t sign) {
  return {a.known && b.known, a.rows + sign * b.rows, a.positions + sign * b.positions, a.constant + sign * b.constant};
}
bool is_constant(const Linear& a) { return a.known && a.rows == 0 && a.positions == 0; }
Linear product(const Linear& a, const Linear& b) {
  if (is_constant(b)) return {a.known, a.rows * b.constant, a.positions * b.constant, a.constant * b.constant};
  return is_constant(a) ? product(b, a) : Linear{};
}

std::vector<Linear> linear_terms(const Fn& fn, std::span<const Linear> params) {
  std::vector<Linear> of(fn.terms.size());
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& t = fn[id];
    const std::span<const Id> x = fn.args(t);
    if (t.kind == Kind::Param) of[id] = params[t.slot];
    if (t.kind == Kind::Check || t.kind == Kind::Require) of[id] = of[x[0]];
    if (t.type != Type::I64) continue;
    if (t.kind == Kind::Literal) of[id] = {true, 0, 0, t.bits};
    if (is_op(t, Op::add_)) of[id] = sum(of[x[0]], of[x[1]], 1);
    if (is_op(t, Op::sub_)) of[id] = sum(of[x[0]], of[x[1]], uint64_t(-1));
    if (is_op(t, Op::mul_)) of[id] = product(of[x[0]], of[x[1]]);
  }
  return of;
}

bool is_count(const Fn& fn, Id id, int64_t count) { return is_literal(fn[id]) && from_bits<int64_t>(fn[id].bits) == count; }

}  // namespace

std::vector<RowTerm> find_row_terms(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n, int64_t count) {
  const Linear own{true, uint64_t(count), 1, 0};
  std::vector<RowTerm> found;
  auto add_reads = [&](const Fn& fn, const std::vector<Linear>& linear, uint32_t function) {
    for (Id id = 0; id < fn.terms.size(); id++)
      if (fn[id].kind == Kind::At && linear[fn.args(id)[0]] == own && lengths[fn[id].slot] >= n * count)
        found.push_back({RowTerm::Element, function, id});
  };
  const Fn& body = *kernel.body;
  const std::vector<Linear> outside = linear_terms(body, std::vector<Linear>(body.params.size(), {true, 1, 0, 0}));
  std::vector<bool> is_known(body.loops.size());
  for (const Term& t : body.terms) {
    if (t.kind != Kind::Fold || is_known[t.slot] || !is_count(body, body.args(t)[0], count)) continue;
    // Two folds with the same functions may have different free values.
    const bool is_single = std::ranges::count_if(body.terms, [&](const Term& u) { return u.kind == Kind::Fold && u.slot == t.slot; }) == 1;
    is_known[t.slot] = true;
    if (!is_single) continue;
    std::vector<Linear> params{{true, 0, 1, 0}};
    for (Id x : body.args(t).subspan(1)) params.push_back(outside[x]);
    const Fn& value = *body.loops[t.slot].body;
    add_reads(value, linear_terms(value, params), t.slot);
  }
  for (const RowElements& elements : kernel.elements) {
    const Fn& value = *elements.value;
    std::vector<Linear> params(value.params.size());
    params[0] = own;
    add_reads(value, linear_terms(value, params), RowTerm::of_elements);
    for (Id id = 0; id < value.terms.size(); id++) {
      const Term& t = value[id];
      const bool is_rem = is_op(t, Op::rem_), is_div = is_op(t, Op::div_);
      if ((!is_rem && !is_div) || t.type != Type::I64 || !is_count(value, value.args(t)[1], count)) continue;
      const Term& number = value[value.args(t)[0]];
      if (number.kind == Kind::Param && number.slot == 0)
        found.push_back({is_rem ? RowTerm::Position : RowTerm::Row, RowTerm::of_elements, id});
    }
  }
  return found;
}

namespace {

const RowTerm* find(std::span<const RowTerm> terms, uint32_t function, Id term) {
  const auto at = std::ranges::find_if(terms, [&](const RowTerm& t) { return t.function == function && t.term == term; });
  return at == terms.end() ? nullptr : &*at;
}

// Compares terms of a fold's value with terms of the elements' value, at the same position of the same row.
class SameValue {
 public:
  SameValue(const Kernel& kernel, Id fold, std::span<const RowTerm> terms)
      : body_(*kernel.body),
        elements_(kernel.elements[0]),
        fold_(fold),
        slot_(body_[fold].slot),
        terms_(terms),
        value_(*body_.loops[slot_].body) {}

  bool operator()(Id a, Id b) const {
    while (value_[a].kind == Kind::Check) a = value_.args(a)[0];
    const Term &x = value_[a], &y = (*elements_.value)[b];
    if (x.kind != y.kind || x.type != y.type) return false;
    switch (x.kind) {
      case Kind::Param: return x.slot > 0 && y.slot > 0 && body_.args(fold_)[x.slot] == body_.results[elements_.row[y.slot - 1]];
      case Kind::Literal: return x.bits == y.bits;
      case Kind::At: {
        const RowTerm *u = find(terms_, slot_, a), *v = find(terms_, RowTerm::of_elements, b);
        return u && v && u->kind == RowTerm::Element && v->kind == RowTerm::Element && x.slot == y.slot;
      }
      case Kind::Apply:
        if (x.op != y.op) return false;
        [[fallthrough]];
      case Kind::Cast: {
        const std::span<const Id> p = value_.args(x), q = elements_.value->args(y);
        return std::ranges::equal(p, q, [&](Id s, Id t) { return (*this)(s, t); });
      }
      default: return false;
    }
  }

 private:
  const Fn& body_;
  const RowElements& elements_;
  const Id fold_;
  const uint32_t slot_;
  const std::span<const RowTerm> terms_;
  const Fn& value_;
};

// Returns true if the elements' value reads an element of the input without the term `known`.
bool reads_without(const Fn& value, std::span<const RowTerm> terms, uint32_t input, Id known) {
  std::vector<bool> needed(value.terms.size());
  for (Id id : value.results) needed[id] = true;
  for (Id id = Id(value.terms.size()); id-- > 0;) {
    if (!needed[id] || id == known) continue;
    if (value[id].kind == Kind::At && value[id].slot == input && find(terms, RowTerm::of_elements, id)) return true;
    for (Id x : value.args(id)) needed[x] = true;
  }
  return false;
}

constexpr size_t most_compared = 64;  // terms of a fold's value, which the comparison visits once per path

}  // namespace

std::optional<RowTerm> find_shared_value(const Kernel& kernel, std::span<const RowTerm> terms) {
  if (kernel.elements.empty()) return std::nullopt;
  const Fn &body = *kernel.body, &elements = *kernel.elements[0].value;
  std::optional<Id> last;  // the last fold that reads kept elements: no later fold reads what it replaces
  for (Id id = 0; id < body.terms.size(); id++)
    if (body[id].kind == Kind::Fold && std::ranges::find(terms, body[id].slot, &RowTerm::function) != terms.end()) last = id;
  if (!last) return std::nullopt;
  const uint32_t slot = body[*last].slot;
  const Fn& value = *body.loops[slot].body;
  if (value.results.size() != 1 || value.terms.size() > most_compared || value[value.results[0]].kind != Kind::Apply) return std::nullopt;
  std::optional<uint32_t> input;
  for (const RowTerm& t : terms)
    if (t.function == slot && t.kind == RowTerm::Element) {
      if (input && *input != value[t.term].slot) return std::nullopt;
      input = value[t.term].slot;
    }
  if (!input || kernel.inputs[*input].type != value[value.results[0]].type) return std::nullopt;
  const SameValue is_same(kernel, *last, terms);
  for (Id id = 0; id < elements.terms.size(); id++)
    if (elements[id].kind == Kind::Apply && is_same(value.results[0], id) && !reads_without(elements, terms, *input, id))
      return RowTerm{RowTerm::Value, RowTerm::of_elements, id, slot};
  return std::nullopt;
}

std::vector<uint32_t> inputs_of(const Kernel& kernel, std::span<const RowTerm> terms) {
  std::vector<uint32_t> inputs;
  for (const RowTerm& t : terms) {
    if (t.kind != RowTerm::Element) continue;
    const Fn& fn = t.function == RowTerm::of_elements ? *kernel.elements[0].value : *kernel.body->loops[t.function].body;
    if (std::ranges::find(inputs, fn[t.term].slot) == inputs.end()) inputs.push_back(fn[t.term].slot);
  }
  std::ranges::sort(inputs);
  return inputs;
}

}  // namespace wf::cuda
