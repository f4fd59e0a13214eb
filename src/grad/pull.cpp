// The rule for a Pull: the cotangents of the reads of its function, each transposed by its index.
#include <algorithm>

#include "expr/derivative/derivative.h"
#include "expr/recent.h"
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
  const auto is_integer = [](const Term& t) { return t.kind == Kind::Argument && !is_in(t.type, Float); };
  if (arguments.empty() || (f->loops.empty() && std::ranges::none_of(f->terms, is_integer))) return f;
  Builder b;
  FixIntegers copy(b, *f, arguments);
  const std::vector<Id> params = copy_params(b, *f);
  return b.finish(copy_terms(copy, params));
}

namespace {

constexpr size_t none = ~size_t(0);

// An element that is read at one index, and what is added to its cotangent: a cotangent of y, or a result of Rule::fn.
struct Read {
  uint32_t slot, column;
  std::optional<IndexView> view;  // nothing: scattered at result `index`, or within rows
  std::optional<int64_t> row;     // row_length
  size_t seed = none, value = none, index = none;
};

// The rule for a function: its inputs and the cotangents of its results are those of fn.
struct Rule {
  FnRef fn;  // null if every read adds a cotangent of y
  std::vector<Read> reads;
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

// Element i of c at place indices[i] of x, which is one of row i.
NodeRef chosen_in_rows(const NodeRef& indices, const NodeRef& c, const NodeRef& x, int64_t length) {
  const Type type = c->types()[0];
  return computed(x, domain_of(x), {indices, c}, [&](Builder& b, Id j) {
    const Id row = b.apply(Op::div_, {j, b.constant(length)}), is_chosen = b.apply(Op::eq_, {b.at(0, 0, Type::I64, row), j});
    return std::vector<Id>{b.apply(Op::where_, {is_chosen, b.at(1, 0, type, row), b.literal(type, 0)})};
  });
}

// Makes the rule for the function of y. What it depends on besides the function is in the key that made_rule writes.
class RuleMaker {
 public:
  RuleMaker(GradientPass& pass, const NodeRef& y, const Definition& pull, const CotangentColumns& ybar)
      : pass_(pass),
        y_(y),
        inputs_(pull.inputs),
        fn_(with_integers(pull.fn, pull.arguments)),
        copy_(b_, *fn_),
        cotangents_(prepared(), [&](const Term& t) { return t.kind == Kind::At && pass_.is_active(inputs_[t.slot]); }) {
    for (size_t k = 0; k < ybar.size(); k++) {
      if (!ybar[k]) continue;
      seeds_.push_back(b_.at(uint32_t(inputs_.size() + seeds_.size()), 0, ybar[k]->types()[0], i_));
      cotangents_.seed(k, seeds_.back());
    }
    cotangents_.run();
  }

  // Reads in the order of their terms; those of one column at one index are one term.
  Rule run() {
    Rule rule;
    for (Id id = 0; id < fn_->terms.size(); id++) {
      const Term& t = (*fn_)[id];
      const Cotangents::Cotangent& c = cotangents_.of(id);
      if (t.kind == Kind::At && c.value != no_id) rule.reads.push_back(made(t, fn_->args(t)[0], c));
    }
    if (!results_.empty()) rule.fn = simplify(b_.finish(results_));
    return rule;
  }

 private:
  // The copied function: members are initialized in order.
  const Copy& prepared() {
    i_ = b_.param(Type::I64, "i");
    copy_terms(copy_, {&i_, 1});
    return copy_;
  }

  Read made(const Term& at, Id index, const Cotangents::Cotangent& cotangent) {
    const NodeRef& x = inputs_[at.slot];
    Read read{at.slot, at.column, index_view(*fn_, index, y_->length()), {}};
    const bool is_simple = read.view && (read.view->is_fixed() || (read.view->is_own() && x->domain() == y_->domain()));
    if (!is_simple && y_->length() < 0) {
      pass_.length_of(y_);
      read.view = index_view(*fn_, index, y_->length());
    }
    if (x->length() < 0 && !is_simple) pass_.length_of(x);
    if (x->rank() == 0) read.view = IndexView{{0, {0}}, {y_->length()}};
    if (!read.view) {
      read.row = row_length(*fn_, index, y_->length());
      if ((*fn_)[index].kind == Kind::Check) index = fn_->args(index)[0];
      const Scattered s = scattered(b_, cotangent, copy_.here[index], x->length());
      read.value = add(s.value), read.index = add(s.index);
    } else if (const auto seed = std::ranges::find(seeds_, cotangent.value); seed != seeds_.end()) {
      read.seed = size_t(seed - seeds_.begin());
    } else {
      read.value = add(cotangent.value);
    }
    return read;
  }
  size_t add(Id id) {
    results_.push_back(id);
    return results_.size() - 1;
  }

  GradientPass& pass_;
  const NodeRef& y_;
  const Few<NodeRef>& inputs_;
  const FnRef fn_;
  Builder b_;
  Id i_ = no_id;
  Copy copy_;
  Cotangents cotangents_;
  std::vector<Id> seeds_, results_;
};

// A function as it is used in a gradient, in numbers. The function is alive, so that no other one gets its address.
struct RuleKey {
  FnRef fn;
  std::vector<uint64_t> words;
  bool operator==(const RuleKey& other) const { return fn == other.fn && words == other.words; }
};

// The rule, which was perhaps made before: programs repeat their functions. Rules of opaque functions, which may own memory of the user, are
// not kept.
std::shared_ptr<const Rule> made_rule(GradientPass& pass, const NodeRef& y, const Definition& pull, const CotangentColumns& ybar) {
  static auto* kept =
      new Recent<RuleKey, std::shared_ptr<const Rule>>(1024);  // never destroyed: threads may still use it while the process ends
  bool is_simple =
      pull.fn->loops.empty() && pull.fn->foreigns.empty() && with_integers(pull.fn, pull.arguments) == pull.fn && y->length() >= 0;
  RuleKey key{pull.fn, {uint64_t(y->length())}};
  for (const NodeRef& each : ybar) key.words.push_back(bool(each));
  for (const NodeRef& x : pull.inputs) {
    is_simple = is_simple && x->length() >= 0;
    key.words.push_back(uint64_t(x->length()));
    key.words.push_back(uint64_t(pass.is_active(x)) | uint64_t(x->rank() == 0) << 1 | uint64_t(x->domain() == y->domain()) << 2);
  }
  const auto make = [&] { return std::make_shared<const Rule>(RuleMaker(pass, y, pull, ybar).run()); };
  if (!is_simple) return make();
  Hash hash;
  hash(reinterpret_cast<uintptr_t>(pull.fn.get())), hash(key.words);
  if (auto known = kept->find(hash.value, key)) return *std::move(known);
  auto rule = make();
  kept->keep(hash.value, std::move(key), rule);
  return rule;
}

// Adds to the cotangent of a column of x what y's read of it contributes: c, of y's length.
void give_read(GradientPass& pass, const NodeRef& y, const NodeRef& x, const Read& read, const NodeRef& c, const NodeRef& indices) {
  if (!read.view && read.row && !x->domain()) {
    pass.give(x, read.column, chosen_in_rows(indices, c, x, *read.row));
  } else if (!read.view) {
    if (x->length() > 0) pass.give(x, read.column, added_at(indices, c, x));
  } else if (read.view->is_own() && x->domain() == y->domain() && x->length() == y->length()) {
    pass.give(x, read.column, c);
  } else if (read.view->is_fixed()) {
    pass.give(x, read.column, at_element(c, x, read.view->view.offset));
  } else {
    pass.give(x, read.column, transposed_view(*read.view, c, x));
  }
}

}  // namespace

void pull_back(GradientPass& pass, const NodeRef& y, const Definition& pulled, const CotangentColumns& ybar) {
  const std::shared_ptr<const Rule> made = made_rule(pass, y, pulled, ybar);
  const Rule& rule = *made;
  std::vector<NodeRef> seeds;
  for (const NodeRef& each : ybar)
    if (each) seeds.push_back(each);
  Few<NodeRef> inputs = pulled.inputs;
  for (const NodeRef& seed : seeds) inputs.push_back(seed);
  const NodeRef all = rule.fn ? pull(y->context(), domain_of(y), rule.fn, std::move(inputs), pulled.viewed, pulled.arguments) : NodeRef();
  for (const Read& read : rule.reads) {
    const NodeRef c = read.seed != none ? seeds[read.seed] : column_of(all, read.value);
    give_read(pass, y, pulled.inputs[read.slot], read, c, read.index == none ? NodeRef() : column_of(all, read.index));
  }
}

}  // namespace wf
