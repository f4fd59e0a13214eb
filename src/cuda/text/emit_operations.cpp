#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "cuda/text/emitter.h"
#include "cuda/text/foreign.h"

namespace wf::cuda {
namespace {

struct Definition {
  std::string_view name, result, meaning;
  int arity;
};

constexpr Definition definitions[] = {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) {#name, #result, #meaning, arity},
#include "ops/ops.def"
};

void collect(const FnRef& fn, std::set<Op>& used) {
  if (!fn) return;
  for (const Term& t : fn->terms)
    if (t.kind == Kind::Apply && t.op != Op::where_) used.insert(t.op);
  for (const Fn::LoopInfo& loop : fn->loops) collect(loop.body, used);
}

std::set<Op> operations_of(const Kernel& kernel) {
  std::set<Op> used;
  collect(kernel.body, used);
  collect(kernel.finish, used);
  for (const Scan& scan : kernel.scan) collect(scan.combine, used);
  for (const Reduction& r : kernel.reductions) collect(r.combine, used);
  return used;
}

bool is_math(Op op) { return info(op).cost == Cost::light || info(op).cost == Cost::heavy; }

}  // namespace

bool uses_math(const Kernel& kernel) { return std::ranges::any_of(operations_of(kernel), is_math); }

// Returns the kernel's includes, followed by the lines of ops.def that it uses.
std::string Emitter::operations() const {
  std::set<Op> used = operations_of(kernel_);
  if (overflow_check() == OverflowCheck::Magnitude) used.insert({Op::abs_, Op::max_});
  if (overflow_check() == OverflowCheck::Extremes) used.insert({Op::min_, Op::max_});
  std::string lines;
  bool math = calls_foreign(kernel_);
  for (Op op : used) {
    const Definition& d = *std::ranges::find(definitions, name(op), &Definition::name);
    math = math || is_math(op);
    lines += "WF_OP(" + std::string(d.name) + ", " + std::to_string(d.arity) + ", " + std::string(d.result) + ", " +
             std::string(d.meaning) + ")\n";
  }
  return std::string(math ? "" : "#define WF_WITHOUT_MATH\n") + "#include \"" +
         (small_     ? "small.cuh"
          : chained_ ? "scan.cuh"
                     : "reduce.cuh") +
         "\"\n" + (sums_under_extremes() ? "#include \"law.cuh\"\n" : "") + (form_.by_bytes ? "#include \"bytes.cuh\"\n" : "") +
         source_definitions(kernel_) + "\nnamespace wf {\n\n" + lines;
}

}  // namespace wf::cuda
