#include "cuda/text/bytes.h"

#include <algorithm>

#include "expr/range.h"

namespace wf::cuda {
namespace {

bool within(const Range& x, const Range& y, const Range& window) { return x.is_in(window) && y.is_in(window); }

bool is_bytewise(const Fn& body, Id id, const Form& form, const std::vector<Range>& known) {
  constexpr Range of_byte{0, 255}, of_signed_byte{-128, 127};
  const Term& term = body[id];
  const std::span<const Id> args = body.args(id);
  switch (term.kind) {
    case Kind::At:
      return size_of(term.type) == 1 && body[args[0]].kind == Kind::Param &&
             std::ranges::any_of(form.streams, [&](const Stream& s) { return s.term == id; });
    case Kind::Literal: return !is_in(term.type, Float);
    case Kind::Cast: {
      const Type from = body[args[0]].type;
      return !is_in(from, Float) && !is_in(term.type, Float) && (term.type != Type::Bool || from == Type::Bool);
    }
    case Kind::Apply: break;
    default: return false;
  }
  switch (term.op) {
    case Op::add_:
    case Op::sub_:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::where_: return !is_in(term.type, Float);
    case Op::eq_:
    case Op::ne_: return within(known[args[0]], known[args[1]], of_byte) || within(known[args[0]], known[args[1]], of_signed_byte);
    case Op::lt_:
    case Op::le_:
    case Op::gt_:
    case Op::ge_: return within(known[args[0]], known[args[1]], of_byte);
    case Op::not_: return term.type == Type::Bool;
    default: return false;
  }
}

}  // namespace

std::vector<bool> computed_for(const Fn& fn, Id result) {
  std::vector<bool> computed(fn.terms.size());
  computed[result] = true;
  for (Id id = Id(fn.terms.size()); id-- > 0;)
    if (computed[id] && fn[id].kind != Kind::At)
      for (Id arg : fn.args(id)) computed[arg] = true;
  return computed;
}

bool fits_bytes(const Kernel& kernel, const Form& form) {
  if (!form.by_law || form.pack % 4 != 0 || !kernel.stores.empty()) return false;
  const Scan& scan = kernel.scan[0];
  const Type type = scan.combine->params[0].type;
  if (as_op(*scan.combine) != Op::add_ || is_in(type, Float) || size_of(type) != 4) return false;
  if (!std::ranges::all_of(kernel.reductions, &Reduction::by_law)) return false;
  const Fn& body = *kernel.body;
  const Id scanned = body.results[scan.values[0]];
  const std::vector<bool> computed = computed_for(body, scanned);
  const std::vector<Range> known = ranges(body);
  for (Id id = 0; id < body.terms.size(); id++)
    if (computed[id] && !is_bytewise(body, id, form, known)) return false;
  return known[scanned].is_in({-128, 127});
}

}  // namespace wf::cuda
