// The rewrites of every written function, done once, before anything is fused with it:
//   contract   a*b + c -> fma(a, b, c) for floats, one rounding instead of two, unless c is a product, too: then both are
//              rounded, so that equal products cancel to 0 (a*a - b*b, b*b - 4*a*c, cross products)
//   choose     (and a b) -> (where a b false), (or a b) -> (where a true b) for bools, if b may fail: then b is evaluated only
//              if a does not decide. Guards are not changed, since nothing fails in them
//   guard      an index under a `where` is checked only if its branch is chosen (guard.cpp)
#include "expr/guard.h"
#include "expr/rewrite.h"

namespace wf {

namespace {

FnRef simplify(FnRef f, bool is_loop_body);

bool may_contract(const Term& t) { return (is_op(t, Op::add_) || is_op(t, Op::sub_)) && is_in(t.type, Float); }

bool may_choose(const Fn& f, const Term& t) {
  return (is_op(t, Op::and_) || is_op(t, Op::or_)) && t.type == Type::Bool && (f[f.args(t)[1]].fails & fails_here);
}

struct Simplify : Copy {
  Simplify(Builder& to, const Fn& from) : Copy(to, from), is_used(used_outside_guards(from)) {}
  std::vector<bool> is_used;

  bool is_product(Id x) const { return is_op(to[x], Op::mul_); }
  bool is_signed_product(Id x) const { return is_product(is_op(to[x], Op::neg_) ? to.so_far().args(x)[0] : x); }
  Id make(Op op, std::initializer_list<Id> x) { return to.apply_typed(op, {x.begin(), x.size()}); }
  Id fused(Id product, bool is_negative, Id c) {
    std::span<const Id> factors = to.so_far().args(product);
    Id a = factors[0];
    const Id b = factors[1];
    if (is_negative) a = make(Op::neg_, {a});
    return make(Op::fma_, {a, b, c});
  }

  Id choice(Id id, std::span<const Id> x) {
    if (!is_used[id]) return to.apply_in_guard(from[id].op, x);
    return is_op(from[id], Op::and_) ? make(Op::where_, {x[0], x[1], to.constant(false)})
                                     : make(Op::where_, {x[0], to.constant(true), x[1]});
  }

  Id apply(Id id, std::span<const Id> x) {
    if (may_choose(from, from[id])) return choice(id, x);
    if (!may_contract(from[id]) || (is_signed_product(x[0]) && is_signed_product(x[1]))) return Copy::apply(id, x);
    const bool is_difference = from[id].op == Op::sub_;
    if (is_product(x[0])) return fused(x[0], false, is_difference ? make(Op::neg_, {x[1]}) : x[1]);
    if (is_product(x[1])) return fused(x[1], is_difference, x[0]);
    return Copy::apply(id, x);
  }

  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    const bool is_loop_body = !info(id).is_fold();
    return to.repeat(info(id).with([&](const FnRef& inside) { return simplify(inside, is_loop_body); }), x);
  }
};

bool is_simplified(const Fn& f) {
  if (!f.loops.empty()) return false;
  for (const Term& t : f.terms) {
    if (may_choose(f, t)) return false;
    if (may_contract(t))
      for (Id x : f.args(t))
        if (is_op(f[x], Op::mul_)) return false;
  }
  return true;
}

FnRef simplify(FnRef f, bool is_loop_body) {
  if (!is_simplified(*f)) {
    Builder builder;
    Simplify pass(builder, *f);
    f = builder.finish(copy_terms(pass, copy_params(builder, *f)));
  }
  return guard(std::move(f), is_loop_body);
}

}  // namespace

FnRef simplify(FnRef f) { return simplify(std::move(f), false); }

}  // namespace wf
