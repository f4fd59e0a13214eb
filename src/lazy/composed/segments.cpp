// Segments (segments.h), composed of primitives:
//   reduce   a fold in each element of a tabulate: the kernel works on rows
//   scan     one scan of pairs (true at the start of a segment, value) that starts again at each start
//   filter   a filter, and a scan of its condition in the same kernel, which an offset reads
//   ids      a routine
#include "lazy/composed/segments.h"

#include "lazy/arrays/arrays.h"
#include "lazy/compose.h"
#include "lazy/composed/restart.h"
#include "lazy/fold.h"
#include "lazy/inline.h"

namespace wf {
namespace {

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

struct ValueRange {
  Id begin, end;
};

// The values of a segment, within [0, n), after checks that 0 <= begin <= end <= n, that a first segment begins at 0, and that a last one
// ends at n. If a check fails, the difference of the ends may be any number, but engines fold no row after a fault.
ValueRange checked_range(Builder& b, ValueRange segment, Id is_first, Id is_last, Id n) {
  const Id zero = b.constant<int64_t>(0), one = b.constant<int64_t>(1), always = b.constant(true);
  auto above = [&](Id x) { return b.apply(Op::add_, {x, one}); };
  const Id checks[] = {b.check(segment.begin, above(segment.end), always), b.check(segment.end, above(n), always),
                       b.check(segment.begin, one, is_first), b.check(n, above(segment.end), is_last)};
  const Id begin = b.apply(Op::max_, {segment.begin, zero}), end = b.apply(Op::min_, {segment.end, n});
  return {b.require(begin, checks), end};
}

// Segment k of the offsets in slot 0, of the values in slot 1.
ValueRange segment_range(Builder& b, Id k) {
  const Id one = b.constant<int64_t>(1), next = b.apply(Op::add_, {k, one});
  const Id last = b.apply(Op::sub_, {b.length(0), b.constant<int64_t>(2)});
  const ValueRange range{b.at(0, 0, Type::I64, k), b.at(0, 0, Type::I64, next)};
  return checked_range(b, range, b.apply(Op::eq_, {k, b.constant<int64_t>(0)}), b.apply(Op::eq_, {k, last}), b.length(1));
}

std::vector<Id> identity_literals(Builder& b, const std::vector<Bits64>& bits, const std::vector<Type>& types) {
  std::vector<Id> ids;
  for (size_t c = 0; c < types.size(); c++) ids.push_back(b.literal(types[c], bits[c]));
  return ids;
}

// key: the place in this file, the types, the identity.
std::vector<uint64_t> segment_key(const char* place, const std::vector<Type>& types, const std::vector<Bits64>& identity) {
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(place)};
  for (Type type : types) key.push_back(uint64_t(type));
  key.insert(key.end(), identity.begin(), identity.end());
  return key;
}

FnRef segment_reduction(const FnRef& combine, const std::vector<Bits64>& identity, const std::vector<Type>& types) {
  Builder value;
  const Id j = value.param(Type::I64, "j"), from = value.param(Type::I64, "begin");
  const FnRef body = value.finish(read(value, 1, types, value.apply(Op::add_, {from, j})));
  Builder b;
  const auto [begin, end] = segment_range(b, b.param(Type::I64, "k"));
  return b.finish(b.fold(b.apply(Op::sub_, {end, begin}), identity_literals(b, identity, types), {&begin, 1}, body, combine));
}

// ---- scan -------------------------------------------------------------------------------------------------------------

// Element k of the offsets in slot 0, of n values, checked.
Id checked_offset(Builder& b, Id k, Id n) {
  const Id one = b.constant<int64_t>(1), end = b.at(0, 0, Type::I64, k);
  const Id is_first = b.apply(Op::eq_, {k, b.constant<int64_t>(0)}), is_last = b.apply(Op::eq_, {k, b.apply(Op::sub_, {b.length(0), one})});
  const Id begin = b.apply(Op::where_, {is_first, end, b.at(0, 0, Type::I64, b.apply(Op::sub_, {k, one}))});
  const ValueRange range = checked_range(b, {begin, end}, is_first, is_last, n);
  return b.require(range.end, {range.begin});
}

// The offsets as indices of n + 1 elements.
NodeRef offset_indices(const NodeRef& offsets, int64_t n) {
  Builder b;
  const Id k = b.param(Type::I64, "k");
  return pull(offsets->context(), domain_of(offsets), b.finish({checked_offset(b, k, b.constant(n))}), {offsets}, 1);
}

// For each of n + 1 positions: true if it is an offset.
NodeRef segment_starts(const NodeRef& offsets, int64_t n) {
  const Closure either = closed(op_fn(Op::or_, Type::Bool));
  return scatter(&either, constants(offsets, n + 1, Type::Bool, 0), offset_indices(offsets, n),
                 constants(offsets, offsets->length(), Type::Bool, 1));
}

// The total of segment k of offsets (slot 0) and values (slot 1) from its last prefix (slot 2).
FnRef segment_total(const Fn& f, const std::vector<Bits64>& identity, const std::vector<Type>& types, bool inclusive) {
  Builder b;
  const auto [begin, end] = segment_range(b, b.param(Type::I64, "k"));
  const Id last = b.apply(Op::sub_, {end, b.constant<int64_t>(1)}), is_empty = b.apply(Op::ge_, {begin, end});
  std::vector<Id> results = read(b, 2, types, last);
  if (!inclusive) {
    const Few<Bits64> neutral = neutral_starts(f, identity);
    for (size_t c = 0; c < types.size(); c++)
      if (neutral[c] != identity[c])
        results[c] = b.apply(Op::where_, {b.apply(Op::eq_, {begin, last}), b.literal(types[c], neutral[c]), results[c]});
    for (Id x : read(b, 1, types, last)) results.push_back(x);
    results = b.inline_call(f, results);
  }
  for (size_t c = 0; c < types.size(); c++) results[c] = b.apply(Op::where_, {is_empty, b.literal(types[c], identity[c]), results[c]});
  return b.finish(results);
}

// ---- counts -----------------------------------------------------------------------------------------------------------

// The narrowest of i32 and i64 that counts to n; n < 0: it is not known.
Type counting_type(int64_t n) { return n >= 0 && n <= INT32_MAX ? Type::I32 : Type::I64; }

// The inclusive prefixes of numbers by op.
NodeRef inclusive_prefixes(Op op, const NodeRef& numbers) {
  const Type type = numbers->types()[0];
  return scan(closed(op_fn(op, type)), {*identity_bits(op, type)}, numbers, true).prefixes;
}

NodeRef converted_to(Type to, const NodeRef& s) {
  return mapped(s, std::array{uint64_t(to)}, [to](Builder& b, Id x) { return b.cast(to, x); });
}

}  // namespace

NodeRef offsets(const NodeRef& lengths) {
  const int64_t n = known_length(*lengths, "lengths");
  const std::vector<Type>& types = lengths->types();
  if (types.size() != 1 || !is_in(types[0], Int))
    throw TypeError("lengths has columns " + list(types) + "; expected one column of integers");
  require_length(n, std::vector{Type::I64});
  static const char place = 0;
  const FnRef fn = remembered(segment_key(&place, types, {uint64_t(n)}), nullptr, [&] {
    Builder b;
    const Id i = b.param(Type::I64, "i"), length = b.cast(Type::I64, b.at(0, 0, types[0], i));
    const Id is_length = b.apply(Op::lt_, {i, b.constant(n)});
    const Id checked = b.check(length, b.constant(checks_length), is_length);
    return b.finish({b.apply(Op::where_, {is_length, checked, b.constant<int64_t>(0)})});
  });
  const NodeRef padded = pull(lengths->context(), {Shape::vector(n + 1), {}}, fn, {lengths}, 1);
  const NodeRef sums = scan(closed(op_fn(Op::add_, Type::I64)), {0}, padded, false).prefixes;
  if (n <= INT32_MAX && size_of(types[0]) < sizeof(int64_t)) return sums;  // which cannot wrap
  // The first sum that wraps is negative, since it has one length more than a sum that does not.
  return mapped(sums, std::array{uint64_t(checks_sum)},
                [](Builder& b, Id sum) { return b.check(sum, b.constant(checks_sum), b.constant(true)); });
}

NodeRef segment_reduce(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& values, const NodeRef& offsets) {
  const int64_t segments = require_segments(values, offsets, f);
  const std::vector<Type>& types = values->types();
  require_combine(f, types, identity.size());
  const FnRef combine = with_values(f.fn, f.arguments);
  static const char place = 0;
  const FnRef fn = remembered(segment_key(&place, types, identity), combine, [&] { return segment_reduction(combine, identity, types); });
  Definition definition{.kind = NodeKind::Pull, .fn = fn, .inputs = {offsets, values}, .identity = {}, .viewed = 2};
  definition.routine.kind = Routine::SegmentIds;  // tells src/grad that this reduces segments
  return delayed(values->context(), {Shape::vector(segments), {}}, values->column_types(), std::move(definition));
}

ScanResult segment_scan(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& values, const NodeRef& offsets,
                        bool inclusive) {
  const int64_t segments = require_segments(values, offsets, f), n = known_length(*values, "values");
  const std::vector<Type>& types = values->types();
  require_combine(f, types, identity.size());
  const FnRef combine = with_values(f.fn, f.arguments);
  if (const auto start = fold_start(combine, identity)) return start->of(segment_scan(f, start->identity, values, offsets, inclusive));

  const NodeRef flags = subseq(segment_starts(offsets, n), 0, n), pairs[] = {flags, values};
  const NodeRef prefixes = restarting_scan(combine, identity, zip(pairs), inclusive);
  static const char place = 0;
  std::vector<uint64_t> key = segment_key(&place, types, identity);
  key.push_back(inclusive);
  const FnRef last = remembered(key, combine, [&] { return segment_total(*combine, identity, types, inclusive); });
  return {prefixes, pull(values->context(), {Shape::vector(segments), {}}, last, {offsets, values, prefixes}, 3)};
}

Segmented segment_filter(const Closure& f, const NodeRef& values, const NodeRef& offsets) {
  require_segments(values, offsets, f);
  const NodeRef kept = filter(f, values),
                counts = inclusive_prefixes(Op::add_, converted_to(counting_type(values->length()), map(f, {&values, 1})));
  Builder b;
  const Id offset = checked_offset(b, b.param(Type::I64, "k"), b.length(1)), before = b.apply(Op::sub_, {offset, b.constant<int64_t>(1)});
  const Id count = b.cast(Type::I64, b.at(1, 0, counts->types()[0], before));
  const Id at = b.apply(Op::where_, {b.apply(Op::gt_, {offset, b.constant<int64_t>(0)}), count, b.constant<int64_t>(0)});
  return {kept, pull(values->context(), domain_of(offsets), b.finish({at}), {offsets, counts}, 2)};
}

NodeRef segment_ids(const NodeRef& offsets, int64_t n) {
  const int64_t segments = require_offsets(offsets);
  require_length(n, std::vector{Type::I64});
  if (segments == 0 && n > 0)
    throw SizeError("offsets has length 1, for no segments, and n is " + std::to_string(n) +
                    "; expected one more number than there are segments");
  const NodeRef starts = without_last(offsets, n);
  Definition definition{NodeKind::Call, nullptr, {starts ? starts : offsets}, {}};
  definition.routine.kind = Routine::SegmentIds;
  definition.routine.lacks_end = bool(starts);
  const NodeRef ids = delayed(offsets->context(), {Shape::vector(n), {}}, {counting_type(segments)}, std::move(definition));
  return converted_to(Type::I64, ids);
}

}  // namespace wf
