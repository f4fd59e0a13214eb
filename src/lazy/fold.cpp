// reduce and scan.
#include "lazy/fold.h"

#include "lazy/compose.h"

namespace wf {

std::optional<FoldStart> fold_start(const FnRef& combine, std::span<const Bits64> start) {
  const size_t columns = start.size();
  size_t first = 0;
  while (first < columns && !op_apart(*combine, first, start[first])) first++;
  if (first == columns) return std::nullopt;
  Few<Bits64> identity;
  for (Bits64 bits : start) identity.push_back(bits);
  Builder b;
  std::vector<Id> results;
  for (size_t c = 0; c < columns; c++) {
    const Type type = combine->params[c].type;
    results.push_back(b.param(type, "x" + std::to_string(c)));
    const std::optional<Op> op = op_apart(*combine, c, start[c]);
    if (!op) continue;
    identity[c] = *identity_bits(*op, type);
    results[c] = b.apply(*op, {b.literal(type, start[c]), results[c]});
  }
  return FoldStart{std::move(identity), closed(b.finish(results))};
}

Few<Bits64> neutral_starts(const Fn& combine, std::span<const Bits64> identity) {
  Few<Bits64> starts;
  for (size_t c = 0; c < identity.size(); c++) starts.push_back(neutral_start(combine, c, identity[c]));
  return starts;
}

namespace {

// Exclusive prefixes, of which the first one becomes the identity.
NodeRef from_identity(const NodeRef& prefixes, const Few<Bits64>& identity) {
  Builder b;
  const Id is_first = b.apply(Op::eq_, {b.param(Type::I64, "i"), b.constant<int64_t>(0)});
  std::vector<Id> results;
  for (Type type : prefixes->types()) {
    const size_t c = results.size();
    results.push_back(b.apply(Op::where_, {is_first, b.literal(type, identity[c]), b.param(type, "x" + std::to_string(c))}));
  }
  const NodeRef both[] = {positions(prefixes), prefixes};
  return map(closed(b.finish(results)), both);
}

}  // namespace

NodeRef reduce(const Closure& f, Few<Bits64> identity, const NodeRef& s) {
  require_axes(*s);
  require_combine(f, s->types(), identity.size());
  FnRef fn = with_values(f.fn, f.arguments);
  if (const auto start = fold_start(fn, identity)) return start->of(reduce(f, start->identity, s));
  return delayed(s->context(), {Shape::scalar(), {}}, s->column_types(), {NodeKind::Reduce, std::move(fn), {s}, std::move(identity)});
}

// The total refers to the scanned sequence, too: when the total is computed, the prefixes may be manifest already, and then they no longer
// refer to it.
ScanResult scan(const Closure& f, Few<Bits64> identity, const NodeRef& s, bool inclusive) {
  require_vector(*s);
  require_combine(f, s->types(), identity.size());
  const FnRef fn = with_values(f.fn, f.arguments);
  if (const auto start = fold_start(fn, identity)) return start->of(scan(f, start->identity, s, inclusive));
  // A kernel does not know which of a filter's elements is the first.
  if (const Few<Bits64> neutral = neutral_starts(*fn, identity); s->domain() && !(neutral == identity)) {
    const NodeRef prefixes = scan(f, neutral, s, inclusive).prefixes;
    return {inclusive ? prefixes : from_identity(prefixes, identity), reduce(f, identity, s)};
  }
  NodeRef prefixes = delayed(s->context(), domain_of(s), s->column_types(), {NodeKind::Scan, fn, {s}, identity, inclusive});
  NodeRef total =
      delayed(s->context(), {Shape::scalar(), {}}, s->column_types(), {NodeKind::Total, fn, {prefixes, s}, std::move(identity), inclusive});
  return {std::move(prefixes), std::move(total)};
}

}  // namespace wf
