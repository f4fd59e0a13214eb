// Segments (segments.h), composed of primitives:
//   reduce   a fold in each element of a tabulate: the kernel works on rows
//   scan     one scan of pairs (true at the start of a segment, value) that starts again at each start
//   filter   a filter, and the counts per segment of what it keeps
//   ids      the number of offsets up to each value, as the scan of their histogram
#include "lazy/segments.h"

#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {
namespace {

Closure plain(FnRef f) { return {std::move(f), {}, {}}; }

// Throws unless these are offsets. Returns the number of segments.
int64_t require_offsets(const NodeRef& offsets) {
  const int64_t n = known_length(*offsets, "offsets");
  if (offsets->types() != std::vector{Type::I64})
    throw TypeError("offsets has columns " + list(offsets->types()) + "; expected one column of type i64");
  if (n == 0) throw SizeError("offsets is empty; expected one more number than there are segments");
  return n - 1;
}

// Throws unless these are values and offsets. Returns the number of segments.
int64_t require_segments(const NodeRef& values, const NodeRef& offsets, const Closure& f) {
  const NodeRef both[] = {values, offsets};
  common_context(both, &f);
  require_vector(*values, "values");
  const int64_t segments = require_offsets(offsets);
  if (segments == 0 && values->length() > 0)
    throw SizeError("offsets has length 1, for no segments, but values has " + describe_length(*values) +
                    "; expected one more number than there are segments");
  return segments;
}

struct Range {
  Id begin, end;
};

// The values of a segment, within [0, n), after checks that 0 <= begin <= end <= n, that a first segment begins at 0, and that a last one
// ends at n.
Range checked_range(Builder& b, Range segment, Id is_first, Id is_last, Id n) {
  const Id zero = b.constant<int64_t>(0), one = b.constant<int64_t>(1), always = b.constant(true);
  auto above = [&](Id x) { return b.apply(Op::add_, {x, one}); };
  const Id checks[] = {b.check(segment.begin, above(segment.end), always), b.check(segment.end, above(n), always),
                       b.check(segment.begin, one, is_first), b.check(n, above(segment.end), is_last)};
  const Id begin = b.apply(Op::max_, {segment.begin, zero}), end = b.apply(Op::min_, {segment.end, n});
  return {b.require(begin, checks), end};
}

// Segment k of the offsets in slot 0, of the values in slot 1.
Range segment(Builder& b, Id k) {
  const Id one = b.constant<int64_t>(1), next = b.apply(Op::add_, {k, one});
  const Id last = b.apply(Op::sub_, {b.length(0), b.constant<int64_t>(2)});
  const Range range{b.at(0, 0, Type::I64, k), b.at(0, 0, Type::I64, next)};
  return checked_range(b, range, b.apply(Op::eq_, {k, b.constant<int64_t>(0)}), b.apply(Op::eq_, {k, last}), b.length(1));
}

std::vector<Id> literals(Builder& b, const std::vector<Bits64>& bits, const std::vector<Type>& types) {
  std::vector<Id> ids;
  for (size_t c = 0; c < types.size(); c++) ids.push_back(b.literal(types[c], bits[c]));
  return ids;
}

// key: the place in this file, the types, the identity.
std::vector<uint64_t> key_of(const char* place, const std::vector<Type>& types, const std::vector<Bits64>& identity) {
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(place)};
  for (Type type : types) key.push_back(uint64_t(type));
  key.insert(key.end(), identity.begin(), identity.end());
  return key;
}

FnRef reduction(const FnRef& combine, const std::vector<Bits64>& identity, const std::vector<Type>& types) {
  Builder value;
  const Id j = value.param(Type::I64, "j"), from = value.param(Type::I64, "begin");
  const FnRef body = value.finish(read(value, 1, types, value.apply(Op::add_, {from, j})));
  Builder b;
  const auto [begin, end] = segment(b, b.param(Type::I64, "k"));
  return b.finish(b.fold(b.apply(Op::sub_, {end, begin}), literals(b, identity, types), {&begin, 1}, body, combine));
}

// ---- scan -------------------------------------------------------------------------------------------------------------

// The offsets as indices of n + 1 elements, checked.
NodeRef checked_offsets(const NodeRef& offsets, int64_t n) {
  Builder b;
  const Id k = b.param(Type::I64, "k"), zero = b.constant<int64_t>(0), end = b.at(0, 0, Type::I64, k);
  const Id is_first = b.apply(Op::eq_, {k, zero}),
           is_last = b.apply(Op::eq_, {k, b.apply(Op::sub_, {b.length(0), b.constant<int64_t>(1)})});
  const Id before = b.at(0, 0, Type::I64, b.apply(Op::sub_, {k, b.constant<int64_t>(1)}));
  const Id begin = b.apply(Op::where_, {is_first, end, before});
  const Range range = checked_range(b, {begin, end}, is_first, is_last, b.constant(n));
  return pull(offsets->context(), domain_of(offsets), b.finish({b.require(range.end, {range.begin})}), {offsets}, 1);
}

// For each of n + 1 positions: true if it is an offset.
NodeRef starts(const NodeRef& offsets, int64_t n) {
  const NodeRef indices = checked_offsets(offsets, n);
  auto all = [&](int64_t count, bool value) {
    Builder b;
    b.param(Type::I64, "i");
    return pull(offsets->context(), {Shape::vector(count), {}}, b.finish({b.constant(value)}), {}, 0);
  };
  const Closure either = plain(op_fn(Op::or_, Type::Bool));
  return scatter(&either, all(n + 1, false), indices, all(indices->length(), true));
}

// (left starts, left..., right starts, right...) -> either starts, right if it starts, else f(left, right)
FnRef restarting(const Fn& f, const std::vector<Type>& types) {
  Builder b;
  std::vector<Id> start, sides[2];
  for (int side = 0; side < 2; side++) {
    start.push_back(b.param(Type::Bool, side == 0 ? "s" : "t"));
    for (size_t c = 0; c < types.size(); c++) sides[side].push_back(b.param(types[c], (side == 0 ? "a" : "b") + std::to_string(c)));
  }
  std::vector<Id> both = sides[0], results{b.apply(Op::or_, {start[0], start[1]})};
  both.insert(both.end(), sides[1].begin(), sides[1].end());
  const std::vector<Id> combined = b.inline_call(f, both);
  for (size_t c = 0; c < types.size(); c++) results.push_back(b.apply(Op::where_, {start[1], sides[1][c], combined[c]}));
  return b.finish(results);
}

// The exclusive prefixes in columns 1, 2, ... of slot 0, but the identity where slot 1 is true.
FnRef exclusive(const std::vector<Bits64>& identity, const std::vector<Type>& types) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), starts = b.at(1, 0, Type::Bool, i);
  std::vector<Id> results;
  for (uint32_t c = 0; c < types.size(); c++)
    results.push_back(b.apply(Op::where_, {starts, b.literal(types[c], identity[c]), b.at(0, c + 1, types[c], i)}));
  return b.finish(results);
}

// The total of segment k of offsets (slot 0) and values (slot 1) from its last prefix (slot 2).
FnRef total(const Fn& f, const std::vector<Bits64>& identity, const std::vector<Type>& types, bool inclusive) {
  Builder b;
  const auto [begin, end] = segment(b, b.param(Type::I64, "k"));
  const Id last = b.apply(Op::sub_, {end, b.constant<int64_t>(1)}), is_empty = b.apply(Op::ge_, {begin, end});
  std::vector<Id> results = read(b, 2, types, last);
  if (!inclusive) {
    for (Id x : read(b, 1, types, last)) results.push_back(x);
    results = b.inline_call(f, results);
  }
  for (size_t c = 0; c < types.size(); c++) results[c] = b.apply(Op::where_, {is_empty, b.literal(types[c], identity[c]), results[c]});
  return b.finish(results);
}

// ---- counts -----------------------------------------------------------------------------------------------------------

// 1 for each value for which f holds, else 0.
NodeRef ones(const Closure& f, const NodeRef& values) {
  const NodeRef mask = map(f, {&values, 1});
  Builder b;
  const Closure number = plain(b.finish({b.cast(Type::I64, b.param(Type::Bool, "x"))}));
  return map(number, {&mask, 1});
}

}  // namespace

NodeRef offsets(const NodeRef& lengths) {
  const int64_t n = known_length(*lengths, "lengths");
  const std::vector<Type>& types = lengths->types();
  if (types.size() != 1 || !is_in(types[0], Int))
    throw TypeError("lengths has columns " + list(types) + "; expected one column of integers");
  require_length(n, std::vector{Type::I64});
  static const char place = 0;
  const FnRef fn = remembered(key_of(&place, types, {uint64_t(n)}), nullptr, [&] {
    Builder b;
    const Id i = b.param(Type::I64, "i"), length = b.cast(Type::I64, b.at(0, 0, types[0], i));
    const Id is_length = b.apply(Op::lt_, {i, b.constant(n)});
    const Id checked = b.check(length, b.constant(INT64_MAX), is_length);
    return b.finish({b.apply(Op::where_, {is_length, checked, b.constant<int64_t>(0)})});
  });
  const NodeRef padded = pull(lengths->context(), {Shape::vector(n + 1), {}}, fn, {lengths}, 1);
  return scan(plain(op_fn(Op::add_, Type::I64)), {0}, padded, false).prefixes;
}

NodeRef segment_reduce(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& values, const NodeRef& offsets) {
  const int64_t segments = require_segments(values, offsets, f);
  const std::vector<Type>& types = values->types();
  require_combine(f, types, identity.size());
  const FnRef combine = with_values(f.fn, f.arguments);
  static const char place = 0;
  const FnRef fn = remembered(key_of(&place, types, identity), combine, [&] { return reduction(combine, identity, types); });
  return pull(values->context(), {Shape::vector(segments), {}}, fn, {offsets, values}, 2);
}

ScanResult segment_scan(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& values, const NodeRef& offsets,
                        bool inclusive) {
  const int64_t segments = require_segments(values, offsets, f), n = known_length(*values, "values");
  const std::vector<Type>& types = values->types();
  require_combine(f, types, identity.size());
  const FnRef combine = with_values(f.fn, f.arguments);

  const NodeRef flags = subseq(starts(offsets, n), 0, n), pairs[] = {flags, values};
  std::vector<Bits64> first{0};
  first.insert(first.end(), identity.begin(), identity.end());
  static const char places[3] = {};
  const FnRef step = remembered(key_of(&places[0], types, {}), combine, [&] { return restarting(*combine, types); });
  const NodeRef scanned = scan(plain(step), first, zip(pairs), inclusive).prefixes;

  NodeRef prefixes;
  if (inclusive) {
    std::vector<int32_t> which;
    for (size_t c = 0; c < types.size(); c++) which.push_back(int32_t(c + 1));
    prefixes = columns(scanned, which);
  } else {
    const FnRef fn = remembered(key_of(&places[1], types, identity), nullptr, [&] { return exclusive(identity, types); });
    prefixes = pull(values->context(), {Shape::vector(n), {}}, fn, {scanned, flags}, 2);
  }
  std::vector<uint64_t> key = key_of(&places[2], types, identity);
  key.push_back(inclusive);
  const FnRef last = remembered(key, combine, [&] { return total(*combine, identity, types, inclusive); });
  return {prefixes, pull(values->context(), {Shape::vector(segments), {}}, last, {offsets, values, prefixes}, 3)};
}

Segmented segment_filter(const Closure& f, const NodeRef& values, const NodeRef& offsets) {
  require_segments(values, offsets, f);
  const NodeRef kept = filter(f, values);
  return {kept, wf::offsets(segment_reduce(plain(op_fn(Op::add_, Type::I64)), {0}, ones(f, values), offsets))};
}

NodeRef segment_ids(const NodeRef& offsets, int64_t n) {
  const int64_t segments = require_offsets(offsets);
  require_length(n, std::vector{Type::I64});
  if (segments == 0 && n > 0)
    throw SizeError("offsets has length 1, for no segments, and n is " + std::to_string(n) +
                    "; expected one more number than there are segments");
  const NodeRef counts = subseq(histogram(checked_offsets(offsets, n), n + 1), 0, n);
  const NodeRef numbers = scan(plain(op_fn(Op::add_, Type::I64)), {0}, counts, true).prefixes;
  Builder b;
  const Closure before = plain(b.finish({b.apply(Op::sub_, {b.param(Type::I64, "k"), b.constant<int64_t>(1)})}));
  return map(before, {&numbers, 1});
}

}  // namespace wf
