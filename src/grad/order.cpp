// The rules for sorts and merges, which move elements, and for iterations.
#include "expr/derivative/derivative.h"
#include "grad/pass.h"
#include "lazy/composed/iterate.h"

namespace wf {
namespace {

// A function (left, right) of elements with `more` as their last column, which it does not look at.
FnRef with_last_column(const FnRef& less, Type more) {
  if (!less) return {};
  Builder b;
  std::vector<Id> args;
  for (int side = 0; side < 2; side++) {
    for (size_t k = 0; k < less->params.size() / 2; k++)
      args.push_back(b.param(less->params[size_t(side) * less->params.size() / 2 + k].type));
    b.param(more);
  }
  return b.finish(b.inline_call(*less, args));
}

NodeRef with_positions(const NodeRef& s, int64_t begin) {
  const NodeRef at = mapped(positions(s), [&](Builder& b, Id i) { return b.apply(Op::add_, {i, b.constant(begin)}); });
  const NodeRef both[] = {s, at};
  return zip(both);
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
void sort_back(GradientPass& pass, const Definition& call, const CotangentColumns& ybar) {
  Few<NodeRef> inputs;
  int64_t n = 0;
  for (const NodeRef& s : call.inputs) {
    pass.length_of(s);
    inputs.push_back(with_positions(s, n));
    n += s->length();
  }
  Definition again{NodeKind::Call, with_last_column(call.fn, Type::I64), std::move(inputs), call.identity};
  again.routine = call.routine;
  ColumnTypes types = again.inputs[0]->column_types();
  const NodeRef sorted = delayed(call.inputs[0]->context(), {Shape::vector(n), {}}, std::move(types), std::move(again));
  const NodeRef from = column_of(sorted, call.inputs[0]->types().size());
  for (size_t c = 0; c < ybar.size(); c++) {
    if (!ybar[c]) continue;
    const NodeRef back = scatter(nullptr, constants(ybar[c], n, ybar[c]->types()[0], 0), from, vector_of(ybar[c]));
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
