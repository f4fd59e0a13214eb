// Folds within functions, lifted out of them. The fold
//     y[i] = g(i, fold of value(j, free(i)) over j < count)
// becomes three sequences, so that the rules for reads and reductions are all that a fold needs:
//     a[i] = free(i)        v[i * count + j] = value(j, a[i])        r[i] = the reduction of row i of v        y[i] = g(i, r[i])
// Free values that are index arithmetic of i alone are written into v: its reads stay views. A fold within value() is lifted out of v in turn.
#include <algorithm>

#include "expr/derivative/derivative.h"
#include "expr/indices/simplify.h"
#include "grad/pass.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/composed/iterate.h"

namespace wf {
namespace {

// Copies a function in which some folds are read from sequences.
struct ReadFolds : Copy {
  ReadFolds(Builder& to, const Fn& from, const std::vector<uint32_t>& slots) : Copy(to, from), slots(slots) {}
  const std::vector<uint32_t>& slots;  // by term: the slot of a lifted fold, else 0
  Id i = no_id;
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    if (slots[id] == 0) return Copy::repeat(id, x);
    return read(to, slots[id], info(id).combine->result_types(), i);
  }
};

// Returns true if the term is index arithmetic of i and literals.
bool is_arithmetic(const Fn& f, Id id) {
  const Term& t = f[id];
  if (t.type != Type::I64) return false;
  if (t.kind == Kind::Param || is_literal(t)) return true;
  return t.kind == Kind::Apply && std::ranges::all_of(f.args(t), [&](Id x) { return is_arithmetic(f, x); });
}

Few<Bits64> identity_list(const std::vector<Bits64>& identity) {
  Few<Bits64> bits;
  for (Bits64 each : identity) bits.push_back(each);
  return bits;
}

// y reduces the segments of inputs[1].
void define_segments(GradientPass& pass, const NodeRef& y, const Definition& pull) {
  const Fn::LoopInfo& fold = pull.fn->loops[0];
  pass.length_of(pull.inputs[1]);
  pass.define(y, {pull.inputs[1], fold.combine, identity_list(fold.identity), -1, pull.inputs[0]});
}

// The step (state, element) -> state of an iteration over inputs[0] that reads nothing else. Null if y is another function.
struct StepTerms : Copy {
  using Copy::Copy;
  std::vector<Id> elements;
  bool is_simple = true;
  Id at(Id id, Id) {
    const Term& t = from[id];
    const Term& index = from[from.args(t)[0]];
    is_simple = is_simple && t.slot == 0 && index.kind == Kind::Param && index.slot == 0;
    return elements[is_simple ? t.column : 0];
  }
};
FnRef step_of(const Fn::LoopInfo& loop, const ColumnTypes& elements) {
  const Fn& body = *loop.body;
  if (body.params.size() != loop.variables || !body.loops.empty()) return {};
  Builder b;
  StepTerms copy(b, body);
  std::vector<Id> params{b.constant<int64_t>(0)};
  for (size_t k = 1; k < loop.variables; k++) params.push_back(b.param(body.params[k].type));
  for (Type type : elements) copy.elements.push_back(b.param(type));
  const std::vector<Id> results = copy_terms(copy, params);
  return copy.is_simple ? b.finish(std::span(results).subspan(2)) : nullptr;
}

// The last state of an iteration as that of its prefixes.
DefinitionRef last_of_prefixes(GradientPass& pass, const NodeRef& y, const Definition& pull) {
  const FnRef fn = with_values(pull.fn, std::span(pull.arguments.begin(), pull.arguments.end()));
  const auto loop = std::ranges::find(fn->terms, Kind::Loop, &Term::kind);
  if (loop == fn->terms.end() || pull.inputs.size() != 1) return {};
  std::vector<Bits64> initial;
  const std::span<const Id> x = fn->args(*loop);
  for (Id id : x.subspan(1)) {
    if (!is_literal((*fn)[id])) return {};
    initial.push_back((*fn)[id].bits);
  }
  const FnRef step = step_of(fn->loops[loop->slot], pull.inputs[0]->column_types());
  if (!step || step->results.size() != y->types().size() || initial.size() != step->results.size()) return {};
  const int64_t n = pass.length_of(pull.inputs[0]);
  const NodeRef states = iterate_prefixes(closed(step), initial, pull.inputs[0]);
  Builder b;
  b.param(Type::I64, "i");
  return DefinitionRef(Definition{NodeKind::Pull, b.finish(read(b, 0, y->types(), b.constant(n))), {states}, {}});
}

class Lift {
 public:
  Lift(GradientPass& pass, const NodeRef& y, const Definition& pull)
      : pass_(pass), y_(y), pull_(pull), fn_(with_integers(pull.fn, pull.arguments)), inputs_(pull.inputs), slots_(fn_->terms.size(), 0) {}

  DefinitionRef run() {
    const std::vector<bool> active =
        active_terms(*fn_, [&](const Term& t) { return t.kind == Kind::At && pass_.is_active(pull_.inputs[t.slot]); });
    bool found = false;
    for (Id id = 0; id < fn_->terms.size(); id++) {
      if ((*fn_)[id].kind != Kind::Fold || !active[id]) continue;
      found = true;
      if (lift(id)) return {};
    }
    if (!found) return {};
    FnRef rest = function(fn_->results);
    return DefinitionRef(Definition{.kind = NodeKind::Pull,
                                    .fn = std::move(rest),
                                    .inputs = inputs_,
                                    .identity = {},
                                    .viewed = pull_.viewed,
                                    .arguments = pull_.arguments});
  }

 private:
  // The function of i with these results.
  FnRef function(std::span<const Id> results) {
    Builder b;
    ReadFolds copy(b, *fn_, slots_);
    copy.i = b.param(Type::I64, "i");
    copy_terms(copy, {&copy.i, 1});
    std::vector<Id> copies;
    for (Id r : results) copies.push_back(copy.here[r]);
    return b.finish(copies);
  }

  // Returns true if y is nothing but the values of this fold.
  bool is_all(Id fold, size_t columns) const {
    if (fn_->results.size() != columns) return false;
    for (size_t c = 0; c < columns; c++) {
      const Term& t = (*fn_)[fn_->results[c]];
      if (t.kind != Kind::Pick || t.slot != c || fn_->args(t)[0] != fold) return false;
    }
    return true;
  }

  // Lifts a fold. Returns true if that defines y.
  bool lift(Id fold) {
    const Fn::LoopInfo& info = fn_->loops[(*fn_)[fold].slot];
    const std::span<const Id> x = fn_->args(fold);
    const int64_t n = pass_.length_of(y_), count = std::max<int64_t>(0, count_of(x[0]));
    std::vector<Id> stored;
    for (Id free : x.subspan(1))
      if (!is_arithmetic(*fn_, free)) stored.push_back(free);
    const NodeRef a =
        stored.empty() ? NodeRef() : pull(y_->context(), domain_of(y_), function(stored), inputs_, pull_.viewed, pull_.arguments);
    const RowReduction rows{values(info, x, a, n, count), info.combine, identity_list(info.identity), count};
    if (is_all(fold, info.combine->results.size())) {
      pass_.define(y_, rows);
      return true;
    }
    const NodeRef r = over_domain_of(y_, reduce_rows(rows, rows.values, info.combine, rows.identity));
    pass_.define(r, rows);
    slots_[fold] = uint32_t(inputs_.size());
    inputs_.push_back(r);
    return false;
  }

  int64_t count_of(Id id) const {
    const Term& t = (*fn_)[id];
    if (is_literal(t)) return from_bits<int64_t>(t.bits);
    if (t.kind == Kind::Length) return pass_.length_of(pull_.inputs[t.slot]);
    throw NoDerivative(
        "a fold whose number of positions depends on the element has no derivative; expected a number that is the same for all");
  }

  // v
  NodeRef values(const Fn::LoopInfo& info, std::span<const Id> x, const NodeRef& a, int64_t n, int64_t count) {
    int64_t all;
    if (__builtin_mul_overflow(n, count, &all)) throw SizeError("the values of a fold overflow 64 bits");
    require_length(all, info.body->result_types());
    Few<NodeRef> inputs = inputs_;
    if (a) inputs.push_back(a);
    Builder b;
    const Id p = b.param(Type::I64, "p"), width = b.constant(std::max<int64_t>(1, count));
    const Id i = n == 1 ? b.constant<int64_t>(0) : b.apply(Op::div_, {p, width}), j = n == 1 ? p : b.apply(Op::rem_, {p, width});
    ReadFolds copy(b, *fn_, slots_);
    copy.i = i;
    copy_terms(copy, {&i, 1});
    std::vector<Id> args{j};
    uint32_t column = 0;
    for (Id free : x.subspan(1)) {
      const bool is_stored = !is_arithmetic(*fn_, free);
      args.push_back(is_stored ? b.at(uint32_t(inputs_.size()), column, (*fn_)[free].type, i) : copy.here[free]);
      column += is_stored;
    }
    const FnRef fn = simplify_indices(simplify(b.finish(b.inline_call(*info.body, args))), {0, std::max<int64_t>(0, all - 1)});
    return pull(y_->context(), {Shape::vector(all), {}}, fn, std::move(inputs), pull_.viewed, pull_.arguments);
  }

  GradientPass& pass_;
  const NodeRef& y_;
  const Definition& pull_;
  const FnRef fn_;
  Few<NodeRef> inputs_;
  std::vector<uint32_t> slots_;
};

}  // namespace

DefinitionRef lifted(GradientPass& pass, const NodeRef& y, const Definition& pull) {
  if (pull.routine.kind == Routine::SegmentIds) return define_segments(pass, y, pull), DefinitionRef();
  if (pull.routine.kind == Routine::Iterate && y->rank() == 0) return last_of_prefixes(pass, y, pull);
  if (std::ranges::none_of(pull.fn->terms, [](const Term& t) { return t.kind == Kind::Fold; })) return {};
  return Lift(pass, y, pull).run();
}

}  // namespace wf
