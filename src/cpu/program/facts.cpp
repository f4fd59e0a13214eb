// 1. Forwards: finds the terms that are uniform, and those that are base + stride * i.
// 2. Backwards from the results: finds the terms needed as a value or only as an index's base, how often, and in which blocks.
#include "cpu/program/facts.h"

#include <algorithm>
#include <cstdlib>

#include "expr/guards/guard.h"
#include "expr/terms.h"

namespace wf::cpu {
namespace {

class Finder {
 public:
  Finder(const Fn& f, const CompileOptions& options) : f_(f), options_(options), facts_(found_.of_terms) { facts_.resize(f.terms.size()); }

  Facts run() {
    classify();
    mark();
    return std::move(found_);
  }

 private:
  void classify() {
    for (Id t = 0; t < f_.terms.size(); t++) {
      const Term& term = f_[t];
      Fact& fact = facts_[t];
      fact.uniform = is_uniform(term);
      if (term.type == Type::I64) fact.stride = fact.uniform ? 0 : stride_of(term);
      fact.walks = walks(t);
    }
  }

  bool is_uniform(const Term& term) const {
    switch (term.kind) {
      case Kind::Literal:
      case Kind::Argument:
      case Kind::Length: return true;
      case Kind::Param: return options_.is_number(term.slot);
      case Kind::Check:
      case Kind::Require: return facts_[f_.args(term)[0]].uniform;
      case Kind::Apply:
      case Kind::Cast:
      case Kind::At: return std::ranges::all_of(f_.args(term), [&](Id x) { return facts_[x].uniform; });
      default: return false;
    }
  }

  // The stride of a term that is not uniform.
  int32_t stride_of(const Term& term) const {
    auto stride = [&](int k) { return facts_[f_.args(term)[k]].stride; };
    if (term.kind == Kind::Param) return options_.stride(term.slot) != 0 ? options_.stride(term.slot) : Fact::not_affine;
    if (term.kind == Kind::Check) return stride(0);
    if (term.kind != Kind::Apply || (term.op != Op::add_ && term.op != Op::sub_ && term.op != Op::mul_)) return Fact::not_affine;
    if (stride(0) == Fact::not_affine || stride(1) == Fact::not_affine) return Fact::not_affine;
    int64_t sum = 0;
    if (term.op == Op::add_) sum = int64_t(stride(0)) + stride(1);
    else if (term.op == Op::sub_) sum = int64_t(stride(0)) - stride(1);
    else if (const int literal = literal_factor(f_, term); literal >= 0)
      sum = std::clamp<int64_t>(from_bits<int64_t>(f_[f_.args(term)[literal]].bits), -Fact::largest_stride - 1, Fact::largest_stride + 1) *
            stride(1 - literal);
    return sum != 0 && std::abs(sum) <= Fact::largest_stride ? int32_t(sum) : Fact::not_affine;
  }

  bool walks(Id t) const {
    const Term& term = f_[t];
    if (!options_.has_index() || !options_.indexed || facts_[t].uniform) return false;
    if (is_op(term, Op::div_) || is_op(term, Op::rem_)) return walk_of(f_, t, true).has_value();
    if (term.kind != Kind::At || facts_[f_.args(term)[0]].stride != Fact::not_affine) return false;
    return counted_index(f_, facts_, f_.args(term)[0]).has_value();
  }

  // A comparison that is monotone in the domain index.
  bool decides_blocks(Id t) const {
    const Term& term = f_[t];
    if (term.kind != Kind::Apply || !is_order(term.op) || facts_[t].uniform) return false;
    std::span<const Id> args = f_.args(term);
    return facts_[args[0]].stride != Fact::not_affine && facts_[args[1]].stride != Fact::not_affine;
  }
  static bool is_order(Op op) { return op == Op::lt_ || op == Op::le_ || op == Op::gt_ || op == Op::ge_; }

  // The use of a term: its phase and its blocks.
  struct User {
    bool early;
    PredicateId predicate;
  };
  void need(Id t, User user) {
    facts_[t].early |= user.early;
    facts_[t].predicate = found_.predicates.join(facts_[t].predicate, user.predicate);
  }
  // A Check has its index's value: its users need both the check and the index. A Require likewise.
  void need_value(Id t, User user) {
    for (const Id last = origin(f_, t); t != last; t = f_.args(t)[0]) facts_[t].checked = true, need(t, user);
    facts_[t].value_needed = true;
    facts_[t].uses++;
    need(t, user);
  }
  // Whatever may fail at or below t, but not its value.
  void need_checks(Id t, User user) {
    std::vector<bool> seen(t + 1);
    std::vector<Id> open{t};
    while (!open.empty()) {
      const Id x = open.back();
      open.pop_back();
      if (seen[x]) continue;
      seen[x] = true;
      const Term& term = f_[x];
      const bool loops = is_repeated(term) && has_checks(*f_.loops[term.slot].body);
      if (term.kind == Kind::Check) facts_[x].checked = true;
      if (loops) facts_[x].value_needed = true;
      if (term.kind == Kind::Check || loops) need(x, user);
      else open.insert(open.end(), f_.args(term).begin(), f_.args(term).end());
    }
  }
  void need_base(Id t, User user) {
    if (facts_[t].uniform) return need_value(t, user);
    facts_[t].base_needed = true;
    facts_[t].early |= user.early;
    facts_[t].base_predicate = found_.predicates.join(facts_[t].base_predicate, user.predicate);
    if (f_[t].kind == Kind::Check) facts_[t].checked = true, need(t, user);
  }

  void mark() {
    for (Id r : f_.results) need_value(r, {false, always});
    for (uint32_t r : options_.early) need_value(f_.results[r], {true, always});
    for (Id t = Id(f_.terms.size()); t-- > 0;)
      if (facts_[t].needed()) mark_operands(t);
  }

  void mark_operands(Id t) {
    const Term& term = f_[t];
    const Fact fact = facts_[t];
    const User user{fact.early, fact.predicate}, base_user{fact.early, fact.base_predicate};
    std::span<const Id> args = f_.args(term);
    if (fact.walks) {
      const auto index = term.kind == Kind::At ? counted_index(f_, facts_, args[0]) : std::nullopt;
      if (term.kind == Kind::At && f_[args[0]].kind == Kind::Check) facts_[args[0]].checked = true, need(args[0], user);
      if (index && index->base) need_base(*index->base, user);
      return;
    }
    switch (term.kind) {
      case Kind::Check:
        if (decided_by_runs(f_, facts_, term, options_)) need_value(args[1], user);
        else if (decided_by_bounds(f_, facts_, term, options_)) need_base(args[0], user), need_value(args[1], user);
        else
          for (Id x : args) need_value(x, user);
        if (fact.base_needed) need_base(args[0], base_user);
        break;
      case Kind::Require:
        for (Id x : args.subspan(1)) need_checks(x, user);
        break;
      case Kind::At:
        if (!fact.uniform && facts_[args[0]].streams()) need_base(args[0], user);
        else need_value(args[0], user);
        break;
      default:
        if (term.kind == Kind::Apply && term.op == Op::where_ && decides_blocks(args[0])) return mark_select(t, user);
        if (fact.value_needed)
          for (Id x : args) need_value(x, user);
        if (fact.base_needed)
          for (Id x : args) need_base(x, base_user);
    }
  }

  // A `where` needs its condition in mixed blocks only, and each branch only in blocks that take it.
  void mark_select(Id t, User user) {
    std::span<const Id> args = f_.args(f_[t]);
    uint32_t& choice = facts_[args[0]].choice;
    if (choice == no_choice) choice = found_.choices++;
    facts_[t].choice = choice;
    auto when = [&](int outcomes) { return User{user.early, found_.predicates.within(user.predicate, choice, uint8_t(outcomes))}; };
    need_value(args[0], when(mixed));
    need_value(args[1], when(all_true | mixed));
    need_value(args[2], when(all_false | mixed));
    for (Id x : f_.args(f_[args[0]])) need_base(x, user);
  }

  const Fn& f_;
  const CompileOptions& options_;
  Facts found_;
  std::vector<Fact>& facts_;
};

}  // namespace

namespace {

bool moved_by_argument(const Fn& f, Id index) {
  const auto walk = walk_of(f, index, true);
  return walk && walk->has_argument();
}

bool is_always_checked(const Fn& f, const Term& check) {
  const Term& guard = f[f.args(check)[2]];
  return guard.kind == Kind::Literal && guard.bits != 0;
}

}  // namespace

std::optional<CountedIndex> counted_index(const Fn& f, const std::vector<Fact>& facts, Id index) {
  if (f[index].kind == Kind::Check && moved_by_argument(f, f.args(index)[0])) index = f.args(index)[0];
  if (walk_of(f, index, true)) return CountedIndex{index, std::nullopt};
  if (!is_op(f[index], Op::add_)) return std::nullopt;
  const Id left = f.args(index)[0], right = f.args(index)[1];
  for (const auto& [base, walk] : {std::pair(left, right), std::pair(right, left)})
    if (facts[base].uniform && walk_of(f, walk, true)) return CountedIndex{walk, base};
  return std::nullopt;
}

int literal_factor(const Fn& f, const Term& product) {
  for (int k : {0, 1})
    if (f[f.args(product)[k]].kind == Kind::Literal) return k;
  return -1;
}

Facts find_facts(const Fn& f, const CompileOptions& options) { return Finder(f, options).run(); }

bool decided_by_runs(const Fn& f, const std::vector<Fact>& facts, const Term& check, const CompileOptions& options) {
  const std::span<const Id> args = f.args(check);
  return options.indexed && facts[args[1]].uniform && is_always_checked(f, check) && moved_by_argument(f, args[0]);
}

bool decided_by_bounds(const Fn& f, const std::vector<Fact>& facts, const Term& check, const CompileOptions& options) {
  const std::span<const Id> args = f.args(check);
  return options.has_index() && facts[args[0]].stride != Fact::not_affine && facts[args[1]].uniform && is_always_checked(f, check);
}

}  // namespace wf::cpu
