#include "cuda/text/literals.h"

#include "expr/indices/neighbours.h"

namespace wf::cuda {
namespace {

// Returns the literals that stay in the text: Booleans; integer divisors, since the compiler turns a division by a constant into a
// multiplication; small counts of folds, which the compiler unrolls; masks and shift counts in functions that draw, since they show which
// elements of a pack share random words; integers in functions that read neighbourhoods, since they show which elements share reads.
std::vector<bool> kept_in_text(const Fn& fn) {
  std::vector<bool> kept(fn.terms.size());
  bool draws = false;
  for (const Term& t : fn.terms) draws |= t.kind == Kind::Apply && (t.op == Op::philox32_ || t.op == Op::philox64_);
  for (const Term& t : fn.terms)
    if (draws && t.kind == Kind::Apply && (t.op == Op::and_ || t.op == Op::or_ || t.op == Op::shr_))
      for (Id x : fn.args(t)) kept[x] = true;
  for (Id id = 0; id < fn.terms.size(); id++)
    if (known_count(fn, id) > 0) kept[fn.args(id)[0]] = true;
  for (const Term& t : fn.terms)
    if (t.kind == Kind::Apply && (t.op == Op::div_ || t.op == Op::rem_) && !is_in(t.type, Float)) kept[fn.args(t)[1]] = true;
  if (neighbourhood_width(fn))
    for (Id id = 0; id < fn.terms.size(); id++) kept[id] = kept[id] || fn[id].type == Type::I64;
  for (Id id = 0; id < fn.terms.size(); id++) kept[id] = kept[id] || fn[id].type == Type::Bool;
  return kept;
}

// A launch has at most 32 KiB of arguments; further literals are part of the text.
constexpr size_t most_arguments = 3000;

Site number(const Fn& fn, Literals& all) {
  Site site;
  site.fn = &fn;
  site.literal_of.assign(fn.terms.size(), Site::in_text);
  const std::vector<bool> kept = kept_in_text(fn);
  for (Id id = 0; id < fn.terms.size(); id++) {
    if (fn[id].kind != Kind::Literal) continue;
    if (kept[id] || all.values.size() >= most_arguments) {
      all.in_text.push_back(fn[id].bits);
    } else {
      site.literal_of[id] = uint32_t(all.values.size());
      all.values.push_back(fn[id].bits);
    }
  }
  for (const Fn::LoopInfo& loop : fn.loops) {
    site.loops.push_back(number(*loop.body, all));
    site.combines.push_back(loop.is_fold() ? number(*loop.combine, all) : Site());
    all.in_text.insert(all.in_text.end(), loop.identity.begin(), loop.identity.end());
  }
  return site;
}

std::vector<uint32_t> number(const std::vector<Bits64>& identity, Literals& all) {
  std::vector<uint32_t> numbers;
  for (Bits64 bits : identity) {
    numbers.push_back(uint32_t(all.values.size()));
    all.values.push_back(bits);
  }
  return numbers;
}

}  // namespace

int64_t known_count(const Fn& fn, Id fold) {
  if (fn[fold].kind != Kind::Fold) return 0;
  const Term& count = fn[fn.args(fold)[0]];
  return count.kind == Kind::Literal && count.bits <= most_unrolled ? int64_t(count.bits) : 0;
}

Site site_in_text(const Fn& fn) {
  Site site;
  site.fn = &fn;
  site.literal_of.assign(fn.terms.size(), Site::in_text);
  for (const Fn::LoopInfo& loop : fn.loops) {
    site.loops.push_back(site_in_text(*loop.body));
    site.combines.push_back(loop.is_fold() ? site_in_text(*loop.combine) : Site());
  }
  return site;
}

Literals literals_of(const Kernel& kernel) {
  Literals all;
  all.body = number(*kernel.body, all);
  for (const Scan& scan : kernel.scan) {
    all.scan.push_back(number(*scan.combine, all));
    all.scan_identity = number(scan.identity, all);
    if (scan.axis.exists()) all.scan_axis = number({to_bits(scan.axis.length), to_bits(scan.axis.inner)}, all);
  }
  for (const Reduction& r : kernel.reductions) {
    all.reductions.push_back(number(*r.combine, all));
    all.reduction_identity.push_back(number(r.identity, all));
  }
  for (const RowElements& e : kernel.elements) all.elements.push_back(number(*e.value, all));
  if (kernel.finish) all.finish = number(*kernel.finish, all);
  return all;
}

}  // namespace wf::cuda
