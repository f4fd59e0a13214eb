#include "checks/arguments.h"

#include <algorithm>

#include "eval/eval.h"
#include "expr/of_thread.h"

namespace wf::capi {

void settle_lengths(std::span<const NodeRef> nodes) {
  if (std::ranges::none_of(nodes, [](const NodeRef& s) { return s->domain() != nullptr; })) return;
  bool settled = true;
  for (const NodeRef& s : nodes)
    if (s->length() < 0 || nodes[0]->length() < 0) settled &= s->domain() == nodes[0]->domain();
  if (settled) return;
  for (const NodeRef& s : nodes)
    if (s->length() < 0) forced_length(s);
}

NodeRef measured(Call& call, const wf_seq* s, const char* argument) {
  NodeRef node = sequence(call, s, argument);
  if (node->length() < 0) forced_length(node);
  return node;
}

bool flag(int32_t value, const char* argument) {
  if (value != 0 && value != 1) throw ArgumentError(std::string(argument) + " is " + std::to_string(value) + "; expected 0 or 1");
  return value == 1;
}

namespace {
// The identity that a thread has read last: programs combine with the same one again and again.
struct LatestIdentity {
  std::string text;
  std::vector<Type> types;
  Few<Bits64> bits;
};
}  // namespace

static const Few<Bits64>& read_identity(const char* text, const std::vector<Type>& types) {
  static constinit thread_local OfThread<LatestIdentity> of_thread;
  LatestIdentity& latest = of_thread.get();
  if (latest.types != types || latest.text != text) latest = {text, types, parse_literals(text, types)};
  return latest.bits;
}

Few<Bits64> identity_of(const Fn& f, const char* text, const std::vector<Type>& types) {
  if (text) return read_identity(text, types);
  auto op = types.size() == 1 ? as_op(f) : std::nullopt;
  auto bits = op ? identity_bits(*op, types[0]) : std::nullopt;
  if (!bits)
    throw ArgumentError("no identity is given and f, " + print(f) +
                        ", is not one operation with an identity in the table; expected the identity of f");
  return {*bits};
}

}  // namespace wf::capi
