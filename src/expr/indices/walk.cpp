#include "expr/indices/walk.h"

#include <algorithm>

#include "expr/terms.h"

namespace wf {
namespace {

constexpr int64_t unlimited = 0;
constexpr size_t most_digits = 8;  // so there are at most 16 axes

// ((i + shift) div below) rem extent, times the factor.
struct WalkDigit {
  int64_t below = 1, extent = unlimited, factor = 1;
};

class WalkParser {
 public:
  explicit WalkParser(const Fn& f) : f_(f) {}

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
    int64_t shift = 0;
    if (is_op(f_[id], Op::add_)) {
      shift = literal(f_.args(id)[1]).value_or(-1);
      id = f_.args(id)[0];
    }
    if (f_[id].kind != Kind::Param || f_[id].slot != 0 || shift < 0 || shift > INT64_MAX / 2) return false;
    // A term i among digits of i + c is (i + c) - c.
    if (is_param) return shifts(shift_ < 0 ? 0 : shift_, factor, d);
    has_quotient_ = true;
    if (shift_ >= 0 && shift_ != shift) return false;
    if (shift_ < 0 && plain_ > 0 && shift > 0) return false;
    shift_ = walk_.shift = shift;
    digits_.push_back(d);
    return true;
  }

  bool shifts(int64_t shift, int64_t factor, const WalkDigit& d) {
    int64_t product;
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
  int64_t shift_ = -1;  // of the quotients; -1: none yet
  int plain_ = 0;       // terms i
  bool has_quotient_ = false;
};

}  // namespace

std::optional<Walk> walk_of(const Fn& f, Id term) { return WalkParser(f).parse(term); }

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
