// The rule for scans. With inclusive prefixes p, the cotangent of p[i] through all later prefixes is
//     q[i] = pbar[i] + M(i) q[i + 1],  M(i) = the transposed Jacobian of (p[i] f x[i + 1]) by its left operand,
// and xbar[i] is the transposed Jacobian of (p[i - 1] f x[i]) by its right operand, times q[i]. q is a scan from the end of pairs (M, pbar), which
// combine as affine functions do. Only the entries of M that can be other than 0 are columns: m of them for a first-order recurrence.
#include "expr/derivative/derivative.h"
#include "grad/pass.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"

namespace wf {
namespace {

class ScanRule {
 public:
  ScanRule(GradientPass& pass, const NodeRef& y, const Definition& scan, const CotangentColumns& ybar)
      : pass_(pass), y_(y), scan_(scan), x_(scan.inputs[0]), types_(x_->types()), ybar_(ybar) {
    const int64_t n = pass.length_of(x_);
    length_ = scan.axis.exists() ? scan.axis.length : n;
    inner_ = scan.axis.exists() ? scan.axis.inner : 1;
    extents_ = {n / std::max<int64_t>(1, length_ * inner_), length_, inner_};
    for (size_t c = 0; c < types_.size(); c++) {
      if (is_in(types_[c], Float)) floats_.push_back(c);
      starts_.push_back(has_start(*scan.fn, c, scan.identity[c]));
    }
  }

  void run() {
    if (x_->length() == 0) return;
    bool is_sum = true;
    for (size_t c = 0; c < types_.size(); c++) is_sum = is_sum && (!ybar_[c] || column_op(*scan_.fn, c) == Op::add_);
    if (is_sum) sums();
    else any();
  }

 private:
  NodeRef shaped(const NodeRef& s) const { return reshape(s, extents_); }

  void sums() {
    for (size_t c : floats_)
      if (ybar_[c]) {
        const NodeRef from_end =
            scan_axis(closed(op_fn(Op::add_, types_[c])), {0}, reversed_along(shaped(ybar_[c]), 1), 1, scan_.inclusive).prefixes;
        pass_.give(x_, c, reversed_along(from_end, 1));
      }
  }

  // Entry (c, k) of M, by columns of floats: its number among the entries that can be other than 0, or -1.
  void find_entries() {
    const size_t m = floats_.size();
    Builder b;
    std::vector<Id> args;
    for (int side = 0; side < 2; side++)
      for (Type type : types_) args.push_back(b.param(type));
    entries_.assign(m * m, -1);
    for (size_t k = 0; k < m; k++) {
      const std::vector<Id> column = derivatives(b, args, k);
      for (size_t c = 0; c < m; c++)
        if (!(is_literal(b[column[c]]) && b[column[c]].bits == 0)) entries_[c * m + k] = 0;
    }
    for (size_t c = 0; c < m; c++) entries_[c * m + c] = 0;  // of the identity matrix
    for (size_t via = 0; via < m; via++)                     // products of M have the entries of its transitive closure
      for (size_t c = 0; c < m; c++)
        for (size_t k = 0; k < m; k++)
          if (entries_[c * m + via] == 0 && entries_[via * m + k] == 0) entries_[c * m + k] = 0;
    drop_dead_columns();
    for (int& entry : entries_)
      if (entry == 0) entry = count_++;
  }

  // q is 0 in a column from which no cotangent can come: it has no place among the pairs.
  void drop_dead_columns() {
    const size_t m = floats_.size();
    for (size_t c = 0; c < m; c++) {
      bool is_live = false;
      for (size_t k = 0; k < m; k++) is_live = is_live || (ybar_[floats_[k]] && entries_[c * m + k] == 0);
      places_.push_back(is_live ? live_++ : -1);
    }
    for (size_t c = 0; c < m; c++)
      for (size_t k = 0; k < m; k++)
        if (places_[c] < 0 || places_[k] < 0) entries_[c * m + k] = -1;
  }
  size_t place(size_t c) const { return size_t(count_) + size_t(places_[c]); }
  // f(c, type) for each column that has a place.
  template <class F> void for_live(const F& f) const {
    for (size_t c = 0; c < floats_.size(); c++)
      if (places_[c] >= 0) f(c, types_[floats_[c]]);
  }

  // The derivatives of column k of (left f right), by the columns of floats of left, then of right: column k of M first.
  std::vector<Id> derivatives(Builder& b, std::span<const Id> args, size_t k) const { return b.inline_call(*derivatives_[k], args); }

  // (M of later elements, their b) then (M, b) of those before: b + M b_later, M M_later.
  FnRef combine_pairs() const {
    const size_t m = floats_.size();
    Builder b;
    std::vector<Id> later, own;
    for (auto* side : {&later, &own}) {
      for (int e = 0; e < count_; e++) side->push_back(b.param(entry_types_[size_t(e)]));
      for_live([&](size_t, Type type) { side->push_back(b.param(type)); });
    }
    const auto entry = [&](size_t c, size_t k) { return entries_[c * m + k]; };
    const auto sum = [&](Id& to, Id term) { to = to == no_id ? term : b.apply(Op::add_, {to, term}); };
    std::vector<Id> results(size_t(count_ + live_), no_id);
    for_live([&](size_t c, Type type) {
      for (size_t k = 0; k < m; k++)
        for (size_t via = 0; via < m; via++)
          if (entry(c, via) >= 0 && entry(via, k) >= 0)
            sum(results[size_t(entry(c, k))], product(b, own[size_t(entry(c, via))], later[size_t(entry(via, k))], type));
      results[place(c)] = own[place(c)];
      for (size_t k = 0; k < m; k++)
        if (entry(c, k) >= 0) sum(results[place(c)], product(b, own[size_t(entry(c, k))], later[place(k)], type));
    });
    for (size_t e = 0; e < size_t(count_); e++)
      if (results[e] == no_id) results[e] = b.literal(entry_types_[e], 0);
    return b.finish(results);
  }
  static Id product(Builder& b, Id x, Id y, Type type) { return b.apply(Op::mul_, {b.cast(type, x), b.cast(type, y)}); }

  // Slots of functions of i: y, x, then the cotangents.
  Few<NodeRef> inputs_with(const std::vector<NodeRef>& more) const {
    Few<NodeRef> inputs{y_, x_};
    for (const NodeRef& s : more) inputs.push_back(s);
    return inputs;
  }
  Id position(Builder& b, Id i) const {
    const Id line = inner_ == 1 ? i : b.apply(Op::div_, {i, b.constant(inner_)});
    return extents_[0] == 1 ? line : b.apply(Op::rem_, {line, b.constant(length_)});
  }
  Id moved(Builder& b, Id i, Id stays, int64_t by) const {
    return b.apply(Op::where_, {stays, i, b.apply(Op::add_, {i, b.constant(by * inner_)})});
  }
  // The inclusive prefixes at i, or those before it.
  std::vector<Id> prefixes(Builder& b, Id i) const {
    if (scan_.inclusive) return read(b, 0, types_, i);
    std::vector<Id> args = read(b, 0, types_, i);
    for (Id x : read(b, 1, types_, i)) args.push_back(x);
    return b.inline_call(*scan_.fn, args);
  }

  NodeRef pairs() const {
    std::vector<NodeRef> given;
    for (size_t c : floats_)
      if (ybar_[c]) given.push_back(ybar_[c]);
    return computed(x_, {Shape::of(extents_), {}}, inputs_with(given), [&](Builder& b, Id i) {
      const size_t m = floats_.size();
      const Id is_last = b.apply(Op::eq_, {position(b, i), b.constant(length_ - 1)}), next = moved(b, i, is_last, 1);
      std::vector<Id> args = prefixes(b, i);
      for (Id x : read(b, 1, types_, next)) args.push_back(x);
      std::vector<Id> results(static_cast<size_t>(count_));
      for_live([&](size_t k, Type) {
        const std::vector<Id> column = derivatives(b, args, k);
        for (size_t c = 0; c < m; c++) {
          const int e = entries_[c * m + k];
          if (e >= 0) results[size_t(e)] = b.apply(Op::where_, {is_last, b.literal(b.type(column[c]), 0), column[c]});
        }
      });
      uint32_t slot = 2;
      for_live([&](size_t c, Type type) {
        const Id zero = b.literal(type, 0);
        if (!ybar_[floats_[c]]) results.push_back(zero);
        else if (scan_.inclusive) results.push_back(b.at(slot++, 0, type, i));
        else results.push_back(b.apply(Op::where_, {is_last, zero, b.at(slot++, 0, type, next)}));
      });
      return results;
    });
  }

  void any() {
    for (size_t c : floats_) derivatives_.push_back(derivatives_of_result(scan_.fn, c));
    const size_t m = floats_.size();
    find_entries();
    entry_types_.resize(size_t(count_));
    for (size_t c = 0; c < m; c++)
      for (size_t k = 0; k < m; k++)
        if (entries_[c * m + k] >= 0) entry_types_[size_t(entries_[c * m + k])] = types_[floats_[c]];
    const NodeRef from_end = scan_axis(closed(combine_pairs()), pair_identity(), reversed_along(pairs(), 1), 1, true).prefixes;
    const NodeRef q = reversed_along(from_end, 1);
    const NodeRef all = computed(x_, domain_of(x_), inputs_with({q}), [&](Builder& b, Id i) {
      const Id is_first = b.apply(Op::eq_, {position(b, i), b.constant<int64_t>(0)});
      std::vector<Id> args = read(b, 0, types_, scan_.inclusive ? moved(b, i, is_first, -1) : i), own;
      for (size_t c = 0; c < args.size(); c++)
        if (starts_[c]) args[c] = b.apply(Op::where_, {is_first, b.literal(types_[c], scan_.identity[c]), args[c]});
      for (Id x : read(b, 1, types_, i)) args.push_back(x);
      for (size_t c = 0; c < m; c++) {
        const Type type = types_[floats_[c]];
        own.push_back(places_[c] < 0 ? b.literal(type, 0) : b.at(2, uint32_t(place(c)), type, i));
      }
      std::vector<Id> results(m, no_id);
      for_live([&](size_t k, Type) {
        const std::vector<Id> by = derivatives(b, args, k);
        for (size_t c = 0; c < m; c++) {
          if (is_literal(b[by[m + c]]) && b[by[m + c]].bits == 0) continue;
          const Id term = product(b, by[m + c], own[k], types_[floats_[c]]);
          results[c] = results[c] == no_id ? term : b.apply(Op::add_, {results[c], term});
        }
      });
      for (size_t c = 0; c < m; c++) {
        const Id zero = b.literal(types_[floats_[c]], 0);
        const Id later = results[c] == no_id ? zero : results[c];
        results[c] = starts_[floats_[c]] ? later : b.apply(Op::where_, {is_first, own[c], later});
      }
      return results;
    });
    for (size_t c = 0; c < m; c++) pass_.give(x_, floats_[c], column_of(all, c));
  }

  // The identity matrix and 0.
  std::vector<Bits64> pair_identity() const {
    const size_t m = floats_.size();
    std::vector<Bits64> bits(size_t(count_ + live_), 0);
    for_live([&](size_t c, Type type) { bits[size_t(entries_[c * m + c])] = convert(Type::I32, type, 1); });
    return bits;
  }

  GradientPass& pass_;
  const NodeRef& y_;
  const Definition& scan_;
  const NodeRef& x_;
  const std::vector<Type>& types_;
  const CotangentColumns& ybar_;
  int64_t length_, inner_;
  std::vector<int64_t> extents_;
  std::vector<size_t> floats_;
  // True for each column that starts from another value than its operation's identity, in which the first element has a part.
  std::vector<bool> starts_;
  std::vector<FnRef> derivatives_;  // by column of floats
  std::vector<int> entries_;
  std::vector<Type> entry_types_;
  int count_ = 0;            // of entries
  std::vector<int> places_;  // of b's columns, by column of floats; -1: q is 0
  int live_ = 0;
};

}  // namespace

void scan_back(GradientPass& pass, const NodeRef& y, const Definition& scan, const CotangentColumns& ybar) {
  ScanRule(pass, y, scan, ybar).run();
}

}  // namespace wf
