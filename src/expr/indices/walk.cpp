#include "expr/indices/walk.h"

#include <algorithm>

#include "expr/terms.h"

namespace wf {
namespace {

constexpr int64_t unlimited = 0;
constexpr size_t most_digits = 8;  // so there are at most 16 axes

// t = i + number, plus or minus an argument.
struct WalkShift {
  int64_t number = 0;
  uint32_t argument = Walk::no_argument;
  bool is_subtracted = false;
  bool operator==(const WalkShift&) const = default;
  bool has_argument() const { return argument != Walk::no_argument; }
};

// (t div below) rem extent, times the factor.
struct WalkDigit {
  int64_t below = 1, extent = unlimited, factor = 1;
};

class WalkParser {
 public:
  WalkParser(const Fn& f, bool with_argument) : f_(f), with_argument_(with_argument) {}

  std::optional<Walk> parse(Id id) {
    if (!sum(id, 1) || !has_quotient_ || digits_.size() > most_digits) return std::nullopt;
    std::vector<int64_t> bounds{1};  // the numbers of elements below the axes
    for (const WalkDigit& d : digits_) {
      bounds.push_back(d.below);
      int64_t end;
      if (__builtin_mul_overflow(d.below, d.extent, &end)) return std::nullopt;
      if (d.extent != unlimited) bounds.push_back(end);
    }
    std::ranges::sort(bounds);
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    for (size_t k = 0; k < bounds.size(); k++) {
      const bool is_last = k + 1 == bounds.size();
      if (!is_last && bounds[k + 1] % bounds[k] != 0) return std::nullopt;
      Walk::Axis axis{is_last ? unlimited : bounds[k + 1] / bounds[k], 0};
      for (const WalkDigit& d : digits_)
        if (d.below <= bounds[k] && (d.extent == unlimited || bounds[k] < d.below * d.extent)) {
          int64_t step;
          if (__builtin_mul_overflow(d.factor, bounds[k] / d.below, &step) || __builtin_add_overflow(axis.stride, step, &axis.stride))
            return std::nullopt;
        }
      append(axis);
    }
    return std::move(walk_);
  }

 private:
  std::optional<int64_t> literal(Id id) const {
    const Term& t = f_[id];
    return is_literal(t) && t.type == Type::I64 ? std::optional(from_bits<int64_t>(t.bits)) : std::nullopt;
  }

  bool sum(Id id, int64_t factor) {
    const Term& t = f_[id];
    if (t.type != Type::I64) return false;
    if (const auto x = literal(id)) {
      int64_t product;
      return !__builtin_mul_overflow(*x, factor, &product) && !__builtin_add_overflow(walk_.base, product, &walk_.base);
    }
    std::span<const Id> x = f_.args(t);
    if (is_op(t, Op::mul_)) {
      const auto by = literal(x[1]);
      return by && !__builtin_mul_overflow(factor, *by, &factor) && sum(x[0], factor);
    }
    // i + c is a digit of i with a shift only below a quotient.
    if (is_op(t, Op::add_)) return sum(x[0], factor) && sum(x[1], factor);
    if (is_op(t, Op::sub_)) return sum(x[0], factor) && factor != INT64_MIN && sum(x[1], -factor);
    return digit(id, factor);
  }

  bool digit(Id id, int64_t factor) {
    WalkDigit d{.factor = factor};
    const bool is_param = f_[id].kind == Kind::Param;
    if (is_op(f_[id], Op::rem_)) {
      d.extent = literal(f_.args(id)[1]).value_or(0);
      if (d.extent <= 0) return false;
      id = f_.args(id)[0];
    }
    if (is_op(f_[id], Op::div_)) {
      d.below = literal(f_.args(id)[1]).value_or(0);
      if (d.below <= 0) return false;
      id = f_.args(id)[0];
    }
    const auto shift = shift_of(id);
    if (!shift) return false;
    // A term i among digits of i + c is (i + c) - c.
    if (is_param) return shifts(shift_ ? shift_->number : 0, factor, d);
    has_quotient_ = true;
    if (shift_ && shift_ != shift) return false;
    if (plain_ > 0 && (shift->has_argument() || (!shift_ && shift->number > 0))) return false;
    shift_ = *shift;
    walk_.shift = shift->number, walk_.argument = shift->argument, walk_.is_subtracted = shift->is_subtracted;
    digits_.push_back(d);
    return true;
  }

  // The term as parameter 0, shifted.
  std::optional<WalkShift> shift_of(Id id) const {
    constexpr int64_t largest = int64_t(1) << 61;
    WalkShift shift;
    while (is_op(f_[id], Op::add_) || is_op(f_[id], Op::sub_)) {
      const bool subtracts = f_[id].op == Op::sub_;
      const Id right = f_.args(id)[1];
      if (const auto number = literal(right); number && !subtracts) {
        if (*number > largest || *number < -largest || std::abs(shift.number += *number) > largest) return std::nullopt;
      } else if (with_argument_ && f_[right].kind == Kind::Argument && !shift.has_argument()) {
        shift.argument = f_[right].slot, shift.is_subtracted = subtracts;
      } else {
        return std::nullopt;
      }
      id = f_.args(id)[0];
    }
    const bool is_index = f_[id].kind == Kind::Param && f_[id].slot == 0;
    return is_index && (shift.number >= 0 || shift.has_argument()) ? std::optional(shift) : std::nullopt;
  }

  bool shifts(int64_t shift, int64_t factor, const WalkDigit& d) {
    int64_t product;
    if (shift_ && shift_->has_argument()) return false;
    if (__builtin_mul_overflow(shift, factor, &product) || __builtin_sub_overflow(walk_.base, product, &walk_.base)) return false;
    plain_++;
    digits_.push_back(d);
    return true;
  }

  // Neighbours merge if one stride steps through both.
  void append(const Walk::Axis& axis) {
    int64_t step;
    if (!walk_.axes.empty() && !__builtin_mul_overflow(walk_.axes.back().stride, walk_.axes.back().extent, &step) && step == axis.stride) {
      Walk::Axis& inner = walk_.axes.back();
      inner.extent = axis.extent == unlimited ? unlimited : inner.extent * axis.extent;
    } else {
      walk_.axes.push_back(axis);
    }
  }

  const Fn& f_;
  Walk walk_;
  std::vector<WalkDigit> digits_;
  const bool with_argument_;
  std::optional<WalkShift> shift_;  // of the quotients
  int plain_ = 0;                   // terms i
  bool has_quotient_ = false;
};

}  // namespace

std::optional<Walk> walk_of(const Fn& f, Id term, bool with_argument) { return WalkParser(f, with_argument).parse(term); }

std::optional<WalkBounds> bounds_of(const Walk& walk, int64_t n) {
  __extension__ typedef __int128 Wide;
  Wide low = walk.base, high = walk.base, below = 1;
  for (const Walk::Axis& axis : walk.axes) {
    const Wide last_number = (Wide(walk.shift) + n - 1) / below;
    const Wide last = axis.extent == unlimited ? last_number : std::min<Wide>(axis.extent - 1, last_number);
    (axis.stride < 0 ? low : high) += last * axis.stride;
    below *= std::max<int64_t>(axis.extent, 1);
    if (below > INT64_MAX) below = INT64_MAX;
  }
  if (low < INT64_MIN || high > INT64_MAX) return std::nullopt;
  return WalkBounds{int64_t(low), int64_t(high)};
}

}  // namespace wf
