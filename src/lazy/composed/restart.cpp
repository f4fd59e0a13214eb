#include "lazy/composed/restart.h"

#include "lazy/check.h"
#include "lazy/fold.h"
#include "lazy/inline.h"

namespace wf {
namespace {

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

// Each pair of slot 0 with the identity combined with the values that start: a scan and a reduction combine their first element with it, too,
// which leaves out a NaN that min or max begins with.
FnRef begun(const Fn& f, const std::vector<Bits64>& identity, const std::vector<Type>& types) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), starts = b.at(0, 0, Type::Bool, i);
  std::vector<Id> operands, values;
  for (size_t c = 0; c < types.size(); c++) operands.push_back(b.literal(types[c], identity[c]));
  for (uint32_t c = 0; c < types.size(); c++) values.push_back(b.at(0, c + 1, types[c], i));
  operands.insert(operands.end(), values.begin(), values.end());
  const std::vector<Id> combined = b.inline_call(f, operands);
  std::vector<Id> results{starts};
  for (size_t c = 0; c < types.size(); c++) results.push_back(b.apply(Op::where_, {starts, combined[c], values[c]}));
  return b.finish(results);
}

// The exclusive prefixes in columns 1, 2, ... of slot 0, but the identity where column 0 of slot 1 is true.
FnRef exclusive(const std::vector<Bits64>& identity, const std::vector<Type>& types) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), starts = b.at(1, 0, Type::Bool, i);
  std::vector<Id> results;
  for (uint32_t c = 0; c < types.size(); c++)
    results.push_back(b.apply(Op::where_, {starts, b.literal(types[c], identity[c]), b.at(0, c + 1, types[c], i)}));
  return b.finish(results);
}

// key: the function, the types, the identity.
std::vector<uint64_t> restart_key(const char* place, const std::vector<Type>& types, const std::vector<Bits64>& identity) {
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(place)};
  for (Type type : types) key.push_back(uint64_t(type));
  key.insert(key.end(), identity.begin(), identity.end());
  return key;
}

}  // namespace

NodeRef restarting_scan(const FnRef& combine, const std::vector<Bits64>& identity, const NodeRef& pairs, bool inclusive) {
  const std::vector<Type> types(pairs->types().begin() + 1, pairs->types().end());
  const Few<Bits64> neutral = neutral_starts(*combine, identity);
  std::vector<Bits64> first{0};
  first.insert(first.end(), neutral.begin(), neutral.end());
  static const char places[3] = {};
  const FnRef begin = remembered(restart_key(&places[2], types, neutral), combine, [&] { return begun(*combine, neutral, types); });
  const NodeRef from_identity = pull(pairs->context(), domain_of(pairs), begin, {pairs}, 1);
  const FnRef step = remembered(restart_key(&places[0], types, {}), combine, [&] { return restarting(*combine, types); });
  const NodeRef scanned = scan({step, {}, {}}, first, from_identity, inclusive).prefixes;
  if (!inclusive) {
    const FnRef fn = remembered(restart_key(&places[1], types, identity), nullptr, [&] { return exclusive(identity, types); });
    return pull(pairs->context(), domain_of(pairs), fn, {scanned, pairs}, 2);
  }
  std::vector<int32_t> which;
  for (size_t c = 0; c < types.size(); c++) which.push_back(int32_t(c + 1));
  return columns(scanned, which);
}

}  // namespace wf
