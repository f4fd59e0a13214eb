// The rules for scatters. Value i goes to element k = index[i]; every cotangent of a value is read there.
//   add      ybar[k], and base has ybar
//   replace  ybar[k] for the last i that writes k; base has it where nothing does
//   min max  ybar[k] for the first that is the result, base before all values
//   mul      by the product of the others, which zeros are counted for, as in a reduction
#include "expr/derivative/derivative.h"
#include "grad/pass.h"

namespace wf {
namespace {

class ScatterRule {
 public:
  ScatterRule(GradientPass& pass, const Definition& call)
      : pass_(pass), base_(call.inputs[0]), indices_(call.inputs[1]), values_(call.inputs[2]), fn_(call.fn) {}

  void run(const CotangentColumns& ybar) {
    for (size_t c = 0; c < ybar.size(); c++) {
      if (!ybar[c]) continue;
      column_ = uint32_t(c), type_ = ybar[c]->types()[0], ybar_ = ybar[c];
      if (!fn_) replaced();
      else if (const Op op = *column_op(*fn_, c); op == Op::add_) added();
      else if (op == Op::mul_) multiplied();
      else chosen();
    }
  }

 private:
  static constexpr int64_t none = INT64_MAX;
  Id zero(Builder& b) const { return b.literal(type_, 0); }
  Id target(Builder& b, uint32_t slot, Id i) const { return b.cast(Type::I64, b.at(slot, 0, indices_->types()[0], i)); }

  // f(builder, i, k): slot 0 are the indices and slot 1 the cotangents of y, before `more`.
  template <class F> void give_values(std::initializer_list<NodeRef> more, const F& f) const {
    Few<NodeRef> inputs{indices_, ybar_};
    for (const NodeRef& s : more) inputs.push_back(s);
    pass_.give(values_, column_, computed(values_, domain_of(values_), inputs, [&](Builder& b, Id i) {
                 const Id k = target(b, 0, i);
                 return std::vector<Id>{f(b, i, k, b.at(1, 0, type_, k))};
               }));
  }
  // f(builder, k): slot 0 are the cotangents of y.
  template <class F> void give_base(std::initializer_list<NodeRef> more, const F& f) const {
    Few<NodeRef> inputs{ybar_};
    for (const NodeRef& s : more) inputs.push_back(s);
    pass_.give(base_, column_,
               computed(base_, domain_of(base_), inputs, [&](Builder& b, Id k) { return std::vector<Id>{f(b, k, b.at(0, 0, type_, k))}; }));
  }
  // For each element, positions of values combined by op, from `start`.
  NodeRef positions_by(Op op, int64_t start, const NodeRef& at) const {
    const Closure f = closed(op_fn(op, Type::I64));
    return scatter(&f, constants(base_, base_->length(), Type::I64, to_bits(start)), indices_, at);
  }

  void added() const {
    pass_.give(base_, column_, ybar_);
    give_values({}, [&](Builder&, Id, Id, Id at) { return at; });
  }

  void replaced() const {
    const NodeRef last = positions_by(Op::max_, -1, positions(values_));
    give_base({last}, [&](Builder& b, Id k, Id at) {
      return b.apply(Op::where_, {b.apply(Op::lt_, {b.at(1, 0, Type::I64, k), b.constant<int64_t>(0)}), at, zero(b)});
    });
    give_values({last, positions(values_)}, [&](Builder& b, Id i, Id k, Id at) {
      return b.apply(Op::where_, {b.apply(Op::eq_, {b.at(2, 0, Type::I64, k), b.at(3, 0, Type::I64, i)}), at, zero(b)});
    });
  }

  // Which value is the result is a question of bits, so the scatter is repeated: y may have been computed from sums that round differently now.
  void chosen() const {
    const Closure f = closed(fn_);
    const NodeRef y = scatter(&f, base_, indices_, values_);
    const NodeRef attains = computed(values_, domain_of(values_), {indices_, values_, base_, y, positions(values_)}, [&](Builder& b, Id i) {
      const Id k = target(b, 0, i), result = b.at(3, column_, type_, k);
      const Id is_it = b.apply(Op::eq_, {b.at(1, column_, type_, i), result}),
               is_base = b.apply(Op::eq_, {b.at(2, column_, type_, k), result});
      const Id wins = b.apply(Op::and_, {is_it, b.apply(Op::not_, {is_base})});
      return std::vector<Id>{b.apply(Op::where_, {wins, b.at(4, 0, Type::I64, i), b.constant(none)})};
    });
    const NodeRef first = positions_by(Op::min_, none, attains);
    give_base({base_, y}, [&](Builder& b, Id k, Id at) {
      return b.apply(Op::where_, {b.apply(Op::eq_, {b.at(1, column_, type_, k), b.at(2, column_, type_, k)}), at, zero(b)});
    });
    give_values({first, positions(values_)}, [&](Builder& b, Id i, Id k, Id at) {
      return b.apply(Op::where_, {b.apply(Op::eq_, {b.at(2, 0, Type::I64, k), b.at(3, 0, Type::I64, i)}), at, zero(b)});
    });
  }

  // (x, or 1 if it is 0; 1 if it is)
  NodeRef marked(const NodeRef& s) const {
    return computed(s, domain_of(s), {s}, [&](Builder& b, Id i) {
      const Id x = b.at(0, column_, type_, i), is_zero = b.apply(Op::eq_, {x, zero(b)});
      return std::vector<Id>{b.apply(Op::where_, {is_zero, b.literal(type_, convert(Type::I32, type_, 1)), x}), b.cast(Type::I64, is_zero)};
    });
  }
  void multiplied() const {
    const NodeRef in_base = marked(base_), in_values = marked(values_);
    const Closure mul = closed(op_fn(Op::mul_, type_)), add = closed(op_fn(Op::add_, Type::I64));
    const NodeRef products = scatter(&mul, column_of(in_base, 0), indices_, column_of(in_values, 0));
    const NodeRef zeros = scatter(&add, column_of(in_base, 1), indices_, column_of(in_values, 1));
    const auto others = [&](Builder& b, Id x, Id product, Id count, Id at) {
      const Id is_zero = b.apply(Op::eq_, {x, zero(b)}), left = b.apply(Op::sub_, {count, b.cast(Type::I64, is_zero)});
      const Id without = b.apply(Op::where_, {is_zero, product, b.apply(Op::div_, {product, x})});
      return b.apply(Op::where_, {b.apply(Op::eq_, {left, b.constant<int64_t>(0)}), b.apply(Op::mul_, {at, without}), zero(b)});
    };
    give_base({base_, products, zeros}, [&](Builder& b, Id k, Id at) {
      return others(b, b.at(1, column_, type_, k), b.at(2, 0, type_, k), b.at(3, 0, Type::I64, k), at);
    });
    give_values({values_, products, zeros}, [&](Builder& b, Id i, Id k, Id at) {
      return others(b, b.at(2, column_, type_, i), b.at(3, 0, type_, k), b.at(4, 0, Type::I64, k), at);
    });
  }

  GradientPass& pass_;
  const NodeRef &base_, &indices_, &values_;
  const FnRef& fn_;
  uint32_t column_ = 0;
  Type type_{};
  NodeRef ybar_;
};

}  // namespace

void scatter_back(GradientPass& pass, const Definition& call, const CotangentColumns& ybar) {
  if (call.inputs.size() < 3) return;  // counts
  ScatterRule(pass, call).run(ybar);
}

}  // namespace wf
