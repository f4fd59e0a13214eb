// The rule for a Pull: the cotangents of the reads of its function, each transposed by its index.
#include "expr/derivative/derivative.h"
#include "grad/pass.h"
#include "grad/reads.h"

namespace wf {

namespace {

// Integers among the arguments decide at which index a function reads, so they become literals again.
struct FixIntegers : Copy {
  FixIntegers(Builder& to, const Fn& from, std::span<const Bits64> values) : Copy(to, from), values(values) {}
  std::span<const Bits64> values;
  Id argument(Id id) {
    const Term& t = from[id];
    return is_in(t.type, Float) ? to.argument(t.slot, t.type) : to.literal(t.type, values[t.slot]);
  }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    return to.repeat(info(id).with([&](const FnRef& f) { return with_integers(f, values); }), x);
  }
};

}  // namespace

FnRef with_integers(const FnRef& f, std::span<const Bits64> arguments) {
  if (arguments.empty()) return f;
  Builder b;
  FixIntegers copy(b, *f, arguments);
  const std::vector<Id> params = copy_params(b, *f);
  return b.finish(copy_terms(copy, params));
}

namespace {

// An element that is read at one index, and the cotangents that came to it.
struct Read {
  uint32_t slot, column;
  Id index;  // in the function of y
  std::optional<IndexView> view;
  Cotangents::Cotangent cotangent;
};

// The contribution of a scattered read, and its index: 0 unless it is within x.
struct Scattered {
  Id index, value;
};
Scattered scattered(Builder& b, const Cotangents::Cotangent& c, Id index, int64_t n) {
  const Id zero = b.constant<int64_t>(0);
  Id is_read = b.apply(Op::and_, {b.apply(Op::ge_, {index, zero}), b.apply(Op::lt_, {index, b.constant(n)})});
  if (c.guard != no_id) is_read = b.apply(Op::and_, {is_read, c.guard});
  return {b.apply(Op::where_, {is_read, index, zero}), b.apply(Op::where_, {is_read, c.value, b.literal(b.type(c.value), 0)})};
}

// The sum of all elements of c, at one element of x.
NodeRef at_element(const NodeRef& c, const NodeRef& x, int64_t at) {
  const Type type = c->types()[0];
  const NodeRef sum = c->rank() == 0 ? c : reduce(closed(op_fn(Op::add_, type)), {0}, c);
  if (x->length() == 1) return sum;
  return computed(x, domain_of(x), {sum}, [&](Builder& b, Id j) {
    const Id is_here = b.apply(Op::eq_, {j, b.constant(at)});
    return std::vector<Id>{b.apply(Op::where_, {is_here, b.at(0, 0, type, b.constant<int64_t>(0)), b.literal(type, 0)})};
  });
}

NodeRef added_at(const NodeRef& indices, const NodeRef& c, const NodeRef& x) {
  const Type type = c->types()[0];
  const Closure add = closed(op_fn(Op::add_, type));
  const NodeRef base = constants(c, x->length(), type, 0);
  const auto as_vector = [](const NodeRef& s) { return s->rank() == 1 ? s : vector_of(s); };
  return scatter(&add, base, as_vector(indices), as_vector(c));
}

class PullRule {
 public:
  PullRule(GradientPass& pass, const NodeRef& y, const Definition& pull, const CotangentColumns& ybar)
      : pass_(pass),
        y_(y),
        pull_(pull),
        fn_(with_integers(pull.fn, pull.arguments)),
        copy_(b_, *fn_),
        inputs_(pull.inputs),
        cotangents_(prepared(), [&](const Term& t) { return t.kind == Kind::At && pass_.is_active(pull_.inputs[t.slot]); }) {
    for (size_t k = 0; k < ybar.size(); k++) {
      if (!ybar[k]) continue;
      seeds_.emplace_back(b_.at(uint32_t(inputs_.size()), 0, ybar[k]->types()[0], i_), ybar[k]);
      inputs_.push_back(ybar[k]);
      cotangents_.seed(k, seeds_.back().first);
    }
    cotangents_.run();
  }

  void run() {
    find_reads();
    for (size_t k = 0; k < reads_.size(); k++) plan(reads_[k]);
    const NodeRef all = contributions();
    for (size_t k = 0; k < reads_.size(); k++) give(reads_[k], places_[k], all);
  }

 private:
  static constexpr size_t none = ~size_t(0);
  struct Place {
    NodeRef node;  // instead of a column, if the contribution is one of the cotangents
    size_t value = none, index = none;
  };

  // The copied function: members are initialized in order.
  const Copy& prepared() {
    i_ = b_.param(Type::I64, "i");
    copy_terms(copy_, {&i_, 1});
    return copy_;
  }

  // Reads in the order of their terms; those of one column at one index are one term.
  void find_reads() {
    for (Id id = 0; id < fn_->terms.size(); id++) {
      const Term& t = (*fn_)[id];
      const Cotangents::Cotangent& c = cotangents_.of(id);
      if (t.kind == Kind::At && c.value != no_id) reads_.push_back({t.slot, t.column, fn_->args(t)[0], {}, c});
    }
  }

  void plan(Read& read) {
    const NodeRef& x = pull_.inputs[read.slot];
    read.view = index_view(*fn_, read.index, y_->length());
    const bool is_simple = read.view && (read.view->is_fixed() || (read.view->is_own() && x->domain() == y_->domain()));
    if (!is_simple && y_->length() < 0) {
      pass_.length_of(y_);
      read.view = index_view(*fn_, read.index, y_->length());
    }
    if (x->length() < 0 && !is_simple) pass_.length_of(x);
    if (x->rank() == 0) read.view = IndexView{{0, {0}}, {y_->length()}};
    Place place;
    for (const auto& [id, node] : seeds_)
      if (id == read.cotangent.value) place.node = node;
    const auto add = [&](Id id) {
      results_.push_back(id);
      return results_.size() - 1;
    };
    if (read.view) {
      if (!place.node) place.value = add(read.cotangent.value);
    } else {
      Id index = read.index;
      if ((*fn_)[index].kind == Kind::Check) index = fn_->args(index)[0];
      const Scattered s = scattered(b_, read.cotangent, copy_.here[index], x->length());
      place = {{}, add(s.value), add(s.index)};
    }
    places_.push_back(std::move(place));
  }

  NodeRef contributions() {
    if (results_.empty()) return {};
    return pull(y_->context(), domain_of(y_), simplify(b_.finish(results_)), inputs_, pull_.viewed, pull_.arguments);
  }

  void give(const Read& read, const Place& place, const NodeRef& all) {
    const NodeRef& x = pull_.inputs[read.slot];
    const NodeRef c = place.node ? place.node : column_of(all, place.value);
    if (!read.view) {
      if (x->length() > 0) pass_.give(x, read.column, added_at(column_of(all, place.index), c, x));
    } else if (read.view->is_own() && x->domain() == y_->domain() && x->length() == y_->length()) {
      pass_.give(x, read.column, c);
    } else if (read.view->is_fixed()) {
      pass_.give(x, read.column, at_element(c, x, read.view->view.offset));
    } else {
      pass_.give(x, read.column, transposed_view(*read.view, c, x));
    }
  }

  GradientPass& pass_;
  const NodeRef& y_;
  const Definition& pull_;
  const FnRef fn_;
  Builder b_;
  Id i_ = no_id;
  Copy copy_;
  Few<NodeRef> inputs_;
  Cotangents cotangents_;
  std::vector<std::pair<Id, NodeRef>> seeds_;
  std::vector<Read> reads_;
  std::vector<Place> places_;
  std::vector<Id> results_;
};

}  // namespace

void pull_back(GradientPass& pass, const NodeRef& y, const Definition& pull, const CotangentColumns& ybar) {
  PullRule(pass, y, pull, ybar).run();
}

}  // namespace wf
