// The rules for sorts and merges, which move elements, and for iterations.
#include "expr/derivative/derivative.h"
#include "grad/pass.h"
#include "lazy/composed/iterate.h"

namespace wf {
namespace {

// Returns true if column `column` of s is begin, begin + 1, ...
bool is_positions(const NodeRef& s, size_t column, int64_t begin) {
  const DefinitionRef d = s->history();
  if (!d || d->kind != NodeKind::Pull) return false;
  const Term& t = (*d->fn)[d->fn->results[column]];
  const auto is_index = [&](const Term& x) { return x.kind == Kind::Param && x.slot == 0; };
  if (is_index(t)) return begin == 0;
  if (!is_op(t, Op::add_)) return false;
  const Term &i = (*d->fn)[d->fn->args(t)[0]], &from = (*d->fn)[d->fn->args(t)[1]];
  return is_index(i) && is_literal(from) && from_bits<int64_t>(from.bits) == begin;
}

// The column of the elements that are moved that has their positions.
std::optional<size_t> column_of_positions(const Definition& call) {
  for (size_t column = call.inputs[0]->types().size(); column-- > 0;) {
    int64_t begin = 0;
    const bool found = std::ranges::all_of(
        call.inputs, [&](const NodeRef& s) { return is_positions(s, column, std::exchange(begin, begin + s->length())); });
    if (found) return column;
  }
  return std::nullopt;
}

// State k + 1 of n + 1 is f(state k, element k). lambda[k], the cotangent of state k through all later ones, is an iteration from the end:
//     lambda[k] = ybar[k] + J_state(state k, element k)T lambda[k + 1];    elements: J_element(state k, element k)T lambda[k + 1]
class IterateRule {
 public:
  IterateRule(GradientPass& pass, const NodeRef& y, const Definition& call, const CotangentColumns& ybar)
      : pass_(pass), y_(y), call_(call), s_(call.inputs[1]), ybar_(ybar), vjp_(vjp_of_combine(call.fn)), n_(s_->length()) {
    for (Type type : y_->types()) floats_ += is_in(type, Float);
  }

  void run() {
    const NodeRef lambda =
        iterate_prefixes(closed(step()), std::vector<Bits64>(floats_, 0), steps());  // n + 2 states; lambda[n + 1 - k] is k's
    const NodeRef first = computed(call_.inputs[0], domain_of(call_.inputs[0]), {lambda},
                                   [&](Builder& b, Id) { return read(b, 0, lambda->types(), b.constant(n_ + 1)); });
    give(call_.inputs[0], first);
    if (!pass_.is_active(s_)) return;
    give(s_, computed(s_, domain_of(s_), {y_, s_, lambda}, [&](Builder& b, Id k) {
           std::vector<Id> args = read(b, 0, y_->types(), k);
           for (Id x : read(b, 1, s_->types(), k)) args.push_back(x);
           for (Id x : read(b, 2, lambda->types(), b.apply(Op::sub_, {b.constant(n_), k}))) args.push_back(x);
           const std::vector<Id> both = b.inline_call(*vjp_, args);
           return std::vector<Id>(both.begin() + ptrdiff_t(floats_), both.end());
         }));
  }

 private:
  void give(const NodeRef& s, const NodeRef& all) {
    for (size_t c = 0, k = 0; c < s->types().size(); c++)
      if (is_in(s->types()[c], Float)) pass_.give(s, c, column_of(all, k++));
  }

  // For step t: whether it is the first, then state, element and cotangent number n - t.
  NodeRef steps() const {
    Few<NodeRef> inputs{y_, s_};
    for (const NodeRef& c : ybar_)
      if (c) inputs.push_back(c);
    return computed(y_, {Shape::vector(n_ + 1), {}}, inputs, [&](Builder& b, Id t) {
      const Id k = b.apply(Op::sub_, {b.constant(n_), t}), is_first = b.apply(Op::eq_, {t, b.constant<int64_t>(0)});
      const Id element = b.apply(Op::where_, {is_first, b.constant<int64_t>(0), k});
      std::vector<Id> results{is_first};
      for (Id x : read(b, 0, y_->types(), k)) results.push_back(x);
      for (Id x : read(b, 1, s_->types(), element)) results.push_back(x);
      uint32_t slot = 2;
      for (size_t c = 0; c < ybar_.size(); c++)
        if (const Type type = y_->types()[c]; is_in(type, Float))
          results.push_back(ybar_[c] ? b.at(slot++, 0, type, k) : b.literal(type, 0));
      return results;
    });
  }

  FnRef step() const {
    Builder b;
    std::vector<Id> lambda, args, given;
    const auto each_float = [&](const auto& f) {
      for (Type type : y_->types())
        if (is_in(type, Float)) f(b.param(type));
    };
    each_float([&](Id x) { lambda.push_back(x); });
    const Id is_first = b.param(Type::Bool);
    for (const Param& p : call_.fn->params) args.push_back(b.param(p.type));
    each_float([&](Id x) { given.push_back(x); });
    args.insert(args.end(), lambda.begin(), lambda.end());
    const std::vector<Id> both = b.inline_call(*vjp_, args);
    std::vector<Id> results;
    for (size_t c = 0; c < floats_; c++)
      results.push_back(b.apply(Op::where_, {is_first, given[c], b.apply(Op::add_, {given[c], both[c]})}));
    return simplify(b.finish(results));
  }

  GradientPass& pass_;
  const NodeRef& y_;
  const Definition& call_;
  const NodeRef& s_;
  const CotangentColumns& ybar_;
  const FnRef vjp_;
  const int64_t n_;
  size_t floats_ = 0;
};

}  // namespace

// The elements carry their positions to their places; the cotangents go back to them.
void sort_back(GradientPass& pass, const NodeRef& y, const Definition& call, const CotangentColumns& ybar) {
  int64_t n = 0;
  for (const NodeRef& s : call.inputs) n += pass.length_of(s);
  const auto column = column_of_positions(call);
  const NodeRef from =
      column ? column_of(y, *column) : column_of(moving_positions(call, {Shape::vector(n), {}}), call.inputs[0]->types().size());
  for (size_t c = 0; c < ybar.size(); c++) {
    if (!ybar[c]) continue;
    const NodeRef back = scatter(nullptr, constants(ybar[c], n, ybar[c]->types()[0], 0), vector_of(from), vector_of(ybar[c]));
    for (int64_t begin = 0; const NodeRef& s : call.inputs) {
      if (pass.is_active(s)) pass.give(s, c, subseq(back, begin, s->length()));
      begin += s->length();
    }
  }
}

void iterate_back(GradientPass& pass, const NodeRef& y, const Definition& call, const CotangentColumns& ybar) {
  IterateRule(pass, y, call, ybar).run();
}

}  // namespace wf
