// Segments<T>: a sequence whose elements are sequences of T, as two sequences: the values of all segments, one after another, and the offsets
// of the segments in them. A segment is a view.
//
//     auto sums = reduce(plus, 0, Segments<int>::of_lengths(values, lengths));       // one kernel over the segments
//     for (int64_t k = 0; k < lines.size(); k++) std::cout << lines[k];              // each a view
//     auto ends = map_segments([](auto line) { return length(line); }, split([](auto c) { return c == '\n'; }, text));
//
// map, filter, reduce and scan of segments work inside each segment. They fuse with what computes the values. The work of each is that of the
// values plus the number of segments. Wrong offsets are a RangeError of the force, which names one. Inside a traced function, a segment that would
// end before it begins is empty, and an element that it reads outside of the values is a RangeError.
#pragma once

#include "warpfold/primitives.hpp"

namespace warpfold {

template <class T> class Segments {
 public:
  using value_type = Seq<T>;

  // Segment k is values[offsets[k]], ..., values[offsets[k + 1] - 1]. The first offset is 0, the last the length of values.
  Segments(Seq<T> values, Seq<int64_t> offsets) : values_(std::move(values)), offsets_(std::move(offsets)) {}
  // One segment per sequence. The lengths must be known: results of filters are computed first.
  template <detail::LazyRange R>
  requires std::is_same_v<detail::SeqIn<R>, Seq<T>>
  explicit Segments(const R& sequences) : values_(append(sequences)), offsets_(offsets_of(sequences)) {}
  // Segments of these lengths, integers whose sum is the length of values.
  template <class I> static Segments of_lengths(const Seq<T>& values, const Seq<I>& lengths) {
    return {values, Seq<int64_t>::own(detail::sequence(wf_offsets, lengths.raw()))};
  }

  // All values in order. Free.
  const Seq<T>& values() const { return values_; }
  const Seq<int64_t>& offsets() const { return offsets_; }
  // The number of segments. On the result of split or runs it computes the offsets. Throws SizeError if there are no offsets.
  int64_t size() const {
    const int64_t n = offsets_.size();
    if (n == 0) throw SizeError("offsets is empty; expected one more number than there are segments");
    return n - 1;
  }
  bool empty() const { return size() == 0; }
  Context context() const { return values_.context(); }

  // Segment k as a view. Computes the offsets. Throws RangeError if k is outside [0, size()).
  template <std::integral I> Seq<T> operator[](I k) const {
    const auto segment = static_cast<int64_t>(k);
    if (segment < 0 || segment >= size())
      throw RangeError("segment " + std::to_string(segment) + " of " + std::to_string(size()) + " segments; expected 0 to " +
                       std::to_string(size() - 1));
    int64_t ends[2];
    detail::check(wf_to_host(offsets_.raw(), 0, segment, 2, ends, WF_I64, 1));
    if (ends[0] < 0 || ends[1] < ends[0])
      throw RangeError("segment " + std::to_string(segment) + " is from offset " + std::to_string(ends[0]) + " to " +
                       std::to_string(ends[1]) + "; expected ascending offsets that are not negative");
    return subseq(values_, ends[0], ends[1] - ends[0]);
  }
  // Segment k inside a traced function: a sequence to reduce, map, filter or measure there. Outside, a lazy k is computed, since lengths are known.
  template <class I>
  requires tracing::is_traced_integer<I> Seq<T>
  operator[](const I& k) const {
    if constexpr (tracing::is_scalar<I>)
      if (!tracing::trace_in_progress) return (*this)[k.get()];
    const auto begin = offsets_[k], end = offsets_[k + 1];
    return subseq(values_, begin, distance(begin, end));
  }

  // The length of each segment, lazily: 0 if it would end before it begins.
  Seq<int64_t> lengths() const {
    const int64_t n = size();
    return map([](auto begin, auto end) { return distance(begin, end); }, take(offsets_, n), drop(offsets_, 1));
  }

  // The two sequences, for jit.
  template <class Visit> void each_handle(const Visit& visit) { visit(values_), visit(offsets_); }
  template <class Visit> void each_handle(const Visit& visit) const { visit(values_), visit(offsets_); }

  // A copy of the values of each segment. Forces. Throws RangeError if the offsets are not those of all values, SizeError if there are none.
  std::vector<std::vector<T>> to_vectors() const {
    force(values_, offsets_);
    const std::vector<T> all = values_.to_vector();
    const std::vector<int64_t> at = offsets_.to_vector();
    require_offsets(at, static_cast<int64_t>(all.size()));
    std::vector<std::vector<T>> segments;
    segments.reserve(static_cast<size_t>(size()));
    for (size_t k = 0; k + 1 < at.size(); k++) segments.emplace_back(all.begin() + at[k], all.begin() + at[k + 1]);
    return segments;
  }

 private:
  // The number of elements from begin to end. A difference that wraps is 1: the first one is outside of values.
  template <class I> static auto distance(const I& begin, const I& end) { return where(end > begin, max(end - begin, 1), 0); }
  static void require_offsets(const std::vector<int64_t>& at, int64_t n) {
    for (size_t k = 0; k < at.size(); k++) {
      const int64_t low = k == 0 ? 0 : at[k - 1], high = k == 0 ? 0 : n;
      if (at[k] >= low && at[k] <= high && (k + 1 < at.size() || at[k] == n)) continue;
      throw RangeError("offset " + std::to_string(k) + " of " + std::to_string(at.size()) + " is " + std::to_string(at[k]) +
                       "; expected 0 first, ascending offsets, and last " + std::to_string(n) + ", the number of values");
    }
  }
  template <class R> static Seq<int64_t> offsets_of(const R& sequences) {
    std::vector<int64_t> ends{0};
    for (const auto& s : sequences) ends.push_back(ends.back() + s.size());
    if (std::ranges::empty(sequences)) return Seq<int64_t>(std::move(ends));
    return Seq<int64_t>(std::move(ends), std::ranges::begin(sequences)->context());
  }
  Seq<T> values_;
  Seq<int64_t> offsets_;
};

template <detail::LazyRange R> Segments(const R&) -> Segments<typename detail::SeqIn<R>::value_type>;

// ---- makers -----------------------------------------------------------------------------------------------------------

// Segments of k elements, the last one shorter if k does not divide the length. No copy. Throws SizeError unless k is positive.
template <class T> Segments<T> chunks(const Seq<T>& s, int64_t k) {
  if (k < 1) throw SizeError("chunks: k is " + std::to_string(k) + "; expected a positive number");
  const int64_t n = s.size();
  const int64_t whole = n / k;
  return {s, tabulate([=](auto i) { return where(i <= whole, i * k, n); }, whole + (n % k != 0) + 1, s.context())};
}

// The pieces of s between the elements for which f is true, which are dropped: one more than there are of these. Pieces may be empty.
template <class F, class T> Segments<T> split(F f, const Seq<T>& s) {
  auto function = detail::function_of<bool, T>(f);
  auto [values, offsets] = detail::two_of<Seq<T>, Seq<int64_t>>(wf_split, function.handle.raw(), s.raw());
  return {std::move(values), std::move(offsets)};
}

// Segments that begin at element 0 and at each element for which f is true. No copy.
template <class F, class T> Segments<T> split_before(F f, const Seq<T>& s) {
  auto goes_on = [f](const ExprFor<T>&, const ExprFor<T>& y) mutable { return !tracing::apply_traced(f, y); };
  auto function = detail::function_of<bool, T, T>(goes_on);
  return {s, Seq<int64_t>::own(detail::sequence(wf_runs_by, function.handle.raw(), s.raw()))};
}

// The windows s[i], ..., s[i + width - 1] of a sequence, which overlap. No copy: reduce and map_segments read s itself. As Segments, whose
// values are computed where they are read, they can be scanned and filtered.
template <class T> class Windows {
 public:
  Windows(Seq<T> s, int64_t width) : s_(std::move(s)), width_(width) {
    if (width < 1) throw SizeError("windows: width is " + std::to_string(width) + "; expected a positive number");
    size_ = std::max<int64_t>(s_.size() - width + 1, 0);
  }
  int64_t size() const { return size_; }
  int64_t width() const { return width_; }
  Context context() const { return s_.context(); }
  template <class I> Seq<T> operator[](const I& i) const { return subseq(s_, i, width_); }
  // Throws SizeError if the number of their values overflows 64 bits.
  operator Segments<T>() const {
    int64_t length;
    if (__builtin_mul_overflow(size_, width_, &length))
      throw SizeError("windows: " + std::to_string(size_) + " windows of " + std::to_string(width_) + " elements overflow 64 bits");
    auto element = [s = s_, width = width_](auto i) { return s[i / width + i % width]; };
    auto offset = [width = width_](auto i) { return i * width; };
    return {tabulate(element, length, context()), tabulate(offset, size_ + 1, context())};
  }

 private:
  Seq<T> s_;
  int64_t width_, size_ = 0;
};
// windows(s, 3) of <1,2,3,4> are <1,2,3> and <2,3,4>; none if s is shorter. Throws SizeError unless width is positive.
template <class T> Windows<T> windows(const Seq<T>& s, int64_t width) { return {s, width}; }

// ---- inside each segment ----------------------------------------------------------------------------------------------

// r[k] = f(segment k), a scalar or a tuple. f gets a sequence as inside a traced function (inner.hpp).
template <class F, class T> auto map_segments(F f, const Segments<T>& s) {
  return tabulate([f, s](auto k) mutable { return f(s[k]); }, s.size(), s.context());
}
template <class F, class T> auto map_segments(F f, const Windows<T>& s) {
  return tabulate([f, s](auto k) mutable { return f(s[k]); }, s.size(), s.context());
}

// f of each value, in the same segments.
template <class F, class T> auto map(F f, const Segments<T>& s) {
  auto values = map(f, s.values());
  return Segments<typename decltype(values)::value_type>(std::move(values), s.offsets());
}

// One element per segment: its values combined by f, or b if it is empty. f is associative, b its identity.
template <class F, class T> Seq<T> reduce(F f, const std::type_identity_t<T>& b, const Segments<T>& s) {
  auto function = detail::combiner_of<T>(f);
  std::string identity = detail::identity_text<T>(b);
  return Seq<T>::own(detail::sequence(wf_segment_reduce, function.handle.raw(), identity.c_str(), s.values().raw(), s.offsets().raw()));
}
template <class F, class T> Seq<T> reduce(F f, const std::type_identity_t<T>& b, const Windows<T>& s) {
  return map_segments([=](const Seq<T>& window) { return reduce(f, b, window); }, s);
}

// auto [prefixes, totals] = scan(f, b, segments)
template <class T> struct ScannedSegments {
  Segments<T> prefixes;
  Seq<T> totals;
};
namespace detail {
template <class T, class F> ScannedSegments<T> scan_segments(F& f, const T& b, const Segments<T>& s, int32_t inclusive) {
  auto function = combiner_of<T>(f);
  std::string identity = identity_text<T>(b);
  auto [prefixes, totals] =
      two_of<Seq<T>, Seq<T>>(wf_segment_scan, function.handle.raw(), identity.c_str(), s.values().raw(), s.offsets().raw(), inclusive);
  return {{std::move(prefixes), s.offsets()}, std::move(totals)};
}
}  // namespace detail
// The scan of each segment, which starts again at b, and its total.
template <class F, class T> ScannedSegments<T> scan(F f, const std::type_identity_t<T>& b, const Segments<T>& s) {
  return detail::scan_segments<T>(f, b, s, 0);
}
template <class F, class T> ScannedSegments<T> scan_incl_total(F f, const std::type_identity_t<T>& b, const Segments<T>& s) {
  return detail::scan_segments<T>(f, b, s, 1);
}
template <class F, class T> Segments<T> scan_incl(F f, const std::type_identity_t<T>& b, const Segments<T>& s) {
  return detail::scan_segments<T>(f, b, s, 1).prefixes;
}

// The values for which f is true, in the same number of segments.
template <class F, class T> Segments<T> filter(F f, const Segments<T>& s) {
  auto function = detail::function_of<bool, T>(f);
  auto [values, offsets] =
      detail::two_of<Seq<T>, Seq<int64_t>>(wf_segment_filter, function.handle.raw(), s.values().raw(), s.offsets().raw());
  return {std::move(values), std::move(offsets)};
}

// For each value the number of its segment: 0 as many times as segment 0 is long, and so on.
template <class T> Seq<int64_t> segment_ids(const Segments<T>& s) {
  return Seq<int64_t>::own(detail::sequence(wf_segment_ids, s.offsets().raw(), s.values().size()));
}

// All values, one segment after another. Free: they are stored so.
template <class T> Seq<T> flatten(const Segments<T>& s) { return s.values(); }
// The elements of all sequences, one after another. No copy.
template <detail::LazyRange R> auto flatten(const R& s) { return append(s); }

}  // namespace warpfold
