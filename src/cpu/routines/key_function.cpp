#include "cpu/routines/key_function.h"

#include <algorithm>

#include "expr/rewrite.h"

namespace wf::cpu {
namespace {

enum Side : uint8_t { Neither, Left, Right, Both };

// Both elements are copied as one, so that what a function computes of either is one term.
class Recognizer {
 public:
  explicit Recognizer(const Fn& less) : less_(less), copy_(builder_, less), sides_(less.terms.size()) {
    const size_t columns = less.params.size() / 2;
    std::vector<Id> element;
    for (size_t k = 0; k < columns; k++) element.push_back(builder_.param(less.params[k].type));
    std::vector<Id> both = element;
    both.insert(both.end(), element.begin(), element.end());
    copy_terms(copy_, both);
    for (Id id = 0; id < less.terms.size(); id++) {
      const Term& term = less[id];
      if (term.kind == Kind::Param) sides_[id] = term.slot < columns ? Left : Right;
      for (Id x : less.args(term)) sides_[id] = Side(sides_[id] | sides_[x]);
    }
  }

  std::optional<KeyFunction> run() {
    if (!add_keys(less_.results[0])) return std::nullopt;
    const bool descending = std::ranges::all_of(keys_, &Key::descending);
    std::vector<Id> results;
    for (const Key& key : keys_) results.push_back(in_order(key, !descending));
    return KeyFunction{builder_.finish(results), descending};
  }

 private:
  struct Key {
    Id value;  // in the copy
    bool descending;
  };

  bool is(Id id, Op op) const { return is_op(less_[id], op); }
  Id arg(Id id, size_t k) const { return less_.args(less_[id])[k]; }

  // The key, if the term applies an operation to the key of one element and that of the other.
  std::optional<Id> key_of_both(Id id) const {
    const Id x = arg(id, 0), y = arg(id, 1);
    const bool is_pair = (sides_[x] == Left && sides_[y] == Right) || (sides_[x] == Right && sides_[y] == Left);
    if (!is_pair || copy_.here[x] != copy_.here[y]) return std::nullopt;
    return copy_.here[x];
  }

  bool add_comparison(Id id) {
    if (!is(id, Op::lt_) && !is(id, Op::gt_)) return false;
    const std::optional<Id> key = key_of_both(id);
    if (!key) return false;
    keys_.push_back({*key, is(id, Op::gt_) == (sides_[arg(id, 0)] == Left)});
    return true;
  }

  // first, and of equal keys of it, rest.
  bool add_lexicographic(Id first, Id equal, Id rest) {
    if (!is(equal, Op::eq_) || !add_comparison(first)) return false;
    return key_of_both(equal) == keys_.back().value && add_keys(rest);
  }

  bool add_keys(Id id) {
    const size_t known = keys_.size();
    auto add = [&](Id first, Id equal, Id rest) {
      if (add_lexicographic(first, equal, rest)) return true;
      keys_.resize(known);
      return false;
    };
    if (add_comparison(id)) return true;
    if (is(id, Op::where_)) {
      if (add(arg(id, 2), arg(id, 0), arg(id, 1))) return true;
      return is_true(less_[arg(id, 1)]) && is(arg(id, 2), Op::and_) && add_either(add, arg(id, 0), arg(id, 2));
    }
    if (!is(id, Op::or_)) return false;
    for (int k : {0, 1})
      if (const Id both = arg(id, 1 - k); is(both, Op::and_) && add_either(add, arg(id, k), both)) return true;
    return false;
  }

  template <class Add> bool add_either(const Add& add, Id first, Id both) const {
    return add(first, arg(both, 0), arg(both, 1)) || add(first, arg(both, 1), arg(both, 0));
  }

  // The key in ascending order, if `ascends`.
  Id in_order(const Key& key, bool ascends) {
    const Type type = builder_.type(key.value);
    const bool is_float = is_in(type, Float);
    const Id value = is_float ? builder_.apply_typed(Op::add_, std::vector{key.value, builder_.literal(type, 0)}) : key.value;
    if (!ascends || !key.descending) return value;
    return builder_.apply_typed(is_float ? Op::neg_ : Op::not_, {&value, 1});
  }

  const Fn& less_;
  Builder builder_;
  Copy copy_;
  std::vector<Side> sides_;
  std::vector<Key> keys_;
};

}  // namespace

std::optional<KeyFunction> key_function(const Fn& less) { return Recognizer(less).run(); }

}  // namespace wf::cpu
