#include "expr/folds/merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "expr/rewrite.h"

namespace wf {
namespace {

// The most folds below each term, itself included. Folds of one level do not depend on each other.
std::vector<uint32_t> levels(const Fn& f) {
  std::vector<uint32_t> level(f.terms.size());
  for (Id t = 0; t < f.terms.size(); t++) {
    for (Id x : f.args(t)) level[t] = std::max(level[t], level[x]);
    level[t] += f[t].kind == Kind::Fold;
  }
  return level;
}

// f with its terms sorted by level: the operands of all folds of a level precede them.
Fn sorted(const Fn& f, const std::vector<uint32_t>& level) {
  std::vector<Id> order(f.terms.size()), place(f.terms.size());
  std::iota(order.begin(), order.end(), Id(0));
  std::ranges::stable_sort(order, {}, [&](Id t) { return level[t]; });
  Fn g = f;
  for (Id k = 0; k < order.size(); k++) g.terms[k] = f.terms[order[k]], place[order[k]] = k;
  for (Id& x : g.operands) x = place[x];
  for (Id& x : g.results) x = place[x];
  return g;
}

// The folds of each group that becomes one, by their first. f is sorted.
std::map<Id, std::vector<Id>> groups(const Fn& f, const GroupsOfFolds& groups_of) {
  const std::vector<uint32_t> level = levels(f);
  const std::vector<int> group = groups_of(f);
  std::map<std::tuple<uint32_t, Id, int>, std::vector<Id>> alike;
  for (Id t = 0; t < f.terms.size(); t++)
    if (f[t].kind == Kind::Fold && group[t] != 0) alike[{level[t], f.args(t)[0], group[t]}].push_back(t);
  std::map<Id, std::vector<Id>> found;
  for (const auto& [key, folds] : alike)
    if (folds.size() > 1) found[folds[0]] = folds;
  return found;
}

struct Merge : Copy {
  Merge(Builder& to, const Fn& from, const GroupsOfFolds& groups_of) : Copy(to, from), groups_(groups(from, groups_of)) {}

  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    if (auto known = results_.find(id); known != results_.end()) return known->second;
    const auto group = groups_.find(id);
    if (group == groups_.end()) return Copy::repeat(id, x);
    std::vector<Id> operands{x[0]};
    for (Id fold : group->second)
      for (Id free : from.args(fold).subspan(1)) operands.push_back(here[free]);
    const std::vector<Id> all = to.repeat(merged(group->second), operands);
    size_t first = 0;
    for (Id fold : group->second) {
      const size_t count = info(fold).combine->results.size();
      results_[fold].assign(all.begin() + int64_t(first), all.begin() + int64_t(first + count));
      first += count;
    }
    return results_[id];
  }

 private:
  Fn::LoopInfo merged(const std::vector<Id>& folds) const {
    Fn::LoopInfo all{nullptr, 1, nullptr, {}};
    Builder value, combine;
    for (Builder* builder : {&value, &combine}) builder->reads_cannot_fail(), builder->params_cannot_fail();
    const Id position = value.param(Type::I64, info(folds[0]).body->params[0].name);
    std::vector<std::vector<Id>> args(folds.size()), sides(folds.size());
    for (size_t k = 0; k < folds.size(); k++) {
      const Fn& body = *info(folds[k]).body;
      args[k].push_back(position);
      for (const Param& p : std::span(body.params).subspan(1)) args[k].push_back(value.param(p.type, p.name));
      all.identity.insert(all.identity.end(), info(folds[k]).identity.begin(), info(folds[k]).identity.end());
    }
    for (bool right : {false, true})
      for (size_t k = 0; k < folds.size(); k++) {
        const Fn& one = *info(folds[k]).combine;
        const size_t m = one.results.size();
        for (const Param& p : std::span(one.params).subspan(right ? m : 0, m)) sides[k].push_back(combine.param(p.type, p.name));
      }
    std::vector<Id> values, combined;
    for (size_t k = 0; k < folds.size(); k++) {
      for (Id x : value.inline_call(*info(folds[k]).body, args[k])) values.push_back(x);
      for (Id x : combine.inline_call(*info(folds[k]).combine, sides[k])) combined.push_back(x);
    }
    all.body = value.finish(values);
    all.combine = combine.finish(combined);
    return all;
  }

  std::map<Id, std::vector<Id>> groups_, results_;
};

}  // namespace

FnRef merge_folds(FnRef f, const GroupsOfFolds& groups_of) {
  if (std::ranges::count_if(f->terms, [](const Term& t) { return t.kind == Kind::Fold; }) < 2) return f;
  const Fn from = sorted(*f, levels(*f));
  Builder builder;
  builder.reads_cannot_fail();
  builder.params_cannot_fail();
  Merge pass(builder, from, groups_of);
  return builder.finish(copy_terms(pass, copy_params(builder, from)));
}

}  // namespace wf
